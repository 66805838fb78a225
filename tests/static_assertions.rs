//! What the types promise to the compiler.

use std::fmt::Debug;
use std::hash::Hash;
use std::mem::size_of;

use refbuf::{
    ByteBuf, ByteBufMut, Cleared, CoalescingQueue, Components, CompositeBuf, Error, Heap, HeapBuf,
    OwnedBuf, Refused, SliceBuf, Taken, WeakSlice,
};
#[cfg(feature = "mmap")]
use refbuf::{Direct, DirectBuf, DirectOptions};
use static_assertions::{
    assert_impl_all, assert_not_impl_any, assert_obj_safe, assert_type_eq_all, const_assert,
};

// Every handle goes to other threads, and can be looked at from several.
assert_impl_all!(HeapBuf: Send, Sync, Unpin);
assert_impl_all!(SliceBuf: Send, Sync, Unpin);
assert_impl_all!(WeakSlice: Send, Sync, Unpin);
assert_impl_all!(CompositeBuf: Send, Sync, Unpin);
assert_impl_all!(Components<'static>: Send, Sync, Unpin);
assert_impl_all!(<CompositeBuf as IntoIterator>::IntoIter: Send, Sync, Unpin);
assert_impl_all!(CoalescingQueue: Send, Sync, Unpin, Default, Debug);
assert_impl_all!(Taken<u32>: Send, Sync, Unpin, Debug);
assert_impl_all!(Cleared<u32>: Send, Sync, Unpin, Debug, Iterator<Item = u32>);
assert_impl_all!(Heap: Send, Sync, Unpin);
assert_impl_all!(Error: Send, Sync, Unpin, Copy, std::error::Error);

// A queue is as its tokens are, which need not be anything.
assert_not_impl_any!(CoalescingQueue<std::rc::Rc<()>>: Send, Sync);
assert_impl_all!(CoalescingQueue<std::cell::Cell<u32>>: Send);
assert_not_impl_any!(CoalescingQueue<std::cell::Cell<u32>>: Sync);
assert_impl_all!(Refused<Box<dyn FnOnce()>>: std::error::Error);

// Both traits as objects, which are buffers again behind a pointer.
assert_obj_safe!(ByteBuf, ByteBufMut);
assert_impl_all!(Box<dyn ByteBuf>: ByteBuf);
assert_impl_all!(Box<dyn ByteBufMut + Send>: ByteBuf, ByteBufMut, Send);
assert_impl_all!(&'static mut dyn ByteBuf: ByteBuf);
assert_impl_all!(&'static mut dyn ByteBufMut: ByteBuf, ByteBufMut);
assert_impl_all!(&'static mut Box<HeapBuf>: ByteBuf, ByteBufMut);

// All can be read, and all but views can be written.
assert_impl_all!(HeapBuf: ByteBuf, ByteBufMut, Default);
assert_impl_all!(SliceBuf: ByteBuf, ByteBufMut, Default);
assert_impl_all!(CompositeBuf: ByteBuf, ByteBufMut, Default);
assert_impl_all!(WeakSlice: ByteBuf);
assert_not_impl_any!(WeakSlice: ByteBufMut, std::io::Write);
assert_not_impl_any!(SliceBuf: std::io::Write);

// Shared handles are cloned, exclusive ones are not. None is Copy: each is a
// reference that is counted.
assert_impl_all!(SliceBuf: Clone);
assert_impl_all!(WeakSlice: Clone);
assert_not_impl_any!(HeapBuf: Clone, Copy);
assert_not_impl_any!(CompositeBuf: Clone, Copy);
assert_not_impl_any!(SliceBuf: Copy);
assert_not_impl_any!(WeakSlice: Copy);

// All can be logged, compared and be keys.
assert_impl_all!(HeapBuf: Debug, Ord, Hash, PartialEq<dyn ByteBuf>, PartialEq<[u8]>, PartialEq<str>);
assert_impl_all!(SliceBuf: Debug, Ord, Hash, PartialEq<CompositeBuf>, PartialOrd<WeakSlice>);
assert_impl_all!(WeakSlice: Debug, Ord, Hash, PartialEq<HeapBuf>);
assert_impl_all!(CompositeBuf: Debug, Ord, Hash, PartialEq<SliceBuf>);

// One generic type with two names.
assert_type_eq_all!(HeapBuf, OwnedBuf<Heap>);

/// The kinds of memory that are maps.
#[cfg(feature = "mmap")]
mod mapped {
    use super::*;

    assert_impl_all!(DirectBuf: Send, Sync, Unpin, ByteBuf, ByteBufMut, Default, Debug, Ord, Hash);
    assert_not_impl_any!(DirectBuf: Clone, Copy);
    assert_impl_all!(Direct: Send, Sync, Unpin, Debug);
    assert_impl_all!(DirectOptions: Send, Sync, Copy, Default, Debug);
    assert_type_eq_all!(DirectBuf, OwnedBuf<Direct>);
    const_assert!(size_of::<DirectBuf>() == size_of::<HeapBuf>());
    const_assert!(size_of::<Option<DirectBuf>>() == size_of::<DirectBuf>());
}

/// Handles are moved around by value: they are small, and `Option` is free.
#[cfg(target_pointer_width = "64")]
mod sizes {
    use super::*;

    const_assert!(size_of::<SliceBuf>() == 32);
    const_assert!(size_of::<WeakSlice>() == 32);
    const_assert!(size_of::<HeapBuf>() <= 56);
}

const_assert!(size_of::<Option<SliceBuf>>() == size_of::<SliceBuf>());
const_assert!(size_of::<Option<WeakSlice>>() == size_of::<WeakSlice>());
const_assert!(size_of::<Option<HeapBuf>>() == size_of::<HeapBuf>());
const_assert!(size_of::<Option<CompositeBuf>>() == size_of::<CompositeBuf>());
const_assert!(size_of::<Result<SliceBuf, ()>>() == size_of::<SliceBuf>());

// Empty and static buffers are constants.
const _: (HeapBuf, CompositeBuf) = (HeapBuf::new(), CompositeBuf::new());
const _: CoalescingQueue = CoalescingQueue::new().copy_up_to(512);
const _: [SliceBuf; 2] = [SliceBuf::new(), SliceBuf::from_static(b"constant")];

/// A test, so that the target is seen to have run.
#[test]
fn everything_above_was_compiled() {
    fn borrow(buf: &dyn ByteBuf) -> usize {
        buf.readable_bytes()
    }
    assert_eq!(borrow(&SliceBuf::from_static(b"abc")), 3);
}
