//! `WeakSlice`: an unretained handle.

use core::ops::{Range, RangeBounds};

use crate::buf::{ByteBuf, impl_comparisons};
use crate::error::OrPanic;
use crate::memory::WeakBlock;
use crate::view::{View, plain_range};
use crate::{Error, SliceBuf};

/// A handle that reads while somebody else keeps the buffer accessible, and
/// keeps nothing accessible itself.
///
/// When the last strong handle is gone, on whatever thread, the buffer is
/// released: every access is [`Error::Released`] from then on. The memory stays
/// until the weak handles are gone too, so a late reader is *told*, and never
/// sees freed or reused memory.
///
/// It belongs to a block, not to an owner: when an `OwnedBuf` grows into a new
/// block, views of the old one find it released unless a slice retains it.
///
/// Each access is a bounds check, one relaxed load and a test more than a
/// slice's. A reference that a call has returned stays readable even if the
/// buffer is released meanwhile.
///
/// ```
/// use refbuf::{ByteBuf, Error, HeapBuf};
///
/// let mut buf = HeapBuf::from(b"cached".to_vec());
/// let view = buf.downgrade();
///
/// let held = view.upgrade().expect("still there");
/// drop(buf);
/// assert_eq!(view.get_u8(0), b'c'); // kept by `held`
///
/// drop(held);
/// assert_eq!(view.try_get_u8(0), Err(Error::Released));
/// assert!(view.upgrade().is_none());
/// ```
#[derive(Clone)]
pub struct WeakSlice {
    view: View<WeakBlock>,
}

impl WeakSlice {
    pub(crate) fn from_view(view: View<WeakBlock>) -> Self {
        Self { view }
    }

    /// A strong handle of the same bytes with the same indices, unless the
    /// buffer was released. One compare-and-exchange.
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// let buf = SliceBuf::from(vec![1, 2, 3]);
    /// let view = buf.downgrade();
    /// assert_eq!(view.upgrade(), Some(buf));
    /// ```
    #[must_use]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn upgrade(&self) -> Option<SliceBuf> {
        self.try_upgrade().ok()
    }

    /// [`upgrade`](WeakSlice::upgrade) with an error for `None`.
    ///
    /// # Errors
    ///
    /// [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, Error, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// let view = buf.downgrade();
    /// buf.release();
    /// assert_eq!(view.try_upgrade(), Err(Error::Released));
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_upgrade(&self) -> Result<SliceBuf, Error> {
        let mut slice = self.strong_part(0, self.view.writer())?;
        // In range: the slice has all the bytes.
        let _ = slice.try_set_reader_index(self.view.reader());
        Ok(slice)
    }

    /// A range of these bytes as a strong handle.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn strong_part(&self, start: usize, len: usize) -> Result<SliceBuf, Error> {
        if self.view.is_released() {
            return Err(Error::Released);
        }
        let block = match self.view.block() {
            Some(weak) => {
                weak.touched();
                Some(weak.upgrade().ok_or(Error::Released)?)
            }
            None => None,
        };
        if len == 0 {
            return Ok(SliceBuf::new());
        }
        // SAFETY: the callers checked the range; the part has a reference of
        // its own.
        Ok(SliceBuf::from_view(unsafe { self.view.part(start, len, block) }))
    }

    /// A range of this view as a view of its own. Copies nothing; one atomic
    /// addition.
    ///
    /// # Panics
    ///
    /// If the range ends past the writer index or before it starts, or the
    /// buffer was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, SliceBuf};
    ///
    /// let buf = SliceBuf::from(b"header body".to_vec());
    /// let body = buf.downgrade().slice(7..);
    /// assert_eq!(body, b"body");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Self {
        self.try_slice(range).or_panic()
    }

    /// [`slice`](WeakSlice::slice) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`], [`Error::InvalidIndex`] if the range ends before
    /// it starts, [`Error::Released`].
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// let buf = SliceBuf::from(vec![1, 2, 3]);
    /// assert!(buf.downgrade().try_slice(2..5).is_err());
    /// ```
    pub fn try_slice(&self, range: impl RangeBounds<usize>) -> Result<Self, Error> {
        let range = plain_range(&range, self.view.writer());
        let (start, len) = self.view()?.try_range(range)?;
        // SAFETY: `try_range` checked it; the part has a handle of its own.
        Ok(Self { view: unsafe { self.view.part(start, len, self.view.block().cloned()) } })
    }

    /// The readable bytes; none once the buffer was released.
    ///
    /// ```
    /// use refbuf::SliceBuf;
    ///
    /// let buf = SliceBuf::from(vec![1, 2, 3]);
    /// assert_eq!(buf.downgrade().as_slice(), [1, 2, 3]);
    /// ```
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        self.window(self.view.reader(), self.view.readable()).unwrap_or_default()
    }

    /// Whether the other handles let the buffer go. That this one was released
    /// is not asked: its window is empty then.
    #[inline(always)]
    fn is_released_elsewhere(&self) -> bool {
        self.view.block().is_some_and(|block| !block.is_accessible())
    }

    /// The view, while it may be looked at.
    fn view(&self) -> Result<&View<WeakBlock>, Error> {
        if self.is_accessible() { Ok(&self.view) } else { Err(Error::Released) }
    }
}

impl AsRef<[u8]> for WeakSlice {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl ByteBuf for WeakSlice {
    #[inline]
    fn reader_index(&self) -> usize {
        self.view.reader()
    }

    #[inline]
    fn writer_index(&self) -> usize {
        self.view.writer()
    }

    #[inline]
    fn capacity(&self) -> usize {
        self.view.writer()
    }

    #[inline]
    fn max_capacity(&self) -> usize {
        self.view.writer()
    }

    fn try_set_reader_index(&mut self, index: usize) -> Result<(), Error> {
        if !self.is_accessible() {
            return Err(Error::Released);
        }
        self.view.try_set_reader(index)
    }

    #[inline]
    fn is_accessible(&self) -> bool {
        match self.view.block() {
            Some(block) => block.is_accessible(),
            None => !self.view.is_released(),
        }
    }

    fn ref_count(&self) -> usize {
        match self.view.block() {
            Some(block) => block.ref_count(),
            None => usize::from(self.is_accessible()),
        }
    }

    /// Gives up this handle. Never the last strong reference, so `false`.
    fn release(&mut self) -> bool {
        self.view.release();
        false
    }

    #[inline(always)]
    fn window(&self, index: usize, len: usize) -> Option<&[u8]> {
        if self.is_released_elsewhere() { None } else { self.view.window(index, len) }
    }

    #[inline(always)]
    fn read_window(&mut self, len: usize) -> Option<&[u8]> {
        if self.is_released_elsewhere() { None } else { self.view.read_window(len) }
    }

    #[inline(always)]
    fn is_one_run(&self) -> bool {
        true
    }

    #[inline]
    fn touch(&self) {
        if let Some(block) = self.view.block() {
            block.touched();
        }
    }

    fn allocation_len(&self) -> usize {
        self.view.block().map_or(0, WeakBlock::capacity)
    }

    fn try_chunk(&self, index: usize) -> Result<&[u8], Error> {
        self.view()?.try_chunk(index)
    }

    /// A strong slice, if the buffer can be retained.
    fn try_slice(&mut self, range: Range<usize>) -> Result<SliceBuf, Error> {
        let (start, len) = self.view()?.try_range(range)?;
        self.strong_part(start, len)
    }
}

impl_comparisons!([] WeakSlice, "WeakSlice");
