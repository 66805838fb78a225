//! Frames with their length as a varint.

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error};

use super::prefixed::{Head, Prefixed};
use super::{DEFAULT_MAX_FRAME_LEN, FrameError, Payload, payload};
use crate::{Cut, Decoder, Encoder};

/// Describes frames with their length, that of the payload, as a LEB128
/// varint before it: what protobuf calls delimited messages.
///
/// Unless told otherwise the length has 32 bits, so 5 bytes at most, and a
/// payload has at most [`DEFAULT_MAX_FRAME_LEN`] bytes.
///
/// As in protobuf, a length may be written with more bytes than it needs
/// (`\x85\x00` is 5), as long as they are no more than its type can need.
///
/// ```
/// use refbuf::{CompositeBuf, HeapBuf};
/// use refbuf_codec::{Decoder, Encoder};
/// use refbuf_codec::frame::Varint;
///
/// let (mut decoder, mut encoder) = Varint::new().max_frame_len(1000).codec();
/// let mut output = CompositeBuf::new();
/// encoder.encode(vec![7; 300], &mut output)?;
/// let frame = decoder.decode(&mut output)?.unwrap();
/// assert_eq!(frame, [7; 300]);
/// # Ok::<(), refbuf_codec::frame::FrameError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Varint {
    wide: bool,
    max_frame_len: usize,
}

impl Varint {
    /// A length of 32 bits.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::{FrameError, Varint};
    ///
    /// let mut input = HeapBuf::from(b"\x80\x80\x80\x80\x80\x01".to_vec());
    /// assert_eq!(Varint::new().decoder().decode(&mut input), Err(FrameError::InvalidVarint));
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { wide: false, max_frame_len: DEFAULT_MAX_FRAME_LEN }
    }

    /// The length has 64 bits, so 10 bytes at most.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::Varint;
    ///
    /// let mut input = HeapBuf::from(b"\x81\x80\x80\x80\x80\x00a".to_vec());
    /// assert_eq!(Varint::new().wide().decoder().decode(&mut input)?.unwrap(), b"a");
    /// # Ok::<(), refbuf_codec::frame::FrameError>(())
    /// ```
    #[must_use]
    pub const fn wide(mut self) -> Self {
        self.wide = true;
        self
    }

    /// The bytes that a payload may have.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::{FrameError, Varint};
    ///
    /// let mut decoder = Varint::new().max_frame_len(3).decoder();
    /// let mut input = HeapBuf::from(b"\x04long\x03abc".to_vec());
    /// assert_eq!(decoder.decode(&mut input), Err(FrameError::TooLong { len: 4, max: 3 }));
    /// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"abc");
    /// # Ok::<(), FrameError>(())
    /// ```
    #[must_use]
    pub const fn max_frame_len(mut self, max_frame_len: usize) -> Self {
        self.max_frame_len = max_frame_len;
        self
    }

    /// A decoder of such frames.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::Varint;
    ///
    /// let mut input = HeapBuf::from(b"\x02ab".to_vec());
    /// assert_eq!(Varint::new().decoder().decode(&mut input)?.unwrap(), b"ab");
    /// # Ok::<(), refbuf_codec::frame::FrameError>(())
    /// ```
    #[must_use]
    pub fn decoder(self) -> VarintDecoder {
        VarintDecoder { length: self, frames: Prefixed::default() }
    }

    /// An encoder of such frames.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    /// use refbuf_codec::Encoder;
    /// use refbuf_codec::frame::Varint;
    ///
    /// let mut output = CompositeBuf::new();
    /// Varint::new().encoder().encode("ab", &mut output)?;
    /// assert_eq!(output, b"\x02ab");
    /// # Ok::<(), refbuf_codec::frame::FrameError>(())
    /// ```
    #[must_use]
    pub fn encoder(self) -> VarintEncoder {
        let most = if self.wide { u64::MAX } else { u32::MAX.into() };
        VarintEncoder { max: most.min(self.max_frame_len as u64) }
    }

    /// Both, which are a codec together.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    ///
    /// let (decoder, encoder) = Varint::new().codec();
    /// ```
    #[must_use]
    pub fn codec(self) -> (VarintDecoder, VarintEncoder) {
        (self.decoder(), self.encoder())
    }

    #[inline]
    fn head<B: ByteBuf>(self, input: &B) -> Result<Head, FrameError> {
        let at = input.reader_index();
        let length = if self.wide {
            input.try_get_varint_u64(at)
        } else {
            input.try_get_varint_u32(at).map(|(len, header)| (len.into(), header))
        };
        let (payload, header) = match length {
            Ok(length) => length,
            // One byte more than there are.
            Err(Error::OutOfBounds { len, .. }) => return Ok(Head::Short { needed: len }),
            Err(Error::VarintOverflow) => return Err(FrameError::InvalidVarint),
            Err(error) => return Err(error.into()),
        };
        let max = self.max_frame_len as u64;
        let Some(len) = payload.checked_add(header as u64) else {
            return Err(FrameError::InvalidLength { value: payload, adjustment: 0 });
        };
        match usize::try_from(len) {
            Ok(len) if payload <= max => Ok(Head::Frame { len, strip: header }),
            _ => Ok(Head::TooLong { len, error: FrameError::TooLong { len: payload, max } }),
        }
    }
}

