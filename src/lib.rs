//! Reference-counted byte buffers for protocol codecs.
//!
//! A codec reads bytes off a socket into a buffer, cuts frames out of it
//! without copying, hands the payloads to other threads, builds answers out of
//! headers and payloads that already exist, and sends them with one vectored
//! write:
//!
//! ```
//! use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, HeapBuf};
//!
//! let mut input = HeapBuf::with_capacity(4096);
//! input.write_bytes(b"\0\x05hello\0\x05wor"); // from a socket
//!
//! // A length and so many bytes: cut if it is all there, else wait for more.
//! let len = input.read_u16();
//! let payload = input.read_slice(len.into()); // no copy
//! let next = input.get_u16(input.reader_index());
//! assert!(input.readable_bytes() < 2 + usize::from(next));
//! input.make_room(usize::from(next)); // moves the unread bytes at most
//! input.write_bytes(b"ld");
//!
//! // The payload may be used on another thread meanwhile.
//! let worker = std::thread::spawn(move || {
//!     let mut answer = CompositeBuf::new();
//!     answer.write_u16(len);
//!     answer.push(payload); // no copy
//!     answer
//! });
//! assert_eq!(worker.join().unwrap(), b"\0\x05hello");
//! assert_eq!(input, b"\0\x05world");
//! ```
//!
//! `examples/tour` does this on a real connection, with errors and figures.
//!
//! # Choosing a type
//!
//! | I want to | type |
//! |---|---|
//! | read into a buffer and parse it; build a message | [`HeapBuf`] |
//! | the same outside the allocator: page-aligned, huge pages, large and growing, a file | `DirectBuf` (feature `mmap`) |
//! | keep, clone and send a range of bytes that stay as they are | [`SliceBuf`] |
//! | look at bytes without keeping them: a cache, an index, a debugger | [`WeakSlice`] |
//! | put together and take apart messages of many pieces, without copying | [`CompositeBuf`] |
//! | queue what is to be sent, take it in the sizes that the wire wants, know what has gone | [`CoalescingQueue`] |
//! | memory of my own kind behind all this | [`OwnedBuf`] over a [`Storage`] |
//! | write a codec for any of them | `fn f(buf: &mut impl ByteBuf)`, or `&mut dyn ByteBuf` |
//!
//! [`ByteBuf`] is what all of them can do, [`ByteBufMut`] what all but
//! `WeakSlice` can.
//!
//! # Geometry
//!
//! ```text
//!   0        reader_index       writer_index        capacity    max_capacity
//!   |  read       |    readable      |  room to write   |  may grow  |
//!   |             |                  |                  |            |
//!   |<---- get_ and set_ work here ->|
//!                 |-- read_ -->      |-- write_ -->
//! ```
//!
//! * `0 <= reader_index <= writer_index <= capacity <= max_capacity`, always.
//! * `get_` and `set_` take an absolute index and move nothing; `read_` and
//!   `write_` work at an index and move it. Writing grows the buffer, setting
//!   never does.
//! * Bytes at or past the writer index do not exist: no safe call shows memory
//!   that this buffer was not given bytes for.
//! * Reading loses nothing: the reader index may go back.
//!   [`make_room`](ByteBufMut::make_room) and
//!   [`discard_read_bytes`](ByteBufMut::discard_read_bytes) are the ones that
//!   give up what was read, and count from the first byte that is left.
//!
//! # Sharing
//!
//! A block of memory is counted; handles of it are not tied to each other's
//! lifetimes. The rules that make this safe are few:
//!
//! * **Bytes that two handles see do not change.** An owner that has handed out
//!   slices goes on writing behind them; overwriting what was handed out is
//!   [`Error::Shared`] until the slices and views are gone.
//! * **Alone means writable.** A handle that finds itself the only one, of any
//!   kind, may write in place; it looks when it has to, and pays nothing while
//!   it need not.
//! * **Released is for good.** When the last strong handle goes, by being
//!   dropped or by [`release`](ByteBuf::release), the buffer is released, and
//!   what a [`WeakSlice`] asks is [`Error::Released`]. The memory itself stays
//!   until the last handle of any kind is gone, so a late reader is told, and
//!   never sees what somebody else put there.
//!
//! # Errors
//!
//! Every accessor exists twice: `try_x` returns an [`Error`], `x` panics with
//! the same text at the caller's line. A call that fails has changed nothing.
//! Any `usize` is a legal index or length; what is out of range is an error,
//! and no sum of two of them wraps.
//!
//! # Features
//!
//! * `std` (default): `std::io` for every buffer, vectored reads and writes.
//!   Without it the crate is `no_std` with `alloc`.
//! * `mmap` (default): `DirectBuf`, through `memmap2`. Implies `std`.
//! * `portable-atomic`: for targets without 64-bit atomics.
//! * `leak-detect`: the module `leak` tells where buffers that are still there
//!   were made. Implies `std`.
//! * `metrics`: `Pool::publish_metrics`, through the `metrics` facade.
//!
//! # Where things are
//!
//! ```text
//! error.rs            Error
//! sync.rs             std's atomics or loom's, nothing else
//! memory/             what bytes live in; knows no buffer
//!   refcount.rs       the two counts in one word; knows no memory
//!   block.rs          header and memory; the only place that frees
//!   pooled.rs         blocks that go home instead
//!   tracking.rs       what leak tracking is told of them
//!   storage/          heap, direct (memory maps), foreign (any owner); trait Storage
//! buf/                what a buffer can do; knows no memory
//!   mod.rs            trait ByteBuf
//!   buf_mut.rs        trait ByteBufMut
//!   accessors.rs      the numbers of fixed width, by macro from one table
//!   uint.rs varint.rs text.rs search.rs compare.rs dump.rs io.rs
//!                     one topic each
//!   bounds.rs         the checks; chunks.rs: walking over pieces
//!   delegate.rs       &mut B and Box<B>
//! view.rs             a range of a block with two indices: what every handle has
//! exclusive.rs        the right to write a part of a block: what owners and
//!                     the components of a composite have
//! owned.rs            OwnedBuf, HeapBuf        direct.rs   DirectBuf
//! slice.rs            SliceBuf                 weak.rs     WeakSlice
//! receive.rs          ReceivePolicy: how large a receive buffer should be
//! composite/          mod.rs: the two traits   edit.rs: adding, cutting, joining
//!                     components.rs: one by one   parts.rs: what can be put in
//! queue.rs            CoalescingQueue: what is to be sent, and when it has gone
//! allocator/          mod.rs: trait BufAllocator, Unpooled   default.rs
//!   pool/             mod.rs: Pool   cache.rs: a thread's   depot.rs: all threads'
//!                     shared.rs: what they share, and the limits
//! leak.rs             who made the blocks that are still there (feature
//!                     `leak-detect`); the hooks are in memory/tracking.rs
//! bridge/             one file per neighbour: std_io, metrics
//! ```
//!
//! Arrows point one way: `error` <- `memory`, `error` <- `buf`; both <- the
//! types <- `allocator` <- `queue`, `bridge`. Nothing knows a bridge. `leak` knows
//! nothing of all this: it is told.
//!
//! Where a rule comes from:
//!
//! * what a method promises: the two traits in `buf/`;
//! * why memory is there as long as a handle is, and who frees it:
//!   `memory/refcount.rs` and `memory/block.rs`;
//! * why a pointer is in bounds and its bytes are initialised: `view.rs`;
//! * why nobody else reads or writes what is written: `exclusive.rs`;
//! * why the fast paths of a composite stay inside a component:
//!   `ReadWindow` and `TailWindow` in `composite/mod.rs`.
//!
//! Each of these is written once, as an invariant with a name, at the top of
//! its file or type; every `unsafe` block says which of them it rests on.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

/// The README's example runs too.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[macro_use]
mod view;
#[cfg(feature = "std")]
mod allocator;
mod bridge;
mod buf;
mod composite;
#[cfg(feature = "mmap")]
mod direct;
mod error;
mod exclusive;
mod hint;
#[cfg(feature = "leak-detect")]
pub mod leak;
mod memory;
mod owned;
mod queue;
mod receive;
mod slice;
mod sync;
mod weak;

#[cfg(feature = "std")]
pub use allocator::{
    BufAllocator, ClassStats, Pool, PoolConfig, PoolStats, UnknownAllocator, Unpooled,
    default_allocator, try_default_allocator,
};
pub use buf::{ByteBuf, ByteBufMut, varint_len_u64};
pub use composite::{Components, CompositeBuf, IntoComponents};
#[cfg(feature = "mmap")]
pub use direct::DirectBuf;
pub use error::Error;
#[cfg(feature = "mmap")]
pub use memory::{Direct, DirectOptions};
pub use memory::{Heap, Storage};
pub use owned::{HeapBuf, OwnedBuf};
pub use queue::{Cleared, CoalescingQueue, Refused, Taken};
pub use receive::ReceivePolicy;
pub use slice::SliceBuf;
pub use weak::WeakSlice;
