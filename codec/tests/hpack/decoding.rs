//! The rules of decoding, one by one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::support::{decode, decode_slice, error, header, pieces, sensitive, table};
use refbuf::{ByteBuf, Error, HeapBuf, SliceBuf};
use refbuf_codec::hpack::{DecodeError, Decoder, Header, HeaderList, MAX_INTEGER};

/// `error`, and that it is for good.
fn fatal(block: &[u8]) -> DecodeError {
    let mut decoder = Decoder::new();
    let found = error(&mut decoder, block);
    assert!(!found.recovers());
    assert_eq!(error(&mut decoder, &[0x82]), DecodeError::Failed);
    found
}

// ---- integers and lengths ------------------------------------------------------

#[test]
fn integers_of_all_sizes_are_decoded_or_refused_as_such() {
    // A size update to 2^31 - 1: netty could not read it.
    let int_max = [0x3f, 0xe0, 0xff, 0xff, 0xff, 0x07];
    assert_eq!(fatal(&int_max), DecodeError::SizeUpdateTooLarge { size: 0x7fff_ffff, max: 4096 });
    let mut decoder = Decoder::new();
    decoder.set_max_table_size(u32::MAX);
    assert_eq!(decode(&mut decoder, &int_max), []);
    // To 2^32 - 1, and one more.
    assert_eq!(decode(&mut decoder, &[0x3f, 0xe0, 0xff, 0xff, 0xff, 0x0f]), []);
    let over = [0x3f, 0xe1, 0xff, 0xff, 0xff, 0x0f];
    assert_eq!(error(&mut decoder, &over), DecodeError::IntegerOverflow);
    // An index.
    assert_eq!(
        fatal(&[0xff, 0x80, 0xff, 0xff, 0xff, 0x0f]),
        DecodeError::InvalidIndex { index: MAX_INTEGER, entries: 61 }
    );
    assert_eq!(fatal(&[0xff; 7]), DecodeError::IntegerOverflow);
    assert_eq!(fatal(&[0xff; 5]), DecodeError::Truncated { missing: 1 });
    assert_eq!(fatal(&[0x3f; 1]), DecodeError::Truncated { missing: 1 });
}

#[test]
fn a_length_is_believed_when_the_bytes_are_there() {
    // A name of 2^32 - 1 bytes, Huffman-coded or not.
    for first in [0x7f, 0xff] {
        let block = [0x40, first, 0x80, 0xff, 0xff, 0xff, 0x0f, b'a', b'b'];
        assert_eq!(fatal(&block), DecodeError::Truncated { missing: MAX_INTEGER - 2 });
        for len in [1, 2, 3] {
            let mut decoder = Decoder::new();
            let result = decoder.decode(&mut pieces(&block, len), |_| ());
            assert_eq!(result, Err(DecodeError::Truncated { missing: MAX_INTEGER - 2 }));
        }
    }
}

#[test]
fn any_truncation_is_an_error() {
    let block = b"\x3f\xe1\x1f\x82\x40\x03key\x05value\x04\x82\x61\x7f\x10\x01a\x00\xbe";
    let whole = decode(&mut Decoder::new(), block);
    assert_eq!(whole.len(), 5);
    // Where a representation ends, so may the block.
    let ends = [0, 3, 4, 15, 19, 23];
    for len in 0..block.len() {
        let (headers, result) = decode_slice(&mut Decoder::new(), &block[..len]);
        assert_eq!(headers, whole[..headers.len()]);
        if ends.contains(&len) {
            assert_eq!(result, Ok(()), "{len}");
        } else {
            assert!(matches!(result, Err(DecodeError::Truncated { missing: 1.. })), "{len}");
        }
    }
}

// ---- strings -------------------------------------------------------------------

#[test]
fn huffman_strings_are_padded_with_less_than_a_byte_of_ones() {
    // "0" is 00000.
    assert_eq!(decode(&mut Decoder::new(), &[0x04, 0x81, 0x07]), [header(":path", "0")]);
    assert_eq!(fatal(&[0x04, 0x81, 0x06]), DecodeError::HuffmanPadding);
    assert_eq!(fatal(&[0x04, 0x82, 0x07, 0xff]), DecodeError::HuffmanPadding);
    assert_eq!(fatal(&[0x04, 0x81, 0xff]), DecodeError::HuffmanPadding);
    assert_eq!(fatal(&[0x04, 0x84, 0xff, 0xff, 0xff, 0xff]), DecodeError::HuffmanEos);
    assert_eq!(fatal(&[0x00, 0x84, 0xff, 0xff, 0xff, 0xff, 0x00]), DecodeError::HuffmanEos);
    assert_eq!(decode(&mut Decoder::new(), &[0x04, 0x80]), [header(":path", "")]);
}

