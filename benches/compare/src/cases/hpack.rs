//! HPACK (RFC 7541): the same encoded header blocks for both.

use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
use refbuf_codec::hpack::{Decoder, Encoder, Header, Huffman, Indexing};
use std::path::Path;
use std::{fs, io};

use crate::measure::{on, work};
use crate::row::{Group, Target};

/// Name, headers, bytes of a name, bytes of a value: the sizes of Netty's own
/// benchmark.
const SETS: [(&str, usize, usize, usize); 3] =
    [("small", 5, 20, 40), ("medium", 20, 40, 80), ("large", 100, 100, 300)];

pub fn group(directory: &Path) -> io::Result<Group> {
    let mut group = Group::new(
        "hpack",
        "HPACK",
        Target::FastestPeer,
        "Decoding one header block, with and without Huffman coding, nothing of it in a table: 5 \
         headers of 20 and 40 bytes (name and value), 20 of 40 and 80, 100 of 100 and 300. Both \
         count the bytes of names and values and keep nothing. Both are given the same blocks, \
         made here. The target is Netty.",
    );
    group.case("empty").empty();
    for (name, headers, name_len, value_len) in SETS {
        for (coding, huffman) in [("plain", Huffman::Never), ("huffman", Huffman::Always)] {
            let block = block(headers, name_len, value_len, huffman);
            let file = directory.join(format!("hpack-{name}-{coding}"));
            fs::write(&file, &block)?;
            let file = file.display().to_string();
            let mut case = group.case(format!("{name}, {coding}"));
            let make = move || (Decoder::new(), HeapBuf::from(block.clone()));
            case.ours(
                "heap",
                "decoder",
                work!(on(make) => |(decoder, block), start| {
                    let mut bytes = 0;
                    let read = decoder.decode(block, |header| {
                        bytes += header.name.len() + header.value.len();
                    });
                    read.expect("a valid block");
                    block.set_reader_index(start);
                    bytes as u64
                }),
            );
            for checks in [true, false] {
                case.jvm("hpack", "decoder", &file, 0, checks);
            }
        }
    }
    Ok(group)
}

fn block(headers: usize, name_len: usize, value_len: usize, huffman: Huffman) -> Vec<u8> {
    let mut random = 1_u64;
    let mut text = |len: usize| -> Vec<u8> {
        let mut letter = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Lower case, for a name.
            b'a' + u8::try_from((random >> 33) % 26).expect("less than 26")
        };
        (0..len).map(|_| letter()).collect()
    };
    let headers: Vec<_> = (0..headers).map(|_| (text(name_len), text(value_len))).collect();
    let mut encoder = Encoder::new().with_huffman(huffman).with_indexing(Indexing::Never);
    let mut block = HeapBuf::new();
    encoder
        .encode(headers.iter().map(|(name, value)| Header::new(name, value)), &mut block)
        .expect("headers of a few hundred bytes");
    block.to_vec()
}
