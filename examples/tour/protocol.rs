//! A length-prefixed protocol over TCP, as a server would have it.
//!
//! A message is its length (`u32`, big endian) and so many bytes of payload.
//! The server answers every message with one that has the same payload.
//!
//! ```text
//!            one growing buffer        channel           composite
//!   socket ------ Decoder ------ slices ------ worker ------ Encoder ----- socket
//!    read                        no copy                  vectored write
//! ```
//!
//! A payload is copied by the system, into the receive buffer and out of it,
//! and by nobody else.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf};

/// Bytes before the payload.
pub const HEADER: usize = 4;

/// How much one read may bring. It is zeroed before, so it should not be much
/// more than what usually comes.
const READ: usize = 32 << 10;

/// Where less room than this is left, a buffer without unread bytes makes some
/// before it reads.
const MIN_ROOM: usize = 1 << 10;

/// Messages on their way to the worker. When it falls behind by as many, the
/// server stops reading, and in the end the peer stops sending: so much is kept
/// for a peer and no more.
const QUEUE: usize = 64;

/// Components that one vectored write can take: a header and a payload each.
const BATCH: usize = 64;

/// Why a connection ended before its time.
#[derive(Debug)]
pub enum ConnectionError {
    /// The peer announced a message that is longer than allowed. Nothing was
    /// allocated for it. Most garbage ends here.
    TooLong { len: usize, max: usize },
    /// The stream ended within a header.
    TruncatedHeader { have: usize },
    /// The stream ended within a payload.
    TruncatedPayload { have: usize, len: usize },
    /// The socket failed.
    Io(io::Error),
    /// A buffer refused: no memory, most likely.
    Buffer(Error),
}

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { len, max } => {
                write!(f, "a message of {len} bytes exceeds the limit of {max}")
            }
            Self::TruncatedHeader { have } => {
                write!(f, "the stream ended after {have} of {HEADER} header bytes")
            }
            Self::TruncatedPayload { have, len } => {
                write!(f, "the stream ended after {have} of {len} payload bytes")
            }
            Self::Io(error) => write!(f, "the socket failed: {error}"),
            Self::Buffer(error) => write!(f, "no buffer: {error}"),
        }
    }
}

impl std::error::Error for ConnectionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Buffer(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ConnectionError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Error> for ConnectionError {
    fn from(error: Error) -> Self {
        Self::Buffer(error)
    }
}

/// What a decoder has done.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    /// Messages cut.
    pub messages: u64,
    /// Their payload bytes.
    pub bytes: u64,
    /// Unread bytes that had to move when room was made behind them: the
    /// beginning of a message that did not fit into the rest of its block.
    pub moved: u64,
    /// How many times that was.
    pub moves: u64,
    /// Payload bytes that were not cut where they were received, but copied
    /// together. None, unless the buffer is in pieces.
    pub gathered: u64,
}

/// Cuts messages out of a stream.
pub struct Decoder<B> {
    input: B,
    max_len: usize,
    received: Received,
}

impl<B: ByteBufMut> Decoder<B> {
    /// Receives into `input`; a payload may have `max_len` bytes.
    pub fn new(input: B, max_len: usize) -> Self {
        let received = Received::default();
        Self { input, max_len, received }
    }

    pub fn received(&self) -> Received {
        self.received
    }

    /// The next message, from what has been received or, if that is not enough,
    /// from `source`. `None` if the stream ends between two messages.
    pub fn message(&mut self, source: &mut dyn Read) -> Result<Option<SliceBuf>, ConnectionError> {
        loop {
            if let Some(message) = self.cut()? {
                return Ok(Some(message));
            }
            if self.fill(source)? == 0 {
                return self.end().map(|()| None);
            }
        }
    }

    /// Payload length of the message at the reader index, if its header is
    /// there. All that is done with the length is done after this check.
    fn announced(&self) -> Result<Option<usize>, ConnectionError> {
        if self.input.readable_bytes() < HEADER {
            return Ok(None);
        }
        let len = self.input.get_u32(self.input.reader_index()) as usize;
        let max = self.max_len;
        if len > max { Err(ConnectionError::TooLong { len, max }) } else { Ok(Some(len)) }
    }

    /// The message at the reader index, if it is there to its end.
    fn cut(&mut self) -> Result<Option<SliceBuf>, ConnectionError> {
        let Some(len) = self.announced()? else {
            return Ok(None);
        };
        if self.input.readable_bytes() - HEADER < len {
            return Ok(None);
        }
        self.input.skip(HEADER);
        let received_at = self.address();
        let message = self.input.try_read_slice(len)?;
        self.received.messages += 1;
        self.received.bytes += len as u64;
        if len != 0 && message.as_slice().as_ptr() != received_at {
            self.received.gathered += len as u64;
        }
        Ok(Some(message))
    }

