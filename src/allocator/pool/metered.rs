//! Memory too large to pool: the system's, but counted towards the limit.

use core::any::TypeId;
use core::ptr::NonNull;

use super::shared::Shared;
use crate::Error;
use crate::memory::Storage;
use crate::sync::Arc;

pub(super) struct Metered<S> {
    inner: S,
    reserved: Reservation,
}

/// Bytes that are given back to the limit when this goes.
struct Reservation {
    bytes: usize,
    shared: Arc<Shared>,
}

impl Reservation {
    fn new(shared: &Arc<Shared>, bytes: usize) -> Result<Self, Error> {
        shared.reserve(bytes)?;
        Ok(Self { bytes, shared: shared.clone() })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shared.unreserve(self.bytes);
    }
}

impl<S: Storage> Metered<S> {
    pub(super) fn new(shared: &Arc<Shared>, capacity: usize) -> Result<Self, Error> {
        let reserved = Reservation::new(shared, capacity)?;
        Ok(Self { inner: S::allocate(capacity)?, reserved })
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

    fn sibling(&self, capacity: usize) -> Result<Self, Error> {
        Self::new(&self.reserved.shared, capacity)
    }

    fn resize(&mut self, capacity: usize) -> Result<bool, Error> {
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
