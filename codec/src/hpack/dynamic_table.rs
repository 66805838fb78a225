//! The dynamic table (RFC 7541, sections 2.3.2 and 4): a queue of headers.

use std::collections::VecDeque;
#[cfg(test)]
use std::ops::Range;

/// What an entry counts for beside its name and value (RFC 7541, section 4.1).
pub(super) const ENTRY_OVERHEAD: usize = 32;

/// What a header counts for, in the table and in a list of headers.
#[inline]
pub(super) fn header_size(name_len: usize, value_len: usize) -> usize {
    name_len.saturating_add(value_len).saturating_add(ENTRY_OVERHEAD)
}

/// Headers in the order in which they came.
///
/// The names and values are in one ring of bytes, each entry in one piece, so
/// inserting is two copies and evicting moves an index. The ring has twice the
/// size of a full table in the end: then there is always a piece that is large
/// enough (see [`DynamicTable::room`]). It begins small, and grows with what
/// was really inserted.
#[derive(Clone)]
pub(super) struct DynamicTable {
    /// Oldest first.
    entries: VecDeque<Entry>,
    ring: Vec<u8>,
    /// Behind the newest entry.
    tail: usize,
    /// As RFC 7541 counts it, section 4.1.
    size: usize,
    max_size: usize,
    /// How many entries were ever evicted.
    evicted: u64,
}

#[derive(Clone, Copy)]
struct Entry {
    start: usize,
    value: usize,
    end: usize,
}

impl Entry {
    fn size(self) -> usize {
        header_size(self.end - self.start, 0)
    }
}

impl DynamicTable {
    pub(super) const fn new(max_size: usize) -> Self {
        Self { entries: VecDeque::new(), ring: Vec::new(), tail: 0, size: 0, max_size, evicted: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn max_size(&self) -> usize {
        self.max_size
    }

    /// How many entries were ever evicted, which is the number of the oldest
    /// one that is left, if all are numbered from 0.
    pub(super) fn evicted(&self) -> u64 {
        self.evicted
    }

    /// Bytes of memory for names and values.
    #[cfg(test)]
    pub(super) fn ring_len(&self) -> usize {
        self.ring.len()
    }

    /// The name and the value of an entry; 0 is the newest.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        let newest = self.entries.len().checked_sub(1)?;
        let entry = self.entries.get(newest.checked_sub(index)?)?;
        Some((&self.ring[entry.start..entry.value], &self.ring[entry.value..entry.end]))
    }

    /// Newest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        (0..self.len()).map_while(|index| self.get(index))
    }

    /// Evicts what does not fit any more.
    pub(super) fn set_max_size(&mut self, max_size: usize) {
        self.max_size = max_size;
        self.evict_to(max_size);
    }

    /// Lets go of memory that a table of this size does not need.
    pub(super) fn shrink(&mut self) {
        let full = self.max_size.saturating_mul(2);
        if self.ring.len() > full {
            self.relocate(full);
        }
    }

    pub(super) fn clear(&mut self) {
        self.evict_to(0);
    }

    /// Adds an entry and evicts the oldest ones as needed. One that is larger
    /// than the table empties it and is not added (section 4.4).
    #[inline]
    pub(super) fn insert(&mut self, name: &[u8], value: &[u8]) {
        let size = header_size(name.len(), value.len());
        if size > self.max_size {
            self.clear();
            return;
        }
        self.evict_to(self.max_size - size);
        let len = name.len() + value.len();
        let start = match self.room(len) {
            Some(start) => start,
            None => self.grow(len),
        };
        let middle = start + name.len();
        let end = start + len;
        self.ring[start..middle].copy_from_slice(name);
        self.ring[middle..end].copy_from_slice(value);
        self.entries.push_back(Entry { start, value: middle, end });
        self.tail = end.max(start + 1);
        self.size += size;
    }

    #[inline]
    fn evict_to(&mut self, max_size: usize) {
        while self.size > max_size {
            let Some(oldest) = self.entries.pop_front() else { return };
            self.size -= oldest.size();
            self.evicted += 1;
        }
    }

    /// A place for `len` bytes in one piece.
    ///
    /// An entry without bytes takes one too: every entry then has a place of
    /// its own, and the tail meets the oldest entry only when nothing is free.
    ///
    /// In a ring of twice the size of a full table there is always room. Let
    /// the table have room for an entry of `len`, so the others have at most
    /// `max_size - len` bytes. If they do not wrap and `len` does not fit behind
    /// the tail, the tail is past `2 max_size - len`, and the oldest entry past
    /// `max_size`: it fits before that. If they wrap, less is lost at the end
    /// than the first entry there has, which is not more than `max_size`: of the
    /// other half, the entries leave `len`.
    #[inline]
    fn room(&self, len: usize) -> Option<usize> {
        let (len, tail) = (len.max(1), self.tail);
        let Some(oldest) = self.entries.front() else {
            return (len <= self.ring.len()).then_some(0);
        };
        if oldest.start < tail {
            if self.ring.len() - tail >= len {
                Some(tail)
            } else {
                (oldest.start >= len).then_some(0)
            }
        } else {
            (oldest.start - tail >= len).then_some(tail)
        }
    }

