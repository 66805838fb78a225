//! The global allocator refuses the first, the second .. call: an error or a
//! way round, and every counter right.

use refbuf::{BufAllocator, ByteBuf, ByteBufMut, Error, Pool, PoolConfig};

use crate::support::{Either, KINDS, assert_all_back, assert_empty};
use crate::watched::{balanced, with_budget};

fn numbers(pool: &Pool) -> (usize, u64, u64, u64) {
    let stats = pool.stats();
    (stats.reserved, stats.live_bytes(), stats.taken(), stats.oversized)
}

/// A pool that this thread has a cache of.
fn used(config: PoolConfig) -> Pool {
    let pool = Pool::new(config);
    drop(pool.heap(1));
    pool
}

/// `call` with each number of allocations granted until it succeeds; how many
/// times it did not.
#[track_caller]
fn refused_times<T>(pool: impl Fn() -> Pool, call: impl Fn(&Pool) -> Result<T, Error>) -> usize {
    for budget in 0.. {
        let mut done = false;
        balanced(|| {
            let pool = pool();
            let before = numbers(&pool);
            match with_budget(budget, || call(&pool)) {
                Ok(_) => done = true,
                Err(error) => {
                    assert!(matches!(error, Error::Alloc { .. }), "{error}");
                    assert_eq!(numbers(&pool), before);
                    drop(call(&pool).expect("there is memory again"));
                }
            }
            assert_empty(&pool);
        });
        if done {
            return budget;
        }
    }
    unreachable!()
}

#[test]
fn taking_survives_every_refusal() {
    // The list of this thread's caches stays.
    drop(used(PoolConfig::new()));
    for kind in KINDS {
        for size in [1000, 1 << 20, 2 << 20] {
            let times = refused_times(|| used(PoolConfig::new()), |pool| kind.try_take(pool, size));
            assert!(times > 0);
        }
    }
}

#[test]
fn growing_survives_every_refusal() {
    drop(used(PoolConfig::new()));
    for kind in KINDS {
        for (from, to) in [(100, 1000), (1000, 3 << 20), (2 << 20, 3 << 20)] {
            let pool = || {
                let pool = used(PoolConfig::new());
                drop(kind.take(&pool, from));
                pool
            };
            for budget in 0.. {
                let mut done = false;
                balanced(|| {
                    let pool = pool();
                    let mut buf = kind.take(&pool, from);
                    buf.buf().write_bytes(b"bytes");
                    let before = (numbers(&pool), buf.buf().capacity());
                    match with_budget(budget, || buf.buf().try_ensure_writable(to)) {
                        Ok(()) => done = true,
                        Err(error) => {
                            assert!(matches!(error, Error::Alloc { .. }), "{error}");
                            assert_eq!((numbers(&pool), buf.buf().capacity()), before);
                            buf.buf().ensure_writable(to);
                        }
                    }
                    assert_eq!(buf.buf().to_vec(), b"bytes");
                    drop(buf);
                    assert_empty(&pool);
                });
                if done {
                    break;
                }
            }
        }
    }
}

#[test]
fn blocks_come_back_without_an_allocation() {
    for config in [
        PoolConfig::new(),
        PoolConfig::new().thread_cache(0),
        PoolConfig::new().thread_cache(0).max_idle(0),
    ] {
        for kind in KINDS {
            for size in [64, 5000, 1 << 20, 2 << 20] {
                let pool = used(config.clone());
                let held: Vec<Either> =
                    (0..200.min((8 << 20) / size)).map(|_| kind.take(&pool, size)).collect();
                // Lists are empty, and stay so.
                pool.trim();
                with_budget(0, || drop(held));
                assert_all_back(&pool);
                // What could not be listed went back to the system.
                with_budget(0, || pool.trim());
                assert_empty(&pool);
                drop(kind.take(&pool, size));
            }
        }
    }
}

#[test]
fn a_pool_closes_without_an_allocation() {
    drop(used(PoolConfig::new()));
    balanced(|| {
        let pool = used(PoolConfig::new());
        let mut held: Vec<Either> = Vec::with_capacity(100);
        for kind in KINDS {
            held.extend((0..30).map(|_| kind.take(&pool, 3000)));
            drop((0..30).map(|_| kind.take(&pool, 3000)).collect::<Vec<_>>());
        }
        with_budget(0, || {
            drop(pool);
            held.clear();
        });
    });
}

#[test]
fn a_composite_survives_every_refusal() {
    drop(used(PoolConfig::new()));
    let times = refused_times(
        || used(PoolConfig::new()),
        |pool| {
            let mut buf = pool.composite();
            buf.try_write_bytes(&[7; 5000])?;
            assert_eq!(buf.get_u8(4999), 7);
            Ok(buf)
        },
    );
    assert!(times > 1);
}
