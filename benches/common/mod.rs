//! What the benches share: short runs, and one loop for all rows.
#![allow(dead_code)] // Not every bench uses all of it.

use core::hint::black_box;
use core::time::Duration;
use criterion::measurement::WallTime;
use criterion::{Bencher, BenchmarkGroup, BenchmarkId, Criterion, Throughput};

/// Short, because what is compared are the rows of one run.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(900))
        .sample_size(30)
        .without_plots()
}

/// The rows of one group and case: `group/case/who`.
pub struct Rows<'a> {
    group: BenchmarkGroup<'a, WallTime>,
    case: usize,
}

impl<'a> Rows<'a> {
    pub fn new(c: &'a mut Criterion, group: &str, case: usize) -> Self {
        Self { group: c.benchmark_group(group), case }
    }

    /// What one iteration handles, to be shown as a rate.
    pub fn bytes(&mut self, n: usize) {
        self.group.throughput(Throughput::Bytes(n as u64));
    }

    pub fn bench(&mut self, who: &str, f: impl FnMut(&mut Bencher<'_>)) {
        // Criterion's ids are `group/function/parameter`.
        self.group.bench_function(BenchmarkId::new(self.case.to_string(), who), f);
    }

    /// Calls `body` with the buffer and an argument that the compiler cannot
    /// know.
    pub fn run<S: ?Sized, R>(
        &mut self,
        who: &str,
        state: &mut S,
        arg: usize,
        body: impl Fn(&mut S, usize) -> R,
    ) {
        self.bench(who, |b| b.iter(|| body(black_box(&mut *state), black_box(arg))));
    }
}
