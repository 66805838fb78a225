//! Equality, order, hash and `Debug`: of the readable bytes, blind to the type
//! and to how they are split.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash, RandomState};

use refbuf::{ByteBuf, CompositeBuf, HeapBuf, SliceBuf};

use super::With;
use crate::kinds;
use crate::support::{LENGTHS, content};

pub fn all<B>(with: &With<B>)
where
    B: ByteBuf + Ord + Hash + Debug,
    B: PartialEq<SliceBuf> + PartialEq<CompositeBuf> + PartialEq<dyn ByteBuf> + PartialEq<[u8]>,
    B: PartialOrd<HeapBuf> + PartialOrd<CompositeBuf>,
{
    for len in LENGTHS {
        let bytes = content(len);
        // What was read does not count.
        with(&[b"ab", &*bytes].concat(), &mut |buf| {
            buf.skip(2);
            equals_what_has_the_same_bytes(buf, &bytes);
            differs_from_everything_else(buf, &bytes);
            is_ordered_as_bytes_are(buf, &bytes);
        });
    }
    with(b"abc", &mut |buf| {
        kinds::each(b"abc", &mut |name, other| assert!(*buf == *other, "{name}"))
    });
    with(b"\0\x01\x7f\x80\"text", &mut |buf| {
        let debug = format!("{buf:?}");
        for part in ["reader_index: 0", "writer_index: 9", "\\x00\\x01\\x7f\\x80\\\"text"] {
            assert!(debug.contains(part), "{debug}");
        }
    });
    with(&content(5000), &mut |buf| assert!(format!("{buf:?}").len() < 200, "too long to log"));
}

fn equals_what_has_the_same_bytes<B>(buf: &B, bytes: &[u8])
where
    B: ByteBuf + Eq + Hash,
    B: PartialEq<SliceBuf> + PartialEq<CompositeBuf> + PartialEq<[u8]>,
{
    let heap = HeapBuf::from(bytes);
    let slice = SliceBuf::from(bytes.to_vec());
    let composite: CompositeBuf = bytes.chunks(3).map(<[u8]>::to_vec).collect();
    assert!(*buf == *bytes);
    assert!(heap == *buf);
    // From both sides: these are two implementations.
    assert!(*buf == slice);
    assert!(slice == *buf);
    assert!(*buf == composite);
    assert!(composite == *buf);

    let state = RandomState::new();
    let hash = state.hash_one(buf);
    assert_eq!(
        [state.hash_one(&heap), state.hash_one(&slice), state.hash_one(&composite)],
        [hash; 3]
    );
    assert!(HashSet::from([buf]).contains(buf));
}

fn differs_from_everything_else<B>(buf: &B, bytes: &[u8])
where
    B: ByteBuf + PartialEq<SliceBuf> + PartialEq<CompositeBuf> + PartialEq<[u8]>,
{
    let differs = |other: &[u8]| {
        let composite: CompositeBuf = other.chunks(4).map(<[u8]>::to_vec).collect();
        assert!(*buf != *other);
        assert!(*buf != composite);
        assert!(composite != *buf);
        let slice = SliceBuf::from(other.to_vec());
        assert!(*buf != slice);
        assert!(slice != *buf);
    };
    differs(&[bytes, b"x"].concat());
    for at in (0..bytes.len()).step_by(5) {
        differs(&bytes[..at]);
        differs(&bytes[at + 1..]);
        let mut other = bytes.to_vec();
        other[at] ^= 0x80;
        differs(&other);
    }
}

fn is_ordered_as_bytes_are<B>(buf: &B, bytes: &[u8])
where
    B: ByteBuf + Ord + PartialOrd<HeapBuf> + PartialOrd<CompositeBuf>,
{
    let mut others = vec![vec![], vec![0], vec![0xff; 3], bytes.to_vec(), [bytes, &[0]].concat()];
    for at in (0..bytes.len()).step_by(5) {
        for change in [1, 0x80, 0xff] {
            let mut other = bytes.to_vec();
            other[at] = other[at].wrapping_add(change);
            others.push(other);
        }
        others.push(bytes[..at].to_vec());
    }
    for other in others {
        let expected = bytes.cmp(&other);
        let heap = HeapBuf::from(&*other);
        let composite: CompositeBuf = other.chunks(2).map(<[u8]>::to_vec).collect();
        assert_eq!(buf.partial_cmp(&heap), Some(expected));
        assert_eq!(buf.partial_cmp(&composite), Some(expected));
        assert_eq!(heap.partial_cmp(buf), Some(expected.reverse()));
        assert_eq!(composite.partial_cmp(buf), Some(expected.reverse()));
    }
    assert_eq!(Ord::cmp(buf, buf), Ordering::Equal);
}
