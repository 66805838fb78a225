//! LEB128: seven bits to a byte, the low ones first, the high bit set on every
//! byte but the last. Signed numbers are zigzagged first (0, -1, 1, -2, ..), so
//! that small ones of either sign are short.

use super::{ByteBuf, ByteBufMut, check_range, chunks};
use crate::Error;

/// Calls `$emit! { [$args] row; row; .. }`; a row is
/// `type, "in words", sample, names..;`.
macro_rules! varints {
    ($emit:ident $($args:tt)*) => { $emit! { [$($args)*]
        u64, "a LEB128 `u64`", 300,
            get_varint_u64, try_get_varint_u64, read_varint_u64, try_read_varint_u64,
            write_varint_u64, try_write_varint_u64;
        u32, "a LEB128 `u32`", 300,
            get_varint_u32, try_get_varint_u32, read_varint_u32, try_read_varint_u32,
            write_varint_u32, try_write_varint_u32;
        i64, "a zigzag LEB128 `i64`", -150,
            get_varint_i64, try_get_varint_i64, read_varint_i64, try_read_varint_i64,
            write_varint_i64, try_write_varint_i64;
        i32, "a zigzag LEB128 `i32`", -150,
            get_varint_i32, try_get_varint_i32, read_varint_i32, try_read_varint_i32,
            write_varint_i32, try_write_varint_i32;
    } };
}

/// The methods of [`ByteBuf`].
macro_rules! varint_get_methods {
    ([] $(
        $ty:ty, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $write:ident, $try_write:ident;
    )*) => { $(
        #[doc = concat!("Gets ", $what, " at the absolute `index`, and its length in bytes; moves")]
        /// nothing.
        ///
        /// # Errors
        ///
        /// [`Error::OutOfBounds`] if it does not end below the writer index;
        /// [`Error::VarintOverflow`] if it is longer or has more bits than the
        /// type can need; [`Error::Released`].
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ");")]
        #[doc = concat!("assert_eq!(buf.", stringify!($try_get), "(0), Ok((", stringify!($sample), ", 2)));")]
        #[doc = concat!("assert!(buf.", stringify!($try_get), "(2).is_err());")]
        /// ```
        #[inline]
        fn $try_get(&self, index: usize) -> Result<($ty, usize), Error> {
            $crate::buf::varint::get(self, index)
        }

        #[doc = concat!("Gets ", $what, " at the absolute `index`, and its length in bytes; moves")]
        /// nothing.
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
        #[doc = concat!("assert_eq!(buf.", stringify!($get), "(0), (", stringify!($sample), ", 2));")]
        /// ```
        #[inline]
        #[track_caller]
        fn $get(&self, index: usize) -> ($ty, usize) {
            self.$try_get(index).or_panic()
        }

        #[doc = concat!("Reads ", $what, " at the reader index, and moves it past that.")]
        ///
        /// # Errors
        ///
        /// [`Error::Underflow`] if it does not end within the readable bytes;
        /// [`Error::VarintOverflow`] if it is longer or has more bits than the
        /// type can need; [`Error::Released`].
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
            $crate::buf::varint::read(self)
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
        /// ```
        #[inline]
        #[track_caller]
        fn $read(&mut self) -> $ty {
            self.$try_read().or_panic()
        }
    )* };
}

