//! A connection's buffer keeps what its traffic needs and not the largest it
//! ever was, whatever memory it is made of.
#![cfg(feature = "mmap")]

use std::collections::VecDeque;
use std::iter;

use refbuf::{
    BufAllocator, ByteBuf, ByteBufMut, DirectBuf, HeapBuf, OwnedBuf, Pool, PoolConfig,
    ReceivePolicy, SliceBuf, Storage,
};

const SHORTEST_READ: usize = 1 << 10;
const LONGEST_READ: usize = 64 << 10;

/// What a buffer may keep: so many times what is needed. A read may be twice as
/// long as what comes, and a block four times as large as is read.
const FACTOR: usize = 8;

struct Trace {
    name: &'static str,
    /// Bytes of the messages that come, one after the other.
    messages: Vec<usize>,
    /// The largest of those that still come at the end.
    needs: usize,
}

fn traces() -> Vec<Trace> {
    let trace = |name, messages, needs| Trace { name, messages, needs };
    let growing = || iter::successors(Some(1), |size| Some(size * 2)).take(22);
    vec![
        trace("constant", vec![3000; 100], 3000),
        trace("bursts", [60_000, 200, 200, 200].repeat(40), 60_000),
        trace("one huge message", then_calm(&[500, 500, 4 << 20]), 500),
        trace("huge messages", then_calm(&[4 << 20; 4]), 500),
        trace("slow trickle", vec![1; 500], 1),
        trace("growing, then calm", then_calm(&growing().collect::<Vec<_>>()), 500),
        trace("growing, then silent", growing().collect(), LONGEST_READ),
    ]
}

fn then_calm(messages: &[usize]) -> Vec<usize> {
    [messages, &[500; 60]].concat()
}

/// Receives the messages, holds on to the last `held` of them, and returns what
/// the buffer keeps when the connection waits for more.
fn kept_after<S: Storage>(mut buf: OwnedBuf<S>, messages: &[usize], held: usize) -> usize {
    let mut policy = ReceivePolicy::new(SHORTEST_READ, LONGEST_READ);
    let mut slices: VecDeque<(SliceBuf, u8)> = VecDeque::new();
    for (&len, fill) in messages.iter().zip((0..=u8::MAX).cycle()) {
        let source = vec![fill; len];
        let mut source = &source[..];
        while !source.is_empty() {
            let room = policy.prepare(&mut buf).unwrap();
            let read = buf.read_from(&mut source, room).unwrap();
            policy.record(read);
        }
        slices.push_back((buf.read_slice(len), fill));
        if slices.len() > held {
            let (slice, fill) = slices.pop_front().unwrap();
            assert!(slice.as_slice().iter().all(|&byte| byte == fill), "the bytes have changed");
        }
    }
    policy.prepare(&mut buf).unwrap();
    buf.allocation_len()
}

/// All traces, with buffers of one kind.
fn check<S: Storage>(kind: &str, buf: impl Fn() -> OwnedBuf<S>) {
    for Trace { name, messages, needs } in traces() {
        for held in [0, 3] {
            let kept = kept_after(buf(), &messages, held);
            let limit = FACTOR * needs.max(SHORTEST_READ);
            assert!(kept <= limit, "{kind}, {name}, {held} held: {kept} bytes kept, not {limit}");
        }
    }
}

#[test]
fn heap() {
    check("heap", HeapBuf::new);
}

#[test]
fn direct() {
    check("direct", DirectBuf::new);
}

/// Both what is pooled and what is too large to be, and nothing is left of it.
#[test]
fn pooled() {
    for max_pooled in [64 << 10, 1 << 20, 32 << 20] {
        let pool = Pool::new(PoolConfig::new().max_pooled(max_pooled));
        check("pooled heap", || pool.heap(SHORTEST_READ));
        check("pooled direct", || pool.direct(SHORTEST_READ));
        let stats = pool.stats();
        assert_eq!(stats.live_bytes(), 0);
        pool.trim();
        assert_eq!(pool.stats().reserved, 0);
    }
}

/// A buffer that was too large to pool comes from the pool again when it has
/// shrunk.
#[test]
fn shrinking_leads_back_into_the_pool() {
    let pool = Pool::new(PoolConfig::new().max_pooled(64 << 10));
    let taken = || pool.stats().taken();
    let mut heap = pool.heap(1 << 20);
    let mut direct = pool.direct(1 << 20);
    assert_eq!((taken(), pool.stats().oversized), (0, 2));
    heap.write_u64(7);
    direct.write_u64(8);
    heap.shrink_to(1024);
    direct.shrink_to(1024);
    assert_eq!((taken(), pool.stats().oversized), (2, 2));
    assert_eq!((heap.read_u64(), direct.read_u64()), (7, 8));
    assert_eq!(pool.stats().live_bytes(), 2048);
    // And out of it again.
    heap.reserve(1 << 20);
    let stats = pool.stats();
    assert_eq!((stats.oversized, stats.live_bytes()), (3, 1024 + stats.oversized_bytes as u64));
    assert!(stats.oversized_bytes >= 1 << 20);
}
