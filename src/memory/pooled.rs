//! Blocks that go home instead of being freed.
//!
//! ```text
//! heap     [ Record | data ... ]                    one allocation
//! direct   [ Record | Record ... ] -> [ data | data ... ]   a chunk, mapped
//! ```
//!
//! A record begins with the header of every block. While it rests its count
//! stays at one, so handing it out again writes nothing to it.

use alloc::alloc::{Layout, alloc, dealloc};
use core::any::TypeId;
#[cfg(feature = "mmap")]
use core::mem::ManuallyDrop;
use core::mem::size_of;
use core::ptr::NonNull;

use super::block::{ALIGN, Block, Header, Ops};
use super::storage::heap::Heap;
#[cfg(feature = "mmap")]
use super::storage::{Storage, direct::Direct};
use crate::Error;
use crate::sync::Arc;

/// Where blocks go when their last handle is gone.
pub(crate) trait Home: Send + Sync + Sized + 'static {
    /// Takes a block back; nobody has a handle of it.
    fn take_back(block: Idle<Self>);

    /// A block of at least `capacity` bytes, of the same kind of memory, for a
    /// buffer that outgrew one of `class`.
    fn grow(home: &Arc<Self>, class: u16, capacity: usize) -> Result<Block, Error>;
}

/// On cache lines of its own: neighbours may be in use by different threads.
#[repr(C, align(64))]
struct Record<H> {
    header: Header,
    data: NonNull<u8>,
    /// The next in a list of resting blocks.
    next: Option<Idle<H>>,
    /// Keeps the home for as long as the block exists.
    home: Arc<H>,
    /// What the home knows it by.
    tag: Tag,
}

/// What a home knows a block by; the block does not look at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tag {
    /// Kind and size.
    pub(crate) class: u16,
    /// Whether it is overwritten when it comes home.
    pub(crate) zero: bool,
    /// The chunk that a direct block lies in.
    pub(crate) chunk: u32,
}

/// The only handle of a block that rests.
///
/// Dropping it leaks the block: it ends with [`into_block`](Idle::into_block),
/// in a chunk that is freed, or with [`free_heap`](Idle::free_heap).
#[repr(transparent)]
pub(crate) struct Idle<H>(NonNull<Record<H>>);

// SAFETY: the only handle of memory that any thread may use.
unsafe impl<H: Home> Send for Idle<H> {}

struct OpsOf<H>(H);

impl<H: Home> OpsOf<H> {
    const HEAP: &'static Ops = &Self::ops(TypeId::of::<Heap>);
    #[cfg(feature = "mmap")]
    const DIRECT: &'static Ops = &Self::ops(TypeId::of::<Direct>);

    const fn ops(family: fn() -> TypeId) -> Ops {
        Ops {
            free: free::<H>,
            base: base::<H>,
            sibling: sibling::<H>,
            resize: |_, _| Ok(None),
            storage: TypeId::of::<Idle<H>>,
            family,
        }
    }
}

/// # Safety
///
/// `header` is the last handle of a block with these ops.
unsafe fn free<H: Home>(header: NonNull<Header>) {
    let idle = Idle::<H>(header.cast());
    idle.header().rest();
    H::take_back(idle);
}

/// # Safety
///
/// `header` is alive and has these ops.
unsafe fn base<H: Home>(header: NonNull<Header>) -> NonNull<u8> {
    // SAFETY: the ops say that it begins a record.
    unsafe { (*header.cast::<Record<H>>().as_ptr()).data }
}

/// # Safety
///
/// `header` is alive and has these ops.
unsafe fn sibling<H: Home>(header: NonNull<Header>, capacity: usize) -> Result<Block, Error> {
    // SAFETY: the ops say that it begins a record.
    let record = unsafe { header.cast::<Record<H>>().as_ref() };
    H::grow(&record.home, record.tag.class, capacity)
}

/// The data begins where a record ends, aligned as that is.
const fn data_offset<H>() -> usize {
    const { assert!(align_of::<Record<H>>() >= ALIGN) };
    size_of::<Record<H>>()
}

fn heap_layout<H>(capacity: usize) -> Result<Layout, Error> {
    capacity
        .checked_add(data_offset::<H>())
        .and_then(|size| Layout::from_size_align(size, align_of::<Record<H>>()).ok())
        .ok_or(Error::Alloc { size: capacity })
}

impl<H: Home> Idle<H> {
    /// A new heap block.
    pub(crate) fn new_heap(home: Arc<H>, tag: Tag, capacity: usize) -> Result<Self, Error> {
        let layout = heap_layout::<H>(capacity)?;
        // SAFETY: the layout has the size of a record at least.
        let memory =
            NonNull::new(unsafe { alloc(layout) }).ok_or(Error::Alloc { size: capacity })?;
        let header = Header::new(OpsOf::<H>::HEAP, capacity);
        let record: NonNull<Record<H>> = memory.cast();
        // SAFETY: fresh, aligned, and as large as the layout says.
        unsafe {
            let data = memory.add(data_offset::<H>());
            record.write(Record { header, data, next: None, home, tag });
        }
        Ok(Self(record))
    }

