//! HTTP/1.1 over real sockets, with peers that mean no good.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use refbuf::{ByteBuf, Pool, PoolConfig, SliceBuf};
use refbuf_codec::framed::{Error, Options, blocking::Framed};
use refbuf_codec::http1::{
    BodyLen, ClientCodec, DecodeError, EncodeError, Event, Limits, Request, Response, ServerCodec,
};

/// How a connection ended.
#[derive(Debug, PartialEq)]
enum Ended {
    /// As it should; so many requests were answered.
    Well(usize),
    Refused(DecodeError),
    Broken(ErrorKind),
}

/// What was the most that a server held for a peer.
#[derive(Debug)]
struct Held {
    /// Memory of all buffers.
    memory: usize,
    /// Bytes to be sent, when the connection ended.
    queued: usize,
}

/// Answers every request with `answer` once it is complete.
fn serve(stream: &TcpStream, answer: &SliceBuf) -> (Ended, Held) {
    let pool = Pool::new(PoolConfig::new());
    let options = Options::new().allocator(&pool);
    let mut framed = Framed::with_options(stream, ServerCodec::new(), &options);
    let ended = answer_all(&mut framed, answer);
    let held = Held { memory: pool.stats().reserved_high, queued: framed.queued() };
    (ended, held)
}

type Server<'a> = Framed<&'a TcpStream, ServerCodec>;

fn answer_all(framed: &mut Server<'_>, answer: &SliceBuf) -> Ended {
    let mut answered = 0;
    loop {
        match framed.receive() {
            Ok(Some(Event::End(_))) => {
                if let Err(error) = respond(framed, 200, answer.clone()) {
                    return broken(error);
                }
                answered += 1;
            }
            Ok(Some(_)) => {}
            Ok(None) => return Ended::Well(answered),
            Err(Error::Codec(error)) => {
                if framed.codec().unanswered() != 0 {
                    respond(framed, error.status(), SliceBuf::new()).expect("a last answer");
                }
                linger(framed.get_ref());
                return Ended::Refused(error);
            }
            Err(error) => return broken(error),
        }
    }
}

fn respond(framed: &mut Server<'_>, status: u16, body: SliceBuf) -> Result<(), Error<EncodeError>> {
    let len = BodyLen::Length(body.readable_bytes() as u64);
    framed.feed(Response::new(status).body(len))?;
    framed.send(body)
}

/// The stream is, and nothing else.
fn broken<E: std::fmt::Debug>(error: Error<E>) -> Ended {
    match error {
        Error::Io(error) => Ended::Broken(error.kind()),
        other => panic!("{other:?}"),
    }
}

/// Reads what the peer still sends, so that the system does not take back what
/// was sent to it; not for long.
fn linger(mut stream: &TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let mut rest = [0; 4096];
    for _ in 0..2000 {
        if matches!(stream.read(&mut rest), Ok(0) | Err(_)) {
            break;
        }
    }
}

/// Both ends of a connection, with timeouts so that no test hangs.
fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (far, _) = listener.accept().unwrap();
    for stream in [&near, &far] {
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(10))).unwrap();
    }
    (near, far)
}

/// What the server said of `peer`, and what the peer returned.
fn against<T>(peer: impl FnOnce(TcpStream) -> T) -> (Ended, Held, T) {
    let (near, far) = pair();
    let server = thread::spawn(move || serve(&far, &SliceBuf::from_static(b"hello")));
    let result = peer(near);
    let (ended, held) = server.join().unwrap();
    (ended, held, result)
}

