//! Numbers that look random and are the same in every run.

/// A number below `n`, from 32 random bits.
pub fn below(random: u64, n: usize) -> usize {
    // The product is below `n << 32`, so the result fits.
    ((u128::from(random) * n as u128) >> 32) as usize
}

/// SplitMix64: number `n` of a pseudo-random sequence.
pub fn random(n: u64) -> u64 {
    let mut z = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
