//! Frames, from what is received and for what is sent.

mod decoders;
mod encoders;
mod model;
mod properties;
