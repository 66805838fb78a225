//! Any bytes, in any pieces, in an owner or a composite: both HTTP/1.1
//! decoders give the same as for one piece, and never panic.

use arbitrary::Arbitrary;
use refbuf_codec::http1::{Asked, Limits};

use crate::http1_seen::{WORDS, composed, received, requests, responses, small_limits};

#[derive(Arbitrary, Debug)]
pub struct Input {
    /// Lengths of the first pieces.
    pieces: Vec<u8>,
    small: bool,
    asked: u8,
    text: Vec<Part>,
}

#[derive(Arbitrary, Debug)]
enum Part {
    Word(u8),
    Bytes(Vec<u8>),
}

impl Part {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Word(n) => WORDS[usize::from(*n) % WORDS.len()].as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// `text` in pieces of these lengths, and the rest of it.
pub fn split<'a>(mut text: &'a [u8], lengths: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for &len in lengths {
        let (piece, rest) = text.split_at(text.len().min(len.into()));
        pieces.push(piece);
        text = rest;
    }
    pieces.push(text);
    pieces
}

pub fn run(input: Input) {
    let Input { pieces, small, asked, text } = input;
    let text: Vec<u8> = text.iter().flat_map(Part::bytes).copied().collect();
    let limits = if small { small_limits() } else { Limits::new() };
    // Two bits a request.
    let asked = [0, 2, 4, 6].map(|shift| match asked >> shift & 3 {
        0 => Asked::by("GET"),
        1 => Asked::by("HEAD"),
        2 => Asked::by("CONNECT"),
        _ => Asked::by("GET").upgrade(),
    });
    let pieces = split(&text, &pieces);

    let whole = received(requests(limits), &[&text]);
    assert_eq!(received(requests(limits), &pieces), whole);
    assert_eq!(composed(requests(limits), &pieces), whole);
    let whole = received(responses(limits, &asked), &[&text]);
    assert_eq!(received(responses(limits, &asked), &pieces), whole);
    assert_eq!(composed(responses(limits, &asked), &pieces), whole);
}
