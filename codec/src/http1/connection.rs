//! Both directions of a connection in one: what one of them has to know of the
//! other is kept here.

use refbuf::{ByteBuf, CompositeBuf, SliceBuf};

use super::encode::{Answered, encode_body};
use super::{
    DecodeError, EncodeError, End, Event, Limits, Request, RequestDecoder, RequestEncoder,
    RequestHead, Response, ResponseDecoder, ResponseEncoder, ResponseHead,
};
use crate::{Decoder, Encoder};

/// A server's connection: requests in, responses out, in the same order.
///
/// The response that is encoded belongs to the first request that was decoded
/// and has none; how it is sent depends on that request
/// ([`ResponseEncoder`]). Requests can be decoded while others are not
/// answered, up to [`Limits::pipelined`].
///
/// A request that cannot be decoded can be answered too, with the status that
/// the error [suggests](DecodeError::status); that answer is the last, and
/// says so.
///
/// ```
/// use refbuf::{CompositeBuf, HeapBuf};
/// use refbuf_codec::http1::{Event, Response, ServerCodec};
/// use refbuf_codec::{Decoder, Encoder};
///
/// let mut input = HeapBuf::from(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec());
/// let mut output = CompositeBuf::new();
/// let mut server = ServerCodec::new();
/// while let Some(event) = server.decode(&mut input)? {
///     if let Event::End(_) = event {
///         server.encode(Response::new(204), &mut output)?;
///     }
/// }
/// assert_eq!(output, b"HTTP/1.1 204 \r\n\r\n");
/// assert!(!server.is_over());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ServerCodec {
    decoder: RequestDecoder,
    encoder: ResponseEncoder,
}

impl ServerCodec {
    /// With the default limits.
    ///
    /// ```
    /// use refbuf_codec::http1::ServerCodec;
    ///
    /// assert_eq!(ServerCodec::new().unanswered(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with_decoder(RequestDecoder::new())
    }

    /// With these limits.
    ///
    /// ```
    /// use refbuf_codec::http1::{Limits, ServerCodec};
    ///
    /// let server = ServerCodec::with_limits(Limits::new().pipelined(8));
    /// # let _ = server;
    /// ```
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self::with_decoder(RequestDecoder::with_limits(limits))
    }

    /// With a decoder that was set up otherwise, and has not been used.
    ///
    /// ```
    /// use refbuf_codec::http1::{RequestDecoder, ServerCodec};
    ///
    /// let server = ServerCodec::with_decoder(RequestDecoder::new().require_host(false));
    /// # let _ = server;
    /// ```
    #[must_use]
    pub fn with_decoder(decoder: RequestDecoder) -> Self {
        Self { decoder, encoder: ResponseEncoder::new() }
    }

    /// Requests whose final response has not begun.
    ///
    /// ```
    /// use refbuf_codec::http1::ServerCodec;
    ///
    /// assert_eq!(ServerCodec::new().unanswered(), 0);
    /// ```
    #[must_use]
    pub fn unanswered(&self) -> usize {
        self.encoder.expected()
    }

    /// Whether more of a response's body is to come.
    ///
    /// ```
    /// use refbuf_codec::http1::ServerCodec;
    ///
    /// assert!(!ServerCodec::new().takes_data());
    /// ```
    #[must_use]
    pub fn takes_data(&self) -> bool {
        self.encoder.takes_data()
    }

    /// Whether the last response is complete, and the connection is to be
    /// closed when all has been sent, or speaks another protocol: its first
    /// bytes are those that are left in the input.
    ///
    /// ```
    /// use refbuf_codec::http1::ServerCodec;
    ///
    /// assert!(!ServerCodec::new().is_over());
    /// ```
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.encoder.is_over()
    }

    /// What `decode` says of the input, and takes note of what the encoder has
    /// to know.
    fn hear(
        &mut self,
        decode: impl FnOnce(&mut RequestDecoder) -> Result<Option<Event<RequestHead>>, DecodeError>,
    ) -> Result<Option<Event<RequestHead>>, DecodeError> {
        let failed_before = self.decoder.is_failed();
        let mut event = decode(&mut self.decoder);
        if let Ok(Some(Event::Head(head))) = &event {
            let max = self.decoder.limits().pipelined;
            if self.encoder.expected() < max {
                self.encoder.expect(head.asked());
            } else {
                event = Err(self.decoder.fail(DecodeError::TooManyPipelined { max }));
            }
        }
        if event.is_err() && !failed_before {
            self.encoder.expect_failed(!self.decoder.is_in_head());
        }
        event
    }
}

