//! The static table (RFC 7541, Appendix A).

/// Entries of the static table: the dynamic table's begin with the next index.
pub(super) const LEN: usize = 61;

/// Names and values, the first one being that of index 1. Entries with the same
/// name are neighbours.
const ENTRIES: [(&str, &str); LEN] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];

static BYTES: [(&[u8], &[u8]); LEN] = {
    let mut bytes: [(&[u8], &[u8]); LEN] = [(&[], &[]); LEN];
    let mut i = 0;
    while i < LEN {
        bytes[i] = (ENTRIES[i].0.as_bytes(), ENTRIES[i].1.as_bytes());
        i += 1;
    }
    bytes
};

/// The name and the value of an index, which counts from 1.
#[inline]
pub(super) fn get(index: usize) -> Option<(&'static [u8], &'static [u8])> {
    BYTES.get(index.wrapping_sub(1)).copied()
}

/// The first index whose name is `name`.
#[inline]
pub(super) fn find_name(name: &[u8]) -> Option<usize> {
    let [first, ..] = *name else { return None };
    let [.., last] = *name else { return None };
    let index = usize::from(SLOTS[slot(name.len(), first, last, MULTIPLIER)]);
    (get(index)?.0 == name).then_some(index)
}

/// The index whose name is that of `first`, as of [`find_name`], and whose
/// value is `value`.
#[inline]
pub(super) fn find_value(first: usize, value: &[u8]) -> Option<usize> {
    let name = get(first)?.0;
    let same_name = BYTES[first - 1..].iter().take_while(|entry| entry.0 == name);
    Some(first + same_name.map(|entry| entry.1).position(|v| v == value)?)
}

// ---- a perfect hash -----------------------------------------------------------

const SLOT_BITS: u32 = 8;

/// The first index of each name, where its length, first and last byte say; 0
/// where there is none.
static SLOTS: [u8; 1 << SLOT_BITS] = match slots(MULTIPLIER) {
    Some(slots) => slots,
    None => panic!("two names in one slot"),
};

/// The first multiplier that gives every name a slot of its own.
const MULTIPLIER: u32 = {
    let mut multiplier = 0x9e37_79b1;
    while slots(multiplier).is_none() {
        multiplier = multiplier.wrapping_add(2);
    }
    multiplier
};

#[inline]
#[allow(clippy::cast_possible_truncation)] // Only long names, of which there are none here.
const fn slot(len: usize, first: u8, last: u8, multiplier: u32) -> usize {
    let key = (len as u32) << 16 ^ (first as u32) << 8 ^ last as u32;
    (key.wrapping_mul(multiplier) >> (32 - SLOT_BITS)) as usize
}

#[allow(clippy::cast_possible_truncation)] // There are 61.
const fn slots(multiplier: u32) -> Option<[u8; 1 << SLOT_BITS]> {
    let mut slots = [0; 1 << SLOT_BITS];
    let mut i = 0;
    while i < LEN {
        let name = ENTRIES[i].0.as_bytes();
        let slot = slot(name.len(), name[0], name[name.len() - 1], multiplier);
        if slots[slot] == 0 {
            slots[slot] = i as u8 + 1;
        } else if !same(ENTRIES[slots[slot] as usize - 1].0.as_bytes(), name) {
            return None;
        }
        i += 1;
    }
    Some(slots)
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_found() {
        for (i, (name, value)) in ENTRIES.into_iter().enumerate() {
            let index = i + 1;
            assert_eq!(get(index), Some((name.as_bytes(), value.as_bytes())));
            let first = find_name(name.as_bytes()).unwrap();
            assert_eq!(ENTRIES[first - 1].0, name);
            assert!(first == 1 || ENTRIES[first - 2].0 != name, "{name}: not the first");
            assert_eq!(find_value(first, value.as_bytes()), Some(index));
            assert_eq!(find_value(first, b"something else"), None);
        }
        assert_eq!(get(0), None);
        assert_eq!(get(LEN + 1), None);
        assert_eq!(get(usize::MAX), None);
    }

    #[test]
    fn nothing_else_is_found() {
        for name in ["", "x", "Accept", "accepu", "accept-", ":patz", ":pa-h", "viaa", "dat\0"] {
            assert_eq!(find_name(name.as_bytes()), None, "{name}");
        }
    }
}
