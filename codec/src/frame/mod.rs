//! Frames: messages cut out of a stream of bytes.
//!
//! | a frame is | decoder | encoder | made by |
//! |---|---|---|---|
//! | a header with its length, and a payload | [`LengthFieldDecoder`] | [`LengthFieldEncoder`] | [`LengthField`] |
//! | its length as a varint, and a payload: protobuf | [`VarintDecoder`] | [`VarintEncoder`] | [`Varint`] |
//! | what comes before a delimiter | [`DelimiterDecoder`] | [`DelimiterEncoder`] | [`Delimiter`] |
//! | a line | the same | the same | [`Delimiter::lines`] |
//!
//! A frame is cut, not copied, whatever it is cut from ([`Cut`](crate::Cut)),
//! and however the bytes came in: the frames, and the errors, are the same.
//!
//! ```
//! use refbuf::{ByteBufMut, CompositeBuf, HeapBuf};
//! use refbuf_codec::frame::LengthField;
//! use refbuf_codec::{Decoder, Encoder};
//!
//! let (mut decoder, mut encoder) = LengthField::new(2).codec()?;
//! let mut output = CompositeBuf::new();
//! encoder.encode("hello", &mut output)?;
//! assert_eq!(output, b"\0\x05hello");
//!
//! let mut input = HeapBuf::from(b"\0\x05hel".to_vec());
//! assert_eq!(decoder.decode(&mut input)?, None);
//! input.write_bytes(b"lo");
//! assert_eq!(decoder.decode(&mut input)?.unwrap(), b"hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a peer can do
//!
//! * A length is compared with the limit before anything is done with it.
//!   Decoders allocate nothing, and ask for no more room
//!   ([`missing`](crate::Decoder::missing)) than the limit.
//! * A frame that is too long is an error once, as soon as that is known. Its
//!   bytes are skipped as they come; then decoding goes on behind it.
//! * A length that makes no sense, and input that ends within a frame, is an
//!   error for good: the same from then on.
//! * Every frame consumes at least one byte: no number of empty frames costs
//!   more than the bytes that came.
//! * What ends a frame is looked for in every byte once, however slowly the
//!   bytes come.

mod delimiter;
mod error;
mod length_field;
mod payload;
mod prefixed;
mod varint;

pub use delimiter::{Delimiter, DelimiterDecoder, DelimiterEncoder};
pub use error::{ConfigError, FrameError};
pub use length_field::{LengthField, LengthFieldDecoder, LengthFieldEncoder};
pub use payload::{COPIED, Payload};
pub use varint::{Varint, VarintDecoder, VarintEncoder};

/// How long a frame may be where nothing else is said: 8 MiB.
///
/// ```
/// assert_eq!(refbuf_codec::frame::DEFAULT_MAX_FRAME_LEN, 8 * 1024 * 1024);
/// ```
pub const DEFAULT_MAX_FRAME_LEN: usize = 8 << 20;
