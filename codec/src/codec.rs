//! What a codec is: bytes to items and items to bytes, with no I/O in it.

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, OwnedBuf, SliceBuf, Storage};

/// Takes items off the front of a buffer.
///
/// The buffer is whatever the bytes are received into: a codec is written once
/// for all kinds of them (`impl<B: ByteBuf> Decoder<B> for ..`) and compiled
/// for the one that is used. It is given the same buffer each time, with more
/// bytes at its end. Between two calls the buffer may have been moved to other
/// memory and its indices may count from elsewhere; what a decoder remembers
/// of it is relative to the reader index.
///
/// ```
/// use refbuf::{ByteBuf, HeapBuf};
/// use refbuf_codec::Decoder;
///
/// /// Pairs of bytes.
/// struct Pairs;
///
/// impl<B: ByteBuf> Decoder<B> for Pairs {
///     type Item = [u8; 2];
///     type Error = refbuf::Error;
///
///     fn decode(&mut self, input: &mut B) -> Result<Option<[u8; 2]>, refbuf::Error> {
///         let mut pair = [0; 2];
///         if input.readable_bytes() < pair.len() {
///             return Ok(None);
///         }
///         input.try_read_bytes(&mut pair)?;
///         Ok(Some(pair))
///     }
///
///     fn decode_eof(&mut self, input: &mut B) -> Result<Option<[u8; 2]>, refbuf::Error> {
///         match (self.decode(input)?, input.readable_bytes()) {
///             (None, 1) => Err(refbuf::Error::Underflow { needed: 2, available: 1 }),
///             (pair, _) => Ok(pair),
///         }
///     }
/// }
///
/// let mut input = HeapBuf::from(vec![1, 2, 3]);
/// assert_eq!(Pairs.decode(&mut input), Ok(Some([1, 2])));
/// assert_eq!(Pairs.decode(&mut input), Ok(None));
/// assert!(Pairs.decode_eof(&mut input).is_err());
/// ```
pub trait Decoder<B: ?Sized> {
    /// What is taken off: a frame, a header block, a part of a message.
    type Item;
    /// What can be wrong with the input.
    type Error;

    /// The next item, or `None` if more bytes are needed for it.
    ///
    /// May consume bytes without returning an item. Nothing is allocated for
    /// what the input only announces.
    ///
    /// # Errors
    ///
    /// What is wrong with the input. If it [`recovers`](Self::recovers), the
    /// next call goes on behind it.
    fn decode(&mut self, input: &mut B) -> Result<Option<Self::Item>, Self::Error>;

    /// The next item when no more bytes will come; `None` if the input ended
    /// where it may. Called until it says so.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode), and if the input ended within an item.
    fn decode_eof(&mut self, input: &mut B) -> Result<Option<Self::Item>, Self::Error>;

    /// How many bytes, at least, are missing for the next item, as far as
    /// that is known after `decode` gave `None`; 0 if not. A driver makes room
    /// for them, within limits of its own.
    fn missing(&self) -> usize {
        0
    }

    /// Whether decoding can go on after `error`: what was wrong has been, or
    /// will be, skipped exactly. Otherwise the stream is of no more use.
    fn recovers(&self, error: &Self::Error) -> bool {
        let _ = error;
        false
    }
}

/// Appends items to a buffer.
///
/// The buffer is a [`CompositeBuf`], to which a codec writes what is small and
/// pushes what is there already: a payload is not copied, and all of it leaves
/// with one vectored write.
///
/// ```
/// use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, SliceBuf};
/// use refbuf_codec::Encoder;
///
/// /// A byte that says how long the payload is, and the payload.
/// struct Short;
///
/// impl Encoder<SliceBuf> for Short {
///     type Error = refbuf::Error;
///
///     fn encode(&mut self, item: SliceBuf, output: &mut CompositeBuf) -> Result<(), Self::Error> {
///         let needed = item.readable_bytes();
///         let len = u8::try_from(needed)
///             .map_err(|_| refbuf::Error::Overflow { needed, available: 255 })?;
///         output.try_write_u8(len)?;
///         output.try_push(item)
///     }
/// }
///
/// let mut output = CompositeBuf::new();
/// Short.encode(SliceBuf::from_static(b"hello"), &mut output)?;
/// assert_eq!(output, b"\x05hello");
/// # Ok::<(), refbuf::Error>(())
/// ```
pub trait Encoder<Item> {
    /// Why an item could not be encoded.
    type Error;

    /// Appends `item` to `output`.
    ///
    /// # Errors
    ///
    /// If the item cannot be encoded. Then nothing of it stays in `output`.
    fn encode(&mut self, item: Item, output: &mut CompositeBuf) -> Result<(), Self::Error>;
}

/// Buffers that frames can be cut off without copying.
///
/// A frame of a contiguous buffer is a [`SliceBuf`]; one of a composite is a
/// [`CompositeBuf`], for it may lie across components.
///
/// ```
/// use refbuf::{CompositeBuf, HeapBuf};
/// use refbuf_codec::Cut;
///
/// let mut input = HeapBuf::from(b"framerest".to_vec());
/// assert_eq!(input.try_cut(5)?, b"frame");
///
/// let mut input: CompositeBuf = ["fra", "mere", "st"].into_iter().collect();
/// let frame = input.try_cut(5)?;
/// assert_eq!(frame, b"frame");
/// assert_eq!(frame.component_count(), 2);
/// # Ok::<(), refbuf::Error>(())
/// ```
pub trait Cut: ByteBuf {
    /// What is cut off.
    type Frame: ByteBuf;

    /// The next `n` readable bytes, which are consumed. Copies none of them.
    ///
    /// # Errors
    ///
    /// [`Error::Underflow`] if fewer are readable; [`Error::Alloc`];
    /// [`Error::Released`].
    fn try_cut(&mut self, n: usize) -> Result<Self::Frame, Error>;
}

impl<S: Storage> Cut for OwnedBuf<S> {
    type Frame = SliceBuf;

    fn try_cut(&mut self, n: usize) -> Result<SliceBuf, Error> {
        self.try_read_slice(n)
    }
}

impl Cut for SliceBuf {
    type Frame = SliceBuf;

    fn try_cut(&mut self, n: usize) -> Result<SliceBuf, Error> {
        self.try_read_slice(n)
    }
}

impl Cut for CompositeBuf {
    type Frame = CompositeBuf;

    fn try_cut(&mut self, n: usize) -> Result<CompositeBuf, Error> {
        let available = self.readable_bytes();
        if n > available {
            return Err(Error::Underflow { needed: n, available });
        }
        let mut frame = self.try_split_to(self.reader_index() + n)?;
        frame.discard_read_bytes();
        Ok(frame)
    }
}

impl<B: Cut + ?Sized> Cut for &mut B {
    type Frame = B::Frame;

    fn try_cut(&mut self, n: usize) -> Result<B::Frame, Error> {
        (**self).try_cut(n)
    }
}
