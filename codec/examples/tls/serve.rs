//! A server that has answers in memory, over TLS in one way or another, and a
//! client that asks for them.
//!
//! A request is a number (`u32`, big endian): of an answer. An answer is sent
//! as it is.

use std::io::{self, BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use refbuf::{ByteBuf, SliceBuf};
use refbuf_codec::tls::{TlsOptions, TlsStream};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::configs;

/// The buffers that an answer consists of.
pub type Answer = Vec<SliceBuf>;

/// What is not longer is cheaper to copy than to share.
const COPIED: usize = 512;

/// Who serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// `TlsStream`, which wraps so many bytes at once.
    Refbuf { wrap_data_size: usize },
    /// `rustls::StreamOwned`, to which each buffer is written.
    Plain,
    /// The same behind a `BufWriter`, which gathers small ones.
    PlainGathered,
}

/// A connection that can answer.
pub trait Answers: Read {
    fn answer(&mut self, answer: &Answer) -> io::Result<()>;
}

impl<S: Read + Write> Answers for TlsStream<S> {
    fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        for buf in answer {
            if buf.readable_bytes() <= COPIED {
                self.write_all(buf.as_slice())?;
            } else {
                self.send(buf.clone())?;
            }
        }
        self.flush()
    }
}

/// `rustls`'s own stream.
pub struct Plain<S: Read + Write> {
    stream: StreamOwned<ServerConnection, S>,
    is_gathered: bool,
}

impl<S: Read + Write> Read for Plain<S> {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        self.stream.read(dst)
    }
}

impl<S: Read + Write> Answers for Plain<S> {
    fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        if self.is_gathered {
            let mut stream = BufWriter::with_capacity(16 << 10, &mut self.stream);
            for buf in answer {
                stream.write_all(buf.as_slice())?;
            }
            return stream.flush();
        }
        for buf in answer {
            self.stream.write_all(buf.as_slice())?;
        }
        self.stream.flush()
    }
}

impl Server {
    /// The server's side of a connection.
    pub fn on<S: Read + Write + 'static>(
        self,
        socket: S,
        config: Arc<ServerConfig>,
    ) -> Box<dyn Answers> {
        let plain =
            |socket, config| StreamOwned::new(ServerConnection::new(config).unwrap(), socket);
        match self {
            Self::Refbuf { wrap_data_size } => {
                let session = Self::options(wrap_data_size).server::<()>(config).unwrap();
                Box::new(TlsStream::new(socket, session))
            }
            Self::Plain => Box::new(Plain { stream: plain(socket, config), is_gathered: false }),
            Self::PlainGathered => {
                Box::new(Plain { stream: plain(socket, config), is_gathered: true })
            }
        }
    }

    /// More ciphertext may wait than usually if more is to be wrapped.
    fn options(wrap_data_size: usize) -> TlsOptions {
        TlsOptions::new()
            .wrap_data_size(wrap_data_size)
            .outbound_limit(wrap_data_size.max(TlsOptions::DEFAULT_OUTBOUND_LIMIT))
    }
}

/// Answers until the peer closes; `answered` is called after each time.
pub fn serve(
    connection: &mut dyn Answers,
    answers: &[Answer],
    mut answered: impl FnMut(),
) -> io::Result<()> {
    let mut request = [0; 4];
    loop {
        match connection.read(&mut request[..1])? {
            0 => return Ok(()),
            _ => connection.read_exact(&mut request[1..])?,
        }
        let answer = answers.get(u32::from_be_bytes(request) as usize);
        connection.answer(answer.ok_or(io::ErrorKind::InvalidInput)?)?;
        answered();
    }
}

/// Who asks; the same for all servers.
pub struct Client {
    stream: TlsStream<TcpStream>,
}

impl Client {
    pub fn connect(listener: &TcpListener) -> io::Result<Self> {
        let socket = TcpStream::connect(listener.local_addr()?)?;
        socket.set_nodelay(true)?;
        Ok(Self { stream: TlsStream::client(socket, configs::pair().0, configs::name())? })
    }

    /// Asks for an answer of `len` bytes, hands what comes of it to `seen`.
    pub fn ask(
        &mut self,
        answer: usize,
        len: usize,
        mut seen: impl FnMut(usize, &SliceBuf),
    ) -> io::Result<()> {
        let request = u32::try_from(answer).map_err(|_| io::ErrorKind::InvalidInput)?;
        self.stream.write_all(&request.to_be_bytes())?;
        self.stream.flush()?;
        let mut at = 0;
        while at < len {
            let slice = self.stream.read_slice()?.ok_or(io::ErrorKind::UnexpectedEof)?;
            seen(at, &slice);
            at += slice.readable_bytes();
        }
        if at == len { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    pub fn close(&mut self) -> io::Result<()> {
        self.stream.shutdown_write()
    }
}

/// What a socket was asked for.
#[derive(Debug, Default)]
pub struct Calls {
    pub reads: AtomicU64,
    pub writes: AtomicU64,
}

/// Counts the system calls of what is inside.
pub struct Counted<S> {
    inner: S,
    calls: Arc<Calls>,
}

impl<S> Counted<S> {
    pub fn new(inner: S) -> (Self, Arc<Calls>) {
        let calls = Arc::<Calls>::default();
        (Self { inner, calls: calls.clone() }, calls)
    }
}

impl<S: Read> Read for Counted<S> {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        self.calls.reads.fetch_add(1, Relaxed);
        self.inner.read(dst)
    }
}

impl<S: Write> Write for Counted<S> {
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        self.calls.writes.fetch_add(1, Relaxed);
        self.inner.write(src)
    }

    fn write_vectored(&mut self, srcs: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.calls.writes.fetch_add(1, Relaxed);
        self.inner.write_vectored(srcs)
    }

    /// A socket has nothing to flush.
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
