//! What the tests are made of.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::{Arc, Mutex};

use refbuf_codec::tls::{Session, TlsError, TlsOptions};
use rustls::SupportedProtocolVersion;
use rustls::version::{TLS12, TLS13};

use crate::configs;

pub static VERSIONS: [&SupportedProtocolVersion; 2] = [&TLS12, &TLS13];

/// The same numbers in each run (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }

    /// Tiny, small, or of several records.
    pub fn size(&mut self) -> usize {
        let most = [8, 300, 5_000, 100_000][self.below(4)];
        self.below(most)
    }

    pub fn wrap_data_size(&mut self) -> usize {
        [0, 1, 100, 16 << 10, 20_000, 64 << 10, 1 << 20][self.below(7)]
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            (0..n.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).collect();
        bytes.truncate(n);
        bytes
    }
}

/// A client and a server that have heard nothing of each other.
pub fn sessions<T>(
    version: &'static SupportedProtocolVersion,
    options: &TlsOptions,
) -> (Session<T>, Session<T>) {
    let client = Arc::new(configs::client(&[version]));
    let server = Arc::new(configs::server(&[version]));
    (options.client(client, configs::name()).unwrap(), options.server(server).unwrap())
}

/// The same after the handshake.
pub fn connected<T>(
    version: &'static SupportedProtocolVersion,
    options: &TlsOptions,
) -> (Session<T>, Session<T>) {
    let (mut client, mut server) = sessions(version, options);
    shake_hands(&mut client, &mut server);
    (client, server)
}

pub fn shake_hands<T, U>(client: &mut Session<T>, server: &mut Session<U>) {
    for _ in 0..4 {
        pass(client, server).unwrap();
        pass(server, client).unwrap();
    }
    assert!(!client.is_handshaking() && !server.is_handshaking());
}

/// Wraps once, and takes all that is outgoing.
pub fn wrapped<T>(from: &mut Session<T>) -> Vec<u8> {
    from.wrap().unwrap();
    outgoing(from)
}

pub fn outgoing<T>(from: &mut Session<T>) -> Vec<u8> {
    let bytes = from.outgoing().to_vec();
    from.sent(bytes.len());
    bytes
}

/// Wraps all that is queued.
pub fn all_wrapped<T>(from: &mut Session<T>) -> Vec<u8> {
    let mut bytes = wrapped(from);
    while from.wants_wrap() {
        bytes.append(&mut wrapped(from));
    }
    bytes
}

/// Gives the session what a socket brings; returns what could be read then.
pub fn receive<T>(to: &mut Session<T>, bytes: &[u8]) -> Result<Vec<u8>, TlsError> {
    let mut plaintext = Vec::new();
    receive_into(to, bytes, &mut plaintext).map(|()| plaintext)
}

/// The same where an error may follow something.
pub fn receive_into<T>(
    to: &mut Session<T>,
    mut bytes: &[u8],
    plaintext: &mut Vec<u8>,
) -> Result<(), TlsError> {
    while !bytes.is_empty() {
        let space = to.space()?;
        let n = space.len().min(bytes.len());
        space[..n].copy_from_slice(&bytes[..n]);
        bytes = &bytes[n..];
        to.filled(n);
        let processed = to.process();
        while to.readable_bytes() != 0 {
            plaintext.extend(to.read_slice()?.unwrap().as_slice());
        }
        processed?;
    }
    Ok(())
}

/// All that one has to say, to the other.
pub fn pass<T, U>(from: &mut Session<T>, to: &mut Session<U>) -> Result<Vec<u8>, TlsError> {
    let bytes = all_wrapped(from);
    receive(to, &bytes)
}

/// Content types and lengths of whole records.
pub fn records(mut bytes: &[u8]) -> Vec<(u8, usize)> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let len = usize::from(u16::from_be_bytes([bytes[3], bytes[4]]));
        records.push((bytes[0], len));
        bytes = &bytes[5 + len..];
    }
    records
}

/// Two ends of a connection that never blocks. It takes and gives as much as
/// it likes, often nothing.
pub fn duplex(capacity: usize, seed: u64) -> (End, End) {
    let ways = [Way::new(capacity), Way::new(capacity)];
    let [there, back] = ways.map(|way| Arc::new(Mutex::new(way)));
    (
        End { reads: back.clone(), writes: there.clone(), random: Random(seed) },
        End { reads: there, writes: back, random: Random(!seed) },
    )
}

struct Way {
    bytes: VecDeque<u8>,
    capacity: usize,
    ended: bool,
}

impl Way {
    fn new(capacity: usize) -> Self {
        Self { bytes: VecDeque::new(), capacity, ended: false }
    }
}

pub struct End {
    reads: Arc<Mutex<Way>>,
    writes: Arc<Mutex<Way>>,
    random: Random,
}

impl End {
    /// As if the kernel had done it: nothing more comes.
    pub fn end(&self) {
        self.writes.lock().unwrap().ended = true;
    }

    fn whim(&mut self) -> io::Result<()> {
        match self.random.below(8) {
            0 => Err(ErrorKind::Interrupted.into()),
            1 => Err(ErrorKind::WouldBlock.into()),
            _ => Ok(()),
        }
    }
}

impl Read for End {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        self.whim()?;
        let mut way = self.reads.lock().unwrap();
        match way.bytes.len().min(dst.len()) {
            0 if way.ended || dst.is_empty() => Ok(0),
            0 => Err(ErrorKind::WouldBlock.into()),
            n => {
                let n = 1 + self.random.below(n);
                for (dst, byte) in dst.iter_mut().zip(way.bytes.drain(..n)) {
                    *dst = byte;
                }
                Ok(n)
            }
        }
    }
}

impl Write for End {
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        self.whim()?;
        let mut way = self.writes.lock().unwrap();
        match src.len().min(way.capacity - way.bytes.len()) {
            0 => Err(ErrorKind::WouldBlock.into()),
            n => {
                let n = 1 + self.random.below(n);
                way.bytes.extend(&src[..n]);
                Ok(n)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether it happened, rather than would have blocked.
pub fn happened<T>(result: io::Result<T>) -> Option<T> {
    match result {
        Ok(done) => Some(done),
        Err(error) if error.kind() == ErrorKind::WouldBlock => None,
        Err(error) => panic!("{error}"),
    }
}
