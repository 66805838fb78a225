//! What a buffer can do, whatever memory it has.
//!
//! The two traits are here and in [`buf_mut`]; each topic (numbers, varints,
//! text, search, ..) has its logic in a file of its own, as free functions over
//! any buffer, and the traits give it a name and a page.

mod accessors;
mod bounds;
mod buf_mut;
mod chunks;
pub(crate) mod compare;
mod delegate;
mod dump;
#[cfg(feature = "std")]
pub(crate) mod io;
mod search;
#[cfg(all(test, feature = "std"))]
mod tests;
mod text;
mod uint;
mod varint;

pub use buf_mut::ByteBufMut;
pub use varint::varint_len_u64;

#[allow(unused_imports)] // For the buffer types, in the other modules.
pub(crate) use {
    bounds::{check_accessible, check_index, check_range, check_readable, check_span},
    chunks::read_bytes,
    compare::impl_comparisons,
    dump::fmt_debug,
};

use crate::SliceBuf;
use crate::error::{Error, OrPanic};
use accessors::{Bool, I24, U24, get_methods, numbers};
use alloc::{borrow::Cow, string::String, vec::Vec};
use core::ops::Range;
#[cfg(feature = "std")]
use std::io::IoSlice;
use uint::{uint_get_methods, uints};
use varint::{varint_get_methods, varints};

/// A buffer to read from: bytes between two indices.
///
/// ```text
///   0        reader_index       writer_index        capacity    max_capacity
///   |  read       |    readable      |  room to write   |  may grow  |
/// ```
///
/// `0 <= reader_index <= writer_index <= capacity <= max_capacity`, always.
/// Bytes at or past `writer_index` do not exist.
///
/// * `get_*` take an absolute index (counted from 0, not from the reader index)
///   and move nothing;
/// * `read_*` take what is at the reader index and move it past that.
///
/// Writing is in [`ByteBufMut`].
///
/// # Errors and panics
///
/// Each accessor exists twice: `try_x` returns an [`Error`], `x` panics with the
/// error's text at the caller's line. Any `usize` is a legal argument; what is
/// out of range is an error. A failed call changes nothing. A released buffer
/// answers [`Error::Released`] to everything that touches bytes or moves an
/// index.
///
/// # Trait objects
///
/// The trait is object safe; `&mut B` and `Box<B>` are buffers too and hand on
/// every call, so an access through `&mut dyn ByteBuf` is one virtual call. (A
/// panic through a trait object reports a line inside this crate: the compiler
/// does not carry the caller's location through a vtable.)
///
/// # Implementing
///
/// The required methods are enough. [`window`](Self::window) and
/// [`read_window`](Self::read_window) make it fast: they are the whole of a
/// typed access that succeeds, and may answer `None` whenever they are not
/// sure. No unsafe code relies on an implementation being right.
///
/// ```
/// use refbuf::{ByteBuf, HeapBuf};
///
/// let mut buf = HeapBuf::from(vec![0, 3, b'a', b'b', b'c', 9]);
/// let len = buf.read_u16();
/// let name = buf.read_slice(len.into());
/// assert_eq!(name, b"abc");
/// assert_eq!(buf.reader_index(), 5);
/// assert_eq!(buf.get_u8(2), b'a');
/// assert!(buf.try_read_u32().is_err());
/// ```
pub trait ByteBuf {
    // ---- required ----------------------------------------------------------

    /// Where the next `read_*` reads.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.read_u8();
    /// assert_eq!(buf.reader_index(), 1);
    /// ```
    fn reader_index(&self) -> usize;

    /// Where the next `write_*` writes, and the end of what can be read.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert_eq!(HeapBuf::from(vec![1, 2, 3]).writer_index(), 3);
    /// ```
    fn writer_index(&self) -> usize;

    /// The bytes the buffer has memory for.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert!(HeapBuf::with_capacity(100).capacity() >= 100);
    /// ```
    fn capacity(&self) -> usize;

