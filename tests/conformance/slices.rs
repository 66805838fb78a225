//! Slices, views and the owner they were cut from: who sees what, who keeps
//! what, who may write when.

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf, WeakSlice};

use crate::support::{all_bytes, content, refused};

#[test]
fn no_handle_made_of_a_slice_can_write_into_its_parent() {
    let mut parent = HeapBuf::from(b"Hello World".to_vec());
    let mut slice = parent.slice(0..5);
    slice.set_reader_index(5);
    let full = Error::Overflow { needed: 1, available: 0 };
    refused(&mut slice, full, |slice| slice.try_write_u8(b'_'));
    for mut derived in [slice.clone(), slice.slice(..), slice.clone().slice(0..5)] {
        assert_eq!((derived.capacity(), derived.max_capacity()), (5, 5));
        refused(&mut derived, full, |derived| derived.try_write_u8(b'_'));
    }
    // Shrunk, it cannot come back.
    slice.set_indices(0, 3);
    assert_eq!(
        slice.try_set_writer_index(5),
        Err(Error::InvalidIndex { index: 5, min: 0, max: 3 })
    );
    assert_eq!(parent, "Hello World");
}

#[test]
fn only_written_bytes_can_be_sliced() {
    let mut buf = HeapBuf::with_capacity(16);
    buf.write_u32(7);
    let error = Error::Underflow { needed: 8, available: 4 };
    refused(&mut buf, error, |buf| buf.try_read_slice(8));
    let error = Error::OutOfBounds { index: 0, len: 5, limit: 4 };
    refused(&mut buf, error, |buf| buf.try_slice(0..5));
    // Written once, then taken back: gone.
    buf.set_writer_index(2);
    refused(&mut buf, Error::OutOfBounds { index: 0, len: 4, limit: 2 }, |buf| buf.try_slice(0..4));
}

#[test]
fn an_empty_slice_keeps_no_memory_and_leaks_none() {
    let mut parent = HeapBuf::from(vec![1, 2, 3]);
    let mut empty = parent.slice(1..1);
    assert_eq!((parent.ref_count(), parent.is_unique()), (1, true));
    assert_eq!((empty.ref_count(), empty.capacity()), (1, 0));
    assert!(empty.release(), "its own, and the only one");
    assert_eq!((parent.ref_count(), parent.get_u8(0)), (1, 1));

    // One that shrinks to nothing lets go.
    let mut slice = parent.slice(..);
    assert_eq!(parent.ref_count(), 2);
    slice.truncate(0);
    assert_eq!((parent.ref_count(), slice.is_accessible()), (1, true));
}

#[test]
fn each_level_of_slices_holds_one_reference_and_the_last_one_frees() {
    let bytes = content(40);
    let mut parent = HeapBuf::from(bytes.clone());
    let view = parent.downgrade();
    let mut levels = vec![parent.slice(1..39)];
    assert!(!parent.release(), "a slice is left");
    for depth in 1..6 {
        let inner = levels[depth - 1].slice(1..levels[depth - 1].capacity() - 1);
        levels.push(inner);
        assert!(levels.iter().all(|slice| slice.ref_count() == depth + 1));
    }
    for (depth, slice) in levels.iter().enumerate() {
        assert_eq!(*slice, bytes[1 + depth..39 - depth]);
    }
    // Outer ones first, and a few in between.
    for gone in [0, 3, 1, 5, 2] {
        assert!(!levels[gone].release());
        for slice in levels.iter().filter(|slice| slice.is_accessible()) {
            assert_eq!(slice.get_u8(0), bytes[(40 - slice.capacity()) / 2]);
        }
    }
    assert!(view.is_accessible());
    assert!(levels[4].release(), "the last");
    assert!(levels.iter().all(|slice| slice.ref_count() == 0));
    assert_eq!((view.ref_count(), view.try_get_u8(0)), (0, Err(Error::Released)));
}

