//! Composites of 1 to 10 000 components, beside what one writes over `bytes`
//! for the same job: a queue of `Bytes`.

mod common;

use bytes::{Buf, Bytes};
use common::{Rows, criterion};
use core::hint::black_box;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use refbuf::{ByteBuf, CompositeBuf, SliceBuf};
use std::collections::VecDeque;

/// Bytes of a component.
const LEN: usize = 64;
const COMPONENTS: [usize; 5] = [1, 10, 100, 1_000, 10_000];

#[derive(Clone, Default)]
struct BytesChain {
    parts: VecDeque<Bytes>,
    remaining: usize,
}

impl BytesChain {
    fn push(&mut self, part: Bytes) {
        self.remaining += part.len();
        self.parts.push_back(part);
    }

    fn byte_at(&self, mut index: usize) -> u8 {
        for part in &self.parts {
            match part.get(index) {
                Some(&byte) => return byte,
                None => index -= part.len(),
            }
        }
        panic!("out of bounds");
    }
}

impl Buf for BytesChain {
    fn remaining(&self) -> usize {
        self.remaining
    }

    fn chunk(&self) -> &[u8] {
        self.parts.front().map_or(&[], |part| part)
    }

    fn advance(&mut self, mut n: usize) {
        self.remaining -= n;
        while let Some(front) = self.parts.front_mut() {
            if n < front.len() {
                front.advance(n);
                break;
            }
            n -= front.len();
            self.parts.pop_front();
        }
    }
}

#[inline(never)]
fn build_composite(payload: &mut SliceBuf, n: usize) -> CompositeBuf {
    let mut buf = CompositeBuf::new();
    for _ in 0..n {
        buf.push(payload.clone());
    }
    buf
}

#[inline(never)]
fn build_chain(payload: &mut Bytes, n: usize) -> BytesChain {
    let mut buf = BytesChain::default();
    for _ in 0..n {
        buf.push(payload.clone());
    }
    buf
}

fn composite(n: usize) -> CompositeBuf {
    build_composite(&mut SliceBuf::from(vec![1; LEN]), n)
}

fn chain(n: usize) -> BytesChain {
    build_chain(&mut Bytes::from(vec![1; LEN]), n)
}

#[inline(never)]
fn read_composite(buf: &mut CompositeBuf) -> u64 {
    let mut sum = 0;
    while buf.is_readable() {
        sum += u64::from(buf.read_u8());
    }
    sum
}

#[inline(never)]
fn read_chain(buf: &mut BytesChain) -> u64 {
    let mut sum = 0;
    while buf.has_remaining() {
        sum += u64::from(buf.get_u8());
    }
    sum
}

/// All bytes, one by one. The chain is used up by that: its copies are made
/// outside the time.
fn seq_read(c: &mut Criterion) {
    for n in COMPONENTS {
        let mut rows = Rows::new(c, "seq_read", n);
        rows.bytes(n * LEN);
        let mut buf = composite(n);
        rows.bench("composite", |b| {
            b.iter(|| {
                let sum = read_composite(black_box(&mut buf));
                buf.set_reader_index(0);
                sum
            });
        });
        let full = chain(n);
        rows.bench("bytes_chain", |b| {
            b.iter_batched_ref(|| full.clone(), read_chain, BatchSize::SmallInput);
        });
    }
}

#[inline(never)]
fn get_composite(buf: &mut CompositeBuf, index: usize) -> u64 {
    buf.get_u8(index).into()
}

#[inline(never)]
fn get_chain(buf: &mut BytesChain, index: usize) -> u64 {
    buf.byte_at(index).into()
}

/// One byte at an index that nothing foretells.
fn random_get(c: &mut Criterion) {
    fn run<B>(
        rows: &mut Rows<'_>,
        who: &str,
        len: usize,
        mut buf: B,
        get: fn(&mut B, usize) -> u64,
    ) {
        let mut random = 1_u64;
        rows.bench(who, |b| {
            b.iter(|| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                get(&mut buf, (random >> 33) as usize % len)
            });
        });
    }
    for n in COMPONENTS {
        let mut rows = Rows::new(c, "random_get", n);
        run(&mut rows, "composite", n * LEN, composite(n), get_composite);
        run(&mut rows, "bytes_chain", n * LEN, chain(n), get_chain);
    }
}

/// Components that exist already are put together and dropped again.
fn build_and_drop(c: &mut Criterion) {
    for n in COMPONENTS {
        let mut rows = Rows::new(c, "build_and_drop", n);
        let mut payload = SliceBuf::from(vec![1; LEN]);
        rows.run("composite", &mut payload, n, build_composite);
        let mut payload = Bytes::from(vec![1; LEN]);
        let _second = payload.clone();
        rows.run("bytes_chain", &mut payload, n, build_chain);
    }
}

criterion_group! {
    name = composites;
    config = criterion();
    targets = seq_read, random_get, build_and_drop
}
criterion_main!(composites);
