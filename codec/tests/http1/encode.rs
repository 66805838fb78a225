//! The HTTP/1.1 encoders: what they send, and what they refuse to.

use crate::seen::{Seen, pairs, received, record, requests, responses};
use proptest::prelude::*;
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, HeapBuf, SliceBuf};
use refbuf_codec::http1::{
    Asked, BodyLen, ClientCodec, DecodeError, EncodeError, End, Event, Limits, Request,
    RequestDecoder, RequestEncoder, Response, ResponseEncoder, ServerCodec,
};
use refbuf_codec::{Decoder, Encoder};

const HOST: [(&str, &str); 1] = [("host", "a")];

fn get<'a>() -> Request<'a, [(&'static str, &'static str); 1]> {
    Request::new("GET", "/").fields(HOST)
}

fn server_asked(asked: Asked) -> ResponseEncoder {
    let mut encoder = ResponseEncoder::new();
    encoder.expect(asked);
    encoder
}

/// What `Asked` a request leads to.
fn asked_by(text: &str) -> Asked {
    let mut input = HeapBuf::from(text.as_bytes().to_vec());
    match RequestDecoder::new().decode(&mut input).unwrap() {
        Some(Event::Head(head)) => head.asked(),
        other => panic!("{other:?}"),
    }
}

fn old(connection: &str) -> Asked {
    asked_by(&format!("GET / HTTP/1.0\r\nConnection: {connection}\r\n\r\n"))
}

#[test]
fn a_request_is_written_as_it_was_given() {
    let mut output = CompositeBuf::new();
    let mut encoder = RequestEncoder::new();
    let values: Vec<(String, Vec<u8>)> =
        vec![("Host".into(), b"a".to_vec()), ("X".into(), b"\xe9\t\"".to_vec())];
    encoder.encode(Request::new("PATCH", "/\u{e9}?a").fields(values), &mut output).unwrap();
    assert_eq!(output, b"PATCH /\xc3\xa9?a HTTP/1.1\r\nHost: a\r\nX: \xe9\t\"\r\n\r\n");
    assert!(!encoder.takes_data());
}

#[test]
fn a_response_says_how_long_it_is() {
    let sent = |asked: Asked, status: u16, body: BodyLen| {
        let mut output = CompositeBuf::new();
        server_asked(asked).encode(Response::new(status).body(body), &mut output).unwrap();
        String::from_utf8(output.to_vec()).unwrap()
    };
    let (get, head) = (Asked::by("GET"), Asked::by("HEAD"));
    let is = |text: String, fields: &str| {
        let line = &text[..text.find("\r\n").unwrap() + 2];
        assert_eq!(text, format!("{line}{fields}\r\n"));
    };
    is(sent(get, 200, BodyLen::Empty), "content-length: 0\r\n");
    is(sent(get, 200, BodyLen::Length(7)), "content-length: 7\r\n");
    is(sent(get, 200, BodyLen::Length(u64::MAX)), "content-length: 18446744073709551615\r\n");
    is(sent(get, 200, BodyLen::Chunked), "transfer-encoding: chunked\r\n");
    is(sent(get, 200, BodyLen::UntilClose), "connection: close\r\n");
    is(sent(get, 204, BodyLen::Empty), "");
    is(sent(get, 204, BodyLen::Length(0)), "");
    is(sent(get, 205, BodyLen::Empty), "content-length: 0\r\n");
    is(sent(get, 304, BodyLen::Empty), "");
    is(sent(get, 304, BodyLen::Length(7)), "content-length: 7\r\n");
    is(sent(get, 100, BodyLen::Empty), "");
    is(sent(head, 200, BodyLen::Empty), "");
    is(sent(head, 200, BodyLen::Length(7)), "content-length: 7\r\n");
    is(sent(head, 200, BodyLen::Chunked), "transfer-encoding: chunked\r\n");
    is(sent(head, 200, BodyLen::UntilClose), "");
    is(sent(Asked::by("CONNECT"), 200, BodyLen::Empty), "");
    is(sent(Asked::by("CONNECT"), 403, BodyLen::Empty), "content-length: 0\r\n");
    is(sent(get.upgrade(), 101, BodyLen::Empty), "");
    // An old client knows neither chunks nor that connections go on.
    is(sent(old("x"), 200, BodyLen::Length(7)), "content-length: 7\r\nconnection: close\r\n");
    is(sent(old("x"), 200, BodyLen::Chunked), "connection: close\r\n");
    is(
        sent(old("keep-alive"), 200, BodyLen::Length(7)),
        "content-length: 7\r\nconnection: keep-alive\r\n",
    );
    is(sent(old("keep-alive"), 200, BodyLen::Chunked), "connection: close\r\n");
}

