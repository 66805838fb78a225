//! Frames with their length in a field of fixed width.

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf};

use super::prefixed::{Head, Prefixed};
use super::{ConfigError, DEFAULT_MAX_FRAME_LEN, FrameError, Payload, payload};
use crate::{Cut, Decoder, Encoder};

/// Describes frames with their length in a field of fixed width.
///
/// ```text
///    offset    width          length + adjustment
///   |  type  |  length  |  flags  |      payload       |
///   |<----- strip ----->|<---- what is cut off ------->|
///   |<------------------- frame ---------------------->|
/// ```
///
/// A frame has `offset + width + length + adjustment` bytes. The field counts
/// the bytes behind it; where it counts something else, `adjustment` is the
/// difference: `-width` if it counts itself too, the size of what stands
/// between it and the payload if it counts the payload only.
///
/// Unless told otherwise: the field is at the front, big endian; it is stripped,
/// with what is before it; a frame has at most [`DEFAULT_MAX_FRAME_LEN`] bytes,
/// all of those in the picture.
///
/// | protocol | description |
/// |---|---|
/// | length and payload | `new(4)` |
/// | the length counts itself | `new(2).adjustment(-2)` |
/// | HTTP/2 (RFC 9113 section 4.1): 3 bytes length, 6 bytes type, flags, stream, payload | `new(3).adjustment(6).strip(0)` |
/// | a TLS record (RFC 8446 section 5.1): 3 bytes type and version, length, payload | `new(2).offset(3).strip(0)` |
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::frame::LengthField;
///
/// // Of HTTP/2: SETTINGS, without any.
/// let mut input = HeapBuf::from(b"\0\0\0\x04\0\0\0\0\0".to_vec());
/// let mut decoder = LengthField::new(3).adjustment(6).strip(0).decoder()?;
/// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"\0\0\0\x04\0\0\0\0\0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LengthField {
    offset: usize,
    width: usize,
    adjustment: i64,
    /// The header, where nothing was said.
    strip: Option<usize>,
    little_endian: bool,
    max_frame_len: usize,
}

impl LengthField {
    /// A length of `width` bytes: 1, 2, 3, 4 or 8.
    ///
    /// ```
    /// use refbuf_codec::frame::LengthField;
    ///
    /// assert!(LengthField::new(3).decoder().is_ok());
    /// assert!(LengthField::new(0).decoder().is_err());
    /// ```
    #[must_use]
    pub const fn new(width: usize) -> Self {
        Self {
            offset: 0,
            width,
            adjustment: 0,
            strip: None,
            little_endian: false,
            max_frame_len: DEFAULT_MAX_FRAME_LEN,
        }
    }

