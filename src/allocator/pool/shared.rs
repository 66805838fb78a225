//! What all handles, threads and blocks of a pool share.

use alloc::boxed::Box;
use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::ptr::NonNull;

use super::cache::{self, Cache};
use super::config::PoolConfig;
use super::counters::Counters;
use super::depot::{Batch, Block as Idle, Depot};
use super::metered::Metered;
use super::size_class;
use super::stats::{ClassStats, PoolStats};
use crate::Error;
#[cfg(feature = "mmap")]
use crate::memory::pooled::Chunk;
use crate::memory::pooled::{Home, Tag};
use crate::memory::{Block, Heap};
#[cfg(feature = "mmap")]
use crate::memory::{Direct, DirectOptions};
use crate::sync::{
    Arc, AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Mutex, MutexGuard, Ordering,
};

/// Kept by the pool's handles, by the caches of threads, and by each block that
/// exists, resting or not: whatever comes home finds it.
///
/// Resting blocks and the depots keep each other; `close` is what ends that.
pub(crate) struct Shared {
    config: PoolConfig,
    /// Classes of one kind of memory; there are twice as many in all.
    sizes: usize,
    classes: Box<[Class]>,
    /// Changes when threads should give away what they keep.
    generation: AtomicU32,
    closed: AtomicBool,
    /// Bytes taken from the system, and the most there ever were.
    reserved: AtomicUsize,
    reserved_high: AtomicUsize,
    /// Bytes of blocks in the depots.
    resting: AtomicUsize,
    /// Blocks too large to pool, ever, and the bytes of those in use.
    oversized: AtomicU64,
    oversized_bytes: AtomicUsize,
    caches: Mutex<Vec<Arc<Cache>>>,
}

struct Class {
    size: usize,
    /// Blocks in a full batch.
    batch_len: usize,
    depot: Mutex<Depot>,
    /// How often memory had to be made.
    misses: AtomicU64,
    /// What is counted past the caches, and by those that are gone.
    counters: Counters,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Heap,
    #[cfg(feature = "mmap")]
    Direct,
}

/// The most blocks in a batch.
const MAX_BATCH: usize = 64;

impl Shared {
    pub(super) fn new(config: PoolConfig) -> Self {
        let sizes = size_class::index_of(config.max_pooled) + 1;
        let class = |index: usize| {
            let size = size_class::size_of(index % sizes);
            let batch_len = (config.thread_cache / size).clamp(1, MAX_BATCH);
            Class {
                size,
                batch_len,
                depot: Mutex::new(Depot::new()),
                misses: AtomicU64::new(0),
                counters: Counters::new(),
            }
        };
        Self {
            sizes,
            classes: (0..sizes * 2).map(class).collect(),
            generation: AtomicU32::new(0),
            closed: AtomicBool::new(false),
            reserved: AtomicUsize::new(0),
            reserved_high: AtomicUsize::new(0),
            resting: AtomicUsize::new(0),
            oversized: AtomicU64::new(0),
            oversized_bytes: AtomicUsize::new(0),
            caches: Mutex::new(Vec::new()),
            config,
        }
    }

    pub(super) fn class_count(&self) -> usize {
        self.classes.len()
    }

    #[inline]
    pub(super) fn generation(&self) -> u32 {
        // Relaxed: a thread that sees it late gives its blocks away late.
        self.generation.load(Ordering::Relaxed)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Whether memory is overwritten before it is given back.
    pub(super) fn zeroes(&self) -> bool {
        self.config.zero_on_release
    }

    /// Blocks in a full batch.
    #[inline]
    pub(super) fn batch_len(&self, class: usize) -> usize {
        self.classes[class].batch_len
    }

    fn kind_of(&self, class: usize) -> Kind {
        #[cfg(feature = "mmap")]
        if class >= self.sizes {
            return Kind::Direct;
        }
        let _ = class;
        Kind::Heap
    }

    fn tag(&self, class: usize, chunk: u32) -> Tag {
        // There are fewer classes than that: see `PoolConfig::max_pooled`.
        let class = u16::try_from(class).unwrap_or(u16::MAX);
        Tag { class, zero: self.config.zero_on_release, chunk }
    }

    fn depot(&self, class: usize) -> MutexGuard<'_, Depot> {
        lock(&self.classes[class].depot)
    }

