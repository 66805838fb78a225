//! The rules of encoding, one by one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::support::{Owned, decode, encode, header, sensitive, table};
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf};
use refbuf_codec::hpack::{Decoder, EncodeError, Encoder, Header, Huffman, Indexing};

/// Encodes, decodes, and compares the tables.
fn through(encoder: &mut Encoder, decoder: &mut Decoder, headers: &[Owned]) -> Vec<u8> {
    let block = encode(encoder, headers);
    assert_eq!(decode(decoder, &block), headers);
    assert!(encoder.table().eq(decoder.table()));
    assert_eq!(encoder.max_table_size(), decoder.max_table_size().min(encoder.max_table_size()));
    block
}

#[test]
fn static_entries_dynamic_entries_and_names() {
    let (mut encoder, mut decoder) = (Encoder::new().with_huffman(Huffman::Never), Decoder::new());
    let mut block = |headers: &[Owned]| through(&mut encoder, &mut decoder, headers);
    assert_eq!(block(&[header(":status", "404")]), [0x8d]);
    assert_eq!(block(&[header(":status", "418")]), b"\x48\x03418");
    assert_eq!(block(&[header(":status", "418")]), [0xbe]);
    assert_eq!(block(&[header("x", "1")]), b"\x40\x01x\x011");
    assert_eq!(block(&[header("x", "2")]), b"\x7e\x012");
    assert_eq!(block(&[header("x", "1"), header("x", "2")]), [0xbf, 0xbe]);
    assert_eq!(block(&[header("", "")]), b"\x40\x00\x00");
    assert_eq!(block(&[header("", "")]), [0xbe]);
    // Values that change are not put into the table.
    assert_eq!(block(&[header(":path", "/x")]), b"\x04\x02/x");
    assert_eq!(block(&[header("set-cookie", "a=b")]), b"\x0f\x28\x03a=b");
}

#[test]
fn sensitive_headers_are_never_in_a_table() {
    let (mut encoder, mut decoder) = (Encoder::new().with_huffman(Huffman::Never), Decoder::new());
    let mut block = |headers: &[Owned]| through(&mut encoder, &mut decoder, headers);
    assert_eq!(block(&[sensitive("authorization", "x")]), b"\x1f\x08\x01x");
    // Not even where the whole of it is in one already.
    assert_eq!(block(&[sensitive(":method", "GET")]), b"\x12\x03GET");
    assert_eq!(block(&[header("k", "v")]), b"\x40\x01k\x01v");
    assert_eq!(block(&[sensitive("k", "v")]), b"\x1f\x2f\x01v");
    assert_eq!(block(&[sensitive("l", "v")]), b"\x10\x01l\x01v");
    assert_eq!(encoder.table().count(), 1);
}

#[test]
fn large_headers_leave_the_table_alone() {
    for (indexing, largest) in
        [(Indexing::Auto, 3072 - 33), (Indexing::Always, 4096 - 33), (Indexing::Never, 0)]
    {
        let mut encoder = Encoder::new().with_indexing(indexing);
        let mut decoder = Decoder::new().with_max_header_list_size(usize::MAX);
        let value = "v".repeat(largest);
        through(&mut encoder, &mut decoder, &[header("n", &value)]);
        let entries = usize::from(indexing != Indexing::Never);
        assert_eq!(table(&decoder).len(), entries);
        through(&mut encoder, &mut decoder, &[header("n", &format!("{value}v"))]);
        assert_eq!(table(&decoder).len(), entries);
    }
}

#[test]
fn sixteen_megabytes_in_one_header() {
    let value = "0123456789abcdef".repeat(1 << 20);
    for huffman in [Huffman::Auto, Huffman::Always, Huffman::Never] {
        let mut encoder = Encoder::new().with_huffman(huffman);
        let mut decoder = Decoder::new().with_max_header_list_size(usize::MAX);
        let block = through(&mut encoder, &mut decoder, &[header("x-large", &value)]);
        assert_eq!(block.len() > value.len(), huffman == Huffman::Never);
    }
}

#[test]
fn huffman_is_used_where_it_helps_or_as_one_likes() {
    let text = [header("x", "\u{1}\u{2}"), header("y", "aaaaaaaa")];
    let mut lens = Vec::new();
    for huffman in [Huffman::Auto, Huffman::Always, Huffman::Never] {
        let mut encoder = Encoder::new().with_huffman(huffman);
        lens.push(through(&mut encoder, &mut Decoder::new(), &text).len());
    }
    // 1 + 2 + 3 and 1 + 2 + 6; two bytes of 28 bits are seven.
    assert_eq!(lens, [15, 20, 18]);
}

