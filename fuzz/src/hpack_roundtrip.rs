//! What is encoded is decoded, whatever the settings are meanwhile and however
//! little room there is for a block.

use arbitrary::Arbitrary;
use refbuf::CompositeBuf;
use refbuf_codec::hpack::{Decoder, Encoder, Header, Huffman, Indexing};

#[derive(Arbitrary, Debug)]
pub struct Input {
    lists: Vec<List>,
    huffman: u8,
    indexing: u8,
}

#[derive(Arbitrary, Debug)]
struct List {
    headers: Vec<(Text, Text, bool)>,
    max_table_sizes: Vec<u16>,
    room: Option<u8>,
}

#[derive(Arbitrary, Debug)]
enum Text {
    Common(u8),
    Any(Vec<u8>),
    Long(u8, u16),
}

impl Text {
    fn bytes(&self) -> Vec<u8> {
        const COMMON: [&str; 8] = [":method", "GET", ":path", "/", "cookie", "x", "", "date"];
        match self {
            Self::Common(i) => COMMON[usize::from(*i) % COMMON.len()].into(),
            Self::Any(bytes) => bytes.clone(),
            Self::Long(byte, len) => vec![*byte; usize::from(*len) % 5000],
        }
    }
}

pub fn run(input: Input) {
    let huffman = [Huffman::Auto, Huffman::Always, Huffman::Never];
    let indexing = [Indexing::Auto, Indexing::Always, Indexing::Never];
    let mut encoder = Encoder::new()
        .with_huffman(huffman[usize::from(input.huffman) % 3])
        .with_indexing(indexing[usize::from(input.indexing) % 3]);
    let mut decoder =
        Decoder::new().with_max_header_list_size(usize::MAX).with_max_header_count(usize::MAX);
    for List { headers, max_table_sizes, room } in input.lists {
        for size in max_table_sizes {
            encoder.set_max_table_size(size.into());
            decoder.set_max_table_size(size.into());
        }
        let bytes: Vec<_> =
            headers.iter().map(|(name, value, _)| (name.bytes(), value.bytes())).collect();
        let list: Vec<_> = bytes
            .iter()
            .zip(&headers)
            .map(|((name, value), &(.., sensitive))| Header { name, value, sensitive })
            .collect();
        if let Some(room) = room {
            let mut small = CompositeBuf::with_max_capacity(room.into());
            let before: Vec<Vec<u8>> =
                encoder.table().map(|header| header.value.to_vec()).collect();
            if encoder.encode(&list, &mut small).is_err() {
                assert_eq!(small, b"");
                assert!(encoder.table().map(|header| header.value).eq(before));
            } else {
                check(&mut decoder, &mut small, &list);
            }
        }
        let mut block = CompositeBuf::new();
        encoder.encode(&list, &mut block).expect("there is memory");
        check(&mut decoder, &mut block, &list);
        assert!(encoder.table().eq(decoder.table()));
    }
}

fn check(decoder: &mut Decoder, block: &mut CompositeBuf, list: &[Header<'_>]) {
    let mut expected = list.iter();
    decoder
        .decode(block, |header| assert_eq!(Some(&header), expected.next()))
        .expect("what was encoded is in order");
    assert_eq!(expected.next(), None);
}
