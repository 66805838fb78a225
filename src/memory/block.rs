//! A block: a header with the counter, and the memory it counts for. The only
//! place that frees.
//!
//! Two shapes, one header:
//!
//! ```text
//! inline   [ Header | data ... ]              one allocation
//! beside   [ Header | S ]  ->  memory of S    for every other `Storage`
//! ```
//!
//! # Invariants
//!
//! * **Alive**: a [`Block`] owns one strong reference and a [`WeakBlock`] one
//!   weak handle, so the header they point to exists as long as they do.
//! * **Pinned**: the memory of a block moves, changes size or is freed only
//!   when no handle other than the caller's exists.
//! * **Provenance**: a header pointer may reach its whole allocation. The
//!   reference `&Header` that is formed from it covers the header alone.

use alloc::alloc::{Layout, alloc, dealloc, realloc};
use alloc::boxed::Box;
use core::any::TypeId;
use core::mem::{ManuallyDrop, align_of, size_of};
use core::ptr::NonNull;

use super::refcount::{Left, RefCount};
use super::storage::Storage;
use super::storage::foreign::Foreign;
use super::storage::heap::Heap;
use crate::Error;
#[cfg(feature = "leak-detect")]
use crate::leak::Tracker;
use crate::sync::{AtomicU32, Ordering};

/// What all blocks start with. The counter comes first: it is the only hot
/// field.
#[repr(C)]
pub(super) struct Header {
    count: RefCount,
    /// Strong references that the block's owner has taken in advance and not
    /// handed out yet, so that others can tell `strong` without them.
    credits: AtomicU32,
    /// Whether a handle that is alone may write.
    writable: bool,
    ops: &'static Ops,
    capacity: usize,
    #[cfg(feature = "leak-detect")]
    pub(super) tracker: Tracker,
}

// Tracking leaks costs nothing where it is not asked for.
#[cfg(all(target_pointer_width = "64", not(loom), not(feature = "leak-detect")))]
const _: () = assert!(size_of::<Header>() == 32);

/// Alignment of data behind a header: enough for any primitive and for SSE.
pub(super) const ALIGN: usize = 16;

/// How many references an owner takes at once for the frames it will cut.
const CREDIT_BATCH: u8 = 64;

impl Header {
    /// Of a block that is writable, with one handle.
    pub(super) fn new(ops: &'static Ops, capacity: usize) -> Self {
        Self {
            count: RefCount::new(),
            credits: AtomicU32::new(0),
            writable: true,
            ops,
            capacity,
            #[cfg(feature = "leak-detect")]
            tracker: Tracker::new(),
        }
    }

    /// Makes the count that of one handle again. There is none.
    #[cfg(feature = "std")]
    pub(super) fn rest(&self) {
        // Most often there is nothing to write, and then the line can be read
        // by the next thread without being fetched from this one.
        self.count.reset();
        if self.credits.load(Ordering::Relaxed) != 0 {
            self.credits.store(0, Ordering::Relaxed);
        }
    }

    #[cfg(feature = "std")]
    #[inline]
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    fn ref_count(&self) -> usize {
        let reserved = self.credits.load(Ordering::Relaxed);
        self.count.strong().saturating_sub(reserved) as usize
    }
}

/// What differs between kinds of memory. Called on cold paths only.
pub(super) struct Ops {
    pub(super) free: unsafe fn(NonNull<Header>),
    pub(super) base: unsafe fn(NonNull<Header>) -> NonNull<u8>,
    pub(super) sibling: unsafe fn(NonNull<Header>, usize) -> Result<Block, Error>,
    pub(super) resize: unsafe fn(NonNull<Header>, usize) -> Result<Resized, Error>,
    /// The type that is stored beside the header.
    pub(super) storage: fn() -> TypeId,
    /// The `S` of the `OwnedBuf<S>` that this block can be the memory of.
    pub(super) family: fn() -> TypeId,
}

/// The new place of a block, or `None` if its memory can't be resized.
pub(super) type Resized = Option<NonNull<Header>>;

/// A strong reference to a block.
#[repr(transparent)]
pub struct Block(NonNull<Header>);

