//! The encoders of requests and of responses.

use std::collections::VecDeque;

use refbuf::{CompositeBuf, SliceBuf};

use super::fields::{is_target, is_text_byte, is_token};
use super::head::{has_no_body, is_interim};
use super::sink::Sink;
use super::{Asked, BodyLen, EncodeError, End, Request, Response, Version};
use crate::Encoder;

/// Encodes requests: a client's side.
///
/// A message is a [`Request`], parts of its body as [`SliceBuf`],
/// [`CompositeBuf`] or `&[u8]`, and an [`End`]. A message whose length is
/// known is complete when as many bytes were given, and needs no `End`.
///
/// Buffers are pushed, not copied, unless they are small (256 bytes); what is
/// around them is written into blocks of the output's own, never into theirs.
/// Nothing is allocated but such blocks, by the output, and the encoder's
/// scratch memory, once.
///
/// ```
/// use refbuf::{CompositeBuf, SliceBuf};
/// use refbuf_codec::Encoder;
/// use refbuf_codec::http1::{BodyLen, End, Request, RequestEncoder};
///
/// let mut encoder = RequestEncoder::new();
/// let mut output = CompositeBuf::new();
/// let request = Request::new("PUT", "/").fields([("host", "a")]).body(BodyLen::Chunked);
/// encoder.encode(request, &mut output)?;
/// encoder.encode(SliceBuf::from_static(b"hello"), &mut output)?;
/// encoder.encode(End::new(), &mut output)?;
/// assert_eq!(
///     output,
///     b"PUT / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
/// );
/// # Ok::<(), refbuf_codec::http1::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct RequestEncoder {
    pub(super) sink: Sink,
    /// Whether the last request closes the connection.
    closing: bool,
    /// Whether the last request may end the protocol.
    waiting: bool,
}

impl RequestEncoder {
    /// An encoder for a new connection. Allocates nothing.
    ///
    /// ```
    /// use refbuf_codec::http1::RequestEncoder;
    ///
    /// assert!(!RequestEncoder::new().takes_data());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { sink: Sink::new(), closing: false, waiting: false }
    }

    /// Whether more of a body is to come.
    ///
    /// ```
    /// use refbuf_codec::http1::RequestEncoder;
    ///
    /// assert!(!RequestEncoder::new().takes_data());
    /// ```
    #[must_use]
    pub fn takes_data(&self) -> bool {
        self.sink.takes_data()
    }

    /// The request for another protocol was declined, and more requests may
    /// follow. Does nothing if there was none.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    /// use refbuf_codec::Encoder;
    /// use refbuf_codec::http1::{EncodeError, Request, RequestEncoder};
    ///
    /// let mut encoder = RequestEncoder::new();
    /// let mut output = CompositeBuf::new();
    /// let get = Request::new("GET", "/").fields([("host", "a")]);
    /// let connect = Request::new("CONNECT", "b:1").fields([("host", "b:1")]);
    /// encoder.encode(connect, &mut output)?;
    /// assert_eq!(encoder.encode(get, &mut output), Err(EncodeError::Closed));
    /// encoder.resume(); // the answer was 405
    /// encoder.encode(get, &mut output)?;
    /// # Ok::<(), refbuf_codec::http1::EncodeError>(())
    /// ```
    pub fn resume(&mut self) {
        self.waiting = false;
    }

    /// No more requests may follow.
    pub(super) fn close(&mut self) {
        self.closing = true;
    }

    /// Encodes a head, and tells what its answer depends on.
    pub(super) fn start<F, N, V>(
        &mut self,
        request: Request<'_, F>,
        output: &mut CompositeBuf,
    ) -> Result<Asked, EncodeError>
    where
        F: IntoIterator<Item = (N, V)>,
        N: AsRef<str>,
        V: AsRef<[u8]>,
    {
        let Request { method, target, fields, body } = request;
        if self.sink.is_unfinished() {
            return Err(EncodeError::Unfinished);
        }
        if self.closing || self.waiting {
            return Err(EncodeError::Closed);
        }
        if !is_token(method.as_bytes()) {
            return Err(EncodeError::InvalidMethod);
        }
        if !is_target(target.as_bytes()) {
            return Err(EncodeError::InvalidTarget);
        }
        if body == BodyLen::UntilClose {
            return Err(EncodeError::NoLength);
        }
        let mut asked = Asked::by(method);
        if asked.connect && body != BodyLen::Empty {
            return Err(EncodeError::BodyNotAllowed);
        }
        self.sink.line(&[method, " ", target, " HTTP/1.1"]);
        let facts = self.sink.fields(fields)?;
        if facts.hosts() != 1 {
            return Err(EncodeError::Host { count: facts.hosts() });
        }
        self.sink.framing(body);
        self.sink.send_head(Some(body), output)?;
        asked.keep_alive = facts.keep_alive(Version::Http11);
        asked.upgrade = facts.upgrade(Version::Http11);
        self.closing = !asked.keep_alive;
        self.waiting = asked.may_switch();
        Ok(asked)
    }
}

