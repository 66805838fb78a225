//! Walking over a buffer that may be in pieces.

use super::{ByteBuf, ByteBufMut, check_accessible, check_range, check_readable};
use crate::Error;
use alloc::vec::Vec;

/// The pieces of a range, in order. Ends after an error.
pub(super) struct Chunks<'a, B: ?Sized> {
    buf: &'a B,
    index: usize,
    end: usize,
}

/// The pieces of the `len` bytes at `index`.
pub(super) fn chunks<B: ByteBuf + ?Sized>(
    buf: &B,
    index: usize,
    len: usize,
) -> Result<Chunks<'_, B>, Error> {
    check_range(buf, index, len)?;
    Ok(Chunks { buf, index, end: index + len })
}

/// The pieces of the readable bytes. A released buffer has none.
pub(super) fn readable<B: ByteBuf + ?Sized>(buf: &B) -> impl Iterator<Item = &[u8]> {
    let (index, end) = (buf.reader_index(), buf.writer_index());
    Chunks { buf, index, end }.map_while(Result::ok)
}

impl<'a, B: ByteBuf + ?Sized> Iterator for Chunks<'a, B> {
    type Item = Result<&'a [u8], Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let (index, len) = (self.index, self.end - self.index);
        if len == 0 {
            return None;
        }
        // An empty piece here is a broken implementation; don't go round forever.
        let chunk = match self.buf.try_chunk(index) {
            Ok([]) => Err(Error::OutOfBounds { index, len, limit: index }),
            Ok(chunk) => Ok(&chunk[..chunk.len().min(len)]),
            Err(error) => Err(error),
        };
        self.index = chunk.map_or(self.end, |chunk| index + chunk.len());
        Some(chunk)
    }
}

/// Copies the bytes at `index` piece by piece.
#[cold]
pub(super) fn gather<B: ByteBuf + ?Sized>(
    buf: &B,
    index: usize,
    dst: &mut [u8],
) -> Result<(), Error> {
    let mut rest = &mut *dst;
    for chunk in chunks(buf, index, rest.len())? {
        let chunk = chunk?;
        let (head, tail) = rest.split_at_mut(chunk.len());
        head.copy_from_slice(chunk);
        rest = tail;
    }
    Ok(())
}

/// Copies the next readable bytes, and consumes them.
#[inline]
pub(crate) fn read_bytes<B: ByteBuf + ?Sized>(buf: &mut B, dst: &mut [u8]) -> Result<(), Error> {
    match buf.read_window(dst.len()) {
        // No bytes are in the window of a released buffer too.
        Some(bytes) if !bytes.is_empty() => {
            dst.copy_from_slice(bytes);
            Ok(())
        }
        _ => gather_read(buf, dst),
    }
}

/// The same piece by piece.
#[cold]
fn gather_read<B: ByteBuf + ?Sized>(buf: &mut B, dst: &mut [u8]) -> Result<(), Error> {
    check_readable(buf, dst.len())?;
    let start = buf.reader_index();
    buf.try_get_bytes(start, dst)?;
    buf.try_set_reader_index(start + dst.len())
}

/// A copy of the `len` bytes at `index`.
pub(super) fn to_vec<B: ByteBuf + ?Sized>(
    buf: &B,
    index: usize,
    len: usize,
) -> Result<Vec<u8>, Error> {
    let chunks = chunks(buf, index, len)?;
    let mut bytes = Vec::with_capacity(len);
    for chunk in chunks {
        bytes.extend_from_slice(chunk?);
    }
    Ok(bytes)
}

/// The bytes at `index`, `scratch.len()` of them: where they are if they are
/// contiguous, else copied into `scratch`.
#[inline]
pub(super) fn contiguous<'a, B: ByteBuf + ?Sized>(
    buf: &'a B,
    index: usize,
    scratch: &'a mut [u8],
) -> Result<&'a [u8], Error> {
    match buf.window(index, scratch.len()) {
        Some(bytes) => Ok(bytes),
        None => {
            buf.try_get_bytes(index, scratch)?;
            Ok(scratch)
        }
    }
}

/// Shows `f` the readable bytes in blocks of `N`, the last one shorter, wherever
/// the seams are; with the index of each. A released buffer has none.
pub(super) fn for_each_block<const N: usize, B: ByteBuf + ?Sized>(
    buf: &B,
    mut f: impl FnMut(usize, &[u8]),
) {
    let mut scratch = [0; N];
    let (mut index, end) = (buf.reader_index(), buf.writer_index());
    while index < end {
        let len = N.min(end - index);
        let Ok(block) = contiguous(buf, index, &mut scratch[..len]) else {
            return;
        };
        f(index, block);
        index += len;
    }
}

/// Shows `f` the writable pieces of the `len` bytes at `index`, in order.
pub(super) fn for_each_mut<B: ByteBufMut + ?Sized>(
    buf: &mut B,
    mut index: usize,
    len: usize,
    mut f: impl FnMut(&mut [u8]),
) -> Result<(), Error> {
    check_range(buf, index, len)?;
    let end = index + len;
    while index < end {
        let len = end - index;
        let chunk = buf.try_chunk_mut(index)?;
        if chunk.is_empty() {
            return Err(Error::OutOfBounds { index, len, limit: index });
        }
        let n = chunk.len().min(len);
        f(&mut chunk[..n]);
        index += n;
    }
    Ok(())
}

/// Zeros the `len` bytes at `index`: all of them or, if one of them may not be
/// written, none.
pub(super) fn set_zeros<B: ByteBufMut + ?Sized>(
    buf: &mut B,
    index: usize,
    len: usize,
) -> Result<(), Error> {
    for_each_mut(buf, index, len, |_| ())?;
    for_each_mut(buf, index, len, |chunk| chunk.fill(0))
}

/// Appends the next `n` readable bytes of `src` to `dst`: all or none.
#[cfg_attr(feature = "leak-detect", track_caller)]
pub(super) fn transfer<D: ByteBufMut + ?Sized>(
    dst: &mut D,
    src: &mut dyn ByteBuf,
    n: usize,
) -> Result<(), Error> {
    check_accessible(dst)?;
    check_readable(src, n)?;
    dst.try_ensure_writable(n)?;
    let (start, end) = (src.reader_index(), dst.writer_index());
    let copied = chunks(&*src, start, n)
        .and_then(|mut chunks| chunks.try_for_each(|chunk| dst.try_write_bytes(chunk?)))
        .and_then(|()| src.try_set_reader_index(start + n));
    // `src` can be released by another thread half way through.
    if copied.is_err() {
        dst.try_set_writer_index(end)?;
    }
    copied
}
