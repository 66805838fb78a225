//! Bytes, indices, transfers.

use super::{Random, Segments};
use crate::{ByteBuf, ByteBufMut, Error, HeapBuf};
use std::io::IoSlice;
use std::vec;
use std::vec::Vec;

const MAX: usize = usize::MAX;

#[test]
fn bytes_across_seams() {
    let bytes: Vec<u8> = (0..40).collect();
    let mut random = Random(1);
    for _ in 0..20 {
        let mut buf = random.split(&bytes, 7);
        for start in 0..=bytes.len() {
            for end in start..=bytes.len() {
                let mut dst = vec![0; end - start];
                buf.get_bytes(start, &mut dst);
                assert_eq!(dst, bytes[start..end]);
                buf.set_reader_index(start);
                buf.read_bytes(&mut dst);
                assert_eq!((&dst[..], buf.reader_index()), (&bytes[start..end], end));
                buf.set_reader_index(start);
                assert_eq!(buf.read_slice(end - start), bytes[start..end]);
                assert_eq!(buf.to_vec(), bytes[end..]);
            }
        }
    }
}

#[test]
fn a_failed_copy_changes_nothing() {
    let mut buf = Segments::new(&[b"ab", b"cd"]);
    let mut dst = [9; 4];
    let out = |index, len| Err(Error::OutOfBounds { index, len, limit: 4 });
    assert_eq!(buf.try_get_bytes(1, &mut dst), out(1, 4));
    assert_eq!(buf.try_get_bytes(MAX, &mut dst), out(MAX, 4));
    assert_eq!(buf.try_get_bytes(5, &mut []), out(5, 0));
    assert_eq!(buf.try_get_bytes(4, &mut []), Ok(()));
    buf.skip(1);
    assert_eq!(buf.try_read_bytes(&mut dst), Err(Error::Underflow { needed: 4, available: 3 }));
    assert_eq!(buf.try_skip(MAX), Err(Error::Underflow { needed: MAX, available: 3 }));
    assert!(buf.try_read_slice(MAX).is_err());
    assert_eq!((dst, buf.reader_index()), ([9; 4], 1));
}

#[test]
fn set_indices_moves_both_or_neither() {
    let mut buf = Segments::new(&[b"abcd", b"ef"]);
    buf.set_indices(2, 5);
    assert_eq!(buf, b"cde");
    let kept = (2, 5);
    for (reader, writer) in [(4, 3), (0, MAX), (MAX, MAX), (MAX, 0), (0, 4097), (4098, 4097)] {
        assert!(buf.try_set_indices(reader, writer).is_err());
        assert_eq!((buf.reader_index(), buf.writer_index()), kept);
    }
    buf.set_indices(6, 7); // both past the old writer index
    assert_eq!(buf, [0]);
    buf.set_indices(0, 1); // both below the old reader index
    assert_eq!(buf, b"a");
    buf.clear();
    assert_eq!((buf.reader_index(), buf.writer_index()), (0, 0));
}

#[test]
fn set_zeros_is_all_or_nothing() {
    let bytes = [1; 9];
    for start in 0..=9 {
        for end in start..=9 {
            let mut buf = Random(7).split(&bytes, 3);
            buf.set_zeros(start, end - start);
            let mut expected = bytes;
            expected[start..end].fill(0);
            assert_eq!(buf, expected);
        }
    }
    let mut buf = Segments::new(&[&[1; 3], &[1; 3], &[1; 3]]);
    buf.shared = Some(2);
    assert_eq!(buf.try_set_zeros(0, 7), Err(Error::Shared));
    assert!(buf.try_set_zeros(1, MAX).is_err());
    assert!(buf.try_set_zeros(MAX, 1).is_err());
    assert_eq!(buf, bytes);
    buf.set_zeros(0, 6);
    assert_eq!(buf, [0, 0, 0, 0, 0, 0, 1, 1, 1]);
}

#[test]
fn write_buf_moves_bytes() {
    let mut src = Segments::new(&[b"ab", b"cde", b"f"]);
    let mut dst = HeapBuf::new();
    src.skip(1);
    dst.write_buf(&mut src, 3);
    assert_eq!(dst, b"bcd");
    assert_eq!(src, b"ef");
    for n in [3, MAX] {
        let error = Err(Error::Underflow { needed: n, available: 2 });
        assert_eq!(dst.try_write_buf(&mut src, n), error);
    }
    dst.write_buf(&mut src, 0);
    assert_eq!((dst.writer_index(), src.reader_index()), (3, 4));

    let mut full = Segments::new(&[&[0; 4095]]);
    assert_eq!(full.try_write_buf(&mut src, 2), Err(Error::Overflow { needed: 2, available: 1 }));
    assert_eq!((full.writer_index(), src.reader_index()), (4095, 4));
}

#[test]
fn contiguous_or_not() {
    let mut buf = Segments::new(&[b"ab", b"cd"]);
    assert_eq!(buf.as_contiguous(), None);
    buf.skip(2);
    assert_eq!(buf.as_contiguous(), Some(&b"cd"[..]));
    buf.skip(2);
    assert_eq!(buf.as_contiguous(), Some(&[][..]));
    buf.release();
    assert!(!buf.is_contiguous());
}

#[test]
fn io_slices_in_order() {
    let mut buf = Segments::new(&[b"ab", b"cd", b"ef"]);
    buf.skip(1);
    let mut slices = [IoSlice::new(&[]); 4];
    assert_eq!(buf.io_slices(&mut slices), 3);
    assert_eq!(slices.each_ref().map(|s| &s[..]), [&b"b"[..], b"cd", b"ef", b""]);
    assert_eq!(buf.io_slices(&mut slices[..2]), 2);
    assert_eq!(buf.io_slices(&mut []), 0);
    buf.skip(5);
    assert_eq!(buf.io_slices(&mut [IoSlice::new(&[])]), 0);
    buf.release();
    assert_eq!(buf.io_slices(&mut [IoSlice::new(&[])]), 0);
}

#[test]
fn released() {
    let mut buf = Segments::new(&[b"ab", b"cd"]);
    buf.release();
    let released = Err(Error::Released);
    assert_eq!(buf.try_skip(0), released);
    assert_eq!(buf.try_get_bytes(0, &mut []), released);
    assert_eq!(buf.try_read_bytes(&mut [0]), released);
    assert_eq!(buf.try_set_indices(0, 0), released);
    assert_eq!(buf.try_set_zeros(0, 0), released);
    assert_eq!(buf.try_write_buf(&mut HeapBuf::new(), 0), released);
    assert_eq!(HeapBuf::new().try_write_buf(&mut buf, 0), released);
    assert_eq!(buf.try_to_vec(), Err(Error::Released));
    assert_eq!(buf.try_read_slice(0).map(drop), released);
}

/// The methods with a type parameter, and all the rest, on trait objects.
#[test]
fn trait_objects() {
    fn read(mut buf: impl ByteBuf) -> u8 {
        buf.read_u8()
    }
    let mut segments = Segments::new(&[b"ab", b"cd"]);
    let buf: &mut dyn ByteBufMut = &mut segments;
    assert_eq!(buf.position(|b| b == b'c'), Some(2));
    assert_eq!(buf.rposition(|b| b < b'c'), Some(1));
    assert_eq!(read(&mut *buf), b'a');
    assert_eq!(buf.reader_index(), 1);
    buf.write_u8(b'e');
    let boxed: std::boxed::Box<dyn ByteBuf + Send> = std::boxed::Box::new(segments);
    assert_eq!(boxed.position(|b| b == b'e'), Some(4));
    assert_eq!(read(boxed), b'b');
}
