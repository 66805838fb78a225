//! Where blocks tell leak tracking of themselves. All of it is nothing without
//! the feature `leak-detect`.

use super::block::{Block, WeakBlock};
#[cfg(feature = "leak-detect")]
use super::storage::heap::Heap;
#[cfg(feature = "leak-detect")]
use crate::leak::Kind;

impl Block {
    /// It was made for the caller.
    #[inline(always)]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn created(&self) {
        #[cfg(feature = "leak-detect")]
        self.header().tracker.begin(self.kind(), self.capacity(), None);
    }

    /// It was handed out to the caller by a pool.
    #[cfg(feature = "std")]
    #[inline(always)]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn created_by<P>(&self, pool: *const P) {
        #[cfg(feature = "leak-detect")]
        self.header().tracker.begin(self.kind(), self.capacity(), Some(pool.addr()));
        let _ = pool;
    }

    /// It was made to take the place of `old`, or for the caller if there was
    /// none.
    #[inline(always)]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn succeeds(&self, old: Option<&Self>) {
        #[cfg(feature = "leak-detect")]
        if let Some(old) = old {
            return self.header().tracker.inherit(&old.header().tracker, self.capacity());
        }
        let _ = old;
        self.created();
    }

    /// The caller did something with it.
    #[inline(always)]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn touched(&self) {
        #[cfg(feature = "leak-detect")]
        self.header().tracker.touch(self.capacity());
    }

    #[cfg(feature = "leak-detect")]
    fn kind(&self) -> Kind {
        #[cfg(feature = "mmap")]
        if self.is_family::<super::storage::direct::Direct>() {
            return Kind::Direct;
        }
        if self.is_family::<Heap>() { Kind::Heap } else { Kind::Foreign }
    }
}

impl WeakBlock {
    /// As [`Block::touched`].
    #[inline(always)]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn touched(&self) {
        #[cfg(feature = "leak-detect")]
        self.header().tracker.touch(self.capacity());
    }
}