    /// Bytes before the length field.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::LengthField;
    ///
    /// let mut decoder = LengthField::new(1).offset(2).decoder()?;
    /// let mut input = HeapBuf::from(b"AB\x03abc".to_vec());
    /// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"abc");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// What is added to the length to get the number of bytes behind the field.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    /// use refbuf_codec::Encoder;
    /// use refbuf_codec::frame::LengthField;
    ///
    /// let mut output = CompositeBuf::new();
    /// LengthField::new(2).adjustment(-2).encoder()?.encode("abc", &mut output)?;
    /// assert_eq!(output, b"\0\x05abc");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn adjustment(mut self, adjustment: i64) -> Self {
        self.adjustment = adjustment;
        self
    }

    /// Bytes at the front of a frame that the decoder does not show.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::LengthField;
    ///
    /// let mut decoder = LengthField::new(1).strip(0).decoder()?;
    /// let mut input = HeapBuf::from(b"\x03abc".to_vec());
    /// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"\x03abc");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn strip(mut self, strip: usize) -> Self {
        self.strip = Some(strip);
        self
    }

    /// The field is little endian.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    /// use refbuf_codec::Encoder;
    /// use refbuf_codec::frame::LengthField;
    ///
    /// let mut output = CompositeBuf::new();
    /// LengthField::new(2).little_endian().encoder()?.encode("abc", &mut output)?;
    /// assert_eq!(output, b"\x03\0abc");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn little_endian(mut self) -> Self {
        self.little_endian = true;
        self
    }

    /// The bytes that a frame may have, with all that is before its payload.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::{FrameError, LengthField};
    ///
    /// let mut decoder = LengthField::new(1).max_frame_len(4).decoder()?;
    /// let mut input = HeapBuf::from(b"\x04long\x03abc".to_vec());
    /// assert_eq!(decoder.decode(&mut input), Err(FrameError::TooLong { len: 5, max: 4 }));
    /// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"abc");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn max_frame_len(mut self, max_frame_len: usize) -> Self {
        self.max_frame_len = max_frame_len;
        self
    }

    /// A decoder of such frames.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] if there can be no such frame.
    ///
    /// ```
    /// use refbuf_codec::frame::{ConfigError, LengthField};
    ///
    /// let error = LengthField::new(4).max_frame_len(3).decoder().unwrap_err();
    /// assert_eq!(error, ConfigError::Header { offset: 0, width: 4, max_frame_len: 3 });
    /// ```
    pub fn decoder(self) -> Result<LengthFieldDecoder, ConfigError> {
        let header = self.header()?;
        let strip = self.strip.unwrap_or(header);
        if strip > self.max_frame_len {
            return Err(ConfigError::Strip { strip, max_frame_len: self.max_frame_len });
        }
        Ok(LengthFieldDecoder { field: self, header, strip, frames: Prefixed::default() })
    }

    /// An encoder that puts the length before a payload. What the decoder
    /// strips is nothing to it.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] if there can be no such frame, or if there is
    /// something before the field.
    ///
    /// ```
    /// use refbuf_codec::frame::{ConfigError, LengthField};
    ///
    /// let error = LengthField::new(4).offset(1).encoder().unwrap_err();
    /// assert_eq!(error, ConfigError::Offset { offset: 1 });
    /// ```
    pub fn encoder(self) -> Result<LengthFieldEncoder, ConfigError> {
        let header = self.header()?;
        if self.offset != 0 {
            return Err(ConfigError::Offset { offset: self.offset });
        }
        // Not below 0, as checked; it may be more than can be counted.
        let sayable = i128::from(self.max_value()) + i128::from(self.adjustment) + header as i128;
        let max = self.max_frame_len as u64;
        let max = u64::try_from(sayable).map_or(max, |sayable| sayable.min(max));
        Ok(LengthFieldEncoder { field: self, max })
    }

    /// Both, which are a codec together.
    ///
    /// # Errors
    ///
    /// As [`decoder`](Self::decoder) and [`encoder`](Self::encoder).
    ///
    /// ```
    /// use refbuf_codec::frame::LengthField;
    ///
    /// let (decoder, encoder) = LengthField::new(4).codec()?;
    /// # Ok::<(), refbuf_codec::frame::ConfigError>(())
    /// ```
    pub fn codec(self) -> Result<(LengthFieldDecoder, LengthFieldEncoder), ConfigError> {
        Ok((self.decoder()?, self.encoder()?))
    }

    /// Where the field ends, once all is known to make sense.
    fn header(&self) -> Result<usize, ConfigError> {
        let Self { offset, width, adjustment, max_frame_len, .. } = *self;
        if !matches!(width, 1..=4 | 8) {
            return Err(ConfigError::Width { width });
        }
        let header = match offset.checked_add(width) {
            Some(header) if header <= max_frame_len => header,
            _ => return Err(ConfigError::Header { offset, width, max_frame_len }),
        };
        let adjusted = i128::from(adjustment);
        let shortest = header as i128 + adjusted;
        if shortest > max_frame_len as i128 || i128::from(self.max_value()) + adjusted < 0 {
            return Err(ConfigError::Adjustment { adjustment });
        }
        Ok(header)
    }

    /// The most that the field can say.
    fn max_value(&self) -> u64 {
        u64::MAX >> (64 - 8 * self.width)
    }
}

/// Cuts frames off that have their length in a field; see [`LengthField`].
///
/// An item is the frame without what is stripped. Memory is allocated only
/// for the list of components of a frame that is cut off a composite.
///
/// Errors: [`FrameError::TooLong`]; for good [`FrameError::InvalidLength`],
/// [`FrameError::TooShort`] and, at the end, [`FrameError::Truncated`].
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::frame::{FrameError, LengthField};
///
/// let mut decoder = LengthField::new(1).decoder()?;
/// let mut input = HeapBuf::from(b"\x02ab\x03cd".to_vec());
/// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"ab");
/// assert_eq!(decoder.decode(&mut input)?, None);
/// assert_eq!(Decoder::<HeapBuf>::missing(&decoder), 1);
/// let truncated = FrameError::Truncated { have: 3, needed: 4 };
/// assert_eq!(decoder.decode_eof(&mut input), Err(truncated));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct LengthFieldDecoder {
    field: LengthField,
    header: usize,
    strip: usize,
    frames: Prefixed,
}

