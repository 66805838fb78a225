//! What is said of the samples of a row.

/// Nanoseconds an operation took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    pub median: f64,
    /// A tenth of the samples is below, a tenth above.
    pub low: f64,
    pub high: f64,
    pub samples: usize,
}

impl Summary {
    /// `None` without samples.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        // Between the two nearest samples, in proportion.
        let at = |tenths: usize| {
            let (index, rest) = (last * tenths / 10, last * tenths % 10);
            let next = sorted[(index + 1).min(last)];
            #[allow(clippy::cast_precision_loss)] // 0 to 9.
            let part = rest as f64 / 10.0;
            sorted[index] + (next - sorted[index]) * part
        };
        Some(Self { median: at(5), low: at(1), high: at(9), samples: sorted.len() })
    }

    /// Half of the way from low to high, as a part of the median.
    pub fn spread(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.median
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;

    #[test]
    fn the_median_of_an_even_number_of_samples_is_between_the_middle_two() {
        let summary = Summary::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(summary.median, 2.5);
        assert_eq!(summary.samples, 4);
    }

    #[test]
    fn outliers_are_not_part_of_the_spread() {
        let mut samples = vec![10.0; 98];
        samples.extend([1000.0, 0.1]);
        let summary = Summary::of(&samples).unwrap();
        assert_eq!((summary.low, summary.high), (10.0, 10.0));
        assert_eq!(summary.spread(), 0.0);
    }

    #[test]
    fn one_sample_is_its_own_summary_and_none_has_no_summary() {
        assert_eq!(Summary::of(&[7.0]).unwrap().low, 7.0);
        assert_eq!(Summary::of(&[]), None);
    }
}
