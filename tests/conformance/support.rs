//! Small things that all tests use.

use refbuf::{ByteBuf, Error};

/// What a failed call must not change.
#[derive(Debug, PartialEq, Eq, Clone)]
pub struct State {
    reader: usize,
    writer: usize,
    capacity: usize,
    max_capacity: usize,
    ref_count: usize,
    bytes: Vec<u8>,
}

impl State {
    pub fn of<B: ByteBuf + ?Sized>(buf: &B) -> Self {
        let mut bytes = vec![0; buf.writer_index()];
        buf.get_bytes(0, &mut bytes);
        Self {
            reader: buf.reader_index(),
            writer: buf.writer_index(),
            capacity: buf.capacity(),
            max_capacity: buf.max_capacity(),
            ref_count: buf.ref_count(),
            bytes,
        }
    }
}

/// Every byte below the writer index, one at a time.
pub fn all_bytes<B: ByteBuf + ?Sized>(buf: &B) -> Vec<u8> {
    (0..buf.writer_index()).map(|i| buf.get_u8(i)).collect()
}

/// Runs `call` and demands that it fails with `error` and changes nothing.
#[track_caller]
pub fn refused<B: ByteBuf + ?Sized, T: std::fmt::Debug>(
    buf: &mut B,
    error: Error,
    call: impl FnOnce(&mut B) -> Result<T, Error>,
) {
    let before = State::of(buf);
    assert_eq!(call(buf).expect_err("accepted"), error);
    assert_eq!(State::of(buf), before, "a failed call changed something");
}

/// The same where only the kind of error is promised.
macro_rules! refused_as {
    ($buf:expr, $error:pat, $call:expr) => {{
        let before = crate::support::State::of($buf);
        let result = $call;
        assert!(matches!(result, Err($error)), "{result:?}");
        assert_eq!(crate::support::State::of($buf), before, "a failed call changed something");
    }};
}
pub(crate) use refused_as;

/// Bytes of which no two neighbours are alike, nor any two pieces of four; the
/// high bit is set in about half of them.
pub fn content(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 11) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Lengths at which pieces begin, end, or are not there at all.
pub const LENGTHS: [usize; 7] = [0, 1, 2, 15, 64, 65, 150];

/// Indices and lengths around a buffer of `len` bytes, and far beyond.
pub fn bounds(len: usize) -> impl Iterator<Item = usize> + Clone {
    let far = [
        usize::MAX,
        usize::MAX - 1,
        usize::MAX - 15,
        usize::MAX / 2,
        usize::MAX / 2 + 1,
        isize::MAX as usize - 1,
        (usize::MAX - len).wrapping_add(1),
        1 << 32,
        (1 << 31) - 1,
    ];
    let near =
        [0, 1, 2, len / 2, len.saturating_sub(2), len.saturating_sub(1), len, len + 1, len + 16];
    near.into_iter().chain(far)
}

impl State {
    /// `state` with other bytes: nothing else may have changed.
    pub fn of_other_bytes(state: Self, bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), ..state }
    }
}
