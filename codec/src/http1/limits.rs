//! How much a peer may send.

/// The longest head, and the longest trailer section, that can be allowed:
/// places in them are counted with 16 bits.
pub(super) const MAX_HEAD: usize = u16::MAX as usize;

/// The most fields that can be allowed.
pub(super) const MAX_FIELDS: usize = 256;

/// What a decoder accepts from a peer before it refuses the message.
///
/// Bytes are limited, and so are the units that a peer could send without
/// sending many bytes: empty lines, fields, interim responses, tiny chunks.
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::http1::{DecodeError, Limits, RequestDecoder};
///
/// let limits = Limits::new().head(64).body(1 << 20);
/// let mut decoder = RequestDecoder::with_limits(limits);
/// let mut input = HeapBuf::from([b"GET /", &[b'a'; 100][..]].concat());
/// assert_eq!(decoder.decode(&mut input).unwrap_err(), DecodeError::HeadTooLong { max: 64 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub(super) head: usize,
    pub(super) fields: usize,
    pub(super) empty_lines: usize,
    pub(super) trailers: usize,
    pub(super) chunk_line: usize,
    pub(super) chunk_overhead: u64,
    pub(super) body: u64,
    pub(super) interim: usize,
    pub(super) pipelined: usize,
}

impl Limits {
    /// The limits that each method here names as the default.
    ///
    /// ```
    /// use refbuf_codec::http1::Limits;
    ///
    /// assert_eq!(Limits::new(), Limits::default());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            head: 16 << 10,
            fields: 100,
            empty_lines: 8,
            trailers: 8 << 10,
            chunk_line: 256,
            chunk_overhead: 1 << 20,
            body: u64::MAX,
            interim: 16,
            pipelined: 1024,
        }
    }

    /// Bytes of a head, from the start line to the empty line; 16 KiB.
    ///
    /// # Panics
    ///
    /// If `bytes` is more than 65 535.
    ///
    /// ```
    /// use refbuf_codec::http1::Limits;
    ///
    /// let limits = Limits::new().head(32 << 10);
    /// # assert_ne!(limits, Limits::new());
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn head(mut self, bytes: usize) -> Self {
        assert!(bytes <= MAX_HEAD, "a head may be limited to at most 65535 bytes");
        self.head = bytes;
        self
    }

    /// Fields of a head, or of a trailer section; 100.
    ///
    /// # Panics
    ///
    /// If `count` is more than 256.
    ///
    /// ```
    /// use refbuf_codec::http1::Limits;
    ///
    /// let limits = Limits::new().fields(30);
    /// # assert_ne!(limits, Limits::new());
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn fields(mut self, count: usize) -> Self {
        assert!(count <= MAX_FIELDS, "fields may be limited to at most 256");
        self.fields = count;
        self
    }

    /// Empty lines in front of a start line, which are skipped
    /// (RFC 9112, section 2.2); 8.
    ///
    /// ```
    /// use refbuf_codec::http1::Limits;
    ///
    /// let limits = Limits::new().empty_lines(0);
    /// # assert_ne!(limits, Limits::new());
    /// ```
    #[must_use]
    pub const fn empty_lines(mut self, count: usize) -> Self {
        self.empty_lines = count;
        self
    }

    /// Bytes of a trailer section; 8 KiB.
    ///
    /// # Panics
    ///
    /// If `bytes` is more than 65 535.
    ///
    /// ```
    /// use refbuf_codec::http1::Limits;
    ///
    /// let limits = Limits::new().trailers(1 << 10);
    /// # assert_ne!(limits, Limits::new());
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn trailers(mut self, bytes: usize) -> Self {
        assert!(bytes <= MAX_HEAD, "trailers may be limited to at most 65535 bytes");
        self.trailers = bytes;
        self
    }

    /// Bytes of the line in front of a chunk: its size and its extensions,
    /// which are skipped; 256.
    ///
    /// ```
    /// use refbuf_codec::http1::Limits;
    ///
    /// let limits = Limits::new().chunk_line(32);
    /// # assert_ne!(limits, Limits::new());
    /// ```
    #[must_use]
    pub const fn chunk_line(mut self, bytes: usize) -> Self {
        self.chunk_line = bytes;
        self
    }

    /// How far the cost of chunks may exceed their data; 1 MiB.
    ///
    /// Each chunk costs its line and 32 bytes more, about what a handle of it
    /// takes, and pays with its data. So a body in chunks of reasonable size
    /// never gets near the limit, however long it is, while one of very many
    /// chunks of a byte each, or with long extensions, does.
    ///
    /// ```
    /// use refbuf_codec::http1::Limits;
    ///
    /// let limits = Limits::new().chunk_overhead(64 << 10);
    /// # assert_ne!(limits, Limits::new());
    /// ```
    #[must_use]
    pub const fn chunk_overhead(mut self, bytes: u64) -> Self {
        self.chunk_overhead = bytes;
        self
    }

    /// Bytes of a body; not limited, as bodies are handed on while they come.
    ///
    /// ```
    /// use refbuf_codec::http1::Limits;
    ///
    /// let limits = Limits::new().body(10 << 20);
    /// # assert_ne!(limits, Limits::new());
    /// ```
    #[must_use]
    pub const fn body(mut self, bytes: u64) -> Self {
        self.body = bytes;
        self
    }

    /// Interim responses (1xx) before the final one; 16.
    ///
    /// ```
    /// use refbuf_codec::http1::Limits;
    ///
    /// let limits = Limits::new().interim(1);
    /// # assert_ne!(limits, Limits::new());
    /// ```
    #[must_use]
    pub const fn interim(mut self, count: usize) -> Self {
        self.interim = count;
        self
    }

    /// Requests of a connection that are not answered yet; 1024. Only a
    /// [`ServerCodec`](super::ServerCodec) knows how many these are.
    ///
    /// ```
    /// use refbuf_codec::http1::Limits;
    ///
    /// let limits = Limits::new().pipelined(16);
    /// # assert_ne!(limits, Limits::new());
    /// ```
    #[must_use]
    pub const fn pipelined(mut self, count: usize) -> Self {
        self.pipelined = count;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}