#[test]
fn empty_names_and_values_of_each_kind() {
    for (pattern, sensitive) in [(0x40, false), (0x00, false), (0x10, true)] {
        for (name, value) in [("", ""), ("", "v"), ("n", "")] {
            let block = [
                &[pattern, name.len() as u8][..],
                name.as_bytes(),
                &[value.len() as u8],
                value.as_bytes(),
            ];
            let mut decoder = Decoder::new();
            let mut expected = header(name, value);
            expected.sensitive = sensitive;
            assert_eq!(decode(&mut decoder, &block.concat()), [expected]);
            let entries = if pattern == 0x40 { vec![header(name, value)] } else { vec![] };
            assert_eq!(table(&decoder), entries);
        }
    }
}

#[test]
fn large_names_and_values_of_each_kind() {
    let (name, value) = (vec![b'n'; 5000], vec![b'v'; 6000]);
    for pattern in [0x40, 0x00, 0x10] {
        let block = [
            // 5000 - 127 and 6000 - 127.
            &[pattern, 0x7f, 0x89, 0x26][..],
            &name,
            &[0x7f, 0xf1, 0x2d],
            &value,
        ]
        .concat();
        let mut decoder = Decoder::new();
        assert_eq!(decode(&mut decoder, b"\x40\x01a\x01b"), [header("a", "b")]);
        let headers = decode(&mut decoder, &block);
        assert_eq!((&headers[0].name, &headers[0].value), (&name, &value));
        // One that is larger than the table empties it.
        let left = if pattern == 0x40 { vec![] } else { vec![header("a", "b")] };
        assert_eq!(table(&decoder), left);
    }
}

#[test]
fn a_never_indexed_header_is_sensitive_and_others_are_not() {
    let block = b"\x10\x01a\x01b\x00\x01a\x01b\x40\x01a\x01b\xbe\x1f\x2f\x01c";
    assert_eq!(
        decode(&mut Decoder::new(), block),
        [
            sensitive("a", "b"),
            header("a", "b"),
            header("a", "b"),
            header("a", "b"),
            sensitive("a", "c"),
        ]
    );
}

// ---- indices and the table -----------------------------------------------------

#[test]
fn index_0_and_indices_beyond_the_tables() {
    let invalid = |index| DecodeError::InvalidIndex { index, entries: 61 };
    assert_eq!(fatal(&[0x80]), invalid(0));
    assert_eq!(fatal(&[0xbe]), invalid(62));
    assert_eq!(fatal(&[0x7e, 0x00]), invalid(62));
    assert_eq!(fatal(&[0x0f, 47, 0x00]), invalid(62));
    assert_eq!(fatal(&[0x1f, 47, 0x00]), invalid(62));
    let mut decoder = Decoder::new();
    decode(&mut decoder, b"\x40\x01a\x01b");
    assert_eq!(decode(&mut decoder, &[0xbe]), [header("a", "b")]);
    let invalid = DecodeError::InvalidIndex { index: 63, entries: 62 };
    assert_eq!(error(&mut decoder, &[0xbf]), invalid);
}

#[test]
fn the_oldest_entries_are_evicted() {
    let mut decoder = Decoder::new();
    decoder.set_max_table_size(3 * 34);
    decode(&mut decoder, b"\x3f\x47\x40\x01a\x011\x40\x01b\x012\x40\x01c\x013\x40\x01d\x014");
    assert_eq!(table(&decoder), [header("d", "4"), header("c", "3"), header("b", "2")]);
    assert_eq!(decoder.table_size(), 102);
    // 46 bytes: two have to go.
    decode(&mut decoder, b"\x40\x06eeeeee\x0855555555");
    assert_eq!(table(&decoder), [header("eeeeee", "55555555"), header("d", "4")]);
}

