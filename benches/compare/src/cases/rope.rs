//! Ropes: many buffers as one.

use bytes::{Buf, Bytes};
use core::hint::black_box;
use refbuf::{ByteBuf, CompositeBuf, SliceBuf};
use std::collections::VecDeque;

use crate::measure::{Setup, on, work};
use crate::row::{Group, Target};

const PART: usize = 64;
const PARTS: usize = 16;
const LEN: usize = PART * PARTS;

pub fn group() -> Group {
    let mut group = Group::new(
        "rope",
        "Ropes",
        Target::FastestPeer,
        "16 parts of 64 bytes. `build`: put together from handles of one buffer, and dropped. \
         `read`: all 1024 bytes, one by one. `random_get`: one byte at an index that nothing \
         foretells. Where reading consumes the rope, new ones are made outside of the time, and \
         giving up the parts is part of reading. `VecDeque<Bytes>` is what one writes over `bytes`, \
         which has no rope.",
    );

    let mut case = group.case("build");
    case.empty()
        .reference(
            "VecDeque<Bytes>",
            work!(on(part_of_bytes).arg(PARTS) => |part, n| {
                black_box(&chain(part, n));
                0
            }),
        )
        .ours(
            "composite",
            "composite",
            work!(on(part).arg(PARTS) => |part, n| {
                black_box(&composite(part, n));
                0
            }),
        )
        .peer(
            "ntex-bytes",
            work!(on(|| ntex_bytes::Bytes::from(vec![0; PART])).arg(PARTS) => |part, n| {
                black_box(&pages(part, n));
                0
            }),
        )
        .peer(
            "bytesbuf",
            work!(on(view).arg(PARTS) => |part, n| {
                black_box(&bytesbuf::BytesView::from_views((0..n).map(|_| part.clone())));
                0
            }),
        )
        .missing("bytes", NO_ROPE)
        .missing("arc-slice", NO_ROPE);
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware",
        work!(on(|| shared_io_buf().1).arg(PARTS) => |part, n| {
            black_box(&io_bufs(part, n));
            0
        }),
    );
    case.netty_both("build", "composite", PARTS);

    let mut case = group.case("read");
    case.reference(
        "&[u8]",
        work!(on(|| vec![0_u8; LEN].into_boxed_slice()) => |bytes, _| {
            bytes.iter().fold(0, |sum, &byte| black_box(sum + u64::from(byte)))
        }),
    )
    .reference(
        "VecDeque<Bytes>",
        work!(many(|| chain(&part_of_bytes(), PARTS)) => |ropes, _| {
            read_all(ropes.next())
        }),
    )
    .ours(
        "composite",
        "composite",
        work!(on(|| composite(&part(), PARTS)) => |rope, start| {
            let mut sum = 0;
            while rope.is_readable() {
                sum += u64::from(rope.read_u8());
            }
            rope.set_reader_index(start);
            sum
        }),
    )
    .peer(
        "bytesbuf",
        work!(many(rope_of_views) => |ropes, _| {
            let rope = ropes.next();
            let mut sum = 0;
            while !rope.is_empty() {
                sum += u64::from(rope.get_byte());
            }
            sum
        }),
    )
    .missing("ntex-bytes", "its pages are written and sent, not read")
    .missing("bytes", NO_ROPE)
    .missing("arc-slice", NO_ROPE);
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware",
        work!(many(|| io_bufs(&shared_io_buf().1, PARTS)) => |ropes, _| {
            read_all(ropes.next())
        }),
    );
    case.netty_both("read_rope", "composite", PARTS);

    let mut case = group.case("random_get");
    case.reference(
        "&[u8]",
        work!(random(|| vec![0_u8; LEN]) => |state, _| {
            let index = state.index();
            state.rope[index].into()
        }),
    )
    .reference(
        "VecDeque<Bytes>",
        work!(random(|| chain(&part_of_bytes(), PARTS)) => |state, _| {
            let index = state.index();
            state.rope.byte_at(index).into()
        }),
    )
    .ours(
        "composite",
        "composite",
        work!(random(|| composite(&part(), PARTS)) => |state, _| {
            let index = state.index();
            state.rope.get_u8(index).into()
        }),
    )
    .missing("bytesbuf", NO_INDEX)
    .missing("ntex-bytes", NO_INDEX)
    .missing("commonware", NO_INDEX)
    .missing("bytes", NO_ROPE)
    .missing("arc-slice", NO_ROPE);
    case.netty_both("random_rope", "composite", PARTS);
    group
}

