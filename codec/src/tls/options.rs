//! What can be chosen about a session.

use std::fmt;
use std::sync::Arc;

use refbuf::{BufAllocator, default_allocator};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ServerConfig};

use super::connection::Connection;
use super::outbound::MAX_FRAGMENT;
use super::{Session, TlsError};

/// How much a [`Session`] wraps at once, how much may wait, and where its
/// blocks come from. What is said to the peer is the matter of `rustls`'s own
/// configurations.
///
/// ```
/// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
/// use refbuf_codec::tls::TlsOptions;
///
/// # let config = configs::pair().1;
/// let bulk = TlsOptions::new().wrap_data_size(256 << 10).outbound_limit(256 << 10);
/// let session = bulk.server::<()>(config)?;
/// assert_eq!(session.wrap_data_size(), 256 << 10);
/// # Ok::<(), refbuf_codec::tls::TlsError>(())
/// ```
#[derive(Clone)]
pub struct TlsOptions {
    wrap_data_size: usize,
    outbound_limit: usize,
    write_limit: usize,
    allocator: Option<Arc<dyn BufAllocator>>,
}

impl TlsOptions {
    /// The most plaintext that is wrapped at once, unless
    /// [`wrap_data_size`](Self::wrap_data_size) says otherwise: one full record,
    /// as in Netty.
    ///
    /// ```
    /// assert_eq!(refbuf_codec::tls::TlsOptions::DEFAULT_WRAP_DATA_SIZE, 16 << 10);
    /// ```
    pub const DEFAULT_WRAP_DATA_SIZE: usize = MAX_FRAGMENT;

    /// The ciphertext that may wait, unless
    /// [`outbound_limit`](Self::outbound_limit) says otherwise.
    ///
    /// ```
    /// assert_eq!(refbuf_codec::tls::TlsOptions::DEFAULT_OUTBOUND_LIMIT, 64 << 10);
    /// ```
    pub const DEFAULT_OUTBOUND_LIMIT: usize = 64 << 10;

    /// The plaintext that `write` queues, unless
    /// [`write_limit`](Self::write_limit) says otherwise.
    ///
    /// ```
    /// assert_eq!(refbuf_codec::tls::TlsOptions::DEFAULT_WRITE_LIMIT, 64 << 10);
    /// ```
    pub const DEFAULT_WRITE_LIMIT: usize = 64 << 10;

