//! Random use by several threads at once: no two live buffers ever overlap, and
//! each has the size and the alignment that it was asked for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;

use proptest::collection::vec;
use proptest::prelude::*;
use refbuf::{Pool, PoolConfig};

use crate::support::{Either, Kind, PAGE, assert_empty, classes};

const MAX_POOLED: usize = 128 << 10;

#[derive(Clone, Debug)]
enum Step {
    Take(Kind, usize),
    Grow(u8, u16),
    Drop(u8),
    /// Leaves a buffer for whoever comes first.
    Leave(u8),
    Find,
    Trim,
}

fn size() -> impl Strategy<Value = usize> {
    let all: Vec<usize> = classes(MAX_POOLED).collect();
    let boundary = (proptest::sample::select(all), 0..3_usize).prop_map(|(size, n)| size + n - 1);
    prop_oneof![2 => 0..6000_usize, 4 => boundary, 1 => MAX_POOLED..3 * MAX_POOLED]
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![Just(Kind::Heap), Just(Kind::Direct)];
    prop_oneof![
        6 => (kind, size()).prop_map(|(kind, size)| Step::Take(kind, size)),
        2 => (any::<u8>(), any::<u16>()).prop_map(|(i, n)| Step::Grow(i, n)),
        4 => any::<u8>().prop_map(Step::Drop),
        2 => any::<u8>().prop_map(Step::Leave),
        2 => Just(Step::Find),
        1 => Just(Step::Trim),
    ]
}

/// Start and end of what is live, of all threads.
#[derive(Default)]
struct Live(Mutex<BTreeMap<usize, usize>>);

impl Live {
    fn add(&self, start: usize, len: usize) {
        let mut live = self.0.lock().unwrap();
        if let Some((before, &end)) = live.range(..start + len).next_back() {
            assert!(end <= start, "{before:#x}..{end:#x} and {start:#x}..{:#x}", start + len);
        }
        live.insert(start, start + len);
    }

    fn remove(&self, start: usize) {
        assert!(self.0.lock().unwrap().remove(&start).is_some());
    }
}

/// A buffer that is full of one byte.
struct Held {
    buf: Either,
    byte: u8,
}

struct World {
    pool: Pool,
    live: Live,
    shelf: Mutex<Vec<Held>>,
}

impl World {
    fn take(&self, kind: Kind, size: usize, byte: u8) -> Held {
        let mut buf = kind.take(&self.pool, size);
        let (start, capacity) = (buf.address(), buf.buf().capacity());
        assert!(capacity >= size);
        if size <= 64 {
            assert_eq!(capacity, 64);
        } else if size <= MAX_POOLED {
            assert!((capacity - size) * 4 <= size, "{capacity} for {size}");
        } else {
            let exact = if kind == Kind::Heap { 1 } else { PAGE };
            assert_eq!(capacity, size.next_multiple_of(exact));
        }
        let alignment = match kind {
            Kind::Heap => 16,
            Kind::Direct if capacity.is_power_of_two() => capacity.min(PAGE),
            // A quarter of the power of two below.
            Kind::Direct => (1 << capacity.ilog2() >> 2).min(PAGE),
        };
        assert_eq!(start % alignment, 0, "{kind:?} of {capacity}");
        let mut held = Held { buf, byte };
        self.begin(&mut held);
        held
    }

    fn begin(&self, Held { buf, byte }: &mut Held) {
        buf.buf().clear();
        let start = buf.address();
        let buf = buf.buf();
        self.live.add(start, buf.capacity());
        buf.write_bytes(&vec![*byte; buf.capacity()]);
    }

    /// It is what was written, to the last byte.
    fn end(&self, Held { buf, byte }: &mut Held) {
        let buf = buf.buf();
        let chunk = buf.chunk(0);
        assert!(chunk.iter().all(|other| other == byte), "somebody else wrote");
        self.live.remove(chunk.as_ptr().addr());
    }

    fn run(&self, steps: &[Step], thread: u8) {
        let mut mine: Vec<Held> = Vec::new();
        for (step, n) in steps.iter().zip(0..) {
            let index = |i: u8| usize::from(i) % mine.len().max(1);
            match *step {
                Step::Take(kind, size) => mine.push(self.take(kind, size, (thread << 6) | n)),
                Step::Trim => self.pool.trim(),
                Step::Find => mine.extend(self.shelf.lock().unwrap().pop()),
                Step::Grow(i, _) | Step::Drop(i) | Step::Leave(i) if mine.is_empty() => _ = i,
                Step::Grow(i, more) => {
                    let at = index(i);
                    let held = &mut mine[at];
                    self.end(held);
                    let byte = held.byte;
                    let buf = held.buf.buf();
                    buf.ensure_writable(more.into());
                    assert!(buf.chunk(0).iter().all(|&other| other == byte), "not copied");
                    self.begin(held);
                }
                Step::Drop(i) => {
                    let mut held = mine.swap_remove(index(i));
                    self.end(&mut held);
                }
                Step::Leave(i) => self.shelf.lock().unwrap().push(mine.swap_remove(index(i))),
            }
        }
        for mut held in mine {
            self.end(&mut held);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_two_live_buffers_overlap(
        threads in vec(vec(step(), 0..60), 1..4),
        thread_cache in prop_oneof![Just(0), Just(4096), Just(256 << 10)],
        max_idle in prop_oneof![Just(0), Just(1 << 20), Just(64 << 20)],
        chunk_size in prop_oneof![Just(0), Just(64 << 10), Just(2 << 20)],
        huge_pages in any::<bool>(),
        zero in any::<bool>(),
    ) {
        let config = PoolConfig::new()
            .max_pooled(MAX_POOLED)
            .thread_cache(thread_cache)
            .max_idle(max_idle)
            .chunk_size(chunk_size)
            .huge_pages(huge_pages)
            .zero_on_release(zero);
        let world = Arc::new(World {
            pool: Pool::new(config),
            live: Live::default(),
            shelf: Mutex::default(),
        });
        let running: Vec<_> = threads
            .into_iter()
            .zip(0..)
            .map(|(steps, n)| {
                let world = world.clone();
                thread::spawn(move || world.run(&steps, n))
            })
            .collect();
        for thread in running {
            thread.join().unwrap();
        }
        for mut held in world.shelf.lock().unwrap().drain(..) {
            world.end(&mut held);
        }
        assert_empty(&world.pool);
    }
}
