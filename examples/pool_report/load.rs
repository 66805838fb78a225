//! A server's work without its sockets.
//!
//! ```text
//!            one buffer, sized by a policy      channel        composite
//!   client ------- connection -------- slices ------- worker --------- sink
//!          reads            cut, no copy      renders a body    vectored write
//! ```
//!
//! A thread has many connections and gives each its turn, like an event loop;
//! a worker answers what they receive. What is requested and answered is the
//! same in every run.

use std::io::{self, IoSlice, Read, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use refbuf::{BufAllocator, ByteBuf, ByteBufMut, OwnedBuf, ReceivePolicy, SliceBuf, Storage};

use crate::options::Options;
use crate::random::{below, random};

/// Of each thread, open at the same time.
pub const CONNECTIONS: usize = 64;

/// Requests that wait for a worker.
const QUEUE: usize = 32;

/// Bytes before a payload: its length.
const HEADER: usize = 4;

/// The longest payload: what a protocol would allow.
const LONGEST: usize = 1 << 20;

/// Serves the requests and says what was answered. `progress` counts those that
/// were received.
pub fn serve(
    options: &Options,
    allocator: &dyn BufAllocator,
    progress: &AtomicU64,
) -> io::Result<Tally> {
    if options.direct {
        serve_with(options, allocator, |capacity| allocator.direct(capacity), progress)
    } else {
        serve_with(options, allocator, |capacity| allocator.heap(capacity), progress)
    }
}

/// With receive buffers that `buffer` makes.
fn serve_with<S: Storage>(
    &Options { requests, threads, .. }: &Options,
    allocator: &dyn BufAllocator,
    buffer: impl Fn(usize) -> OwnedBuf<S> + Sync,
    progress: &AtomicU64,
) -> io::Result<Tally> {
    let client = Client::new();
    let share = |thread: u64| requests / threads * thread + thread.min(requests % threads);
    thread::scope(|scope| {
        let serving: Vec<_> = (0..threads)
            .map(|thread| {
                let requests = share(thread)..share(thread + 1);
                let (client, buffer) = (&client, &buffer);
                scope.spawn(move || serve_thread(allocator, buffer, client, requests, progress))
            })
            .collect();
        let mut all = Tally::default();
        for thread in serving {
            all.add(thread.join().expect("the server does not panic")?);
        }
        Ok(all)
    })
}

fn serve_thread<S: Storage>(
    allocator: &dyn BufAllocator,
    buffer: impl Fn(usize) -> OwnedBuf<S>,
    client: &Client,
    requests: Range<u64>,
    progress: &AtomicU64,
) -> io::Result<Tally> {
    let (sender, receiver) = sync_channel(QUEUE);
    thread::scope(|scope| {
        let worker = scope.spawn(move || answer(allocator, &receiver));
        let received = receive(buffer, client, requests, &sender, progress);
        // Nothing more will come: the worker ends.
        drop(sender);
        let answered = worker.join().expect("the worker does not panic")?;
        let received = received?;
        if answered == received {
            Ok(answered)
        } else {
            Err(io::Error::other(format!("received {received:?}, answered {answered:?}")))
        }
    })
}

/// Gives each connection its turn.
fn receive<S: Storage>(
    buffer: impl Fn(usize) -> OwnedBuf<S>,
    client: &Client,
    mut requests: Range<u64>,
    worker: &SyncSender<SliceBuf>,
    progress: &AtomicU64,
) -> io::Result<Tally> {
    let mut connections: Vec<_> = (0..CONNECTIONS).map(|_| Connection::new(&buffer)).collect();
    let mut received = Tally::default();
    let third = (requests.end - requests.start) / 3;
    let busy = requests.start + third..requests.end - third;
    while !requests.is_empty() {
        let dice = random(requests.start);
        let connection = &mut connections[below(dice >> 32, CONNECTIONS)];
        if dice % 256 == 0 {
            // The peer has left, and another come.
            *connection = Connection::new(&buffer);
        }
        let end = requests.end.min(requests.start + 1 + dice % 8);
        let mut burst = Burst::new(client, requests.start..end, busy.contains(&requests.start));
        connection.serve(&mut burst, worker)?;
        received.add(burst.sent);
        progress.fetch_add(end - requests.start, Relaxed);
        requests.start = end;
    }
    Ok(received)
}

struct Connection<S: Storage> {
    input: OwnedBuf<S>,
    policy: ReceivePolicy,
}

impl<S: Storage> Connection<S> {
    const SHORTEST_READ: usize = 2 << 10;
    const LONGEST_READ: usize = 64 << 10;

    fn new(buffer: impl Fn(usize) -> OwnedBuf<S>) -> Self {
        let policy = ReceivePolicy::new(Self::SHORTEST_READ, Self::LONGEST_READ);
        Self { input: buffer(policy.next_read()), policy }
    }

    /// Receives until there is nothing more for now.
    fn serve(&mut self, peer: &mut dyn Read, worker: &SyncSender<SliceBuf>) -> io::Result<()> {
        loop {
            let n = self.make_room()?;
            let read = self.input.read_from(peer, n)?;
            if read == 0 {
                return Ok(());
            }
            self.policy.record(read);
            while let Some(payload) = self.cut()? {
                worker.send(payload).map_err(|_| io::ErrorKind::BrokenPipe)?;
            }
        }
    }

    /// For the next read; how long it may be.
    fn make_room(&mut self) -> io::Result<usize> {
        let whole = HEADER + self.announced()?.unwrap_or(0);
        let missing = whole.saturating_sub(self.input.readable_bytes());
        Ok(self.policy.prepare_for(&mut self.input, missing)?)
    }

    /// Payload length of the message at the reader index, if its header is
    /// there.
    fn announced(&self) -> io::Result<Option<usize>> {
        if self.input.readable_bytes() < HEADER {
            return Ok(None);
        }
        let len = self.input.get_u32(self.input.reader_index()) as usize;
        if len > LONGEST { Err(io::ErrorKind::InvalidData.into()) } else { Ok(Some(len)) }
    }

    /// The next payload, if it is there to its end.
    fn cut(&mut self) -> io::Result<Option<SliceBuf>> {
        let Some(len) = self.announced()? else { return Ok(None) };
        if self.input.readable_bytes() - HEADER < len {
            return Ok(None);
        }
        self.input.skip(HEADER);
        Ok(Some(self.input.try_read_slice(len)?))
    }
}

/// The worker: renders a body for each request and sends it behind a header.
fn answer(allocator: &dyn BufAllocator, requests: &Receiver<SliceBuf>) -> io::Result<Tally> {
    let mut sent = Tally::default();
    let mut output = allocator.composite();
    for payload in requests {
        let mut body = allocator.try_heap(payload.readable_bytes())?;
        body.try_write_bytes(payload.as_slice())?;
        output.try_write_u32(u32::try_from(body.readable_bytes()).map_err(io::Error::other)?)?;
        output.try_push(body)?;
        while output.is_readable() {
            output.write_to(&mut sent)?;
        }
        output.discard_read_components();
    }
    Ok(sent)
}

/// Bytes that went by, and their sum: the sink of the answers. Adding up stands
/// for what a server does with bytes beside receiving and sending them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub bytes: u64,
    pub sum: u64,
}

