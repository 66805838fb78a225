//! The suites, each for any kind of buffer.

pub mod compares;
pub mod io;
pub mod reads;
pub mod released;
pub mod writes;

/// Makes a buffer of the given bytes and lends it to a test.
pub type With<'a, B> = dyn Fn(&[u8], &mut dyn FnMut(&mut B)) + 'a;

/// What a growing kind must at least be able to take beyond its first bytes.
pub const ROOM: usize = 1 << 16;
