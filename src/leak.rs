//! Who made the blocks that are still there: feature `leak-detect`.
//!
//! Nothing leaks by itself: memory is freed with its last handle. But a handle
//! can be kept too long, in a map, a queue, or a task that never ends, and a
//! slice of 40 bytes keeps a block of 64 KiB. This tells where such a block was
//! made, and where it was last touched, by the caller's file and line.
//!
//! ```
//! use refbuf::{ByteBuf, ByteBufMut, HeapBuf, leak};
//!
//! leak::set_sampling(1); // every block, not one of 128
//! let here = line!();
//! let mut buf = HeapBuf::with_capacity(64);
//! buf.write_str("kept");
//! let kept = buf.read_slice(2);
//! drop(buf);
//!
//! let live = leak::live();
//! assert_eq!(live[0].bytes(), 64);
//! assert_eq!(live[0].created_at().line(), here + 1);
//! assert_eq!(live[0].touched_at().unwrap().line(), here + 3);
//!
//! drop(kept);
//! assert!(leak::live().is_empty());
//! ```
//!
//! # What is tracked
//!
//! * The block, for that is what is kept; slices of it, clones and views are
//!   not counted one by one. A buffer that grows into another block keeps the
//!   place where it was first made.
//! * A block is made where a buffer is made with room, or where one without is
//!   first written. It is touched by `slice`, `read_slice`, `clone`, `freeze`,
//!   `downgrade`, `upgrade`, `split_off`, `split_to`, by growing, and by
//!   [`touch`](crate::ByteBuf::touch), which does nothing else. Reading and
//!   writing bytes touches nothing.
//! * A pooled block is forgotten when it comes home and is a new one when it
//!   is handed out again.
//!
//! A place is that of the call from outside of this crate, through trait objects
//! too. Where the caller calls by way of something that does not hand the place
//! on (`std::io::Write`, an iterator's `collect`, a function pointer, and here
//! `write_uint`), the place is in there; a [`touch`](crate::ByteBuf::touch)
//! after the call leaves one to find.
//!
//! # What it costs
//!
//! Without the feature nothing: no byte in a block, no instruction. With it a
//! word in each block, a lock for each block that is tracked, and one when it
//! is touched or freed. One of 128 blocks is, unless [`set_sampling`] or the
//! environment variable `REFBUF_LEAK_SAMPLING` says otherwise; while a
//! [`Guard`] exists all are.

use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt;
use core::panic::Location;
use core::sync::atomic::{AtomicU32, AtomicUsize};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::sync::{AtomicU64, Ordering};

/// What kind of memory a block has.
///
/// ```
/// use refbuf::{SliceBuf, leak};
///
/// leak::set_sampling(1);
/// let slice = SliceBuf::from_owner([1, 2, 3]);
/// assert_eq!(leak::live()[0].kind(), leak::Kind::Foreign);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// From the global allocator.
    Heap,
    /// A memory map, or a part of one.
    Direct,
    /// A [`Storage`](crate::Storage) or an owner that the user brought.
    Foreign,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Heap => "heap",
            Self::Direct => "direct",
            Self::Foreign => "foreign",
        })
    }
}

/// A block that exists. Its `Display` is one line.
///
/// ```
/// use refbuf::{HeapBuf, leak};
///
/// leak::set_sampling(1);
/// let buf = HeapBuf::with_capacity(64);
/// let line = leak::live()[0].to_string();
/// assert!(line.starts_with("64 bytes of heap memory, made at "));
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LeakRecord {
    bytes: usize,
    kind: Kind,
    created: &'static Location<'static>,
    touched: Option<&'static Location<'static>>,
    /// The number that its first block had; they grow with time.
    born: u64,
    thread: u32,
    /// Where the pool is that it is of.
    pool: Option<usize>,
}

impl LeakRecord {
    /// The block's memory, of which there may be handles of a few bytes only.
    ///
    /// ```
    /// # refbuf::leak::set_sampling(1);
    /// let buf = refbuf::HeapBuf::with_capacity(64);
    /// assert_eq!(refbuf::leak::live()[0].bytes(), 64);
    /// ```
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What kind of memory that is.
    ///
    /// ```
    /// # refbuf::leak::set_sampling(1);
    /// let buf = refbuf::HeapBuf::with_capacity(64);
    /// assert_eq!(refbuf::leak::live()[0].kind(), refbuf::leak::Kind::Heap);
    /// ```
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether it is a pool's.
    ///
    /// ```
    /// use refbuf::{BufAllocator, Pool};
    ///
    /// # refbuf::leak::set_sampling(1);
    /// let buf = Pool::global().heap(64);
    /// assert!(refbuf::leak::live()[0].is_pooled());
    /// ```
    #[must_use]
    pub fn is_pooled(&self) -> bool {
        self.pool.is_some()
    }

