//! What can be wrong: with what came, and with what is to be sent.

use std::fmt;

/// What is wrong with the input of a decoder.
///
/// All of these are fatal: where the next message begins is not known, or not
/// safe to guess. The decoder answers every further call with the same error
/// and leaves the rest of the input alone. A server may answer with the
/// [`status`](Self::status) that fits, and closes the connection.
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::http1::{DecodeError, RequestDecoder};
///
/// let mut input = HeapBuf::from(b"GET / HTTP/1.1\r\nHost : a\r\n\r\n".to_vec());
/// let error = RequestDecoder::new().decode(&mut input).unwrap_err();
/// assert_eq!(error, DecodeError::SpaceBeforeColon { at: 20 });
/// assert_eq!(error.status(), 400);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The head does not end within the limit.
    HeadTooLong {
        /// Bytes allowed.
        max: usize,
    },
    /// More fields than allowed, in a head or a trailer section.
    TooManyFields {
        /// Fields allowed.
        max: usize,
    },
    /// More empty lines in front of a head than allowed.
    TooManyEmptyLines {
        /// Lines allowed.
        max: usize,
    },
    /// A line feed that no carriage return precedes.
    BareLineFeed {
        /// Where in the head or trailer section.
        at: usize,
    },
    /// The method is no token, or what begins the head is none.
    InvalidMethod,
    /// The request target is empty, or has bytes that no target may have.
    InvalidTarget,
    /// The version is not HTTP/1.0 or HTTP/1.1.
    UnsupportedVersion,
    /// The status line has no status of three digits from 100 on, or bytes in
    /// its reason that no text may have.
    InvalidStatus,
    /// A line that is no field, or whose name is no token.
    InvalidFieldName {
        /// Where the line begins in the head or trailer section.
        at: usize,
    },
    /// A field's value has a control character: a lone carriage return, for
    /// one.
    InvalidFieldValue {
        /// Where the line begins in the head or trailer section.
        at: usize,
    },
    /// A field's name and its colon are apart (RFC 9112, section 5.1).
    SpaceBeforeColon {
        /// Where the space is in the head or trailer section.
        at: usize,
    },
    /// A field goes on in the next line (RFC 9112, section 5.2), or the start
    /// line is followed by a space.
    ObsoleteFold {
        /// Where that line begins in the head or trailer section.
        at: usize,
    },
    /// A `Content-Length` that is not digits alone, or beyond 64 bits. A list
    /// of equal lengths, which RFC 9110, section 8.6 lets a recipient mend, is
    /// refused too.
    InvalidContentLength,
    /// More than one `Content-Length`, be they equal or not.
    RepeatedContentLength,
    /// Both `Content-Length` and `Transfer-Encoding` (RFC 9112, section 6.1).
    ConflictingLength,
    /// A `Transfer-Encoding` other than `chunked` alone.
    UnsupportedTransferEncoding,
    /// A `Transfer-Encoding` in an HTTP/1.0 message, where it has no meaning.
    TransferEncodingInOldVersion,
    /// A request of HTTP/1.1 without `Host` (RFC 9112, section 3.2).
    MissingHost,
    /// A request with more than one `Host`.
    RepeatedHost,
    /// The body is longer than allowed.
    BodyTooLong {
        /// Bytes announced, or had so far.
        len: u64,
        /// Bytes allowed.
        max: u64,
    },
    /// A chunk's size is not hexadecimal digits alone, or its line has a
    /// control character.
    InvalidChunkLine,
    /// A chunk's size has more than 16 digits.
    ChunkSizeTooLong,
    /// The line in front of a chunk is longer than allowed.
    ChunkLineTooLong {
        /// Bytes allowed.
        max: usize,
    },
    /// A carriage return or line feed alone, in or behind the line of a chunk.
    BareNewlineInChunk,
    /// No line end follows the data of a chunk.
    MissingChunkEnd,
    /// The chunks' lines and their number are out of proportion to their data.
    ChunkOverhead {
        /// Bytes allowed.
        max: u64,
    },
    /// The trailer section does not end within the limit.
    TrailersTooLong {
        /// Bytes allowed.
        max: usize,
    },
    /// A trailer that would say how long the message is, or where it goes
    /// (RFC 9110, section 6.5.1).
    ForbiddenTrailer,
    /// A response that no request asked for.
    Unasked,
    /// A switch of protocols (101) that no request asked for.
    UnexpectedSwitch,
    /// More interim responses than allowed.
    TooManyInterim {
        /// Responses allowed.
        max: usize,
    },
    /// More requests are not answered yet than allowed.
    TooManyPipelined {
        /// Requests allowed.
        max: usize,
    },
    /// The input ended within a head.
    TruncatedHead {
        /// Bytes of it that came.
        have: usize,
    },
    /// The input ended within a body of known length.
    TruncatedBody {
        /// Bytes of it that did not come.
        missing: u64,
    },
    /// The input ended before the last chunk and the trailers.
    TruncatedChunks,
    /// The input ended, and so many requests have no response.
    Unanswered {
        /// Requests.
        requests: usize,
    },
    /// The input buffer refused.
    Buffer(refbuf::Error),
}

