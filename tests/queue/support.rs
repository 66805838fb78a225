//! Small things that all tests use.

use refbuf::{ByteBuf, CoalescingQueue, SliceBuf};

/// The whole state that can be seen without taking anything.
pub fn state<T>(queue: &CoalescingQueue<T>) -> (usize, usize, bool) {
    (queue.readable_bytes(), queue.len(), queue.is_empty())
}

/// The bytes and tokens that the next take of at most `n` bytes gives.
#[track_caller]
pub fn take<T>(queue: &mut CoalescingQueue<T>, n: usize) -> (Vec<u8>, Vec<T>) {
    let before = queue.readable_bytes();
    let taken = queue.take(n).unwrap();
    assert_eq!(taken.buf.readable_bytes(), before.min(n));
    assert_eq!(queue.readable_bytes(), before - before.min(n));
    (taken.buf.to_vec(), taken.tokens)
}

/// A handle that was released.
pub fn released() -> SliceBuf {
    let mut buf = SliceBuf::from(b"released".to_vec());
    buf.release();
    buf
}

/// Bytes of which no two pieces are alike.
pub fn bytes(len: usize, seed: u8) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 256) as u8 ^ seed).collect()
}

/// An owner of bytes that runs something when it is dropped.
pub struct Owner<F: FnMut()>(pub Vec<u8>, pub F);

impl<F: FnMut()> AsRef<[u8]> for Owner<F> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<F: FnMut()> Drop for Owner<F> {
    fn drop(&mut self) {
        (self.1)();
    }
}
