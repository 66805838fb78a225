//! Equality, order and hash: of the readable bytes, unsigned and
//! lexicographic, however they are split into chunks. A released buffer is
//! empty.

use super::{ByteBuf, chunks};
use core::cmp::Ordering;
use core::hash::Hasher;
use core::iter;

pub(crate) fn eq<A: ByteBuf + ?Sized, B: ByteBuf + ?Sized>(a: &A, b: &B) -> bool {
    len(a) == len(b) && cmp(a, b).is_eq()
}

pub(crate) fn eq_slice<B: ByteBuf + ?Sized>(buf: &B, slice: &[u8]) -> bool {
    len(buf) == slice.len() && cmp_chunks(chunks::readable(buf), iter::once(slice)).is_eq()
}

pub(crate) fn cmp<A: ByteBuf + ?Sized, B: ByteBuf + ?Sized>(a: &A, b: &B) -> Ordering {
    cmp_chunks(chunks::readable(a), chunks::readable(b))
}

/// Compares two sequences of non-empty chunks as far as both chunks at hand go.
fn cmp_chunks<'a>(
    mut a: impl Iterator<Item = &'a [u8]>,
    mut b: impl Iterator<Item = &'a [u8]>,
) -> Ordering {
    let (mut x, mut y): (&[u8], &[u8]) = (&[], &[]);
    loop {
        if x.is_empty() {
            x = a.next().unwrap_or_default();
        }
        if y.is_empty() {
            y = b.next().unwrap_or_default();
        }
        let n = x.len().min(y.len());
        if n == 0 {
            return x.len().cmp(&y.len());
        }
        let (head_x, head_y);
        (head_x, x) = x.split_at(n);
        (head_y, y) = y.split_at(n);
        match head_x.cmp(head_y) {
            Ordering::Equal => {}
            different => return different,
        }
    }
}

/// Feeds blocks of one size, because a hasher may tell two writes from one.
pub(crate) fn hash<B: ByteBuf + ?Sized>(buf: &B, state: &mut impl Hasher) {
    state.write_usize(len(buf));
    chunks::for_each_block::<256, _>(buf, |_, block| state.write(block));
}

fn len<B: ByteBuf + ?Sized>(buf: &B) -> usize {
    if buf.is_accessible() { buf.readable_bytes() } else { 0 }
}

/// Equality with buffers and bytes of all kinds, order, hash and `Debug` for a
/// buffer type.
///
/// `impl_comparisons!([S: Storage] OwnedBuf<S>, S::BUF_NAME);`
macro_rules! impl_comparisons {
    ([$($generics:tt)*] $ty:ty) => {
        $crate::buf::impl_comparisons!([$($generics)*] $ty, stringify!($ty));
    };
    ([$($generics:tt)*] $ty:ty, $name:expr) => {
        /// Compares the readable bytes.
        impl<$($generics)*> Eq for $ty {}

        /// Compares the readable bytes.
        impl<B: $crate::ByteBuf + ?Sized, $($generics)*> PartialEq<B> for $ty {
            fn eq(&self, other: &B) -> bool {
                $crate::buf::compare::eq(self, other)
            }
        }

        /// Orders by the readable bytes, unsigned and lexicographic.
        impl<B: $crate::ByteBuf + ?Sized, $($generics)*> PartialOrd<B> for $ty {
            fn partial_cmp(&self, other: &B) -> Option<core::cmp::Ordering> {
                Some($crate::buf::compare::cmp(self, other))
            }
        }

        /// Orders by the readable bytes, unsigned and lexicographic.
        impl<$($generics)*> Ord for $ty {
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                $crate::buf::compare::cmp(self, other)
            }
        }

        /// Hashes the readable bytes. Not as a `[u8]` does.
        impl<$($generics)*> core::hash::Hash for $ty {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                $crate::buf::compare::hash(self, state);
            }
        }

        /// Short: the indices and the first readable bytes.
        impl<$($generics)*> core::fmt::Debug for $ty {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::buf::fmt_debug($name, self, f)
            }
        }

        $crate::buf::compare::impl_eq_bytes! { [$($generics)*] $ty,
            [] [u8], [] &[u8], [const N: usize,] [u8; N], [const N: usize,] &[u8; N],
            [] alloc::vec::Vec<u8>, [] str, [] &str,
        }
    };
}

/// `$ty == $bytes` and `$bytes == $ty`.
macro_rules! impl_eq_bytes {
    ($generics:tt $ty:ty, $($more:tt $bytes:ty,)*) => { $(
        $crate::buf::compare::impl_eq_bytes! { @one $generics $more $ty, $bytes }
    )* };
    (@one [$($generics:tt)*] [$($more:tt)*] $ty:ty, $bytes:ty) => {
        impl<$($more)* $($generics)*> PartialEq<$bytes> for $ty {
            fn eq(&self, other: &$bytes) -> bool {
                $crate::buf::compare::eq_slice(self, other.as_ref())
            }
        }

        impl<$($more)* $($generics)*> PartialEq<$ty> for $bytes {
            fn eq(&self, other: &$ty) -> bool {
                $crate::buf::compare::eq_slice(other, self.as_ref())
            }
        }
    };
}

pub(crate) use {impl_comparisons, impl_eq_bytes};
