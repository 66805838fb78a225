//! One read, one write: between a buffer and `std::io`.

use super::{ByteBuf, ByteBufMut};
use crate::Error;
use core::mem::MaybeUninit;
use std::io::{self, IoSlice, Read, Write};

/// How many pieces one write takes: what most systems take at the least is 16,
/// what Linux takes at the most is 1024, and more than this many are rare.
const MAX_SLICES: usize = 64;

/// Sends the readable bytes with one vectored write, and consumes what went.
pub(super) fn write_to<B: ByteBuf + ?Sized>(
    buf: &mut B,
    writer: &mut dyn Write,
) -> io::Result<usize> {
    let mut slices = [IoSlice::new(&[]); MAX_SLICES];
    super::check_accessible(buf)?;
    let n = match buf.io_slices(&mut slices) {
        0 => return Ok(0),
        1 => writer.write(&slices[0])?,
        pieces => writer.write_vectored(&slices[..pieces])?,
    };
    buf.try_skip(n)?;
    Ok(n)
}

/// Appends what one read of at most `max` bytes gives.
#[cfg_attr(feature = "leak-detect", track_caller)]
pub(super) fn read_from<B: ByteBufMut + ?Sized>(
    buf: &mut B,
    reader: &mut dyn Read,
    max: usize,
) -> io::Result<usize> {
    let n = readable_from(buf, max)?;
    buf.try_ensure_writable(n)?;
    let read = reader.read(zeroed(&mut buf.spare_capacity_mut()[..n]))?;
    assert!(read <= n, "a reader read {read} bytes into {n}");
    // SAFETY: all of the first `n` bytes were zeroed.
    unsafe { buf.advance_writer(read) };
    Ok(read)
}

/// How many bytes a read of at most `max` may append. None at all, where some
/// were wanted, is an error and not the end of the input.
pub(crate) fn readable_from<B: ByteBufMut + ?Sized>(buf: &B, max: usize) -> Result<usize, Error> {
    super::check_accessible(buf)?;
    match max.min(buf.max_writable_bytes()) {
        0 if max != 0 => Err(Error::Overflow { needed: max, available: 0 }),
        n => Ok(n),
    }
}

/// A reader is not our code: it must not see what it has not written.
pub(crate) fn zeroed(spare: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    spare.fill(MaybeUninit::new(0));
    // SAFETY: filled.
    unsafe { &mut *(core::ptr::from_mut(spare) as *mut [u8]) }
}
