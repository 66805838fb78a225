//! The counter of a block: two counts in one word.
//!
//! ```text
//! word = handles (high 32 bits) | strong (low 32 bits)
//! ```
//!
//! A strong handle counts once in each half, a weak handle in `handles` only.
//! `strong` is what Netty calls `refCnt`: at 0 the buffer is released, for
//! good. `handles` keeps the memory: at 0 the block is freed. A weak handle
//! can therefore be *told* that the buffer was released, and can never see
//! memory that was freed or given to somebody else.
//!
//! Both counts live in one word so that "I am the only handle of any kind" is
//! a single load: writing in place needs no lock against `upgrade`.
//!
//! New strong references are made only by a holder of one (`retain`) or by an
//! `upgrade` that sees `strong != 0`, so a released buffer never comes back,
//! and a dead count needs no encoding of its own (Netty's even/odd scheme
//! exists because a Java `retain` may come from a handle already dead).
//!
//! This module knows nothing of memory; loom explores it exhaustively in
//! `refcount/loom_tests.rs`.

use crate::sync::{AtomicU64, Ordering, fence};

#[cfg(all(test, loom))]
mod loom_tests;

const STRONG: u64 = 1;
const HANDLE: u64 = 1 << 32;
const BOTH: u64 = HANDLE | STRONG;

/// Past so many references in either half the process aborts, long before the
/// halves could run into each other: leaking handles in a loop is the only way
/// to get here, and there is no way to go on from it.
const MAX: u32 = 1 << 31;

/// What a dropped reference leaves behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Left {
    /// This was the last strong reference: the buffer is now released.
    pub(crate) released: bool,
    /// This was the last handle of any kind: the caller must free the block.
    pub(crate) free: bool,
}

/// The word.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct RefCount(AtomicU64);

impl RefCount {
    /// One strong handle.
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(BOTH))
    }

    /// One strong handle again, after the last was given back.
    #[cfg(feature = "std")]
    pub(crate) fn reset(&self) {
        // Relaxed: nobody else looks; whoever hands the block on synchronises.
        if self.0.load(Ordering::Relaxed) != BOTH {
            self.0.store(BOTH, Ordering::Relaxed);
        }
    }

    /// Adds `n` strong references. The caller holds one.
    #[inline]
    pub(crate) fn retain(&self, n: u32) {
        // Relaxed: a new reference is only made from an existing one, and
        // handing it to another thread synchronises by itself.
        let more = BOTH * u64::from(n);
        check(self.0.fetch_add(more, Ordering::Relaxed) + more);
    }

    /// Gives `n` strong references back, all that this handle has.
    #[inline]
    #[must_use = "the block may have to be freed"]
    pub(crate) fn release(&self, n: u32) -> Left {
        if self.is_unique(n) {
            // No other handle exists that could read or change the word, so
            // nothing needs to be written: the last drop is one load.
            return Left { released: true, free: true };
        }
        let gone = BOTH * u64::from(n);
        // Release: what this thread did to the memory happens before whoever
        // sees the count go down frees or overwrites it.
        self.left(self.0.fetch_sub(gone, Ordering::Release) - gone)
    }

    /// Whether the `n` strong references of the caller are all there is, weak
    /// ones included.
    #[inline]
    pub(crate) fn is_unique(&self, n: u32) -> bool {
        // Acquire: pairs with the Release of every handle dropped before, so
        // their accesses happen before our writes.
        self.0.load(Ordering::Acquire) == BOTH * u64::from(n)
    }

    /// Adds a weak handle. The caller holds a handle of either kind.
    #[inline]
    pub(crate) fn retain_weak(&self) {
        // Relaxed: as in `retain`.
        check(self.0.fetch_add(HANDLE, Ordering::Relaxed) + HANDLE);
    }

    /// Gives a weak handle back.
    #[inline]
    #[must_use = "the block may have to be freed"]
    pub(crate) fn release_weak(&self) -> Left {
        // Acquire: as in `is_unique`; this may be the handle that frees.
        if self.0.load(Ordering::Acquire) == HANDLE {
            return Left { released: false, free: true };
        }
        // Release: as in `release`; a weak handle reads the memory too.
        let now = self.0.fetch_sub(HANDLE, Ordering::Release) - HANDLE;
        Left { released: false, ..self.left(now) }
    }

    /// Adds a strong reference from a weak one; `false` if released.
    #[inline]
    pub(crate) fn upgrade(&self) -> bool {
        let mut word = self.0.load(Ordering::Relaxed);
        while strong(word) != 0 {
            check(word);
            // Acquire: the strong handle may go on to find itself unique, and
            // relies on nothing older than the references it was made from.
            match self.0.compare_exchange_weak(
                word,
                word + BOTH,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    /// Strong references. Exact only while no other thread changes them.
    #[inline]
    pub(crate) fn strong(&self) -> u32 {
        // Relaxed: an answer about the past in any case.
        strong(self.0.load(Ordering::Relaxed))
    }

    #[inline]
    fn left(&self, word: u64) -> Left {
        // `strong <= handles`, so without handles the whole word is 0.
        let left = Left { released: strong(word) == 0, free: word == 0 };
        if left.free {
            // Pairs with the Release of all the other drops: they happen
            // before the memory is freed.
            acquire(&self.0);
        }
        left
    }
}

/// An Acquire fence, or under ThreadSanitizer (which does not know fences) an
/// Acquire load of the word.
#[inline]
fn acquire(word: &AtomicU64) {
    if cfg!(refbuf_tsan) {
        word.load(Ordering::Acquire);
    } else {
        fence(Ordering::Acquire);
    }
}

// The halves of the word: truncation is what is wanted.
#[allow(clippy::cast_possible_truncation)]
#[inline]
fn strong(word: u64) -> u32 {
    word as u32
}

#[allow(clippy::cast_possible_truncation)]
#[inline]
fn handles(word: u64) -> u32 {
    (word >> 32) as u32
}

/// `strong <= handles` always, so one half tells for both.
#[inline]
fn check(word: u64) {
    if handles(word) >= MAX {
        overflow();
    }
}

#[cold]
#[inline(never)]
fn overflow() -> ! {
    #[cfg(feature = "std")]
    std::process::abort();
    // Without std, a panic while panicking is an abort.
    #[cfg(not(feature = "std"))]
    {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("reference count overflow");
            }
        }
        let _bomb = Bomb;
        panic!("reference count overflow");
    }
}