    /// Makes the ring larger, for `len` bytes. Returns where they go.
    #[cold]
    fn grow(&mut self, len: usize) -> usize {
        let full = self.max_size.saturating_mul(2);
        let needed = self.ring.len().saturating_add(len).max(MIN_RING);
        self.relocate(needed.saturating_mul(2).min(full));
        self.tail
    }

    /// Moves the entries to the start of a ring of `len` bytes, which is
    /// enough for a full table or was enough for them before.
    fn relocate(&mut self, len: usize) {
        let mut ring = Vec::with_capacity(len);
        for entry in &mut self.entries {
            let start = ring.len();
            ring.extend_from_slice(&self.ring[entry.start..entry.end]);
            let end = ring.len();
            *entry = Entry { start, value: start + (entry.value - entry.start), end };
            ring.resize(end.max(start + 1), 0);
        }
        self.tail = ring.len();
        ring.resize(len, 0);
        self.ring = ring;
    }

    /// Where the bytes of the entries are, oldest first.
    #[cfg(test)]
    fn places(&self) -> impl Iterator<Item = Range<usize>> {
        self.entries.iter().map(|entry| entry.start..entry.end)
    }
}

/// The first ring has a bit more than this.
const MIN_RING: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same as plainly as it can be said.
    #[derive(Default)]
    struct Model {
        /// Newest first.
        entries: Vec<(Vec<u8>, Vec<u8>)>,
        max_size: usize,
    }

    impl Model {
        fn size(&self) -> usize {
            self.entries.iter().map(|(name, value)| name.len() + value.len() + 32).sum()
        }

        fn set_max_size(&mut self, max_size: usize) {
            self.max_size = max_size;
            while self.size() > max_size {
                self.entries.pop();
            }
        }

        fn insert(&mut self, name: &[u8], value: &[u8]) {
            self.entries.insert(0, (name.to_vec(), value.to_vec()));
            self.set_max_size(self.max_size);
        }
    }

    #[derive(Debug, Clone)]
    enum Op {
        Insert(usize, usize),
        SetMaxSize(usize),
        Shrink,
    }

    fn op() -> impl Strategy<Value = Op> {
        let small = (0..40usize, 0..80usize);
        prop_oneof![
            20 => small.prop_map(|(name, value)| Op::Insert(name, value)),
            5 => Just(Op::Insert(0, 0)),
            2 => (0..700usize, 0..700usize).prop_map(|(name, value)| Op::Insert(name, value)),
            1 => (0..900usize).prop_map(Op::SetMaxSize),
            1 => Just(Op::Shrink),
        ]
    }

    proptest! {
        #[test]
        fn as_the_model(ops in prop::collection::vec(op(), 1..300), max_size in 0..900usize) {
            let mut table = DynamicTable::new(max_size);
            let mut model = Model { max_size, ..Model::default() };
            let mut largest = max_size;
            let mut fill = 0u8;
            for op in ops {
                match op {
                    Op::Insert(name, value) => {
                        fill = fill.wrapping_add(1);
                        let (name, value) = (vec![fill; name], vec![!fill; value]);
                        table.insert(&name, &value);
                        model.insert(&name, &value);
                    }
                    Op::SetMaxSize(max_size) => {
                        table.set_max_size(max_size);
                        model.set_max_size(max_size);
                        largest = largest.max(max_size);
                    }
                    Op::Shrink => {
                        table.shrink();
                        largest = table.max_size();
                    }
                }
                prop_assert_eq!(table.size(), model.size());
                let entries: Vec<_> =
                    table.iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
                prop_assert_eq!(&entries, &model.entries);
                prop_assert!(table.ring_len() <= 2 * largest);
                let places: Vec<_> = table.places().collect();
                for (i, a) in places.iter().enumerate() {
                    prop_assert!(places[..i].iter().all(|b| a.end <= b.start || b.end <= a.start));
                }
            }
        }
    }

    /// Once the ring has its full size, nothing moves any more.
    #[test]
    fn a_full_ring_always_has_room() {
        let mut table = DynamicTable::new(4096);
        let mut lens = (0..).map(|i: usize| i.wrapping_mul(2_654_435_761) >> 7);
        table.relocate(2 * 4096);
        for _ in 0..100_000 {
            let len = match lens.next().unwrap_or_default() % 4065 {
                len if len % 3 == 0 => len,
                len => len % 100,
            };
            let size = header_size(len, 0);
            table.evict_to(4096 - size);
            assert!(table.room(len).is_some(), "{len}");
            table.insert(&[], &vec![2; len]);
        }
    }

    #[test]
    fn memory_comes_with_what_is_inserted() {
        let mut table = DynamicTable::new(usize::MAX);
        assert_eq!(table.ring_len(), 0);
        table.insert(b"name", b"value");
        assert!(table.ring_len() < 1024);
        table.insert(&[1; 10_000], b"");
        assert!(table.ring_len() < 40_000);
    }
}
