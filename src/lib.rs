//! Reference-counted byte buffers for protocol codecs.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[macro_use]
mod view;
mod bridge;
mod buf;
mod composite;
#[cfg(feature = "mmap")]
mod direct;
mod error;
mod exclusive;
mod memory;
mod owned;
mod slice;
mod sync;
mod weak;

pub use buf::{ByteBuf, ByteBufMut, varint_len_u64};
pub use composite::{Components, CompositeBuf, IntoComponents};
#[cfg(feature = "mmap")]
pub use direct::DirectBuf;
pub use error::Error;
#[cfg(feature = "mmap")]
pub use memory::{Direct, DirectOptions};
pub use memory::{Heap, Storage};
pub use owned::{HeapBuf, OwnedBuf};
pub use slice::SliceBuf;
pub use weak::WeakSlice;