    /// Appends what one read brings; 0 at the end of the stream.
    fn fill(&mut self, source: &mut dyn Read) -> Result<usize, ConnectionError> {
        let unread = self.input.readable_bytes();
        let whole = HEADER + self.announced()?.unwrap_or(0);
        let unread_at = self.address();
        // Bytes that are there already move only if they have to.
        let room = if unread == 0 { MIN_ROOM } else { whole - unread };
        self.input.try_make_room(room)?;
        if unread != 0 && self.address() != unread_at {
            self.received.moved += unread as u64;
            self.received.moves += 1;
        }
        let max = self.input.writable_bytes().min(READ);
        loop {
            match self.input.read_from(source, max) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                done => return Ok(done?),
            }
        }
    }

    /// Whether the stream may end here.
    fn end(&self) -> Result<(), ConnectionError> {
        match (self.input.readable_bytes(), self.announced()?) {
            (0, _) => Ok(()),
            (have, None) => Err(ConnectionError::TruncatedHeader { have }),
            (have, Some(len)) => {
                Err(ConnectionError::TruncatedPayload { have: have - HEADER, len })
            }
        }
    }

    /// Where the unread bytes are.
    fn address(&self) -> *const u8 {
        self.input.chunk(self.input.reader_index()).as_ptr()
    }
}

/// Messages on their way out: headers and payloads in one composite, so that
/// many of them leave with one vectored write, and no payload is copied.
pub struct Encoder {
    /// Headers are cut from here: one block has room for many of them, and is
    /// written again from the start when they have been sent.
    headers: HeapBuf,
    queue: CompositeBuf,
}

impl Encoder {
    pub fn new() -> Self {
        Self { headers: HeapBuf::with_capacity(32 * BATCH * HEADER), queue: CompositeBuf::new() }
    }

    /// Queues a message.
    pub fn push(&mut self, payload: SliceBuf) -> Result<(), Error> {
        let needed = payload.readable_bytes();
        let len = u32::try_from(needed)
            .map_err(|_| Error::Overflow { needed, available: u32::MAX as usize })?;
        self.headers.try_make_room(HEADER)?;
        self.headers.try_write_u32(len)?;
        self.queue.try_push(self.headers.try_read_slice(HEADER)?)?;
        self.queue.try_push(payload)
    }

    /// Whether there is enough for a vectored write.
    pub fn is_full(&self) -> bool {
        self.queue.component_count() >= BATCH
    }

    /// Sends all there is. What was sent is let go at once.
    pub fn send(&mut self, sink: &mut dyn Write) -> io::Result<()> {
        while self.queue.is_readable() {
            match self.queue.write_to(sink) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => self.queue.discard_read_components(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Serves as many connections as are given, each by threads of its own and
/// with a buffer of its own; `ended` hears how each went. What one peer does
/// ends its own connection and no other.
pub fn serve<B: ByteBufMut>(
    listener: &TcpListener,
    connections: usize,
    max_len: usize,
    buffer: impl Fn() -> B + Sync,
    ended: impl Fn(SocketAddr, Result<Received, ConnectionError>) + Sync,
) -> io::Result<()> {
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for _ in 0..connections {
            let (stream, peer) = listener.accept()?;
            let (buffer, ended) = (&buffer, &ended);
            threads.push(scope.spawn(move || {
                let result = serve_connection(&stream, Decoder::new(buffer(), max_len));
                drop(stream);
                ended(peer, result);
            }));
        }
        // The scope waits for what they do, this for what they clean up too.
        for thread in threads {
            thread.join().expect("a connection does not panic");
        }
        Ok(())
    })
}

/// Answers every message of one peer until the stream ends. Timeouts are the
/// stream's.
pub fn serve_connection<B: ByteBufMut>(
    stream: &TcpStream,
    mut decoder: Decoder<B>,
) -> Result<Received, ConnectionError> {
    stream.set_nodelay(true)?;
    let (sender, messages) = sync_channel(QUEUE);
    let (received, answered) = thread::scope(|scope| {
        let worker = scope.spawn(move || {
            answer(stream, &messages).inspect_err(|_| {
                // There is no use in reading on. Fails only if the connection
                // is gone already.
                let _ = stream.shutdown(Shutdown::Both);
            })
        });
        // Ends with the sender gone, so the worker ends after the last answer.
        let received = receive(stream, &mut decoder, sender);
        (received, worker.join().expect("the worker does not panic"))
    });
    match (received, answered) {
        // Nothing but a message too long comes before a failed answer: that
        // ends the reading too, in one way or another.
        (Err(error @ ConnectionError::TooLong { .. }), _) => Err(error),
        (_, Err(error)) => Err(error),
        (received, Ok(())) => received.map(|()| decoder.received()),
    }
}

/// Hands the messages to the worker.
fn receive<B: ByteBufMut>(
    mut stream: &TcpStream,
    decoder: &mut Decoder<B>,
    worker: SyncSender<SliceBuf>,
) -> Result<(), ConnectionError> {
    while let Some(message) = decoder.message(&mut stream)? {
        if worker.send(message).is_err() {
            // It has failed, and will say why.
            break;
        }
    }
    Ok(())
}

/// The worker: answers a message, together with those that have come in
/// meanwhile.
fn answer(mut stream: &TcpStream, messages: &Receiver<SliceBuf>) -> Result<(), ConnectionError> {
    let mut answers = Encoder::new();
    for message in messages {
        answers.push(message)?;
        while !answers.is_full() {
            let Ok(message) = messages.try_recv() else {
                break;
            };
            answers.push(message)?;
        }
        answers.send(&mut stream)?;
    }
    Ok(())
}
