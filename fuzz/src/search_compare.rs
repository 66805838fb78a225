//! Searching, comparing and hashing bytes that are split anyhow, against the
//! same on one `Vec`.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use arbitrary::Arbitrary;
use refbuf::{ByteBuf, CompositeBuf, SliceBuf};

use crate::kinds::Cuts;

#[derive(Arbitrary, Debug)]
pub struct Input {
    bytes: Vec<u8>,
    other: Vec<u8>,
    needle: Needle,
    /// Few different bytes, so that needles are nearly found.
    narrow: bool,
    cuts: [Cuts; 2],
    skip: u8,
    range: (u16, u16),
}

#[derive(Arbitrary, Debug)]
enum Needle {
    Any(Vec<u8>),
    Part(u16, u16),
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

pub fn run(mut input: Input) {
    if input.narrow {
        let Input { bytes, other, .. } = &mut input;
        bytes.iter_mut().chain(other).for_each(|byte| *byte &= 1);
    }
    let Input { bytes, other, .. } = input;
    let clamp = |n: u16| usize::from(n) % (bytes.len() + 1);
    let needle = match input.needle {
        Needle::Any(mut needle) => {
            needle.iter_mut().for_each(|byte| *byte &= if input.narrow { 1 } else { 0xff });
            needle
        }
        Needle::Part(a, b) => bytes[clamp(a).min(clamp(b))..clamp(a).max(clamp(b))].to_vec(),
    };
    let (a, b) = (clamp(input.range.0), clamp(input.range.1));
    let range = a.min(b)..a.max(b);
    let skip = clamp(input.skip.into());
    let buf = input.cuts[0].composite(&bytes, skip);

    let part = &bytes[range.clone()];
    let found = |i: Option<usize>| i.map(|i| range.start + i);
    let naive = if needle.is_empty() {
        Some(0)
    } else {
        part.windows(needle.len()).position(|window| window == needle)
    };
    assert_eq!(buf.find_in(range.clone(), &needle), found(naive));
    let byte = needle.first().copied().unwrap_or(0);
    let first = part.iter().position(|&other| other == byte);
    assert_eq!(buf.find_byte_in(range.clone(), byte), found(first));
    let last = part.iter().rposition(|&other| other == byte);
    assert_eq!(buf.rfind_byte_in(range.clone(), byte), found(last));

    let unread = &bytes[skip..];
    let found = |i: Option<usize>| i.map(|i| skip + i);
    let naive = unread.iter().position(|&other| other > byte);
    assert_eq!(buf.position(|other| other > byte), found(naive));
    let naive = unread.iter().rposition(|&other| other > byte);
    assert_eq!(buf.rposition(|other| other > byte), found(naive));
    let before = unread.iter().position(|&other| other == byte);
    assert_eq!(buf.bytes_before(byte), before);

    let again = input.cuts[1].composite(&bytes, skip);
    let flat = SliceBuf::copy_from_slice(unread);
    assert_eq!(buf, again);
    assert_eq!(buf, flat);
    assert_eq!(flat, buf);
    assert_eq!(buf, *unread);
    assert_eq!(hash(&buf), hash(&again));
    assert_eq!(hash(&buf), hash(&flat));
    let different: CompositeBuf = input.cuts[1].composite(&other, 0);
    assert_eq!(buf == different, unread == other);
    assert_eq!(buf.cmp(&different), unread.cmp(&other));
    assert_eq!(different.cmp(&buf), other.as_slice().cmp(unread));
    assert_eq!(buf.to_vec(), unread);
    assert_eq!(buf.hex_dump(), again.hex_dump());
}
