//! The server of `examples/tour` on real sockets, against peers of all sorts.
//!
//! Receive buffers are of a kind of memory that counts itself, so a test sees
//! that a connection which has ended, well or badly, left none behind.
#![cfg(feature = "std")]

#[path = "../examples/tour/protocol.rs"]
mod protocol;

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use protocol::{ConnectionError, Decoder, Encoder, Received};
use refbuf::{ByteBuf, CompositeBuf, Error, Heap, HeapBuf, OwnedBuf, SliceBuf, Storage};

/// What the servers of these tests allow.
const CAP: usize = 100_000;

/// What their receive buffers begin with: odd, so that messages lie across.
const BUFFER: usize = 2039;

// Memory that counts itself.

#[derive(Default)]
struct Count {
    alive: AtomicUsize,
    /// The largest piece that was ever asked for.
    largest: AtomicUsize,
}

struct Counted {
    memory: Heap,
    count: Arc<Count>,
}

impl Counted {
    fn new(capacity: usize, count: &Arc<Count>) -> Result<Self, Error> {
        let memory = Heap::allocate(capacity)?;
        count.alive.fetch_add(1, SeqCst);
        count.largest.fetch_max(capacity, SeqCst);
        Ok(Self { memory, count: Arc::clone(count) })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.count.alive.fetch_sub(1, SeqCst);
    }
}

// SAFETY: `Heap` keeps the promises.
unsafe impl Storage for Counted {
    fn allocate(capacity: usize) -> Result<Self, Error> {
        unreachable!("{capacity} bytes asked of no counter: buffers begin with some memory")
    }

    fn region(&self) -> NonNull<[u8]> {
        self.memory.region()
    }

    fn sibling(&self, capacity: usize) -> Result<Self, Error> {
        Self::new(capacity, &self.count)
    }
}

// A server, and how its connections end.

struct Server {
    address: SocketAddr,
    ends: Receiver<(SocketAddr, Result<Received, ConnectionError>)>,
    /// Those that were not asked for yet.
    ended: HashMap<SocketAddr, Result<Received, ConnectionError>>,
    count: Arc<Count>,
    thread: thread::JoinHandle<io::Result<()>>,
}

impl Server {
    /// A server for so many connections.
    fn start(connections: usize) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let count = Arc::new(Count::default());
        let (ended, ends) = channel();
        let thread = thread::spawn({
            let count = Arc::clone(&count);
            move || {
                protocol::serve(
                    &listener,
                    connections,
                    CAP,
                    || OwnedBuf::from_storage(Counted::new(BUFFER, &count).unwrap()),
                    |peer, result| ended.send((peer, result)).unwrap(),
                )
            }
        });
        Self { address, ends, ended: HashMap::new(), count, thread }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    /// How the connection with this address ended; waits for it.
    fn end_of(&mut self, peer: SocketAddr) -> Result<Received, ConnectionError> {
        loop {
            if let Some(end) = self.ended.remove(&peer) {
                return end;
            }
            let (peer, end) = self.ends.recv().unwrap();
            self.ended.insert(peer, end);
        }
    }

    /// All connections have ended: nothing is left of them.
    fn finish(self) -> Arc<Count> {
        self.thread.join().unwrap().unwrap();
        assert_eq!(self.count.alive.load(SeqCst), 0, "receive buffers alive");
        self.count
    }
}

// A client, with nothing of the library in it.

fn header(len: usize) -> [u8; 4] {
    u32::try_from(len).unwrap().to_be_bytes()
}

fn frame(payload: &[u8]) -> Vec<u8> {
    [&header(payload.len()), payload].concat()
}

fn payload(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|i| ((i * 31 + seed * 7) >> 2).to_le_bytes()[0]).collect()
}

fn read_answer(mut stream: &TcpStream) -> Vec<u8> {
    let mut header = [0; 4];
    stream.read_exact(&mut header).unwrap();
    let mut payload = vec![0; u32::from_be_bytes(header) as usize];
    stream.read_exact(&mut payload).unwrap();
    payload
}

#[track_caller]
fn exchange(mut stream: &TcpStream, payload: &[u8]) {
    stream.write_all(&frame(payload)).unwrap();
    assert!(read_answer(stream) == payload, "the answer is what was sent");
}

