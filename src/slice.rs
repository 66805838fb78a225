//! `SliceBuf`: a shared handle of a range of bytes.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ops::{Range, RangeBounds};

use crate::buf::{ByteBuf, ByteBufMut, impl_comparisons};
use crate::error::OrPanic;
use crate::memory::Block;
use crate::view::{View, plain_range};
use crate::{Error, HeapBuf, WeakSlice};

/// A shared handle of a range of bytes: part of a [`HeapBuf`] or `DirectBuf`,
/// static data, or what any other owner holds.
///
/// Cloning and slicing copy nothing; each is one atomic addition, and none for
/// static data. The bytes stay as they are for as long as more than one handle
/// sees them; a handle that is alone, of any kind, may change them in place.
///
/// # Geometry
///
/// A slice is as long as its writer index: capacity and maximum capacity are
/// the same number. It can shrink, never grow, and writing at its end is
/// [`Error::Overflow`]. A slice without bytes keeps no memory. To append to
/// what a slice holds, turn it into its exclusive type
/// (`HeapBuf::try_from(slice)`), or put it in a
/// [`CompositeBuf`](crate::CompositeBuf).
///
/// A small slice keeps the whole block that it is part of.
///
/// ```
/// use refbuf::{ByteBuf, ByteBufMut, Error, HeapBuf, SliceBuf};
///
/// let mut a = SliceBuf::from(vec![1, 2, 3, 4]);
/// let b = a.slice(1..3);
/// assert_eq!(b.get_u16(0), 0x0203);
/// assert_eq!(a.try_set_u8(0, 9), Err(Error::Shared));
/// drop(b);
/// a.set_u8(0, 9);
/// assert_eq!(a, [9, 2, 3, 4]);
/// ```
pub struct SliceBuf {
    view: View<Block>,
}

