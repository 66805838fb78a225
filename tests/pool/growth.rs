//! Buffers that grow, shrink and are cut stay with the pool; so do the handles
//! of its blocks.

use refbuf::{
    BufAllocator, ByteBuf, ByteBufMut, ClassStats, DirectBuf, HeapBuf, Pool, PoolConfig, SliceBuf,
};

use crate::support::{Either, KINDS, PAGE, assert_all_back, assert_empty};

/// The classes that have blocks in use.
fn live(pool: &Pool) -> Vec<(bool, usize, u64)> {
    let live = |class: ClassStats| (class.direct, class.size, class.live());
    pool.stats().classes.into_iter().map(live).filter(|&(.., n)| n != 0).collect()
}

#[test]
fn a_buffer_that_grows_stays_with_the_pool() {
    for kind in KINDS {
        let pool = Pool::new(PoolConfig::new());
        let mut buf = kind.take(&pool, 100);
        for n in 0..50_000_u32 {
            buf.buf().write_u32(n);
            if n % 1000 == 0 {
                let direct = matches!(buf, Either::Direct(_));
                assert_eq!(live(&pool), [(direct, buf.buf().capacity(), 1)]);
            }
        }
        for n in 0..50_000_u32 {
            assert_eq!(buf.buf().read_u32(), n);
        }
        drop(buf);
        assert_empty(&pool);
    }
}

#[test]
fn making_room_and_shrinking_stay_with_the_pool() {
    let pool = Pool::new(PoolConfig::new());
    let mut buf = pool.heap(1000);
    buf.write_bytes(&[7; 1000]);
    buf.skip(900);
    let held = buf.slice(950..1000);
    // Somebody sees the block, so it stays and a new one is made.
    buf.make_room(1000);
    assert_eq!(buf, [7; 100]);
    assert!(buf.capacity() >= 1100);
    assert_eq!(live(&pool), [(false, 1024, 1), (false, buf.capacity(), 1)]);
    drop(held);
    buf.shrink_to(0);
    assert_eq!((buf.capacity(), buf.as_slice()), (112, &[7; 100][..]));
    assert_eq!(live(&pool), [(false, 112, 1)]);

    let mut direct = pool.direct(10 * PAGE);
    direct.write_bytes(b"little");
    direct.shrink_to(PAGE);
    assert_eq!(live(&pool), [(false, 112, 1), (true, PAGE, 1)]);
    assert_eq!(direct, b"little");
    drop((buf, direct));
    assert_empty(&pool);
}

#[test]
fn a_buffer_may_outgrow_the_blocks_of_the_pool() {
    for kind in KINDS {
        let pool = Pool::new(PoolConfig::new().max_pooled(8192));
        let mut buf = kind.take(&pool, 8192);
        buf.buf().write_bytes(&[7; 8192]);
        buf.buf().write_bytes(&[8; 8192]);
        assert_eq!((pool.stats().oversized, live(&pool)), (1, vec![]));
        buf.buf().write_bytes(&[9; 100_000]);
        let bytes = buf.buf().to_vec();
        assert_eq!((bytes[8191], bytes[8192], bytes[16_384], bytes.len()), (7, 8, 9, 116_384));
        drop(buf);
        assert_empty(&pool);
    }
}

#[test]
fn the_parts_of_a_buffer_are_of_one_block() {
    let pool = Pool::new(PoolConfig::new());
    let mut head = pool.heap(1000);
    head.write_bytes(&[1; 500]);
    let mut tail = head.split_off(250);
    assert_eq!(live(&pool), [(false, 1024, 1)]);
    tail.write_bytes(&[2; 2000]);
    assert_eq!((head.as_slice(), tail.get_u8(249), tail.get_u8(250)), (&[1; 250][..], 1, 2));
    assert_eq!(live(&pool).len(), 2);
    drop((head, tail));
    assert_empty(&pool);
}

