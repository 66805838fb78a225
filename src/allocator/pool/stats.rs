//! What a pool can tell of itself.

use alloc::vec::Vec;
use core::fmt;

/// A pool's numbers at one moment; from [`Pool::stats`](super::Pool::stats).
///
/// Threads count for themselves, so numbers taken while others allocate may be
/// off by what they are just doing.
///
/// ```
/// use refbuf::{BufAllocator, Pool, PoolConfig};
///
/// let pool = Pool::new(PoolConfig::new());
/// drop(pool.heap(1000));
/// drop(pool.heap(1000));
/// let stats = pool.stats();
/// assert_eq!((stats.taken(), stats.misses()), (2, 1));
/// assert_eq!(stats.live_bytes(), 0);
/// println!("{stats}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Classes that were ever used, heap first, then direct, small to large.
    pub classes: Vec<ClassStats>,
    /// Bytes taken from the system: in use, at rest, and in blocks too large
    /// to pool.
    pub reserved: usize,
    /// The most that `reserved` ever was.
    pub reserved_high: usize,
    /// Blocks too large to pool, ever.
    pub oversized: u64,
    /// Bytes of blocks too large to pool that are in use.
    pub oversized_bytes: usize,
}

/// The numbers of one size of block.
///
/// ```
/// use refbuf::{BufAllocator, Pool, PoolConfig};
///
/// let pool = Pool::new(PoolConfig::new());
/// let _held = pool.heap(1000);
/// let class = &pool.stats().classes[0];
/// assert_eq!((class.size, class.live()), (1024, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClassStats {
    /// Whether these are direct blocks.
    pub direct: bool,
    /// Bytes of a block.
    pub size: usize,
    /// Blocks handed out, ever.
    pub taken: u64,
    /// Blocks that came back, ever.
    pub returned: u64,
    /// How often none rested and memory had to be made.
    pub misses: u64,
}

impl ClassStats {
    /// Blocks in use.
    ///
    /// ```
    /// use refbuf::{Pool, PoolConfig};
    ///
    /// assert!(Pool::new(PoolConfig::new()).stats().classes.iter().all(|class| class.live() == 0));
    /// ```
    #[must_use]
    pub fn live(&self) -> u64 {
        self.taken - self.returned
    }

    /// Bytes in use, whole blocks counted.
    ///
    /// ```
    /// use refbuf::{BufAllocator, Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// let _held = pool.heap(1000);
    /// assert_eq!(pool.stats().classes[0].live_bytes(), 1024);
    /// ```
    #[must_use]
    pub fn live_bytes(&self) -> u64 {
        self.live() * self.size as u64
    }

    /// How often a resting block was there.
    ///
    /// ```
    /// use refbuf::{BufAllocator, Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// drop(pool.heap(1000));
    /// drop(pool.heap(1000));
    /// assert_eq!(pool.stats().classes[0].hits(), 1);
    /// ```
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.taken.saturating_sub(self.misses)
    }
}

impl PoolStats {
    /// Bytes in use, whole blocks counted, also those too large to pool.
    ///
    /// ```
    /// use refbuf::{BufAllocator, Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// let _held = pool.heap(1000);
    /// assert_eq!(pool.stats().live_bytes(), 1024);
    /// let _large = pool.heap(32 << 20);
    /// assert!(pool.stats().live_bytes() > 32 << 20);
    /// ```
    #[must_use]
    pub fn live_bytes(&self) -> u64 {
        let pooled = self.classes.iter().map(ClassStats::live_bytes).sum::<u64>();
        pooled + self.oversized_bytes as u64
    }

    /// Bytes taken from the system and not in use.
    ///
    /// ```
    /// use refbuf::{BufAllocator, Pool, PoolConfig};
    ///
    /// let pool = Pool::new(PoolConfig::new());
    /// drop(pool.heap(1000));
    /// assert_eq!(pool.stats().idle_bytes(), 1024);
    /// ```
    #[must_use]
    pub fn idle_bytes(&self) -> u64 {
        (self.reserved as u64).saturating_sub(self.live_bytes())
    }

    /// Blocks handed out, ever.
    ///
    /// ```
    /// use refbuf::{Pool, PoolConfig};
    ///
    /// assert_eq!(Pool::new(PoolConfig::new()).stats().taken(), 0);
    /// ```
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.classes.iter().map(|class| class.taken).sum()
    }

    /// How often memory had to be made.
    ///
    /// ```
    /// use refbuf::{Pool, PoolConfig};
    ///
    /// assert_eq!(Pool::new(PoolConfig::new()).stats().misses(), 0);
    /// ```
    #[must_use]
    pub fn misses(&self) -> u64 {
        self.classes.iter().map(|class| class.misses).sum()
    }

    /// How often a resting block was there.
    ///
    /// ```
    /// use refbuf::{Pool, PoolConfig};
    ///
    /// assert_eq!(Pool::new(PoolConfig::new()).stats().hits(), 0);
    /// ```
    #[must_use]
    pub fn hits(&self) -> u64 {
        self.classes.iter().map(ClassStats::hits).sum()
    }
}

/// A table, for people.
impl fmt::Display for PoolStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "reserved {} bytes (at most {}), live {}, idle {}, oversized blocks {} ({} bytes live)",
            self.reserved,
            self.reserved_high,
            self.live_bytes(),
            self.idle_bytes(),
            self.oversized,
            self.oversized_bytes,
        )?;
        writeln!(
            f,
            "{:>6} {:>10} {:>10} {:>12} {:>12} {:>10}",
            "kind", "size", "live", "taken", "hits", "misses"
        )?;
        for class in &self.classes {
            writeln!(
                f,
                "{:>6} {:>10} {:>10} {:>12} {:>12} {:>10}",
                if class.direct { "direct" } else { "heap" },
                class.size,
                class.live(),
                class.taken,
                class.hits(),
                class.misses,
            )?;
        }
        Ok(())
    }
}
