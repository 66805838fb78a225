//! The fields of a head or a trailer section, where they were received.

use std::fmt;
use std::mem::MaybeUninit;

use httparse::Header;
use refbuf::SliceBuf;

use super::DecodeError;
use super::limits::MAX_FIELDS;

/// Room for what the parser finds, on the stack and not initialised.
pub(super) type Parsed<'a> = [MaybeUninit<Header<'a>>; MAX_FIELDS];

/// Places of so many fields are kept without an allocation: more than most
/// messages have.
const INLINE: usize = 24;

/// Header or trailer fields: the bytes they came in, not copied, and where in
/// them the names and values are.
///
/// They keep the block they were received into;
/// [`into_bytes`](Self::into_bytes) and `detach` let go of it. Up to 24 fields
/// need no allocation, more of them one.
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::http1::{Event, RequestDecoder};
///
/// let text = b"GET / HTTP/1.1\r\nHost: a\r\nAccept: x\r\nACCEPT: y\r\n\r\n";
/// let mut input = HeapBuf::from(text.to_vec());
/// let Some(Event::Head(head)) = RequestDecoder::new().decode(&mut input)? else { panic!() };
/// let fields = head.fields();
/// assert_eq!(fields.len(), 3);
/// assert_eq!(fields.get("host"), Some(&b"a"[..]));
/// assert_eq!(fields.get_all("accept").collect::<Vec<_>>(), [b"x", b"y"]);
/// assert_eq!(fields.iter().next(), Some(("Host", &b"a"[..])));
/// # Ok::<(), refbuf_codec::http1::DecodeError>(())
/// ```
#[derive(Clone, Default)]
pub struct Fields {
    bytes: SliceBuf,
    places: Places,
}

/// Where a field's name and value begin and end.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    name: u16,
    name_end: u16,
    value: u16,
    value_end: u16,
}

/// Where `part`, which is a part of `whole`, begins in it. 0 for an empty one
/// that lies elsewhere.
pub(super) fn offset(whole: &[u8], part: &[u8]) -> u16 {
    let offset = part.as_ptr().addr().wrapping_sub(whole.as_ptr().addr());
    if offset > whole.len() {
        debug_assert!(part.is_empty());
        return 0;
    }
    // No head is longer than `MAX_HEAD`.
    u16::try_from(offset).unwrap_or(u16::MAX)
}

/// The places of all fields.
#[derive(Clone, Default)]
pub(super) struct Places {
    len: usize,
    inline: [Place; INLINE],
    /// Those that `inline` has no room for.
    more: Vec<Place>,
}

impl Places {
    /// Those of what the parser found in `whole`.
    pub(super) fn of(whole: &[u8], fields: &[Header<'_>]) -> Self {
        let place = |field: &Header<'_>| {
            let (name, value) = (offset(whole, field.name.as_bytes()), offset(whole, field.value));
            let end = |start: u16, part: &[u8]| {
                start.saturating_add(u16::try_from(part.len()).unwrap_or(u16::MAX))
            };
            Place {
                name,
                name_end: end(name, field.name.as_bytes()),
                value,
                value_end: end(value, field.value),
            }
        };
        let (first, more) = fields.split_at(fields.len().min(INLINE));
        let mut places = Self { len: fields.len(), ..Self::default() };
        for (slot, field) in places.inline.iter_mut().zip(first) {
            *slot = place(field);
        }
        // Allocates only if there are any.
        places.more = more.iter().map(place).collect();
        places
    }

    /// With the bytes that they are places of.
    pub(super) fn in_bytes(self, bytes: SliceBuf) -> Fields {
        Fields { bytes, places: self }
    }

    fn iter(&self) -> impl Iterator<Item = &Place> + Clone {
        self.inline[..self.len.min(INLINE)].iter().chain(&self.more)
    }
}

