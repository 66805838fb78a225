//! Handles of one block on many threads at once, for the sanitizers to look at:
//! what loom explores in small, at full speed. Counts are bounded, nothing is
//! timed.
//!
//! Threads are started with what they need and joined one by one: a thread
//! sanitizer knows these two orders, while channels and scopes are inside a
//! standard library that it does not see into. All else is ordered by the
//! counts alone.
#![cfg(not(loom))]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

#[cfg(feature = "std")]
use refbuf::{BufAllocator, Pool, PoolConfig};
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf};

const THREADS: usize = 4;
const ROUNDS: usize = 200;

fn join<T>(threads: impl IntoIterator<Item = JoinHandle<T>>) -> Vec<T> {
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

fn byte(n: usize) -> u8 {
    n.to_le_bytes()[0]
}

/// An owner of bytes that counts how often it is dropped.
struct Owner {
    bytes: Vec<u8>,
    drops: Arc<AtomicUsize>,
}

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.bytes.fill(0xdd);
        self.drops.fetch_add(1, Ordering::Relaxed);
    }
}

/// Frames are cut from one buffer and read elsewhere while it goes on
/// appending, and is written from the start whenever it is alone.
#[test]
fn frames_are_cut_while_others_read() {
    let mut owner = HeapBuf::with_capacity(256);
    let mut threads = Vec::new();
    for round in 0..ROUNDS {
        let mut frames = Vec::new();
        for n in 0..8 {
            owner.make_room(16);
            owner.write_bytes(&[byte(round + n); 16]);
            frames.push((owner.read_slice(16), byte(round + n)));
        }
        threads.push(thread::spawn(|| {
            for (mut frame, byte) in frames {
                assert_eq!(frame, [byte; 16]);
                let (part, copy) = (frame.slice(3..7), frame.clone());
                assert_eq!(frame.try_set_u8(0, !byte), Err(Error::Shared));
                drop((part, copy));
                if frame.try_set_u8(0, !byte).is_ok() {
                    assert_eq!(frame.get_u8(0), !byte);
                }
            }
        }));
        if owner.try_set_bytes(0, &[byte(round); 8]).is_ok() {
            assert_eq!(owner.get_u8(7), byte(round));
        }
        if round % THREADS == 0 {
            join(threads.drain(..threads.len() / 2));
        }
    }
    join(threads);
    assert_eq!(owner.ref_count(), 1);
}

/// A view either reads what was there or is told that it is gone.
#[test]
fn views_race_with_the_last_release() {
    for round in 0..ROUNDS {
        let drops = Arc::new(AtomicUsize::new(0));
        let owner = Owner { bytes: vec![byte(round); 32], drops: Arc::clone(&drops) };
        let slice = SliceBuf::from_owner(owner);
        let mut threads = Vec::new();
        for _ in 0..THREADS {
            let view = slice.downgrade();
            threads.push(thread::spawn(move || {
                for _ in 0..8 {
                    match view.try_chunk(0) {
                        Ok(chunk) => assert_eq!(chunk, [byte(round); 32]),
                        Err(error) => assert_eq!(error, Error::Released),
                    }
                    match view.upgrade() {
                        Some(held) => assert_eq!(held, [byte(round); 32]),
                        None => assert!(!view.is_accessible()),
                    }
                }
            }));
        }
        drop(slice);
        join(threads);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }
}

/// Whoever finds a slice alone may write it; no other handle sees that.
#[test]
fn the_last_handle_writes() {
    for _ in 0..ROUNDS {
        let first = SliceBuf::from(vec![0u8; 64]);
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let mut handle = first.clone();
                thread::spawn(move || {
                    assert_eq!(handle, [0; 64]);
                    handle.try_as_mut_slice().map(|bytes| bytes.fill(1)).is_ok()
                })
            })
            .collect();
        drop(first);
        let written = join(threads).into_iter().filter(|written| *written).count();
        assert!(written <= 1, "{written} handles were alone");
    }
}

/// Parts of one block are written at once and joined again.
#[test]
fn parts_are_written_at_once() {
    for _ in 0..ROUNDS {
        let mut whole = HeapBuf::from(vec![0; 8 * THREADS]);
        let threads: Vec<_> = (0..THREADS)
            .map(|n| {
                let mut part = whole.split_to(8);
                thread::spawn(move || {
                    part.set_u64(0, n as u64);
                    part
                })
            })
            .collect();
        let mut joined = HeapBuf::new();
        for part in join(threads) {
            joined.unsplit(part).unwrap();
        }
        for n in 0..THREADS {
            assert_eq!(joined.read_u64(), n as u64);
        }
    }
}

/// Composites of a part that all share go to other threads, which take them
/// apart and write them where they are alone.
#[test]
fn composites_are_handed_over() {
    let body = SliceBuf::from(b"the body that all share".to_vec());
    let mut threads = Vec::new();
    for n in 0..THREADS {
        let mut messages = Vec::new();
        for round in 0..ROUNDS {
            let mut message = CompositeBuf::new();
            message.write_u32(u32::try_from(n * ROUNDS + round).unwrap());
            message.push(body.slice(..));
            messages.push(message);
        }
        threads.push(thread::spawn(|| {
            for mut message in messages {
                let n = message.get_u32(0);
                message.set_u32(0, !n);
                assert_eq!(message.try_set_u8(4, 0), Err(Error::Shared));
                let mut tail = message.split_off(8);
                tail.write_u32(n);
                assert_eq!(message.get_u32(0), !n);
                drop(message);
                assert_eq!(tail.slice(0..4), "body");
                assert_eq!(tail.get_u32(tail.writer_index() - 4), n);
            }
        }));
    }
    join(threads);
    assert_eq!(body.ref_count(), 1);
}

