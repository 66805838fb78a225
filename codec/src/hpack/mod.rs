//! HPACK (RFC 7541): header compression of HTTP/2.
