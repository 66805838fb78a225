//! Why a TLS connection failed.

use std::{fmt, io};

/// What is wrong with a TLS connection, its peer, or the machine.
///
/// [`TlsStream`](super::TlsStream) wraps it in an [`io::Error`], from which
/// [`TlsError::of`] gets it back.
///
/// ```
/// use std::io::{Error, ErrorKind};
/// use refbuf_codec::tls::TlsError;
///
/// let error = Error::from(TlsError::Truncated { partial: 7 });
/// assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
/// assert!(matches!(TlsError::of(&error), Some(TlsError::Truncated { partial: 7 })));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TlsError {
    /// The protocol was violated, the peer is not who it should be, the peer
    /// sent a fatal alert, or a configuration cannot work. Where the peer is to
    /// be told, an alert waits in the outgoing bytes.
    Protocol(rustls::Error),
    /// The transport ended without a `close_notify`: somebody may have cut the
    /// stream short (RFC 8446, section 6.1).
    Truncated {
        /// Bytes of a record that did not arrive to its end.
        partial: usize,
    },
    /// A handshake message, with the records around it, does not fit into the
    /// receive buffer.
    HandshakeTooLong {
        /// What the buffer may hold.
        limit: usize,
    },
    /// Writing after `close`, or when the connection is over.
    Closed,
    /// The keys have protected as many records as they may and, this being
    /// TLS 1.2, cannot be changed.
    KeysExhausted,
    /// The server's configuration accepts early data. It can be replayed by
    /// anybody (RFC 8446, section 8), so it may not come out as if it were
    /// other data, and there is no other way out here.
    EarlyData,
    /// No memory for a buffer, most likely. Unless it hit a handshake message,
    /// nothing is lost and the call can be repeated.
    Buffer(refbuf::Error),
}

impl TlsError {
    /// The error inside of one that came from a stream.
    ///
    /// ```
    /// use refbuf_codec::tls::TlsError;
    ///
    /// assert!(TlsError::of(&std::io::Error::other("cable")).is_none());
    /// ```
    #[must_use]
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(error) => write!(f, "TLS failed: {error}"),
            Self::Truncated { partial } => {
                write!(f, "the stream ended without close_notify, {partial} bytes into a record")
            }
            Self::HandshakeTooLong { limit } => {
                write!(f, "a handshake message needs more than {limit} bytes of receive buffer")
            }
            Self::Closed => f.write_str("the connection is closed for writing"),
            Self::KeysExhausted => f.write_str("the keys may not protect any more records"),
            Self::EarlyData => f.write_str("early data is not supported, but configured"),
            Self::Buffer(error) => write!(f, "no buffer: {error}"),
        }
    }
}

impl std::error::Error for TlsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Protocol(error) => Some(error),
            Self::Buffer(error) => Some(error),
            _ => None,
        }
    }
}

impl From<rustls::Error> for TlsError {
    fn from(error: rustls::Error) -> Self {
        Self::Protocol(error)
    }
}

impl From<refbuf::Error> for TlsError {
    fn from(error: refbuf::Error) -> Self {
        Self::Buffer(error)
    }
}

impl From<TlsError> for io::Error {
    fn from(error: TlsError) -> Self {
        let kind = match &error {
            TlsError::Protocol(_) | TlsError::HandshakeTooLong { .. } => io::ErrorKind::InvalidData,
            TlsError::Truncated { .. } => io::ErrorKind::UnexpectedEof,
            TlsError::Closed => io::ErrorKind::BrokenPipe,
            TlsError::KeysExhausted => io::ErrorKind::ConnectionAborted,
            TlsError::EarlyData => io::ErrorKind::InvalidInput,
            TlsError::Buffer(error) => io::Error::from(*error).kind(),
        };
        Self::new(kind, error)
    }
}
