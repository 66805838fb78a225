//! Bytes on their way between a socket and the record layer.

use refbuf::{BufAllocator, ByteBuf, ByteBufMut, Error, HeapBuf};

/// A block of memory that is written at one end and consumed at the other, and
/// is nobody else's.
///
/// Both its users, sockets and ciphers, want a `&mut [u8]` to write to. Bytes
/// that do not exist cannot be lent, so they are made once, as zeros, and stay:
/// the buffer's writer index is how far that has got, and what is filled is
/// counted here. A block that is used again and again is zeroed once.
#[derive(Default)]
pub(super) struct Staging {
    /// Its reader index stays 0.
    buf: HeapBuf,
    /// `start <= end <= buf.writer_index()`.
    start: usize,
    end: usize,
}

impl Staging {
    /// Bytes that were filled and not consumed.
    pub(super) fn len(&self) -> usize {
        self.end - self.start
    }

    pub(super) fn capacity(&self) -> usize {
        self.buf.capacity()
    }

    pub(super) fn filled(&self) -> &[u8] {
        &self.buf.as_slice()[self.start..self.end]
    }

    pub(super) fn filled_mut(&mut self) -> Result<&mut [u8], Error> {
        let (start, end) = (self.start, self.end);
        Ok(&mut self.buf.try_as_mut_slice()?[start..end])
    }

    /// Exactly `n` bytes to write to, behind what is filled.
    pub(super) fn try_room(
        &mut self,
        allocator: &dyn BufAllocator,
        n: usize,
    ) -> Result<&mut [u8], Error> {
        self.try_reserve(allocator, n)?;
        let needed = self.end + n; // within the capacity
        if let Some(missing) = needed.checked_sub(self.buf.writer_index()) {
            self.buf.try_write_zeros(missing)?;
        }
        Ok(&mut self.buf.try_as_mut_slice()?[self.end..needed])
    }

    /// Makes the block as large as it takes for `n` bytes more.
    pub(super) fn try_reserve(
        &mut self,
        allocator: &dyn BufAllocator,
        n: usize,
    ) -> Result<(), Error> {
        if self.capacity() - self.end >= n {
            return Ok(());
        }
        let len = self.len();
        let needed =
            len.checked_add(n).ok_or(Error::Overflow { needed: n, available: usize::MAX - len })?;
        if self.capacity() >= needed {
            self.buf.try_as_mut_slice()?.copy_within(self.start..self.end, 0);
        } else {
            let mut larger = allocator.try_heap(needed)?;
            larger.try_write_bytes(self.filled())?;
            self.buf = larger;
        }
        (self.start, self.end) = (0, len);
        Ok(())
    }

    /// Makes room for `n` bytes, and if that takes a larger block, one that has
    /// room for some time: for those who append little, often.
    pub(super) fn try_grow(&mut self, allocator: &dyn BufAllocator, n: usize) -> Result<(), Error> {
        if self.capacity() - self.end >= n {
            return Ok(());
        }
        self.try_reserve(allocator, n.max(self.len()))
    }

    /// `n` bytes of the room were written to.
    ///
    /// # Panics
    ///
    /// If there was less room.
    pub(super) fn fill(&mut self, n: usize) {
        let room = self.buf.writer_index() - self.end;
        assert!(n <= room, "{n} bytes filled of a room of {room}");
        self.end += n;
    }

    /// # Panics
    ///
    /// If fewer than `n` bytes are filled.
    pub(super) fn consume(&mut self, n: usize) {
        assert!(n <= self.len(), "{n} bytes consumed of {}", self.len());
        self.start += n;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Forgets what is filled, and gives the block back.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refbuf::Unpooled;

    #[test]
    fn what_was_filled_survives_moving_and_growing() {
        let mut staging = Staging::default();
        let mut expected = Vec::new();
        let mut next = 0_u8;
        for (fill, consume) in [(10, 3), (60, 60), (5, 0), (500, 511), (1, 1), (4000, 1)] {
            for byte in staging.try_room(&Unpooled, fill).unwrap() {
                *byte = next;
                expected.push(next);
                next = next.wrapping_add(1);
            }
            staging.fill(fill);
            staging.consume(consume);
            expected.drain(..consume);
            assert_eq!(staging.filled(), expected);
            assert_eq!(staging.filled_mut().unwrap(), expected);
        }
    }

    #[test]
    fn a_block_that_is_large_enough_is_kept() {
        let mut staging = Staging::default();
        staging.try_reserve(&Unpooled, 100).unwrap();
        let at = staging.try_room(&Unpooled, 1).unwrap().as_ptr();
        for _ in 0..100 {
            assert_eq!(staging.try_room(&Unpooled, 100).unwrap().as_ptr(), at);
            staging.fill(100);
            staging.consume(100);
        }
    }

    #[test]
    fn room_that_cannot_be_had_changes_nothing() {
        let mut staging = Staging::default();
        staging.try_room(&Unpooled, 3).unwrap().copy_from_slice(b"abc");
        staging.fill(3);
        assert!(staging.try_room(&Unpooled, usize::MAX).is_err());
        assert!(staging.try_room(&Unpooled, usize::MAX / 2).is_err());
        assert_eq!(staging.filled(), b"abc");
    }
}
