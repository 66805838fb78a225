//! What is sent: heads and ends, as whoever sends them has them.

use super::BodyLen;

/// No fields.
pub type NoFields = [(&'static str, &'static [u8]); 0];

/// The head of a request to be sent.
///
/// Fields are pairs of a name and a value, from anything that can be iterated
/// over: an array, a map, the fields of a message that came in. `Host` is one
/// of them; `Content-Length` and `Transfer-Encoding` are not, they follow from
/// the [`body`](Self::body).
///
/// ```
/// use refbuf::CompositeBuf;
/// use refbuf_codec::Encoder;
/// use refbuf_codec::http1::{BodyLen, Request, RequestEncoder};
///
/// let mut output = CompositeBuf::new();
/// let mut encoder = RequestEncoder::new();
/// let request = Request::new("POST", "/x").fields([("host", "a")]).body(BodyLen::Length(2));
/// encoder.encode(request, &mut output)?;
/// encoder.encode(&b"hi"[..], &mut output)?;
/// assert_eq!(output, b"POST /x HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nhi");
/// # Ok::<(), refbuf_codec::http1::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Request<'a, F = NoFields> {
    pub(super) method: &'a str,
    pub(super) target: &'a str,
    pub(super) fields: F,
    pub(super) body: BodyLen,
}

impl<'a> Request<'a> {
    /// Without fields and body.
    ///
    /// ```
    /// use refbuf_codec::http1::Request;
    ///
    /// let request = Request::new("GET", "/").fields([("host", "example.org")]);
    /// # let _ = request;
    /// ```
    #[must_use]
    pub const fn new(method: &'a str, target: &'a str) -> Self {
        Self { method, target, fields: [], body: BodyLen::Empty }
    }
}

impl<'a, F> Request<'a, F> {
    /// With these fields instead of those it had.
    ///
    /// ```
    /// use refbuf_codec::http1::{Fields, Request};
    ///
    /// // What a proxy does.
    /// fn forward<'a>(fields: &'a Fields) -> Request<'a, impl Iterator<Item = (&'a str, &'a [u8])>> {
    ///     Request::new("GET", "/").fields(fields.iter().filter(|(name, _)| *name != "cookie"))
    /// }
    /// # let _ = forward;
    /// ```
    #[must_use]
    pub fn fields<G>(self, fields: G) -> Request<'a, G> {
        Request { method: self.method, target: self.target, fields, body: self.body }
    }

    /// With a body.
    ///
    /// ```
    /// use refbuf_codec::http1::{BodyLen, Request};
    ///
    /// let request = Request::new("PUT", "/").body(BodyLen::Chunked);
    /// # let _ = request;
    /// ```
    #[must_use]
    pub fn body(mut self, body: BodyLen) -> Self {
        self.body = body;
        self
    }
}

/// The head of a response to be sent. Fields are as in a [`Request`].
///
/// ```
/// use refbuf::CompositeBuf;
/// use refbuf_codec::Encoder;
/// use refbuf_codec::http1::{Asked, Response, ResponseEncoder};
///
/// let mut output = CompositeBuf::new();
/// let mut encoder = ResponseEncoder::new();
/// encoder.expect(Asked::by("GET"));
/// encoder.encode(Response::new(404).reason("Not Found"), &mut output)?;
/// assert_eq!(output, b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
/// # Ok::<(), refbuf_codec::http1::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Response<'a, F = NoFields> {
    pub(super) status: u16,
    pub(super) reason: &'a str,
    pub(super) fields: F,
    pub(super) body: BodyLen,
}

impl Response<'_> {
    /// Without reason, fields and body.
    ///
    /// ```
    /// use refbuf_codec::http1::Response;
    ///
    /// let go_ahead = Response::new(100);
    /// # let _ = go_ahead;
    /// ```
    #[must_use]
    pub const fn new(status: u16) -> Self {
        Self { status, reason: "", fields: [], body: BodyLen::Empty }
    }
}

impl<'a, F> Response<'a, F> {
    /// With a reason, for people: clients ignore it.
    ///
    /// ```
    /// use refbuf_codec::http1::Response;
    ///
    /// let response = Response::new(200).reason("OK");
    /// # let _ = response;
    /// ```
    #[must_use]
    pub fn reason<'b>(self, reason: &'b str) -> Response<'b, F> {
        Response { status: self.status, reason, fields: self.fields, body: self.body }
    }

    /// With these fields instead of those it had.
    ///
    /// ```
    /// use refbuf_codec::http1::Response;
    ///
    /// let response = Response::new(200).fields([("content-type", "text/plain")]);
    /// # let _ = response;
    /// ```
    #[must_use]
    pub fn fields<G>(self, fields: G) -> Response<'a, G> {
        Response { status: self.status, reason: self.reason, fields, body: self.body }
    }

    /// With a body.
    ///
    /// Where there can be none (to a HEAD, or with status 304) this is what
    /// the fields say about the one there would be.
    ///
    /// ```
    /// use refbuf_codec::http1::{BodyLen, Response};
    ///
    /// let response = Response::new(200).body(BodyLen::Length(1234));
    /// # let _ = response;
    /// ```
    #[must_use]
    pub fn body(mut self, body: BodyLen) -> Self {
        self.body = body;
        self
    }
}

/// The end of a body, with trailers if it is chunked.
///
/// It has to be sent where the length was not known before, and may be
/// elsewhere.
///
/// ```
/// use refbuf::CompositeBuf;
/// use refbuf_codec::Encoder;
/// use refbuf_codec::http1::{Asked, BodyLen, End, Response, ResponseEncoder};
///
/// let mut output = CompositeBuf::new();
/// let mut encoder = ResponseEncoder::new();
/// encoder.expect(Asked::by("GET"));
/// encoder.encode(Response::new(200).body(BodyLen::Chunked), &mut output)?;
/// encoder.encode(&b"hello"[..], &mut output)?;
/// encoder.encode(End::new().trailers([("digest", "x")]), &mut output)?;
/// let chunks = b"5\r\nhello\r\n0\r\ndigest: x\r\n\r\n";
/// # use refbuf::ByteBuf;
/// assert!(output.to_vec().ends_with(chunks));
/// # Ok::<(), refbuf_codec::http1::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct End<F = NoFields> {
    pub(super) trailers: F,
}

impl End {
    /// Without trailers.
    ///
    /// ```
    /// use refbuf_codec::http1::End;
    ///
    /// let end = End::new();
    /// # let _ = end;
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { trailers: [] }
    }
}

impl<F> End<F> {
    /// With these trailers instead of those it had.
    ///
    /// ```
    /// use refbuf_codec::http1::End;
    ///
    /// let end = End::new().trailers([("x-checksum", "1234")]);
    /// # let _ = end;
    /// ```
    #[must_use]
    pub fn trailers<G>(self, trailers: G) -> End<G> {
        End { trailers }
    }
}