impl SliceBuf {
    /// No bytes, and no memory.
    ///
    /// ```
    /// use refbuf::{ByteBuf, SliceBuf};
    ///
    /// assert!(!SliceBuf::new().is_readable());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { view: View::empty() }
    }

    /// Static data. Allocates nothing, counts nothing, cannot be written.
    ///
    /// ```
    /// use refbuf::{ByteBuf, SliceBuf};
    ///
    /// const CRLF: SliceBuf = SliceBuf::from_static(b"\r\n");
    /// assert_eq!(CRLF.readable_bytes(), 2);
    /// ```
    #[must_use]
    pub const fn from_static(bytes: &'static [u8]) -> Self {
        Self { view: View::from_static(bytes) }
    }

    /// The bytes that `owner` shows, without copying; it is dropped with the
    /// last handle, on whatever thread that is. They cannot be written.
    ///
    /// `owner` is asked for its bytes once. Allocates a header.
    ///
    /// # Panics
    ///
    /// If there is no memory for the header; if `owner` does when asked.
    ///
    /// ```
    /// use refbuf::{ByteBuf, SliceBuf};
    ///
    /// let shared: std::sync::Arc<[u8]> = vec![1, 2, 3].into();
    /// let buf = SliceBuf::from_owner(shared.clone());
    /// assert_eq!(buf.slice(1..), [2, 3]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn from_owner<T: AsRef<[u8]> + Send + 'static>(owner: T) -> Self {
        let (block, bytes) = Block::foreign(owner).or_panic();
        if bytes.is_empty() {
            return Self::new();
        }
        block.created();
        // SAFETY: the owner showed these bytes from where it will stay, and
        // the block keeps it.
        Self { view: unsafe { View::new(bytes.cast(), bytes.len(), Some(block)) } }
    }

    /// A copy of `bytes`, in a block of its own.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had.
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// assert_eq!(SliceBuf::copy_from_slice(b"abc"), b"abc");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn copy_from_slice(bytes: &[u8]) -> Self {
        HeapBuf::from(bytes).freeze()
    }

    #[inline]
    pub(crate) fn from_view(view: View<Block>) -> Self {
        Self { view }
    }

    #[inline]
    pub(crate) fn into_view(self) -> View<Block> {
        self.view
    }

    /// The readable bytes.
    ///
    /// ```
    /// use refbuf::{ByteBuf, SliceBuf};
    ///
    /// let mut buf = SliceBuf::from_static(b"abc");
    /// buf.skip(1);
    /// assert_eq!(buf.as_slice(), b"bc");
    /// ```
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        self.view.window(self.view.reader(), self.view.readable()).unwrap_or_default()
    }

    /// The readable bytes, to be changed in place, if this is the sole handle.
    ///
    /// # Errors
    ///
    /// [`Error::Shared`], [`Error::ReadOnly`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// let mut buf = SliceBuf::copy_from_slice(b"abc");
    /// buf.try_as_mut_slice()?.make_ascii_uppercase();
    /// assert_eq!(buf, b"ABC");
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    pub fn try_as_mut_slice(&mut self) -> Result<&mut [u8], Error> {
        self.try_bytes_mut(self.view.reader(), self.view.readable())
    }

    /// A range of this slice as a handle of its own. Copies nothing; one
    /// atomic addition.
    ///
    /// # Panics
    ///
    /// If the range ends past the writer index or before it starts.
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// let buf = SliceBuf::from_static(b"header body");
    /// assert_eq!(buf.slice(7..), b"body");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Self {
        self.try_slice(range).or_panic()
    }

    /// [`slice`](SliceBuf::slice) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`], [`Error::InvalidIndex`] if the range ends before
    /// it starts, [`Error::Released`].
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// assert!(SliceBuf::from_static(b"abc").try_slice(2..5).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_slice(&self, range: impl RangeBounds<usize>) -> Result<Self, Error> {
        let (start, len) = self.view.try_range(plain_range(&range, self.view.writer()))?;
        if len == 0 {
            return Ok(Self::new());
        }
        self.touch();
        // SAFETY: `try_range` checked it; the part has a reference of its own.
        Ok(Self { view: unsafe { self.view.part(start, len, self.view.block().cloned()) } })
    }

    /// Cuts off and returns the bytes from index `at` on.
    ///
    /// # Panics
    ///
    /// If `at` exceeds the writer index.
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// let mut buf = SliceBuf::from_static(b"headbody");
    /// assert_eq!(buf.split_off(4), b"body");
    /// assert_eq!(buf, b"head");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_off(&mut self, at: usize) -> Self {
        self.try_split_off(at).or_panic()
    }

    /// [`split_off`](SliceBuf::split_off) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// assert!(SliceBuf::from_static(b"abc").try_split_off(4).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_split_off(&mut self, at: usize) -> Result<Self, Error> {
        self.check_cut(at)?;
        self.touch();
        let mut tail = if at == 0 { Self { view: self.view.take() } } else { self.clone() };
        if at != 0 {
            tail.view.advance(at);
            self.view.truncate(at);
        }
        Ok(tail)
    }

    /// Cuts off and returns the bytes before index `at`; indices of the rest
    /// count from there.
    ///
    /// # Panics
    ///
    /// If `at` exceeds the writer index.
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// let mut buf = SliceBuf::from_static(b"headbody");
    /// assert_eq!(buf.split_to(4), b"head");
    /// assert_eq!(buf, b"body");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_to(&mut self, at: usize) -> Self {
        self.try_split_to(at).or_panic()
    }

    /// [`split_to`](SliceBuf::split_to) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// assert!(SliceBuf::from_static(b"abc").try_split_to(4).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_split_to(&mut self, at: usize) -> Result<Self, Error> {
        self.check_cut(at)?;
        self.touch();
        // Where one of the two is without bytes, nothing is counted.
        if at == self.view.writer() {
            return Ok(Self { view: self.view.take() });
        }
        if at == 0 {
            return Ok(Self::new());
        }
        let mut head = self.clone();
        head.view.truncate(at);
        self.view.advance(at);
        Ok(head)
    }

    fn check_cut(&self, at: usize) -> Result<(), Error> {
        if self.view.is_released() {
            Err(Error::Released)
        } else if at > self.view.writer() {
            Err(Error::InvalidIndex { index: at, min: 0, max: self.view.writer() })
        } else {
            Ok(())
        }
    }

    /// Joins `other` to the end of this slice, without copying, if it is the
    /// range of the same block that begins there. What had been read of
    /// `other` stays read only if all of this was.
    ///
    /// # Errors
    ///
    /// Gives `other` back if it does not begin where this ends.
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// let whole = SliceBuf::from(vec![1, 2, 3, 4]);
    /// let mut front = whole.slice(..2);
    /// front.unsplit(whole.slice(2..)).expect("adjacent");
    /// assert_eq!(front, [1, 2, 3, 4]);
    /// ```
    pub fn unsplit(&mut self, other: Self) -> Result<(), Self> {
        if self.view.is_released() || other.view.is_released() {
            return Err(other);
        }
        if other.view.writer() == 0 {
            return Ok(());
        }
        if self.view.writer() == 0 {
            *self = other;
            return Ok(());
        }
        self.view.join(&other.view, self.view.writer(), Block::same).map_err(|()| other)
    }

    /// Shortens the slice to its first `len` bytes; without effect if it has
    /// no more. At 0 it lets the memory go.
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// let mut buf = SliceBuf::from_static(b"abc");
    /// buf.truncate(1);
    /// assert_eq!(buf, b"a");
    /// ```
    pub fn truncate(&mut self, len: usize) {
        if len < self.view.writer() {
            self.view.truncate(len);
        }
    }

    /// Copies the bytes into a block of their own, if they are in a larger
    /// one, so that 40 bytes stop holding 64 KiB. Returns whether it did. The
    /// indices stay. Static data is left where it is.
    ///
    /// [`retained_ratio`](ByteBuf::retained_ratio) tells whether it is worth it.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had; if the slice was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut slice = HeapBuf::from(vec![7; 65536]).read_slice(40);
    /// assert!(slice.detach());
    /// assert_eq!(slice.allocation_len(), 40);
    /// ```
    #[track_caller]
    pub fn detach(&mut self) -> bool {
        self.try_detach().or_panic()
    }

    /// [`detach`](SliceBuf::detach) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// assert_eq!(SliceBuf::from_static(b"static").try_detach(), Ok(false));
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_detach(&mut self) -> Result<bool, Error> {
        if self.view.is_released() {
            return Err(Error::Released);
        }
        if self.allocation_len() <= self.view.writer() {
            return Ok(false);
        }
        let mut own = HeapBuf::try_with_capacity(self.view.writer())?;
        own.try_write_bytes(self.view.try_chunk(0)?)?;
        own.try_set_reader_index(self.view.reader())?;
        *self = own.freeze();
        Ok(true)
    }

    /// A view of the same bytes that keeps the buffer from nothing: it reads
    /// while this or another strong handle exists.
    ///
    /// ```
    /// use refbuf::{ByteBuf, SliceBuf};
    ///
    /// let buf = SliceBuf::from(vec![1, 2, 3]);
    /// let view = buf.downgrade();
    /// assert_eq!(view.get_u8(2), 3);
    /// drop(buf);
    /// assert!(!view.is_accessible());
    /// ```
    #[must_use]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn downgrade(&self) -> WeakSlice {
        self.touch();
        let weak = self.view.block().map(Block::downgrade);
        // SAFETY: all of the view, with a handle of its own.
        let mut view = unsafe { self.view.part(0, self.view.writer(), weak) };
        // In range: it has all the bytes.
        let _ = view.try_set_reader(self.view.reader());
        WeakSlice::from_view(view)
    }

    /// Whether this is the only handle of the bytes, of any kind.
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// let buf = SliceBuf::from(vec![1, 2, 3]);
    /// assert!(buf.is_unique());
    /// let view = buf.downgrade();
    /// assert!(!buf.is_unique());
    /// ```
    #[must_use]
    pub fn is_unique(&self) -> bool {
        match self.view.block() {
            Some(block) => block.is_unique(1),
            None => self.view.writer() == 0,
        }
    }

    /// Whether the bytes may be written in place now. The exclusive borrow of
    /// the sole handle keeps it so.
    #[inline(always)]
    fn is_writable_now(&self) -> bool {
        self.view.block().is_some_and(|block| block.is_writable() && block.is_unique(1))
    }

    fn try_bytes_mut(&mut self, start: usize, len: usize) -> Result<&mut [u8], Error> {
        match start.checked_add(len) {
            Some(end) if end <= self.view.writer() && !self.view.is_released() => {}
            _ => return Err(self.view.range_error(start, len)),
        }
        if len != 0 && !self.is_writable_now() {
            return Err(match self.view.block() {
                Some(block) if block.is_writable() => Error::Shared,
                _ => Error::ReadOnly,
            });
        }
        // SAFETY: `&mut` of the only handle there is, or no bytes at all, and
        // `start + len <= writer`.
        Ok(unsafe { self.view.bytes_mut(start, len) })
    }
}

