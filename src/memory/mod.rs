//! What bytes live in. Knows blocks and counts, no buffer.

// The one place that talks to the allocator; clippy.toml forbids it elsewhere.
#![allow(clippy::disallowed_methods)]

mod block;
#[cfg(feature = "std")]
pub(crate) mod pooled;
mod refcount;
mod storage;
mod tracking;

pub(crate) use block::{Block, WeakBlock};
#[cfg(feature = "mmap")]
pub use storage::direct::{Direct, DirectOptions};
pub use storage::{Storage, heap::Heap};
