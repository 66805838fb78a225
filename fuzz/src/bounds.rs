//! Any index and length on every kind of buffer: no `try_` form panics, it
//! succeeds exactly when the range is there, and a failed call changes nothing.

use arbitrary::Arbitrary;
use refbuf::{ByteBuf, ByteBufMut, Error, SliceBuf};

use crate::kinds::Kind;

#[derive(Arbitrary, Debug)]
pub struct Input {
    bytes: Vec<u8>,
    kind: Kind,
    release: bool,
    calls: Vec<(Number, Number)>,
}

/// Numbers near the ends, where sums wrap, and any other.
#[derive(Arbitrary, Debug, Clone, Copy)]
enum Number {
    Small(u8),
    BelowMax(u8),
    AroundSignedMax(i8),
    Any(usize),
}

impl Number {
    fn get(self) -> usize {
        match self {
            Self::Small(n) => n.into(),
            Self::BelowMax(n) => usize::MAX - usize::from(n),
            Self::AroundSignedMax(n) => isize::MAX.cast_unsigned().wrapping_add_signed(n.into()),
            Self::Any(n) => n,
        }
    }
}

#[derive(PartialEq, Debug)]
struct State {
    indices: (usize, usize),
    references: usize,
    bytes: Vec<u8>,
}

fn state(buf: &dyn ByteBuf) -> State {
    let indices = (buf.reader_index(), buf.writer_index());
    assert!(indices.0 <= indices.1);
    assert!(indices.1 <= buf.capacity() && buf.capacity() <= buf.max_capacity());
    let mut bytes = vec![0; indices.1];
    if buf.is_accessible() {
        buf.get_bytes(0, &mut bytes);
    }
    State { indices, references: buf.ref_count(), bytes }
}

/// Makes each call: one that fails changes nothing, and where it is known
/// whether it must fail, it does or does not.
macro_rules! calls {
    ($buf:ident; $($call:expr $(, if $there:expr)?;)*) => { $(
        let before = state($buf);
        let accessible = $buf.is_accessible();
        let done = $call.map(|_| ());
        if done.is_err() {
            assert_eq!(state($buf), before, stringify!($call));
        }
        $( assert_eq!(done.is_ok(), accessible && $there, "{}: {done:?}", stringify!($call)); )?
        // An integer of no width is an error of its own.
        if !accessible && !matches!(done, Err(Error::InvalidWidth { .. })) {
            assert_eq!(done, Err(Error::Released), stringify!($call));
        }
    )* };
}

fn reads(buf: &mut dyn ByteBuf, i: usize, n: usize) {
    let writer = buf.writer_index();
    let has = |n: usize| i.checked_add(n).is_some_and(|end| end <= writer);
    // Longer ones are as much out of bounds, and cannot be had.
    let mut dst = vec![0; n.min(1 << 10)];
    let len = dst.len();
    calls! { buf;
        buf.try_get_u8(i), if has(1);
        buf.try_get_u16(i), if has(2);
        buf.try_get_u24_le(i), if has(3);
        buf.try_get_i32_le(i), if has(4);
        buf.try_get_f64(i), if has(8);
        buf.try_get_u128(i), if has(16);
        buf.try_get_uint(i, n), if (1..=8).contains(&n) && has(n);
        buf.try_get_bytes(i, &mut dst), if has(len);
        buf.try_get_varint_u64(i);
        buf.try_get_str(i, n);
        buf.try_chunk(i), if has(0);
        buf.try_find_byte_in(i..n, 0), if i <= n && n <= writer;
        buf.try_rfind_byte_in(i..n, 0), if i <= n && n <= writer;
        buf.try_find_in(i..n, b"\0\0"), if i <= n && n <= writer;
        buf.try_slice(i..n), if i <= n && n <= writer;
        buf.try_slice(n..i), if n <= i && i <= writer;
    }
    if let Some(bytes) = buf.window(i, n) {
        assert_eq!(bytes.len(), n);
    }
    let readable = buf.readable_bytes();
    calls! { buf;
        buf.try_read_slice(n), if n <= readable;
        buf.try_set_reader_index(i), if i <= writer;
    }
    let readable = buf.readable_bytes();
    calls! { buf; buf.try_skip(n), if n <= readable; }
    let readable = buf.readable_bytes();
    calls! { buf; buf.try_read_uint(n), if (1..=8).contains(&n) && n <= readable; }
    let readable = buf.readable_bytes();
    calls! { buf; buf.try_read_bytes(&mut dst), if len <= readable; }
    let readable = buf.readable_bytes();
    calls! { buf; buf.try_read_u64(), if 8 <= readable; }
    calls! { buf; buf.try_read_varint_u32(); buf.try_read_string(n); }
}

fn writes(buf: &mut dyn ByteBufMut, i: usize, n: usize) {
    let src = vec![0xa5; n.min(1 << 10)];
    calls! { buf;
        buf.try_set_u8(i, 1);
        buf.try_set_u64_le(i, 1);
        buf.try_set_uint(i, 1, n);
        buf.try_set_bytes(i, &src);
        buf.try_set_zeros(i, n);
        buf.try_set_str(i, "text");
        buf.try_chunk_mut(i);
        buf.try_set_indices(n, i.min(1 << 12));
    }
    // Room far beyond any address space is refused by the library itself. What
    // an allocator would be asked for is kept small: a sanitizer's makes a
    // refusal the end of the process.
    let room = |n| if n > isize::MAX.cast_unsigned() + (1 << 16) { n } else { n % (1 << 12) };
    let (i, n) = (room(i), room(n));
    calls! { buf;
        buf.try_ensure_writable(n);
        buf.try_make_room(n);
        buf.try_write_zeros(n);
        buf.try_write_bytes(&src);
        buf.try_write_uint(1, n);
        buf.try_write_varint_u64(n as u64);
        buf.try_set_writer_index(i);
        buf.try_write_buf(&mut SliceBuf::from_static(b"source"), n);
    }
}

pub fn run(input: Input) {
    let (mut buf, other) = input.kind.make(&input.bytes);
    if input.release {
        buf.release();
    }
    for (i, n) in input.calls.iter().map(|(i, n)| (i.get(), n.get())) {
        reads(&mut buf, i, n);
        writes(&mut buf, i, n);
    }
    // A view of the whole, then of what was released.
    let mut slice = SliceBuf::from(input.bytes);
    let mut view = slice.downgrade();
    for (i, n) in input.calls.iter().map(|(i, n)| (i.get(), n.get())) {
        reads(&mut view, i, n);
    }
    if slice.writer_index() != 0 {
        slice.release();
        assert!(!view.is_accessible());
        for (i, n) in input.calls.iter().map(|(i, n)| (i.get(), n.get())) {
            reads(&mut view, i, n);
            assert!(view.try_slice(i..n).is_err());
        }
    }
    drop(other);
}