    /// How far the capacity can grow.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::with_capacity(100);
    /// assert!(buf.max_capacity() >= buf.capacity());
    /// ```
    fn max_capacity(&self) -> usize;

    /// Moves the reader index, forward or back: reading loses nothing.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`] past the writer index; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert!(buf.try_set_reader_index(4).is_err());
    /// buf.try_set_reader_index(2)?;
    /// assert_eq!(buf.read_u8(), 3);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    fn try_set_reader_index(&mut self, index: usize) -> Result<(), Error>;

    /// Whether the buffer has not been released: one load.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1]);
    /// assert!(buf.is_accessible());
    /// buf.release();
    /// assert!(!buf.is_accessible());
    /// ```
    fn is_accessible(&self) -> bool;

    /// How many handles keep the bytes accessible; 0 when released.
    ///
    /// A snapshot: other threads may change it at any time.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2]);
    /// let slice = buf.slice(0..1);
    /// assert_eq!(buf.ref_count(), 2);
    /// drop(slice);
    /// assert_eq!(buf.ref_count(), 1);
    /// ```
    fn ref_count(&self) -> usize;

    /// Gives up this handle's reference now rather than when it is dropped.
    ///
    /// True if it was the last one, so that the bytes are gone. The handle is
    /// released from here on; releasing it again does nothing and is false.
    ///
    /// ```
    /// use refbuf::{ByteBuf, Error, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1]);
    /// assert!(buf.release());
    /// assert!(!buf.release());
    /// assert_eq!(buf.try_get_u8(0), Err(Error::Released));
    /// ```
    fn release(&mut self) -> bool;

    /// Exactly the `len` bytes at `index`, if that is known at once.
    ///
    /// This is the fast path of every `get_*`. `None` is no failure: the bytes
    /// may lie across a seam, or out of bounds; the caller takes the slow path
    /// to find out.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert_eq!(buf.window(1, 2), Some(&[2, 3][..]));
    /// assert_eq!(buf.window(1, 3), None);
    /// ```
    fn window(&self, index: usize, len: usize) -> Option<&[u8]>;

    /// Exactly the next `len` readable bytes, consumed, if that is possible at
    /// once; else `None`, and nothing has moved.
    ///
    /// This is the fast path of every `read_*`; see [`window`](Self::window).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert_eq!(buf.read_window(2), Some(&[1, 2][..]));
    /// assert_eq!(buf.read_window(2), None);
    /// assert_eq!(buf.reader_index(), 2);
    /// ```
    fn read_window(&mut self, len: usize) -> Option<&[u8]>;

    /// The longest contiguous run of bytes from `index` on, ending at the
    /// writer index at the latest; empty exactly when `index` is there.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] past the writer index; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert_eq!(buf.try_chunk(1), Ok(&[2, 3][..]));
    /// assert_eq!(buf.try_chunk(3), Ok(&[][..]));
    /// assert!(buf.try_chunk(4).is_err());
    /// ```
    fn try_chunk(&self, index: usize) -> Result<&[u8], Error>;

    /// A shared handle of the bytes at the absolute `range`.
    ///
    /// No copy where the bytes are contiguous; else they are gathered into one
    /// new block. Moves nothing.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] past the writer index, [`Error::InvalidIndex`] if
    /// the range ends before it starts, [`Error::Alloc`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(b"key=value".to_vec());
    /// let value = buf.try_slice(4..9)?;
    /// assert_eq!(value, b"value");
    /// assert!(buf.try_slice(4..10).is_err());
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_slice(&mut self, range: Range<usize>) -> Result<SliceBuf, Error>;

    /// Whether the type is always one run of memory, so that where
    /// [`window`](Self::window) or [`read_window`](Self::read_window) says
    /// `None` there are no such bytes. Spares reads a second look.
    ///
    /// ```
    /// use refbuf::{ByteBuf, CompositeBuf, HeapBuf};
    ///
    /// assert!(HeapBuf::new().is_one_run());
    /// assert!(!CompositeBuf::new().is_one_run());
    /// ```
    #[inline(always)]
    fn is_one_run(&self) -> bool {
        false
    }

