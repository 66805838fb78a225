//! What is taken comes back exactly once, and the numbers say so: on another
//! thread, after its thread, after the pool, while a thread is torn down.

use std::cell::RefCell;
use std::sync::mpsc;
use std::thread;

use refbuf::{BufAllocator, ByteBuf, ByteBufMut, Pool, PoolConfig};

use crate::support::{Either, KINDS, Kind, assert_all_back, assert_empty, classes, in_child};
use crate::watched::balanced;

/// Sizes of each kind of handling: many to a batch, few, one; too large.
const SIZES: [usize; 6] = [1, 1000, 4096, 100_000, 1 << 20, 3 << 20];

fn some_of_all(pool: &Pool) -> Vec<Either> {
    KINDS
        .into_iter()
        .flat_map(|kind| SIZES.map(|size| [kind.take(pool, size), kind.take(pool, size)]))
        .flatten()
        .collect()
}

#[test]
fn every_class_goes_back_to_where_it_was() {
    let pool = Pool::new(PoolConfig::new());
    for kind in KINDS {
        for size in classes(1 << 20) {
            let before = pool.stats();
            let held = [size, size - 1, size / 8 * 7].map(|size| kind.take(&pool, size));
            let stats = pool.stats();
            let class =
                |direct| move |c: &&refbuf::ClassStats| c.size == size && c.direct == direct;
            let class = stats.classes.iter().find(class(kind == Kind::Direct)).unwrap();
            let of_it = if size > 64 { 2 } else { 3 };
            assert!(class.live() >= of_it, "{class:?}");
            assert_eq!(class.live_bytes(), class.live() * size as u64);
            assert_eq!(stats.taken() - before.taken(), 3);
            assert!(stats.live_bytes() <= stats.reserved as u64);
            drop(held);
            assert_all_back(&pool);
        }
    }
    let stats = pool.stats();
    assert_eq!(stats.hits() + stats.misses(), stats.taken());
    assert_eq!(stats.idle_bytes(), stats.reserved as u64);
    assert_eq!(stats.reserved, stats.reserved_high);
    assert_empty(&pool);
    assert_eq!(pool.stats().reserved_high, stats.reserved_high);
}

#[test]
fn blocks_come_back_from_another_thread() {
    let pool = Pool::new(PoolConfig::new());
    let held = some_of_all(&pool);
    let taken = pool.stats().taken();
    thread::spawn(|| drop(held)).join().unwrap();
    assert_eq!(pool.stats().taken(), taken);
    assert_empty(&pool);
}

#[test]
fn blocks_come_back_after_the_thread_that_took_them() {
    let pool = Pool::new(PoolConfig::new());
    let held = thread::spawn({
        let pool = pool.clone();
        move || some_of_all(&pool)
    });
    drop(held.join().unwrap());
    assert_empty(&pool);
}

#[test]
fn blocks_come_back_after_the_pool() {
    // The list of this thread's caches stays.
    drop(Pool::new(PoolConfig::new()).heap(1));
    balanced(|| {
        let pool = Pool::new(PoolConfig::new());
        let mut held = some_of_all(&pool);
        drop(some_of_all(&pool));
        drop(pool);
        for buf in &mut held {
            // Alive, and able to grow, but on their own.
            let buf = buf.buf();
            buf.write_zeros(buf.capacity() + 1);
        }
    });
}

#[test]
fn a_thread_that_comes_by_late_gives_its_blocks_away() {
    let pool = Pool::new(PoolConfig::new());
    let (tell, told) = mpsc::channel();
    let (answer, answered) = mpsc::channel();
    let worker = thread::spawn({
        let pool = pool.clone();
        move || {
            drop([pool.heap(1000), pool.heap(1000), pool.heap(1000)]);
            // That it comes by is enough: for the same class, or another.
            for size in [1000, 1] {
                answer.send(()).unwrap();
                told.recv().unwrap();
                drop(pool.heap(size));
            }
            answer.send(()).unwrap();
            told.recv().unwrap();
        }
    });
    for reserved in [3 * 1024, 1024, 64] {
        answered.recv().unwrap();
        assert_eq!(pool.stats().reserved, reserved);
        pool.trim();
        assert_eq!(pool.stats().reserved, reserved, "of another thread's cache");
        tell.send(()).unwrap();
    }
    worker.join().unwrap();
    assert_empty(&pool);
}

