//! The typed family: numbers of a fixed width.
//!
//! [`numbers!`] is the one table of them. It hands its rows to the macro it is
//! given: the traits make methods of them, the delegation makes signatures.

use super::{ByteBuf, ByteBufMut};
use crate::error::{Error, OrPanic};

/// Calls `$emit! { [$args] row; row; .. }`.
///
/// A row: `codec: type, bytes, decode, encode, "in words", sample, names..;`
/// where `codec` has the functions `decode` and `encode` between the type and
/// an array of `bytes`.
macro_rules! numbers {
    ($emit:ident $($args:tt)*) => { $emit! { [$($args)*]
        u8: u8, 1, from_be_bytes, to_be_bytes, "a `u8`", 0xfe,
            get_u8, try_get_u8, read_u8, try_read_u8,
            set_u8, try_set_u8, write_u8, try_write_u8;
        i8: i8, 1, from_be_bytes, to_be_bytes, "an `i8`", -2,
            get_i8, try_get_i8, read_i8, try_read_i8,
            set_i8, try_set_i8, write_i8, try_write_i8;
        Bool: bool, 1, from_be_bytes, to_be_bytes, "a `bool` (0 is false, the rest true)", true,
            get_bool, try_get_bool, read_bool, try_read_bool,
            set_bool, try_set_bool, write_bool, try_write_bool;
        u16: u16, 2, from_be_bytes, to_be_bytes, "a big-endian `u16`", 0xfedc,
            get_u16, try_get_u16, read_u16, try_read_u16,
            set_u16, try_set_u16, write_u16, try_write_u16;
        u16: u16, 2, from_le_bytes, to_le_bytes, "a little-endian `u16`", 0xfedc,
            get_u16_le, try_get_u16_le, read_u16_le, try_read_u16_le,
            set_u16_le, try_set_u16_le, write_u16_le, try_write_u16_le;
        i16: i16, 2, from_be_bytes, to_be_bytes, "a big-endian `i16`", -2,
            get_i16, try_get_i16, read_i16, try_read_i16,
            set_i16, try_set_i16, write_i16, try_write_i16;
        i16: i16, 2, from_le_bytes, to_le_bytes, "a little-endian `i16`", -2,
            get_i16_le, try_get_i16_le, read_i16_le, try_read_i16_le,
            set_i16_le, try_set_i16_le, write_i16_le, try_write_i16_le;
        U24: u32, 3, from_be_bytes, to_be_bytes, "a big-endian 24-bit unsigned integer", 0xfedcba,
            get_u24, try_get_u24, read_u24, try_read_u24,
            set_u24, try_set_u24, write_u24, try_write_u24;
        U24: u32, 3, from_le_bytes, to_le_bytes, "a little-endian 24-bit unsigned integer", 0xfedcba,
            get_u24_le, try_get_u24_le, read_u24_le, try_read_u24_le,
            set_u24_le, try_set_u24_le, write_u24_le, try_write_u24_le;
        I24: i32, 3, from_be_bytes, to_be_bytes, "a big-endian 24-bit signed integer", -2,
            get_i24, try_get_i24, read_i24, try_read_i24,
            set_i24, try_set_i24, write_i24, try_write_i24;
        I24: i32, 3, from_le_bytes, to_le_bytes, "a little-endian 24-bit signed integer", -2,
            get_i24_le, try_get_i24_le, read_i24_le, try_read_i24_le,
            set_i24_le, try_set_i24_le, write_i24_le, try_write_i24_le;
        u32: u32, 4, from_be_bytes, to_be_bytes, "a big-endian `u32`", 0xfedcba98,
            get_u32, try_get_u32, read_u32, try_read_u32,
            set_u32, try_set_u32, write_u32, try_write_u32;
        u32: u32, 4, from_le_bytes, to_le_bytes, "a little-endian `u32`", 0xfedcba98,
            get_u32_le, try_get_u32_le, read_u32_le, try_read_u32_le,
            set_u32_le, try_set_u32_le, write_u32_le, try_write_u32_le;
        i32: i32, 4, from_be_bytes, to_be_bytes, "a big-endian `i32`", -2,
            get_i32, try_get_i32, read_i32, try_read_i32,
            set_i32, try_set_i32, write_i32, try_write_i32;
        i32: i32, 4, from_le_bytes, to_le_bytes, "a little-endian `i32`", -2,
            get_i32_le, try_get_i32_le, read_i32_le, try_read_i32_le,
            set_i32_le, try_set_i32_le, write_i32_le, try_write_i32_le;
        u64: u64, 8, from_be_bytes, to_be_bytes, "a big-endian `u64`", 0xfedcba98_76543210,
            get_u64, try_get_u64, read_u64, try_read_u64,
            set_u64, try_set_u64, write_u64, try_write_u64;
        u64: u64, 8, from_le_bytes, to_le_bytes, "a little-endian `u64`", 0xfedcba98_76543210,
            get_u64_le, try_get_u64_le, read_u64_le, try_read_u64_le,
            set_u64_le, try_set_u64_le, write_u64_le, try_write_u64_le;
        i64: i64, 8, from_be_bytes, to_be_bytes, "a big-endian `i64`", -2,
            get_i64, try_get_i64, read_i64, try_read_i64,
            set_i64, try_set_i64, write_i64, try_write_i64;
        i64: i64, 8, from_le_bytes, to_le_bytes, "a little-endian `i64`", -2,
            get_i64_le, try_get_i64_le, read_i64_le, try_read_i64_le,
            set_i64_le, try_set_i64_le, write_i64_le, try_write_i64_le;
        u128: u128, 16, from_be_bytes, to_be_bytes, "a big-endian `u128`", 0xfedcba98_76543210,
            get_u128, try_get_u128, read_u128, try_read_u128,
            set_u128, try_set_u128, write_u128, try_write_u128;
        u128: u128, 16, from_le_bytes, to_le_bytes, "a little-endian `u128`", 0xfedcba98_76543210,
            get_u128_le, try_get_u128_le, read_u128_le, try_read_u128_le,
            set_u128_le, try_set_u128_le, write_u128_le, try_write_u128_le;
        i128: i128, 16, from_be_bytes, to_be_bytes, "a big-endian `i128`", -2,
            get_i128, try_get_i128, read_i128, try_read_i128,
            set_i128, try_set_i128, write_i128, try_write_i128;
        i128: i128, 16, from_le_bytes, to_le_bytes, "a little-endian `i128`", -2,
            get_i128_le, try_get_i128_le, read_i128_le, try_read_i128_le,
            set_i128_le, try_set_i128_le, write_i128_le, try_write_i128_le;
        f32: f32, 4, from_be_bytes, to_be_bytes, "a big-endian `f32`", -2.5,
            get_f32, try_get_f32, read_f32, try_read_f32,
            set_f32, try_set_f32, write_f32, try_write_f32;
        f32: f32, 4, from_le_bytes, to_le_bytes, "a little-endian `f32`", -2.5,
            get_f32_le, try_get_f32_le, read_f32_le, try_read_f32_le,
            set_f32_le, try_set_f32_le, write_f32_le, try_write_f32_le;
        f64: f64, 8, from_be_bytes, to_be_bytes, "a big-endian `f64`", -2.5,
            get_f64, try_get_f64, read_f64, try_read_f64,
            set_f64, try_set_f64, write_f64, try_write_f64;
        f64: f64, 8, from_le_bytes, to_le_bytes, "a little-endian `f64`", -2.5,
            get_f64_le, try_get_f64_le, read_f64_le, try_read_f64_le,
            set_f64_le, try_set_f64_le, write_f64_le, try_write_f64_le;
    } };
}

