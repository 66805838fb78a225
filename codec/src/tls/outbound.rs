//! What goes to the peer: plaintext in, ciphertext out, no more of it at once
//! than is wanted.

use std::collections::VecDeque;
use std::sync::Arc;

use refbuf::{BufAllocator, ByteBuf, ByteBufMut, CoalescingQueue, CompositeBuf, Error, HeapBuf};
use rustls::unbuffered::{EncryptError, WriteTraffic};

use super::TlsError;
use super::staging::Staging;

/// The longest plaintext of a record (RFC 8446, section 5.1).
pub(super) const MAX_FRAGMENT: usize = 16 << 10;

/// What the cipher suites of today add to a record: 22 bytes in TLS 1.3, up to
/// 29 in TLS 1.2. If it is more, the record is tried again with what it needs.
const OVERHEAD: usize = 32;

/// So much ciphertext is worth a write: four full records. A write for each of
/// them, and a peer that is woken for each, costs half as much again.
const WORTH_A_WRITE: usize = 4 * MAX_FRAGMENT;

/// So much ciphertext stays in the cache until it is written. A block of
/// megabytes does not, and costs more than the writes that it saves.
const TOO_MUCH_FOR_ONE: usize = 16 * MAX_FRAGMENT;

/// Small writes are gathered in blocks of this size: what is contiguous can be
/// one record.
const GATHERED: usize = MAX_FRAGMENT;

pub(super) struct Outbound<T> {
    pub(super) wrap_data_size: usize,
    pub(super) limit: usize,
    queue: CoalescingQueue<T>,
    /// The end of the queue, while small writes are gathered.
    gathered: HeapBuf,
    /// Off the queue, and not encrypted to its end.
    taken: CompositeBuf,
    taken_tokens: Vec<T>,
    pub(super) ciphertext: Staging,
    /// Bytes of ciphertext sent so far.
    sent: u64,
    /// Tokens that are due when so much of it was sent.
    due: VecDeque<(u64, T)>,
    close: Close,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Close {
    Open,
    /// After what is queued.
    Wanted,
    Done,
}

impl<T> Outbound<T> {
    pub(super) fn new(
        wrap_data_size: usize,
        limit: usize,
        allocator: Arc<dyn BufAllocator>,
    ) -> Self {
        Self {
            wrap_data_size,
            limit,
            queue: CoalescingQueue::with_allocator(allocator),
            gathered: HeapBuf::new(),
            taken: CompositeBuf::new(),
            taken_tokens: Vec::new(),
            ciphertext: Staging::default(),
            sent: 0,
            due: VecDeque::new(),
            close: Close::Open,
        }
    }

    /// Plaintext that is not encrypted yet.
    #[inline]
    pub(super) fn queued_bytes(&self) -> usize {
        // One block may be queued many times.
        self.queue
            .readable_bytes()
            .saturating_add(self.gathered.readable_bytes())
            .saturating_add(self.taken.readable_bytes())
    }

    /// Whether `wrap` has something to do.
    pub(super) fn wants_wrap(&self) -> bool {
        self.has_plaintext() || self.close == Close::Wanted
    }

    /// Also if it is only a token.
    fn has_plaintext(&self) -> bool {
        self.taken.is_readable()
            || !self.taken_tokens.is_empty()
            || !self.queue.is_empty()
            || self.gathered.is_readable()
    }

    fn check_open(&self) -> Result<(), TlsError> {
        if self.close == Close::Open { Ok(()) } else { Err(TlsError::Closed) }
    }

    /// The queue, with all that was written before in it.
    pub(super) fn open_queue(&mut self) -> Result<&mut CoalescingQueue<T>, TlsError> {
        self.check_open()?;
        self.queue_gathered()?;
        Ok(&mut self.queue)
    }

    /// Copies what `limit` allows to be queued. Where each buffer is to be
    /// wrapped by itself, so is what is written.
    #[inline]
    pub(super) fn write(
        &mut self,
        src: &[u8],
        limit: usize,
        allocator: &dyn BufAllocator,
    ) -> Result<usize, TlsError> {
        let fits = src.len() <= limit.saturating_sub(self.queued_bytes());
        let gathers = self.wrap_data_size != 0 && self.close == Close::Open;
        if fits && gathers && self.gathered.write_window(src) {
            return Ok(src.len());
        }
        self.write_slowly(src, limit, allocator)
    }

    fn write_slowly(
        &mut self,
        src: &[u8],
        limit: usize,
        allocator: &dyn BufAllocator,
    ) -> Result<usize, TlsError> {
        self.check_open()?;
        let n = src.len().min(limit.saturating_sub(self.queued_bytes()));
        let src = &src[..n];
        if self.wrap_data_size == 0 && n != 0 {
            self.queue_gathered()?;
            let mut own = allocator.try_heap(n)?;
            own.try_write_bytes(src)?;
            self.queue.try_push(own)?;
            return Ok(n);
        }
        let mut written = 0;
        while written < n {
            match self.gather(&src[written..], allocator) {
                Ok(more) => written += more,
                Err(error) if written == 0 => return Err(error.into()),
                Err(_) => break, // the next call will find out
            }
        }
        Ok(written)
    }

    /// Copies as much of `src` as goes into one block.
    fn gather(&mut self, src: &[u8], allocator: &dyn BufAllocator) -> Result<usize, Error> {
        if !self.gathered.is_writable() {
            self.queue_gathered()?;
            self.gathered = allocator.try_heap(GATHERED)?;
        }
        let n = src.len().min(self.gathered.writable_bytes());
        self.gathered.try_write_bytes(&src[..n])?;
        Ok(n)
    }

