//! `std::io`: every buffer reads and seeks, those that grow write.
//!
//! Reading and writing move the indices; `Seek` moves the reader index, 0 being
//! the start of the buffer and the writer index its end.

use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};

use crate::buf::{ByteBuf, ByteBufMut};
use crate::memory::Storage;
use crate::{CompositeBuf, Error, OwnedBuf, SliceBuf, WeakSlice};

macro_rules! impl_read {
    ($([$($generics:tt)*] $ty:ty),* $(,)?) => { $(
        /// Reads what is there; 0 bytes at the writer index.
        impl<$($generics)*> Read for $ty {
            fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
                read(self, dst)
            }
        }

        /// Shows the component at the reader index, to its end.
        impl<$($generics)*> BufRead for $ty {
            fn fill_buf(&mut self) -> io::Result<&[u8]> {
                Ok((*self).try_chunk((*self).reader_index())?)
            }

            fn consume(&mut self, n: usize) {
                // More than `fill_buf` showed is a caller's error, which the
                // contract leaves open.
                let _ = self.try_skip(n.min(self.readable_bytes()));
            }
        }

        /// Moves the reader index between 0 and the writer index.
        impl<$($generics)*> Seek for $ty {
            fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
                seek(self, to)
            }
        }
    )* };
}

impl_read! {
    [S: Storage] OwnedBuf<S>,
    [] SliceBuf,
    [] WeakSlice,
    [] CompositeBuf,
}

macro_rules! impl_write {
    ($([$($generics:tt)*] $ty:ty),* $(,)?) => { $(
        /// Appends; at the maximum capacity 0 bytes are written.
        impl<$($generics)*> Write for $ty {
            fn write(&mut self, src: &[u8]) -> io::Result<usize> {
                let n = src.len().min(self.max_writable_bytes());
                self.try_write_bytes(&src[..n])?;
                Ok(n)
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
    )* };
}

impl_write! {
    [S: Storage] OwnedBuf<S>,
    [] CompositeBuf,
}

fn read(buf: &mut impl ByteBuf, dst: &mut [u8]) -> io::Result<usize> {
    let n = dst.len().min(buf.readable_bytes());
    buf.try_read_bytes(&mut dst[..n])?;
    Ok(n)
}

fn seek(buf: &mut impl ByteBuf, to: SeekFrom) -> io::Result<u64> {
    let (base, by) = match to {
        SeekFrom::Start(index) => (0, i128::from(index)),
        SeekFrom::Current(by) => (buf.reader_index(), i128::from(by)),
        SeekFrom::End(by) => (buf.writer_index(), i128::from(by)),
    };
    // No `usize` and 64-bit offset exceed an `i128`.
    let index = i128::try_from(base).unwrap_or(i128::MAX).saturating_add(by);
    let max = buf.writer_index();
    let index = usize::try_from(index).map_err(|_| Error::InvalidIndex {
        index: usize::MAX,
        min: 0,
        max,
    })?;
    buf.try_set_reader_index(index)?;
    Ok(index as u64)
}