impl DecodeError {
    /// The status of a response that tells the peer, if it is a request that
    /// was wrong: 400 unless there is a better one.
    ///
    /// ```
    /// use refbuf_codec::http1::DecodeError;
    ///
    /// assert_eq!(DecodeError::HeadTooLong { max: 100 }.status(), 431);
    /// assert_eq!(DecodeError::BodyTooLong { len: 5, max: 4 }.status(), 413);
    /// ```
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            Self::BodyTooLong { .. } => 413,
            Self::TooManyPipelined { .. } => 429,
            Self::HeadTooLong { .. }
            | Self::TooManyFields { .. }
            | Self::TrailersTooLong { .. } => 431,
            Self::Buffer(_) => 500,
            Self::UnsupportedTransferEncoding => 501,
            Self::UnsupportedVersion => 505,
            _ => 400,
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::HeadTooLong { max } => write!(f, "the head does not end within {max} bytes"),
            Self::TooManyFields { max } => write!(f, "more than {max} fields"),
            Self::TooManyEmptyLines { max } => {
                write!(f, "more than {max} empty lines before a head")
            }
            Self::BareLineFeed { at } => {
                write!(f, "a line feed without a carriage return at byte {at}")
            }
            Self::InvalidMethod => f.write_str("the method is not a token"),
            Self::InvalidTarget => f.write_str("the request target is not one"),
            Self::UnsupportedVersion => f.write_str("the version is not HTTP/1.0 or HTTP/1.1"),
            Self::InvalidStatus => f.write_str("the status line is not valid"),
            Self::InvalidFieldName { at } => {
                write!(f, "the line at byte {at} is not a field with a valid name")
            }
            Self::InvalidFieldValue { at } => {
                write!(f, "the field at byte {at} has a control character in its value")
            }
            Self::SpaceBeforeColon { at } => {
                write!(f, "a space before a field's colon at byte {at}")
            }
            Self::ObsoleteFold { at } => write!(f, "the line at byte {at} begins with a space"),
            Self::InvalidContentLength => f.write_str("the Content-Length is not a number"),
            Self::RepeatedContentLength => f.write_str("more than one Content-Length"),
            Self::ConflictingLength => f.write_str("both a Content-Length and a Transfer-Encoding"),
            Self::UnsupportedTransferEncoding => {
                f.write_str("a Transfer-Encoding other than chunked")
            }
            Self::TransferEncodingInOldVersion => {
                f.write_str("a Transfer-Encoding in an HTTP/1.0 message")
            }
            Self::MissingHost => f.write_str("no Host"),
            Self::RepeatedHost => f.write_str("more than one Host"),
            Self::BodyTooLong { len, max } => {
                write!(f, "a body of {len} bytes or more exceeds the limit of {max}")
            }
            Self::InvalidChunkLine => f.write_str("the line of a chunk is not valid"),
            Self::ChunkSizeTooLong => f.write_str("a chunk's size has more than 16 digits"),
            Self::ChunkLineTooLong { max } => {
                write!(f, "the line of a chunk does not end within {max} bytes")
            }
            Self::BareNewlineInChunk => {
                f.write_str("a carriage return or line feed alone in the line of a chunk")
            }
            Self::MissingChunkEnd => f.write_str("no line end behind the data of a chunk"),
            Self::ChunkOverhead { max } => {
                write!(f, "chunks cost {max} bytes more than they carry")
            }
            Self::TrailersTooLong { max } => {
                write!(f, "the trailers do not end within {max} bytes")
            }
            Self::ForbiddenTrailer => f.write_str("a trailer that belongs in the head"),
            Self::Unasked => f.write_str("a response without a request"),
            Self::UnexpectedSwitch => f.write_str("a switch of protocols that was not asked for"),
            Self::TooManyInterim { max } => write!(f, "more than {max} interim responses"),
            Self::TooManyPipelined { max } => {
                write!(f, "more than {max} requests that are not answered")
            }
            Self::TruncatedHead { have } => {
                write!(f, "the input ended after {have} bytes of a head")
            }
            Self::TruncatedBody { missing } => {
                write!(f, "the input ended {missing} bytes before the end of a body")
            }
            Self::TruncatedChunks => f.write_str("the input ended before the last chunk"),
            Self::Unanswered { requests } => {
                write!(f, "the input ended and {requests} requests have no response")
            }
            Self::Buffer(error) => write!(f, "the input buffer refused: {error}"),
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

/// Why something could not be encoded. Nothing of it is in the output, and the
/// encoder is where it was.
///
/// ```
/// use refbuf::CompositeBuf;
/// use refbuf_codec::Encoder;
/// use refbuf_codec::http1::{EncodeError, Request, RequestEncoder};
///
/// let mut output = CompositeBuf::new();
/// let request = Request::new("GET", "/").fields([("host", "a"), ("x", "1\r\nevil: 2")]);
/// let error = RequestEncoder::new().encode(request, &mut output).unwrap_err();
/// assert_eq!(error, EncodeError::InvalidFieldValue { field: 1 });
/// assert_eq!(output, b"");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The method is no token.
    InvalidMethod,
    /// The request target is empty, or has a space or a control character.
    InvalidTarget,
    /// The status is not in 100..=999.
    InvalidStatus {
        /// The status given.
        status: u16,
    },
    /// The reason has a control character.
    InvalidReason,
    /// A field's name is no token.
    InvalidFieldName {
        /// Which field, counted from 0.
        field: usize,
    },
    /// A field's value has a control character, or a space at its start or
    /// end.
    InvalidFieldValue {
        /// Which field, counted from 0.
        field: usize,
    },
    /// `Content-Length` or `Transfer-Encoding` among the fields: these follow
    /// from the [`BodyLen`](super::BodyLen).
    FramingField {
        /// Which field, counted from 0.
        field: usize,
    },
    /// A request has exactly one `Host` (RFC 9112, section 3.2).
    Host {
        /// How many there are.
        count: usize,
    },
    /// More of a body than was announced.
    BodyTooLong {
        /// Bytes given.
        len: u64,
        /// Bytes that are left of what was announced.
        left: u64,
    },
    /// The end of a body of which less was sent than announced.
    BodyTooShort {
        /// Bytes that are left of what was announced.
        left: u64,
    },
    /// This message has no body: an interim response, one to a HEAD request,
    /// one with status 204, 205 or 304, one that switches protocols.
    BodyNotAllowed,
    /// A request's body does not end with the connection.
    NoLength,
    /// Trailers of a body that is not chunked.
    TrailersNotAllowed,
    /// A trailer that would say how long the message is, or where it goes
    /// (RFC 9110, section 6.5.1).
    ForbiddenTrailer {
        /// Which one, counted from 0.
        field: usize,
    },
    /// A head, while the body before it is not at its end.
    Unfinished,
    /// A part of a body, and there is no head.
    NoMessage,
    /// A response that no request asked for, or a switch of protocols.
    Unasked,
    /// An interim response to a client of HTTP/1.0, which knows none.
    InterimNotAllowed,
    /// The connection takes no more messages: one said so, or the protocol is
    /// another one now, or may soon be.
    Closed,
    /// The output buffer refused.
    Buffer(refbuf::Error),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::InvalidMethod => f.write_str("the method is not a token"),
            Self::InvalidTarget => f.write_str("the request target is not one"),
            Self::InvalidStatus { status } => write!(f, "status {status} is not in 100..=999"),
            Self::InvalidReason => f.write_str("the reason has a control character"),
            Self::InvalidFieldName { field } => {
                write!(f, "the name of field {field} is not a token")
            }
            Self::InvalidFieldValue { field } => {
                write!(f, "the value of field {field} has a character that it may not have")
            }
            Self::FramingField { field } => {
                write!(f, "field {field} says how long the body is, which is the encoder's to say")
            }
            Self::Host { count } => write!(f, "{count} Host fields instead of one"),
            Self::BodyTooLong { len, left } => {
                write!(f, "{len} bytes of a body of which {left} are left")
            }
            Self::BodyTooShort { left } => {
                write!(f, "the body ends {left} bytes before its announced length")
            }
            Self::BodyNotAllowed => f.write_str("a body where there may be none"),
            Self::NoLength => f.write_str("a request's body cannot end with the connection"),
            Self::TrailersNotAllowed => f.write_str("trailers of a body that is not chunked"),
            Self::ForbiddenTrailer { field } => {
                write!(f, "trailer {field} belongs in the head")
            }
            Self::Unfinished => f.write_str("the body before is not at its end"),
            Self::NoMessage => f.write_str("a part of a body without a head"),
            Self::Unasked => f.write_str("a response that was not asked for"),
            Self::InterimNotAllowed => f.write_str("an interim response to an HTTP/1.0 client"),
            Self::Closed => f.write_str("the connection takes no more messages"),
            Self::Buffer(error) => write!(f, "the output buffer refused: {error}"),
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
