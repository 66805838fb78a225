//! Drivers: a codec, its buffers and a stream.
//!
//! | the stream is | driver |
//! |---|---|
//! | `std::io::{Read, Write}`: a `TcpStream`, a `&TcpStream`, a file | [`blocking::Framed`] |
//! | tokio's `AsyncRead` and `AsyncWrite` (feature `tokio`) | `tokio::Framed`: a `Stream` and a `Sink` |
//!
//! What they need of a codec is what they are used for: a [`Decoder`] to
//! receive, an [`Encoder`] to send. A pair of them is a codec that does both.
//! The stream too may be of one direction: a half of a socket.
//!
//! ```
//! use std::net::{TcpListener, TcpStream};
//!
//! use refbuf_codec::frame::LengthField;
//! use refbuf_codec::framed::blocking::Framed;
//!
//! let listener = TcpListener::bind("127.0.0.1:0")?;
//! let client = TcpStream::connect(listener.local_addr()?)?;
//! let mut client = Framed::new(client, LengthField::new(4).codec()?);
//! let mut server = Framed::new(listener.accept()?.0, LengthField::new(4).codec()?);
//!
//! client.send("hello")?;
//! let frame = server.receive()?.unwrap();
//! server.send(frame)?; // back, without a copy of its own
//! assert_eq!(client.receive()?.unwrap(), b"hello");
//!
//! drop(client);
//! assert_eq!(server.receive()?, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Receiving
//!
//! Bytes are read into one growing buffer, sized by a [`ReceivePolicy`], and
//! items are cut off it. The room for a read is zeroed before (a reader is not
//! trusted with memory that it has not written); the policy keeps that to about
//! what comes. Where a decoder says how much is
//! [missing](Decoder::missing) for an item, room for it is made at once, but
//! for no more than 64 KiB; beyond that the buffer doubles as it fills. A peer
//! costs memory for what it sends, not for what it claims.
//!
//! An error that the decoder [recovers](Decoder::recovers) from is returned,
//! and the next call goes on. After any other of the decoder or of the stream,
//! there are no more items: every later call gives `None`. A stream that would
//! block, or timed out, is asked again by the next call; nothing is lost. So it
//! is where a buffer got no memory.
//!
//! # Sending
//!
//! Items are encoded into a composite, and leave it with vectored writes; what
//! was written is let go at once. When as many bytes are queued as the
//! [limit](Options::write_limit) says, they are written before more is taken:
//! a peer that does not read costs no more memory than that and one item.

pub mod blocking;
mod core;
mod pair;
#[cfg(feature = "tokio")]
pub mod tokio;

use std::fmt;
use std::io;

use refbuf::{BufAllocator, CompositeBuf, HeapBuf, ReceivePolicy, default_allocator};

#[cfg(doc)]
use crate::{Decoder, Encoder};

/// Why nothing was received or sent.
///
/// ```
/// use refbuf_codec::frame::{FrameError, LengthField};
/// use refbuf_codec::framed::{Error, blocking::Framed};
///
/// let mut framed = Framed::new(&b"\0\x05hel"[..], LengthField::new(2).decoder()?);
/// match framed.receive() {
///     Err(Error::Codec(FrameError::Truncated { have: 5, needed: 7 })) => {}
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error<E> {
    /// The stream failed, or would block.
    Io(io::Error),
    /// The codec found something wrong.
    Codec(E),
    /// The receive buffer got no memory.
    Buffer(refbuf::Error),
    /// The item was not taken: the stream would block, and the limit is
    /// reached.
    Full {
        /// Bytes that wait to be written.
        queued: usize,
    },
}

impl<E> Error<E> {
    /// Whether a later call may succeed, nothing being lost by this one: the
    /// stream would block, or timed out.
    ///
    /// ```
    /// use refbuf_codec::framed::Error;
    ///
    /// let error: Error<()> = Error::Io(std::io::ErrorKind::WouldBlock.into());
    /// assert!(error.is_transient());
    /// ```
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Io(error) => core::is_transient(error),
            Self::Full { .. } => true,
            Self::Codec(_) | Self::Buffer(_) => false,
        }
    }

    #[cfg(feature = "tokio")]
    fn would_block(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl<E: fmt::Display> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "the stream failed: {error}"),
            Self::Codec(error) => error.fmt(f),
            Self::Buffer(error) => write!(f, "no buffer: {error}"),
            Self::Full { queued } => write!(f, "{queued} bytes wait to be written"),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            // It is what is shown.
            Self::Codec(error) => error.source(),
            Self::Buffer(error) => Some(error),
            Self::Full { .. } => None,
        }
    }
}

