//! Leak tracking: what it knows of each block, and when it forgets it.
#![cfg(not(loom))]

use std::env;
use std::panic::{Location, catch_unwind};
use std::process::Command;
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;

use refbuf::leak::{self, Guard, Kind, LeakRecord};
use refbuf::{
    BufAllocator, ByteBuf, ByteBufMut, CompositeBuf, Heap, HeapBuf, OwnedBuf, Pool, PoolConfig,
    SliceBuf, Storage, Unpooled,
};
#[cfg(feature = "mmap")]
use refbuf::{DirectBuf, DirectOptions};

/// The registry is the process's: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    let lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    leak::set_sampling(1);
    lock
}

/// The one block that exists.
#[track_caller]
fn only() -> LeakRecord {
    let mut live = leak::live();
    assert_eq!(live.len(), 1, "{live:#?}");
    live.remove(0)
}

fn is_here(place: &Location<'_>, line: u32) -> bool {
    place.file() == file!() && place.line() == line
}

/// Whether what `$make` makes is one block, made at that very line, which is
/// gone when it is dropped.
macro_rules! made_here {
    ($make:expr, $kind:ident, $pooled:expr) => {{
        let (line, kept) = (line!(), $make);
        let record = only();
        let made = stringify!($make);
        assert!(is_here(record.created_at(), line), "{made}: {record}");
        assert_eq!((record.kind(), record.is_pooled()), (Kind::$kind, $pooled), "{made}");
        assert_eq!(record.bytes(), kept.allocation_len(), "{made}");
        drop(kept);
        assert!(leak::live().is_empty(), "{made}");
    }};
}

#[test]
fn each_constructor_is_known_by_its_caller() {
    let _alone = alone();
    let pool = Pool::new(PoolConfig::new().max_pooled(4096));
    made_here!(HeapBuf::with_capacity(64), Heap, false);
    made_here!(HeapBuf::try_with_capacity(64).unwrap(), Heap, false);
    made_here!(HeapBuf::with_max_capacity(64, 100), Heap, false);
    made_here!(HeapBuf::try_with_max_capacity(64, 100).unwrap(), Heap, false);
    made_here!(HeapBuf::from(vec![1, 2, 3]), Heap, false);
    made_here!(HeapBuf::from(vec![1, 2, 3].into_boxed_slice()), Heap, false);
    made_here!(HeapBuf::from(String::from("abc")), Heap, false);
    made_here!(HeapBuf::from(&b"abc"[..]), Heap, false);
    made_here!(Into::<HeapBuf>::into(vec![1, 2, 3]), Heap, false);
    made_here!(HeapBuf::from_storage(Heap::allocate(64).unwrap()), Heap, false);
    made_here!(SliceBuf::from(vec![1, 2, 3]), Heap, false);
    made_here!(SliceBuf::from(vec![1, 2, 3].into_boxed_slice()), Heap, false);
    made_here!(SliceBuf::from(String::from("abc")), Heap, false);
    made_here!(SliceBuf::copy_from_slice(b"abc"), Heap, false);
    made_here!(SliceBuf::from_owner([1, 2, 3]), Foreign, false);
    made_here!(Unpooled.heap(64), Heap, false);
    made_here!(Unpooled.try_heap(64).unwrap(), Heap, false);
    made_here!(<&Unpooled as BufAllocator>::heap(&&Unpooled, 64), Heap, false);
    made_here!(pool.heap(64), Heap, true);
    made_here!(pool.try_heap(64).unwrap(), Heap, true);
    // At rest from the calls before, and new ones.
    made_here!(pool.heap(64), Heap, true);
    made_here!(pool.heap(1000), Heap, true);
    made_here!(pool.try_heap(2000).unwrap(), Heap, true);
    let shared: Arc<dyn BufAllocator> = Arc::new(pool.clone());
    made_here!(shared.heap(64), Heap, true);
    made_here!(shared.as_ref().try_heap(64).unwrap(), Heap, true);
    made_here!(Box::new(pool.clone()).try_heap(64).unwrap(), Heap, true);
    // Too large for the pool, but counted by it.
    made_here!(pool.heap(5000), Heap, true);
    #[cfg(feature = "mmap")]
    {
        made_here!(DirectBuf::with_capacity(64), Direct, false);
        made_here!(DirectBuf::with_options(64, DirectOptions::new()), Direct, false);
        made_here!(DirectBuf::try_with_options(64, DirectOptions::new()).unwrap(), Direct, false);
        made_here!(Unpooled.direct(64), Direct, false);
        made_here!(pool.direct(64), Direct, true);
        made_here!(pool.try_direct(64).unwrap(), Direct, true);
        made_here!(pool.direct(5000), Direct, true);
    }
}

