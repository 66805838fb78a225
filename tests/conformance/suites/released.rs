//! After `release` nothing can be had from a buffer but its `Debug`.

use std::collections::hash_map::RandomState;
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash};
use std::panic::{AssertUnwindSafe, catch_unwind};

use refbuf::{ByteBuf, ByteBufMut, Error, HeapBuf, SliceBuf};

use super::With;
use crate::numbers::{getters, setters};
use crate::support::{bounds, content};

/// Each call must be `Error::Released`.
macro_rules! all_released {
    ($($call:expr),* $(,)?) => { $(
        assert_eq!($call.map(drop), Err(Error::Released), stringify!($call));
    )* };
}

/// Each call must panic and say why.
macro_rules! all_panic {
    ($($call:expr),* $(,)?) => { $(
        let text = crate::panics::text(|| _ = $call);
        assert_eq!(text, Error::Released.to_string(), stringify!($call));
    )* };
}

/// Releases it twice.
fn release<B: ByteBuf + ?Sized>(buf: &mut B) {
    let others = buf.ref_count() - 1;
    let last = buf.release();
    // A view is never the last, and another handle may be left.
    assert!(!last || others == 0);
    for _ in 0..2 {
        assert!(!buf.release(), "released twice");
        assert_eq!(buf.ref_count(), 0);
        assert!(!buf.is_accessible());
    }
}

pub fn reading<B: ByteBuf + ?Sized>(with: &With<B>) {
    for len in [0, 1, 30] {
        with(&content(len), &mut |buf| {
            buf.set_reader_index(len / 2);
            release(buf);
            nothing_can_be_read(buf);
        });
    }
}

/// All methods of `ByteBuf`.
pub fn nothing_can_be_read<B: ByteBuf + ?Sized>(buf: &mut B) {
    for index in [0, 1].into_iter().chain(bounds(30)) {
        for getter in getters::<B>() {
            assert_eq!((getter.try_get)(buf, index), Err(Error::Released), "{}", getter.shape.name);
            assert_eq!((getter.try_read)(buf), Err(Error::Released), "{}", getter.shape.name);
        }
        let mut dst = [0xee; 3];
        all_released! {
            buf.try_set_reader_index(index),
            buf.try_skip(index),
            buf.try_chunk(index),
            buf.try_slice(index..index),
            buf.try_slice(0..index),
            buf.try_slice(index..0),
            buf.try_read_slice(index),
            buf.try_get_bytes(index, &mut dst),
            buf.try_get_bytes(index, &mut []),
            buf.try_read_bytes(&mut dst),
            buf.try_read_bytes(&mut []),
            buf.try_to_vec(),
            buf.try_get_uint(index, 3),
            buf.try_get_uint_le(index, 3),
            buf.try_get_int(index, 3),
            buf.try_get_int_le(index, 3),
            buf.try_read_uint(3),
            buf.try_read_uint_le(3),
            buf.try_read_int(3),
            buf.try_read_int_le(3),
            buf.try_get_varint_u64(index),
            buf.try_get_varint_u32(index),
            buf.try_get_varint_i64(index),
            buf.try_get_varint_i32(index),
            buf.try_read_varint_u64(),
            buf.try_read_varint_u32(),
            buf.try_read_varint_i64(),
            buf.try_read_varint_i32(),
            buf.try_get_str(index, 0),
            buf.try_get_str(0, index),
            buf.try_read_string(index),
            buf.try_find_byte_in(0..index, 0),
            buf.try_find_byte_in(index..0, 0),
            buf.try_rfind_byte_in(0..index, 0),
            buf.try_find_in(0..index, b""),
            buf.try_find_in(0..index, b"x"),
        }
        assert_eq!(dst, [0xee; 3]);
    }
    assert_eq!(buf.window(0, 1), None);
    assert_eq!(buf.read_window(1), None);
    assert_eq!(buf.as_contiguous(), None);
    assert!(!buf.is_contiguous());
    assert_eq!(buf.hex_dump(), "");
    assert_eq!(buf.io_slices(&mut [std::io::IoSlice::new(&[])]), 0);
    assert!(buf.write_to(&mut std::io::sink()).is_err());
    all_panic! {
        buf.set_reader_index(0),
        buf.skip(0),
        buf.chunk(0),
        buf.slice(0..0),
        buf.read_slice(0),
        buf.get_bytes(0, &mut []),
        buf.read_bytes(&mut []),
        buf.to_vec(),
        buf.get_u8(0),
        buf.read_u64(),
        buf.get_uint(0, 1),
        buf.read_int_le(1),
        buf.get_varint_u64(0),
        buf.read_varint_i32(),
        buf.get_str(0, 0),
        buf.read_string(0),
        buf.find_byte(0),
        buf.find_byte_in(0..0, 0),
        buf.bytes_before(0),
        buf.rfind_byte(0),
        buf.rfind_byte_in(0..0, 0),
        buf.find(b""),
        buf.find_in(0..0, b""),
        ByteBuf::position(&buf, |_| true),
        ByteBuf::rposition(&buf, |_| true),
    }
    assert_eq!((buf.ref_count(), buf.is_accessible()), (0, false));
}

