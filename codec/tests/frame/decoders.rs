//! What decoders cut, skip and refuse.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf};
use refbuf_codec::frame::{ConfigError, Delimiter, FrameError, LengthField, Varint};
use refbuf_codec::{Cut, Decoder};

fn heap(bytes: &[u8]) -> HeapBuf {
    HeapBuf::from(bytes)
}

#[test]
fn a_frame_lies_where_it_was_received() {
    let mut input = heap(b"\0\x05hello\0\x05world");
    let at = input.as_slice().as_ptr();
    let mut decoder = LengthField::new(2).decoder().unwrap();
    let hello = decoder.decode(&mut input).unwrap().unwrap();
    let world = decoder.decode(&mut input).unwrap().unwrap();
    assert_eq!(hello.as_slice().as_ptr(), at.wrapping_add(2));
    assert_eq!(world.as_slice().as_ptr(), at.wrapping_add(9));

    let mut lines = heap(b"one\r\ntwo\n");
    let at = lines.as_slice().as_ptr();
    let mut decoder = Delimiter::lines().decoder().unwrap();
    assert_eq!(decoder.decode(&mut lines).unwrap().unwrap().as_slice().as_ptr(), at);
    let two = decoder.decode(&mut lines).unwrap().unwrap();
    assert_eq!(two.as_slice().as_ptr(), at.wrapping_add(5));
}

#[test]
fn a_frame_across_components_is_made_of_them() {
    let parts =
        ["\0\x08he", "llo ", "fr", "\0\x01"].map(|part| SliceBuf::from(part.as_bytes().to_vec()));
    let at = parts.clone().map(|part| part.as_slice().as_ptr());
    let mut input: CompositeBuf = parts.into_iter().collect();
    let frame = LengthField::new(2).decoder().unwrap().decode(&mut input).unwrap().unwrap();
    assert_eq!(frame, b"hello fr");
    let found: Vec<_> = frame.components().map(<[u8]>::as_ptr).collect();
    assert_eq!(found, [at[0].wrapping_add(2), at[1], at[2]]);
    assert_eq!(input, b"\0\x01");
}

/// netty#1798: what is left to skip of a frame that is too long was counted
/// below 0. Here what has come ends at every place of the frame.
#[test]
fn a_frame_too_long_is_reported_once_and_skipped_exactly() {
    for first in 0..14 {
        let bytes = b"\x09too long!\x02ab";
        let mut input = heap(&bytes[..first]);
        let mut decoder = LengthField::new(1).max_frame_len(9).decoder().unwrap();
        let mut events = Vec::new();
        let mut decode = |input: &mut HeapBuf| {
            for _ in 0..4 {
                events.extend(decoder.decode(input).transpose());
            }
        };
        decode(&mut input);
        input.write_bytes(&bytes[first..]);
        decode(&mut input);
        let too_long = FrameError::TooLong { len: 10, max: 9 };
        assert_eq!(events, [Err(too_long), Ok(SliceBuf::from_static(b"ab"))], "{first}");
    }
}

#[test]
fn what_is_skipped_is_not_kept() {
    let mut decoder = LengthField::new(4).max_frame_len(100).decoder().unwrap();
    let mut input = heap(&1_000_000u32.to_be_bytes());
    let too_long = FrameError::TooLong { len: 1_000_004, max: 100 };
    assert_eq!(decoder.decode(&mut input), Err(too_long));
    assert!(Decoder::<HeapBuf>::recovers(&decoder, &too_long));
    let mut left = 1_000_000;
    while left != 0 {
        let n = left.min(1000);
        input.make_room(n);
        input.write_zeros(n);
        left -= n;
        assert_eq!(decoder.decode(&mut input), Ok(None));
        assert_eq!((input.readable_bytes(), Decoder::<HeapBuf>::missing(&decoder) < 5), (0, true));
    }
    assert!(input.capacity() < 10_000, "{}", input.capacity());
    input.write_bytes(b"\0\0\0\x01x");
    assert_eq!(decoder.decode(&mut input).unwrap().unwrap(), b"x");
}

