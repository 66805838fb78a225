//! Fixed and variable widths.

use super::Segments;
use crate::buf::accessors::{Bool, I24, U24, numbers};
use crate::buf::uint::uints;
use crate::{ByteBuf, ByteBufMut, Error, HeapBuf};
use std::vec;
use std::vec::Vec;

/// `lead` bytes, then `bytes`, then one more, cut in two at `cut`.
fn around(lead: usize, bytes: &[u8], cut: usize) -> Segments {
    let mut all = vec![0xaa; lead];
    all.extend(bytes);
    all.push(0xbb);
    let (head, tail) = all.split_at(cut);
    Segments::new(&[head, tail])
}

macro_rules! across_seams {
    ([] $(
        $codec:ident: $ty:ty, $n:literal, $decode:ident, $encode:ident, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $set:ident, $try_set:ident, $write:ident, $try_write:ident;
    )*) => { $( {
        let value: $ty = $sample;
        let bytes: [u8; $n] = <$codec>::$encode(value);
        for lead in 0..3 {
            for cut in 0..=lead + $n + 1 {
                let mut buf = around(lead, &bytes, cut);
                assert_eq!(buf.$get(lead), value, "{}", $what);
                assert_eq!(buf.$try_get(lead), Ok(value));
                buf.set_reader_index(lead);
                assert_eq!(buf.$read(), value);
                assert_eq!(buf.reader_index(), lead + $n);
                buf.set_reader_index(lead);
                assert_eq!(buf.$try_read(), Ok(value));
                let limit = lead + $n + 1;
                assert_eq!(buf.$try_get(lead + 2), Err(Error::OutOfBounds { index: lead + 2, len: $n, limit }));
                assert_eq!(buf.$try_get(usize::MAX), Err(Error::OutOfBounds { index: usize::MAX, len: $n, limit }));
                buf.set_reader_index(lead + 2);
                assert_eq!(buf.$try_read(), Err(Error::Underflow { needed: $n, available: $n - 1 }));
                assert_eq!(buf.reader_index(), lead + 2);

                let mut buf = around(lead, &[0; $n], cut);
                buf.$set(lead, value);
                assert_eq!(buf, around(lead, &bytes, 0));
                let mut buf = around(lead, &[0; $n], cut);
                buf.$try_set(lead, value).unwrap();
                assert!(buf.$try_set(lead + 2, value).is_err());
                assert_eq!(buf, around(lead, &bytes, 0));
                buf.$write(value);
                buf.$try_write(value).unwrap();
                buf.skip(lead + $n + 1);
                assert_eq!(buf, [bytes, bytes].concat());

                buf.release();
                assert_eq!(buf.$try_get(lead), Err(Error::Released));
                assert_eq!(buf.$try_read(), Err(Error::Released));
                assert_eq!(buf.$try_set(lead, value), Err(Error::Released));
                assert_eq!(buf.$try_write(value), Err(Error::Released));
            }
        }
    } )* };
}

#[test]
fn numbers_across_seams() {
    numbers! { across_seams }
}

/// The bytes as a number, from the most significant on.
fn naive(bytes: impl Iterator<Item = u8>) -> u128 {
    bytes.fold(0, |value, byte| value << 8 | u128::from(byte))
}

macro_rules! bytewise {
    ($($unsigned:ident $unsigned_le:ident $signed:ident $signed_le:ident $n:literal;)*) => { $(
        for first in 0..=u8::MAX {
            let bytes: Vec<u8> = (0..$n).map(|i| first.wrapping_add(i * 13)).collect();
            let big = naive(bytes.iter().copied());
            let little = naive(bytes.iter().rev().copied());
            let sign = |raw: u128| (raw << (128 - 8 * $n)) as i128 >> (128 - 8 * $n);
            let buf = HeapBuf::from(bytes);
            assert_eq!(u128::from(buf.$unsigned(0)), big);
            assert_eq!(u128::from(buf.$unsigned_le(0)), little);
            assert_eq!(i128::from(buf.$signed(0)), sign(big));
            assert_eq!(i128::from(buf.$signed_le(0)), sign(little));
        }
    )* };
}

