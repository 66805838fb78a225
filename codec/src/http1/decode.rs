//! The decoders of requests and of responses.

use std::collections::VecDeque;

use refbuf::{ByteBuf, SliceBuf};

use super::stream::{After, Event, Follow, Stream};
use super::{Asked, DecodeError, Limits, RequestHead, ResponseHead};
use crate::Decoder;

/// Decodes requests: a server's side.
///
/// Heads and bodies are slices of the input, not copied; a head that lies
/// across components of a composite is gathered. The end of a head is looked
/// for from where the last look ended, and nothing is parsed before it is
/// there. A message allocates nothing, except for places of the fields beyond
/// the 24th.
///
/// After a request that asks for another protocol (`Upgrade`, CONNECT) the
/// decoder waits: whether what follows is another request, the server decides
/// by its response, and tells with [`resume`](Self::resume) or
/// [`switch`](Self::switch). What comes after a request that closes the
/// connection is thrown away.
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::http1::{Event, RequestDecoder};
///
/// let mut input = HeapBuf::from(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HT".to_vec());
/// let mut decoder = RequestDecoder::new();
/// let Some(Event::Head(head)) = decoder.decode(&mut input)? else { panic!() };
/// assert_eq!(head.target(), "/a");
/// assert!(matches!(decoder.decode(&mut input)?, Some(Event::End(_))));
/// assert!(decoder.decode(&mut input)?.is_none());
/// assert!(decoder.decode_eof(&mut input).is_err());
/// # Ok::<(), refbuf_codec::http1::DecodeError>(())
/// ```
#[derive(Debug)]
pub struct RequestDecoder {
    stream: Stream,
    require_host: bool,
}

impl RequestDecoder {
    /// With the default limits, and requiring `Host`.
    ///
    /// ```
    /// use refbuf_codec::http1::RequestDecoder;
    ///
    /// assert!(!RequestDecoder::new().is_over());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::new())
    }

    /// With these limits.
    ///
    /// ```
    /// use refbuf_codec::http1::{Limits, RequestDecoder};
    ///
    /// let decoder = RequestDecoder::with_limits(Limits::new().body(1 << 20));
    /// # let _ = decoder;
    /// ```
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self { stream: Stream::new(limits), require_host: true }
    }

    /// Whether a request of HTTP/1.1 without `Host`, and any with several, is
    /// refused, as RFC 9112, section 3.2 demands of a server.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::http1::RequestDecoder;
    ///
    /// let mut input = HeapBuf::from(b"GET / HTTP/1.1\r\n\r\n".to_vec());
    /// assert!(RequestDecoder::new().require_host(false).decode(&mut input).is_ok());
    /// ```
    #[must_use]
    pub fn require_host(mut self, yes: bool) -> Self {
        self.require_host = yes;
        self
    }

    /// Whether the decoder waits behind a request that asks for another
    /// protocol.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::http1::RequestDecoder;
    ///
    /// let text = b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\nanything";
    /// let mut input = HeapBuf::from(text.to_vec());
    /// let mut decoder = RequestDecoder::new();
    /// while decoder.decode(&mut input)?.is_some() {}
    /// assert!(decoder.is_waiting());
    /// assert_eq!(input, b"anything");
    /// # Ok::<(), refbuf_codec::http1::DecodeError>(())
    /// ```
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.stream.is_waiting()
    }

    /// What follows the request that asked for another protocol is HTTP. Does
    /// nothing if there was none.
    ///
    /// ```
    /// use refbuf_codec::http1::RequestDecoder;
    ///
    /// let mut decoder = RequestDecoder::new();
    /// decoder.resume();
    /// assert!(!decoder.is_over());
    /// ```
    pub fn resume(&mut self) {
        self.stream.decide(After::Head);
    }

    /// What follows the request that asked for another protocol is in that
    /// one, and is left in the input. Does nothing if there was none.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::http1::RequestDecoder;
    ///
    /// let text = b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\nanything";
    /// let mut input = HeapBuf::from(text.to_vec());
    /// let mut decoder = RequestDecoder::new();
    /// while decoder.decode(&mut input)?.is_some() {}
    /// decoder.switch();
    /// assert!(decoder.is_over());
    /// assert_eq!(input, b"anything");
    /// # Ok::<(), refbuf_codec::http1::DecodeError>(())
    /// ```
    pub fn switch(&mut self) {
        self.stream.decide(After::Switch);
    }

    /// Whether no more requests will come: the last one closes the connection,
    /// or the protocol is another one now, whose first bytes are those that are
    /// left in the input.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::http1::RequestDecoder;
    ///
    /// let mut input = HeapBuf::from(b"GET / HTTP/1.0\r\n\r\n".to_vec());
    /// let mut decoder = RequestDecoder::new();
    /// while decoder.decode(&mut input)?.is_some() {}
    /// assert!(decoder.is_over());
    /// # Ok::<(), refbuf_codec::http1::DecodeError>(())
    /// ```
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.stream.is_over()
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.stream.limits
    }

    pub(super) fn fail(&mut self, error: DecodeError) -> DecodeError {
        self.stream.fail(error)
    }

    pub(super) fn is_failed(&self) -> bool {
        self.stream.is_failed()
    }

    /// Whether the request is not known that is being decoded.
    pub(super) fn is_in_head(&self) -> bool {
        self.stream.is_in_head()
    }

    fn next<B: ByteBuf + ?Sized>(
        &mut self,
        input: &mut B,
        eof: bool,
    ) -> Result<Option<Event<RequestHead>>, DecodeError> {
        let require_host = self.require_host;
        self.stream.next(input, eof, |bytes, limits| {
            let head = RequestHead::parse(bytes, limits, require_host)?;
            let after = if head.asked().may_switch() {
                After::Wait
            } else if head.keep_alive() {
                After::Head
            } else {
                After::Close
            };
            let follow = Follow::Body(head.body(), after);
            Ok((head, follow))
        })
    }
}