/// Whether a buffer without memory gets it at the line of `$write`.
macro_rules! first_written_here {
    ($new:expr, $buf:ident => $write:expr) => {{
        let mut $buf = $new;
        assert!(leak::live().is_empty());
        let (line, _) = (line!(), $write);
        let record = only();
        assert!(is_here(record.created_at(), line), "{}: {record}", stringify!($write));
    }};
}

#[test]
fn a_buffer_made_without_memory_is_made_where_it_is_first_written() {
    let _alone = alone();
    first_written_here!(HeapBuf::new(), buf => buf.write_u32(7));
    first_written_here!(HeapBuf::new(), buf => buf.try_write_u32(7).unwrap());
    first_written_here!(HeapBuf::new(), buf => buf.write_bytes(b"abc"));
    first_written_here!(HeapBuf::new(), buf => buf.try_write_bytes(b"abc").unwrap());
    first_written_here!(HeapBuf::new(), buf => buf.write_str("abc"));
    first_written_here!(HeapBuf::new(), buf => buf.write_zeros(3));
    first_written_here!(HeapBuf::new(), buf => buf.write_varint_u64(300));
    first_written_here!(HeapBuf::new(), buf => buf.write_buf(&mut SliceBuf::from_static(b"abc"), 3));
    first_written_here!(HeapBuf::new(), buf => buf.ensure_writable(3));
    first_written_here!(HeapBuf::new(), buf => buf.make_room(3));
    first_written_here!(HeapBuf::new(), buf => buf.reserve(3));
    first_written_here!(HeapBuf::new(), buf => buf.set_writer_index(3));
    first_written_here!(HeapBuf::new(), buf => (&mut buf as &mut dyn ByteBufMut).write_u8(7));
    first_written_here!(Box::new(HeapBuf::new()), buf => ByteBufMut::write_u8(&mut buf, 7));
    first_written_here!(Box::new(HeapBuf::new()) as Box<dyn ByteBufMut>, buf => buf.write_u8(7));
    first_written_here!(HeapBuf::new(), buf => buf.read_from(&mut &b"abc"[..], 3).unwrap());
    first_written_here!(CompositeBuf::new(), buf => buf.write_u32(7));
    first_written_here!(CompositeBuf::new(), buf => buf.write_bytes(b"abc"));
    first_written_here!(CompositeBuf::new(), buf => buf.write_zeros(3));
    first_written_here!(CompositeBuf::new(), buf => buf.ensure_writable(3));
    first_written_here!(CompositeBuf::new(), buf => buf.make_room(3));
    first_written_here!(Pool::global().composite(), buf => buf.write_u32(7));
    first_written_here!(CompositeBuf::new(), buf => buf.push(vec![1, 2, 3]));
    first_written_here!(CompositeBuf::new(), buf => buf.try_push(String::from("abc")).unwrap());
    first_written_here!(CompositeBuf::new(), buf => buf.insert(0, vec![1, 2, 3]));
    first_written_here!(CompositeBuf::new(), buf => buf.extend([vec![1, 2, 3]]));
}

/// Whether `$action` leaves its line as the last that touched the block.
macro_rules! touched_here {
    ($action:expr) => {{
        let (line, _kept) = (line!(), $action);
        let record = only();
        let touched = record.touched_at().expect(stringify!($action));
        assert!(is_here(touched, line), "{}: {record}", stringify!($action));
        assert!(record.created_at().line() < line, "{record}");
    }};
}