/// The methods of [`ByteBuf`].
macro_rules! get_methods {
    ([] $(
        $codec:ident: $ty:ty, $n:literal, $decode:ident, $encode:ident, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $set:ident, $try_set:ident, $write:ident, $try_write:ident;
    )*) => { $(
        #[doc = concat!("Gets ", $what, " at the absolute `index`; moves nothing.")]
        ///
        /// # Errors
        ///
        /// [`Error::OutOfBounds`] unless all its bytes are below the writer
        /// index; [`Error::Released`].
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ");")]
        #[doc = concat!("assert_eq!(buf.", stringify!($try_get), "(0), Ok(", stringify!($sample), "));")]
        #[doc = concat!("assert!(buf.", stringify!($try_get), "(1).is_err());")]
        /// ```
        #[inline]
        fn $try_get(&self, index: usize) -> Result<$ty, Error> {
            match self.window(index, $n).and_then(<[u8]>::first_chunk) {
                Some(bytes) => Ok(<$codec>::$decode(*bytes)),
                None => $crate::buf::accessors::try_get(self, index, <$codec>::$decode),
            }
        }

        #[doc = concat!("Gets ", $what, " at the absolute `index`; moves nothing.")]
        ///
        /// # Panics
        ///
        #[doc = concat!("Where [`", stringify!($try_get), "`](Self::", stringify!($try_get), ") is an error.")]
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ");")]
        #[doc = concat!("assert_eq!(buf.", stringify!($get), "(0), ", stringify!($sample), ");")]
        /// ```
        #[inline]
        #[track_caller]
        fn $get(&self, index: usize) -> $ty {
            match self.window(index, $n).and_then(<[u8]>::first_chunk) {
                Some(bytes) => <$codec>::$decode(*bytes),
                None => $crate::buf::accessors::get(self, index, <$codec>::$decode),
            }
        }

        #[doc = concat!("Reads ", $what, " at the reader index, and moves it past that.")]
        ///
        /// # Errors
        ///
        #[doc = concat!("[`Error::Underflow`] if fewer than ", stringify!($n), " bytes are readable;")]
        /// [`Error::Released`].
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ");")]
        #[doc = concat!("assert_eq!(buf.", stringify!($try_read), "(), Ok(", stringify!($sample), "));")]
        #[doc = concat!("assert!(buf.", stringify!($try_read), "().is_err());")]
        /// ```
        #[inline]
        fn $try_read(&mut self) -> Result<$ty, Error> {
            match self.read_window($n).and_then(<[u8]>::first_chunk) {
                Some(bytes) => Ok(<$codec>::$decode(*bytes)),
                None => $crate::buf::accessors::try_read(self, <$codec>::$decode),
            }
        }

        #[doc = concat!("Reads ", $what, " at the reader index, and moves it past that.")]
        ///
        /// # Panics
        ///
        #[doc = concat!("Where [`", stringify!($try_read), "`](Self::", stringify!($try_read), ") is an error.")]
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ");")]
        #[doc = concat!("assert_eq!(buf.", stringify!($read), "(), ", stringify!($sample), ");")]
        #[doc = concat!("assert_eq!(buf.reader_index(), ", stringify!($n), ");")]
        /// ```
        #[inline]
        #[track_caller]
        fn $read(&mut self) -> $ty {
            match self.read_window($n).and_then(<[u8]>::first_chunk) {
                Some(bytes) => <$codec>::$decode(*bytes),
                None => $crate::buf::accessors::read(self, <$codec>::$decode),
            }
        }
    )* };
}

