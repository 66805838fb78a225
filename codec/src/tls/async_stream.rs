//! `AsyncTlsStream`: a session on a socket of tokio's.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use refbuf::{IntoComponents, SliceBuf};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::drive::{Drive, would_block};
use super::{Session, TlsError};
use crate::polled::{Polled, poll};

/// [`TlsStream`](super::TlsStream) over `AsyncRead` and `AsyncWrite`, which it
/// is itself as well.
///
/// Whoever splits it between two tasks should [`handshake`](Self::handshake)
/// before: that reads and writes. Later, reading only reads.
///
/// All calls can be cancelled: what they have done is kept.
///
/// ```
/// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
/// use refbuf_codec::tls::AsyncTlsStream;
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let (client_config, server_config) = configs::pair();
/// let (there, back) = tokio::io::duplex(1000);
/// let server = tokio::spawn(async move {
///     let mut stream = AsyncTlsStream::server(back, server_config)?;
///     while let Some(slice) = stream.read_slice().await? {
///         stream.send(slice)?; // no copy
///         stream.flush().await?;
///     }
///     stream.shutdown().await
/// });
///
/// let mut stream = AsyncTlsStream::client(there, client_config, configs::name())?;
/// stream.write_all(b"hello").await?;
/// stream.shutdown().await?;
/// let mut answer = String::new();
/// stream.read_to_string(&mut answer).await?;
/// assert_eq!(answer, "hello");
/// server.await.unwrap()
/// # }
/// ```
pub struct AsyncTlsStream<S, T = ()> {
    socket: S,
    session: Session<T>,
    /// The handshake is through, and what it had to say is said.
    has_shaken: bool,
}

impl<S> AsyncTlsStream<S> {
    /// A client that wants to talk to `name`, with the default options. Nothing
    /// is read or written yet.
    ///
    /// # Errors
    ///
    /// [`TlsError::Protocol`] if `rustls` cannot use the configuration.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::AsyncTlsStream;
    /// let (socket, _) = tokio::io::duplex(1000);
    /// let stream = AsyncTlsStream::client(socket, configs::pair().0, configs::name())?;
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
    /// # use refbuf_codec::tls::AsyncTlsStream;
    /// let (socket, _) = tokio::io::duplex(1000);
    /// let stream = AsyncTlsStream::server(socket, configs::pair().1)?;
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn server(socket: S, config: Arc<ServerConfig>) -> Result<Self, TlsError> {
        Ok(Self::new(socket, Session::server(config)?))
    }
}