impl Default for Varint {
    fn default() -> Self {
        Self::new()
    }
}

/// Cuts frames off that have their length as a varint before them; see
/// [`Varint`].
///
/// An item is the payload. Memory is allocated only for the list of
/// components of one that is cut off a composite.
///
/// Errors: [`FrameError::TooLong`]; for good [`FrameError::InvalidVarint`] and,
/// at the end, [`FrameError::Truncated`].
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::frame::{FrameError, Varint};
///
/// let mut decoder = Varint::new().decoder();
/// let mut input = HeapBuf::from(b"\x02ab\x80".to_vec());
/// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"ab");
/// let truncated = FrameError::Truncated { have: 1, needed: 2 };
/// assert_eq!(decoder.decode_eof(&mut input), Err(truncated));
/// # Ok::<(), FrameError>(())
/// ```
#[derive(Debug, Clone)]
pub struct VarintDecoder {
    length: Varint,
    frames: Prefixed,
}

impl<B: Cut> Decoder<B> for VarintDecoder {
    type Item = B::Frame;
    type Error = FrameError;

    #[inline]
    fn decode(&mut self, input: &mut B) -> Result<Option<B::Frame>, FrameError> {
        self.frames.decode(input, |input| self.length.head(input))
    }

    fn decode_eof(&mut self, input: &mut B) -> Result<Option<B::Frame>, FrameError> {
        self.frames.decode_eof(input, |input| self.length.head(input))
    }

    fn missing(&self) -> usize {
        self.frames.missing()
    }

    fn recovers(&self, error: &FrameError) -> bool {
        error.is_of_one_frame()
    }
}

/// Puts the length as a varint before a payload; see [`Varint`].
///
/// A payload of more than [`COPIED`](super::COPIED) bytes is not copied.
///
/// Errors: [`FrameError::TooLong`].
///
/// ```
/// use refbuf::CompositeBuf;
/// use refbuf_codec::Encoder;
/// use refbuf_codec::frame::{FrameError, Varint};
///
/// let mut encoder = Varint::new().max_frame_len(3).encoder();
/// let mut output = CompositeBuf::new();
/// let error = encoder.encode("long", &mut output);
/// assert_eq!(error, Err(FrameError::TooLong { len: 4, max: 3 }));
/// ```
#[derive(Debug, Clone)]
pub struct VarintEncoder {
    max: u64,
}

impl<P: Payload> Encoder<P> for VarintEncoder {
    type Error = FrameError;

    #[inline]
    fn encode(&mut self, payload: P, output: &mut CompositeBuf) -> Result<(), FrameError> {
        let len = payload.len() as u64;
        if len > self.max {
            return Err(FrameError::TooLong { len, max: self.max });
        }
        payload::append(output, |output| {
            output.try_write_varint_u64(len)?;
            Ok(payload.append_to(output)?)
        })
    }
}