#[test]
fn an_old_client_gets_a_chunked_body_until_the_connection_ends() {
    let mut output = CompositeBuf::new();
    let mut encoder = server_asked(old("keep-alive"));
    encoder.encode(Response::new(200).body(BodyLen::Chunked), &mut output).unwrap();
    encoder.encode(&b"hello"[..], &mut output).unwrap();
    assert!(!encoder.is_over());
    encoder.encode(End::new(), &mut output).unwrap();
    assert!(encoder.is_over());
    assert!(output.to_vec().ends_with(b"\r\n\r\nhello"));
}

#[test]
fn where_there_is_no_body_none_is_sent() {
    let refused = |asked: Asked, status: u16, len: BodyLen| {
        let mut output = CompositeBuf::new();
        let mut encoder = server_asked(asked);
        match encoder.encode(Response::new(status).body(len), &mut output) {
            Err(EncodeError::BodyNotAllowed) => {
                assert_eq!(output, b"");
                true
            }
            Ok(()) => {
                let sent = output.to_vec();
                let result = encoder.encode(&b"x"[..], &mut output);
                assert_eq!(result, Err(EncodeError::BodyNotAllowed));
                assert_eq!(output, sent);
                // No data is no body, and the end is one anywhere.
                encoder.encode(&b""[..], &mut output).unwrap();
                encoder.encode(End::new(), &mut output).unwrap();
                assert_eq!(output, sent);
                false
            }
            other => panic!("{other:?}"),
        }
    };
    let (get, head) = (Asked::by("GET"), Asked::by("HEAD"));
    assert!(!refused(head, 200, BodyLen::Length(1)));
    assert!(!refused(head, 200, BodyLen::Chunked));
    assert!(!refused(get, 304, BodyLen::Length(1)));
    assert!(!refused(get, 204, BodyLen::Empty));
    assert!(refused(get, 204, BodyLen::Length(1)));
    assert!(refused(get, 204, BodyLen::Chunked));
    assert!(refused(get, 205, BodyLen::Length(1)));
    assert!(refused(get, 100, BodyLen::Length(1)));
    assert!(refused(Asked::by("CONNECT"), 200, BodyLen::Length(1)));
    let mut output = CompositeBuf::new();
    let tunnel = Request::new("CONNECT", "a:1").fields(HOST).body(BodyLen::Length(1));
    assert_eq!(RequestEncoder::new().encode(tunnel, &mut output), Err(EncodeError::BodyNotAllowed));
}