/// RFC 7541, section 4.4: the entry that a name comes from may be evicted by the
/// entry it is for.
#[test]
fn a_name_outlives_its_entry() {
    let mut decoder = Decoder::new();
    decoder.set_max_table_size(100);
    decode(&mut decoder, b"\x3f\x45\x40\x06a-name\x01b");
    for round in 0..50 {
        // 100 bytes altogether.
        let value = vec![b'a' + round % 26; 62];
        let block = [&[0x7e, 62][..], &value].concat();
        let headers = decode(&mut decoder, &block);
        assert_eq!((&headers[0].name[..], &headers[0].value), (&b"a-name"[..], &value));
        assert_eq!(table(&decoder), headers);
    }
}

// ---- size updates --------------------------------------------------------------

#[test]
fn size_updates_are_at_the_start_of_a_block() {
    let mut decoder = Decoder::new();
    assert_eq!(decode(&mut decoder, &[0x20, 0x3f, 0xe1, 0x1f, 0x82]).len(), 1);
    assert_eq!(decode(&mut decoder, &[0x20]), []);
    assert_eq!(decode(&mut decoder, &[]), []);
    assert_eq!(fatal(&[0x82, 0x20]), DecodeError::SizeUpdateNotAtStart);
    assert_eq!(fatal(b"\x40\x01a\x01b\x20"), DecodeError::SizeUpdateNotAtStart);
    assert_eq!(fatal(b"\x20\x00\x01a\x01b\x20"), DecodeError::SizeUpdateNotAtStart);
}

#[test]
fn two_size_updates_have_a_meaning_and_three_have_none() {
    assert_eq!(decode(&mut Decoder::new(), &[0x20, 0x21]), []);
    assert_eq!(fatal(&[0x20, 0x20, 0x20]), DecodeError::TooManySizeUpdates);
    let mut decoder = Decoder::new();
    assert_eq!(error(&mut decoder, &[0x20; 100_000]), DecodeError::TooManySizeUpdates);
}

#[test]
fn size_updates_are_limited_by_the_settings() {
    let to_4097 = [0x3f, 0xe2, 0x1f];
    assert_eq!(fatal(&to_4097), DecodeError::SizeUpdateTooLarge { size: 4097, max: 4096 });
    let mut decoder = Decoder::new();
    decoder.set_max_table_size(4097);
    assert_eq!(decode(&mut decoder, &to_4097), []);
}

#[test]
fn a_size_update_evicts() {
    let mut decoder = Decoder::new();
    decode(&mut decoder, b"\x40\x01a\x011\x40\x01b\x012");
    // To 34.
    decode(&mut decoder, &[0x3f, 0x03]);
    assert_eq!(table(&decoder), [header("b", "2")]);
    decode(&mut decoder, &[0x20, 0x3f, 0xe1, 0x1f]);
    assert_eq!(table(&decoder), []);
    decode(&mut decoder, b"\x40\x01c\x013");
    assert_eq!(table(&decoder), [header("c", "3")]);
}

#[test]
fn lowered_settings_have_to_be_acknowledged_by_a_size_update() {
    let lowered = || {
        let mut decoder = Decoder::new();
        decode(&mut decoder, b"\x40\x01a\x01b\x40\x01c\x01d");
        decoder.set_max_table_size(34);
        decoder
    };
    let missing = DecodeError::SizeUpdateMissing { max: 34 };
    for block in [&b"\x82"[..], b"\x40\x01a\x01b", b"\x10\x01a\x01b", b"\xbe"] {
        assert_eq!(error(&mut lowered(), block), missing);
    }
    // Until then the table is what the encoder thinks it is.
    assert_eq!(table(&lowered()).len(), 2);
    // To 34, or less.
    let mut decoder = lowered();
    assert_eq!(decode(&mut decoder, &[0x3f, 0x03, 0xbe]), [header("c", "d")]);
    assert_eq!(table(&decoder).len(), 1);
    assert_eq!(decode(&mut decoder, &[0xbe]), [header("c", "d")]);
    assert_eq!(decode(&mut lowered(), &[0x20, 0x82]), [header(":method", "GET")]);
    // To 35.
    let too_large = DecodeError::SizeUpdateTooLarge { size: 35, max: 34 };
    assert_eq!(error(&mut lowered(), &[0x3f, 0x04]), too_large);
}

