//! Codecs over [`refbuf`] buffers, and drivers that connect them to sockets.
//!
//! | module | what it speaks | feature |
//! |---|---|---|
//! | [`frame`] | messages with a length in front (fixed width, varint) or a delimiter behind (lines) | |
//! | [`hpack`] | header compression of HTTP/2, RFC 7541 | |
//! | [`http1`] | HTTP/1.1, both sides, RFC 9112 | `httparse` |
//! | [`tls`] | TLS 1.2 and 1.3 by `rustls` | `rustls` |
//! | [`framed`] | no protocol: a codec, its buffers and a stream, of `std` or of tokio | `tokio` for the latter |
//!
//! The features are all on by default. `tls` brings no cryptography: the
//! application chooses a provider for `rustls`.
//!
//! A codec does no I/O. It takes items off a buffer as their bytes come, and
//! appends items to one: [`Decoder`] and [`Encoder`], which a codec of your own
//! implements too. What is cut off shares the memory it was received into; what
//! is large is sent from where it is.
//!
//! ```
//! use std::net::{TcpListener, TcpStream};
//!
//! use refbuf_codec::frame::LengthField;
//! use refbuf_codec::framed::blocking::Framed;
//!
//! let listener = TcpListener::bind("127.0.0.1:0")?;
//! let address = listener.local_addr()?;
//! let server = std::thread::spawn(move || -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//!     let codec = LengthField::new(4).max_frame_len(1 << 20).codec()?;
//!     let mut peer = Framed::new(listener.accept()?.0, codec);
//!     while let Some(frame) = peer.receive()? {
//!         peer.send(frame)?; // the received bytes, back
//!     }
//!     Ok(())
//! });
//!
//! let mut client = Framed::new(TcpStream::connect(address)?, LengthField::new(4).codec()?);
//! client.send("hello")?;
//! assert_eq!(client.receive()?.unwrap(), b"hello");
//! drop(client);
//! server.join().unwrap().unwrap();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a peer can do
//!
//! The other end is taken for hostile. All codecs and drivers keep to this:
//!
//! * No length from the wire is used before it was compared with a limit, and
//!   no memory is taken for what was only announced.
//! * Units are counted as well as bytes: headers, chunks, frames without
//!   content.
//! * What is wrong with the input is an error that says so, never a panic. Where
//!   decoding can go on, it does so exactly behind what was wrong; otherwise the
//!   same error comes again.
//! * The bytes may come in any pieces: what is decoded, and what is refused, is
//!   the same. A peer that sends slowly makes nobody look at a byte twice.
//! * What waits to be sent to a peer that does not read is limited.
//!
//! Tests over real sockets, against naive models, and fuzz targets hold them to
//! it; there is no `unsafe` in this crate.

#![forbid(unsafe_code)]

mod codec;
pub mod frame;
pub mod framed;
pub mod hpack;
#[cfg(feature = "httparse")]
pub mod http1;
#[cfg(feature = "tokio")]
mod polled;
#[cfg(feature = "rustls")]
pub mod tls;

pub use codec::{Cut, Decoder, Encoder};
