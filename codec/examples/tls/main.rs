//! How much plaintext should be wrapped at once?
//!
//! Netty wraps up to 16 KiB of what is queued, unless `setWrapDataSize` says
//! otherwise. HBASE-28029 reports 414 responses of 5 MiB per second with that,
//! and 453 when 5 or 10 MiB are wrapped at once: 9.4 % more. This is the same
//! question for [`TlsStream`](refbuf_codec::tls::TlsStream), which writes what
//! it has wrapped at once, but not less than 64 KiB and not more than 256 KiB.

#[path = "../../tests/tls/configs.rs"]
mod configs;
#[path = "../../../examples/tour/counting.rs"]
#[allow(dead_code)] // Other examples use more of it.
mod counting;
mod measure;
mod options;
mod serve;
mod store;

use std::process::ExitCode;

use measure::Cost;
use serve::{Answer, Server};
use store::{MIB, ROW, Store};

#[global_allocator]
static COUNTING: counting::Counting = counting::Counting::new();

const SMALL: usize = 100;
const SMALL_WRITES: usize = 1000;

/// Requests of small answers in a turn, for each of a row.
const SMALL_REQUESTS: usize = 10;

fn main() -> ExitCode {
    let options = match options::Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{}", options::HELP);
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &options::Options) -> std::io::Result<()> {
    let store = Store::new(options.rows, options.store);
    let (rows, mib) = (store.rows(), store.mib());
    let kind = if mib * MIB < rows * ROW { "overlapping slices" } else { "slices" };
    println!("{rows} rows of 5 MiB, {kind} of {mib} MiB; one connection, loopback, TLS 1.3;");
    println!(
        "the better quartile of {} turns of {} requests, the servers in turns.\n",
        options.rounds, options.requests
    );

    println!("HBASE-28029: wrapping 16 KiB 414 req/s, 5 to 10 MiB 453 req/s: + 9.4 %\n");
    let sizes = [16 << 10, 64 << 10, 256 << 10, MIB, 5 * MIB, 10 * MIB];
    let mut servers: Vec<Server> =
        sizes.map(|wrap_data_size| Server::Refbuf { wrap_data_size }).into();
    servers.push(Server::Plain);
    let answers: Vec<Answer> = (0..rows).map(|row| vec![store.row(row)]).collect();
    table(&servers, &answers, options.rounds, options.requests)?;

    println!("\n{SMALL_WRITES} buffers of {SMALL} bytes\n");
    let servers = [
        Server::Refbuf { wrap_data_size: 0 },
        Server::Refbuf { wrap_data_size: 16 << 10 },
        Server::Refbuf { wrap_data_size: 64 << 10 },
        Server::Plain,
        Server::PlainGathered,
    ];
    let answers = [store.small(SMALL_WRITES, SMALL)];
    table(&servers, &answers, options.rounds, options.requests * SMALL_REQUESTS)
}

/// Each server has its turn in each round, so that what else the machine does
/// hits all of them, and at another place in each, for what ran before has its
/// threads somewhere.
fn table(
    servers: &[Server],
    answers: &[Answer],
    rounds: usize,
    requests: usize,
) -> std::io::Result<()> {
    let mut turns = vec![Vec::new(); servers.len()];
    for round in 0..rounds {
        for place in 0..servers.len() {
            let at = (place + round) % servers.len();
            // Rows that were not asked for lately.
            let first = (round * servers.len() + place) * requests;
            let asks = (first..first + requests + measure::WARM_UP).map(|ask| ask % answers.len());
            turns[at].push(measure::turn(servers[at], answers, asks)?);
        }
    }
    println!(
        "{:24}{:>10}{:>8}{:>14}{:>12}{:>9}{:>8}{:>12}",
        "server", "req/s", "", "allocations", "allocated", "writes", "reads", "CPU us"
    );
    let costs: Vec<Cost> = turns.iter().map(|turns| Cost::quartile(turns)).collect();
    for (server, cost) in servers.iter().zip(&costs) {
        let (allocations, bytes) =
            measure::allocated(*server, answers, requests.min(100), &COUNTING)?;
        println!(
            "{:24}{:>10.0}{:>+7.1}%{allocations:>14.1}{:>12}{:>9.1}{:>8.1}{:>12.1}",
            name(*server),
            cost.per_second,
            (cost.per_second / costs[0].per_second - 1.0) * 100.0,
            size(bytes),
            cost.writes,
            cost.reads,
            cost.cpu,
        );
    }
    Ok(())
}

fn name(server: Server) -> String {
    match server {
        Server::Refbuf { wrap_data_size: 0 } => "refbuf, each by itself".to_owned(),
        Server::Refbuf { wrap_data_size } => format!("refbuf, {}", size(wrap_data_size as u64)),
        Server::Plain => "rustls stream".to_owned(),
        Server::PlainGathered => "rustls and BufWriter".to_owned(),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
    }
}
