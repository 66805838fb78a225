//! The window that every handle of one block carries: where its bytes start,
//! how many there are, and which of them are still to be read.
//!
//! # Invariants
//!
//! * **Readable**: while `block` (a strong reference or a weak handle) is
//!   held, or for ever if there is none, the bytes `base..base + writer` are
//!   initialised, and nobody writes them but the handle that owns this view,
//!   and that one only through `&mut`.
//! * **Ordered**: `reader <= writer <= isize::MAX`.
//! * **Empty when released**: a released view has no bytes, so the bounds
//!   check that every access makes anyway is what refuses it.

use core::ops::{Bound, Range, RangeBounds};
use core::ptr::NonNull;
use core::slice;
use core::sync::atomic::AtomicU8;

use crate::{Error, hint};

#[derive(Clone)]
pub(crate) struct View<C> {
    base: NonNull<u8>,
    reader: usize,
    writer: usize,
    /// `None`: static memory, no memory, or released.
    block: Option<C>,
}

// SAFETY: all handles may read the bytes (Readable), and only `&mut` writes.
unsafe impl<C: Send> Send for View<C> {}
// SAFETY: as above.
unsafe impl<C: Sync> Sync for View<C> {}

/// Where released views point: an address that no other view can have. Never
/// read. An atomic, for constants may be merged with other constants.
static RELEASED: AtomicU8 = AtomicU8::new(0);

impl<C> View<C> {
    pub(crate) const fn empty() -> Self {
        Self { base: NonNull::dangling(), reader: 0, writer: 0, block: None }
    }

    fn released() -> Self {
        Self { base: NonNull::from(&RELEASED).cast(), ..Self::empty() }
    }

    pub(crate) const fn from_static(bytes: &'static [u8]) -> Self {
        if bytes.is_empty() {
            // Its address is the end of something, and may be anything.
            return Self::empty();
        }
        // `NonNull::from` is not const. A reference is never null.
        let base = match NonNull::new(bytes.as_ptr().cast_mut()) {
            Some(base) => base,
            None => NonNull::dangling(),
        };
        Self { base, reader: 0, writer: bytes.len(), block: None }
    }

    /// # Safety
    ///
    /// Readable must hold for `writer` bytes at `base` and `block`.
    pub(crate) unsafe fn new(base: NonNull<u8>, writer: usize, block: Option<C>) -> Self {
        debug_assert!(isize::try_from(writer).is_ok());
        Self { base, reader: 0, writer, block }
    }

    /// The bytes `start..start + len` seen through another reference of the
    /// same block. Both indices at their ends: all of it is readable.
    ///
    /// # Safety
    ///
    /// The range is within `writer`, Readable must hold for it and `block`.
    #[inline]
    pub(crate) unsafe fn part<D>(&self, start: usize, len: usize, block: Option<D>) -> View<D> {
        debug_assert!(start <= self.writer && len <= self.writer - start);
        // SAFETY: within the bytes of this view.
        let base = unsafe { self.base.add(start) };
        View { base, reader: 0, writer: len, block }
    }

    #[inline]
    pub(crate) fn base(&self) -> NonNull<u8> {
        self.base
    }

    #[inline]
    pub(crate) fn reader(&self) -> usize {
        self.reader
    }

    #[inline]
    pub(crate) fn writer(&self) -> usize {
        self.writer
    }

    #[inline]
    pub(crate) fn readable(&self) -> usize {
        self.writer - self.reader
    }

    #[inline]
    pub(crate) fn block(&self) -> Option<&C> {
        self.block.as_ref()
    }

    #[inline]
    pub(crate) fn block_mut(&mut self) -> Option<&mut C> {
        self.block.as_mut()
    }

    /// Whether this handle itself was released.
    #[inline]
    pub(crate) fn is_released(&self) -> bool {
        self.block.is_none() && self.base == NonNull::from(&RELEASED).cast()
    }

    /// Takes the view and leaves a released one.
    pub(crate) fn release(&mut self) -> Self {
        core::mem::replace(self, Self::released())
    }

    #[inline]
    pub(crate) fn take(&mut self) -> Self {
        core::mem::replace(self, Self::empty())
    }

    /// Base, reader, writer and block, to be passed on in registers.
    #[inline]
    pub(crate) fn into_words(self) -> (NonNull<u8>, usize, usize, Option<C>) {
        (self.base, self.reader, self.writer, self.block)
    }

    /// # Safety
    ///
    /// They come from [`into_words`](Self::into_words).
    #[inline]
    pub(crate) unsafe fn from_words(
        base: NonNull<u8>,
        reader: usize,
        writer: usize,
        block: Option<C>,
    ) -> Self {
        Self { base, reader, writer, block }
    }

    pub(crate) fn into_block(self) -> Option<C> {
        self.block
    }