fn all(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// Sends `text`, hangs up, and reads to the end.
fn says(text: Vec<u8>) -> impl FnOnce(TcpStream) -> String {
    move |mut stream| {
        // The server may hang up before it has read all of it.
        let _ = stream.write_all(&text);
        let _ = stream.shutdown(Shutdown::Write);
        all(stream)
    }
}

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

#[test]
fn a_head_that_comes_byte_by_byte_is_one() {
    let (ended, _, answer) = against(|mut stream| {
        for byte in REQUEST {
            stream.write_all(&[*byte]).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
        stream.shutdown(Shutdown::Write).unwrap();
        all(stream)
    });
    assert_eq!(ended, Ended::Well(1));
    assert!(answer.ends_with("\r\n\r\nhello"), "{answer}");
}

#[test]
fn a_peer_that_hangs_up_within_a_body_is_noticed() {
    let text = b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello".to_vec();
    let (ended, _, answer) = against(says(text));
    assert_eq!(ended, Ended::Refused(DecodeError::TruncatedBody { missing: 5 }));
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
}

#[test]
fn a_head_without_an_end_is_refused_and_not_kept() {
    let mut text = REQUEST[..REQUEST.len() - 2].to_vec();
    text.extend_from_slice(b"X: ");
    text.resize(4 << 20, b'x');
    let (ended, held, answer) = against(says(text));
    assert_eq!(ended, Ended::Refused(DecodeError::HeadTooLong { max: 16 << 10 }));
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    assert!(held.memory <= 256 << 10, "{held:?}");
}

#[test]
fn what_is_no_http_is_refused_at_once() {
    let (ended, _, answer) = against(|mut stream| {
        // The beginning of a TLS handshake, and then nothing: no waiting.
        stream.write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").unwrap();
        let mut answer = [0; 13];
        stream.read_exact(&mut answer).unwrap();
        answer
    });
    assert_eq!(ended, Ended::Refused(DecodeError::InvalidMethod));
    assert_eq!(&answer, b"HTTP/1.1 400 ");
}

#[test]
fn a_flood_of_tiny_chunks_is_refused() {
    let mut text = b"PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    text.extend(b"1\r\nx\r\n".repeat(100_000));
    let (ended, held, answer) = against(says(text));
    assert_eq!(ended, Ended::Refused(DecodeError::ChunkOverhead { max: 1 << 20 }));
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(held.memory <= 256 << 10, "{held:?}");
}

#[test]
fn a_thousand_requests_at_once_are_answered_in_order() {
    let mut text = Vec::new();
    for _ in 0..500 {
        text.extend_from_slice(REQUEST);
        text.extend_from_slice(b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    }
    let (ended, _, answer) = against(move |stream| {
        let mut writer = stream.try_clone().unwrap();
        let writing = thread::spawn(move || {
            writer.write_all(&text).unwrap();
            writer.shutdown(Shutdown::Write).unwrap();
        });
        let answer = all(stream);
        writing.join().unwrap();
        answer
    });
    assert_eq!(ended, Ended::Well(1000));
    assert_eq!(answer, "HTTP/1.1 200 \r\ncontent-length: 5\r\n\r\nhello".repeat(1000));
}

#[test]
fn a_peer_that_does_not_read_holds_one_answer() {
    let (near, far) = pair();
    far.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    let answer = SliceBuf::from(vec![b'x'; 1 << 20]);
    let server = thread::spawn(move || serve(&far, &answer));
    // As much as it takes to fill what the system holds, and it is not read.
    let mut writer = near.try_clone().unwrap();
    let _ = writer.write_all(&REQUEST.repeat(1000));
    let (ended, held) = server.join().unwrap();
    // Named differently by different systems.
    assert!(
        matches!(ended, Ended::Broken(ErrorKind::WouldBlock | ErrorKind::TimedOut)),
        "{ended:?}"
    );
    assert!(held.queued < (1 << 20) + 100, "{held:?}");
    assert!(held.memory <= 256 << 10, "{held:?}");
    drop(near);
}

/// What a client says of a server that sends `text` and hangs up.
fn client_of(text: Vec<u8>, limits: Limits) -> (usize, DecodeError) {
    let (near, mut far) = pair();
    let server = thread::spawn(move || {
        let mut request = vec![0; REQUEST.len()];
        far.read_exact(&mut request).unwrap();
        // The client may hang up before it has read all of it.
        let _ = far.write_all(&text);
    });
    let mut framed = Framed::new(&near, ClientCodec::with_limits(limits));
    framed.send(Request::new("GET", "/").fields([("Host", "a")])).unwrap();
    let mut events = 0;
    let error = loop {
        match framed.receive() {
            Ok(Some(_)) => events += 1,
            Err(Error::Codec(error)) => break error,
            other => panic!("{other:?}"),
        }
    };
    drop(framed);
    drop(near);
    server.join().unwrap();
    (events, error)
}

#[test]
fn a_client_is_as_careful_with_its_server() {
    let limits = Limits::new().body(1 << 20);
    assert_eq!(client_of(Vec::new(), limits), (0, DecodeError::Unanswered { requests: 1 }));
    assert_eq!(
        client_of(b"HTTP/1.1 100 \r\n\r\n".repeat(100), limits),
        (16, DecodeError::TooManyInterim { max: 16 })
    );
    assert_eq!(
        client_of(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n".to_vec(), limits).1,
        DecodeError::BodyTooLong { len: 99_999_999_999, max: 1 << 20 }
    );
    let endless = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'x'; 2 << 20]].concat();
    assert_eq!(
        client_of(endless, limits).1,
        DecodeError::BodyTooLong { len: (1 << 20) + 1, max: 1 << 20 }
    );
    let endless = [b"HTTP/1.1 200 OK\r\n".to_vec(), b"a:\r\n".repeat(100_000)].concat();
    assert_eq!(client_of(endless, limits), (0, DecodeError::TooManyFields { max: 100 }));
    let cut = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel".to_vec();
    assert_eq!(client_of(cut, limits).1, DecodeError::TruncatedChunks);
}
