//! The logic of this folder against naive models, on a buffer in pieces. (The
//! buffer types have a suite of their own, in `tests/`.)

#![allow(clippy::cast_possible_truncation)]

mod accessors;
mod bulk;
mod compare;
mod delegate;
mod dump;
mod search;
mod segments;
mod text;
mod varint;

use crate::{ByteBuf, ByteBufMut, Error};
use segments::Segments;
use std::string::{String, ToString};
use std::vec::Vec;

/// Numbers that look random and are the same every time (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// `bytes` cut into pieces of 1 to `max` bytes.
    fn split(&mut self, mut bytes: &[u8], max: usize) -> Segments {
        let mut pieces: Vec<&[u8]> = Vec::new();
        while !bytes.is_empty() {
            let (head, tail) = bytes.split_at(1 + self.below(max.min(bytes.len())));
            pieces.push(head);
            bytes = tail;
        }
        Segments::new(&pieces)
    }
}

/// The text of the panic that `f` ends in.
fn panic_text(f: impl FnOnce()) -> String {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_err();
    payload.downcast_ref::<String>().expect("a formatted panic").clone()
}

#[test]
fn the_panicking_form_says_what_the_error_says() {
    let buf = Segments::new(&[b"ab", b"c"]);
    let error = Error::OutOfBounds { index: 1, len: 4, limit: 3 };
    assert_eq!(buf.try_get_u32(1), Err(error));
    assert_eq!(panic_text(|| _ = buf.get_u32(1)), error.to_string());
}

#[test]
fn the_panic_is_at_the_callers_line() {
    use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
    use std::sync::{Arc, Mutex};

    let seen = Arc::new(Mutex::new(None));
    let (record, here, others) = (seen.clone(), std::thread::current().id(), take_hook());
    set_hook(std::boxed::Box::new(move |info| {
        if std::thread::current().id() == here {
            let at = info.location().unwrap();
            *record.lock().unwrap() = Some((at.file().to_string(), at.line()));
        } else {
            others(info);
        }
    }));
    let mut buf = Segments::new(&[b"ab"]);
    let mut at = Vec::new();
    let mut check = |line: u32, f: &mut dyn FnMut()| {
        let panicked = catch_unwind(AssertUnwindSafe(f)).is_err();
        at.push((line, panicked, seen.lock().unwrap().take()));
    };
    check(line!(), &mut || _ = buf.get_u32(0));
    check(line!(), &mut || _ = buf.read_u32());
    check(line!(), &mut || buf.set_u32(0, 1));
    check(line!(), &mut || _ = buf.get_uint(0, 9));
    check(line!(), &mut || _ = buf.get_varint_u64(2));
    check(line!(), &mut || _ = buf.find_byte_in(0..9, 0));
    check(line!(), &mut || _ = buf.slice(0..9));
    check(line!(), &mut || _ = buf.read_string(9));
    check(line!(), &mut || buf.set_zeros(0, 9));
    check(line!(), &mut || _ = ByteBuf::get_u32(&&mut buf, 0));
    drop(take_hook());
    for (line, panicked, seen) in at {
        assert!(panicked);
        assert_eq!(seen, Some((file!().to_string(), line)));
    }
}