impl Clone for SliceBuf {
    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn clone(&self) -> Self {
        self.touch();
        Self { view: self.view.clone() }
    }
}

impl Default for SliceBuf {
    fn default() -> Self {
        Self::new()
    }
}

/// As [`SliceBuf::from_static`].
impl From<&'static [u8]> for SliceBuf {
    fn from(bytes: &'static [u8]) -> Self {
        Self::from_static(bytes)
    }
}

/// As [`SliceBuf::from_static`].
impl<const N: usize> From<&'static [u8; N]> for SliceBuf {
    fn from(bytes: &'static [u8; N]) -> Self {
        Self::from_static(bytes)
    }
}

/// As [`SliceBuf::from_static`].
impl From<&'static str> for SliceBuf {
    fn from(text: &'static str) -> Self {
        Self::from_static(text.as_bytes())
    }
}

/// Keeps the allocation. Allocates the header.
impl From<Vec<u8>> for SliceBuf {
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn from(vec: Vec<u8>) -> Self {
        HeapBuf::from(vec).freeze()
    }
}

/// Keeps the allocation, as from a `Vec`.
impl From<Box<[u8]>> for SliceBuf {
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn from(bytes: Box<[u8]>) -> Self {
        HeapBuf::from(bytes).freeze()
    }
}