/// The methods of [`ByteBufMut`].
macro_rules! set_methods {
    ([] $(
        $codec:ident: $ty:ty, $n:literal, $decode:ident, $encode:ident, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $set:ident, $try_set:ident, $write:ident, $try_write:ident;
    )*) => { $(
        #[doc = concat!("Overwrites ", $what, " at the absolute `index`; moves nothing, never grows.")]
        ///
        /// # Errors
        ///
        /// As [`try_set_bytes`](Self::try_set_bytes).
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        #[doc = concat!("let mut buf = HeapBuf::from(vec![0; ", stringify!($n), "]);")]
        #[doc = concat!("buf.", stringify!($try_set), "(0, ", stringify!($sample), ")?;")]
        #[doc = concat!("assert_eq!(buf.", stringify!($get), "(0), ", stringify!($sample), ");")]
        #[doc = concat!("assert!(buf.", stringify!($try_set), "(1, ", stringify!($sample), ").is_err());")]
        /// # Ok::<(), refbuf::Error>(())
        /// ```
        #[inline]
        fn $try_set(&mut self, index: usize, value: $ty) -> Result<(), Error> {
            let bytes = <$codec>::$encode(value);
            if self.set_window(index, &bytes) {
                Ok(())
            } else {
                $crate::buf::accessors::try_set(self, index, bytes)
            }
        }

        #[doc = concat!("Overwrites ", $what, " at the absolute `index`; moves nothing, never grows.")]
        ///
        /// # Panics
        ///
        #[doc = concat!("Where [`", stringify!($try_set), "`](Self::", stringify!($try_set), ") is an error.")]
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        #[doc = concat!("let mut buf = HeapBuf::from(vec![0; ", stringify!($n), "]);")]
        #[doc = concat!("buf.", stringify!($set), "(0, ", stringify!($sample), ");")]
        #[doc = concat!("assert_eq!(buf.", stringify!($get), "(0), ", stringify!($sample), ");")]
        /// ```
        #[inline]
        #[track_caller]
        fn $set(&mut self, index: usize, value: $ty) {
            let bytes = <$codec>::$encode(value);
            if !self.set_window(index, &bytes) {
                $crate::buf::accessors::set(self, index, bytes);
            }
        }

        #[doc = concat!("Appends ", $what, " at the writer index; grows if need be.")]
        ///
        /// # Errors
        ///
        /// As [`try_write_bytes`](Self::try_write_bytes).
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($try_write), "(", stringify!($sample), ")?;")]
        #[doc = concat!("assert_eq!(buf.writer_index(), ", stringify!($n), ");")]
        #[doc = concat!("assert_eq!(buf.", stringify!($read), "(), ", stringify!($sample), ");")]
        /// # Ok::<(), refbuf::Error>(())
        /// ```
        #[inline]
        #[cfg_attr(feature = "leak-detect", track_caller)]
        fn $try_write(&mut self, value: $ty) -> Result<(), Error> {
            let bytes = <$codec>::$encode(value);
            if self.write_window(&bytes) {
                Ok(())
            } else {
                $crate::buf::accessors::try_write(self, bytes)
            }
        }

        #[doc = concat!("Appends ", $what, " at the writer index; grows if need be.")]
        ///
        /// # Panics
        ///
        #[doc = concat!("Where [`", stringify!($try_write), "`](Self::", stringify!($try_write), ") is an error.")]
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ");")]
        #[doc = concat!("assert_eq!(buf.", stringify!($read), "(), ", stringify!($sample), ");")]
        /// ```
        #[inline]
        #[track_caller]
        fn $write(&mut self, value: $ty) {
            let bytes = <$codec>::$encode(value);
            if !self.write_window(&bytes) {
                $crate::buf::accessors::write(self, bytes);
            }
        }
    )* };
}

