//! `CoalescingQueue`: what is to be sent, taken in other sizes than it came.
//!
//! # Invariants
//!
//! * **Counted**: `bytes` is the sum of the lengths of `pieces`, none of which
//!   is empty.
//! * **Marked**: there is one mark for each buffer, at the position of its end.
//!   Positions wrap; they are compared by their distance from `origin`, the
//!   position of the first byte, and that distance never decreases from mark to
//!   mark and is `bytes` for the last.
//!
//! Both hold whenever code of others can run: the allocator, which is asked
//! before anything changes, and the drop of memory, which comes when what it was
//! part of has been moved.

use alloc::collections::{VecDeque, vec_deque};
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::mem;

use crate::buf::ByteBufMut;
use crate::error::OrPanic;
use crate::exclusive::Exclusive;
use crate::{CompositeBuf, Error, HeapBuf, IntoComponents};

/// Buffers waiting to be sent, each with a token if somebody wants to know when
/// it has gone; taken in the sizes that suit what is behind: a TLS record, a
/// write.
///
/// [`push`](Self::push) adds a buffer of any kind without copying, as
/// [`CompositeBuf::push`] does. [`take`](Self::take) gives exactly as many bytes
/// as asked for, or all there are:
///
/// * A piece that is needed whole is handed over as it is; of a longer one the
///   first part is cut off. Neither copies. An owner that was pushed is still
///   exclusive.
/// * Neighbours of at most [`copy_up_to`](Self::copy_up_to) bytes each are
///   copied together, all those of one take into one block, so that many small
///   messages become one piece. That block is always the queue's own: what was
///   pushed is never written.
///
/// # Tokens
///
/// A token is anything: a sender to wake, the number of a request. It is handed
/// out by the call that takes the last byte of its buffer, in the order of the
/// buffers; until then it stays, however much of the buffer has been taken. An
/// empty buffer with a token completes when everything before it has gone: with
/// the last byte of that, or, at the very front, by any take, even of 0 bytes.
/// An empty buffer without a token is nothing and is not kept.
///
/// # Failure
///
/// A call that fails has changed nothing, and the byte count is exact after
/// each: memory is asked for before anything is moved. A released buffer is
/// refused when it is pushed; what is in the queue cannot be released by others.
///
/// # Code that runs inside
///
/// The only code of others that a call runs is the allocator's and the `Drop` of
/// owners: of the buffer that a push refuses, and in a take of pieces that were
/// copied, and of spare room of the caller's buffer. The queue is borrowed
/// meanwhile, and in order: should it panic, what was not moved with its tokens
/// is still in the queue. Tokens are not dropped, but by
/// [`push_with`](Self::push_with) that panics. [`clear`](Self::clear) runs
/// nothing.
///
/// # Costs
///
/// A push allocates nothing once the queue has been as long before; a take into
/// buffers of the caller ([`take_into`](Self::take_into)) nothing but the block
/// for copies, if there are any, and that can come from a
/// [`Pool`](crate::Pool). Cutting a piece is one atomic addition.
///
/// ```
/// use refbuf::{ByteBuf, CoalescingQueue};
///
/// let mut queue = CoalescingQueue::new();
/// queue.push_with("cat", 1);
/// queue.push_with("mouse", 2);
///
/// let taken = queue.take(4)?;
/// assert_eq!(taken.buf, "catm");
/// assert_eq!(taken.tokens, [1]); // the mouse is not through yet
/// let taken = queue.take(1000)?;
/// assert_eq!(taken.buf, "ouse");
/// assert_eq!(taken.tokens, [2]);
/// # Ok::<(), refbuf::Error>(())
/// ```
pub struct CoalescingQueue<T = ()> {
    pieces: VecDeque<Exclusive>,
    marks: VecDeque<Mark<T>>,
    bytes: usize,
    origin: usize,
    copy_up_to: usize,
    /// Where the blocks for copies come from; the global allocator if there is
    /// none.
    #[cfg(feature = "std")]
    allocator: Option<std::sync::Arc<dyn crate::BufAllocator>>,
}

