//! The pool and the other allocators, from outside.
//!
//! * [`overlap`]: random use by several threads; nothing overlaps;
//! * [`accounting`]: what is taken comes back, wherever and whenever it is
//!   dropped;
//! * [`limits`]: `max_bytes`, `max_idle`, memory that is constant where use is;
//! * [`growth`]: buffers stay with the pool, and the handles of its blocks;
//! * [`secrets`]: what an earlier user wrote;
//! * [`quiet`]: no calls to the allocator, no page faults;
//! * [`refusals`]: the global allocator fails at the n-th call;
//! * [`choice`]: several pools, the global one, the environment.

#![cfg(all(feature = "mmap", not(loom)))]
#![allow(clippy::cast_possible_truncation)] // Of test data.

mod accounting;
mod choice;
mod growth;
mod limits;
mod overlap;
mod quiet;
mod refusals;
mod secrets;
mod support;
#[path = "../support/watched.rs"]
mod watched;
