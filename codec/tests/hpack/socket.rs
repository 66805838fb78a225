//! Header blocks over a socket, each behind its length, from peers that are
//! slow, end too early, or mean harm.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use super::support::{Owned, encode, header, sensitive};
use refbuf::{ByteBuf, CompositeBuf};
use refbuf_codec::Cut;
use refbuf_codec::hpack::{DecodeError, Decoder, Encoder};

const MAX_BLOCK: usize = 64 << 10;
const MAX_EMPTY: usize = 100;

#[derive(Debug, PartialEq)]
enum End {
    /// Between two blocks.
    Closed,
    WithinBlock,
    TooLong(usize),
    TooManyEmptyBlocks,
    Decode(DecodeError),
}

/// A server of one connection: how many headers it got, how many blocks were
/// over the limit, and how it ended.
fn serve(mut stream: TcpStream, mut decoder: Decoder) -> (Vec<Owned>, usize, End) {
    let (mut headers, mut refused, mut empty) = (Vec::new(), 0, 0);
    // Of small pieces: most blocks lie across seams.
    let mut input = CompositeBuf::new();
    let end = loop {
        if let Some(len) = input.try_get_u32(input.reader_index()).ok().map(|len| len as usize) {
            if len > MAX_BLOCK {
                break End::TooLong(len);
            }
            if input.readable_bytes() - 4 >= len {
                input.skip(4);
                let mut block = input.try_cut(len).unwrap();
                empty = if len == 0 { empty + 1 } else { 0 };
                if empty > MAX_EMPTY {
                    break End::TooManyEmptyBlocks;
                }
                match decoder.decode(&mut block, |header| headers.push(header.into())) {
                    Ok(()) => {}
                    Err(error) if error.recovers() => refused += 1,
                    Err(error) => break End::Decode(error),
                }
                continue;
            }
        }
        let mut piece = [0; 100];
        match stream.read(&mut piece) {
            Ok(0) if input.is_readable() => break End::WithinBlock,
            Ok(0) => break End::Closed,
            Ok(n) => input.push(piece[..n].to_vec()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => panic!("{error}"),
        }
    };
    (headers, refused, end)
}

/// What a server makes of a client.
fn against(client: impl FnOnce(TcpStream) + Send + 'static) -> (Vec<Owned>, usize, End) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let client = thread::spawn(move || client(TcpStream::connect(address).unwrap()));
    let (stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let outcome = serve(stream, Decoder::new().with_max_header_list_size(2000));
    client.join().unwrap();
    outcome
}

fn frame(block: &[u8]) -> Vec<u8> {
    let len = u32::try_from(block.len()).unwrap();
    [&len.to_be_bytes()[..], block].concat()
}

/// The server may have closed the connection already.
fn send(mut stream: TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
}

fn requests(count: usize) -> (Vec<Owned>, Vec<u8>) {
    let (mut encoder, mut headers, mut frames) = (Encoder::new(), Vec::new(), Vec::new());
    for i in 0..count {
        let request = [
            header(":method", "GET"),
            header(":path", &format!("/item/{i}")),
            header("user-agent", "somebody's browser/1.0 (with a long comment)"),
            sensitive("authorization", &format!("Basic {i}")),
            header("x-request-id", &format!("{:016x}", i / 2)),
        ];
        frames.extend(frame(&encode(&mut encoder, &request)));
        headers.extend(request);
    }
    (headers, frames)
}

#[test]
fn many_blocks() {
    let (headers, frames) = requests(500);
    let outcome = against(move |stream| send(stream, &frames));
    assert_eq!(outcome, (headers, 0, End::Closed));
}

#[test]
fn a_slow_peer() {
    let (headers, frames) = requests(5);
    let outcome = against(move |mut stream| {
        stream.set_nodelay(true).unwrap();
        for piece in frames.chunks(3) {
            stream.write_all(piece).unwrap();
            thread::sleep(Duration::from_micros(200));
        }
    });
    assert_eq!(outcome, (headers, 0, End::Closed));
}

#[test]
fn a_peer_that_ends_within_a_block() {
    let (_, frames) = requests(3);
    let outcome = against(move |stream| send(stream, &frames[..frames.len() - 1]));
    assert_eq!((outcome.0.len(), outcome.2), (10, End::WithinBlock));
}

#[test]
fn a_block_that_ends_within_a_header() {
    let outcome = against(|stream| send(stream, &frame(b"\x82\x40\x03na")));
    assert_eq!(
        (outcome.0.len(), outcome.2),
        (1, End::Decode(DecodeError::Truncated { missing: 1 }))
    );
}

#[test]
fn a_peer_that_announces_too_much() {
    let outcome = against(|stream| send(stream, &[0xff, 0xff, 0xff, 0xff, 0x82]));
    assert_eq!(outcome, (vec![], 0, End::TooLong(u32::MAX as usize)));
}

/// Blocks over the limit do not disturb those before and behind them.
#[test]
fn lists_that_are_too_long() {
    let mut encoder = Encoder::new();
    let small = [header("small", "1")];
    let large: Vec<Owned> = (0..100).map(|i| header(&format!("name-{i}"), "value")).collect();
    let frames: Vec<u8> = [&small[..], &large, &small, &large, &small]
        .into_iter()
        .flat_map(|list| frame(&encode(&mut encoder, list)))
        .collect();
    let (headers, refused, end) = against(move |stream| send(stream, &frames));
    assert_eq!((refused, end), (2, End::Closed));
    assert_eq!(headers.iter().filter(|header| header.name == b"small").count(), 3);
    assert!(headers.len() < 100);
}

#[test]
fn garbage() {
    let mut state = 1u32;
    let garbage: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    })
    .take(5000)
    .collect();
    let (_, _, end) = against(move |stream| send(stream, &frame(&garbage)));
    assert!(matches!(end, End::Decode(error) if !error.recovers()), "{end:?}");
}

#[test]
fn a_flood_of_empty_blocks() {
    let outcome = against(|stream| send(stream, &frame(&[]).repeat(100_000)));
    assert_eq!(outcome, (vec![], 0, End::TooManyEmptyBlocks));
}

#[test]
fn a_flood_of_size_updates() {
    let outcome = against(|stream| send(stream, &frame(&[0x20; 60_000])));
    assert_eq!(outcome, (vec![], 0, End::Decode(DecodeError::TooManySizeUpdates)));
    // Two in a block may be, in any number of blocks.
    let outcome = against(|stream| send(stream, &frame(&[0x20, 0x3f, 0xe1, 0x1f]).repeat(10_000)));
    assert_eq!(outcome, (vec![], 0, End::Closed));
}

/// A large entry, and then blocks of nothing but its index.
#[test]
fn a_flood_of_large_headers() {
    let mut frames = frame(&[&[0x40, 0x00, 0x7f, 0xe1, 0x1e][..], &[b'x'; 4064]].concat());
    (0..20).for_each(|_| frames.extend(frame(&[0xbe; 50_000])));
    let outcome = against(move |stream| send(stream, &frames));
    assert_eq!(outcome, (vec![], 21, End::Closed));
}