/// The end of a buffer.
struct Mark<T> {
    end: usize,
    token: Option<T>,
}

/// Portions of neighbouring pieces that become one component of what is taken.
struct Run {
    portions: usize,
    len: usize,
    /// Length of the last portion; the others are whole pieces.
    last: usize,
}

impl Run {
    /// A single one is handed over, however short.
    fn is_copied(&self) -> bool {
        self.portions > 1
    }
}

/// Where a buffer is added.
#[derive(Clone, Copy)]
enum End {
    Front,
    Back,
}

impl<T> CoalescingQueue<T> {
    /// The longest piece that is copied, unless
    /// [`copy_up_to`](Self::copy_up_to) says otherwise: below it a copy costs
    /// less than one more piece does in a composite and a vectored write.
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// assert_eq!(CoalescingQueue::<()>::DEFAULT_COPY_UP_TO, 1024);
    /// ```
    pub const DEFAULT_COPY_UP_TO: usize = 1024;

    /// An empty queue, whose copies go into blocks of the global allocator.
    /// Allocates nothing.
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let mut queue: CoalescingQueue = CoalescingQueue::new(); // no tokens
    /// queue.push("hello");
    /// assert_eq!(queue.readable_bytes(), 5);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            pieces: VecDeque::new(),
            marks: VecDeque::new(),
            bytes: 0,
            origin: 0,
            copy_up_to: Self::DEFAULT_COPY_UP_TO,
            #[cfg(feature = "std")]
            allocator: None,
        }
    }

    /// An empty queue, whose copies go into blocks of `allocator`. So does what
    /// is written to a buffer that [`take`](Self::take) returns.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use refbuf::{CoalescingQueue, Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// let mut queue: CoalescingQueue = CoalescingQueue::with_allocator(Arc::new(pool.clone()));
    /// queue.push("many ");
    /// queue.push("small");
    /// let taken = queue.take(10)?;
    /// assert_eq!((taken.buf.component_count(), pool.stats().taken()), (1, 1));
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub fn with_allocator(allocator: std::sync::Arc<dyn crate::BufAllocator>) -> Self {
        Self { allocator: Some(allocator), ..Self::new() }
    }

    /// The same queue, which copies neighbouring pieces of at most `n` bytes
    /// each together and composes longer ones. What counts is how much of a
    /// piece is taken: the last bytes of a long one are short. With 0 it never
    /// copies.
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let mut queue: CoalescingQueue = CoalescingQueue::new().copy_up_to(2);
    /// for piece in ["a", "bc", "def", "g"] {
    ///     queue.push(piece);
    /// }
    /// let taken = queue.take(7)?;
    /// assert!(taken.buf.components().eq([&b"abc"[..], b"def", b"g"]));
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[must_use]
    pub const fn copy_up_to(mut self, n: usize) -> Self {
        self.copy_up_to = n;
        self
    }

    /// Bytes that are to be taken yet.
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let mut queue: CoalescingQueue = CoalescingQueue::new();
    /// queue.push("hello");
    /// queue.take(2)?;
    /// assert_eq!(queue.readable_bytes(), 3);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn readable_bytes(&self) -> usize {
        self.bytes
    }

    /// Buffers that are not done yet; one of which a part was taken counts.
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let mut queue: CoalescingQueue = CoalescingQueue::new();
    /// queue.push("cat");
    /// queue.push("mouse");
    /// queue.take(4)?;
    /// assert_eq!(queue.len(), 1);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether there is nothing to take, neither bytes nor tokens.
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let mut queue = CoalescingQueue::new();
    /// queue.push("");
    /// assert!(queue.is_empty());
    /// queue.push_with("", "flushed");
    /// assert!(!queue.is_empty());
    /// assert_eq!(queue.take(0)?.tokens, ["flushed"]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    // Adding.

    /// Adds the readable bytes of `buf` at the end, without copying. Takes
    /// `buf` in any case.
    ///
    /// # Panics
    ///
    /// If `buf` was released; if there is no memory to note it down, or more
    /// than `usize::MAX` bytes would be queued.
    ///
    /// ```
    /// use refbuf::{CoalescingQueue, HeapBuf};
    ///
    /// let mut queue: CoalescingQueue = CoalescingQueue::new();
    /// queue.push("static ");
    /// queue.push(HeapBuf::from(b"owned".to_vec()));
    /// assert_eq!(queue.take(100)?.buf, "static owned");
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[track_caller]
    pub fn push(&mut self, buf: impl IntoComponents) {
        self.try_push(buf).or_panic();
    }

    /// [`push`](Self::push) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::Released`], [`Error::Alloc`], [`Error::Overflow`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, CoalescingQueue, Error, SliceBuf};
    ///
    /// let mut gone = SliceBuf::from_static(b"gone");
    /// gone.release();
    /// let mut queue: CoalescingQueue = CoalescingQueue::new();
    /// assert_eq!(queue.try_push(gone), Err(Error::Released));
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_push(&mut self, buf: impl IntoComponents) -> Result<(), Error> {
        self.add(End::Back, buf, &mut None)
    }

    /// [`push`](Self::push) with a token that is handed out with the last byte.
    ///
    /// # Panics
    ///
    /// As `push`; the token is dropped then.
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let mut queue = CoalescingQueue::new();
    /// queue.push_with("response", 7);
    /// assert_eq!(queue.take(8)?.tokens, [7]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[track_caller]
    pub fn push_with(&mut self, buf: impl IntoComponents, token: T) {
        self.try_push_with(buf, token).map_err(|refused| refused.error).or_panic();
    }

    /// [`push_with`](Self::push_with) with an error for a panic.
    ///
    /// # Errors
    ///
    /// As [`try_push`](Self::try_push), with the token.
    ///
    /// ```
    /// use refbuf::{ByteBuf, CoalescingQueue, Error, SliceBuf};
    ///
    /// let mut gone = SliceBuf::from_static(b"gone");
    /// gone.release();
    /// let refused = CoalescingQueue::new().try_push_with(gone, 7).unwrap_err();
    /// assert_eq!((refused.error, refused.token), (Error::Released, 7));
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_push_with(&mut self, buf: impl IntoComponents, token: T) -> Result<(), Refused<T>> {
        self.add_with(End::Back, buf, token)
    }

    /// [`push`](Self::push) before everything else: gives back what was taken
    /// and could not be sent.
    ///
    /// # Panics
    ///
    /// As `push`.
    ///
    /// ```
    /// use refbuf::{ByteBuf, CoalescingQueue};
    ///
    /// let mut queue = CoalescingQueue::new();
    /// queue.push_with("mouse", 2);
    /// let mut taken = queue.take(4)?;
    /// taken.buf.skip(1); // sent
    /// queue.push_front(taken.buf);
    /// let taken = queue.take(4)?;
    /// assert_eq!(taken.buf, "ouse");
    /// assert_eq!(taken.tokens, [2]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[track_caller]
    pub fn push_front(&mut self, buf: impl IntoComponents) {
        self.try_push_front(buf).or_panic();
    }

    /// [`push_front`](Self::push_front) with an error for a panic.
    ///
    /// # Errors
    ///
    /// As [`try_push`](Self::try_push).
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let mut queue: CoalescingQueue = CoalescingQueue::new();
    /// queue.push("mouse");
    /// queue.try_push_front("cat")?;
    /// assert_eq!(queue.take(5)?.buf, "catmo");
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_push_front(&mut self, buf: impl IntoComponents) -> Result<(), Error> {
        self.add(End::Front, buf, &mut None)
    }

    /// [`push_front`](Self::push_front) with a token: gives back a remainder
    /// whose token had been handed out with it.
    ///
    /// # Panics
    ///
    /// As [`push_with`](Self::push_with).
    ///
    /// ```
    /// use refbuf::{ByteBuf, CoalescingQueue};
    ///
    /// let mut queue = CoalescingQueue::new();
    /// queue.push_with("mouse", 2);
    /// let mut taken = queue.take(5)?;
    /// taken.buf.skip(3); // sent
    /// queue.push_front_with(taken.buf, taken.tokens.remove(0));
    /// assert!(queue.take(1)?.tokens.is_empty());
    /// assert_eq!(queue.take(1)?.tokens, [2]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[track_caller]
    pub fn push_front_with(&mut self, buf: impl IntoComponents, token: T) {
        self.try_push_front_with(buf, token).map_err(|refused| refused.error).or_panic();
    }

    /// [`push_front_with`](Self::push_front_with) with an error for a panic.
    ///
    /// # Errors
    ///
    /// As [`try_push`](Self::try_push), with the token.
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let mut queue = CoalescingQueue::new();
    /// queue.try_push_front_with("rest", 7)?;
    /// assert_eq!(queue.take(4)?.tokens, [7]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_push_front_with(
        &mut self,
        buf: impl IntoComponents,
        token: T,
    ) -> Result<(), Refused<T>> {
        self.add_with(End::Front, buf, token)
    }

    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn add_with(&mut self, end: End, buf: impl IntoComponents, token: T) -> Result<(), Refused<T>> {
        let mut token = Some(token);
        match (self.add(end, buf, &mut token), token) {
            (Err(error), Some(token)) => Err(Refused { error, token }),
            _ => Ok(()),
        }
    }

    /// Takes the token if it succeeds.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn add(
        &mut self,
        end: End,
        buf: impl IntoComponents,
        token: &mut Option<T>,
    ) -> Result<(), Error> {
        let parts = buf.into_parts()?;
        let len = parts.len();
        if len == 0 && token.is_none() {
            return Ok(());
        }
        let bytes = self.reserve(parts.count(), 1, len)?;
        let token = token.take();
        match end {
            End::Back => {
                parts.each(|piece| self.pieces.push_back(piece));
                self.marks.push_back(Mark { end: self.origin.wrapping_add(bytes), token });
            }
            End::Front => {
                for piece in parts.into_parts().rev() {
                    self.pieces.push_front(piece);
                }
                self.marks.push_front(Mark { end: self.origin, token });
                self.origin = self.origin.wrapping_sub(len);
            }
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Makes sure that so much can be added; returns the bytes that there will
    /// be.
    #[inline]
    fn reserve(&mut self, pieces: usize, marks: usize, len: usize) -> Result<usize, Error> {
        let available = usize::MAX - self.bytes;
        let bytes =
            self.bytes.checked_add(len).ok_or(Error::Overflow { needed: len, available })?;
        let refused = |n: usize, size: usize| Error::Alloc { size: n.saturating_mul(size) };
        self.pieces.try_reserve(pieces).map_err(|_| refused(pieces, size_of::<Exclusive>()))?;
        self.marks.try_reserve(marks).map_err(|_| refused(marks, size_of::<Mark<T>>()))?;
        Ok(bytes)
    }

    /// Moves everything that `other` has to the end of this queue. Linear in
    /// its buffers; copies no bytes.
    ///
    /// # Panics
    ///
    /// As [`push`](Self::push).
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let (mut urgent, mut other) = (CoalescingQueue::new(), CoalescingQueue::new());
    /// urgent.push_with("cat", 1);
    /// other.push_with("mouse", 2);
    /// urgent.append(&mut other);
    /// assert!(other.is_empty());
    /// assert_eq!(urgent.take(8)?.tokens, [1, 2]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[track_caller]
    pub fn append(&mut self, other: &mut Self) {
        self.try_append(other).or_panic();
    }

    /// [`append`](Self::append) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`], [`Error::Overflow`].
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let (mut queue, mut other) = (CoalescingQueue::<()>::new(), CoalescingQueue::new());
    /// other.push("mouse");
    /// queue.try_append(&mut other)?;
    /// assert_eq!((queue.readable_bytes(), other.readable_bytes()), (5, 0));
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    pub fn try_append(&mut self, other: &mut Self) -> Result<(), Error> {
        let bytes = self.reserve(other.pieces.len(), other.marks.len(), other.bytes)?;
        let end = self.origin.wrapping_add(self.bytes);
        let by = end.wrapping_sub(other.origin);
        self.pieces.append(&mut other.pieces);
        self.marks.extend(
            other.marks.drain(..).map(|mark| Mark { end: mark.end.wrapping_add(by), ..mark }),
        );
        self.bytes = bytes;
        other.bytes = 0;
        Ok(())
    }

    // Taking.

    /// Takes the first `max_bytes` bytes, or all if there are fewer, and the
    /// tokens of what is done then.
    ///
    /// # Errors
    ///
    /// What the allocator says where something is to be copied, and
    /// [`Error::Alloc`].
    ///
    /// ```
    /// use refbuf::{CoalescingQueue, HeapBuf};
    ///
    /// let mut queue: CoalescingQueue = CoalescingQueue::new();
    /// queue.push(HeapBuf::from(vec![7; 100_000]));
    /// let record = queue.take(16_384)?.buf; // no copy
    /// assert_eq!((record.component_count(), queue.readable_bytes()), (1, 83_616));
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn take(&mut self, max_bytes: usize) -> Result<Taken<T>, Error> {
        let mut taken = self.nothing_taken();
        self.take_into(max_bytes, &mut taken.buf, &mut taken.tokens)?;
        Ok(taken)
    }

    /// [`take`](Self::take) that appends to what the caller has, so that nothing
    /// is allocated but a block for copies. Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// As `take`; [`Error::Overflow`] if `buf` may not hold so many bytes, and
    /// [`Error::Released`] if it was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, CoalescingQueue, CompositeBuf};
    ///
    /// let mut queue = CoalescingQueue::new();
    /// queue.push_with("cat", 1);
    /// let (mut buf, mut tokens) = (CompositeBuf::new(), Vec::new());
    /// let mut wire = Vec::new();
    /// while !queue.is_empty() {
    ///     queue.take_into(2, &mut buf, &mut tokens)?;
    ///     wire.extend(buf.read_slice(buf.readable_bytes()).as_slice());
    ///     buf.discard_read_components();
    /// }
    /// assert_eq!((&wire[..], &tokens[..]), (&b"cat"[..], &[1][..]));
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn take_into(
        &mut self,
        max_bytes: usize,
        buf: &mut CompositeBuf,
        tokens: &mut Vec<T>,
    ) -> Result<usize, Error> {
        let len = self.bytes.min(max_bytes);
        self.move_out(len, self.ended(len), self.copy_up_to, buf, tokens)
    }

    /// Takes the first buffer, or what is left of it, in the pieces it was
    /// pushed in, and its token. Never copies. Of an empty queue, nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`].
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let mut queue = CoalescingQueue::new();
    /// queue.push_with("cat", 1);
    /// queue.push_with("", 2);
    /// let taken = queue.take_first()?;
    /// assert_eq!(taken.buf, "cat");
    /// assert_eq!(taken.tokens, [1]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn take_first(&mut self) -> Result<Taken<T>, Error> {
        let mut taken = self.nothing_taken();
        self.take_first_into(&mut taken.buf, &mut taken.tokens)?;
        Ok(taken)
    }

    /// [`take_first`](Self::take_first) that appends to what the caller has.
    /// Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// As [`take_into`](Self::take_into).
    ///
    /// ```
    /// use refbuf::{CoalescingQueue, CompositeBuf};
    ///
    /// let mut queue: CoalescingQueue = CoalescingQueue::new();
    /// queue.push("cat");
    /// queue.push("mouse");
    /// let (mut buf, mut tokens) = (CompositeBuf::new(), Vec::new());
    /// assert_eq!(queue.take_first_into(&mut buf, &mut tokens)?, 3);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn take_first_into(
        &mut self,
        buf: &mut CompositeBuf,
        tokens: &mut Vec<T>,
    ) -> Result<usize, Error> {
        let Some(first) = self.marks.front() else { return Ok(0) };
        let len = first.end.wrapping_sub(self.origin);
        self.move_out(len, 1, 0, buf, tokens)
    }

    /// Takes everything out at once, because it will not be sent: the buffers
    /// are let go, the tokens are for the caller to fail.
    ///
    /// The queue is empty when this returns, and no code of others has run: the
    /// buffers are dropped when the first token is asked for, or with the
    /// result. Where the queue is behind a `RefCell` or a lock, let go of that
    /// first, and owners and tokens may add to the queue again.
    ///
    /// ```
    /// use refbuf::CoalescingQueue;
    ///
    /// let mut queue = CoalescingQueue::new();
    /// queue.push_with("cat", 1);
    /// queue.push_with("mouse", 2);
    /// queue.take(4)?;
    /// assert_eq!(queue.clear().collect::<Vec<_>>(), [2]);
    /// assert!(queue.is_empty());
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    pub fn clear(&mut self) -> Cleared<T> {
        self.bytes = 0;
        let marks = mem::take(&mut self.marks).into_iter();
        Cleared { pieces: mem::take(&mut self.pieces), marks }
    }

    fn nothing_taken(&self) -> Taken<T> {
        #[cfg(feature = "std")]
        if let Some(allocator) = &self.allocator {
            let buf = CompositeBuf::with_allocator(allocator.clone());
            return Taken { buf, tokens: Vec::new() };
        }
        Taken { buf: CompositeBuf::new(), tokens: Vec::new() }
    }

    /// An empty block for copies of `len` bytes.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_block(&self, len: usize) -> Result<HeapBuf, Error> {
        #[cfg(feature = "std")]
        if let Some(allocator) = &self.allocator {
            return allocator.try_heap(len);
        }
        HeapBuf::try_with_capacity(len)
    }

    /// Moves `len` bytes and `done` marks out: all that can fail comes first.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn move_out(
        &mut self,
        len: usize,
        done: usize,
        copy_up_to: usize,
        buf: &mut CompositeBuf,
        tokens: &mut Vec<T>,
    ) -> Result<usize, Error> {
        let count = self.marks.range(..done).filter(|mark| mark.token.is_some()).count();
        tokens
            .try_reserve(count)
            .map_err(|_| Error::Alloc { size: count.saturating_mul(size_of::<T>()) })?;
        let (components, copied) = self.measure(len, copy_up_to);
        buf.reserve_parts(components, len)?;
        let mut copies = self.try_copy(len, copy_up_to, copied)?;

        // One run after the other: adding to the buffer may drop what it had
        // spare, and dropping what was copied may run an owner's code, so that
        // all is in order before each.
        let (mut done, mut left) = (done, len);
        self.complete(0, &mut done, tokens);
        while left != 0 {
            let run = self.run(0, left, copy_up_to);
            left -= run.len;
            self.complete(run.len, &mut done, tokens);
            let last = &mut self.pieces[run.portions - 1];
            let is_cut = run.last < last.view().writer();
            if run.is_copied() {
                if is_cut {
                    // In range: it is longer.
                    let _ = last.view_mut().try_set_reader(run.last);
                    last.discard_read();
                }
                let gone = self.pieces.drain(..run.portions - usize::from(is_cut));
                buf.add_tail(take_front(&mut copies, run.len));
                drop(gone);
            } else if is_cut {
                buf.add_tail(take_front(last, run.last));
            } else if let Some(piece) = self.pieces.pop_front() {
                buf.add_tail(piece);
            }
        }
        Ok(len)
    }

    /// Counts the first `len` bytes out, and with them up to `done` buffers.
    fn complete(&mut self, len: usize, done: &mut usize, tokens: &mut Vec<T>) {
        let n = self.ended(len).min(*done);
        *done -= n;
        tokens.extend(self.marks.drain(..n).filter_map(|mark| mark.token));
        self.origin = self.origin.wrapping_add(len);
        self.bytes -= len;
    }

    /// Buffers that end within the first `len` bytes.
    fn ended(&self, len: usize) -> usize {
        let has_ended = |mark: &&Mark<T>| mark.end.wrapping_sub(self.origin) <= len;
        self.marks.iter().take_while(has_ended).count()
    }

    /// What becomes of `len` bytes: how many components, and how many bytes
    /// are copied for that.
    fn measure(&self, len: usize, copy_up_to: usize) -> (usize, usize) {
        let (mut components, mut copied) = (0, 0);
        let (mut at, mut left) = (0, len);
        while left != 0 {
            let run = self.run(at, left, copy_up_to);
            at += run.portions;
            left -= run.len;
            components += 1;
            copied += if run.is_copied() { run.len } else { 0 };
        }
        (components, copied)
    }

    /// The bytes that are to be copied, one run after the other, `copied` in
    /// all.
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_copy(&self, len: usize, copy_up_to: usize, copied: usize) -> Result<Exclusive, Error> {
        if copied == 0 {
            return Ok(Exclusive::new(0));
        }
        let mut block = self.try_block(copied)?;
        let (mut at, mut left) = (0, len);
        while left != 0 {
            let run = self.run(at, left, copy_up_to);
            if run.is_copied() {
                let mut rest = run.len;
                for piece in self.pieces.range(at..at + run.portions) {
                    let n = rest.min(piece.view().writer());
                    block.try_write_bytes(&piece.view().try_chunk(0)?[..n])?;
                    rest -= n;
                }
            }
            at += run.portions;
            left -= run.len;
        }
        Ok(block.into_inner())
    }

    /// The run that begins with piece `at`, of the `len` bytes from there on.
    #[inline]
    fn run(&self, at: usize, len: usize, copy_up_to: usize) -> Run {
        let mut run = Run { portions: 0, len: 0, last: 0 };
        for piece in self.pieces.range(at..) {
            let portion = piece.view().writer().min(len - run.len);
            if portion == 0 || (portion > copy_up_to && run.portions != 0) {
                break;
            }
            run = Run { portions: run.portions + 1, len: run.len + portion, last: portion };
            if portion > copy_up_to {
                break;
            }
        }
        run
    }
}

