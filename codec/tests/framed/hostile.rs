//! Peers that mean no good, and what comes of them: the same for both drivers.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;

use refbuf::{ByteBuf, SliceBuf};
use refbuf_codec::frame::{FrameError, LengthField, LengthFieldDecoder, LengthFieldEncoder};
use refbuf_codec::framed::Error;

pub const MAX: usize = 1000;

pub type Codec = (LengthFieldDecoder, LengthFieldEncoder);

/// Two bytes of length, and at most [`MAX`] with them.
pub fn codec() -> Codec {
    LengthField::new(2).max_frame_len(MAX).codec().unwrap()
}

pub fn frame(payload: &[u8]) -> Vec<u8> {
    let len = u16::try_from(payload.len()).unwrap();
    [&len.to_be_bytes(), payload].concat()
}

/// What a server got.
#[derive(Debug, PartialEq)]
pub enum Event {
    Frame(Vec<u8>),
    Error(FrameError),
    Failed(std::io::ErrorKind),
}

impl Event {
    pub fn of(result: Result<SliceBuf, Error<FrameError>>) -> Self {
        match result {
            Ok(frame) => Self::Frame(frame.to_vec()),
            Err(Error::Codec(error)) => Self::Error(error),
            Err(Error::Io(error)) => Self::Failed(error.kind()),
            Err(other) => panic!("{other}"),
        }
    }
}

pub struct Peer {
    pub name: &'static str,
    /// What it sends, a write each.
    pub writes: Vec<Vec<u8>>,
    pub expected: Vec<Event>,
}

pub fn peers() -> Vec<Peer> {
    let ok = |payload: &[u8]| Event::Frame(payload.to_vec());
    let too_long = |len| Event::Error(FrameError::TooLong { len, max: MAX as u64 });
    let truncated = |have, needed| Event::Error(FrameError::Truncated { have, needed });
    let text = [frame(b"one"), frame(b""), frame(b"three")].concat();
    vec![
        Peer {
            name: "byte by byte",
            writes: text.iter().map(|&byte| vec![byte]).collect(),
            expected: vec![ok(b"one"), ok(b""), ok(b"three")],
        },
        Peer {
            name: "ends within a header",
            writes: vec![frame(b"one"), vec![0]],
            expected: vec![ok(b"one"), truncated(1, 2)],
        },
        Peer {
            name: "ends within a payload",
            writes: vec![frame(b"one"), vec![0, 9, 1, 2, 3]],
            expected: vec![ok(b"one"), truncated(5, 11)],
        },
        Peer { name: "says nothing", writes: vec![], expected: vec![] },
        Peer {
            name: "too long, and goes on",
            writes: vec![frame(&[7; 60_000]), frame(b"one")],
            expected: vec![too_long(60_002), ok(b"one")],
        },
        Peer {
            name: "too long, and ends within it",
            writes: vec![frame(&[7; 60_000])[..50_000].to_vec()],
            expected: vec![too_long(60_002), truncated(50_000, 60_002)],
        },
        Peer {
            name: "speaks something else",
            writes: vec![b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n".to_vec()],
            expected: vec![too_long(2 + 0x4745), truncated(37, 2 + 0x4745)],
        },
        Peer {
            name: "a flood of nothing",
            writes: vec![vec![0; 200_000]],
            expected: (0..100_000).map(|_| ok(b"")).collect(),
        },
    ]
}

/// Lets a peer talk to a server, which serves a connection of the listener.
pub fn attack(peer: Peer, serve: impl FnOnce(TcpListener) -> Vec<Event>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let Peer { name, writes, expected } = peer;
    let sender = thread::spawn(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        for bytes in writes {
            stream.write_all(&bytes).unwrap();
        }
    });
    assert_eq!(serve(listener), expected, "{name}");
    sender.join().unwrap();
}
