//! A body in any parts, encoded in chunks, received in any pieces: it comes
//! back with its trailers, and what the parts were is as it was.

use arbitrary::Arbitrary;
use refbuf::{ByteBuf, CompositeBuf, HeapBuf};
use refbuf_codec::Encoder;
use refbuf_codec::http1::{BodyLen, End, Limits, Request, RequestEncoder};

use crate::http1_decode::split;
use crate::http1_seen::{Seen, received, requests};

#[derive(Arbitrary, Debug)]
pub struct Input {
    body: Vec<u8>,
    /// Lengths of its parts, and how many times larger than that, and how they
    /// are given.
    parts: Vec<(u8, bool, u8)>,
    pieces: Vec<u8>,
    trailer: Option<Vec<u8>>,
}

pub fn run(input: Input) {
    let Input { body, parts, pieces, trailer } = input;
    let mut block = HeapBuf::from(body.repeat(8));
    let whole = block.slice(..);

    let mut output = CompositeBuf::new();
    let mut encoder = RequestEncoder::new();
    let request = Request::new("PUT", "/").fields([("host", "a")]).body(BodyLen::Chunked);
    encoder.encode(request, &mut output).unwrap();
    let mut sent = Vec::new();
    for (len, large, kind) in parts {
        let len = usize::from(len) * if large { 8 } else { 1 };
        let part = block.read_slice(len.min(block.readable_bytes()));
        sent.extend_from_slice(part.as_slice());
        match kind % 3 {
            0 => encoder.encode(part, &mut output).unwrap(),
            1 => encoder.encode(part.as_slice(), &mut output).unwrap(),
            _ => {
                let mut first = part;
                let second = first.split_off(first.readable_bytes() / 2);
                let many: CompositeBuf = [first, second].into_iter().collect();
                encoder.encode(many, &mut output).unwrap();
            }
        }
    }
    let mut trailers = Vec::new();
    if let Some(value) = &trailer {
        // What cannot be sent is refused, and leaves no trace.
        let refused = encoder.encode(End::new().trailers([("t", value)]), &mut output).is_err();
        if refused {
            encoder.encode(End::new(), &mut output).unwrap();
        } else {
            trailers.push(("t".to_owned(), value.clone()));
        }
    } else {
        encoder.encode(End::new(), &mut output).unwrap();
    }
    assert_eq!(whole, body.repeat(8));

    let text = output.to_vec();
    let limits = Limits::new().trailers(65_000).chunk_overhead(u64::MAX);
    let seen = received(requests(limits), &split(&text, &pieces));
    let back = match &seen[1] {
        Seen::Data(data) => &data[..],
        _ => &[],
    };
    if trailers.iter().all(|(_, value)| value.len() < 60_000) {
        assert_eq!(back, sent);
        assert_eq!(seen[seen.len() - 2], Seen::End(trailers));
        assert_eq!(seen.last(), Some(&Seen::Rest(Vec::new())));
    }
}
