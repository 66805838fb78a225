//! What answers cost.

use std::collections::VecDeque;
use std::io::{self, IoSlice, Read, Write};
use std::net::TcpListener;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use refbuf::ByteBuf;
use rustls::ClientConnection;

use super::configs;
use super::counting::Counting;
use super::serve::{Answer, Calls, Client, Counted, Server, serve};

/// Requests before the timed ones of a turn.
pub const WARM_UP: usize = 3;

/// One turn, or the better quartile of several. All but the rate is of the server, and
/// of one answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    pub per_second: f64,
    pub reads: f64,
    pub writes: f64,
    /// On a CPU, in microseconds; 0 where the system does not tell.
    pub cpu: f64,
}

impl Cost {
    /// A quarter of the turns were better. Where the system puts the threads of
    /// both ends makes fast turns and slow ones; the median is now of the one
    /// kind and now of the other.
    pub fn quartile(turns: &[Self]) -> Self {
        let of = |figure: fn(&Self) -> f64| {
            let mut figures: Vec<f64> = turns.iter().map(figure).collect();
            figures.sort_by(f64::total_cmp);
            figures[figures.len() / 4]
        };
        Self {
            per_second: -of(|turn| -turn.per_second),
            reads: of(|turn| turn.reads),
            writes: of(|turn| turn.writes),
            cpu: of(|turn| turn.cpu),
        }
    }
}

/// What a server did so far.
struct Done {
    at: Instant,
    cpu: Duration,
    reads: u64,
    writes: u64,
}

impl Done {
    fn now(calls: &Calls) -> Self {
        let (reads, writes) = (calls.reads.load(Relaxed), calls.writes.load(Relaxed));
        Self { at: Instant::now(), cpu: on_cpu(), reads, writes }
    }
}

/// How long this thread has been on a CPU.
fn on_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// One connection, over which the client asks for one answer after the other,
/// and sees that the bytes are the right ones.
pub fn turn(
    server: Server,
    answers: &[Answer],
    asks: impl Iterator<Item = usize>,
) -> io::Result<Cost> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    thread::scope(|scope| {
        let serving = scope.spawn(|| -> io::Result<Cost> {
            let socket = listener.accept()?.0;
            socket.set_nodelay(true)?;
            let (socket, calls) = Counted::new(socket);
            let mut connection = server.on(socket, configs::pair().1);
            let (mut answered, mut begin, mut end) = (0, None, Done::now(&calls));
            serve(&mut *connection, answers, || {
                answered += 1;
                end = Done::now(&calls);
                if answered == WARM_UP {
                    begin = Some(Done::now(&calls));
                }
            })?;
            let begin = begin.ok_or(io::ErrorKind::UnexpectedEof)?;
            let each = |n: f64| n / (answered - WARM_UP) as f64;
            Ok(Cost {
                per_second: 1.0 / each((end.at - begin.at).as_secs_f64()),
                reads: each((end.reads - begin.reads) as f64),
                writes: each((end.writes - begin.writes) as f64),
                cpu: each((end.cpu - begin.cpu).as_secs_f64() * 1e6),
            })
        });
        let mut client = Client::connect(&listener)?;
        for (n, ask) in asks.enumerate() {
            let mut rest = Vec::new();
            if n < WARM_UP {
                rest = answers[ask].iter().flat_map(|buf| buf.as_slice()).copied().collect();
            }
            let len = answers[ask].iter().map(ByteBuf::readable_bytes).sum();
            client.ask(ask, len, |at, slice| {
                if n < WARM_UP {
                    assert!(*slice == rest[at..at + slice.readable_bytes()], "damaged");
                }
            })?;
        }
        client.close()?;
        serving.join().expect("the server does not panic")
    })
}

/// Allocations and bytes allocated for one answer, of a server whose peer takes
/// everything at once and allocates nothing.
pub fn allocated(
    server: Server,
    answers: &[Answer],
    requests: usize,
    counting: &Counting,
) -> io::Result<(f64, u64)> {
    let (mut answered, mut begin, mut end) = (0, (0, 0), (0, 0));
    let peer = Peer::new(WARM_UP + requests);
    serve(&mut *server.on(peer, configs::pair().1), answers, || {
        answered += 1;
        end = (counting.allocations(), counting.bytes());
        if answered == WARM_UP {
            begin = end;
        }
    })?;
    let allocations = (end.0 - begin.0) as f64 / requests as f64;
    Ok((allocations, (end.1 - begin.1) / requests as u64))
}

/// A client in the place of a socket: shakes hands, asks for the first answer
/// as often as it should, and looks at none.
struct Peer {
    connection: ClientConnection,
    requests: usize,
    /// Made beforehand: a record for each, and the end.
    records: VecDeque<Vec<u8>>,
}

impl Peer {
    fn new(requests: usize) -> Self {
        let connection = ClientConnection::new(configs::pair().0, configs::name()).unwrap();
        Self { connection, requests, records: VecDeque::new() }
    }

    fn make_records(&mut self) -> io::Result<()> {
        for request in 0..=self.requests {
            if request < self.requests {
                self.connection.writer().write_all(&[0; 4])?;
            } else {
                self.connection.send_close_notify();
            }
            let mut record = Vec::new();
            self.connection.write_tls(&mut record)?;
            self.records.push_back(record);
        }
        Ok(())
    }
}

impl Read for Peer {
    fn read(&mut self, mut dst: &mut [u8]) -> io::Result<usize> {
        if self.connection.wants_write() {
            return self.connection.write_tls(&mut dst);
        }
        if self.requests != 0 && !self.connection.is_handshaking() {
            self.make_records()?;
            self.requests = 0;
        }
        let Some(record) = self.records.front_mut() else { return Ok(0) };
        let n = record.len().min(dst.len());
        dst[..n].copy_from_slice(&record[..n]);
        record.drain(..n);
        if record.is_empty() {
            self.records.pop_front();
        }
        Ok(n)
    }
}

impl Write for Peer {
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        let mut rest = src;
        while self.connection.is_handshaking() && !rest.is_empty() {
            self.connection.read_tls(&mut rest)?;
            self.connection.process_new_packets().map_err(io::Error::other)?;
        }
        Ok(src.len())
    }

    fn write_vectored(&mut self, srcs: &[IoSlice<'_>]) -> io::Result<usize> {
        srcs.iter().map(|src| self.write(src)).sum()
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