impl Default for RequestEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl<F, N, V> Encoder<Request<'_, F>> for RequestEncoder
where
    F: IntoIterator<Item = (N, V)>,
    N: AsRef<str>,
    V: AsRef<[u8]>,
{
    type Error = EncodeError;

    fn encode(
        &mut self,
        request: Request<'_, F>,
        output: &mut CompositeBuf,
    ) -> Result<(), EncodeError> {
        self.start(request, output).map(|_| ())
    }
}

/// Encodes responses: a server's side.
///
/// It has to be told of each request, in their order, with
/// [`expect`](Self::expect). Otherwise as [`RequestEncoder`]: a message is a
/// [`Response`], parts of its body, and an [`End`]; an interim response (1xx)
/// is a head alone, and the final one follows.
///
/// What the request was decides how a response is sent: one to HEAD has no
/// body, one to a client of HTTP/1.0 is not chunked but ends with the
/// connection, and `Connection` is added where the client could not know.
///
/// ```
/// use refbuf::CompositeBuf;
/// use refbuf_codec::Encoder;
/// use refbuf_codec::http1::{Asked, BodyLen, Response, ResponseEncoder};
///
/// let mut encoder = ResponseEncoder::new();
/// let mut output = CompositeBuf::new();
/// encoder.expect(Asked::by("HEAD"));
/// encoder.encode(Response::new(200).body(BodyLen::Length(5)), &mut output)?;
/// assert!(!encoder.takes_data());
/// assert_eq!(output, b"HTTP/1.1 200 \r\ncontent-length: 5\r\n\r\n");
/// # Ok::<(), refbuf_codec::http1::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct ResponseEncoder {
    pub(super) sink: Sink,
    asked: VecDeque<Asked>,
    /// Whether the last response closes the connection or switches protocols.
    closing: bool,
}

/// What became of a request, as far as others have to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answered {
    /// Not finally.
    Interim,
    /// With the protocol that was asked for.
    Switched,
    Finally,
}

impl ResponseEncoder {
    /// An encoder for a new connection. Allocates nothing.
    ///
    /// ```
    /// use refbuf_codec::http1::ResponseEncoder;
    ///
    /// assert_eq!(ResponseEncoder::new().expected(), 0);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { sink: Sink::new(), asked: VecDeque::new(), closing: false }
    }

    /// A request came.
    ///
    /// ```
    /// use refbuf_codec::http1::{Asked, ResponseEncoder};
    ///
    /// let mut encoder = ResponseEncoder::new();
    /// encoder.expect(Asked::by("GET"));
    /// assert_eq!(encoder.expected(), 1);
    /// ```
    pub fn expect(&mut self, asked: Asked) {
        self.asked.push_back(asked);
    }

    /// The request that is being decoded cannot be, and is the last. `known`,
    /// if its head was.
    pub(super) fn expect_failed(&mut self, known: bool) {
        if !known {
            self.expect(Asked::by(""));
        }
        // It may have its answer already.
        if let Some(last) = self.asked.back_mut() {
            last.keep_alive = false;
        }
    }

    /// Requests whose final response has not begun.
    ///
    /// ```
    /// use refbuf_codec::http1::ResponseEncoder;
    ///
    /// assert_eq!(ResponseEncoder::new().expected(), 0);
    /// ```
    #[must_use]
    pub fn expected(&self) -> usize {
        self.asked.len()
    }

    /// Whether more of a body is to come.
    ///
    /// ```
    /// use refbuf_codec::http1::ResponseEncoder;
    ///
    /// assert!(!ResponseEncoder::new().takes_data());
    /// ```
    #[must_use]
    pub fn takes_data(&self) -> bool {
        self.sink.takes_data()
    }

    /// Whether the last response is complete, and the connection is to be
    /// closed when it has been sent, or speaks another protocol.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    /// use refbuf_codec::Encoder;
    /// use refbuf_codec::http1::{Asked, Response, ResponseEncoder};
    ///
    /// let mut encoder = ResponseEncoder::new();
    /// let mut output = CompositeBuf::new();
    /// encoder.expect(Asked::by("GET"));
    /// encoder.encode(Response::new(200).fields([("connection", "close")]), &mut output)?;
    /// assert!(encoder.is_over());
    /// # Ok::<(), refbuf_codec::http1::EncodeError>(())
    /// ```
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.closing && !self.sink.is_unfinished()
    }

    pub(super) fn start<F, N, V>(
        &mut self,
        response: Response<'_, F>,
        output: &mut CompositeBuf,
    ) -> Result<Answered, EncodeError>
    where
        F: IntoIterator<Item = (N, V)>,
        N: AsRef<str>,
        V: AsRef<[u8]>,
    {
        let Response { status, reason, fields, body } = response;
        if self.sink.is_unfinished() {
            return Err(EncodeError::Unfinished);
        }
        if self.closing {
            return Err(EncodeError::Closed);
        }
        let asked = *self.asked.front().ok_or(EncodeError::Unasked)?;
        if !(100..=999).contains(&status) {
            return Err(EncodeError::InvalidStatus { status });
        }
        if !reason.bytes().all(is_text_byte) {
            return Err(EncodeError::InvalidReason);
        }
        let switches = asked.switches(status);
        if status == 101 && !switches {
            return Err(EncodeError::Unasked);
        }
        if is_interim(status) && asked.version == Version::Http10 {
            return Err(EncodeError::InterimNotAllowed);
        }
        // These say nothing of a body, and a 304 may say of the one there is.
        let silent = switches || status / 100 == 1 || status == 204 || status == 205;
        if silent && !matches!(body, BodyLen::Empty | BodyLen::Length(0)) {
            return Err(EncodeError::BodyNotAllowed);
        }

        self.sink.status_line(status, reason);
        let facts = self.sink.fields(fields)?;
        if is_interim(status) {
            self.sink.send_interim(output)?;
            return Ok(Answered::Interim);
        }
        let no_body = switches || asked.head || has_no_body(status);
        let body = framing_for(body, asked, no_body);
        if !silent {
            self.sink.framing(body);
        } else if status == 205 {
            self.sink.framing(BodyLen::Length(0));
        }
        let closing =
            !asked.keep_alive || facts.closes() || (body == BodyLen::UntilClose && !no_body);
        if !switches {
            self.connection(closing, asked, facts.closes(), facts.keeps());
        }
        self.sink.send_head((!no_body).then_some(body), output)?;
        self.asked.pop_front();
        self.closing = closing || switches;
        Ok(if switches { Answered::Switched } else { Answered::Finally })
    }

    /// Says what becomes of the connection, where it was not said and the
    /// client would assume something else.
    fn connection(&mut self, closing: bool, asked: Asked, closes: bool, keeps: bool) {
        if closing && !closes {
            self.sink.own_field("connection: close");
        } else if !closing && !keeps && asked.version == Version::Http10 {
            self.sink.own_field("connection: keep-alive");
        }
    }
}

