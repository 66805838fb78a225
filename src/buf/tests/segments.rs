//! A buffer in as many pieces as a test wants, with nothing clever in it.

use crate::buf::{
    ByteBuf, ByteBufMut, check_accessible, check_index, check_range, check_span, impl_comparisons,
};
use crate::{Error, HeapBuf, SliceBuf};
use core::mem::MaybeUninit;
use core::ops::Range;
use std::vec;
use std::vec::Vec;

pub(super) struct Segments {
    /// Each holds at least one byte.
    segments: Vec<Vec<u8>>,
    reader: usize,
    max_capacity: usize,
    /// The segment that cannot be written.
    pub(super) shared: Option<usize>,
    released: bool,
}

impl_comparisons!([] Segments);

impl Segments {
    pub(super) fn new(segments: &[&[u8]]) -> Self {
        Self {
            segments: segments.iter().filter(|s| !s.is_empty()).map(|s| s.to_vec()).collect(),
            reader: 0,
            max_capacity: 4096,
            shared: None,
            released: false,
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.segments.concat()
    }

    fn check_room(&self, needed: usize) -> Result<(), Error> {
        check_accessible(self)?;
        let available = self.max_writable_bytes();
        if needed > available {
            return Err(Error::Overflow { needed, available });
        }
        Ok(())
    }

    /// The segment that `index` is in, and where in it.
    fn locate(&self, mut index: usize) -> Option<(usize, usize)> {
        for (i, segment) in self.segments.iter().enumerate() {
            if index < segment.len() {
                return Some((i, index));
            }
            index -= segment.len();
        }
        None
    }
}

impl ByteBuf for Segments {
    fn reader_index(&self) -> usize {
        self.reader
    }

    fn writer_index(&self) -> usize {
        self.segments.iter().map(Vec::len).sum()
    }

    fn capacity(&self) -> usize {
        self.writer_index()
    }

    fn max_capacity(&self) -> usize {
        self.max_capacity
    }

    fn try_set_reader_index(&mut self, index: usize) -> Result<(), Error> {
        check_accessible(self)?;
        check_index(index, 0, self.writer_index())?;
        self.reader = index;
        Ok(())
    }

    fn is_accessible(&self) -> bool {
        !self.released
    }

    fn ref_count(&self) -> usize {
        (!self.released).into()
    }

    fn release(&mut self) -> bool {
        !core::mem::replace(&mut self.released, true)
    }

    fn window(&self, index: usize, len: usize) -> Option<&[u8]> {
        let (i, at) = self.locate(index).filter(|_| !self.released)?;
        self.segments[i].get(at..at.checked_add(len)?)
    }

    fn read_window(&mut self, len: usize) -> Option<&[u8]> {
        let index = self.reader;
        (*self).window(index, len)?;
        self.reader += len;
        (*self).window(index, len)
    }

    fn try_chunk(&self, index: usize) -> Result<&[u8], Error> {
        check_range(self, index, 0)?;
        Ok(self.locate(index).map_or(&[], |(i, at)| &self.segments[i][at..]))
    }

    fn try_slice(&mut self, range: Range<usize>) -> Result<SliceBuf, Error> {
        let len = check_span(self, &range)?;
        HeapBuf::from(self.bytes()[range].to_vec()).try_slice(0..len)
    }
}

impl ByteBufMut for Segments {
    fn try_set_writer_index(&mut self, index: usize) -> Result<(), Error> {
        check_accessible(self)?;
        check_index(index, self.reader, self.max_capacity)?;
        while self.writer_index() > index {
            let last = self.segments.last_mut().unwrap();
            last.pop();
            if last.is_empty() {
                self.segments.pop();
            }
        }
        self.try_write_zeros(index - self.writer_index())
    }

    fn set_window(&mut self, index: usize, src: &[u8]) -> bool {
        match self.try_chunk_mut(index) {
            Ok(chunk) if chunk.len() >= src.len() => {
                chunk[..src.len()].copy_from_slice(src);
                true
            }
            _ => false,
        }
    }

    fn write_window(&mut self, _src: &[u8]) -> bool {
        false
    }

    fn try_set_bytes(&mut self, index: usize, src: &[u8]) -> Result<(), Error> {
        check_range(self, index, src.len())?;
        for (i, &byte) in src.iter().enumerate() {
            self.try_chunk_mut(index + i)?[0] = byte;
        }
        Ok(())
    }

    /// Every write is a segment of its own.
    fn try_write_bytes(&mut self, src: &[u8]) -> Result<(), Error> {
        self.check_room(src.len())?;
        if !src.is_empty() {
            self.segments.push(src.to_vec());
        }
        Ok(())
    }

    fn try_write_zeros(&mut self, n: usize) -> Result<(), Error> {
        self.check_room(n)?;
        self.try_write_bytes(&vec![0; n])
    }

    fn try_ensure_writable(&mut self, n: usize) -> Result<(), Error> {
        self.check_room(n)
    }

    fn try_make_room(&mut self, n: usize) -> Result<(), Error> {
        self.check_room(n)
    }

    fn discard_read_bytes(&mut self) {
        while self.reader > 0 {
            self.segments[0].remove(0);
            self.segments.retain(|segment| !segment.is_empty());
            self.reader -= 1;
        }
    }

    fn try_chunk_mut(&mut self, index: usize) -> Result<&mut [u8], Error> {
        check_range(self, index, 0)?;
        match self.locate(index) {
            Some((i, _)) if self.shared == Some(i) => Err(Error::Shared),
            Some((i, at)) => Ok(&mut self.segments[i][at..]),
            None => Ok(&mut []),
        }
    }

    fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<u8>] {
        &mut []
    }

    unsafe fn advance_writer(&mut self, n: usize) {
        assert_eq!(n, 0);
    }
}
