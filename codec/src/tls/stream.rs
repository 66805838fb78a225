//! `TlsStream`: a session on a socket.

use std::fmt;
use std::io::{self, Read, Write};
use std::sync::Arc;

use refbuf::{IntoComponents, SliceBuf};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ServerConfig};

use super::drive::{Drive, would_block};
use super::{Session, TlsError};

/// TLS over anything that reads and writes.
///
/// The handshake is done by whatever is called first, or by
/// [`handshake`](Self::handshake). Reading gives slices without copying, or
/// copies as [`Read`] does. What is sent or written is queued; it goes out
/// with [`flush`](Write::flush), [`wrap_data_size`](super::TlsOptions) bytes
/// at once, and when as much is queued as [`Write`] may queue.
///
/// Dropping it says nothing to the peer, who will take the stream for
/// truncated: [`shutdown_write`](Self::shutdown_write) comes first.
///
/// # Sockets that do not block
///
/// `WouldBlock` and timeouts come through, from wherever they occur, and
/// nothing is lost: the same call, later, goes on. `Interrupted` does not come
/// through. While the socket has nothing to read, the session keeps no block
/// for it.
///
/// # Errors
///
/// Those of the socket as they are, those of TLS as [`TlsError`] inside of an
/// [`io::Error`]. The alert that tells the peer has been written then, if that
/// was possible.
///
/// ```
/// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
/// use std::io::{Read, Write};
/// use std::net::{TcpListener, TcpStream};
/// use refbuf_codec::tls::TlsStream;
///
/// let (client_config, server_config) = configs::pair();
/// let listener = TcpListener::bind("127.0.0.1:0")?;
/// let address = listener.local_addr()?;
/// let server = std::thread::spawn(move || -> std::io::Result<()> {
///     let mut stream = TlsStream::server(listener.accept()?.0, server_config)?;
///     while let Some(slice) = stream.read_slice()? {
///         stream.send(slice)?; // no copy
///         stream.flush()?;
///     }
///     stream.shutdown_write()
/// });
///
/// let socket = TcpStream::connect(address)?;
/// let mut stream = TlsStream::client(socket, client_config, configs::name())?;
/// stream.write_all(b"hello")?;
/// stream.shutdown_write()?;
/// let mut answer = String::new();
/// stream.read_to_string(&mut answer)?;
/// assert_eq!(answer, "hello");
/// server.join().unwrap()?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct TlsStream<S, T = ()> {
    socket: S,
    session: Session<T>,
}

impl<S> TlsStream<S> {
    /// A client that wants to talk to `name`, with the default options. Nothing
    /// is read or written yet.
    ///
    /// # Errors
    ///
    /// [`TlsError::Protocol`] if `rustls` cannot use the configuration.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// # let socket = std::io::Cursor::new(vec![0_u8; 0]);
    /// let stream = TlsStream::client(socket, configs::pair().0, configs::name())?;
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn client(
        socket: S,
        config: Arc<ClientConfig>,
        name: ServerName<'static>,
    ) -> Result<Self, TlsError> {
        Ok(Self::new(socket, Session::client(config, name)?))
    }

    /// A server, with the default options. Nothing is read or written yet.
    ///
    /// # Errors
    ///
    /// [`TlsError::EarlyData`] if the configuration accepts that;
    /// [`TlsError::Protocol`] if `rustls` cannot use the configuration.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// # let socket = std::io::Cursor::new(vec![0_u8; 0]);
    /// let stream = TlsStream::server(socket, configs::pair().1)?;
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn server(socket: S, config: Arc<ServerConfig>) -> Result<Self, TlsError> {
        Ok(Self::new(socket, Session::server(config)?))
    }
}

