//! A pool of blocks.
//!
//! ```text
//! thread:   lists of each size, two batches long    no lock, no atomic addition
//!              |  a batch      ^ a batch
//! depot:    a list of each size, under a lock of its own
//!              |  idle limit   ^ miss
//! system:   the allocator for heap blocks, mapped chunks for direct ones
//! ```
//!
//! Blocks are handed out and come back with their header in order; only
//! pointers move between the lists. Whoever drops the last handle, on whatever
//! thread, puts the block into that thread's list; blocks wander between
//! threads through the depot.

mod cache;
mod config;
mod counters;
mod depot;
#[cfg(all(test, loom))]
mod loom_tests;
mod metered;
mod shared;
mod size_class;
mod stats;

use core::ptr::NonNull;
use std::sync::OnceLock;

pub use config::PoolConfig;
pub use stats::{ClassStats, PoolStats};

use self::shared::{Kind, Shared};
use super::BufAllocator;
#[cfg(feature = "mmap")]
use crate::DirectBuf;
use crate::error::OrPanic;
use crate::exclusive::Exclusive;
use crate::memory::{Block, Storage};
use crate::sync::Arc;
use crate::{CompositeBuf, Error, HeapBuf, OwnedBuf};

/// A pool of heap and direct blocks: buffers that are dropped leave their
/// memory for the next.
///
/// Taking and returning a block is a few plain loads and stores on a list that
/// the thread has to itself. Sizes come in classes, four to each doubling, so a
/// buffer may have up to a quarter more capacity than was asked for. Buffers
/// grow within the pool. A block returns home from whatever thread drops its
/// last handle, and it may outlive the pool.
///
/// Cloning is cheap and gives another handle of the same pool. When the last
/// handle is dropped, what rests goes back to the system, and blocks in use
/// follow when they are dropped; a thread that never comes by again keeps its
/// few batches until it ends.
///
/// Direct blocks of a power of two are aligned to their size, up to the page;
/// what lies between is aligned to a quarter of the power below it.
///
/// ```
/// use refbuf::{BufAllocator, ByteBuf, ByteBufMut, Pool, PoolConfig};
///
/// let pool = Pool::new(PoolConfig::new());
/// let mut buf = pool.heap(4000);
/// buf.write_str("in a block of 4096 bytes");
/// assert_eq!(buf.capacity(), 4096);
///
/// let slice = buf.freeze();
/// std::thread::spawn(move || drop(slice)).join().unwrap();
/// assert_eq!(pool.stats().live_bytes(), 0);
/// ```
#[derive(Clone)]
pub struct Pool {
    handle: std::sync::Arc<Handle>,
}

/// What the clones of a pool share: when it goes, the pool is closed.
struct Handle(Arc<Shared>);

impl Drop for Handle {
    fn drop(&mut self) {
        Shared::close(&self.0);
        #[cfg(feature = "leak-detect")]
        crate::leak::pool_dropped(Arc::as_ptr(&self.0).addr());
    }
}

impl Pool {
    /// A pool of its own, with its own caches and numbers.
    ///
    /// ```
    /// use refbuf::{Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new().max_idle(1 << 20));
    /// ```
    #[must_use]
    pub fn new(config: PoolConfig) -> Self {
        Self { handle: std::sync::Arc::new(Handle(Arc::new(Shared::new(config)))) }
    }

