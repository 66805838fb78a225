//! Writing.

use super::accessors::{Bool, I24, U24, numbers, set_methods};
use super::uint::{uint_set_methods, uints};
use super::varint::{varint_write_methods, varints};
use super::{ByteBuf, check_accessible, check_index, chunks};
use crate::error::{Error, OrPanic};
use core::mem::MaybeUninit;

/// A buffer to write to.
///
/// * `write_*` append at the writer index, move it, and grow the buffer up to
///   [`max_capacity`](ByteBuf::max_capacity);
/// * `set_*` overwrite at an absolute index, where there are bytes already;
///   they move nothing and never grow.
///
/// Indices, errors and panics are as for [`ByteBuf`]. Bytes that another handle
/// can see ([`Error::Shared`]) or that nobody may write ([`Error::ReadOnly`])
/// cannot be overwritten.
///
/// ```
/// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
///
/// let mut frame = HeapBuf::with_capacity(16);
/// frame.write_u16(0); // the length, when we know it
/// frame.write_str("ping");
/// frame.set_u16(0, 4);
/// assert_eq!(frame, b"\0\x04ping");
/// ```
pub trait ByteBufMut: ByteBuf {
    // ---- required ----------------------------------------------------------

    /// Moves the writer index: back drops bytes, forward appends zeros and
    /// grows if need be.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`] below the reader index or past the maximum
    /// capacity; [`Error::Alloc`]; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.try_set_writer_index(2)?;
    /// buf.try_set_writer_index(4)?;
    /// assert_eq!(buf, [1, 2, 0, 0]);
    /// buf.skip(1);
    /// assert!(buf.try_set_writer_index(0).is_err());
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_set_writer_index(&mut self, index: usize) -> Result<(), Error>;

    /// Overwrites the `src.len()` bytes at `index`, if that is possible at
    /// once; else false, and nothing has changed.
    ///
    /// This is the fast path of every `set_*`. False is no failure: the caller
    /// takes the slow path, [`try_set_bytes`](Self::try_set_bytes), to find out.
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert!(buf.set_window(1, &[7, 8]));
    /// assert!(!buf.set_window(2, &[7, 8]));
    /// assert_eq!(buf, [1, 7, 8]);
    /// ```
    fn set_window(&mut self, index: usize, src: &[u8]) -> bool;

    /// Appends `src`, if there is room right now; else false, and nothing has
    /// changed.
    ///
    /// This is the fast path of every `write_*`; see
    /// [`set_window`](Self::set_window).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::with_capacity(8);
    /// assert!(buf.write_window(&[1, 2]));
    /// assert_eq!(buf, [1, 2]);
    /// ```
    fn write_window(&mut self, src: &[u8]) -> bool;

    /// Overwrites the `src.len()` bytes at the absolute `index`: all or none.
    /// Moves nothing, never grows.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] unless all of them are below the writer index;
    /// [`Error::Shared`]; [`Error::ReadOnly`]; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.try_set_bytes(1, &[7, 8])?;
    /// assert!(buf.try_set_bytes(2, &[9, 9]).is_err());
    /// assert_eq!(buf, [1, 7, 8]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    fn try_set_bytes(&mut self, index: usize, src: &[u8]) -> Result<(), Error>;

    /// Appends `src` at the writer index: all or nothing. Grows if need be.
    ///
    /// # Errors
    ///
    /// [`Error::Overflow`] past the maximum capacity; [`Error::Alloc`];
    /// [`Error::Shared`] or [`Error::ReadOnly`] where the room is not this
    /// handle's to write; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// buf.try_write_bytes(b"hello")?;
    /// assert_eq!(buf, b"hello");
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_write_bytes(&mut self, src: &[u8]) -> Result<(), Error>;

    /// Appends `n` zeros at the writer index. Grows if need be.
    ///
    /// # Errors
    ///
    /// As [`try_write_bytes`](Self::try_write_bytes).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// buf.try_write_zeros(2)?;
    /// assert!(buf.try_write_zeros(usize::MAX).is_err());
    /// assert_eq!(buf, [0, 0]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_write_zeros(&mut self, n: usize) -> Result<(), Error>;

    /// Makes room to write `n` more bytes. Keeps indices and bytes.
    ///
    /// # Errors
    ///
    /// As [`try_write_bytes`](Self::try_write_bytes).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// buf.try_ensure_writable(100)?;
    /// assert!(buf.writable_bytes() >= 100);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_ensure_writable(&mut self, n: usize) -> Result<(), Error>;

