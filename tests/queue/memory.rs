//! What is copied and what is not, told by addresses.

use std::ops::Range;

use refbuf::{ByteBuf, ByteBufMut, CoalescingQueue, CompositeBuf, HeapBuf, SliceBuf};

use crate::support::{bytes, take};

/// Where the components are, and how long.
fn places(buf: &CompositeBuf) -> Vec<(usize, usize)> {
    buf.components().map(|bytes| (bytes.as_ptr().addr(), bytes.len())).collect()
}

/// An owner with room behind its bytes, and all the addresses that it has.
fn roomy(len: usize, room: usize) -> (HeapBuf, Range<usize>) {
    let mut buf = HeapBuf::with_capacity(len + room);
    let start = buf.spare_capacity_mut().as_ptr().addr();
    buf.write_bytes(&bytes(len, 1));
    (buf, start..start + len + room)
}

/// The queue copies nothing longer than 10 bytes.
fn queue() -> CoalescingQueue {
    CoalescingQueue::new().copy_up_to(10)
}

#[test]
fn what_fits_exactly_is_handed_over_as_it_is() {
    // However short: one piece is not copied for its own sake.
    for len in [1, 10, 1000] {
        for first in [false, true] {
            let (buf, addresses) = roomy(len, 32);
            let mut queue = queue();
            queue.push(buf);
            queue.push("more");
            let mut taken = match first {
                true => queue.take_first(),
                false => queue.take(len),
            }
            .unwrap();
            assert_eq!(places(&taken.buf), [(addresses.start, len)]);
            // Still exclusive, with its room.
            taken.buf.set_u8(0, 0xfe);
            taken.buf.write_bytes(&[7; 32]);
            assert_eq!(places(&taken.buf), [(addresses.start, len + 32)]);
        }
    }
}

#[test]
fn of_a_longer_one_the_front_is_cut_off_without_a_copy() {
    for n in [1, 10, 500] {
        let (buf, addresses) = roomy(1000, 32);
        let mut queue = queue();
        queue.push(buf);
        let mut front = queue.take(n).unwrap().buf;
        let mut back = queue.take(1000).unwrap().buf;
        assert_eq!(places(&front), [(addresses.start, n)]);
        assert_eq!(places(&back), [(addresses.start + n, 1000 - n)]);
        // Each may be written, and neither reaches into the other.
        front.set_u8(0, 0xfe);
        front.write_bytes(&[7; 100]);
        back.write_bytes(&[8; 32]);
        assert_eq!(back.get_u8(0), bytes(1000, 1)[n]);
        assert_eq!(places(&back), [(addresses.start + n, 1000 - n + 32)]);
    }
    // The same of a slice that others hold.
    let shared = SliceBuf::from(bytes(1000, 1));
    let mut queue = queue();
    queue.push(shared.clone());
    let front = queue.take(10).unwrap().buf;
    assert_eq!(places(&front), [(shared.as_slice().as_ptr().addr(), 10)]);
    assert_eq!(shared, bytes(1000, 1));
}

#[test]
fn small_neighbours_are_copied_together_and_long_ones_composed() {
    let long = SliceBuf::from(bytes(11, 1));
    let mut queue = queue();
    for piece in ["a", "bc", "0123456789"] {
        queue.push(piece);
    }
    queue.push(long.clone());
    queue.push("lone");
    queue.push(long.clone());
    queue.push("d");
    queue.push("efg");
    let taken = queue.take(1000).unwrap().buf;
    let long = long.as_slice();
    let expected = [b"abc0123456789", long, b"lone", long, b"defg"];
    assert!(taken.components().eq(expected), "{taken:?}");
    let places = places(&taken);
    // All copies are in one block; the long ones are where they were.
    assert_eq!(places[4].0, places[0].0 + 13);
    assert_eq!([places[1].0, places[3].0], [long.as_ptr().addr(); 2]);
    assert_eq!(taken.allocation_len() - 2 * 11, 2 * 17, "two components of a block of 17");
}