impl Fields {
    /// How many there are.
    ///
    /// ```
    /// use refbuf_codec::http1::Fields;
    ///
    /// assert_eq!(Fields::default().len(), 0);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len
    }

    /// Whether there are none.
    ///
    /// ```
    /// use refbuf_codec::http1::Fields;
    ///
    /// assert!(Fields::default().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.len == 0
    }

    /// Names and values in the order they came in, names as they were written,
    /// values without the spaces around them.
    ///
    /// ```
    /// use refbuf_codec::http1::Fields;
    ///
    /// for (name, value) in Fields::default().iter() {
    ///     println!("{name}: {}", value.escape_ascii());
    /// }
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> + Clone {
        // Names are tokens, which are ASCII.
        self.raw().map(|(name, value)| (std::str::from_utf8(name).unwrap_or_default(), value))
    }

    /// The value of the first field with that name, in whatever case.
    ///
    /// ```
    /// use refbuf_codec::http1::Fields;
    ///
    /// assert_eq!(Fields::default().get("host"), None);
    /// ```
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let named = |(other, _): &(&[u8], _)| other.eq_ignore_ascii_case(name.as_bytes());
        self.raw().find(named).map(|(_, value)| value)
    }

    /// The values of all fields with that name, in whatever case.
    ///
    /// ```
    /// use refbuf_codec::http1::Fields;
    ///
    /// assert_eq!(Fields::default().get_all("cookie").count(), 0);
    /// ```
    pub fn get_all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a [u8]> + Clone {
        self.raw()
            .filter(move |(other, _)| other.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value)
    }

    /// Whether `token`, in whatever case, is in the comma-separated list that
    /// the fields of that name are (RFC 9110, section 5.6.1).
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::http1::{Event, RequestDecoder};
    ///
    /// let text = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n";
    /// let mut input = HeapBuf::from(text.to_vec());
    /// let Some(Event::Head(head)) = RequestDecoder::new().decode(&mut input)? else { panic!() };
    /// assert!(head.fields().has_token("connection", "close"));
    /// # Ok::<(), refbuf_codec::http1::DecodeError>(())
    /// ```
    #[must_use]
    pub fn has_token(&self, name: &str, token: &str) -> bool {
        self.get_all(name)
            .flat_map(tokens)
            .any(|other| other.eq_ignore_ascii_case(token.as_bytes()))
    }

    /// The bytes of the whole head or trailer section, with its start line and
    /// all line ends.
    ///
    /// ```
    /// use refbuf_codec::http1::Fields;
    ///
    /// assert_eq!(Fields::default().as_bytes(), b"");
    /// ```
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// Those bytes, without the index of what is in them.
    ///
    /// ```
    /// use refbuf_codec::http1::Fields;
    ///
    /// assert_eq!(Fields::default().into_bytes(), b"");
    /// ```
    #[must_use]
    pub fn into_bytes(self) -> SliceBuf {
        self.bytes
    }

    /// Copies the bytes if that lets go of a larger block: for fields that are
    /// kept for long. Whether it did.
    ///
    /// # Errors
    ///
    /// [`refbuf::Error::Alloc`].
    ///
    /// ```
    /// use refbuf_codec::http1::Fields;
    ///
    /// assert_eq!(Fields::default().detach(), Ok(false));
    /// ```
    pub fn detach(&mut self) -> Result<bool, refbuf::Error> {
        self.bytes.try_detach()
    }

    pub(super) fn raw(&self) -> impl Iterator<Item = (&[u8], &[u8])> + Clone {
        let bytes = self.bytes.as_slice();
        // A place lies within the bytes it was made for.
        let part = |start: u16, end: u16| {
            bytes.get(usize::from(start)..usize::from(end)).unwrap_or_default()
        };
        self.places.iter().map(move |place| {
            (part(place.name, place.name_end), part(place.value, place.value_end))
        })
    }
}

/// The names and values.
impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Value<'a>(&'a [u8]);
        impl fmt::Debug for Value<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "\"{}\"", self.0.escape_ascii())
            }
        }
        f.debug_map().entries(self.iter().map(|(name, value)| (name, Value(value)))).finish()
    }
}

/// The elements of a comma-separated list.
pub(super) fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|token| !token.is_empty())
}

/// Fields that may not be trailers: those that say how long a message is,
/// where it goes, or what becomes of the connection.
pub(super) fn is_forbidden_trailer(name: &[u8]) -> bool {
    ["content-length", "transfer-encoding", "host", "connection", "upgrade", "trailer", "te"]
        .iter()
        .any(|forbidden| name.eq_ignore_ascii_case(forbidden.as_bytes()))
}

/// The fields of a trailer section, which ends with an empty line.
pub(super) fn parse_trailers(bytes: SliceBuf, max: usize) -> Result<Fields, DecodeError> {
    let mut parsed = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let whole = bytes.as_slice();
    let fields = match httparse::parse_headers(whole, &mut parsed[..max]) {
        Ok(httparse::Status::Complete((len, fields))) if len == whole.len() => fields,
        _ => return Err(diagnose(whole, 0)),
    };
    if fields.iter().any(|field| is_forbidden_trailer(field.name.as_bytes())) {
        return Err(DecodeError::ForbiddenTrailer);
    }
    Ok(Places::of(whole, fields).in_bytes(bytes))
}

/// `tchar` of RFC 9110, section 5.6.2.
pub(super) const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

pub(super) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().copied().all(is_token_byte)
}

/// What may be a request target: anything without spaces and controls.
pub(super) fn is_target(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|&byte| byte > b' ' && byte != 0x7f)
}

/// What a value, a reason, an extension is made of.
pub(super) const fn is_text_byte(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

/// Which line the parser refused, and why. `start` is where the fields begin.
#[cold]
pub(super) fn diagnose(whole: &[u8], start: usize) -> DecodeError {
    let mut at = start;
    for line in whole.get(start..).unwrap_or_default().split_inclusive(|&byte| byte == b'\n') {
        let text = line.strip_suffix(b"\r\n").unwrap_or(line);
        if matches!(text.first(), Some(b' ' | b'\t')) {
            return DecodeError::ObsoleteFold { at };
        }
        if !text.is_empty() {
            let Some(colon) = memchr::memchr(b':', text) else {
                return DecodeError::InvalidFieldName { at };
            };
            let name = text[..colon].trim_ascii_end();
            if !is_token(name) {
                return DecodeError::InvalidFieldName { at };
            }
            if name.len() != colon {
                return DecodeError::SpaceBeforeColon { at: at + name.len() };
            }
            if !text[colon + 1..].iter().copied().all(is_text_byte) {
                return DecodeError::InvalidFieldValue { at };
            }
        }
        at += line.len();
    }
    // The parser was stricter than the above.
    DecodeError::InvalidFieldName { at: start }
}
