//! What encoders write, copy and refuse.

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, HeapBuf, SliceBuf};
use refbuf_codec::Encoder;
use refbuf_codec::frame::{COPIED, Delimiter, FrameError, LengthField, Varint};

fn addresses(output: &CompositeBuf) -> Vec<*const u8> {
    output.components().map(<[u8]>::as_ptr).collect()
}

#[test]
fn large_payloads_are_not_copied_and_small_ones_take_no_component() {
    let mut encoder = LengthField::new(4).encoder().unwrap();
    let large = SliceBuf::from(vec![1; COPIED + 1]);
    let vec = vec![2; COPIED + 1];
    let (at, vec_at) = (large.as_slice().as_ptr(), vec.as_ptr());
    let mut output = CompositeBuf::new();
    encoder.encode(large.clone(), &mut output).unwrap();
    encoder.encode(vec, &mut output).unwrap();
    let found = addresses(&output);
    assert_eq!((found.len(), found[1], found[3]), (4, at, vec_at));

    let mut output = CompositeBuf::new();
    for _ in 0..10 {
        encoder.encode(SliceBuf::from_static(&[3; 20]), &mut output).unwrap();
        encoder.encode("text", &mut output).unwrap();
    }
    assert_eq!(output.component_count(), 1);
}

#[test]
fn components_of_a_payload_stay_where_they_are() {
    let parts: Vec<SliceBuf> = (0..3).map(|i| SliceBuf::from(vec![i; 400])).collect();
    let at: Vec<_> = parts.iter().map(|part| part.as_slice().as_ptr()).collect();
    let mut output = CompositeBuf::new();
    let payload: CompositeBuf = parts.into_iter().collect();
    Varint::new().encoder().encode(payload, &mut output).unwrap();
    assert_eq!(addresses(&output)[1..], at);
}

#[test]
fn the_length_is_what_the_adjustment_makes_of_it() {
    let encoded = |field: LengthField, payload: &'static str| {
        let mut output = CompositeBuf::new();
        field.encoder().unwrap().encode(payload, &mut output).map(|()| output.to_vec())
    };
    let field = LengthField::new(2);
    assert_eq!(encoded(field, "abc").unwrap(), b"\0\x03abc");
    assert_eq!(encoded(field.little_endian(), "abc").unwrap(), b"\x03\0abc");
    assert_eq!(encoded(field.adjustment(-2), "abc").unwrap(), b"\0\x05abc");
    assert_eq!(encoded(field.adjustment(2), "abc").unwrap(), b"\0\x01abc");
    let short = FrameError::TooShort { len: 3, min: 4 };
    assert_eq!(encoded(field.adjustment(4), "abc"), Err(short));
}

#[test]
fn what_the_field_cannot_say_is_refused() {
    for (width, most) in [(1, 0xff), (2, 0xffff)] {
        let mut encoder = LengthField::new(width).encoder().unwrap();
        let mut output = CompositeBuf::from(SliceBuf::from_static(b"before"));
        let len = (width + most + 1) as u64;
        let error = FrameError::TooLong { len, max: len - 1 };
        assert_eq!(encoder.encode(vec![0; most + 1], &mut output), Err(error));
        assert_eq!(output, b"before");
        encoder.encode(vec![0; most], &mut output).unwrap();
        assert_eq!(output.readable_bytes(), 6 + width + most);
    }
    // Where it can say more than anything, the limit is the limit.
    for width in [2, 4, 8] {
        let field = LengthField::new(width).adjustment(-1).max_frame_len(width + 3);
        let mut encoder = field.encoder().unwrap();
        assert!(encoder.encode("abc", &mut CompositeBuf::new()).is_ok());
        let too_long = FrameError::TooLong { len: width as u64 + 4, max: width as u64 + 3 };
        assert_eq!(encoder.encode("abcd", &mut CompositeBuf::new()), Err(too_long));
    }
    // With the length counting itself, fewer are left for the payload.
    let mut encoder = LengthField::new(1).adjustment(-1).encoder().unwrap();
    let mut output = CompositeBuf::new();
    assert!(encoder.encode(vec![0; 255], &mut output).is_err());
    encoder.encode(vec![0; 254], &mut output).unwrap();
    assert_eq!(output.get_u8(0), 255);
}

#[test]
fn a_failed_encode_leaves_the_output_as_it_was() {
    let mut released = SliceBuf::from_static(b"gone");
    released.release();
    // No room for more than the header.
    let mut output = CompositeBuf::with_max_capacity(10);
    output.write_bytes(b"before");
    let full = |result: Result<(), FrameError>| {
        assert!(matches!(result, Err(FrameError::Buffer(_))), "{result:?}");
    };
    full(LengthField::new(4).encoder().unwrap().encode("x", &mut output));
    full(LengthField::new(4).encoder().unwrap().encode(vec![0; 300], &mut output));
    full(Varint::new().encoder().encode("abcd", &mut output));
    full(Varint::new().encoder().encode(released.clone(), &mut output));
    full(Delimiter::lines().encoder().unwrap().encode("abcd", &mut output));
    assert_eq!(output, b"before");
    output.write_bytes(b"more");
    assert_eq!(output, b"beforemore");
}

#[test]
fn no_payload_smuggles_a_delimiter_in() {
    let refused = |delimiter: &Delimiter, payload: &'static str| {
        let mut output = CompositeBuf::from(SliceBuf::from_static(b"\n--"));
        let result = delimiter.clone().encoder().unwrap().encode(payload, &mut output);
        assert_eq!(result.is_err(), output == b"\n--", "{payload:?}");
        result.is_err()
    };
    let lines = Delimiter::lines();
    assert!(!refused(&lines, "a\rb"));
    assert!(refused(&lines, "a\nb"));
    assert!(refused(&lines, "\n"));
    // It would come out without its end.
    assert!(refused(&lines, "a\r"));
    let dashes = Delimiter::new("--");
    assert!(!refused(&dashes, "a-b"));
    // "a---": the delimiter is found a byte too early.
    assert!(refused(&dashes, "a-"));
}

#[test]
fn empty_payloads_are_frames() {
    let mut output = CompositeBuf::new();
    LengthField::new(1).encoder().unwrap().encode("", &mut output).unwrap();
    Varint::new().encoder().encode(Vec::new(), &mut output).unwrap();
    Varint::new().encoder().encode(HeapBuf::new(), &mut output).unwrap();
    Delimiter::lines().encoder().unwrap().encode(CompositeBuf::new(), &mut output).unwrap();
    assert_eq!(output, b"\0\0\0\n");
}