#[test]
fn what_was_done_last_is_known() {
    let _alone = alone();
    let mut buf = HeapBuf::with_capacity(64);
    assert!(only().touched_at().is_none());
    buf.write_bytes(&[7; 32]);
    assert_eq!(buf.read_u8(), 7);
    assert!(only().touched_at().is_none(), "reading and writing touch nothing");
    touched_here!(buf.touch());
    touched_here!(buf.slice(1..3));
    touched_here!(buf.try_slice(1..3).unwrap());
    touched_here!(ByteBuf::slice(&mut buf, 1..3));
    touched_here!(ByteBuf::try_slice(&mut buf, 1..3).unwrap());
    touched_here!(buf.read_slice(2));
    touched_here!(buf.try_read_slice(2).unwrap());
    touched_here!(buf.downgrade());
    touched_here!(buf.split_off(60));
    touched_here!(buf.try_split_off(50).unwrap());
    touched_here!(buf.split_to(1));
    touched_here!(buf.reserve(1000));
    // The place of a buffer outlives its first block.
    assert!(only().bytes() >= 1000);

    let (line, mut slice) = (line!(), buf.freeze());
    assert!(is_here(only().touched_at().unwrap(), line));
    touched_here!(slice.touch());
    touched_here!(slice.clone());
    touched_here!(slice.slice(1..2));
    touched_here!(slice.try_slice(1..2).unwrap());
    touched_here!(slice.read_slice(1));
    touched_here!(slice.split_off(8));
    touched_here!(slice.split_to(1));
    touched_here!(slice.downgrade());
    let view = slice.downgrade();
    touched_here!(view.touch());
    touched_here!(view.upgrade().unwrap());
    touched_here!(view.try_upgrade().unwrap());
    drop(view);

    let mut composite = CompositeBuf::from_iter([slice]);
    touched_here!(composite.touch());
    composite.push("static");
    touched_here!(composite.slice(1..2));
    touched_here!(composite.read_slice(1));
    touched_here!(composite.split_off(2));
    touched_here!(composite.split_to(1));
    touched_here!(composite.remove(0));
}

#[test]
fn a_block_is_forgotten_when_it_is_gone() {
    let _alone = alone();
    let buf = HeapBuf::from(vec![1, 2, 3]);
    let slice = buf.freeze();
    let other = slice.clone();
    drop(slice);
    assert_eq!(only().bytes(), 3);
    // A view keeps the memory, released or not.
    let view = other.downgrade();
    drop(other);
    assert_eq!(only().bytes(), 3);
    drop(view);
    assert!(leak::live().is_empty());

    let mut released = HeapBuf::with_capacity(64);
    assert!(released.release());
    assert!(leak::live().is_empty());

    // The memory is the Vec's again.
    let vec = HeapBuf::from(vec![1, 2, 3]).try_into_vec().unwrap();
    assert!(leak::live().is_empty());
    drop(vec);

    thread::spawn({
        let buf = HeapBuf::with_capacity(64);
        move || drop(buf)
    })
    .join()
    .unwrap();
    assert!(leak::live().is_empty());
}

#[test]
fn growing_keeps_the_place_and_the_old_block_too_while_it_is_seen() {
    let _alone = alone();
    let (line, mut buf) = (line!(), HeapBuf::with_capacity(64));
    buf.write_bytes(&[7; 64]);
    let slice = buf.slice(..10);
    buf.write_u8(7);
    let live = leak::live();
    assert_eq!(live.len(), 2, "{live:#?}");
    assert!(live.iter().all(|record| is_here(record.created_at(), line)));
    let mut bytes: Vec<_> = live.iter().map(LeakRecord::bytes).collect();
    bytes.sort_unstable();
    assert_eq!(bytes, [64, 128]);
    drop(slice);
    assert_eq!(only().bytes(), 128);
    drop(buf);

    let pool = Pool::new(PoolConfig::new());
    let (line, mut buf) = (line!(), pool.heap(64));
    buf.reserve(1000);
    let record = only();
    assert!(is_here(record.created_at(), line) && record.is_pooled(), "{record}");
    assert_eq!(record.bytes(), buf.allocation_len());
}

