//! Frames: messages cut out of a stream of bytes.