impl Tally {
    fn see(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.sum += bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    }

    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.sum += other.sum;
    }
}

impl Write for Tally {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.see(bytes);
        Ok(bytes.len())
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        pieces.iter().for_each(|piece| self.see(piece));
        Ok(pieces.iter().map(|piece| piece.len()).sum())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Decides what is requested.
struct Client {
    bytes: Vec<u8>,
}

impl Client {
    /// Payloads are pieces of bytes that are longer than they are by this.
    const SPREAD: usize = 1 << 16;

    fn new() -> Self {
        let words = (LONGEST + Self::SPREAD) as u64 / 8;
        Self { bytes: (0..words).flat_map(|n| random(n).to_ne_bytes()).collect() }
    }

    /// Nine in ten are small, a few large; more are large in busy times.
    fn payload(&self, request: u64, busy: bool) -> &[u8] {
        let dice = random(!request);
        let large = if busy { 20 } else { 1 };
        let lengths = match below(dice & 0xffff_ffff, 1000) {
            n if n < large => LONGEST / 2..LONGEST,
            n if n < large + 80 => 4 << 10..64 << 10,
            _ => 16..1 << 10,
        };
        let dice = random(dice);
        let len = lengths.start + below(dice >> 32, lengths.len());
        let start = below(dice & 0xffff_ffff, Self::SPREAD);
        &self.bytes[start..start + len]
    }
}

/// A few requests that arrive together.
struct Burst<'a> {
    client: &'a Client,
    requests: Range<u64>,
    busy: bool,
    /// The message that is being sent, and how much of it was.
    header: [u8; HEADER],
    payload: &'a [u8],
    at: usize,
    sent: Tally,
}

impl<'a> Burst<'a> {
    fn new(client: &'a Client, requests: Range<u64>, busy: bool) -> Self {
        let sent = Tally::default();
        // Nothing, sent to its end.
        Self { client, requests, busy, header: [0; HEADER], payload: &[], at: HEADER, sent }
    }

    /// What is left of the message, in one piece; moves on to the next message.
    fn rest(&mut self) -> &[u8] {
        if self.at == HEADER + self.payload.len() {
            let Some(request) = self.requests.next() else { return &[] };
            self.payload = self.client.payload(request, self.busy);
            let len = u32::try_from(self.payload.len()).expect("none is longer than `LONGEST`");
            self.header = len.to_be_bytes();
            self.at = 0;
        }
        match self.at.checked_sub(HEADER) {
            None => &self.header[self.at..],
            Some(at) => &self.payload[at..],
        }
    }
}

impl Read for Burst<'_> {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        let mut len = 0;
        while len < dst.len() {
            let rest = self.rest();
            let n = rest.len().min(dst.len() - len);
            if n == 0 {
                break;
            }
            dst[len..len + n].copy_from_slice(&rest[..n]);
            self.at += n;
            len += n;
        }
        self.sent.see(&dst[..len]);
        Ok(len)
    }
}
