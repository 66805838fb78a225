//! What comes from the peer: ciphertext in, plaintext out.

use refbuf::{BufAllocator, ByteBuf, ByteBufMut, Error, HeapBuf, ReceivePolicy, SliceBuf};

use super::staging::Staging;

/// The most that is kept of what was received and not read. The longest record
/// (18 KiB, RFC 5246, section 6.2.3) goes in, and the longest handshake message
/// that `rustls` accepts (64 KiB) in records of a reasonable size.
pub(super) const MAX_RECEIVED: usize = 96 << 10;

/// The first read, and the longest.
const FIRST_READ: usize = 4 << 10;
const LONGEST_READ: usize = 64 << 10;

/// A block so many times larger than a read is not kept for it.
const WASTE: usize = 4;

pub(super) struct Inbound {
    /// Ciphertext, which is decrypted where it is.
    received: Staging,
    policy: ReceivePolicy,
    plaintext: Plaintext,
}

/// Decrypted and not read yet.
///
/// `rustls` hands out what a record contained as a borrowed slice of memory of
/// its own; it is copied here, once, into blocks that slices can keep.
pub(super) struct Plaintext {
    buf: HeapBuf,
    /// The peer's `close_notify` was received: nothing is to come any more.
    pub(super) peer_closed: bool,
}

impl Inbound {
    pub(super) fn new() -> Self {
        Self {
            received: Staging::default(),
            policy: ReceivePolicy::new(FIRST_READ, LONGEST_READ),
            plaintext: Plaintext { buf: HeapBuf::new(), peer_closed: false },
        }
    }

    pub(super) fn parts(&mut self) -> (&mut Staging, &mut Plaintext) {
        (&mut self.received, &mut self.plaintext)
    }

    pub(super) fn ciphertext_len(&self) -> usize {
        self.received.len()
    }

    pub(super) fn plaintext_len(&self) -> usize {
        self.plaintext.buf.readable_bytes()
    }

    pub(super) fn is_peer_closed(&self) -> bool {
        self.plaintext.peer_closed
    }

    /// What is not processed fills the buffer: a record cannot do that.
    pub(super) fn is_stuck(&self) -> bool {
        self.ciphertext_len() >= MAX_RECEIVED
    }

    /// Where the next read may go to: empty if there is plaintext enough.
    pub(super) fn space(&mut self, allocator: &dyn BufAllocator) -> Result<&mut [u8], Error> {
        let waiting = self.ciphertext_len();
        let room = MAX_RECEIVED.saturating_sub(waiting + self.plaintext_len());
        let n = room.min(self.policy.next_read());
        if waiting == 0 && self.received.capacity() / WASTE > n {
            self.received.clear();
        }
        self.received.try_room(allocator, n)
    }

    pub(super) fn filled(&mut self, n: usize) {
        self.received.fill(n);
        self.policy.record(n);
    }

    /// Nothing more is to be decrypted.
    pub(super) fn close(&mut self) {
        self.received.clear();
    }

    /// Gives back blocks with nothing in them.
    pub(super) fn rest(&mut self) {
        if self.ciphertext_len() == 0 {
            self.received.clear();
        }
        if self.plaintext_len() == 0 {
            self.plaintext.buf = HeapBuf::new();
        }
    }

    pub(super) fn read_slice(&mut self) -> Result<SliceBuf, Error> {
        self.plaintext.buf.try_read_slice(self.plaintext_len())
    }

    pub(super) fn read(&mut self, dst: &mut [u8]) -> Result<usize, Error> {
        let n = dst.len().min(self.plaintext_len());
        self.plaintext.buf.try_read_bytes(&mut dst[..n])?;
        Ok(n)
    }
}

impl Plaintext {
    /// Makes room for a record of `n` bytes, and if that takes another block,
    /// for `all` that are to be expected.
    pub(super) fn try_make_room(
        &mut self,
        allocator: &dyn BufAllocator,
        n: usize,
        all: usize,
    ) -> Result<(), Error> {
        if self.buf.writable_bytes() >= n {
            return Ok(());
        }
        let n = n.max(all);
        if self.buf.is_readable() || (self.buf.capacity() >= n && self.buf.is_unique()) {
            return self.buf.try_make_room(n);
        }
        self.buf = allocator.try_heap(n)?;
        Ok(())
    }

    /// Appends what there is room for.
    pub(super) fn append(&mut self, record: &[u8]) -> Result<(), Error> {
        self.buf.try_write_bytes(record)
    }
}