    /// # Safety
    ///
    /// Readable must hold for `writer` bytes at `base`, and `reader <= writer`.
    #[inline]
    pub(crate) unsafe fn set_bytes(&mut self, base: NonNull<u8>, reader: usize, writer: usize) {
        debug_assert!(reader <= writer);
        self.base = base;
        self.reader = reader;
        self.writer = writer;
    }

    /// # Safety
    ///
    /// As [`set_bytes`](Self::set_bytes), with the present base and reader.
    #[inline]
    pub(crate) unsafe fn set_writer(&mut self, writer: usize) {
        debug_assert!(self.reader <= writer);
        self.writer = writer;
    }

    /// Shortens the view to its first `len` bytes. Without bytes there is
    /// nothing that a block would be kept for.
    pub(crate) fn truncate(&mut self, len: usize) {
        debug_assert!(len <= self.writer);
        self.writer = len;
        self.reader = self.reader.min(len);
        if len == 0 && !self.is_released() {
            *self = Self::empty();
        }
    }

    /// Drops the first `n` bytes from the view; indices move down with it.
    #[inline]
    pub(crate) fn advance(&mut self, n: usize) {
        debug_assert!(n <= self.writer);
        if n == self.writer {
            return self.truncate(0);
        }
        // SAFETY: within the bytes of this view.
        self.base = unsafe { self.base.add(n) };
        self.writer -= n;
        self.reader = self.reader.saturating_sub(n);
    }

    /// Appends the bytes of `other` if it starts at `end` of this view, in one
    /// block, and leaves no hole.
    pub(crate) fn join(
        &mut self,
        other: &Self,
        end: usize,
        same: impl FnOnce(&C, &C) -> bool,
    ) -> Result<(), ()> {
        let (Some(a), Some(b)) = (&self.block, &other.block) else { return Err(()) };
        // The end of this may be one past its block, where another block could
        // begin: only within one block do addresses tell.
        let adjacent = same(a, b) && self.base.as_ptr().wrapping_add(end) == other.base.as_ptr();
        if !adjacent || (self.writer < end && other.writer != 0) {
            return Err(());
        }
        if self.reader == self.writer {
            self.reader += other.reader;
        }
        self.writer += other.writer;
        Ok(())
    }

    /// # Safety
    ///
    /// The caller may write the range, and it is within `writer`.
    #[inline]
    pub(crate) unsafe fn bytes_mut(&mut self, start: usize, len: usize) -> &mut [u8] {
        debug_assert!(len <= self.writer && start <= self.writer - len);
        // SAFETY: of the caller; written bytes are initialised.
        unsafe { slice::from_raw_parts_mut(self.base.as_ptr().add(start), len) }
    }

    #[inline]
    pub(crate) fn try_set_reader(&mut self, index: usize) -> Result<(), Error> {
        // Where there are bytes behind the index, nothing was released.
        if index < self.writer || (index == self.writer && !self.is_released()) {
            self.reader = index;
            return Ok(());
        }
        Err(self.reader_error(index))
    }

    #[cold]
    #[inline(never)]
    fn reader_error(&self, index: usize) -> Error {
        if self.is_released() {
            Error::Released
        } else {
            Error::InvalidIndex { index, min: 0, max: self.writer }
        }
    }

    /// Exactly `len` bytes at `index`.
    #[inline(always)]
    pub(crate) fn window(&self, index: usize, len: usize) -> Option<&[u8]> {
        let end = index.checked_add(len)?;
        if end > self.writer {
            return None;
        }
        // SAFETY: Readable, and `index + len <= writer`.
        Some(unsafe { slice::from_raw_parts(self.base.as_ptr().add(index), len) })
    }

    /// Exactly `len` bytes at the reader index, consumed.
    #[inline(always)]
    pub(crate) fn read_window(&mut self, len: usize) -> Option<&[u8]> {
        let start = self.reader;
        let Some(end) = step(start, len, self.writer) else {
            self.reader = hint::same(start);
            return None;
        };
        self.reader = end;
        // SAFETY: Readable, and `start + len <= writer`.
        Some(unsafe { slice::from_raw_parts(self.base.as_ptr().add(start), len) })
    }

    /// All bytes from `index` on.
    pub(crate) fn try_chunk(&self, index: usize) -> Result<&[u8], Error> {
        match self.writer.checked_sub(index).and_then(|len| self.window(index, len)) {
            Some(bytes) if !self.is_released() => Ok(bytes),
            _ => Err(self.range_error(index, 0)),
        }
    }

    /// The part of `range` as start and length.
    pub(crate) fn try_range(&self, range: Range<usize>) -> Result<(usize, usize), Error> {
        let Range { start, end } = range;
        match end.checked_sub(start) {
            Some(len) if end <= self.writer && !self.is_released() => Ok((start, len)),
            Some(len) => Err(self.range_error(start, len)),
            None if self.is_released() => Err(Error::Released),
            None => Err(Error::InvalidIndex { index: end, min: start, max: self.writer }),
        }
    }

