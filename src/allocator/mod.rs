//! Where buffers come from.

mod default;
mod pool;

pub use default::{UnknownAllocator, default_allocator, try_default_allocator};
pub use pool::{ClassStats, Pool, PoolConfig, PoolStats};

use alloc::boxed::Box;
use std::sync::Arc;

#[cfg(feature = "mmap")]
use crate::DirectBuf;
use crate::error::OrPanic;
use crate::{CompositeBuf, Error, HeapBuf};

/// A source of buffers. Object safe: a codec can take `&dyn BufAllocator`.
///
/// A buffer grows from where it came from.
///
/// ```
/// use refbuf::{BufAllocator, ByteBufMut, HeapBuf, Pool, Unpooled};
///
/// fn greeting(allocator: &dyn BufAllocator) -> HeapBuf {
///     let mut buf = allocator.heap(16);
///     buf.write_str("hello");
///     buf
/// }
/// assert_eq!(greeting(&Unpooled), greeting(Pool::global()));
/// ```
pub trait BufAllocator: Send + Sync {
    /// An empty heap buffer with room for `capacity` bytes at least.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`]; [`Error::Exhausted`] where there is a limit.
    ///
    /// ```
    /// use refbuf::{BufAllocator, Unpooled};
    ///
    /// assert!(Unpooled.try_heap(usize::MAX).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_heap(&self, capacity: usize) -> Result<HeapBuf, Error>;

    /// An empty direct buffer with room for `capacity` bytes at least.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`]; [`Error::Exhausted`] where there is a limit.
    ///
    /// ```
    /// use refbuf::{BufAllocator, Unpooled};
    ///
    /// assert!(Unpooled.try_direct(usize::MAX).is_err());
    /// ```
    #[cfg(feature = "mmap")]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_direct(&self, capacity: usize) -> Result<DirectBuf, Error>;

    /// An empty composite whose new components come from here.
    ///
    /// ```
    /// use refbuf::{BufAllocator, ByteBufMut, Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// let mut buf = pool.composite();
    /// buf.write_u64(7);
    /// assert_eq!(pool.stats().taken(), 1);
    /// ```
    fn composite(&self) -> CompositeBuf;

    /// [`try_heap`](BufAllocator::try_heap) that panics.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had.
    ///
    /// ```
    /// use refbuf::{BufAllocator, ByteBuf, Unpooled};
    ///
    /// assert_eq!(Unpooled.heap(10).capacity(), 10);
    /// ```
    #[track_caller]
    fn heap(&self, capacity: usize) -> HeapBuf {
        self.try_heap(capacity).or_panic()
    }

    /// [`try_direct`](BufAllocator::try_direct) that panics.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had.
    ///
    /// ```
    /// use refbuf::{BufAllocator, ByteBuf, Unpooled};
    ///
    /// assert!(Unpooled.direct(10).capacity() >= 10);
    /// ```
    #[cfg(feature = "mmap")]
    #[track_caller]
    fn direct(&self, capacity: usize) -> DirectBuf {
        self.try_direct(capacity).or_panic()
    }
}

/// Straight from the system: the global allocator, and memory maps.
///
/// ```
/// use refbuf::{BufAllocator, ByteBufMut, Unpooled};
///
/// let mut buf = Unpooled.heap(64);
/// buf.write_u8(1);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unpooled;

impl BufAllocator for Unpooled {
    #[inline]
    fn try_heap(&self, capacity: usize) -> Result<HeapBuf, Error> {
        HeapBuf::try_with_capacity(capacity)
    }

    #[cfg(feature = "mmap")]
    fn try_direct(&self, capacity: usize) -> Result<DirectBuf, Error> {
        DirectBuf::try_with_capacity(capacity)
    }

    fn composite(&self) -> CompositeBuf {
        CompositeBuf::new()
    }
}

macro_rules! delegate {
    ($($pointer:ty),*) => { $(
        impl<A: BufAllocator + ?Sized> BufAllocator for $pointer {
            fn try_heap(&self, capacity: usize) -> Result<HeapBuf, Error> {
                (**self).try_heap(capacity)
            }

            #[cfg(feature = "mmap")]
            fn try_direct(&self, capacity: usize) -> Result<DirectBuf, Error> {
                (**self).try_direct(capacity)
            }

            fn composite(&self) -> CompositeBuf {
                (**self).composite()
            }
        }
    )* };
}

delegate! { &A, Box<A>, Arc<A> }
