//! Several threads, one block.

use std::sync::Barrier;
use std::thread;

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf};

use crate::support::content;

#[test]
fn many_threads_read_slices_of_one_block_each_with_its_own_indices() {
    let bytes = content(10_000);
    let whole = SliceBuf::from(bytes.clone());
    thread::scope(|scope| {
        for thread in 0..4 {
            let mut slice = whole.slice(thread..);
            let bytes = &bytes[thread..];
            scope.spawn(move || {
                for n in 1..100 {
                    assert_eq!(
                        slice.read_slice(n).to_vec(),
                        bytes[slice.reader_index() - n..][..n]
                    );
                }
                let mut copied = Vec::new();
                slice.set_reader_index(0);
                while slice.write_to(&mut copied).unwrap() != 0 {}
                assert_eq!(copied, bytes);
                assert_eq!(slice.hex_dump().lines().count(), 0);
            });
        }
    });
    assert_eq!(whole.ref_count(), 1);
}

#[test]
fn a_composite_can_be_read_by_many_threads_at_once() {
    let bytes = content(5000);
    let buf: CompositeBuf = bytes.chunks(7).map(<[u8]>::to_vec).collect();
    thread::scope(|scope| {
        for thread in 0..4 {
            let (buf, bytes) = (&buf, &bytes);
            scope.spawn(move || {
                for index in (thread..4990).step_by(3) {
                    assert_eq!(buf.get_u64(index).to_be_bytes(), bytes[index..index + 8]);
                }
                assert_eq!(buf.find(&bytes[4000..4020]), Some(4000));
                assert_eq!(buf.to_vec(), *bytes);
            });
        }
    });
}

#[test]
fn frames_are_read_on_other_threads_while_the_owner_goes_on() {
    let mut buf = HeapBuf::with_capacity(256);
    thread::scope(|scope| {
        let mut workers = Vec::new();
        for turn in 0..50_u64 {
            buf.make_room(40);
            buf.write_u64(turn);
            buf.write_zeros(24);
            let frame = buf.read_slice(32);
            workers.push(scope.spawn(move || (0..100).all(|_| frame.get_u64(0) == turn)));
            buf.write_u64(!turn);
            buf.skip(8);
        }
        assert!(workers.into_iter().all(|worker| worker.join().unwrap()));
    });
    assert_eq!(buf.ref_count(), 1);
}

#[test]
fn a_view_sees_the_last_release_of_another_thread() {
    let mut buf = HeapBuf::from(content(100));
    let view = buf.downgrade();
    let slice = buf.slice(10..20);
    drop(buf);
    assert!(view.is_accessible());
    thread::spawn(move || drop(slice)).join().unwrap();
    assert!(!view.is_accessible());
    assert_eq!((view.ref_count(), view.try_get_u8(0)), (0, Err(Error::Released)));
    assert!(view.upgrade().is_none());
}

#[test]
fn views_read_right_bytes_or_none_while_the_block_goes_away() {
    for turn in 0..200_u64 {
        let mut buf = HeapBuf::new();
        (0..32).for_each(|_| buf.write_u64(turn));
        let view = buf.downgrade();
        let start = Barrier::new(3);
        thread::scope(|scope| {
            for _ in 0..2 {
                let (mut view, start) = (view.clone(), &start);
                scope.spawn(move || {
                    start.wait();
                    loop {
                        match view.try_get_u64(8) {
                            Ok(number) => assert_eq!(number, turn),
                            Err(error) => break assert_eq!(error, Error::Released),
                        }
                        if let Some(slice) = view.upgrade() {
                            assert_eq!(slice.get_u64(200), turn);
                        }
                    }
                    assert!(view.upgrade().is_none() && !view.release());
                });
            }
            start.wait();
            drop(buf);
        });
    }
}

#[test]
fn the_last_of_many_clones_dropped_anywhere_frees_once() {
    for _ in 0..50 {
        let dropped = std::sync::Arc::new(());
        let owner = dropped.clone();
        struct Owner(#[allow(dead_code)] std::sync::Arc<()>);
        impl AsRef<[u8]> for Owner {
            fn as_ref(&self) -> &[u8] {
                b"some bytes"
            }
        }
        let slice = SliceBuf::from_owner(Owner(owner));
        thread::scope(|scope| {
            for _ in 0..4 {
                let slice = slice.clone();
                scope.spawn(move || {
                    let clones: Vec<_> = (0..10).map(|_| slice.slice(2..)).collect();
                    let view = slice.downgrade();
                    drop((slice, clones));
                    let _ = view.upgrade().map(|slice| slice.get_u8(0));
                });
            }
            drop(slice);
        });
        assert_eq!(std::sync::Arc::strong_count(&dropped), 1);
    }
}
