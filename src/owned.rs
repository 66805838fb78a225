//! `OwnedBuf`: the exclusive handle of a block.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::{Range, RangeBounds};

use crate::buf::{ByteBuf, ByteBufMut, impl_comparisons};
use crate::error::OrPanic;
use crate::exclusive::{self, Exclusive};
use crate::memory::{Block, Heap, Storage};
use crate::view::{View, plain_range};
use crate::{Error, SliceBuf, WeakSlice};

/// The exclusive, growable handle of a block of memory of kind `S`.
///
/// [`HeapBuf`] and `DirectBuf` are this type over the allocator and over memory
/// maps; memory of another kind is one [`Storage`] implementation.
///
/// # Cutting while writing
///
/// [`slice`](OwnedBuf::slice) and [`read_slice`](ByteBuf::read_slice) hand out
/// [`SliceBuf`]s of bytes that were written, without copying, and this handle
/// goes on writing behind them. What was handed out is *frozen*: changing it
/// fails with [`Error::Shared`] for as long as a slice exists, and is possible
/// again when the last one is gone. Appending never fails for that reason: where
/// the room is pinned by slices, the buffer moves to a fresh block.
///
/// Cutting is no atomic read-modify-write in most cases: references are taken
/// from the counter in batches.
///
/// # Costs
///
/// Accessors are a bounds check and a load or store. Growing copies, unless
/// the block has no other handle and its memory can be resized in place
/// (`realloc`, or remapping pages for `DirectBuf`). Dropping the only handle of
/// a block frees it without a read-modify-write.
///
/// ```
/// use refbuf::{ByteBuf, ByteBufMut, Error, HeapBuf};
///
/// let mut input = HeapBuf::with_capacity(64);
/// input.write_bytes(b"\x05helloworld");
///
/// let len = input.read_u8() as usize;
/// let frame = input.read_slice(len); // no copy
/// input.write_bytes(b"!"); // behind the frame
/// assert_eq!(input.try_set_u8(1, 0), Err(Error::Shared));
///
/// drop(frame);
/// assert_eq!(input.try_set_u8(1, 0), Ok(()));
/// ```
pub struct OwnedBuf<S: Storage> {
    inner: Exclusive,
    storage: PhantomData<fn() -> S>,
}

/// A growable buffer from the global allocator, its data aligned to 16 bytes.
///
/// ```
/// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
///
/// let mut buf = HeapBuf::new();
/// buf.write_u16(0x0102);
/// assert_eq!(buf.read_u8(), 1);
/// ```
pub type HeapBuf = OwnedBuf<Heap>;

