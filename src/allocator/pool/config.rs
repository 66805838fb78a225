//! How a pool behaves.

/// Limits and habits of a [`Pool`](super::Pool).
///
/// ```
/// use refbuf::{BufAllocator, Error, Pool, PoolConfig};
///
/// let pool = Pool::new(PoolConfig::new().max_bytes(1 << 20));
/// let _held = pool.heap(900_000);
/// assert!(matches!(pool.try_heap(900_000), Err(Error::Exhausted { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolConfig {
    pub(super) max_pooled: usize,
    pub(super) max_bytes: usize,
    pub(super) max_idle: usize,
    pub(super) thread_cache: usize,
    pub(super) chunk_size: usize,
    pub(super) huge_pages: bool,
    pub(super) zero_on_release: bool,
}

impl PoolConfig {
    /// Blocks up to 1 MiB are pooled, 64 MiB may rest, no limit on what is in
    /// use.
    ///
    /// ```
    /// use refbuf::{Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_pooled: 1 << 20,
            max_bytes: usize::MAX,
            max_idle: 64 << 20,
            thread_cache: 256 << 10,
            chunk_size: 2 << 20,
            huge_pages: true,
            zero_on_release: false,
        }
    }

    /// The largest block that is pooled, in bytes; at most 1 GiB. Larger ones
    /// come from the system and go back to it when they are dropped; they count
    /// towards [`max_bytes`](PoolConfig::max_bytes) all the same.
    ///
    /// ```
    /// use refbuf::PoolConfig;
    ///
    /// let config = PoolConfig::new().max_pooled(64 << 10);
    /// ```
    #[must_use]
    pub const fn max_pooled(mut self, bytes: usize) -> Self {
        self.max_pooled = if bytes < 1 << 30 { bytes } else { 1 << 30 };
        self
    }

    /// The most memory that the pool takes from the system, in use or at rest.
    /// What would exceed it fails with
    /// [`Error::Exhausted`](crate::Error::Exhausted), after the pool has given
    /// back what rests.
    ///
    /// ```
    /// use refbuf::PoolConfig;
    ///
    /// let config = PoolConfig::new().max_bytes(256 << 20);
    /// ```
    #[must_use]
    pub const fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The most memory that rests in the lists shared by all threads; what
    /// comes back beyond it goes to the system.
    ///
    /// ```
    /// use refbuf::PoolConfig;
    ///
    /// let config = PoolConfig::new().max_idle(8 << 20);
    /// ```
    #[must_use]
    pub const fn max_idle(mut self, bytes: usize) -> Self {
        self.max_idle = bytes;
        self
    }

    /// The size of a batch, in bytes: a thread keeps up to two batches of each
    /// size of block to itself, of one to 64 blocks each.
    ///
    /// ```
    /// use refbuf::PoolConfig;
    ///
    /// let config = PoolConfig::new().thread_cache(64 << 10);
    /// ```
    #[must_use]
    pub const fn thread_cache(mut self, bytes: usize) -> Self {
        self.thread_cache = bytes;
        self
    }

    /// How much memory is mapped at once for direct blocks.
    ///
    /// ```
    /// use refbuf::PoolConfig;
    ///
    /// let config = PoolConfig::new().chunk_size(4 << 20);
    /// ```
    #[must_use]
    pub const fn chunk_size(mut self, bytes: usize) -> Self {
        self.chunk_size = bytes;
        self
    }

    /// Whether chunks ask for huge pages, where there are some. On by default.
    ///
    /// ```
    /// use refbuf::PoolConfig;
    ///
    /// let config = PoolConfig::new().huge_pages(false);
    /// ```
    #[must_use]
    pub const fn huge_pages(mut self, yes: bool) -> Self {
        self.huge_pages = yes;
        self
    }

    /// Whether blocks are overwritten with zeros when they come back, for
    /// secrets. No safe code can read what an earlier user wrote in any case.
    ///
    /// ```
    /// use refbuf::PoolConfig;
    ///
    /// let config = PoolConfig::new().zero_on_release(true);
    /// ```
    #[must_use]
    pub const fn zero_on_release(mut self, yes: bool) -> Self {
        self.zero_on_release = yes;
        self
    }
}

impl Default for PoolConfig {
    fn default() -> Self {
        Self::new()
    }
}
