//! Adding, removing, cutting and joining components.

use alloc::collections::VecDeque;
use core::mem::ManuallyDrop;
use core::ops::Range;
use core::ptr::NonNull;

use super::parts::Parts;
use super::{Component, CompositeBuf, IntoComponents, ReadWindow, TailWindow};
use crate::error::OrPanic;
use crate::exclusive::Exclusive;
use crate::memory::Block;
use crate::view::View;
use crate::{ByteBuf, ByteBufMut, Error, SliceBuf};

impl CompositeBuf {
    /// Appends the readable bytes of `buf` at the writer index, without
    /// copying. Takes `buf` in any case.
    ///
    /// # Panics
    ///
    /// If that would exceed the maximum capacity; if `buf` or the composite
    /// was released.
    ///
    /// ```
    /// use refbuf::{CompositeBuf, HeapBuf};
    ///
    /// let mut buf = CompositeBuf::new();
    /// buf.push("static ");
    /// buf.push(HeapBuf::from(b"owned".to_vec()));
    /// assert_eq!(buf, "static owned");
    /// ```
    #[track_caller]
    pub fn push(&mut self, buf: impl IntoComponents) {
        self.try_push(buf).or_panic();
    }

    /// [`push`](CompositeBuf::push) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`], [`Error::Released`], [`Error::Alloc`].
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// assert!(CompositeBuf::with_max_capacity(1).try_push("ab").is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_push(&mut self, buf: impl IntoComponents) -> Result<(), Error> {
        buf.push_to(self)
    }

    /// [`try_push`](CompositeBuf::try_push) of a slice: what codecs do most, so
    /// the handle never lies in memory on its way from the registers of the
    /// caller to its place among the components. Where it was stored word by
    /// word and loaded two words at a time, the loads would wait for the stores
    /// to be done, and that took longer than all the rest.
    ///
    /// # Safety
    ///
    /// The words are those of a view, from `View::into_words`.
    pub(super) unsafe fn push_shared(
        &mut self,
        base: NonNull<u8>,
        reader: usize,
        writer: usize,
        block: Option<Block>,
    ) -> Result<(), Error> {
        // SAFETY: of the caller.
        let mut view = unsafe { View::from_words(base, reader, writer, block) };
        if view.is_released() {
            return Err(Error::Released);
        }
        view.advance(reader);
        if view.writer() == 0 {
            return Ok(());
        }
        self.reserve_parts(1, view.writer())?;
        // To be dropped in case of a panic it would have to lie in memory.
        // There is none.
        let view = ManuallyDrop::new(view);
        let _unneeded = self.close_tail();
        self.check_reserved();
        self.put_tail(Exclusive::from_shared(ManuallyDrop::into_inner(view)));
        Ok(())
    }

    /// Inserts the readable bytes of `buf` before component `component`; at
    /// the number of components that is [`push`](CompositeBuf::push). The
    /// reader index stays at its byte, or before the new ones if they come
    /// right there. Linear in the components behind.
    ///
    /// # Panics
    ///
    /// If there are fewer components, and as `push`.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let mut buf = CompositeBuf::new();
    /// buf.push("body");
    /// buf.insert(0, "head ");
    /// assert_eq!(buf, "head body");
    /// ```
    #[track_caller]
    pub fn insert(&mut self, component: usize, buf: impl IntoComponents) {
        self.try_insert(component, buf).or_panic();
    }

    /// [`insert`](CompositeBuf::insert) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Overflow`], [`Error::Released`],
    /// [`Error::Alloc`].
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// assert!(CompositeBuf::new().try_insert(1, "a").is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_insert(&mut self, component: usize, buf: impl IntoComponents) -> Result<(), Error> {
        let parts = buf.into_parts()?;
        self.check_component(component, self.component_count())?;
        self.reserve_parts(parts.count(), parts.len())?;
        self.exchange(component, false, parts);
        Ok(())
    }

    /// Takes component `component` out; the reader index stays at its byte, or
    /// goes to the gap. Linear in the components behind.
    ///
    /// # Panics
    ///
    /// If there is no such component.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let mut buf: CompositeBuf = ["a", "bc", "d"].into_iter().collect();
    /// assert_eq!(buf.remove(1), "bc");
    /// assert_eq!(buf, "ad");
    /// ```
    #[track_caller]
    pub fn remove(&mut self, component: usize) -> SliceBuf {
        self.try_remove(component).or_panic()
    }

    /// [`remove`](CompositeBuf::remove) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// assert!(CompositeBuf::new().try_remove(0).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_remove(&mut self, component: usize) -> Result<SliceBuf, Error> {
        self.check_existing(component)?;
        Ok(self.exchange(component, true, Parts::None))
    }

    /// Puts the readable bytes of `buf` in the place of component `component`,
    /// which is returned. Linear in the components behind.
    ///
    /// # Panics
    ///
    /// If there is no such component, and as [`push`](CompositeBuf::push).
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let mut buf: CompositeBuf = ["a", "bc", "d"].into_iter().collect();
    /// assert_eq!(buf.replace(1, "-"), "bc");
    /// assert_eq!(buf, "a-d");
    /// ```
    #[track_caller]
    pub fn replace(&mut self, component: usize, buf: impl IntoComponents) -> SliceBuf {
        self.try_replace(component, buf).or_panic()
    }

    /// [`replace`](CompositeBuf::replace) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Overflow`], [`Error::Released`],
    /// [`Error::Alloc`].
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// assert!(CompositeBuf::new().try_replace(0, "a").is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_replace(
        &mut self,
        component: usize,
        buf: impl IntoComponents,
    ) -> Result<SliceBuf, Error> {
        let parts = buf.into_parts()?;
        self.check_existing(component)?;
        let len = self.end_of(component) - self.start_of(component);
        self.check_room(parts.len().saturating_sub(len))?;
        self.reserve_components(parts.count())?;
        Ok(self.exchange(component, true, parts))
    }

    /// Puts `parts` at component `component`, in its place if it is to be
    /// removed. All was checked, and there is room in the deque.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn exchange(&mut self, component: usize, remove: bool, parts: Parts) -> SliceBuf {
        self.sync();
        let (added, count) = (parts.len(), parts.count());
        let start = self.start_or_end(component);
        let end = if remove { self.end_of(component) } else { start };
        let removed =
            if remove { self.components.remove(component).map(|gone| gone.buf) } else { None };
        for buf in parts.into_parts() {
            self.components.push_back(Component { start: 0, buf });
        }
        self.components.make_contiguous()[component..].rotate_right(count);
        // What lies behind moved.
        let mut position = self.absolute(start);
        for component in self.components.iter_mut().skip(component) {
            component.start = position;
            position += component.buf.view().writer() as u64;
        }
        self.writer = self.writer - (end - start) + added;
        if self.reader >= end && self.reader > start {
            self.reader = self.reader - (end - start) + added;
        } else {
            self.reader = self.reader.min(start);
        }
        self.refresh();
        match removed {
            Some(buf) => SliceBuf::from_view(buf.freeze()),
            None => SliceBuf::new(),
        }
    }

    fn start_or_end(&self, component: usize) -> usize {
        if component < self.components.len() { self.start_of(component) } else { self.writer }
    }

    fn check_component(&self, component: usize, max: usize) -> Result<(), Error> {
        self.check_accessible()?;
        if component > max {
            return Err(Error::InvalidIndex { index: component, min: 0, max });
        }
        Ok(())
    }

    fn check_existing(&self, component: usize) -> Result<(), Error> {
        self.check_accessible()?;
        match self.component_count().checked_sub(1) {
            Some(last) => self.check_component(component, last),
            None => Err(Error::InvalidIndex { index: component, min: 0, max: 0 }),
        }
    }

    /// Component `component` as a handle of its own, which shares its memory.
    ///
    /// # Panics
    ///
    /// If there is no such component.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let mut buf: CompositeBuf = ["a", "bc"].into_iter().collect();
    /// assert_eq!(buf.component_slice(1), "bc");
    /// ```
    #[track_caller]
    pub fn component_slice(&mut self, component: usize) -> SliceBuf {
        self.try_component_slice(component).or_panic()
    }

    /// [`component_slice`](CompositeBuf::component_slice) with an error for a
    /// panic.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// assert!(CompositeBuf::new().try_component_slice(0).is_err());
    /// ```
    pub fn try_component_slice(&mut self, component: usize) -> Result<SliceBuf, Error> {
        self.check_existing(component)?;
        self.try_slice(self.start_of(component)..self.end_of(component))
    }

    /// Cuts off and returns the bytes from index `at` on; a component that lies
    /// across is shared by both. Never copies; linear in the components moved.
    ///
    /// # Panics
    ///
    /// If `at` exceeds the writer index.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let mut buf: CompositeBuf = ["head", "body"].into_iter().collect();
    /// assert_eq!(buf.split_off(2), "adbody");
    /// assert_eq!(buf, "he");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_off(&mut self, at: usize) -> Self {
        self.try_split_off(at).or_panic()
    }

    /// [`split_off`](CompositeBuf::split_off) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Released`], [`Error::Alloc`].
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// assert!(CompositeBuf::new().try_split_off(1).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_split_off(&mut self, at: usize) -> Result<Self, Error> {
        let (cut, keep) = self.begin_cut(at)?;
        let mut rest = self.sibling();
        rest.reserve_components(self.components.len() - keep + 1)?;
        if keep != 0 && self.end_of(keep - 1) > at {
            let offset = at - self.start_of(keep - 1);
            let buf = self.components[keep - 1].buf.try_split_off(offset)?;
            rest.components.push_back(Component { start: cut, buf });
        }
        rest.components.extend(self.components.drain(keep..));
        rest.origin = cut;
        rest.reader = self.reader.saturating_sub(at);
        rest.writer = self.writer - at;
        rest.refresh();
        self.reader = self.reader.min(at);
        self.writer = at;
        self.refresh();
        Ok(rest)
    }

    /// The position of index `at` and how many components begin before it; all
    /// are in sync.
    fn begin_cut(&mut self, at: usize) -> Result<(u64, usize), Error> {
        self.check_accessible()?;
        if at > self.writer {
            return Err(Error::InvalidIndex { index: at, min: 0, max: self.writer });
        }
        self.sync();
        let cut = self.absolute(at);
        Ok((cut, self.components.partition_point(|component| component.start < cut)))
    }

    /// Cuts off and returns the bytes before index `at`; indices of the rest
    /// count from there. Linear in the components that are cut off; as
    /// [`split_off`](CompositeBuf::split_off) otherwise.
    ///
    /// # Panics
    ///
    /// If `at` exceeds the writer index.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let mut buf: CompositeBuf = ["head", "body"].into_iter().collect();
    /// assert_eq!(buf.split_to(6), "headbo");
    /// assert_eq!(buf, "dy");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_to(&mut self, at: usize) -> Self {
        self.try_split_to(at).or_panic()
    }

    /// [`split_to`](CompositeBuf::split_to) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Released`], [`Error::Alloc`].
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// assert!(CompositeBuf::new().try_split_to(1).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_split_to(&mut self, at: usize) -> Result<Self, Error> {
        let (cut, mut taken) = self.begin_cut(at)?;
        let mut front = self.sibling();
        front.reserve_components(taken)?;
        // The room behind all bytes stays here. What is not needed of it goes when
        // all is in order.
        let _unneeded = (at == self.writer).then(|| self.cut_room());
        let mut across = None;
        if taken != 0 && self.end_of(taken - 1) > at {
            taken -= 1;
            let offset = at - self.start_of(taken);
            let divided = &mut self.components[taken];
            let rest = Component { start: cut, buf: divided.buf.try_split_off(offset)? };
            across = Some(core::mem::replace(divided, rest));
        }
        front.components.extend(self.components.drain(..taken).chain(across));
        front.origin = self.origin;
        front.reader = self.reader.min(at);
        front.writer = at;
        front.refresh();
        self.origin = cut;
        self.reader = self.reader.saturating_sub(at);
        self.writer -= at;
        self.refresh();
        Ok(front)
    }

    /// Drops the components that were read to their end. Indices count from the
    /// first that remains. Slices taken earlier are not affected.
    ///
    /// The room behind the writer index is kept; if all bytes were read and
    /// nobody else sees them, the last block is written again from its start.
    ///
    /// ```
    /// use refbuf::{ByteBuf, CompositeBuf};
    ///
    /// let mut buf: CompositeBuf = ["head", "body"].into_iter().collect();
    /// buf.skip(5);
    /// buf.discard_read_components();
    /// assert_eq!((buf.component_count(), buf.reader_index()), (1, 1));
    /// ```
    pub fn discard_read_components(&mut self) {
        let read = self.read_components_len();
        if read == 0 {
            return;
        }
        self.sync();
        let position = self.absolute(read);
        let all = read == self.writer;
        self.forget_windows();
        // Dropping a component may run an owner's code: all is in order before
        // each.
        while self.components.front().is_some_and(|first| first.start < position) {
            if all && self.components.len() == 1 {
                self.recycle_last();
                break;
            }
            let gone = self.components.pop_front();
            let start = self.components.front().map_or(position, |first| first.start);
            self.move_origin(start);
            drop(gone);
        }
        self.refresh();
    }

    /// Gives up the bytes before the reader index, which lie in the first
    /// component.
    pub(super) fn trim_front(&mut self) {
        let read = self.reader;
        if read == 0 {
            return;
        }
        self.sync();
        let origin = self.absolute(read);
        if let Some(first) = self.components.front_mut() {
            first.start = origin;
            // In range: the component was not read to its end.
            let _ = first.buf.view_mut().try_set_reader(read);
            first.buf.discard_read();
        }
        self.move_origin(origin);
        self.refresh();
    }

    /// Bytes in components that were read to their end.
    pub(super) fn read_components_len(&self) -> usize {
        if self.reader == self.writer {
            self.writer
        } else {
            self.start_of(self.locate(self.reader))
        }
    }

    /// The room that discarding makes of the last component.
    pub(super) fn recyclable(&self) -> usize {
        match self.components.back() {
            Some(last) if self.reader == self.writer => {
                last.buf.recyclable().min(self.max_capacity)
            }
            _ => 0,
        }
    }

    /// The last component was read: keeps its room, if it has any.
    fn recycle_last(&mut self) {
        self.move_origin(self.absolute(self.writer));
        let Some(mut last) = self.components.pop_back() else { return };
        last.start = self.origin;
        last.buf.recycle();
        if last.buf.capacity() != 0 {
            self.components.push_back(last);
        }
    }

    /// Makes `origin` the position of index 0. No windows are cached.
    fn move_origin(&mut self, origin: u64) {
        // At most the reader index, so it fits.
        #[allow(clippy::cast_possible_truncation)]
        let n = (origin - self.origin) as usize;
        self.origin = origin;
        self.reader -= n;
        self.writer -= n;
        self.forget_windows();
    }

    /// Shortens to `writer` bytes, not below the reader index.
    pub(super) fn truncate_to(&mut self, writer: usize) {
        self.sync();
        self.forget_windows();
        let position = self.absolute(writer);
        while self.components.back().is_some_and(|last| last.start >= position) {
            let last = self.components.len() - 1;
            self.writer = self.start_of(last);
            self.forget_windows();
            if self.writer == writer {
                // All of it is room now, where it is ours.
                let buf = &mut self.components[last].buf;
                buf.recycle();
                if buf.capacity() != 0 {
                    break;
                }
            }
            // Dropping a component may run an owner's code: all is in order
            // before each.
            self.components.pop_back();
        }
        self.writer = writer;
        if let Some(last) = self.components.len().checked_sub(1) {
            let len = writer - self.start_of(last);
            self.components[last].buf.truncate(len);
        }
        self.refresh();
    }

    /// No window is cached: correct whatever the components are.
    fn forget_windows(&mut self) {
        self.read = ReadWindow::none(self.reader);
        self.tail = TailWindow::none(self.writer);
    }

    /// Copies all bytes into one component, if there are more.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had; if the composite was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, CompositeBuf};
    ///
    /// let mut buf: CompositeBuf = ["a", "b"].into_iter().collect();
    /// buf.consolidate();
    /// assert_eq!(buf.as_contiguous(), Some(&b"ab"[..]));
    /// ```
    #[track_caller]
    pub fn consolidate(&mut self) {
        self.try_consolidate(0..self.component_count()).or_panic();
    }

    /// Copies the bytes of a range of components into one component, if there
    /// are more than one.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`], [`Error::Alloc`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let mut buf: CompositeBuf = ["a", "b", "c"].into_iter().collect();
    /// buf.try_consolidate(1..3)?;
    /// assert_eq!(buf.component(1), Some(&b"bc"[..]));
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_consolidate(&mut self, components: Range<usize>) -> Result<(), Error> {
        let Range { start: first, end } = components;
        self.check_component(end, self.component_count())?;
        if first > end {
            return Err(Error::InvalidIndex { index: first, min: 0, max: end });
        }
        if end - first < 2 {
            return Ok(());
        }
        self.sync();
        let (start, len) = (self.start_of(first), self.end_of(end - 1) - self.start_of(first));
        let mut one = self.try_heap(len)?;
        for chunk in self.chunks(start, len) {
            one.try_write_bytes(chunk)?;
        }
        self.forget_windows();
        // The one takes the place of all, so no position changes; only then
        // the others go.
        let one = core::mem::replace(&mut self.components[first].buf, one.into_inner());
        self.components.drain(first + 1..end);
        drop(one);
        self.refresh();
        Ok(())
    }

    /// All bytes, with both indices, as a handle that can be cloned. Copies if
    /// there is more than one component.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let buf: CompositeBuf = ["a", "b"].into_iter().collect();
    /// assert_eq!(buf.freeze(), "ab");
    /// ```
    #[must_use]
    #[track_caller]
    pub fn freeze(mut self) -> SliceBuf {
        if self.released {
            let mut released = SliceBuf::new();
            released.release();
            return released;
        }
        let mut slice = self.try_slice(0..self.writer).or_panic();
        slice.set_reader_index(self.reader);
        slice
    }

    /// The components alone; the last is in sync and not empty.
    pub(super) fn into_components(mut self) -> VecDeque<Component> {
        self.sync();
        let _unneeded = self.cut_room();
        core::mem::take(&mut self.components)
    }
}
