//! The heads of requests and responses, where they were received.

use std::fmt;
use std::mem::MaybeUninit;

use httparse::Status;
use refbuf::SliceBuf;

use super::fields::{Fields, Parsed, Places, diagnose, is_target, is_token, offset};
use super::framing::Facts;
use super::limits::MAX_FIELDS;
use super::{DecodeError, Limits};

/// The version of a message. Other than these are refused.
///
/// ```
/// use refbuf_codec::http1::Version;
///
/// assert!(Version::Http10 < Version::Http11);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
}

/// How the length of a body is known (RFC 9112, section 6.3).
///
/// ```
/// use refbuf_codec::http1::{BodyLen, Request};
///
/// let request = Request::new("POST", "/").body(BodyLen::Length(11));
/// # let _ = request;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyLen {
    /// There is no body, and no field speaks of one.
    Empty,
    /// So many bytes, as `Content-Length` says.
    Length(u64),
    /// In chunks: it ends with one of size 0, and trailers.
    Chunked,
    /// A response's, up to the end of the connection.
    UntilClose,
}

/// What a request's answer depends on: the responses to a HEAD have no body,
/// those to a CONNECT and an `Upgrade` may end the protocol, an old client
/// does not know chunks.
///
/// The decoder of responses and the encoder of responses both have to be told.
/// [`ServerCodec`](super::ServerCodec) and [`ClientCodec`](super::ClientCodec)
/// see to that.
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::http1::{Asked, BodyLen, Event, ResponseDecoder};
///
/// let mut decoder = ResponseDecoder::new();
/// decoder.expect(Asked::by("HEAD"));
/// let mut input = HeapBuf::from(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".to_vec());
/// let Some(Event::Head(head)) = decoder.decode(&mut input)? else { panic!() };
/// assert_eq!(head.body(), BodyLen::Empty);
/// # Ok::<(), refbuf_codec::http1::DecodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    pub(super) head: bool,
    pub(super) connect: bool,
    pub(super) upgrade: bool,
    pub(super) keep_alive: bool,
    pub(super) version: Version,
}

impl Asked {
    /// By a request of HTTP/1.1 with that method, which goes on with the
    /// connection and asks for no other protocol.
    ///
    /// ```
    /// use refbuf_codec::http1::Asked;
    ///
    /// assert_ne!(Asked::by("HEAD"), Asked::by("GET"));
    /// // Methods are case-sensitive.
    /// assert_eq!(Asked::by("head"), Asked::by("GET"));
    /// ```
    #[must_use]
    pub fn by(method: &str) -> Self {
        Self {
            head: method == "HEAD",
            connect: method == "CONNECT",
            upgrade: false,
            keep_alive: true,
            version: Version::Http11,
        }
    }

    /// The same, and asking for another protocol.
    ///
    /// ```
    /// use refbuf_codec::http1::Asked;
    ///
    /// assert_ne!(Asked::by("GET").upgrade(), Asked::by("GET"));
    /// ```
    #[must_use]
    pub fn upgrade(mut self) -> Self {
        self.upgrade = true;
        self
    }

    /// Whether a response may end the protocol, so that what follows the
    /// request may be something else.
    pub(super) fn may_switch(self) -> bool {
        self.upgrade || self.connect
    }

    /// Whether a response of that status does.
    pub(super) fn switches(self, status: u16) -> bool {
        (self.connect && status / 100 == 2) || (self.upgrade && status == 101)
    }
}

/// The head of a request.
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::http1::{BodyLen, Event, RequestDecoder, Version};
///
/// let text = b"PUT /x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
/// let mut input = HeapBuf::from(text.to_vec());
/// let Some(Event::Head(head)) = RequestDecoder::new().decode(&mut input)? else { panic!() };
/// assert_eq!((head.method(), head.target()), ("PUT", "/x?y"));
/// assert_eq!((head.version(), head.body()), (Version::Http11, BodyLen::Length(2)));
/// assert!(head.keep_alive() && !head.upgrade() && !head.expects_continue());
/// assert_eq!(head.fields().get("host"), Some(&b"a"[..]));
/// # Ok::<(), refbuf_codec::http1::DecodeError>(())
/// ```
#[derive(Clone)]
pub struct RequestHead {
    fields: Fields,
    /// The head begins with the method.
    method_end: u16,
    target: u16,
    target_end: u16,
    body: BodyLen,
    asked: Asked,
    expects_continue: bool,
}