/// Cuts off the first `n` bytes; with the last the room behind them goes along.
fn take_front(piece: &mut Exclusive, n: usize) -> Exclusive {
    let rest = if n == piece.view().writer() {
        Exclusive::new(0)
    } else {
        // It fails beyond the bytes only.
        let Ok(rest) = piece.try_split_off(n) else { unreachable!() };
        rest
    };
    mem::replace(piece, rest)
}

impl<T> Default for CoalescingQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for CoalescingQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "CoalescingQueue({} bytes in {} pieces of {} buffers)",
            self.bytes,
            self.pieces.len(),
            self.marks.len()
        )
    }
}

/// What [`CoalescingQueue::take`] gives.
///
/// ```
/// use refbuf::{CoalescingQueue, Taken};
///
/// let mut queue = CoalescingQueue::new();
/// queue.push_with("cat", 1);
/// let Taken { buf, tokens } = queue.take(3)?;
/// assert_eq!(buf, "cat");
/// assert_eq!(tokens, [1]);
/// # Ok::<(), refbuf::Error>(())
/// ```
#[derive(Debug)]
pub struct Taken<T> {
    /// The bytes.
    pub buf: CompositeBuf,
    /// The tokens of the buffers that are done, in their order.
    pub tokens: Vec<T>,
}

