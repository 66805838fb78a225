//! What can be wrong with a frame, and with a description of frames.

use std::fmt;

/// What is wrong with a frame that was received, or is to be sent.
///
/// [`TooLong`](Self::TooLong) and [`Undelimited`](Self::Undelimited) are of one
/// frame: [`recovers`](crate::Decoder::recovers) is true, decoding goes on
/// behind it. All others end the stream.
///
/// ```
/// use refbuf_codec::frame::FrameError;
///
/// let error = FrameError::TooLong { len: 5000, max: 4096 };
/// assert_eq!(error.to_string(), "a frame of 5000 bytes exceeds the limit of 4096");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// A frame is longer than allowed.
    TooLong {
        /// Its bytes, counted as the limit counts them.
        len: u64,
        /// The limit.
        max: u64,
    },
    /// A frame is longer than allowed: no delimiter comes soon enough.
    Undelimited {
        /// Bytes that may come before a delimiter.
        max: usize,
    },
    /// A frame is shorter than it has to be.
    TooShort {
        /// Its bytes.
        len: u64,
        /// What is stripped off it or, of a payload to be sent, what the
        /// adjustment says that there is at least.
        min: u64,
    },
    /// The length in a header, adjusted, makes the frame end before its header
    /// does, or past the last byte that can be counted.
    InvalidLength {
        /// What the header says.
        value: u64,
        /// What is added to it.
        adjustment: i64,
    },
    /// The length is a varint with more bytes or more bits than it may have.
    InvalidVarint,
    /// The input ended within a frame.
    Truncated {
        /// Bytes of the frame that have come.
        have: u64,
        /// Bytes it has, at least.
        needed: u64,
    },
    /// A payload to be sent would not be received as one frame: there is a
    /// delimiter in it, or what it ends in makes one together with the
    /// delimiter behind it.
    ContainsDelimiter {
        /// Where that delimiter ends in the payload and the delimiter behind.
        end: usize,
    },
    /// A buffer refused: no memory, most likely.
    Buffer(refbuf::Error),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { len, max } => {
                write!(f, "a frame of {len} bytes exceeds the limit of {max}")
            }
            Self::Undelimited { max } => write!(f, "no delimiter after {max} bytes of a frame"),
            Self::TooShort { len, min } => {
                write!(f, "a frame of {len} bytes is shorter than {min}")
            }
            Self::InvalidLength { value, adjustment } => {
                write!(f, "length {value}, adjusted by {adjustment}, is not one of a frame")
            }
            Self::InvalidVarint => f.write_str("the length is a varint that is too long"),
            Self::Truncated { have, needed } => {
                write!(f, "the input ended after {have} of at least {needed} bytes of a frame")
            }
            Self::ContainsDelimiter { end } => {
                write!(f, "a delimiter ends at {end} within the payload and its delimiter")
            }
            Self::Buffer(error) => write!(f, "no buffer: {error}"),
        }
    }
}

impl std::error::Error for FrameError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Buffer(error) => Some(error),
            _ => None,
        }
    }
}

impl From<refbuf::Error> for FrameError {
    fn from(error: refbuf::Error) -> Self {
        Self::Buffer(error)
    }
}

impl FrameError {
    /// Whether what was wrong is skipped, and decoding goes on behind it.
    pub(super) fn is_of_one_frame(&self) -> bool {
        matches!(self, Self::TooLong { .. } | Self::Undelimited { .. })
    }
}

/// Why no decoder or encoder can be made as described.
///
/// ```
/// use refbuf_codec::frame::{ConfigError, LengthField};
///
/// let error = LengthField::new(5).decoder().unwrap_err();
/// assert_eq!(error, ConfigError::Width { width: 5 });
/// assert_eq!(error.to_string(), "a length field of 5 bytes: it can have 1, 2, 3, 4 or 8");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// A length field that is not 1, 2, 3, 4 or 8 bytes wide.
    Width {
        /// The width given.
        width: usize,
    },
    /// No frame can have the length field within the limit.
    Header {
        /// Bytes before the length field.
        offset: usize,
        /// Its width.
        width: usize,
        /// The limit.
        max_frame_len: usize,
    },
    /// With this adjustment all frames are too long, or end before their
    /// header does.
    Adjustment {
        /// The adjustment given.
        adjustment: i64,
    },
    /// More is stripped off a frame than it can have.
    Strip {
        /// Bytes to strip.
        strip: usize,
        /// The limit.
        max_frame_len: usize,
    },
    /// An encoder writes nothing before the length field.
    Offset {
        /// Bytes before the length field.
        offset: usize,
    },
    /// No delimiter was given.
    NoDelimiter,
    /// A delimiter without bytes.
    EmptyDelimiter {
        /// Which one.
        index: usize,
    },
    /// A delimiter that is never found, because another one is in it and
    /// ends first.
    HiddenDelimiter {
        /// Which one.
        index: usize,
        /// The other one.
        by: usize,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Width { width } => {
                write!(f, "a length field of {width} bytes: it can have 1, 2, 3, 4 or 8")
            }
            Self::Header { offset, width, max_frame_len } => {
                write!(
                    f,
                    "{width} bytes of length at {offset} are beyond the limit of {max_frame_len}"
                )
            }
            Self::Adjustment { adjustment } => {
                write!(f, "no frame has a length adjusted by {adjustment}")
            }
            Self::Strip { strip, max_frame_len } => {
                write!(f, "{strip} bytes to strip off frames of at most {max_frame_len}")
            }
            Self::Offset { offset } => {
                write!(f, "an encoder cannot write the {offset} bytes before the length field")
            }
            Self::NoDelimiter => f.write_str("no delimiter"),
            Self::EmptyDelimiter { index } => write!(f, "delimiter {index} is empty"),
            Self::HiddenDelimiter { index, by } => {
                write!(f, "delimiter {index} is never found: delimiter {by} is in it")
            }
        }
    }
}

impl std::error::Error for ConfigError {}