/// How a body is framed for that client.
fn framing_for(body: BodyLen, asked: Asked, no_body: bool) -> BodyLen {
    match body {
        // Chunks came with HTTP/1.1.
        BodyLen::Chunked if asked.version == Version::Http10 => BodyLen::UntilClose,
        // No length at all would mean up to the end of the connection.
        BodyLen::Empty if !no_body => BodyLen::Length(0),
        body => body,
    }
}

impl Default for ResponseEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl<F, N, V> Encoder<Response<'_, F>> for ResponseEncoder
where
    F: IntoIterator<Item = (N, V)>,
    N: AsRef<str>,
    V: AsRef<[u8]>,
{
    type Error = EncodeError;

    fn encode(
        &mut self,
        response: Response<'_, F>,
        output: &mut CompositeBuf,
    ) -> Result<(), EncodeError> {
        self.start(response, output).map(|_| ())
    }
}

/// The parts of a body, which are the same in both directions.
macro_rules! encode_body {
    ($($encoder:ty: $($path:ident).+;)*) => { $(
        /// A part of the body, not copied unless it is small.
        impl Encoder<SliceBuf> for $encoder {
            type Error = EncodeError;

            fn encode(
                &mut self,
                data: SliceBuf,
                output: &mut CompositeBuf,
            ) -> Result<(), EncodeError> {
                self.$($path).+.data(data, output)
            }
        }

        /// A part of the body in pieces, not copied unless it is one small
        /// one.
        impl Encoder<CompositeBuf> for $encoder {
            type Error = EncodeError;

            fn encode(
                &mut self,
                data: CompositeBuf,
                output: &mut CompositeBuf,
            ) -> Result<(), EncodeError> {
                self.$($path).+.data(data, output)
            }
        }

        /// A part of the body, copied.
        impl Encoder<&[u8]> for $encoder {
            type Error = EncodeError;

            fn encode(
                &mut self,
                data: &[u8],
                output: &mut CompositeBuf,
            ) -> Result<(), EncodeError> {
                self.$($path).+.bytes(data, output)
            }
        }

        impl<F, N, V> Encoder<End<F>> for $encoder
        where
            F: IntoIterator<Item = (N, V)>,
            N: AsRef<str>,
            V: AsRef<[u8]>,
        {
            type Error = EncodeError;

            fn encode(
                &mut self,
                end: End<F>,
                output: &mut CompositeBuf,
            ) -> Result<(), EncodeError> {
                self.$($path).+.end(end.trailers, output)
            }
        }
    )* };
}
pub(super) use encode_body;

encode_body! {
    RequestEncoder: sink;
    ResponseEncoder: sink;
}