#[test]
fn nothing_is_injected_through_a_head() {
    let mut output = CompositeBuf::new();
    output.write_bytes(b"before");
    let mut encoder = RequestEncoder::new();
    for bad in ["\r", "\n", "\0", "\r\n", "\r\nx: y", "\x7f", "\x1b"] {
        let text = format!("a{bad}b");
        let mut refused = |request: Request<'_, [(&str, &str); 2]>, error: EncodeError| {
            assert_eq!(encoder.encode(request, &mut output), Err(error), "{text:?}");
            assert_eq!(output, b"before");
        };
        let fine = [("host", "a"), ("x", "y")];
        refused(Request::new(&text, "/").fields(fine), EncodeError::InvalidMethod);
        refused(Request::new("GET", &text).fields(fine), EncodeError::InvalidTarget);
        let name = [("host", "a"), (text.as_str(), "y")];
        refused(Request::new("GET", "/").fields(name), EncodeError::InvalidFieldName { field: 1 });
        let value = [("host", "a"), ("x", text.as_str())];
        refused(
            Request::new("GET", "/").fields(value),
            EncodeError::InvalidFieldValue { field: 1 },
        );
        let mut server = server_asked(Asked::by("GET"));
        assert_eq!(
            server.encode(Response::new(200).reason(&text), &mut output),
            Err(EncodeError::InvalidReason)
        );
        assert_eq!(
            server.encode(Response::new(200).fields([("x", &text)]), &mut output),
            Err(EncodeError::InvalidFieldValue { field: 0 })
        );
    }
    let mut refused = |request: Request<'_, [(&str, &str); 2]>, error: EncodeError| {
        assert_eq!(encoder.encode(request, &mut output), Err(error));
        assert_eq!(output, b"before");
    };
    let fine = [("host", "a"), ("x", "y")];
    refused(Request::new("", "/").fields(fine), EncodeError::InvalidMethod);
    refused(Request::new("GET ", "/").fields(fine), EncodeError::InvalidMethod);
    refused(Request::new("GET", "").fields(fine), EncodeError::InvalidTarget);
    refused(Request::new("GET", "/ HTTP/1.1").fields(fine), EncodeError::InvalidTarget);
    for name in ["", "x:", "x y", "x\u{e9}", " x"] {
        let fields = [("host", "a"), (name, "y")];
        refused(
            Request::new("GET", "/").fields(fields),
            EncodeError::InvalidFieldName { field: 1 },
        );
    }
    for value in [" y", "y ", "\ty"] {
        let fields = [("host", "a"), ("x", value)];
        refused(
            Request::new("GET", "/").fields(fields),
            EncodeError::InvalidFieldValue { field: 1 },
        );
    }
    for name in ["Content-Length", "transfer-encoding"] {
        let fields = [("host", "a"), (name, "5")];
        refused(Request::new("GET", "/").fields(fields), EncodeError::FramingField { field: 1 });
    }
    refused(
        Request::new("GET", "/").fields([("host", "a"), ("Host", "b")]),
        EncodeError::Host { count: 2 },
    );
    refused(
        Request::new("GET", "/").fields([("x", "a"), ("y", "b")]),
        EncodeError::Host { count: 0 },
    );
    refused(Request::new("GET", "/").fields(fine).body(BodyLen::UntilClose), EncodeError::NoLength);
    for status in [0, 99, 1000] {
        assert_eq!(
            server_asked(Asked::by("GET")).encode(Response::new(status), &mut output),
            Err(EncodeError::InvalidStatus { status })
        );
    }
    // And after all this the encoder is as new.
    encoder.encode(get(), &mut output).unwrap();
}

#[test]
fn an_announced_length_is_kept() {
    let mut output = CompositeBuf::new();
    let mut encoder = RequestEncoder::new();
    assert_eq!(encoder.encode(&b"x"[..], &mut output), Err(EncodeError::NoMessage));
    assert_eq!(encoder.encode(End::new(), &mut output), Err(EncodeError::NoMessage));
    encoder.encode(get().body(BodyLen::Length(5)), &mut output).unwrap();
    encoder.encode(SliceBuf::from_static(b"hel"), &mut output).unwrap();
    let sent = output.to_vec();
    assert_eq!(
        encoder.encode(SliceBuf::from_static(b"lo!"), &mut output),
        Err(EncodeError::BodyTooLong { len: 3, left: 2 })
    );
    assert_eq!(
        encoder.encode(SliceBuf::from(vec![0; 10_000]), &mut output),
        Err(EncodeError::BodyTooLong { len: 10_000, left: 2 })
    );
    assert_eq!(encoder.encode(End::new(), &mut output), Err(EncodeError::BodyTooShort { left: 2 }));
    assert_eq!(encoder.encode(get(), &mut output), Err(EncodeError::Unfinished));
    assert_eq!(output, sent);
    assert!(encoder.takes_data());
    encoder.encode(SliceBuf::from_static(b"lo"), &mut output).unwrap();
    assert!(!encoder.takes_data());
    assert_eq!(
        encoder.encode(&b"x"[..], &mut output),
        Err(EncodeError::BodyTooLong { len: 1, left: 0 })
    );
    assert_eq!(
        encoder.encode(End::new().trailers([("x", "y")]), &mut output),
        Err(EncodeError::TrailersNotAllowed)
    );
    encoder.encode(End::new(), &mut output).unwrap();
    assert_eq!(output, [&sent[..], b"lo"].concat());
    encoder.encode(get(), &mut output).unwrap();
}