    /// Tells leak tracking (feature `leak-detect`) that the buffer came by here:
    /// the place is the one where it was last touched. Does nothing else, and
    /// nothing at all without the feature.
    ///
    /// ```
    /// use refbuf::{ByteBuf, SliceBuf};
    ///
    /// fn enqueue(queue: &mut Vec<SliceBuf>, message: SliceBuf) {
    ///     message.touch();
    ///     queue.push(message);
    /// }
    /// # let mut queue = Vec::new();
    /// # enqueue(&mut queue, SliceBuf::from_static(b"message"));
    /// # assert_eq!(queue, [b"message"]);
    /// ```
    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn touch(&self) {}

    /// Bytes of memory that this handle keeps from being freed: those of its
    /// whole block, of which it may show a few. Static data is no memory that
    /// is kept.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::with_capacity(65536);
    /// let slice = HeapBuf::from(vec![0; 65536]).read_slice(40);
    /// assert_eq!(slice.allocation_len(), 65536);
    /// ```
    fn allocation_len(&self) -> usize {
        self.capacity()
    }

    /// How much of the memory that it keeps this handle shows: 1.0 for all of
    /// it, near 0 for a small slice of a large block.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let slice = HeapBuf::from(vec![0; 1000]).read_slice(10);
    /// assert_eq!(slice.retained_ratio(), 0.01);
    /// ```
    // A ratio to decide by: precision beyond 2^52 bytes is of no use.
    #[allow(clippy::cast_precision_loss)]
    fn retained_ratio(&self) -> f64 {
        match self.allocation_len() {
            0 => 1.0,
            len => self.writer_index() as f64 / len as f64,
        }
    }

    // ---- indices -----------------------------------------------------------

    /// The number of bytes between the indices.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.read_u8();
    /// assert_eq!(buf.readable_bytes(), 2);
    /// ```
    #[inline]
    fn readable_bytes(&self) -> usize {
        self.writer_index() - self.reader_index()
    }

    /// Whether there is at least one byte to read.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1]);
    /// assert!(buf.is_readable());
    /// buf.read_u8();
    /// assert!(!buf.is_readable());
    /// ```
    #[inline]
    fn is_readable(&self) -> bool {
        self.readable_bytes() != 0
    }

    /// Panicking form of [`try_set_reader_index`](Self::try_set_reader_index).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.read_u16();
    /// buf.set_reader_index(0);
    /// assert_eq!(buf.read_u8(), 1);
    /// ```
    #[inline]
    #[track_caller]
    fn set_reader_index(&mut self, index: usize) {
        self.try_set_reader_index(index).or_panic();
    }

    /// Moves the reader index over `n` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Underflow`] if fewer are readable; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert!(buf.try_skip(usize::MAX).is_err());
    /// buf.try_skip(2)?;
    /// assert_eq!(buf.read_u8(), 3);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[inline]
    fn try_skip(&mut self, n: usize) -> Result<(), Error> {
        check_readable(self, n)?;
        self.try_set_reader_index(self.reader_index() + n)
    }

    /// Panicking form of [`try_skip`](Self::try_skip).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.skip(2);
    /// assert_eq!(buf.readable_bytes(), 1);
    /// ```
    #[inline]
    #[track_caller]
    fn skip(&mut self, n: usize) {
        self.try_skip(n).or_panic();
    }

    // ---- runs of bytes -----------------------------------------------------

    /// Panicking form of [`try_chunk`](Self::try_chunk).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert_eq!(buf.chunk(buf.reader_index()), [1, 2, 3]);
    /// ```
    #[inline]
    #[track_caller]
    fn chunk(&self, index: usize) -> &[u8] {
        self.try_chunk(index).or_panic()
    }

