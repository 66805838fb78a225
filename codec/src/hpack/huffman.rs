//! The Huffman code (RFC 7541, section 5.2 and Appendix B).
//!
//! The code is canonical: codes of one length are consecutive numbers in the
//! order of their symbols, and follow those of the next shorter length. So the
//! lengths say it all, and every table here is computed from them when the
//! crate is compiled.
//!
//! Decoding looks at [`LOOKUP_BITS`] bits at once and finds up to two symbols
//! there. Longer codes, which are those of control characters and bytes that
//! are no ASCII, are found by their length.

/// Bits of the code of each byte, and of EOS.
#[rustfmt::skip]
const LENGTHS: [u8; SYMBOLS] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];

/// The bytes and EOS.
const SYMBOLS: usize = 257;
const EOS: u16 = 256;
const SHORTEST: usize = 5;
const LONGEST: usize = 30;

/// The codes of one length.
#[derive(Clone, Copy)]
struct Length {
    /// The first of them.
    first: u32,
    /// Where its symbol is in `BY_CODE`.
    index: usize,
    /// No code up to this length begins with 32 bits from here on.
    limit: u64,
}

/// By length.
static BY_LENGTH: [Length; LONGEST + 1] = by_length();

const fn by_length() -> [Length; LONGEST + 1] {
    let mut lengths = [Length { first: 0, index: 0, limit: 0 }; LONGEST + 1];
    let (mut code, mut index, mut len) = (0, 0, 1);
    while len <= LONGEST {
        code <<= 1;
        let (first, start) = (code, index);
        let mut symbol = 0;
        while symbol < SYMBOLS {
            if LENGTHS[symbol] as usize == len {
                code += 1;
                index += 1;
            }
            symbol += 1;
        }
        lengths[len] = Length { first, index: start, limit: (code as u64) << (32 - len) };
        len += 1;
    }
    // All codes are taken: the code is complete.
    assert!(code == 1 << LONGEST && index == SYMBOLS);
    lengths
}

/// The symbols in the order of their codes, read as fractions.
static BY_CODE: [u16; SYMBOLS] = by_code();

#[allow(clippy::cast_possible_truncation)] // Symbols, lengths and codes are small.
const fn by_code() -> [u16; SYMBOLS] {
    let mut symbols = [0; SYMBOLS];
    let (mut index, mut len) = (0, SHORTEST as u8);
    while index < SYMBOLS {
        let mut symbol = 0;
        while symbol < EOS + 1 {
            if LENGTHS[symbol as usize] == len {
                symbols[index] = symbol;
                index += 1;
            }
            symbol += 1;
        }
        len += 1;
    }
    symbols
}

/// The symbol whose code the 32 bits begin with, and the length of the code.
#[allow(clippy::cast_possible_truncation)] // Symbols, lengths and codes are small.
const fn symbol(
    bits: u32,
    by_length: &[Length; LONGEST + 1],
    by_code: &[u16; SYMBOLS],
) -> (u16, u32) {
    let mut len = SHORTEST;
    while bits as u64 >= by_length[len].limit && len < LONGEST {
        len += 1;
    }
    let Length { first, index, .. } = by_length[len];
    (by_code[index + ((bits >> (32 - len)) - first) as usize], len as u32)
}

// ---- encoding ----------------------------------------------------------------

/// A code, right-aligned, and its length.
static CODES: [(u32, u8); 256] = codes();

#[allow(clippy::cast_possible_truncation)] // Symbols, lengths and codes are small.
const fn codes() -> [(u32, u8); 256] {
    let (by_length, by_code) = (by_length(), by_code());
    let mut codes = [(0, 0); 256];
    let mut len = SHORTEST;
    let mut i = 0;
    while i < SYMBOLS {
        while len < LONGEST && i >= by_length[len + 1].index {
            len += 1;
        }
        if by_code[i] != EOS {
            let code = by_length[len].first + (i - by_length[len].index) as u32;
            codes[by_code[i] as usize] = (code, len as u8);
        }
        i += 1;
    }
    codes
}

