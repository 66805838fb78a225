//! `CompositeBuf`: a sequence of components seen as one buffer.

mod components;
mod edit;
mod parts;

use alloc::collections::VecDeque;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::{ptr, slice};

use crate::buf::{ByteBuf, ByteBufMut, impl_comparisons, read_bytes};
use crate::exclusive::Exclusive;
use crate::view::{step, within};
use crate::{Error, HeapBuf, SliceBuf, hint};

pub use components::Components;
pub use parts::IntoComponents;

/// A sequence of buffers seen as one: read, written, searched and compared as
/// if it were contiguous, and sent with one vectored write.
///
/// [`push`](CompositeBuf::push) appends a buffer of any kind at the writer
/// index, without copying; the `write_` methods append to the room of the last
/// component and add new ones from the global allocator when it is used up, so
/// growing never copies what is there. The room behind what was written is kept
/// when something is pushed, for what is written next: headers between pushed
/// payloads share a block. There is never a hole between components, an empty
/// one is dropped at once, and a composite that is pushed is flattened.
///
/// # Costs
///
/// Reading on and appending are as cheap as in a single buffer while they stay
/// inside one component. An access by index is as cheap inside the component
/// that is being read, a binary search elsewhere, and a copy of the bytes where
/// it crosses a seam. Nothing is ever consolidated unless
/// [asked for](CompositeBuf::consolidate).
///
/// Bytes can be overwritten where their component is exclusive: pushed as an
/// owner, or as the sole handle. A write over several components checks all of
/// them before it changes a byte.
///
/// ```
/// use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, SliceBuf};
///
/// let payload = SliceBuf::from(b"payload".to_vec());
///
/// let mut message = CompositeBuf::new();
/// message.write_u32(payload.readable_bytes() as u32); // a fresh component
/// message.push(payload); // the payload itself
/// assert_eq!(message.component_count(), 2);
/// assert_eq!(message, b"\0\0\0\x07payload");
/// ```
pub struct CompositeBuf {
    /// In order and without holes: each starts where the one before ends, the
    /// first at `origin`. None is empty, except perhaps the last, which then is
    /// room to be written.
    components: VecDeque<Component>,
    /// The position of index 0.
    origin: u64,
    reader: usize,
    /// The end of the last component. Its own writer index lags behind until
    /// `sync`.
    writer: usize,
    max_capacity: usize,
    read: ReadWindow,
    tail: TailWindow,
    /// Room without bytes, to be written when that of the last component is
    /// used up: what was left behind it when something was pushed. So a message
    /// of small written parts and pushed payloads takes one block, not one for
    /// each part.
    spare: Exclusive,
    released: bool,
    /// Where new components come from; the global allocator if there is none.
    #[cfg(feature = "std")]
    allocator: Option<std::sync::Arc<dyn crate::BufAllocator>>,
}

/// An exclusive handle and where its bytes start, counted from the first byte
/// ever added: dropping components from the front renumbers nothing.
pub struct Component {
    start: u64,
    buf: Exclusive,
}

/// The component that is being read.
///
/// **Proved**: `start <= reader <= end <= writer`, and the bytes `start..end`
/// lie in one component at `base + index`; those from `frozen` on may be
/// written. Every change of the components ends with `refresh_read`, or leaves
/// these true.
struct ReadWindow {
    base: Base,
    start: usize,
    end: usize,
    frozen: usize,
    /// Where the component was, to begin a search with. Only a hint.
    component: usize,
}

impl ReadWindow {
    /// No bytes.
    const fn none(reader: usize) -> Self {
        Self { base: Base::NONE, start: reader, end: reader, frozen: reader, component: 0 }
    }
}

/// The room behind the writer index.
///
/// **Proved**: `start <= writer <= limit <= most()`, the last component
/// begins at `start`, and its bytes `start..writer` and its room
/// `writer..limit` are at `base + index`; nobody else sees those from `frozen`
/// on. Every change of the components ends with `refresh_tail`.
struct TailWindow {
    base: Base,
    start: usize,
    frozen: usize,
    limit: usize,
}

impl TailWindow {
    /// No bytes and no room.
    const fn none(writer: usize) -> Self {
        Self { base: Base::NONE, start: writer, frozen: usize::MAX, limit: writer }
    }