/// Counting goes right when all do everything.
#[test]
fn counts_are_exact_in_the_end() {
    let slice = SliceBuf::from(vec![7; 16]);
    let threads: Vec<_> = (0..THREADS)
        .map(|n| {
            let slice = slice.clone();
            thread::spawn(move || {
                let mut held = Vec::new();
                for round in 0..10 * ROUNDS {
                    match (n + round) % 4 {
                        0 => held.push(slice.clone()),
                        1 => held.extend(slice.downgrade().upgrade()),
                        2 => held.push(slice.slice(round % 8..)),
                        _ => held.clear(),
                    }
                }
            })
        })
        .collect();
    join(threads);
    assert_eq!(slice.ref_count(), 1);
    assert!(slice.is_unique());
}

/// Small enough that batches wander and memory goes back all the time.
#[cfg(feature = "std")]
fn busy_pool() -> Pool {
    let config = PoolConfig::new().max_pooled(4096).thread_cache(1024).max_idle(32 << 10);
    Pool::new(config.chunk_size(16 << 10).huge_pages(false))
}

/// A slice of a new block, of either kind, that is full of `byte`.
#[cfg(feature = "std")]
fn filled(pool: &Pool, len: usize, byte: u8) -> SliceBuf {
    #[cfg(feature = "mmap")]
    if byte % 2 == 0 {
        let mut buf = pool.direct(len);
        buf.write_bytes(&vec![byte; len]);
        return buf.freeze();
    }
    let mut buf = pool.heap(len);
    buf.write_bytes(&vec![byte; len]);
    buf.freeze()
}

#[cfg(feature = "std")]
fn check(slices: &[(SliceBuf, u8)]) {
    for (slice, byte) in slices {
        assert!(slice.as_slice().iter().all(|other| other == byte), "somebody else wrote");
    }
}

/// Blocks are taken on all threads and dropped on others, while the pool is
/// trimmed: each thread starts the next, with half of what it holds.
#[cfg(feature = "std")]
#[test]
fn pooled_blocks_are_handed_on() {
    fn relay(pool: Pool, mut held: Vec<(SliceBuf, u8)>, left: usize) {
        for n in 0..40 {
            let byte = byte(left + n);
            held.push((filled(&pool, 1 + (left * 31 + n * 17) % 5000, byte), byte));
            if n % 3 == 0 {
                held.swap_remove(left % held.len());
            }
            if n % 19 == 0 {
                pool.trim();
            }
        }
        check(&held);
        let handed = held.split_off(held.len() / 2);
        let next = (left != 0).then(|| {
            let pool = pool.clone();
            thread::spawn(move || relay(pool, handed, left - 1))
        });
        check(&held);
        drop(held);
        join(next);
    }
    let pool = busy_pool();
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let pool = pool.clone();
            thread::spawn(|| relay(pool, Vec::new(), 20))
        })
        .collect();
    join(threads);
    assert_eq!(pool.stats().live_bytes(), 0);
    pool.trim();
    assert_eq!(pool.stats().reserved, 0);
}

/// Handles of one block go on several threads at once, and the block is used
/// again by whoever has it next.
#[cfg(feature = "std")]
#[test]
fn the_last_handle_of_a_pooled_block_is_anywhere() {
    let pool = busy_pool();
    for round in 0..ROUNDS {
        let byte = byte(round);
        let slice = filled(&pool, 100, byte);
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let (pool, slice, view) = (pool.clone(), slice.clone(), slice.downgrade());
                thread::spawn(move || {
                    check(&[(slice, byte)]);
                    // It may be gone, but is nobody else's yet.
                    if let Some(slice) = view.upgrade() {
                        check(&[(slice, byte)]);
                    }
                    drop(view);
                    let own = [0, 1].map(|i| {
                        (filled(&pool, 100, byte.wrapping_add(i + 1)), byte.wrapping_add(i + 1))
                    });
                    check(&own);
                })
            })
            .collect();
        drop(slice);
        join(threads);
    }
    assert_eq!(pool.stats().live_bytes(), 0);
    pool.trim();
    assert_eq!(pool.stats().reserved, 0);
}

/// Pools go while their blocks are in use, also by threads that have others.
#[cfg(feature = "std")]
#[test]
fn pools_come_and_go() {
    for round in 0..ROUNDS / 4 {
        let pools = [busy_pool(), busy_pool()];
        let threads: Vec<_> = (0..THREADS)
            .map(|n| {
                let pools = pools.clone();
                thread::spawn(move || {
                    let mut held = Vec::new();
                    for i in 0..30 {
                        let byte = byte(round + n + i);
                        held.push((filled(&pools[(i / 4) % 2], 1 + i * 100, byte), byte));
                        if i % 5 == n {
                            held.swap_remove(0);
                        }
                    }
                    let [first, second] = pools;
                    drop(first);
                    held.drain(..10);
                    drop(second);
                    check(&held);
                    held
                })
            })
            .collect();
        drop(pools);
        for held in join(threads) {
            check(&held);
        }
    }
}
