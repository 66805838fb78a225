//! Headers: borrowed, and lists of them.

use core::fmt;

use refbuf::{ByteBuf, ByteBufMut, Error, HeapBuf, SliceBuf};

/// A name and a value, borrowed from where they are.
///
/// Any bytes: HPACK does not know what a header may be called, in which order
/// pseudo-headers come, or that names are in lower case. That is for the HTTP/2
/// layer to check (RFC 9113, sections 8.2 and 8.3).
///
/// ```
/// use refbuf_codec::hpack::Header;
///
/// let header = Header::new("accept", "*/*");
/// assert_eq!(header, Header::from((&b"accept"[..], &b"*/*"[..])));
/// assert_eq!(format!("{header:?}"), "accept: */*");
/// assert_eq!(format!("{:?}", Header::sensitive("authorization", "x")), "authorization: (sensitive)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The value.
    pub value: &'a [u8],
    /// Whether nobody on the way may put it into a table: it is a literal that
    /// is never indexed (RFC 7541, section 7.1.3), and a proxy has to send it on
    /// as such.
    pub sensitive: bool,
}

impl<'a> Header<'a> {
    /// A header that may be put into tables.
    ///
    /// ```
    /// use refbuf_codec::hpack::Header;
    ///
    /// assert_eq!(Header::new("age", "1").name, b"age");
    /// ```
    #[must_use]
    pub fn new(
        name: &'a (impl AsRef<[u8]> + ?Sized),
        value: &'a (impl AsRef<[u8]> + ?Sized),
    ) -> Self {
        Self { name: name.as_ref(), value: value.as_ref(), sensitive: false }
    }

    /// A header that must not be put into tables: a secret that somebody who
    /// can add headers could guess by the size of what is sent.
    ///
    /// ```
    /// use refbuf_codec::hpack::Header;
    ///
    /// assert!(Header::sensitive("authorization", "Basic eDp5").sensitive);
    /// ```
    #[must_use]
    pub fn sensitive(
        name: &'a (impl AsRef<[u8]> + ?Sized),
        value: &'a (impl AsRef<[u8]> + ?Sized),
    ) -> Self {
        Self { sensitive: true, ..Self::new(name, value) }
    }

    /// What it counts for in a list and in a table: its bytes and 32 more (RFC
    /// 7541, section 4.1).
    ///
    /// ```
    /// use refbuf_codec::hpack::Header;
    ///
    /// assert_eq!(Header::new("age", "1").size(), 36);
    /// ```
    #[must_use]
    pub fn size(&self) -> usize {
        super::dynamic_table::header_size(self.name.len(), self.value.len())
    }
}

impl<'a> From<(&'a [u8], &'a [u8])> for Header<'a> {
    fn from((name, value): (&'a [u8], &'a [u8])) -> Self {
        Self { name, value, sensitive: false }
    }
}

impl<'a> From<(&'a str, &'a str)> for Header<'a> {
    fn from((name, value): (&'a str, &'a str)) -> Self {
        Self::new(name, value)
    }
}

impl<'a> From<&Header<'a>> for Header<'a> {
    fn from(header: &Header<'a>) -> Self {
        *header
    }
}

/// As text; the value of a sensitive one is not shown.
impl fmt::Debug for Header<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name.escape_ascii())?;
        if self.sensitive {
            f.write_str("(sensitive)")
        } else {
            write!(f, "{}", self.value.escape_ascii())
        }
    }
}

/// Headers that belong to the list: their names and values one after the other
/// in one buffer. Cleared and filled again, it does not allocate any more.
///
/// ```
/// use refbuf_codec::hpack::{Decoder, HeaderList};
///
/// let mut list = HeaderList::new();
/// let mut decoder = Decoder::new();
/// decoder.decode_to_list(&mut refbuf::SliceBuf::from_static(&[0x82, 0x87, 0x84]), &mut list)?;
/// assert_eq!(list.len(), 3);
/// assert_eq!(list.get(":scheme"), Some(&b"https"[..]));
/// assert_eq!(format!("{list:?}"), "[:method: GET, :scheme: https, :path: /]");
/// # Ok::<(), refbuf_codec::hpack::DecodeError>(())
/// ```
#[derive(Default)]
pub struct HeaderList {
    bytes: HeapBuf,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    start: usize,
    value: usize,
    end: usize,
    sensitive: bool,
}