impl LengthFieldDecoder {
    #[inline]
    fn head<B: ByteBuf>(
        field: &LengthField,
        header: usize,
        strip: usize,
        input: &B,
    ) -> Result<Head, FrameError> {
        if input.readable_bytes() < header {
            return Ok(Head::Short { needed: header });
        }
        let at = input.reader_index() + field.offset;
        let value = if field.little_endian {
            input.try_get_uint_le(at, field.width)?
        } else {
            input.try_get_uint(at, field.width)?
        };
        let adjustment = field.adjustment;
        // With a negative adjustment the length goes below 0 here.
        let behind = value.checked_add_signed(adjustment);
        let Some(len) = behind.and_then(|behind| behind.checked_add(header as u64)) else {
            return Err(FrameError::InvalidLength { value, adjustment });
        };
        match usize::try_from(len) {
            Ok(len) if len <= field.max_frame_len => {
                if len < strip {
                    return Err(FrameError::TooShort { len: len as u64, min: strip as u64 });
                }
                Ok(Head::Frame { len, strip })
            }
            _ => {
                let max = field.max_frame_len as u64;
                Ok(Head::TooLong { len, error: FrameError::TooLong { len, max } })
            }
        }
    }
}

impl<B: Cut> Decoder<B> for LengthFieldDecoder {
    type Item = B::Frame;
    type Error = FrameError;

    #[inline]
    fn decode(&mut self, input: &mut B) -> Result<Option<B::Frame>, FrameError> {
        let Self { field, header, strip, frames } = self;
        frames.decode(input, |input| Self::head(field, *header, *strip, input))
    }

    fn decode_eof(&mut self, input: &mut B) -> Result<Option<B::Frame>, FrameError> {
        let Self { field, header, strip, frames } = self;
        frames.decode_eof(input, |input| Self::head(field, *header, *strip, input))
    }

    fn missing(&self) -> usize {
        self.frames.missing()
    }

    fn recovers(&self, error: &FrameError) -> bool {
        error.is_of_one_frame()
    }
}

/// Puts the length before a payload; see [`LengthField`].
///
/// A payload of more than [`COPIED`](super::COPIED) bytes is not copied.
///
/// Errors: [`FrameError::TooLong`] for a frame above the limit, or above what
/// the field can say; [`FrameError::TooShort`] for a payload that is shorter
/// than the adjustment.
///
/// ```
/// use refbuf::CompositeBuf;
/// use refbuf_codec::Encoder;
/// use refbuf_codec::frame::{FrameError, LengthField};
///
/// let mut encoder = LengthField::new(1).encoder()?;
/// let mut output = CompositeBuf::new();
/// encoder.encode("hello", &mut output)?;
/// let error = encoder.encode(vec![0; 256], &mut output);
/// assert_eq!(error, Err(FrameError::TooLong { len: 257, max: 256 }));
/// assert_eq!(output, b"\x05hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct LengthFieldEncoder {
    field: LengthField,
    /// Bytes of the longest frame that is allowed and can be said.
    max: u64,
}

impl<P: Payload> Encoder<P> for LengthFieldEncoder {
    type Error = FrameError;

    #[inline]
    fn encode(&mut self, payload: P, output: &mut CompositeBuf) -> Result<(), FrameError> {
        let LengthField { width, adjustment, little_endian, .. } = self.field;
        let behind = payload.len() as u64;
        let len = behind.saturating_add(width as u64);
        if len > self.max {
            return Err(FrameError::TooLong { len, max: self.max });
        }
        // It fits into the field, or else it would be too long.
        let value = u64::try_from(i128::from(behind) - i128::from(adjustment))
            .map_err(|_| FrameError::TooShort { len: behind, min: adjustment.unsigned_abs() })?;
        payload::append(output, |output| {
            if little_endian {
                output.try_write_uint_le(value, width)?;
            } else {
                output.try_write_uint(value, width)?;
            }
            Ok(payload.append_to(output)?)
        })
    }
}
