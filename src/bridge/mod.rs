//! Neighbours: one file each. Nothing else knows them.

#[cfg(feature = "metrics")]
mod metrics;
#[cfg(feature = "std")]
mod std_io;