    /// Consumes `n` bytes; returns where they start.
    #[inline]
    pub(crate) fn try_consume(&mut self, n: usize) -> Result<usize, Error> {
        if n > self.readable() || self.is_released() {
            return Err(self.underflow(n));
        }
        let start = self.reader;
        self.reader = start + n;
        Ok(start)
    }

    #[cold]
    fn underflow(&self, needed: usize) -> Error {
        if self.is_released() {
            Error::Released
        } else {
            Error::Underflow { needed, available: self.readable() }
        }
    }

    #[cold]
    pub(crate) fn range_error(&self, index: usize, len: usize) -> Error {
        if self.is_released() {
            Error::Released
        } else {
            Error::OutOfBounds { index, len, limit: self.writer }
        }
    }
}

/// Whether the `len` bytes at `index` are in the window `start..end`, which is in
/// order and ends at `isize::MAX` at most. Whoever asks with any `len` and not
/// that of something in memory has to know that it is not above that either.
///
/// As signed numbers, because an index from the other half of the range then is
/// below `start`: that `index + len` wraps needs no comparison of its own.
// Wrapping is what is wanted of the casts.
#[allow(clippy::cast_possible_wrap)]
#[inline(always)]
pub(crate) fn within(index: usize, len: usize, start: usize, end: usize) -> bool {
    debug_assert!(start <= end && [end, len].iter().all(|&n| isize::try_from(n).is_ok()));
    let (index, start, end) = (index as isize, start as isize, end as isize);
    // No overflow: both are between 0 and `isize::MAX` then.
    start <= index && end.wrapping_sub(index) >= len as isize
}

/// The index `len` bytes behind `index <= end`, unless that is behind `end`,
/// which is `isize::MAX` at most.
#[inline(always)]
pub(crate) fn step(index: usize, len: usize, end: usize) -> Option<usize> {
    debug_assert!(index <= end && isize::try_from(end).is_ok());
    // Does not wrap where it counts: neither is above `isize::MAX`.
    let next = index.wrapping_add(len);
    (len <= isize::MAX as usize && next <= end).then_some(next)
}

/// Any range of indices as a plain one, open ends being 0 and `writer`.
pub(crate) fn plain_range(range: &impl RangeBounds<usize>, writer: usize) -> Range<usize> {
    // An end that cannot be written as an exclusive one is out of bounds
    // whatever it stands for.
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => writer,
    };
    start..end
}

/// The methods of `ByteBuf` that ask nothing but the view.
macro_rules! view_methods {
    ($this:ident => $view:expr, $view_mut:expr) => {
        #[inline]
        fn reader_index(&self) -> usize {
            let $this = self;
            $view.reader()
        }

        #[inline]
        fn writer_index(&self) -> usize {
            let $this = self;
            $view.writer()
        }

        #[inline]
        fn try_set_reader_index(&mut self, index: usize) -> Result<(), Error> {
            let $this = self;
            $view_mut.try_set_reader(index)
        }

        #[inline(always)]
        fn read_window(&mut self, len: usize) -> Option<&[u8]> {
            let $this = self;
            $view_mut.read_window(len)
        }

        #[inline(always)]
        fn is_one_run(&self) -> bool {
            true
        }

        #[inline(always)]
        fn touch(&self) {
            let $this = self;
            if let Some(block) = $view.block() {
                block.touched();
            }
        }

        fn allocation_len(&self) -> usize {
            let $this = self;
            $view.block().map_or(0, |block| block.capacity())
        }
    };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{step, within};

    const MOST: usize = isize::MAX as usize;
    const EDGES: [usize; 9] = [0, 1, 7, 8, 9, MOST / 2, MOST - 8, MOST - 1, MOST];
    const BEYOND: [usize; 6] =
        [MOST + 1, MOST + 8, usize::MAX - 8, usize::MAX - 7, usize::MAX - 1, usize::MAX];

    /// All windows that begin and end at an edge.
    fn windows() -> impl Iterator<Item = (usize, usize)> {
        EDGES.into_iter().flat_map(|end| {
            EDGES.into_iter().filter(move |&start| start <= end).map(move |start| (start, end))
        })
    }

    /// Whether that is in the window, by arithmetic that has room.
    fn is_in(index: usize, len: usize, start: usize, end: usize) -> bool {
        start <= index && index as u128 + len as u128 <= end as u128
    }

    #[test]
    fn nothing_wraps_into_a_window() {
        for (start, end) in windows() {
            for (len, index) in EDGES
                .iter()
                .flat_map(|&len| EDGES.into_iter().chain(BEYOND).map(move |index| (len, index)))
            {
                let real = is_in(index, len, start, end);
                assert_eq!(
                    within(index, len, start, end),
                    real,
                    "{index}, {len} in {start}..{end}"
                );
            }
        }
    }

    #[test]
    fn no_step_wraps() {
        for (index, end) in windows() {
            for len in EDGES.into_iter().chain(BEYOND) {
                let real = is_in(index, len, 0, end).then(|| index + len);
                assert_eq!(step(index, len, end), real, "{index} + {len} up to {end}");
            }
        }
    }
}
