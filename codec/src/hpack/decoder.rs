//! Header blocks to headers.

use core::fmt;
use core::ops::Range;

use refbuf::{ByteBuf, Error};

use super::dynamic_table::{DynamicTable, header_size};
use super::representation::{Indexing, Name, RawStr, Reader, Representation, Stop};
use super::{DEFAULT_TABLE_SIZE, DecodeError, Header, HeaderList, huffman, static_table};

/// Decodes the header blocks of one direction of one connection, in order.
///
/// A header is given to a closure as soon as it is decoded, borrowed from the
/// block, the tables, or a buffer for what was Huffman-coded: once that and the
/// table have grown to what they need, decoding allocates nothing and takes no
/// lock.
///
/// # Limits
///
/// * The table: 4096 bytes until [`set_max_table_size`](Self::set_max_table_size),
///   so `SETTINGS_HEADER_TABLE_SIZE` (RFC 9113, section 6.5.2).
/// * All headers of a block, with 32 bytes each: 16 KiB
///   ([`with_max_header_list_size`](Self::with_max_header_list_size)). An index
///   of one byte can stand for 4 KiB, so the length of a block says little.
/// * Their number: 256 ([`with_max_header_count`](Self::with_max_header_count)).
///
/// A block that exceeds them is read to its end, for the table, but the closure
/// sees no more headers of it; see [`DecodeError::recovers`]. What a length in
/// a block says is believed when the bytes are there; what they are decoded to
/// is kept if the limits allow it. How long a block may be, of how many frames
/// it may be, and how often an empty one may come, is for whoever collects it.
///
/// ```
/// use refbuf::CompositeBuf;
/// use refbuf_codec::hpack::{Decoder, Header};
///
/// // RFC 7541, C.4.1, as it may have been received.
/// let mut block: CompositeBuf = [
///     &[0x82, 0x86, 0x84, 0x41, 0x8c, 0xf1, 0xe3, 0xc2][..],
///     &[0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff],
/// ].into_iter().collect();
///
/// let mut headers = Vec::new();
/// let mut decoder = Decoder::new();
/// decoder.decode(&mut block, |header| headers.push(format!("{header:?}")))?;
/// assert_eq!(headers, [
///     ":method: GET",
///     ":scheme: http",
///     ":path: /",
///     ":authority: www.example.com",
/// ]);
/// assert!(decoder.table().eq([Header::new(":authority", "www.example.com")]));
/// # Ok::<(), refbuf_codec::hpack::DecodeError>(())
/// ```
#[derive(Clone)]
pub struct Decoder {
    table: DynamicTable,
    /// What the encoder may make of it.
    max_table_size: usize,
    /// The least that this was since the last block, if that is less than what
    /// the encoder knew. Its next size update has to be as small.
    expected_update: Option<usize>,
    limits: Limits,
    /// What was Huffman-coded. Only its length is kept.
    text: Vec<u8>,
    /// Representations that lie across a seam.
    gathered: Vec<u8>,
    /// Within a block, or forever after one that was not read to its end.
    failed: bool,
}

/// Of the headers of a block.
#[derive(Clone, Copy)]
struct Limits {
    header_list_size: usize,
    header_count: usize,
}

/// Scratch memory that is kept from one block to the next.
const KEEP: usize = 64 << 10;

/// A run of a buffer that is shorter, and not the last one, is not worth being
/// decoded on its own.
const MIN_RUN: usize = 128;

/// Bytes that are gathered at once: at first, to get over a seam, and at most,
/// to get over many.
const MIN_WINDOW: usize = 512;
const MAX_WINDOW: usize = 8 << 10;

/// Size updates that a block may begin with: to the least value that was
/// allowed since the last block, and to the present one.
const MAX_SIZE_UPDATES: usize = 2;