    // Taking.

    /// A block of at least `capacity` bytes that nobody else has, with its
    /// memory.
    pub(super) fn allocate(
        this: &Arc<Self>,
        kind: Kind,
        capacity: usize,
    ) -> Result<(Block, NonNull<u8>, usize), Error> {
        match this.class_for(kind, capacity) {
            Some(class) => cache::take(this, class).map(Idle::into_block),
            None => Self::oversized(this, kind, capacity),
        }
    }

    /// The same, if the calling thread has one at rest.
    #[inline]
    pub(super) fn allocate_resting(
        this: &Arc<Self>,
        kind: Kind,
        capacity: usize,
    ) -> Option<(Block, NonNull<u8>, usize)> {
        cache::pop(this, this.class_for(kind, capacity)?).map(Idle::into_block)
    }

    #[inline]
    fn class_for(&self, kind: Kind, capacity: usize) -> Option<usize> {
        let class = size_class::index_of(capacity);
        let offset = if kind == Kind::Heap { 0 } else { self.sizes };
        (class < self.sizes).then_some(class + offset)
    }

    /// Blocks that rest, up to `n`, for a list that has room.
    pub(super) fn take_resting(&self, class: usize, n: usize, list: &mut Vec<Idle>) {
        let mut depot = self.depot(class);
        let blocks = depot.take(n);
        self.resting.fetch_sub(blocks.len() * self.classes[class].size, Ordering::Relaxed);
        list.extend(blocks);
    }

    /// A block that rests, or new ones: up to `n`, where several come at once.
    pub(super) fn batch(this: &Arc<Self>, class: usize, n: usize) -> Result<Batch, Error> {
        let resting = this.depot(class).take(1).next();
        match resting {
            Some(block) => {
                this.resting.fetch_sub(this.classes[class].size, Ordering::Relaxed);
                Ok(Batch::of(block))
            }
            None => Self::make(this, class, n),
        }
    }

    /// A block past the caches: for threads that have none.
    pub(super) fn take_one(this: &Arc<Self>, class: usize) -> Result<Idle, Error> {
        let mut batch = Self::batch(this, class, 1)?;
        let block = batch.pop().ok_or(Error::Alloc { size: this.classes[class].size })?;
        this.put(class, batch.len(), batch);
        this.classes[class].counters.count_taken();
        Ok(block)
    }

    /// New blocks from the system, direct ones up to `n`.
    #[cold]
    #[cfg_attr(not(feature = "mmap"), allow(unused_variables))]
    fn make(this: &Arc<Self>, class: usize, n: usize) -> Result<Batch, Error> {
        this.classes[class].misses.fetch_add(1, Ordering::Relaxed);
        match this.kind_of(class) {
            Kind::Heap => {
                let size = this.classes[class].size;
                let tag = this.tag(class, 0);
                Self::reserving(this, size, || Idle::new_heap(this.clone(), tag, size))
                    .map(Batch::of)
            }
            #[cfg(feature = "mmap")]
            Kind::Direct => Self::cut(this, class, n),
        }
    }

    /// Up to `n` direct blocks from a chunk that has some, or a new one.
    #[cfg(feature = "mmap")]
    fn cut(this: &Arc<Self>, class: usize, n: usize) -> Result<Batch, Error> {
        let size = this.classes[class].size;
        if let Some(batch) = this.depot(class).chunks().take(n) {
            return Ok(batch);
        }
        let options = DirectOptions::new().huge_pages(this.config.huge_pages);
        let mapped = Direct::size_for(this.config.chunk_size.max(size), options)?;
        Self::reserving(this, mapped, || {
            let map = Direct::anonymous(mapped, options)?;
            let mut depot = this.depot(class);
            depot.chunks().add(|number| {
                let tag = this.tag(class, number);
                Chunk::new(this, tag, size, map)
            })?;
            depot.chunks().take(n).ok_or(Error::Alloc { size })
        })
    }

