//! Mistakes that ownership makes impossible, and what is left of them: a handle
//! that was given up cannot give up anybody else's reference.

use refbuf::{ByteBuf, Error, HeapBuf, SliceBuf};

#[test]
fn releasing_twice_takes_nothing_from_other_handles() {
    let mut a = SliceBuf::from(vec![1, 2, 3]);
    let b = a.clone();
    a.release();
    for _ in 0..10 {
        assert!(!a.release());
    }
    drop(a);
    assert_eq!((b.ref_count(), b.get_u8(2)), (1, 3));
}

#[test]
fn a_released_buffer_never_comes_back() {
    let mut buf = HeapBuf::from(vec![1, 2, 3]);
    let view = buf.downgrade();
    assert!(buf.release());
    assert_eq!(view.try_upgrade(), Err(Error::Released));
    assert_eq!(buf.downgrade().try_upgrade(), Err(Error::Released));
    assert_eq!(buf.try_slice(..).map(drop), Err(Error::Released));
    let frozen = buf.freeze();
    assert_eq!((frozen.is_accessible(), frozen.clone().ref_count()), (false, 0));
    assert!(HeapBuf::try_from(frozen).is_err());
}

#[test]
fn a_handle_given_up_does_not_see_the_memory_that_is_used_again() {
    let mut old = SliceBuf::from(vec![7; 4096]);
    let view = old.downgrade();
    old.release();
    // Most likely the same memory.
    let new: Vec<HeapBuf> = (0..8).map(|i| HeapBuf::from(vec![i; 4096])).collect();
    assert_eq!(
        (old.try_get_u8(0), view.try_get_u8(0)),
        (Err(Error::Released), Err(Error::Released))
    );
    assert!(!old.release());
    assert!(new.iter().zip(0..).all(|(buf, i)| buf.get_u8(4095) == i && buf.ref_count() == 1));
}

#[test]
fn reserved_references_never_show_and_never_leak() {
    let mut buf = HeapBuf::from(vec![0; 1000]);
    let view = buf.downgrade();
    let mut held = Vec::new();
    for n in 1..200 {
        held.push(buf.read_slice(3));
        assert_eq!((buf.ref_count(), held[0].ref_count(), view.ref_count()), (n + 1, n + 1, n + 1));
    }
    held.truncate(1);
    assert_eq!(buf.ref_count(), 2);
    assert!(!buf.release());
    assert_eq!((held[0].ref_count(), view.ref_count()), (1, 1));
    assert!(held[0].release());
    assert!(!view.is_accessible());

    // A view may be the last to leave.
    let mut buf = HeapBuf::from(vec![0; 10]);
    let view = buf.downgrade();
    drop(buf.read_slice(3));
    drop(buf);
    assert!(!view.is_accessible());
}
