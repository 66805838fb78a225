//! Models of the word, explored by loom over all interleavings:
//! `RUSTFLAGS="--cfg loom" cargo test --release --lib loom`.
//!
//! A cell that loom watches stands for the memory of a block: reading it,
//! writing it and freeing it (a write too) must be ordered by the word alone.
//! All else that the threads share is invisible to loom, so nothing else can
//! order them.

use loom::cell::UnsafeCell;
use loom::thread;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use super::*;

struct Block {
    count: RefCount,
    memory: UnsafeCell<()>,
    released: AtomicUsize,
    freed: AtomicUsize,
}

// SAFETY: loom fails the model on every unordered access of the cell.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    fn read(&self) {
        self.memory.with(|_| ());
    }

    fn write(&self) {
        self.memory.with_mut(|_| ());
    }

    fn left(&self, left: Left) {
        if left.released {
            self.released.fetch_add(1, Ordering::Relaxed);
        }
        if left.free {
            self.freed.fetch_add(1, Ordering::Relaxed);
            self.write();
        }
    }

    fn released(&self) -> usize {
        self.released.load(Ordering::Relaxed)
    }
}

/// A strong handle and `credits` more references.
struct Strong {
    block: Arc<Block>,
    credits: u32,
}

impl Strong {
    fn new() -> Self {
        let block = Arc::new(Block {
            count: RefCount::new(),
            memory: UnsafeCell::new(()),
            released: AtomicUsize::new(0),
            freed: AtomicUsize::new(0),
        });
        block.write();
        Self { block, credits: 0 }
    }

    fn downgrade(&self) -> Weak {
        self.block.count.retain_weak();
        Weak(Arc::clone(&self.block))
    }

    fn take_credits(&mut self, n: u32) {
        self.block.count.retain(n);
        self.credits += n;
    }

    fn spend_credit(&mut self) -> Self {
        self.credits -= 1;
        Self { block: Arc::clone(&self.block), credits: 0 }
    }

    fn return_credits(&mut self) {
        let left = self.block.count.release(core::mem::take(&mut self.credits));
        assert_eq!(left, Left { released: false, free: false });
    }

    fn write_if_unique(&mut self) -> bool {
        let unique = self.block.count.is_unique(1 + self.credits);
        if unique {
            self.block.write();
        }
        unique
    }
}

impl Clone for Strong {
    fn clone(&self) -> Self {
        self.block.count.retain(1);
        Self { block: Arc::clone(&self.block), credits: 0 }
    }
}

impl Drop for Strong {
    fn drop(&mut self) {
        self.block.left(self.block.count.release(1 + self.credits));
    }
}

struct Weak(Arc<Block>);

impl Weak {
    fn upgrade(&self) -> Option<Strong> {
        let upgraded = self.0.count.upgrade();
        upgraded.then(|| Strong { block: Arc::clone(&self.0), credits: 0 })
    }

    fn is_accessible(&self) -> bool {
        self.0.count.strong() != 0
    }
}

impl Clone for Weak {
    fn clone(&self) -> Self {
        self.0.count.retain_weak();
        Self(Arc::clone(&self.0))
    }
}

impl Drop for Weak {
    fn drop(&mut self) {
        self.0.left(self.0.count.release_weak());
    }
}