#[test]
fn a_block_handed_out_again_has_a_new_place() {
    let _alone = alone();
    let pool = Pool::new(PoolConfig::new());
    let mut first = pool.heap(64);
    first.write_u8(1);
    let address = first.chunk(0).as_ptr();
    first.touch();
    let guard = Guard::new();
    drop(first);
    assert!(leak::live().is_empty(), "at rest");

    let (line, mut second) = (line!(), pool.heap(64));
    second.write_u8(2);
    assert_eq!(second.chunk(0).as_ptr(), address, "the same block");
    let record = only();
    assert!(is_here(record.created_at(), line), "{record}");
    assert!(record.touched_at().is_none(), "{record}");
    // New to a guard that is older than it, too.
    assert_eq!(guard.check().unwrap_err().records().len(), 1);
    drop(second);
    guard.finish();
}

fn panic_text(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    *catch_unwind(f).expect_err("no panic").downcast::<String>().unwrap()
}

#[test]
fn a_guard_panics_with_the_place() {
    let _alone = alone();
    let mut kept = Vec::new();
    let mut line = 0;
    let text = panic_text(std::panic::AssertUnwindSafe(|| {
        let _guard = Guard::new();
        line = line!() + 1;
        kept.push(HeapBuf::with_capacity(64));
    }));
    let place = format!("64 bytes of heap memory, made at {}:{line}:", file!());
    assert!(text.contains(&place), "{text}");

    let text = panic_text(std::panic::AssertUnwindSafe(|| {
        let guard = Guard::new();
        kept.push(HeapBuf::with_capacity(100));
        guard.finish();
    }));
    assert!(text.contains("in use: 1\n  100 bytes"), "not those from before: {text}");
}

#[test]
fn a_guard_lets_pass_what_is_clean_or_not_its_own() {
    let _alone = alone();
    let before = HeapBuf::with_capacity(64);
    {
        let _guard = Guard::new();
        drop(HeapBuf::with_capacity(64));
    }
    let guard = Guard::new();
    let all = Guard::all_threads();
    let other = thread::spawn(|| HeapBuf::with_capacity(64)).join().unwrap();
    assert!(guard.check().is_ok());
    assert_eq!(all.check().unwrap_err().records().len(), 1);
    // Made here, kept there.
    let barrier = Arc::new(Barrier::new(2));
    let given = thread::spawn({
        let (buf, barrier) = (HeapBuf::with_capacity(64), barrier.clone());
        move || {
            barrier.wait();
            drop(buf);
        }
    });
    assert!(guard.check().is_err());
    barrier.wait();
    given.join().unwrap();
    guard.finish();
    drop(other);
    all.finish();
    drop(before);

    // It does not turn a panic into an abort.
    let kept = Mutex::new(Vec::new());
    let panic = catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _guard = Guard::new();
        kept.lock().unwrap().push(HeapBuf::with_capacity(64));
        panic!("of the test itself");
    }));
    assert_eq!(*panic.unwrap_err().downcast::<&str>().unwrap(), "of the test itself");
}

#[test]
fn growing_what_was_there_before_is_not_the_guards() {
    let _alone = alone();
    let mut buf = HeapBuf::with_capacity(64);
    buf.write_u64(7);
    let guard = Guard::new();
    buf.reserve(1000);
    assert_eq!(only().bytes(), buf.allocation_len(), "in place");
    let slice = buf.slice(..2);
    buf.reserve(10_000);
    assert_eq!(leak::live().len(), 2, "in another block");
    guard.finish();
    drop((buf, slice));
}

#[test]
fn every_nth_is_tracked() {
    let _alone = alone();
    let made = |n: usize| (0..n).map(|_| HeapBuf::with_capacity(64)).collect::<Vec<_>>();
    for (every, tracked) in [(1, 30), (3, 10), (10, 3), (0, 0)] {
        leak::set_sampling(every);
        let kept = made(30);
        assert_eq!(leak::live().len(), tracked, "every {every}th");
        drop(kept);
        assert!(leak::live().is_empty());
    }
    // Until there is a guard.
    let guard = Guard::new();
    let kept = made(7);
    assert_eq!(leak::live().len(), 7);
    drop(kept);
    guard.finish();
    let _kept = made(7);
    assert!(leak::live().is_empty());
}

