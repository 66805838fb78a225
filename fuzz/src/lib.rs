//! What the fuzz targets do: one module each. Every one compares the library
//! with a naive model; `run` panics where they differ.

pub mod bounds;
pub mod ops_composite;
pub mod ops_owned;
pub mod queue;
pub mod search_compare;
pub mod tls_damaged;
pub mod varint_text;

mod kinds;