impl RequestHead {
    pub(super) fn parse(
        bytes: SliceBuf,
        limits: &Limits,
        require_host: bool,
    ) -> Result<Self, DecodeError> {
        let whole = bytes.as_slice();
        let mut parsed: Parsed<'_> = [const { MaybeUninit::uninit() }; MAX_FIELDS];
        let mut request = httparse::Request::new(&mut []);
        let status = request.parse_with_uninit_headers(whole, &mut parsed[..limits.fields]);
        let (Some(method), Some(target), Some(minor), true) =
            (request.method, request.path, request.version, is_all(status, whole))
        else {
            return Err(refused(status, whole));
        };
        let version = version(minor);
        let mut asked = Asked::by(method);
        let method_end = offset(whole, &whole[method.len()..]);
        let target_start = offset(whole, target.as_bytes());
        let target_end = offset(whole, &whole[usize::from(target_start) + target.len()..]);
        let places = Places::of(whole, request.headers);
        let fields = places.in_bytes(bytes);

        let facts = Facts::of(&fields)?;
        if require_host {
            facts.check_host(version)?;
        }
        asked.version = version;
        asked.keep_alive = facts.keep_alive(version);
        asked.upgrade = facts.upgrade(version);
        Ok(Self {
            fields,
            method_end,
            target: target_start,
            target_end,
            body: facts.announced(version)?.unwrap_or(BodyLen::Empty),
            asked,
            expects_continue: facts.expects_continue(version),
        })
    }

    fn text(&self, start: u16, end: u16) -> &str {
        let bytes = self.fields.as_bytes().get(usize::from(start)..usize::from(end));
        // Was text when it was parsed.
        std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// The method, a token as it was written: methods are case-sensitive.
    ///
    /// ```
    /// # use refbuf_codec::http1::RequestHead;
    /// fn is_safe(head: &RequestHead) -> bool {
    ///     matches!(head.method(), "GET" | "HEAD" | "OPTIONS" | "TRACE")
    /// }
    /// ```
    #[must_use]
    pub fn method(&self) -> &str {
        self.text(0, self.method_end)
    }

    /// The request target as it was written: a path, mostly. No empty one, no
    /// spaces, no control characters; it may have UTF-8 beyond ASCII.
    ///
    /// ```
    /// # use refbuf_codec::http1::RequestHead;
    /// fn path(head: &RequestHead) -> &str {
    ///     head.target().split('?').next().unwrap_or_default()
    /// }
    /// ```
    #[must_use]
    pub fn target(&self) -> &str {
        self.text(self.target, self.target_end)
    }

    /// The version that the client speaks.
    ///
    /// ```
    /// # use refbuf_codec::http1::{RequestHead, Version};
    /// fn is_old(head: &RequestHead) -> bool {
    ///     head.version() == Version::Http10
    /// }
    /// ```
    #[must_use]
    pub fn version(&self) -> Version {
        self.asked.version
    }

    /// The header fields.
    ///
    /// ```
    /// # use refbuf_codec::http1::RequestHead;
    /// fn cookies(head: &RequestHead) -> usize {
    ///     head.fields().get_all("cookie").count()
    /// }
    /// ```
    #[must_use]
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The header fields, to keep: with the bytes of the whole head.
    ///
    /// ```
    /// # use refbuf_codec::http1::{Fields, RequestHead};
    /// fn keep(head: RequestHead) -> Fields {
    ///     head.into_fields()
    /// }
    /// ```
    #[must_use]
    pub fn into_fields(self) -> Fields {
        self.fields
    }

    /// How long the body is.
    ///
    /// ```
    /// # use refbuf_codec::http1::{BodyLen, RequestHead};
    /// fn has_body(head: &RequestHead) -> bool {
    ///     !matches!(head.body(), BodyLen::Empty | BodyLen::Length(0))
    /// }
    /// ```
    #[must_use]
    pub fn body(&self) -> BodyLen {
        self.body
    }

    /// Whether the client would go on with the connection.
    ///
    /// ```
    /// # use refbuf_codec::http1::RequestHead;
    /// fn is_last(head: &RequestHead) -> bool {
    ///     !head.keep_alive()
    /// }
    /// ```
    #[must_use]
    pub fn keep_alive(&self) -> bool {
        self.asked.keep_alive
    }

    /// Whether the client asks for another protocol, which the field `upgrade`
    /// names. The decoder waits behind such a request.
    ///
    /// ```
    /// # use refbuf_codec::http1::RequestHead;
    /// fn wants_websocket(head: &RequestHead) -> bool {
    ///     head.upgrade() && head.fields().has_token("upgrade", "websocket")
    /// }
    /// ```
    #[must_use]
    pub fn upgrade(&self) -> bool {
        self.asked.upgrade
    }

    /// Whether the client waits for a response with status 100 before it sends
    /// the body.
    ///
    /// ```
    /// # use refbuf_codec::http1::RequestHead;
    /// fn go_ahead(head: &RequestHead) -> Option<u16> {
    ///     head.expects_continue().then_some(100)
    /// }
    /// ```
    #[must_use]
    pub fn expects_continue(&self) -> bool {
        self.expects_continue
    }

    /// What an answer to it depends on.
    ///
    /// ```
    /// # use refbuf_codec::http1::{RequestHead, ResponseEncoder};
    /// fn prepare(head: &RequestHead, encoder: &mut ResponseEncoder) {
    ///     encoder.expect(head.asked());
    /// }
    /// ```
    #[must_use]
    pub fn asked(&self) -> Asked {
        self.asked
    }
}

/// The start line and the fields.
impl fmt::Debug for RequestHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestHead")
            .field("method", &self.method())
            .field("target", &self.target())
            .field("version", &self.version())
            .field("fields", &self.fields)
            .finish_non_exhaustive()
    }
}