    /// The readable bytes, if they are one run of memory.
    ///
    /// `None` if they are in pieces or the buffer was released. Nothing
    /// readable is an empty run.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert_eq!(buf.as_contiguous(), Some(&[1, 2, 3][..]));
    /// ```
    #[inline]
    fn as_contiguous(&self) -> Option<&[u8]> {
        let chunk = self.try_chunk(self.reader_index()).ok()?;
        (chunk.len() == self.readable_bytes()).then_some(chunk)
    }

    /// Whether [`as_contiguous`](Self::as_contiguous) has an answer.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert!(HeapBuf::new().is_contiguous());
    /// ```
    #[inline]
    fn is_contiguous(&self) -> bool {
        self.as_contiguous().is_some()
    }

    /// The readable bytes in order, as many pieces of them as `dst` takes, for
    /// a vectored write. Returns the number of pieces.
    ///
    /// Nothing to read, or a released buffer, is no piece.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    /// use std::io::{IoSlice, Write};
    ///
    /// let buf = HeapBuf::from(b"hello".to_vec());
    /// let mut slices = [IoSlice::new(&[]); 8];
    /// let n = buf.io_slices(&mut slices);
    /// let mut out = Vec::new();
    /// out.write_vectored(&slices[..n])?;
    /// assert_eq!(out, b"hello");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(feature = "std")]
    fn io_slices<'a>(&'a self, dst: &mut [IoSlice<'a>]) -> usize {
        let pieces = chunks::readable(self);
        dst.iter_mut().zip(pieces).map(|(slot, piece)| *slot = IoSlice::new(piece)).count()
    }

    /// Sends the readable bytes with one vectored write, and consumes what
    /// `writer` took; 0 bytes if there are none. No copy.
    ///
    /// # Errors
    ///
    /// Those of `writer`; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, CompositeBuf};
    ///
    /// let mut buf: CompositeBuf = ["head", "body"].into_iter().collect();
    /// let mut out = Vec::new();
    /// assert_eq!(buf.write_to(&mut out)?, 8);
    /// assert_eq!(out, b"headbody");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(feature = "std")]
    fn write_to(&mut self, writer: &mut dyn std::io::Write) -> std::io::Result<usize> {
        io::write_to(self, writer)
    }

    /// Panicking form of [`try_slice`](Self::try_slice).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert_eq!(buf.slice(1..3), [2, 3]);
    /// ```
    #[inline]
    #[track_caller]
    fn slice(&mut self, range: Range<usize>) -> SliceBuf {
        self.try_slice(range).or_panic()
    }