/// All methods of `ByteBufMut`.
pub fn writing<B: ByteBufMut + ?Sized>(with: &With<B>) {
    for len in [0, 1, 30] {
        with(&content(len), &mut |buf| {
            release(buf);
            nothing_can_be_written(buf);
        });
    }
}

fn nothing_can_be_written<B: ByteBufMut + ?Sized>(buf: &mut B) {
    let mut src = HeapBuf::from(vec![1, 2, 3]);
    for index in [0, 1].into_iter().chain(bounds(30)) {
        for setter in setters::<B>() {
            assert_eq!(
                (setter.try_set)(buf, index, 1),
                Err(Error::Released),
                "{}",
                setter.shape.name
            );
            assert_eq!((setter.try_write)(buf, 1), Err(Error::Released), "{}", setter.shape.name);
        }
        all_released! {
            buf.try_set_writer_index(index),
            buf.try_set_indices(0, index),
            buf.try_set_indices(index, index),
            buf.try_ensure_writable(index),
            buf.try_make_room(index),
            buf.try_chunk_mut(index),
            buf.try_set_bytes(index, b"x"),
            buf.try_set_bytes(index, b""),
            buf.try_write_bytes(b"x"),
            buf.try_write_bytes(b""),
            buf.try_set_zeros(index, 1),
            buf.try_set_zeros(0, index),
            buf.try_write_zeros(index),
            buf.try_write_buf(&mut src, 2),
            buf.try_write_buf(&mut src, 0),
            buf.try_set_str(index, "x"),
            buf.try_write_str("x"),
            buf.try_write_str(""),
            buf.try_set_uint(index, 1, 3),
            buf.try_set_uint_le(index, 1, 3),
            buf.try_set_int(index, 1, 3),
            buf.try_set_int_le(index, 1, 3),
            buf.try_write_uint(1, 3),
            buf.try_write_uint_le(1, 3),
            buf.try_write_int(1, 3),
            buf.try_write_int_le(1, 3),
            buf.try_write_varint_u64(1),
            buf.try_write_varint_u32(300),
            buf.try_write_varint_i64(1),
            buf.try_write_varint_i32(-300),
        }
    }
    assert_eq!(src.reader_index(), 0, "bytes were lost");
    assert!(!buf.set_window(0, b"x") && !buf.write_window(b"x"));
    assert_eq!(buf.spare_capacity_mut().len(), 0);
    assert_eq!((buf.writable_bytes(), buf.is_writable()), (0, false));
    assert!(buf.read_from(&mut &b"x"[..], 1).is_err());
    all_panic! {
        buf.set_writer_index(0),
        buf.set_indices(0, 0),
        buf.clear(),
        buf.ensure_writable(0),
        buf.make_room(0),
        buf.chunk_mut(0),
        buf.set_bytes(0, b""),
        buf.write_bytes(b""),
        buf.set_zeros(0, 0),
        buf.write_zeros(0),
        buf.write_buf(&mut src, 0),
        buf.set_str(0, ""),
        buf.write_str(""),
        buf.set_u8(0, 0),
        buf.write_u8(0),
        buf.set_uint(0, 0, 1),
        buf.write_int_le(0, 1),
        buf.write_varint_u64(0),
    }
    buf.discard_read_bytes();
    assert_eq!((buf.ref_count(), buf.is_accessible()), (0, false));
    // A released buffer as a source.
    let mut dst = HeapBuf::new();
    let mut gone = SliceBuf::from(vec![1]);
    gone.release();
    assert_eq!(dst.try_write_buf(&mut gone, 1), Err(Error::Released));
    assert_eq!(dst.writer_index(), 0);
}

/// It can still be logged, compared and put in a map, as an empty buffer.
pub fn looked_at<B: ByteBuf + Debug + Hash + Ord>(with: &With<B>) {
    with(b"abc", &mut |buf| {
        buf.skip(1);
        release(buf);
        assert!(format!("{buf:?}").contains("released"));
        assert!(buf.cmp(&buf).is_eq());
        let state = RandomState::new();
        assert_eq!(state.hash_one(&*buf), state.hash_one(HeapBuf::new()));
        assert!(HeapBuf::new() == *buf && HeapBuf::from(vec![1]) > *buf);
        assert!(catch_unwind(AssertUnwindSafe(|| buf.readable_bytes())).is_ok());
    });
}
