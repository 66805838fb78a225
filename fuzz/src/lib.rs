//! What the fuzz targets do: one module each. Every one compares the library
//! with a naive model; `run` panics where they differ.

pub mod bounds;
pub mod frame_decode;
pub mod frame_roundtrip;
pub mod hpack_decode;
pub mod hpack_roundtrip;
pub mod http1_chunked;
pub mod http1_decode;
pub mod ops_composite;
pub mod ops_owned;
pub mod queue;
pub mod search_compare;
pub mod tls_damaged;
pub mod varint_text;

#[path = "../../codec/tests/http1/seen.rs"]
mod http1_seen;
mod kinds;
