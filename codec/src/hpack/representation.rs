//! The representations that a header block consists of (RFC 7541, section 6).

use super::{DecodeError, integer};

/// A string as it is in the block.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawStr<'b> {
    pub(super) huffman: bool,
    pub(super) bytes: &'b [u8],
}

/// What a literal is called.
#[derive(Debug, Clone, Copy)]
pub(super) enum Name<'b> {
    /// As the entry of this index.
    Indexed(usize),
    Literal(RawStr<'b>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Indexing {
    Incremental,
    Without,
    Never,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Representation<'b> {
    Indexed(usize),
    Literal { indexing: Indexing, name: Name<'b>, value: RawStr<'b> },
    SizeUpdate(usize),
}

/// Why there is no representation.
#[derive(Debug)]
pub(super) enum Stop {
    /// At least so many bytes are missing.
    Incomplete {
        missing: usize,
    },
    Invalid(DecodeError),
}

impl From<integer::Stop> for Stop {
    #[inline]
    fn from(stop: integer::Stop) -> Self {
        match stop {
            integer::Stop::Incomplete => Self::Incomplete { missing: 1 },
            integer::Stop::Overflow => Self::Invalid(DecodeError::IntegerOverflow),
        }
    }
}

/// What is left of a block, or of a piece of it.
pub(super) struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn len(&self) -> usize {
        self.rest.len()
    }

    /// The next representation, complete, or `None` at the end. Nothing has
    /// been read if there is a `Stop`.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Representation<'b>>, Stop> {
        let start = self.rest;
        let Some(first) = self.byte() else { return Ok(None) };
        let representation = self.representation(first);
        if representation.is_err() {
            self.rest = start;
        }
        representation.map(Some)
    }

    #[inline(always)]
    fn representation(&mut self, first: u8) -> Result<Representation<'b>, Stop> {
        if first & INDEXED != 0 {
            return Ok(Representation::Indexed(self.integer(first, 7)?));
        }
        let (indexing, prefix) = if first & INCREMENTAL != 0 {
            (Indexing::Incremental, 6)
        } else if first & SIZE_UPDATE != 0 {
            return Ok(Representation::SizeUpdate(self.integer(first, 5)?));
        } else if first & NEVER != 0 {
            (Indexing::Never, 4)
        } else {
            (Indexing::Without, 4)
        };
        let name = match self.integer(first, prefix)? {
            0 => Name::Literal(self.string()?),
            index => Name::Indexed(index),
        };
        Ok(Representation::Literal { indexing, name, value: self.string()? })
    }

    #[inline(always)]
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    #[inline(always)]
    fn integer(&mut self, first: u8, prefix: u32) -> Result<usize, integer::Stop> {
        let (value, len) = integer::decode(first, prefix, self.rest)?;
        self.rest = &self.rest[len..];
        Ok(value)
    }

    #[inline(always)]
    fn string(&mut self) -> Result<RawStr<'b>, Stop> {
        let first = self.byte().ok_or(integer::Stop::Incomplete)?;
        let len = self.integer(first, 7)?;
        match self.rest.split_at_checked(len) {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(RawStr { huffman: first & HUFFMAN != 0, bytes })
            }
            None => Err(Stop::Incomplete { missing: len - self.rest.len() }),
        }
    }
}

// The highest bit that is set says what it is, and the bits below are the
// prefix of an integer: 7, 6, 5, 4 and 4 bits of it.

pub(super) const INDEXED: u8 = 0x80;
pub(super) const INCREMENTAL: u8 = 0x40;
pub(super) const SIZE_UPDATE: u8 = 0x20;
pub(super) const NEVER: u8 = 0x10;
pub(super) const WITHOUT: u8 = 0;

/// Set in the first byte of a string.
pub(super) const HUFFMAN: u8 = 0x80;
