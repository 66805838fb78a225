//! Bodies in chunks (RFC 9112, section 7.1).

use refbuf::ByteBuf;

use super::fields::{Fields, is_text_byte, parse_trailers};
use super::scan::{Bounds, Scan};
use super::{DecodeError, Limits};

/// What a chunk costs besides its line; see [`Limits::chunk_overhead`].
const CHUNK_COST: u64 = 32;

/// Digits of a size: those of 64 bits.
const MAX_DIGITS: usize = 16;

/// Where in the chunks the input is. Each byte that is not data is looked at
/// once, and is gone.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    phase: Phase,
    /// Data that is left of the present chunk.
    left: u64,
    /// Bytes of its line.
    line: usize,
    /// Data of all chunks.
    total: u64,
    overhead: u64,
    trailers: Scan,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Phase {
    #[default]
    Size,
    /// Behind the size and spaces, where only an extension may follow.
    Space,
    Extension,
    /// Behind the carriage return of the line.
    LineFeed,
    Data,
    /// Behind the data.
    DataEnd,
    /// Behind the carriage return there.
    DataLineFeed,
    Trailers,
}

/// What is at the reader index.
// Handed on at once; see `Event`.
#[allow(clippy::large_enum_variant)]
pub(super) enum Part {
    /// So many bytes of data at most, and at least one.
    Data(u64),
    End(Fields),
}

impl Chunks {
    /// Consumes up to the next part. `None` if it is not there.
    pub(super) fn next<B: ByteBuf + ?Sized>(
        &mut self,
        input: &mut B,
        limits: &Limits,
    ) -> Result<Option<Part>, DecodeError> {
        loop {
            match self.phase {
                Phase::Data => return Ok(input.is_readable().then_some(Part::Data(self.left))),
                Phase::Trailers => return self.end(input, limits),
                _ if !input.is_readable() => return Ok(None),
                _ => self.line(input, limits)?,
            }
        }
    }

    /// Data was taken.
    pub(super) fn took(&mut self, len: u64) {
        self.left -= len;
        if self.left == 0 {
            self.phase = Phase::DataEnd;
        }
    }

    /// Consumes what there is of the lines between data.
    fn line<B: ByteBuf + ?Sized>(
        &mut self,
        input: &mut B,
        limits: &Limits,
    ) -> Result<(), DecodeError> {
        let mut used = 0;
        for &byte in input.try_chunk(input.reader_index())? {
            used += 1;
            self.byte(byte, limits)?;
            if matches!(self.phase, Phase::Data | Phase::Trailers) {
                break;
            }
        }
        Ok(input.try_skip(used)?)
    }

    fn byte(&mut self, byte: u8, limits: &Limits) -> Result<(), DecodeError> {
        if matches!(self.phase, Phase::Size | Phase::Space | Phase::Extension) {
            self.line += 1;
            if self.line > limits.chunk_line {
                return Err(DecodeError::ChunkLineTooLong { max: limits.chunk_line });
            }
        }
        self.phase = match (self.phase, byte) {
            (Phase::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                if self.line > MAX_DIGITS {
                    return Err(DecodeError::ChunkSizeTooLong);
                }
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                self.left = self.left << 4 | u64::from(digit);
                Phase::Size
            }
            // Without digits there is no size.
            (Phase::Size, _) if self.line == 1 && byte != b'\n' => {
                return Err(DecodeError::InvalidChunkLine);
            }
            (Phase::Size | Phase::Extension, b'\r') => Phase::LineFeed,
            (Phase::Size | Phase::Space, b';') => Phase::Extension,
            (Phase::Size | Phase::Space, b' ' | b'\t') => Phase::Space,
            (Phase::Extension, byte) if is_text_byte(byte) => Phase::Extension,
            (Phase::Size | Phase::Space | Phase::Extension, b'\n') => {
                return Err(DecodeError::BareNewlineInChunk);
            }
            (Phase::LineFeed, b'\n') => self.start(limits)?,
            (Phase::LineFeed, _) => return Err(DecodeError::BareNewlineInChunk),
            (Phase::DataEnd, b'\r') => Phase::DataLineFeed,
            (Phase::DataLineFeed, b'\n') => Phase::Size,
            (Phase::DataEnd | Phase::DataLineFeed, _) => return Err(DecodeError::MissingChunkEnd),
            _ => return Err(DecodeError::InvalidChunkLine),
        };
        Ok(())
    }

    /// The line of a chunk is complete.
    fn start(&mut self, limits: &Limits) -> Result<Phase, DecodeError> {
        let line = std::mem::take(&mut self.line) as u64;
        if self.left == 0 {
            return Ok(Phase::Trailers);
        }
        self.total = self.total.saturating_add(self.left);
        if self.total > limits.body {
            return Err(DecodeError::BodyTooLong { len: self.total, max: limits.body });
        }
        // Paid with the data of this chunk and what the ones before were short.
        let cost = self.overhead.saturating_add(line).saturating_add(CHUNK_COST);
        self.overhead = cost.saturating_sub(self.left);
        if self.overhead > limits.chunk_overhead {
            return Err(DecodeError::ChunkOverhead { max: limits.chunk_overhead });
        }
        Ok(Phase::Data)
    }

    fn end<B: ByteBuf + ?Sized>(
        &mut self,
        input: &mut B,
        limits: &Limits,
    ) -> Result<Option<Part>, DecodeError> {
        let bounds = Bounds {
            // The empty line that ends it is no part of the section.
            bytes: limits.trailers + 2,
            lines: limits.fields,
            too_long: DecodeError::TrailersTooLong { max: limits.trailers },
            too_many: DecodeError::TooManyFields { max: limits.fields },
        };
        let Some(len) = self.trailers.find(input, bounds)? else {
            return Ok(None);
        };
        if len == 2 {
            input.try_skip(len)?;
            return Ok(Some(Part::End(Fields::default())));
        }
        let bytes = input.try_read_slice(len)?;
        Ok(Some(Part::End(parse_trailers(bytes, limits.fields)?)))
    }
}