#[test]
fn indices_of_a_slice_are_its_own() {
    let mut buf = HeapBuf::from(content(20));
    buf.skip(3);
    let mut slice = buf.slice(5..15);
    let mut inner = slice.slice(2..8);
    slice.skip(4);
    let clone = slice.clone();
    slice.skip(1);
    inner.skip(6);
    assert_eq!([buf.reader_index(), slice.reader_index(), inner.reader_index()], [3, 5, 6]);
    assert_eq!((clone.reader_index(), clone.writer_index()), (4, 10));
    // Cut from the absolute index, not from the reader index.
    assert_eq!(slice.slice(0..10), content(20)[5..15]);
}

#[test]
fn a_frozen_prefix_is_writable_again_when_all_that_saw_it_are_gone() {
    let mut buf = HeapBuf::with_capacity(64);
    buf.write_bytes(b"first second ");
    let first = buf.read_slice(6);
    buf.write_bytes(b"third");
    // Behind what was handed out all is ours.
    buf.set_bytes(6, b"SECOND");
    refused(&mut buf, Error::Shared, |buf| buf.try_set_u8(0, b'F'));
    refused(&mut buf, Error::Shared, |buf| buf.try_set_bytes(4, b"xxxx"));
    let view = buf.downgrade();
    drop(first);
    refused(&mut buf, Error::Shared, |buf| buf.try_set_u8(0, b'F'));
    drop(view);
    buf.set_u8(0, b'F');
    assert_eq!(all_bytes(&buf), b"First SECOND third");
}

#[test]
fn writing_over_a_frozen_part_moves_the_buffer_away() {
    let mut buf = HeapBuf::with_capacity(32);
    buf.write_bytes(b"abcdef");
    let slice = buf.slice(..);
    buf.set_writer_index(3);
    buf.write_bytes(b"XYZ");
    assert_eq!((all_bytes(&buf), slice.as_slice()), (b"abcXYZ".to_vec(), &b"abcdef"[..]));
    assert_eq!((buf.ref_count(), slice.ref_count()), (1, 1));
    // The limit goes with it.
    let mut small = HeapBuf::with_max_capacity(8, 8);
    small.write_u64(1);
    let _slice = small.slice(..);
    small.clear();
    small.write_u64(2);
    assert_eq!((small.max_capacity(), small.max_writable_bytes()), (8, 0));
}

#[test]
fn a_sole_slice_writes_in_place_and_a_clone_stops_it() {
    let mut slice = SliceBuf::from(content(16));
    let memory = slice.as_slice().as_ptr();
    slice.set_u64(4, 7);
    let mut clone = slice.clone();
    refused(&mut slice, Error::Shared, |slice| slice.try_set_u64(4, 8));
    refused(&mut clone, Error::Shared, |clone| clone.try_as_mut_slice().map(|bytes| bytes.len()));
    drop(clone);
    let view = slice.downgrade();
    refused(&mut slice, Error::Shared, |slice| slice.try_set_u64(4, 8));
    drop(view);
    slice.set_u64(4, 8);
    assert_eq!((slice.get_u64(4), slice.as_slice().as_ptr()), (8, memory));
}

#[test]
fn constants_cannot_be_written_or_appended_to_by_anyone() {
    static END: &[u8] = b"0\r\n\r\n";
    let constant = SliceBuf::from_static(END);
    let mut copy = constant.clone();
    refused(&mut copy, Error::ReadOnly, |copy| copy.try_set_u8(0, b'1'));
    refused(&mut copy, Error::Overflow { needed: 1, available: 0 }, |copy| copy.try_write_u8(b'!'));
    assert!(HeapBuf::try_from(copy).is_err());
    // Appending to a composite of it adds a component.
    let mut composite = CompositeBuf::from(constant.clone());
    composite.write_bytes(b"more");
    refused(&mut composite, Error::ReadOnly, |buf| buf.try_set_u8(0, b'1'));
    assert_eq!((composite.component_count(), composite.to_vec()), (2, b"0\r\n\r\nmore".to_vec()));
    assert_eq!(constant, END);
    assert_eq!((constant.ref_count(), constant.is_unique()), (1, false));
}

