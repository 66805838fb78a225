//! Finding things, across the seams between chunks. All indices are absolute.

use super::{ByteBuf, check_span, chunks};
use crate::error::{Error, OrPanic};
use alloc::vec;
use core::ops::Range;
use memchr::{memchr, memmem::Finder, memrchr};

/// Bytes looked at in one go where they have to be copied together first.
const BLOCK: usize = 512;

pub(super) fn find_byte<B: ByteBuf + ?Sized>(
    buf: &B,
    range: Range<usize>,
    byte: u8,
) -> Result<Option<usize>, Error> {
    scan(buf, range, |chunk| memchr(byte, chunk))
}

pub(super) fn rfind_byte<B: ByteBuf + ?Sized>(
    buf: &B,
    range: Range<usize>,
    byte: u8,
) -> Result<Option<usize>, Error> {
    rscan(buf, range, |chunk| memrchr(byte, chunk))
}

#[track_caller]
pub(super) fn position<B: ByteBuf + ?Sized>(
    buf: &B,
    mut predicate: impl FnMut(u8) -> bool,
) -> Option<usize> {
    let range = buf.reader_index()..buf.writer_index();
    scan(buf, range, |chunk| chunk.iter().position(|&byte| predicate(byte))).or_panic()
}

#[track_caller]
pub(super) fn rposition<B: ByteBuf + ?Sized>(
    buf: &B,
    mut predicate: impl FnMut(u8) -> bool,
) -> Option<usize> {
    let range = buf.reader_index()..buf.writer_index();
    rscan(buf, range, |chunk| chunk.iter().rposition(|&byte| predicate(byte))).or_panic()
}

/// The first hit of `look`, which is shown the chunks from the first on.
fn scan<B: ByteBuf + ?Sized>(
    buf: &B,
    range: Range<usize>,
    mut look: impl FnMut(&[u8]) -> Option<usize>,
) -> Result<Option<usize>, Error> {
    let len = check_span(buf, &range)?;
    let mut at = range.start;
    for chunk in chunks::chunks(buf, at, len)? {
        let chunk = chunk?;
        if let Some(i) = look(chunk) {
            return Ok(Some(at + i));
        }
        at += chunk.len();
    }
    Ok(None)
}

/// The last hit of `look`, which is shown the bytes in blocks from the last on:
/// a buffer can be asked where a chunk ends, but not where one starts.
fn rscan<B: ByteBuf + ?Sized>(
    buf: &B,
    range: Range<usize>,
    mut look: impl FnMut(&[u8]) -> Option<usize>,
) -> Result<Option<usize>, Error> {
    let len = check_span(buf, &range)?;
    if let Some(bytes) = buf.window(range.start, len) {
        return Ok(look(bytes).map(|i| range.start + i));
    }
    let mut scratch = [0; BLOCK];
    let mut end = range.end;
    while end > range.start {
        let start = end.saturating_sub(BLOCK).max(range.start);
        let block = chunks::contiguous(buf, start, &mut scratch[..end - start])?;
        if let Some(i) = look(block) {
            return Ok(Some(start + i));
        }
        end = start;
    }
    Ok(None)
}

/// Looks into each chunk where it is. The last `needle.len() - 1` bytes of one
/// can begin a match that ends in the next: from there on a block of bytes is
/// copied together and looked at as if it were a chunk. Every step goes on where
/// the last one could no longer see a whole needle, so that no byte is looked at
/// more than a few times however small the chunks are.
pub(super) fn find<B: ByteBuf + ?Sized>(
    buf: &B,
    range: Range<usize>,
    needle: &[u8],
) -> Result<Option<usize>, Error> {
    check_span(buf, &range)?;
    let Some(overlap) = needle.len().checked_sub(1) else {
        return Ok(Some(range.start));
    };
    let finder = Finder::new(needle);
    let mut at = range.start;
    while range.end - at > overlap {
        let chunk = buf.try_chunk(at)?;
        let chunk = &chunk[..chunk.len().min(range.end - at)];
        let (found, seen) = if chunk.len() > overlap {
            (finder.find(chunk), chunk.len())
        } else {
            let len = BLOCK.max(2 * needle.len()).min(range.end - at);
            (find_gathered(buf, at, len, &finder)?, len)
        };
        if let Some(i) = found {
            return Ok(Some(at + i));
        }
        at += seen - overlap;
    }
    Ok(None)
}

/// Looks at the `len` bytes at `at` copied together.
#[cold]
fn find_gathered<B: ByteBuf + ?Sized>(
    buf: &B,
    at: usize,
    len: usize,
    finder: &Finder<'_>,
) -> Result<Option<usize>, Error> {
    let (mut stack, mut heap);
    let block = if len <= BLOCK {
        stack = [0; BLOCK];
        &mut stack[..len]
    } else {
        heap = vec![0; len];
        &mut heap[..]
    };
    buf.try_get_bytes(at, block)?;
    Ok(finder.find(block))
}