/// The methods of [`ByteBufMut`].
macro_rules! varint_write_methods {
    ([] $(
        $ty:ty, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $write:ident, $try_write:ident;
    )*) => { $(
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
        #[doc = concat!("assert_eq!(buf.", stringify!($read), "(), ", stringify!($sample), ");")]
        /// # Ok::<(), refbuf::Error>(())
        /// ```
        #[inline]
        #[cfg_attr(feature = "leak-detect", track_caller)]
        fn $try_write(&mut self, value: $ty) -> Result<(), Error> {
            $crate::buf::varint::write(self, value)
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
        /// assert_eq!(buf.writer_index(), 2);
        #[doc = concat!("assert_eq!(buf.", stringify!($read), "(), ", stringify!($sample), ");")]
        /// ```
        #[inline]
        #[track_caller]
        fn $write(&mut self, value: $ty) {
            self.$try_write(value).or_panic();
        }
    )* };
}

pub(super) use {varint_get_methods, varint_write_methods, varints};

/// The bytes that a `u64` takes as a varint: 1 to 10.
///
/// ```
/// assert_eq!(refbuf::varint_len_u64(127), 1);
/// assert_eq!(refbuf::varint_len_u64(128), 2);
/// assert_eq!(refbuf::varint_len_u64(u64::MAX), 10);
/// ```
#[must_use]
pub const fn varint_len_u64(value: u64) -> usize {
    // Zero takes a byte too.
    let bits = (value | 1).ilog2() + 1;
    bits.div_ceil(7) as usize
}

/// What can be a varint.
pub(super) trait Varint: Copy {
    /// Bits of the type.
    const BITS: u32;
    /// The most bytes it takes.
    const MAX_LEN: usize = Self::BITS.div_ceil(7) as usize;
    /// Bits of it in the last of so many bytes.
    const LAST_BITS: u32 = Self::BITS % 7;
    fn to_raw(self) -> u64;
    fn from_raw(raw: u64) -> Self;
}

macro_rules! impl_varint {
    ($($unsigned:ident $signed:ident)*) => { $(
        impl Varint for $unsigned {
            const BITS: u32 = Self::BITS;

            #[inline]
            fn to_raw(self) -> u64 {
                self.into()
            }

            #[inline]
            #[allow(clippy::cast_possible_truncation)] // `decode` lets no more bits through.
            fn from_raw(raw: u64) -> Self {
                raw as Self
            }
        }

        impl Varint for $signed {
            const BITS: u32 = Self::BITS;

            #[inline]
            fn to_raw(self) -> u64 {
                (((self << 1) ^ (self >> (Self::BITS - 1))) as $unsigned).to_raw()
            }

            #[inline]
            fn from_raw(raw: u64) -> Self {
                let zigzag = $unsigned::from_raw(raw);
                (zigzag >> 1) as Self ^ -((zigzag & 1) as Self)
            }
        }
    )* };
}

impl_varint! { u64 i64 u32 i32 }

/// The longest of all.
const MAX_LEN: usize = u64::MAX_LEN;

/// Most varints are one byte: that much is inlined.
#[inline]
#[cfg_attr(feature = "leak-detect", track_caller)]
pub(super) fn write<B: ByteBufMut + ?Sized, V: Varint>(buf: &mut B, value: V) -> Result<(), Error> {
    match value.to_raw() {
        raw @ 0..0x80 => buf.try_write_u8(raw.to_le_bytes()[0]),
        raw => write_long(buf, raw),
    }
}

#[inline]
pub(super) fn read<B: ByteBuf + ?Sized, V: Varint>(buf: &mut B) -> Result<V, Error> {
    let index = buf.reader_index();
    let (value, len) = get(buf, index).map_err(|error| match error {
        Error::OutOfBounds { len, .. } => Error::Underflow { needed: len, available: len - 1 },
        other => other,
    })?;
    buf.try_set_reader_index(index + len)?;
    Ok(value)
}

#[inline]
pub(super) fn get<B: ByteBuf + ?Sized, V: Varint>(
    buf: &B,
    index: usize,
) -> Result<(V, usize), Error> {
    match buf.window(index, 1) {
        Some(&[byte @ 0..0x80]) => Ok((V::from_raw(byte.into()), 1)),
        _ => get_long(buf, index),
    }
}

#[inline(never)]
#[cfg_attr(feature = "leak-detect", track_caller)]
fn write_long<B: ByteBufMut + ?Sized>(buf: &mut B, mut raw: u64) -> Result<(), Error> {
    let mut bytes = [0; MAX_LEN];
    let len = varint_len_u64(raw);
    for byte in &mut bytes[..len] {
        *byte = raw.to_le_bytes()[0] | 0x80;
        raw >>= 7;
    }
    bytes[len - 1] &= 0x7f;
    buf.try_write_bytes(&bytes[..len])
}

/// One that is cut off wants a byte more than there are.
#[inline(never)]
fn get_long<B: ByteBuf + ?Sized, V: Varint>(buf: &B, index: usize) -> Result<(V, usize), Error> {
    check_range(buf, index, 0)?;
    let limit = buf.writer_index();
    let available = limit - index;
    let mut scratch = [0; MAX_LEN];
    let scratch = &mut scratch[..V::MAX_LEN.min(available)];
    let bytes = chunks::contiguous(buf, index, scratch)?;
    decode(bytes)?.ok_or(Error::OutOfBounds { index, len: available + 1, limit })
}

/// The varint that at most `V::MAX_LEN` bytes begin with, and its length; `None`
/// if they end before it does.
fn decode<V: Varint>(bytes: &[u8]) -> Result<Option<(V, usize)>, Error> {
    let mut raw = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        if i + 1 == V::MAX_LEN && byte >> V::LAST_BITS != 0 {
            return Err(Error::VarintOverflow);
        }
        raw |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Ok(Some((V::from_raw(raw), i + 1)));
        }
    }
    Ok(None)
}