/// A weak handle of a block: keeps the memory, not the buffer.
#[repr(transparent)]
pub(crate) struct WeakBlock(NonNull<Header>);

// SAFETY: the counter is atomic, `Storage` is Send + Sync, and everything that
// changes the rest needs the only handle there is (Pinned).
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}
// SAFETY: as above.
unsafe impl Send for WeakBlock {}
// SAFETY: as above.
unsafe impl Sync for WeakBlock {}

impl Block {
    /// Allocates header and `capacity` bytes together from the global
    /// allocator, the bytes aligned to [`ALIGN`].
    pub(crate) fn inline(capacity: usize) -> Result<Self, Error> {
        inline::new(capacity).map(Self)
    }

    /// Puts a header beside `storage`.
    pub(crate) fn beside<S: Storage>(storage: S) -> Result<Self, Error> {
        beside::new(storage).map(|(block, _)| block)
    }

    /// The same for an owner of bytes that are only read; also the bytes, for
    /// it is asked for them just once.
    pub(crate) fn foreign<T>(owner: T) -> Result<(Self, NonNull<[u8]>), Error>
    where
        T: AsRef<[u8]> + Send + 'static,
    {
        beside::new(Foreign::new(owner))
    }

    /// # Safety
    ///
    /// One strong reference of the header is the caller's to give away.
    #[cfg(feature = "std")]
    #[inline]
    pub(super) unsafe fn from_header(header: NonNull<Header>) -> Self {
        Self(header)
    }

    #[inline]
    pub(super) fn header(&self) -> &Header {
        // SAFETY: Alive.
        unsafe { self.0.as_ref() }
    }

    #[inline]
    fn count(&self) -> &RefCount {
        // SAFETY: Alive.
        unsafe { count(self.0) }
    }

    /// Where the memory starts.
    #[inline]
    pub(crate) fn base(&self) -> NonNull<u8> {
        let ops = self.header().ops;
        // SAFETY: Alive, and the ops are those of this header.
        unsafe { if inline::is(ops) { inline::base(self.0) } else { (ops.base)(self.0) } }
    }

