//! When tokens are handed out, and in what order.

use refbuf::{ByteBuf, CoalescingQueue, CompositeBuf, Error, HeapBuf, SliceBuf};

use crate::support::{released, state, take};

fn cat_and_mouse() -> CoalescingQueue<&'static str> {
    let mut queue = CoalescingQueue::new();
    queue.push_with("cat", "cat done");
    queue.push_with("mouse", "mouse done");
    queue
}

#[test]
fn all_at_once_gives_all_tokens_in_order() {
    for n in [8, 9, usize::MAX] {
        let mut queue = cat_and_mouse();
        assert_eq!(state(&queue), (8, 2, false));
        assert_eq!(take(&mut queue, n), (b"catmouse".to_vec(), vec!["cat done", "mouse done"]));
        assert_eq!(state(&queue), (0, 0, true));
    }
}

/// netty 7378.
#[test]
fn a_buffer_that_is_partly_gone_keeps_its_token() {
    let mut queue = cat_and_mouse();
    assert_eq!(take(&mut queue, 4), (b"catm".to_vec(), vec!["cat done"]));
    assert_eq!(state(&queue), (4, 1, false));
    assert_eq!(take(&mut queue, 3), (b"ous".to_vec(), vec![]));
    assert_eq!(take(&mut queue, 4), (b"e".to_vec(), vec!["mouse done"]));
    assert!(queue.is_empty());
}

/// netty 7378, where the remainder is given back.
#[test]
fn a_remainder_goes_before_everything_and_has_its_token_with_it() {
    let mut queue = cat_and_mouse();
    // Of a buffer that is not done the token is still in the queue.
    let mut taken = queue.take(5).unwrap();
    taken.buf.skip(3);
    queue.push_front(taken.buf);
    assert_eq!(state(&queue), (5, 2, false));
    assert_eq!(take(&mut queue, 2), (b"mo".to_vec(), vec![]));
    // Of one that is done it comes back with what is left.
    let mut taken = queue.take(3).unwrap();
    taken.buf.skip(1);
    queue.push_with("dog", "dog done");
    queue.push_front_with(taken.buf, taken.tokens.remove(0));
    assert_eq!(state(&queue), (5, 2, false));
    assert_eq!(take(&mut queue, 1), (b"s".to_vec(), vec![]));
    assert_eq!(take(&mut queue, 1), (b"e".to_vec(), vec!["mouse done"]));
    assert_eq!(take(&mut queue, 9), (b"dog".to_vec(), vec!["dog done"]));
}

#[test]
fn a_buffer_without_a_token_is_as_good() {
    let mut queue = CoalescingQueue::new();
    queue.push("cat");
    queue.push_with("mouse", 2);
    queue.push("dog");
    assert_eq!(take(&mut queue, 4), (b"catm".to_vec(), vec![]));
    assert_eq!(take(&mut queue, 5), (b"oused".to_vec(), vec![2]));
    assert_eq!(state(&queue), (2, 1, false));
    assert_eq!(queue.clear().next(), None);
}

#[test]
fn an_empty_queue_gives_empty_buffers() {
    let mut queue: CoalescingQueue<u32> = CoalescingQueue::default();
    assert_eq!(state(&queue), (0, 0, true));
    for n in [0, 1, usize::MAX] {
        assert_eq!(take(&mut queue, n), (vec![], vec![]));
    }
    let taken = queue.take_first().unwrap();
    assert_eq!((taken.buf.component_count(), taken.tokens.len()), (0, 0));
    assert_eq!(queue.clear().count(), 0);
}

