//! Against other implementations, in both directions and over many blocks:
//! `loona-hpack` (no Huffman when encoding) and `httlib-hpack` (Huffman and
//! never indexed, both ways).

use super::support::{Owned, decode, encode};
use proptest::prelude::*;
use refbuf_codec::hpack::{Decoder, Encoder, Header, Huffman, Indexing};

/// Lists that repeat themselves, of what HTTP has and of anything.
fn lists() -> impl Strategy<Value = Vec<Vec<Owned>>> {
    let name = prop_oneof![
        prop::sample::select(vec![
            ":method",
            ":path",
            ":status",
            "accept-encoding",
            "cookie",
            "set-cookie",
            "x",
            "y",
        ])
        .prop_map(|name| name.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 1..20),
    ];
    let value = prop_oneof![
        prop::sample::select(vec!["GET", "/", "200", "gzip, deflate", "", "a=b"])
            .prop_map(|value| value.as_bytes().to_vec()),
        "[ -~]{0,40}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..200),
    ];
    let header = (name, value, prop::bool::weighted(0.1))
        .prop_map(|(name, value, sensitive)| Owned { name, value, sensitive });
    prop::collection::vec(prop::collection::vec(header, 1..12), 1..12)
}

fn encoders() -> impl Strategy<Value = Encoder> {
    let huffman = prop::sample::select(vec![Huffman::Auto, Huffman::Always, Huffman::Never]);
    let indexing = prop::sample::select(vec![Indexing::Auto, Indexing::Always, Indexing::Never]);
    (huffman, indexing).prop_map(|(huffman, indexing)| {
        Encoder::new().with_huffman(huffman).with_indexing(indexing)
    })
}

/// Literal, with the bits that ask for Huffman, indexing, and never indexing.
fn flags(header: &Owned, huffman: bool) -> u8 {
    use httlib_hpack::Encoder as Peer;
    let indexing = if header.sensitive { Peer::NEVER_INDEXED } else { Peer::WITH_INDEXING };
    let huffman = if huffman { Peer::HUFFMAN_NAME | Peer::HUFFMAN_VALUE } else { 0 };
    // It would represent a sensitive header that is in a table by its index.
    let best = if header.sensitive { 0 } else { Peer::BEST_FORMAT };
    indexing | huffman | best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn peers_decode_what_is_encoded(lists in lists(), mut encoder in encoders(), small in any::<bool>()) {
        let mut loona = loona_hpack::Decoder::new();
        let mut httlib = httlib_hpack::Decoder::default();
        for (i, list) in lists.iter().enumerate() {
            if small && i == 2 {
                encoder.set_max_table_size(300);
                encoder.set_max_table_size(600);
            }
            let mut block = encode(&mut encoder, list);
            let decoded = loona.decode(&block).map_err(|error| TestCaseError::fail(format!("{error}")))?;
            let expected: Vec<_> =
                list.iter().map(|header| (header.name.clone(), header.value.clone())).collect();
            prop_assert_eq!(decoded, expected);

            let mut decoded = Vec::new();
            httlib.decode(&mut block, &mut decoded).map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
            let never = httlib_hpack::Decoder::NEVER_INDEXED;
            let decoded: Vec<_> = decoded
                .into_iter()
                .map(|(name, value, flags)| Owned { name, value, sensitive: flags & never != 0 })
                .collect();
            prop_assert_eq!(&decoded, list);
        }
    }

    #[test]
    fn what_peers_encode_is_decoded(lists in lists(), huffman in any::<bool>()) {
        let (mut loona, mut decoder) = (loona_hpack::Encoder::new(), Decoder::new());
        let plain = |header: &Owned| Owned { sensitive: false, ..header.clone() };
        for list in &lists {
            let headers = list.iter().map(|header| (&header.name[..], &header.value[..]));
            let list: Vec<_> = list.iter().map(plain).collect();
            prop_assert_eq!(decode(&mut decoder, &loona.encode(headers)), list);
        }

        let (mut httlib, mut decoder) = (httlib_hpack::Encoder::default(), Decoder::new());
        for list in &lists {
            let mut block = Vec::new();
            for header in list {
                let field = (header.name.clone(), header.value.clone(), flags(header, huffman));
                httlib.encode(field, &mut block).map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
            }
            prop_assert_eq!(&decode(&mut decoder, &block), list);
        }
    }

    /// Both sides of this one, with tables that change their size meanwhile.
    #[test]
    fn tables_stay_in_step(
        lists in lists(),
        mut encoder in encoders(),
        sizes in prop::collection::vec(prop::collection::vec(0..5000u32, 0..4), 12),
    ) {
        let mut decoder = Decoder::new();
        for (list, sizes) in lists.iter().zip(sizes) {
            for size in sizes {
                encoder.set_max_table_size(size);
                decoder.set_max_table_size(size);
            }
            prop_assert_eq!(&decode(&mut decoder, &encode(&mut encoder, list)), list);
            prop_assert!(encoder.table().eq(decoder.table()));
            prop_assert_eq!(encoder.table_size(), decoder.table_size());
            prop_assert!(decoder.table_size() <= decoder.max_table_size());
            let headers: Vec<Header<'_>> = encoder.table().collect();
            prop_assert!(headers.iter().all(|header| !header.sensitive));
        }
    }
}