impl<S: Storage> OwnedBuf<S> {
    /// An empty buffer that allocates when it is first written.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert_eq!(HeapBuf::new().capacity(), 0);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::wrap(Exclusive::new(usize::MAX))
    }

    #[cfg(feature = "std")]
    #[inline]
    pub(crate) fn from_inner(inner: Exclusive) -> Self {
        Self::wrap(inner)
    }

    const fn wrap(inner: Exclusive) -> Self {
        Self { inner, storage: PhantomData }
    }

    pub(crate) fn into_inner(self) -> Exclusive {
        self.inner
    }

    /// An empty buffer with room for `capacity` bytes at least.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert_eq!(HeapBuf::with_capacity(100).capacity(), 100);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::try_with_capacity(capacity).or_panic()
    }

    /// [`with_capacity`](OwnedBuf::with_capacity) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`].
    ///
    /// ```
    /// use refbuf::{Error, HeapBuf};
    ///
    /// let refused = HeapBuf::try_with_capacity(usize::MAX).unwrap_err();
    /// assert_eq!(refused, Error::Alloc { size: usize::MAX });
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_with_capacity(capacity: usize) -> Result<Self, Error> {
        Self::try_with_max_capacity(capacity, usize::MAX)
    }

    /// An empty buffer with room for `capacity` bytes at least, that never
    /// grows past `max_capacity`.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had, or `capacity > max_capacity`.
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, Error, HeapBuf};
    ///
    /// let mut buf = HeapBuf::with_max_capacity(2, 4);
    /// buf.write_u32(7);
    /// assert_eq!(buf.try_write_u8(8), Err(Error::Overflow { needed: 1, available: 0 }));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_max_capacity(capacity: usize, max_capacity: usize) -> Self {
        Self::try_with_max_capacity(capacity, max_capacity).or_panic()
    }

    /// [`with_max_capacity`](OwnedBuf::with_max_capacity) with an error for a
    /// panic.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`]; [`Error::Overflow`] if `capacity > max_capacity`.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// assert!(HeapBuf::try_with_max_capacity(8, 4).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_with_max_capacity(capacity: usize, max_capacity: usize) -> Result<Self, Error> {
        if capacity > max_capacity {
            return Err(Error::Overflow { needed: capacity, available: max_capacity });
        }
        if capacity == 0 {
            return Ok(Self::wrap(Exclusive::new(max_capacity)));
        }
        let block = S::block(capacity)?;
        block.created();
        // SAFETY: a fresh block; nothing of it is said to be written.
        Ok(Self::wrap(unsafe { Exclusive::from_block(block, 0, max_capacity) }))
    }

    /// An empty buffer over `storage`.
    ///
    /// # Panics
    ///
    /// If there is no memory for the header.
    ///
    /// ```
    /// use refbuf::{ByteBuf, Heap, HeapBuf, OwnedBuf, Storage};
    ///
    /// let memory = Heap::allocate(64).unwrap();
    /// let buf: HeapBuf = OwnedBuf::from_storage(memory);
    /// assert!(buf.capacity() >= 64);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn from_storage(storage: S) -> Self {
        let block = Block::beside(storage).or_panic();
        block.created();
        // SAFETY: a fresh block; nothing of it is said to be written.
        Self::wrap(unsafe { Exclusive::from_block(block, 0, usize::MAX) })
    }

    /// A buffer over `storage`, of which the first `len` bytes are there to be
    /// read. If the storage is not writable, neither is the buffer.
    ///
    /// # Safety
    ///
    /// The first `len` bytes of the region are initialised.
    ///
    /// # Panics
    ///
    /// If there is no memory for the header, or the region is shorter than
    /// `len` or longer than `max_capacity`.
    ///
    /// ```
    /// use refbuf::{ByteBuf, Heap, HeapBuf, OwnedBuf, Storage};
    ///
    /// let memory = Heap::allocate(4).unwrap();
    /// let len = memory.region().len();
    /// // SAFETY: the bytes are written here, to the end of the region.
    /// let buf: HeapBuf = unsafe {
    ///     memory.region().cast::<u8>().write_bytes(7, len);
    ///     OwnedBuf::from_storage_filled(memory, len, len)
    /// };
    /// assert_eq!(buf.get_u8(3), 7);
    /// ```
    #[must_use]
    #[track_caller]
    pub unsafe fn from_storage_filled(storage: S, len: usize, max_capacity: usize) -> Self {
        let block = Block::beside(storage).or_panic();
        block.created();
        assert!(
            len <= block.capacity() && len <= max_capacity,
            "{len} bytes of a region of {} and a maximum capacity of {max_capacity}",
            block.capacity(),
        );
        // SAFETY: a fresh block; of the caller.
        Self::wrap(unsafe { Exclusive::from_block(block, len, max_capacity) })
    }

    /// The readable bytes.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.skip(1);
    /// assert_eq!(buf.as_slice(), [2, 3]);
    /// ```
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        let view = self.inner.view();
        view.window(view.reader(), view.readable()).unwrap_or_default()
    }

    /// The readable bytes, to be changed in place.
    ///
    /// # Errors
    ///
    /// [`Error::Shared`] if a slice of them exists, [`Error::ReadOnly`],
    /// [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.try_as_mut_slice()?.reverse();
    /// assert_eq!(buf.read_u8(), 3);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    pub fn try_as_mut_slice(&mut self) -> Result<&mut [u8], Error> {
        let (reader, len) = (self.inner.view().reader(), self.inner.view().readable());
        self.inner.try_bytes_mut(reader, len)
    }

    /// Bytes of a range of indices as a handle of their own, which shares the
    /// memory. They are frozen in this buffer while the slice, or any handle
    /// made of it, exists.
    ///
    /// Copies nothing. An empty slice keeps no memory.
    ///
    /// # Panics
    ///
    /// If the range ends past the writer index or before it starts.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(b"header body".to_vec());
    /// let body = buf.slice(7..);
    /// drop(buf);
    /// assert_eq!(body, "body");
    /// ```
    #[must_use = "a slice that is dropped at once does nothing"]
    #[track_caller]
    pub fn slice(&mut self, range: impl RangeBounds<usize>) -> SliceBuf {
        self.try_slice(range).or_panic()
    }

    /// [`slice`](OwnedBuf::slice) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`], [`Error::InvalidIndex`] if the range ends before
    /// it starts, [`Error::Released`].
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert!(buf.try_slice(2..5).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_slice(&mut self, range: impl RangeBounds<usize>) -> Result<SliceBuf, Error> {
        let view = self.inner.view();
        let (start, len) = view.try_range(plain_range(&range, view.writer()))?;
        // SAFETY: `try_range` checked it.
        Ok(SliceBuf::from_view(unsafe { self.inner.share(start, len) }))
    }

    /// Gives up the right to write: all bytes, with both indices, as a handle
    /// that can be cloned. Copies nothing.
    ///
    /// ```
    /// use refbuf::{ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// buf.write_str("shared from here on");
    /// let frozen = buf.freeze();
    /// assert_eq!(frozen.clone(), frozen);
    /// ```
    #[must_use]
    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn freeze(self) -> SliceBuf {
        SliceBuf::from_view(self.inner.freeze())
    }

    /// A view of all bytes written so far that keeps the buffer from nothing:
    /// when this handle and all slices are gone, it finds the buffer released.
    ///
    /// It belongs to the block: when this buffer grows into a new one, the view
    /// finds the old one released, unless a slice retains it. The bytes are
    /// frozen while the view exists.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// let view = buf.downgrade();
    /// assert_eq!(view.get_u8(2), 3);
    /// drop(buf);
    /// assert!(!view.is_accessible());
    /// ```
    #[must_use]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn downgrade(&mut self) -> WeakSlice {
        WeakSlice::from_view(self.inner.downgrade())
    }

    /// Whether no slice or view of the bytes exists.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// let slice = buf.slice(..2);
    /// assert!(!buf.is_unique());
    /// drop(slice);
    /// assert!(buf.is_unique());
    /// ```
    #[must_use]
    pub fn is_unique(&self) -> bool {
        self.inner.is_unique()
    }

    /// [`ensure_writable`](ByteBufMut::ensure_writable) by the name that
    /// collections give it.
    ///
    /// # Panics
    ///
    /// If the room would exceed the maximum capacity, or cannot be had.
    ///
    /// ```
    /// use refbuf::{ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// buf.reserve(10);
    /// assert!(buf.writable_bytes() >= 10);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, n: usize) {
        self.try_reserve(n).or_panic();
    }

    /// [`reserve`](OwnedBuf::reserve) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`], [`Error::Alloc`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// assert!(HeapBuf::new().try_reserve(usize::MAX).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_reserve(&mut self, n: usize) -> Result<(), Error> {
        self.inner.try_ensure_writable(n, exclusive::source::<S>())
    }

    /// Gives memory back: moves the unread bytes into a smaller block, with
    /// room for `capacity` bytes in all, and gives up those that were read. No
    /// effect if the present block is no larger than that.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had; if the buffer was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::with_capacity(65536);
    /// buf.write_str("little");
    /// buf.shrink_to(0);
    /// assert_eq!(buf.allocation_len(), 6);
    /// ```
    #[track_caller]
    pub fn shrink_to(&mut self, capacity: usize) {
        self.try_shrink_to(capacity).or_panic();
    }

    /// [`shrink_to`](OwnedBuf::shrink_to) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// assert!(HeapBuf::new().try_shrink_to(10).is_ok());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_shrink_to(&mut self, capacity: usize) -> Result<(), Error> {
        self.inner.try_shrink_to(capacity, exclusive::source::<S>())
    }

    /// Cuts the buffer in two at index `at` without copying: keeps what lies
    /// before, returns what lies behind, with the room there. Each goes on
    /// writing its own part.
    ///
    /// # Panics
    ///
    /// If `at` exceeds the capacity.
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut head = HeapBuf::with_capacity(64);
    /// let mut body = head.split_off(16);
    /// body.write_str("body");
    /// head.write_str("head");
    /// assert_eq!((head.capacity(), body.capacity()), (16, 48));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_off(&mut self, at: usize) -> Self {
        self.try_split_off(at).or_panic()
    }

    /// [`split_off`](OwnedBuf::split_off) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// assert!(HeapBuf::with_capacity(8).try_split_off(9).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_split_off(&mut self, at: usize) -> Result<Self, Error> {
        self.inner.try_split_off(at).map(Self::wrap)
    }

    /// Cuts the buffer in two at index `at` without copying: returns what lies
    /// before, keeps what lies behind, with the room. Indices of the rest count
    /// from the cut.
    ///
    /// # Panics
    ///
    /// If `at` exceeds the writer index.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// let mut buf = HeapBuf::from(b"headbody".to_vec());
    /// let head = buf.split_to(4);
    /// assert_eq!((head.as_slice(), buf.as_slice()), (&b"head"[..], &b"body"[..]));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_to(&mut self, at: usize) -> Self {
        self.try_split_to(at).or_panic()
    }

    /// [`split_to`](OwnedBuf::split_to) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// assert!(HeapBuf::from(vec![1]).try_split_to(2).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_split_to(&mut self, at: usize) -> Result<Self, Error> {
        let writer = self.inner.view().writer();
        if at > writer && self.is_accessible() {
            return Err(Error::InvalidIndex { index: at, min: 0, max: writer });
        }
        let rest = self.try_split_off(at)?;
        Ok(core::mem::replace(self, rest))
    }

    /// Joins `other` to the end of this buffer, without copying, if it was cut
    /// off there and no hole would be left; what had been read of `other`
    /// stays read only if all of this was.
    ///
    /// # Errors
    ///
    /// Gives `other` back if it does not begin where this ends.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// let mut buf = HeapBuf::from(b"headbody".to_vec());
    /// let body = buf.split_off(4);
    /// buf.unsplit(body).expect("adjacent");
    /// assert_eq!(buf.as_slice(), b"headbody");
    /// assert!(buf.unsplit(HeapBuf::from(vec![1])).is_err());
    /// ```
    pub fn unsplit(&mut self, other: Self) -> Result<(), Self> {
        self.inner.unsplit(other.inner).map_err(Self::wrap)
    }

    #[cfg(feature = "mmap")]
    pub(crate) fn storage(&self) -> Option<&S> {
        self.inner.view().block()?.storage::<S>()
    }
}

