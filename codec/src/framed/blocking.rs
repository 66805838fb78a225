//! Over `std::io::{Read, Write}`.

use std::io::{self, Read, Write};

use refbuf::{HeapBuf, OwnedBuf, Storage};

use super::core::{Core, is_transient};
use super::{Error, Options, Parts};
use crate::{Decoder, Encoder};

/// A codec over a stream of `std::io`.
///
/// Made for streams that block, with or without timeouts. It loses nothing on
/// one that does not: what would block is an error, and can be called again.
///
/// An iterator over the items that come:
///
/// ```
/// use refbuf::ByteBuf;
/// use refbuf_codec::frame::Delimiter;
/// use refbuf_codec::framed::blocking::Framed;
///
/// let text = &b"one\ntwo\nthree"[..];
/// let mut len = 0;
/// for line in Framed::new(text, Delimiter::lines().decoder()?) {
///     len += line?.readable_bytes();
/// }
/// assert_eq!(len, 11);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Two threads can use one socket in both directions, as `&TcpStream` reads
/// and writes too:
///
/// ```
/// use std::net::{TcpListener, TcpStream};
///
/// use refbuf_codec::frame::Varint;
/// use refbuf_codec::framed::blocking::Framed;
///
/// let listener = TcpListener::bind("127.0.0.1:0")?;
/// let socket = TcpStream::connect(listener.local_addr()?)?;
/// let (peer, _) = listener.accept()?;
/// let echo = std::thread::spawn(move || std::io::copy(&mut &peer, &mut &peer));
///
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         let mut sender = Framed::new(&socket, Varint::new().encoder());
///         (0..100).for_each(|i| sender.feed(vec![i; 10_000]).unwrap());
///         sender.flush().unwrap();
///         socket.shutdown(std::net::Shutdown::Write).unwrap();
///     });
///     let receiver = Framed::new(&socket, Varint::new().decoder());
///     assert!(receiver.map(Result::unwrap).eq((0..100).map(|i| vec![i; 10_000])));
/// });
/// # echo.join().unwrap()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let mut framed = Framed::new(&b"\x02ab"[..], Varint::new().decoder());
    /// assert_eq!(framed.receive()?.unwrap(), b"ab");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
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
    /// use refbuf_codec::framed::{Options, blocking::Framed};
    ///
    /// let options = Options::new().allocator(&Unpooled);
    /// let framed = Framed::with_options(std::io::empty(), Varint::new().codec(), &options);
    /// assert_eq!(framed.count(), 0);
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
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::{Options, blocking::Framed};
    ///
    /// let input = HeapBuf::from(b"\x04re".to_vec());
    /// let (stream, decoder) = (&b"st"[..], Varint::new().decoder());
    /// let mut framed = Framed::with_input(stream, decoder, &Options::new(), input);
    /// assert_eq!(framed.receive()?.unwrap(), b"rest");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_input(stream: S, codec: C, options: &Options<'_>, input: B) -> Self {
        Self { stream, core: Core::with_input(codec, options, input) }
    }

    /// The stream.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let mut framed = Framed::new(Vec::new(), Varint::new().encoder());
    /// framed.send("ab")?;
    /// assert_eq!(framed.get_ref(), b"\x02ab");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn get_ref(&self) -> &S {
        &self.stream
    }

    /// The stream. What is read from it is missing here, what is written to it
    /// goes before what is queued.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let mut framed = Framed::new(Vec::new(), Varint::new().encoder());
    /// framed.get_mut().extend(b"magic");
    /// framed.send("ab")?;
    /// assert_eq!(framed.get_ref(), b"magic\x02ab");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
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
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let framed = Framed::new(std::io::empty(), Varint::new().decoder());
    /// assert_eq!(Decoder::<HeapBuf>::missing(framed.codec()), 0);
    /// ```
    pub const fn codec(&self) -> &C {
        &self.core.codec
    }

    /// The codec, to change its settings.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let mut framed = Framed::new(Vec::new(), Varint::new().encoder());
    /// *framed.codec_mut() = Varint::new().max_frame_len(1).encoder();
    /// assert!(framed.send("ab").is_err());
    /// ```
    pub const fn codec_mut(&mut self) -> &mut C {
        &mut self.core.codec
    }

    /// Bytes that were encoded and are not written yet.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let mut framed = Framed::new(Vec::new(), Varint::new().encoder());
    /// framed.feed("ab")?;
    /// assert_eq!(framed.queued(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn queued(&self) -> usize {
        self.core.queued()
    }

    /// Takes it apart. What is not decoded, and not written, is among the
    /// [`Parts`].
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let mut framed = Framed::new(&b"\x02ab\x02c"[..], Varint::new().decoder());
    /// framed.receive()?;
    /// assert_eq!(framed.into_parts().input, b"\x02c");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_parts(self) -> Parts<S, C, B> {
        self.core.into_parts(self.stream)
    }
}