#[test]
fn a_composite_makes_its_components_of_the_pool() {
    let pool = Pool::new(PoolConfig::new());
    let mut buf = pool.composite();
    buf.write_bytes(&[1; 3000]);
    buf.push(SliceBuf::from_static(&[2; 100]));
    let taken = pool.stats().taken();
    assert!(taken > 0);
    buf.write_bytes(&[3; 100]);
    assert!(pool.stats().taken() > taken);

    // What is cut off goes on as it was.
    let mut tail = buf.split_off(3050);
    let mut taken = pool.stats().taken();
    for part in [&mut tail, &mut buf] {
        part.push(SliceBuf::from_static(b"|"));
        part.write_bytes(&[4; 5000]);
        assert!(pool.stats().taken() > taken);
        taken = pool.stats().taken();
    }
    buf.consolidate();
    assert_eq!(pool.stats().taken(), taken + 1);
    assert_eq!(buf.component_count(), 1);
    let head = buf.split_to(10);
    taken = pool.stats().taken();
    let across = tail.slice(40..200);
    assert_eq!(across.get_u8(0), 2);
    assert_eq!(pool.stats().taken(), taken + 1);

    let bytes = buf.to_vec();
    assert_eq!((bytes[0], bytes[2990], bytes[3040], bytes[3041]), (1, 2, b'|', 4));
    assert_eq!(head, [1; 10]);
    drop((buf, tail, head, across));
    assert_empty(&pool);
}

#[test]
fn a_composite_keeps_the_pool() {
    let pool = Pool::new(PoolConfig::new());
    let mut buf = pool.composite();
    drop(pool);
    buf.write_bytes(&[1; 3000]);
    buf.push(vec![2]);
    buf.write_bytes(&[3; 3000]);
    assert_eq!((buf.get_u8(2999), buf.get_u8(3000), buf.get_u8(6000)), (1, 2, 3));
}

#[test]
fn a_slice_gives_the_kind_of_buffer_back() {
    let pool = Pool::new(PoolConfig::new().max_pooled(1 << 16));
    // Also of blocks too large to pool.
    for size in [1000, 1 << 17] {
        let mut heap = pool.heap(size);
        heap.write_bytes(b"heap");
        let slice = DirectBuf::try_from(heap.freeze()).unwrap_err();
        let clone = slice.clone();
        let slice = HeapBuf::try_from(slice).unwrap_err();
        drop(clone);
        let mut heap = HeapBuf::try_from(slice).unwrap();
        heap.write_bytes(b" again");
        assert_eq!(heap, b"heap again");

        let mut direct = pool.direct(size);
        direct.write_bytes(b"direct");
        let slice = HeapBuf::try_from(direct.freeze()).unwrap_err();
        let mut direct = DirectBuf::try_from(slice).unwrap();
        direct.write_bytes(&vec![7; 2 * size]);
        assert_eq!(&direct.as_slice()[..7], b"direct\x07");
        drop((heap, direct));
        assert_all_back(&pool);
    }
    assert_empty(&pool);
}

#[test]
fn a_vector_of_a_pooled_buffer_leaves_the_block_to_the_pool() {
    let pool = Pool::new(PoolConfig::new());
    let mut buf = pool.heap(100);
    buf.write_bytes(b"bytes");
    match buf.try_into_vec() {
        Ok(vec) => assert_eq!(vec, b"bytes"),
        Err(buf) => assert_eq!(buf, b"bytes"),
    }
    assert_empty(&pool);
}

#[test]
fn a_view_keeps_the_block_from_being_used_again() {
    for kind in KINDS {
        let pool = Pool::new(PoolConfig::new());
        let mut buf = kind.take(&pool, 1000);
        let address = buf.address();
        buf.buf().write_bytes(&[7; 1000]);
        let slice = match buf {
            Either::Heap(buf) => buf.freeze(),
            Either::Direct(buf) => buf.freeze(),
        };
        let view = slice.downgrade();
        assert_eq!(view.as_slice(), [7; 1000]);
        drop(slice);
        assert!(!view.is_accessible());
        let mut others: Vec<_> = (0..10).map(|_| kind.take(&pool, 1000)).collect();
        assert!(others.iter_mut().all(|buf| buf.address() != address));
        assert_eq!(pool.stats().live_bytes(), 11 * 1024);
        drop(view);
        assert_eq!(kind.take(&pool, 1000).address(), address);
        drop(others);
        assert_empty(&pool);
    }
}

#[test]
fn counts_of_a_block_start_anew() {
    let pool = Pool::new(PoolConfig::new());
    for _ in 0..3 {
        let mut buf = pool.heap(1000);
        assert_eq!((buf.ref_count(), buf.is_unique()), (1, true));
        buf.write_bytes(&[7; 100]);
        let slices: Vec<_> = (0..70).map(|_| buf.read_slice(1)).collect();
        let views: Vec<_> = slices.iter().map(SliceBuf::downgrade).collect();
        assert_eq!((buf.ref_count(), views[0].ref_count()), (71, 71));
        drop((buf, slices));
        assert_eq!(views[69].ref_count(), 0);
    }
    assert_eq!(pool.stats().misses(), 1);
    assert_empty(&pool);
}