    fn room(&mut self, writer: usize) -> &mut [MaybeUninit<u8>] {
        match self.limit - writer {
            0 => &mut [],
            // SAFETY: Proved.
            room => unsafe { slice::from_raw_parts_mut(self.base.at(writer).cast(), room) },
        }
    }
}

/// A pointer that indices of the whole composite are added to: the start of a
/// component's memory less the index of its first byte.
#[derive(Clone, Copy)]
struct Base(*mut u8);

// SAFETY: a pointer into the memory of a component, which is Send + Sync, used
// as that component's is.
unsafe impl Send for Base {}
// SAFETY: as above.
unsafe impl Sync for Base {}

impl Base {
    fn new(buf: &Exclusive, start: usize) -> Self {
        // May point outside the memory; it is not used before an index that
        // leads back inside was added.
        Self(buf.view().base().as_ptr().wrapping_sub(start))
    }

    /// No memory: only a range without bytes may be formed.
    const NONE: Self = Self(ptr::dangling_mut());

    #[inline(always)]
    fn at(self, index: usize) -> *mut u8 {
        self.0.wrapping_add(index)
    }

    /// # Safety
    ///
    /// The bytes are at `self + index`, or `len` is 0, and nobody writes them
    /// for as long as the borrow that the caller makes of it.
    #[inline(always)]
    unsafe fn bytes<'a>(self, index: usize, len: usize) -> &'a [u8] {
        let start = self.at(index);
        // SAFETY: of the caller. No memory is at 0, which the compiler cannot
        // know of a pointer that wraps.
        unsafe {
            core::hint::assert_unchecked(!start.is_null());
            slice::from_raw_parts(start, len)
        }
    }
}

/// Bounds of the blocks that writing allocates: as much as is there already,
/// within these.
const MIN_BLOCK: usize = 1 << 10;
const MAX_BLOCK: usize = 64 << 10;

/// No more bytes than one slice could have, even where many components are one
/// block many times: see [`within`].
const MAX_LEN: usize = isize::MAX as usize;

/// Whether that allows `n` more.
fn check_len(len: usize, n: usize) -> Result<(), Error> {
    if n <= MAX_LEN - len { Ok(()) } else { Err(Error::Alloc { size: n }) }
}

/// Less room than this is not worth a reference of its own.
const MIN_SPARE: usize = 64;