    fn queue_gathered(&mut self) -> Result<(), Error> {
        if self.gathered.is_readable() {
            let (at, len) = (self.gathered.reader_index(), self.gathered.readable_bytes());
            // A slice, so that the rest of the block can be written on.
            let gathered = self.gathered.try_read_slice(len)?;
            if let Err(error) = self.queue.try_push(gathered) {
                self.gathered.try_set_reader_index(at)?;
                return Err(error);
            }
        }
        Ok(())
    }

    pub(super) fn close(&mut self) {
        if self.close == Close::Open {
            self.close = Close::Wanted;
        }
    }

    /// Encrypts until as much ciphertext waits as is wanted, or all is done.
    pub(super) fn wrap<D>(
        &mut self,
        traffic: &mut WriteTraffic<'_, D>,
        allocator: &dyn BufAllocator,
    ) -> Result<(), TlsError> {
        self.queue_gathered()?;
        let enough = self.wrap_data_size.clamp(WORTH_A_WRITE, TOO_MUCH_FOR_ONE).min(self.limit);
        while self.ciphertext.len() < enough {
            if !self.taken.is_readable() && !self.take()? {
                return self.wrap_close(traffic, allocator);
            }
            self.encrypt_record(traffic, allocator, enough)?;
        }
        Ok(())
    }

    /// Takes what is to be wrapped next off the queue; false if it is empty.
    fn take(&mut self) -> Result<bool, Error> {
        self.finish_taken();
        while !self.queue.is_empty() {
            let (taken, tokens) = (&mut self.taken, &mut self.taken_tokens);
            match self.wrap_data_size {
                0 => self.queue.take_first_into(taken, tokens)?,
                n => self.queue.take_into(n, taken, tokens)?,
            };
            if self.taken.is_readable() {
                return Ok(true);
            }
            self.finish_taken(); // tokens of buffers without bytes
        }
        self.taken = CompositeBuf::new(); // it may keep a block
        Ok(false)
    }

    /// The tokens of what was taken are due with the last byte of it.
    fn finish_taken(&mut self) {
        let end = self.sent + self.ciphertext.len() as u64;
        self.due.extend(self.taken_tokens.drain(..).map(|token| (end, token)));
    }

    fn encrypt_record<D>(
        &mut self,
        traffic: &mut WriteTraffic<'_, D>,
        allocator: &dyn BufAllocator,
        enough: usize,
    ) -> Result<(), TlsError> {
        if self.ciphertext.len() == 0 {
            let most = enough.checked_next_multiple_of(MAX_FRAGMENT).unwrap_or(usize::MAX);
            let plaintext = self.queued_bytes().min(most);
            let overhead = plaintext.div_ceil(MAX_FRAGMENT) * OVERHEAD;
            self.ciphertext.try_reserve(allocator, plaintext.saturating_add(overhead))?;
        }
        let run = self.taken.try_chunk(self.taken.reader_index())?;
        let n = run.len().min(MAX_FRAGMENT);
        let mut size = n + OVERHEAD;
        let written = loop {
            self.ciphertext.try_grow(allocator, size)?;
            match traffic.encrypt(&run[..n], self.ciphertext.try_room(allocator, size)?) {
                Ok(written) => break written,
                Err(EncryptError::InsufficientSize(short)) => size = short.required_size,
                Err(EncryptError::EncryptExhausted) => return Err(TlsError::KeysExhausted),
            }
        };
        self.ciphertext.fill(written);
        self.taken.try_skip(n)?;
        self.taken.discard_read_components();
        if !self.taken.is_readable() {
            self.finish_taken();
        }
        Ok(())
    }

    /// Everything is encrypted: says so, if that is wanted.
    fn wrap_close<D>(
        &mut self,
        traffic: &mut WriteTraffic<'_, D>,
        allocator: &dyn BufAllocator,
    ) -> Result<(), TlsError> {
        if self.close != Close::Wanted {
            return Ok(());
        }
        let mut size = 2 * OVERHEAD;
        loop {
            let room = self.ciphertext.try_room(allocator, size)?;
            match traffic.queue_close_notify(room) {
                Ok(n) => {
                    self.ciphertext.fill(n);
                    self.close = Close::Done;
                    return Ok(());
                }
                Err(EncryptError::InsufficientSize(short)) => size = short.required_size,
                Err(EncryptError::EncryptExhausted) => return Err(TlsError::KeysExhausted),
            }
        }
    }

    /// `n` bytes of the ciphertext are gone.
    pub(super) fn sent(&mut self, n: usize) {
        self.ciphertext.consume(n);
        self.sent += n as u64;
        if self.ciphertext.len() == 0 && !self.has_plaintext() {
            // An idle connection keeps no blocks.
            self.ciphertext.clear();
            self.gathered = HeapBuf::new();
        }
    }

    /// The next token whose bytes have all been sent.
    pub(super) fn completed(&mut self) -> Option<T> {
        let (due, _) = self.due.front()?;
        if *due <= self.sent { self.due.pop_front().map(|(_, token)| token) } else { None }
    }

    /// Drops all that was not encrypted. Returns the tokens of all that was
    /// not sent.
    pub(super) fn abandon(&mut self) -> Vec<T> {
        self.gathered = HeapBuf::new();
        self.taken = CompositeBuf::new();
        let mut tokens: Vec<T> = self.due.drain(..).map(|(_, token)| token).collect();
        tokens.append(&mut self.taken_tokens);
        tokens.extend(self.queue.clear());
        tokens
    }
}