    /// Makes room to write `n` more bytes, and may give up bytes that have been
    /// read to get it: both indices then move down by as much. For a decoder
    /// that appends at one end and reads at the other.
    ///
    /// # Errors
    ///
    /// As [`try_write_bytes`](Self::try_write_bytes).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.skip(2);
    /// buf.try_make_room(100)?;
    /// assert!(buf.writable_bytes() >= 100);
    /// assert_eq!(buf, [3]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_make_room(&mut self, n: usize) -> Result<(), Error>;

    /// Gives up the bytes before the reader index: index 0 is where it was.
    /// Copies nothing; the memory is used again when nobody else sees it. A
    /// released buffer has none.
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.skip(2);
    /// buf.discard_read_bytes();
    /// assert_eq!((buf.reader_index(), buf.writer_index()), (0, 1));
    /// assert_eq!(buf.get_u8(0), 3);
    /// ```
    fn discard_read_bytes(&mut self);

    /// The longest contiguous run of bytes from `index` on that may be
    /// overwritten, ending at the writer index at the latest; empty exactly
    /// when `index` is there.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] past the writer index; [`Error::Shared`] or
    /// [`Error::ReadOnly`] if the byte at `index` cannot be overwritten;
    /// [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(b"shout".to_vec());
    /// buf.try_chunk_mut(1)?.make_ascii_uppercase();
    /// assert_eq!(buf, b"sHOUT");
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    fn try_chunk_mut(&mut self, index: usize) -> Result<&mut [u8], Error>;

