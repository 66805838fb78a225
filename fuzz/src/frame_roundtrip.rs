//! What is encoded as a frame is decoded as that frame; what cannot be is
//! refused, and leaves nothing behind.

use arbitrary::Arbitrary;
use refbuf::{ByteBuf, CompositeBuf};
use refbuf_codec::frame::{Delimiter, FrameError, LengthField, Varint};
use refbuf_codec::{Decoder, Encoder};

#[derive(Arbitrary, Debug)]
pub struct Input {
    frames: Frames,
    payloads: Vec<Vec<u8>>,
}

#[derive(Arbitrary, Debug)]
enum Frames {
    LengthField { width: u8, adjustment: i16, little_endian: bool, max: u16 },
    Varint { wide: bool, max: u16 },
    Delimiter { delimiters: Vec<Vec<u8>>, max: u16 },
}

pub fn run(input: Input) {
    let Input { frames, payloads } = input;
    match frames {
        Frames::LengthField { width, adjustment, little_endian, max } => {
            let field = LengthField::new(width.into()).adjustment(adjustment.into());
            let field = if little_endian { field.little_endian() } else { field };
            if let Ok(codec) = field.max_frame_len(max.into()).codec() {
                check(codec, payloads);
            }
        }
        Frames::Varint { wide, max } => {
            let varint = Varint::new().max_frame_len(max.into());
            check(if wide { varint.wide() } else { varint }.codec(), payloads);
        }
        Frames::Delimiter { delimiters, max } => {
            if let Ok(codec) = Delimiter::any(delimiters).max_frame_len(max.into()).codec() {
                check(codec, payloads);
            }
        }
    }
}

fn check<D, E>((mut decoder, mut encoder): (D, E), payloads: Vec<Vec<u8>>)
where
    D: Decoder<CompositeBuf, Item = CompositeBuf, Error = FrameError>,
    E: Encoder<Vec<u8>, Error = FrameError>,
{
    let mut stream = CompositeBuf::new();
    let mut sent = Vec::new();
    for payload in payloads {
        let before = stream.writer_index();
        match encoder.encode(payload.clone(), &mut stream) {
            Ok(()) => sent.push(payload),
            Err(_) => assert_eq!(stream.writer_index(), before),
        }
    }
    for payload in sent {
        assert_eq!(decoder.decode(&mut stream).unwrap().unwrap(), payload);
    }
    assert!(decoder.decode_eof(&mut stream).unwrap().is_none());
}
