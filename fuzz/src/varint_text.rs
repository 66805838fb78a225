//! Variable-length numbers and text from arbitrary bytes, split anyhow, against
//! plain readings of the definitions; and what is written is read again.

use arbitrary::Arbitrary;
use refbuf::{ByteBuf, ByteBufMut, Error, HeapBuf, varint_len_u64};

use crate::kinds::Cuts;

#[derive(Arbitrary, Debug)]
pub struct Input {
    bytes: Vec<u8>,
    text: String,
    cuts: Cuts,
    index: u8,
    len: u8,
    unsigned: u64,
    signed: i64,
    nbytes: u8,
}

/// The number, its length, or why there is none: `Ok(None)` if it is cut off.
fn decode(bytes: &[u8], bits: u32) -> Result<Option<(u64, usize)>, ()> {
    let mut value = 0u128;
    for (i, byte) in bytes.iter().enumerate() {
        if i as u32 * 7 >= bits {
            return Err(());
        }
        value |= u128::from(byte & 0x7f) << (7 * i);
        if value >> bits != 0 {
            return Err(());
        }
        if byte & 0x80 == 0 {
            return Ok(Some((value as u64, i + 1)));
        }
        // The type has no bits for a byte more.
        if (i as u32 + 1) * 7 >= bits {
            return Err(());
        }
    }
    Ok(None)
}

fn unzigzag(raw: u64) -> i64 {
    (raw >> 1).cast_signed() ^ -((raw & 1).cast_signed())
}

pub fn run(input: Input) {
    let Input { bytes, text, .. } = input;
    let index = usize::from(input.index) % (bytes.len() + 1);
    let mut buf = input.cuts.composite(&bytes, index);

    let got = [
        (buf.try_get_varint_u64(index), 64),
        (buf.try_get_varint_u32(index).map(|(n, len)| (n.into(), len)), 32),
    ];
    for (got, bits) in got {
        match decode(&bytes[index..], bits) {
            Ok(Some(expected)) => assert_eq!(got, Ok(expected)),
            Ok(None) => assert!(matches!(got, Err(Error::OutOfBounds { .. })), "{got:?}"),
            Err(()) => assert_eq!(got, Err(Error::VarintOverflow)),
        }
    }
    let signed = buf.try_get_varint_i64(index);
    assert_eq!(signed, got[0].0.map(|(raw, len)| (unzigzag(raw), len)));
    let signed = buf.try_get_varint_i32(index).map(|(n, len)| (i64::from(n), len));
    assert_eq!(signed, got[1].0.map(|(raw, len)| (unzigzag(raw), len)));
    let read = buf.try_read_varint_u64();
    assert_eq!(read.is_ok(), got[0].0.is_ok());
    let len = got[0].0.map_or(0, |(_, len)| len);
    assert_eq!(buf.reader_index(), index + len);
    buf.set_reader_index(index);

    let len = usize::from(input.len).min(bytes.len() - index);
    match std::str::from_utf8(&bytes[index..index + len]) {
        Ok(expected) => {
            assert_eq!(buf.get_str(index, len), expected);
            assert_eq!(buf.read_string(len), expected);
        }
        Err(error) => {
            let expected = Error::InvalidUtf8 { valid_up_to: error.valid_up_to() };
            assert_eq!(buf.try_get_str(index, len), Err(expected));
            assert_eq!(buf.try_read_string(len), Err(expected));
            assert_eq!(buf.reader_index(), index);
        }
    }

    // A tail with little room makes values cross into the next component.
    let mut tail = HeapBuf::with_max_capacity(bytes.len() + 3, bytes.len() + 3);
    tail.write_bytes(&bytes);
    let mut buf = input.cuts.composite(b"head", 0);
    buf.push(tail);
    buf.skip(4 + bytes.len());
    let nbytes = 1 + usize::from(input.nbytes) % 8;
    let unused = 64 - 8 * nbytes;
    let low = u32::try_from(input.unsigned & u64::from(u32::MAX)).unwrap_or_default();
    buf.write_varint_u64(input.unsigned);
    assert_eq!(buf.readable_bytes(), varint_len_u64(input.unsigned));
    buf.write_varint_i64(input.signed);
    buf.write_varint_u32(low);
    buf.write_varint_i32(low.cast_signed());
    buf.write_uint(input.unsigned, nbytes);
    buf.write_int_le(input.signed, nbytes);
    assert_eq!(buf.write_str(&text), text.len());
    assert_eq!(buf.read_varint_u64(), input.unsigned);
    assert_eq!(buf.read_varint_i64(), input.signed);
    assert_eq!(buf.read_varint_u32(), low);
    assert_eq!(buf.read_varint_i32(), low.cast_signed());
    assert_eq!(buf.read_uint(nbytes), input.unsigned << unused >> unused);
    assert_eq!(buf.read_int_le(nbytes), input.signed << unused >> unused);
    assert_eq!(buf.read_string(text.len()), text);
    assert!(!buf.is_readable());
}