impl CompositeBuf {
    /// An empty composite. Allocates nothing.
    ///
    /// ```
    /// use refbuf::{ByteBuf, CompositeBuf};
    ///
    /// assert_eq!(CompositeBuf::new().readable_bytes(), 0);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_max_capacity(usize::MAX)
    }

    /// An empty composite that never holds more than `max_capacity` bytes.
    ///
    /// ```
    /// use refbuf::{CompositeBuf, Error};
    ///
    /// let mut buf = CompositeBuf::with_max_capacity(3);
    /// buf.push("abc");
    /// assert_eq!(buf.try_push("d"), Err(Error::Overflow { needed: 1, available: 0 }));
    /// ```
    #[must_use]
    pub const fn with_max_capacity(max_capacity: usize) -> Self {
        Self {
            components: VecDeque::new(),
            origin: 0,
            reader: 0,
            writer: 0,
            max_capacity,
            read: ReadWindow::none(0),
            tail: TailWindow::none(0),
            spare: Exclusive::new(0),
            released: false,
            #[cfg(feature = "std")]
            allocator: None,
        }
    }

    /// An empty composite whose new components come from `allocator`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use refbuf::{ByteBufMut, CompositeBuf, Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// let mut buf = CompositeBuf::with_allocator(Arc::new(pool.clone()));
    /// buf.write_u64(7);
    /// assert_eq!(pool.stats().taken(), 1);
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub fn with_allocator(allocator: std::sync::Arc<dyn crate::BufAllocator>) -> Self {
        Self { allocator: Some(allocator), ..Self::new() }
    }

    /// An empty composite with the same limit and source of components.
    fn sibling(&self) -> Self {
        Self {
            #[cfg(feature = "std")]
            allocator: self.allocator.clone(),
            ..Self::with_max_capacity(self.max_capacity)
        }
    }

    /// An empty block for `capacity` bytes, from where components come from.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_heap(&self, capacity: usize) -> Result<HeapBuf, Error> {
        #[cfg(feature = "std")]
        if let Some(allocator) = &self.allocator {
            return allocator.try_heap(capacity);
        }
        HeapBuf::try_with_capacity(capacity)
    }

    /// Where the bytes end at the latest.
    fn most(&self) -> usize {
        self.max_capacity.min(MAX_LEN)
    }

    // Positions.

    #[inline]
    fn absolute(&self, index: usize) -> u64 {
        self.origin + index as u64
    }

    /// Index of the first byte of a component.
    // What lies between two positions of one composite is at most `writer`.
    #[allow(clippy::cast_possible_truncation)]
    fn start_of(&self, component: usize) -> usize {
        (self.components[component].start - self.origin) as usize
    }

    /// Index behind the last byte of a component.
    fn end_of(&self, component: usize) -> usize {
        if component + 1 < self.components.len() {
            self.start_of(component + 1)
        } else {
            self.writer
        }
    }

    /// The component that holds the byte at `index < writer`.
    fn locate(&self, index: usize) -> usize {
        debug_assert!(index < self.writer);
        let hint = self.read.component;
        let position = self.absolute(index);
        for component in hint..self.components.len().min(hint.saturating_add(2)) {
            if self.components[component].start <= position && index < self.end_of(component) {
                return component;
            }
        }
        self.components.partition_point(|component| component.start <= position) - 1
    }

    /// The bytes of a component.
    fn bytes_of(&self, component: usize) -> &[u8] {
        let len = self.end_of(component) - self.start_of(component);
        let base = self.components[component].buf.view().base();
        // SAFETY: the view's bytes; those of the last component reach to the
        // writer index of the composite, which only grows over written bytes.
        unsafe { slice::from_raw_parts(base.as_ptr(), len) }
    }

    // The caches.

    /// Tells the last component how far it was written.
    fn sync(&mut self) {
        let Some(last) = self.components.len().checked_sub(1) else { return };
        let len = self.writer - self.start_of(last);
        // SAFETY: written up to there; a component's reader index stays 0.
        unsafe { self.components[last].buf.view_mut().set_writer(len) };
    }

    fn refresh(&mut self) {
        self.refresh_tail();
        self.refresh_read();
    }

    fn refresh_tail(&mut self) {
        self.tail = match self.components.len().checked_sub(1) {
            Some(last) => self.tail_of(&self.components[last].buf, self.start_of(last)),
            None => TailWindow::none(self.writer),
        };
    }

    /// The window of the last component, which begins at `start`.
    fn tail_of(&self, last: &Exclusive, start: usize) -> TailWindow {
        TailWindow {
            base: Base::new(last, start),
            start,
            frozen: start + last.frozen(),
            limit: start.saturating_add(last.capacity()).min(self.most()),
        }
    }

    fn refresh_read(&mut self) {
        let at = if self.reader < self.writer {
            Some(self.locate(self.reader))
        } else {
            self.components.len().checked_sub(1)
        };
        self.read = match at {
            Some(component) => {
                let (start, end) = (self.start_of(component), self.end_of(component));
                let buf = &self.components[component].buf;
                let frozen = (start + buf.frozen()).min(end);
                ReadWindow { base: Base::new(buf, start), start, end, frozen, component }
            }
            None => ReadWindow::none(self.reader),
        };
    }

    // Errors.

    fn check_accessible(&self) -> Result<(), Error> {
        if self.released { Err(Error::Released) } else { Ok(()) }
    }

    fn check_range(&self, index: usize, len: usize) -> Result<(), Error> {
        self.check_accessible()?;
        match index.checked_add(len) {
            Some(end) if end <= self.writer => Ok(()),
            _ => Err(Error::OutOfBounds { index, len, limit: self.writer }),
        }
    }

    /// Whether `n` more bytes are allowed.
    fn check_room(&self, n: usize) -> Result<(), Error> {
        self.check_accessible()?;
        let available = self.max_capacity - self.writer;
        if n > available || self.absolute(self.writer).checked_add(n as u64).is_none() {
            return Err(Error::Overflow { needed: n, available });
        }
        check_len(self.writer, n)
    }

    // Room.

    /// `try_set_writer_index` where it is not just going back over own bytes.
    #[cold]
    #[inline(never)]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn move_writer(&mut self, index: usize) -> Result<(), Error> {
        self.check_accessible()?;
        if index < self.reader || index > self.max_capacity {
            let (min, max) = (self.reader, self.max_capacity);
            return Err(Error::InvalidIndex { index, min, max });
        }
        match index.checked_sub(self.writer) {
            Some(more) => self.try_write_zeros(more)?,
            None => self.truncate_to(index),
        }
        Ok(())
    }

    fn room(&self) -> usize {
        self.tail.limit - self.writer
    }

    /// Makes the spare have room for `n` bytes, and the components for one more:
    /// `use_spare` does not fail then.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn ready_spare(&mut self, n: usize) -> Result<(), Error> {
        self.reserve_components(1)?;
        if self.spare.capacity() < n {
            // What was written before it in its block may be gone.
            self.spare.reclaim();
        }
        if self.spare.capacity() < n {
            let capacity = self.tail.limit.clamp(MIN_BLOCK, MAX_BLOCK).max(n);
            let capacity = capacity.min((self.most() - self.writer).max(n));
            self.spare = self.try_heap(capacity)?.into_inner();
        }
        Ok(())
    }

    /// Makes the spare the last component, which is empty then.
    fn use_spare(&mut self) {
        // More than is left of the last one: that does not become the spare.
        let _unneeded = self.close_tail();
        self.check_reserved();
        let spare = core::mem::replace(&mut self.spare, Exclusive::new(0));
        self.put_tail(spare);
    }

    fn reserve_components(&mut self, n: usize) -> Result<(), Error> {
        let size = n.saturating_mul(size_of::<Component>());
        self.components.try_reserve(n).map_err(|_| Error::Alloc { size })
    }

    /// Room for `count` components of `len` bytes in all, to be added by
    /// `add_tail`, which does not fail then.
    pub(crate) fn reserve_parts(&mut self, count: usize, len: usize) -> Result<(), Error> {
        self.check_room(len)?;
        self.reserve_components(count)
    }

    /// Makes `buf`, which may be empty, the last component. There is room for
    /// it among the components, from `reserve_parts` or `reserve_components`.
    pub(crate) fn add_tail(&mut self, buf: Exclusive) {
        let _unneeded = self.close_tail();
        self.put_tail(buf);
    }

    /// Readies the last component for another behind it: `put_tail` comes next.
    /// Returns what is not needed, to be dropped when all is in order.
    #[inline]
    fn close_tail(&mut self) -> Option<Exclusive> {
        self.sync();
        // The last component may have no room, and then it has bytes.
        let is_full = self.tail.limit == self.writer && self.tail.start < self.writer;
        if is_full { None } else { self.cut_room() }
    }

    /// To be said before `put_tail` is given what it puts: that it need not be
    /// dropped, for the list does not grow. It can then be moved to its place at
    /// once, and not by way of the stack.
    #[inline(always)]
    fn check_reserved(&self) {
        assert!(self.components.len() < self.components.capacity(), "nothing was reserved");
    }

    #[inline(always)]
    fn put_tail(&mut self, buf: Exclusive) {
        let start = self.writer;
        self.writer += buf.view().writer();
        self.tail = self.tail_of(&buf, start);
        self.components.push_back(Component { start: self.absolute(start), buf });
        // Nothing was readable: the read window is at the very end.
        if start == self.reader {
            self.refresh_read();
        }
    }

    /// Makes the room behind the last component, which is in sync, the spare,
    /// and drops the component if it has no bytes. No tail is cached. Returns
    /// what is not needed, to be dropped when all is in order.
    #[inline(never)]
    fn cut_room(&mut self) -> Option<Exclusive> {
        self.tail = TailWindow::none(self.writer);
        let last = &mut self.components.back_mut()?.buf;
        let writer = last.view().writer();
        let room = last.capacity() - writer;
        // Room in a large block should rather go with the block.
        let keep =
            room >= MIN_SPARE && room > self.spare.capacity() && last.allocation_len() <= MAX_BLOCK;
        let cut = if writer == 0 {
            let last = self.components.pop_back();
            // The read window may have been the one at the very end.
            if self.reader == self.writer {
                self.refresh_read();
            }
            last?.buf
        } else if keep {
            last.split_at(writer)
        } else {
            return None;
        };
        if keep { self.spare.replace(cut) } else { Some(cut) }
    }

    /// Appends to the room of the last component and, if that is not enough,
    /// to a fresh one: `fill` writes the given bytes of the whole.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn append(
        &mut self,
        n: usize,
        fill: impl Fn(&mut [MaybeUninit<u8>], Range<usize>),
    ) -> Result<(), Error> {
        self.check_room(n)?;
        let first = n.min(self.room());
        if first < n {
            self.ready_spare(n - first)?;
        }
        if first != 0 {
            fill(&mut self.spare_capacity_mut()[..first], 0..first);
            self.writer += first;
        }
        if first < n {
            self.use_spare();
            fill(&mut self.spare_capacity_mut()[..n - first], first..n);
            self.writer += n - first;
        }
        Ok(())
    }
}

