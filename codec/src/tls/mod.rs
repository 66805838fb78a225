//! TLS by `rustls`.