#[test]
fn chunks_are_written_around_the_data_and_never_over_it() {
    // The data of all chunks lies next to each other in one block, with room
    // behind it: whatever is written in between has no business there.
    let text: Vec<u8> = (0..6000_u32).map(|i| b'a' + (i % 26) as u8).collect();
    let mut block = HeapBuf::with_capacity(8000);
    block.write_bytes(&text);
    let whole = block.slice(0..6000);
    let mut output = CompositeBuf::new();
    let mut encoder = RequestEncoder::new();
    encoder.encode(get().body(BodyLen::Chunked), &mut output).unwrap();
    let mut pushed = Vec::new();
    for len in [1000, 1, 2000, 300, 2699] {
        let data = block.read_slice(len);
        pushed.push((data.as_slice().as_ptr(), len));
        encoder.encode(data, &mut output).unwrap();
    }
    // The room belongs to the block's owner still.
    block.write_bytes(b"behind");
    // An owner that is given away may be written behind, but not over.
    let mut owner = HeapBuf::with_capacity(4096);
    owner.write_bytes(&text[..1000]);
    let mut many = CompositeBuf::new();
    many.push(owner);
    encoder.encode(many, &mut output).unwrap();
    encoder.encode(End::new(), &mut output).unwrap();

    assert_eq!(whole, text);
    assert_eq!(block, b"behind");
    let sent = output.to_vec();
    let seen = received(requests(Limits::new()), &[&sent]);
    assert_eq!(seen[1], Seen::Data([&text[..], &text[..1000]].concat()));
    // The large ones are where they were.
    let mut places = Vec::new();
    let mut index = 0;
    while index < output.writer_index() {
        let chunk = output.chunk(index);
        places.push((chunk.as_ptr(), chunk.len()));
        index += chunk.len();
    }
    for (at, len) in pushed {
        assert_eq!(places.contains(&(at, len)), len > 256, "{len}");
    }
}

#[test]
fn no_data_is_not_the_last_chunk() {
    let mut output = CompositeBuf::new();
    let mut encoder = server_asked(Asked::by("GET"));
    encoder.encode(Response::new(200).body(BodyLen::Chunked), &mut output).unwrap();
    let sent = output.to_vec();
    encoder.encode(SliceBuf::new(), &mut output).unwrap();
    encoder.encode(CompositeBuf::new(), &mut output).unwrap();
    encoder.encode(&b""[..], &mut output).unwrap();
    assert_eq!(output, sent);
    assert!(encoder.takes_data());
    encoder.encode(End::new().trailers([("x", "y")]), &mut output).unwrap();
    assert_eq!(output, [&sent[..], b"0\r\nx: y\r\n\r\n"].concat());
}

#[test]
fn trailers_do_not_frame() {
    let mut output = CompositeBuf::new();
    let mut encoder = RequestEncoder::new();
    encoder.encode(get().body(BodyLen::Chunked), &mut output).unwrap();
    let sent = output.to_vec();
    for name in ["content-length", "Transfer-Encoding", "HOST", "connection"] {
        assert_eq!(
            encoder.encode(End::new().trailers([("x", "y"), (name, "1")]), &mut output),
            Err(EncodeError::ForbiddenTrailer { field: 1 })
        );
    }
    assert_eq!(
        encoder.encode(End::new().trailers([("x", "y\r\nz: 1")]), &mut output),
        Err(EncodeError::InvalidFieldValue { field: 0 })
    );
    assert_eq!(output, sent);
    encoder.encode(End::new(), &mut output).unwrap();
}

#[test]
fn a_failed_call_leaves_nothing_in_the_output() {
    // Room for the line of the chunk and not for its data, and for both and
    // not for what ends it.
    for room in [4, 304, 306] {
        let mut encoder = RequestEncoder::new();
        let mut output = CompositeBuf::new();
        encoder.encode(get().body(BodyLen::Chunked), &mut output).unwrap();
        let mut output = CompositeBuf::with_max_capacity(room);
        let data = SliceBuf::from(vec![b'x'; 300]);
        let error = encoder.encode(data.clone(), &mut output).unwrap_err();
        assert!(matches!(error, EncodeError::Buffer(_)), "{error}");
        assert_eq!(output.readable_bytes(), 0, "with room for {room}");
        assert_eq!(data.ref_count(), 1);
        // It can be tried again elsewhere.
        let mut output = CompositeBuf::new();
        encoder.encode(data, &mut output).unwrap();
        assert_eq!(output.readable_bytes(), 307);
    }
    let mut released = SliceBuf::from(vec![1, 2, 3]);
    released.release();
    let mut encoder = RequestEncoder::new();
    let mut output = CompositeBuf::new();
    encoder.encode(get().body(BodyLen::Chunked), &mut output).unwrap();
    assert_eq!(
        encoder.encode(released, &mut output),
        Err(EncodeError::Buffer(refbuf::Error::Released))
    );
}