#[test]
fn an_empty_buffer_is_done_when_everything_before_it_has_gone() {
    let mut queue = CoalescingQueue::new();
    queue.push_with("", 0);
    queue.push_with("cat", 1);
    queue.push_with(HeapBuf::with_capacity(10), 2);
    queue.push(Vec::new()); // nothing at all
    queue.push_with(CompositeBuf::new(), 3);
    queue.push_with("mouse", 4);
    queue.push_with("", 5);
    assert_eq!(state(&queue), (8, 6, false));
    // At the very front, by any take.
    assert_eq!(take(&mut queue, 0), (vec![], vec![0]));
    assert_eq!(take(&mut queue, 0), (vec![], vec![]));
    assert_eq!(take(&mut queue, 2), (b"ca".to_vec(), vec![]));
    assert_eq!(take(&mut queue, 1), (b"t".to_vec(), vec![1, 2, 3]));
    assert_eq!(take(&mut queue, 5), (b"mouse".to_vec(), vec![4, 5]));
    assert!(queue.is_empty());
    // Alone: there are no bytes, and yet something to be taken.
    queue.push_with("", 6);
    assert_eq!(state(&queue), (0, 1, false));
    assert_eq!(take(&mut queue, 100), (vec![], vec![6]));
    // Before what is partly gone.
    queue.push_with("dog", 7);
    take(&mut queue, 1);
    queue.push_front_with("", 8);
    assert_eq!(take(&mut queue, 2), (b"og".to_vec(), vec![8, 7]));
}

#[test]
fn what_was_read_of_a_buffer_is_not_queued() {
    let mut queue = CoalescingQueue::new();
    let mut half = HeapBuf::from(b"half read".to_vec());
    half.skip(5);
    let mut composite: CompositeBuf = ["half", " ", "read"].into_iter().collect();
    composite.skip(2);
    let mut all = SliceBuf::from_static(b"all read");
    all.skip(8);
    queue.push_with(half, 1);
    queue.push_with(composite, 2);
    queue.push_with(all, 3);
    assert_eq!(state(&queue), (11, 3, false));
    assert_eq!(take(&mut queue, 11), (b"readlf read".to_vec(), vec![1, 2, 3]));
}

#[test]
fn one_buffer_at_a_time_as_it_was_pushed() {
    let mut queue = CoalescingQueue::new();
    queue.push_with("", 0);
    queue.push_with(["ca", "t"].into_iter().collect::<CompositeBuf>(), 1);
    queue.push("mouse");
    queue.push_with("", 3);
    queue.push_with("", 4);
    let expected: [(&[&[u8]], &[u32]); 5] =
        [(&[], &[0]), (&[b"ca", b"t"], &[1]), (&[b"mouse"], &[]), (&[], &[3]), (&[], &[4])];
    for (i, (pieces, tokens)) in expected.into_iter().enumerate() {
        assert_eq!(queue.len(), 5 - i);
        let taken = queue.take_first().unwrap();
        assert!(taken.buf.components().eq(pieces.iter().copied()), "{:?}", taken.buf);
        assert_eq!(taken.tokens, tokens);
    }
    assert_eq!(state(&queue), (0, 0, true));
    // What is left of one.
    queue.push_with("mouse", 5);
    take(&mut queue, 2);
    let taken = queue.take_first().unwrap();
    assert_eq!((taken.buf.to_vec(), taken.tokens), (b"use".to_vec(), vec![5]));
}

#[test]
fn clearing_lets_the_buffers_go_and_gives_the_tokens_in_order() {
    let shared = SliceBuf::from(b"cat".to_vec());
    let mut queue = CoalescingQueue::new();
    queue.push_with(shared.clone(), 1);
    queue.push(shared.clone());
    queue.push_with("", 2);
    queue.push_with(shared.clone(), 3);
    take(&mut queue, 4);
    queue.push_front_with(shared.clone(), 4);
    assert!(shared.ref_count() > 1);
    let mut cleared = queue.clear();
    assert_eq!(state(&queue), (0, 0, true));
    assert_eq!(cleared.next(), Some(4));
    assert_eq!(shared.ref_count(), 1);
    assert_eq!(cleared.collect::<Vec<_>>(), [2, 3]);
    // It is as good as new.
    queue.push_with("dog", 5);
    assert_eq!(take(&mut queue, 3), (b"dog".to_vec(), vec![5]));
    // Not asked for, the tokens are dropped with the buffers.
    queue.push_with(shared.clone(), 6);
    drop(queue.clear());
    assert_eq!(shared.ref_count(), 1);
}

