//! What a decoder gave, in a form that can be compared however it came.

#![allow(dead_code)] // Each test uses some of it.

use refbuf::{ByteBufMut, CompositeBuf, HeapBuf, SliceBuf};
use refbuf_codec::Decoder;
use refbuf_codec::http1::{
    Asked, BodyLen, DecodeError, Event, Fields, Limits, RequestDecoder, RequestHead,
    ResponseDecoder, ResponseHead,
};

/// Text that messages are made of, put together at random: often near to what
/// is right.
pub const WORDS: [&str; 32] = [
    "GET / HTTP/1.1\r\n",
    "POST /a HTTP/1.1\r\n",
    "CONNECT a:1 HTTP/1.1\r\n",
    "GET / HTTP/1.0\r\n",
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 100 C\r\n",
    "HTTP/1.1 101 S\r\n",
    "HTTP/1.0 304 \r\n",
    "Host: a\r\n",
    "Host: a\r\n\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 5\r\n\r\nhello",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\n\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive, upgrade\r\n",
    "Upgrade: x\r\n",
    "Expect: 100-continue\r\n",
    "X:\r\n",
    " y\r\n",
    "\r\n",
    "\n",
    "\r",
    "5\r\nhello\r\n",
    "1\r\nx\r\n",
    "0\r\n\r\n",
    "0\r\nT: u\r\n\r\n",
    "hello",
    "a;b\r\n",
    "f",
    "ffffffffffffffff\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    Head(String, Vec<(String, Vec<u8>)>, BodyLen),
    /// All data that came in a row.
    Data(Vec<u8>),
    End(Vec<(String, Vec<u8>)>),
    Error(DecodeError),
    /// What was left of the input in the end, if nothing was wrong.
    Rest(Vec<u8>),
}

pub trait Head {
    fn seen(&self) -> Seen;
}

pub fn pairs(fields: &Fields) -> Vec<(String, Vec<u8>)> {
    fields.iter().map(|(name, value)| (name.to_owned(), value.to_vec())).collect()
}

impl Head for RequestHead {
    fn seen(&self) -> Seen {
        let line = format!(
            "{} {} {:?} {} {} {}",
            self.method(),
            self.target(),
            self.version(),
            self.keep_alive(),
            self.upgrade(),
            self.expects_continue()
        );
        Seen::Head(line, pairs(self.fields()), self.body())
    }
}

impl Head for ResponseHead {
    fn seen(&self) -> Seen {
        let line = format!(
            "{} {} {:?} {} {}",
            self.status(),
            self.reason().escape_ascii(),
            self.version(),
            self.keep_alive(),
            self.switches()
        );
        Seen::Head(line, pairs(self.fields()), self.body())
    }
}

pub fn record<H: Head>(seen: &mut Vec<Seen>, event: Event<H>) {
    match event {
        Event::Head(head) => seen.push(head.seen()),
        Event::Data(data) => {
            assert!(!data.as_slice().is_empty(), "data is never empty");
            match seen.last_mut() {
                Some(Seen::Data(before)) => before.extend_from_slice(data.as_slice()),
                _ => seen.push(Seen::Data(data.as_slice().to_vec())),
            }
        }
        Event::End(trailers) => seen.push(Seen::End(pairs(&trailers))),
    }
}

/// Decodes what there is; true if all is well.
fn drain<B, D, H: Head>(decoder: &mut D, input: &mut B, eof: bool, seen: &mut Vec<Seen>) -> bool
where
    D: Decoder<B, Item = Event<H>, Error = DecodeError>,
{
    loop {
        let next = if eof { decoder.decode_eof(input) } else { decoder.decode(input) };
        match next {
            Ok(Some(event)) => record(seen, event),
            Ok(None) => return true,
            Err(error) => {
                assert_eq!(decoder.decode(input).err(), Some(error), "errors are for good");
                seen.push(Seen::Error(error));
                return false;
            }
        }
    }
}

/// What comes of pieces that are received one after the other into one buffer.
pub fn received<D, H: Head>(mut decoder: D, pieces: &[&[u8]]) -> Vec<Seen>
where
    D: Decoder<HeapBuf, Item = Event<H>, Error = DecodeError>,
{
    let mut input = HeapBuf::new();
    let mut seen = Vec::new();
    for piece in pieces {
        input.make_room(piece.len());
        input.write_bytes(piece);
        if !drain(&mut decoder, &mut input, false, &mut seen) {
            return seen;
        }
    }
    if drain(&mut decoder, &mut input, true, &mut seen) {
        seen.push(Seen::Rest(input.as_slice().to_vec()));
    }
    seen
}

/// What comes of a composite of the pieces.
pub fn composed<D, H: Head>(mut decoder: D, pieces: &[&[u8]]) -> Vec<Seen>
where
    D: Decoder<CompositeBuf, Item = Event<H>, Error = DecodeError>,
{
    let mut input = CompositeBuf::new();
    for piece in pieces {
        input.push(piece.to_vec());
    }
    let mut seen = Vec::new();
    if drain(&mut decoder, &mut input, false, &mut seen)
        && drain(&mut decoder, &mut input, true, &mut seen)
    {
        seen.push(Seen::Rest(refbuf::ByteBuf::to_vec(&input)));
    }
    seen
}

/// What comes of a slice.
pub fn sliced<D, H: Head>(mut decoder: D, text: &[u8]) -> Vec<Seen>
where
    D: Decoder<SliceBuf, Item = Event<H>, Error = DecodeError>,
{
    let mut input = SliceBuf::copy_from_slice(text);
    let mut seen = Vec::new();
    if drain(&mut decoder, &mut input, false, &mut seen)
        && drain(&mut decoder, &mut input, true, &mut seen)
    {
        seen.push(Seen::Rest(input.as_slice().to_vec()));
    }
    seen
}

/// Limits that little text comes up against.
pub fn small_limits() -> Limits {
    Limits::new()
        .head(60)
        .fields(3)
        .empty_lines(1)
        .body(7)
        .chunk_line(4)
        .trailers(8)
        .chunk_overhead(70)
        .interim(1)
}

pub fn requests(limits: Limits) -> RequestDecoder {
    RequestDecoder::with_limits(limits)
}

pub fn responses(limits: Limits, asked: &[Asked]) -> ResponseDecoder {
    let mut decoder = ResponseDecoder::with_limits(limits);
    for &asked in asked {
        decoder.expect(asked);
    }
    decoder
}

/// The same whatever the buffer and however it comes; what that is.
pub fn same_in_all_ways<D, H: Head>(decoder: impl Fn() -> D, text: &[u8]) -> Vec<Seen>
where
    D: Decoder<HeapBuf, Item = Event<H>, Error = DecodeError>
        + Decoder<CompositeBuf, Item = Event<H>, Error = DecodeError>
        + Decoder<SliceBuf, Item = Event<H>, Error = DecodeError>,
{
    let whole = received(decoder(), &[text]);
    assert_eq!(sliced(decoder(), text), whole, "as a slice");
    let bytes: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(received(decoder(), &bytes), whole, "byte by byte");
    assert_eq!(composed(decoder(), &bytes), whole, "components of a byte");
    for size in [2, 3, 7] {
        let pieces: Vec<&[u8]> = text.chunks(size).collect();
        assert_eq!(composed(decoder(), &pieces), whole, "components of {size}");
    }
    for at in 0..text.len().min(200) {
        let (first, second) = text.split_at(at);
        assert_eq!(received(decoder(), &[first, second]), whole, "cut at {at}");
    }
    whole
}
