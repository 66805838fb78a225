//! `max_bytes` and `max_idle`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use refbuf::{BufAllocator, ByteBuf, ByteBufMut, Error, Pool, PoolConfig};

use crate::support::{KINDS, Kind, PAGE, assert_empty};

const CHUNK: usize = 2 << 20;

fn limited(bytes: usize) -> PoolConfig {
    PoolConfig::new().max_bytes(bytes).huge_pages(false)
}

/// What must not change when nothing was to be had. Looking for memory does
/// count as a miss.
fn state(pool: &Pool) -> (usize, usize, u64, u64, u64) {
    let stats = pool.stats();
    let (live, taken) = (stats.live_bytes(), stats.taken());
    (stats.reserved, stats.reserved_high, live, taken, stats.oversized)
}

#[track_caller]
fn assert_exhausted<T: std::fmt::Debug>(pool: &Pool, call: impl FnOnce() -> Result<T, Error>) {
    let before = state(pool);
    let error = call().expect_err("there was room");
    assert!(matches!(error, Error::Exhausted { .. }), "{error}");
    assert!(error.to_string().contains("the pool's limit of"), "{error}");
    assert_eq!(state(pool), before);
}

#[test]
fn heap_blocks_reach_the_limit_exactly() {
    let pool = Pool::new(limited(16 << 16));
    let mut held: Vec<_> = (0..16).map(|_| pool.heap(1 << 16)).collect();
    assert_eq!(
        pool.try_heap(1 << 16).unwrap_err(),
        Error::Exhausted { needed: 1 << 16, limit: 16 << 16 }
    );
    for kind in KINDS {
        for size in [0, 64, 1 << 16, 2 << 20] {
            assert_exhausted(&pool, || kind.try_take(&pool, size));
        }
    }
    held.pop();
    held.push(pool.heap(1 << 16));
    assert_exhausted(&pool, || pool.try_heap(1 << 16));
    drop(held);
    assert_empty(&pool);
    assert_eq!(pool.stats().reserved_high, 16 << 16);
}

#[test]
fn direct_blocks_count_by_the_chunk() {
    let pool = Pool::new(limited(2 * CHUNK - 1));
    let mut held: Vec<_> = (0..CHUNK >> 16).map(|_| pool.direct(1 << 16)).collect();
    assert_eq!(pool.stats().reserved, CHUNK);
    assert_exhausted(&pool, || pool.try_direct(1 << 16));
    assert_exhausted(&pool, || pool.try_direct(1000));
    held.pop();
    held.push(pool.direct(1 << 16));
    drop(held);
    assert_empty(&pool);
}

#[test]
fn what_rests_is_given_up_first() {
    // A heap block and a chunk cannot be there together.
    let config = limited(CHUNK + (1 << 18)).max_pooled(1 << 20);
    for kind in KINDS {
        for (other, size) in [(Kind::Heap, 1 << 20), (Kind::Direct, 1000), (Kind::Heap, CHUNK)] {
            // In this thread's cache.
            let pool = Pool::new(config.clone());
            drop(kind.take(&pool, 1 << 19));
            drop(other.take(&pool, size));
            drop(kind.take(&pool, CHUNK));
            // In the depots, left by another.
            let of_thread = pool.clone();
            let leave = move || drop([1, 2].map(|_| kind.take(&of_thread, 1 << 20)));
            thread::spawn(leave).join().unwrap();
            drop(other.take(&pool, size));
            assert!(pool.stats().reserved_high <= CHUNK + (1 << 18));
            assert_empty(&pool);
        }
    }
}

#[test]
fn what_rests_is_given_up_for_a_buffer_that_grows() {
    let pool = Pool::new(limited(6 << 20).max_pooled(1 << 20));
    for kind in KINDS {
        let mut buf = kind.take(&pool, 3 << 20);
        buf.buf().write_zeros(3 << 20);
        for rest in KINDS {
            drop([rest.take(&pool, 1 << 20), rest.take(&pool, 1 << 20)]);
        }
        assert!(pool.stats().idle_bytes() >= 1 << 20);
        // In place, or not at all: the old and the new do not both fit.
        buf.buf().ensure_writable(1 << 20);
        assert!(buf.buf().capacity() >= 4 << 20);
        drop(buf);
        assert_empty(&pool);
    }
}

