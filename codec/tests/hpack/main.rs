//! HPACK: the examples of RFC 7541, its rules, limits, every split of the
//! input, another implementation, and hostile peers.

mod decoding;
mod encoding;
mod examples;
mod peer;
mod socket;
mod splits;
mod support;
