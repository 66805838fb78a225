//! How large a receive buffer should be.

use crate::memory::Storage;
use crate::{ByteBuf, ByteBufMut, Error, OwnedBuf};

/// Sizes a connection's receive buffer by what its traffic needs: it grows
/// when reads fill it, shrinks when they are small for a while, and lets a
/// block go that one large message made much larger than that.
///
/// Before each read [`prepare`](ReceivePolicy::prepare) the buffer, after it
/// [`record`](ReceivePolicy::record) how much came.
///
/// ```
/// use refbuf::{ByteBuf, ByteBufMut, HeapBuf, ReceivePolicy};
///
/// let mut policy = ReceivePolicy::new(1 << 10, 64 << 10);
/// let mut input = HeapBuf::new();
/// let mut socket = &[7; 100_000][..];
/// while !socket.is_empty() {
///     let n = policy.prepare(&mut input)?.min(socket.len());
///     input.write_bytes(&socket[..n]); // what a read brings
///     socket = &socket[n..];
///     policy.record(n);
///     input.skip(input.readable_bytes()); // decoded
/// }
/// assert!(policy.next_read() > 1 << 10);
/// # Ok::<(), refbuf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivePolicy {
    min: usize,
    max: usize,
    next: usize,
    /// Small reads in a row.
    small: u8,
}

/// So many small reads in a row are calm, not chance.
const CALM: u8 = 4;

/// A block so many times larger than needed is given back.
const WASTE: usize = 4;

impl ReceivePolicy {
    /// Reads of `min` to `max` bytes, beginning with `min`.
    ///
    /// # Panics
    ///
    /// If `min` is 0 or larger than `max`.
    ///
    /// ```
    /// use refbuf::ReceivePolicy;
    ///
    /// assert_eq!(ReceivePolicy::new(512, 8192).next_read(), 512);
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn new(min: usize, max: usize) -> Self {
        assert!(min != 0 && min <= max, "a receive policy needs 0 < min <= max");
        Self { min, max, next: min, small: 0 }
    }

    /// How many bytes the next read should be able to bring.
    ///
    /// ```
    /// use refbuf::ReceivePolicy;
    ///
    /// let mut policy = ReceivePolicy::new(512, 8192);
    /// policy.record(512);
    /// assert_eq!(policy.next_read(), 1024);
    /// ```
    #[must_use]
    pub const fn next_read(&self) -> usize {
        self.next
    }

    /// Learns from a read of `n` bytes. One that was full doubles the next;
    /// several in a row that would have fitted into half of it halve it.
    ///
    /// ```
    /// use refbuf::ReceivePolicy;
    ///
    /// let mut policy = ReceivePolicy::new(512, 8192);
    /// policy.record(512);
    /// for _ in 0..4 {
    ///     policy.record(100);
    /// }
    /// assert_eq!(policy.next_read(), 512);
    /// ```
    pub const fn record(&mut self, n: usize) {
        if n >= self.next {
            let doubled = self.next.saturating_mul(2);
            self.next = if doubled < self.max { doubled } else { self.max };
            self.small = 0;
        } else if n > self.next / 2 {
            self.small = 0;
        } else {
            self.small += 1;
            if self.small == CALM {
                let halved = self.next / 2;
                self.next = if halved > self.min { halved } else { self.min };
                self.small = 0;
            }
        }
    }