/// Runs `threads`, each on its own, and `main` beside them, in every order;
/// the block that `main` starts from is released once and freed once.
fn model(main: impl Fn(Strong) -> Vec<thread::JoinHandle<()>> + Send + Sync + 'static) {
    loom::model(move || {
        let first = Strong::new();
        let block = Arc::clone(&first.block);
        for thread in main(first) {
            thread.join().unwrap();
        }
        assert_eq!(block.released(), 1);
        assert_eq!(block.freed.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn loom_clone_and_drop() {
    model(|first| {
        let (a, b) = (first.clone(), first.clone());
        let cloner = thread::spawn(move || {
            let another = a.clone();
            drop(a);
            another.block.read();
        });
        let reader = thread::spawn(move || b.block.read());
        drop(first);
        vec![cloner, reader]
    });
}

#[test]
fn loom_unique_write_after_readers() {
    model(|mut first| {
        let threads =
            [first.clone(), first.clone()].map(|handle| thread::spawn(move || handle.block.read()));
        // Written early only when both are gone.
        first.write_if_unique();
        first.write_if_unique();
        threads.into()
    });
}

#[test]
fn loom_each_may_find_itself_unique() {
    model(|mut first| {
        let threads = [first.clone(), first.clone()].map(|mut handle| {
            thread::spawn(move || {
                handle.block.read();
                handle.write_if_unique();
            })
        });
        first.write_if_unique();
        drop(first);
        threads.into()
    });
}

#[test]
fn loom_upgrade_against_last_release() {
    model(|first| {
        let (a, b) = (first.downgrade(), first.downgrade());
        let reader = thread::spawn(move || {
            if let Some(strong) = a.upgrade() {
                assert_eq!(strong.block.released(), 0);
                strong.block.read();
            }
        });
        let witness = thread::spawn(move || {
            if !b.is_accessible() {
                // For good.
                assert!(b.upgrade().is_none());
            }
        });
        first.block.read();
        drop(first);
        vec![reader, witness]
    });
}

/// A handle that came from an upgrade and outlives the weak one may write.
#[test]
fn loom_upgrade_then_unique_write() {
    model(|first| {
        let weak = first.downgrade();
        let upgrader = thread::spawn(move || {
            if let Some(mut strong) = weak.upgrade() {
                drop(weak);
                strong.write_if_unique();
            }
        });
        let reader = first.clone();
        let reader = thread::spawn(move || reader.block.read());
        drop(first);
        vec![upgrader, reader]
    });
}

/// A weak handle reads what it was allowed to read, even if the buffer is
/// released meanwhile: the memory stays.
#[test]
fn loom_weak_read_against_release_and_free() {
    model(|first| {
        let threads = [first.downgrade(), first.downgrade()].map(|weak| {
            thread::spawn(move || {
                if weak.is_accessible() {
                    weak.0.read();
                }
            })
        });
        drop(first);
        threads.into()
    });
}

/// One load tells of weak handles too.
#[test]
fn loom_weak_handles_prevent_unique_write() {
    model(|mut first| {
        let weak = first.downgrade();
        let reader = thread::spawn(move || weak.0.read());
        let strong = first.clone();
        let downgrader = thread::spawn(move || {
            let weak = strong.downgrade();
            drop(strong);
            weak.0.read();
        });
        first.write_if_unique();
        vec![reader, downgrader]
    });
}

#[test]
fn loom_last_weak_frees() {
    model(|first| {
        let (a, b) = (first.downgrade(), first.downgrade());
        drop(first);
        assert!(!a.is_accessible());
        vec![
            thread::spawn(move || {
                let another = a.clone();
                drop(a);
                another.0.read();
            }),
            thread::spawn(move || {
                assert!(b.upgrade().is_none());
                b.0.read();
            }),
        ]
    });
}

#[test]
fn loom_credits_handed_out_and_given_back() {
    model(|mut first| {
        first.take_credits(3);
        let threads = [first.spend_credit(), first.spend_credit()]
            .map(|frame| thread::spawn(move || frame.block.read()));
        // A credit remains, so unique is a word of two.
        first.write_if_unique();
        threads.into()
    });
}

#[test]
fn loom_credits_given_back_alone() {
    model(|mut first| {
        first.take_credits(3);
        let threads = [first.spend_credit(), first.spend_credit()]
            .map(|frame| thread::spawn(move || frame.block.read()));
        first.return_credits();
        first.write_if_unique();
        threads.into()
    });
}

#[test]
fn loom_credits_against_upgrade() {
    model(|mut first| {
        first.take_credits(2);
        let weak = first.downgrade();
        let upgrader = thread::spawn(move || {
            if let Some(strong) = weak.upgrade() {
                strong.block.read();
            }
        });
        let frame = first.spend_credit();
        let frame = thread::spawn(move || frame.block.read());
        first.write_if_unique();
        vec![upgrader, frame]
    });
}