    /// The pool that the process shares, with the default configuration.
    ///
    /// ```
    /// use refbuf::{BufAllocator, ByteBuf, Pool};
    ///
    /// let buf = Pool::global().heap(100);
    /// assert!(buf.capacity() >= 100);
    /// ```
    #[must_use]
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<Pool> = OnceLock::new();
        GLOBAL.get_or_init(|| Self::new(PoolConfig::new()))
    }

    /// Gives what rests back to the system, as far as this thread can reach
    /// it; other threads give away what they keep when they next come by.
    ///
    /// ```
    /// use refbuf::{BufAllocator, Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// drop(pool.heap(1000));
    /// pool.trim();
    /// assert_eq!(pool.stats().reserved, 0);
    /// ```
    pub fn trim(&self) {
        Shared::trim(&self.handle.0);
    }

    /// The pool's numbers. Adds up what the threads counted: for a scrape every
    /// second, not for every request.
    ///
    /// ```
    /// use refbuf::{BufAllocator, Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// let buf = pool.heap(100);
    /// assert_eq!(pool.stats().live_bytes(), 112);
    /// ```
    #[must_use]
    pub fn stats(&self) -> PoolStats {
        self.handle.0.stats()
    }
}

impl core::fmt::Debug for Pool {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Pool").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

impl Handle {
    /// A buffer of a block that rests in the thread's cache.
    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn resting<S: Storage>(&self, kind: Kind, capacity: usize) -> Option<OwnedBuf<S>> {
        Some(self.owned(Shared::allocate_resting(&self.0, kind, capacity)?))
    }

    #[cold]
    #[inline(never)]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn fetched<S: Storage>(&self, kind: Kind, capacity: usize) -> Result<OwnedBuf<S>, Error> {
        Ok(self.owned(Shared::allocate(&self.0, kind, capacity)?))
    }

    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_buf<S: Storage>(&self, kind: Kind, capacity: usize) -> Result<OwnedBuf<S>, Error> {
        match self.resting(kind, capacity) {
            Some(buf) => Ok(buf),
            None => self.fetched(kind, capacity),
        }
    }

    #[inline]
    #[track_caller]
    fn buf<S: Storage>(&self, kind: Kind, capacity: usize) -> OwnedBuf<S> {
        match self.resting(kind, capacity) {
            Some(buf) => buf,
            None => self.fetched_or_panic(kind, capacity),
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn fetched_or_panic<S: Storage>(&self, kind: Kind, capacity: usize) -> OwnedBuf<S> {
        self.fetched(kind, capacity).or_panic()
    }

    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn owned<S: Storage>(
        &self,
        (block, base, capacity): (Block, NonNull<u8>, usize),
    ) -> OwnedBuf<S> {
        block.created_by(Arc::as_ptr(&self.0));
        // SAFETY: a block that nobody else has, with its memory: so says what
        // allocated it.
        OwnedBuf::from_inner(unsafe { Exclusive::fresh(block, base, capacity) })
    }
}

impl BufAllocator for Pool {
    #[inline]
    fn try_heap(&self, capacity: usize) -> Result<HeapBuf, Error> {
        self.handle.try_buf(Kind::Heap, capacity)
    }

    #[cfg(feature = "mmap")]
    #[inline]
    fn try_direct(&self, capacity: usize) -> Result<DirectBuf, Error> {
        self.handle.try_buf(Kind::Direct, capacity)
    }

    #[inline]
    fn heap(&self, capacity: usize) -> HeapBuf {
        self.handle.buf(Kind::Heap, capacity)
    }

    #[cfg(feature = "mmap")]
    #[inline]
    fn direct(&self, capacity: usize) -> DirectBuf {
        self.handle.buf(Kind::Direct, capacity)
    }

    fn composite(&self) -> CompositeBuf {
        CompositeBuf::with_allocator(std::sync::Arc::<Handle>::clone(&self.handle))
    }
}

/// So that a composite can hold on to the pool without an allocation.
impl BufAllocator for Handle {
    fn try_heap(&self, capacity: usize) -> Result<HeapBuf, Error> {
        self.try_buf(Kind::Heap, capacity)
    }

    #[cfg(feature = "mmap")]
    fn try_direct(&self, capacity: usize) -> Result<DirectBuf, Error> {
        self.try_buf(Kind::Direct, capacity)
    }

    fn composite(&self) -> CompositeBuf {
        CompositeBuf::new()
    }
}
