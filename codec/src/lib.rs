//! Codecs over `refbuf` buffers: frames, HPACK, HTTP/1.1, TLS.
//!
//! Each of them is bytes in, items out, and the other way round, without any
//! I/O: see [`Decoder`] and [`Encoder`]. [`framed`] connects them to sockets.

#![forbid(unsafe_code)]

mod codec;
pub mod frame;
pub mod framed;
pub mod hpack;
#[cfg(feature = "httparse")]
pub mod http1;
#[cfg(feature = "rustls")]
pub mod tls;

pub use codec::{Cut, Decoder, Encoder};