impl Default for CompositeBuf {
    fn default() -> Self {
        Self::new()
    }
}

impl ByteBuf for CompositeBuf {
    #[inline]
    fn reader_index(&self) -> usize {
        self.reader
    }

    #[inline]
    fn writer_index(&self) -> usize {
        self.writer
    }

    /// What can be written without adding a component.
    #[inline]
    fn capacity(&self) -> usize {
        self.tail.limit
    }

    #[inline]
    fn max_capacity(&self) -> usize {
        self.max_capacity
    }

    fn try_set_reader_index(&mut self, index: usize) -> Result<(), Error> {
        self.check_accessible()?;
        if index > self.writer {
            return Err(Error::InvalidIndex { index, min: 0, max: self.writer });
        }
        self.reader = index;
        if index < self.read.start || index >= self.read.end {
            self.refresh_read();
        }
        Ok(())
    }

    /// Whether neither the composite nor one of its components was released.
    /// A component is a strong handle that only the composite has.
    #[inline]
    fn is_accessible(&self) -> bool {
        !self.released
    }

    /// A composite has one handle: 1, or 0 once released.
    fn ref_count(&self) -> usize {
        usize::from(!self.released)
    }

    /// Releases every component. `true` the first time.
    fn release(&mut self) -> bool {
        let first = !self.released;
        // The components go last: dropping one may run an owner's code.
        let gone = core::mem::replace(self, Self::with_max_capacity(self.max_capacity));
        self.released = true;
        drop(gone);
        first
    }