impl HeapBuf {
    /// The readable bytes as a `Vec`. No copy if the buffer was made of a
    /// `Vec`, has no other handle and was not split; bytes that were read are
    /// closed over by moving the rest down.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// let vec = vec![1, 2, 3];
    /// let address = vec.as_ptr();
    /// let vec = HeapBuf::from(vec).into_vec();
    /// assert_eq!(vec.as_ptr(), address);
    /// ```
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        self.try_into_vec().unwrap_or_else(|this| this.as_slice().to_vec())
    }

    /// [`into_vec`](HeapBuf::into_vec) only where that allocates nothing.
    ///
    /// # Errors
    ///
    /// Gives the buffer back if its bytes would have to be copied into a new
    /// `Vec`.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    ///
    /// assert!(HeapBuf::from(vec![1, 2, 3]).try_into_vec().is_ok());
    /// assert!(HeapBuf::from(&[1, 2, 3][..]).try_into_vec().is_err());
    /// ```
    pub fn try_into_vec(self) -> Result<Vec<u8>, Self> {
        self.inner.try_into_vec().map_err(Self::wrap)
    }
}

impl<S: Storage> Default for OwnedBuf<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Keeps the allocation; the bytes are there to be read. Allocates the header.
impl From<Vec<u8>> for HeapBuf {
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn from(vec: Vec<u8>) -> Self {
        if vec.capacity() == 0 {
            return Self::new();
        }
        let len = vec.len();
        // SAFETY: these are the bytes of the Vec.
        unsafe { Self::from_storage_filled(Heap::from_vec(vec), len, usize::MAX) }
    }
}