/// Bytes that `src` has when encoded.
pub(super) fn encoded_len(src: &[u8]) -> usize {
    // No code has 32 bits: saturates only where no memory can hold `src`.
    let bits = src.iter().fold(0u64, |bits, &byte| bits + u64::from(CODES[usize::from(byte)].1));
    usize::try_from(bits.div_ceil(8)).unwrap_or(usize::MAX)
}

/// Appends `src`, encoded.
pub(super) fn encode(src: &[u8], out: &mut Vec<u8>) {
    // The last `len` bits are still to be written: less than 32 of them.
    let (mut bits, mut len) = (0u64, 0u32);
    for &byte in src {
        let (code, code_len) = CODES[usize::from(byte)];
        bits = bits << code_len | u64::from(code);
        len += u32::from(code_len);
        if len >= 32 {
            len -= 32;
            let [.., a, b, c, d] = (bits >> len).to_be_bytes();
            out.extend_from_slice(&[a, b, c, d]);
        }
    }
    if len > 0 {
        // Filled up with the beginning of EOS, all ones.
        let padded = bits << (64 - len) | u64::MAX >> len;
        out.extend_from_slice(&padded.to_be_bytes()[..len.div_ceil(8) as usize]);
    }
}

// ---- decoding ----------------------------------------------------------------

/// Why a string cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Invalid {
    Eos,
    Padding,
}

impl From<Invalid> for super::DecodeError {
    fn from(invalid: Invalid) -> Self {
        match invalid {
            Invalid::Eos => Self::HuffmanEos,
            Invalid::Padding => Self::HuffmanPadding,
        }
    }
}

/// How many bits are looked up at once: with 12, the table has 16 KiB, and two
/// in three pairs of letters and digits are found with one look.
const LOOKUP_BITS: u32 = 12;

/// What begins with so many bits: one or two symbols (bits 0 to 15, the first
/// one lowest), the bits of their codes (16 to 23) and 8 times their number
/// (24 to 31). 0 if the code is longer.
static PAIRS: [u32; 1 << LOOKUP_BITS] = pairs();

#[allow(clippy::cast_possible_truncation)] // Symbols, lengths and codes are small.
const fn pairs() -> [u32; 1 << LOOKUP_BITS] {
    let (by_length, by_code) = (by_length(), by_code());
    let mut pairs = [0; 1 << LOOKUP_BITS];
    let mut i = 0;
    while i < pairs.len() {
        let bits = (i as u32) << (32 - LOOKUP_BITS);
        let (first, first_len) = symbol(bits, &by_length, &by_code);
        if first_len <= LOOKUP_BITS {
            let (second, second_len) = symbol(bits << first_len, &by_length, &by_code);
            let len = first_len + second_len;
            pairs[i] = if len <= LOOKUP_BITS {
                first as u32 | (second as u32) << 8 | len << 16 | 16 << 24
            } else {
                first as u32 | first_len << 16 | 8 << 24
            };
        }
        i += 1;
    }
    pairs
}

/// Bytes that a string of `len` encoded bytes has at most.
pub(super) fn max_decoded_len(len: usize) -> usize {
    len.saturating_mul(8) / SHORTEST
}

/// [`decode`] writes so many bytes at once, and may write so many more than
/// there are.
pub(super) const SLACK: usize = 8;

/// Decodes `src` to the start of `out`, which has room for as many bytes and
/// [`SLACK`] more. Returns the number of bytes; what is behind them is
/// arbitrary.
pub(super) fn decode(src: &[u8], out: &mut [u8]) -> Result<usize, Invalid> {
    decode_with(src, |at, bytes| {
        if let Some(room) = out[at..].first_chunk_mut() {
            *room = bytes;
        }
    })
}

/// The number of bytes of `src` when decoded.
pub(super) fn decoded_len(src: &[u8]) -> Result<usize, Invalid> {
    decode_with(src, |_, _| ())
}

