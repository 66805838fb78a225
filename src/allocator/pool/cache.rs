//! What a thread keeps for itself: of each class a few blocks, moved to and
//! from the depot in batches.
//!
//! A class has room for two batches. It is filled with one when it is empty and
//! loses one when it is full, so a thread goes to the depot once in a batch at
//! the most, in whatever order it takes and returns (the magazines of Bonwick
//! and Adams, 2001). The first batches of a thread are small, one block and
//! twice as many each time: of many threads that need a block each, the first
//! should not keep from the last what they have no use for.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell, UnsafeCell};

use super::counters::Counters;
use super::depot::Block;
use super::shared::Shared;
use crate::Error;
use crate::sync::Arc;

/// The blocks of one pool that one thread keeps.
///
/// **Owned**: `resting`, `quota` and `generation` are the thread's that made it; the
/// pool, which lists all caches, looks at the counters only.
pub(super) struct Cache {
    shared: Arc<Shared>,
    /// The pool's generation when this cache last was in step with it.
    generation: Cell<u32>,
    classes: Box<[Class]>,
}

struct Class {
    resting: UnsafeCell<Vec<Block>>,
    /// Blocks of the next batch.
    quota: Cell<usize>,
    counters: Counters,
}

// SAFETY: Owned.
unsafe impl Send for Cache {}
// SAFETY: Owned.
unsafe impl Sync for Cache {}

impl Cache {
    /// `None` if there is no memory for it.
    fn new(shared: &Arc<Shared>) -> Option<Self> {
        let class = || Class {
            resting: UnsafeCell::default(),
            quota: Cell::new(1),
            counters: Counters::new(),
        };
        let mut classes = Vec::new();
        classes.try_reserve_exact(shared.class_count()).ok()?;
        classes.resize_with(shared.class_count(), class);
        Some(Self {
            shared: shared.clone(),
            generation: Cell::new(shared.generation()),
            classes: classes.into_boxed_slice(),
        })
    }

    pub(super) fn counters(&self, class: usize) -> &Counters {
        &self.classes[class].counters
    }

    /// Whether it is the cache of `shared`, and in step with it.
    #[inline]
    fn serves(&self, shared: &Arc<Shared>) -> bool {
        Arc::ptr_eq(&self.shared, shared) && self.generation.get() == shared.generation()
    }

    /// A block that rests here. The caller is the thread that owns this.
    #[inline]
    fn pop(&self, class: usize) -> Option<Block> {
        let class = &self.classes[class];
        let block = class.resting(Vec::pop)?;
        class.counters.count_taken_alone();
        Some(block)
    }

    /// A block from the depot, which gives a batch, or from the system. The
    /// caller is the thread that owns this.
    fn refill(&self, index: usize) -> Result<Block, Error> {
        let class = &self.classes[index];
        let len = self.shared.batch_len(index);
        let n = class.quota.get();
        class.quota.set(len.min(2 * n));
        let found = class.resting(|resting| {
            resting.try_reserve_exact(2 * len).ok()?;
            self.shared.take_resting(index, n, resting);
            resting.pop()
        });
        let block = match found {
            Some(block) => block,
            None => {
                let mut batch = Shared::batch(&self.shared, index, n)?;
                // Of a batch there is one block at least.
                let block = batch.pop().ok_or(Error::Alloc { size: 0 })?;
                class.resting(|resting| {
                    let room = resting.capacity() - resting.len();
                    resting.extend(batch.by_ref().take(room));
                });
                self.shared.put(index, batch.len(), batch);
                block
            }
        };
        class.counters.count_taken_alone();
        Ok(block)
    }

    /// The caller is the thread that owns this.
    #[inline]
    fn push(&self, index: usize, block: Block) {
        let class = &self.classes[index];
        class.counters.count_returned_alone();
        let refused = class.resting(|resting| {
            if resting.len() < resting.capacity() {
                resting.push(block);
                None
            } else {
                Some(block)
            }
        });
        if let Some(block) = refused {
            self.spill(index, block);
        }
    }

    #[cold]
    #[inline(never)]
    fn spill(&self, index: usize, block: Block) {
        let len = self.shared.batch_len(index);
        let refused = self.classes[index].resting(|resting| {
            if resting.len() >= 2 * len {
                // Those that have rested longest.
                self.shared.put(index, len, resting.drain(..len));
            } else if resting.try_reserve_exact(2 * len).is_err() {
                // The first ever, and no memory for a list.
                return Some(block);
            }
            resting.push(block);
            None
        });
        if let Some(block) = refused {
            self.shared.put(index, 1, core::iter::once(block));
        }
    }

    /// Gives all blocks away. The caller is the thread that owns this.
    fn empty(&self, take: impl Fn(usize, Vec<Block>)) {
        for (index, class) in self.classes.iter().enumerate() {
            let blocks = class.resting(core::mem::take);
            if !blocks.is_empty() {
                take(index, blocks);
            }
        }
    }
}

