//! What decoders of frames should do, said naively of all the bytes at once;
//! and what they do with the same bytes in pieces. Also used by the fuzz target.

#![allow(clippy::cast_possible_truncation)] // Of numbers that were compared with lengths.

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, HeapBuf, SliceBuf};
use refbuf_codec::frame::{
    ConfigError, Delimiter, DelimiterDecoder, FrameError, LengthField, LengthFieldDecoder, Varint,
    VarintDecoder,
};
use refbuf_codec::{Cut, Decoder};

#[derive(Debug, Clone)]
pub enum Config {
    LengthField {
        offset: usize,
        width: usize,
        adjustment: i64,
        strip: usize,
        little_endian: bool,
        max: usize,
    },
    Varint {
        wide: bool,
        max: usize,
    },
    Delimiter {
        delimiters: Vec<Vec<u8>>,
        keep: bool,
        optional_at_end: bool,
        max: usize,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Frame(Vec<u8>),
    Error(FrameError),
}

// ---- naively ---------------------------------------------------------------

/// All that comes of `bytes` and their end.
pub fn expected(config: &Config, bytes: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut rest = bytes;
    let last = loop {
        match step(config, rest) {
            Step::Frame { shown, len } => {
                events.push(Event::Frame(rest[shown].to_vec()));
                rest = &rest[len..];
            }
            Step::Skip { len, error } => {
                events.push(Event::Error(error));
                if rest.len() < len {
                    break Some(truncated(rest, len as u64));
                }
                rest = &rest[len..];
            }
            Step::SkipAll { error, then } => {
                events.push(Event::Error(error));
                break then;
            }
            Step::End(last) => break last,
        }
    };
    events.extend(last.map(Event::Error));
    events
}

enum Step {
    Frame { shown: std::ops::Range<usize>, len: usize },
    Skip { len: usize, error: FrameError },
    SkipAll { error: FrameError, then: Option<FrameError> },
    End(Option<FrameError>),
}

fn truncated(rest: &[u8], needed: u64) -> FrameError {
    FrameError::Truncated { have: rest.len() as u64, needed }
}

fn step(config: &Config, rest: &[u8]) -> Step {
    match config {
        Config::Delimiter { delimiters, keep, optional_at_end, max } => {
            delimited(rest, delimiters, *keep, *optional_at_end, *max)
        }
        _ if rest.is_empty() => Step::End(None),
        &Config::Varint { wide, max } => by_varint(rest, wide, max),
        &Config::LengthField { offset, width, adjustment, strip, little_endian, max } => {
            let header = offset + width;
            let Some(field) = rest.get(offset..header) else {
                return Step::End(Some(truncated(rest, header as u64)));
            };
            let digit = |value, &byte| value << 8 | u64::from(byte);
            let value = if little_endian {
                field.iter().rev().fold(0, digit)
            } else {
                field.iter().fold(0, digit)
            };
            let len = i128::from(value) + i128::from(adjustment) + header as i128;
            if len < header as i128 || len > i128::from(u64::MAX) {
                return Step::End(Some(FrameError::InvalidLength { value, adjustment }));
            }
            let len = len as u64;
            frame_of(rest, len, strip, len, max)
        }
    }
}

/// A frame of `len` bytes, of which `counted` are compared with the limit.
fn frame_of(rest: &[u8], len: u64, strip: usize, counted: u64, max: usize) -> Step {
    if counted > max as u64 {
        let error = FrameError::TooLong { len: counted, max: max as u64 };
        return if len > rest.len() as u64 {
            Step::SkipAll { error, then: Some(truncated(rest, len)) }
        } else {
            Step::Skip { len: len as usize, error }
        };
    }
    if len < strip as u64 {
        return Step::End(Some(FrameError::TooShort { len, min: strip as u64 }));
    }
    if len > rest.len() as u64 {
        return Step::End(Some(truncated(rest, len)));
    }
    let len = len as usize;
    Step::Frame { shown: strip..len, len }
}

fn by_varint(rest: &[u8], wide: bool, max: usize) -> Step {
    let bits: u32 = if wide { 64 } else { 32 };
    let mut value = 0u128;
    for (i, &byte) in rest.iter().enumerate() {
        value |= u128::from(byte & 0x7f) << (7 * i);
        let last = i + 1 == bits.div_ceil(7) as usize;
        if value >> bits != 0 || (last && byte >= 0x80) {
            return Step::End(Some(FrameError::InvalidVarint));
        }
        if byte < 0x80 {
            let value = value as u64;
            let header = i + 1;
            return match value.checked_add(header as u64) {
                Some(len) => frame_of(rest, len, header, value, max),
                None => Step::End(Some(FrameError::InvalidLength { value, adjustment: 0 })),
            };
        }
    }
    Step::End(Some(truncated(rest, rest.len() as u64 + 1)))
}

fn delimited(rest: &[u8], all: &[Vec<u8>], keep: bool, optional: bool, max: usize) -> Step {
    let longest_before = |end: usize| {
        all.iter().filter(|text| rest[..end].ends_with(text)).map(|text| text.len()).max()
    };
    let too_long = FrameError::Undelimited { max };
    let first = (1..=rest.len()).find_map(|end| Some((end, longest_before(end)?)));
    let truncated = truncated(rest, rest.len() as u64 + 1);
    match first {
        Some((end, delimiter)) if end - delimiter > max => Step::Skip { len: end, error: too_long },
        Some((end, delimiter)) => {
            Step::Frame { shown: 0..if keep { end } else { end - delimiter }, len: end }
        }
        None if rest.len() > max => {
            Step::SkipAll { error: too_long, then: (!optional).then_some(truncated) }
        }
        None if rest.is_empty() => Step::End(None),
        None if optional => Step::Frame { shown: 0..rest.len(), len: rest.len() },
        None => Step::End(Some(truncated)),
    }
}

// ---- really ----------------------------------------------------------------

/// Any of the decoders.
#[derive(Debug, Clone)]
pub enum AnyDecoder {
    LengthField(LengthFieldDecoder),
    Varint(VarintDecoder),
    Delimiter(DelimiterDecoder),
}

impl AnyDecoder {
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(match config {
            &Config::LengthField { offset, width, adjustment, strip, little_endian, max } => {
                let field = LengthField::new(width).offset(offset).adjustment(adjustment);
                let field = if little_endian { field.little_endian() } else { field };
                Self::LengthField(field.strip(strip).max_frame_len(max).decoder()?)
            }
            &Config::Varint { wide, max } => {
                let varint = Varint::new().max_frame_len(max);
                Self::Varint(if wide { varint.wide() } else { varint }.decoder())
            }
            Config::Delimiter { delimiters, keep, optional_at_end, max } => {
                let mut delimiter = Delimiter::any(delimiters).max_frame_len(*max);
                if *keep {
                    delimiter = delimiter.keep();
                }
                if *optional_at_end {
                    delimiter = delimiter.optional_at_end();
                }
                Self::Delimiter(delimiter.decoder()?)
            }
        })
    }
}

