//! Which allocator it is: several pools, the global one, what the environment
//! says.

use std::collections::HashSet;

use refbuf::{BufAllocator, ByteBuf, Pool, PoolConfig, Unpooled, default_allocator};

use crate::support::{Either, KINDS, assert_empty, child, is_child};

#[test]
fn pools_have_caches_and_numbers_of_their_own() {
    let pools: Vec<_> = (0..8).map(|_| Pool::new(PoolConfig::new())).collect();
    let mut addresses: Vec<HashSet<usize>> = vec![HashSet::new(); pools.len()];
    for round in 0..50 {
        let mut held: Vec<Either> = Vec::new();
        for (pool, addresses) in pools.iter().zip(&mut addresses) {
            for kind in KINDS {
                let mut buf = kind.take(pool, 1000);
                addresses.insert(buf.address());
                held.push(buf);
            }
        }
        if round % 2 == 0 {
            held.reverse();
        }
        drop(held);
    }
    for (pool, own) in pools.iter().zip(&addresses) {
        let stats = pool.stats();
        assert_eq!((stats.taken(), stats.misses(), stats.live_bytes()), (100, 2, 0));
        // The two blocks that each began with.
        assert_eq!(own.len(), 2);
        assert_eq!(addresses.iter().filter(|other| !own.is_disjoint(other)).count(), 1);
    }
    let [first, others @ ..] = &pools[..] else { unreachable!() };
    first.trim();
    assert_eq!(first.stats().reserved, 0);
    assert!(others.iter().all(|pool| pool.stats().reserved > 0));
    pools.iter().for_each(assert_empty);
}

#[test]
fn clones_are_one_pool() {
    let pool = Pool::new(PoolConfig::new());
    let clone = pool.clone();
    drop(pool.heap(1000));
    assert_eq!(clone.stats(), pool.stats());
    drop(pool);
    drop(clone.heap(1000));
    assert_eq!((clone.stats().taken(), clone.stats().misses()), (2, 1));
}

#[test]
fn the_global_pool_is_one() {
    assert!(std::ptr::eq(Pool::global(), Pool::global()));
    let before = Pool::global().stats().taken();
    let held = Pool::global().heap(1000);
    assert_eq!(held.capacity(), 1024);
    assert!(Pool::global().stats().taken() > before);
}

#[test]
fn unpooled_buffers_are_exact() {
    assert_eq!(Unpooled.heap(1000).capacity(), 1000);
    assert_eq!(Unpooled.composite().component_count(), 0);
    assert!(Unpooled.direct(1000).capacity() >= 1000);
}

/// In the child: says what the default allocator does.
#[test]
fn the_environment_chooses() {
    const NAME: &str = "choice::the_environment_chooses";
    const VARIABLE: &str = "REFBUF_ALLOCATOR";
    if is_child() {
        let before = Pool::global().stats().taken();
        let buf = default_allocator().heap(1000);
        let pooled = Pool::global().stats().taken() > before;
        println!("pooled: {pooled}, capacity {}", buf.capacity());
        return;
    }
    let run = |value: Option<&str>| {
        let output = child(NAME, |command| {
            match value {
                Some(value) => command.env(VARIABLE, value),
                None => command.env_remove(VARIABLE),
            };
        });
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    };
    for (value, expected) in [
        (None, "pooled: true, capacity 1024"),
        (Some("pooled"), "pooled: true, capacity 1024"),
        (Some("unpooled"), "pooled: false, capacity 1000"),
    ] {
        let (success, said) = run(value);
        assert!(success && said.contains(expected), "{value:?}: {said}");
    }
    for garbage in ["", "Pooled", "jemalloc"] {
        let (success, said) = run(Some(garbage));
        let text = format!("{VARIABLE}={garbage:?} is neither \"pooled\" nor \"unpooled\"");
        assert!(!success && said.contains(&text), "{garbage:?}: {said}");
        // At the line of the caller.
        assert!(said.contains("choice.rs"), "{said}");
    }
}
