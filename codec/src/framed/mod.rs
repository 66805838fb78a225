//! Drivers: a codec, its buffers and a stream.
