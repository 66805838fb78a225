//! The global allocator.

use alloc::vec::Vec;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::Storage;
use crate::Error;
use crate::memory::block::Block;

/// Memory from the global allocator.
///
/// Blocks that refbuf allocates itself have header and data in one allocation,
/// the data aligned to 16 bytes. As a value this is the memory of a `Vec<u8>`
/// that was turned into a buffer, and can be turned back.
///
/// ```
/// use refbuf::{ByteBufMut, Heap, OwnedBuf};
///
/// let mut buf: OwnedBuf<Heap> = OwnedBuf::with_capacity(64);
/// buf.write_u8(1);
/// ```
#[derive(Debug)]
pub struct Heap {
    // Not a `Vec`: moving one asserts that nobody else points into it.
    start: NonNull<u8>,
    capacity: usize,
}

// SAFETY: owns plain memory.
unsafe impl Send for Heap {}
// SAFETY: as above.
unsafe impl Sync for Heap {}

impl Heap {
    pub(crate) fn from_vec(vec: Vec<u8>) -> Self {
        let mut vec = ManuallyDrop::new(vec);
        // SAFETY: the pointer of a Vec is never null.
        let start = unsafe { NonNull::new_unchecked(vec.as_mut_ptr()) };
        Self { start, capacity: vec.capacity() }
    }

    /// # Safety
    ///
    /// The first `len` bytes are initialised, and `len` is within the region.
    pub(crate) unsafe fn into_vec(self, len: usize) -> Vec<u8> {
        let this = ManuallyDrop::new(self);
        // SAFETY: came from a Vec of this capacity; length by the caller.
        unsafe { Vec::from_raw_parts(this.start.as_ptr(), len, this.capacity) }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: came from a Vec of this capacity.
        drop(unsafe { Vec::from_raw_parts(self.start.as_ptr(), 0, self.capacity) });
    }
}

// SAFETY: the allocation of a Vec stays where it is.
unsafe impl Storage for Heap {
    fn allocate(capacity: usize) -> Result<Self, Error> {
        let mut vec = Vec::new();
        vec.try_reserve_exact(capacity).map_err(|_| Error::Alloc { size: capacity })?;
        Ok(Self::from_vec(vec))
    }

    fn region(&self) -> NonNull<[u8]> {
        NonNull::slice_from_raw_parts(self.start, self.capacity)
    }

    fn resize(&mut self, capacity: usize) -> Result<bool, Error> {
        // SAFETY: came from a Vec of this capacity. All of it is passed as its
        // length, for the Vec copies no more than that; it never reads bytes
        // as values, and a `u8` Vec of unwritten bytes would be invalid, so
        // the element type is the one that may be unwritten.
        let mut vec = ManuallyDrop::new(unsafe {
            Vec::from_raw_parts(
                self.start.as_ptr().cast::<core::mem::MaybeUninit<u8>>(),
                self.capacity,
                self.capacity,
            )
        });
        vec.try_reserve_exact(capacity.saturating_sub(self.capacity))
            .map_err(|_| Error::Alloc { size: capacity })?;
        // SAFETY: the pointer of a Vec is never null.
        self.start = unsafe { NonNull::new_unchecked(vec.as_mut_ptr().cast()) };
        self.capacity = vec.capacity();
        Ok(true)
    }

    fn block(capacity: usize) -> Result<Block, Error> {
        Block::inline(capacity)
    }
}
