//! The one handle that may write a block, or a part of it that it shares with
//! nobody: what `OwnedBuf` is, and what the components of a composite are.
//!
//! ```text
//!  base          frozen            writer          capacity
//!   |  read only   |  written by us   |  to be written |
//! ```
//!
//! # Invariants, beside those of the view
//!
//! * **Ours**: the bytes `base + frozen .. base + capacity` lie in the block
//!   and no other handle reads or writes them. `frozen` is the end of the
//!   highest range that was ever handed out, so everything behind it was seen
//!   by nobody.
//! * **Ordered**: `frozen <= writer <= capacity <= max_capacity`, and `capacity <=
//!   isize::MAX`.
//! * **Credits**: beside the reference in the view this handle holds `credits`
//!   more. Handing one out with a slice is no read-modify-write. Only one
//!   handle of a block may do this; the others have [`NO_CREDIT`].
//!
//! Losing a right shrinks the window, so the bounds check is the only check.
//! When it fails, a cold function finds out why, or that the slices are gone
//! meanwhile and the rights are back (`thaw`).

use alloc::vec::Vec;
use core::mem::MaybeUninit;
use core::ptr;
#[cfg(feature = "std")]
use core::ptr::NonNull;
use core::slice;

use crate::memory::{Block, Heap, Storage, WeakBlock};
use crate::view::{View, step, within};
use crate::{Error, hint};

pub(crate) struct Exclusive {
    view: View<Block>,
    capacity: usize,
    frozen: usize,
    limits: Limits,
}

/// Where new memory comes from when there is no block to ask.
pub(crate) type Source = fn(usize) -> Result<Block, Error>;

/// In `limits.credits`: this handle holds none and may take none, for it is not the
/// only one that could.
const NO_CREDIT: u8 = u8::MAX;

/// The smallest block that growing allocates.
const MIN_BLOCK: usize = 64;

impl Exclusive {
    /// No memory yet.
    pub(crate) const fn new(max_capacity: usize) -> Self {
        Self { view: View::empty(), capacity: 0, frozen: 0, limits: Limits::new(max_capacity, 0) }
    }

    /// The whole of a block that has no other handle, `writer` bytes of it
    /// being there to read.
    ///
    /// # Safety
    ///
    /// No other handle exists, and the first `writer` bytes are initialised.
    pub(crate) unsafe fn from_block(block: Block, writer: usize, max_capacity: usize) -> Self {
        let room = block.capacity().min(max_capacity);
        debug_assert!(writer <= room);
        let (frozen, capacity) = if block.is_writable() { (0, room) } else { (writer, writer) };
        // SAFETY: of the caller.
        let view = unsafe { View::new(block.base(), writer, Some(block)) };
        Self { view, capacity, frozen, limits: Limits::new(max_capacity, 0) }
    }

    /// The whole of an empty block, whose memory is known.
    ///
    /// # Safety
    ///
    /// No other handle exists, and it is the memory of `block`, which is
    /// writable.
    #[cfg(feature = "std")]
    #[inline]
    pub(crate) unsafe fn fresh(block: Block, base: NonNull<u8>, capacity: usize) -> Self {
        // SAFETY: no bytes.
        let view = unsafe { View::new(base, 0, Some(block)) };
        Self { view, capacity, frozen: 0, limits: Limits::new(usize::MAX, 0) }
    }

    /// A view that others may share: nothing of it can be written until it is
    /// found to be alone.
    pub(crate) fn from_shared(view: View<Block>) -> Self {
        let writer = view.writer();
        Self { view, capacity: writer, frozen: writer, limits: Limits::new(usize::MAX, NO_CREDIT) }
    }

    /// The same, with the rest of the block as room; `Err` unless alone.
    pub(crate) fn from_alone(view: View<Block>) -> Result<Self, View<Block>> {
        let mut this = Self::from_shared(view);
        if this.is_alone() {
            this.frozen = 0;
            this.capacity = this.room();
            Ok(this)
        } else {
            Err(this.view.take())
        }
    }

    /// Puts `new` here; what was here, unless that was nothing.
    #[inline]
    pub(crate) fn replace(&mut self, new: Self) -> Option<Self> {
        let old = core::mem::replace(self, new);
        old.view.block().is_some().then_some(old)
    }

    #[inline]
    pub(crate) fn view(&self) -> &View<Block> {
        &self.view
    }

