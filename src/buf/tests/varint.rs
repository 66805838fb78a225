use super::{Random, Segments};
use crate::{ByteBuf, ByteBufMut, Error, HeapBuf, varint_len_u64};
use std::vec;
use std::vec::Vec;

const TABLE: &[(u64, &[u8])] = &[
    (0, &[0]),
    (1, &[1]),
    (127, &[0x7f]),
    (128, &[0x80, 1]),
    (300, &[0xac, 2]),
    (16383, &[0xff, 0x7f]),
    (16384, &[0x80, 0x80, 1]),
    (u32::MAX as u64, &[0xff, 0xff, 0xff, 0xff, 0x0f]),
    (u64::MAX, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
];

#[test]
fn table() {
    for &(value, bytes) in TABLE {
        let mut buf = HeapBuf::new();
        buf.write_varint_u64(value);
        assert_eq!(buf, bytes);
        assert_eq!(varint_len_u64(value), bytes.len());
        for max in [1, 2, 20] {
            let mut buf = Random(29).split(bytes, max);
            assert_eq!(buf.get_varint_u64(0), (value, bytes.len()));
            assert_eq!(buf.read_varint_u64(), value);
            assert_eq!(buf.reader_index(), bytes.len());
        }
    }
}

#[test]
fn lengths() {
    for bit in 0..64 {
        for value in [1u64 << bit, (1 << bit) - 1, u64::MAX >> bit] {
            let mut buf = HeapBuf::new();
            buf.write_varint_u64(value);
            assert_eq!(buf.readable_bytes(), varint_len_u64(value));
            assert_eq!(buf.read_varint_u64(), value);
        }
    }
}

#[test]
fn zigzag() {
    for (value, raw) in
        [(0, 0), (-1, 1), (1, 2), (-2, 3), (i64::MAX, u64::MAX - 1), (i64::MIN, u64::MAX)]
    {
        let mut buf = HeapBuf::new();
        buf.write_varint_i64(value);
        assert_eq!(buf.get_varint_u64(0).0, raw);
        assert_eq!(buf.read_varint_i64(), value);
    }
    for (value, raw) in [(0, 0), (-1, 1), (1, 2), (i32::MAX, u32::MAX - 1), (i32::MIN, u32::MAX)] {
        let mut buf = HeapBuf::new();
        buf.write_varint_i32(value);
        assert_eq!(buf.get_varint_u32(0).0, raw);
        assert_eq!(buf.read_varint_i32(), value);
    }
}

#[test]
fn cut_off() {
    for &(_, bytes) in TABLE {
        for len in 0..bytes.len() {
            let mut all = vec![7];
            all.extend(&bytes[..len]);
            let mut buf = Random(31).split(&all, 3);
            buf.skip(1);
            let underflow = Error::Underflow { needed: len + 1, available: len };
            assert_eq!(buf.try_read_varint_u64(), Err(underflow));
            assert_eq!(buf.try_read_varint_i64(), Err(underflow));
            assert_eq!(buf.reader_index(), 1);
            let out = Error::OutOfBounds { index: 1, len: len + 1, limit: len + 1 };
            assert_eq!(buf.try_get_varint_u64(1), Err(out));
        }
    }
    let mut buf = Segments::new(&[&[0x80]]);
    assert!(matches!(buf.try_get_varint_u64(2), Err(Error::OutOfBounds { index: 2, .. })));
    assert!(matches!(buf.try_get_varint_u64(usize::MAX), Err(Error::OutOfBounds { .. })));
    buf.release();
    assert_eq!(buf.try_read_varint_u64(), Err(Error::Released));
    assert_eq!(buf.try_get_varint_u32(0), Err(Error::Released));
}

#[test]
fn too_long() {
    // (the bytes before the last, the largest last byte)
    let check = |head: usize, last: u8, read: fn(&mut HeapBuf) -> Result<(), Error>| {
        for (byte, expected) in [
            (last, Ok(())),
            (last + 1, Err(Error::VarintOverflow)),
            (0x80, Err(Error::VarintOverflow)),
        ] {
            let mut bytes: Vec<u8> = vec![0xff; head];
            bytes.extend([byte, 0, 0]);
            let mut buf = HeapBuf::from(bytes);
            assert_eq!(read(&mut buf), expected, "{byte}");
            assert_eq!(buf.reader_index(), if expected.is_ok() { head + 1 } else { 0 });
        }
    };
    check(9, 1, |buf| buf.try_read_varint_u64().map(drop));
    check(9, 1, |buf| buf.try_read_varint_i64().map(drop));
    check(4, 0x0f, |buf| buf.try_read_varint_u32().map(drop));
    check(4, 0x0f, |buf| buf.try_read_varint_i32().map(drop));
}

/// Padding with zeros is legal LEB128, as long as the type's length allows it.
#[test]
fn padded() {
    let mut buf = HeapBuf::from(vec![0x81, 0x80, 0x80, 0x80, 0]);
    assert_eq!(buf.read_varint_u32(), 1);
    assert_eq!(buf.reader_index(), 5);
}
