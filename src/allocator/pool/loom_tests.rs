//! Models of what threads share past their caches, explored by loom over all
//! interleavings: `RUSTFLAGS="--cfg loom" cargo test --release --lib loom`.
//!
//! Loom sees counts, locks and flags, and that no `Arc` is left: each block has
//! one of its home. A cell that loom watches stands for the bytes of a block.

use loom::cell::UnsafeCell;
use loom::thread;

use super::PoolConfig;
use super::depot::Block;
use super::shared::Shared;
use crate::sync::Arc;

/// The smallest class of heap blocks; there are two of each kind, and a batch
/// is one block.
const HEAP: usize = 0;
#[cfg(feature = "mmap")]
const DIRECT: usize = 3;

fn config() -> PoolConfig {
    PoolConfig::new().max_pooled(80).thread_cache(64).chunk_size(64).huge_pages(false)
}

fn pool(config: PoolConfig) -> Arc<Shared> {
    Arc::new(Shared::new(config))
}

fn take(pool: &Arc<Shared>, class: usize) -> Block {
    Shared::take_one(pool, class).unwrap()
}

fn put_elsewhere(pool: &Arc<Shared>, class: usize, block: Block) -> thread::JoinHandle<()> {
    let pool = pool.clone();
    thread::spawn(move || pool.put_one(class, block))
}

/// Every block went home once, and the pool keeps nothing.
fn assert_nothing_left(pool: &Arc<Shared>) {
    let stats = pool.stats();
    assert_eq!((stats.live_bytes(), stats.reserved), (0, 0));
    assert_eq!(Arc::strong_count(pool), 1);
}

/// The bytes of a block, for two threads.
struct Bytes(UnsafeCell<usize>);

// SAFETY: loom fails the model on every unordered access of the cell.
unsafe impl Send for Bytes {}
// SAFETY: as above.
unsafe impl Sync for Bytes {}

impl Bytes {
    fn write(&self) {
        // SAFETY: loom checks that nobody else has access.
        self.0.with_mut(|bytes| unsafe { *bytes += 1 });
    }
}

#[test]
fn loom_a_block_that_is_taken_again_was_given_back() {
    loom::model(|| {
        let pool = pool(config());
        let block = take(&pool, HEAP);
        let first = block.address();
        let bytes = std::sync::Arc::new(Bytes(UnsafeCell::new(0)));
        let other = thread::spawn({
            let (pool, bytes) = (pool.clone(), bytes.clone());
            move || {
                bytes.write();
                pool.put_one(HEAP, block);
            }
        });
        let again = take(&pool, HEAP);
        if again.address() == first {
            bytes.write();
        }
        pool.put_one(HEAP, again);
        other.join().unwrap();
        Shared::trim(&pool);
        assert_nothing_left(&pool);
    });
}

#[test]
fn loom_two_threads_do_not_take_one_block() {
    loom::model(|| {
        let pool = pool(config());
        pool.put_one(HEAP, take(&pool, HEAP));
        let other = thread::spawn({
            let pool = pool.clone();
            move || take(&pool, HEAP)
        });
        let mine = take(&pool, HEAP);
        let other = other.join().unwrap();
        assert_ne!(mine.address(), other.address());
        pool.put_one(HEAP, mine);
        pool.put_one(HEAP, other);
        Shared::trim(&pool);
        assert_nothing_left(&pool);
    });
}

#[test]
fn loom_trim_against_return() {
    loom::model(|| {
        let pool = pool(config());
        pool.put_one(HEAP, take(&pool, HEAP));
        let block = take(&pool, HEAP);
        let other = put_elsewhere(&pool, HEAP, block);
        Shared::trim(&pool);
        other.join().unwrap();
        Shared::trim(&pool);
        assert_nothing_left(&pool);
    });
}

#[test]
fn loom_close_against_return() {
    loom::model(|| {
        let pool = pool(config());
        let blocks = [take(&pool, HEAP), take(&pool, HEAP)];
        let others = blocks.map(|block| put_elsewhere(&pool, HEAP, block));
        Shared::close(&pool);
        for other in others {
            other.join().unwrap();
        }
        assert_nothing_left(&pool);
    });
}

#[test]
fn loom_close_against_a_block_that_is_taken() {
    loom::model(|| {
        let pool = pool(config());
        pool.put_one(HEAP, take(&pool, HEAP));
        // A buffer that outlives the pool grows.
        let other = thread::spawn({
            let pool = pool.clone();
            move || pool.put_one(HEAP, take(&pool, HEAP))
        });
        Shared::close(&pool);
        other.join().unwrap();
        assert_nothing_left(&pool);
    });
}

#[cfg(feature = "mmap")]
#[test]
fn loom_a_chunk_goes_with_the_last_of_its_blocks() {
    loom::model(|| {
        let pool = pool(config().max_idle(0));
        let (one, two) = (take(&pool, DIRECT), take(&pool, DIRECT));
        let other = put_elsewhere(&pool, DIRECT, one);
        pool.put_one(DIRECT, two);
        other.join().unwrap();
        assert_nothing_left(&pool);
    });
}

#[cfg(feature = "mmap")]
#[test]
fn loom_close_against_return_to_a_chunk() {
    loom::model(|| {
        let pool = pool(config());
        let block = take(&pool, DIRECT);
        let other = put_elsewhere(&pool, DIRECT, block);
        Shared::close(&pool);
        other.join().unwrap();
        assert_nothing_left(&pool);
    });
}

#[test]
fn loom_the_limit_holds() {
    loom::model(|| {
        let pool = pool(config().max_bytes(64));
        let try_take = |pool: &Arc<Shared>| match Shared::take_one(pool, HEAP) {
            Ok(block) => pool.put_one(HEAP, block),
            Err(error) => assert!(matches!(error, crate::Error::Exhausted { .. })),
        };
        let other = thread::spawn({
            let pool = pool.clone();
            move || try_take(&pool)
        });
        try_take(&pool);
        other.join().unwrap();
        assert_eq!(pool.stats().reserved_high, 64);
        Shared::trim(&pool);
        assert_nothing_left(&pool);
    });
}