    #[inline]
    pub(crate) fn view_mut(&mut self) -> &mut View<Block> {
        &mut self.view
    }

    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    #[inline]
    pub(crate) fn frozen(&self) -> usize {
        self.frozen
    }

    pub(crate) fn max_capacity(&self) -> usize {
        self.limits.max_capacity()
    }

    /// Bytes of memory that are kept.
    pub(crate) fn allocation_len(&self) -> usize {
        self.view.block().map_or(0, Block::capacity)
    }

    /// For leak tracking: the caller did something with the block.
    #[inline(always)]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn touched(&self) {
        if let Some(block) = self.view.block() {
            block.touched();
        }
    }

    pub(crate) fn ref_count(&self) -> usize {
        match self.view.block() {
            Some(block) => block.ref_count(),
            None => usize::from(!self.view.is_released()),
        }
    }

    pub(crate) fn release(&mut self) -> bool {
        let was_released = self.view.is_released();
        let credits = self.credits();
        self.limits.credits = NO_CREDIT;
        self.capacity = 0;
        self.frozen = 0;
        match self.view.release().into_block() {
            Some(block) => block.release_with(credits),
            None => !was_released,
        }
    }

    /// References of the block that are held here in reserve.
    #[inline]
    fn credits(&self) -> u32 {
        if self.limits.credits == NO_CREDIT { 0 } else { u32::from(self.limits.credits) }
    }

    // Writing what is there.

    #[inline(always)]
    pub(crate) fn set_window(&mut self, index: usize, src: &[u8]) -> bool {
        if !within(index, src.len(), self.frozen, self.view.writer()) {
            return false;
        }
        // SAFETY: Ours, `frozen <= index` and `index + src.len() <= writer`.
        // `src` is none of these bytes: only `&mut self` reaches them.
        unsafe {
            let dst = self.view.base().as_ptr().add(index);
            ptr::copy_nonoverlapping(src.as_ptr(), dst, src.len());
        }
        true
    }

    /// Bytes `start..start + len` for writing.
    pub(crate) fn try_bytes_mut(&mut self, start: usize, len: usize) -> Result<&mut [u8], Error> {
        match start.checked_add(len) {
            Some(end) if end <= self.view.writer() && !self.view.is_released() => {}
            _ => return Err(self.view.range_error(start, len)),
        }
        if len != 0 && start < self.frozen && !self.thaw() {
            return Err(self.not_writable());
        }
        // SAFETY: Ours: `frozen <= start`, or the range is empty, and
        // `start + len <= writer`.
        Ok(unsafe { self.view.bytes_mut(start, len) })
    }

    /// Whether `start..` can be written, after looking once more.
    pub(crate) fn can_write_from(&mut self, start: usize) -> Result<(), Error> {
        if start >= self.frozen || self.thaw() { Ok(()) } else { Err(self.not_writable()) }
    }

    /// Looks whether all other handles are gone. If so the whole view may be
    /// written.
    #[cold]
    fn thaw(&mut self) -> bool {
        if self.is_alone() {
            self.frozen = 0;
        }
        self.frozen == 0
    }

    /// Whether this is the only handle of memory that can be written.
    fn is_alone(&mut self) -> bool {
        let held = 1 + self.credits();
        let alone =
            self.view.block().is_some_and(|block| block.is_writable() && block.is_unique(held));
        if alone && self.limits.credits == NO_CREDIT {
            self.limits.credits = 0;
        }
        alone
    }

    /// Whether no other handle of the bytes exists.
    pub(crate) fn is_unique(&self) -> bool {
        match self.view.block() {
            Some(block) => block.is_unique(1 + self.credits()),
            // No bytes are nobody's, static ones are everybody's.
            None => self.view.writer() == 0,
        }
    }

    #[cold]
    fn not_writable(&self) -> Error {
        match self.view.block() {
            Some(block) if block.is_writable() => Error::Shared,
            _ => Error::ReadOnly,
        }
    }

    // Appending.

    #[inline(always)]
    pub(crate) fn write_window(&mut self, src: &[u8]) -> bool {
        let writer = self.view.writer();
        let Some(end) = step(writer, src.len(), self.capacity) else {
            // SAFETY: the same.
            unsafe { self.view.set_writer(hint::same(writer)) };
            return false;
        };
        // SAFETY: Ours, `frozen <= writer` and `end <= capacity`; they are
        // initialised after the copy.
        unsafe {
            let dst = self.view.base().as_ptr().add(writer);
            ptr::copy_nonoverlapping(src.as_ptr(), dst, src.len());
            self.view.set_writer(end);
        }
        true
    }

    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn try_write_bytes(&mut self, src: &[u8], source: Source) -> Result<(), Error> {
        self.try_ensure_writable(src.len(), source)?;
        let written = self.write_window(src);
        debug_assert!(written);
        Ok(())
    }

    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn try_write_zeros(&mut self, n: usize, source: Source) -> Result<(), Error> {
        self.try_ensure_writable(n, source)?;
        let spare = &mut self.spare_capacity_mut()[..n];
        // SAFETY: as long as `spare` is; bytes have no invalid values.
        unsafe {
            spare.as_mut_ptr().write_bytes(0, n);
            self.view.set_writer(self.view.writer() + n);
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        let writer = self.view.writer();
        // SAFETY: Ours: `frozen <= writer <= capacity`.
        unsafe {
            let start = self.view.base().as_ptr().add(writer).cast();
            slice::from_raw_parts_mut(start, self.capacity - writer)
        }
    }

    /// # Safety
    ///
    /// The first `n` bytes of the spare capacity were initialised.
    pub(crate) unsafe fn advance_writer(&mut self, n: usize) {
        let writer = self.view.writer();
        assert!(n <= self.capacity - writer, "advance_writer past the capacity");
        // SAFETY: of the caller.
        unsafe { self.view.set_writer(writer + n) };
    }

    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn try_set_writer(&mut self, index: usize, source: Source) -> Result<(), Error> {
        let (reader, writer) = (self.view.reader(), self.view.writer());
        // Back over bytes that are ours: the common case, to reuse the room.
        // Where there are such bytes, nothing was released.
        let is_back = index < writer || (index == writer && self.view.block().is_some());
        if self.frozen <= index && reader <= index && is_back {
            // SAFETY: less of the bytes that there were.
            unsafe { self.view.set_writer(index) };
            return Ok(());
        }
        self.move_writer(index, source)
    }

    #[cold]
    #[inline(never)]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn move_writer(&mut self, index: usize, source: Source) -> Result<(), Error> {
        let (reader, writer) = (self.view.reader(), self.view.writer());
        if self.view.is_released() {
            return Err(Error::Released);
        }
        let max = self.max_capacity();
        if index < reader || index > max {
            return Err(Error::InvalidIndex { index, min: reader, max });
        }
        match index.checked_sub(writer) {
            Some(more) => self.try_write_zeros(more, source),
            None => {
                self.truncate(index);
                Ok(())
            }
        }
    }

    /// Shortens to `writer` bytes, not below the reader index. Room that other
    /// handles still see is given up with the bytes.
    pub(crate) fn truncate(&mut self, writer: usize) {
        if writer < self.frozen && !self.thaw() {
            self.frozen = writer;
            self.capacity = writer;
        }
        // SAFETY: less of the bytes that there were; the caller keeps it above
        // the reader index.
        unsafe { self.view.set_writer(writer) };
    }

    /// Gives up the bytes before the reader index: indices count from there.
    /// No copy; the memory is found again when there is no other handle.
    pub(crate) fn discard_read(&mut self) {
        let (reader, writer) = (self.view.reader(), self.view.writer());
        // SAFETY: within the bytes of this view.
        unsafe { self.view.set_bytes(self.view.base().add(reader), 0, writer - reader) };
        self.capacity -= reader;
        self.frozen = self.frozen.saturating_sub(reader);
    }

    /// Gives up all bytes, and keeps as room what nobody else sees.
    pub(crate) fn recycle(&mut self) {
        if self.frozen == 0 || self.thaw() {
            // SAFETY: no bytes.
            unsafe { self.view.set_bytes(self.view.base(), 0, 0) };
        } else {
            let _ = self.view.try_set_reader(self.view.writer());
            self.discard_read();
        }
    }

    /// Without bytes and without other handles, the whole block is room.
    pub(crate) fn reclaim(&mut self) {
        if self.view.writer() == 0 && self.is_alone() {
            self.frozen = 0;
            self.rebase(0);
        }
    }

    /// The room that `recycle` would leave at the least.
    pub(crate) fn recyclable(&self) -> usize {
        let writable = self.view.block().is_some_and(Block::is_writable);
        if writable && self.is_unique() { self.capacity } else { 0 }
    }

    // Room.

    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn try_ensure_writable(&mut self, n: usize, source: Source) -> Result<(), Error> {
        if self.capacity - self.view.writer() >= n && !self.view.is_released() {
            return Ok(());
        }
        self.grow(n, source)
    }

    /// Makes room for `n` bytes, indices unchanged.
    #[cold]
    #[inline(never)]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn grow(&mut self, n: usize, source: Source) -> Result<(), Error> {
        let writer = self.view.writer();
        let needed = self.needed(writer, n)?;
        if self.is_alone() {
            self.frozen = 0;
            // What others had of the block is free again.
            let room = self.room();
            if room >= needed {
                self.capacity = room.min(self.max_capacity());
                return Ok(());
            }
            let offset = self.offset();
            if offset >= writer && room + offset >= needed {
                // The front of the block is free and moving there copies less
                // than has been cut off it.
                self.rebase(0);
                return Ok(());
            }
            if offset == 0 && self.resize(self.growth(needed))? {
                return Ok(());
            }
        }
        self.relocate(0, self.growth(needed), source)
    }

    /// Makes room for `n` bytes, giving up bytes that were read if that helps.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn try_make_room(&mut self, n: usize, source: Source) -> Result<(), Error> {
        if self.capacity - self.view.writer() >= n && !self.view.is_released() {
            return Ok(());
        }
        let reader = self.view.reader();
        let needed = self.needed(self.view.readable(), n)?;
        if self.is_alone() {
            self.frozen = 0;
            if (self.room() + self.offset()).min(self.max_capacity()) >= needed {
                self.rebase(reader);
                return Ok(());
            }
        }
        if reader == 0 {
            return self.grow(n, source);
        }
        let capacity = if needed > self.capacity { self.growth(needed) } else { self.capacity };
        self.relocate(reader, capacity, source)
    }

    /// Moves the unread bytes into a fresh block with room for `capacity` in
    /// all, if that is a smaller one.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn try_shrink_to(&mut self, capacity: usize, source: Source) -> Result<(), Error> {
        if self.view.is_released() {
            return Err(Error::Released);
        }
        let capacity = capacity.max(self.view.readable()).min(self.max_capacity());
        if capacity >= self.allocation_len() {
            return Ok(());
        }
        if capacity == 0 {
            *self = Self::new(self.max_capacity());
            return Ok(());
        }
        self.relocate(self.view.reader(), capacity, source)
    }

    /// `kept + n` bytes, if that is allowed.
    fn needed(&self, kept: usize, n: usize) -> Result<usize, Error> {
        if self.view.is_released() {
            return Err(Error::Released);
        }
        let max = self.max_capacity();
        kept.checked_add(n)
            .filter(|&needed| needed <= max)
            .ok_or(Error::Overflow { needed: n, available: max - kept })
    }

    /// Doubling, so that appending copies each byte a constant number of times.
    fn growth(&self, needed: usize) -> usize {
        self.capacity.saturating_mul(2).max(needed).max(MIN_BLOCK).min(self.max_capacity())
    }

    /// Where the view starts in the block.
    fn offset(&self) -> usize {
        match self.view.block() {
            // Both point into the block's memory (Ours).
            Some(block) => self.view.base().as_ptr().addr() - block.base().as_ptr().addr(),
            None => 0,
        }
    }

    /// From the start of the view to the end of the block.
    fn room(&self) -> usize {
        self.view.block().map_or(0, |block| block.capacity() - self.offset())
    }

    /// Moves the bytes from `from` on to the start of the block, which has no
    /// other handle.
    fn rebase(&mut self, from: usize) {
        let (reader, writer) = (self.view.reader(), self.view.writer());
        let Some(block) = self.view.block() else { return };
        let (base, capacity) = (block.base(), block.capacity());
        // SAFETY: the caller found this handle alone, so the whole block is
        // ours; it has room for what it had room for.
        unsafe {
            let src = self.view.base().as_ptr().add(from);
            ptr::copy(src, base.as_ptr(), writer - from);
            self.view.set_bytes(base, reader - from, writer - from);
        }
        self.capacity = capacity.min(self.max_capacity());
    }

    /// Resizes the block, which has no other handle and starts with the view.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn resize(&mut self, capacity: usize) -> Result<bool, Error> {
        let (reader, writer) = (self.view.reader(), self.view.writer());
        let max = self.max_capacity();
        let Some(block) = self.view.block_mut() else { return Ok(false) };
        // SAFETY: the caller found this handle alone.
        if !unsafe { block.resize(capacity) }? {
            return Ok(false);
        }
        block.touched();
        let (base, capacity) = (block.base(), block.capacity());
        // SAFETY: resizing kept the bytes.
        unsafe { self.view.set_bytes(base, reader, writer) };
        self.capacity = capacity.min(max);
        Ok(true)
    }

    /// Copies the bytes from `from` on into a fresh block.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn relocate(&mut self, from: usize, capacity: usize, source: Source) -> Result<(), Error> {
        let block = match self.view.block() {
            Some(old) => old.sibling(capacity)?,
            None => source(capacity)?,
        };
        block.succeeds(self.view.block());
        let (reader, writer) = (self.view.reader(), self.view.writer());
        let max_capacity = self.max_capacity();
        let kept = writer - from;
        assert!(block.is_writable() && block.capacity() >= kept, "storage gave too little memory");
        // SAFETY: the fresh block has room for the bytes and is nobody else's.
        let mut new = unsafe {
            let src = self.view.base().as_ptr().add(from);
            ptr::copy_nonoverlapping(src, block.base().as_ptr(), kept);
            Self::from_block(block, kept, max_capacity)
        };
        // In range: it was `<= writer`.
        let _ = new.view.try_set_reader(reader - from);
        *self = new;
        Ok(())
    }

    // Handing out.

    /// Bytes `start..start + len` as a shared view. They are frozen from now
    /// on. No read-modify-write while there are credits.
    ///
    /// # Safety
    ///
    /// `start + len <= writer`.
    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) unsafe fn share(&mut self, start: usize, len: usize) -> View<Block> {
        debug_assert!(len <= self.view.writer() && start <= self.view.writer() - len);
        if len == 0 {
            return View::empty();
        }
        self.touched();
        let block = self.hand_out();
        self.frozen = self.frozen.max(start + len);
        // SAFETY: of the caller; the bytes are initialised, and frozen above.
        unsafe { self.view.part(start, len, block) }
    }

    #[inline]
    fn hand_out(&mut self) -> Option<Block> {
        let block = self.view.block()?;
        match self.limits.credits {
            NO_CREDIT => return Some(block.clone()),
            0 => self.limits.credits = block.take_credits(),
            _ => {}
        }
        self.limits.credits -= 1;
        // SAFETY: it was one of ours, and is not any more.
        Some(unsafe { block.spend_credit(self.limits.credits) })
    }

    /// All bytes, by a handle that keeps nothing accessible.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn downgrade(&mut self) -> View<WeakBlock> {
        self.touched();
        self.frozen = self.view.writer();
        let weak = self.view.block().map(Block::downgrade);
        // SAFETY: the whole view, frozen above.
        let mut view = unsafe { self.view.part(0, self.view.writer(), weak) };
        let _ = view.try_set_reader(self.view.reader());
        view
    }

    /// Gives up the right to write.
    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn freeze(mut self) -> View<Block> {
        self.touched();
        if self.credits() != 0 || self.view.writer() == 0 {
            return self.settle();
        }
        self.limits.credits = NO_CREDIT;
        self.view.take()
    }

    /// `freeze` where references are to be given back, or the memory is.
    #[cold]
    #[inline(never)]
    fn settle(mut self) -> View<Block> {
        self.settle_credits();
        let mut view = self.view.take();
        view.truncate(view.writer());
        view
    }

    /// The readable bytes as the `Vec` that the block was made of, if it was
    /// and no other handle exists.
    pub(crate) fn try_into_vec(mut self) -> Result<Vec<u8>, Self> {
        if self.view.writer() == 0 {
            return Ok(Vec::new());
        }
        let from_vec = self.view.block().is_some_and(|block| block.storage::<Heap>().is_some());
        if !from_vec || !self.is_alone() {
            return Err(self);
        }
        self.frozen = 0;
        if self.view.reader() != 0 || self.offset() != 0 {
            self.rebase(self.view.reader());
        }
        self.settle_credits();
        let len = self.view.writer();
        let block = self.view.take().into_block();
        match block.map(Block::into_storage::<Heap>) {
            // SAFETY: the block starts with the bytes of the view.
            Some(Ok(heap)) => Ok(unsafe { heap.into_vec(len) }),
            // Alone and a Heap: both were found above.
            _ => unreachable!(),
        }
    }

    /// Gives reserved references back.
    fn settle_credits(&mut self) {
        if let Some(block) = self.view.block() {
            block.return_credits(self.credits());
        }
        self.limits.credits = NO_CREDIT;
    }

    // Cutting and joining.

    /// Cuts off the bytes and the room from `at` on; indices of the part count
    /// from there. Fails beyond the capacity.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub(crate) fn try_split_off(&mut self, at: usize) -> Result<Self, Error> {
        if self.view.is_released() {
            return Err(Error::Released);
        }
        if at > self.capacity {
            return Err(Error::InvalidIndex { index: at, min: 0, max: self.capacity });
        }
        self.touched();
        let mut tail = Self::new(self.max_capacity());
        if at == self.capacity {
            return Ok(tail);
        }
        if at == 0 {
            core::mem::swap(self, &mut tail);
            return Ok(tail);
        }
        Ok(self.split_at(at))
    }

    /// `try_split_off` where there is something on both sides. Who goes on
    /// cutting goes on with the part behind: that gets the credits.
    #[inline]
    pub(crate) fn split_at(&mut self, at: usize) -> Self {
        assert!(0 < at && at < self.capacity, "nothing on one side");
        let block = self.hand_out();
        let (reader, writer) = (self.view.reader(), self.view.writer());
        let (tail_reader, tail_writer) = (reader.saturating_sub(at), writer.saturating_sub(at));
        // SAFETY: what was ours from `at` on is the tail's from here on, and
        // not ours: the capacity ends at `at`. `at <= capacity` keeps the
        // address within the block, and each part keeps its share of the
        // initialised bytes.
        let view = unsafe {
            let base = self.view.base();
            self.view.set_bytes(base, reader.min(at), writer.min(at));
            let mut view = View::new(base.add(at), tail_writer, block);
            view.set_bytes(base.add(at), tail_reader, tail_writer);
            view
        };
        let tail = Self {
            view,
            capacity: self.capacity - at,
            frozen: self.frozen.saturating_sub(at),
            limits: self.limits,
        };
        self.limits.credits = NO_CREDIT;
        self.capacity = at;
        self.frozen = self.frozen.min(at);
        tail
    }

    /// Joins what `try_split_off` parted, without copying; gives `other` back
    /// if it does not begin where this ends.
    pub(crate) fn unsplit(&mut self, mut other: Self) -> Result<(), Self> {
        if self.view.is_released() || other.view.is_released() {
            return Err(other);
        }
        if other.capacity == 0 {
            return Ok(());
        }
        let max_capacity = self.max_capacity();
        if self.capacity == 0 && other.capacity <= max_capacity {
            other.limits = Limits::new(max_capacity, other.limits.credits);
            *self = other;
            return Ok(());
        }
        let joined = self.capacity + other.capacity;
        if joined > max_capacity || self.view.join(&other.view, self.capacity, Block::same).is_err()
        {
            return Err(other);
        }
        if other.frozen != 0 {
            self.frozen = self.capacity + other.frozen;
        }
        self.capacity = joined;
        Ok(())
    }
}