    /// Where the buffer was made.
    ///
    /// ```
    /// # refbuf::leak::set_sampling(1);
    /// let buf = refbuf::HeapBuf::with_capacity(64);
    /// assert_eq!(refbuf::leak::live()[0].created_at().file(), file!());
    /// ```
    #[must_use]
    pub fn created_at(&self) -> &'static Location<'static> {
        self.created
    }

    /// Where it was last touched, if it was.
    ///
    /// ```
    /// use refbuf::ByteBuf;
    ///
    /// # refbuf::leak::set_sampling(1);
    /// let buf = refbuf::HeapBuf::with_capacity(64);
    /// assert!(refbuf::leak::live()[0].touched_at().is_none());
    /// buf.touch();
    /// assert!(refbuf::leak::live()[0].touched_at().is_some());
    /// ```
    #[must_use]
    pub fn touched_at(&self) -> Option<&'static Location<'static>> {
        self.touched
    }
}

impl fmt::Display for LeakRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pooled = if self.is_pooled() { "pooled " } else { "" };
        write!(
            f,
            "{} bytes of {pooled}{} memory, made at {}",
            self.bytes, self.kind, self.created
        )?;
        match self.touched {
            Some(touched) => write!(f, ", last touched at {touched}"),
            None => Ok(()),
        }
    }
}

/// The blocks that a [`Guard`] found.
///
/// ```
/// use refbuf::{HeapBuf, leak::Guard};
///
/// let guard = Guard::new();
/// let buf = HeapBuf::with_capacity(64);
/// let report = guard.check().unwrap_err();
/// assert_eq!(report.records().len(), 1);
/// assert!(report.to_string().contains("64 bytes of heap memory, made at"));
/// # drop(buf);
/// ```
#[derive(Debug, Clone)]
pub struct LeakReport(Vec<LeakRecord>);

impl LeakReport {
    /// One for each block, the oldest first.
    ///
    /// ```
    /// # let guard = refbuf::leak::Guard::new();
    /// let buf = refbuf::HeapBuf::with_capacity(64);
    /// assert_eq!(guard.check().unwrap_err().records()[0].bytes(), 64);
    /// # drop(buf);
    /// ```
    #[must_use]
    pub fn records(&self) -> &[LeakRecord] {
        &self.0
    }
}

impl fmt::Display for LeakReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blocks of memory still in use: {}", self.0.len())?;
        self.0.iter().try_for_each(|record| write!(f, "\n  {record}"))
    }
}

impl core::error::Error for LeakReport {}

/// The tracked blocks that exist, the oldest first.
///
/// ```
/// use refbuf::{HeapBuf, leak};
///
/// leak::set_sampling(1);
/// let buf = HeapBuf::with_capacity(64);
/// for record in leak::live() {
///     println!("{record}");
/// }
/// assert_eq!(leak::live().len(), 1);
/// ```
#[must_use]
pub fn live() -> Vec<LeakRecord> {
    records_where(|_| true)
}

/// Tracks every `n`-th block that is made from here on: 1 is all, 0 is none.
/// Those tracked already stay so.
///
/// ```
/// use refbuf::{HeapBuf, leak};
///
/// leak::set_sampling(2);
/// let buffers: Vec<_> = (0..10).map(|_| HeapBuf::with_capacity(64)).collect();
/// assert_eq!(leak::live().len(), 5);
/// ```
pub fn set_sampling(n: u32) {
    SAMPLING.store(n.min(UNSET - 1), Ordering::Relaxed);
}

/// What is called with the tracked blocks of a pool that are still in use when
/// the last handle of the pool is dropped. They may be in use for good reason;
/// they are freed with their handles all the same. The default writes to
/// standard error.
///
/// ```
/// use refbuf::{BufAllocator, Pool, PoolConfig, leak};
///
/// leak::set_sampling(1);
/// leak::set_hook(|blocks| println!("{} blocks outlived their pool", blocks.len()));
/// let pool = Pool::new(PoolConfig::new());
/// let buf = pool.heap(64);
/// drop(pool);
/// # drop(buf);
/// ```
pub fn set_hook(hook: fn(&[LeakRecord])) {
    *lock(&HOOK) = hook;
}