    /// A block that no class is large enough for: the system's, but counted.
    #[cold]
    fn oversized(
        this: &Arc<Self>,
        kind: Kind,
        capacity: usize,
    ) -> Result<(Block, NonNull<u8>, usize), Error> {
        let block = match kind {
            Kind::Heap => Block::beside(Metered::<Heap>::new(this, kind, capacity)?)?,
            #[cfg(feature = "mmap")]
            Kind::Direct => Block::beside(Metered::<Direct>::new(this, kind, capacity)?)?,
        };
        this.oversized.fetch_add(1, Ordering::Relaxed);
        let (base, capacity) = (block.base(), block.capacity());
        Ok((block, base, capacity))
    }

    // Returning.

    /// Takes `n` blocks in, or gives them to the system if enough rests here.
    pub(super) fn put(&self, class: usize, n: usize, blocks: impl Iterator<Item = Idle>) {
        if n == 0 {
            return;
        }
        let bytes = n * self.classes[class].size;
        let resting = self.resting.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if resting <= self.config.max_idle {
            let mut depot = self.depot(class);
            // `close` empties depots after it has closed them: what is put
            // into an open one is found.
            if depot.has_room_for(n) {
                return depot.put(blocks);
            }
        }
        self.resting.fetch_sub(bytes, Ordering::Relaxed);
        self.retire(class, blocks);
    }

    /// The same for a block alone, from a thread without a cache.
    pub(super) fn put_one(&self, class: usize, block: Idle) {
        self.classes[class].counters.count_returned();
        self.put(class, 1, core::iter::once(block));
    }

    /// Gives blocks to the system: heap blocks at once, direct blocks with the
    /// last of their chunk.
    pub(super) fn retire(&self, class: usize, blocks: impl Iterator<Item = Idle>) {
        let size = self.classes[class].size;
        match self.kind_of(class) {
            Kind::Heap => {
                for block in blocks {
                    self.unreserve(size);
                    // SAFETY: of a heap class, so made by `new_heap`.
                    unsafe { block.free_heap() };
                }
            }
            #[cfg(feature = "mmap")]
            Kind::Direct => {
                for block in blocks {
                    let whole = self.depot(class).chunks().give_back(block);
                    if let Some((chunk, blocks)) = whole {
                        self.unreserve(chunk.len());
                        chunk.free(blocks);
                    }
                }
            }
        }
    }

    /// Gives to the system what rests in the depots, and has threads give away
    /// what they keep when they next come by.
    pub(super) fn trim(this: &Arc<Self>) {
        // Relaxed: see `generation`.
        this.generation.fetch_add(1, Ordering::Relaxed);
        cache::flush(this);
        this.empty_depots(false);
    }

    /// No handle of the pool is left: it keeps nothing any more, and blocks
    /// that are still in use go to the system when they come home.
    pub(super) fn close(this: &Arc<Self>) {
        this.closed.store(true, Ordering::Relaxed);
        this.generation.fetch_add(1, Ordering::Relaxed);
        cache::flush(this);
        this.empty_depots(true);
    }

    fn empty_depots(&self, close: bool) {
        for class in 0..self.classes.len() {
            let resting = {
                let mut depot = self.depot(class);
                if close {
                    depot.close();
                }
                depot.take_all()
            };
            if resting.is_empty() {
                continue;
            }
            let bytes = resting.len() * self.classes[class].size;
            self.resting.fetch_sub(bytes, Ordering::Relaxed);
            self.retire(class, resting.into_iter());
        }
    }

    // The limit.

