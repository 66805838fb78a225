//! In the long run the pool asks the system for nothing.

use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use refbuf::{BufAllocator, ByteBufMut, Pool, PoolConfig};

use crate::support::{Either, KINDS, Kind, assert_empty};
use crate::watched::{Counts, counted};

#[test]
fn a_thread_on_its_own_makes_no_calls_to_the_allocator() {
    let pool = Pool::new(PoolConfig::new());
    let mut held: Vec<Either> = Vec::with_capacity(300);
    let mut round = || {
        for kind in KINDS {
            for size in [1, 100, 1000, 4096, 70_000, 1 << 20] {
                held.extend((0..20).map(|_| kind.take(&pool, size)));
            }
        }
        held.iter_mut().for_each(|buf| buf.buf().write_u64(7));
        held.clear();
        let mut grown = pool.heap(1);
        grown.write_zeros(1000);
        grown.ensure_writable(100_000);
    };
    round();
    let (counts, ()) = counted(|| (0..10).for_each(|_| round()));
    assert_eq!(counts, Counts::default());
}

#[test]
fn neither_do_threads_that_hand_over() {
    const LOT: usize = 640;
    let pool = Pool::new(PoolConfig::new());
    for kind in KINDS {
        let between = Arc::new((Barrier::new(2), Mutex::new(Vec::with_capacity(LOT))));
        let (warm, rounds) = (5, 20);
        let receiver = thread::spawn({
            let between = between.clone();
            move || {
                let mut sum = Counts::default();
                for round in 0..rounds {
                    between.0.wait();
                    let (counts, ()) = counted(|| between.1.lock().unwrap().clear());
                    if round >= warm {
                        sum.allocations += counts.allocations;
                    }
                    between.0.wait();
                }
                sum
            }
        });
        for round in 0..rounds {
            let (counts, ()) = counted(|| {
                let mut lot = between.1.lock().unwrap();
                lot.extend((0..LOT).map(|_| kind.take(&pool, 1000)));
            });
            assert!(round < warm || counts == Counts::default(), "{round}: {counts:?}");
            between.0.wait();
            between.0.wait();
        }
        assert_eq!(receiver.join().unwrap(), Counts::default());
    }
    assert_empty(&pool);
}

#[test]
fn blocks_that_come_and_go_from_a_chunk_that_stays_leave_no_trace() {
    // Two blocks to a chunk, of which one stays in use.
    let pool = Pool::new(PoolConfig::new().thread_cache(0).max_idle(0).huge_pages(false));
    let _stays = [pool.direct(1 << 20), pool.direct(1 << 20), pool.direct(1 << 20)];
    let mut held: Vec<Either> = Vec::with_capacity(3);
    let mut round = || {
        // More than the thread keeps, so that one goes back to its chunk.
        held.extend((0..3).map(|_| Kind::Direct.take(&pool, 1 << 20)));
        held.clear();
    };
    round();
    let before = pool.stats().reserved;
    let (counts, ()) = counted(|| (0..1000).for_each(|_| round()));
    // A chunk comes and goes: its records, nothing that adds up.
    assert_eq!(counts.allocations, counts.frees);
    assert_eq!(pool.stats().reserved, before);
}

/// The page faults of this thread, looked at without an allocation.
#[cfg(target_os = "linux")]
struct PageFaults {
    file: std::fs::File,
    text: Vec<u8>,
}

#[cfg(target_os = "linux")]
impl PageFaults {
    fn new() -> Self {
        Self { file: std::fs::File::open("/proc/thread-self/stat").unwrap(), text: vec![0; 1024] }
    }

    fn get(&mut self) -> usize {
        use std::io::{Read, Seek};
        self.file.rewind().unwrap();
        let n = self.file.read(&mut self.text).unwrap();
        let text = std::str::from_utf8(&self.text[..n]).unwrap();
        // After the name, which may have blanks: state, six numbers, minor
        // faults, those of children, major faults.
        let mut fields = text.rsplit_once(')').unwrap().1.split_whitespace();
        let minor: usize = fields.nth(7).unwrap().parse().unwrap();
        let major: usize = fields.nth(1).unwrap().parse().unwrap();
        minor + major
    }
}

#[cfg(target_os = "linux")]
#[test]
fn touching_a_block_again_takes_no_page_fault() {
    let mut faults = PageFaults::new();
    let mut touch = |buf: &mut refbuf::DirectBuf| {
        let spare = buf.spare_capacity_mut();
        // The first look may cost some itself.
        faults.get();
        let before = faults.get();
        for page in spare.chunks_mut(4096) {
            page[0].write(7);
        }
        std::hint::black_box(spare);
        faults.get() - before
    };
    let pool = Pool::new(PoolConfig::new().huge_pages(false));
    let fresh = touch(&mut pool.direct(1 << 16));
    assert!(fresh >= 1, "faults are not counted here");
    // The system may move pages about, and a sanitizer take some for itself,
    // but not each time.
    let again = (0..500).map(|_| touch(&mut pool.direct(1 << 16))).min();
    assert_eq!(again, Some(0));
    assert_eq!(pool.stats().misses(), 1);
}
