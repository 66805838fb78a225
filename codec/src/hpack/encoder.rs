//! Headers to header blocks.

use core::fmt;

use refbuf::ByteBufMut;

use super::indexed_table::IndexedTable;
use super::representation::{HUFFMAN, INCREMENTAL, INDEXED, NEVER, SIZE_UPDATE, WITHOUT};
use super::{DEFAULT_TABLE_SIZE, EncodeError, Header, MAX_INTEGER, huffman, integer, static_table};

/// Which strings are Huffman-coded; see [`Encoder::with_huffman`].
///
/// ```
/// use refbuf_codec::hpack::Huffman;
///
/// assert_eq!(Huffman::default(), Huffman::Auto);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Huffman {
    /// Those that get shorter by it.
    #[default]
    Auto,
    /// All, even if they get longer.
    Always,
    /// None: less work for both sides.
    Never,
}

/// Which headers are put into the dynamic table. Those that are
/// [sensitive](Header::sensitive) never are. See [`Encoder::with_indexing`].
///
/// ```
/// use refbuf_codec::hpack::Indexing;
///
/// assert_eq!(Indexing::default(), Indexing::Auto);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Indexing {
    /// Those that may come again, and do not use up the table: not more than
    /// three quarters of it, and not `:path`, `age`, `content-length`, `etag`,
    /// `if-modified-since`, `if-none-match`, `location`, or `set-cookie`.
    #[default]
    Auto,
    /// All that fit.
    Always,
    /// None: only the static table is used.
    Never,
}

/// Encodes lists of headers for one direction of one connection, in order.
///
/// A header that is in a table becomes its index. Others are literals, their
/// name an index if it is in a table; what is put into the dynamic table, and
/// what is Huffman-coded, is for [`Indexing`] and [`Huffman`] to say.
///
/// The table has 4096 bytes until the peer allows something else
/// ([`set_max_table_size`](Self::set_max_table_size)), and never more than
/// [`with_max_table_size`](Self::with_max_table_size) says, 4096 too: the
/// peer's number costs nothing.
///
/// ```
/// use refbuf::{ByteBuf, CompositeBuf};
/// use refbuf_codec::hpack::{Encoder, Header};
///
/// let mut encoder = Encoder::new();
/// let request = [Header::new(":method", "GET"), Header::new("user-agent", "example")];
/// let mut first = CompositeBuf::new();
/// encoder.encode(request, &mut first)?;
/// let mut second = CompositeBuf::new();
/// encoder.encode(request, &mut second)?;
/// assert_eq!((first.readable_bytes(), second.readable_bytes()), (8, 2));
/// # Ok::<(), refbuf_codec::hpack::EncodeError>(())
/// ```
#[derive(Clone)]
pub struct Encoder {
    table: IndexedTable,
    /// What this side wants, and what the other side allows.
    own_max: usize,
    peer_max: usize,
    /// The least size that the table had since the last block, if the peer has
    /// to be told.
    size_update: Option<usize>,
    max_header_list_size: usize,
    huffman: Huffman,
    indexing: Indexing,
    /// A block before it is written. Only its memory is kept.
    block: Vec<u8>,
    /// The table may have entries that the peer was not told of.
    ahead: bool,
}

