//! Integers with a prefix (RFC 7541, section 5.1).

use super::{DecodeError, MAX_INTEGER};

/// Bytes that an integer has at most behind its prefix: as many as
/// [`MAX_INTEGER`] needs. One that is padded to more has no excuse.
const MAX_CONTINUATION: usize = 5;

/// Bytes of the longest integer.
pub(super) const MAX_ENCODED: usize = 1 + MAX_CONTINUATION;

/// Why an integer was not decoded.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The bytes end before it does.
    Incomplete,
    Overflow,
}

impl From<Stop> for DecodeError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Incomplete => Self::Truncated { missing: 1 },
            Stop::Overflow => Self::IntegerOverflow,
        }
    }
}

/// The integer whose first byte is `first`, with a prefix of `prefix` bits, and
/// the rest of it in `rest`; and how many bytes of that it has.
#[inline(always)]
pub(super) fn decode(first: u8, prefix: u32, rest: &[u8]) -> Result<(usize, usize), Stop> {
    let mask = (1u8 << prefix) - 1;
    let value = first & mask;
    if value < mask { Ok((value.into(), 0)) } else { decode_long(mask, rest) }
}

#[inline]
fn decode_long(mask: u8, rest: &[u8]) -> Result<(usize, usize), Stop> {
    let mut value = u64::from(mask);
    for (i, &byte) in rest.iter().take(MAX_CONTINUATION).enumerate() {
        // At most 35 bits.
        value += u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return match usize::try_from(value) {
                Ok(value) if value <= MAX_INTEGER => Ok((value, i + 1)),
                _ => Err(Stop::Overflow),
            };
        }
    }
    // Whatever comes, it is too much, if it did not end before.
    if rest.len() < MAX_CONTINUATION { Err(Stop::Incomplete) } else { Err(Stop::Overflow) }
}

/// Appends `value` with a prefix of `prefix` bits, below the bits of `pattern`.
#[inline]
pub(super) fn encode(value: usize, prefix: u32, pattern: u8, out: &mut Vec<u8>) {
    let mask = (1u8 << prefix) - 1;
    match u8::try_from(value) {
        Ok(value) if value < mask => out.push(pattern | value),
        _ => {
            out.push(pattern | mask);
            let mut rest = value - usize::from(mask);
            while rest >= 0x80 {
                // The low seven bits.
                #[allow(clippy::cast_possible_truncation)]
                out.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            #[allow(clippy::cast_possible_truncation)] // Below 0x80.
            out.push(rest as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(value: usize, prefix: u32) -> Vec<u8> {
        let mut out = Vec::new();
        encode(value, prefix, 0, &mut out);
        out
    }

    fn decoded(bytes: &[u8], prefix: u32) -> Result<(usize, usize), Stop> {
        decode(bytes[0], prefix, &bytes[1..])
    }

    /// RFC 7541, C.1.
    #[test]
    fn examples_of_the_rfc() {
        for (value, prefix, bytes) in
            [(10, 5, &[0b01010][..]), (1337, 5, &[0b11111, 0b1001_1010, 0b1010]), (42, 8, &[42])]
        {
            if prefix < 8 {
                assert_eq!(encoded(value, prefix), bytes);
                assert_eq!(decoded(bytes, prefix), Ok((value, bytes.len() - 1)));
            }
        }
        // The prefix of 8 bits is used nowhere in HPACK; with 7 it is the same.
        assert_eq!(encoded(42, 7), [42]);
    }

    #[test]
    fn the_largest_integers() {
        let int_max = 0x7fff_ffff;
        assert_eq!(decoded(&[0x7f, 0x80, 0xff, 0xff, 0xff, 0x07], 7), Ok((int_max, 5)));
        assert_eq!(decoded(&[0x7f, 0x81, 0xff, 0xff, 0xff, 0x07], 7), Ok((int_max + 1, 5)));
        let max = [0x7f, 0x80, 0xff, 0xff, 0xff, 0x0f];
        assert_eq!(decoded(&max, 7), Ok((MAX_INTEGER, 5)));
        assert_eq!(encoded(MAX_INTEGER, 7), max);
        assert_eq!(decoded(&[0x7f, 0x81, 0xff, 0xff, 0xff, 0x0f], 7), Err(Stop::Overflow));
        assert_eq!(decoded(&[0x1f, 0xff, 0xff, 0xff, 0xff, 0x7f], 5), Err(Stop::Overflow));
    }

    #[test]
    fn overflow_and_truncation_are_told_apart() {
        for len in 0..5 {
            let bytes = [&[0x7f][..], &[0xff; 5][..len]].concat();
            assert_eq!(decoded(&bytes, 7), Err(Stop::Incomplete), "{len}");
        }
        for len in 5..12 {
            let bytes = [&[0x7f][..], &[0xff; 12][..len]].concat();
            assert_eq!(decoded(&bytes, 7), Err(Stop::Overflow), "{len}");
        }
        // Zeros that mean nothing, as many as fit, and one more.
        assert_eq!(decoded(&[0x7f, 0x80, 0x80, 0x80, 0x80, 0x00], 7), Ok((0x7f, 5)));
        assert_eq!(decoded(&[0x7f, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 7), Err(Stop::Overflow));
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(value in 0..=MAX_INTEGER, shift in 0..32u32, prefix in 4..=7u32) {
            let value = value >> shift;
            let bytes = encoded(value, prefix);
            prop_assert!(bytes.len() <= MAX_ENCODED);
            prop_assert_eq!(decoded(&bytes, prefix), Ok((value, bytes.len() - 1)));
            for len in 1..bytes.len() {
                prop_assert_eq!(decoded(&bytes[..len], prefix), Err(Stop::Incomplete));
            }
        }
    }
}