#[test]
fn no_length_wraps() {
    let refused = |field: LengthField, header: &[u8]| {
        let mut decoder = field.decoder().unwrap();
        let error = decoder.decode(&mut heap(header)).unwrap_err();
        (error, Decoder::<HeapBuf>::recovers(&decoder, &error))
    };
    let huge = u64::MAX.to_be_bytes();
    let wide = LengthField::new(8);
    // More than can be counted.
    let invalid = |value, adjustment| (FrameError::InvalidLength { value, adjustment }, false);
    assert_eq!(refused(wide, &huge), invalid(u64::MAX, 0));
    assert_eq!(refused(wide.adjustment(1), &huge), invalid(u64::MAX, 1));
    // Below the header.
    assert_eq!(refused(wide.adjustment(-1), &[0; 8]), invalid(0, -1));
    assert_eq!(refused(wide.adjustment(i64::MIN), &[0; 8]), invalid(0, i64::MIN));
    // Just so.
    let max = u64::MAX;
    let too_long = (FrameError::TooLong { len: max, max: 8 << 20 }, true);
    assert_eq!(refused(wide.adjustment(-8), &huge), too_long);
    let mut input = heap(&1u64.to_be_bytes());
    assert_eq!(wide.adjustment(-1).decoder().unwrap().decode(&mut input).unwrap().unwrap(), b"");
    // A varint has no more bits than its type.
    let mut input = heap(b"\xff\xff\xff\xff\x1f");
    assert_eq!(Varint::new().decoder().decode(&mut input), Err(FrameError::InvalidVarint));
    let mut input = heap(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
    assert_eq!(Varint::new().wide().decoder().decode(&mut input), Err(FrameError::InvalidVarint));
    let mut input = heap(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    let invalid = FrameError::InvalidLength { value: u64::MAX, adjustment: 0 };
    assert_eq!(Varint::new().wide().decoder().decode(&mut input), Err(invalid));
}

/// netty#6229: the largest length was not decoded, and "too large" was not
/// told from "not all there".
#[test]
fn a_varint_that_is_cut_off_is_not_one_that_is_too_large() {
    let max = u32::MAX as usize;
    let mut decoder = Varint::new().max_frame_len(max).decoder();
    let mut input = heap(b"\xff\xff\xff\xff");
    assert_eq!(decoder.decode(&mut input), Ok(None));
    input.write_bytes(b"\x0f");
    assert_eq!(decoder.decode(&mut input), Ok(None));
    assert_eq!(Decoder::<HeapBuf>::missing(&decoder), max);
}

#[test]
fn the_room_asked_for_is_within_the_limit() {
    let mut decoder = LengthField::new(4).max_frame_len(1000).decoder().unwrap();
    assert_eq!(decoder.decode(&mut heap(b"\0\0")), Ok(None));
    assert_eq!(Decoder::<HeapBuf>::missing(&decoder), 2);
    assert_eq!(decoder.decode(&mut heap(b"\0\0\x03\xe4abc")), Ok(None));
    assert_eq!(Decoder::<HeapBuf>::missing(&decoder), 993);
    let too_long = FrameError::TooLong { len: 1001, max: 1000 };
    assert_eq!(decoder.decode(&mut heap(b"\0\0\x03\xe5abc")), Err(too_long));
    assert_eq!(Decoder::<HeapBuf>::missing(&decoder), 0);
}

#[test]
fn a_strip_of_more_than_the_header_needs_a_frame_that_long() {
    let mut decoder = LengthField::new(1).strip(3).decoder().unwrap();
    let mut input = heap(b"\x04abcd\x02ab\x01a");
    assert_eq!(decoder.decode(&mut input).unwrap().unwrap(), b"cd");
    assert_eq!(decoder.decode(&mut input).unwrap().unwrap(), b"");
    let short = Err(FrameError::TooShort { len: 2, min: 3 });
    assert_eq!(decoder.decode(&mut input), short);
    assert_eq!(decoder.decode(&mut heap(b"\x04abcd")), short, "for good");
}

#[test]
fn input_that_ends_within_a_frame_says_how_much_there_was() {
    let truncated = |have, needed| Err(FrameError::Truncated { have, needed });
    let field = LengthField::new(2).max_frame_len(10);
    assert_eq!(field.decoder().unwrap().decode_eof(&mut heap(b"\0")), truncated(1, 2));
    assert_eq!(field.decoder().unwrap().decode_eof(&mut heap(b"\0\x03ab")), truncated(4, 5));
    assert_eq!(field.decoder().unwrap().decode_eof(&mut heap(b"")), Ok(None));
    // Within one that is too long: that was another error.
    let mut decoder = field.decoder().unwrap();
    let mut input = heap(b"\x01\x00abc");
    assert!(decoder.decode_eof(&mut input).is_err());
    assert_eq!(decoder.decode_eof(&mut input), truncated(5, 258));
    assert_eq!(decoder.decode_eof(&mut input), truncated(5, 258));
}

#[test]
fn floods_of_empty_frames_cost_their_bytes() {
    let mut input = heap(&[0; 10_000]);
    let mut decoder = Varint::new().decoder();
    let mut frames = 0;
    while let Some(frame) = decoder.decode(&mut input).unwrap() {
        assert_eq!(frame.readable_bytes(), 0);
        frames += 1;
    }
    assert_eq!((frames, input.readable_bytes()), (10_000, 0));
}

#[test]
fn descriptions_that_make_no_sense_are_refused() {
    let refused = |field: LengthField| field.decoder().unwrap_err();
    let field = LengthField::new(4);
    for width in [0, 5, 6, 7, 9, usize::MAX] {
        assert_eq!(refused(LengthField::new(width)), ConfigError::Width { width });
    }
    let header = |offset, max_frame_len| ConfigError::Header { offset, width: 4, max_frame_len };
    assert_eq!(refused(field.max_frame_len(3)), header(0, 3));
    assert_eq!(refused(field.offset(7).max_frame_len(10)), header(7, 10));
    assert_eq!(refused(field.offset(usize::MAX)), header(usize::MAX, 8 << 20));
    let strip = ConfigError::Strip { strip: 11, max_frame_len: 10 };
    assert_eq!(refused(field.strip(11).max_frame_len(10)), strip);
    for adjustment in [i64::MIN, i64::MAX, -(1 << 32), 7] {
        let error = ConfigError::Adjustment { adjustment };
        assert_eq!(refused(field.max_frame_len(10).adjustment(adjustment)), error);
        assert_eq!(field.max_frame_len(10).adjustment(adjustment).encoder().unwrap_err(), error);
    }
    for adjustment in [1 - (1 << 32), 6] {
        assert!(field.max_frame_len(10).adjustment(adjustment).decoder().is_ok());
    }

    let refused = |delimiters: &[&str]| Delimiter::any(delimiters).decoder().unwrap_err();
    assert_eq!(refused(&[]), ConfigError::NoDelimiter);
    assert_eq!(refused(&["a", ""]), ConfigError::EmptyDelimiter { index: 1 });
    assert_eq!(refused(&["b", "abc"]), ConfigError::HiddenDelimiter { index: 1, by: 0 });
    assert!(Delimiter::any(["c", "abc", "c"]).decoder().is_ok());
}

#[test]
fn the_delimiter_that_is_complete_first_ends_the_frame() {
    let cut = |delimiters: &[&str], text: &str| {
        let mut decoder = Delimiter::any(delimiters).optional_at_end().decoder().unwrap();
        let mut input = heap(text.as_bytes());
        let frames = std::iter::from_fn(|| decoder.decode_eof(&mut input).unwrap());
        frames.map(|frame| String::from_utf8(frame.to_vec()).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(cut(&["\n", "\r\n"], "a\r\nb\nc\r"), ["a", "b", "c\r"]);
    assert_eq!(cut(&["ab", "bcc"], "xabccybccz"), ["x", "ccy", "z"]);
    assert_eq!(cut(&["aa"], "xaaay"), ["x", "ay"]);
    assert_eq!(cut(&[";", "--"], "a-;--b--;c"), ["a-", "", "b", "", "c"]);
}

#[test]
fn a_line_too_long_is_dropped_and_the_next_is_found() {
    let mut decoder = Delimiter::lines().max_frame_len(3).decoder().unwrap();
    let mut input = heap(b"abc\r");
    assert_eq!(decoder.decode(&mut input), Ok(None));
    input.write_bytes(b"\nabcd\r");
    assert_eq!(decoder.decode(&mut input).unwrap().unwrap(), b"abc");
    let undelimited = FrameError::Undelimited { max: 3 };
    assert_eq!(decoder.decode(&mut input), Err(undelimited));
    assert!(Decoder::<HeapBuf>::recovers(&decoder, &undelimited));
    for _ in 0..1000 {
        input.make_room(100);
        input.write_zeros(100);
        assert_eq!(decoder.decode(&mut input), Ok(None));
        assert!(input.readable_bytes() <= 1);
    }
    input.write_bytes(b"\r\nend");
    assert_eq!(decoder.decode(&mut input), Ok(None));
    assert_eq!(decoder.decode_eof(&mut input).unwrap().unwrap(), b"end");
    assert_eq!(decoder.decode_eof(&mut input), Ok(None));
}

/// A buffer that counts the bytes looked through.
struct Watched {
    buf: HeapBuf,
    searched: Rc<Cell<usize>>,
}

impl ByteBuf for Watched {
    fn reader_index(&self) -> usize {
        self.buf.reader_index()
    }
    fn writer_index(&self) -> usize {
        self.buf.writer_index()
    }
    fn capacity(&self) -> usize {
        self.buf.capacity()
    }
    fn max_capacity(&self) -> usize {
        self.buf.max_capacity()
    }
    fn try_set_reader_index(&mut self, index: usize) -> Result<(), Error> {
        self.buf.try_set_reader_index(index)
    }
    fn is_accessible(&self) -> bool {
        self.buf.is_accessible()
    }
    fn ref_count(&self) -> usize {
        self.buf.ref_count()
    }
    fn release(&mut self) -> bool {
        self.buf.release()
    }
    fn window(&self, index: usize, len: usize) -> Option<&[u8]> {
        self.buf.window(index, len)
    }
    fn read_window(&mut self, len: usize) -> Option<&[u8]> {
        self.buf.read_window(len)
    }
    fn try_chunk(&self, index: usize) -> Result<&[u8], Error> {
        self.buf.try_chunk(index)
    }
    fn try_slice(&mut self, range: Range<usize>) -> Result<SliceBuf, Error> {
        self.buf.try_slice(range)
    }
    fn try_find_byte_in(&self, range: Range<usize>, byte: u8) -> Result<Option<usize>, Error> {
        let found = self.buf.try_find_byte_in(range.clone(), byte)?;
        let end = found.map_or(range.end, |index| index + 1);
        self.searched.set(self.searched.get() + end - range.start);
        Ok(found)
    }
    fn try_find_in(&self, range: Range<usize>, needle: &[u8]) -> Result<Option<usize>, Error> {
        let found = self.buf.try_find_in(range.clone(), needle)?;
        let end = found.map_or(range.end, |index| index + needle.len());
        self.searched.set(self.searched.get() + end - range.start);
        Ok(found)
    }
}

impl Cut for Watched {
    type Frame = SliceBuf;

    fn try_cut(&mut self, n: usize) -> Result<SliceBuf, Error> {
        self.buf.try_cut(n)
    }
}

/// How many bytes are looked through where `text` comes in pieces of `piece`.
fn searched(delimiter: Delimiter, text: &[u8], piece: usize) -> (usize, usize) {
    let mut decoder = delimiter.decoder().unwrap();
    let searched = Rc::default();
    let mut input = Watched { buf: HeapBuf::new(), searched: Rc::clone(&searched) };
    let mut frames = 0;
    for piece in text.chunks(piece) {
        input.buf.write_bytes(piece);
        while decoder.decode(&mut input).unwrap().is_some() {
            frames += 1;
        }
    }
    (frames, searched.get())
}

#[test]
fn every_byte_is_looked_at_once_however_slowly_it_comes() {
    let mut long = vec![b'x'; 20_000];
    long.push(b'\n');
    assert_eq!(searched(Delimiter::lines(), &long, 1), (1, 20_001));
    assert_eq!(searched(Delimiter::lines(), &long, 20_001), (1, 20_001));
    // With a delimiter of n bytes, the n - 1 before are looked at again.
    let mut long = vec![b'x'; 20_000];
    long.extend(b"--\n");
    let (frames, bytes) = searched(Delimiter::new("--\n"), &long, 1);
    assert!(frames == 1 && bytes <= 3 * long.len(), "{bytes}");
}

#[test]
fn a_delimiter_that_is_rare_is_not_looked_for_again_for_every_frame() {
    let short = b"ab\n".repeat(10_000);
    let delimiter = || Delimiter::any(["\0", "\n", "\x01"]);
    for piece in [1, 1000, short.len()] {
        let (frames, bytes) = searched(delimiter(), &short, piece);
        assert_eq!(frames, 10_000);
        assert!(bytes <= 3 * short.len(), "{bytes} of {}", short.len());
    }
    let mut last = short.clone();
    last.extend(b"\0");
    let (frames, bytes) = searched(delimiter(), &last, last.len());
    assert!(frames == 10_001 && bytes <= 3 * last.len(), "{bytes}");
}
