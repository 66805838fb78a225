//! HTTP/1.1 (RFC 9112), for clients and servers.
//!
//! ```text
//!              RequestDecoder                    ResponseDecoder
//!   socket --- Head Data Data End ---> server,   --- Head Data End ---> client
//!   socket <-- ResponseEncoder ------- server,   <-- RequestEncoder --- client
//!              Response data End                 Request data End
//! ```
//!
//! Decoding gives events: a head, the pieces of the body as they come, the
//! end. All of them are slices of the input buffer. Encoding takes the same:
//! a head, the body's buffers, the end. [`ServerCodec`] and [`ClientCodec`]
//! are a decoder and an encoder together, and know what the one has to know of
//! the other.
//!
//! ```
//! use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, HeapBuf, SliceBuf};
//! use refbuf_codec::http1::{BodyLen, ClientCodec, Event, Request, Response, ServerCodec};
//! use refbuf_codec::{Decoder, Encoder};
//!
//! let (mut client, mut server) = (ClientCodec::new(), ServerCodec::new());
//! let mut wire = CompositeBuf::new();
//!
//! let request = Request::new("GET", "/greeting").fields([("host", "example.org")]);
//! client.encode(request, &mut wire)?;
//!
//! let mut input = HeapBuf::new();
//! let sent = wire.readable_bytes();
//! input.write_buf(&mut wire, sent);
//! while let Some(event) = server.decode(&mut input)? {
//!     if let Event::Head(head) = event {
//!         assert_eq!(head.target(), "/greeting");
//!         let body = SliceBuf::from_static(b"hello");
//!         let len = BodyLen::Length(body.readable_bytes() as u64);
//!         server.encode(Response::new(200).reason("OK").body(len), &mut wire)?;
//!         server.encode(body, &mut wire)?;
//!     }
//! }
//!
//! while let Some(event) = client.decode(&mut wire)? {
//!     match event {
//!         Event::Head(head) => assert_eq!(head.status(), 200),
//!         Event::Data(data) => assert_eq!(data, b"hello"),
//!         Event::End(_) => {}
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! On a socket a [driver](crate::framed) does the reading and writing:
//!
//! ```
//! use std::net::{TcpListener, TcpStream};
//!
//! use refbuf_codec::framed::blocking::Framed;
//! use refbuf_codec::http1::{BodyLen, ClientCodec, End, Event, Request, Response, ServerCodec};
//!
//! let listener = TcpListener::bind("127.0.0.1:0")?;
//! let client = TcpStream::connect(listener.local_addr()?)?;
//! let mut client = Framed::new(client, ClientCodec::new());
//! let mut server = Framed::new(listener.accept()?.0, ServerCodec::new());
//!
//! client.send(Request::new("GET", "/").fields([("host", "localhost")]))?;
//! while !matches!(server.receive()?, Some(Event::End(_))) {}
//! server.feed(Response::new(200).body(BodyLen::Chunked))?;
//! server.feed(&b"hello"[..])?;
//! server.send(End::new())?;
//! let mut body = Vec::new();
//! loop {
//!     match client.receive()? {
//!         Some(Event::Data(data)) => body.extend_from_slice(data.as_slice()),
//!         Some(Event::Head(head)) => assert_eq!(head.status(), 200),
//!         Some(Event::End(_)) | None => break,
//!     }
//! }
//! assert_eq!(body, b"hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is refused
//!
//! Two parties that do not agree where a message ends can be made to see
//! different messages (request smuggling). So wherever RFC 9112 lets a
//! recipient choose between mending a message and refusing it, it is refused:
//! a `Content-Length` that is repeated, a list, or anything but digits, one
//! next to a `Transfer-Encoding`, a `Transfer-Encoding` other than `chunked`
//! alone or in HTTP/1.0, lines that end with a line feed alone, folded lines,
//! spaces in front of a colon, chunk lines with anything unusual in them, a
//! second `Host`. Each has an error of its own in [`DecodeError`].
//!
//! What a peer may send is limited in bytes and in units: [`Limits`].
//!
//! # What is not done
//!
//! No date is added, nothing is compressed, no timeouts are kept (a driver's
//! job), targets are not taken apart.

mod chunked;
mod connection;
mod decode;
mod encode;
mod error;
mod fields;
mod framing;
mod head;
mod limits;
mod message;
mod scan;
mod sink;
mod stream;

pub use connection::{ClientCodec, ServerCodec};
pub use decode::{RequestDecoder, ResponseDecoder};
pub use encode::{RequestEncoder, ResponseEncoder};
pub use error::{DecodeError, EncodeError};
pub use fields::Fields;
pub use head::{Asked, BodyLen, RequestHead, ResponseHead, Version};
pub use limits::Limits;
pub use message::{End, NoFields, Request, Response};
pub use stream::Event;