#[test]
fn responses_need_requests() {
    let mut output = CompositeBuf::new();
    let mut encoder = ResponseEncoder::new();
    assert_eq!(encoder.encode(Response::new(200), &mut output), Err(EncodeError::Unasked));
    encoder.expect(Asked::by("GET"));
    assert_eq!(encoder.encode(Response::new(101), &mut output), Err(EncodeError::Unasked));
    encoder.encode(Response::new(100), &mut output).unwrap();
    encoder.encode(Response::new(103), &mut output).unwrap();
    assert_eq!(encoder.expected(), 1);
    encoder.encode(Response::new(200), &mut output).unwrap();
    assert_eq!(encoder.expected(), 0);
    assert_eq!(encoder.encode(Response::new(200), &mut output), Err(EncodeError::Unasked));
    let mut encoder = server_asked(old("keep-alive"));
    assert_eq!(
        encoder.encode(Response::new(100), &mut output),
        Err(EncodeError::InterimNotAllowed)
    );
}

#[test]
fn after_the_last_message_there_is_none() {
    let mut output = CompositeBuf::new();
    let mut client = RequestEncoder::new();
    let close = Request::new("GET", "/").fields([("host", "a"), ("connection", "Close")]);
    client.encode(close, &mut output).unwrap();
    assert_eq!(client.encode(get(), &mut output), Err(EncodeError::Closed));

    let mut server = server_asked(Asked::by("GET"));
    server.expect(Asked::by("GET"));
    server.encode(Response::new(200).fields([("connection", "close")]), &mut output).unwrap();
    assert!(server.is_over());
    assert_eq!(server.encode(Response::new(200), &mut output), Err(EncodeError::Closed));
    let mut server = server_asked(Asked::by("CONNECT"));
    server.encode(Response::new(200), &mut output).unwrap();
    assert!(server.is_over());
}

// Both sides.

/// All events that `input` has for a codec.
fn events<C, H>(codec: &mut C, input: &mut CompositeBuf) -> Vec<Event<H>>
where
    C: Decoder<CompositeBuf, Item = Event<H>, Error = DecodeError>,
{
    std::iter::from_fn(|| codec.decode(input).unwrap()).collect()
}

#[test]
fn a_server_that_switches_leaves_the_new_protocol_alone() {
    let (mut client, mut server) = (ClientCodec::new(), ServerCodec::new());
    let (mut up, mut down) = (CompositeBuf::new(), CompositeBuf::new());
    let fields = [("host", "a"), ("connection", "upgrade"), ("upgrade", "echo")];
    client.encode(Request::new("GET", "/").fields(fields), &mut up).unwrap();
    assert_eq!(client.encode(get(), &mut up), Err(EncodeError::Closed));
    up.write_bytes(b"\0too early");
    assert_eq!(events(&mut server, &mut up).len(), 2);
    assert_eq!(up, b"\0too early");
    let agreed = fields.into_iter().skip(1);
    server.encode(Response::new(101).fields(agreed), &mut down).unwrap();
    assert!(server.is_over());
    down.write_bytes(b"\0echo");
    assert_eq!(events(&mut client, &mut down).len(), 2);
    assert!(client.is_over());
    assert_eq!(down, b"\0echo");
    assert_eq!(events(&mut server, &mut up).len(), 0);
    assert_eq!(client.encode(get(), &mut up), Err(EncodeError::Closed));
}

