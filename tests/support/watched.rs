//! A global allocator that counts for each thread, remembers the layout of
//! every block, and fails on demand.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Mutex;

struct Watched;

#[global_allocator]
static GLOBAL: Watched = Watched;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub allocations: usize,
    pub frees: usize,
    pub bytes: usize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { allocations: 0, frees: 0, bytes: 0 }) };
    /// The allocations that still succeed; after them all are refused.
    static BUDGET: Cell<usize> = const { Cell::new(usize::MAX) };
    /// Whether the last large block that was freed was all zeros.
    static LAST_WAS_ZERO: Cell<Option<bool>> = const { Cell::new(None) };
    /// Blocks are remembered while a test wants it, and not by the map itself.
    static WATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Address to layout of all blocks that a watching thread has allocated.
static BLOCKS: Mutex<Option<HashMap<usize, Layout>>> = Mutex::new(None);

fn with_blocks(f: impl FnOnce(&mut HashMap<usize, Layout>)) {
    // The map allocates too.
    WATCHING.set(false);
    let budget = BUDGET.replace(usize::MAX);
    let counts = COUNTS.get();
    f(BLOCKS.lock().unwrap().get_or_insert_default());
    COUNTS.set(counts);
    BUDGET.set(budget);
    WATCHING.set(true);
}

/// From this size on, what is freed is looked at.
const LARGE: usize = 1 << 20;

/// Whether the last block of 1 MiB and more that `f` frees, all of which it has
/// written, is all zeros then.
pub fn frees_zeros(f: impl FnOnce()) -> bool {
    LAST_WAS_ZERO.set(Some(false));
    f();
    LAST_WAS_ZERO.take().unwrap()
}

fn allowed() -> bool {
    let Some(budget) = BUDGET.get().checked_sub(1) else { return false };
    if BUDGET.get() != usize::MAX {
        BUDGET.set(budget);
    }
    true
}

fn remember(memory: *mut u8, layout: Layout) -> *mut u8 {
    if memory.is_null() {
        return memory;
    }
    let mut counts = COUNTS.get();
    counts.allocations += 1;
    counts.bytes += layout.size();
    COUNTS.set(counts);
    if WATCHING.get() {
        with_blocks(|blocks| assert_eq!(blocks.insert(memory.addr(), layout), None));
    }
    memory
}

fn forget(memory: *mut u8, layout: Layout) {
    if layout.size() >= LARGE && LAST_WAS_ZERO.get().is_some() {
        // SAFETY: still allocated; whether written or not, the bytes are there.
        let zero = (0..layout.size()).all(|i| unsafe { memory.add(i).read_volatile() } == 0);
        LAST_WAS_ZERO.set(Some(zero));
    }
    let mut counts = COUNTS.get();
    counts.frees += 1;
    COUNTS.set(counts);
    if WATCHING.get() {
        // Abort rather than unwind out of an allocator.
        with_blocks(|blocks| {
            if blocks.remove(&memory.addr()) != Some(layout) {
                eprintln!("freed with another layout than allocated: {layout:?}");
                std::process::abort();
            }
        });
    }
}

// SAFETY: the system's allocator, with things noted down or refused.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !allowed() {
            return std::ptr::null_mut();
        }
        // SAFETY: of the caller.
        remember(unsafe { System.alloc(layout) }, layout)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        forget(memory, layout);
        // SAFETY: of the caller.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !allowed() {
            return std::ptr::null_mut();
        }
        // First, for another thread may get the place as soon as it is free.
        forget(memory, layout);
        // SAFETY: of the caller.
        let moved = unsafe { System.realloc(memory, layout, size) };
        if moved.is_null() {
            remember(memory, layout);
            return moved;
        }
        // SAFETY: of the caller: the size is valid for this alignment.
        remember(moved, unsafe { Layout::from_size_align_unchecked(size, layout.align()) })
    }
}

/// Leak tracking allocates too, on whichever thread its list is full.
fn track_nothing() {
    #[cfg(feature = "leak-detect")]
    refbuf::leak::set_sampling(0);
}

/// What `f` allocates and frees.
pub fn counted<T>(f: impl FnOnce() -> T) -> (Counts, T) {
    track_nothing();
    let before = COUNTS.get();
    let value = f();
    let after = COUNTS.get();
    let counts = Counts {
        allocations: after.allocations - before.allocations,
        frees: after.frees - before.frees,
        bytes: after.bytes - before.bytes,
    };
    (counts, value)
}

/// Runs `f` with each layout checked and nothing left behind.
#[track_caller]
pub fn balanced(f: impl FnOnce()) {
    track_nothing();
    let mut left = 0;
    let before = COUNTS.get();
    WATCHING.set(true);
    f();
    let after = COUNTS.get();
    with_blocks(|_| left = after.allocations + before.frees - before.allocations - after.frees);
    WATCHING.set(false);
    assert_eq!(left, 0, "blocks left behind");
}

/// Runs `f` with `budget` allocations to come.
pub fn with_budget<T>(budget: usize, f: impl FnOnce() -> T) -> T {
    track_nothing();
    BUDGET.set(budget);
    let value = f();
    BUDGET.set(usize::MAX);
    value
}