impl<S: Read, C: Decoder<OwnedBuf<M>>, M: Storage> Framed<S, C, OwnedBuf<M>> {
    /// The next item, from what was received or, if that is not enough, from
    /// the stream. `None` if the stream ended where it may, and from then on.
    ///
    /// # Errors
    ///
    /// [`Error::Codec`]: if the decoder [recovers](Decoder::recovers) from it,
    /// the next call goes on. [`Error::Io`]: if it
    /// [is transient](Error::is_transient), the next call goes on where this
    /// one was. [`Error::Buffer`]: nothing was read. After any other error
    /// there is only `None`.
    ///
    /// ```
    /// use refbuf_codec::frame::{FrameError, Varint};
    /// use refbuf_codec::framed::{Error, blocking::Framed};
    ///
    /// let bytes = &b"\x04long\x02ab\x02c"[..];
    /// let mut framed = Framed::new(bytes, Varint::new().max_frame_len(3).decoder());
    /// let too_long = framed.receive().unwrap_err();
    /// assert!(matches!(too_long, Error::Codec(FrameError::TooLong { len: 4, max: 3 })));
    /// assert_eq!(framed.receive()?.unwrap(), b"ab");
    /// let truncated = framed.receive().unwrap_err();
    /// assert!(matches!(truncated, Error::Codec(FrameError::Truncated { .. })));
    /// assert_eq!(framed.receive()?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn receive(&mut self) -> Result<Option<C::Item>, Error<C::Error>> {
        self.core.receive(&mut self.stream)
    }
}

/// The items that come, and the errors; see [`receive`](Framed::receive).
impl<S: Read, C: Decoder<OwnedBuf<M>>, M: Storage> Iterator for Framed<S, C, OwnedBuf<M>> {
    type Item = Result<C::Item, Error<C::Error>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.receive().transpose()
    }
}

impl<S: Write, C, B> Framed<S, C, B> {
    /// [Feeds](Self::feed) an item and [flushes](Self::flush).
    ///
    /// # Errors
    ///
    /// As these two.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let mut framed = Framed::new(Vec::new(), Varint::new().encoder());
    /// framed.send("ab")?;
    /// assert_eq!(framed.get_ref(), b"\x02ab");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn send<Item>(&mut self, item: Item) -> Result<(), Error<C::Error>>
    where
        C: Encoder<Item>,
    {
        self.feed(item)?;
        Ok(self.flush()?)
    }

    /// Queues an item and, if the [limit](Options::write_limit) is reached,
    /// writes what is queued.
    ///
    /// # Errors
    ///
    /// [`Error::Codec`]: nothing of the item was queued. [`Error::Io`]: the
    /// stream failed; if that [is transient](Error::is_transient) it would
    /// block, and the item is queued. [`Error::Full`]: that was so before, it
    /// still is, and the item was not taken; [`ready`](Self::ready) tells
    /// beforehand.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let mut framed = Framed::new(Vec::new(), Varint::new().encoder());
    /// framed.feed("a")?;
    /// framed.feed("b")?;
    /// framed.flush()?;
    /// assert_eq!(framed.get_ref(), b"\x01a\x01b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn feed<Item>(&mut self, item: Item) -> Result<(), Error<C::Error>>
    where
        C: Encoder<Item>,
    {
        match self.core.make_ready(&mut self.stream) {
            Err(error) if is_transient(&error) => {
                return Err(Error::Full { queued: self.core.queued() });
            }
            result => result?,
        }
        self.core.encode(item)?;
        Ok(self.ready()?)
    }

    /// Writes what is queued, if the [limit](Options::write_limit) is reached,
    /// and succeeds if it no longer is: [`feed`](Self::feed) will take an item.
    ///
    /// # Errors
    ///
    /// Those of the stream. What was not written stays queued.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let mut framed = Framed::new(Vec::new(), Varint::new().encoder());
    /// framed.ready()?;
    /// framed.feed("ab")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ready(&mut self) -> io::Result<()> {
        self.core.make_ready(&mut self.stream)
    }

    /// Writes all that is queued, and flushes the stream.
    ///
    /// # Errors
    ///
    /// Those of the stream. What was not written stays queued.
    ///
    /// ```
    /// use refbuf_codec::frame::Varint;
    /// use refbuf_codec::framed::blocking::Framed;
    ///
    /// let mut framed = Framed::new(Vec::new(), Varint::new().encoder());
    /// framed.feed("ab")?;
    /// framed.flush()?;
    /// assert_eq!(framed.queued(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flush(&mut self) -> io::Result<()> {
        self.core.write_all(&mut self.stream)?;
        self.stream.flush()
    }
}
