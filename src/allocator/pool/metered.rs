//! Memory too large to pool: the system's, but counted towards the limit.

use core::any::TypeId;
use core::ptr::NonNull;

use super::shared::{Kind, Shared};
use crate::Error;
use crate::memory::{Block, Storage};
use crate::sync::Arc;

pub(super) struct Metered<S: Storage> {
    inner: S,
    kind: Kind,
    reserved: Reservation,
}

/// Bytes that are given back to the limit when this goes.
struct Reservation {
    bytes: usize,
    shared: Arc<Shared>,
}

impl Reservation {
    fn new(shared: &Arc<Shared>, bytes: usize) -> Result<Self, Error> {
        Shared::reserve(shared, bytes)?;
        shared.count_oversized(bytes);
        Ok(Self { bytes, shared: shared.clone() })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shared.discount_oversized(self.bytes);
        self.shared.unreserve(self.bytes);
    }
}

impl<S: Storage> Metered<S> {
    /// `kind` is that of `S`.
    pub(super) fn new(shared: &Arc<Shared>, kind: Kind, capacity: usize) -> Result<Self, Error> {
        let capacity = S::footprint(capacity)?;
        let reserved = Reservation::new(shared, capacity)?;
        Ok(Self { inner: S::allocate(capacity)?, kind, reserved })
    }
}

impl<S: Storage> Drop for Metered<S> {
    fn drop(&mut self) {
        if self.reserved.shared.zeroes() {
            let region = self.inner.region();
            // SAFETY: no handle is left, and the memory is a new block's, so it
            // may be written.
            unsafe { region.cast::<u8>().write_bytes(0, region.len()) };
            // That it is freed next does not make this needless.
            core::hint::black_box(region);
        }
    }
}

// SAFETY: `inner`'s promises, handed on.
unsafe impl<S: Storage> Storage for Metered<S> {
    fn allocate(capacity: usize) -> Result<Self, Error> {
        // It is a pool's, and there is none here. Never asked: a buffer asks
        // for a sibling.
        Err(Error::Alloc { size: capacity })
    }

    fn region(&self) -> NonNull<[u8]> {
        self.inner.region()
    }

    /// The pool's again: a buffer that shrinks goes back to pooled blocks.
    fn sibling_block(&self, capacity: usize) -> Result<Block, Error> {
        Shared::allocate(&self.reserved.shared, self.kind, capacity).map(|(block, ..)| block)
    }

    fn resize(&mut self, capacity: usize) -> Result<bool, Error> {
        if self.reserved.shared.zeroes() {
            // The system would keep what was in the old place.
            return Ok(false);
        }
        let capacity = S::footprint(capacity)?;
        let more = capacity.saturating_sub(self.reserved.bytes);
        let mut added = Reservation::new(&self.reserved.shared, more)?;
        let resized = self.inner.resize(capacity)?;
        if resized {
            self.reserved.bytes += core::mem::take(&mut added.bytes);
        }
        Ok(resized)
    }

    fn family() -> TypeId {
        S::family()
    }
}
