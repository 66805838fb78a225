//! Why a header block cannot be decoded, or a list of headers not encoded.

use core::fmt;

/// Why a header block was not decoded.
///
/// Two of them are about limits, and the block is in order otherwise: the
/// decoder has read it to its end, its table is what the encoder thinks it is,
/// and the next block can be decoded ([`recovers`](Self::recovers)). All others
/// end the connection (RFC 7541, section 2.2; RFC 9113, section 4.3:
/// `COMPRESSION_ERROR`), because nobody knows any more what the encoder's table
/// holds.
///
/// ```
/// use refbuf_codec::hpack::{DecodeError, Decoder};
///
/// let mut decoder = Decoder::new();
/// let error = decoder.decode_slice(&[0x80], |_| ()).unwrap_err();
/// assert_eq!(error, DecodeError::InvalidIndex { index: 0, entries: 61 });
/// assert_eq!(error.to_string(), "index 0 is not in the tables of 61 entries");
/// assert!(!error.recovers());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The block ends within a representation, at least so many bytes early.
    Truncated {
        /// Bytes that are missing, as far as is known.
        missing: usize,
    },
    /// An integer exceeds [`MAX_INTEGER`](super::MAX_INTEGER), or has more
    /// bytes than any number up to there needs.
    IntegerOverflow,
    /// No entry has this index (RFC 7541, section 2.3.3).
    InvalidIndex {
        /// The index, which counts from 1.
        index: usize,
        /// Entries of the static and the dynamic table together.
        entries: usize,
    },
    /// The code for the end of a string is within a string (section 5.2).
    HuffmanEos,
    /// What follows the last code of a string is not the beginning of the code
    /// for its end, or more than 7 bits of it (section 5.2).
    HuffmanPadding,
    /// A size update after a header (section 4.2).
    SizeUpdateNotAtStart,
    /// More than the two size updates that have a meaning (section 4.2).
    TooManySizeUpdates,
    /// A size update exceeds what the decoder allows (section 6.3).
    SizeUpdateTooLarge {
        /// The table size that the encoder wants.
        size: usize,
        /// What is allowed.
        max: usize,
    },
    /// The decoder has allowed less than before, and the encoder has not said
    /// that it knows (section 4.2).
    SizeUpdateMissing {
        /// The table size that it should have signalled, or less.
        max: usize,
    },
    /// The headers are longer than allowed; those that were not were given out.
    HeaderListTooLarge {
        /// The whole list, each header being its name, its value and 32 bytes.
        size: usize,
        /// What is allowed.
        max: usize,
    },
    /// There are more headers than allowed; so many were given out.
    TooManyHeaders {
        /// All headers of the block.
        count: usize,
        /// What is allowed.
        max: usize,
    },
    /// A block before this one was not decoded to its end.
    Failed,
    /// The buffer that holds the block refused, or the list for the headers.
    Buffer(refbuf::Error),
}

impl DecodeError {
    /// Whether the next block can be decoded. If not, every further call is
    /// [`DecodeError::Failed`], unless the buffer was at fault before the
    /// first byte had been looked at.
    ///
    /// ```
    /// use refbuf_codec::hpack::{DecodeError, Decoder};
    ///
    /// let mut decoder = Decoder::new().with_max_header_count(1);
    /// let error = decoder.decode_slice(&[0x82, 0x84], |_| ()).unwrap_err();
    /// assert_eq!(error, DecodeError::TooManyHeaders { count: 2, max: 1 });
    /// assert!(error.recovers());
    /// assert!(decoder.decode_slice(&[0x82], |_| ()).is_ok());
    /// ```
    #[must_use]
    pub fn recovers(&self) -> bool {
        matches!(self, Self::HeaderListTooLarge { .. } | Self::TooManyHeaders { .. })
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { missing } => {
                write!(f, "the header block ends at least {missing} bytes early")
            }
            Self::IntegerOverflow => {
                write!(f, "an integer exceeds {}", super::MAX_INTEGER)
            }
            Self::InvalidIndex { index, entries } => {
                write!(f, "index {index} is not in the tables of {entries} entries")
            }
            Self::HuffmanEos => f.write_str("the end of a string is coded within it"),
            Self::HuffmanPadding => f.write_str("a Huffman-coded string is not padded as it must"),
            Self::SizeUpdateNotAtStart => f.write_str("a table size update after a header"),
            Self::TooManySizeUpdates => f.write_str("more than two table size updates"),
            Self::SizeUpdateTooLarge { size, max } => {
                write!(f, "a table size update to {size} bytes exceeds the limit of {max}")
            }
            Self::SizeUpdateMissing { max } => {
                write!(f, "no table size update to {max} bytes or less")
            }
            Self::HeaderListTooLarge { size, max } => {
                write!(f, "a header list of {size} bytes exceeds the limit of {max}")
            }
            Self::TooManyHeaders { count, max } => {
                write!(f, "{count} headers exceed the limit of {max}")
            }
            Self::Failed => f.write_str("an earlier header block was not decoded"),
            Self::Buffer(error) => write!(f, "the buffer failed: {error}"),
        }
    }
}

impl std::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Buffer(error) => Some(error),
            _ => None,
        }
    }
}

impl From<refbuf::Error> for DecodeError {
    fn from(error: refbuf::Error) -> Self {
        Self::Buffer(error)
    }
}

/// Why a list of headers was not encoded. Nothing has changed then, neither the
/// buffer nor the table, and the next list can be encoded.
///
/// ```
/// use refbuf::{CompositeBuf, Error};
/// use refbuf_codec::hpack::{EncodeError, Encoder, Header};
///
/// let mut output = CompositeBuf::with_max_capacity(4);
/// let error = Encoder::new().encode([Header::new("name", "value")], &mut output);
/// assert!(matches!(error, Err(EncodeError::Buffer(Error::Overflow { .. }))));
/// assert_eq!(output, b"");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The headers are longer than the peer wants them to be.
    HeaderListTooLarge {
        /// The whole list, each header being its name, its value and 32 bytes.
        size: usize,
        /// What the peer allows.
        max: usize,
    },
    /// A name or a value is longer than [`MAX_INTEGER`](super::MAX_INTEGER).
    StringTooLong {
        /// Its length.
        len: usize,
    },
    /// The buffer refused.
    Buffer(refbuf::Error),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::HeaderListTooLarge { size, max } => {
                write!(f, "a header list of {size} bytes exceeds the peer's limit of {max}")
            }
            Self::StringTooLong { len } => {
                write!(f, "a string of {len} bytes exceeds {}", super::MAX_INTEGER)
            }
            Self::Buffer(error) => write!(f, "the buffer failed: {error}"),
        }
    }
}

impl std::error::Error for EncodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Buffer(error) => Some(error),
            _ => None,
        }
    }
}

impl From<refbuf::Error> for EncodeError {
    fn from(error: refbuf::Error) -> Self {
        Self::Buffer(error)
    }
}
