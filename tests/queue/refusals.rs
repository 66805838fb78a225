//! What fails changes nothing, and what is asked of the allocator.

use refbuf::{ByteBuf, CoalescingQueue, CompositeBuf, Error, HeapBuf, SliceBuf};

use crate::support::{bytes, state};
use crate::watched::{Counts, balanced, counted, with_budget};

/// Small, long, in pieces and empty, with tokens; the list is full, so that the
/// next one counts.
fn make() -> CoalescingQueue<u32> {
    let mut queue = CoalescingQueue::new().copy_up_to(10);
    queue.push_with("small", 0);
    queue.push_with("small", 1);
    queue.push_with(["in ", "pieces, one of them long"].into_iter().collect::<CompositeBuf>(), 2);
    queue.push_with("small", 3);
    for token in [4, 5, 6] {
        queue.push_with("", token);
    }
    queue.push_with(SliceBuf::from_static(b"as long as this"), 7);
    queue
}

/// All that there is, from the front.
fn drain(queue: &mut CoalescingQueue<u32>) -> Vec<(Vec<u8>, Vec<u32>)> {
    let mut all = Vec::new();
    while !queue.is_empty() {
        let taken = queue.take(3).unwrap();
        all.push((taken.buf.to_vec(), taken.tokens));
    }
    all
}

/// `step` with the first, the second .. allocation refused, until it needs no
/// more: it fails and changes nothing, or it succeeds.
#[track_caller]
fn survives_refusals(
    name: &str,
    make: impl Fn() -> CoalescingQueue<u32>,
    step: impl Fn(&mut CoalescingQueue<u32>) -> Result<(), Error>,
) {
    let untouched = drain(&mut make());
    let mut refusals = 0;
    for budget in 0.. {
        let mut finished = false;
        balanced(|| {
            let mut queue = make();
            let before = state(&queue);
            match with_budget(budget, || step(&mut queue)) {
                Ok(()) => finished = true,
                Err(error) => {
                    assert!(matches!(error, Error::Alloc { .. }), "{name}: {error}");
                    assert_eq!(state(&queue), before, "{name}");
                    assert_eq!(drain(&mut queue), untouched, "{name}");
                    step(&mut queue).expect("there is memory again");
                }
            }
        });
        if finished {
            break;
        }
        refusals += 1;
    }
    assert!(refusals > 0, "{name} needs no memory");
}

/// netty 11959, 14220, 14644: bytes and buffers were lost where taking failed.
#[test]
fn a_take_that_gets_no_memory_changes_nothing() {
    for n in [8, 12, 30, 1000] {
        survives_refusals("take", make, |queue| queue.take(n).map(drop));
    }
    survives_refusals("take_first", make, |queue| queue.take_first().map(drop));
    survives_refusals("take_into", make, |queue| {
        let (mut buf, mut tokens) = (CompositeBuf::new(), Vec::new());
        let result = queue.take_into(1000, &mut buf, &mut tokens);
        assert!(result.is_ok() || (buf.writer_index(), tokens.len()) == (0, 0));
        result.map(drop)
    });
}

/// A queue whose lists are full: the next push needs memory.
fn full() -> CoalescingQueue<u32> {
    let filled = |n| {
        let mut queue = make();
        (0..n).for_each(|_| queue.push_with("more", 9));
        queue
    };
    let needs_memory =
        |queue: &mut CoalescingQueue<u32>| counted(|| queue.push("more")).0.allocations != 0;
    filled((0..100).find(|&n| needs_memory(&mut filled(n))).unwrap())
}

#[test]
fn a_push_that_gets_no_memory_changes_nothing() {
    for make in [CoalescingQueue::new, full] {
        survives_refusals("push", make, |queue| queue.try_push("more"));
        survives_refusals("push_front", make, |queue| queue.try_push_front("more"));
        survives_refusals("push_with", make, |queue| {
            queue.try_push_with("more", 7).map_err(|refused| {
                assert_eq!(refused.token, 7);
                refused.error
            })
        });
    }
}

#[test]
fn a_queue_that_cannot_be_appended_stays_where_it_is() {
    for budget in 0.. {
        let (mut queue, mut other) = (full(), make());
        let before = (state(&queue), state(&other));
        let result = with_budget(budget, || queue.try_append(&mut other));
        if result.is_ok() {
            assert!(budget > 0);
            break;
        }
        assert!(matches!(result, Err(Error::Alloc { .. })));
        assert_eq!((state(&queue), state(&other)), before);
        queue.append(&mut other);
        let all = |queue: &mut CoalescingQueue<u32>| queue.take(usize::MAX).unwrap().buf.to_vec();
        assert_eq!(all(&mut queue), [all(&mut full()), all(&mut make())].concat());
    }
}

#[test]
fn a_buffer_that_cannot_take_it_changes_nothing() {
    let untouched = drain(&mut make());
    let mut released = CompositeBuf::new();
    released.release();
    for (mut buf, error) in [
        (CompositeBuf::with_max_capacity(7), Error::Overflow { needed: 8, available: 7 }),
        (released, Error::Released),
    ] {
        let (mut queue, mut tokens) = (make(), Vec::new());
        assert_eq!(queue.take_into(8, &mut buf, &mut tokens), Err(error));
        assert_eq!((state(&queue), tokens.len()), (state(&make()), 0));
        assert_eq!(drain(&mut queue), untouched);
    }
    let (mut queue, mut buf) = (make(), CompositeBuf::with_max_capacity(4));
    let error = Error::Overflow { needed: 5, available: 4 };
    assert_eq!(queue.take_first_into(&mut buf, &mut Vec::new()), Err(error));
    assert_eq!(drain(&mut queue), untouched);
}