pub(super) use {get_methods, numbers, set_methods};

// The slow paths: out of line and decoding on that side, so that a typed access
// compiles to its check, its load or store, and a jump here. Values travel in
// registers; an `Error` is built only here.
//
// Reads of a buffer that is one run can only fail here. Code that does not come
// back leaves the compiler what it has in registers.

#[inline(always)]
pub(super) fn try_get<B: ByteBuf + ?Sized, T, const N: usize>(
    buf: &B,
    index: usize,
    decode: impl FnOnce([u8; N]) -> T,
) -> Result<T, Error> {
    if buf.is_one_run() { Err(get_error::<B, N>(buf, index)) } else { seek(buf, index, decode) }
}

#[inline(always)]
#[track_caller]
pub(super) fn get<B: ByteBuf + ?Sized, T, const N: usize>(
    buf: &B,
    index: usize,
    decode: impl FnOnce([u8; N]) -> T,
) -> T {
    if buf.is_one_run() { get_fails::<B, N>(buf, index) } else { seek_or_panic(buf, index, decode) }
}

#[inline(always)]
pub(super) fn try_read<B: ByteBuf + ?Sized, T, const N: usize>(
    buf: &mut B,
    decode: impl FnOnce([u8; N]) -> T,
) -> Result<T, Error> {
    if buf.is_one_run() { Err(read_error::<B, N>(buf)) } else { advance(buf, decode) }
}

#[inline(always)]
#[track_caller]
pub(super) fn read<B: ByteBuf + ?Sized, T, const N: usize>(
    buf: &mut B,
    decode: impl FnOnce([u8; N]) -> T,
) -> T {
    if buf.is_one_run() { read_fails::<B, N>(buf) } else { advance_or_panic(buf, decode) }
}

#[cold]
#[inline(never)]
fn seek<B: ByteBuf + ?Sized, T, const N: usize>(
    buf: &B,
    index: usize,
    decode: impl FnOnce([u8; N]) -> T,
) -> Result<T, Error> {
    let mut bytes = [0; N];
    buf.try_get_bytes(index, &mut bytes)?;
    Ok(decode(bytes))
}

#[cold]
#[inline(never)]
#[track_caller]
fn seek_or_panic<B: ByteBuf + ?Sized, T, const N: usize>(
    buf: &B,
    index: usize,
    decode: impl FnOnce([u8; N]) -> T,
) -> T {
    seek(buf, index, decode).or_panic()
}

#[cold]
#[inline(never)]
fn advance<B: ByteBuf + ?Sized, T, const N: usize>(
    buf: &mut B,
    decode: impl FnOnce([u8; N]) -> T,
) -> Result<T, Error> {
    let mut bytes = [0; N];
    buf.try_read_bytes(&mut bytes)?;
    Ok(decode(bytes))
}