#[test]
fn integers_agree_with_a_bytewise_reading() {
    bytewise! {
        get_u16 get_u16_le get_i16 get_i16_le 2;
        get_u24 get_u24_le get_i24 get_i24_le 3;
        get_u32 get_u32_le get_i32 get_i32_le 4;
        get_u64 get_u64_le get_i64 get_i64_le 8;
        get_u128 get_u128_le get_i128 get_i128_le 16;
    }
    let buf = HeapBuf::from(vec![0x80, 1, 0]);
    assert_eq!((buf.get_u8(0), buf.get_i8(0)), (0x80, -0x80));
    assert_eq!((buf.get_bool(0), buf.get_bool(1), buf.get_bool(2)), (true, true, false));
}

#[test]
fn the_low_24_bits_are_written() {
    let mut buf = HeapBuf::new();
    buf.write_u24(0xff01_0203);
    buf.write_u24_le(0xff01_0203);
    buf.write_i24(-1);
    buf.write_i24(0x7f80_0000);
    assert_eq!(buf, [1, 2, 3, 3, 2, 1, 0xff, 0xff, 0xff, 0x80, 0, 0]);
    assert_eq!(buf.get_i24(9), -0x80_0000);
}

#[test]
fn floats_keep_every_bit() {
    let mut buf = HeapBuf::new();
    buf.write_f32(f32::from_bits(0x7fc0_0001));
    buf.write_f64_le(f64::from_bits(0xfff8_0000_0000_0001));
    assert_eq!(buf.read_f32().to_bits(), 0x7fc0_0001);
    assert_eq!(buf.read_f64_le().to_bits(), 0xfff8_0000_0000_0001);
}

macro_rules! widths {
    ([] $(
        $ty:ty, $order:ident, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $set:ident, $try_set:ident, $write:ident, $try_write:ident;
    )*) => { $(
        for nbytes in 1..=8 {
            for value in [0, 1, -1, -2, i64::MIN, i64::MAX, 0x0123_4567_89ab_cdef, 0x80] {
                // What is left of the value in so few bytes.
                let unused = 64 - 8 * nbytes as u32;
                let kept = (value as $ty) << unused >> unused;
                for cut in 0..=nbytes + 2 {
                    let mut buf = around(1, &[0; 8][..nbytes], cut);
                    buf.$set(1, value as $ty, nbytes);
                    assert_eq!(buf.$get(1, nbytes), kept, "{}", $what);
                    assert_eq!((buf.get_u8(0), buf.get_u8(1 + nbytes)), (0xaa, 0xbb));
                    buf.set_reader_index(1);
                    assert_eq!(buf.$read(nbytes), kept);
                    assert_eq!(buf.reader_index(), 1 + nbytes);
                    buf.$write(value as $ty, nbytes);
                    buf.skip(1);
                    assert_eq!(buf.$read(nbytes), kept);
                    assert!(buf.$try_read(nbytes).is_err());
                }
            }
        }
        for nbytes in [0, 9, usize::MAX] {
            let error = Err(Error::InvalidWidth { nbytes, max: 8 });
            let mut buf = around(0, &[0; 16], 3);
            assert_eq!(buf.$try_get(0, nbytes), error);
            assert_eq!(buf.$try_read(nbytes), error);
            assert_eq!(buf.$try_set(0, 0, nbytes), error.map(drop));
            assert_eq!(buf.$try_write(0, nbytes), error.map(drop));
            assert_eq!((buf.reader_index(), buf.writer_index()), (0, 17));
        }
    )* };
}

#[test]
fn every_width() {
    uints! { widths }
    let mut buf = HeapBuf::new();
    buf.write_uint(0x0102_0304, 3);
    buf.write_uint_le(0x0102_0304, 3);
    assert_eq!(buf, [2, 3, 4, 4, 3, 2]);
}
