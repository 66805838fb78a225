//! Over `std::io`.

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use refbuf::{ByteBuf, HeapBuf, SliceBuf};
use refbuf_codec::frame::{Delimiter, FrameError, LengthField, Varint};
use refbuf_codec::framed::{Error, Options, blocking::Framed};

use crate::hostile::{Event, attack, codec, frame, peers};
use crate::script::{Script, Step};

fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (client, listener.accept().unwrap().0)
}

#[test]
fn no_peer_does_any_harm() {
    for peer in peers() {
        attack(peer, |listener| {
            let stream = listener.accept().unwrap().0;
            let mut framed = Framed::new(&stream, codec());
            let events = framed.by_ref().map(Event::of).collect();
            assert_eq!(framed.receive().unwrap(), None);
            let parts = framed.into_parts();
            assert!(parts.input.allocation_len() <= 128 << 10);
            events
        });
    }
}

#[test]
fn a_stream_that_would_block_loses_nothing() {
    let bytes = [frame(b"one"), frame(b""), frame(b"three")].concat();
    for kind in [ErrorKind::WouldBlock, ErrorKind::TimedOut] {
        let mut framed = Framed::new(Script::stuttering(&bytes, kind), codec());
        let mut frames = Vec::new();
        let mut blocked = 0;
        loop {
            match framed.receive() {
                Ok(Some(frame)) => frames.push(frame.to_vec()),
                Ok(None) => break,
                Err(error) => {
                    assert!(error.is_transient(), "{error}");
                    blocked += 1;
                }
            }
        }
        assert_eq!(blocked, bytes.len());
        assert_eq!(frames, [&b"one"[..], b"", b"three"]);
    }
}

#[test]
fn an_interrupted_call_is_made_again() {
    let script = Script::stuttering(&frame(b"one"), ErrorKind::Interrupted);
    let mut framed = Framed::new(script, codec());
    assert_eq!(framed.receive().unwrap().unwrap(), b"one");
    framed.get_mut().failures = [ErrorKind::Interrupted; 3].into();
    framed.send("answer").unwrap();
    assert_eq!(framed.get_ref().written, frame(b"answer"));
}

#[test]
fn after_an_error_of_the_stream_nothing_comes() {
    let steps = [
        Step::Bytes(frame(b"one")),
        Step::Bytes(vec![0, 9]),
        Step::Fail(ErrorKind::ConnectionReset),
        Step::Bytes(vec![0; 100]),
    ];
    let mut framed = Framed::new(Script::of(steps), codec());
    assert_eq!(framed.receive().unwrap().unwrap(), b"one");
    let error = framed.receive().unwrap_err();
    assert!(matches!(&error, Error::Io(e) if e.kind() == ErrorKind::ConnectionReset), "{error}");
    assert!(!error.is_transient());
    for _ in 0..3 {
        assert_eq!(framed.receive().unwrap(), None);
    }
    assert_eq!(framed.get_ref().steps.len(), 1);
}

#[test]
fn after_an_error_for_good_nothing_comes() {
    let bytes = b"\x01a\xff\xff\xff\xff\xff\x01a".to_vec();
    let mut framed = Framed::new(Script::of([Step::Bytes(bytes)]), Varint::new().decoder());
    assert_eq!(framed.receive().unwrap().unwrap(), b"a");
    assert!(matches!(framed.receive(), Err(Error::Codec(FrameError::InvalidVarint))));
    assert_eq!(framed.receive().unwrap(), None);
    assert_eq!(framed.count(), 0);
}

#[test]
fn the_last_line_comes_at_the_end() {
    let text = &b"one\r\ntwo"[..];
    let mut lines = Framed::new(text, Delimiter::lines().decoder().unwrap());
    assert_eq!(lines.receive().unwrap().unwrap(), b"one");
    assert_eq!(lines.receive().unwrap().unwrap(), b"two");
    assert_eq!(lines.receive().unwrap(), None);
}

