//! RFC 7541, Appendix C: what is decoded, what the table has then, and that the
//! encoder writes the same bytes.

use super::support::{Owned, bytes, decode, encode, header, sensitive, table};
use refbuf_codec::hpack::{Decoder, Encoder, Header, Huffman, Indexing};

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn headers(pairs: Pairs<'_>) -> Vec<Owned> {
    pairs.iter().map(|(name, value)| header(name, value)).collect()
}

/// A block, its headers, and the table after it with its size.
struct Step<'a>(&'a str, Pairs<'a>, Pairs<'a>, usize);

fn check(huffman: Huffman, table_size: u32, steps: &[Step<'_>]) {
    let mut encoder = Encoder::new().with_huffman(huffman).with_indexing(Indexing::Always);
    let mut decoder = Decoder::new();
    if table_size != 4096 {
        // The example begins when both sides know.
        encoder.set_max_table_size(table_size);
        decoder.set_max_table_size(table_size);
        decode(&mut decoder, &encode(&mut encoder, &[]));
    }
    for Step(block, list, entries, size) in steps {
        let block = bytes(block);
        assert_eq!(decode(&mut decoder, &block), headers(list));
        assert_eq!(table(&decoder), headers(entries));
        assert_eq!(decoder.table_size(), *size);
        assert_eq!(encode(&mut encoder, &headers(list)), block);
        assert!(encoder.table().eq(decoder.table()));
        assert_eq!(encoder.table_size(), *size);
    }
}

#[test]
fn c_2_1_literal_with_indexing() {
    let block = bytes("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572");
    let mut decoder = Decoder::new();
    assert_eq!(decode(&mut decoder, &block), [header("custom-key", "custom-header")]);
    assert_eq!(table(&decoder), [header("custom-key", "custom-header")]);
    assert_eq!(decoder.table_size(), 55);
    let mut encoder = Encoder::new().with_huffman(Huffman::Never);
    assert_eq!(encode(&mut encoder, &[header("custom-key", "custom-header")]), block);
}

#[test]
fn c_2_2_literal_without_indexing() {
    let block = bytes("040c 2f73 616d 706c 652f 7061 7468");
    let mut decoder = Decoder::new();
    assert_eq!(decode(&mut decoder, &block), [header(":path", "/sample/path")]);
    assert_eq!(table(&decoder), []);
    let mut encoder = Encoder::new().with_huffman(Huffman::Never);
    assert_eq!(encode(&mut encoder, &[header(":path", "/sample/path")]), block);
}

#[test]
fn c_2_3_literal_never_indexed() {
    let block = bytes("1008 7061 7373 776f 7264 0673 6563 7265 74");
    let mut decoder = Decoder::new();
    assert_eq!(decode(&mut decoder, &block), [sensitive("password", "secret")]);
    assert_eq!(table(&decoder), []);
    let mut encoder = Encoder::new().with_huffman(Huffman::Never);
    assert_eq!(encode(&mut encoder, &[sensitive("password", "secret")]), block);
}

#[test]
fn c_2_4_indexed() {
    let mut decoder = Decoder::new();
    assert_eq!(decode(&mut decoder, &[0x82]), [header(":method", "GET")]);
    assert_eq!(table(&decoder), []);
    assert_eq!(encode(&mut Encoder::new(), &[header(":method", "GET")]), [0x82]);
}

const REQUESTS: [Pairs<'_>; 3] = [
    &[(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "www.example.com")],
    &[
        (":method", "GET"),
        (":scheme", "http"),
        (":path", "/"),
        (":authority", "www.example.com"),
        ("cache-control", "no-cache"),
    ],
    &[
        (":method", "GET"),
        (":scheme", "https"),
        (":path", "/index.html"),
        (":authority", "www.example.com"),
        ("custom-key", "custom-value"),
    ],
];

const AFTER_REQUESTS: [(Pairs<'_>, usize); 3] = [
    (&[(":authority", "www.example.com")], 57),
    (&[("cache-control", "no-cache"), (":authority", "www.example.com")], 110),
    (
        &[
            ("custom-key", "custom-value"),
            ("cache-control", "no-cache"),
            (":authority", "www.example.com"),
        ],
        164,
    ),
];

fn requests<'a>(blocks: [&'a str; 3]) -> Vec<Step<'a>> {
    let steps = blocks.into_iter().zip(REQUESTS).zip(AFTER_REQUESTS);
    steps.map(|((block, list), (entries, size))| Step(block, list, entries, size)).collect()
}

#[test]
fn c_3_requests_without_huffman() {
    let blocks = [
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "8286 84be 5808 6e6f 2d63 6163 6865",
        "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ];
    check(Huffman::Never, 4096, &requests(blocks));
}

#[test]
fn c_4_requests_with_huffman() {
    let blocks = [
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
        "8286 84be 5886 a8eb 1064 9cbf",
        "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ];
    check(Huffman::Always, 4096, &requests(blocks));
    check(Huffman::Auto, 4096, &requests(blocks));
}

const DATE: &str = "Mon, 21 Oct 2013 20:13:21 GMT";
const LATER: &str = "Mon, 21 Oct 2013 20:13:22 GMT";
const LOCATION: &str = "https://www.example.com";
const COOKIE: &str = "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";

const RESPONSES: [Pairs<'_>; 3] = [
    &[(":status", "302"), ("cache-control", "private"), ("date", DATE), ("location", LOCATION)],
    &[(":status", "307"), ("cache-control", "private"), ("date", DATE), ("location", LOCATION)],
    &[
        (":status", "200"),
        ("cache-control", "private"),
        ("date", LATER),
        ("location", LOCATION),
        ("content-encoding", "gzip"),
        ("set-cookie", COOKIE),
    ],
];

const AFTER_RESPONSES: [(Pairs<'_>, usize); 3] = [
    (
        &[("location", LOCATION), ("date", DATE), ("cache-control", "private"), (":status", "302")],
        222,
    ),
    (
        &[(":status", "307"), ("location", LOCATION), ("date", DATE), ("cache-control", "private")],
        222,
    ),
    (&[("set-cookie", COOKIE), ("content-encoding", "gzip"), ("date", LATER)], 215),
];

fn responses<'a>(blocks: [&'a str; 3]) -> Vec<Step<'a>> {
    let steps = blocks.into_iter().zip(RESPONSES).zip(AFTER_RESPONSES);
    steps.map(|((block, list), (entries, size))| Step(block, list, entries, size)).collect()
}

#[test]
fn c_5_responses_without_huffman_and_with_eviction() {
    let blocks = [
        "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
         2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70
         6c65 2e63 6f6d",
        "4803 3330 37c1 c0bf",
        "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d
         54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049
         5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e
         3d31",
    ];
    check(Huffman::Never, 256, &responses(blocks));
}

#[test]
fn c_6_responses_with_huffman_and_with_eviction() {
    let blocks = [
        "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6
         2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
        "4883 640e ffc1 c0bf",
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab
         77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f
         9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ];
    check(Huffman::Always, 256, &responses(blocks));
}

#[test]
fn headers_of_the_static_table_are_one_byte() {
    let mut decoder = Decoder::new();
    for index in 1..=61u8 {
        let headers = decode(&mut decoder, &[0x80 | index]);
        let list = [Header::from(&headers[0])];
        let mut block = refbuf::HeapBuf::new();
        Encoder::new().encode(list, &mut block).unwrap();
        assert_eq!(block, [0x80 | index]);
    }
}