#[test]
fn a_small_part_of_a_long_one_is_copied_like_a_small_one() {
    let shared = SliceBuf::from(bytes(1000, 1));
    let mut queue = queue();
    queue.push("head");
    queue.push(shared.clone());
    queue.push("tail");
    let head = queue.take(10).unwrap().buf;
    assert!(head.components().eq([[b"head", &shared.as_slice()[..6]].concat()]));
    // What is left of it is small by and by.
    take(&mut queue, 990);
    let tail = queue.take(100).unwrap().buf;
    assert!(tail.components().eq([[&shared.as_slice()[996..], b"tail"].concat()]));
    assert_eq!(shared, bytes(1000, 1));
    assert_eq!(shared.ref_count(), 1);
}

#[test]
fn with_nothing_small_nothing_is_copied() {
    let shared = SliceBuf::from(bytes(100, 1));
    let mut queue: CoalescingQueue = CoalescingQueue::new().copy_up_to(0);
    for i in 0..100 {
        queue.push(shared.slice(i..=i));
    }
    let taken = queue.take(100).unwrap().buf;
    assert_eq!(taken.component_count(), 100);
    assert_eq!(places(&taken)[99].0, shared.as_slice().as_ptr().addr() + 99);
}

/// netty 14068, 14069, 14086: the first buffer was used to gather the others
/// in, and so its owner's, or a cache's, bytes were written.
#[test]
fn copies_never_go_into_what_was_pushed() {
    let (first, first_is) = roomy(4, 100);
    let (long, long_is) = roomy(50, 100);
    let (last, last_is) = roomy(5, 100);
    let mut queue = queue();
    queue.push(first);
    queue.push("small");
    queue.push(long);
    queue.push("small");
    queue.push(last);
    let mut taken = CompositeBuf::new();
    // What the caller has already is no place to copy to either.
    let (callers, callers_is) = roomy(6, 1000);
    taken.push(callers);
    queue.take_into(1000, &mut taken, &mut Vec::new()).unwrap();
    let places = places(&taken);
    assert_eq!(places.iter().map(|place| place.1).collect::<Vec<_>>(), [6, 9, 50, 10]);
    assert_eq!([places[0].0, places[2].0], [callers_is.start, long_is.start]);
    for copy in [places[1].0, places[3].0] {
        for pushed in [&callers_is, &first_is, &long_is, &last_is] {
            assert!(!pushed.contains(&copy));
        }
    }
}

/// netty 14086, as a user sees it: a cached response, sent twice.
#[test]
fn what_others_hold_is_as_it_was_after_everything() {
    let mut cached = HeapBuf::with_capacity(1000);
    cached.write_bytes(b"HTTP/1.1 200 OK");
    let response = cached.slice(..);
    let mut queue = CoalescingQueue::new();
    for token in 0..10 {
        queue.push_with(response.clone(), token);
        queue.push_with(bytes(3, 9), token);
    }
    while !queue.is_empty() {
        let mut taken = queue.take(7).unwrap().buf;
        taken.write_bytes(b"trailer");
        let _ = taken.try_set_u8(0, 0xfe);
    }
    assert_eq!(response, "HTTP/1.1 200 OK");
    assert_eq!(cached.ref_count(), 2);
}

#[test]
#[cfg(feature = "std")]
fn copies_come_from_the_allocator_and_so_does_what_is_written_behind() {
    use std::sync::Arc;

    use refbuf::{Pool, PoolConfig};

    let pool = Pool::new(PoolConfig::new());
    let mut queue: CoalescingQueue = CoalescingQueue::with_allocator(Arc::new(pool.clone()));
    queue.push(bytes(5000, 1));
    let mut taken = queue.take(1000).unwrap().buf;
    assert_eq!(pool.stats().taken(), 0, "nothing was copied");
    taken.write_u64(7);
    assert_eq!(pool.stats().taken(), 1);
    take(&mut queue, 4000);
    queue.push("small");
    queue.push("small");
    drop(queue.take(10).unwrap());
    assert_eq!(pool.stats().taken(), 2);
}
