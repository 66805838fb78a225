//! A report about a cloud SDK said: an allocator that pools cut what a call
//! allocates by 42 percent. Here is the same question put to this library: a
//! client and a server that exchange calls like an SDK's over real sockets,
//! once with buffers from a [`Pool`] and once with [`Unpooled`] ones. The code
//! is the same; nothing but the allocator differs.
//!
//! ```text
//! cargo run --release -p refbuf-codec --example http1            # all of it
//! cargo run --release -p refbuf-codec --example http1 -- 500     # calls a round
//! ```
//!
//! Counted is everything that the process allocates while calls are made, in
//! both the client and the server: buffers, what they are listed in, and what
//! TLS allocates for itself. Connections and threads are there before.

#[path = "../../../examples/tour/counting.rs"]
#[allow(dead_code)]
mod counting;

mod calls;
mod fleet;
mod transport;

use std::io::Write as _;
use std::sync::Arc;

use calls::{Allocator, Call, MIX, REQUEST, Result, SMALL};
use counting::Counting;
use fleet::Fleet;
use refbuf::{Pool, PoolConfig, PoolStats, Unpooled};
use transport::Transport;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// What the report found, in percent.
const REPORTED: f64 = 42.0;

/// Rounds of each, taken in turns, so that both see the same weather, and with
/// new connections and threads, for it matters which core a thread is put on.
const ROUNDS: usize = 9;

/// Calls of a connection before anything is counted.
const WARM_UP: usize = 200;

/// What was measured of one kind of buffers.
#[derive(Default)]
struct Measured {
    rates: Vec<f64>,
    allocations: u64,
    bytes: u64,
    calls: u64,
}

impl Measured {
    /// Lets each client make so many calls.
    fn round(&mut self, fleet: &Fleet, clients: usize, calls: usize) -> Result<()> {
        let (allocations, bytes) = (ALLOCATOR.allocations(), ALLOCATOR.bytes());
        let time = fleet.run(calls)?;
        self.allocations += ALLOCATOR.allocations() - allocations;
        self.bytes += ALLOCATOR.bytes() - bytes;
        let calls = calls * clients;
        self.calls += calls as u64;
        self.rates.push(calls as f64 / time.as_secs_f64());
        Ok(())
    }

    /// The median of the rounds.
    fn rate(&mut self) -> f64 {
        self.rates.sort_by(f64::total_cmp);
        self.rates[self.rates.len() / 2]
    }

    fn allocations(&self) -> f64 {
        self.allocations as f64 / self.calls as f64
    }

    fn bytes(&self) -> f64 {
        self.bytes as f64 / self.calls as f64
    }
}

fn main() -> Result<()> {
    let calls: usize = match std::env::args().nth(1) {
        Some(number) => number.parse()?,
        None => 5000,
    };
    println!("POST of {REQUEST} bytes, answers of 8 KiB; mix: one in eight is of 64 KiB.");
    println!("{ROUNDS} rounds of {calls} calls each, pooled and unpooled in turns.\n");
    println!(
        "{:<6} {:<11} {:<6} {:<9} {:>9} {:>12} {:>12} {:>8}",
        "", "", "", "", "calls/s", "allocs/call", "bytes/call", "saved"
    );
    let mut failures = Vec::new();
    for transport in [Transport::Plain, Transport::tls()?] {
        for (load, clients) in [("sequential", 1), ("concurrent", 50)] {
            for (answers, list) in [("8 KiB", &[SMALL][..]), ("mix", &MIX)] {
                let name = [transport.name(), load, answers];
                let new_memory = compare(name, &transport, clients, list, calls)?;
                if new_memory != 0 {
                    failures.push(format!("{name:?}: the pool made {new_memory} blocks"));
                }
            }
        }
    }
    println!("\nsaved: bytes a call does not allocate with the pool. The report: {REPORTED} %.");
    println!("In its figure was all that the SDK allocates besides buffers; here are codecs only.");
    println!("With TLS, what is left is what rustls allocates for its records.");
    if failures.is_empty() { Ok(()) } else { Err(failures.join("; ").into()) }
}

/// What a pool did while calls were made.
#[derive(Default)]
struct Lent {
    taken: u64,
    /// Blocks that it had no memory for.
    made: u64,
    oversized: u64,
}

impl Lent {
    fn add(&mut self, before: &PoolStats, after: &PoolStats) {
        self.taken += after.taken() - before.taken();
        self.made += after.misses() - before.misses();
        self.oversized += after.oversized - before.oversized;
    }
}

/// Measures one case, and prints its lines. Returns how many blocks the pool
/// had to make once it was warm.
fn compare(
    name: [&str; 3],
    transport: &Transport,
    clients: usize,
    list: &'static [Call],
    calls: usize,
) -> Result<u64> {
    let pool = Pool::new(PoolConfig::new());
    let kinds: [(&str, Allocator); 2] =
        [("unpooled", Arc::new(Unpooled)), ("pooled", Arc::new(pool.clone()))];
    let mut measured = [Measured::default(), Measured::default()];
    let mut lent = Lent::default();
    for round in 1..=ROUNDS {
        eprint!("\r{} round {round} of {ROUNDS} ", name.join(" "));
        std::io::stderr().flush()?;
        for ((_, allocator), measured) in kinds.iter().zip(&mut measured) {
            let fleet = Fleet::start(clients, transport, allocator, list)?;
            fleet.run(WARM_UP)?;
            let before = pool.stats();
            measured.round(&fleet, clients, calls.div_ceil(clients))?;
            lent.add(&before, &pool.stats());
            fleet.stop();
        }
    }
    eprint!("\r{:50}\r", "");

    let [transport, load, answers] = name;
    let unpooled = measured[0].bytes();
    for ((who, _), measured) in kinds.iter().zip(&mut measured) {
        println!(
            "{transport:<6} {load:<11} {answers:<6} {who:<9} {:>9.0} {:>12.2} {:>12.0} {:>6.1} %",
            measured.rate(),
            measured.allocations(),
            measured.bytes(),
            100.0 * (1.0 - measured.bytes() / unpooled),
        );
    }
    let Lent { taken, made, oversized } = lent;
    println!(
        "{:25}the pool lent {taken} blocks, made {made}, {oversized} too large; holds {} KiB",
        "",
        pool.stats().reserved >> 10
    );
    Ok(made + oversized)
}
