//! The drivers, over streams that do what a test says and over real sockets.

mod blocking;
mod hostile;
mod script;
#[cfg(feature = "tokio")]
mod tokio;