#[test]
fn settings_that_went_down_and_up_need_both_values() {
    let mut decoder = Decoder::new();
    decode(&mut decoder, b"\x40\x01a\x01b");
    decoder.set_max_table_size(10);
    decoder.set_max_table_size(4096);
    let mut other = decoder.clone();
    let missing = DecodeError::SizeUpdateMissing { max: 10 };
    assert_eq!(error(&mut other, &[0x3f, 0xe1, 0x1f, 0x82]), missing);
    assert_eq!(decode(&mut decoder, &[0x2a, 0x3f, 0xe1, 0x1f, 0x82]).len(), 1);
    assert_eq!(table(&decoder), []);
    // The encoder had less than that all the time: nothing is to be said.
    let mut decoder = Decoder::new();
    decode(&mut decoder, &[0x20]);
    decoder.set_max_table_size(10);
    assert_eq!(decode(&mut decoder, &[0x82]).len(), 1);
}

// ---- limits --------------------------------------------------------------------

/// Names, values, and 32 bytes for each header; nothing twice.
#[test]
fn the_header_list_is_counted_as_the_rfc_says() {
    let block = b"\x40\x04name\x05value\xbe\x82\x10\x01a\x00";
    let size = 2 * (32 + 9) + (32 + 10) + (32 + 1);
    let mut decoder = Decoder::new().with_max_header_list_size(size);
    assert_eq!(decode(&mut decoder, block).len(), 4);
    let mut decoder = Decoder::new().with_max_header_list_size(size - 1);
    let (headers, result) = decode_slice(&mut decoder, block);
    assert_eq!(headers.len(), 3);
    assert_eq!(result, Err(DecodeError::HeaderListTooLarge { size, max: size - 1 }));
}

#[test]
fn after_a_limit_the_table_is_in_step_and_the_next_block_is_decoded() {
    let mut decoder = Decoder::new().with_max_header_list_size(100);
    // The third one is too much; the fourth would fit.
    let block = b"\x40\x01a\x011\x40\x01b\x012\x40\x01c\x82\x61\x7f\x40\x01d\x00";
    let (headers, result) = decode_slice(&mut decoder, block);
    assert_eq!(headers, [header("a", "1"), header("b", "2")]);
    let size = 34 + 34 + 32 + table(&decoder)[1].name.len() + table(&decoder)[1].value.len() + 33;
    assert_eq!(result, Err(DecodeError::HeaderListTooLarge { size, max: 100 }));
    assert!(result.unwrap_err().recovers());
    assert_eq!(table(&decoder).len(), 4);
    assert_eq!(decode(&mut decoder, &[0xbe]), [header("d", "")]);
    assert_eq!(decode(&mut decoder, &[0xc1]), [header("a", "1")]);
}

#[test]
fn the_number_of_headers_is_limited() {
    let mut decoder = Decoder::new().with_max_header_count(3);
    assert_eq!(decode(&mut decoder, &[0x82; 3]).len(), 3);
    let block = [&[0x82; 10][..], b"\x40\x01a\x01b"].concat();
    let (headers, result) = decode_slice(&mut decoder, &block);
    assert_eq!(headers.len(), 3);
    assert_eq!(result, Err(DecodeError::TooManyHeaders { count: 11, max: 3 }));
    assert_eq!(decode(&mut decoder, &[0xbe]), [header("a", "b")]);
    // Headers without any bytes count too.
    let (headers, result) = decode_slice(&mut Decoder::new(), &[0; 3000]);
    assert_eq!(headers.len(), 256);
    assert_eq!(result, Err(DecodeError::HeaderListTooLarge { size: 32_000, max: 16 << 10 }));
}

/// A table full of one large entry, and a block of its index.
#[test]
fn a_small_block_of_large_headers_ends_at_the_limit() {
    let mut decoder = Decoder::new();
    decode(&mut decoder, &[&[0x40, 0x00, 0x7f, 0xe1, 0x1e][..], &[b'x'; 4064]].concat());
    assert_eq!(decoder.table_size(), 4096);
    let (headers, result) = decode_slice(&mut decoder, &[0xbe; 10_000]);
    assert_eq!(headers.len(), 4);
    let size = 10_000 * 4096;
    assert_eq!(result, Err(DecodeError::HeaderListTooLarge { size, max: 16 << 10 }));
}