#[test]
fn a_table_that_is_made_smaller_and_larger_is_signalled() {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    let headers = [header("a", "1"), header("b", "2"), header("c", "3")];
    through(&mut encoder, &mut decoder, &headers);
    // The settings go down, up, and down a bit.
    for max in [68, 4096, 1000] {
        encoder.set_max_table_size(max);
        decoder.set_max_table_size(max);
    }
    let block = through(&mut encoder, &mut decoder, &[header("c", "3")]);
    // To 68, to 1000, and the newest entry.
    assert_eq!(block, [0x3f, 37, 0x3f, 0xc9, 0x07, 0xbe]);
    assert_eq!(table(&decoder).len(), 2);
    // Once is enough.
    assert_eq!(through(&mut encoder, &mut decoder, &[header("c", "3")]), [0xbe]);
    encoder.set_max_table_size(0);
    decoder.set_max_table_size(0);
    assert_eq!(through(&mut encoder, &mut decoder, &[header(":method", "GET")]), [0x20, 0x82]);
    through(&mut encoder, &mut decoder, &[header("c", "3")]);
    assert_eq!(table(&decoder), []);
}

#[test]
fn the_peer_cannot_make_the_table_larger_than_wanted() {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    encoder.set_max_table_size(u32::MAX);
    decoder.set_max_table_size(u32::MAX);
    assert_eq!(through(&mut encoder, &mut decoder, &[header(":method", "GET")]), [0x82]);
    // One that wants less from the start says so.
    let mut encoder = Encoder::new().with_max_table_size(40);
    through(&mut encoder, &mut decoder, &[header("a", "1"), header("a", "1")]);
    assert_eq!(encoder.max_table_size(), 40);
}

#[test]
fn the_oldest_entries_are_evicted() {
    let mut encoder = Encoder::new().with_max_table_size(200);
    let mut decoder = Decoder::new();
    for i in 0..100 {
        let headers = [header(&format!("name-{i}"), &format!("{i}")), header("stays", "or not")];
        through(&mut encoder, &mut decoder, &headers);
        assert!(decoder.table_size() <= 200);
    }
}

#[test]
fn the_peers_limit_of_the_list_is_kept() {
    let mut encoder = Encoder::new();
    encoder.set_max_header_list_size(34 + 36);
    let mut out = HeapBuf::new();
    let list = [header("a", "1"), header("name", "x")];
    let error = EncodeError::HeaderListTooLarge { size: 71, max: 70 };
    assert_eq!(encoder.encode(&list, &mut out), Err(error));
    assert_eq!((out.readable_bytes(), encoder.table().count()), (0, 0));
    assert_eq!(encoder.encode(&list[..1], &mut out), Ok(()));
    // However little it allows, a small list stays an error and no panic.
    encoder.set_max_header_list_size(0);
    assert!(encoder.encode(&list, &mut out).is_err());
    assert_eq!(encoder.encode(&[] as &[Owned], &mut out), Ok(()));
}

#[test]
fn a_failed_call_changes_nothing() {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    through(&mut encoder, &mut decoder, &[header("a", "1")]);
    let before: Vec<Owned> = encoder.table().map(Owned::from).collect();
    encoder.set_max_table_size(1000);
    decoder.set_max_table_size(1000);
    let list = [header("a", "1"), header("new", "entry"), header("new", "entry")];
    let whole = encode(&mut encoder.clone(), &list);
    for max in 0..whole.len() {
        let mut out = CompositeBuf::with_max_capacity(max);
        assert!(matches!(
            encoder.encode(&list, &mut out),
            Err(EncodeError::Buffer(Error::Overflow { .. }))
        ));
        assert_eq!(out, b"");
        assert!(encoder.table().map(Owned::from).eq(before.iter().cloned()));
    }
    let mut released = HeapBuf::new();
    released.release();
    assert_eq!(encoder.encode(&list, &mut released), Err(EncodeError::Buffer(Error::Released)));
    // The room that is needed is enough.
    let mut out = HeapBuf::with_max_capacity(0, whole.len());
    assert_eq!(encoder.encode(&list, &mut out), Ok(()));
    assert_eq!(out, whole);
    assert_eq!(decode(&mut decoder, &whole), list);
    assert!(encoder.table().eq(decoder.table()));
}

#[test]
fn an_iterator_that_panics_makes_both_sides_start_anew() {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    through(&mut encoder, &mut decoder, &[header("a", "1")]);
    let mut out = HeapBuf::new();
    let calls = std::cell::Cell::new(0);
    let list = [header("new", "entry"), header("other", "entry")];
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let headers = list.iter().inspect(|_| {
            calls.set(calls.get() + 1);
            // The second one, when it is encoded.
            assert_ne!(calls.get(), 4);
        });
        encoder.encode(headers, &mut out)
    }));
    assert!(panic.is_err());
    assert_eq!(out.readable_bytes(), 0);
    through(&mut encoder, &mut decoder, &list);
    assert_eq!(table(&decoder), [header("other", "entry"), header("new", "entry")]);
    through(&mut encoder, &mut decoder, &[header("a", "1")]);
}

#[test]
fn blocks_are_appended_to_any_buffer() {
    let list = [Header::new(":method", "GET"), Header::new("a", "b")];
    let mut heap = HeapBuf::from(b"before".to_vec());
    Encoder::new().encode(list, &mut heap).unwrap();
    let mut composite = CompositeBuf::new();
    composite.write_bytes(b"before");
    Encoder::new().encode(list, &mut composite as &mut dyn ByteBufMut).unwrap();
    assert_eq!(heap, composite);
    heap.skip(6);
    assert_eq!(decode(&mut Decoder::new(), &heap.to_vec()).len(), 2);
}