/// The head of a response.
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::http1::{Asked, BodyLen, Event, ResponseDecoder, Version};
///
/// let mut decoder = ResponseDecoder::new();
/// decoder.expect(Asked::by("GET"));
/// let mut input = HeapBuf::from(b"HTTP/1.0 404 Not Found\r\nServer: x\r\n\r\n".to_vec());
/// let Some(Event::Head(head)) = decoder.decode(&mut input)? else { panic!() };
/// assert_eq!((head.status(), head.reason()), (404, &b"Not Found"[..]));
/// assert_eq!((head.version(), head.body()), (Version::Http10, BodyLen::UntilClose));
/// assert!(!head.keep_alive() && !head.is_interim() && !head.switches());
/// assert_eq!(head.fields().get("server"), Some(&b"x"[..]));
/// # Ok::<(), refbuf_codec::http1::DecodeError>(())
/// ```
#[derive(Clone)]
pub struct ResponseHead {
    fields: Fields,
    status: u16,
    reason_end: u16,
    version: Version,
    body: BodyLen,
    keep_alive: bool,
    switches: bool,
}

/// Where the reason of a response begins: `HTTP/1.1 200 `.
const REASON: u16 = 13;

impl ResponseHead {
    pub(super) fn parse(
        bytes: SliceBuf,
        limits: &Limits,
        asked: Asked,
    ) -> Result<Self, DecodeError> {
        let whole = bytes.as_slice();
        let mut parsed: Parsed<'_> = [const { MaybeUninit::uninit() }; MAX_FIELDS];
        let mut response = httparse::Response::new(&mut []);
        let parse = httparse::ParserConfig::default();
        let status = parse.parse_response_with_uninit_headers(
            &mut response,
            whole,
            &mut parsed[..limits.fields],
        );
        let (Some(code), Some(minor), true) =
            (response.code, response.version, is_all(status, whole))
        else {
            return Err(refused(status, whole));
        };
        if code < 100 {
            return Err(DecodeError::InvalidStatus);
        }
        let version = version(minor);
        // The parser knows no reason beyond ASCII.
        let line_end = memchr::memchr(b'\r', whole).unwrap_or_default();
        let reason_end = offset(whole, &whole[line_end..]);
        let places = Places::of(whole, response.headers);
        let fields = places.in_bytes(bytes);

        let facts = Facts::of(&fields)?;
        let announced = facts.announced(version)?;
        let switches = asked.switches(code);
        if code == 101 && !switches {
            return Err(DecodeError::UnexpectedSwitch);
        }
        let body = if switches || asked.head || has_no_body(code) {
            BodyLen::Empty
        } else {
            announced.unwrap_or(BodyLen::UntilClose)
        };
        let keep_alive =
            asked.keep_alive && facts.keep_alive(version) && body != BodyLen::UntilClose;
        Ok(Self { fields, status: code, reason_end, version, body, keep_alive, switches })
    }

    /// The status, from 100 to 999.
    ///
    /// ```
    /// # use refbuf_codec::http1::ResponseHead;
    /// fn is_success(head: &ResponseHead) -> bool {
    ///     head.status() / 100 == 2
    /// }
    /// ```
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The reason as it was written, in whatever encoding; often empty.
    ///
    /// ```
    /// # use refbuf_codec::http1::ResponseHead;
    /// fn log(head: &ResponseHead) -> String {
    ///     format!("{} {}", head.status(), head.reason().escape_ascii())
    /// }
    /// ```
    #[must_use]
    pub fn reason(&self) -> &[u8] {
        let place = usize::from(REASON)..usize::from(self.reason_end);
        self.fields.as_bytes().get(place).unwrap_or_default()
    }