    /// Takes `bytes` from what is allowed, after giving up what rests if that
    /// is what is missing.
    pub(super) fn reserve(this: &Arc<Self>, bytes: usize) -> Result<(), Error> {
        if this.try_reserve(bytes) {
            return Ok(());
        }
        cache::give_up(this);
        this.empty_depots(false);
        if this.try_reserve(bytes) {
            return Ok(());
        }
        Err(Error::Exhausted { needed: bytes, limit: this.config.max_bytes })
    }

    fn try_reserve(&self, bytes: usize) -> bool {
        let max = self.config.max_bytes;
        let reserved = self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |now| {
            now.checked_add(bytes).filter(|&then| then <= max)
        });
        if let Ok(before) = reserved {
            self.reserved_high.fetch_max(before + bytes, Ordering::Relaxed);
        }
        reserved.is_ok()
    }

    pub(super) fn unreserve(&self, bytes: usize) {
        self.reserved.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(super) fn count_oversized(&self, bytes: usize) {
        self.oversized_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn discount_oversized(&self, bytes: usize) {
        self.oversized_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Reserves `bytes` for what `make` takes from the system.
    fn reserving<T>(
        this: &Arc<Self>,
        bytes: usize,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        Self::reserve(this, bytes)?;
        make().inspect_err(|_| this.unreserve(bytes))
    }

    // Telling.

    pub(super) fn add_cache(&self, cache: &Arc<Cache>) -> Result<(), TryReserveError> {
        let mut caches = lock(&self.caches);
        caches.try_reserve(1)?;
        caches.push(cache.clone());
        Ok(())
    }

    /// The cache is empty and will not be used again.
    pub(super) fn remove_cache(&self, cache: &Arc<Cache>) {
        let mut caches = lock(&self.caches);
        for (index, class) in self.classes.iter().enumerate() {
            class.counters.absorb(cache.counters(index));
        }
        caches.retain(|other| !Arc::ptr_eq(other, cache));
    }

    /// Blocks of a class that were taken, and that came back.
    fn counted(&self, caches: &[Arc<Cache>], class: usize) -> (u64, u64) {
        caches
            .iter()
            .map(|cache| cache.counters(class))
            .chain([&self.classes[class].counters])
            .map(Counters::get)
            .fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1))
    }

    pub(super) fn stats(&self) -> PoolStats {
        let caches = lock(&self.caches);
        let mut classes = Vec::new();
        for (index, class) in self.classes.iter().enumerate() {
            let (taken, returned) = self.counted(&caches, index);
            if taken == 0 {
                continue;
            }
            let misses = class.misses.load(Ordering::Relaxed);
            classes.push(ClassStats {
                direct: self.kind_of(index) != Kind::Heap,
                size: class.size,
                taken,
                returned: returned.min(taken),
                misses: misses.min(taken),
            });
        }
        PoolStats {
            classes,
            reserved: self.reserved.load(Ordering::Relaxed),
            reserved_high: self.reserved_high.load(Ordering::Relaxed),
            oversized: self.oversized.load(Ordering::Relaxed),
            oversized_bytes: self.oversized_bytes.load(Ordering::Relaxed),
        }
    }
}

impl Home for Shared {
    #[inline]
    fn take_back(mut block: Idle) {
        let tag = block.tag();
        if tag.zero {
            block.zero();
        }
        cache::give_back(tag.class.into(), block);
    }

    fn grow(home: &Arc<Self>, class: u16, capacity: usize) -> Result<Block, Error> {
        let kind = home.kind_of(class.into());
        Self::allocate(home, kind, capacity).map(|(block, ..)| block)
    }
}

/// A lock that a panic elsewhere does not spoil: no user code runs under it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread sanitizer does not see how the standard library waits.
    #[cfg(refbuf_tsan)]
    loop {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(_) => std::thread::yield_now(),
        }
    }
    #[cfg(not(refbuf_tsan))]
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
