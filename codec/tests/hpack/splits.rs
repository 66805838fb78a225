//! However a block lies in memory, the same comes out, and the same is left in
//! the table.

use super::support::{Outcome, Owned, decode_slice, encode, header, pieces, table};
use proptest::prelude::*;
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, DirectBuf, HeapBuf, SliceBuf};
use refbuf_codec::hpack::{Decoder, Encoder, Huffman, Indexing};

fn decode_buf(decoder: &mut Decoder, block: &mut dyn ByteBuf) -> Outcome {
    let mut headers = Vec::new();
    let result = decoder.decode(block, |header| headers.push(header.into()));
    (headers, result)
}

/// Decodes `block` from `before` as a slice and as `buf`.
fn check(before: &Decoder, block: &[u8], buf: &mut dyn ByteBuf) {
    let (mut one, mut other) = (before.clone(), before.clone());
    assert_eq!(decode_slice(&mut one, block), decode_buf(&mut other, buf));
    assert_eq!(table(&one), table(&other));
    assert_eq!(buf.readable_bytes(), 0);
    // What comes next, too.
    let next = [0x82, 0xbe];
    assert_eq!(decode_slice(&mut one, &next), decode_slice(&mut other, &next));
}

fn check_all(before: &Decoder, block: &[u8]) {
    check(before, block, &mut HeapBuf::from(block.to_vec()));
    let mut direct = DirectBuf::with_capacity(block.len());
    direct.write_bytes(block);
    check(before, block, &mut direct);
    let mut slice = SliceBuf::from(block.to_vec());
    check(before, block, &mut slice.downgrade());
    check(before, block, &mut slice);
    for len in [1, 2, 3, 5, 7, 64, 127, 128, 500] {
        check(before, block, &mut pieces(block, len));
    }
}

fn some_block(huffman: Huffman) -> Vec<u8> {
    let headers: Vec<Owned> = (0..20)
        .map(|i| header(&"name".repeat(1 + i % 7), &"a longer value ".repeat(i * i / 20)))
        .collect();
    encode(&mut Encoder::new().with_huffman(huffman).with_indexing(Indexing::Always), &headers)
}

#[test]
fn every_split_in_two() {
    for huffman in [Huffman::Never, Huffman::Always] {
        let block = some_block(huffman);
        let decoder = Decoder::new().with_max_header_list_size(usize::MAX);
        for at in 0..=block.len() {
            let (a, b) = block.split_at(at);
            let parts = [a, b].map(|part| SliceBuf::from(part.to_vec()));
            check(&decoder, &block, &mut parts.into_iter().collect::<CompositeBuf>());
        }
    }
}

#[test]
fn every_truncation_in_pieces() {
    let block = some_block(Huffman::Auto);
    for len in (0..block.len()).step_by(3) {
        check(&Decoder::new(), &block[..len], &mut pieces(&block[..len], 7));
        check(&Decoder::new(), &block[..len], &mut pieces(&block[..len], 150));
    }
}

#[test]
fn only_the_readable_bytes() {
    let mut buf = pieces(b"junk\x82\x84junk", 3);
    buf.skip(4);
    buf.set_writer_index(6);
    let (headers, result) = decode_buf(&mut Decoder::new(), &mut buf);
    assert_eq!((headers.len(), result), (2, Ok(())));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn garbage(block in prop::collection::vec(any::<u8>(), 0..400), limit in 0..1000usize) {
        let mut decoder = Decoder::new().with_max_header_list_size(limit);
        decoder.decode_slice(b"\x40\x01a\x01b\x40\x01c\x01d", |_| ()).ok();
        check_all(&decoder, &block);
    }

    /// Blocks that are nearly in order get further.
    #[test]
    fn nearly_in_order(
        list in prop::collection::vec(("[a-z]{0,9}", "[ -~]{0,60}"), 0..20),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        limit in 0..2000usize,
    ) {
        let headers: Vec<Owned> = list.iter().map(|(name, value)| header(name, value)).collect();
        let mut block = encode(&mut Encoder::new(), &headers);
        for (at, byte) in changes {
            if !block.is_empty() {
                let at = at.index(block.len());
                block[at] = byte;
            }
        }
        check_all(&Decoder::new().with_max_header_list_size(limit), &block);
    }
}
