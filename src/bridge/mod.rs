//! Neighbours: one file each. Nothing else knows them.

#[cfg(feature = "std")]
mod std_io;