#[cold]
#[inline(never)]
#[track_caller]
fn advance_or_panic<B: ByteBuf + ?Sized, T, const N: usize>(
    buf: &mut B,
    decode: impl FnOnce([u8; N]) -> T,
) -> T {
    advance(buf, decode).or_panic()
}

#[cold]
#[inline(never)]
fn get_error<B: ByteBuf + ?Sized, const N: usize>(buf: &B, index: usize) -> Error {
    failure(buf.try_get_bytes(index, &mut [0; N]))
}

#[cold]
#[inline(never)]
#[track_caller]
fn get_fails<B: ByteBuf + ?Sized, const N: usize>(buf: &B, index: usize) -> ! {
    get_error::<B, N>(buf, index).panic()
}

#[cold]
#[inline(never)]
fn read_error<B: ByteBuf + ?Sized, const N: usize>(buf: &mut B) -> Error {
    failure(buf.try_read_bytes(&mut [0; N]))
}

#[cold]
#[inline(never)]
#[track_caller]
fn read_fails<B: ByteBuf + ?Sized, const N: usize>(buf: &mut B) -> ! {
    read_error::<B, N>(buf).panic()
}

fn failure(result: Result<(), Error>) -> Error {
    result.expect_err("a buffer that is one run has its bytes in the window")
}

#[cold]
#[inline(never)]
pub(super) fn try_set<B: ByteBufMut + ?Sized, const N: usize>(
    buf: &mut B,
    index: usize,
    bytes: [u8; N],
) -> Result<(), Error> {
    buf.try_set_bytes(index, &bytes)
}

#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn set<B: ByteBufMut + ?Sized, const N: usize>(
    buf: &mut B,
    index: usize,
    bytes: [u8; N],
) {
    buf.try_set_bytes(index, &bytes).or_panic();
}

#[cold]
#[inline(never)]
#[cfg_attr(feature = "leak-detect", track_caller)]
pub(super) fn try_write<B: ByteBufMut + ?Sized, const N: usize>(
    buf: &mut B,
    bytes: [u8; N],
) -> Result<(), Error> {
    buf.try_write_bytes(&bytes)
}

#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn write<B: ByteBufMut + ?Sized, const N: usize>(buf: &mut B, bytes: [u8; N]) {
    buf.try_write_bytes(&bytes).or_panic();
}

/// The encodings that std has no type for.
pub(super) struct Bool;
pub(super) struct U24;
pub(super) struct I24;

impl Bool {
    #[inline]
    pub(super) const fn from_be_bytes([byte]: [u8; 1]) -> bool {
        byte != 0
    }

    #[inline]
    pub(super) const fn to_be_bytes(value: bool) -> [u8; 1] {
        [value as u8]
    }
}

impl U24 {
    #[inline]
    pub(super) const fn from_be_bytes([a, b, c]: [u8; 3]) -> u32 {
        u32::from_be_bytes([0, a, b, c])
    }

    #[inline]
    pub(super) const fn from_le_bytes([a, b, c]: [u8; 3]) -> u32 {
        u32::from_le_bytes([a, b, c, 0])
    }

    #[inline]
    pub(super) const fn to_be_bytes(value: u32) -> [u8; 3] {
        let [_, a, b, c] = value.to_be_bytes();
        [a, b, c]
    }

    #[inline]
    pub(super) const fn to_le_bytes(value: u32) -> [u8; 3] {
        let [a, b, c, _] = value.to_le_bytes();
        [a, b, c]
    }
}

// Decoding puts the bytes on top, so that the shift extends the sign.
impl I24 {
    #[inline]
    pub(super) const fn from_be_bytes([a, b, c]: [u8; 3]) -> i32 {
        i32::from_be_bytes([a, b, c, 0]) >> 8
    }

    #[inline]
    pub(super) const fn from_le_bytes([a, b, c]: [u8; 3]) -> i32 {
        i32::from_le_bytes([0, a, b, c]) >> 8
    }

    #[inline]
    pub(super) const fn to_be_bytes(value: i32) -> [u8; 3] {
        let [_, a, b, c] = value.to_be_bytes();
        [a, b, c]
    }

    #[inline]
    pub(super) const fn to_le_bytes(value: i32) -> [u8; 3] {
        let [a, b, c, _] = value.to_le_bytes();
        [a, b, c]
    }
}