impl<S, T> TlsStream<S, T> {
    /// A session on a socket; it may be one that has been used already.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// use refbuf_codec::tls::{TlsOptions, TlsStream};
    ///
    /// # let socket = std::io::Cursor::new(vec![0_u8; 0]);
    /// let session = TlsOptions::new().wrap_data_size(1 << 20).server(configs::pair().1)?;
    /// let stream: TlsStream<_> = TlsStream::new(socket, session);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn new(socket: S, session: Session<T>) -> Self {
        Self { socket, session }
    }

    /// The session: what was agreed, what is queued, what has
    /// [completed](Session::completed).
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// # let socket = std::io::Cursor::new(vec![0_u8; 0]);
    /// let stream = TlsStream::server(socket, configs::pair().1)?;
    /// assert!(stream.session().state().peer_certificates().is_none());
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn session(&self) -> &Session<T> {
        &self.session
    }

    /// The session, to be changed.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// # let socket = std::io::Cursor::new(vec![0_u8; 0]);
    /// let mut stream = TlsStream::server(socket, configs::pair().1)?;
    /// stream.session_mut().set_wrap_data_size(0);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn session_mut(&mut self) -> &mut Session<T> {
        &mut self.session
    }

    /// The socket.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// # let socket = std::io::Cursor::new(vec![0_u8; 0]);
    /// let stream = TlsStream::server(socket, configs::pair().1)?;
    /// assert_eq!(stream.socket().position(), 0);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn socket(&self) -> &S {
        &self.socket
    }

    /// The socket, for its options. Who reads from it or writes to it breaks
    /// the connection.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// # let socket = std::io::Cursor::new(vec![0_u8; 0]);
    /// let mut stream = TlsStream::server(socket, configs::pair().1)?;
    /// stream.socket_mut().set_position(0);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn socket_mut(&mut self) -> &mut S {
        &mut self.socket
    }

    /// The two, to be driven by something else.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// # let socket = std::io::Cursor::new(vec![0_u8; 0]);
    /// let (socket, session) = TlsStream::server(socket, configs::pair().1)?.into_parts();
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn into_parts(self) -> (S, Session<T>) {
        (self.socket, self.session)
    }

    /// Queues `buf` without copying it: [`Session::send`].
    ///
    /// # Errors
    ///
    /// Those of `Session::send`.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// # let socket = std::io::Cursor::new(vec![0_u8; 0]);
    /// let mut stream = TlsStream::server(socket, configs::pair().1)?;
    /// stream.send("hello")?;
    /// assert_eq!(stream.session().queued_bytes(), 5);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn send(&mut self, buf: impl IntoComponents) -> Result<(), TlsError> {
        self.session.send(buf)
    }

    /// Queues `buf` with a token: [`Session::send_with`].
    ///
    /// # Errors
    ///
    /// Those of `Session::send_with`.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::{Session, TlsStream};
    /// # let socket = std::io::Cursor::new(vec![0_u8; 0]);
    /// let mut stream = TlsStream::new(socket, Session::server(configs::pair().1)?);
    /// stream.send_with("hello", 7)?;
    /// assert_eq!(stream.session_mut().completed(), None);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn send_with(&mut self, buf: impl IntoComponents, token: T) -> Result<(), TlsError> {
        self.session.send_with(buf, token)
    }
}

impl<S: Read + Write, T> TlsStream<S, T> {
    /// Completes the handshake, if that has not happened yet.
    ///
    /// # Errors
    ///
    /// The socket's; [`TlsError`].
    ///
    /// ```no_run
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// let socket = std::net::TcpStream::connect("localhost:443")?;
    /// let mut stream = TlsStream::client(socket, configs::pair().0, configs::name())?;
    /// stream.handshake()?;
    /// println!("{:?}", stream.session().state().protocol_version());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn handshake(&mut self) -> io::Result<()> {
        self.drive().handshake()
    }

    /// The next plaintext, without copying it: waits for some, and takes all
    /// that is there then, up to 96 KiB. `None` when the peer has closed.
    ///
    /// # Errors
    ///
    /// The socket's; [`TlsError`], [`Truncated`](TlsError::Truncated) for one.
    ///
    /// ```no_run
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// let socket = std::net::TcpStream::connect("localhost:443")?;
    /// let mut stream = TlsStream::client(socket, configs::pair().0, configs::name())?;
    /// while let Some(slice) = stream.read_slice()? {
    ///     std::thread::spawn(move || println!("{slice:?}"));
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read_slice(&mut self) -> io::Result<Option<SliceBuf>> {
        self.drive().receive(true)?;
        Ok(self.session.read_slice()?)
    }

    /// Sends what is queued, and that nothing follows: `close_notify`. Reading
    /// may go on; the peer of TLS 1.2 will close as well (RFC 5246, section
    /// 7.2.1).
    ///
    /// # Errors
    ///
    /// As [`flush`](Write::flush).
    ///
    /// ```no_run
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::TlsStream;
    /// # use std::io::{Read, Write};
    /// let socket = std::net::TcpStream::connect("localhost:443")?;
    /// let mut stream = TlsStream::client(socket, configs::pair().0, configs::name())?;
    /// stream.write_all(b"that is all")?;
    /// stream.shutdown_write()?;
    /// stream.read_to_end(&mut Vec::new())?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn shutdown_write(&mut self) -> io::Result<()> {
        self.session.close();
        self.flush()
    }

    fn drive(&mut self) -> Drive<'_, &mut S, T> {
        Drive { socket: &mut self.socket, session: &mut self.session }
    }
}

/// Copies plaintext out; 0 when the peer has closed.
impl<S: Read + Write, T> Read for TlsStream<S, T> {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        if dst.is_empty() {
            return Ok(0);
        }
        self.drive().receive(true)?;
        Ok(self.session.read(dst)?)
    }
}

/// Copies into the queue, up to the session's
/// [`write_limit`](super::TlsOptions::write_limit); what is queued is written
/// when that is reached, or by `flush`.
impl<S: Read + Write, T> Write for TlsStream<S, T> {
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        if src.is_empty() {
            return Ok(0);
        }
        let n = self.session.write(src)?;
        if n != 0 {
            return Ok(n);
        }
        match self.drive().send_queued() {
            // A part of it may have gone, and made room.
            Err(error) if would_block(&error) => match self.session.write(src)? {
                0 => Err(error),
                n => Ok(n),
            },
            Err(error) => Err(error),
            Ok(()) => Ok(self.session.write(src)?),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.drive().send_queued()?;
        self.socket.flush()
    }
}

impl<S: fmt::Debug, T> fmt::Debug for TlsStream<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsStream")
            .field("socket", &self.socket)
            .field("session", &self.session)
            .finish()
    }
}
