//! A codec's main job, on a real socket, with figures.
//!
//! ```text
//! cargo run --release --example tour -- --help
//! ```
//!
//! The server is in `protocol.rs`.

mod counting;
mod options;
mod protocol;
mod random;
mod traffic;

use std::error::Error;
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use refbuf::{ByteBufMut, DirectBuf, HeapBuf};

use options::{HELP, Options};
use protocol::Received;
use traffic::Traffic;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting::new();

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    announce(&options);
    let (alive, allocations) = (ALLOCATOR.alive(), ALLOCATOR.allocations());
    let bytes = ALLOCATOR.bytes();
    let measured = if options.direct {
        run(&options, || DirectBuf::with_capacity(options.buffer))
    } else {
        run(&options, || HeapBuf::with_capacity(options.buffer))
    };
    let allocations = ALLOCATOR.allocations() - allocations;
    let bytes = ALLOCATOR.bytes() - bytes;
    match measured {
        Ok(measured) => {
            // All threads have ended and all buffers have gone out of scope:
            // what is alive now and was not before is a leak.
            let alive = ALLOCATOR.alive() - alive;
            report(&measured, allocations, bytes, alive);
            if alive == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

struct Measured {
    time: Duration,
    server: Received,
    client: Received,
}

fn run<B: ByteBufMut + Send>(
    options: &Options,
    buffer: impl Fn() -> B + Sync,
) -> Result<Measured, Box<dyn Error + Send + Sync>> {
    let traffic = Traffic::new(options);
    let progress = Progress::new(options);
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    let served = Mutex::new(Ok(Received::default()));
    // Before anybody accepts: those that wait are few enough.
    let streams = (0..options.connections)
        .map(|_| TcpStream::connect(address))
        .collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    let client = thread::scope(|scope| {
        let server = scope.spawn(|| {
            protocol::serve(&listener, options.connections, options.max, &buffer, |peer, result| {
                let mut served = served.lock().expect("nobody panics with it");
                match (&mut *served, result) {
                    (Ok(sum), Ok(received)) => *sum = add(*sum, received),
                    (Ok(_), Err(error)) => *served = Err(format!("{peer}: {error}")),
                    (Err(_), _) => {}
                }
            })
        });
        let clients: Vec<_> = (0..)
            .zip(&streams)
            .map(|(n, stream)| {
                let messages = n * options.messages..(n + 1) * options.messages;
                let (traffic, progress, buffer) = (&traffic, &progress, &buffer);
                scope.spawn(move || {
                    stream.set_nodelay(true)?;
                    traffic.exchange(stream, messages, buffer(), || progress.step())
                })
            })
            .collect();
        let client = clients
            .into_iter()
            .map(|client| client.join().expect("the client does not panic"))
            .try_fold(Received::default(), |sum, received| {
                received.map(|received| add(sum, received))
            });
        server.join().expect("the server does not panic")?;
        client
    });
    let time = start.elapsed();
    // What the server says is nearer to the cause.
    let server = served.into_inner().expect("nobody panicked with it")?;
    Ok(Measured { time, server, client: client? })
}

fn add(a: Received, b: Received) -> Received {
    Received {
        messages: a.messages + b.messages,
        bytes: a.bytes + b.bytes,
        moved: a.moved + b.moved,
        moves: a.moves + b.moves,
        gathered: a.gathered + b.gathered,
    }
}

/// Says now and then how far it is.
struct Progress {
    done: AtomicU64,
    total: u64,
    start: Instant,
}

impl Progress {
    fn new(options: &Options) -> Self {
        let total = options.messages * options.connections as u64;
        Self { done: AtomicU64::new(0), total, start: Instant::now() }
    }

    fn step(&self) {
        let done = self.done.fetch_add(1, Relaxed) + 1;
        let tenth = (self.total / 10).max(1);
        if done % tenth == 0 {
            let seconds = self.start.elapsed().as_secs_f64();
            eprint!("\r{:4} % of {} messages, {seconds:.1} s", done * 100 / self.total, self.total);
            if done / tenth == self.total / tenth {
                eprintln!();
            }
        }
    }
}

fn announce(options: &Options) {
    let Options { messages, min, max, connections, buffer, direct } = options;
    let kind = if *direct { "DirectBuf" } else { "HeapBuf" };
    println!(
        "{messages} messages of {min} to {max} bytes on {connections} connection(s), \
         received into a {kind} of {buffer} bytes"
    );
}

fn report(measured: &Measured, allocations: u64, allocated: u64, alive: u64) {
    let Measured { time, server, client } = measured;
    let (messages, bytes) = (server.messages.max(1) as f64, server.bytes as f64);
    let seconds = time.as_secs_f64();

    println!("messages/s                          {:12.0}", messages / seconds);
    println!("payload MB/s, each way              {:12.1}", bytes / seconds / 1e6);
    for (end, received) in [("server", server), ("client", client)] {
        let per_message = |n: u64| n as f64 / messages;
        println!("bytes copied per message, {end}");
        println!("  cutting it out                    {:12.1}", per_message(received.gathered));
        println!(
            "  moving its beginning to make room {:12.1}   {} times; 0 for the others",
            per_message(received.moved),
            received.moves,
        );
    }
    println!(
        "allocations per message             {:12.3}   both ends",
        allocations as f64 / messages
    );
    println!(
        "bytes allocated per message         {:12.1}   both ends",
        allocated as f64 / messages
    );
    println!("allocations still alive             {alive:12}   0: no buffer either");
    println!("{HOW}");
}

const HOW: &str = "
Measured, not assumed: a message counts as copied when it is cut unless its
bytes are where they were received; unread bytes count as moved when their
address changed as room was made. The system's copies to and from the sockets
are not the library's. Allocations are those of the whole process.";
