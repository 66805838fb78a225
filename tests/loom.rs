//! The handles of a block on several threads, explored by loom:
//! `RUSTFLAGS="--cfg loom" LOOM_MAX_PREEMPTIONS=3 cargo test --release --test loom`.
//!
//! Loom does not see raw memory, so each model keeps a cell beside the buffer
//! and touches it where the buffer's bytes are touched: two accesses that the
//! library does not order are then a failure.
#![cfg(loom)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::cell::UnsafeCell;
use loom::thread;
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf, WeakSlice};

/// Stands for the bytes of a buffer, or of a part of it.
#[derive(Clone)]
struct Shadow(Arc<Watched>);

struct Watched(UnsafeCell<()>);

// SAFETY: loom fails the model on every unordered access of the cell.
unsafe impl Send for Watched {}
// SAFETY: as above.
unsafe impl Sync for Watched {}

impl Shadow {
    fn new() -> Self {
        Self(Arc::new(Watched(UnsafeCell::new(()))))
    }

    /// Reads the cell along with the bytes.
    fn look<T>(&self, read: impl FnOnce() -> T) -> T {
        self.0.0.with(|_| read())
    }

    /// Finds `expected` in `buf`.
    fn read(&self, buf: &impl ByteBuf, expected: &[u8]) {
        self.look(|| assert_eq!(buf.chunk(0), expected));
    }

    /// Writes `byte` to the start of `buf` if that is allowed.
    fn write(&self, buf: &mut impl ByteBufMut, byte: u8) -> Result<(), Error> {
        buf.try_set_u8(0, byte).map(|()| self.touch())
    }

    /// Tries to until it is.
    fn write_when_alone(&self, buf: &mut impl ByteBufMut, byte: u8) {
        while let Err(error) = self.write(buf, byte) {
            assert_eq!(error, Error::Shared);
            thread::yield_now();
        }
    }

    fn touch(&self) {
        self.0.0.with_mut(|_| ());
    }
}

/// Bytes of somebody else, who notices when they are freed.
struct Owner {
    shadow: Shadow,
    drops: Arc<AtomicUsize>,
}

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        b"own"
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shadow.touch();
        self.drops.fetch_add(1, Ordering::Relaxed);
    }
}

