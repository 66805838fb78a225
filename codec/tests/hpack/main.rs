//! HPACK: the examples of RFC 7541, its rules, limits, every split of the
//! input, another implementation, and hostile peers.

#![allow(clippy::cast_possible_truncation)] // Of small numbers.

mod decoding;
mod encoding;
mod examples;
mod peer;
mod socket;
mod splits;
mod support;
