//! Memory that somebody else owns: any value that can show bytes.

use core::ptr::NonNull;

use super::Storage;
use crate::Error;

/// Keeps an owner alive.
///
/// `AsRef` is not our code and may answer differently each time, so the owner
/// is asked once, when its block is made, and the memory is never written.
pub(crate) struct Foreign<T>(T);

impl<T> Foreign<T> {
    pub(crate) fn new(owner: T) -> Self {
        Self(owner)
    }
}

// SAFETY: once its block is made, the owner is only ever dropped, by one
// thread.
unsafe impl<T: Send> Sync for Foreign<T> {}

// SAFETY: `region` is asked once, for memory that is not writable is neither
// rewound nor resized; the slice lives as long as the owner, which does not
// move and is not touched until it is dropped.
unsafe impl<T: AsRef<[u8]> + Send + 'static> Storage for Foreign<T> {
    fn allocate(_: usize) -> Result<Self, Error> {
        // An owner cannot be made of nothing. Never asked: a buffer that
        // cannot be written does not grow.
        Err(Error::ReadOnly)
    }

    fn region(&self) -> NonNull<[u8]> {
        NonNull::from(self.0.as_ref())
    }

    fn is_writable(&self) -> bool {
        false
    }
}
