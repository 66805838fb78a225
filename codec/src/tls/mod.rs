//! TLS by `rustls`, over buffers: how much is wrapped at once is up to you.
//!
//! [`Session`] is one side of a connection without a socket, [`TlsStream`] is
//! a session on one that reads and writes, `AsyncTlsStream` (feature `tokio`) on
//! one of tokio's. The application brings `rustls`'s
//! configurations, and with them the cryptography; versions 1.2 and 1.3 work.
//!
//! # Sending
//!
//! Buffers are queued as they are, in a
//! [`CoalescingQueue`](refbuf::CoalescingQueue). A wrap takes
//! [`wrap_data_size`](TlsOptions::wrap_data_size) bytes off it, of one buffer
//! or of many, and encrypts them into the block that goes to the socket:
//!
//! * Small buffers share records. Each record costs its header and tag (22
//!   bytes in TLS 1.3), and at both ends as much time as some hundred bytes of
//!   payload.
//! * Large ones leave with 64 KiB a write, or as much as is wrapped at once, up
//!   to 256 KiB, and need an outgoing block that is as large. That is what stays
//!   in the cache on the way.
//! * What a slow peer does not take stays plaintext, which others may be using
//!   anyway: not more than
//!   [`outbound_limit`](TlsOptions::outbound_limit) bytes and one record are
//!   ciphertext at a time.
//!
//! Records end where pieces of memory end: `rustls` encrypts contiguous bytes.
//! Short pieces next to each other are copied together before.
//!
//! # Receiving
//!
//! Reads are as large as the traffic makes worthwhile, up to 64 KiB; records
//! are decrypted where they were received; what was in all of them comes out
//! as one slice that can be kept.
//!
//! `examples/tls` measures both.

#[cfg(feature = "tokio")]
mod async_stream;
mod connection;
mod drive;
mod error;
mod inbound;
mod options;
mod outbound;
mod session;
mod staging;
mod stream;

#[cfg(feature = "tokio")]
pub use async_stream::AsyncTlsStream;
pub use error::TlsError;
pub use options::TlsOptions;
pub use session::Session;
pub use stream::TlsStream;
