//! Everything arrives, with plain `rustls` or the same thing at the other end.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use refbuf::{ByteBuf, CompositeBuf, SliceBuf};
use refbuf_codec::tls::{Session, TlsStream};
use rustls::version::TLS13;
use rustls::{ClientConnection, ServerConnection, StreamOwned, SupportedProtocolVersion};

use crate::configs;
use crate::support::{Random, VERSIONS, duplex, happened};

fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (client, listener.accept().unwrap().0)
}

fn client(version: &'static SupportedProtocolVersion, socket: TcpStream) -> TlsStream<TcpStream> {
    TlsStream::client(socket, Arc::new(configs::client(&[version])), configs::name()).unwrap()
}

fn server(version: &'static SupportedProtocolVersion, socket: TcpStream) -> TlsStream<TcpStream> {
    TlsStream::server(socket, Arc::new(configs::server(&[version]))).unwrap()
}

/// Queues a piece of `rest`, of any size, in any of the ways there are.
fn send_piece<S: Read + Write>(
    stream: &mut TlsStream<S>,
    rest: &mut SliceBuf,
    random: &mut Random,
) -> std::io::Result<()> {
    stream.session_mut().set_wrap_data_size(random.wrap_data_size());
    let mut piece = rest.split_to(random.size().min(rest.readable_bytes()));
    match random.below(3) {
        0 => stream.write_all(piece.as_slice())?,
        1 => stream.send(piece)?,
        _ => {
            let mut pieces = CompositeBuf::new();
            while piece.is_readable() {
                pieces.push(piece.split_to((1 + random.below(3000)).min(piece.readable_bytes())));
            }
            stream.send(pieces)?;
        }
    }
    Ok(())
}

fn send_in_pieces<S: Read + Write>(
    stream: &mut TlsStream<S>,
    bytes: &[u8],
    random: &mut Random,
) -> std::io::Result<()> {
    let mut rest = SliceBuf::copy_from_slice(bytes);
    while rest.is_readable() {
        send_piece(stream, &mut rest, random)?;
        if random.below(3) == 0 {
            stream.flush()?;
        }
    }
    stream.flush()
}

fn receive_in_pieces<S: Read + Write>(
    stream: &mut TlsStream<S>,
    len: usize,
    random: &mut Random,
) -> std::io::Result<Vec<u8>> {
    let mut received = Vec::new();
    let mut slices = Vec::new(); // kept, so that blocks are shared
    while received.len() < len {
        if random.below(2) == 0 {
            let mut bytes = vec![0; random.size().min(len - received.len())];
            let n = stream.read(&mut bytes)?;
            received.extend(&bytes[..n]);
        } else {
            let slice = stream.read_slice()?.expect("not all of it was received");
            received.extend(slice.as_slice());
            slices.push((received.len() - slice.readable_bytes(), slice));
        }
    }
    for (at, slice) in slices {
        assert_eq!(slice, received[at..at + slice.readable_bytes()]);
    }
    Ok(received)
}

/// Takes `there`, answers with `back`, closes.
fn plain_peer(mut stream: impl Read + Write, there: &[u8], back: &[u8]) {
    let mut received = vec![0; there.len()];
    stream.read_exact(&mut received).unwrap();
    assert!(received == there);
    stream.write_all(back).unwrap();
    stream.flush().unwrap();
}

fn exchange(
    mut stream: TlsStream<TcpStream>,
    there: &[u8],
    back: &[u8],
    random: &mut Random,
    version: &SupportedProtocolVersion,
) {
    send_in_pieces(&mut stream, there, random).unwrap();
    assert!(receive_in_pieces(&mut stream, back.len(), random).unwrap() == back);
    assert_eq!(stream.session().state().protocol_version(), Some(version.version));
    stream.shutdown_write().unwrap();
    assert!(stream.read_slice().unwrap().is_none());
}

#[test]
fn a_client_talks_to_plain_rustls() {
    for (seed, version) in (0..).zip(VERSIONS.into_iter().cycle().take(4)) {
        let mut random = Random(seed);
        let (there, back) = (random.bytes(150_000), random.bytes(150_000));
        let (ours, theirs) = connection();
        thread::scope(|scope| {
            scope.spawn(|| {
                let config = Arc::new(configs::server(&[version]));
                let connection = ServerConnection::new(config).unwrap();
                let mut stream = StreamOwned::new(connection, theirs);
                plain_peer(&mut stream, &there, &back);
                stream.conn.send_close_notify();
                stream.flush().unwrap();
            });
            exchange(client(version, ours), &there, &back, &mut random, version);
        });
    }
}

#[test]
fn a_server_talks_to_plain_rustls() {
    for (seed, version) in (100..).zip(VERSIONS.into_iter().cycle().take(4)) {
        let mut random = Random(seed);
        let (there, back) = (random.bytes(150_000), random.bytes(150_000));
        let (ours, theirs) = connection();
        thread::scope(|scope| {
            scope.spawn(|| {
                let config = Arc::new(configs::client(&[version]));
                let connection = ClientConnection::new(config, configs::name()).unwrap();
                let mut stream = StreamOwned::new(connection, theirs);
                plain_peer(&mut stream, &there, &back);
                stream.conn.send_close_notify();
                stream.flush().unwrap();
            });
            exchange(server(version, ours), &there, &back, &mut random, version);
        });
    }
}

