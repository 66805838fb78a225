//! Text in and out, beyond what every kind is tested for.

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf};

use crate::support::refused;

#[test]
fn text_of_every_width_goes_in_and_comes_out() {
    for text in ["", "ascii", "ü", "€", "𝄞", "mixed: aü€𝄞", "\0\u{10ffff}\u{7ff}\u{800}"]
    {
        let mut buf = HeapBuf::new();
        assert_eq!(buf.write_str(text), text.len());
        assert_eq!(buf.get_str(0, text.len()), text);
        assert_eq!(buf.read_string(text.len()), text);
        let mut composite: CompositeBuf = text.bytes().map(|byte| vec![byte]).collect();
        assert_eq!(composite.get_str(0, text.len()), text);
        assert_eq!(composite.read_string(text.len()), text);
    }
}

#[test]
fn a_range_of_text_is_counted_from_the_start_of_the_buffer() {
    let mut buf: CompositeBuf = [vec![0; 8], vec![0; 8]].into_iter().collect();
    assert_eq!(buf.get_str(3, 13), "\0".repeat(13));
    buf.skip(5);
    assert_eq!(buf.get_str(3, 13), "\0".repeat(13));
}

#[test]
fn text_that_does_not_fit_is_not_begun() {
    let mut neighbour = HeapBuf::from(b"0000neighbour".to_vec());
    let behind = neighbour.split_off(4);
    refused(&mut neighbour, Error::OutOfBounds { index: 0, len: 9, limit: 4 }, |buf| {
        buf.try_set_str(0, "ÖÄÜ€")
    });
    refused(&mut neighbour, Error::OutOfBounds { index: 1, len: 4, limit: 4 }, |buf| {
        buf.try_set_str(1, "ÖÄ")
    });
    assert_eq!((neighbour.as_slice(), behind.as_slice()), (&b"0000"[..], &b"neighbour"[..]));
    let mut small = HeapBuf::with_max_capacity(0, 4);
    refused(&mut small, Error::Overflow { needed: 6, available: 4 }, |buf| {
        buf.try_write_str("ÖÄÜ")
    });
}

#[test]
fn malformed_text_is_refused_and_stays() {
    for (bytes, valid_up_to) in [
        (&b"ab\xff"[..], 2),
        (b"\x80", 0),
        (b"\xc0\x80", 0),
        (b"a\xe2\x82", 1),
        (b"\xed\xa0\x80", 0),
        (b"\xf4\x90\x80\x80", 0),
        (b"abc\xf0\x9d\x84", 3),
    ] {
        let error = Error::InvalidUtf8 { valid_up_to };
        let len = bytes.len();
        let mut slice = SliceBuf::from(bytes.to_vec());
        refused(&mut slice, error, |buf| buf.try_read_string(len));
        let mut composite: CompositeBuf = bytes.iter().map(|&byte| vec![byte]).collect();
        refused(&mut composite, error, |buf| buf.try_read_string(len));
        refused(&mut composite, error, |buf| buf.try_get_str(0, len).map(|text| text.len()));
    }
}

#[test]
fn formatting_into_a_buffer_appends() {
    use std::io::Write;
    let mut buf = HeapBuf::new();
    write!(buf, "a-{:02}", 7).unwrap();
    assert_eq!(buf, "a-07");
}
