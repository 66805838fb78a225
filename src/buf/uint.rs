//! Integers of 1 to 8 bytes, the width a run-time value.

#[cfg(doc)]
use super::{ByteBuf, ByteBufMut};
use crate::Error;

/// Calls `$emit! { [$args] row; row; .. }`; a row is
/// `type, order, "in words", sample, names..;`.
macro_rules! uints {
    ($emit:ident $($args:tt)*) => { $emit! { [$($args)*]
        u64, Big, "big-endian unsigned", 0xfedcba,
            get_uint, try_get_uint, read_uint, try_read_uint,
            set_uint, try_set_uint, write_uint, try_write_uint;
        u64, Little, "little-endian unsigned", 0xfedcba,
            get_uint_le, try_get_uint_le, read_uint_le, try_read_uint_le,
            set_uint_le, try_set_uint_le, write_uint_le, try_write_uint_le;
        i64, Big, "big-endian signed", -2,
            get_int, try_get_int, read_int, try_read_int,
            set_int, try_set_int, write_int, try_write_int;
        i64, Little, "little-endian signed", -2,
            get_int_le, try_get_int_le, read_int_le, try_read_int_le,
            set_int_le, try_set_int_le, write_int_le, try_write_int_le;
    } };
}

/// The methods of [`ByteBuf`].
macro_rules! uint_get_methods {
    ([] $(
        $ty:ty, $order:ident, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $set:ident, $try_set:ident, $write:ident, $try_write:ident;
    )*) => { $(
        #[doc = concat!("Gets a ", $what, " integer of `nbytes` bytes at the absolute `index`;")]
        /// moves nothing.
        ///
        /// # Errors
        ///
        /// [`Error::InvalidWidth`] unless `nbytes` is 1 to 8;
        /// [`Error::OutOfBounds`] unless all its bytes are below the writer
        /// index; [`Error::Released`].
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ", 3);")]
        #[doc = concat!("assert_eq!(buf.", stringify!($try_get), "(0, 3), Ok(", stringify!($sample), "));")]
        #[doc = concat!("assert!(buf.", stringify!($try_get), "(0, 9).is_err());")]
        /// ```
        #[inline]
        fn $try_get(&self, index: usize, nbytes: usize) -> Result<$ty, Error> {
            $crate::buf::uint::Order::$order
                .load(nbytes, |dst| self.try_get_bytes(index, dst))
                .map(|raw| $crate::buf::uint::FromRaw::from_raw(raw, nbytes))
        }

        #[doc = concat!("Gets a ", $what, " integer of `nbytes` bytes at the absolute `index`;")]
        /// moves nothing.
        ///
        /// # Panics
        ///
        #[doc = concat!("Where [`", stringify!($try_get), "`](Self::", stringify!($try_get), ") is an error.")]
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ", 5);")]
        #[doc = concat!("assert_eq!(buf.", stringify!($get), "(0, 5), ", stringify!($sample), ");")]
        /// ```
        #[inline]
        #[track_caller]
        fn $get(&self, index: usize, nbytes: usize) -> $ty {
            self.$try_get(index, nbytes).or_panic()
        }

        #[doc = concat!("Reads a ", $what, " integer of `nbytes` bytes at the reader index, and")]
        /// moves it past that.
        ///
        /// # Errors
        ///
        /// [`Error::InvalidWidth`] unless `nbytes` is 1 to 8;
        /// [`Error::Underflow`] if fewer are readable; [`Error::Released`].
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ", 3);")]
        #[doc = concat!("assert!(buf.", stringify!($try_read), "(4).is_err());")]
        #[doc = concat!("assert_eq!(buf.", stringify!($try_read), "(3), Ok(", stringify!($sample), "));")]
        /// ```
        #[inline]
        fn $try_read(&mut self, nbytes: usize) -> Result<$ty, Error> {
            $crate::buf::uint::Order::$order
                .load(nbytes, |dst| self.try_read_bytes(dst))
                .map(|raw| $crate::buf::uint::FromRaw::from_raw(raw, nbytes))
        }

        #[doc = concat!("Reads a ", $what, " integer of `nbytes` bytes at the reader index, and")]
        /// moves it past that.
        ///
        /// # Panics
        ///
        #[doc = concat!("Where [`", stringify!($try_read), "`](Self::", stringify!($try_read), ") is an error.")]
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ", 5);")]
        #[doc = concat!("assert_eq!(buf.", stringify!($read), "(5), ", stringify!($sample), ");")]
        /// ```
        #[inline]
        #[track_caller]
        fn $read(&mut self, nbytes: usize) -> $ty {
            self.$try_read(nbytes).or_panic()
        }
    )* };
}