/// A length of 32 MiB with nothing behind it costs 64 KiB and a read. Of what
/// has been sent, memory is twice as much at the most.
#[test]
fn memory_is_for_what_came_not_for_what_was_claimed() {
    const CLAIMED: usize = 32 << 20;
    let decoder = LengthField::new(4).max_frame_len(64 << 20).decoder().unwrap();
    let mut steps = vec![Step::Bytes(u32::try_from(CLAIMED).unwrap().to_be_bytes().to_vec())];
    steps.extend(
        (0..64).flat_map(|_| [Step::Fail(ErrorKind::WouldBlock), Step::Bytes(vec![0; 50_000])]),
    );
    steps.push(Step::Fail(ErrorKind::WouldBlock));
    let mut framed = Framed::new(Script::of(steps), decoder);
    let mut received = 4;
    for _ in 0..65 {
        assert!(framed.receive().unwrap_err().is_transient());
        let parts = framed.into_parts();
        assert_eq!(parts.input.readable_bytes(), received);
        let used = parts.input.allocation_len();
        let most = 2 * received + (128 << 10);
        assert!(used <= most, "{used} bytes for {received} received");
        framed = Framed::with_input(parts.stream, parts.codec, &Options::new(), parts.input);
        received += 50_000;
    }
}

#[test]
fn a_long_frame_is_received_into_room_made_at_once() {
    let payload = vec![7; 4 << 20];
    let len = u32::try_from(payload.len()).unwrap();
    let bytes = [&len.to_be_bytes(), &payload[..]].concat();
    let mut framed = Framed::new(&bytes[..], LengthField::new(4).decoder().unwrap());
    assert_eq!(framed.receive().unwrap().unwrap(), payload);
    assert_eq!(framed.receive().unwrap(), None);
}

#[test]
fn whatever_a_write_takes_all_arrives_in_order() {
    let payloads: Vec<Vec<u8>> = (0..200).map(|i| vec![1; i * 20]).collect();
    let expected: Vec<u8> = payloads.iter().flat_map(|payload| frame(payload)).collect();
    for at_most in [Some(3), Some(100), Some(10_000), None] {
        let encoder = LengthField::new(2).encoder().unwrap();
        let script = Script { at_most, ..Script::default() };
        let mut framed = Framed::with_options(script, encoder, &Options::new().write_limit(60_000));
        for payload in &payloads {
            framed.feed(payload.clone()).unwrap();
            assert!(framed.queued() < 60_000);
        }
        framed.flush().unwrap();
        let script = framed.get_ref();
        assert_eq!((script.written == expected, script.flushes), (true, 1));
        if at_most.is_none() {
            // Many frames with one write, of many pieces.
            assert!(script.writes <= 15, "{}", script.writes);
            assert!(script.pieces > 10 * script.writes, "{script:?}");
        }
    }
}

#[test]
fn a_write_that_would_block_loses_nothing_and_takes_no_more_than_the_limit() {
    let encoder = LengthField::new(2).encoder().unwrap();
    let script = Script { room: Some(0), ..Script::default() };
    let mut framed = Framed::with_options(script, encoder, &Options::new().write_limit(1000));
    let mut taken = Vec::new();
    let mut blocked = false;
    for i in 0..100 {
        match framed.feed(vec![i; 98]) {
            Ok(()) => assert!(!blocked),
            // The one that reached the limit.
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock && !blocked => {
                blocked = true;
            }
            Err(Error::Full { queued: 1000 }) => {
                assert!(blocked && framed.ready().is_err());
                continue;
            }
            Err(other) => panic!("{other}"),
        }
        taken.extend(frame(&[i; 98]));
    }
    assert_eq!((taken.len(), framed.queued()), (1000, 1000));
    framed.get_mut().failures = [ErrorKind::TimedOut].into();
    assert!(matches!(framed.feed("x"), Err(Error::Full { queued: 1000 })));
    let script = framed.get_mut();
    script.room = None;
    script.failures = [ErrorKind::WouldBlock].into();
    script.at_most = Some(7);
    assert_eq!(framed.flush().unwrap_err().kind(), ErrorKind::WouldBlock);
    framed.flush().unwrap();
    assert_eq!(framed.get_ref().written, taken);
}

