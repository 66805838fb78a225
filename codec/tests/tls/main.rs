//! TLS sessions and streams, against each other and against plain `rustls`.

#![cfg(feature = "rustls")]

mod closing;
mod hostile;
mod interop;
mod lessons;
mod sending;
mod support;

include!("configs.rs");
