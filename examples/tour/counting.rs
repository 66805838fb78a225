//! A global allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub struct Counting {
    allocated: AtomicU64,
    freed: AtomicU64,
    bytes: AtomicU64,
}

impl Counting {
    pub const fn new() -> Self {
        Self { allocated: AtomicU64::new(0), freed: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    /// Allocations so far, reallocations included.
    pub fn allocations(&self) -> u64 {
        self.allocated.load(Relaxed)
    }

    /// Bytes asked for so far; a reallocation asks for all of its new size.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Allocations that were not freed. Exact while no other thread runs.
    pub fn alive(&self) -> u64 {
        self.allocated.load(Relaxed) - self.freed.load(Relaxed)
    }

    fn count(&self, size: usize) {
        self.allocated.fetch_add(1, Relaxed);
        self.bytes.fetch_add(size as u64, Relaxed);
    }
}

// SAFETY: hands everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.count(layout.size());
        // SAFETY: of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.count(layout.size());
        // SAFETY: of the caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.count(size);
        self.freed.fetch_add(1, Relaxed);
        // SAFETY: of the caller.
        unsafe { System.realloc(start, layout, size) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        self.freed.fetch_add(1, Relaxed);
        // SAFETY: of the caller.
        unsafe { System.dealloc(start, layout) }
    }
}
