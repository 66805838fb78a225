//! Over tokio's `AsyncRead` and `AsyncWrite`.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::tokio::io::{AsyncRead, AsyncWrite};
use futures_core::Stream;
use futures_sink::Sink;
use refbuf::{HeapBuf, OwnedBuf, Storage};

use super::core::Core;
use super::{Error, Options, Parts};
use crate::polled::poll;
use crate::{Decoder, Encoder};

/// A codec over a stream of tokio: a [`Stream`] of the items that come, a
/// [`Sink`] for those to send.
///
/// ```
/// use futures_util::{SinkExt, StreamExt};
/// use refbuf_codec::frame::LengthField;
/// use refbuf_codec::framed::tokio::Framed;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (client, server) = tokio::io::duplex(1000);
/// let mut client = Framed::new(client, LengthField::new(4).codec()?);
/// let mut server = Framed::new(server, LengthField::new(4).codec()?);
///
/// client.send("hello").await?;
/// let frame = server.next().await.unwrap()?;
/// server.send(frame).await?; // back, without a copy of its own
/// assert_eq!(client.next().await.unwrap()?, b"hello");
///
/// drop(client);
/// assert!(server.next().await.is_none());
/// # Ok(())
/// # }
/// ```
///
/// As a stream it ends after an error that the decoder does not
/// [recover](Decoder::recovers) from, and after one of the socket. It is fused:
/// polled behind its end it says again that it has ended.
///
/// As a sink it is ready while less than the
/// [limit](Options::write_limit) is queued; else it writes first. Closing it
/// flushes and shuts the sending direction down; items go on coming.
///
/// One poll does a bounded number of reads or writes. Dropping a future of
/// `StreamExt::next` or `SinkExt::flush` loses nothing.
#[derive(Debug)]
pub struct Framed<S, C, B = HeapBuf> {
    stream: S,
    core: Core<C, B>,
}

impl<S, C> Framed<S, C> {
    /// With the defaults of [`Options`]. Takes no memory yet.
    ///
    /// # Panics
    ///
    /// As [`default_allocator`](refbuf::default_allocator).
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::tokio::Framed;
    ///
    /// let framed = Framed::new(tokio::io::empty(), Varint::new().codec());
    /// ```
    pub fn new(stream: S, codec: C) -> Self {
        Self::with_options(stream, codec, &Options::new())
    }

    /// With these options; see there.
    ///
    /// # Panics
    ///
    /// If the allocator has no memory, or as
    /// [`default_allocator`](refbuf::default_allocator) if none is given.
    ///
    /// ```
    /// use refbuf::Unpooled;
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::{Options, tokio::Framed};
    ///
    /// let options = Options::new().allocator(&Unpooled).write_limit(1 << 20);
    /// let framed = Framed::with_options(tokio::io::empty(), Varint::new().codec(), &options);
    /// ```
    pub fn with_options(stream: S, codec: C, options: &Options<'_>) -> Self {
        Self { stream, core: Core::new(codec, options) }
    }
}

impl<S, C, B> Framed<S, C, B> {
    /// Receives into `input`, decoding what is in it first.
    ///
    /// # Panics
    ///
    /// As [`default_allocator`](refbuf::default_allocator), if none is given.
    ///
    /// ```
    /// use futures_util::StreamExt;
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::{Options, tokio::Framed};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let input = HeapBuf::from(b"\x04re".to_vec());
    /// let (stream, decoder) = (&b"st"[..], Varint::new().decoder());
    /// let mut framed = Framed::with_input(stream, decoder, &Options::new(), input);
    /// assert_eq!(framed.next().await.unwrap()?, b"rest");
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_input(stream: S, codec: C, options: &Options<'_>, input: B) -> Self {
        Self { stream, core: Core::with_input(codec, options, input) }
    }

    /// The stream.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::tokio::Framed;
    ///
    /// let framed = Framed::new(&b"\x02ab"[..], Varint::new().decoder());
    /// assert_eq!(framed.get_ref().len(), 3);
    /// ```
    pub const fn get_ref(&self) -> &S {
        &self.stream
    }

    /// The stream. What is read from it is missing here, what is written to it
    /// goes before what is queued.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::tokio::Framed;
    ///
    /// let mut framed = Framed::new(&b"magic\x02ab"[..], Varint::new().decoder());
    /// *framed.get_mut() = &framed.get_ref()[5..];
    /// ```
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    /// The codec.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::tokio::Framed;
    ///
    /// let framed = Framed::new(tokio::io::empty(), Varint::new().decoder());
    /// assert_eq!(Decoder::<HeapBuf>::missing(framed.codec()), 0);
    /// ```
    pub const fn codec(&self) -> &C {
        &self.core.codec
    }

    /// The codec, to change its settings.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::tokio::Framed;
    ///
    /// let mut framed = Framed::new(tokio::io::empty(), Varint::new().decoder());
    /// *framed.codec_mut() = Varint::new().max_frame_len(1).decoder();
    /// ```
    pub const fn codec_mut(&mut self) -> &mut C {
        &mut self.core.codec
    }

    /// Bytes that were encoded and are not written yet.
    ///
    /// ```
    /// use futures_util::SinkExt;
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::tokio::Framed;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut framed = Framed::new(Vec::new(), Varint::new().encoder());
    /// framed.feed("ab").await?;
    /// assert_eq!(framed.queued(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn queued(&self) -> usize {
        self.core.queued()
    }

    /// Takes it apart. What is not decoded, and not written, is among the
    /// [`Parts`].
    ///
    /// ```
    /// use futures_util::StreamExt;
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::tokio::Framed;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut framed = Framed::new(&b"\x02ab\x02c"[..], Varint::new().decoder());
    /// framed.next().await.unwrap()?;
    /// assert_eq!(framed.into_parts().input, b"\x02c");
    /// # Ok(())
    /// # }
    /// ```
    pub fn into_parts(self) -> Parts<S, C, B> {
        self.core.into_parts(self.stream)
    }
}

/// Of all this only the stream is ever pinned, and that has to be `Unpin`.
impl<S: Unpin, C, B> Unpin for Framed<S, C, B> {}

impl<S, C, M> Stream for Framed<S, C, OwnedBuf<M>>
where
    S: AsyncRead + Unpin,
    C: Decoder<OwnedBuf<M>>,
    M: Storage,
{
    type Item = Result<C::Item, Error<C::Error>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let result =
            poll(&mut this.stream, cx, Error::would_block, |reader| this.core.receive(reader));
        result.map(Result::transpose)
    }
}

impl<S, C, B, Item> Sink<Item> for Framed<S, C, B>
where
    S: AsyncWrite + Unpin,
    C: Encoder<Item>,
{
    type Error = Error<C::Error>;

    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let this = self.get_mut();
        poll(&mut this.stream, cx, Error::would_block, |writer| Ok(this.core.make_ready(writer)?))
    }

    fn start_send(self: Pin<&mut Self>, item: Item) -> Result<(), Self::Error> {
        self.get_mut().core.encode(item)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let this = self.get_mut();
        ready!(poll(&mut this.stream, cx, Error::would_block, |writer| Ok(this
            .core
            .write_all(writer)?)))?;
        Pin::new(&mut this.stream).poll_flush(cx).map_err(Error::Io)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        ready!(self.as_mut().poll_flush(cx))?;
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx).map_err(Error::Io)
    }
}