impl Drop for Exclusive {
    #[inline]
    fn drop(&mut self) {
        if self.credits() != 0 {
            // One step for all of them.
            self.release();
        }
    }
}

/// The credits, and the maximum capacity in the 7 bytes that are left of the
/// word: no address space has 2^56 bytes, so such limits are none.
#[derive(Clone, Copy)]
#[repr(C)]
struct Limits {
    low: u32,
    mid: u16,
    high: u8,
    credits: u8,
}

impl Limits {
    const NO_MAX: u64 = (1 << 56) - 1;

    // Truncation is what takes the parts out.
    #[allow(clippy::cast_possible_truncation)]
    const fn new(max_capacity: usize, credits: u8) -> Self {
        let max = max_capacity as u64;
        let max = if max < Self::NO_MAX { max } else { Self::NO_MAX };
        Self { low: max as u32, mid: (max >> 32) as u16, high: (max >> 48) as u8, credits }
    }

    // On 32-bit targets a limit beyond `usize` is none either.
    #[allow(clippy::cast_possible_truncation)]
    fn max_capacity(self) -> usize {
        match u64::from(self.low) | u64::from(self.mid) << 32 | u64::from(self.high) << 48 {
            Self::NO_MAX => usize::MAX,
            max => max as usize,
        }
    }
}

// A credit fits its byte.
const _: () = assert!(size_of::<Exclusive>() <= 7 * size_of::<u64>());

/// The source of blocks of one kind of memory.
pub(crate) fn source<S: Storage>() -> Source {
    S::block
}
