//! Room: how it is made, what it costs, and that it never goes past the limit.

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf};
#[cfg(feature = "mmap")]
use refbuf::{DirectBuf, DirectOptions};

use crate::support::{all_bytes, content, refused, refused_as};

#[test]
fn growing_keeps_every_byte_read_or_not() {
    for n in [1, 10, 63, 64, 65, 4096] {
        let mut buf = HeapBuf::with_capacity(n);
        buf.write_bytes(&content(n));
        let mark = buf.reader_index();
        buf.read_u8();
        buf.write_u8(1);
        assert!(buf.capacity() > n);
        buf.set_reader_index(mark);
        assert_eq!(all_bytes(&buf), [&content(n)[..], &[1]].concat());
    }
}

#[test]
fn a_huge_request_is_an_error_and_changes_nothing() {
    let mut buf = HeapBuf::from(vec![1]);
    let error = Error::Overflow { needed: usize::MAX, available: usize::MAX - 1 };
    refused(&mut buf, error, |buf| buf.try_ensure_writable(usize::MAX));
    refused(&mut buf, error, |buf| buf.try_reserve(usize::MAX));
    refused_as!(&mut buf, Error::Alloc { .. }, buf.try_reserve(isize::MAX as usize - 1));
    assert!(HeapBuf::try_with_capacity(isize::MAX as usize).is_err());
    assert!(HeapBuf::try_with_capacity(usize::MAX).is_err());
    #[cfg(feature = "mmap")]
    for capacity in [usize::MAX, usize::MAX - 4095, isize::MAX as usize, 1 << 62] {
        assert!(matches!(DirectBuf::try_with_capacity(capacity), Err(Error::Alloc { .. })));
    }
}

#[test]
fn the_limit_holds_after_any_operation() {
    let mut buf = HeapBuf::with_max_capacity(3, 10);
    for n in 1..=10 {
        buf.write_u8(n);
        assert!(buf.capacity() <= 10);
    }
    refused(&mut buf, Error::Overflow { needed: 1, available: 0 }, |buf| buf.try_write_u8(0));
    refused(&mut buf, Error::InvalidIndex { index: 11, min: 0, max: 10 }, |buf| {
        buf.try_set_writer_index(11)
    });
    // Reading makes no room by itself; giving up what was read does.
    buf.skip(4);
    refused(&mut buf, Error::Overflow { needed: 1, available: 0 }, |buf| buf.try_write_u8(0));
    buf.make_room(4);
    assert_eq!((buf.reader_index(), buf.writer_index(), buf.capacity()), (0, 6, 10));
    refused_as!(&mut buf, Error::Overflow { .. }, buf.try_make_room(5));
    assert_eq!(
        HeapBuf::try_with_max_capacity(11, 10).unwrap_err(),
        Error::Overflow { needed: 11, available: 10 }
    );
    assert_eq!(
        HeapBuf::with_max_capacity(0, 0).try_write_u8(1),
        Err(Error::Overflow { needed: 1, available: 0 })
    );
}

#[test]
fn within_its_capacity_a_buffer_does_not_move() {
    let mut buf = HeapBuf::with_max_capacity(150, 500);
    buf.write_zeros(100);
    assert_eq!((buf.writable_bytes(), buf.max_writable_bytes()), (50, 400));
    let memory = buf.chunk(0).as_ptr();
    buf.ensure_writable(50);
    assert_eq!((buf.chunk(0).as_ptr(), buf.capacity()), (memory, 150));
    buf.write_zeros(10);
    assert_eq!((buf.writable_bytes(), buf.chunk(0).as_ptr()), (40, memory));
}

#[test]
fn appending_moves_a_logarithmic_number_of_times() {
    let mut buf = HeapBuf::new();
    let mut moves = 0;
    for i in 0..1_000_000_u32 {
        let capacity = buf.capacity();
        buf.write_u8(i as u8);
        moves += usize::from(buf.capacity() != capacity);
    }
    assert!(moves <= 20, "{moves}");
    assert!(buf.capacity() <= 2 * buf.writer_index());
}

