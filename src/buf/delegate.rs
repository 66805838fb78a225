//! `&mut B` and `Box<B>` are buffers: they hand on every call, also those that
//! have a default, so that what `B` overrides is what runs, and an access through
//! `&mut dyn ByteBuf` is one virtual call.
//!
//! The lists below are checked by `clippy::missing_trait_methods`: a method that
//! a trait has and its list lacks is an error.

use super::accessors::numbers;
use super::uint::uints;
use super::varint::varints;
use super::{ByteBuf, ByteBufMut, search};
use crate::{Error, SliceBuf};
use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};
use core::mem::MaybeUninit;
use core::ops::Range;
#[cfg(feature = "std")]
use std::io::{self, IoSlice};

/// Calls `$emit! { [$args] item item .. }` with the methods of [`ByteBuf`]
/// written out in the trait, as `ref name(arguments) -> result;`, or `mut` for
/// those that take `&mut self`. Without those that are special:
/// `io_slices`, `position`, `rposition`.
macro_rules! methods {
    ($emit:ident $($args:tt)*) => { $emit! { [$($args)*]
        ref is_accessible() -> bool;
        ref reader_index() -> usize;
        ref writer_index() -> usize;
        ref capacity() -> usize;
        ref max_capacity() -> usize;
        ref ref_count() -> usize;
        mut release() -> bool;
        ref window(index: usize, len: usize) -> Option<&[u8]>;
        mut read_window(len: usize) -> Option<&[u8]>;
        ref is_one_run() -> bool;
        ref touch() -> ();
        ref allocation_len() -> usize;
        ref retained_ratio() -> f64;
        ref readable_bytes() -> usize;
        ref is_readable() -> bool;
        mut try_set_reader_index(index: usize) -> Result<(), Error>;
        mut set_reader_index(index: usize) -> ();
        mut try_skip(n: usize) -> Result<(), Error>;
        mut skip(n: usize) -> ();
        ref try_chunk(index: usize) -> Result<&[u8], Error>;
        ref chunk(index: usize) -> &[u8];
        ref as_contiguous() -> Option<&[u8]>;
        ref is_contiguous() -> bool;
        mut try_slice(range: Range<usize>) -> Result<SliceBuf, Error>;
        mut slice(range: Range<usize>) -> SliceBuf;
        mut try_read_slice(n: usize) -> Result<SliceBuf, Error>;
        mut read_slice(n: usize) -> SliceBuf;
        ref try_get_bytes(index: usize, dst: &mut [u8]) -> Result<(), Error>;
        ref get_bytes(index: usize, dst: &mut [u8]) -> ();
        mut try_read_bytes(dst: &mut [u8]) -> Result<(), Error>;
        mut read_bytes(dst: &mut [u8]) -> ();
        ref try_to_vec() -> Result<Vec<u8>, Error>;
        ref to_vec() -> Vec<u8>;
        ref try_get_str(index: usize, len: usize) -> Result<Cow<'_, str>, Error>;
        ref get_str(index: usize, len: usize) -> Cow<'_, str>;
        mut try_read_string(len: usize) -> Result<String, Error>;
        mut read_string(len: usize) -> String;
        ref try_find_byte_in(range: Range<usize>, byte: u8) -> Result<Option<usize>, Error>;
        ref find_byte_in(range: Range<usize>, byte: u8) -> Option<usize>;
        ref find_byte(byte: u8) -> Option<usize>;
        ref bytes_before(byte: u8) -> Option<usize>;
        ref try_rfind_byte_in(range: Range<usize>, byte: u8) -> Result<Option<usize>, Error>;
        ref rfind_byte_in(range: Range<usize>, byte: u8) -> Option<usize>;
        ref rfind_byte(byte: u8) -> Option<usize>;
        ref try_find_in(range: Range<usize>, needle: &[u8]) -> Result<Option<usize>, Error>;
        ref find_in(range: Range<usize>, needle: &[u8]) -> Option<usize>;
        ref find(needle: &[u8]) -> Option<usize>;
        ref hex_dump() -> String;
    } };
}