/// Allocators that are out of order in some way.
#[cfg(feature = "std")]
mod allocators {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU8, Ordering};

    use refbuf::{BufAllocator, ByteBuf, CoalescingQueue, CompositeBuf, Error, HeapBuf};

    use super::state;

    #[derive(Default)]
    struct Odd {
        mode: AtomicU8,
    }

    const REFUSES: u8 = 1;
    const PANICS: u8 = 2;
    const GIVES_LESS: u8 = 3;

    impl BufAllocator for Odd {
        fn try_heap(&self, capacity: usize) -> Result<HeapBuf, Error> {
            match self.mode.load(Ordering::Relaxed) {
                REFUSES => Err(Error::Exhausted { needed: capacity, limit: 0 }),
                PANICS => panic!("an allocator, as it is expected to"),
                GIVES_LESS => HeapBuf::try_with_capacity(1),
                _ => HeapBuf::try_with_capacity(capacity),
            }
        }

        #[cfg(feature = "mmap")]
        fn try_direct(&self, capacity: usize) -> Result<refbuf::DirectBuf, Error> {
            refbuf::DirectBuf::try_with_capacity(capacity)
        }

        fn composite(&self) -> CompositeBuf {
            CompositeBuf::new()
        }
    }

    #[test]
    fn whatever_the_allocator_does_nothing_is_lost() {
        let odd = Arc::new(Odd::default());
        let mut queue = CoalescingQueue::with_allocator(odd.clone());
        queue.push_with("cat", 1);
        queue.push_with("mouse", 2);
        let before = state(&queue);

        odd.mode.store(REFUSES, Ordering::Relaxed);
        let error = queue.take(8).unwrap_err();
        assert_eq!((error, state(&queue)), (Error::Exhausted { needed: 8, limit: 0 }, before));
        // Where nothing is copied, it is not asked.
        assert_eq!(queue.take(2).unwrap().buf, "ca");
        queue.push_front("ca");

        odd.mode.store(PANICS, Ordering::Relaxed);
        catch_unwind(AssertUnwindSafe(|| queue.take(8))).unwrap_err();
        assert_eq!(queue.readable_bytes(), 8);

        odd.mode.store(GIVES_LESS, Ordering::Relaxed);
        let taken = queue.take(8).unwrap();
        assert_eq!((taken.buf.to_vec(), taken.tokens), (b"catmouse".to_vec(), vec![1, 2]));
    }
}

/// After a first round the same again, `rounds` times.
#[track_caller]
fn steady(mut round: impl FnMut()) -> Counts {
    (0..4).for_each(|_| round());
    counted(|| (0..100).for_each(|_| round())).0
}

#[test]
fn a_steady_flow_allocates_nothing_but_what_is_copied_to() {
    let shared = SliceBuf::from(bytes(5000, 1));
    let mut buf = CompositeBuf::new();
    let mut tokens = Vec::new();
    let mut round = |queue: &mut CoalescingQueue<u32>, sizes: &[usize], n: usize| {
        for (i, &size) in sizes.iter().enumerate() {
            queue.push_with(shared.slice(..size), i as u32);
        }
        while !queue.is_empty() {
            queue.take_into(n, &mut buf, &mut tokens).unwrap();
            let taken = buf.readable_bytes();
            buf.skip(taken);
            buf.discard_read_components();
        }
        assert_eq!(tokens.len(), sizes.len());
        tokens.clear();
    };
    // Handed over, and cut.
    let mut queue = CoalescingQueue::new().copy_up_to(0);
    assert_eq!(steady(|| round(&mut queue, &[5000, 4000, 3000], 1 << 20)), Counts::default());
    assert_eq!(steady(|| round(&mut queue, &[5000, 4000, 3000], 1500)), Counts::default());
    // Copied: a block for each take, however many runs there are.
    let sizes = [10, 20, 5000, 30, 40, 50, 5000, 60, 70];
    let mut queue = CoalescingQueue::new();
    let counts = steady(|| round(&mut queue, &sizes, 1 << 20));
    assert_eq!((counts.allocations, counts.frees), (100, 100));
    // Out of a pool.
    #[cfg(feature = "std")]
    {
        let pool = refbuf::Pool::new(refbuf::PoolConfig::new());
        let mut queue = CoalescingQueue::with_allocator(std::sync::Arc::new(pool));
        assert_eq!(steady(|| round(&mut queue, &sizes, 1 << 20)), Counts::default());
        assert_eq!(steady(|| round(&mut queue, &sizes, 100)), Counts::default());
    }
}

#[test]
fn one_by_one_allocates_nothing() {
    let shared = SliceBuf::from(bytes(5000, 1));
    let mut queue = CoalescingQueue::new();
    let (mut buf, mut tokens) = (CompositeBuf::new(), Vec::new());
    let counts = steady(|| {
        queue.push_with(shared.slice(..10), 1);
        queue.push_with(shared.slice(..20), 2);
        for len in [10, 20] {
            assert_eq!(queue.take_first_into(&mut buf, &mut tokens), Ok(len));
            buf.skip(len);
            buf.discard_read_components();
        }
        tokens.clear();
    });
    assert_eq!(counts, Counts::default());
}

#[test]
fn everything_is_given_back() {
    balanced(|| {
        let mut queue = full();
        drop(queue.take(7).unwrap());
        queue.push_front_with(HeapBuf::from(vec![7; 100]), 1);
        let taken = queue.take(30).unwrap();
        drop(queue.clear());
        queue.push(vec![7; 100]);
        queue.push(vec![7; 100]);
        queue.append(&mut make());
        drop(queue);
        drop(taken);
    });
}