    /// A shared handle of the next `n` readable bytes, which are consumed: the
    /// way to cut a frame out of a stream. See [`try_slice`](Self::try_slice).
    ///
    /// # Errors
    ///
    /// [`Error::Underflow`] if fewer are readable; [`Error::Alloc`];
    /// [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// let frame = buf.try_read_slice(2)?;
    /// assert_eq!(frame, [1, 2]);
    /// assert!(buf.try_read_slice(2).is_err());
    /// assert_eq!(buf.read_u8(), 3);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_read_slice(&mut self, n: usize) -> Result<SliceBuf, Error> {
        check_readable(self, n)?;
        let start = self.reader_index();
        let slice = self.try_slice(start..start + n)?;
        self.try_set_reader_index(start + n)?;
        Ok(slice)
    }

    /// Panicking form of [`try_read_slice`](Self::try_read_slice).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert_eq!(buf.read_slice(2), [1, 2]);
    /// ```
    #[track_caller]
    fn read_slice(&mut self, n: usize) -> SliceBuf {
        self.try_read_slice(n).or_panic()
    }

    // ---- copying out -------------------------------------------------------

    /// Copies `dst.len()` bytes from the absolute `index` on.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] past the writer index; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(vec![1, 2, 3]);
    /// let mut dst = [0; 2];
    /// buf.try_get_bytes(1, &mut dst)?;
    /// assert_eq!(dst, [2, 3]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[inline]
    fn try_get_bytes(&self, index: usize, dst: &mut [u8]) -> Result<(), Error> {
        match self.window(index, dst.len()) {
            // No bytes prove nothing: a released buffer has those too.
            Some(bytes) if !bytes.is_empty() => {
                dst.copy_from_slice(bytes);
                Ok(())
            }
            _ => chunks::gather(self, index, dst),
        }
    }

    /// Panicking form of [`try_get_bytes`](Self::try_get_bytes).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut dst = [0; 2];
    /// HeapBuf::from(vec![1, 2, 3]).get_bytes(1, &mut dst);
    /// assert_eq!(dst, [2, 3]);
    /// ```
    #[inline]
    #[track_caller]
    fn get_bytes(&self, index: usize, dst: &mut [u8]) {
        self.try_get_bytes(index, dst).or_panic();
    }

    /// Copies the next `dst.len()` readable bytes and consumes them.
    ///
    /// # Errors
    ///
    /// [`Error::Underflow`] if fewer are readable; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// let mut dst = [0; 2];
    /// buf.try_read_bytes(&mut dst)?;
    /// assert_eq!(dst, [1, 2]);
    /// assert!(buf.try_read_bytes(&mut dst).is_err());
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[inline]
    fn try_read_bytes(&mut self, dst: &mut [u8]) -> Result<(), Error> {
        chunks::read_bytes(self, dst)
    }

    /// Panicking form of [`try_read_bytes`](Self::try_read_bytes).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut dst = [0; 2];
    /// HeapBuf::from(vec![1, 2, 3]).read_bytes(&mut dst);
    /// assert_eq!(dst, [1, 2]);
    /// ```
    #[inline]
    #[track_caller]
    fn read_bytes(&mut self, dst: &mut [u8]) {
        self.try_read_bytes(dst).or_panic();
    }

    /// A copy of the readable bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert_eq!(buf.try_to_vec()?, [1, 2, 3]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    fn try_to_vec(&self) -> Result<Vec<u8>, Error> {
        chunks::to_vec(self, self.reader_index(), self.readable_bytes())
    }

    /// Panicking form of [`try_to_vec`](Self::try_to_vec).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.skip(1);
    /// assert_eq!(buf.to_vec(), [2, 3]);
    /// ```
    #[track_caller]
    fn to_vec(&self) -> Vec<u8> {
        self.try_to_vec().or_panic()
    }

    // ---- numbers -----------------------------------------------------------

    numbers! { get_methods }
    uints! { uint_get_methods }
    varints! { varint_get_methods }

    // ---- text --------------------------------------------------------------

    /// The text in the `len` bytes at the absolute `index`: borrowed where
    /// they are contiguous, else copied.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] past the writer index, [`Error::InvalidUtf8`],
    /// [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, Error, HeapBuf};
    ///
    /// let buf = HeapBuf::from(b"hello \xff".to_vec());
    /// assert_eq!(buf.try_get_str(0, 5)?, "hello");
    /// assert_eq!(buf.try_get_str(2, 5), Err(Error::InvalidUtf8 { valid_up_to: 4 }));
    /// # Ok::<(), Error>(())
    /// ```
    fn try_get_str(&self, index: usize, len: usize) -> Result<Cow<'_, str>, Error> {
        text::get(self, index, len)
    }

    /// Panicking form of [`try_get_str`](Self::try_get_str).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert_eq!(HeapBuf::from(b"hello".to_vec()).get_str(1, 3), "ell");
    /// ```
    #[track_caller]
    fn get_str(&self, index: usize, len: usize) -> Cow<'_, str> {
        self.try_get_str(index, len).or_panic()
    }

    /// The text in the next `len` readable bytes, which are consumed.
    ///
    /// # Errors
    ///
    /// [`Error::Underflow`] if fewer are readable, [`Error::InvalidUtf8`],
    /// [`Error::Released`]. The reader index stays.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(b"hello".to_vec());
    /// assert_eq!(buf.try_read_string(4)?, "hell");
    /// assert!(buf.try_read_string(usize::MAX).is_err());
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    fn try_read_string(&mut self, len: usize) -> Result<String, Error> {
        text::read(self, len)
    }

    /// Panicking form of [`try_read_string`](Self::try_read_string).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert_eq!(HeapBuf::from(b"hello".to_vec()).read_string(5), "hello");
    /// ```
    #[track_caller]
    fn read_string(&mut self, len: usize) -> String {
        self.try_read_string(len).or_panic()
    }

    // ---- search ------------------------------------------------------------

    /// The absolute index of the first `byte` in the absolute `range`.
    ///
    /// Vectorised, chunk by chunk.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] past the writer index, [`Error::InvalidIndex`] if
    /// the range ends before it starts, [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(b"a,b,c".to_vec());
    /// assert_eq!(buf.try_find_byte_in(2..5, b','), Ok(Some(3)));
    /// assert_eq!(buf.try_find_byte_in(2..3, b','), Ok(None));
    /// assert!(buf.try_find_byte_in(2..6, b',').is_err());
    /// ```
    fn try_find_byte_in(&self, range: Range<usize>, byte: u8) -> Result<Option<usize>, Error> {
        search::find_byte(self, range, byte)
    }

    /// Panicking form of [`try_find_byte_in`](Self::try_find_byte_in).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert_eq!(HeapBuf::from(b"a,b,c".to_vec()).find_byte_in(2..5, b','), Some(3));
    /// ```
    #[track_caller]
    fn find_byte_in(&self, range: Range<usize>, byte: u8) -> Option<usize> {
        self.try_find_byte_in(range, byte).or_panic()
    }

    /// The absolute index of the first readable `byte`.
    ///
    /// # Panics
    ///
    /// If the buffer was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(b"a,b,c".to_vec());
    /// buf.skip(2);
    /// assert_eq!(buf.find_byte(b','), Some(3));
    /// assert_eq!(buf.find_byte(b'a'), None);
    /// ```
    #[track_caller]
    fn find_byte(&self, byte: u8) -> Option<usize> {
        self.find_byte_in(self.reader_index()..self.writer_index(), byte)
    }

    /// How many readable bytes come before the first readable `byte`: the
    /// length of a frame that ends in it.
    ///
    /// # Panics
    ///
    /// If the buffer was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(b"ab\ncd\n".to_vec());
    /// buf.skip(3);
    /// assert_eq!(buf.bytes_before(b'\n'), Some(2));
    /// ```
    #[track_caller]
    fn bytes_before(&self, byte: u8) -> Option<usize> {
        self.find_byte(byte).map(|index| index - self.reader_index())
    }

    /// The absolute index of the last `byte` in the absolute `range`.
    ///
    /// # Errors
    ///
    /// As [`try_find_byte_in`](Self::try_find_byte_in).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(b"a,b,c".to_vec());
    /// assert_eq!(buf.try_rfind_byte_in(0..3, b','), Ok(Some(1)));
    /// ```
    fn try_rfind_byte_in(&self, range: Range<usize>, byte: u8) -> Result<Option<usize>, Error> {
        search::rfind_byte(self, range, byte)
    }

    /// Panicking form of [`try_rfind_byte_in`](Self::try_rfind_byte_in).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert_eq!(HeapBuf::from(b"a,b,c".to_vec()).rfind_byte_in(0..3, b','), Some(1));
    /// ```
    #[track_caller]
    fn rfind_byte_in(&self, range: Range<usize>, byte: u8) -> Option<usize> {
        self.try_rfind_byte_in(range, byte).or_panic()
    }

    /// The absolute index of the last readable `byte`.
    ///
    /// # Panics
    ///
    /// If the buffer was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert_eq!(HeapBuf::from(b"a,b,c".to_vec()).rfind_byte(b','), Some(3));
    /// ```
    #[track_caller]
    fn rfind_byte(&self, byte: u8) -> Option<usize> {
        self.rfind_byte_in(self.reader_index()..self.writer_index(), byte)
    }

    /// The absolute index of the first `needle` in the absolute `range`, also
    /// where it lies across chunks.
    ///
    /// An empty needle is found at the start of the range. Linear time; memory
    /// is allocated only to look for a needle above 256 bytes across a seam.
    ///
    /// To go on after more bytes have come in, start `needle.len() - 1` bytes
    /// before the old end, so as not to miss a needle that was cut in two:
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let needle = b"\r\n\r\n";
    /// let mut buf = HeapBuf::from(b"GET / HTTP/1.1\r\n\r".to_vec());
    /// assert_eq!(buf.try_find_in(0..buf.writer_index(), needle)?, None);
    /// let from = buf.writer_index().saturating_sub(needle.len() - 1);
    ///
    /// buf.write_bytes(b"\nbody");
    /// assert_eq!(buf.try_find_in(from..buf.writer_index(), needle)?, Some(14));
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`try_find_byte_in`](Self::try_find_byte_in).
    fn try_find_in(&self, range: Range<usize>, needle: &[u8]) -> Result<Option<usize>, Error> {
        search::find(self, range, needle)
    }

    /// Panicking form of [`try_find_in`](Self::try_find_in).
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// assert_eq!(HeapBuf::from(b"a--b--c".to_vec()).find_in(2..7, b"--"), Some(4));
    /// ```
    #[track_caller]
    fn find_in(&self, range: Range<usize>, needle: &[u8]) -> Option<usize> {
        self.try_find_in(range, needle).or_panic()
    }

    /// The absolute index of the first `needle` in the readable bytes; see
    /// [`try_find_in`](Self::try_find_in).
    ///
    /// # Panics
    ///
    /// If the buffer was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(b"a--b".to_vec());
    /// assert_eq!(buf.find(b"--"), Some(1));
    /// assert_eq!(buf.find(b""), Some(0));
    /// ```
    #[track_caller]
    fn find(&self, needle: &[u8]) -> Option<usize> {
        self.find_in(self.reader_index()..self.writer_index(), needle)
    }

    /// The absolute index of the first readable byte for which `predicate` is
    /// true.
    ///
    /// # Panics
    ///
    /// If the buffer was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(b"42 apples".to_vec());
    /// assert_eq!(buf.position(|b| !b.is_ascii_digit()), Some(2));
    /// ```
    #[track_caller]
    fn position<P: FnMut(u8) -> bool>(&self, predicate: P) -> Option<usize>
    where
        Self: Sized,
    {
        search::position(self, predicate)
    }

    /// The absolute index of the last readable byte for which `predicate` is
    /// true, asked from the end.
    ///
    /// # Panics
    ///
    /// If the buffer was released.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(b"42 apples  ".to_vec());
    /// assert_eq!(buf.rposition(|b| b != b' '), Some(8));
    /// ```
    #[track_caller]
    fn rposition<P: FnMut(u8) -> bool>(&self, predicate: P) -> Option<usize>
    where
        Self: Sized,
    {
        search::rposition(self, predicate)
    }

    // ---- looking at it -----------------------------------------------------

    /// The readable bytes for people: 16 to a row, with the absolute index, in
    /// hexadecimal and as text. A released buffer has no rows. Never panics.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    ///
    /// let buf = HeapBuf::from(b"hello, refbuf\r\n\x00more".to_vec());
    /// assert_eq!(buf.hex_dump(), "\
    /// 00000000  68 65 6c 6c 6f 2c 20 72  65 66 62 75 66 0d 0a 00  |hello, refbuf...|
    /// 00000010  6d 6f 72 65                                       |more|
    /// ");
    /// ```
    fn hex_dump(&self) -> String {
        dump::hex_dump(self)
    }
}
