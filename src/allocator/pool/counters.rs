//! Counting without disturbing the hot path: every thread counts for itself,
//! with plain loads and stores, and whoever asks adds up.

use crate::sync::{AtomicU64, Ordering};

/// Blocks of one class, handed out and come back.
pub(super) struct Counters {
    taken: AtomicU64,
    returned: AtomicU64,
}

impl Counters {
    pub(super) fn new() -> Self {
        Self { taken: AtomicU64::new(0), returned: AtomicU64::new(0) }
    }

    /// Only ever called by one thread.
    #[inline]
    pub(super) fn count_taken_alone(&self) {
        add_alone(&self.taken);
    }

    /// Only ever called by one thread.
    #[inline]
    pub(super) fn count_returned_alone(&self) {
        add_alone(&self.returned);
    }

    pub(super) fn count_taken(&self) {
        self.taken.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_returned(&self) {
        self.returned.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds what a thread that ends has counted.
    pub(super) fn absorb(&self, other: &Self) {
        let (taken, returned) = other.get();
        self.taken.fetch_add(taken, Ordering::Relaxed);
        self.returned.fetch_add(returned, Ordering::Relaxed);
    }

    /// Taken and returned. What comes back was taken before, so it is looked
    /// at first.
    pub(super) fn get(&self) -> (u64, u64) {
        let returned = self.returned.load(Ordering::Relaxed);
        (self.taken.load(Ordering::Relaxed), returned)
    }
}

/// A load and a store, for nobody else writes it.
#[inline]
fn add_alone(counter: &AtomicU64) {
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}
