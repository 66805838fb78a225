//! `Session`: TLS without a socket.

use std::fmt;
use std::sync::Arc;

use refbuf::{BufAllocator, IntoComponents, SliceBuf};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, CommonState, ServerConfig};

use super::connection::{Connection, Fault, Step};
use super::inbound::{Inbound, MAX_RECEIVED};
use super::outbound::Outbound;
use super::{TlsError, TlsOptions};

/// One side of a TLS connection, without a socket: bytes in, bytes out.
///
/// ```text
///   space, filled        process        read_slice
///   socket -----> received -------> plaintext -----> application
///                     |
///                 (handshake)
///                     v
///   socket <----- outgoing <------- queue <--------- application
///      outgoing, sent        wrap         send, write
/// ```
///
/// A driver, such as [`TlsStream`](super::TlsStream), does this, as often as
/// the socket lets it:
///
/// * To receive: read into [`space`](Self::space), say how much with
///   [`filled`](Self::filled), [`process`](Self::process). Then there may be
///   plaintext, or outgoing bytes, or both.
/// * To send: [`wrap`](Self::wrap) while the session
///   [`wants_wrap`](Self::wants_wrap) and little is outgoing, write
///   [`outgoing`](Self::outgoing), say how much with [`sent`](Self::sent).
///
/// # Memory
///
/// No more than 96 KiB wait to be processed and read; what is outgoing is
/// limited by [`TlsOptions`]. A session to which nothing happens keeps no block
/// after [`rest`](Self::rest). `rustls` itself makes and frees a vector of a
/// record's size for each record, either way.
///
/// # Copies
///
/// Received bytes are decrypted where they are. `rustls` copies a record's
/// plaintext to memory of its own, and here it is copied once more, into a
/// block whose slices may be kept. On the way out the plaintext of a record is
/// copied by `rustls`, encrypted, and copied into the outgoing block.
///
/// # Tokens
///
/// `T` is something that comes back when what was sent with it has gone to the
/// socket: see [`send_with`](Self::send_with).
///
/// # Failure
///
/// An error other than [`TlsError::Buffer`] and [`TlsError::Closed`] is for
/// good: `process` and `wrap` will return it again. Plaintext that was received
/// before can still be read, and what is outgoing should still be sent: it ends
/// with an alert that tells the peer.
///
/// ```
/// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
/// use refbuf_codec::tls::{Session, TlsError};
///
/// /// What one has to say, the other hears.
/// fn pass(from: &mut Session, to: &mut Session) -> Result<(), TlsError> {
///     from.wrap()?;
///     while !from.outgoing().is_empty() {
///         let space = to.space()?;
///         let n = space.len().min(from.outgoing().len());
///         space[..n].copy_from_slice(&from.outgoing()[..n]);
///         from.sent(n);
///         to.filled(n);
///         to.process()?;
///     }
///     Ok(())
/// }
///
/// let (client_config, server_config) = configs::pair();
/// let mut client: Session = Session::client(client_config, configs::name())?;
/// let mut server: Session = Session::server(server_config)?;
/// while client.is_handshaking() || server.is_handshaking() {
///     pass(&mut client, &mut server)?;
///     pass(&mut server, &mut client)?;
/// }
/// client.send("hello")?;
/// pass(&mut client, &mut server)?;
/// assert_eq!(server.read_slice()?.unwrap(), "hello");
/// # Ok::<(), TlsError>(())
/// ```
pub struct Session<T = ()> {
    connection: Connection,
    inbound: Inbound,
    outbound: Outbound<T>,
    write_limit: usize,
    allocator: Arc<dyn BufAllocator>,
    /// The transport has ended.
    ended: bool,
    /// For good.
    failed: Option<TlsError>,
}