    #[inline(always)]
    fn window(&self, index: usize, len: usize) -> Option<&[u8]> {
        if len > MAX_LEN {
            return None;
        }
        let base = if within(index, len, self.read.start, self.read.end) {
            self.read.base
        } else if within(index, len, self.tail.start, self.writer) {
            // Written since the read window was set.
            unlikely();
            self.tail.base
        } else {
            return None;
        };
        // SAFETY: Proved of both windows.
        Some(unsafe { base.bytes(index, len) })
    }

    #[inline(always)]
    fn read_window(&mut self, len: usize) -> Option<&[u8]> {
        let start = self.reader;
        let Some(end) = step(start, len, self.read.end) else {
            self.reader = hint::same(start);
            return None;
        };
        self.reader = end;
        // SAFETY: Proved of the read window.
        Some(unsafe { self.read.base.bytes(start, len) })
    }

    fn try_chunk(&self, index: usize) -> Result<&[u8], Error> {
        self.check_range(index, 0)?;
        if index == self.writer {
            return Ok(&[]);
        }
        let component = self.locate(index);
        Ok(&self.bytes_of(component)[index - self.start_of(component)..])
    }

    /// Zero-copy inside a component, gathered into one block otherwise.
    fn try_slice(&mut self, range: Range<usize>) -> Result<SliceBuf, Error> {
        let Range { start, end } = range;
        self.check_accessible()?;
        let Some(len) = end.checked_sub(start) else {
            return Err(Error::InvalidIndex { index: end, min: start, max: self.writer });
        };
        self.check_range(start, len)?;
        if len == 0 {
            return Ok(SliceBuf::new());
        }
        let component = self.locate(start);
        if end > self.end_of(component) {
            let mut gathered = self.try_heap(len)?;
            for chunk in self.chunks(start, len) {
                gathered.try_write_bytes(chunk)?;
            }
            return Ok(gathered.freeze());
        }
        self.sync();
        let offset = start - self.start_of(component);
        // SAFETY: within the bytes of the component, which is in sync.
        let view = unsafe { self.components[component].buf.share(offset, len) };
        // The part is frozen now.
        self.refresh();
        Ok(SliceBuf::from_view(view))
    }

