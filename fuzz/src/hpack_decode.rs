//! Header blocks of arbitrary bytes, one after the other: in one piece and in
//! many they are the same headers, the same error, and the same table.

use arbitrary::Arbitrary;
use refbuf_codec::hpack::{DecodeError, Decoder, Header};

use crate::kinds::Cuts;

#[derive(Arbitrary, Debug)]
pub struct Input {
    blocks: Vec<Block>,
    max_list: u16,
    max_count: u8,
}

#[derive(Arbitrary, Debug)]
struct Block {
    bytes: Vec<u8>,
    cuts: Cuts,
    max_table_size: Option<u16>,
}

type Owned = (Vec<u8>, Vec<u8>, bool);

fn owned(header: Header<'_>) -> Owned {
    (header.name.to_vec(), header.value.to_vec(), header.sensitive)
}

pub fn run(input: Input) {
    let max_list = usize::from(input.max_list);
    let mut one = Decoder::new()
        .with_max_header_list_size(max_list)
        .with_max_header_count(input.max_count.into());
    let mut other = one.clone();
    let mut failed = false;
    for Block { bytes, cuts, max_table_size } in input.blocks {
        if let Some(max) = max_table_size {
            one.set_max_table_size(max.into());
            other.set_max_table_size(max.into());
        }
        let (mut headers, mut same) = (Vec::new(), Vec::new());
        let result = one.decode_slice(&bytes, |header| headers.push(owned(header)));
        let mut pieces = cuts.composite(&bytes, 0);
        assert_eq!(other.decode(&mut pieces, |header| same.push(owned(header))), result);
        assert_eq!(headers, same);
        assert!(one.table().eq(other.table()));

        assert_eq!(failed, result == Err(DecodeError::Failed));
        failed |= result.is_err_and(|error| !error.recovers());
        let size = |(name, value, _): &Owned| name.len() + value.len() + 32;
        assert!(headers.iter().map(size).sum::<usize>() <= max_list);
        assert!(headers.len() <= input.max_count.into());
        assert_eq!(one.table().map(|header| header.size()).sum::<usize>(), one.table_size());
    }
}