/// Keeps the allocation, as from a `Vec`.
impl From<Box<[u8]>> for HeapBuf {
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn from(bytes: Box<[u8]>) -> Self {
        Self::from(bytes.into_vec())
    }
}

/// Keeps the allocation, as from a `Vec`.
impl From<String> for HeapBuf {
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn from(text: String) -> Self {
        Self::from(text.into_bytes())
    }
}

/// Copies the bytes.
impl From<&[u8]> for HeapBuf {
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn from(bytes: &[u8]) -> Self {
        let mut buf = Self::with_capacity(bytes.len());
        buf.write_bytes(bytes);
        buf
    }
}

/// As [`HeapBuf::into_vec`].
impl From<HeapBuf> for Vec<u8> {
    fn from(buf: HeapBuf) -> Self {
        buf.into_vec()
    }
}

/// The exclusive handle again, if the slice is the only handle of a block of
/// this kind of memory; all of the block behind the slice is its room.
impl<S: Storage> TryFrom<SliceBuf> for OwnedBuf<S> {
    /// The slice, if it is not.
    type Error = SliceBuf;

    fn try_from(slice: SliceBuf) -> Result<Self, SliceBuf> {
        let view: View<Block> = slice.into_view();
        if !view.block().is_some_and(Block::is_family::<S>) {
            return Err(SliceBuf::from_view(view));
        }
        Exclusive::from_alone(view).map(Self::wrap).map_err(SliceBuf::from_view)
    }
}

