//! Small things that all tests use.

use std::process::{Command, Output};

use refbuf::{BufAllocator, ByteBufMut, DirectBuf, Error, HeapBuf, Pool};

/// Whole pages are what direct memory comes in.
pub const PAGE: usize = if cfg!(target_arch = "aarch64") { 65536 } else { 4096 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Heap,
    Direct,
}

pub const KINDS: [Kind; 2] = [Kind::Heap, Kind::Direct];

/// A buffer of either kind.
#[derive(Debug)]
pub enum Either {
    Heap(HeapBuf),
    Direct(DirectBuf),
}

impl Kind {
    pub fn try_take(self, pool: &Pool, capacity: usize) -> Result<Either, Error> {
        Ok(match self {
            Self::Heap => Either::Heap(pool.try_heap(capacity)?),
            Self::Direct => Either::Direct(pool.try_direct(capacity)?),
        })
    }

    #[track_caller]
    pub fn take(self, pool: &Pool, capacity: usize) -> Either {
        self.try_take(pool, capacity).unwrap()
    }
}

impl Either {
    pub fn buf(&mut self) -> &mut dyn ByteBufMut {
        match self {
            Self::Heap(buf) => buf,
            Self::Direct(buf) => buf,
        }
    }

    /// Where its memory is, while it is empty.
    pub fn address(&mut self) -> usize {
        self.buf().spare_capacity_mut().as_ptr().addr()
    }
}

/// Four to each doubling, from 64 to `max`.
pub fn classes(max: usize) -> impl Iterator<Item = usize> {
    (6..).flat_map(|bits| (4..8).map(move |step| step << (bits - 2))).take_while(move |&c| c <= max)
}

/// Every block that was taken came back.
#[track_caller]
pub fn assert_all_back(pool: &Pool) {
    let stats = pool.stats();
    for class in &stats.classes {
        assert_eq!((class.taken, class.live()), (class.returned, 0), "{class:?}");
    }
    assert_eq!(stats.live_bytes(), 0);
}

/// The same, and the pool keeps nothing: other threads have ended.
#[track_caller]
pub fn assert_empty(pool: &Pool) {
    assert_all_back(pool);
    pool.trim();
    assert_eq!(pool.stats().reserved, 0, "{}", pool.stats());
}

/// Says to a test that it is the child.
const CHILD: &str = "REFBUF_TEST_CHILD";

/// Whether this is the process that [`child`] started.
pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs the test `name`, and no other, in a process of its own.
pub fn child(name: &str, set: impl FnOnce(&mut Command)) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(CHILD, "yes");
    set(&mut command);
    command.output().unwrap()
}

/// Runs `body` in a process of its own. `name` is that of the calling test.
#[track_caller]
pub fn in_child(name: &str, body: impl FnOnce()) {
    if is_child() {
        return body();
    }
    let output = child(name, |_| ());
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{said}\n{complained}", output.status);
    assert!(said.contains("1 passed"), "there is no test {name}: {said}");
}