    #[inline]
    fn touch(&self) {
        #[cfg(feature = "leak-detect")]
        for component in &self.components {
            component.buf.touched();
        }
    }

    /// That of all components, and of the spare room behind what was written
    /// before something was pushed; of two that share a block, twice.
    fn allocation_len(&self) -> usize {
        let components = self.components.iter().map(|component| component.buf.allocation_len());
        components.sum::<usize>() + self.spare.allocation_len()
    }

    fn try_get_bytes(&self, index: usize, dst: &mut [u8]) -> Result<(), Error> {
        self.check_range(index, dst.len())?;
        let mut rest = dst;
        for chunk in self.chunks(index, rest.len()) {
            let (now, later) = rest.split_at_mut(chunk.len());
            copy(now, chunk);
            rest = later;
        }
        Ok(())
    }

    fn try_read_bytes(&mut self, dst: &mut [u8]) -> Result<(), Error> {
        // Where reading on has come to the end of a component.
        if self.reader == self.read.end && self.reader < self.writer {
            self.refresh_read();
        }
        read_bytes(self, dst)
    }

    #[cfg(feature = "std")]
    fn io_slices<'a>(&'a self, dst: &mut [std::io::IoSlice<'a>]) -> usize {
        let chunks = self.chunks(self.reader, self.writer - self.reader);
        let mut n = 0;
        for (slot, chunk) in dst.iter_mut().zip(chunks) {
            *slot = std::io::IoSlice::new(chunk);
            n += 1;
        }
        n
    }
}

impl ByteBufMut for CompositeBuf {
    #[inline]
    fn try_set_writer_index(&mut self, index: usize) -> Result<(), Error> {
        // Back over bytes of the last component that are ours: the common
        // case, to use its room again.
        if self.tail.frozen <= index && self.reader <= index && index <= self.writer {
            self.writer = index;
            self.read.end = self.read.end.min(index);
            return Ok(());
        }
        self.move_writer(index)
    }

    #[inline(always)]
    fn set_window(&mut self, index: usize, src: &[u8]) -> bool {
        if !within(index, src.len(), self.read.frozen, self.read.end) {
            return false;
        }
        // SAFETY: Proved of the read window; `src` is none of these bytes:
        // only `&mut self` reaches them.
        unsafe { ptr::copy_nonoverlapping(src.as_ptr(), self.read.base.at(index), src.len()) };
        true
    }

    #[inline(always)]
    fn write_window(&mut self, src: &[u8]) -> bool {
        let writer = self.writer;
        let Some(end) = step(writer, src.len(), self.tail.limit) else {
            self.writer = hint::same(writer);
            return false;
        };
        // SAFETY: Proved of the tail window, and written by this.
        unsafe { ptr::copy_nonoverlapping(src.as_ptr(), self.tail.base.at(writer), src.len()) };
        self.writer = end;
        true
    }

    /// All components are found writable before a byte changes.
    fn try_set_bytes(&mut self, index: usize, src: &[u8]) -> Result<(), Error> {
        self.check_range(index, src.len())?;
        if src.is_empty() {
            return Ok(());
        }
        self.sync();
        let first = self.locate(index);
        let last = self.locate(index + src.len() - 1);
        let mut offset = index - self.start_of(first);
        for component in first..=last {
            self.components[component].buf.can_write_from(offset)?;
            offset = 0;
        }
        let mut src = src;
        let mut offset = index - self.start_of(first);
        for component in first..=last {
            let len = src.len().min(self.end_of(component) - self.start_of(component) - offset);
            let (now, later) = src.split_at(len);
            self.components[component].buf.try_bytes_mut(offset, len)?.copy_from_slice(now);
            (src, offset) = (later, 0);
        }
        // Components may have become writable.
        self.refresh_read();
        Ok(())
    }

    #[inline]
    fn try_write_bytes(&mut self, src: &[u8]) -> Result<(), Error> {
        // For no bytes there is room in a released buffer too.
        if !src.is_empty() && self.write_window(src) {
            return Ok(());
        }
        self.append(src.len(), |dst, range| {
            dst.copy_from_slice(as_uninit(&src[range]));
        })
    }