/// The same for [`ByteBufMut`]; `advance_writer` is special.
macro_rules! methods_mut {
    ($emit:ident $($args:tt)*) => { $emit! { [$($args)*]
        mut set_window(index: usize, src: &[u8]) -> bool;
        mut write_window(src: &[u8]) -> bool;
        mut spare_capacity_mut() -> &mut [MaybeUninit<u8>];
        ref writable_bytes() -> usize;
        ref max_writable_bytes() -> usize;
        ref is_writable() -> bool;
        mut try_set_writer_index(index: usize) -> Result<(), Error>;
        mut set_writer_index(index: usize) -> ();
        mut try_set_indices(reader: usize, writer: usize) -> Result<(), Error>;
        mut set_indices(reader: usize, writer: usize) -> ();
        mut clear() -> ();
        mut try_ensure_writable(n: usize) -> Result<(), Error>;
        mut ensure_writable(n: usize) -> ();
        mut try_make_room(n: usize) -> Result<(), Error>;
        mut make_room(n: usize) -> ();
        mut discard_read_bytes() -> ();
        mut try_chunk_mut(index: usize) -> Result<&mut [u8], Error>;
        mut chunk_mut(index: usize) -> &mut [u8];
        mut try_set_bytes(index: usize, src: &[u8]) -> Result<(), Error>;
        mut set_bytes(index: usize, src: &[u8]) -> ();
        mut try_write_bytes(src: &[u8]) -> Result<(), Error>;
        mut write_bytes(src: &[u8]) -> ();
        mut try_set_zeros(index: usize, len: usize) -> Result<(), Error>;
        mut set_zeros(index: usize, len: usize) -> ();
        mut try_write_zeros(n: usize) -> Result<(), Error>;
        mut write_zeros(n: usize) -> ();
        mut try_write_buf(src: &mut dyn ByteBuf, n: usize) -> Result<(), Error>;
        mut write_buf(src: &mut dyn ByteBuf, n: usize) -> ();
        mut try_set_str(index: usize, text: &str) -> Result<usize, Error>;
        mut set_str(index: usize, text: &str) -> usize;
        mut try_write_str(text: &str) -> Result<usize, Error>;
        mut write_str(text: &str) -> usize;
    } };
}

/// Turns the rows of [`numbers!`] into items of the above form and hands them to
/// the macro that its first argument names.
macro_rules! number_methods {
    ([$emit:ident] $(
        $codec:ident: $ty:ty, $n:literal, $decode:ident, $encode:ident, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $set:ident, $try_set:ident, $write:ident, $try_write:ident;
    )*) => { $emit! { [] $(
        ref $get(index: usize) -> $ty;
        ref $try_get(index: usize) -> Result<$ty, Error>;
        mut $read() -> $ty;
        mut $try_read() -> Result<$ty, Error>;
    )* } };
}

macro_rules! number_methods_mut {
    ([$emit:ident] $(
        $codec:ident: $ty:ty, $n:literal, $decode:ident, $encode:ident, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $set:ident, $try_set:ident, $write:ident, $try_write:ident;
    )*) => { $emit! { [] $(
        mut $set(index: usize, value: $ty) -> ();
        mut $try_set(index: usize, value: $ty) -> Result<(), Error>;
        mut $write(value: $ty) -> ();
        mut $try_write(value: $ty) -> Result<(), Error>;
    )* } };
}

macro_rules! uint_methods {
    ([$emit:ident] $(
        $ty:ty, $order:ident, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $set:ident, $try_set:ident, $write:ident, $try_write:ident;
    )*) => { $emit! { [] $(
        ref $get(index: usize, nbytes: usize) -> $ty;
        ref $try_get(index: usize, nbytes: usize) -> Result<$ty, Error>;
        mut $read(nbytes: usize) -> $ty;
        mut $try_read(nbytes: usize) -> Result<$ty, Error>;
    )* } };
}

