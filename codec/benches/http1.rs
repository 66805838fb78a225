//! Calls over real sockets, with pooled and with unpooled buffers: how long
//! one takes. One iteration is one call.
//!
//! ```text
//! cargo bench -p refbuf-codec --bench http1
//! ```
//!
//! What they allocate is counted by the example `http1`, which makes the same
//! calls.

#[path = "../examples/http1/calls.rs"]
#[allow(dead_code)]
mod calls;
#[path = "../examples/http1/fleet.rs"]
mod fleet;
#[path = "../examples/http1/transport.rs"]
mod transport;

use std::sync::Arc;
use std::time::Duration;

use calls::{Allocator, SMALL};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fleet::Fleet;
use refbuf::{Pool, PoolConfig, Unpooled};
use transport::Transport;

fn calls(c: &mut Criterion) {
    for (load, clients) in [("sequential", 1), ("concurrent", 50)] {
        let mut group = c.benchmark_group(load);
        group.measurement_time(Duration::from_secs(4));
        for transport in [Transport::Plain, Transport::tls().expect("a certificate")] {
            let allocators: [(&str, Allocator); 2] = [
                ("pooled", Arc::new(Pool::new(PoolConfig::new()))),
                ("unpooled", Arc::new(Unpooled)),
            ];
            for (who, allocator) in allocators {
                let fleet =
                    Fleet::start(clients, &transport, &allocator, &[SMALL]).expect("connections");
                fleet.run(100).expect("calls");
                group.bench_function(BenchmarkId::new(transport.name(), who), |b| {
                    b.iter_custom(|iterations| {
                        // Each client makes its share, and at least one call.
                        let all = clients as u64;
                        let each = iterations.div_ceil(all);
                        let time = fleet.run(usize::try_from(each).expect("few")).expect("calls");
                        let made = (each * all) as f64;
                        time.mul_f64(iterations as f64 / made)
                    });
                });
                fleet.stop();
            }
        }
        group.finish();
    }
}

criterion_group!(benches, calls);
criterion_main!(benches);