/// Waits until the server closes. It may have bytes left that it will not read,
/// and then it resets the connection.
fn read_to_end(mut stream: &TcpStream) {
    match stream.read_to_end(&mut Vec::new()) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
        _ => {}
    }
}

// Good peers.

#[test]
fn several_connections_with_messages_of_odd_sizes() {
    const SIZES: [usize; 14] =
        [0, 1, 0, 2, 3, 4, 5, BUFFER - 5, BUFFER - 4, BUFFER - 3, BUFFER, 65_537, CAP - 1, CAP];
    const CONNECTIONS: usize = 4;
    const ROUNDS: usize = 20;

    let mut server = Server::start(CONNECTIONS);
    let streams: Vec<_> = (0..CONNECTIONS).map(|_| server.connect()).collect();
    let sent = |connection: usize| {
        (0..ROUNDS * SIZES.len()).map(move |n| {
            let size = SIZES[(n * (connection + 1) + n / SIZES.len()) % SIZES.len()];
            payload(connection * 1000 + n, size)
        })
    };
    thread::scope(|scope| {
        for (connection, mut stream) in streams.iter().enumerate() {
            scope.spawn(move || {
                for payload in sent(connection) {
                    stream.write_all(&frame(&payload)).unwrap();
                }
                stream.shutdown(Shutdown::Write).unwrap();
            });
            scope.spawn(move || {
                for payload in sent(connection) {
                    assert!(read_answer(stream) == payload, "the answer is what was sent");
                }
                read_to_end(stream);
            });
        }
    });
    for (connection, stream) in streams.iter().enumerate() {
        let received = server.end_of(stream.local_addr().unwrap()).unwrap();
        assert_eq!(received.messages, (ROUNDS * SIZES.len()) as u64);
        assert_eq!(
            received.bytes,
            sent(connection).map(|payload| payload.len() as u64).sum::<u64>()
        );
        assert_eq!(received.gathered, 0, "payload bytes are where they were received");
    }
    server.finish();
}

#[test]
fn a_peer_that_sends_byte_by_byte() {
    let mut server = Server::start(1);
    let mut stream = server.connect();
    for size in [5, 0, 1, 300] {
        let payload = payload(size, size);
        for byte in frame(&payload) {
            stream.write_all(&[byte]).unwrap();
        }
        assert_eq!(read_answer(&stream), payload);
    }
    stream.shutdown(Shutdown::Write).unwrap();
    read_to_end(&stream);
    let received = server.end_of(stream.local_addr().unwrap()).unwrap();
    assert_eq!((received.messages, received.bytes), (4, 306));
    server.finish();
}

#[test]
fn a_peer_that_says_nothing() {
    let mut server = Server::start(1);
    let stream = server.connect();
    let peer = stream.local_addr().unwrap();
    drop(stream);
    assert_eq!(server.end_of(peer).unwrap(), Received::default());
    server.finish();
}

// Bad peers.

/// How the connection of a bad peer ends, and what the server had allocated at
/// most, while a connection from before and one from after go on as ever.
fn attacked_by(attack: impl FnOnce(TcpStream)) -> (ConnectionError, Arc<Count>) {
    let mut server = Server::start(3);
    let message = payload(1, 500);

    let mut before = server.connect();
    exchange(&before, &message);
    // It is in the middle of a message all the time.
    let (first, second) = message.split_at(200);
    before.write_all(&header(message.len())).unwrap();
    before.write_all(first).unwrap();

    let bad = server.connect();
    let peer = bad.local_addr().unwrap();
    attack(bad);
    let error = server.end_of(peer).unwrap_err();

    before.write_all(second).unwrap();
    assert_eq!(read_answer(&before), message);
    let after = server.connect();
    exchange(&after, &message);

    for (stream, messages) in [(before, 2), (after, 1)] {
        let peer = stream.local_addr().unwrap();
        drop(stream);
        assert_eq!(server.end_of(peer).unwrap().messages, messages);
    }
    (error, server.finish())
}

