//! TLS by `rustls`, over buffers: how much is wrapped at once is up to you.
//!
//! [`Session`] is one side of a connection without a socket, [`TlsStream`] is
//! a session on one that reads and writes. The application brings `rustls`'s
//! configurations, and with them the cryptography; versions 1.2 and 1.3 work.
//!
//! # Sending
//!
//! Buffers are queued as they are, in a
//! [`CoalescingQueue`](refbuf::CoalescingQueue). A wrap takes
//! [`wrap_data_size`](TlsOptions::wrap_data_size) bytes off it, of one buffer
//! or of many, encrypts them into one block and hands that to the socket:
//!
//! * Small buffers share records. Each record costs its header and tag (22
//!   bytes in TLS 1.3), and at both ends as much time as some hundred bytes of
//!   payload.
//! * Large ones leave with fewer writes if the size is larger, and need an
//!   outgoing block that is as large. 64 KiB to 256 KiB are four to sixteen
//!   records a write in a block that stays in the cache.
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

mod connection;
mod error;
mod inbound;
mod options;
mod outbound;
mod session;
mod staging;
mod stream;

pub use error::TlsError;
pub use options::TlsOptions;
pub use session::Session;
pub use stream::TlsStream;