    fn try_write_zeros(&mut self, n: usize) -> Result<(), Error> {
        self.append(n, |dst, _| dst.fill(MaybeUninit::new(0)))
    }

    /// Adds a component where the room of the last is not enough.
    fn try_ensure_writable(&mut self, n: usize) -> Result<(), Error> {
        self.check_room(n)?;
        if n > self.room() {
            self.ready_spare(n)?;
            self.use_spare();
        }
        Ok(())
    }

    /// Also drops the components that were read.
    fn try_make_room(&mut self, n: usize) -> Result<(), Error> {
        self.check_accessible()?;
        if n <= self.room() {
            return Ok(());
        }
        // What the discarding gives back counts.
        let kept = self.writer - self.read_components_len();
        let available = self.max_capacity - kept;
        if n > available {
            return Err(Error::Overflow { needed: n, available });
        }
        check_len(kept, n)?;
        if n <= self.recyclable() {
            self.discard_read_components();
        } else {
            self.ready_spare(n)?;
            self.discard_read_components();
            self.use_spare();
        }
        Ok(())
    }

    fn discard_read_bytes(&mut self) {
        self.discard_read_components();
        self.trim_front();
    }

    fn try_chunk_mut(&mut self, index: usize) -> Result<&mut [u8], Error> {
        self.check_range(index, 0)?;
        if index == self.writer {
            return Ok(&mut []);
        }
        self.sync();
        let component = self.locate(index);
        let (start, end) = (self.start_of(component), self.end_of(component));
        self.components[component].buf.can_write_from(index - start)?;
        self.refresh_read();
        self.components[component].buf.try_bytes_mut(index - start, end - index)
    }

    /// Reads into the room of the last component and a fresh one at once.
    #[cfg(feature = "std")]
    fn read_from(&mut self, reader: &mut dyn std::io::Read, max: usize) -> std::io::Result<usize> {
        use crate::buf::io::{readable_from, zeroed};

        let n = readable_from(self, max)?;
        let first = n.min(self.room());
        if first < n {
            self.ready_spare(n - first)?;
        }
        let result = reader.read_vectored(&mut [
            std::io::IoSliceMut::new(zeroed(&mut self.tail.room(self.writer)[..first])),
            std::io::IoSliceMut::new(zeroed(&mut self.spare.spare_capacity_mut()[..n - first])),
        ]);
        let read = *result.as_ref().unwrap_or(&0);
        assert!(read <= n, "a reader read {read} bytes into {n}");
        // All of the room was zeroed, so these are initialised.
        self.writer += read.min(first);
        if read > first {
            self.use_spare();
            self.writer += read - first;
        } else if self.spare.allocation_len() > MAX_BLOCK {
            self.spare = Exclusive::new(0);
        }
        result
    }

    fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        self.tail.room(self.writer)
    }

    unsafe fn advance_writer(&mut self, n: usize) {
        assert!(n <= self.room(), "advance_writer past the capacity");
        self.writer += n;
    }
}

/// Tells the compiler which way not to lay out for.
#[cold]
#[inline]
fn unlikely() {}

/// Copies `src` to `dst`, which is as long; a few bytes without a call, for
/// components may be as small.
#[inline(always)]
fn copy(dst: &mut [u8], src: &[u8]) {
    fn ends<const N: usize>(dst: &mut [u8], src: &[u8]) -> Option<()> {
        *dst.first_chunk_mut::<N>()? = *src.first_chunk()?;
        *dst.last_chunk_mut::<N>()? = *src.last_chunk()?;
        Some(())
    }
    let copied = match dst.len() {
        4..8 => ends::<4>(dst, src),
        8..=16 => ends::<8>(dst, src),
        17..=32 => ends::<16>(dst, src),
        33..=64 => ends::<32>(dst, src),
        _ => None,
    };
    if copied.is_none() {
        dst.copy_from_slice(src);
    }
}

fn as_uninit(bytes: &[u8]) -> &[MaybeUninit<u8>] {
    // SAFETY: what is initialised may be called not so.
    unsafe { slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}

impl_comparisons!([] CompositeBuf, "CompositeBuf");
