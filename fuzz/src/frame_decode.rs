//! Decoders of frames, of any description, for any bytes in any pieces: they
//! agree with a naive model that has all the bytes at once.

use arbitrary::Arbitrary;
use model::{AnyDecoder, Config};

#[path = "../../codec/tests/frame/model.rs"]
mod model;

#[derive(Arbitrary, Debug)]
pub struct Input {
    frames: Frames,
    cuts: Vec<u16>,
    bytes: Vec<u8>,
}

#[derive(Arbitrary, Debug)]
enum Frames {
    LengthField { offset: u8, width: u8, adjustment: i64, strip: u8, little_endian: bool, max: u8 },
    NearLengthField { width: u8, adjustment: i8, strip: u8, max: u8 },
    Varint { wide: bool, max: u16 },
    Delimiter { delimiters: Vec<Vec<u8>>, keep: bool, optional_at_end: bool, max: u8 },
    Lines { keep: bool, max: u8 },
}

impl From<Frames> for Config {
    fn from(frames: Frames) -> Self {
        match frames {
            Frames::LengthField { offset, width, adjustment, strip, little_endian, max } => {
                let [offset, width, strip, max] = [offset, width, strip, max].map(usize::from);
                Self::LengthField { offset, width, adjustment, strip, little_endian, max }
            }
            Frames::NearLengthField { width, adjustment, strip, max } => {
                let (width, strip) = (1 + usize::from(width % 4), usize::from(strip % 8));
                let (adjustment, max) = (i64::from(adjustment), max.into());
                let little_endian = false;
                Self::LengthField { offset: 0, width, adjustment, strip, little_endian, max }
            }
            Frames::Varint { wide, max } => Self::Varint { wide, max: max.into() },
            Frames::Delimiter { delimiters, keep, optional_at_end, max } => {
                Self::Delimiter { delimiters, keep, optional_at_end, max: max.into() }
            }
            Frames::Lines { keep, max } => {
                let delimiters = vec![b"\n".to_vec(), b"\r\n".to_vec()];
                Self::Delimiter { delimiters, keep, optional_at_end: true, max: max.into() }
            }
        }
    }
}

pub fn run(input: Input) {
    let Input { frames, cuts, bytes } = input;
    let config = Config::from(frames);
    let Ok(decoder) = AnyDecoder::new(&config) else { return };
    let expected = model::expected(&config, &bytes);
    let cuts: Vec<usize> = cuts.into_iter().map(usize::from).collect();
    let pieces = model::pieces(&bytes, &cuts);
    assert_eq!(model::from_slice(decoder.clone(), &bytes), expected);
    assert_eq!(model::from_heap(decoder.clone(), &pieces), expected);
    assert_eq!(model::from_composite(decoder, &pieces), expected);
}