    /// The defaults, and blocks from [`default_allocator`].
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// use refbuf_codec::tls::TlsOptions;
    ///
    /// let session = TlsOptions::new().client::<()>(configs::pair().0, configs::name())?;
    /// assert_eq!(session.wrap_data_size(), TlsOptions::DEFAULT_WRAP_DATA_SIZE);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            wrap_data_size: Self::DEFAULT_WRAP_DATA_SIZE,
            outbound_limit: Self::DEFAULT_OUTBOUND_LIMIT,
            write_limit: Self::DEFAULT_WRITE_LIMIT,
            allocator: None,
        }
    }

    /// Bytes of queued plaintext that are taken off the queue and encrypted
    /// together. Records are never longer than 16 KiB; with more, as many of
    /// them are made in a row. With less, records are as short as that.
    /// With 0, each buffer that is sent or written is wrapped by itself: nothing
    /// of two of them is in one record.
    ///
    /// A driver writes when as much is wrapped, but not less than 64 KiB, for a
    /// write for each record costs too much, and not more than 256 KiB, for a
    /// larger block of ciphertext leaves the cache before it is written; or when
    /// there is no more to wrap. [`outbound_limit`] goes first.
    ///
    /// [`outbound_limit`]: Self::outbound_limit
    ///
    /// ```
    /// use refbuf_codec::tls::TlsOptions;
    ///
    /// let options = TlsOptions::new().wrap_data_size(0); // record boundaries matter to the peer
    /// # let _ = options;
    /// ```
    #[must_use]
    pub const fn wrap_data_size(mut self, bytes: usize) -> Self {
        self.wrap_data_size = bytes;
        self
    }

    /// Bytes of ciphertext that may wait for the peer: no record is begun while
    /// so many do, so that not more than these and one record wait. What is
    /// queued behind stays as it is, usually in memory that others use too.
    /// Handshake messages are not held back. 0 means 1.
    ///
    /// ```
    /// use refbuf_codec::tls::TlsOptions;
    ///
    /// let options = TlsOptions::new().outbound_limit(1 << 20).wrap_data_size(1 << 20);
    /// # let _ = options;
    /// ```
    #[must_use]
    pub const fn outbound_limit(mut self, bytes: usize) -> Self {
        self.outbound_limit = if bytes == 0 { 1 } else { bytes };
        self
    }

    /// Bytes of queued plaintext from which on [`Session::write`] takes no
    /// more. What is queued by [`Session::send`], which copies nothing, counts
    /// but is not held back. 0 means 1.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// use refbuf_codec::tls::TlsOptions;
    ///
    /// # let config = configs::pair().1;
    /// let mut session = TlsOptions::new().write_limit(3).server::<()>(config)?;
    /// assert_eq!(session.write(b"hello")?, 3);
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    #[must_use]
    pub const fn write_limit(mut self, bytes: usize) -> Self {
        self.write_limit = if bytes == 0 { 1 } else { bytes };
        self
    }

    /// Where all blocks come from, of ciphertext and of plaintext.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use refbuf::{Pool, PoolConfig};
    /// use refbuf_codec::tls::TlsOptions;
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// let options = TlsOptions::new().allocator(Arc::new(pool));
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn allocator(mut self, allocator: Arc<dyn BufAllocator>) -> Self {
        self.allocator = Some(allocator);
        self
    }

    /// A session of a client that wants to talk to `name`. `T` is what
    /// [`Session::send_with`] takes.
    ///
    /// # Errors
    ///
    /// [`TlsError::Protocol`] if `rustls` cannot use the configuration.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// use refbuf_codec::tls::TlsOptions;
    ///
    /// let session = TlsOptions::new().client::<u32>(configs::pair().0, configs::name())?;
    /// assert!(session.is_handshaking());
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn client<T>(
        &self,
        config: Arc<ClientConfig>,
        name: ServerName<'static>,
    ) -> Result<Session<T>, TlsError> {
        Ok(self.session(Connection::client(config, name)?))
    }

    /// A session of a server. `T` is what [`Session::send_with`] takes.
    ///
    /// # Errors
    ///
    /// [`TlsError::EarlyData`] if the configuration accepts that;
    /// [`TlsError::Protocol`] if `rustls` cannot use the configuration.
    ///
    /// ```
    /// # mod configs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls/configs.rs")); }
    /// use refbuf_codec::tls::TlsOptions;
    ///
    /// let session = TlsOptions::new().server::<u32>(configs::pair().1)?;
    /// assert!(session.is_handshaking());
    /// # Ok::<(), refbuf_codec::tls::TlsError>(())
    /// ```
    pub fn server<T>(&self, config: Arc<ServerConfig>) -> Result<Session<T>, TlsError> {
        Ok(self.session(Connection::server(config)?))
    }

    fn session<T>(&self, connection: Connection) -> Session<T> {
        let allocator = match &self.allocator {
            Some(allocator) => allocator.clone(),
            None => Arc::new(default_allocator()),
        };
        Session::new(
            connection,
            allocator,
            self.wrap_data_size,
            self.outbound_limit,
            self.write_limit,
        )
    }
}

impl Default for TlsOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TlsOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsOptions")
            .field("wrap_data_size", &self.wrap_data_size)
            .field("outbound_limit", &self.outbound_limit)
            .field("write_limit", &self.write_limit)
            .finish_non_exhaustive()
    }
}