/// Fails a test that leaves blocks behind: panics, saying where they were made,
/// when it goes and blocks exist that were made since. All blocks are tracked
/// while a guard exists.
///
/// It looks at those that were made by its own thread, so that tests may run in
/// parallel; a handle that was given to another thread has to be gone too. For
/// code that makes buffers on other threads there is
/// [`all_threads`](Guard::all_threads).
///
/// Does not panic while the thread panics already.
///
/// ```should_panic
/// use refbuf::{HeapBuf, leak::Guard};
///
/// let _guard = Guard::new();
/// std::mem::forget(HeapBuf::with_capacity(64));
/// ```
#[derive(Debug)]
#[must_use = "it looks when it is dropped"]
pub struct Guard {
    since: u64,
    /// `None` for all.
    thread: Option<u32>,
    armed: bool,
}

impl Guard {
    /// Of the blocks that this thread makes from here on.
    ///
    /// ```
    /// use refbuf::{HeapBuf, leak::Guard};
    ///
    /// let _guard = Guard::new();
    /// drop(HeapBuf::with_capacity(64));
    /// ```
    pub fn new() -> Self {
        Self::of(Some(this_thread()))
    }

    /// Of the blocks that any thread makes from here on: for a process that
    /// does nothing else meanwhile.
    ///
    /// ```
    /// use refbuf::{HeapBuf, leak::Guard};
    ///
    /// let guard = Guard::all_threads();
    /// let buf = std::thread::spawn(|| HeapBuf::with_capacity(64)).join().unwrap();
    /// assert!(guard.check().is_err());
    /// # drop(buf);
    /// ```
    pub fn all_threads() -> Self {
        Self::of(None)
    }

    fn of(thread: Option<u32>) -> Self {
        GUARDS.fetch_add(1, Ordering::Relaxed);
        Self { since: lock(&REGISTRY).next, thread, armed: true }
    }

    /// What would be found now.
    ///
    /// # Errors
    ///
    /// The blocks, if there are any.
    ///
    /// ```
    /// use refbuf::{HeapBuf, leak::Guard};
    ///
    /// let guard = Guard::new();
    /// let buf = HeapBuf::with_capacity(64);
    /// assert!(guard.check().is_err());
    /// drop(buf);
    /// assert!(guard.check().is_ok());
    /// ```
    pub fn check(&self) -> Result<(), LeakReport> {
        let left = records_where(|record| {
            record.born >= self.since && self.thread.is_none_or(|thread| thread == record.thread)
        });
        if left.is_empty() { Ok(()) } else { Err(LeakReport(left)) }
    }

    /// What dropping it does, in words.
    ///
    /// # Panics
    ///
    /// If blocks are left.
    ///
    /// ```
    /// use refbuf::{HeapBuf, leak::Guard};
    ///
    /// let guard = Guard::new();
    /// drop(HeapBuf::with_capacity(64));
    /// guard.finish();
    /// ```
    #[track_caller]
    pub fn finish(mut self) {
        self.armed = false;
        if let Err(report) = self.check() {
            panic!("{report}");
        }
    }
}

impl Default for Guard {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        GUARDS.fetch_sub(1, Ordering::Relaxed);
        if !self.armed || std::thread::panicking() {
            return;
        }
        if let Err(report) = self.check() {
            panic!("{report}");
        }
    }
}

// Inside.

/// In the header of a block: which record is its own. Ended before anybody else
/// can have the block, so no record ever speaks of another owner.
pub(crate) struct Tracker(AtomicU64);

/// In a [`Tracker`] without a record.
const NONE: u64 = 0;

