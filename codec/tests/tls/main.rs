//! TLS sessions and streams, against each other and against plain `rustls`.

#[cfg(feature = "tokio")]
mod asynchronous;
mod closing;
mod configs;
mod hostile;
mod interop;
mod sending;
mod support;