impl Default for RequestDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: ByteBuf + ?Sized> Decoder<B> for RequestDecoder {
    type Item = Event<RequestHead>;
    type Error = DecodeError;

    fn decode(&mut self, input: &mut B) -> Result<Option<Self::Item>, DecodeError> {
        self.next(input, false)
    }

    fn decode_eof(&mut self, input: &mut B) -> Result<Option<Self::Item>, DecodeError> {
        self.next(input, true)
    }
}

/// Decodes responses: a client's side.
///
/// It has to be told of each request, in their order, with
/// [`expect`](Self::expect); a response that no request asked for is an error.
/// Otherwise as [`RequestDecoder`]: nothing is copied, a message allocates
/// nothing but places of the fields beyond the 24th.
///
/// After a response that switches protocols the rest of the input is left
/// alone; after the last one of a connection it is thrown away.
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::http1::{Asked, Event, ResponseDecoder};
///
/// let text = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
/// let mut input = HeapBuf::from(text.to_vec());
/// let mut decoder = ResponseDecoder::new();
/// decoder.expect(Asked::by("PUT"));
/// let Some(Event::Head(head)) = decoder.decode(&mut input)? else { panic!() };
/// assert!(head.is_interim());
/// let Some(Event::Head(head)) = decoder.decode(&mut input)? else { panic!() };
/// assert_eq!(head.status(), 200);
/// let Some(Event::Data(data)) = decoder.decode(&mut input)? else { panic!() };
/// assert_eq!(data, b"hi");
/// assert!(matches!(decoder.decode(&mut input)?, Some(Event::End(_))));
/// # Ok::<(), refbuf_codec::http1::DecodeError>(())
/// ```
#[derive(Debug)]
pub struct ResponseDecoder {
    stream: Stream,
    asked: VecDeque<Asked>,
    /// Interim responses to the first of these.
    interim: usize,
}