/// What is too long for the limits is counted and checked, but kept nowhere; if
/// it was to be indexed, the table is empty.
#[test]
fn a_huffman_string_beyond_all_limits() {
    // "0" is 00000: 2000 bytes of zeros are 3200 of them. 2000 - 127 = 1873.
    let literal = |pattern| [&[pattern, 0x01, b'n', 0xff, 0xd1, 0x0e][..], &[0; 2000]].concat();
    for (pattern, entries) in [(0x40, 0), (0x00, 1), (0x10, 1)] {
        let mut decoder = Decoder::new().with_max_header_list_size(100);
        decoder.set_max_table_size(200);
        decode(&mut decoder, b"\x3f\xa9\x01\x40\x01a\x01b");
        let block = [literal(pattern), vec![0x82]].concat();
        let (headers, result) = decode_slice(&mut decoder, &block);
        assert_eq!(headers, []);
        let size = 33 + 3200 + 42;
        assert_eq!(result, Err(DecodeError::HeaderListTooLarge { size, max: 100 }));
        assert_eq!(table(&decoder).len(), entries);
        assert_eq!(decode(&mut decoder, b"\x40\x01c\x01d\xbe").len(), 2);
        // Its padding is not just anything.
        let mut block = literal(pattern);
        *block.last_mut().unwrap() = 0b11110;
        assert_eq!(error(&mut decoder, &block), DecodeError::HuffmanPadding);
    }
}

// ---- state ---------------------------------------------------------------------

#[test]
fn a_sink_that_panics_leaves_a_failed_decoder() {
    for len in [1, 100] {
        let mut decoder = Decoder::new();
        let mut block = pieces(b"\x40\x01a\x01b\x40\x01c\x01d", len);
        let mut calls = 0;
        let panic = catch_unwind(AssertUnwindSafe(|| {
            decoder.decode(&mut block, |_| {
                calls += 1;
                panic!("sink");
            })
        }));
        assert!(panic.is_err());
        assert_eq!(calls, 1);
        assert_eq!(error(&mut decoder, &[0x82]), DecodeError::Failed);
    }
}

#[test]
fn a_block_is_consumed_unless_the_buffer_or_the_decoder_failed() {
    let mut decoder = Decoder::new().with_max_header_count(1);
    let mut block = HeapBuf::from(b"xx\x82".to_vec());
    block.skip(2);
    assert_eq!(decoder.decode(&mut block, |_| ()), Ok(()));
    assert_eq!(block.readable_bytes(), 0);
    let mut block = SliceBuf::from(vec![0x82, 0x82]);
    assert!(decoder.decode(&mut block, |_| ()).unwrap_err().recovers());
    assert_eq!(block.readable_bytes(), 0);

    let mut block = HeapBuf::from(vec![0x82]);
    block.release();
    assert_eq!(decoder.decode(&mut block, |_| ()), Err(DecodeError::Buffer(Error::Released)));
    // Nothing has happened: the decoder goes on.
    let mut block = HeapBuf::from(vec![0x80]);
    let invalid = DecodeError::InvalidIndex { index: 0, entries: 61 };
    assert_eq!(decoder.decode(&mut block, |_| ()), Err(invalid));
    assert_eq!(block.readable_bytes(), 0);
    let mut block = HeapBuf::from(vec![0x82]);
    assert_eq!(decoder.decode(&mut block, |_| ()), Err(DecodeError::Failed));
    assert_eq!(block.readable_bytes(), 1);
}

#[test]
fn a_list_keeps_headers_and_their_memory() {
    let mut decoder = Decoder::new();
    let mut list = HeaderList::new();
    let block = b"\x82\x40\x04name\x05value\x10\x01a\x00";
    decoder.decode_to_list(&mut pieces(block, 3), &mut list).unwrap();
    let expected =
        [Header::new(":method", "GET"), Header::new("name", "value"), Header::sensitive("a", "")];
    assert!(list.iter().eq(expected));
    assert_eq!(list, expected.into_iter().collect());
    assert_eq!(list.try_value(1).unwrap(), b"value");
    assert!(matches!(list.try_value(3), Err(Error::OutOfBounds { index: 3, .. })));

    let value = list.try_value(1).unwrap();
    list.clear();
    decoder.decode_to_list(&mut pieces(&[0xbe, 0xbe], 1), &mut list).unwrap();
    assert_eq!(list.len(), 2);
    drop(list);
    assert_eq!(value, b"value");
}