/// Of the block that is being decoded.
#[derive(Default)]
struct Progress {
    size_updates: usize,
    /// All headers, those that were not given out too.
    count: usize,
    /// What they count for.
    size: usize,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// A decoder with the limits above. Allocates nothing.
    ///
    /// ```
    /// use refbuf_codec::hpack::Decoder;
    ///
    /// assert_eq!(Decoder::new().max_table_size(), 4096);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            table: DynamicTable::new(DEFAULT_TABLE_SIZE),
            max_table_size: DEFAULT_TABLE_SIZE,
            expected_update: None,
            limits: Limits { header_list_size: 16 << 10, header_count: 256 },
            text: Vec::new(),
            gathered: Vec::new(),
            failed: false,
        }
    }

    /// The same with another limit of a block's headers: the bytes of names and
    /// values, and 32 for each header (RFC 9113, section 6.5.2,
    /// `SETTINGS_MAX_HEADER_LIST_SIZE`).
    ///
    /// ```
    /// use refbuf_codec::hpack::{DecodeError, Decoder};
    ///
    /// // ":method: GET" counts for 42.
    /// let mut decoder = Decoder::new().with_max_header_list_size(83);
    /// let result = decoder.decode_slice(&[0x82, 0x82], |_| ());
    /// assert_eq!(result, Err(DecodeError::HeaderListTooLarge { size: 84, max: 83 }));
    /// ```
    #[must_use]
    pub const fn with_max_header_list_size(mut self, max: usize) -> Self {
        self.limits.header_list_size = max;
        self
    }

    /// The same with another limit of the number of headers in a block.
    ///
    /// ```
    /// use refbuf_codec::hpack::Decoder;
    ///
    /// let mut decoder = Decoder::new().with_max_header_count(2);
    /// assert!(decoder.decode_slice(&[0x82, 0x82, 0x82], |_| ()).is_err());
    /// ```
    #[must_use]
    pub const fn with_max_header_count(mut self, max: usize) -> Self {
        self.limits.header_count = max;
        self
    }

    /// Allows the encoder a table of `max` bytes. To be called when the peer
    /// has acknowledged the `SETTINGS_HEADER_TABLE_SIZE` that says so: the
    /// blocks after that are encoded by it (RFC 9113, section 4.3.1).
    ///
    /// If that is less than the table has, the next block must begin with a size
    /// update (RFC 7541, section 4.2), and until then the table stays what it
    /// is.
    ///
    /// ```
    /// use refbuf_codec::hpack::{DecodeError, Decoder};
    ///
    /// let mut decoder = Decoder::new();
    /// decoder.set_max_table_size(0);
    /// let mut unaware = decoder.clone();
    /// let result = unaware.decode_slice(&[0x82], |_| ());
    /// assert_eq!(result, Err(DecodeError::SizeUpdateMissing { max: 0 }));
    /// assert!(decoder.decode_slice(&[0x20, 0x82], |_| ()).is_ok());
    /// ```
    pub fn set_max_table_size(&mut self, max: u32) {
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        self.max_table_size = max;
        if max < self.expected_update.unwrap_or(self.table.max_size()) {
            self.expected_update = Some(max);
        }
    }

    /// What the encoder is allowed, as set last.
    ///
    /// ```
    /// use refbuf_codec::hpack::Decoder;
    ///
    /// let mut decoder = Decoder::new();
    /// decoder.set_max_table_size(100);
    /// assert_eq!(decoder.max_table_size(), 100);
    /// ```
    #[must_use]
    pub fn max_table_size(&self) -> usize {
        self.max_table_size
    }

    /// The entries of the dynamic table, newest first: the index of the first
    /// one is 62.
    ///
    /// ```
    /// use refbuf_codec::hpack::{Decoder, Header};
    ///
    /// let mut decoder = Decoder::new();
    /// decoder.decode_slice(b"\x40\x01a\x01b\x40\x01c\x01d", |_| ())?;
    /// assert!(decoder.table().eq([Header::new("c", "d"), Header::new("a", "b")]));
    /// # Ok::<(), refbuf_codec::hpack::DecodeError>(())
    /// ```
    pub fn table(&self) -> impl Iterator<Item = Header<'_>> {
        self.table.iter().map(Header::from)
    }

    /// What the entries count for: their bytes, and 32 for each.
    ///
    /// ```
    /// use refbuf_codec::hpack::Decoder;
    ///
    /// let mut decoder = Decoder::new();
    /// decoder.decode_slice(b"\x40\x01a\x01b", |_| ())?;
    /// assert_eq!(decoder.table_size(), 34);
    /// # Ok::<(), refbuf_codec::hpack::DecodeError>(())
    /// ```
    #[must_use]
    pub fn table_size(&self) -> usize {
        self.table.size()
    }

    /// Decodes the readable bytes of `block`, which are one whole header block,
    /// and gives the headers to `sink`.
    ///
    /// The bytes are decoded where they are; what lies across a seam is copied
    /// together first, a part at a time. The block is consumed when it was
    /// decoded, and also when that failed, except for the errors of the buffer
    /// and [`DecodeError::Failed`].
    ///
    /// # Errors
    ///
    /// [`DecodeError`]. After those that are not about limits the decoder fails
    /// for good.
    ///
    /// # Panics
    ///
    /// When `sink` does. The decoder has failed then, for the rest of the block
    /// is not decoded.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    /// use refbuf_codec::hpack::{DecodeError, Decoder};
    ///
    /// let mut decoder = Decoder::new();
    /// let mut block = HeapBuf::from(b"\x40\x01a\x01b".to_vec());
    /// decoder.decode(&mut block, |header| assert_eq!(header.name, b"a"))?;
    /// assert_eq!(block.readable_bytes(), 0);
    ///
    /// let mut block = HeapBuf::from(b"\x40\x05a".to_vec());
    /// let result = decoder.decode(&mut block, |_| ());
    /// assert_eq!(result, Err(DecodeError::Truncated { missing: 4 }));
    /// # Ok::<(), DecodeError>(())
    /// ```
    pub fn decode<B: ByteBuf + ?Sized>(
        &mut self,
        block: &mut B,
        mut sink: impl FnMut(Header<'_>),
    ) -> Result<(), DecodeError> {
        let result = match block.as_contiguous() {
            Some(bytes) => self.decode_slice(bytes, sink),
            None => self.decode_pieces(block, &mut sink),
        };
        if !matches!(result, Err(DecodeError::Failed | DecodeError::Buffer(_))) {
            block.try_set_reader_index(block.writer_index())?;
        }
        result
    }

    /// Decodes `block`, which is one whole header block, and gives the headers
    /// to `sink`. The same as [`decode`](Self::decode) for bytes that are in no
    /// buffer.
    ///
    /// # Errors
    ///
    /// # Panics
    ///
    /// As [`decode`](Self::decode).
    ///
    /// ```
    /// use refbuf_codec::hpack::Decoder;
    ///
    /// Decoder::new().decode_slice(&[0x88], |header| {
    ///     assert_eq!((header.name, header.value), (&b":status"[..], &b"200"[..]));
    /// })?;
    /// # Ok::<(), refbuf_codec::hpack::DecodeError>(())
    /// ```
    pub fn decode_slice(
        &mut self,
        block: &[u8],
        mut sink: impl FnMut(Header<'_>),
    ) -> Result<(), DecodeError> {
        self.begin()?;
        let mut progress = Progress::default();
        match self.decode_run(block, &mut progress, &mut sink)? {
            (_, 0) => self.finish(&progress),
            (_, missing) => Err(DecodeError::Truncated { missing }),
        }
    }

    /// [`decode`](Self::decode), the headers being appended to `list`.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode), and [`DecodeError::Buffer`] if there is no
    /// memory for the list; then the decoder has failed. The list keeps what
    /// was decoded before.
    ///
    /// ```
    /// use refbuf::SliceBuf;
    /// use refbuf_codec::hpack::{Decoder, HeaderList};
    ///
    /// let mut list = HeaderList::new();
    /// Decoder::new().decode_to_list(&mut SliceBuf::from_static(&[0x88]), &mut list)?;
    /// assert_eq!(list.get(":status"), Some(&b"200"[..]));
    /// # Ok::<(), refbuf_codec::hpack::DecodeError>(())
    /// ```
    pub fn decode_to_list<B: ByteBuf + ?Sized>(
        &mut self,
        block: &mut B,
        list: &mut HeaderList,
    ) -> Result<(), DecodeError> {
        let mut pushed = Ok(());
        let decoded = self.decode(block, |header| {
            if pushed.is_ok() {
                pushed = list.try_push(header);
            }
        });
        decoded.and(pushed.map_err(DecodeError::Buffer))
    }

    fn begin(&mut self) -> Result<(), DecodeError> {
        if self.failed {
            return Err(DecodeError::Failed);
        }
        self.failed = true;
        Ok(())
    }

    /// The block was read to its end.
    fn finish(&mut self, progress: &Progress) -> Result<(), DecodeError> {
        self.failed = false;
        for scratch in [&mut self.text, &mut self.gathered] {
            if scratch.len() > KEEP {
                *scratch = Vec::new();
            }
        }
        if progress.size > self.limits.header_list_size {
            let (size, max) = (progress.size, self.limits.header_list_size);
            return Err(DecodeError::HeaderListTooLarge { size, max });
        }
        if progress.count > self.limits.header_count {
            let (count, max) = (progress.count, self.limits.header_count);
            return Err(DecodeError::TooManyHeaders { count, max });
        }
        Ok(())
    }

    /// `decode` for a block that is not one run of memory, run by run. Where a
    /// run ends within a representation, that is gathered together with what
    /// follows.
    #[cold]
    fn decode_pieces<B: ByteBuf + ?Sized>(
        &mut self,
        block: &B,
        sink: &mut impl FnMut(Header<'_>),
    ) -> Result<(), DecodeError> {
        if !block.is_accessible() {
            return Err(Error::Released.into());
        }
        self.begin()?;
        let mut progress = Progress::default();
        let (mut index, end) = (block.reader_index(), block.writer_index());
        // What is needed to go on, and how much is gathered for that.
        let (mut needed, mut window) = (0, MIN_WINDOW);
        while index < end {
            let rest = end - index;
            let run = block.try_chunk(index)?;
            let run = &run[..run.len().min(rest)];
            let (read, missing) = if run.len() >= rest.min(needed.max(MIN_RUN)) {
                window = MIN_WINDOW;
                needed = run.len();
                self.decode_run(run, &mut progress, sink)?
            } else {
                let mut gathered = core::mem::take(&mut self.gathered);
                needed = window.max(needed).min(rest);
                if gathered.len() < needed {
                    gathered.resize(needed, 0);
                }
                window = (2 * window).min(MAX_WINDOW);
                block.try_get_bytes(index, &mut gathered[..needed])?;
                let decoded = self.decode_run(&gathered[..needed], &mut progress, sink);
                self.gathered = gathered;
                decoded?
            };
            needed = (needed - read).saturating_add(missing);
            index += read;
            if missing != 0 && needed > end - index {
                return Err(DecodeError::Truncated { missing: needed - (end - index) });
            }
        }
        self.finish(&progress)
    }

    /// Decodes all representations that are complete in `run`. Returns the
    /// bytes that they have, and how many are missing, at least, for the next
    /// one; 0 if none is.
    fn decode_run(
        &mut self,
        run: &[u8],
        progress: &mut Progress,
        sink: &mut impl FnMut(Header<'_>),
    ) -> Result<(usize, usize), DecodeError> {
        let mut reader = Reader::new(run);
        loop {
            match reader.next() {
                Ok(Some(representation)) => self.apply(representation, progress, sink)?,
                Ok(None) => return Ok((run.len(), 0)),
                Err(Stop::Incomplete { missing }) => {
                    return Ok((run.len() - reader.len(), missing));
                }
                Err(Stop::Invalid(error)) => return Err(error),
            }
        }
    }

    /// Does what a representation says.
    #[inline(always)]
    fn apply(
        &mut self,
        representation: Representation<'_>,
        progress: &mut Progress,
        sink: &mut impl FnMut(Header<'_>),
    ) -> Result<(), DecodeError> {
        match representation {
            Representation::SizeUpdate(size) => self.update_size(size, progress),
            Representation::Indexed(index) => {
                self.check_updated()?;
                let (name, value) = lookup(&self.table, index)?;
                if progress.admits(name.len(), value.len(), self.limits) {
                    sink(Header { name, value, sensitive: false });
                }
                Ok(())
            }
            Representation::Literal { indexing, name, value } => {
                self.check_updated()?;
                self.literal(indexing, name, value, progress, sink)
            }
        }
    }

    #[inline(always)]
    fn literal(
        &mut self,
        indexing: Indexing,
        name: Name<'_>,
        value: RawStr<'_>,
        progress: &mut Progress,
        sink: &mut impl FnMut(Header<'_>),
    ) -> Result<(), DecodeError> {
        // What is longer is neither given out nor put into the table.
        let max = self.limits.header_list_size.max(self.table.max_size());
        let name = match name {
            Name::Literal(name) => Text::decode(name, 0, max, &mut self.text)?,
            Name::Indexed(index) => match static_table::get(index) {
                Some((name, _)) => Text::Plain(name),
                // Its entry may be evicted when this one is inserted.
                None => Text::copy(lookup(&self.table, index)?.0, &mut self.text),
            },
        };
        let value = Text::decode(value, name.scratch_len(), max, &mut self.text)?;
        let admitted = progress.admits(name.len(), value.len(), self.limits);
        match (name.get(&self.text), value.get(&self.text)) {
            (Some(name), Some(value)) => {
                if admitted {
                    sink(Header { name, value, sensitive: indexing == Indexing::Never });
                }
                if indexing == Indexing::Incremental {
                    self.table.insert(name, value);
                }
            }
            // Larger than the table.
            _ if indexing == Indexing::Incremental => self.table.clear(),
            _ => {}
        }
        Ok(())
    }

    /// The size update that has to come first has come.
    #[inline]
    fn check_updated(&self) -> Result<(), DecodeError> {
        match self.expected_update {
            Some(max) => Err(DecodeError::SizeUpdateMissing { max }),
            None => Ok(()),
        }
    }

    #[cold]
    fn update_size(&mut self, size: usize, progress: &mut Progress) -> Result<(), DecodeError> {
        if progress.count != 0 {
            return Err(DecodeError::SizeUpdateNotAtStart);
        }
        progress.size_updates += 1;
        if progress.size_updates > MAX_SIZE_UPDATES {
            return Err(DecodeError::TooManySizeUpdates);
        }
        if size > self.max_table_size {
            return Err(DecodeError::SizeUpdateTooLarge { size, max: self.max_table_size });
        }
        match self.expected_update {
            Some(max) if size > max => return Err(DecodeError::SizeUpdateMissing { max }),
            expected => {
                self.expected_update = None;
                self.table.set_max_size(size);
                // Not whenever the peer likes.
                if expected.is_some() {
                    self.table.shrink();
                }
            }
        }
        Ok(())
    }
}

/// Figures only: headers may be secret.
impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder")
            .field("entries", &self.table.len())
            .field("table_size", &self.table.size())
            .field("max_table_size", &self.max_table_size)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

impl Progress {
    /// Counts a header. Whether it and all before it are within the limits.
    #[inline]
    fn admits(&mut self, name_len: usize, value_len: usize, limits: Limits) -> bool {
        self.count += 1;
        self.size = self.size.saturating_add(header_size(name_len, value_len));
        self.size <= limits.header_list_size && self.count <= limits.header_count
    }
}

/// The name and value of an index.
#[inline]
fn lookup(table: &DynamicTable, index: usize) -> Result<(&[u8], &[u8]), DecodeError> {
    match index.checked_sub(static_table::LEN + 1) {
        None => static_table::get(index),
        Some(index) => table.get(index),
    }
    .ok_or(DecodeError::InvalidIndex { index, entries: static_table::LEN + table.len() })
}

/// A name or a value.
enum Text<'b> {
    /// Where it is.
    Plain(&'b [u8]),
    /// These bytes of the scratch buffer.
    Scratch(Range<usize>),
    /// Of so many bytes, which nobody wants.
    TooLong(usize),
}

impl<'b> Text<'b> {
    /// `string` decoded, if it is coded: to `scratch`, from `at` on, if it has
    /// at most `max` bytes.
    #[inline(always)]
    fn decode(
        string: RawStr<'b>,
        at: usize,
        max: usize,
        scratch: &mut Vec<u8>,
    ) -> Result<Self, DecodeError> {
        if string.huffman {
            Self::decode_huffman(string.bytes, at, max, scratch)
        } else {
            Ok(Self::Plain(string.bytes))
        }
    }

    fn decode_huffman(
        coded: &[u8],
        at: usize,
        max: usize,
        scratch: &mut Vec<u8>,
    ) -> Result<Self, DecodeError> {
        let mut bound = huffman::max_decoded_len(coded.len());
        if bound > max {
            bound = huffman::decoded_len(coded)?;
            if bound > max {
                return Ok(Self::TooLong(bound));
            }
        }
        let end = at + bound + huffman::SLACK;
        if scratch.len() < end {
            scratch.resize(end, 0);
        }
        let len = huffman::decode(coded, &mut scratch[at..end])?;
        Ok(Self::Scratch(at..at + len))
    }

    /// A copy of `bytes`, at the start of `scratch`.
    fn copy(bytes: &[u8], scratch: &mut Vec<u8>) -> Self {
        if scratch.len() < bytes.len() {
            scratch.resize(bytes.len(), 0);
        }
        scratch[..bytes.len()].copy_from_slice(bytes);
        Self::Scratch(0..bytes.len())
    }

    #[inline]
    fn len(&self) -> usize {
        match self {
            Self::Plain(bytes) => bytes.len(),
            Self::Scratch(range) => range.len(),
            Self::TooLong(len) => *len,
        }
    }

    /// Where the scratch buffer is free.
    #[inline]
    fn scratch_len(&self) -> usize {
        if let Self::Scratch(range) = self { range.end } else { 0 }
    }

    #[inline]
    fn get<'a>(&self, scratch: &'a [u8]) -> Option<&'a [u8]>
    where
        'b: 'a,
    {
        match self {
            Self::Plain(bytes) => Some(bytes),
            Self::Scratch(range) => Some(&scratch[range.clone()]),
            Self::TooLong(_) => None,
        }
    }
}
