//! What both drivers do, apart from waiting.
//!
//! A stream is `Read` and `Write` here. One that has nothing for now says
//! `WouldBlock`: the call ends with that, and can be made again.

use std::io::{self, ErrorKind, Read, Write};

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, HeapBuf, OwnedBuf, ReceivePolicy, Storage};

use super::{Error, Options, Parts};
use crate::{Decoder, Encoder};

/// Room for so much is made on a peer's word. More comes of a buffer's way to
/// grow, by doubling when it is full.
const TRUSTED: usize = 64 << 10;

/// So many components are as good a reason to write as bytes: each of them
/// takes memory of its own.
const MAX_COMPONENTS: usize = 1024;

#[derive(Debug)]
pub(super) struct Core<C, B> {
    pub(super) codec: C,
    pub(super) input: B,
    pub(super) output: CompositeBuf,
    policy: ReceivePolicy,
    write_limit: usize,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    /// The stream has ended; what was received is decoded.
    Ended,
    /// No more items.
    Over,
}

impl<C> Core<C, HeapBuf> {
    pub(super) fn new(codec: C, options: &Options<'_>) -> Self {
        // Memory is taken when something comes.
        let input = options.source().heap(0);
        Self::with_input(codec, options, input)
    }
}

impl<C, B> Core<C, B> {
    pub(super) fn with_input(codec: C, options: &Options<'_>, input: B) -> Self {
        Self {
            codec,
            input,
            output: options.source().composite(),
            policy: options.receive.clone(),
            write_limit: options.write_limit.max(1),
            phase: Phase::Open,
        }
    }

    pub(super) fn into_parts<S>(self, stream: S) -> Parts<S, C, B> {
        Parts { stream, codec: self.codec, input: self.input, output: self.output }
    }
}

impl<C, M: Storage> Core<C, OwnedBuf<M>>
where
    C: Decoder<OwnedBuf<M>>,
{
    /// The next item; reads as long as there is none.
    pub(super) fn receive(
        &mut self,
        reader: &mut dyn Read,
    ) -> Result<Option<C::Item>, Error<C::Error>> {
        loop {
            let result = match self.phase {
                Phase::Open => self.codec.decode(&mut self.input),
                Phase::Ended => self.codec.decode_eof(&mut self.input),
                Phase::Over => return Ok(None),
            };
            match result {
                Ok(Some(item)) => return Ok(Some(item)),
                Ok(None) if self.phase == Phase::Ended => self.phase = Phase::Over,
                Ok(None) => self.fill(reader)?,
                Err(error) => {
                    if !self.codec.recovers(&error) {
                        self.phase = Phase::Over;
                    }
                    return Err(Error::Codec(error));
                }
            }
        }
    }

    /// Appends what one read brings.
    fn fill(&mut self, reader: &mut dyn Read) -> Result<(), Error<C::Error>> {
        // Room that there is costs no more, and is kept.
        let trusted = self.input.writable_bytes().max(TRUSTED);
        let missing = self.codec.missing().min(trusted);
        let room = self.policy.prepare_for(&mut self.input, missing).map_err(Error::Buffer)?;
        loop {
            match self.input.read_from(reader, room) {
                Ok(0) => self.phase = Phase::Ended,
                Ok(n) => self.policy.record(n),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    if !is_transient(&error) {
                        self.phase = Phase::Over;
                    }
                    return Err(error.into());
                }
            }
            return Ok(());
        }
    }
}

impl<C, B> Core<C, B> {
    /// Queues an item, whatever is queued already.
    pub(super) fn encode<Item>(&mut self, item: Item) -> Result<(), Error<C::Error>>
    where
        C: Encoder<Item>,
    {
        self.codec.encode(item, &mut self.output).map_err(Error::Codec)
    }

    pub(super) fn queued(&self) -> usize {
        self.output.readable_bytes()
    }

    pub(super) fn is_full(&self) -> bool {
        self.queued() >= self.write_limit || self.output.component_count() >= MAX_COMPONENTS
    }

    /// Writes if the limit is reached, and succeeds if it no longer is.
    pub(super) fn make_ready(&mut self, writer: &mut dyn Write) -> io::Result<()> {
        if !self.is_full() {
            return Ok(());
        }
        match self.write_all(writer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock && !self.is_full() => Ok(()),
            result => result,
        }
    }

    /// Writes all that is queued, and lets go what went.
    pub(super) fn write_all(&mut self, writer: &mut dyn Write) -> io::Result<()> {
        while self.output.is_readable() {
            match self.output.write_to(writer) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => self.output.discard_read_components(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Whether the stream may be asked again.
pub(super) fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