#[test]
fn blocks_too_large_to_pool_count() {
    let pool = Pool::new(limited(2 << 20).max_pooled(4096));
    for kind in KINDS {
        let exact = if kind == Kind::Heap { 1 } else { PAGE };
        let mut buf = kind.take(&pool, 600_001);
        assert_eq!(pool.stats().reserved, 600_001_usize.next_multiple_of(exact));
        assert_eq!(pool.stats().reserved, buf.buf().capacity());
        assert_exhausted(&pool, || kind.try_take(&pool, 1_500_000));

        // Growing does too, and fails without effect.
        buf.buf().write_bytes(&[7; 600_001]);
        assert_exhausted(&pool, || buf.buf().try_ensure_writable(2 << 20));
        assert_exhausted(&pool, || buf.buf().try_write_bytes(&[7; 1_500_000]));
        let capacity = buf.buf().capacity();
        assert_eq!((buf.buf().writer_index(), buf.buf().get_u8(600_000)), (600_001, 7));
        buf.buf().ensure_writable(100_000);
        assert!(buf.buf().capacity() > capacity);
        let stats = pool.stats();
        assert_eq!(stats.reserved, buf.buf().capacity());
        assert_eq!((stats.live_bytes(), stats.idle_bytes()), (stats.reserved as u64, 0));
        assert!(buf.buf().to_vec().iter().all(|&byte| byte == 7));
        drop(buf);
        assert_eq!(pool.stats().reserved, 0);
    }
    assert_eq!(pool.stats().oversized, 2);
    assert_empty(&pool);
}

#[test]
fn one_that_shrinks_gives_back() {
    let pool = Pool::new(PoolConfig::new().max_pooled(4096));
    let mut buf = pool.heap(1 << 20);
    buf.write_bytes(&[7; 5000]);
    buf.shrink_to(0);
    assert_eq!((buf.as_slice(), buf.capacity()), (&[7; 5000][..], 5000));
    assert_eq!(pool.stats().reserved, 5000);
    drop(buf);
    assert_empty(&pool);
}

#[test]
fn a_huge_request_is_an_error() {
    let pool = Pool::new(PoolConfig::new());
    for kind in KINDS {
        for size in [usize::MAX, usize::MAX - 4095, isize::MAX as usize, 1 << 62] {
            let before = state(&pool);
            let error = kind.try_take(&pool, size).unwrap_err();
            assert!(matches!(error, Error::Alloc { .. } | Error::Exhausted { .. }), "{error}");
            let after = state(&pool);
            assert_eq!((before.0, before.2, before.3), (after.0, after.2, after.3));
        }
        let mut buf = kind.take(&pool, 10);
        buf.buf().write_u8(7);
        assert!(buf.buf().try_ensure_writable(isize::MAX as usize - 100).is_err());
        assert_eq!(buf.buf().to_vec(), [7]);
    }
    assert_empty(&pool);
}

