//! The checks behind the errors. Nothing here can wrap.

use super::ByteBuf;
use crate::Error;
use core::ops::Range;

/// The `len` bytes at `index` exist.
#[inline]
pub(crate) fn check_range<B: ByteBuf + ?Sized>(
    buf: &B,
    index: usize,
    len: usize,
) -> Result<(), Error> {
    check_accessible(buf)?;
    let limit = buf.writer_index();
    match index.checked_add(len) {
        Some(end) if end <= limit => Ok(()),
        _ => Err(Error::OutOfBounds { index, len, limit }),
    }
}

/// The bytes in `range` exist. Returns their number.
#[inline]
pub(crate) fn check_span<B: ByteBuf + ?Sized>(
    buf: &B,
    range: &Range<usize>,
) -> Result<usize, Error> {
    check_accessible(buf)?;
    check_index(range.start, 0, range.end)?;
    let len = range.end - range.start;
    check_range(buf, range.start, len)?;
    Ok(len)
}

/// `needed` bytes can be read.
#[inline]
pub(crate) fn check_readable<B: ByteBuf + ?Sized>(buf: &B, needed: usize) -> Result<(), Error> {
    check_accessible(buf)?;
    let available = buf.readable_bytes();
    if needed <= available { Ok(()) } else { Err(Error::Underflow { needed, available }) }
}

/// `index` is in `min..=max`.
#[inline]
pub(crate) fn check_index(index: usize, min: usize, max: usize) -> Result<(), Error> {
    if min <= index && index <= max { Ok(()) } else { Err(Error::InvalidIndex { index, min, max }) }
}

#[inline]
/// The buffer was not released.
pub(crate) fn check_accessible<B: ByteBuf + ?Sized>(buf: &B) -> Result<(), Error> {
    if buf.is_accessible() { Ok(()) } else { Err(Error::Released) }
}
