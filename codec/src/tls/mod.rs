//! TLS by `rustls`, over buffers.

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