#[test]
fn a_body_waits_for_the_go_ahead() {
    let (mut client, mut server) = (ClientCodec::new(), ServerCodec::new());
    let (mut up, mut down) = (CompositeBuf::new(), CompositeBuf::new());
    let fields = [("host", "a"), ("expect", "100-continue")];
    let request = Request::new("PUT", "/").fields(fields).body(BodyLen::Length(5));
    client.encode(request, &mut up).unwrap();
    let heads = events(&mut server, &mut up);
    assert!(matches!(&heads[..], [Event::Head(head)] if head.expects_continue()));
    server.encode(Response::new(100), &mut down).unwrap();
    let heads = events(&mut client, &mut down);
    assert!(matches!(&heads[..], [Event::Head(head)] if head.is_interim()));
    assert!(client.takes_data());
    client.encode(&b"hello"[..], &mut up).unwrap();
    assert_eq!(events(&mut server, &mut up).len(), 2);
    server.encode(Response::new(201), &mut down).unwrap();
    assert_eq!(events(&mut client, &mut down).len(), 2);
    assert_eq!((client.unanswered(), server.unanswered()), (0, 0));
}

#[test]
fn a_switch_that_is_declined_goes_on_with_requests() {
    let (mut client, mut server) = (ClientCodec::new(), ServerCodec::new());
    let (mut up, mut down) = (CompositeBuf::new(), CompositeBuf::new());
    client.encode(get(), &mut up).unwrap();
    let connect = Request::new("CONNECT", "b:1").fields(HOST);
    client.encode(connect, &mut up).unwrap();
    assert_eq!(events(&mut server, &mut up).len(), 4);
    up.write_bytes(b"GET /early HTTP/1.1\r\nHost: a\r\n\r\n");
    // The first answer is not that to the second request.
    server.encode(Response::new(200), &mut down).unwrap();
    assert_eq!(events(&mut server, &mut up).len(), 0);
    assert_eq!(events(&mut client, &mut down).len(), 2);
    assert_eq!(client.encode(get(), &mut up), Err(EncodeError::Closed));
    server.encode(Response::new(405), &mut down).unwrap();
    assert_eq!(events(&mut client, &mut down).len(), 2);
    client.encode(get(), &mut up).unwrap();
    assert_eq!(events(&mut server, &mut up).len(), 4, "with the one that came early");
    assert_eq!((client.unanswered(), server.unanswered()), (1, 2));
}

#[test]
fn requests_that_are_not_answered_are_limited() {
    let mut server = ServerCodec::with_limits(Limits::new().pipelined(3));
    let mut input = HeapBuf::from(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(10));
    let mut output = CompositeBuf::new();
    for _ in 0..6 {
        assert!(server.decode(&mut input).unwrap().is_some());
    }
    server.encode(Response::new(204), &mut output).unwrap();
    for _ in 0..2 {
        assert!(server.decode(&mut input).unwrap().is_some());
    }
    let error = DecodeError::TooManyPipelined { max: 3 };
    assert_eq!(server.decode(&mut input).unwrap_err(), error);
    assert_eq!(server.decode(&mut input).unwrap_err(), error);
}