/// Every mapping of the process.
#[cfg(target_os = "linux")]
fn is_mapped(address: usize) -> bool {
    std::fs::read_to_string("/proc/self/maps").unwrap().lines().any(|line| {
        let (start, rest) = line.split_once('-').unwrap();
        let (end, _) = rest.split_once(' ').unwrap();
        let number = |hex| usize::from_str_radix(hex, 16).unwrap();
        (number(start)..number(end)).contains(&address)
    })
}

#[cfg(target_os = "linux")]
#[test]
fn chunks_are_unmapped() {
    in_child("accounting::chunks_are_unmapped", || {
        let addresses = |held: &mut [Either]| held.iter_mut().map(Either::address).collect();
        let pool = Pool::new(PoolConfig::new().thread_cache(0).max_idle(0));
        let take = || (0..40).map(|_| Kind::Direct.take(&pool, 200_000)).collect::<Vec<_>>();
        let mut held = take();
        let mut at: Vec<usize> = addresses(&mut held);
        assert!(at.iter().all(|&address| is_mapped(address)));
        drop(held);
        // This thread keeps two blocks, so two chunks at most.
        let chunk = 2 << 20;
        let left: Vec<_> = at.iter().filter(|&&address| is_mapped(address)).collect();
        assert!(left.len() <= 2 * chunk / 200_000, "{}", left.len());
        assert!(pool.stats().reserved <= 2 * chunk);
        pool.trim();
        assert!(!at.iter().any(|&address| is_mapped(address)));

        held = take();
        held.push(Kind::Direct.take(&pool, 5 << 20));
        at = addresses(&mut held);
        drop(pool);
        assert!(at.iter().all(|&address| is_mapped(address)));
        drop(held);
        assert!(!at.iter().any(|&address| is_mapped(address)));
    });
}

/// Buffers that a thread keeps to its end, and uses the pool then.
struct Kept {
    pool: Option<Pool>,
    held: Vec<Either>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            let mut last = some_of_all(pool);
            last.iter_mut().for_each(|buf| buf.buf().write_u8(1));
            self.held.truncate(self.held.len() / 2);
            drop(last);
        }
    }
}

thread_local! {
    static KEPT: RefCell<Kept> = const { RefCell::new(Kept { pool: None, held: Vec::new() }) };
}

fn keep(pool: Option<Pool>, held: Vec<Either>) {
    KEPT.with_borrow_mut(|kept| {
        kept.pool = pool;
        kept.held = held;
    });
}

#[test]
fn blocks_come_back_while_a_thread_is_torn_down() {
    // Destructors of thread-locals run in the reverse order of first use, or in
    // whatever order the system likes: first use is tried both ways.
    in_child("accounting::blocks_come_back_while_a_thread_is_torn_down", || {
        for kept_first in [true, false] {
            for pool_lives in [true, false] {
                let pool = Pool::new(PoolConfig::new());
                let of_thread = pool.clone();
                let thread = thread::spawn(move || {
                    if kept_first {
                        keep(None, Vec::new());
                    }
                    let held = some_of_all(&of_thread);
                    keep(pool_lives.then_some(of_thread), held);
                });
                thread.join().unwrap();
                assert_empty(&pool);
            }
        }
    });
}

#[test]
fn the_last_handle_of_a_pool_goes_while_a_thread_is_torn_down() {
    in_child("accounting::the_last_handle_of_a_pool_goes_while_a_thread_is_torn_down", || {
        for kept_first in [true, false] {
            let thread = thread::spawn(move || {
                if kept_first {
                    keep(None, Vec::new());
                }
                let pool = Pool::new(PoolConfig::new());
                let held = some_of_all(&pool);
                let last = pool.heap(10);
                keep(Some(pool), held);
                last
            });
            let mut last = thread.join().unwrap();
            last.write_bytes(&[1; 10_000]);
            assert_eq!(last.get_u8(9_999), 1);
        }
    });
}

#[test]
fn a_thread_that_ends_leaves_its_blocks_to_others() {
    let pool = Pool::new(PoolConfig::new());
    for _ in 0..20 {
        let pool = pool.clone();
        thread::spawn(move || drop(some_of_all(&pool))).join().unwrap();
    }
    let stats = pool.stats();
    // The first thread's blocks serve all.
    for class in &stats.classes {
        assert!(class.misses <= 2, "{class:?}");
    }
    assert_empty(&pool);
}