#[test]
#[ignore = "run by the next test, in a process of its own"]
fn in_an_environment() {
    let kept: Vec<_> = (0..1024).map(|_| HeapBuf::with_capacity(64)).collect();
    println!("<{} of {}>", leak::live().len(), kept.len());
    let pool = Pool::new(PoolConfig::new());
    let _kept: Vec<_> = (0..1024).map(|_| pool.heap(64)).collect();
    drop(pool);
}

#[test]
fn the_environment_says_how_many() {
    let run = |sampling: Option<&str>| {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "in_an_environment", "--ignored", "--nocapture"]);
        match sampling {
            Some(sampling) => command.env("REFBUF_LEAK_SAMPLING", sampling),
            None => command.env_remove("REFBUF_LEAK_SAMPLING"),
        };
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    };
    let cases = [(None, 8), (Some("1"), 1024), (Some("64"), 16), (Some("0"), 0), (Some("x"), 8)];
    for (sampling, tracked) in cases {
        let (out, err) = run(sampling);
        assert!(out.contains(&format!("<{tracked} of 1024>")), "{sampling:?}: {out}");
        // And the hook that is there when none is set.
        assert_eq!(err.matches("refbuf: outlives its pool: 64 bytes").count(), tracked, "{err}");
        assert_eq!(err.contains("REFBUF_LEAK_SAMPLING is not a number"), sampling == Some("x"));
    }
}

#[test]
fn a_pool_reports_what_outlives_it() {
    static REPORTED: Mutex<Vec<LeakRecord>> = Mutex::new(Vec::new());
    let _alone = alone();
    leak::set_hook(|records| REPORTED.lock().unwrap().extend_from_slice(records));
    let reported = || std::mem::take(&mut *REPORTED.lock().unwrap());

    let (pool, other) = (Pool::new(PoolConfig::new()), Pool::new(PoolConfig::new()));
    let (line, kept) = (line!(), [pool.heap(64), pool.heap(1000)]);
    let _others = [other.heap(64), HeapBuf::with_capacity(64)];
    drop(pool.heap(100));
    drop(pool.clone());
    assert!(reported().is_empty(), "there is a handle yet");
    drop(pool);
    let records = reported();
    assert_eq!(records.len(), 2, "{records:#?}");
    assert!(records.iter().all(|record| is_here(record.created_at(), line)));
    drop(kept);

    let clean = Pool::new(PoolConfig::new());
    drop(clean.heap(64));
    drop(clean);
    assert!(reported().is_empty());
}

#[test]
fn threads_that_make_and_drop_leave_nothing() {
    let _alone = alone();
    let guard = Guard::all_threads();
    let pool = Pool::new(PoolConfig::new());
    thread::scope(|scope| {
        for seed in 0..4_usize {
            let pool = &pool;
            scope.spawn(move || {
                let (sender, receiver) = std::sync::mpsc::channel::<SliceBuf>();
                let other = thread::spawn(move || receiver.into_iter().for_each(drop));
                for i in 0..500 {
                    let mut buf = match (i + seed) % 3 {
                        0 => HeapBuf::with_capacity(64),
                        1 => pool.heap(64),
                        _ => HeapBuf::from(vec![0; 8]),
                    };
                    buf.write_u64(7);
                    sender.send(buf.read_slice(4)).unwrap();
                    if i % 7 == 0 {
                        buf.reserve(1000);
                    }
                    sender.send(buf.freeze()).unwrap();
                }
                drop(sender);
                other.join().unwrap();
            });
        }
    });
    guard.finish();
    assert!(leak::live().is_empty());
}

#[test]
fn the_line_says_it_all() {
    let _alone = alone();
    let buf = OwnedBuf::<Heap>::with_capacity(64);
    let made = only().created_at().to_string();
    assert_eq!(only().to_string(), format!("64 bytes of heap memory, made at {made}"));
    buf.touch();
    let touched = only().touched_at().unwrap().to_string();
    assert_eq!(
        only().to_string(),
        format!("64 bytes of heap memory, made at {made}, last touched at {touched}")
    );
    drop(buf);
    let _pooled = Pool::global().heap(64);
    assert!(only().to_string().starts_with("64 bytes of pooled heap memory, made at "));
}
