//! Equality, order and hash do not see the seams.

use super::{Random, Segments};
use crate::{ByteBuf, HeapBuf};
use core::hash::{BuildHasher, Hash, Hasher};
use std::collections::HashSet;
use std::hash::RandomState;
use std::vec;
use std::vec::Vec;

/// Remembers each call.
#[derive(Default, PartialEq, Debug)]
struct Calls(Vec<Vec<u8>>);

impl Hasher for Calls {
    fn write(&mut self, bytes: &[u8]) {
        self.0.push(bytes.to_vec());
    }

    fn finish(&self) -> u64 {
        0
    }
}

fn calls(buf: &impl Hash) -> Calls {
    let mut calls = Calls::default();
    buf.hash(&mut calls);
    calls
}

#[test]
fn the_seams_do_not_show() {
    let mut random = Random(3);
    for len in [0, 1, 2, 63, 255, 256, 257, 600] {
        let bytes: Vec<u8> = (0..len).map(|_| random.below(256) as u8).collect();
        let whole = HeapBuf::from(bytes.clone());
        for max in [1, 2, 5, 300, 1000] {
            let split = random.split(&bytes, max);
            assert_eq!(split, whole);
            assert_eq!(whole, split);
            assert_eq!(split, random.split(&bytes, max));
            assert_eq!(split.cmp(&random.split(&bytes, max)), core::cmp::Ordering::Equal);
            assert_eq!(calls(&split), calls(&whole));
        }
    }
}

#[test]
fn only_readable_bytes_count() {
    let mut buf = Segments::new(&[b"xxab", b"c"]);
    buf.skip(2);
    assert_eq!(buf, HeapBuf::from(b"abc".to_vec()));
    assert_eq!(calls(&buf), calls(&HeapBuf::from(b"abc".to_vec())));
    buf.skip(1);
    assert_eq!(buf, b"bc");
}

#[test]
fn order_is_that_of_slices() {
    let words: [&[u8]; 9] =
        [b"", b"\0", b"a", b"ab", b"abc", b"abd", b"b", b"\x7f\xff", b"\xff\0\0"];
    let mut random = Random(5);
    for x in words {
        for y in words {
            for _ in 0..4 {
                let (a, b) = (random.split(x, 2), random.split(y, 2));
                assert_eq!(a.cmp(&b), x.cmp(y), "{x:?} {y:?}");
                assert_eq!(a.partial_cmp(&HeapBuf::from(y.to_vec())), Some(x.cmp(y)));
                assert_eq!(a == b, x == y);
                assert_eq!(a == *y, x == y);
            }
        }
    }
}

fn equal<A: PartialEq<B> + ?Sized, B: PartialEq<A> + ?Sized>(a: &A, b: &B) {
    assert!(a == b);
    assert!(b == a);
}

#[test]
fn all_kinds_of_bytes() {
    let buf = Segments::new(&[b"a", b"bc"]);
    equal(&buf, &b"abc"[..]);
    equal(&buf, &&b"abc"[..]);
    equal(&buf, b"abc");
    equal(&buf, &b"abc");
    equal(&buf, &b"abc".to_vec());
    equal(&buf, "abc");
    equal(&buf, &"abc");
    assert!(buf != "ab" && buf != "abcd" && buf != "abd");
    assert!(Segments::new(&[&[1], &[2]]) == vec![1, 2]);
    let heap = HeapBuf::from(b"abc".to_vec());
    let object: &dyn ByteBuf = &heap;
    assert!(buf == *object);
}

#[test]
fn a_released_buffer_is_empty() {
    let mut buf = Segments::new(&[b"a", b"bc"]);
    buf.release();
    assert_eq!(buf, "");
    assert_eq!(buf, HeapBuf::new());
    let zero = HeapBuf::from(vec![0]);
    assert!(buf < zero);
    assert_eq!(calls(&buf), calls(&HeapBuf::new()));
}

#[test]
fn as_a_key() {
    let mut set = HashSet::new();
    set.insert(Segments::new(&[b"ab", b"c"]));
    assert!(set.contains(&Segments::new(&[b"a", b"bc"])));
    assert!(!set.contains(&Segments::new(&[b"a", b"b"])));
    let state = RandomState::new();
    let heap = HeapBuf::from(b"abc".to_vec());
    assert_eq!(state.hash_one(Segments::new(&[b"a", b"bc"])), state.hash_one(heap));
}