impl Class {
    /// The blocks at rest, for the time of `access`, which calls nothing that
    /// comes back here. The caller is the thread that owns them.
    #[inline]
    fn resting<T>(&self, access: impl FnOnce(&mut Vec<Block>) -> T) -> T {
        // SAFETY: Owned, and the only reference for as long as `access` runs.
        access(unsafe { &mut *self.resting.get() })
    }
}

/// All caches of a thread.
struct Caches(RefCell<Vec<Arc<Cache>>>);

std::thread_local! {
    /// The cache used last; null, or in `CACHES`. It has no destructor, so it
    /// is a plain load.
    static CURRENT: Cell<*const Cache> = const { Cell::new(core::ptr::null()) };
    static CACHES: Caches = const { Caches(RefCell::new(Vec::new())) };
}

impl Drop for Caches {
    /// The thread ends: its blocks are for others.
    fn drop(&mut self) {
        CURRENT.set(core::ptr::null());
        for cache in self.0.take() {
            Cache::leave(&cache, |class, blocks| {
                cache.shared.put(class, blocks.len(), blocks.into_iter());
            });
        }
    }
}

impl Cache {
    /// The thread has no use for this any more.
    fn leave(this: &Arc<Self>, take: impl Fn(usize, Vec<Block>)) {
        this.empty(take);
        this.shared.remove_cache(this);
    }
}

/// This thread's cache of a pool, if it is the one used last.
#[inline]
fn current<'a>(shared: &Arc<Shared>) -> Option<&'a Cache> {
    if cfg!(loom) {
        // The threads of a model are one of the system's, which must not lend
        // them its cache. All that they share is past it.
        return None;
    }
    // SAFETY: in `CACHES`, from which nothing is taken without `CURRENT` being
    // set anew, and never while a caller of this uses it.
    unsafe { CURRENT.get().as_ref() }.filter(|cache| cache.serves(shared))
}

/// Makes this thread's cache of a pool the current one, in step with the pool.
/// `None` if the pool is gone, the thread about to end, or no memory for one.
fn find<'a>(shared: &Arc<Shared>) -> Option<&'a Cache> {
    if cfg!(loom) {
        // See `current`.
        return None;
    }
    CURRENT.set(core::ptr::null());
    let cache = CACHES.try_with(|caches| {
        let mut all = caches.0.borrow_mut();
        let at = all.iter().position(|cache| Arc::ptr_eq(&cache.shared, shared));
        if shared.is_closed() {
            return Err(at.map(|at| all.swap_remove(at)));
        }
        if let Some(at) = at {
            return Ok(Arc::as_ptr(&all[at]));
        }
        all.try_reserve(1).map_err(|_| None)?;
        let cache = Arc::new(Cache::new(shared).ok_or(None)?);
        shared.add_cache(&cache).map_err(|_| None)?;
        let pointer = Arc::as_ptr(&cache);
        all.push(cache);
        Ok(pointer)
    });
    match cache.ok()? {
        Ok(cache) => {
            CURRENT.set(cache);
            // SAFETY: as in `current`.
            let cache = unsafe { &*cache };
            let generation = shared.generation();
            if cache.generation.replace(generation) != generation {
                cache.empty(|class, blocks| shared.retire(class, blocks.into_iter()));
            }
            Some(cache)
        }
        Err(gone) => {
            if let Some(cache) = gone {
                Cache::leave(&cache, |class, blocks| shared.retire(class, blocks.into_iter()));
            }
            None
        }
    }
}

/// A block of `class`, if one rests in the cache that this thread used last.
#[inline]
pub(super) fn pop(shared: &Arc<Shared>, class: usize) -> Option<Block> {
    current(shared)?.pop(class)
}

/// A block of `class` from wherever there is one.
#[cold]
#[inline(never)]
pub(super) fn take(shared: &Arc<Shared>, class: usize) -> Result<Block, Error> {
    let Some(cache) = find(shared) else { return Shared::take_one(shared, class) };
    match cache.pop(class) {
        Some(block) => Ok(block),
        None => cache.refill(class),
    }
}

/// Returns a block to the thread's cache, or past it.
#[inline]
pub(super) fn give_back(class: usize, block: Block) {
    match current(block.home()) {
        Some(cache) => cache.push(class, block),
        None => give_back_slowly(class, block),
    }
}

#[cold]
#[inline(never)]
fn give_back_slowly(class: usize, block: Block) {
    let shared = block.home().clone();
    match find(&shared) {
        Some(cache) => cache.push(class, block),
        None => shared.put_one(class, block),
    }
}

/// Gives to the system what this thread keeps of a pool. The cache stays, for a
/// caller of this may be using it.
pub(super) fn give_up(shared: &Arc<Shared>) {
    let cache = CACHES.try_with(|caches| {
        caches.0.borrow().iter().find(|cache| Arc::ptr_eq(&cache.shared, shared)).cloned()
    });
    if let Ok(Some(cache)) = cache {
        cache.empty(|class, blocks| shared.retire(class, blocks.into_iter()));
    }
}

/// Brings what this thread keeps of a pool in step with it.
pub(super) fn flush(shared: &Arc<Shared>) {
    find(shared);
}