#[test]
fn a_decoder_that_reads_what_it_appends_stays_in_one_small_block() {
    let mut buf = HeapBuf::with_capacity(100);
    for turn in 0..1000_u64 {
        buf.make_room(70);
        buf.write_u64(turn);
        buf.write_zeros(62);
        assert_eq!(buf.read_u64(), turn);
        drop(buf.read_slice(62));
    }
    assert_eq!(buf.capacity(), 100);
}

#[test]
fn a_held_slice_does_not_make_a_decoder_grow_without_bound() {
    let mut buf = HeapBuf::with_capacity(128);
    let mut held = Vec::new();
    for turn in 0..1000_u64 {
        buf.make_room(32);
        buf.write_u64(turn);
        buf.write_zeros(24);
        held.push((buf.read_slice(32), turn));
        assert!(buf.capacity() <= 256, "{}", buf.capacity());
    }
    assert!(held.iter().all(|(slice, turn)| slice.get_u64(0) == *turn));
}

#[test]
fn moving_the_writer_index_forward_shows_zeros_and_never_what_was_there() {
    let mut buf = HeapBuf::with_capacity(32);
    buf.write_bytes(&[0xee; 32]);
    buf.set_writer_index(4);
    buf.set_writer_index(32);
    assert_eq!(all_bytes(&buf), [&[0xee; 4][..], &[0; 28]].concat());
    buf.clear();
    buf.set_writer_index(32);
    assert_eq!(all_bytes(&buf), [0; 32]);
    let mut composite = CompositeBuf::new();
    composite.write_bytes(&[0xee; 32]);
    composite.set_writer_index(4);
    composite.set_writer_index(32);
    assert_eq!(all_bytes(&composite), [&[0xee; 4][..], &[0; 28]].concat());
}

#[test]
fn a_composite_grows_without_moving_what_is_there() {
    let mut buf = CompositeBuf::new();
    buf.push(content(100));
    let first = buf.chunk(0).as_ptr();
    for _ in 0..10_000 {
        buf.write_u64(1);
    }
    assert_eq!(buf.chunk(0).as_ptr(), first);
    assert!(buf.component_count() < 20, "{}", buf.component_count());
}

#[test]
fn a_composite_that_is_read_as_it_is_written_keeps_one_block() {
    let mut buf = CompositeBuf::new();
    for i in 0..100_000_u64 {
        buf.write_u64(i);
        assert_eq!(buf.read_u64(), i);
        buf.discard_read_components();
        assert!(buf.component_count() <= 1);
    }
    assert!(buf.capacity() <= 64 << 10);
    for _ in 0..65 {
        buf.write_u8(1);
        assert_eq!(buf.read_u8(), 1);
    }
}

#[test]
fn heap_memory_is_aligned_to_16_bytes_also_after_growing() {
    for capacity in (1..300).chain([4096, 65_536, 1 << 20]) {
        let mut buf = HeapBuf::with_capacity(capacity);
        for _ in 0..3 {
            assert_eq!(buf.spare_capacity_mut().as_ptr().addr() % 16, 0);
            buf.reserve(2 * buf.capacity());
        }
    }
}

#[cfg(feature = "mmap")]
#[test]
fn direct_memory_is_aligned_to_pages_also_after_growing() {
    for capacity in [1, 4095, 4096, 4097, 1 << 20] {
        let mut buf = DirectBuf::with_capacity(capacity);
        buf.write_bytes(&content(capacity));
        for _ in 0..3 {
            assert_eq!((buf.chunk(0).as_ptr().addr() % 4096, buf.capacity() % 4096), (0, 0));
            buf.reserve(2 * buf.capacity());
            assert_eq!(buf, content(capacity));
        }
    }
}