    /// Bytes of memory.
    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.header().capacity
    }

    /// Whether a handle that is alone may write.
    #[inline]
    pub(crate) fn is_writable(&self) -> bool {
        self.header().writable
    }

    /// Whether this and `held - 1` more strong references of the caller are
    /// the only handles of any kind.
    #[inline]
    pub(crate) fn is_unique(&self, held: u32) -> bool {
        self.count().is_unique(held)
    }

    /// Strong references, reserved ones not counted. Exact only while no other
    /// thread changes them.
    pub(crate) fn ref_count(&self) -> usize {
        // This handle is one at least, whatever the two loads catch.
        self.header().ref_count().max(1)
    }

    /// Gives up this reference. `true` if it was the last strong one.
    pub(crate) fn release(self) -> bool {
        self.release_with(0)
    }

    /// Gives up this reference together with `credits` more.
    pub(crate) fn release_with(self, credits: u32) -> bool {
        let this = ManuallyDrop::new(self);
        let header = this.header();
        if credits != 0 {
            header.credits.store(0, Ordering::Relaxed);
        }
        let left = this.count().release(1 + credits);
        // SAFETY: the reference that was given up is not used again.
        unsafe { free_if(this.0, left) };
        left.released
    }

    /// Whether both are references to one block.
    #[inline]
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    pub(crate) fn downgrade(&self) -> WeakBlock {
        self.count().retain_weak();
        WeakBlock(self.0)
    }

    // Credits. One handle of a block at most, its owner, calls these, so it may
    // store the number that it holds without a read-modify-write.

    /// Takes a batch of references in one step; returns how many.
    #[cold]
    pub(crate) fn take_credits(&self) -> u8 {
        let header = self.header();
        header.credits.store(u32::from(CREDIT_BATCH), Ordering::Relaxed);
        self.count().retain(u32::from(CREDIT_BATCH));
        CREDIT_BATCH
    }

    /// Makes a handle of a reference that was taken; `left` remain.
    ///
    /// # Safety
    ///
    /// The caller had `left + 1` credits and has `left` from here on.
    #[inline]
    pub(crate) unsafe fn spend_credit(&self, left: u8) -> Self {
        self.header().credits.store(u32::from(left), Ordering::Relaxed);
        Self(self.0)
    }

    /// Gives all `credits` back.
    pub(crate) fn return_credits(&self, credits: u32) {
        if credits != 0 {
            let header = self.header();
            header.credits.store(0, Ordering::Relaxed);
            // `self` remains, so nothing is to be freed.
            let _ = self.count().release(credits);
        }
    }

    /// A new block of at least `capacity` bytes from where this one came from.
    pub(crate) fn sibling(&self, capacity: usize) -> Result<Self, Error> {
        // SAFETY: Alive, and the ops are those of this header.
        unsafe { (self.header().ops.sibling)(self.0, capacity) }
    }

    /// Makes the memory `capacity` bytes at least, moving it if need be. The
    /// bytes up to the smaller of the old and the new capacity stay what they
    /// are. `Ok(false)` if this kind of memory cannot do that; on an error all
    /// is as it was.
    ///
    /// # Safety
    ///
    /// The caller's `held` references (this one and its credits) are the only
    /// handles, and it takes `base` and `capacity` anew afterwards.
    pub(crate) unsafe fn resize(&mut self, capacity: usize) -> Result<bool, Error> {
        // SAFETY: Alive; the caller is alone (Pinned).
        match unsafe { (self.header().ops.resize)(self.0, capacity) }? {
            Some(moved) => {
                self.0 = moved;
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Whether an `OwnedBuf<S>` can be the exclusive handle of this block.
    pub(crate) fn is_family<S: Storage>(&self) -> bool {
        (self.header().ops.family)() == TypeId::of::<S>()
    }

    /// The storage beside the header, if it is an `S`.
    pub(crate) fn storage<S: Storage>(&self) -> Option<&S> {
        if (self.header().ops.storage)() != TypeId::of::<S>() {
            return None;
        }
        // SAFETY: the header is the first field of a `Beside<S>` (the ops say
        // so), shared by all handles until one is alone.
        Some(unsafe { &(*self.0.cast::<beside::Beside<S>>().as_ptr()).storage })
    }

    /// Takes the storage out of a block that has no other handle.
    pub(crate) fn into_storage<S: Storage>(self) -> Result<S, Self> {
        if (self.header().ops.storage)() != TypeId::of::<S>() || !self.is_unique(1) {
            return Err(self);
        }
        let this = ManuallyDrop::new(self);
        #[cfg(feature = "leak-detect")]
        this.header().tracker.end();
        // SAFETY: a `Beside<S>` (the ops say so), made by `beside::new`, and
        // this was its only handle.
        let beside = unsafe { Box::from_raw(this.0.cast::<beside::Beside<S>>().as_ptr()) };
        Ok(beside.storage)
    }
}

impl Clone for Block {
    #[inline]
    fn clone(&self) -> Self {
        self.count().retain(1);
        Self(self.0)
    }
}

impl Drop for Block {
    #[inline]
    fn drop(&mut self) {
        let left = self.count().release(1);
        // SAFETY: `self` is not used again.
        unsafe { free_if(self.0, left) };
    }
}

impl WeakBlock {
    #[inline]
    pub(super) fn header(&self) -> &Header {
        // SAFETY: Alive.
        unsafe { self.0.as_ref() }
    }

    #[inline]
    fn count(&self) -> &RefCount {
        // SAFETY: Alive.
        unsafe { count(self.0) }
    }

    /// Whether a strong reference exists somewhere.
    #[inline]
    pub(crate) fn is_accessible(&self) -> bool {
        self.count().strong() != 0
    }

    /// Strong references, 0 once released.
    pub(crate) fn ref_count(&self) -> usize {
        self.header().ref_count()
    }

    /// Bytes of memory.
    pub(crate) fn capacity(&self) -> usize {
        self.header().capacity
    }

    /// A strong reference, unless the buffer was released.
    pub(crate) fn upgrade(&self) -> Option<Block> {
        self.count().upgrade().then(|| Block(self.0))
    }
}

impl Clone for WeakBlock {
    #[inline]
    fn clone(&self) -> Self {
        self.count().retain_weak();
        Self(self.0)
    }
}

impl Drop for WeakBlock {
    #[inline]
    fn drop(&mut self) {
        let left = self.count().release_weak();
        // SAFETY: `self` is not used again.
        unsafe { free_if(self.0, left) };
    }
}

/// The counter alone. Not by way of a `&Header`: when a reference is given
/// back, another thread may free the block before the call returns, and nothing
/// but atomics may be promised to outlive that.
///
/// # Safety
///
/// The header is alive for `'a`, or until the call that gives it up.
#[inline]
unsafe fn count<'a>(header: NonNull<Header>) -> &'a RefCount {
    // SAFETY: of the caller; a field of it.
    unsafe { &(*header.as_ptr()).count }
}

/// # Safety
///
/// `left` is what the last use of this handle left behind.
#[inline]
unsafe fn free_if(header: NonNull<Header>, left: Left) {
    #[cold]
    #[inline(never)]
    unsafe fn free(header: NonNull<Header>) {
        // SAFETY: no handle is left, and the ops are those of this header.
        unsafe {
            #[cfg(feature = "leak-detect")]
            header.as_ref().tracker.end();
            let ops = header.as_ref().ops;
            if inline::is(ops) { inline::free(header) } else { (ops.free)(header) }
        }
    }
    if left.free {
        // SAFETY: `left.free` is said to one handle only, the last.
        unsafe { free(header) };
    }
}

/// Header and data in one allocation.
mod inline {
    use super::*;

    const DATA: usize = size_of::<Header>().next_multiple_of(ALIGN);

    const _: () = assert!(align_of::<Header>() <= ALIGN);

    static OPS: Ops = Ops {
        free,
        base,
        sibling: |_, capacity| Block::inline(capacity),
        resize,
        storage: TypeId::of::<Inline>,
        family: TypeId::of::<Heap>,
    };

    /// Whether these are the ops of a block of this shape: the commonest by
    /// far, so what is done for each block is spared the call through a pointer.
    #[inline]
    pub(super) fn is(ops: &'static Ops) -> bool {
        core::ptr::eq(ops, &OPS)
    }

    /// Names the shape in `Ops::storage`; nothing is stored.
    struct Inline;

    fn layout(capacity: usize) -> Result<Layout, Error> {
        capacity
            .checked_add(DATA)
            .and_then(|size| Layout::from_size_align(size, ALIGN).ok())
            .ok_or(Error::Alloc { size: capacity })
    }

    pub(super) fn new(capacity: usize) -> Result<NonNull<Header>, Error> {
        let layout = layout(capacity)?;
        // SAFETY: the layout has the header's size at least.
        let memory = unsafe { alloc(layout) };
        let header = NonNull::new(memory).ok_or(Error::Alloc { size: capacity })?.cast();
        // SAFETY: fresh, aligned, and as large as the layout says.
        unsafe {
            header.write(Header::new(&OPS, capacity));
        }
        Ok(header)
    }

    /// # Safety
    ///
    /// `header` is the last handle of a block that `new` made.
    #[inline]
    pub(super) unsafe fn free(header: NonNull<Header>) {
        // SAFETY: of the caller. The layout is the one it was made with: it
        // was computed from this very capacity. A header needs no drop.
        unsafe {
            let layout = layout(header.as_ref().capacity).unwrap_unchecked();
            dealloc(header.as_ptr().cast(), layout);
        }
    }

    /// # Safety
    ///
    /// `header` is alive and made by `new`.
    #[inline]
    pub(super) unsafe fn base(header: NonNull<Header>) -> NonNull<u8> {
        // SAFETY: the allocation has DATA bytes before its data.
        unsafe { header.cast::<u8>().add(DATA) }
    }

    /// # Safety
    ///
    /// `header` is the only handle of a block that `new` made.
    unsafe fn resize(header: NonNull<Header>, capacity: usize) -> Result<Resized, Error> {
        let new = layout(capacity)?;
        // SAFETY: of the caller; the old layout as in `free`, the new size is
        // valid for the same alignment and is not 0.
        let moved = unsafe {
            let old = layout(header.as_ref().capacity).unwrap_unchecked();
            realloc(header.as_ptr().cast(), old, new.size())
        };
        let mut moved: NonNull<Header> =
            NonNull::new(moved).ok_or(Error::Alloc { size: capacity })?.cast();
        // SAFETY: realloc moved the header with the rest; nobody else has it.
        unsafe { moved.as_mut().capacity = capacity };
        Ok(Some(moved))
    }
}

/// Header beside a storage that owns its memory.
mod beside {
    use super::*;

    #[repr(C)]
    pub(super) struct Beside<S> {
        header: Header,
        pub(super) storage: S,
    }

    struct OpsOf<S>(S);

    impl<S: Storage> OpsOf<S> {
        const OPS: &'static Ops = &Ops {
            free: free::<S>,
            base: base::<S>,
            sibling: sibling::<S>,
            resize: resize::<S>,
            storage: TypeId::of::<S>,
            family: S::family,
        };
    }

    pub(super) fn new<S: Storage>(storage: S) -> Result<(Block, NonNull<[u8]>), Error> {
        let layout = Layout::new::<Beside<S>>();
        // By hand, where `Box::new` would abort. A refused allocation drops
        // the storage, which frees its memory.
        //
        // SAFETY: the layout is not empty.
        let beside = NonNull::new(unsafe { alloc(layout) })
            .ok_or(Error::Alloc { size: layout.size() })?
            .cast::<Beside<S>>();
        let header = Header::new(OpsOf::<S>::OPS, 0);
        // SAFETY: fresh and of this layout.
        unsafe { beside.write(Beside { header, storage }) };
        // A handle from here on, which frees all if the storage panics. Asked
        // in its final place: an owner's bytes may lie inside itself.
        let block = Block(beside.cast());
        // SAFETY: initialised above, and the only handle is here. The storage
        // is borrowed apart from the header.
        unsafe {
            let beside = beside.as_ptr();
            let region = (*beside).storage.region();
            (*beside).header.writable = (*beside).storage.is_writable();
            (*beside).header.capacity = region.len();
            Ok((block, region))
        }
    }

    /// # Safety
    ///
    /// `header` is the last handle of a block that `new::<S>` made.
    unsafe fn free<S>(header: NonNull<Header>) {
        // SAFETY: of the caller: it came from `Box::into_raw` of this type.
        drop(unsafe { Box::from_raw(header.cast::<Beside<S>>().as_ptr()) });
    }

    /// # Safety
    ///
    /// `header` is alive and made by `new::<S>`.
    unsafe fn base<S: Storage>(header: NonNull<Header>) -> NonNull<u8> {
        // SAFETY: of the caller. Only the storage is borrowed.
        unsafe { (*header.cast::<Beside<S>>().as_ptr()).storage.region().cast() }
    }

    /// # Safety
    ///
    /// `header` is alive and made by `new::<S>`.
    unsafe fn sibling<S: Storage>(
        header: NonNull<Header>,
        capacity: usize,
    ) -> Result<Block, Error> {
        // SAFETY: of the caller. Only the storage is borrowed.
        let storage = unsafe { &(*header.cast::<Beside<S>>().as_ptr()).storage };
        storage.sibling_block(capacity)
    }

    /// # Safety
    ///
    /// `header` is the only handle of a block that `new::<S>` made.
    unsafe fn resize<S: Storage>(
        header: NonNull<Header>,
        capacity: usize,
    ) -> Result<Resized, Error> {
        // SAFETY: of the caller: no other handle, so nobody borrows it.
        let block = unsafe { header.cast::<Beside<S>>().as_mut() };
        if !block.storage.resize(capacity)? {
            return Ok(None);
        }
        block.header.capacity = block.storage.region().len();
        Ok(Some(header))
    }
}