#[test]
fn what_cannot_be_decoded_is_answered_last() {
    // In its head.
    let mut server = ServerCodec::new();
    let text = b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n";
    let mut input = HeapBuf::from(text.to_vec());
    let mut output = CompositeBuf::new();
    for _ in 0..2 {
        assert!(server.decode(&mut input).unwrap().is_some());
    }
    for _ in 0..3 {
        assert_eq!(server.decode(&mut input).unwrap_err(), DecodeError::MissingHost);
    }
    assert_eq!(server.unanswered(), 2);
    server.encode(Response::new(204), &mut output).unwrap();
    assert!(!server.is_over());
    server.encode(Response::new(400), &mut output).unwrap();
    assert!(server.is_over());
    assert_eq!(
        output,
        b"HTTP/1.1 204 \r\n\r\nHTTP/1.1 400 \r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );

    // In its body: that is the same request.
    let mut server = ServerCodec::new();
    let text = b"PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx";
    let mut input = HeapBuf::from(text.to_vec());
    assert!(server.decode(&mut input).unwrap().is_some());
    assert_eq!(server.decode(&mut input).unwrap_err(), DecodeError::InvalidChunkLine);
    assert_eq!(server.unanswered(), 1);
    server.encode(Response::new(400), &mut output).unwrap();
    assert!(server.is_over());
}

#[test]
fn answers_to_pipelined_requests_fit_their_requests() {
    let (mut client, mut server) = (ClientCodec::new(), ServerCodec::new());
    let (mut up, mut down) = (CompositeBuf::new(), CompositeBuf::new());
    let methods = ["GET", "HEAD", "POST", "HEAD", "GET"];
    for method in methods {
        client.encode(Request::new(method, "/").fields(HOST), &mut up).unwrap();
    }
    assert_eq!(events(&mut server, &mut up).len(), 10);
    for method in methods {
        server.encode(Response::new(200).body(BodyLen::Length(5)), &mut down).unwrap();
        assert_eq!(server.takes_data(), method != "HEAD");
        if server.takes_data() {
            server.encode(&b"hello"[..], &mut down).unwrap();
        }
    }
    let mut seen = Vec::new();
    for event in events(&mut client, &mut down) {
        record(&mut seen, event);
    }
    let bodies = seen.iter().filter(|seen| matches!(seen, Seen::Data(_))).count();
    assert_eq!((seen.len(), bodies, client.unanswered()), (13, 3, 0));
}

#[test]
fn a_message_is_forwarded_as_it_was_decoded() {
    let text = b"POST /x HTTP/1.1\r\nHost: a\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n\
        5\r\nhello\r\n0\r\nt: u\r\n\r\n";
    let mut input = HeapBuf::from(text.to_vec());
    let (mut decoder, mut encoder) = (RequestDecoder::new(), RequestEncoder::new());
    let mut output = CompositeBuf::new();
    while let Some(event) = decoder.decode(&mut input).unwrap() {
        match event {
            Event::Head(head) => {
                let fields = head.fields().iter().filter(|(name, _)| *name != "Transfer-Encoding");
                let request = Request::new(head.method(), head.target()).fields(fields);
                encoder.encode(request.body(head.body()), &mut output).unwrap();
            }
            Event::Data(data) => encoder.encode(data, &mut output).unwrap(),
            Event::End(trailers) => {
                assert_eq!(pairs(&trailers).len(), 1);
                encoder.encode(End::new().trailers(trailers.iter()), &mut output).unwrap();
            }
        }
    }
    let sent = output.to_vec();
    assert_eq!(sent.to_ascii_lowercase(), text.to_ascii_lowercase());
}

proptest! {
    /// A body that was encoded is decoded, whatever its pieces.
    #[test]
    fn bodies_come_back(
        parts in prop::collection::vec((0..700_usize, 0..3_u8), 0..8),
        chunked in any::<bool>(),
        size in 1..500_usize,
    ) {
        let mut body = Vec::new();
        let mut datas = Vec::new();
        for (i, &(len, kind)) in parts.iter().enumerate() {
            let data: Vec<u8> = (0..len).map(|at| u8::try_from((at + i) % 251).unwrap()).collect();
            body.extend_from_slice(&data);
            datas.push((data, kind));
        }
        let len = if chunked { BodyLen::Chunked } else { BodyLen::Length(body.len() as u64) };
        let mut output = CompositeBuf::new();
        let mut encoder = server_asked(Asked::by("GET"));
        encoder.encode(Response::new(200).body(len), &mut output).unwrap();
        for (data, kind) in datas {
            match kind {
                0 => encoder.encode(&data[..], &mut output).unwrap(),
                1 => encoder.encode(SliceBuf::from(data), &mut output).unwrap(),
                _ => {
                    let (first, second) = data.split_at(data.len() / 2);
                    let many: CompositeBuf =
                        [first.to_vec(), second.to_vec()].into_iter().collect();
                    encoder.encode(many, &mut output).unwrap();
                }
            }
        }
        encoder.encode(End::new(), &mut output).unwrap();
        let sent = output.to_vec();
        let pieces: Vec<&[u8]> = sent.chunks(size).collect();
        let seen = received(responses(Limits::new(), &[Asked::by("GET")]), &pieces);
        let back = match &seen[1] {
            Seen::Data(data) => data.clone(),
            _ => Vec::new(),
        };
        prop_assert_eq!(back, body);
        prop_assert_eq!(seen.last(), Some(&Seen::Rest(Vec::new())));
    }
}
