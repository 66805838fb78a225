//! What sharing costs: one more handle, one frame cut off a receive buffer, one
//! weak handle made strong.

mod common;

use bytes::{Bytes, BytesMut};
use common::{Rows, criterion};
use core::hint::black_box;
use core::time::Duration;
use criterion::{Bencher, Criterion, criterion_group, criterion_main};
use refbuf::{ByteBuf, ByteBufMut, HeapBuf, SliceBuf, WeakSlice};
use std::sync::{Arc, Weak};
use std::time::Instant;

const LEN: usize = 64;
const RECEIVED: usize = 64 << 10;

#[inline(never)]
fn clone_drop_body<T: Clone>(handle: &mut T, _: usize) -> u64 {
    drop(black_box(handle.clone()));
    0
}

/// The handle that is cloned stays, so every drop is one of a shared block.
fn clone_drop(c: &mut Criterion) {
    let mut rows = Rows::new(c, "clone_drop", LEN);
    rows.run("arc", &mut Arc::<[u8]>::from(vec![0; LEN]), 0, clone_drop_body);
    // Promoted to its counted form, as a handle that was cloned is.
    let mut bytes = Bytes::from(vec![0; LEN]);
    let _second = bytes.clone();
    rows.run("bytes", &mut bytes, 0, clone_drop_body);
    rows.run("refbuf", &mut SliceBuf::from(vec![0; LEN]), 0, clone_drop_body);
}

#[inline(never)]
fn cut_bytes(buf: &mut BytesMut, n: usize) {
    drop(black_box(buf.split_to(n).freeze()));
}

#[inline(never)]
fn cut_refbuf(buf: &mut HeapBuf, n: usize) {
    drop(black_box(buf.read_slice(n)));
}

/// Cuts all frames off a full buffer, again and again. Filling it is not part
/// of the time.
fn cut_all<B>(b: &mut Bencher<'_>, mut buf: B, fill: impl Fn(&mut B), cut: impl Fn(&mut B, usize)) {
    b.iter_custom(|frames| {
        let mut time = Duration::ZERO;
        let mut left = frames;
        while left > 0 {
            fill(&mut buf);
            let now = left.min((RECEIVED / LEN) as u64);
            let start = Instant::now();
            for _ in 0..now {
                cut(black_box(&mut buf), black_box(LEN));
            }
            time += start.elapsed();
            left -= now;
        }
        time
    });
}

fn cut_frame(c: &mut Criterion) {
    let mut rows = Rows::new(c, "cut_frame", LEN);
    rows.bench("bytes", |b| {
        let fill = |buf: &mut BytesMut| {
            buf.clear();
            buf.resize(RECEIVED, 0);
        };
        cut_all(b, BytesMut::with_capacity(RECEIVED), fill, cut_bytes);
    });
    rows.bench("refbuf", |b| {
        let fill = |buf: &mut HeapBuf| {
            buf.clear();
            buf.write_zeros(RECEIVED);
        };
        cut_all(b, HeapBuf::with_capacity(RECEIVED), fill, cut_refbuf);
    });
}

#[inline(never)]
fn upgrade_arc(weak: &mut Weak<[u8]>, _: usize) -> u64 {
    drop(black_box(weak.upgrade()));
    0
}

#[inline(never)]
fn upgrade_refbuf(weak: &mut WeakSlice, _: usize) -> u64 {
    drop(black_box(weak.upgrade()));
    0
}

fn weak_upgrade(c: &mut Criterion) {
    let mut rows = Rows::new(c, "weak_upgrade", LEN);
    let arc = Arc::<[u8]>::from(vec![0; LEN]);
    rows.run("arc", &mut Arc::downgrade(&arc), 0, upgrade_arc);
    let slice = SliceBuf::from(vec![0; LEN]);
    rows.run("refbuf", &mut slice.downgrade(), 0, upgrade_refbuf);
}

criterion_group! {
    name = refcount;
    config = criterion();
    targets = clone_drop, cut_frame, weak_upgrade
}
criterion_main!(refcount);
