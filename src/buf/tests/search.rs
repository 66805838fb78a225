//! Searches against the naive ones on a slice.

use super::{Random, Segments, panic_text};
use crate::{ByteBuf, ByteBufMut, Error, HeapBuf};
use core::ops::Range;
use std::string::ToString;
use std::vec;
use std::vec::Vec;

fn naive_find(bytes: &[u8], range: Range<usize>, needle: &[u8]) -> Option<usize> {
    (range.start..=range.end.checked_sub(needle.len())?).find(|&i| bytes[i..].starts_with(needle))
}

#[test]
fn bytes() {
    let mut random = Random(11);
    for round in 0..30 {
        let len = [0, 1, 5, 40, 1100][round % 5];
        let bytes: Vec<u8> = (0..len).map(|_| random.below(40) as u8).collect();
        let mut buf = random.split(&bytes, [1, 3, 700][round % 3]);
        for _ in 0..6 {
            let start = random.below(len + 1);
            let end = start + random.below(len - start + 1);
            let byte = random.below(42) as u8;
            let first = (start..end).find(|&i| bytes[i] == byte);
            let last = (start..end).rfind(|&i| bytes[i] == byte);
            assert_eq!(buf.find_byte_in(start..end, byte), first);
            assert_eq!(buf.rfind_byte_in(start..end, byte), last);
            buf.set_reader_index(start);
            let first = (start..len).find(|&i| bytes[i] == byte);
            let last = (start..len).rfind(|&i| bytes[i] == byte);
            assert_eq!(buf.find_byte(byte), first);
            assert_eq!(buf.rfind_byte(byte), last);
            assert_eq!(buf.bytes_before(byte), first.map(|i| i - start));
            assert_eq!(buf.position(|b| b == byte), first);
            assert_eq!(buf.rposition(|b| b == byte), last);
        }
        buf.set_reader_index(0);
    }
}

#[test]
fn needles() {
    let mut random = Random(13);
    for round in 0..150 {
        // Two letters: many needles that almost match.
        let len = [0, 1, 9, 60, 600, 1500][round % 6];
        let bytes: Vec<u8> = (0..len).map(|_| b'a' + random.below(2) as u8).collect();
        let buf = random.split(&bytes, [1, 2, 4, 20, 900][round % 5]);
        for _ in 0..3 {
            let start = random.below(len + 1);
            let end = start + random.below(len - start + 1);
            // From the bytes themselves, so that some are there; up to beyond
            // what is gathered on the stack.
            let from = random.below(len + 1);
            let n = random.below([3, 12, 700][round % 3]).min(len - from);
            let mut needle = bytes[from..from + n].to_vec();
            if random.below(4) == 0 {
                needle.push(b'a');
            }
            let expected = naive_find(&bytes, start..end, &needle);
            assert_eq!(buf.find_in(start..end, &needle), expected, "{start}..{end} {needle:?}");
        }
    }
}

#[test]
fn a_needle_across_every_seam() {
    let needle = b"\r\n\r\n";
    let bytes = b"GET / HTTP/1.1\r\n\r\r\n\r\n\r\n";
    for first in 0..=bytes.len() {
        for second in first..=bytes.len() {
            let buf = Segments::new(&[&bytes[..first], &bytes[first..second], &bytes[second..]]);
            assert_eq!(buf.find(needle), Some(17));
        }
    }
}

#[test]
fn going_on_after_more_input() {
    let needle = b"\r\n\r\n";
    let bytes = b"a: b\r\n\r\nbody";
    for cut in 0..bytes.len() {
        let mut buf = HeapBuf::from(bytes[..cut].to_vec());
        let found = buf.find(needle).or_else(|| {
            let from = buf.writer_index().saturating_sub(needle.len() - 1);
            buf.write_bytes(&bytes[cut..]);
            buf.find_in(from..buf.writer_index(), needle)
        });
        assert_eq!(found, Some(4), "{cut}");
    }
}

#[test]
fn indices_are_absolute() {
    let mut buf = Segments::new(&[b"ab", b"ab"]);
    buf.skip(1);
    assert_eq!(buf.find_byte(b'a'), Some(2));
    assert_eq!(buf.find(b"ab"), Some(2));
    assert_eq!(buf.find(b""), Some(1));
    assert_eq!(buf.find_in(4..4, b""), Some(4));
    assert_eq!(buf.rposition(|b| b == b'a'), Some(2));
}

#[test]
fn predicates_see_each_byte_once_and_in_order() {
    let mut random = Random(17);
    let bytes: Vec<u8> = (0..1200).map(|i| (i % 251) as u8).collect();
    for max in [1, 5, 2000] {
        let buf = random.split(&bytes, max);
        let mut seen = vec![];
        assert_eq!(
            buf.position(|b| {
                seen.push(b);
                false
            }),
            None
        );
        assert_eq!(seen, bytes);
        seen.clear();
        assert_eq!(
            buf.rposition(|b| {
                seen.push(b);
                false
            }),
            None
        );
        seen.reverse();
        assert_eq!(seen, bytes);
    }
}

#[test]
fn bad_ranges() {
    let mut buf = Segments::new(&[b"ab", b"cd"]);
    let check = |buf: &Segments, range: Range<usize>, error: Error| {
        assert_eq!(buf.try_find_byte_in(range.clone(), 0), Err(error));
        assert_eq!(buf.try_rfind_byte_in(range.clone(), 0), Err(error));
        assert_eq!(buf.try_find_in(range.clone(), b"x"), Err(error));
        assert_eq!(buf.try_find_in(range.clone(), b""), Err(error));
        assert_eq!(panic_text(|| _ = buf.find_in(range, b"x")), error.to_string());
    };
    check(&buf, 3..5, Error::OutOfBounds { index: 3, len: 2, limit: 4 });
    check(&buf, 5..5, Error::OutOfBounds { index: 5, len: 0, limit: 4 });
    check(&buf, 0..usize::MAX, Error::OutOfBounds { index: 0, len: usize::MAX, limit: 4 });
    #[allow(clippy::reversed_empty_ranges)]
    check(&buf, 3..2, Error::InvalidIndex { index: 3, min: 0, max: 2 });
    buf.release();
    check(&buf, 0..0, Error::Released);
    assert_eq!(panic_text(|| _ = buf.find_byte(0)), Error::Released.to_string());
    assert_eq!(panic_text(|| _ = buf.position(|_| true)), Error::Released.to_string());
}