    /// The version that the server speaks.
    ///
    /// ```
    /// # use refbuf_codec::http1::{ResponseHead, Version};
    /// fn is_old(head: &ResponseHead) -> bool {
    ///     head.version() == Version::Http10
    /// }
    /// ```
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The header fields.
    ///
    /// ```
    /// # use refbuf_codec::http1::ResponseHead;
    /// fn content_type(head: &ResponseHead) -> Option<&[u8]> {
    ///     head.fields().get("content-type")
    /// }
    /// ```
    #[must_use]
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The header fields, to keep: with the bytes of the whole head.
    ///
    /// ```
    /// # use refbuf_codec::http1::{Fields, ResponseHead};
    /// fn keep(head: ResponseHead) -> Fields {
    ///     head.into_fields()
    /// }
    /// ```
    #[must_use]
    pub fn into_fields(self) -> Fields {
        self.fields
    }

    /// How long the body is that follows. A response without one, to a HEAD
    /// for example, says [`Empty`](BodyLen::Empty) whatever its fields say.
    ///
    /// ```
    /// # use refbuf_codec::http1::{BodyLen, ResponseHead};
    /// fn capacity(head: &ResponseHead) -> u64 {
    ///     if let BodyLen::Length(len) = head.body() { len.min(1 << 16) } else { 4096 }
    /// }
    /// ```
    #[must_use]
    pub fn body(&self) -> BodyLen {
        self.body
    }

    /// Whether the connection can be used for another request after this
    /// response.
    ///
    /// ```
    /// # use refbuf_codec::http1::ResponseHead;
    /// fn is_last(head: &ResponseHead) -> bool {
    ///     !head.keep_alive()
    /// }
    /// ```
    #[must_use]
    pub fn keep_alive(&self) -> bool {
        self.keep_alive
    }

    /// Whether this is an interim response (1xx, but not 101): the final one
    /// is still to come, and this one has nothing but its head.
    ///
    /// ```
    /// # use refbuf_codec::http1::ResponseHead;
    /// fn may_send_body(head: &ResponseHead) -> bool {
    ///     head.is_interim() && head.status() == 100
    /// }
    /// ```
    #[must_use]
    pub fn is_interim(&self) -> bool {
        is_interim(self.status)
    }

    /// Whether what follows it is another protocol.
    ///
    /// ```
    /// # use refbuf_codec::http1::ResponseHead;
    /// fn is_tunnel(head: &ResponseHead) -> bool {
    ///     head.switches() && head.status() != 101
    /// }
    /// ```
    #[must_use]
    pub fn switches(&self) -> bool {
        self.switches
    }
}

/// The start line and the fields.
impl fmt::Debug for ResponseHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseHead")
            .field("status", &self.status)
            .field("reason", &format_args!("\"{}\"", self.reason().escape_ascii()))
            .field("version", &self.version)
            .field("fields", &self.fields)
            .finish_non_exhaustive()
    }
}

/// Whether a final response follows one of that status.
pub(super) const fn is_interim(status: u16) -> bool {
    status / 100 == 1 && status != 101
}

/// Whether a response of that status never has a body.
pub(super) const fn has_no_body(status: u16) -> bool {
    status / 100 == 1 || status == 204 || status == 304
}

fn version(minor: u8) -> Version {
    if minor == 0 { Version::Http10 } else { Version::Http11 }
}

/// Whether the parser came to the end that was found before.
fn is_all(status: httparse::Result<usize>, whole: &[u8]) -> bool {
    status == Ok(Status::Complete(whole.len()))
}

/// What the parser did not like.
#[cold]
fn refused(status: httparse::Result<usize>, whole: &[u8]) -> DecodeError {
    use httparse::Error;

    let line_end = memchr::memchr(b'\n', whole).map_or(whole.len(), |feed| feed + 1);
    let line = &whole[..line_end];
    match status {
        Err(Error::Version) => DecodeError::UnsupportedVersion,
        Err(Error::Status) => DecodeError::InvalidStatus,
        // The parser says the same of a method, a target and no version at all.
        Err(Error::Token) => match memchr::memchr(b' ', line) {
            Some(space) if is_token(&line[..space]) => match line[space + 1..].trim_ascii_end() {
                target if is_target(target) => DecodeError::UnsupportedVersion,
                _ => DecodeError::InvalidTarget,
            },
            _ => DecodeError::InvalidMethod,
        },
        // A start line that does not end behind the version.
        Err(Error::NewLine)
            if !line.ends_with(b"HTTP/1.1\r\n") && !line.ends_with(b"HTTP/1.0\r\n") =>
        {
            DecodeError::UnsupportedVersion
        }
        _ => diagnose(whole, line_end),
    }
}