/// Keeps the allocation, as from a `Vec`.
impl From<String> for SliceBuf {
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn from(text: String) -> Self {
        HeapBuf::from(text).freeze()
    }
}

impl AsRef<[u8]> for SliceBuf {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl ByteBuf for SliceBuf {
    view_methods!(this => this.view, this.view);

    #[inline]
    fn capacity(&self) -> usize {
        self.view.writer()
    }

    #[inline]
    fn max_capacity(&self) -> usize {
        self.view.writer()
    }

    #[inline]
    fn is_accessible(&self) -> bool {
        !self.view.is_released()
    }

    fn ref_count(&self) -> usize {
        match self.view.block() {
            Some(block) => block.ref_count(),
            None => usize::from(self.is_accessible()),
        }
    }

    fn release(&mut self) -> bool {
        let was_accessible = self.is_accessible();
        match self.view.release().into_block() {
            Some(block) => block.release(),
            None => was_accessible,
        }
    }

    #[inline(always)]
    fn window(&self, index: usize, len: usize) -> Option<&[u8]> {
        self.view.window(index, len)
    }

    #[inline]
    fn try_chunk(&self, index: usize) -> Result<&[u8], Error> {
        self.view.try_chunk(index)
    }

    fn try_slice(&mut self, range: Range<usize>) -> Result<SliceBuf, Error> {
        Self::try_slice(self, range)
    }
}

impl ByteBufMut for SliceBuf {
    fn try_set_writer_index(&mut self, index: usize) -> Result<(), Error> {
        let (reader, writer) = (self.view.reader(), self.view.writer());
        if self.view.is_released() {
            Err(Error::Released)
        } else if index < reader || index > writer {
            Err(Error::InvalidIndex { index, min: reader, max: writer })
        } else {
            self.view.truncate(index);
            Ok(())
        }
    }

    #[inline(always)]
    fn set_window(&mut self, index: usize, src: &[u8]) -> bool {
        if self.view.window(index, src.len()).is_none() || !self.is_writable_now() {
            return false;
        }
        // SAFETY: `&mut` of the only handle there is, and the window showed
        // that the range is in bounds.
        unsafe { self.view.bytes_mut(index, src.len()) }.copy_from_slice(src);
        true
    }

    #[inline]
    fn write_window(&mut self, src: &[u8]) -> bool {
        src.is_empty()
    }

    fn try_set_bytes(&mut self, index: usize, src: &[u8]) -> Result<(), Error> {
        self.try_bytes_mut(index, src.len()).map(|bytes| bytes.copy_from_slice(src))
    }

    fn try_write_bytes(&mut self, src: &[u8]) -> Result<(), Error> {
        self.try_ensure_writable(src.len())
    }

    fn try_write_zeros(&mut self, n: usize) -> Result<(), Error> {
        self.try_ensure_writable(n)
    }

    fn try_ensure_writable(&mut self, n: usize) -> Result<(), Error> {
        match n {
            _ if self.view.is_released() => Err(Error::Released),
            0 => Ok(()),
            needed => Err(Error::Overflow { needed, available: 0 }),
        }
    }

    fn try_make_room(&mut self, n: usize) -> Result<(), Error> {
        self.try_ensure_writable(n)
    }

    fn discard_read_bytes(&mut self) {
        self.view.advance(self.view.reader());
    }

    fn try_chunk_mut(&mut self, index: usize) -> Result<&mut [u8], Error> {
        let len = self.view.try_chunk(index)?.len();
        self.try_bytes_mut(index, len)
    }

    fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        &mut []
    }

    unsafe fn advance_writer(&mut self, n: usize) {
        assert!(n == 0, "advance_writer past the capacity");
    }
}

impl_comparisons!([] SliceBuf, "SliceBuf");