impl HeaderList {
    /// An empty list. Allocates nothing.
    ///
    /// ```
    /// assert!(refbuf_codec::hpack::HeaderList::new().is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many headers there are.
    ///
    /// ```
    /// use refbuf_codec::hpack::{Header, HeaderList};
    ///
    /// let list: HeaderList = [Header::new("age", "1")].into_iter().collect();
    /// assert_eq!(list.len(), 1);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    ///
    /// ```
    /// assert!(refbuf_codec::hpack::HeaderList::new().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Appends a copy of `header`.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`].
    ///
    /// ```
    /// use refbuf_codec::hpack::{Header, HeaderList};
    ///
    /// let mut list = HeaderList::new();
    /// list.try_push(Header::new("age", "1"))?;
    /// assert_eq!(list.iter().next(), Some(Header::new("age", "1")));
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    pub fn try_push(&mut self, header: Header<'_>) -> Result<(), Error> {
        let len = header.name.len().saturating_add(header.value.len());
        self.bytes.try_ensure_writable(len)?;
        self.entries.try_reserve(1).map_err(|_| Error::Alloc { size: size_of::<Entry>() })?;
        let start = self.bytes.writer_index();
        let value = start + header.name.len();
        self.bytes.try_write_bytes(header.name)?;
        self.bytes.try_write_bytes(header.value)?;
        let end = value + header.value.len();
        self.entries.push(Entry { start, value, end, sensitive: header.sensitive });
        Ok(())
    }

    /// Removes all headers; the memory stays, unless slices of it are still in
    /// use.
    ///
    /// ```
    /// use refbuf_codec::hpack::{Header, HeaderList};
    ///
    /// let mut list: HeaderList = [Header::new("age", "1")].into_iter().collect();
    /// list.clear();
    /// assert!(list.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.entries.clear();
        self.bytes.clear();
    }

    /// The headers in order.
    ///
    /// ```
    /// use refbuf_codec::hpack::{Header, HeaderList};
    ///
    /// let list: HeaderList = [Header::new("age", "1")].into_iter().collect();
    /// assert!(list.iter().all(|header| header.value == b"1"));
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Header<'_>> + DoubleEndedIterator + Clone {
        let bytes = self.bytes.as_contiguous().unwrap_or_default();
        self.entries.iter().map(move |&Entry { start, value, end, sensitive }| Header {
            name: &bytes[start..value],
            value: &bytes[value..end],
            sensitive,
        })
    }

    /// The value of the first header called so, byte by byte.
    ///
    /// ```
    /// use refbuf_codec::hpack::{Header, HeaderList};
    ///
    /// let list: HeaderList = [Header::new("age", "1")].into_iter().collect();
    /// assert_eq!(list.get("age"), Some(&b"1"[..]));
    /// assert_eq!(list.get("Age"), None);
    /// ```
    #[must_use]
    pub fn get(&self, name: impl AsRef<[u8]>) -> Option<&[u8]> {
        self.iter().find(|header| header.name == name.as_ref()).map(|header| header.value)
    }

    /// The value of a header as a handle of its own, without copying it. It
    /// keeps the memory of the whole list.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] if there is no header of this index.
    ///
    /// ```
    /// use refbuf_codec::hpack::{Header, HeaderList};
    ///
    /// let mut list: HeaderList = [Header::new("etag", "abc")].into_iter().collect();
    /// let etag = list.try_value(0)?;
    /// list.clear();
    /// assert_eq!(etag, b"abc");
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    pub fn try_value(&mut self, index: usize) -> Result<SliceBuf, Error> {
        let limit = self.len();
        let entry = self.entries.get(index).ok_or(Error::OutOfBounds { index, len: 1, limit })?;
        self.bytes.try_slice(entry.value..entry.end)
    }
}

/// Panics if there is no memory.
impl<'a> Extend<Header<'a>> for HeaderList {
    fn extend<I: IntoIterator<Item = Header<'a>>>(&mut self, headers: I) {
        for header in headers {
            self.try_push(header).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// Panics if there is no memory.
impl<'a> FromIterator<Header<'a>> for HeaderList {
    fn from_iter<I: IntoIterator<Item = Header<'a>>>(headers: I) -> Self {
        let mut list = Self::new();
        list.extend(headers);
        list
    }
}

impl fmt::Debug for HeaderList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for HeaderList {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for HeaderList {}