impl Tracker {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(NONE))
    }

    /// The block was made, or handed out, for the caller.
    #[track_caller]
    pub(crate) fn begin(&self, kind: Kind, bytes: usize, pool: Option<usize>) {
        if !is_sampled() {
            return;
        }
        let mut registry = lock(&REGISTRY);
        let record = LeakRecord {
            bytes,
            kind,
            created: Location::caller(),
            touched: None,
            born: registry.next,
            thread: this_thread(),
            pool,
        };
        self.enter(&mut registry, record);
    }

    /// The block takes the place of another, whose bytes were moved.
    #[track_caller]
    pub(crate) fn inherit(&self, from: &Self, bytes: usize) {
        if from.number() == NONE {
            return;
        }
        let mut registry = lock(&REGISTRY);
        if let Some(record) = registry.records.get(&from.number()) {
            let touched = Some(Location::caller());
            let record = LeakRecord { bytes, touched, ..record.clone() };
            self.enter(&mut registry, record);
        }
    }

    /// The caller did something with the block, which has these many bytes now.
    #[track_caller]
    pub(crate) fn touch(&self, bytes: usize) {
        let number = self.number();
        if number == NONE {
            return;
        }
        if let Some(record) = lock(&REGISTRY).records.get_mut(&number) {
            record.touched = Some(Location::caller());
            record.bytes = bytes;
        }
    }

    /// The block has no handle any more.
    pub(crate) fn end(&self) {
        let number = self.number();
        if number != NONE {
            self.0.store(NONE, Ordering::Relaxed);
            lock(&REGISTRY).records.remove(&number);
        }
    }

    fn enter(&self, registry: &mut Registry, record: LeakRecord) {
        // Where memory is short a block more is not tracked.
        if registry.records.try_reserve(1).is_ok() {
            registry.records.insert(registry.next, record);
            // Relaxed: whoever gets a handle of the block synchronises.
            self.0.store(registry.next, Ordering::Relaxed);
            registry.next += 1;
        }
    }

    fn number(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The last handle of the pool at `pool` is gone.
pub(crate) fn pool_dropped(pool: usize) {
    let left = records_where(|record| record.pool == Some(pool));
    if !left.is_empty() {
        let hook = *lock(&HOOK);
        hook(&left);
    }
}

struct Registry {
    records: HashMap<u64, LeakRecord, BuildHasherDefault<DefaultHasher>>,
    /// The number of the next record.
    next: u64,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    records: HashMap::with_hasher(BuildHasherDefault::new()),
    next: NONE + 1,
});

static HOOK: Mutex<fn(&[LeakRecord])> = Mutex::new(|records| {
    let mut stderr = std::io::stderr().lock();
    for record in records {
        // There is nobody to tell that nobody can be told.
        let _ = writeln!(stderr, "refbuf: outlives its pool: {record}");
    }
});

/// Guards that exist.
static GUARDS: AtomicUsize = AtomicUsize::new(0);
static SAMPLING: AtomicU32 = AtomicU32::new(UNSET);
/// Blocks made while not all were tracked.
static MADE: AtomicU32 = AtomicU32::new(0);

/// In `SAMPLING`: the environment was not looked at yet.
const UNSET: u32 = u32::MAX;
const DEFAULT_SAMPLING: u32 = 128;
const VARIABLE: &str = "REFBUF_LEAK_SAMPLING";

fn is_sampled() -> bool {
    if GUARDS.load(Ordering::Relaxed) != 0 {
        return true;
    }
    let every = match SAMPLING.load(Ordering::Relaxed) {
        UNSET => sampling_of_environment(),
        every => every,
    };
    every != 0 && MADE.fetch_add(1, Ordering::Relaxed) % every == 0
}

#[cold]
fn sampling_of_environment() -> u32 {
    let every = match std::env::var(VARIABLE).map(|value| value.parse()) {
        Ok(Ok(every)) => every,
        Ok(Err(_)) => {
            let _ = writeln!(std::io::stderr(), "refbuf: {VARIABLE} is not a number");
            DEFAULT_SAMPLING
        }
        Err(_) => DEFAULT_SAMPLING,
    };
    // Unless somebody has set it meanwhile.
    let every = every.min(UNSET - 1);
    match SAMPLING.compare_exchange(UNSET, every, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => every,
        Err(set) => set,
    }
}

/// A number for the calling thread. Not `std::thread::current`, which may not
/// be there any more when a thread that ends drops or makes its last buffers.
fn this_thread() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    std::thread_local! {
        static NUMBER: Cell<u32> = const { Cell::new(0) };
    }
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

fn records_where(wanted: impl Fn(&LeakRecord) -> bool) -> Vec<LeakRecord> {
    let mut found: Vec<_> =
        lock(&REGISTRY).records.values().filter(|record| wanted(record)).cloned().collect();
    found.sort_by_key(|record| record.born);
    found
}

/// A lock that a panic elsewhere does not spoil: no user code runs under it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