#[test]
fn reading_is_allowed_where_writing_is_not() {
    let mut buf = SliceBuf::from_owner(content(32));
    assert_eq!(buf.get_u64(3).to_be_bytes(), content(32)[3..11]);
    assert_eq!(buf.read_slice(32), content(32));
    assert!(!buf.is_writable() && buf.try_ensure_writable(1).is_err());
    // A copy is writable, and another memory.
    let mut copy = HeapBuf::from(buf.slice(..).as_slice());
    copy.set_u8(0, !content(1)[0]);
    assert_eq!(buf.get_u8(0), content(1)[0]);
}

#[test]
fn views_read_while_somebody_holds_the_block_and_are_told_afterwards() {
    let mut buf = HeapBuf::from(content(10));
    buf.skip(2);
    let view = buf.downgrade();
    assert_eq!((view.reader_index(), view.readable_bytes()), (2, 8));
    assert_eq!((buf.ref_count(), view.ref_count()), (1, 1), "a view is no reference");
    let held = view.upgrade().expect("there");
    assert_eq!((held.reader_index(), held.ref_count()), (2, 2));
    let part = view.slice(4..6);
    drop(buf);
    assert_eq!((view.get_u8(0), part.get_u8(0)), (content(1)[0], content(5)[4]));
    drop(held);
    for view in [view, part] {
        assert!(!view.is_accessible() && view.upgrade().is_none());
        assert_eq!(view.clone().try_get_u8(0), Err(Error::Released));
        assert_eq!((view.as_slice(), view.as_contiguous()), (&[][..], None));
    }
}

#[test]
fn a_view_belongs_to_the_block_and_not_to_its_owner() {
    let mut buf = HeapBuf::with_capacity(8);
    buf.write_u64(1);
    let view = buf.downgrade();
    buf.write_u64(2);
    assert_eq!(view.try_get_u64(0), Err(Error::Released), "the owner moved");

    let slice = buf.slice(..);
    let view = buf.downgrade();
    buf.write_zeros(10_000);
    assert_eq!(view.get_u64(0), 1, "kept by the slice");
    drop(slice);
    assert!(!view.is_accessible());
}

#[test]
fn releasing_one_handle_leaves_the_others() {
    let mut a = SliceBuf::from(content(8));
    let mut b = a.clone();
    let mut view = a.downgrade();
    assert!(!view.release() && view.try_get_u8(0).is_err());
    assert_eq!(a.ref_count(), 2);
    assert!(!a.release());
    assert_eq!((a.ref_count(), b.ref_count()), (0, 1));
    assert_eq!(a.clone().try_get_u8(0), Err(Error::Released), "a clone of nothing");
    assert_eq!(a.downgrade().try_get_u8(0), Err(Error::Released));
    assert!(a.try_slice(..).is_err() && a.try_split_off(0).is_err());
    assert_eq!(b, content(8));
    assert!(b.release() && !b.release());
}

#[test]
fn cut_slices_join_again_only_where_they_were_cut() {
    let whole = SliceBuf::from(content(30));
    let (mut a, b, c) = (whole.slice(..10), whole.slice(10..20), whole.slice(20..));
    let c = a.unsplit(c).expect_err("a hole");
    let a_again = a.clone();
    a.unsplit(b).expect("adjacent");
    a.unsplit(c).expect("adjacent");
    assert_eq!((a.as_slice().as_ptr(), a.writer_index()), (whole.as_slice().as_ptr(), 30));
    assert!(a.unsplit(a_again).is_err(), "a cycle");
    // The same bytes in another block are no neighbours.
    let other = SliceBuf::from(content(30));
    let mut front = whole.slice(..10);
    assert!(front.unsplit(other.slice(10..)).is_err());
    assert_eq!(whole.ref_count(), 3);
}

