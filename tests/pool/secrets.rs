//! What an earlier user of a block wrote: overwritten if that is asked for, and
//! never to be had by safe means.

use std::thread;

use refbuf::{ByteBuf, ByteBufMut, Pool, PoolConfig};

use crate::support::{Either, KINDS, Kind};
use crate::watched::frees_zeros;

const SECRET: u8 = 0xaa;

fn fill(buf: &mut Either) {
    let buf = buf.buf();
    buf.write_bytes(&vec![SECRET; buf.writable_bytes()]);
}

/// The memory of an empty buffer, written or not.
///
/// # Safety
///
/// It was initialised by an earlier user.
unsafe fn memory(buf: &mut Either) -> &[u8] {
    let spare = buf.buf().spare_capacity_mut();
    // SAFETY: of the caller.
    unsafe { std::slice::from_raw_parts(spare.as_ptr().cast(), spare.len()) }
}

#[track_caller]
fn assert_reused_and_zero(kind: Kind, pool: &Pool, size: usize, address: usize) {
    let mut buf = kind.take(pool, size);
    assert_eq!(buf.address(), address, "other memory");
    // SAFETY: this memory was filled.
    assert!(unsafe { memory(&mut buf) }.iter().all(|&byte| byte == 0));
}

#[test]
fn blocks_are_zeroed_when_they_come_back() {
    for kind in KINDS {
        for size in [64, 1000, 4096, 100_000, 1 << 20] {
            let pool = Pool::new(PoolConfig::new().zero_on_release(true));
            let mut buf = kind.take(&pool, size);
            let address = buf.address();
            fill(&mut buf);
            drop(buf);
            assert_reused_and_zero(kind, &pool, size, address);
        }
    }
}

#[test]
fn whichever_handle_is_the_last() {
    let pool = Pool::new(PoolConfig::new().zero_on_release(true));
    let mut buf = Kind::Heap.take(&pool, 1000);
    let address = buf.address();
    fill(&mut buf);
    let Either::Heap(mut heap) = buf else { unreachable!() };
    let (slice, view) = (heap.slice(10..20), heap.downgrade());
    drop(heap);
    assert_eq!(slice, [SECRET; 10]);
    drop(slice);
    drop(view);
    assert_reused_and_zero(Kind::Heap, &pool, 1000, address);

    // On another thread, whose blocks are left to this one.
    let mut buf = Kind::Direct.take(&pool, 1 << 20);
    let address = buf.address();
    fill(&mut buf);
    thread::spawn(|| drop(buf)).join().unwrap();
    assert_reused_and_zero(Kind::Direct, &pool, 1 << 20, address);
}

#[test]
fn blocks_too_large_to_pool_are_zeroed_too() {
    let pool = Pool::new(PoolConfig::new().zero_on_release(true));
    let full = |pool: &Pool| {
        let mut buf = Kind::Heap.take(pool, 3 << 20);
        fill(&mut buf);
        buf
    };
    let mut buf = full(&pool);
    assert!(frees_zeros(|| drop(full(&pool))));
    // What a buffer leaves behind when it grows.
    assert!(frees_zeros(|| buf.buf().write_u8(1)));
    assert_eq!(buf.buf().get_u8(0), SECRET);
    let careless = Pool::new(PoolConfig::new());
    assert!(!frees_zeros(|| drop(full(&careless))));
}

#[test]
fn no_safe_call_shows_what_was_there() {
    for kind in KINDS {
        let pool = Pool::new(PoolConfig::new());
        let mut old = kind.take(&pool, 1000);
        let address = old.address();
        fill(&mut old);
        drop(old);
        let mut buf = kind.take(&pool, 1000);
        assert_eq!(buf.address(), address, "other memory");
        let buf = buf.buf();
        assert_eq!(buf.to_vec(), b"");
        assert!(buf.try_get_u8(0).is_err() && buf.try_read_u64().is_err());
        assert!(buf.try_set_u8(0, 1).is_err());
        assert!(buf.try_chunk(1).is_err());
        // Bytes that were not given are zeros.
        buf.set_writer_index(100);
        buf.write_zeros(100);
        let mut short = std::io::Cursor::new([1; 10]);
        buf.read_from(&mut short, 700).unwrap();
        buf.set_writer_index(buf.capacity());
        let given: Vec<_> = buf.to_vec();
        assert_eq!(given.iter().map(|&byte| usize::from(byte)).sum::<usize>(), 10);
        assert_eq!(given.len(), buf.capacity());
        buf.clear();
        buf.set_writer_index(1000);
        assert_eq!(buf.to_vec(), [0; 1000]);
    }
}

#[test]
fn there_is_something_to_hide() {
    let pool = Pool::new(PoolConfig::new());
    let mut old = Kind::Heap.take(&pool, 1000);
    fill(&mut old);
    drop(old);
    let mut new = Kind::Heap.take(&pool, 1000);
    // SAFETY: the one block of this pool, which was filled.
    assert!(unsafe { memory(&mut new) }.iter().all(|&byte| byte == SECRET));
    assert_eq!(pool.stats().misses(), 1);
}