#[test]
fn a_length_over_the_cap() {
    let (error, count) = attacked_by(|mut stream| {
        exchange(&stream, b"nothing wrong yet");
        stream.write_all(&header(CAP + 1)).unwrap();
        read_to_end(&stream);
    });
    assert_eq!(error.to_string(), "a message of 100001 bytes exceeds the limit of 100000");
    assert!(matches!(error, ConnectionError::TooLong { len: 100_001, max: CAP }));
    assert_eq!(count.largest.load(SeqCst), BUFFER, "nothing is allocated for it");
}

#[test]
fn the_greatest_length_there_is() {
    let (error, count) = attacked_by(|mut stream| {
        stream.write_all(&[0xff; 4]).unwrap();
        read_to_end(&stream);
    });
    assert_eq!(error.to_string(), "a message of 4294967295 bytes exceeds the limit of 100000");
    assert_eq!(count.largest.load(SeqCst), BUFFER, "nothing is allocated for it");
}

#[test]
fn answers_to_what_came_before_an_error_are_sent() {
    let message = payload(3, 40_000);
    let (error, _) = attacked_by(|mut stream| {
        let requests = [frame(&message), frame(b""), frame(b"last"), vec![0xff; 4]].concat();
        stream.write_all(&requests).unwrap();
        assert!(read_answer(&stream) == message);
        assert_eq!(read_answer(&stream), b"");
        assert_eq!(read_answer(&stream), b"last");
        read_to_end(&stream);
    });
    assert!(matches!(error, ConnectionError::TooLong { .. }), "{error}");
}

#[test]
fn a_stream_that_ends_in_a_header() {
    for have in 1..4 {
        let (error, _) = attacked_by(|mut stream| {
            exchange(&stream, b"nothing wrong yet");
            stream.write_all(&header(1000)[..have]).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            read_to_end(&stream);
        });
        assert_eq!(error.to_string(), format!("the stream ended after {have} of 4 header bytes"));
    }
}

#[test]
fn a_stream_that_ends_in_a_payload() {
    for have in [0, 1, 996, 999] {
        let (error, _) = attacked_by(|mut stream| {
            exchange(&stream, b"nothing wrong yet");
            stream.write_all(&frame(&payload(0, 1000))[..4 + have]).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            read_to_end(&stream);
        });
        assert_eq!(
            error.to_string(),
            format!("the stream ended after {have} of 1000 payload bytes")
        );
    }
}

#[test]
fn another_protocol() {
    let (error, count) = attacked_by(|mut stream| {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        read_to_end(&stream);
    });
    // The length is "GET ".
    assert_eq!(error.to_string(), "a message of 1195725856 bytes exceeds the limit of 100000");
    assert_eq!(count.largest.load(SeqCst), BUFFER);
}

#[test]
fn noise() {
    for seed in 1..=20 {
        let mut state: u32 = seed;
        let noise: Vec<u8> = (0..5000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        let (error, count) = attacked_by(|stream| {
            // The server may hang up before the end.
            let mut writer = &stream;
            let _ = writer.write_all(&noise);
            let _ = stream.shutdown(Shutdown::Write);
            read_to_end(&stream);
        });
        assert!(
            matches!(
                error,
                ConnectionError::TooLong { max: CAP, .. }
                    | ConnectionError::TruncatedHeader { .. }
                    | ConnectionError::TruncatedPayload { .. }
            ),
            "{error}"
        );
        // A message, the room for a read behind it, and as much again: growing
        // doubles.
        assert!(count.largest.load(SeqCst) <= 2 * (CAP + 2000));
    }
}

/// The answers fill all there is between the two ends, until neither can go on;
/// then the peer is gone.
#[test]
fn a_peer_that_closes_without_reading() {
    let (error, _) = attacked_by(|mut stream| {
        stream.set_nonblocking(true).unwrap();
        let request = frame(&payload(5, CAP));
        let mut rest = &request[..];
        // Ends when the server does not read any more, or is slow to.
        while let Ok(n) = stream.write(rest) {
            rest = if n < rest.len() { &rest[n..] } else { &request };
        }
        stream.set_nonblocking(false).unwrap();
        // An answer is here, so closing is a reset for the server.
        stream.peek(&mut [0]).unwrap();
    });
    let ConnectionError::Io(cause) = &error else { panic!("{error}") };
    assert!(matches!(cause.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error}");
    assert!(error.to_string().starts_with("the socket failed: "), "{error}");
}

// The parts, without a socket.

/// Gives one byte for each read.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        let n = dst.len().min(1);
        self.0.read(&mut dst[..n])
    }
}

