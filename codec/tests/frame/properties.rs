//! Decoders against the naive model, for any bytes in any pieces; and what was
//! encoded against what is decoded.

use proptest::collection::vec;
use proptest::prelude::*;
use refbuf::{ByteBuf, CompositeBuf, HeapBuf, SliceBuf};
use refbuf_codec::frame::{Delimiter, FrameError, LengthField, Payload, Varint};
use refbuf_codec::{Decoder, Encoder};

use crate::model::{AnyDecoder, Config, expected, from_composite, from_heap, from_slice, pieces};

fn length_field() -> impl Strategy<Value = Config> {
    let adjustment = prop_oneof![-9..9i64, -300..300i64, any::<i64>()];
    let width = prop_oneof![Just(1), Just(2), Just(3), Just(4), Just(8)];
    (0..4usize, width, adjustment, 0..8usize, any::<bool>(), 1..40usize).prop_map(
        |(offset, width, adjustment, strip, little_endian, max)| Config::LengthField {
            offset,
            width,
            adjustment,
            strip,
            little_endian,
            max,
        },
    )
}

fn varint() -> impl Strategy<Value = Config> {
    (any::<bool>(), 0..20usize).prop_map(|(wide, max)| Config::Varint { wide, max })
}

fn delimiter() -> impl Strategy<Value = Config> {
    let delimiters = vec(vec(0..3u8, 1..5), 1..4);
    (delimiters, any::<bool>(), any::<bool>(), 0..12usize).prop_map(
        |(delimiters, keep, optional_at_end, max)| Config::Delimiter {
            delimiters,
            keep,
            optional_at_end,
            max,
        },
    )
}

/// Small numbers, which are lengths and delimiters, and a few of any kind.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![8 => 0..3u8, 4 => 0..12u8, 1 => 0x80..=0x83u8, 1 => any::<u8>()], 0..120)
}

fn check(config: &Config, bytes: &[u8], cuts: &[usize]) -> Result<(), TestCaseError> {
    let Ok(decoder) = AnyDecoder::new(config) else {
        return Err(TestCaseError::reject("makes no sense"));
    };
    let expected = expected(config, bytes);
    prop_assert_eq!(&from_slice(decoder.clone(), bytes), &expected);
    for pieces in [pieces(bytes, &[]), pieces(bytes, cuts), bytes.chunks(1).collect()] {
        let pieces = if pieces.is_empty() { vec![&[][..]] } else { pieces };
        prop_assert_eq!(&from_heap(decoder.clone(), &pieces), &expected);
        prop_assert_eq!(&from_composite(decoder.clone(), &pieces), &expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_global_rejects: 65536,
        ..ProptestConfig::with_cases(400)
    })]

    #[test]
    fn length_fields_agree_with_the_model(
        config in length_field(),
        bytes in bytes(),
        cuts in vec(any::<usize>(), 0..12),
    ) {
        check(&config, &bytes, &cuts)?;
    }

    #[test]
    fn varints_agree_with_the_model(
        config in varint(),
        bytes in bytes(),
        cuts in vec(any::<usize>(), 0..12),
    ) {
        check(&config, &bytes, &cuts)?;
    }

    #[test]
    fn delimiters_agree_with_the_model(
        config in delimiter(),
        bytes in bytes(),
        cuts in vec(any::<usize>(), 0..12),
    ) {
        check(&config, &bytes, &cuts)?;
    }

    #[test]
    fn what_was_encoded_is_decoded(
        codec in 0..4usize,
        payloads in vec((0..5usize, payload()), 0..20),
        cuts in vec(any::<usize>(), 0..12),
    ) {
        let field = LengthField::new(2).adjustment(-2).max_frame_len(3000);
        let wide = LengthField::new(8).little_endian().max_frame_len(1000);
        let delimiter = Delimiter::any(["\n", "\r\n", "\0\x01\0"]).max_frame_len(1000);
        match codec {
            0 => round_trip(field.codec().unwrap(), payloads, &cuts)?,
            1 => round_trip(wide.codec().unwrap(), payloads, &cuts)?,
            2 => round_trip(Varint::new().codec(), payloads, &cuts)?,
            _ => round_trip(delimiter.codec().unwrap(), payloads, &cuts)?,
        }
    }
}

fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..40),
        vec(prop_oneof![20 => 2..9u8, 1 => 0..2u8, 1 => Just(b'\r'), 1 => Just(b'\n')], 0..40),
        vec(20..200u8, 200..4000),
    ]
}

/// A payload of each kind.
fn encode<E>(
    encoder: &mut E,
    kind: usize,
    payload: &[u8],
    output: &mut CompositeBuf,
) -> Result<(), FrameError>
where
    E: Encoder<Vec<u8>, Error = FrameError>
        + Encoder<HeapBuf, Error = FrameError>
        + Encoder<SliceBuf, Error = FrameError>
        + Encoder<CompositeBuf, Error = FrameError>,
{
    fn as_payload<P: Payload>(payload: P) -> P {
        payload
    }
    match kind {
        0 => encoder.encode(as_payload(payload.to_vec()), output),
        1 => encoder.encode(as_payload(HeapBuf::from(payload)), output),
        2 => encoder.encode(as_payload(SliceBuf::from(payload.to_vec())), output),
        // Not all of a buffer is a payload.
        3 => {
            let mut buf = HeapBuf::from([b"read", payload].concat());
            buf.skip(4);
            encoder.encode(as_payload(buf), output)
        }
        _ => {
            let pieces = payload.chunks(payload.len() / 3 + 1).map(<[u8]>::to_vec);
            encoder.encode(as_payload(pieces.collect::<CompositeBuf>()), output)
        }
    }
}

fn round_trip<D, E>(
    (mut decoder, mut encoder): (D, E),
    payloads: Vec<(usize, Vec<u8>)>,
    cuts: &[usize],
) -> Result<(), TestCaseError>
where
    D: Decoder<CompositeBuf, Item = CompositeBuf, Error = FrameError>,
    E: Encoder<Vec<u8>, Error = FrameError>
        + Encoder<HeapBuf, Error = FrameError>
        + Encoder<SliceBuf, Error = FrameError>
        + Encoder<CompositeBuf, Error = FrameError>,
{
    let mut output = CompositeBuf::new();
    let mut sent = Vec::new();
    for (kind, payload) in payloads {
        let before = output.to_vec();
        match encode(&mut encoder, kind, &payload, &mut output) {
            Ok(()) => sent.push(payload),
            Err(_) => prop_assert_eq!(&output, &before),
        }
    }
    let bytes = output.to_vec();
    let mut input = CompositeBuf::new();
    let mut received = Vec::new();
    for piece in pieces(&bytes, cuts) {
        input.push(piece.to_vec());
        while let Some(frame) = decoder.decode(&mut input).unwrap() {
            received.push(frame.to_vec());
        }
    }
    prop_assert_eq!(decoder.decode_eof(&mut input).unwrap(), None);
    prop_assert_eq!(received, sent);
    Ok(())
}