#[test]
fn a_queue_moves_to_the_end_of_another() {
    let (mut queue, mut other) = (cat_and_mouse(), cat_and_mouse());
    take(&mut queue, 1);
    take(&mut other, 4);
    queue.append(&mut other);
    assert_eq!((state(&queue), state(&other)), ((11, 3, false), (0, 0, true)));
    // The other goes on, and so does this.
    other.push_with("dog", "dog done");
    queue.append(&mut other);
    queue.append(&mut other);
    assert_eq!(take(&mut queue, 2), (b"at".to_vec(), vec!["cat done"]));
    assert_eq!(take(&mut queue, 9), (b"mouseouse".to_vec(), vec!["mouse done", "mouse done"]));
    assert_eq!(take(&mut queue, 9), (b"dog".to_vec(), vec!["dog done"]));
}

/// What a writability flag is made of: the count is exact after every call.
#[test]
fn the_count_drives_watermarks() {
    let mut queue = CoalescingQueue::new();
    let (mut writable, mut changes) = (true, Vec::new());
    let mut look = |queue: &CoalescingQueue<()>| {
        let now = match queue.readable_bytes() {
            0..3 => true,
            3..=4 => writable,
            _ => false,
        };
        if now != writable {
            writable = now;
            changes.push((queue.readable_bytes(), now));
        }
    };
    queue.push("cat");
    look(&queue);
    queue.push("mouse");
    look(&queue);
    queue.take(4).unwrap();
    look(&queue);
    queue.take(2).unwrap();
    look(&queue);
    queue.push_front("mouse");
    look(&queue);
    drop(queue.clear());
    look(&queue);
    assert_eq!(changes, [(8, false), (2, true), (7, false), (0, true)]);
}

/// netty 11959 and 14220: such a buffer was found when it was to be taken, and
/// its bytes stayed counted for ever.
#[test]
fn a_released_buffer_is_refused_at_once_and_its_token_comes_back() {
    let mut queue = CoalescingQueue::new();
    queue.push_with("good", 1);
    let before = state(&queue);
    assert_eq!(queue.try_push(released()), Err(Error::Released));
    assert_eq!(queue.try_push_front(released()), Err(Error::Released));
    let mut composite: CompositeBuf = ["bad"].into_iter().collect();
    composite.release();
    let refused = queue.try_push_with(composite, 2).unwrap_err();
    assert_eq!((refused.error, refused.token), (Error::Released, 2));
    assert_eq!(refused.to_string(), Error::Released.to_string());
    let refused = queue.try_push_front_with(released(), 3).unwrap_err();
    assert_eq!((Error::from(refused), refused.token), (Error::Released, 3));
    assert_eq!(state(&queue), before);
    queue.push_with("better", 4);
    assert_eq!(take(&mut queue, 100), (b"goodbetter".to_vec(), vec![1, 4]));
}

/// netty 11959: no other handle can release what is queued.
#[test]
fn what_is_queued_stays_whoever_releases_what() {
    let mut shared = SliceBuf::from(b"shared".to_vec());
    let mut queue = CoalescingQueue::new();
    queue.push_with(shared.clone(), 1);
    queue.push_with(shared.slice(2..), 2);
    shared.release();
    assert_eq!(take(&mut queue, 100), (b"sharedared".to_vec(), vec![1, 2]));
}

#[test]
#[should_panic = "the buffer was released"]
fn the_panicking_form_says_why() {
    CoalescingQueue::new().push_with(released(), ());
}

#[test]
fn it_can_be_logged_without_tokens_that_can() {
    struct Opaque;
    let mut queue = CoalescingQueue::new();
    queue.push_with(["a", "bc"].into_iter().collect::<CompositeBuf>(), Opaque);
    assert_eq!(format!("{queue:?}"), "CoalescingQueue(3 bytes in 2 pieces of 1 buffers)");
    let refused = queue.try_push_with(released(), Opaque).unwrap_err();
    assert_eq!(format!("{refused:?}"), "Refused { error: Released, .. }");
    assert_eq!(format!("{:?}", queue.clear()), "Cleared(1 buffers)");
}
