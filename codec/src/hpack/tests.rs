//! The decoder against one that is as plain as it can be: numbers without
//! limits, strings bit by bit, the table a list of lists.

use super::{DecodeError, Decoder, Encoder, Header, huffman, static_table};
use proptest::prelude::*;
use refbuf::{ByteBuf, HeapBuf};

type Pair = (Vec<u8>, Vec<u8>);

struct Model {
    /// Newest first.
    table: Vec<Pair>,
    max_size: usize,
    limit: usize,
    max_list: usize,
}

impl Model {
    /// The headers that are given out, and whether all are; `None` if the block
    /// is not in order.
    fn decode(&mut self, mut block: &[u8]) -> Option<(Vec<(Pair, bool)>, bool)> {
        let (mut headers, mut size, mut updates, mut first) = (Vec::new(), 0, 0, true);
        while let Some(&byte) = block.first() {
            let (bits, indexed) = match byte.leading_zeros() {
                0 => (7, true),
                1 => (6, false),
                2 => {
                    let new = integer(&mut block, 5)?;
                    updates += 1;
                    if !first || updates > 2 || new > self.limit as u128 {
                        return None;
                    }
                    self.max_size = usize::try_from(new).ok()?;
                    self.evict();
                    continue;
                }
                _ => (4, false),
            };
            first = false;
            let index = integer(&mut block, bits)?;
            let header = if indexed {
                self.entry(index)?
            } else {
                let name = if index == 0 { string(&mut block) } else { Some(self.entry(index)?.0) };
                (name?, string(&mut block)?)
            };
            if bits == 6 {
                self.table.insert(0, header.clone());
                self.evict();
            }
            size += header.0.len() + header.1.len() + 32;
            if size <= self.max_list {
                headers.push((header, byte >> 4 == 1));
            }
        }
        Some((headers, size <= self.max_list))
    }

    fn entry(&self, index: u128) -> Option<Pair> {
        let index = usize::try_from(index).ok()?.checked_sub(1)?;
        match index.checked_sub(static_table::LEN) {
            Some(index) => self.table.get(index).cloned(),
            None => static_table::get(index + 1).map(|(n, v)| (n.to_vec(), v.to_vec())),
        }
    }

    fn evict(&mut self) {
        let size =
            |table: &[Pair]| table.iter().map(|(n, v)| n.len() + v.len() + 32).sum::<usize>();
        while size(&self.table) > self.max_size {
            self.table.pop();
        }
    }
}

fn integer(block: &mut &[u8], bits: u32) -> Option<u128> {
    let mask = (1 << bits) - 1;
    let mut value = u128::from(block[0] & mask);
    let mut len = 1;
    if value == u128::from(mask) {
        loop {
            let byte = *block.get(len)?;
            value += u128::from(byte & 0x7f).checked_shl(7 * (u32::try_from(len).ok()? - 1))?;
            len += 1;
            if byte < 0x80 {
                break;
            }
        }
    }
    *block = &block[len..];
    (len <= 6 && value <= u32::MAX.into()).then_some(value)
}

fn string(block: &mut &[u8]) -> Option<Vec<u8>> {
    let coded = block.first()? & 0x80 != 0;
    let len = usize::try_from(integer(block, 7)?).ok()?;
    let bytes = block.get(..len)?;
    *block = &block[len..];
    if coded { huffman::tests::model(bytes).ok() } else { Some(bytes.to_vec()) }
}

/// A representation, more or less.
fn representation() -> impl Strategy<Value = Vec<u8>> {
    let string = prop_oneof![
        4 => "[a-z0-9]{0,12}".prop_map(|text| {
            [&[u8::try_from(text.len()).unwrap()][..], text.as_bytes()].concat()
        }),
        4 => "[a-z0-9]{0,40}".prop_map(|text| {
            let mut coded = Vec::new();
            huffman::encode(text.as_bytes(), &mut coded);
            [&[u8::try_from(coded.len()).unwrap() | 0x80], &coded[..]].concat()
        }),
        1 => prop::collection::vec(any::<u8>(), 1..8),
    ];
    let pattern = prop::sample::select(vec![0x40u8, 0x40, 0x40, 0x00, 0x10]);
    let literal = (pattern.clone(), string.clone(), string.clone())
        .prop_map(|(pattern, name, value)| [&[pattern], &name[..], &value].concat());
    let named = (pattern, 1..15u8, string)
        .prop_map(|(pattern, index, value)| [&[pattern | index], &value[..]].concat());
    prop_oneof![
        4 => literal,
        3 => named,
        4 => (60..72u8).prop_map(|index| vec![0x80 | index]),
        2 => (1..62u8).prop_map(|index| vec![0x80 | index]),
        1 => (0x20..0x40u8).prop_map(|update| vec![update, 0x10]),
    ]
}

proptest! {
    #[test]
    fn as_the_model(
        blocks in prop::collection::vec(prop::collection::vec(representation(), 0..8), 1..6),
        updates in prop::collection::vec(prop::option::weighted(0.3, 0..30u8), 6),
        max_list in 0..1000usize,
    ) {
        let mut model = Model { table: vec![], max_size: 4096, limit: 4096, max_list };
        let mut decoder = Decoder::new().with_max_header_list_size(max_list);
        for (block, update) in blocks.into_iter().zip(updates) {
            let update = update.map(|size| vec![0x20 | size]);
            let block = update.into_iter().chain(block).collect::<Vec<_>>().concat();
            let mut headers = Vec::new();
            let result = decoder.decode_slice(&block, |Header { name, value, sensitive }| {
                headers.push(((name.to_vec(), value.to_vec()), sensitive));
            });
            match model.decode(&block) {
                Some((expected, complete)) => {
                    prop_assert_eq!(headers, expected);
                    prop_assert_eq!(result.is_ok(), complete);
                    prop_assert!(result.is_ok() || result.is_err_and(|e| e.recovers()));
                }
                None => {
                    prop_assert!(result.is_err_and(|e| !e.recovers() && e != DecodeError::Failed));
                    break;
                }
            }
            let table: Vec<_> =
                decoder.table().map(|h| (h.name.to_vec(), h.value.to_vec())).collect();
            prop_assert_eq!(&table, &model.table);
        }
    }

    /// What the encoder writes is in order for the model too.
    #[test]
    fn the_encoder_as_the_model(
        lists in prop::collection::vec(
            prop::collection::vec(("[a-c]{1,2}", "[a-c]{0,2}", any::<bool>()), 0..12), 1..12,
        ),
    ) {
        let mut model = Model { table: vec![], max_size: 4096, limit: 4096, max_list: usize::MAX };
        let mut encoder = Encoder::new();
        for list in lists {
            let headers = list.iter().map(|(name, value, sensitive)| Header {
                name: name.as_bytes(),
                value: value.as_bytes(),
                sensitive: *sensitive,
            });
            let mut block = HeapBuf::new();
            prop_assert_eq!(encoder.encode(headers, &mut block), Ok(()));
            let decoded = model.decode(&block.to_vec());
            let expected: Vec<_> = list
                .iter()
                .map(|(name, value, sensitive)| {
                    ((name.clone().into_bytes(), value.clone().into_bytes()), *sensitive)
                })
                .collect();
            prop_assert_eq!(decoded, Some((expected, true)));
        }
    }
}
