//! What is asked of the allocator, what is given back, and what happens when it
//! refuses.

#![allow(clippy::cast_possible_truncation)] // Of test data.

#[path = "support/watched.rs"]
#[allow(dead_code)] // Some of it is for other tests.
mod watched;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf};

use watched::{Counts, balanced, counted, with_budget};

thread_local! {
    /// A panic is expected.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

#[test]
fn every_block_is_freed_once_with_the_layout_it_was_allocated_with() {
    balanced(|| {
        let mut buf = HeapBuf::with_capacity(3);
        for i in 0..10_000 {
            buf.write_u64(i);
        }
        let slices: Vec<_> = (0..300).map(|_| buf.read_slice(7)).collect();
        let view = buf.downgrade();
        buf.make_room(100_000);
        let mut half = buf.split_off(10);
        half.write_zeros(200_000);
        drop((buf, view, slices));
        drop(half.freeze());
    });
    balanced(|| {
        // Of a `Vec` with room, grown, given back.
        let mut vec = Vec::with_capacity(100);
        vec.extend_from_slice(&[1; 50]);
        let mut buf = HeapBuf::from(vec);
        buf.write_zeros(1000);
        let mut vec = buf.into_vec();
        vec.shrink_to_fit();
        drop(HeapBuf::from(vec.into_boxed_slice()));
        drop(SliceBuf::from(String::from("some text")));
        drop(SliceBuf::from_owner(vec![1, 2, 3]));
        drop(SliceBuf::from_owner(Vec::new()));
    });
    balanced(|| {
        let mut buf = CompositeBuf::new();
        for i in 0..200_u8 {
            buf.push(vec![i; 40]);
            buf.write_u64(7);
            buf.insert(0, SliceBuf::copy_from_slice(b"front"));
        }
        buf.try_consolidate(3..50).unwrap();
        let across = buf.slice(2..400);
        let part = buf.split_off(1000);
        buf.skip(500);
        buf.discard_read_components();
        drop(buf.remove(3));
        drop(part);
        drop(buf.into_iter().skip(2).collect::<Vec<_>>());
        drop(across);
    });
}

/// A step that may need memory, on a buffer with a slice of it held.
struct Step<B> {
    name: &'static str,
    run: fn(&mut B) -> Result<(), Error>,
}

macro_rules! steps {
    ($($name:literal: $run:expr;)*) => { [ $(Step { name: $name, run: $run }),* ] };
}

/// Each step, with the first, the second .. allocation refused, until it needs
/// no more: it fails and changes nothing, or it succeeds.
#[track_caller]
fn survives_refusals<B: ByteBufMut>(make: impl Fn() -> B, steps: &[Step<B>]) {
    for Step { name, run } in steps {
        let mut refusals = 0;
        for budget in 0.. {
            let mut finished = false;
            balanced(|| {
                let mut buf = make();
                let held = buf.slice(0..4);
                let state = |buf: &B| {
                    (buf.reader_index(), buf.writer_index(), buf.capacity(), buf.ref_count())
                };
                let (before, bytes) = (state(&buf), buf.to_vec());
                match with_budget(budget, || run(&mut buf)) {
                    Ok(()) => finished = true,
                    Err(error) => {
                        assert!(matches!(error, Error::Alloc { .. }), "{name}: {error}");
                        assert_eq!((state(&buf), buf.to_vec()), (before, bytes), "{name}");
                        // All is as usable as it was.
                        run(&mut buf).expect("there is memory again");
                    }
                }
                assert_eq!(held.as_slice(), b"0123", "{name}");
                drop(buf);
                assert_eq!((held.ref_count(), held.as_slice()), (1, &b"0123"[..]), "{name}");
            });
            if finished {
                break;
            }
            refusals += 1;
        }
        assert!(refusals > 0, "{name} needs no memory");
    }
}

#[test]
fn a_heap_buffer_survives_every_refusal() {
    let steps: [Step<HeapBuf>; 7] = steps! {
        "write_bytes": |buf| buf.try_write_bytes(&[7; 1000]);
        "write_zeros": |buf| buf.try_write_zeros(1000);
        "write_u64": |buf| buf.try_write_u64(7);
        "set_writer_index": |buf| buf.try_set_writer_index(5000);
        "ensure_writable": |buf| buf.try_ensure_writable(1000);
        "make_room": |buf| buf.try_make_room(1000);
        "write_buf": |buf| buf.try_write_buf(&mut SliceBuf::from_static(&[7; 1000]), 1000);
    };
    let make = || {
        let mut buf = HeapBuf::with_capacity(10);
        buf.write_bytes(b"0123456789");
        buf.skip(2);
        buf
    };
    survives_refusals(make, &steps);
    let make_of_a_vec = || {
        let mut buf = HeapBuf::from(b"0123456789".to_vec());
        buf.skip(2);
        buf
    };
    survives_refusals(make_of_a_vec, &steps);
}

#[test]
fn growing_in_place_survives_a_refusal() {
    for from_vec in [false, true] {
        balanced(|| {
            let mut buf = match from_vec {
                true => HeapBuf::from(b"0123".to_vec()),
                false => HeapBuf::from(&b"0123"[..]),
            };
            let capacity = buf.capacity();
            let result = with_budget(0, || buf.try_write_bytes(&[7; 5000]));
            assert!(matches!(result, Err(Error::Alloc { .. })));
            assert_eq!((buf.as_slice(), buf.capacity()), (&b"0123"[..], capacity));
            buf.write_bytes(&[7; 5000]);
            assert_eq!(buf.writer_index(), 5004);
        });
    }
}

#[test]
fn a_composite_survives_every_refusal() {
    let steps: [Step<CompositeBuf>; 13] = steps! {
        "write_bytes": |buf| buf.try_write_bytes(&[7; 5000]);
        "write_zeros": |buf| buf.try_write_zeros(5000);
        "write_u64": |buf| buf.try_write_u64(7);
        "set_writer_index": |buf| buf.try_set_writer_index(50_000);
        "ensure_writable": |buf| buf.try_ensure_writable(1000);
        "make_room": |buf| buf.try_make_room(1000);
        "push": |buf| buf.try_push(SliceBuf::from_static(b"static"));
        "insert": |buf| buf.try_insert(1, SliceBuf::from_static(b"static"));
        "slice across": |buf| buf.try_slice(1..9).map(drop);
        "read_slice across": |buf| buf.try_read_slice(9).map(drop);
        "split_off": |buf| buf.try_split_off(7).map(drop);
        "split_to": |buf| buf.try_split_to(7).map(drop);
        "consolidate": |buf| buf.try_consolidate(0..4);
    };
    let make = || {
        // The list of components is full, so that the next one counts.
        let mut buf = CompositeBuf::new();
        for piece in [&b"01234"[..], b"56789", b"abcdef", b"ghi"] {
            buf.push(piece.to_vec());
        }
        buf.skip(2);
        buf
    };
    survives_refusals(make, &steps);
}

#[test]
fn a_buffer_that_cannot_be_made_leaves_nothing_behind() {
    balanced(|| {
        assert!(matches!(
            with_budget(0, || HeapBuf::try_with_capacity(100)),
            Err(Error::Alloc { size: 100 })
        ));
        #[cfg(feature = "mmap")]
        {
            use refbuf::DirectBuf;
            assert!(matches!(
                with_budget(0, || DirectBuf::try_with_capacity(100)),
                Err(Error::Alloc { .. })
            ));
        }
    });
}

#[test]
fn cutting_frames_allocates_nothing() {
    let mut buf = HeapBuf::from(vec![7; 100_000]);
    let (counts, ()) = counted(|| {
        for _ in 0..1000 {
            let frame = buf.read_slice(64);
            let clone = frame.clone();
            let view = clone.downgrade();
            assert_eq!(frame.slice(8..16), view.upgrade().unwrap().slice(0..8));
        }
        buf.read_slice(0);
        drop(buf.split_to(100));
        drop(buf.split_off(200));
    });
    assert_eq!(counts, Counts::default());
    let (counts, slice) = counted(|| buf.freeze());
    assert_eq!(counts.allocations, 0);
    assert_eq!(slice.writer_index(), 200);
}

#[test]
fn a_composite_copies_no_payload() {
    let frames: Vec<SliceBuf> = (0..1000).map(|i| SliceBuf::from(vec![i as u8; 10_000])).collect();
    let mut pushed = CompositeBuf::new();
    let (counts, ()) = counted(|| frames.iter().for_each(|frame| pushed.push(frame.clone())));
    // The list of components doubles: a logarithm of them, none the payload's.
    assert!(counts.allocations <= 12, "{counts:?}");
    assert!(counts.bytes < 1000 * 10_000 / 20, "{counts:?}");
    drop(pushed);

    // An iterator that knows how many there are spares it that.
    let (counts, buf) = counted(|| frames.iter().cloned().collect::<CompositeBuf>());
    assert_eq!(counts.allocations, 1);
    let (counts, ()) = counted(|| drop(buf));
    assert_eq!((counts.allocations, counts.frees), (0, 1));

    let mut message = CompositeBuf::new();
    let (counts, ()) = counted(|| {
        message.write_u32(10_000);
        message.push(frames[0].clone());
    });
    assert!(counts.allocations <= 2 && counts.bytes < 4096, "{counts:?}");

    // Nor does it take a block for each header: those of many messages share one.
    let (counts, ()) = counted(|| {
        for frame in &frames[1..51] {
            message.write_u32(10_000);
            message.push(frame.clone());
        }
    });
    assert!(counts.allocations <= 7 && counts.bytes < 16_384, "{counts:?}");
}

#[test]
fn making_a_buffer_is_one_allocation_and_of_a_vec_one_header() {
    let (counts, buf) = counted(|| HeapBuf::with_capacity(1000));
    assert_eq!(counts.allocations, 1);
    assert!(counts.bytes < 1100);
    drop(buf);
    let vec = vec![7; 10_000];
    let (counts, buf) = counted(|| SliceBuf::from(vec));
    assert_eq!(counts.allocations, 1);
    assert!(counts.bytes < 200, "{counts:?}");
    drop(buf);
    for (counts, ()) in [
        counted(|| drop(HeapBuf::new())),
        counted(|| drop(CompositeBuf::new())),
        counted(|| drop(SliceBuf::from_static(b"static").slice(2..))),
        counted(|| drop(HeapBuf::from(Vec::new()))),
    ] {
        assert_eq!(counts, Counts::default());
    }
}

#[test]
fn a_claimed_length_allocates_nothing_by_itself() {
    // Ten bytes that claim to be a gigabyte.
    let mut input = HeapBuf::from([&(1_u32 << 30).to_be_bytes()[..], b"abcdef"].concat());
    let len = input.read_u32() as usize;
    let (counts, result) = counted(|| input.try_read_slice(len).map(drop));
    assert_eq!(result, Err(Error::Underflow { needed: len, available: 6 }));
    assert!(matches!(input.try_read_string(len), Err(Error::Underflow { .. })));
    assert!(matches!(input.try_get_str(4, len), Err(Error::OutOfBounds { .. })));
    assert_eq!(counts, Counts::default());
}

/// Panics at a chosen moment.
struct Touchy {
    bytes: Vec<u8>,
    on_drop: bool,
    on_as_ref: bool,
}

impl AsRef<[u8]> for Touchy {
    fn as_ref(&self) -> &[u8] {
        assert!(!self.on_as_ref, "asked");
        &self.bytes
    }
}

impl Drop for Touchy {
    fn drop(&mut self) {
        assert!(!self.on_drop, "dropped");
    }
}

/// Whether `f` panics; without a word, as it is expected to.
fn panics(f: impl FnOnce()) -> bool {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |info| {
            if !QUIET.get() {
                others(info)
            }
        }));
    });
    QUIET.set(true);
    let panicked = catch_unwind(AssertUnwindSafe(f)).is_err();
    QUIET.set(false);
    panicked
}