    /// The contiguous room behind the writer index, without growing. What is in
    /// it may be somebody else's old bytes or nothing at all, hence the type.
    ///
    /// Empty if there is none, or the buffer was released. To be filled, as far
    /// as one likes, before [`advance_writer`](Self::advance_writer).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::with_capacity(4);
    /// assert!(buf.spare_capacity_mut().len() >= 4);
    /// ```
    fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<u8>];

    /// Moves the writer index over `n` bytes that were put into
    /// [`spare_capacity_mut`](Self::spare_capacity_mut).
    ///
    /// # Safety
    ///
    /// `n` is at most the length of `spare_capacity_mut()`, and its first `n`
    /// bytes were initialised since the last change of this buffer.
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::with_capacity(4);
    /// buf.spare_capacity_mut()[0].write(7);
    /// // SAFETY: the first byte was just written.
    /// unsafe { buf.advance_writer(1) };
    /// assert_eq!(buf, [7]);
    /// ```
    unsafe fn advance_writer(&mut self, n: usize);

    // ---- indices and room --------------------------------------------------

    /// How many bytes can be written without growing.
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let buf = HeapBuf::with_capacity(4);
    /// assert_eq!(buf.writable_bytes(), buf.capacity());
    /// ```
    #[inline]
    fn writable_bytes(&self) -> usize {
        self.capacity() - self.writer_index()
    }

    /// How many bytes can be written, growing as far as allowed.
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let buf = HeapBuf::from(vec![1]);
    /// assert_eq!(buf.max_writable_bytes(), buf.max_capacity() - 1);
    /// ```
    #[inline]
    fn max_writable_bytes(&self) -> usize {
        self.max_capacity() - self.writer_index()
    }

    /// Whether at least one byte can be written without growing.
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// assert!(HeapBuf::with_capacity(4).is_writable());
    /// ```
    #[inline]
    fn is_writable(&self) -> bool {
        self.writable_bytes() != 0
    }

    /// Panicking form of [`try_set_writer_index`](Self::try_set_writer_index).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.set_writer_index(1);
    /// assert_eq!(buf, [1]);
    /// ```
    #[inline]
    #[track_caller]
    fn set_writer_index(&mut self, index: usize) {
        self.try_set_writer_index(index).or_panic();
    }

    /// Moves both indices at once, or neither: see
    /// [`try_set_reader_index`](ByteBuf::try_set_reader_index) and
    /// [`try_set_writer_index`](Self::try_set_writer_index).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`] unless `reader <= writer <= max_capacity`;
    /// [`Error::Alloc`]; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// assert!(buf.try_set_indices(2, 1).is_err());
    /// buf.try_set_indices(1, 2)?;
    /// assert_eq!(buf, [2]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    fn try_set_indices(&mut self, reader: usize, writer: usize) -> Result<(), Error> {
        check_accessible(self)?;
        check_index(writer, reader, self.max_capacity())?;
        let old = self.reader_index();
        self.try_set_reader_index(reader.min(old))?;
        if let Err(error) = self.try_set_writer_index(writer) {
            self.try_set_reader_index(old)?;
            return Err(error);
        }
        self.try_set_reader_index(reader)
    }

    /// Panicking form of [`try_set_indices`](Self::try_set_indices).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.set_indices(2, 3);
    /// assert_eq!(buf, [3]);
    /// ```
    #[track_caller]
    fn set_indices(&mut self, reader: usize, writer: usize) {
        self.try_set_indices(reader, writer).or_panic();
    }

    /// Appends what one read of at most `max` bytes gives, after making room
    /// for as many. 0 bytes are the end of the input, or `max` is 0. Indices
    /// are kept, so the buffer grows where `max` exceeds the room;
    /// [`make_room`](Self::make_room) before uses that of bytes that were read.
    ///
    /// The room is zeroed first, for no reader is trusted to write before it
    /// reads. [`spare_capacity_mut`](Self::spare_capacity_mut) and
    /// [`advance_writer`](Self::advance_writer) do without, and are unsafe.
    ///
    /// # Errors
    ///
    /// Those of `reader`; [`Error::Overflow`] if nothing more may be written;
    /// [`Error::Alloc`], [`Error::Released`].
    ///
    /// ```
    /// use refbuf::{ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// assert_eq!(buf.read_from(&mut &b"hello"[..], 4)?, 4);
    /// assert_eq!(buf, b"hell");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg(feature = "std")]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn read_from(&mut self, reader: &mut dyn std::io::Read, max: usize) -> std::io::Result<usize> {
        super::io::read_from(self, reader, max)
    }

    /// Moves both indices to 0, to use the buffer again from the start. An
    /// owner keeps the memory that it does not share.
    ///
    /// # Panics
    ///
    /// If the buffer was released. (`try_set_indices(0, 0)` is the form that
    /// returns an error.)
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.clear();
    /// assert_eq!(buf.writer_index(), 0);
    /// ```
    #[track_caller]
    fn clear(&mut self) {
        self.set_indices(0, 0);
    }

    /// Panicking form of [`try_ensure_writable`](Self::try_ensure_writable).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// buf.ensure_writable(100);
    /// assert!(buf.writable_bytes() >= 100);
    /// ```
    #[inline]
    #[track_caller]
    fn ensure_writable(&mut self, n: usize) {
        self.try_ensure_writable(n).or_panic();
    }

    /// Panicking form of [`try_make_room`](Self::try_make_room).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// buf.make_room(100);
    /// assert!(buf.writable_bytes() >= 100);
    /// ```
    #[inline]
    #[track_caller]
    fn make_room(&mut self, n: usize) {
        self.try_make_room(n).or_panic();
    }

    // ---- bytes -------------------------------------------------------------

    /// Panicking form of [`try_chunk_mut`](Self::try_chunk_mut).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![3, 1, 2]);
    /// buf.chunk_mut(0).sort();
    /// assert_eq!(buf, [1, 2, 3]);
    /// ```
    #[inline]
    #[track_caller]
    fn chunk_mut(&mut self, index: usize) -> &mut [u8] {
        self.try_chunk_mut(index).or_panic()
    }

    /// Panicking form of [`try_set_bytes`](Self::try_set_bytes).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.set_bytes(1, &[7, 8]);
    /// assert_eq!(buf, [1, 7, 8]);
    /// ```
    #[inline]
    #[track_caller]
    fn set_bytes(&mut self, index: usize, src: &[u8]) {
        self.try_set_bytes(index, src).or_panic();
    }

    /// Panicking form of [`try_write_bytes`](Self::try_write_bytes).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// buf.write_bytes(b"hello");
    /// assert_eq!(buf, b"hello");
    /// ```
    #[inline]
    #[track_caller]
    fn write_bytes(&mut self, src: &[u8]) {
        self.try_write_bytes(src).or_panic();
    }

    /// Overwrites the `len` bytes at the absolute `index` with zeros: all or
    /// none. Moves nothing, never grows.
    ///
    /// # Errors
    ///
    /// As [`try_set_bytes`](Self::try_set_bytes).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.try_set_zeros(1, 2)?;
    /// assert!(buf.try_set_zeros(0, usize::MAX).is_err());
    /// assert_eq!(buf, [1, 0, 0]);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    fn try_set_zeros(&mut self, index: usize, len: usize) -> Result<(), Error> {
        chunks::set_zeros(self, index, len)
    }

    /// Panicking form of [`try_set_zeros`](Self::try_set_zeros).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(vec![1, 2, 3]);
    /// buf.set_zeros(0, 2);
    /// assert_eq!(buf, [0, 0, 3]);
    /// ```
    #[track_caller]
    fn set_zeros(&mut self, index: usize, len: usize) {
        self.try_set_zeros(index, len).or_panic();
    }

    /// Panicking form of [`try_write_zeros`](Self::try_write_zeros).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// buf.write_zeros(3);
    /// assert_eq!(buf, [0, 0, 0]);
    /// ```
    #[inline]
    #[track_caller]
    fn write_zeros(&mut self, n: usize) {
        self.try_write_zeros(n).or_panic();
    }

    /// Appends a copy of the next `n` readable bytes of `src`, which are
    /// consumed: all or none.
    ///
    /// # Errors
    ///
    /// [`Error::Underflow`] if `src` has fewer; else as
    /// [`try_write_bytes`](Self::try_write_bytes). Both buffers keep their
    /// indices.
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut src = HeapBuf::from(vec![1, 2, 3]);
    /// let mut dst = HeapBuf::new();
    /// dst.try_write_buf(&mut src, 2)?;
    /// assert_eq!(dst, [1, 2]);
    /// assert_eq!(src, [3]);
    /// assert!(dst.try_write_buf(&mut src, 2).is_err());
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_write_buf(&mut self, src: &mut dyn ByteBuf, n: usize) -> Result<(), Error> {
        chunks::transfer(self, src, n)
    }

    /// Panicking form of [`try_write_buf`](Self::try_write_buf).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut src = HeapBuf::from(vec![1, 2, 3]);
    /// let mut dst = HeapBuf::new();
    /// dst.write_buf(&mut src, 3);
    /// assert_eq!(dst, [1, 2, 3]);
    /// ```
    #[track_caller]
    fn write_buf(&mut self, src: &mut dyn ByteBuf, n: usize) {
        self.try_write_buf(src, n).or_panic();
    }

    // ---- text --------------------------------------------------------------

    /// Overwrites bytes at the absolute `index` with `text`. Returns their
    /// number.
    ///
    /// # Errors
    ///
    /// As [`try_set_bytes`](Self::try_set_bytes).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(b"hello".to_vec());
    /// assert_eq!(buf.try_set_str(1, "ü")?, 2);
    /// assert_eq!(buf, "hülo");
    /// assert!(buf.try_set_str(4, "ü").is_err());
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[inline]
    fn try_set_str(&mut self, index: usize, text: &str) -> Result<usize, Error> {
        self.try_set_bytes(index, text.as_bytes()).map(|()| text.len())
    }

    /// Panicking form of [`try_set_str`](Self::try_set_str).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::from(b"hello".to_vec());
    /// buf.set_str(0, "J");
    /// assert_eq!(buf, "Jello");
    /// ```
    #[inline]
    #[track_caller]
    fn set_str(&mut self, index: usize, text: &str) -> usize {
        self.try_set_str(index, text).or_panic()
    }

    /// Appends the bytes of `text`. Returns their number.
    ///
    /// # Errors
    ///
    /// As [`try_write_bytes`](Self::try_write_bytes).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// assert_eq!(buf.try_write_str("grün")?, 5);
    /// assert_eq!(buf, "grün");
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    #[inline]
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn try_write_str(&mut self, text: &str) -> Result<usize, Error> {
        self.try_write_bytes(text.as_bytes()).map(|()| text.len())
    }

    /// Panicking form of [`try_write_str`](Self::try_write_str).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
    ///
    /// let mut buf = HeapBuf::new();
    /// buf.write_str("hello");
    /// assert_eq!(buf, "hello");
    /// ```
    #[inline]
    #[track_caller]
    fn write_str(&mut self, text: &str) -> usize {
        self.try_write_str(text).or_panic()
    }

    // ---- numbers -----------------------------------------------------------

    numbers! { set_methods }
    uints! { uint_set_methods }
    varints! { varint_write_methods }
}