/// The tokens that [`CoalescingQueue::clear`] took out, in order; the buffers go
/// before the first of them.
///
/// ```
/// use refbuf::CoalescingQueue;
///
/// let mut queue = CoalescingQueue::new();
/// queue.push_with("cat", 1);
/// queue.push("mouse");
/// queue.push_with("dog", 3);
/// for token in queue.clear() {
///     println!("request {token} failed");
/// }
/// ```
#[must_use = "the tokens are dropped with it"]
pub struct Cleared<T> {
    // Fields are dropped in this order.
    pieces: VecDeque<Exclusive>,
    marks: vec_deque::IntoIter<Mark<T>>,
}

impl<T> Iterator for Cleared<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        drop(mem::take(&mut self.pieces));
        self.marks.find_map(|mark| mark.token)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.marks.len()))
    }
}

impl<T> FusedIterator for Cleared<T> {}

impl<T> fmt::Debug for Cleared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cleared({} buffers)", self.marks.len())
    }
}

/// Why a buffer was not queued, and the token that came with it; the buffer is
/// gone.
///
/// ```
/// use refbuf::{CoalescingQueue, Error, IntoComponents, Refused};
///
/// fn send(queue: &mut CoalescingQueue<u32>, buf: impl IntoComponents) -> Result<(), Error> {
///     match queue.try_push_with(buf, 7) {
///         Err(Refused { error: Error::Released, token }) => {
///             println!("request {token} lost its answer");
///             Ok(())
///         }
///         other => Ok(other?),
///     }
/// }
/// # send(&mut CoalescingQueue::new(), "answer").unwrap();
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Refused<T> {
    /// Why.
    pub error: Error,
    /// What was to be told when the buffer had gone.
    pub token: T,
}