/// The methods of [`ByteBufMut`].
macro_rules! uint_set_methods {
    ([] $(
        $ty:ty, $order:ident, $what:literal, $sample:literal,
        $get:ident, $try_get:ident, $read:ident, $try_read:ident,
        $set:ident, $try_set:ident, $write:ident, $try_write:ident;
    )*) => { $(
        #[doc = concat!("Overwrites a ", $what, " integer at the absolute `index` with the low")]
        /// `nbytes` bytes of `value`; moves nothing, never grows.
        ///
        /// # Errors
        ///
        /// [`Error::InvalidWidth`] unless `nbytes` is 1 to 8; else as
        /// [`try_set_bytes`](Self::try_set_bytes).
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::from(vec![0; 3]);
        #[doc = concat!("buf.", stringify!($try_set), "(0, ", stringify!($sample), ", 3)?;")]
        #[doc = concat!("assert_eq!(buf.", stringify!($get), "(0, 3), ", stringify!($sample), ");")]
        #[doc = concat!("assert!(buf.", stringify!($try_set), "(0, ", stringify!($sample), ", 4).is_err());")]
        /// # Ok::<(), refbuf::Error>(())
        /// ```
        #[inline]
        fn $try_set(&mut self, index: usize, value: $ty, nbytes: usize) -> Result<(), Error> {
            $crate::buf::uint::Order::$order
                .store(value as u64, nbytes, |src| self.try_set_bytes(index, src))
        }

        #[doc = concat!("Overwrites a ", $what, " integer at the absolute `index` with the low")]
        /// `nbytes` bytes of `value`; moves nothing, never grows.
        ///
        /// # Panics
        ///
        #[doc = concat!("Where [`", stringify!($try_set), "`](Self::", stringify!($try_set), ") is an error.")]
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::from(vec![0; 5]);
        #[doc = concat!("buf.", stringify!($set), "(0, ", stringify!($sample), ", 5);")]
        #[doc = concat!("assert_eq!(buf.", stringify!($get), "(0, 5), ", stringify!($sample), ");")]
        /// ```
        #[inline]
        #[track_caller]
        fn $set(&mut self, index: usize, value: $ty, nbytes: usize) {
            self.$try_set(index, value, nbytes).or_panic();
        }

        #[doc = concat!("Appends a ", $what, " integer, the low `nbytes` bytes of `value`, at the")]
        /// writer index; grows if need be.
        ///
        /// # Errors
        ///
        /// [`Error::InvalidWidth`] unless `nbytes` is 1 to 8; else as
        /// [`try_write_bytes`](Self::try_write_bytes).
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($try_write), "(", stringify!($sample), ", 3)?;")]
        /// assert_eq!(buf.writer_index(), 3);
        #[doc = concat!("assert!(buf.", stringify!($try_write), "(", stringify!($sample), ", 0).is_err());")]
        /// # Ok::<(), refbuf::Error>(())
        /// ```
        #[inline]
        fn $try_write(&mut self, value: $ty, nbytes: usize) -> Result<(), Error> {
            $crate::buf::uint::Order::$order
                .store(value as u64, nbytes, |src| self.try_write_bytes(src))
        }

        #[doc = concat!("Appends a ", $what, " integer, the low `nbytes` bytes of `value`, at the")]
        /// writer index; grows if need be.
        ///
        /// # Panics
        ///
        #[doc = concat!("Where [`", stringify!($try_write), "`](Self::", stringify!($try_write), ") is an error.")]
        ///
        /// ```
        /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
        ///
        /// let mut buf = HeapBuf::new();
        #[doc = concat!("buf.", stringify!($write), "(", stringify!($sample), ", 5);")]
        #[doc = concat!("assert_eq!(buf.", stringify!($read), "(5), ", stringify!($sample), ");")]
        /// ```
        #[inline]
        #[track_caller]
        fn $write(&mut self, value: $ty, nbytes: usize) {
            self.$try_write(value, nbytes).or_panic();
        }
    )* };
}

pub(super) use {uint_get_methods, uint_set_methods, uints};

const MAX: usize = 8;

/// Which end of the eight bytes of a `u64` the low ones are at.
pub(super) enum Order {
    Big,
    Little,
}

impl Order {
    /// The integer whose `nbytes` bytes `fill` fills in.
    #[inline]
    pub(super) fn load(
        self,
        nbytes: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        check_width(nbytes)?;
        let mut bytes = [0; MAX];
        match self {
            Self::Big => fill(&mut bytes[MAX - nbytes..]).map(|()| u64::from_be_bytes(bytes)),
            Self::Little => fill(&mut bytes[..nbytes]).map(|()| u64::from_le_bytes(bytes)),
        }
    }

    /// Gives `put` the low `nbytes` bytes of `value`.
    #[inline]
    pub(super) fn store(
        self,
        value: u64,
        nbytes: usize,
        put: impl FnOnce(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        check_width(nbytes)?;
        match self {
            Self::Big => put(&value.to_be_bytes()[MAX - nbytes..]),
            Self::Little => put(&value.to_le_bytes()[..nbytes]),
        }
    }
}

#[inline]
fn check_width(nbytes: usize) -> Result<(), Error> {
    if matches!(nbytes, 1..=MAX) { Ok(()) } else { Err(Error::InvalidWidth { nbytes, max: MAX }) }
}

/// Makes the sign of an integer of `nbytes` bytes that of the whole.
pub(super) trait FromRaw {
    fn from_raw(raw: u64, nbytes: usize) -> Self;
}

impl FromRaw for u64 {
    #[inline]
    fn from_raw(raw: u64, _nbytes: usize) -> Self {
        raw
    }
}

impl FromRaw for i64 {
    #[inline]
    fn from_raw(raw: u64, nbytes: usize) -> Self {
        let unused = 8 * (MAX - nbytes);
        ((raw << unused) as i64) >> unused
    }
}
