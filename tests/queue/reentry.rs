//! Code of others that runs inside: what it finds, and what its panics leave.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use refbuf::{
    ByteBuf, ByteBufMut, CoalescingQueue, CompositeBuf, Error, Heap, HeapBuf, OwnedBuf, SliceBuf,
    Storage,
};

use crate::support::{Owner, released, state, take};

type Shared<T> = Rc<RefCell<CoalescingQueue<T>>>;

/// A token that queues another buffer when it is dropped.
struct Again(Shared<Again>, Rc<Cell<u32>>);

impl Drop for Again {
    fn drop(&mut self) {
        self.1.set(self.1.get() + 1);
        self.0.borrow_mut().push("again");
    }
}

/// The counter was wrong in netty when a completion queued another.
#[test]
fn tokens_that_queue_more_find_the_queue_in_order() {
    let queue = Shared::default();
    let dropped = Rc::new(Cell::new(0));
    for _ in 0..3 {
        queue.borrow_mut().push_with("cat", Again(queue.clone(), dropped.clone()));
    }
    // Done.
    let taken = queue.borrow_mut().take(7).unwrap();
    assert_eq!(state(&queue.borrow()), (2, 1, false));
    drop(taken);
    assert_eq!((dropped.get(), state(&queue.borrow())), (2, (12, 3, false)));
    // Failed.
    let failed = queue.borrow_mut().clear();
    assert_eq!(state(&queue.borrow()), (0, 0, true));
    drop(failed);
    assert_eq!((dropped.get(), state(&queue.borrow())), (3, (5, 1, false)));
    // Refused.
    let refused = queue.borrow_mut().try_push_with(released(), Again(queue.clone(), dropped));
    assert_eq!(state(&queue.borrow()), (5, 1, false));
    drop(refused);
    assert_eq!(take(&mut queue.borrow_mut(), 100).0, b"againagain");
    assert_eq!(state(&queue.borrow()), (0, 0, true));
}

#[test]
fn owners_that_queue_more_find_a_cleared_queue() {
    let queue = Arc::new(Mutex::new(CoalescingQueue::new()));
    for token in 0..3 {
        let back = queue.clone();
        let owner = Owner(b"cat".to_vec(), move || back.try_lock().expect("free").push("again"));
        queue.lock().unwrap().push_with(SliceBuf::from_owner(owner), token);
    }
    let failed = queue.lock().unwrap().clear();
    assert_eq!(state(&queue.lock().unwrap()), (0, 0, true));
    assert_eq!(failed.collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(state(&queue.lock().unwrap()), (15, 3, false));
}

/// A failing buffer in netty left its bytes counted and its token lost.
#[test]
fn an_owner_that_panics_when_it_was_copied_leaves_all_in_order() {
    let panicking = |text: &str| {
        SliceBuf::from_owner(Owner(text.into(), || panic!("an owner, as it is expected to")))
    };
    let mut queue = CoalescingQueue::new();
    queue.push_with("small ", 1);
    queue.push_with(panicking("panics "), 2);
    queue.push_with("small", 3);
    queue.push_with(vec![7; 5000], 4);
    queue.push_with("rest", 5);
    let (mut buf, mut tokens) = (CompositeBuf::new(), Vec::new());
    let result =
        catch_unwind(AssertUnwindSafe(|| queue.take_into(18 + 5000 + 1, &mut buf, &mut tokens)));
    result.unwrap_err();
    // What was copied has been moved by then, and nothing else.
    assert_eq!((buf.to_vec(), &tokens[..]), (b"small panics small".to_vec(), &[1, 2, 3][..]));
    assert_eq!(state(&queue), (5004, 2, false));
    assert_eq!(take(&mut queue, 5001), ([&[7; 5000][..], b"r"].concat(), vec![4]));
    assert_eq!(take(&mut queue, 9), (b"est".to_vec(), vec![5]));

    // In a push that is refused, and with the whole of a queue.
    queue.push_with("kept", 6);
    let mut other = CoalescingQueue::new();
    other.push_with(panicking("in the queue"), 7);
    other.push_with("fine", 8);
    let mut cleared = other.clear();
    catch_unwind(AssertUnwindSafe(|| cleared.next())).unwrap_err();
    assert_eq!(cleared.collect::<Vec<_>>(), [7, 8]);
    assert_eq!(state(&other), (0, 0, true));
    assert_eq!(take(&mut queue, 9), (b"kept".to_vec(), vec![6]));
}

/// Memory that panics when it goes.
struct Grumpy(Heap);

impl Drop for Grumpy {
    fn drop(&mut self) {
        panic!("memory, as it is expected to")
    }
}

// SAFETY: `Heap` keeps the promises.
unsafe impl Storage for Grumpy {
    fn allocate(capacity: usize) -> Result<Self, Error> {
        Heap::allocate(capacity).map(Self)
    }

    fn region(&self) -> NonNull<[u8]> {
        self.0.region()
    }
}

#[test]
fn room_of_the_callers_that_panics_leaves_all_in_order() {
    let mut queue = CoalescingQueue::new();
    let mut roomy = HeapBuf::with_capacity(5000);
    roomy.write_bytes(&[7; 2000]);
    queue.push_with("first", 1);
    queue.push_with(roomy, 2);
    queue.push_with("last", 3);
    // Empty room at its end; then it is spare, and less than there is now.
    let (mut buf, mut tokens) = (CompositeBuf::new(), Vec::new());
    let mut room = OwnedBuf::<Grumpy>::with_capacity(100);
    room.write_u8(1);
    buf.push(room);
    buf.set_writer_index(0);
    let mut panics = 0;
    while !queue.is_empty() {
        let take = || queue.take_into(3000, &mut buf, &mut tokens);
        panics += u32::from(catch_unwind(AssertUnwindSafe(take)).is_err());
    }
    assert_eq!(panics, 1);
    assert_eq!(buf, [b"first", &[7; 2000][..], b"last"].concat());
    assert_eq!(tokens, [1, 2, 3]);
    buf.write_bytes(b"!");
    assert_eq!(buf.get_u8(2009), b'!');
}

#[test]
fn every_owner_and_token_goes_exactly_once() {
    struct Token(Arc<Mutex<[u32; 2]>>);
    impl Drop for Token {
        fn drop(&mut self) {
            self.0.lock().unwrap()[1] += 1;
        }
    }
    let count = Arc::new(Mutex::new([0; 2]));
    let owner = |len: usize| {
        let count = count.clone();
        SliceBuf::from_owner(Owner(vec![7; len], move || count.lock().unwrap()[0] += 1))
    };
    let mut queue = CoalescingQueue::new();
    let push = |queue: &mut CoalescingQueue<Token>| {
        for len in [1, 2, 3, 4000, 5, 6] {
            queue.push_with(owner(len), Token(count.clone()));
        }
    };
    push(&mut queue);
    // What was copied goes at once, what was not with what was taken.
    let taken = queue.take(6 + 4000 + 8).unwrap();
    assert_eq!(*count.lock().unwrap(), [4, 0]);
    drop(taken);
    assert_eq!(*count.lock().unwrap(), [5, 5]);
    push(&mut queue);
    drop(queue);
    assert_eq!(*count.lock().unwrap(), [12, 12]);
}