#[test]
fn a_decoder_of_single_bytes_in_every_buffer() {
    let messages: Vec<_> = [0, 1, 2, 700, 0, 5000, 3].iter().map(|&n| payload(n, n)).collect();
    let stream: Vec<u8> = messages.iter().flat_map(|message| frame(message)).collect();

    fn decode(mut decoder: Decoder<impl refbuf::ByteBufMut>, stream: &[u8]) -> Vec<SliceBuf> {
        let mut source = Trickle(stream);
        let mut decoded = Vec::new();
        while let Some(message) = decoder.message(&mut source).unwrap() {
            decoded.push(message);
        }
        assert_eq!(decoder.received().messages, decoded.len() as u64);
        decoded
    }
    assert_eq!(decode(Decoder::new(HeapBuf::new(), CAP), &stream), messages);
    #[cfg(feature = "mmap")]
    assert_eq!(decode(Decoder::new(refbuf::DirectBuf::with_capacity(1), CAP), &stream), messages);
    assert_eq!(decode(Decoder::new(CompositeBuf::new(), CAP), &stream), messages);
}

#[test]
fn nothing_of_whole_messages_is_copied() {
    let stream: Vec<u8> = (0..50).flat_map(|n| frame(&payload(n, 10 * n))).collect();
    let mut decoder = Decoder::new(HeapBuf::with_capacity(64 << 10), CAP);
    let mut source = &stream[..];
    let mut kept = Vec::new();
    while let Some(message) = decoder.message(&mut source).unwrap() {
        kept.push(message);
    }
    let received = decoder.received();
    assert_eq!((received.messages, received.moved, received.gathered), (50, 0, 0));
    // In one block, each 4 bytes of header behind the one before.
    for pair in kept[1..].windows(2) {
        let end = pair[0].as_slice().as_ptr_range().end;
        assert_eq!(pair[1].as_slice().as_ptr(), end.wrapping_add(protocol::HEADER));
    }
}

#[test]
fn bytes_that_had_to_move_are_counted() {
    // 2000 + 4 bytes and the first 2096 of the next message fill the block.
    let mut decoder = Decoder::new(HeapBuf::with_capacity(4096 + 4), CAP);
    let stream = [frame(&payload(1, 2000)), frame(&payload(2, 3000))].concat();
    let mut source = &stream[..];
    let first = decoder.message(&mut source).unwrap().unwrap();
    let second = decoder.message(&mut source).unwrap().unwrap();
    assert_eq!((first, second), (payload(1, 2000).into(), payload(2, 3000).into()));
    let received = decoder.received();
    assert_eq!((received.moved, received.moves, received.gathered), (2096, 1, 0));
}

/// Remembers where the bytes of each write were.
#[derive(Default)]
struct Recorder {
    pieces: Vec<(*const u8, usize)>,
    writes: usize,
}

impl Write for Recorder {
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[io::IoSlice::new(src)])
    }

    fn write_vectored(&mut self, srcs: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.writes += 1;
        self.pieces.extend(srcs.iter().map(|src| (src.as_ptr(), src.len())));
        Ok(srcs.iter().map(|src| src.len()).sum())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_very_payload_is_sent_and_many_with_one_write() {
    let payloads: Vec<SliceBuf> = (1..20).map(|n| payload(n, 100 * n).into()).collect();
    let mut out = Encoder::new();
    for payload in &payloads {
        out.push(payload.clone()).unwrap();
    }
    let mut sink = Recorder::default();
    out.send(&mut sink).unwrap();

    assert_eq!(sink.writes, 1);
    assert_eq!(sink.pieces.len(), 2 * payloads.len());
    for (pieces, payload) in sink.pieces.chunks(2).zip(&payloads) {
        assert_eq!(pieces[0].1, protocol::HEADER);
        assert_eq!(pieces[1], (payload.as_slice().as_ptr(), payload.readable_bytes()));
    }
    assert!(payloads.iter().all(SliceBuf::is_unique), "what was sent is let go");
}