#[test]
fn threads_at_once_never_exceed_the_limit() {
    const LIMIT: usize = 6 << 20;
    let pool = Pool::new(limited(LIMIT).max_pooled(1 << 18));
    let refused = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..4_usize)
        .map(|thread| {
            let (pool, refused) = (pool.clone(), refused.clone());
            thread::spawn(move || {
                let mut held = Vec::new();
                let mut bytes = 0;
                for round in 0..3000 {
                    let random = (round * 4 + thread).wrapping_mul(0x9e37_79b9) >> 7;
                    let kind = KINDS[random % 8 / 7];
                    match kind.try_take(&pool, 1 << (random % 20)) {
                        Ok(mut buf) => {
                            bytes += buf.buf().capacity();
                            held.push(buf);
                        }
                        Err(error) => {
                            assert!(matches!(error, Error::Exhausted { .. }), "{error}");
                            refused.fetch_add(1, Ordering::Relaxed);
                            held.clear();
                            bytes = 0;
                        }
                    }
                    assert!(bytes <= LIMIT);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert!(refused.load(Ordering::Relaxed) > 0, "the limit was not reached");
    assert!(pool.stats().reserved_high <= LIMIT);
    assert_empty(&pool);
}

#[test]
fn idle_memory_goes_back_by_itself() {
    let idle = 1 << 20;
    let pool = Pool::new(PoolConfig::new().thread_cache(0).max_idle(idle));
    for kind in KINDS {
        drop((0..1000).map(|_| kind.take(&pool, 1 << 16)).collect::<Vec<_>>());
        // The thread keeps two. Of a chunk that is not whole all stays.
        let kept = idle + (2 << 16);
        let most = if kind == Kind::Heap { kept } else { (kept >> 16) * CHUNK };
        assert!(pool.stats().reserved <= most, "{}", pool.stats());
        assert!(pool.stats().reserved_high >= 1000 << 16);
        pool.trim();
    }
    assert_empty(&pool);

    // With nothing allowed to rest, two chunks at most are not whole.
    let pool = Pool::new(PoolConfig::new().thread_cache(0).max_idle(0));
    drop((0..1000).map(|_| pool.direct(1 << 16)).collect::<Vec<_>>());
    assert!(pool.stats().reserved <= 2 * CHUNK, "{}", pool.stats());
    assert_empty(&pool);
}

#[test]
fn taking_and_dropping_for_long_takes_no_more_memory() {
    for kind in KINDS {
        for size in [1 << 20, 659_225, 64, 4096] {
            let pool = Pool::new(PoolConfig::new());
            drop(kind.take(&pool, size));
            let warm = pool.stats();
            for _ in 0..100_000 {
                drop(kind.take(&pool, size));
            }
            let stats = pool.stats();
            assert_eq!((stats.reserved, stats.misses()), (warm.reserved, warm.misses()));
            assert_eq!(stats.reserved_high, warm.reserved);
            assert_empty(&pool);
        }
    }
}

#[test]
fn generations_of_threads_need_no_more_than_the_first() {
    const THREADS: usize = 40;
    for kind in KINDS {
        let pool = Pool::new(PoolConfig::new());
        let generation = || {
            let all_have_theirs = std::sync::Barrier::new(THREADS);
            thread::scope(|scope| {
                let work = || {
                    let _two = [kind.take(&pool, 16_000), kind.take(&pool, 8_000)];
                    all_have_theirs.wait();
                };
                let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
                // Which waits for what they clean up too.
                threads.into_iter().for_each(|thread| thread.join().unwrap());
            });
            pool.stats().reserved
        };
        let first = generation();
        for _ in 0..5 {
            assert_eq!(generation(), first, "{}", pool.stats());
        }
    }
}

#[test]
fn handing_over_for_long_takes_bounded_memory() {
    const HANDED: usize = 1_000_000;
    const LOT: usize = 50;
    for kind in KINDS {
        let pool = Pool::new(PoolConfig::new());
        let (send, receive) = std::sync::mpsc::sync_channel::<Vec<_>>(4);
        let receiver = thread::spawn(move || receive.iter().map(|lot| lot.len()).sum::<usize>());
        for _ in 0..HANDED / LOT {
            send.send((0..LOT).map(|_| kind.take(&pool, 1000)).collect()).unwrap();
        }
        drop(send);
        assert_eq!(receiver.join().unwrap(), HANDED);
        let stats = pool.stats();
        assert_eq!((stats.taken(), stats.live_bytes()), (HANDED as u64, 0));
        // In flight, in two threads' caches, and a batch between them.
        let most = (6 * LOT + 5 * 64) * 1024;
        assert!(stats.reserved_high <= most.next_multiple_of(CHUNK), "{stats}");
        assert_empty(&pool);
    }
}