/// Calls `put` with what was decoded and the place where it belongs. Some of
/// the last bytes may be none, and are then followed by those that are.
#[inline(always)]
fn decode_with(src: &[u8], mut put: impl FnMut(usize, [u8; SLACK])) -> Result<usize, Invalid> {
    let mut rest = src;
    let mut at = 0;
    // The next `have` bits, at the top. Those below are 0 or what follows.
    let (mut bits, mut have) = (0u64, 0u32);

    while let Some(word) = rest.first_chunk() {
        // As many whole bytes as there is room for: 56 bits or more are there.
        bits |= u64::from_be_bytes(*word) >> have;
        rest = &rest[((63 - have) / 8) as usize..];
        have |= 56;
        // Which is enough to look four times. That gives up to eight symbols.
        let (mut text, mut len) = (0u64, 0u32);
        for _ in 0..4 {
            let pair = PAIRS[(bits >> (64 - LOOKUP_BITS)) as usize];
            text |= u64::from(pair & 0xffff) << len;
            len += pair >> 24;
            let used = pair >> 16 & 0xff;
            bits <<= used;
            have -= used;
        }
        if len != 0 {
            put(at, text.to_le_bytes());
            at += (len / 8) as usize;
        } else {
            let (byte, used) = long_code(bits)?;
            put(at, [byte, 0, 0, 0, 0, 0, 0, 0]);
            at += 1;
            bits <<= used;
            have -= used;
        }
    }

    loop {
        while have <= 56 {
            let [byte, later @ ..] = rest else { break };
            bits |= u64::from(*byte) << (56 - have);
            have += 8;
            rest = later;
        }
        let pair = PAIRS[(bits >> (64 - LOOKUP_BITS)) as usize];
        let used = pair >> 16 & 0xff;
        if used != 0 && used <= have {
            put(at, u64::from(pair & 0xffff).to_le_bytes());
            at += (pair >> 27) as usize;
            bits <<= used;
            have -= used;
            continue;
        }
        // A long code, the last one, or what is no code any more.
        match symbol((bits >> 32) as u32, &BY_LENGTH, &BY_CODE) {
            (_, used) if used > have => break,
            (symbol, used) => {
                let byte = u8::try_from(symbol).map_err(|_| Invalid::Eos)?;
                put(at, [byte, 0, 0, 0, 0, 0, 0, 0]);
                at += 1;
                bits <<= used;
                have -= used;
            }
        }
    }
    // Less than a byte, and all ones.
    if have < 8 && bits | u64::MAX >> have == u64::MAX { Ok(at) } else { Err(Invalid::Padding) }
}