/// Scratch memory that is kept from one block to the next.
const KEEP: usize = 64 << 10;

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Encoder {
    /// An encoder that does as said above. Allocates nothing.
    ///
    /// ```
    /// use refbuf_codec::hpack::Encoder;
    ///
    /// assert_eq!(Encoder::new().max_table_size(), 4096);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self {
            table: IndexedTable::new(DEFAULT_TABLE_SIZE),
            own_max: DEFAULT_TABLE_SIZE,
            peer_max: DEFAULT_TABLE_SIZE,
            size_update: None,
            max_header_list_size: usize::MAX,
            huffman: Huffman::Auto,
            indexing: Indexing::Auto,
            block: Vec::new(),
            ahead: false,
        }
    }

    /// The same with a table of at most `max` bytes, whatever the peer allows.
    ///
    /// ```
    /// use refbuf_codec::hpack::Encoder;
    ///
    /// let mut encoder = Encoder::new().with_max_table_size(1 << 16);
    /// assert_eq!(encoder.max_table_size(), 4096);
    /// encoder.set_max_table_size(u32::MAX);
    /// assert_eq!(encoder.max_table_size(), 1 << 16);
    /// ```
    #[must_use]
    pub fn with_max_table_size(mut self, max: u32) -> Self {
        self.own_max = usize::try_from(max).unwrap_or(usize::MAX);
        self.resize();
        self
    }

    /// The same with another choice of what is Huffman-coded.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::hpack::{Encoder, Header, Huffman};
    ///
    /// let mut block = HeapBuf::new();
    /// Encoder::new().with_huffman(Huffman::Never).encode([("a", "b")], &mut block)?;
    /// assert_eq!(block, b"\x40\x01a\x01b");
    /// # Ok::<(), refbuf_codec::hpack::EncodeError>(())
    /// ```
    #[must_use]
    pub fn with_huffman(self, huffman: Huffman) -> Self {
        Self { huffman, ..self }
    }

    /// The same with another choice of what is put into the table.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::hpack::{Encoder, Indexing};
    ///
    /// let mut encoder = Encoder::new().with_indexing(Indexing::Never);
    /// encoder.encode([("a", "b")], &mut HeapBuf::new())?;
    /// assert_eq!(encoder.table().count(), 0);
    /// # Ok::<(), refbuf_codec::hpack::EncodeError>(())
    /// ```
    #[must_use]
    pub fn with_indexing(self, indexing: Indexing) -> Self {
        Self { indexing, ..self }
    }

    /// Allows a table of `max` bytes: the peer's `SETTINGS_HEADER_TABLE_SIZE`,
    /// to be set when its settings are acknowledged. The next block begins with
    /// a size update if the table has another size by that, with two if it had
    /// a smaller one in between (RFC 7541, section 4.2).
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::hpack::{Encoder, Header};
    ///
    /// let mut encoder = Encoder::new();
    /// encoder.set_max_table_size(0);
    /// encoder.set_max_table_size(30);
    /// let mut block = HeapBuf::new();
    /// encoder.encode([Header::new(":method", "GET")], &mut block)?;
    /// assert_eq!(block, [0x20, 0x3e, 0x82]);
    /// # Ok::<(), refbuf_codec::hpack::EncodeError>(())
    /// ```
    pub fn set_max_table_size(&mut self, max: u32) {
        self.peer_max = usize::try_from(max).unwrap_or(usize::MAX);
        self.resize();
    }

    /// The size that the table may have now.
    ///
    /// ```
    /// use refbuf_codec::hpack::Encoder;
    ///
    /// let mut encoder = Encoder::new();
    /// encoder.set_max_table_size(100);
    /// assert_eq!(encoder.max_table_size(), 100);
    /// ```
    #[must_use]
    pub fn max_table_size(&self) -> usize {
        self.table.table().max_size()
    }

    /// The longest list of headers that is encoded: the peer's
    /// `SETTINGS_MAX_HEADER_LIST_SIZE`, each header with 32 bytes more than its
    /// name and value. There is no limit before.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::hpack::{EncodeError, Encoder, Header};
    ///
    /// let mut encoder = Encoder::new();
    /// encoder.set_max_header_list_size(33);
    /// let result = encoder.encode([Header::new("a", "b")], &mut HeapBuf::new());
    /// assert_eq!(result, Err(EncodeError::HeaderListTooLarge { size: 34, max: 33 }));
    /// ```
    pub fn set_max_header_list_size(&mut self, max: u32) {
        self.max_header_list_size = usize::try_from(max).unwrap_or(usize::MAX);
    }

    /// The entries of the dynamic table, newest first: the index of the first
    /// one is 62.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::hpack::{Encoder, Header};
    ///
    /// let mut encoder = Encoder::new();
    /// encoder.encode([("a", "b"), ("c", "d")], &mut HeapBuf::new())?;
    /// assert!(encoder.table().eq([Header::new("c", "d"), Header::new("a", "b")]));
    /// # Ok::<(), refbuf_codec::hpack::EncodeError>(())
    /// ```
    pub fn table(&self) -> impl Iterator<Item = Header<'_>> {
        self.table.table().iter().map(Header::from)
    }

    /// What the entries count for: their bytes, and 32 for each.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::hpack::Encoder;
    ///
    /// let mut encoder = Encoder::new();
    /// encoder.encode([("a", "b")], &mut HeapBuf::new())?;
    /// assert_eq!(encoder.table_size(), 34);
    /// # Ok::<(), refbuf_codec::hpack::EncodeError>(())
    /// ```
    #[must_use]
    pub fn table_size(&self) -> usize {
        self.table.table().size()
    }

    /// Appends a header block to `out`: headers, in order.
    ///
    /// They are looked at twice, first to know how much room is needed at most.
    /// If `out` has no more than what is needed indeed, that works too, but costs
    /// a copy of the table.
    ///
    /// # Errors
    ///
    /// [`EncodeError`]; nothing has changed then.
    ///
    /// # Panics
    ///
    /// When the iterator does. Then the next block tells the peer to empty its
    /// table, and goes on from there.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::hpack::{Encoder, Header};
    ///
    /// let mut block = HeapBuf::new();
    /// let headers = [Header::new(":status", "200"), Header::sensitive("etag", "")];
    /// Encoder::new().encode(headers, &mut block)?;
    /// assert_eq!(block, [0x88, 0x1f, 34 - 15, 0x00]);
    /// # Ok::<(), refbuf_codec::hpack::EncodeError>(())
    /// ```
    pub fn encode<'h, I, B>(&mut self, headers: I, out: &mut B) -> Result<(), EncodeError>
    where
        I: IntoIterator<Item: Into<Header<'h>>, IntoIter: Clone>,
        B: ByteBufMut + ?Sized,
    {
        let headers = headers.into_iter();
        let needed = self.max_block_len(headers.clone())?;
        // If the room is there, writing does not fail.
        let undo = out.try_ensure_writable(needed).is_err().then(|| self.table.clone());
        let was_ahead = self.ahead;
        if was_ahead {
            self.table.clear();
            self.size_update = Some(0);
        }
        self.ahead = true;
        self.block.clear();
        self.size_updates();
        for header in headers {
            self.header(header.into());
        }
        let written = out.try_write_bytes(&self.block);
        if self.block.capacity() > KEEP {
            self.block = Vec::new();
        }
        match (written, undo) {
            (Ok(()), _) => {
                self.ahead = false;
                self.size_update = None;
            }
            (Err(_), Some(table)) => (self.table, self.ahead) = (table, was_ahead),
            // The buffer lied.
            (Err(_), None) => {}
        }
        Ok(written?)
    }

    /// Bytes that the block has at most.
    fn max_block_len<'h>(
        &self,
        headers: impl Iterator<Item: Into<Header<'h>>>,
    ) -> Result<usize, EncodeError> {
        let max = self.max_header_list_size;
        let (mut size, mut len) = (0usize, 2 * integer::MAX_ENCODED);
        for header in headers {
            let header = header.into();
            for string in [header.name, header.value] {
                let len = string.len();
                if len > MAX_INTEGER {
                    return Err(EncodeError::StringTooLong { len });
                }
            }
            size = size.saturating_add(header.size());
            let strings = header.name.len().saturating_add(header.value.len());
            let coded = match self.huffman {
                Huffman::Always => strings.saturating_mul(4),
                Huffman::Auto | Huffman::Never => strings,
            };
            len = len.saturating_add(coded).saturating_add(3 * integer::MAX_ENCODED);
        }
        if size > max { Err(EncodeError::HeaderListTooLarge { size, max }) } else { Ok(len) }
    }

    fn resize(&mut self) {
        let max = self.own_max.min(self.peer_max);
        if max != self.max_table_size() {
            self.table.set_max_size(max);
            self.size_update = Some(self.size_update.map_or(max, |least| least.min(max)));
        }
    }

    fn size_updates(&mut self) {
        let Some(least) = self.size_update else { return };
        let size = self.max_table_size();
        if least < size {
            integer::encode(least, 5, SIZE_UPDATE, &mut self.block);
        }
        integer::encode(size, 5, SIZE_UPDATE, &mut self.block);
    }

    fn header(&mut self, header: Header<'_>) {
        let Header { name, value, sensitive } = header;
        let static_name = static_table::find_name(name);
        if !sensitive {
            let index = static_name.and_then(|first| static_table::find_value(first, value));
            if let Some(index) = index {
                return self.indexed(index);
            }
        }
        if sensitive || !self.is_indexed(header, static_name) {
            let dynamic = || self.table.find_name(self.table.hashes(name, &[]), name);
            let index = static_name.or_else(|| dynamic().map(dynamic_index));
            let pattern = if sensitive { NEVER } else { WITHOUT };
            return self.literal(pattern, 4, index, header);
        }
        let hashes = self.table.hashes(name, value);
        if let Some(index) = self.table.find(hashes, name, value) {
            return self.indexed(dynamic_index(index));
        }
        let dynamic = || self.table.find_name(hashes, name);
        let index = static_name.or_else(|| dynamic().map(dynamic_index));
        self.literal(INCREMENTAL, 6, index, header);
        self.table.insert(hashes, name, value);
    }

    /// Whether a header is put into the table, or is there.
    fn is_indexed(&self, header: Header<'_>, static_name: Option<usize>) -> bool {
        let max = self.max_table_size();
        match self.indexing {
            Indexing::Auto => {
                header.size() <= max - max / 4
                    && !static_name.is_some_and(|index| CHANGING.contains(&index))
            }
            Indexing::Always => header.size() <= max,
            Indexing::Never => false,
        }
    }

    fn indexed(&mut self, index: usize) {
        integer::encode(index, 7, INDEXED, &mut self.block);
    }

    fn literal(&mut self, pattern: u8, prefix: u32, name: Option<usize>, header: Header<'_>) {
        integer::encode(name.unwrap_or(0), prefix, pattern, &mut self.block);
        if name.is_none() {
            self.string(header.name);
        }
        self.string(header.value);
    }

    fn string(&mut self, string: &[u8]) {
        let plain = string.len();
        let coded = match self.huffman {
            Huffman::Never => None,
            Huffman::Always => Some(huffman::encoded_len(string)),
            Huffman::Auto => Some(huffman::encoded_len(string)).filter(|&coded| coded < plain),
        };
        if let Some(coded) = coded {
            integer::encode(coded, 7, HUFFMAN, &mut self.block);
            huffman::encode(string, &mut self.block);
        } else {
            integer::encode(plain, 7, 0, &mut self.block);
            self.block.extend_from_slice(string);
        }
    }
}

/// Figures only: headers may be secret.
impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder")
            .field("entries", &self.table.table().len())
            .field("table_size", &self.table_size())
            .field("max_table_size", &self.max_table_size())
            .field("huffman", &self.huffman)
            .field("indexing", &self.indexing)
            .finish_non_exhaustive()
    }
}

fn dynamic_index(index: usize) -> usize {
    static_table::LEN + 1 + index
}

/// The first indices of names whose value is another one each time, mostly.
const CHANGING: [usize; 8] = [4, 21, 28, 34, 40, 41, 46, 55];