    /// Frees a block that `new_heap` made.
    ///
    /// # Safety
    ///
    /// It was made so.
    pub(crate) unsafe fn free_heap(self) {
        // SAFETY: the only handle; the layout is the one it was made with, as
        // the capacity of a pooled block never changes.
        unsafe {
            let layout = heap_layout::<H>(self.capacity()).unwrap_unchecked();
            self.0.drop_in_place();
            dealloc(self.0.as_ptr().cast(), layout);
        }
    }

    fn record(&self) -> &Record<H> {
        // SAFETY: records exist for as long as handles of them.
        unsafe { self.0.as_ref() }
    }

    fn header(&self) -> &Header {
        &self.record().header
    }

    #[inline]
    pub(crate) fn home(&self) -> &Arc<H> {
        &self.record().home
    }

    #[inline]
    pub(crate) fn tag(&self) -> Tag {
        self.record().tag
    }

    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.header().capacity()
    }

    /// Which block it is.
    #[cfg(all(test, loom))]
    pub(crate) fn address(&self) -> usize {
        self.0.addr().get()
    }

    /// Overwrites the data.
    pub(crate) fn zero(&mut self) {
        // SAFETY: the only handle; the data has this capacity.
        unsafe { self.record().data.write_bytes(0, self.capacity()) };
    }

    /// Hands the block out: a handle, its data and their length.
    #[inline]
    pub(crate) fn into_block(self) -> (Block, NonNull<u8>, usize) {
        let (data, capacity) = (self.record().data, self.capacity());
        // SAFETY: the count of a resting block is that of one handle.
        (unsafe { Block::from_header(self.0.cast()) }, data, capacity)
    }
}

/// Resting blocks of one class, the last to come first to go.
pub(crate) struct Stack<H> {
    top: Option<Idle<H>>,
    len: usize,
}

impl<H: Home> Stack<H> {
    pub(crate) const fn new() -> Self {
        Self { top: None, len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn of(block: Idle<H>) -> Self {
        let mut this = Self::new();
        this.push(block);
        this
    }

    pub(crate) fn push(&mut self, mut block: Idle<H>) {
        // SAFETY: the only handle.
        unsafe { block.0.as_mut() }.next = self.top.take();
        self.top = Some(block);
        self.len += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<Idle<H>> {
        let mut block = self.top.take()?;
        // SAFETY: the only handle.
        self.top = unsafe { block.0.as_mut() }.next.take();
        self.len -= 1;
        Some(block)
    }
}

impl<H: Home> Iterator for Stack<H> {
    type Item = Idle<H>;

    fn next(&mut self) -> Option<Idle<H>> {
        self.pop()
    }
}

/// A large piece of mapped memory, cut into direct blocks of one class.
#[cfg(feature = "mmap")]
pub(crate) struct Chunk<H> {
    records: NonNull<Record<H>>,
    count: usize,
    map: Direct,
}

// SAFETY: owns plain memory; the records are reached by `free` only.
#[cfg(feature = "mmap")]
unsafe impl<H: Home> Send for Chunk<H> {}

#[cfg(feature = "mmap")]
impl<H: Home> Chunk<H> {
    /// Cuts `map` into blocks of `size` bytes, which is not 0.
    pub(crate) fn new(
        home: &Arc<H>,
        tag: Tag,
        size: usize,
        map: Direct,
    ) -> Result<(Self, Stack<H>), Error> {
        let region = map.region();
        let count = region.len() / size;
        let layout = Layout::array::<Record<H>>(count).ok().filter(|layout| layout.size() != 0);
        let layout = layout.ok_or(Error::Alloc { size })?;
        // SAFETY: not empty.
        let records: NonNull<Record<H>> = NonNull::new(unsafe { alloc(layout) })
            .ok_or(Error::Alloc { size: layout.size() })?
            .cast();
        let mut blocks = Stack::new();
        // Backwards, so that the first is on top.
        for i in (0..count).rev() {
            let header = Header::new(OpsOf::<H>::DIRECT, size);
            // SAFETY: `i < count`, within both arrays.
            unsafe {
                let data = region.cast::<u8>().add(i * size);
                records.add(i).write(Record { header, data, next: None, home: home.clone(), tag });
                blocks.push(Idle(records.add(i)));
            }
        }
        Ok((Self { records, count, map }, blocks))
    }

    /// Blocks that it was cut into.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Bytes mapped.
    pub(crate) fn len(&self) -> usize {
        self.map.region().len()
    }

    /// Unmaps the memory.
    pub(crate) fn free(self, blocks: Stack<H>) {
        assert_eq!(blocks.len(), self.count, "a block of the chunk is in use");
        // They are the blocks of this chunk and end with it.
        let _ = ManuallyDrop::new(blocks);
        // SAFETY: all handles are here, so nobody else has one. The layout is
        // that of `new`, where it was valid.
        unsafe {
            for i in 0..self.count {
                self.records.add(i).drop_in_place();
            }
            let layout = Layout::array::<Record<H>>(self.count).unwrap_unchecked();
            dealloc(self.records.as_ptr().cast(), layout);
        }
    }
}
