//! HPACK (RFC 7541): the same encoded header blocks for all.

use refbuf::{ByteBuf, HeapBuf};
use refbuf_codec::hpack::{Decoder, Encoder, Header, Huffman, Indexing};
use std::path::Path;
use std::{fs, io, iter};

use crate::measure::{Setup, on, work};
use crate::row::{Group, Target};

/// Name, headers, bytes of a name, bytes of a value: the sizes of Netty's own
/// benchmark.
const SETS: [(&str, usize, usize, usize); 3] =
    [("small", 5, 20, 40), ("medium", 20, 40, 80), ("large", 100, 100, 300)];

/// More than the large set has.
const MAX_HEADER_LIST: usize = 1 << 20;

pub fn group(directory: &Path) -> io::Result<Group> {
    let mut group = Group::new(
        "hpack",
        "HPACK",
        Target::NettyUnchecked,
        "Decoding one header block, with and without Huffman coding: 5 headers of 20 and 40 bytes \
         (name and value), 20 of 40 and 80, 100 of 100 and 300. All of them are new to the \
         decoder, which puts them into its table, as others are put out of it. All are given the \
         same blocks, made here, count the bytes of names and values, and keep nothing; \
         `httlib-hpack` can give out copies only, and consumes a copy of the block. The crates \
         with buffers have no HPACK; `loona-hpack` and `httlib-hpack` are decoders of slices. The \
         target is Netty, which is faster than both.",
    );
    group.case("empty").empty();
    for (name, headers, name_len, value_len) in SETS {
        for (coding, huffman) in [("plain", Huffman::Never), ("huffman", Huffman::Always)] {
            let block = block(headers, name_len, value_len, huffman);
            let file = directory.join(format!("hpack-{name}-{coding}"));
            fs::write(&file, &block)?;
            let mut case = group.case(format!("{name}, {coding}"));
            case.ours("heap", "decoder", work!(ours(&block) => |(decoder, block), start| {
                let mut bytes = 0;
                let read = decoder.decode(block, |header| {
                    bytes += header.name.len() + header.value.len();
                });
                read.expect("it is in order");
                block.set_reader_index(start);
                bytes as u64
            }))
            .peer("loona-hpack", work!(loona(&block) => |(decoder, block), _| {
                let mut bytes = 0;
                let read = decoder.decode_with_cb(block, |name, value| {
                    bytes += name.len() + value.len();
                });
                read.expect("it is in order");
                bytes as u64
            }))
            .peer("httlib-hpack", work!(httlib(&block) => |(decoder, block), _| {
                let mut list = Vec::new();
                decoder.decode(&mut block.clone(), &mut list).expect("it is in order");
                list.iter().map(|(name, value, _)| name.len() + value.len()).sum::<usize>() as u64
            }));
            for checks in [true, false] {
                case.jvm("hpack", "decoder", &file.display().to_string(), 0, checks);
            }
        }
    }
    Ok(group)
}

fn ours(block: &[u8]) -> Setup<(Decoder, HeapBuf)> {
    let block = block.to_vec();
    on(move || {
        let decoder = Decoder::new().with_max_header_list_size(MAX_HEADER_LIST);
        (decoder, HeapBuf::from(block.clone()))
    })
}

fn loona(block: &[u8]) -> Setup<(loona_hpack::Decoder<'static>, Vec<u8>)> {
    let block = block.to_vec();
    on(move || (loona_hpack::Decoder::new(), block.clone()))
}

fn httlib(block: &[u8]) -> Setup<(httlib_hpack::Decoder<'static>, Vec<u8>)> {
    let block = block.to_vec();
    on(move || (httlib_hpack::Decoder::default(), block.clone()))
}

const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

/// Headers of random letters, the same ones each time.
fn block(headers: usize, name_len: usize, value_len: usize, huffman: Huffman) -> Vec<u8> {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut text = |len: usize| -> Vec<u8> {
        let letters = iter::repeat_with(|| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            LETTERS[(random >> 58) as usize]
        });
        letters.take(len).collect()
    };
    let headers: Vec<_> = (0..headers).map(|_| (text(name_len), text(value_len))).collect();
    let headers = headers.iter().map(|(name, value)| Header::new(name, value));
    let mut encoder = Encoder::new().with_huffman(huffman).with_indexing(Indexing::Always);
    let mut block = HeapBuf::new();
    encoder.encode(headers, &mut block).expect("there is memory");
    block.to_vec()
}
