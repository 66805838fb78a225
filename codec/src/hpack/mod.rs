//! HPACK (RFC 7541): header compression of HTTP/2.
//!
//! A header block is what a `HEADERS` frame and its `CONTINUATION` frames have
//! in them, and one state goes through all blocks of a connection and
//! direction. So there is one [`Decoder`] and one [`Encoder`] for each
//! connection; a block is decoded whole and in order, whatever buffer it is in:
//!
//! ```
//! use refbuf::HeapBuf;
//! use refbuf_codec::hpack::{Decoder, Encoder, Header};
//!
//! let request = [
//!     Header::new(":method", "GET"),
//!     Header::new(":path", "/"),
//!     Header::new("user-agent", "example"),
//!     Header::sensitive("authorization", "Basic eDp5"),
//! ];
//! let mut block = HeapBuf::new();
//! Encoder::new().encode(request, &mut block)?;
//!
//! let mut decoded = Vec::new();
//! Decoder::new().decode(&mut block, |header| decoded.push(format!("{header:?}")))?;
//! assert_eq!(decoded, request.map(|header| format!("{header:?}")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A block has no end of its own, so these are no [`crate::Decoder`] and
//! [`crate::Encoder`]: the frames say where it ends.
//!
//! What headers mean is not looked at: whether pseudo-headers come first and
//! once, names are in lower case and values have no line ends (RFC 9113, section
//! 8.2) is for HTTP/2 to check, in the closure or afterwards.
//!
//! ```text
//! mod.rs               decoder.rs  blocks to headers   encoder.rs  headers to blocks
//! header.rs            Header, HeaderList
//! representation.rs    what a block consists of
//! static_table.rs  dynamic_table.rs  indexed_table.rs
//! huffman.rs  integer.rs  error.rs
//! ```

mod decoder;
mod dynamic_table;
mod encoder;
mod error;
mod header;
mod huffman;
mod indexed_table;
mod integer;
mod representation;
mod static_table;
#[cfg(test)]
mod tests;

pub use decoder::Decoder;
pub use encoder::{Encoder, Huffman, Indexing};
pub use error::{DecodeError, EncodeError};
pub use header::{Header, HeaderList};

/// The largest integer that is decoded or encoded: the largest table size that
/// HTTP/2 can agree on, and more than any string that fits into a header block.
///
/// ```
/// use refbuf_codec::hpack::{DecodeError, Decoder};
///
/// // A table size of one more.
/// let update = [0x3f, 0xe1, 0xff, 0xff, 0xff, 0x0f];
/// let result = Decoder::new().decode_slice(&update, |_| ());
/// assert_eq!(result, Err(DecodeError::IntegerOverflow));
/// ```
pub const MAX_INTEGER: usize = u32::MAX as usize;

/// The table's size before the settings say anything else (RFC 9113, section
/// 6.5.2).
///
/// ```
/// use refbuf_codec::hpack::{DEFAULT_TABLE_SIZE, Decoder};
///
/// assert_eq!(Decoder::new().max_table_size(), DEFAULT_TABLE_SIZE);
/// ```
pub const DEFAULT_TABLE_SIZE: usize = 4096;