impl<B: Cut> Decoder<B> for AnyDecoder {
    type Item = B::Frame;
    type Error = FrameError;

    fn decode(&mut self, input: &mut B) -> Result<Option<B::Frame>, FrameError> {
        match self {
            Self::LengthField(decoder) => decoder.decode(input),
            Self::Varint(decoder) => decoder.decode(input),
            Self::Delimiter(decoder) => decoder.decode(input),
        }
    }

    fn decode_eof(&mut self, input: &mut B) -> Result<Option<B::Frame>, FrameError> {
        match self {
            Self::LengthField(decoder) => decoder.decode_eof(input),
            Self::Varint(decoder) => decoder.decode_eof(input),
            Self::Delimiter(decoder) => decoder.decode_eof(input),
        }
    }

    fn missing(&self) -> usize {
        match self {
            Self::LengthField(decoder) => Decoder::<B>::missing(decoder),
            Self::Varint(decoder) => Decoder::<B>::missing(decoder),
            Self::Delimiter(decoder) => Decoder::<B>::missing(decoder),
        }
    }

    fn recovers(&self, error: &FrameError) -> bool {
        match self {
            Self::LengthField(decoder) => Decoder::<B>::recovers(decoder, error),
            Self::Varint(decoder) => Decoder::<B>::recovers(decoder, error),
            Self::Delimiter(decoder) => Decoder::<B>::recovers(decoder, error),
        }
    }
}

/// `bytes` cut at these places.
pub fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.sort_unstable();
    cuts.push(bytes.len());
    let mut start = 0;
    cuts.into_iter().map(|end| &bytes[std::mem::replace(&mut start, end)..end]).collect()
}

/// All that comes of the pieces in a growing buffer.
pub fn from_heap(decoder: AnyDecoder, pieces: &[&[u8]]) -> Vec<Event> {
    run(decoder, HeapBuf::new(), pieces, |input, piece| {
        input.make_room(piece.len());
        input.write_bytes(piece);
    })
}

/// All that comes of the pieces as components.
pub fn from_composite(decoder: AnyDecoder, pieces: &[&[u8]]) -> Vec<Event> {
    run(decoder, CompositeBuf::new(), pieces, |input, piece| {
        input.discard_read_components();
        input.push(piece.to_vec());
    })
}

/// All that comes of the bytes in one piece.
pub fn from_slice(decoder: AnyDecoder, bytes: &[u8]) -> Vec<Event> {
    run(decoder, SliceBuf::from(bytes.to_vec()), &[&[]], |_, _| {})
}

fn run<B: Cut>(
    mut decoder: AnyDecoder,
    mut input: B,
    pieces: &[&[u8]],
    append: impl Fn(&mut B, &[u8]),
) -> Vec<Event> {
    let mut events = Vec::new();
    // Nothing can come of fewer bytes than were said to be missing.
    let (mut received, mut needed) = (0, 0);
    for (n, piece) in pieces.iter().enumerate() {
        append(&mut input, piece);
        received += piece.len();
        loop {
            let at_end = n + 1 == pieces.len();
            let result = decoder.decode(&mut input);
            if !matches!(result, Ok(None)) {
                assert!(received >= needed, "came of {received} bytes, {needed} needed");
            }
            let result = match result {
                Ok(None) => {
                    let missing = Decoder::<B>::missing(&decoder);
                    needed = needed.max(received.saturating_add(missing));
                    if !at_end {
                        break;
                    }
                    decoder.decode_eof(&mut input)
                }
                result => result,
            };
            match result {
                Ok(Some(frame)) => events.push(Event::Frame(frame.to_vec())),
                Ok(None) => {
                    assert_eq!(input.readable_bytes(), 0);
                    break;
                }
                Err(error) => {
                    events.push(Event::Error(error));
                    if !Decoder::<B>::recovers(&decoder, &error) {
                        // For good.
                        assert_eq!(decoder.decode(&mut input).err(), Some(error));
                        assert_eq!(decoder.decode_eof(&mut input).err(), Some(error));
                        return events;
                    }
                }
            }
        }
    }
    events
}