fn join<T>(threads: impl IntoIterator<Item = thread::JoinHandle<T>>) -> Vec<T> {
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// An owner is blocked while slices of it are read elsewhere, and may write
/// when they are gone.
#[test]
fn loom_owner_thaws_after_its_slices() {
    loom::model(|| {
        let shadow = Shadow::new();
        let mut owner = HeapBuf::with_capacity(8);
        owner.write_bytes(b"abcd");
        let threads = [(0..4, "abcd"), (0..2, "ab")].map(|(range, expected)| {
            let (slice, shadow) = (owner.slice(range), shadow.clone());
            thread::spawn(move || shadow.read(&slice, expected.as_bytes()))
        });
        // Behind what it handed out it may write at any time.
        owner.write_u8(b'e');
        shadow.write_when_alone(&mut owner, b'A');
        assert_eq!(owner, "Abcde");
        assert_eq!(owner.ref_count(), 1);
        join(threads);
    });
}

/// An owner that needs more room leaves its block to the slices, or keeps it
/// if they are gone.
#[test]
fn loom_owner_grows_beside_its_slices() {
    loom::model(|| {
        let shadow = Shadow::new();
        let mut owner = HeapBuf::from(b"ab".to_vec());
        let threads = [0..1, 0..2].map(|range| {
            let expected = b"ab"[range.clone()].to_vec();
            let (slice, shadow) = (owner.slice(range), shadow.clone());
            thread::spawn(move || shadow.read(&slice, &expected))
        });
        if owner.is_unique() {
            // It grows where it is, or gives the place back.
            shadow.touch();
        }
        owner.write_zeros(100);
        owner.set_u8(0, b'A');
        join(threads);
        assert_eq!(owner.chunk(0)[..2], *b"Ab");
    });
}

#[test]
fn loom_unique_slice_writes() {
    loom::model(|| {
        let shadow = Shadow::new();
        let first = SliceBuf::from(vec![0]);
        let threads = [1, 2].map(|byte| {
            let (mut slice, shadow) = (first.clone(), shadow.clone());
            thread::spawn(move || {
                shadow.look(|| assert!(slice.get_u8(0) <= 2));
                shadow.write(&mut slice, byte).is_ok()
            })
        });
        drop(first);
        let written = join(threads);
        // Two handles cannot both be alone, but the last may.
        assert!(!(written[0] && written[1]));
    });
}

#[test]
fn loom_slice_becomes_owner_when_alone() {
    loom::model(|| {
        let shadow = Shadow::new();
        let slice = SliceBuf::from(b"abcd".to_vec());
        let weak = slice.downgrade();
        let upgrader = {
            let shadow = shadow.clone();
            thread::spawn(move || {
                if let Some(slice) = weak.upgrade() {
                    shadow.read(&slice, b"abcd");
                }
            })
        };
        let mut owner = HeapBuf::try_from(slice);
        while let Err(slice) = owner {
            thread::yield_now();
            owner = HeapBuf::try_from(slice);
        }
        let mut owner = owner.unwrap();
        shadow.write(&mut owner, b'A').unwrap();
        assert_eq!(owner.into_vec(), b"Abcd");
        join([upgrader]);
    });
}

#[test]
fn loom_weak_slice_is_told_of_the_release() {
    loom::model(|| {
        let slice = SliceBuf::from(vec![7]);
        let mut weak = slice.downgrade();
        let threads =
            [slice.clone(), slice].map(|mut slice| thread::spawn(move || slice.release()));
        match weak.try_get_u8(0) {
            Ok(byte) => assert_eq!(byte, 7),
            Err(error) => assert_eq!(error, Error::Released),
        }
        let last = join(threads);
        assert_eq!(last.iter().filter(|last| **last).count(), 1);
        assert!(!weak.is_accessible());
        assert_eq!(weak.ref_count(), 0);
        assert_eq!(weak.try_get_u8(0), Err(Error::Released));
        assert_eq!(weak.try_read_u8(), Err(Error::Released));
        assert!(weak.upgrade().is_none());
    });
}

#[test]
fn loom_upgrade_against_release() {
    loom::model(|| {
        let (shadow, drops) = (Shadow::new(), Arc::new(AtomicUsize::new(0)));
        let owner = Owner { shadow: shadow.clone(), drops: Arc::clone(&drops) };
        let slice = SliceBuf::from_owner(owner);
        let upgrade = |weak: WeakSlice| {
            let shadow = shadow.clone();
            thread::spawn(move || match weak.upgrade() {
                Some(slice) => {
                    shadow.read(&slice, b"own");
                    assert!(weak.is_accessible());
                }
                None => assert!(!weak.is_accessible() && weak.upgrade().is_none()),
            })
        };
        let threads = [upgrade(slice.downgrade()), upgrade(slice.downgrade())];
        drop(slice);
        join(threads);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn loom_foreign_owner_is_dropped_once() {
    loom::model(|| {
        let (shadow, drops) = (Shadow::new(), Arc::new(AtomicUsize::new(0)));
        let owner = Owner { shadow: shadow.clone(), drops: Arc::clone(&drops) };
        let first = SliceBuf::from_owner(owner);
        let part = first.slice(1..);
        let weak = first.downgrade();
        let strong = {
            let shadow = shadow.clone();
            thread::spawn(move || shadow.read(&part, b"wn"))
        };
        // What it was shown stays, even if the buffer is released meanwhile.
        let reader = thread::spawn(move || {
            if let Ok(bytes) = weak.try_chunk(0) {
                shadow.look(|| assert_eq!(bytes, b"own"));
            }
        });
        drop(first);
        join([strong, reader]);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn loom_halves_are_written_at_once() {
    loom::model(|| {
        let mut front = HeapBuf::from(b"abcd".to_vec());
        let back = front.split_off(2);
        let threads = [front, back].map(|mut half| {
            thread::spawn(move || {
                half.set_u8(0, b'-');
                half
            })
        });
        let [mut front, back]: [HeapBuf; 2] = join(threads).try_into().unwrap();
        front.unsplit(back).unwrap();
        assert_eq!(front, "-b-d");
        assert!(front.is_unique());
    });
}

/// What a dropped half wrote happens before the other half writes there.
#[test]
fn loom_half_takes_over_the_room_of_the_other() {
    loom::model(|| {
        let shadow = Shadow::new();
        let mut front = HeapBuf::with_capacity(64);
        front.write_bytes(b"abcd");
        let mut back = front.split_off(2);
        let other = {
            let shadow = shadow.clone();
            thread::spawn(move || shadow.write(&mut back, b'C').unwrap())
        };
        let block = front.chunk(0).as_ptr();
        while !front.is_unique() {
            thread::yield_now();
        }
        front.write_bytes(b"xyz");
        shadow.touch();
        assert_eq!(front, "abxyz");
        assert_eq!(front.chunk(0).as_ptr(), block);
        join([other]);
    });
}

#[test]
fn loom_component_becomes_writable() {
    loom::model(|| {
        let shadow = Shadow::new();
        let part = SliceBuf::from(b"part".to_vec());
        let (copy, weak) = (part.clone(), part.downgrade());
        let mut whole = CompositeBuf::new();
        whole.push(part);
        whole.push("static");
        let threads = {
            let (a, b) = (shadow.clone(), shadow.clone());
            [
                thread::spawn(move || a.read(&copy, b"part")),
                thread::spawn(move || {
                    if let Some(slice) = weak.upgrade() {
                        b.read(&slice, b"part");
                    }
                }),
            ]
        };
        shadow.write_when_alone(&mut whole, b'P');
        assert_eq!(whole, "Partstatic");
        join(threads);
    });
}

/// A slice of a component outlives its composite on another thread.
#[test]
fn loom_component_is_handed_over() {
    loom::model(|| {
        let (shadow, drops) = (Shadow::new(), Arc::new(AtomicUsize::new(0)));
        let owner = Owner { shadow: shadow.clone(), drops: Arc::clone(&drops) };
        let mut whole = CompositeBuf::from(SliceBuf::from_owner(owner));
        whole.push("-");
        let rest = whole.split_off(2);
        let slice = whole.slice(0..2);
        let threads = {
            let (a, b) = (shadow.clone(), shadow.clone());
            [
                thread::spawn(move || b.read(&slice, b"ow")),
                thread::spawn(move || a.read(&rest, b"n")),
            ]
        };
        drop(whole);
        join(threads);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    });
}
