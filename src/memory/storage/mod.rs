//! Kinds of memory.

#[cfg(feature = "mmap")]
pub(crate) mod direct;
pub(crate) mod foreign;
pub(crate) mod heap;

use core::any::TypeId;
use core::ptr::NonNull;

use super::block::Block;
use crate::Error;

/// A kind of memory: a value that owns one piece of it.
///
/// Everything else about a buffer (counting, indices, slicing, growing by
/// copying) is [`OwnedBuf`](crate::OwnedBuf)'s, so memory registered with
/// io_uring, shared memory or a NUMA arena is one implementation of this trait.
///
/// A `HeapBuf` is `OwnedBuf<Heap>`, a `DirectBuf` is `OwnedBuf<Direct>`.
///
/// # Safety
///
/// For as long as `self` lives and until a [`resize`](Storage::resize) that
/// does not fail:
///
/// * [`region`](Storage::region) is always the same memory, also after `self`
///   was moved into its final place, and no longer than `isize::MAX`;
/// * that memory can be read and, if [`is_writable`](Storage::is_writable),
///   written from any thread, by nobody but the buffers made of `self`.
///
/// `region` is asked for its length once, when the buffer is made, and after
/// each `resize`.
///
/// ```
/// use std::ptr::NonNull;
/// use refbuf::{ByteBuf, ByteBufMut, Error, OwnedBuf, Storage};
///
/// /// Memory in whole cache lines.
/// struct Lines(Box<[Line]>);
///
/// #[repr(align(64))]
/// #[derive(Clone)]
/// struct Line(#[allow(dead_code)] [u8; 64]);
///
/// // SAFETY: the boxed slice stays where it is and is reached only from here.
/// unsafe impl Storage for Lines {
///     fn allocate(capacity: usize) -> Result<Self, Error> {
///         Ok(Self(vec![Line([0; 64]); capacity.div_ceil(64)].into_boxed_slice()))
///     }
///     fn region(&self) -> NonNull<[u8]> {
///         let first = self.0.as_ptr().cast_mut().cast();
///         NonNull::slice_from_raw_parts(NonNull::new(first).unwrap(), self.0.len() * 64)
///     }
/// }
///
/// let mut buf = OwnedBuf::<Lines>::with_capacity(100);
/// assert_eq!(buf.capacity(), 128);
/// buf.write_u32(7);
/// assert_eq!(buf.chunk(0).as_ptr().align_offset(64), 0);
/// ```
pub unsafe trait Storage: Sized + Send + Sync + 'static {
    /// New memory of at least `capacity` bytes, which is not 0.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`].
    fn allocate(capacity: usize) -> Result<Self, Error>;

    /// The memory.
    fn region(&self) -> NonNull<[u8]>;

    /// Whether the memory may be written at all.
    fn is_writable(&self) -> bool {
        true
    }

    /// New memory from where `self` came from: its arena, its options. Asked
    /// when a buffer has to move.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`].
    fn sibling(&self, capacity: usize) -> Result<Self, Error> {
        Self::allocate(capacity)
    }

    /// Makes the memory at least `capacity` bytes, keeping its contents, also
    /// if it has to move; `Ok(false)` if it cannot, and the buffer will copy
    /// into a [`sibling`](Storage::sibling).
    ///
    /// Asked only when no other handle of the memory exists.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`]; `self` is then what it was.
    fn resize(&mut self, capacity: usize) -> Result<bool, Error> {
        let _ = capacity;
        Ok(false)
    }

    /// The `S` of the `OwnedBuf<S>` that memory of this kind can be in.
    #[doc(hidden)]
    fn family() -> TypeId {
        TypeId::of::<Self>()
    }

    /// Bytes that are taken from the system for `capacity`.
    #[doc(hidden)]
    fn footprint(capacity: usize) -> Result<usize, Error> {
        Ok(capacity)
    }

    /// A [`sibling`](Storage::sibling) with its header, which may be memory of
    /// another kind of the same family.
    #[doc(hidden)]
    fn sibling_block(&self, capacity: usize) -> Result<Block, Error> {
        Block::beside(self.sibling(capacity)?)
    }

    /// A block of this kind: the storage with a header beside it, unless the
    /// two can be had in one allocation.
    #[doc(hidden)]
    fn block(capacity: usize) -> Result<Block, Error> {
        Block::beside(Self::allocate(capacity)?)
    }
}