macro_rules! uint_methods_mut {
    ([$emit:ident] $(
        $ty:ty, $order:ident, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $set:ident, $try_set:ident, $write:ident, $try_write:ident;
    )*) => { $emit! { [] $(
        mut $set(index: usize, value: $ty, nbytes: usize) -> ();
        mut $try_set(index: usize, value: $ty, nbytes: usize) -> Result<(), Error>;
        mut $write(value: $ty, nbytes: usize) -> ();
        mut $try_write(value: $ty, nbytes: usize) -> Result<(), Error>;
    )* } };
}

macro_rules! varint_methods {
    ([$emit:ident] $(
        $ty:ty, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $write:ident, $try_write:ident;
    )*) => { $emit! { [] $(
        ref $get(index: usize) -> ($ty, usize);
        ref $try_get(index: usize) -> Result<($ty, usize), Error>;
        mut $read() -> $ty;
        mut $try_read() -> Result<$ty, Error>;
    )* } };
}

macro_rules! varint_methods_mut {
    ([$emit:ident] $(
        $ty:ty, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $write:ident, $try_write:ident;
    )*) => { $emit! { [] $(
        mut $write(value: $ty) -> ();
        mut $try_write(value: $ty) -> Result<(), Error>;
    )* } };
}

/// Makes methods of items.
macro_rules! forward {
    ([] $($kind:tt $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $( forward! { @$kind $name($($arg: $ty),*) -> $out } )*
    };
    (@ref $name:ident($($arg:ident: $ty:ty),*) -> $out:ty) => {
        #[inline]
        fn $name(&self $(, $arg: $ty)*) -> $out {
            (**self).$name($($arg),*)
        }
    };
    (@mut $name:ident($($arg:ident: $ty:ty),*) -> $out:ty) => {
        #[inline]
        fn $name(&mut self $(, $arg: $ty)*) -> $out {
            (**self).$name($($arg),*)
        }
    };
}

/// The panicking methods inherit `#[track_caller]` from the traits.
macro_rules! delegate {
    ($pointer:ty) => {
        #[deny(clippy::missing_trait_methods)]
        impl<B: ByteBuf + ?Sized> ByteBuf for $pointer {
            methods! { forward }
            numbers! { number_methods forward }
            uints! { uint_methods forward }
            varints! { varint_methods forward }

            #[cfg(feature = "std")]
            #[inline]
            fn io_slices<'a>(&'a self, dst: &mut [IoSlice<'a>]) -> usize {
                (**self).io_slices(dst)
            }

            #[cfg(feature = "std")]
            fn write_to(&mut self, writer: &mut dyn io::Write) -> io::Result<usize> {
                (**self).write_to(writer)
            }

            // A generic method of `B` cannot be called where `B` is a trait object.
            fn position<P: FnMut(u8) -> bool>(&self, predicate: P) -> Option<usize> {
                search::position(&**self, predicate)
            }

            fn rposition<P: FnMut(u8) -> bool>(&self, predicate: P) -> Option<usize> {
                search::rposition(&**self, predicate)
            }
        }

        #[deny(clippy::missing_trait_methods)]
        impl<B: ByteBufMut + ?Sized> ByteBufMut for $pointer {
            methods_mut! { forward }
            numbers! { number_methods_mut forward }
            uints! { uint_methods_mut forward }
            varints! { varint_methods_mut forward }

            #[cfg(feature = "std")]
            fn read_from(&mut self, reader: &mut dyn io::Read, max: usize) -> io::Result<usize> {
                (**self).read_from(reader, max)
            }

            #[inline]
            unsafe fn advance_writer(&mut self, n: usize) {
                // SAFETY: the caller's promise, about the same buffer.
                unsafe { (**self).advance_writer(n) }
            }
        }
    };
}

delegate! { &mut B }
delegate! { Box<B> }

// The tests walk the same lists.
#[cfg(all(test, feature = "std"))]
pub(super) use {
    methods, methods_mut, number_methods, number_methods_mut, uint_methods, uint_methods_mut,
    varint_methods, varint_methods_mut,
};