#[cfg(feature = "mmap")]
#[test]
fn direct_memory_can_be_asked_for_in_pages_of_any_kind() {
    for options in [
        DirectOptions::new(),
        DirectOptions::new().populate(true),
        DirectOptions::new().huge_pages(true),
        DirectOptions::new().huge_pages(true).populate(true),
    ] {
        let mut buf = DirectBuf::with_options(5000, options);
        buf.write_bytes(&content(5000));
        let slice = buf.read_slice(1000);
        buf.write_bytes(&content(100_000));
        assert_eq!(slice, content(1000));
        assert_eq!(buf, [&content(5000)[1000..], &content(100_000)].concat());
        drop(slice);
        buf.reserve(4 << 20);
        assert_eq!(buf, [&content(5000)[1000..], &content(100_000)].concat());
    }
}

#[test]
fn neighbouring_buffers_never_overlap() {
    let sizes = [16_384, 65_536, 1, 7, 4096];
    let mut bufs: Vec<HeapBuf> = sizes.iter().map(|&size| HeapBuf::with_capacity(size)).collect();
    for (i, buf) in bufs.iter_mut().enumerate() {
        buf.write_bytes(&vec![i as u8; buf.capacity()]);
    }
    for (i, buf) in bufs.iter().enumerate() {
        assert!(all_bytes(buf).iter().all(|&byte| byte == i as u8));
    }
}

#[test]
fn setters_never_grow_and_never_touch_the_room() {
    let mut buf = HeapBuf::with_capacity(64);
    buf.write_u32(0);
    let error = Error::OutOfBounds { index: 2, len: 8, limit: 4 };
    refused(&mut buf, error, |buf| buf.try_set_u64(2, u64::MAX));
    refused(&mut buf, error, |buf| buf.try_set_str(2, "8 bytes!"));
    assert_eq!(buf.get_u32(0), 0);
}

#[test]
fn a_buffer_goes_from_vec_to_vec_without_a_copy() {
    let vec = content(1000);
    let (address, expected) = (vec.as_ptr(), vec.clone());
    let mut buf = HeapBuf::from(vec);
    assert_eq!(buf.chunk(0).as_ptr(), address);
    let slice = buf.slice(10..20);
    let buf = buf.try_into_vec().expect_err("shared");
    drop(slice);
    let frozen = buf.freeze();
    let buf = HeapBuf::try_from(frozen).expect("alone");
    let vec = buf.try_into_vec().expect("alone");
    assert_eq!((vec.as_ptr(), &vec), (address, &expected));

    // What was read goes, what is left moves down.
    let mut buf = HeapBuf::from(vec);
    buf.skip(10);
    let vec = buf.try_into_vec().expect("alone");
    assert_eq!((vec.as_ptr(), &vec[..]), (address, &expected[10..]));
    // A shared one is copied, and nobody loses anything.
    let mut buf = HeapBuf::from(vec);
    let slice = buf.slice(..);
    assert_eq!(buf.into_vec(), slice.as_slice());
}

#[test]
fn the_exclusive_type_comes_back_only_from_the_sole_handle_of_its_own_memory() {
    let slice = SliceBuf::from(content(10));
    let other = slice.clone();
    let slice = HeapBuf::try_from(slice).expect_err("shared");
    let view = slice.downgrade();
    drop(other);
    let slice = HeapBuf::try_from(slice).expect_err("a view is there");
    drop(view);
    let mut part = slice.slice(2..6);
    drop(slice);
    part.skip(1);
    let mut buf = HeapBuf::try_from(part).expect("alone");
    assert_eq!((buf.reader_index(), all_bytes(&buf)), (1, content(6)[2..].to_vec()));
    // The rest of the block is its room; the bytes that were there do not show.
    assert_eq!(buf.capacity(), 8);
    buf.set_writer_index(8);
    assert_eq!(all_bytes(&buf), [&content(6)[2..], &[0; 4]].concat());
    assert!(HeapBuf::try_from(SliceBuf::from_owner(content(4))).is_err());
    assert!(HeapBuf::try_from(SliceBuf::from_static(b"abc")).is_err());
    #[cfg(feature = "mmap")]
    {
        let direct = DirectBuf::with_capacity(1);
        let mut direct = direct;
        direct.write_u8(1);
        let slice = HeapBuf::try_from(direct.freeze()).expect_err("other memory");
        assert!(DirectBuf::try_from(slice).is_ok());
    }
}