    /// Makes room in `buf` for the next read, and returns for how many bytes.
    /// Bytes that were read may be given up ([`make_room`](ByteBufMut::make_room));
    /// unread ones move to a smaller block if the present one is much larger
    /// than they and the read need.
    ///
    /// # Errors
    ///
    /// Those of [`try_make_room`](ByteBufMut::try_make_room).
    ///
    /// ```
    /// use refbuf::{ByteBuf, ByteBufMut, HeapBuf, ReceivePolicy};
    ///
    /// let mut policy = ReceivePolicy::new(1024, 8192);
    /// let mut buf = HeapBuf::with_capacity(1 << 20); // for one large message
    /// policy.prepare(&mut buf)?;
    /// assert!(buf.allocation_len() <= 8192);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    pub fn prepare<S: Storage>(&self, buf: &mut OwnedBuf<S>) -> Result<usize, Error> {
        self.prepare_for(buf, 0)
    }

    /// [`prepare`](ReceivePolicy::prepare) where `missing` bytes are known to
    /// come, the rest of a message whose length was checked: makes room for as
    /// many at once, and keeps it until they are there.
    ///
    /// # Errors
    ///
    /// Those of [`try_make_room`](ByteBufMut::try_make_room).
    ///
    /// ```
    /// use refbuf::{ByteBufMut, HeapBuf, ReceivePolicy};
    ///
    /// let policy = ReceivePolicy::new(1024, 8192);
    /// let mut buf = HeapBuf::new();
    /// policy.prepare_for(&mut buf, 100_000)?;
    /// assert!(buf.writable_bytes() >= 100_000);
    /// # Ok::<(), refbuf::Error>(())
    /// ```
    pub fn prepare_for<S: Storage>(
        &self,
        buf: &mut OwnedBuf<S>,
        missing: usize,
    ) -> Result<usize, Error> {
        let room = self.next.max(missing);
        let needed = buf.readable_bytes().saturating_add(room);
        if buf.allocation_len() / WASTE >= needed {
            buf.try_shrink_to(needed)?;
        }
        buf.try_make_room(room)?;
        Ok(self.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapBuf;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Feeds messages of these sizes, each decoded as soon as it is whole;
    /// returns the memory kept after each.
    fn kept_after(policy: &mut ReceivePolicy, sizes: &[usize]) -> Vec<usize> {
        let mut buf = HeapBuf::new();
        sizes
            .iter()
            .map(|&size| {
                let mut left = size;
                while left != 0 {
                    let n = policy.prepare(&mut buf).unwrap().min(left);
                    buf.write_zeros(n);
                    policy.record(n);
                    left -= n;
                }
                buf.skip(size);
                buf.allocation_len()
            })
            .collect()
    }

    #[test]
    fn constant_traffic_settles() {
        let kept = kept_after(&mut ReceivePolicy::new(1024, 65536), &[3000; 100]);
        let settled = kept[20];
        assert!(settled <= 4 * 4096, "{settled}");
        assert!(kept[20..].iter().all(|&len| len == settled), "{kept:?}");
    }

    #[test]
    fn one_huge_message_is_forgotten() {
        let mut sizes = vec![500; 20];
        sizes[5] = 10 << 20;
        let kept = kept_after(&mut ReceivePolicy::new(1024, 65536), &sizes);
        assert!(kept[5] >= 10 << 20);
        assert!(kept[6] <= 4 * (65536 + 500), "{kept:?}");
        let calm =
            kept_after(&mut ReceivePolicy::new(1024, 65536), &[&sizes[..], &[500; 50]].concat());
        assert!(calm[69] <= 4 * 2048, "{calm:?}");
    }

    #[test]
    fn bursts_do_not_make_it_flap() {
        let mut policy = ReceivePolicy::new(1024, 65536);
        let burst: Vec<usize> = (0..100).map(|i| if i % 3 == 0 { 60_000 } else { 200 }).collect();
        kept_after(&mut policy, &burst);
        assert!(policy.next_read() >= 16384, "{policy:?}");
    }

    #[test]
    fn unread_bytes_survive_shrinking() {
        let policy = ReceivePolicy::new(64, 64);
        let mut buf = HeapBuf::with_capacity(1 << 20);
        buf.write_bytes(b"read, unread");
        buf.skip(6);
        policy.prepare(&mut buf).unwrap();
        assert!(buf.allocation_len() < 1024);
        assert_eq!(buf, b"unread");
    }
}
