//! What memory costs: allocate and drop, on one thread, from one thread to
//! another, and on two threads at once.

mod common;

use bytes::BytesMut;
use common::{Rows, criterion};
use core::hint::black_box;
use criterion::{Bencher, Criterion, criterion_group, criterion_main};
use refbuf::{BufAllocator, DirectBuf, HeapBuf, Pool, PoolConfig, Unpooled};
use std::sync::Barrier;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

const SIZES: [usize; 5] = [256, 1 << 10, 4 << 10, 16 << 10, 64 << 10];

/// Runs `row` for each kind of buffer, all from one pool.
macro_rules! rows {
    ($rows:ident, $pool:ident, |$make:ident| $row:expr) => {{
        let pool = &$pool;
        {
            let $make = |size: usize| Vec::<u8>::with_capacity(size);
            $rows.bench("vec", $row);
        }
        {
            let $make = |size: usize| BytesMut::with_capacity(size);
            $rows.bench("bytes", $row);
        }
        {
            let $make = |size: usize| -> HeapBuf { Unpooled.heap(size) };
            $rows.bench("unpooled_heap", $row);
        }
        {
            let $make = |size: usize| -> HeapBuf { pool.heap(size) };
            $rows.bench("pooled_heap", $row);
        }
        {
            let $make = |size: usize| -> DirectBuf { pool.direct(size) };
            $rows.bench("pooled_direct", $row);
        }
    }};
}

#[inline(never)]
fn make_and_drop<B>(make: &impl Fn(usize) -> B, size: usize) {
    // In its place: moving a handle about is not what is measured.
    let buf = make(size);
    black_box(&buf);
}

fn alloc_drop(c: &mut Criterion) {
    let pool = Pool::new(PoolConfig::new());
    for size in SIZES {
        let mut rows = Rows::new(c, "alloc_drop", size);
        rows!(rows, pool, |make| |b: &mut Bencher<'_>| {
            b.iter(|| make_and_drop(&make, black_box(size)));
        });
    }
}

/// Buffers handed over at once, so that the channel is not what is measured,
/// but never so many that their memory is.
fn batch_of(size: usize) -> usize {
    ((1 << 20) / size).clamp(16, 256)
}

/// Allocated here, dropped there. The time is that of the whole, per buffer.
fn hand_over<B: Send>(n: u64, batch_len: usize, make: impl Fn() -> B) -> Duration {
    let (sender, receiver) = sync_channel::<Vec<B>>(4);
    // The vectors come back: they are not what is measured either.
    let (back, empty) = sync_channel::<Vec<B>>(8);
    thread::scope(|scope| {
        scope.spawn(move || {
            for mut batch in receiver {
                batch.clear();
                let _ = back.send(batch);
            }
        });
        for _ in 0..4 {
            sender.send(Vec::with_capacity(batch_len)).unwrap();
        }
        let start = Instant::now();
        let mut left = n;
        while left > 0 {
            let now = left.min(batch_len as u64);
            let mut batch = empty.recv().unwrap();
            batch.extend((0..now).map(|_| make()));
            sender.send(batch).unwrap();
            left -= now;
        }
        drop(sender);
        while empty.recv().is_ok() {}
        start.elapsed()
    })
}

/// As large as a buffer's handle, without memory: what handing over costs by
/// itself, to be taken off the other rows.
struct Handle(#[allow(dead_code)] [usize; 7]);

impl Drop for Handle {
    fn drop(&mut self) {
        black_box(self);
    }
}

fn cross_thread(c: &mut Criterion) {
    let pool = Pool::new(PoolConfig::new());
    for size in SIZES {
        let mut rows = Rows::new(c, "cross_thread", size);
        rows.bench("handle", |b| {
            b.iter_custom(|n| hand_over(n, batch_of(size), || Handle(black_box([1; 7]))));
        });
        rows!(rows, pool, |make| |b: &mut Bencher<'_>| {
            b.iter_custom(|n| hand_over(n, batch_of(size), || make(black_box(size))));
        });
    }
}

/// Two threads at once. The time is that of one iteration of both: where they
/// do not disturb each other, half of `alloc_drop`'s.
fn at_once(n: u64, work: impl Fn() + Sync) -> Duration {
    let (start, work) = (Barrier::new(2), &work);
    let one = |n: u64| {
        start.wait();
        let since = Instant::now();
        for _ in 0..n {
            work();
        }
        since.elapsed()
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| one(n - n / 2));
        let this = one(n / 2);
        other.join().unwrap().max(this)
    })
}

fn threads2(c: &mut Criterion) {
    let pool = Pool::new(PoolConfig::new());
    for size in SIZES {
        let mut rows = Rows::new(c, "threads2", size);
        rows!(rows, pool, |make| |b: &mut Bencher<'_>| {
            b.iter_custom(|n| at_once(n, || make_and_drop(&make, black_box(size))));
        });
    }
}

criterion_group! {
    name = alloc;
    config = criterion();
    targets = alloc_drop, cross_thread, threads2
}
criterion_main!(alloc);