impl<E> From<io::Error> for Error<E> {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// How a driver uses memory.
///
/// ```
/// use refbuf::{Pool, PoolConfig, ReceivePolicy};
/// use refbuf_codec::frame::LengthField;
/// use refbuf_codec::framed::{Options, blocking::Framed};
///
/// let pool = Pool::new(PoolConfig::new());
/// let options = Options::new()
///     .allocator(&pool)
///     .receive(ReceivePolicy::new(1 << 10, 16 << 10))
///     .write_limit(16 << 10);
/// let mut framed =
///     Framed::with_options(&b"\x02ab"[..], LengthField::new(1).decoder()?, &options);
/// assert_eq!(framed.receive()?.unwrap(), b"ab");
/// assert!(pool.stats().taken() > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Options<'a> {
    allocator: Option<&'a dyn BufAllocator>,
    receive: ReceivePolicy,
    write_limit: usize,
}

impl<'a> Options<'a> {
    /// The [`default_allocator`]; reads of 4 to 64 KiB; 64 KiB queued.
    ///
    /// ```
    /// use refbuf_codec::framed::Options;
    ///
    /// let options = Options::new();
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            allocator: None,
            receive: ReceivePolicy::new(4 << 10, 64 << 10),
            write_limit: 64 << 10,
        }
    }

    /// Where the buffers come from.
    ///
    /// ```
    /// use refbuf::Unpooled;
    /// use refbuf_codec::framed::Options;
    ///
    /// let options = Options::new().allocator(&Unpooled);
    /// ```
    #[must_use]
    pub const fn allocator(mut self, allocator: &'a dyn BufAllocator) -> Self {
        self.allocator = Some(allocator);
        self
    }

    /// How much a read brings, and how large the receive buffer is.
    ///
    /// ```
    /// use refbuf::ReceivePolicy;
    /// use refbuf_codec::framed::Options;
    ///
    /// let options = Options::new().receive(ReceivePolicy::new(512, 1 << 20));
    /// ```
    #[must_use]
    pub const fn receive(mut self, policy: ReceivePolicy) -> Self {
        self.receive = policy;
        self
    }

    /// How many bytes are queued before they are written; with 0 every item
    /// is written by itself.
    ///
    /// ```
    /// use refbuf_codec::frame::LengthField;
    /// use refbuf_codec::framed::{Options, blocking::Framed};
    ///
    /// let options = Options::new().write_limit(8);
    /// let encoder = LengthField::new(2).encoder()?;
    /// let mut framed = Framed::with_options(Vec::new(), encoder, &options);
    /// framed.feed("hello")?;
    /// assert_eq!((framed.queued(), framed.get_ref().len()), (7, 0));
    /// framed.feed("hello")?;
    /// assert_eq!((framed.queued(), framed.get_ref().len()), (0, 14));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn write_limit(mut self, bytes: usize) -> Self {
        self.write_limit = bytes;
        self
    }

    fn source(&self) -> &'a dyn BufAllocator {
        match self.allocator {
            Some(allocator) => allocator,
            None => default_allocator(),
        }
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("receive", &self.receive)
            .field("write_limit", &self.write_limit)
            .finish_non_exhaustive()
    }
}

/// What a driver was made of.
///
/// ```
/// use refbuf_codec::frame::{Delimiter, LengthField};
/// use refbuf_codec::framed::{Options, blocking::Framed};
///
/// // A line, and from then on another protocol.
/// let mut lines = Framed::new(&b"binary\n\x02ab"[..], Delimiter::lines().decoder()?);
/// assert_eq!(lines.receive()?.unwrap(), b"binary");
/// let parts = lines.into_parts();
/// let decoder = LengthField::new(1).decoder()?;
/// let mut framed = Framed::with_input(parts.stream, decoder, &Options::new(), parts.input);
/// assert_eq!(framed.receive()?.unwrap(), b"ab");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Parts<S, C, B = HeapBuf> {
    /// The stream.
    pub stream: S,
    /// The codec.
    pub codec: C,
    /// What was received and is not decoded yet.
    pub input: B,
    /// What was encoded and is not written yet.
    pub output: CompositeBuf,
}