/// The byte whose code is next, where `PAIRS` has none, and the code's length.
#[cold]
fn long_code(bits: u64) -> Result<(u8, u32), Invalid> {
    let (symbol, len) = symbol((bits >> 32) as u32, &BY_LENGTH, &BY_CODE);
    u8::try_from(symbol).map(|byte| (byte, len)).map_err(|_| Invalid::Eos)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(src: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        encode(src, &mut out);
        assert_eq!(out.len(), encoded_len(src));
        out
    }

    fn decoded(src: &[u8]) -> Result<Vec<u8>, Invalid> {
        let mut out = vec![0xaa; max_decoded_len(src.len()) + SLACK];
        let len = decode(src, &mut out);
        assert_eq!(len, decoded_len(src));
        out.truncate(len?);
        Ok(out)
    }

    /// The code bit by bit.
    pub(in super::super) fn model(src: &[u8]) -> Result<Vec<u8>, Invalid> {
        let (mut out, mut code, mut len, mut ones) = (Vec::new(), 0, 0, true);
        for i in 0..8 * src.len() {
            let bit = src[i / 8] >> (7 - i % 8) & 1;
            (code, len, ones) = (code << 1 | u32::from(bit), len + 1, ones && bit == 1);
            if ones && len == 30 {
                return Err(Invalid::Eos);
            }
            if let Some(byte) = (0..=255u8).find(|&b| CODES[usize::from(b)] == (code, len)) {
                out.push(byte);
                (code, len, ones) = (0, 0, true);
            }
        }
        if len < 8 && ones { Ok(out) } else { Err(Invalid::Padding) }
    }

    /// Some rows of Appendix B.
    #[test]
    fn codes_are_those_of_the_rfc() {
        for (byte, code) in [
            (b'0', (0x0, 5)),
            (b't', (0x9, 5)),
            (b' ', (0x14, 6)),
            (b'u', (0x2d, 6)),
            (b':', (0x5c, 7)),
            (b'z', (0x7b, 7)),
            (b'&', (0xf8, 8)),
            (b'?', (0x3fc, 10)),
            (b'+', (0x7fb, 11)),
            (b'#', (0xffa, 12)),
            (0, (0x1ff8, 13)),
            (b'~', (0x1ffd, 13)),
            (b'{', (0x7ffe, 15)),
            (b'\\', (0x7fff0, 19)),
            (0x80, (0xfffe6, 20)),
            (0xff, (0x3ffffee, 26)),
            (0xf9, (0xffffffe, 28)),
            (0x16, (0x3ffffffe, 30)),
        ] {
            assert_eq!(CODES[usize::from(byte)], code, "{byte:#x}");
        }
    }

    #[test]
    fn every_byte_at_every_bit() {
        for byte in 0..=255 {
            for before in 0..16 {
                for after in [0, 1, 20] {
                    let text = [&vec![b'k'; before][..], &[byte], &vec![b'0'; after]].concat();
                    assert_eq!(decoded(&encoded(&text)).as_ref(), Ok(&text));
                }
            }
        }
    }

    #[test]
    fn padding_is_checked() {
        assert_eq!(decoded(&[]), Ok(vec![]));
        // "0" is 00000.
        assert_eq!(decoded(&[0b0000_0111]), Ok(vec![b'0']));
        assert_eq!(decoded(&[0b0000_0110]), Err(Invalid::Padding));
        assert_eq!(decoded(&[0b0000_0000]), Err(Invalid::Padding));
        assert_eq!(decoded(&[0b0000_0111, 0xff]), Err(Invalid::Padding));
        assert_eq!(decoded(&[0xff]), Err(Invalid::Padding));
        assert_eq!(decoded(&[0xff; 3]), Err(Invalid::Padding));
        // A whole byte of it, though the string ends at a byte.
        assert_eq!(decoded(&[encoded(b"00000000"), vec![0xff]].concat()), Err(Invalid::Padding));
        // A code that is cut off.
        let text = encoded(b"\xf9");
        for len in 1..text.len() {
            assert_eq!(decoded(&text[..len]), Err(Invalid::Padding), "{len}");
        }
    }

    #[test]
    fn eos_is_no_byte() {
        assert_eq!(decoded(&[0xff; 4]), Err(Invalid::Eos));
        for before in 0..40 {
            let text = [encoded(&vec![b'0'; before * 8]), vec![0xff; 4]].concat();
            assert_eq!(decoded(&text), Err(Invalid::Eos));
            assert_eq!(decoded(&[text, vec![0; 20]].concat()), Err(Invalid::Eos));
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(text in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(decoded(&encoded(&text)), Ok(text));
        }

        #[test]
        fn letters_too(text in "[a-zA-Z0-9 /.:;=-]{0,200}") {
            prop_assert_eq!(decoded(&encoded(text.as_bytes())), Ok(text.into_bytes()));
        }

        #[test]
        fn anything_is_decoded_as_bit_by_bit(
            head in "[a-z~]{0,20}", tail in prop::collection::vec(any::<u8>(), 0..12),
        ) {
            let bytes = [encoded(head.as_bytes()), tail].concat();
            prop_assert_eq!(decoded(&bytes), model(&bytes));
        }
    }
}