impl ResponseDecoder {
    /// With the default limits.
    ///
    /// ```
    /// use refbuf_codec::http1::ResponseDecoder;
    ///
    /// assert_eq!(ResponseDecoder::new().expected(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::new())
    }

    /// With these limits.
    ///
    /// ```
    /// use refbuf_codec::http1::{Limits, ResponseDecoder};
    ///
    /// let decoder = ResponseDecoder::with_limits(Limits::new().head(60_000));
    /// # let _ = decoder;
    /// ```
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self { stream: Stream::new(limits), asked: VecDeque::new(), interim: 0 }
    }

    /// A request was sent.
    ///
    /// ```
    /// use refbuf_codec::http1::{Asked, ResponseDecoder};
    ///
    /// let mut decoder = ResponseDecoder::new();
    /// decoder.expect(Asked::by("HEAD"));
    /// assert_eq!(decoder.expected(), 1);
    /// ```
    pub fn expect(&mut self, asked: Asked) {
        self.asked.push_back(asked);
    }

    /// Requests whose final response has not begun.
    ///
    /// ```
    /// use refbuf_codec::http1::ResponseDecoder;
    ///
    /// assert_eq!(ResponseDecoder::new().expected(), 0);
    /// ```
    #[must_use]
    pub fn expected(&self) -> usize {
        self.asked.len()
    }

    /// Whether no more responses will come: the last one closes the
    /// connection, or the protocol is another one now, whose first bytes are
    /// those that are left in the input.
    ///
    /// ```
    /// use refbuf::{ByteBuf, HeapBuf};
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::http1::{Asked, ResponseDecoder};
    ///
    /// let mut input = HeapBuf::from(b"HTTP/1.1 200 OK\r\n\r\nanything".to_vec());
    /// let mut decoder = ResponseDecoder::new();
    /// decoder.expect(Asked::by("CONNECT"));
    /// while decoder.decode(&mut input)?.is_some() {}
    /// assert!(decoder.is_over());
    /// assert_eq!(input, b"anything");
    /// # Ok::<(), refbuf_codec::http1::DecodeError>(())
    /// ```
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.stream.is_over()
    }

    /// Whether a request that was sent may end the protocol.
    pub(super) fn may_switch(&self) -> bool {
        self.asked.back().is_some_and(|asked| asked.may_switch())
    }

    fn next<B: ByteBuf + ?Sized>(
        &mut self,
        input: &mut B,
        eof: bool,
    ) -> Result<Option<Event<ResponseHead>>, DecodeError> {
        let (asked, interim) = (&mut self.asked, &mut self.interim);
        let event = self
            .stream
            .next(input, eof, |bytes, limits| parse_response(bytes, limits, asked, interim))?;
        if eof && event.is_none() && self.stream.is_in_head() && !self.asked.is_empty() {
            return Err(self.stream.fail(DecodeError::Unanswered { requests: self.asked.len() }));
        }
        Ok(event)
    }
}

fn parse_response(
    bytes: SliceBuf,
    limits: &Limits,
    asked: &mut VecDeque<Asked>,
    interim: &mut usize,
) -> Result<(ResponseHead, Follow), DecodeError> {
    let first = asked.front().ok_or(DecodeError::Unasked)?;
    let head = ResponseHead::parse(bytes, limits, *first)?;
    if head.is_interim() {
        *interim += 1;
        if *interim > limits.interim {
            return Err(DecodeError::TooManyInterim { max: limits.interim });
        }
        return Ok((head, Follow::Head));
    }
    asked.pop_front();
    *interim = 0;
    let after = match (head.switches(), head.keep_alive()) {
        (true, _) => After::Switch,
        (false, true) => After::Head,
        (false, false) => After::Close,
    };
    let follow = Follow::Body(head.body(), after);
    Ok((head, follow))
}

impl Default for ResponseDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: ByteBuf + ?Sized> Decoder<B> for ResponseDecoder {
    type Item = Event<ResponseHead>;
    type Error = DecodeError;

    fn decode(&mut self, input: &mut B) -> Result<Option<Self::Item>, DecodeError> {
        self.next(input, false)
    }

    fn decode_eof(&mut self, input: &mut B) -> Result<Option<Self::Item>, DecodeError> {
        self.next(input, true)
    }
}