impl<T> Session<T> {
    /// A client's, with the default options.
    ///
    /// # Errors
    ///
    /// As [`TlsOptions::client`].
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// use refbuf_codec::tls::Session;
    ///
    /// let mut session: Session = Session::client(configs::pair().0, configs::name())?;
    /// session.wrap()?;
    /// assert!(!session.outgoing().is_empty()); // the ClientHello
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn client(config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Self, TlsError> {
        TlsOptions::new().client(config, name)
    }

    /// A server's, with the default options.
    ///
    /// # Errors
    ///
    /// As [`TlsOptions::server`].
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// use refbuf_codec::tls::Session;
    ///
    /// let session: Session = Session::server(configs::pair().1)?;
    /// assert!(session.outgoing().is_empty()); // the client is to begin
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn server(config: Arc<ServerConfig>) -> Result<Self, TlsError> {
        TlsOptions::new().server(config)
    }

    pub(super) fn new(
        connection: Connection,
        allocator: Arc<dyn BufAllocator>,
        wrap_data_size: usize,
        outbound_limit: usize,
        write_limit: usize,
    ) -> Self {
        Self {
            connection,
            inbound: Inbound::new(),
            outbound: Outbound::new(wrap_data_size, outbound_limit, allocator.clone()),
            write_limit,
            allocator,
            ended: false,
            failed: None,
        }
    }

    /// Whether the handshake is not through yet. Also when it is, there may be
    /// outgoing bytes that belong to it.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let session: Session = Session::server(configs::pair().1)?;
    /// assert!(session.is_handshaking());
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    #[must_use]
    pub fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    /// What was agreed with the peer: version, cipher suite, application
    /// protocol (ALPN), certificates.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let session: Session = Session::server(configs::pair().1)?;
    /// assert!(session.state().alpn_protocol().is_none());
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    #[must_use]
    pub fn state(&self) -> &CommonState {
        &self.connection
    }

    // ---- receiving ---------------------------------------------------------

    /// Where the next bytes from the socket may go to. As long as reads fill
    /// it, it gets larger, up to 64 KiB. Empty if so much plaintext waits that
    /// it should be read first.
    ///
    /// # Errors
    ///
    /// [`TlsError::HandshakeTooLong`]; [`TlsError::Buffer`] if there is no
    /// memory; what has failed before.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// assert_eq!(session.space()?.len(), 4 << 10);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn space(&mut self) -> Result<&mut [u8], TlsError> {
        self.check()?;
        if self.inbound.is_stuck() {
            return Err(self.fail(TlsError::HandshakeTooLong { limit: MAX_RECEIVED }));
        }
        Ok(self.inbound.space(&*self.allocator)?)
    }

    /// The first `n` bytes of [`space`](Self::space) are filled.
    ///
    /// # Panics
    ///
    /// If there were fewer.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::{Session, TlsError};
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// session.space()?[..18].copy_from_slice(b"GET / HTTP/1.1\r\n\r\n");
    /// session.filled(18);
    /// assert!(matches!(session.process(), Err(TlsError::Protocol(_))));
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn filled(&mut self, n: usize) {
        self.inbound.filled(n);
    }

    /// The socket has come to its end. That is as it should be if the peer's
    /// `close_notify` came before, else the stream is truncated, and reading
    /// will say so, after what there is. Sending may go on.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::{Session, TlsError};
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// session.end();
    /// assert_eq!(session.read_slice().unwrap_err(), TlsError::Truncated { partial: 0 });
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Does what the received bytes ask for: goes on with the handshake,
    /// decrypts, notes that the peer closed.
    ///
    /// # Errors
    ///
    /// [`TlsError::Protocol`], and then an alert is outgoing;
    /// [`TlsError::Buffer`] if there is no memory; what has failed before.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut client: Session = Session::client(configs::pair().0, configs::name())?;
    /// client.process()?;
    /// assert!(!client.outgoing().is_empty()); // it has to begin
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn process(&mut self) -> Result<(), TlsError> {
        self.run(false)
    }

    /// All plaintext that is there and contiguous, without copying it; `None`
    /// if there is none now, and for good if the peer
    /// [closed](Self::is_peer_closed).
    ///
    /// It keeps a block of at most 96 KiB as long as it is there:
    /// [`SliceBuf::detach`] is for little that is to be kept for long.
    ///
    /// # Errors
    ///
    /// [`TlsError::Truncated`] if the socket has [ended](Self::end) and the
    /// peer did not close; what has failed before. Plaintext comes first.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// assert!(session.read_slice()?.is_none());
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn read_slice(&mut self) -> Result<Option<SliceBuf>, TlsError> {
        if self.readable_bytes() == 0 {
            return self.is_ready().map(|_| None);
        }
        Ok(Some(self.inbound.read_slice()?))
    }