#[test]
fn a_stream_that_takes_nothing_is_an_error() {
    let script = Script { at_most: Some(0), ..Script::default() };
    let mut framed = Framed::new(script, codec());
    match framed.send("x") {
        Err(Error::Io(error)) => assert_eq!(error.kind(), ErrorKind::WriteZero),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_cannot_be_encoded_leaves_the_queue_as_it_was() {
    let mut framed = Framed::new(Script::default(), codec());
    framed.feed("one").unwrap();
    assert!(matches!(framed.feed(vec![0; 1000]), Err(Error::Codec(FrameError::TooLong { .. }))));
    framed.send("two").unwrap();
    assert_eq!(framed.get_ref().written, [frame(b"one"), frame(b"two")].concat());
}

#[test]
fn payloads_are_let_go_when_they_are_sent() {
    let payload = SliceBuf::from(vec![0; 9000]);
    let mut framed = Framed::new(Script::default(), LengthField::new(2).encoder().unwrap());
    framed.feed(payload.clone()).unwrap();
    assert_eq!(payload.ref_count(), 2);
    framed.flush().unwrap();
    assert_eq!(payload.ref_count(), 1);
}

/// A socket that nobody reads from takes what its buffers hold; then the limit
/// holds, whether it blocks or not.
#[test]
fn a_peer_that_never_reads_costs_the_limit() {
    const LIMIT: usize = 64 << 10;
    let (client, server) = pair();
    server.set_nonblocking(true).unwrap();
    let mut framed = Framed::new(&server, codec());
    let payload = SliceBuf::from(vec![0; 900]);
    loop {
        match framed.feed(payload.clone()) {
            Ok(()) => assert!(framed.queued() < LIMIT),
            Err(Error::Full { queued }) => break assert!(queued < LIMIT + 902),
            Err(error) => assert!(error.is_transient(), "{error}"),
        }
    }
    drop(client);

    let (client, server) = pair();
    server.set_write_timeout(Some(Duration::from_millis(20))).unwrap();
    let mut framed = Framed::new(&server, codec());
    let error = loop {
        if let Err(error) = framed.feed(payload.clone()) {
            break error;
        }
    };
    assert!(error.is_transient(), "{error}");
    assert!(framed.queued() < LIMIT + 902);
    drop(client);
}

#[test]
fn a_peer_that_reads_late_gets_all() {
    let (client, server) = pair();
    server.set_nonblocking(true).unwrap();
    let reader = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        Framed::new(client, codec()).map(|frame| frame.unwrap().get_u8(0)).collect::<Vec<_>>()
    });
    let mut framed = Framed::new(server, codec());
    let payloads: Vec<SliceBuf> = (0..=255u8).map(|i| SliceBuf::from(vec![i; 900])).collect();
    let sent: Vec<u8> = (0..40).flat_map(|_| 0..=255).collect();
    for &i in &sent {
        while let Err(error) = framed.ready() {
            assert_eq!(error.kind(), ErrorKind::WouldBlock);
            std::thread::sleep(Duration::from_millis(1));
        }
        match framed.feed(payloads[usize::from(i)].clone()) {
            Ok(()) => {}
            Err(error) => assert!(error.is_transient() && !matches!(error, Error::Full { .. })),
        }
    }
    while let Err(error) = framed.flush() {
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(framed);
    assert!(reader.join().unwrap() == sent);
}

#[test]
fn what_is_left_over_goes_to_the_next_protocol() {
    let bytes = [frame(b"upgrade"), b"line\nrest".to_vec()].concat();
    let mut framed = Framed::new(&bytes[..], codec());
    assert_eq!(framed.receive().unwrap().unwrap(), b"upgrade");
    let parts = framed.into_parts();
    let lines = Delimiter::lines().decoder().unwrap();
    let mut lines: Framed<_, _, HeapBuf> =
        Framed::with_input(parts.stream, lines, &Options::new(), parts.input);
    assert_eq!(lines.receive().unwrap().unwrap(), b"line");
    assert_eq!(lines.receive().unwrap().unwrap(), b"rest");
}