impl<T> fmt::Debug for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refused").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<T> fmt::Display for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<T> core::error::Error for Refused<T> {}

/// Drops the token.
impl<T> From<Refused<T>> for Error {
    fn from(refused: Refused<T>) -> Self {
        refused.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ByteBuf;

    /// So many bytes cannot be had in a test, but the counter can be set.
    #[test]
    fn a_push_that_would_overflow_the_counter_is_refused() {
        for end in [End::Back, End::Front] {
            let mut queue = CoalescingQueue::new();
            queue.bytes = usize::MAX - 4;
            let overflow = Error::Overflow { needed: 5, available: 4 };
            let refused = queue.add_with(end, "mouse", 7).unwrap_err();
            assert_eq!((refused.error, refused.token), (overflow, 7));
            assert_eq!((queue.bytes, queue.len(), queue.pieces.len()), (usize::MAX - 4, 0, 0));
            let mut other = CoalescingQueue::new();
            other.push("mouse");
            assert_eq!(queue.try_append(&mut other), Err(overflow));
            assert_eq!((queue.bytes, other.bytes, other.len()), (usize::MAX - 4, 5, 1));
        }
    }

    #[test]
    fn positions_may_wrap() {
        let mut queue = CoalescingQueue::new();
        queue.origin = usize::MAX - 3;
        for token in 0..4 {
            queue.push_with("abc", token);
        }
        assert_eq!(queue.take(5).unwrap().tokens, [0]);
        assert_eq!(queue.take_first().unwrap().buf, "c");
        queue.push_front_with("abcdef", 9);
        let taken = queue.take(10).unwrap();
        assert_eq!((taken.buf.to_vec(), &taken.tokens[..]), (b"abcdefabca".to_vec(), &[9, 2][..]));
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn what_is_kept_for_a_buffer_is_small() {
        assert!(size_of::<Exclusive>() + size_of::<Mark<()>>() <= 72);
    }
}