impl Default for ServerCodec {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: ByteBuf + ?Sized> Decoder<B> for ServerCodec {
    type Item = Event<RequestHead>;
    type Error = DecodeError;

    fn decode(&mut self, input: &mut B) -> Result<Option<Self::Item>, DecodeError> {
        self.hear(|decoder| decoder.decode(input))
    }

    fn decode_eof(&mut self, input: &mut B) -> Result<Option<Self::Item>, DecodeError> {
        self.hear(|decoder| decoder.decode_eof(input))
    }
}

impl<F, N, V> Encoder<Response<'_, F>> for ServerCodec
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
        match self.encoder.start(response, output)? {
            Answered::Interim => {}
            Answered::Switched => self.decoder.switch(),
            // A request that may end the protocol is the last one decoded.
            Answered::Finally if self.encoder.expected() == 0 => self.decoder.resume(),
            Answered::Finally => {}
        }
        Ok(())
    }
}

/// A client's connection: requests out, responses in, in the same order.
///
/// ```
/// use refbuf::{CompositeBuf, HeapBuf};
/// use refbuf_codec::http1::{BodyLen, ClientCodec, Event, Request};
/// use refbuf_codec::{Decoder, Encoder};
///
/// let mut output = CompositeBuf::new();
/// let mut client = ClientCodec::new();
/// client.encode(Request::new("HEAD", "/").fields([("host", "a")]), &mut output)?;
///
/// let mut input = HeapBuf::from(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".to_vec());
/// let Some(Event::Head(head)) = client.decode(&mut input)? else { panic!() };
/// assert_eq!(head.body(), BodyLen::Empty);
/// assert!(matches!(client.decode(&mut input)?, Some(Event::End(_))));
/// assert_eq!(client.unanswered(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct ClientCodec {
    encoder: RequestEncoder,
    decoder: ResponseDecoder,
}

impl ClientCodec {
    /// With the default limits.
    ///
    /// ```
    /// use refbuf_codec::http1::ClientCodec;
    ///
    /// assert_eq!(ClientCodec::new().unanswered(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With these limits.
    ///
    /// ```
    /// use refbuf_codec::http1::{ClientCodec, Limits};
    ///
    /// let client = ClientCodec::with_limits(Limits::new().interim(0));
    /// # let _ = client;
    /// ```
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self { encoder: RequestEncoder::new(), decoder: ResponseDecoder::with_limits(limits) }
    }

    /// Requests whose final response has not begun.
    ///
    /// ```
    /// use refbuf_codec::http1::ClientCodec;
    ///
    /// assert_eq!(ClientCodec::new().unanswered(), 0);
    /// ```
    #[must_use]
    pub fn unanswered(&self) -> usize {
        self.decoder.expected()
    }

    /// Whether more of a request's body is to come.
    ///
    /// ```
    /// use refbuf_codec::http1::ClientCodec;
    ///
    /// assert!(!ClientCodec::new().takes_data());
    /// ```
    #[must_use]
    pub fn takes_data(&self) -> bool {
        self.encoder.takes_data()
    }

    /// Whether the last response has been decoded: the connection takes no
    /// more requests, or speaks another protocol, whose first bytes are those
    /// that are left in the input.
    ///
    /// ```
    /// use refbuf_codec::http1::ClientCodec;
    ///
    /// assert!(!ClientCodec::new().is_over());
    /// ```
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.decoder.is_over()
    }

    fn hear(&mut self, event: Option<Event<ResponseHead>>) -> Option<Event<ResponseHead>> {
        if let Some(Event::Head(head)) = &event {
            if head.switches() || (!head.keep_alive() && !head.is_interim()) {
                self.encoder.close();
            } else if !self.decoder.may_switch() {
                self.encoder.resume();
            }
        }
        event
    }
}

impl<B: ByteBuf + ?Sized> Decoder<B> for ClientCodec {
    type Item = Event<ResponseHead>;
    type Error = DecodeError;

    fn decode(&mut self, input: &mut B) -> Result<Option<Self::Item>, DecodeError> {
        let event = self.decoder.decode(input)?;
        Ok(self.hear(event))
    }

    fn decode_eof(&mut self, input: &mut B) -> Result<Option<Self::Item>, DecodeError> {
        let event = self.decoder.decode_eof(input)?;
        Ok(self.hear(event))
    }
}

impl<F, N, V> Encoder<Request<'_, F>> for ClientCodec
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
        let asked = self.encoder.start(request, output)?;
        self.decoder.expect(asked);
        Ok(())
    }
}

encode_body! {
    ServerCodec: encoder.sink;
    ClientCodec: encoder.sink;
}