#[test]
fn streams_talk_to_each_other() {
    for (seed, version) in (200..).zip(VERSIONS) {
        let mut random = Random(seed);
        let (there, back) = (random.bytes(400_000), random.bytes(400_000));
        let (ours, theirs) = connection();
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut random = Random(!seed);
                let mut stream = server(version, theirs);
                assert!(receive_in_pieces(&mut stream, there.len(), &mut random).unwrap() == there);
                send_in_pieces(&mut stream, &back, &mut random).unwrap();
                stream.shutdown_write().unwrap();
                assert_eq!(stream.read(&mut [0]).unwrap(), 0);
            });
            exchange(client(version, ours), &there, &back, &mut random, version);
        });
    }
}

/// Both directions at once, over a connection that takes and gives little, and
/// often would block or is interrupted: nothing is lost and nobody waits.
#[test]
fn sockets_that_do_not_block_lose_nothing() {
    for (seed, version) in (300..).zip(VERSIONS.into_iter().cycle().take(16)) {
        let mut random = Random(seed);
        let capacity = [1, 100, 5_000, 100_000][random.below(4)];
        let (there, back) = duplex(capacity, seed);
        let mut ends = [
            Busy::new(client_of(version, there), &mut random),
            Busy::new(server_of(version, back), &mut random),
        ];
        let mut turns = 0;
        while !ends.iter().all(Busy::is_done) {
            for end in &mut ends {
                end.turn(&mut random);
            }
            turns += 1;
            assert!(turns < 3_000_000, "stuck: {:?}", ends.map(|end| end.stream.into_parts().1));
        }
        let [a, b] = ends;
        assert!(a.received == b.bytes && b.received == a.bytes);
    }
}

fn client_of<S>(version: &'static SupportedProtocolVersion, socket: S) -> TlsStream<S> {
    TlsStream::client(socket, Arc::new(configs::client(&[version])), configs::name()).unwrap()
}

fn server_of<S>(version: &'static SupportedProtocolVersion, socket: S) -> TlsStream<S> {
    TlsStream::server(socket, Arc::new(configs::server(&[version]))).unwrap()
}

/// One end that sends, receives and closes, as far as it gets each time.
struct Busy<S> {
    stream: TlsStream<S>,
    bytes: Vec<u8>,
    rest: SliceBuf,
    received: Vec<u8>,
    has_closed: bool,
    has_ended: bool,
}

impl<S: Read + Write> Busy<S> {
    fn new(stream: TlsStream<S>, random: &mut Random) -> Self {
        let bytes = random.bytes(20_000);
        let rest = SliceBuf::copy_from_slice(&bytes);
        Self { stream, bytes, rest, received: Vec::new(), has_closed: false, has_ended: false }
    }

    fn is_done(&self) -> bool {
        self.has_closed && self.has_ended
    }

    fn turn(&mut self, random: &mut Random) {
        if self.rest.is_readable() {
            self.send_a_bit(random);
        } else if !self.has_closed {
            self.has_closed = happened(self.stream.shutdown_write()).is_some();
        }
        if self.has_ended {
        } else if random.below(2) == 0 {
            if let Some(slice) = happened(self.stream.read_slice()) {
                self.has_ended = slice.is_none();
                self.received.extend(slice.iter().flat_map(SliceBuf::as_slice));
            }
        } else {
            let mut bytes = [0; 1000];
            if let Some(n) = happened(self.stream.read(&mut bytes)) {
                self.has_ended = n == 0;
                self.received.extend(&bytes[..n]);
            }
        }
    }

    fn send_a_bit(&mut self, random: &mut Random) {
        self.stream.session_mut().set_wrap_data_size(random.wrap_data_size());
        let n = random.size().min(self.rest.readable_bytes());
        match random.below(3) {
            0 => self.stream.send(self.rest.split_to(n)).unwrap(),
            1 => {
                let written = happened(self.stream.write(&self.rest.as_slice()[..n]));
                drop(self.rest.split_to(written.unwrap_or(0)));
            }
            _ => {
                happened(self.stream.flush());
            }
        }
    }
}

#[test]
fn what_was_agreed_can_be_seen() {
    let (ours, theirs) = connection();
    let mut client_config = configs::client(&[&TLS13]);
    client_config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut server_config = configs::server(&[&TLS13]);
    server_config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let server = thread::spawn(move || {
        let mut stream = TlsStream::server(theirs, Arc::new(server_config)).unwrap();
        stream.handshake().unwrap();
        stream.into_parts().1
    });
    let mut stream = TlsStream::client(ours, Arc::new(client_config), configs::name()).unwrap();
    stream.handshake().unwrap();
    let server: Session = server.join().unwrap();
    assert_eq!(server.state().alpn_protocol(), Some(&b"http/1.1"[..]));
    let client = stream.session().state();
    assert_eq!(client.alpn_protocol(), Some(&b"http/1.1"[..]));
    assert_eq!(client.peer_certificates().unwrap().len(), 1);
    assert!(client.negotiated_cipher_suite().is_some());
}
