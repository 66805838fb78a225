//! The dynamic table of an encoder: one in which headers are found.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use super::dynamic_table::DynamicTable;

/// A dynamic table, and a hash index of it.
///
/// Entries are numbered from 1 in the order in which they came. Each bucket has
/// the number of its newest entry, and each entry that of the next older one in
/// its bucket. Evicting has nothing to do: a chain ends where the numbers are of
/// entries that are gone. The hash has a random key, for a proxy encodes headers
/// that others have chosen.
#[derive(Clone)]
pub(super) struct IndexedTable {
    table: DynamicTable,
    /// Of the entries, oldest first.
    nodes: VecDeque<Node>,
    /// As many as a power of two, and no fewer than entries; or none.
    buckets: Vec<Links>,
    keys: RandomState,
}

#[derive(Clone, Copy)]
struct Node {
    hashes: Hashes,
    older: Links,
}

/// Of a header's name, and of the whole of it.
#[derive(Clone, Copy)]
pub(super) struct Hashes {
    name: u64,
    header: u64,
}

/// Numbers of entries, 0 being none: one whose name has a hash of this bucket,
/// one that has as a whole.
#[derive(Clone, Copy, Default)]
struct Links {
    name: u64,
    header: u64,
}

const MIN_BUCKETS: usize = 32;

impl IndexedTable {
    pub(super) fn new(max_size: usize) -> Self {
        Self {
            table: DynamicTable::new(max_size),
            nodes: VecDeque::new(),
            buckets: Vec::new(),
            keys: RandomState::new(),
        }
    }

    pub(super) fn table(&self) -> &DynamicTable {
        &self.table
    }

    pub(super) fn hashes(&self, name: &[u8], value: &[u8]) -> Hashes {
        let mut hasher = self.keys.build_hasher();
        hasher.write(name);
        let name = hasher.finish();
        hasher.write(value);
        Hashes { name, header: hasher.finish() }
    }

    /// The index of the newest entry of this name and value; 0 is the newest of
    /// all.
    pub(super) fn find(&self, hashes: Hashes, name: &[u8], value: &[u8]) -> Option<usize> {
        let first = self.bucket(hashes.header)?.header;
        self.search(
            first,
            |node| node.older.header,
            |node, entry| node.hashes.header == hashes.header && entry == (name, value),
        )
    }

    /// The index of the newest entry of this name.
    pub(super) fn find_name(&self, hashes: Hashes, name: &[u8]) -> Option<usize> {
        let first = self.bucket(hashes.name)?.name;
        self.search(
            first,
            |node| node.older.name,
            |node, entry| node.hashes.name == hashes.name && entry.0 == name,
        )
    }

    /// Adds an entry, as [`DynamicTable::insert`] does.
    pub(super) fn insert(&mut self, hashes: Hashes, name: &[u8], value: &[u8]) {
        let before = self.newest();
        self.table.insert(name, value);
        let inserted = self.newest() != before;
        if inserted {
            self.nodes.push_back(Node { hashes, older: Links::default() });
        }
        self.forget_evicted();
        if !inserted {
            return; // Larger than the table.
        }
        if self.nodes.len() > self.buckets.len() {
            let buckets = (2 * self.nodes.len()).next_power_of_two().max(MIN_BUCKETS);
            self.buckets = vec![Links::default(); buckets];
            (0..self.nodes.len()).for_each(|node| self.link(node));
        } else {
            self.link(self.nodes.len() - 1);
        }
    }

    pub(super) fn set_max_size(&mut self, max_size: usize) {
        self.table.set_max_size(max_size);
        self.table.shrink();
        self.forget_evicted();
    }

    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.forget_evicted();
    }

    /// The number of the newest entry.
    fn newest(&self) -> u64 {
        self.table.evicted() + self.table.len() as u64
    }

    fn forget_evicted(&mut self) {
        let evicted = self.nodes.len().saturating_sub(self.table.len());
        self.nodes.drain(..evicted);
    }

    /// Where the entries of a hash are, if there are any.
    fn bucket(&self, hash: u64) -> Option<&Links> {
        self.buckets.get(bucket_of(hash, self.buckets.len()))
    }

    /// Makes a node the first of its buckets.
    fn link(&mut self, node: usize) {
        let number = self.table.evicted() + node as u64 + 1;
        let Node { hashes, older } = &mut self.nodes[node];
        let buckets = self.buckets.len();
        let name = &mut self.buckets[bucket_of(hashes.name, buckets)].name;
        older.name = core::mem::replace(name, number);
        let header = &mut self.buckets[bucket_of(hashes.header, buckets)].header;
        older.header = core::mem::replace(header, number);
    }

    /// Goes along a chain, from `number` on.
    #[inline]
    fn search(
        &self,
        mut number: u64,
        older: impl Fn(&Node) -> u64,
        matches: impl Fn(&Node, (&[u8], &[u8])) -> bool,
    ) -> Option<usize> {
        while let Some(node) = number.checked_sub(self.table.evicted() + 1) {
            let node = usize::try_from(node).ok()?;
            let index = self.nodes.len().checked_sub(node + 1)?;
            let (node, entry) = (self.nodes.get(node)?, self.table.get(index)?);
            if matches(node, entry) {
                return Some(index);
            }
            number = older(node);
        }
        None
    }
}

/// Of a power of two of buckets, or of none: then there is no such bucket.
#[allow(clippy::cast_possible_truncation)] // The low bits are meant.
fn bucket_of(hash: u64, buckets: usize) -> usize {
    hash as usize & buckets.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever was inserted and evicted, the newest entry that matches is
        /// found, by its name and by all of it.
        #[test]
        fn finds_what_a_scan_finds(
            headers in prop::collection::vec(("[ab]{0,2}", "[ab]{0,3}"), 1..300),
            max_size in 0..3000usize,
        ) {
            let mut table = IndexedTable::new(max_size);
            for (i, (name, value)) in headers.iter().enumerate() {
                let (name, value) = (name.as_bytes(), value.as_bytes());
                let hashes = table.hashes(name, value);
                let entries: Vec<_> = table.table().iter().collect();
                let header = entries.iter().position(|&entry| entry == (name, value));
                let named = entries.iter().position(|entry| entry.0 == name);
                prop_assert_eq!(table.find(hashes, name, value), header);
                prop_assert_eq!(table.find_name(hashes, name), named);
                match i % 97 {
                    50 => table.clear(),
                    60 => table.set_max_size(max_size / 2),
                    70 => table.set_max_size(max_size),
                    _ => table.insert(hashes, name, value),
                }
            }
        }
    }
}
