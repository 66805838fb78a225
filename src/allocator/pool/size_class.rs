//! Sizes of pooled blocks: four to each doubling, so that a block is at most a
//! quarter larger than what was asked for.
//!
//! ```text
//! 64 80 96 112   128 160 192 224   256 320 384 448   ...
//! ```

/// The smallest class.
pub(super) const MIN: usize = 64;

/// log2 of the classes in a doubling.
const STEP_BITS: u32 = 2;
const STEPS: usize = 1 << STEP_BITS;
/// The shift of the first doubling: `STEPS << FIRST_SHIFT == MIN`.
const FIRST_SHIFT: u32 = MIN.ilog2() - STEP_BITS;

/// The smallest class of at least `size` bytes.
#[inline]
pub(super) const fn index_of(size: usize) -> usize {
    if size <= MIN {
        return 0;
    }
    // `size` lies in one of the steps `(STEPS + i) << shift < size`.
    let below = size - 1;
    let shift = below.ilog2() - STEP_BITS;
    let step = (below >> shift) - STEPS;
    (shift - FIRST_SHIFT) as usize * STEPS + step + 1
}

/// Bytes of a class.
pub(super) const fn size_of(index: usize) -> usize {
    (STEPS + index % STEPS) << (FIRST_SHIFT as usize + index / STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_gets_the_smallest_class_that_holds_it() {
        for size in 0..=1 << 20 {
            let index = index_of(size);
            assert!(size_of(index) >= size, "{size}");
            assert!(index == 0 || size_of(index - 1) < size, "{size}");
        }
    }

    #[test]
    fn at_most_a_quarter_is_wasted() {
        for size in MIN..=1 << 20 {
            assert!((size_of(index_of(size)) - size) * 4 <= size, "{size}");
        }
    }

    #[test]
    fn powers_of_two_are_classes() {
        for bits in MIN.ilog2()..30 {
            assert_eq!(size_of(index_of(1 << bits)), 1 << bits);
        }
    }

    #[test]
    fn classes_grow() {
        for index in 1..100 {
            assert!(size_of(index - 1) < size_of(index));
        }
    }
}
