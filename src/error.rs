//! The one error type.

use core::fmt;

/// Why an operation on a buffer failed.
///
/// A call that returns an error has changed nothing: no index, no byte, no
/// count. The panicking form of each method panics with the same text.
///
/// ```
/// use refbuf::{ByteBuf, Error, HeapBuf};
///
/// let buf = HeapBuf::from(vec![1, 2, 3]);
/// assert_eq!(buf.try_get_u8(2), Ok(3));
/// assert_eq!(
///     buf.try_get_u32(1),
///     Err(Error::OutOfBounds { index: 1, len: 4, limit: 3 }),
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// `len` bytes at `index` are not all below `limit`, the writer index.
    OutOfBounds {
        /// First byte asked for.
        index: usize,
        /// Number of bytes asked for.
        len: usize,
        /// The writer index: bytes from here on do not exist.
        limit: usize,
    },
    /// A read wants more bytes than there are between the indices.
    ///
    /// For a decoder this means "wait for more input".
    Underflow {
        /// Number of bytes asked for.
        needed: usize,
        /// Readable bytes.
        available: usize,
    },
    /// A write wants more room than there is below the maximum capacity.
    Overflow {
        /// Number of bytes asked for.
        needed: usize,
        /// Bytes that may still be written, after growing as far as allowed.
        available: usize,
    },
    /// A reader or writer index outside `min..=max`.
    InvalidIndex {
        /// The index given.
        index: usize,
        /// The lowest valid one.
        min: usize,
        /// The highest valid one.
        max: usize,
    },
    /// The buffer was released.
    Released,
    /// The bytes to overwrite can be seen through another handle.
    Shared,
    /// The memory may not be written by anybody: static data, the data of a
    /// foreign owner, a read-only map.
    ReadOnly,
    /// The memory source refused.
    Alloc {
        /// Bytes asked for.
        size: usize,
    },
    /// A pool has reached its limit.
    Exhausted {
        /// Bytes that it would have to take from the system.
        needed: usize,
        /// The most that it may take in all.
        limit: usize,
    },
    /// An integer width that is not between 1 and `max` bytes.
    InvalidWidth {
        /// The width given.
        nbytes: usize,
        /// The widest supported.
        max: usize,
    },
    /// A variable-length integer does not end within the bytes its type can
    /// need, or has bits beyond its type.
    VarintOverflow,
    /// The bytes are not UTF-8.
    InvalidUtf8 {
        /// So many bytes from the start of the range are valid.
        valid_up_to: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OutOfBounds { index, len, limit } => {
                write!(f, "{len} bytes at index {index} exceed the writer index {limit}")
            }
            Self::Underflow { needed, available } => {
                write!(f, "{needed} bytes needed, {available} readable")
            }
            Self::Overflow { needed, available } => {
                write!(
                    f,
                    "{needed} bytes to write, room for {available} below the maximum capacity"
                )
            }
            Self::InvalidIndex { index, min, max } => {
                write!(f, "index {index} is not in {min}..={max}")
            }
            Self::Released => f.write_str("the buffer was released"),
            Self::Shared => f.write_str("the bytes are shared with another handle"),
            Self::ReadOnly => f.write_str("the memory is read-only"),
            Self::Alloc { size } => write!(f, "allocation of {size} bytes failed"),
            Self::Exhausted { needed, limit } => {
                write!(f, "{needed} more bytes would exceed the pool's limit of {limit}")
            }
            Self::InvalidWidth { nbytes, max } => {
                write!(f, "integer width {nbytes} is not in 1..={max} bytes")
            }
            Self::VarintOverflow => f.write_str("the varint is too long for its type"),
            Self::InvalidUtf8 { valid_up_to } => {
                write!(f, "invalid UTF-8 after {valid_up_to} bytes")
            }
        }
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "std")]
impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        use std::io::ErrorKind;
        let kind = match error {
            Error::OutOfBounds { .. } | Error::Underflow { .. } => ErrorKind::UnexpectedEof,
            Error::Overflow { .. } => ErrorKind::WriteZero,
            Error::InvalidIndex { .. } | Error::InvalidWidth { .. } => ErrorKind::InvalidInput,
            Error::VarintOverflow | Error::InvalidUtf8 { .. } => ErrorKind::InvalidData,
            Error::Alloc { .. } | Error::Exhausted { .. } => ErrorKind::OutOfMemory,
            Error::ReadOnly => ErrorKind::PermissionDenied,
            Error::Released | Error::Shared => ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

impl Error {
    /// Panics with the error's text at the caller's location.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn panic(self) -> ! {
        panic!("{self}")
    }
}

/// Unwraps for the panicking form of a `try_` method.
pub(crate) trait OrPanic<T> {
    fn or_panic(self) -> T;
}

impl<T> OrPanic<T> for Result<T, Error> {
    #[inline]
    #[track_caller]
    fn or_panic(self) -> T {
        match self {
            Ok(value) => value,
            Err(error) => error.panic(),
        }
    }
}