#[test]
fn joined_halves_remember_what_was_handed_out_of_each() {
    let mut buf = HeapBuf::from(content(20));
    let mut back = buf.split_off(10);
    let slice = back.slice(2..5);
    buf.unsplit(back).expect("adjacent");
    refused(&mut buf, Error::Shared, |buf| buf.try_set_u8(12, 0));
    refused(&mut buf, Error::Shared, |buf| buf.try_set_u8(14, 0));
    buf.set_u8(15, 0);
    assert_eq!(slice, content(15)[12..]);
    drop(slice);
    buf.set_u8(12, 0);

    // Neither half comes back from what it gave up.
    let mut buf = HeapBuf::from(content(20));
    let slice = buf.slice(..);
    let mut back = buf.split_off(10);
    refused(&mut back, Error::Shared, |back| back.try_set_u8(0, 0));
    back.clear();
    back.write_bytes(&[0; 10]);
    let back = buf.unsplit(back).expect_err("it moved");
    assert_eq!((slice, back.writer_index()), (content(20).into(), 10));
}

#[test]
fn ranges_of_any_form_can_be_asked_for() {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    let buf = SliceBuf::from(vec![0, 1, 2, 3, 4]);
    assert_eq!(buf.slice(..=2), [0, 1, 2]);
    assert_eq!(buf.slice((Excluded(1), Unbounded)), [2, 3, 4]);
    assert_eq!(buf.slice((Excluded(1), Included(3))), [2, 3]);
    let max = usize::MAX;
    assert!(buf.try_slice(..=max).is_err());
    assert!(buf.try_slice((Excluded(max), Unbounded)).is_err());
    assert!(buf.try_slice((Included(max), Included(max))).is_err());
    assert!(buf.try_slice((Excluded(max), Excluded(max))).is_err());
    assert!(buf.try_slice(max..).is_err());
    assert!(buf.downgrade().try_slice(..=max).is_err());
}

/// A value that counts its drops and shows `bytes`.
struct Owner {
    bytes: Vec<u8>,
    drops: std::sync::Arc<std::sync::atomic::AtomicUsize>,
}

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.drops.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    }
}

#[test]
fn an_owner_is_dropped_once_with_the_last_handle_of_any_kind() {
    let drops = std::sync::Arc::default();
    let dropped = |drops: &std::sync::Arc<std::sync::atomic::AtomicUsize>| {
        drops.load(std::sync::atomic::Ordering::SeqCst)
    };
    let owner = |bytes| Owner { bytes, drops: std::sync::Arc::clone(&drops) };
    let slice = SliceBuf::from_owner(owner(content(9)));
    let part = slice.slice(3..);
    let view: WeakSlice = part.downgrade();
    drop(slice);
    assert_eq!((dropped(&drops), part.get_u8(0)), (0, content(4)[3]));
    drop(part);
    assert_eq!((dropped(&drops), view.try_get_u8(0)), (0, Err(Error::Released)));
    drop(view);
    assert_eq!(dropped(&drops), 1);

    // Without bytes there is nothing to keep it for.
    let empty = SliceBuf::from_owner(owner(Vec::new()));
    assert_eq!((dropped(&drops), empty.readable_bytes()), (2, 0));
    // In a composite, it goes with what was read.
    let mut composite = CompositeBuf::new();
    composite.push(SliceBuf::from_owner(owner(content(9))));
    composite.push("rest");
    composite.skip(10);
    composite.discard_read_components();
    assert_eq!(dropped(&drops), 3);
}

#[test]
fn an_owner_whose_bytes_lie_inside_itself_is_asked_where_it_stays() {
    let slice = SliceBuf::from_owner([7_u8; 40]);
    let moved = [slice];
    assert_eq!(moved[0], [7; 40]);
    assert_eq!(moved[0].slice(10..20), [7; 10]);
}
