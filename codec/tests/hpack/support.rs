//! What the tests share.

use refbuf::{CompositeBuf, HeapBuf, SliceBuf};
use refbuf_codec::hpack::{DecodeError, Decoder, Encoder, Header};

/// A header that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    pub name: Vec<u8>,
    pub value: Vec<u8>,
    pub sensitive: bool,
}

impl From<Header<'_>> for Owned {
    fn from(Header { name, value, sensitive }: Header<'_>) -> Self {
        Self { name: name.to_vec(), value: value.to_vec(), sensitive }
    }
}

impl<'a> From<&'a Owned> for Header<'a> {
    fn from(Owned { name, value, sensitive }: &'a Owned) -> Self {
        Self { name, value, sensitive: *sensitive }
    }
}

pub fn header(name: &str, value: &str) -> Owned {
    Header::new(name, value).into()
}

pub fn sensitive(name: &str, value: &str) -> Owned {
    Header::sensitive(name, value).into()
}

/// What came out, and how it ended.
pub type Outcome = (Vec<Owned>, Result<(), DecodeError>);

pub fn decode_slice(decoder: &mut Decoder, block: &[u8]) -> Outcome {
    let mut headers = Vec::new();
    let result = decoder.decode_slice(block, |header| headers.push(header.into()));
    (headers, result)
}

/// Of a block that is in order.
pub fn decode(decoder: &mut Decoder, block: &[u8]) -> Vec<Owned> {
    let (headers, result) = decode_slice(decoder, block);
    assert_eq!(result, Ok(()));
    headers
}

/// Of a block that is not.
pub fn error(decoder: &mut Decoder, block: &[u8]) -> DecodeError {
    decode_slice(decoder, block).1.unwrap_err()
}

pub fn encode(encoder: &mut Encoder, headers: &[Owned]) -> Vec<u8> {
    let mut block = HeapBuf::new();
    encoder.encode(headers, &mut block).unwrap();
    refbuf::ByteBuf::to_vec(&block)
}

/// Newest first.
pub fn table(decoder: &Decoder) -> Vec<Owned> {
    decoder.table().map(Owned::from).collect()
}

/// `block` in pieces of `len` bytes.
pub fn pieces(block: &[u8], len: usize) -> CompositeBuf {
    block.chunks(len).map(|piece| SliceBuf::from(piece.to_vec())).collect()
}

pub fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap() as u8;
    digits.chunks(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}