#[test]
fn an_owner_that_panics_is_freed_all_the_same() {
    // The first panic allocates what later ones use again.
    assert!(panics(|| panic!("once")));
    let touchy = |on_drop, on_as_ref| Touchy { bytes: vec![7; 100], on_drop, on_as_ref };
    balanced(|| assert!(panics(|| drop(SliceBuf::from_owner(touchy(false, true))))));
    balanced(|| {
        let slice = SliceBuf::from_owner(touchy(true, false));
        let clone = slice.clone();
        drop(slice);
        assert_eq!(clone.get_u8(99), 7);
        assert!(panics(|| drop(clone)));
    });
    balanced(|| {
        let mut slice = SliceBuf::from_owner(touchy(true, false));
        assert!(panics(|| _ = slice.release()));
        assert!(!slice.is_accessible() && !slice.release());
    });
    // In a composite, wherever it is when it goes; the rest is in order.
    let composite = || {
        let mut buf = CompositeBuf::new();
        buf.push(b"front".to_vec());
        buf.push(SliceBuf::from_owner(touchy(true, false)));
        buf.push(b"back".to_vec());
        buf
    };
    balanced(|| assert!(panics(|| drop(composite()))));
    balanced(|| {
        let mut buf = composite();
        buf.skip(105);
        assert!(panics(|| buf.discard_read_components()));
        assert_eq!(buf.to_vec(), b"back");
        buf.write_u8(b'!');
        assert_eq!(buf.read_slice(5), b"back!");
    });
    balanced(|| {
        let mut buf = composite();
        assert!(panics(|| buf.set_writer_index(3)));
        let bytes = buf.to_vec();
        assert!(b"front".starts_with(&bytes[..bytes.len().min(5)]));
        buf.write_u8(b'!');
        assert_eq!(buf.get_u8(buf.writer_index() - 1), b'!');
    });
    balanced(|| {
        let mut buf = composite();
        assert!(panics(|| buf.consolidate()));
        assert_eq!(buf.to_vec(), [&b"front"[..], &[7; 100], b"back"].concat());
    });
    balanced(|| {
        let mut buf = composite();
        assert!(panics(|| _ = buf.release()));
        assert_eq!(buf.try_get_u8(0), Err(Error::Released));
    });
}

#[test]
fn a_predicate_that_panics_takes_no_reference_with_it() {
    let mut buf = HeapBuf::from(vec![7; 100]);
    let slice = buf.slice(..);
    assert!(panics(|| _ = buf.position(|_| panic!("at once"))));
    assert!(panics(|| _ = buf.rposition(|_| panic!("at once"))));
    assert_eq!((buf.ref_count(), slice.ref_count()), (2, 2));
    drop(buf);
    assert_eq!((slice.ref_count(), slice.is_unique()), (1, true));
}