const NO_ROPE: &str = "has no rope";
const NO_INDEX: &str = "its rope has no access by index";

fn part() -> SliceBuf {
    SliceBuf::from(vec![0; PART])
}

fn composite(part: &SliceBuf, n: usize) -> CompositeBuf {
    (0..n).map(|_| part.clone()).collect()
}

/// In its counted form, as a handle that was cloned is.
fn part_of_bytes() -> Bytes {
    let part = Bytes::from(vec![0; PART]);
    drop(part.clone());
    part
}

fn pages(part: &ntex_bytes::Bytes, n: usize) -> ntex_bytes::BytePages {
    let mut rope = ntex_bytes::BytePages::default();
    for _ in 0..n {
        rope.append(part.clone());
    }
    rope
}

fn view() -> bytesbuf::BytesView {
    bytesbuf::BytesView::copied_from_slice(&[0; PART], &bytesbuf::mem::GlobalPool::new())
}

fn rope_of_views() -> bytesbuf::BytesView {
    let part = view();
    bytesbuf::BytesView::from_views((0..PARTS).map(|_| part.clone()))
}

/// Two handles, so that it is in its counted form.
#[cfg(feature = "commonware")]
fn shared_io_buf() -> (commonware_runtime::IoBuf, commonware_runtime::IoBuf) {
    let part = commonware_runtime::IoBuf::from(vec![0; PART]);
    (part.clone(), part)
}

#[cfg(feature = "commonware")]
fn io_bufs(part: &commonware_runtime::IoBuf, n: usize) -> commonware_runtime::IoBufs {
    let mut rope = commonware_runtime::IoBufs::default();
    for _ in 0..n {
        rope.append(part.clone());
    }
    rope
}

/// A queue of `Bytes` that is read as one.
#[derive(Clone, Default)]
struct Chain {
    parts: VecDeque<Bytes>,
    remaining: usize,
}

fn chain(part: &Bytes, n: usize) -> Chain {
    let mut rope = Chain::default();
    rope.parts.reserve(n);
    for _ in 0..n {
        rope.remaining += part.len();
        rope.parts.push_back(part.clone());
    }
    rope
}

impl Chain {
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

impl Buf for Chain {
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

fn read_all<B: Buf>(rope: &mut B) -> u64 {
    let mut sum = 0;
    while rope.has_remaining() {
        sum += u64::from(rope.get_u8());
    }
    sum
}

/// Ropes that reading consumes.
struct Many<R> {
    whole: R,
    ready: Vec<R>,
    next: usize,
}

const READY: usize = 64;

fn many<R: Clone + 'static>(make: impl Fn() -> R + Sync + 'static) -> Setup<Many<R>> {
    let refill = |ropes: &mut Many<R>| {
        ropes.ready.clear();
        ropes.ready.resize(READY, ropes.whole.clone());
        ropes.next = 0;
    };
    on(move || Many { whole: make(), ready: Vec::new(), next: 0 }).refill(READY as u64, refill)
}

impl<R> Many<R> {
    fn next(&mut self) -> &mut R {
        self.next += 1;
        &mut self.ready[self.next - 1]
    }
}

struct Random<R> {
    rope: R,
    random: u64,
}

fn random<R: 'static>(make: impl Fn() -> R + Sync + 'static) -> Setup<Random<R>> {
    on(move || Random { rope: make(), random: 1 })
}

impl<R> Random<R> {
    fn index(&mut self) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) as usize % LEN
    }
}