impl<S, T> AsyncTlsStream<S, T> {
    /// A session on a socket; it may be one that has been used already.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// use refbuf_codec::tls::{AsyncTlsStream, TlsOptions};
    ///
    /// let (socket, _) = tokio::io::duplex(1000);
    /// let session = TlsOptions::new().wrap_data_size(1 << 20).server(configs::pair().1)?;
    /// let stream: AsyncTlsStream<_> = AsyncTlsStream::new(socket, session);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn new(socket: S, session: Session<T>) -> Self {
        Self { socket, session, has_shaken: false }
    }

    /// The session: what was agreed, what is queued.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::AsyncTlsStream;
    /// let (socket, _) = tokio::io::duplex(1000);
    /// let stream = AsyncTlsStream::server(socket, configs::pair().1)?;
    /// assert!(stream.session().is_handshaking());
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn session(&self) -> &Session<T> {
        &self.session
    }

    /// The session, to be changed.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::AsyncTlsStream;
    /// let (socket, _) = tokio::io::duplex(1000);
    /// let mut stream = AsyncTlsStream::server(socket, configs::pair().1)?;
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
    /// # use refbuf_codec::tls::AsyncTlsStream;
    /// let (socket, _) = tokio::io::duplex(1000);
    /// let stream = AsyncTlsStream::server(socket, configs::pair().1)?;
    /// let _: &tokio::io::DuplexStream = stream.socket();
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn socket(&self) -> &S {
        &self.socket
    }

    /// The two, to be driven by something else.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::AsyncTlsStream;
    /// let (socket, _) = tokio::io::duplex(1000);
    /// let (socket, session) = AsyncTlsStream::server(socket, configs::pair().1)?.into_parts();
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn into_parts(self) -> (S, Session<T>) {
        (self.socket, self.session)
    }

    /// Queues `buf` without copying it: [`Session::send`]. It goes out with
    /// `flush`.
    ///
    /// # Errors
    ///
    /// Those of `Session::send`.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::AsyncTlsStream;
    /// let (socket, _) = tokio::io::duplex(1000);
    /// let mut stream = AsyncTlsStream::server(socket, configs::pair().1)?;
    /// stream.send("hello")?;
    /// assert_eq!(stream.session().queued_bytes(), 5);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn send(&mut self, buf: impl IntoComponents) -> Result<(), TlsError> {
        self.session.send(buf)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin, T: Unpin> AsyncTlsStream<S, T> {
    /// Completes the handshake, if that has not happened yet.
    ///
    /// # Errors
    ///
    /// The socket's; [`TlsError`] inside of an [`io::Error`].
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::AsyncTlsStream;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> std::io::Result<()> {
    /// let (client_config, server_config) = configs::pair();
    /// let (there, back) = tokio::io::duplex(1000);
    /// let mut client = AsyncTlsStream::client(there, client_config, configs::name())?;
    /// let mut server = AsyncTlsStream::server(back, server_config)?;
    /// tokio::try_join!(client.handshake(), server.handshake())?;
    /// assert!(!client.session().is_handshaking());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn handshake(&mut self) -> io::Result<()> {
        poll_fn(|cx| self.poll_handshake(cx)).await
    }

    /// The next plaintext, without copying it: waits for some, and takes all
    /// that is there then, up to 96 KiB. `None` when the peer has closed.
    ///
    /// # Errors
    ///
    /// The socket's; [`TlsError`] inside of an [`io::Error`].
    ///
    /// ```
    /// use refbuf_codec::tls::AsyncTlsStream;
    ///
    /// async fn count(mut stream: AsyncTlsStream<tokio::net::TcpStream>) -> std::io::Result<usize> {
    ///     let mut n = 0;
    ///     while let Some(slice) = stream.read_slice().await? {
    ///         n += slice.as_slice().len();
    ///     }
    ///     Ok(n)
    /// }
    /// ```
    pub async fn read_slice(&mut self) -> io::Result<Option<SliceBuf>> {
        poll_fn(|cx| self.poll_receive(cx)).await?;
        Ok(self.session.read_slice()?)
    }

    /// Does some `work` with what is known of the connection.
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        work: impl FnOnce(&mut Drive<'_, &mut Polled<'_, '_, S>, T>) -> io::Result<()>,
    ) -> Poll<io::Result<()>> {
        let session = &mut self.session;
        poll(&mut self.socket, cx, would_block, |socket| work(&mut Drive { socket, session }))
    }

    fn poll_handshake(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.has_shaken {
            ready!(self.poll(cx, |drive| drive.handshake()))?;
            self.has_shaken = true;
        }
        Poll::Ready(Ok(()))
    }

    /// Receives until reading can be answered. Writes only what the handshake
    /// has to say: behind it another task may be waiting to write.
    fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let may_write = !self.has_shaken;
        let received = self.poll(cx, |drive| drive.receive(may_write));
        if may_write {
            let is_said = self.session.outgoing().is_empty();
            self.has_shaken = is_said && !self.session.is_handshaking();
        }
        received
    }

    /// Writes all that is queued.
    fn poll_queued(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_handshake(cx))?;
        self.poll(cx, |drive| drive.send_queued())
    }
}

/// Copies plaintext out; nothing more when the peer has closed.
impl<S: AsyncRead + AsyncWrite + Unpin, T: Unpin> AsyncRead for AsyncTlsStream<S, T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        dst: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if dst.remaining() != 0 {
            ready!(this.poll_receive(cx))?;
            let n = dst.remaining().min(this.session.readable_bytes());
            let n = this.session.read(dst.initialize_unfilled_to(n))?;
            dst.advance(n);
        }
        Poll::Ready(Ok(()))
    }
}

/// Copies into the queue, up to the session's
/// [`write_limit`](super::TlsOptions::write_limit); what is queued is written
/// when that is reached, or by `flush`. `shutdown` says `close_notify` before
/// it shuts the socket.
impl<S: AsyncRead + AsyncWrite + Unpin, T: Unpin> AsyncWrite for AsyncTlsStream<S, T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        src: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let n = this.session.write(src)?;
        if n != 0 || src.is_empty() {
            return Poll::Ready(Ok(n));
        }
        let sent = this.poll_queued(cx)?;
        // A part of it may have gone, and made room.
        match (this.session.write(src)?, sent) {
            (0, Poll::Pending) => Poll::Pending,
            (n, _) => Poll::Ready(Ok(n)),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_queued(cx))?;
        Pin::new(&mut this.socket).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.session.close();
        ready!(this.poll_queued(cx))?;
        Pin::new(&mut this.socket).poll_shutdown(cx)
    }
}

impl<S: fmt::Debug, T> fmt::Debug for AsyncTlsStream<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncTlsStream")
            .field("socket", &self.socket)
            .field("session", &self.session)
            .finish()
    }
}