/// As [`OwnedBuf::freeze`].
impl<S: Storage> From<OwnedBuf<S>> for SliceBuf {
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn from(buf: OwnedBuf<S>) -> Self {
        buf.freeze()
    }
}

impl<S: Storage> AsRef<[u8]> for OwnedBuf<S> {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl<S: Storage> ByteBuf for OwnedBuf<S> {
    view_methods!(this => this.inner.view(), this.inner.view_mut());

    #[inline]
    fn capacity(&self) -> usize {
        self.inner.capacity()
    }

    fn max_capacity(&self) -> usize {
        self.inner.max_capacity()
    }

    #[inline]
    fn is_accessible(&self) -> bool {
        !self.inner.view().is_released()
    }

    fn ref_count(&self) -> usize {
        self.inner.ref_count()
    }

    fn release(&mut self) -> bool {
        self.inner.release()
    }

    #[inline(always)]
    fn window(&self, index: usize, len: usize) -> Option<&[u8]> {
        self.inner.view().window(index, len)
    }

    #[inline]
    fn try_chunk(&self, index: usize) -> Result<&[u8], Error> {
        self.inner.view().try_chunk(index)
    }

    fn try_slice(&mut self, range: Range<usize>) -> Result<SliceBuf, Error> {
        Self::try_slice(self, range)
    }

    #[inline]
    fn try_read_slice(&mut self, n: usize) -> Result<SliceBuf, Error> {
        let start = self.inner.view_mut().try_consume(n)?;
        // SAFETY: what was consumed lies below the writer index.
        Ok(SliceBuf::from_view(unsafe { self.inner.share(start, n) }))
    }
}

impl<S: Storage> ByteBufMut for OwnedBuf<S> {
    #[inline]
    fn try_set_writer_index(&mut self, index: usize) -> Result<(), Error> {
        self.inner.try_set_writer(index, exclusive::source::<S>())
    }

    #[inline(always)]
    fn set_window(&mut self, index: usize, src: &[u8]) -> bool {
        self.inner.set_window(index, src)
    }

    #[inline(always)]
    fn write_window(&mut self, src: &[u8]) -> bool {
        self.inner.write_window(src)
    }

    fn try_set_bytes(&mut self, index: usize, src: &[u8]) -> Result<(), Error> {
        self.inner.try_bytes_mut(index, src.len()).map(|bytes| bytes.copy_from_slice(src))
    }

    #[inline]
    fn try_write_bytes(&mut self, src: &[u8]) -> Result<(), Error> {
        // For no bytes there is room in a released buffer too.
        if !src.is_empty() && self.inner.write_window(src) {
            return Ok(());
        }
        self.inner.try_write_bytes(src, exclusive::source::<S>())
    }

    fn try_write_zeros(&mut self, n: usize) -> Result<(), Error> {
        self.inner.try_write_zeros(n, exclusive::source::<S>())
    }

    #[inline]
    fn try_ensure_writable(&mut self, n: usize) -> Result<(), Error> {
        self.inner.try_ensure_writable(n, exclusive::source::<S>())
    }

    fn try_make_room(&mut self, n: usize) -> Result<(), Error> {
        self.inner.try_make_room(n, exclusive::source::<S>())
    }

    fn discard_read_bytes(&mut self) {
        self.inner.discard_read();
    }

    fn try_chunk_mut(&mut self, index: usize) -> Result<&mut [u8], Error> {
        let len = self.inner.view().try_chunk(index)?.len();
        self.inner.try_bytes_mut(index, len)
    }

    #[inline]
    fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        self.inner.spare_capacity_mut()
    }

    #[inline]
    unsafe fn advance_writer(&mut self, n: usize) {
        // SAFETY: of the caller.
        unsafe { self.inner.advance_writer(n) };
    }
}

impl_comparisons!([S: Storage] OwnedBuf<S>, "OwnedBuf");