    /// Copies plaintext to `dst`; 0 means as `None` of
    /// [`read_slice`](Self::read_slice).
    ///
    /// # Errors
    ///
    /// As `read_slice`.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// assert_eq!(session.read(&mut [0; 10])?, 0);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn read(&mut self, dst: &mut [u8]) -> Result<usize, TlsError> {
        if self.readable_bytes() == 0 {
            return self.is_ready().map(|_| 0);
        }
        Ok(self.inbound.read(dst)?)
    }

    /// Plaintext that can be read.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let session: Session = Session::server(configs::pair().1)?;
    /// assert_eq!(session.readable_bytes(), 0);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    #[must_use]
    pub fn readable_bytes(&self) -> usize {
        self.inbound.plaintext_len()
    }

    /// Whether the peer's `close_notify` was received: it will send no more.
    /// Sending may go on (RFC 8446, section 6.1).
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let session: Session = Session::server(configs::pair().1)?;
    /// assert!(!session.is_peer_closed());
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    #[must_use]
    pub fn is_peer_closed(&self) -> bool {
        self.inbound.is_peer_closed()
    }

    // ---- sending -----------------------------------------------------------

    /// Queues `buf` to be sent, without copying it, also during the handshake.
    /// There is no limit: see [`queued_bytes`](Self::queued_bytes).
    ///
    /// # Errors
    ///
    /// [`TlsError::Closed`] after [`close`](Self::close); [`TlsError::Buffer`]
    /// if `buf` was released; what has failed before.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// session.send("hello")?;
    /// assert_eq!(session.queued_bytes(), 5);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn send(&mut self, buf: impl IntoComponents) -> Result<(), TlsError> {
        self.check()?;
        Ok(self.outbound.open_queue()?.try_push(buf)?)
    }

    /// [`send`](Self::send) with a token, which [`completed`](Self::completed)
    /// gives back when the last byte of `buf` was sent.
    ///
    /// # Errors
    ///
    /// As `send`; the token is dropped then.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session = Session::server(configs::pair().1)?;
    /// session.send_with("hello", "request 7")?;
    /// assert_eq!(session.completed(), None);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn send_with(&mut self, buf: impl IntoComponents, token: T) -> Result<(), TlsError> {
        self.check()?;
        let queue = self.outbound.open_queue()?;
        queue.try_push_with(buf, token).map_err(|refused| TlsError::Buffer(refused.error))
    }

    /// Queues a copy of the first bytes of `src`; returns how many, which is 0
    /// if as many are queued as [`TlsOptions::write_limit`] says.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// assert_eq!(session.write(b"hello")?, 5);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn write(&mut self, src: &[u8]) -> Result<usize, TlsError> {
        self.check()?;
        self.outbound.write(src, self.write_limit, &*self.allocator)
    }

    /// Plaintext that is to be wrapped yet.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let session: Session = Session::server(configs::pair().1)?;
    /// assert_eq!(session.queued_bytes(), 0);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    #[must_use]
    pub fn queued_bytes(&self) -> usize {
        self.outbound.queued_bytes()
    }

    /// Says `close_notify` after what is queued. Reading may go on.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::{Session, TlsError};
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// session.close();
    /// assert_eq!(session.send("late"), Err(TlsError::Closed));
    /// # Ok::<(), TlsError>(())
    /// ```
    pub fn close(&mut self) {
        self.outbound.close();
    }

    /// Whether [`wrap`](Self::wrap) has something to do, once the handshake is
    /// through.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// session.send("hello")?;
    /// assert!(session.wants_wrap());
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    #[must_use]
    pub fn wants_wrap(&self) -> bool {
        self.outbound.wants_wrap()
    }

    /// Makes outgoing bytes of queued ones,
    /// [`wrap_data_size`](TlsOptions::wrap_data_size) of them at once, until
    /// there is enough for a write (that size, from 64 to 256 KiB), or
    /// [`outbound_limit`](TlsOptions::outbound_limit), or no more are queued.
    /// While the handshake does not allow that, it does what
    /// [`process`](Self::process) does.
    ///
    /// # Errors
    ///
    /// As `process`, and [`TlsError::KeysExhausted`].
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// session.send("hello")?;
    /// session.wrap()?;
    /// assert!(session.outgoing().is_empty()); // no handshake, no keys
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn wrap(&mut self) -> Result<(), TlsError> {
        self.run(true)
    }

    /// Ciphertext to be written to the socket, all in one piece.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut client: Session = Session::client(configs::pair().0, configs::name())?;
    /// client.process()?;
    /// assert_eq!(client.outgoing()[0], 22); // a handshake record
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    #[must_use]
    pub fn outgoing(&self) -> &[u8] {
        self.outbound.ciphertext.filled()
    }

    /// The first `n` bytes of [`outgoing`](Self::outgoing) were written.
    ///
    /// # Panics
    ///
    /// If there were fewer.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut client: Session = Session::client(configs::pair().0, configs::name())?;
    /// client.process()?;
    /// client.sent(client.outgoing().len());
    /// assert!(client.outgoing().is_empty());
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn sent(&mut self, n: usize) {
        self.outbound.sent(n);
    }

    /// The next token of [`send_with`](Self::send_with) all of whose bytes were
    /// sent. It is never early; several that were wrapped together complete
    /// together.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session: Session<u32> = Session::server(configs::pair().1)?;
    /// while let Some(request) = session.completed() {
    ///     println!("{request} was answered");
    /// }
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn completed(&mut self) -> Option<T> {
        self.outbound.completed()
    }

    /// Drops what is queued, because it will not be sent, and returns the
    /// tokens that did not complete.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session = Session::server(configs::pair().1)?;
    /// session.send_with("hello", "request 7")?;
    /// assert_eq!(session.abandon(), ["request 7"]);
    /// assert_eq!(session.queued_bytes(), 0);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn abandon(&mut self) -> Vec<T> {
        self.outbound.abandon()
    }

    /// See [`TlsOptions::wrap_data_size`].
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let session: Session = Session::server(configs::pair().1)?;
    /// assert_eq!(session.wrap_data_size(), 16 << 10);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    #[must_use]
    pub fn wrap_data_size(&self) -> usize {
        self.outbound.wrap_data_size
    }

    /// Changes [`TlsOptions::wrap_data_size`] for what is still queued, and
    /// from then on.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// session.set_wrap_data_size(0);
    /// assert_eq!(session.wrap_data_size(), 0);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn set_wrap_data_size(&mut self, bytes: usize) {
        self.outbound.wrap_data_size = bytes;
    }

    /// Gives back blocks with nothing in them, when nothing is going to happen
    /// for a while.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// # use refbuf_codec::tls::Session;
    /// let mut session: Session = Session::server(configs::pair().1)?;
    /// session.space()?;
    /// session.rest();
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn rest(&mut self) {
        self.inbound.rest();
    }

    // ---- inside ------------------------------------------------------------

    /// Goes from state to state until there is nothing to do without more bytes.
    fn run(&mut self, wrap: bool) -> Result<(), TlsError> {
        self.check()?;
        loop {
            match self.step(wrap) {
                Ok(Step::Again) => {}
                Ok(Step::Done) => break,
                Err(Fault { error, fatal: false }) => return Err(error),
                Err(Fault { error, fatal: true }) => return Err(self.fail(error)),
            }
        }
        if self.is_peer_closed() {
            // What comes after it is to be ignored (RFC 8446, section 6.1).
            self.inbound.close();
        }
        Ok(())
    }

    fn step(&mut self, wrap: bool) -> Result<Step, Fault> {
        self.connection.step(&mut self.inbound, &mut self.outbound, &*self.allocator, wrap)
    }

    fn check(&self) -> Result<(), TlsError> {
        match &self.failed {
            None => Ok(()),
            Some(error) => Err(error.clone()),
        }
    }

    /// It failed for good. The alert, if there is one, becomes outgoing.
    fn fail(&mut self, error: TlsError) -> TlsError {
        self.failed = Some(error.clone());
        // There is nothing to do if that fails too. A step that finds no alert
        // would go on with the damaged input.
        while self.connection.wants_write() && matches!(self.step(false), Ok(Step::Again)) {}
        self.inbound.close();
        error
    }

    /// Whether reading can be answered: there is plaintext, or there will be
    /// none. Else more has to be received.
    pub(super) fn is_ready(&self) -> Result<bool, TlsError> {
        if self.readable_bytes() != 0 || self.is_peer_closed() {
            return Ok(true);
        }
        self.check()?;
        if self.ended {
            return Err(TlsError::Truncated { partial: self.inbound.ciphertext_len() });
        }
        Ok(false)
    }
}

impl<T> fmt::Debug for Session<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("version", &self.connection.protocol_version())
            .field("is_handshaking", &self.is_handshaking())
            .field("readable_bytes", &self.readable_bytes())
            .field("queued_bytes", &self.queued_bytes())
            .field("outgoing", &self.outgoing().len())
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
