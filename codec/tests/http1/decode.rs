//! The HTTP/1.1 decoders: what they make of messages that are in order.

use std::cell::Cell;
use std::ops::Range;

use crate::allocations;
use crate::seen::{
    Seen, WORDS, composed, received, requests, responses, same_in_all_ways, small_limits,
};
use proptest::prelude::*;
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf};
use refbuf_codec::Decoder;
use refbuf_codec::http1::{
    Asked, BodyLen, DecodeError, Event, Limits, RequestDecoder, ResponseDecoder, Version,
};

fn head(line: &str, fields: &[(&str, &str)], body: BodyLen) -> Seen {
    let fields =
        fields.iter().map(|&(name, value)| (name.to_owned(), value.as_bytes().to_vec())).collect();
    Seen::Head(line.to_owned(), fields, body)
}

fn data(bytes: &[u8]) -> Seen {
    Seen::Data(bytes.to_vec())
}

fn end() -> Seen {
    Seen::End(Vec::new())
}

fn rest(bytes: &[u8]) -> Seen {
    Seen::Rest(bytes.to_vec())
}

fn seen_by_server(text: &[u8]) -> Vec<Seen> {
    same_in_all_ways(|| requests(Limits::new()), text)
}

fn seen_by_client(asked: &[Asked], text: &[u8]) -> Vec<Seen> {
    same_in_all_ways(|| responses(Limits::new(), asked), text)
}

#[test]
fn requests_in_a_row() {
    let text = b"GET /a?b HTTP/1.1\r\nHost: x\r\nAccept:\t*/* \r\nEmpty:\r\n\r\n\
        POST /\xc3\xa9 HTTP/1.1\r\nhost: y\r\nContent-Length: 5\r\n\r\nhello\
        \r\n\r\nPUT * HTTP/1.1\r\nHOST:z\r\ntransfer-encoding: Chunked\r\n\r\n\
        5\r\nhello\r\n00A;a=\"b;c\" ; d\r\n, world...\r\n0 ;x\r\nDigest: d\r\nX: y\r\n\r\n\
        DELETE /4 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(
        seen_by_server(text),
        [
            head(
                "GET /a?b Http11 true false false",
                &[("Host", "x"), ("Accept", "*/*"), ("Empty", "")],
                BodyLen::Empty
            ),
            end(),
            head(
                "POST /\u{e9} Http11 true false false",
                &[("host", "y"), ("Content-Length", "5")],
                BodyLen::Length(5)
            ),
            data(b"hello"),
            end(),
            head(
                "PUT * Http11 true false false",
                &[("HOST", "z"), ("transfer-encoding", "Chunked")],
                BodyLen::Chunked
            ),
            data(b"hello, world..."),
            Seen::End(vec![("Digest".to_owned(), b"d".to_vec()), ("X".to_owned(), b"y".to_vec())]),
            head(
                "DELETE /4 Http11 true false false",
                &[("Host", "x"), ("Content-Length", "0")],
                BodyLen::Length(0)
            ),
            end(),
            rest(b""),
        ]
    );
}

#[test]
fn a_connection_goes_on_as_its_requests_say() {
    let next = b"GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
    let goes_on = |version: &str, connection: &str| {
        let text = format!("GET / HTTP/{version}\r\nHost: a\r\n{connection}\r\n");
        // What follows the last request is not looked at, nor collected.
        let seen = seen_by_server(&[text.as_bytes(), next].concat());
        assert_eq!(seen.last(), Some(&rest(b"")));
        seen.len() == 5
    };
    assert!(goes_on("1.1", ""));
    assert!(goes_on("1.1", "Connection: x, Keep-Alive\r\n"));
    assert!(!goes_on("1.1", "Connection: close\r\n"));
    assert!(!goes_on("1.1", "Connection: x ,\tCLOSE\r\n"));
    assert!(!goes_on("1.1", "Connection: x\r\nConnection: close\r\n"));
    assert!(!goes_on("1.1", "Connection: close, keep-alive\r\n"));
    assert!(goes_on("1.1", "Connection: closed\r\n"));
    assert!(!goes_on("1.0", ""));
    assert!(goes_on("1.0", "Connection: keep-alive\r\n"));
    assert!(!goes_on("1.0", "Connection: keep-alive, close\r\n"));
}

#[test]
fn a_request_may_wait_for_a_go_ahead() {
    let text = |version: &str| {
        format!("PUT / HTTP/{version}\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n").into_bytes()
    };
    let expects = |text: Vec<u8>| match RequestDecoder::new().decode(&mut HeapBuf::from(text)) {
        Ok(Some(Event::Head(head))) => head.expects_continue(),
        other => panic!("{other:?}"),
    };
    assert!(expects(text("1.1")));
    assert!(!expects(text("1.0")), "an old client cannot know what it asks for");
}

#[test]
fn behind_a_request_for_another_protocol_nothing_is_touched() {
    let upgrade = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: x, upgrade\r\nUpgrade: y\r\n\r\n";
    let connect = b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n";
    let next = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    for first in [&upgrade[..], connect] {
        let text = [first, next].concat();
        let seen = seen_by_server(&text);
        assert_eq!(seen.last(), Some(&rest(next)));

        let mut input = HeapBuf::from(text.clone());
        let mut decoder = RequestDecoder::new();
        while decoder.decode(&mut input).unwrap().is_some() {}
        assert!(decoder.is_waiting() && !decoder.is_over());
        decoder.resume();
        let Some(Event::Head(head)) = decoder.decode(&mut input).unwrap() else { panic!() };
        assert_eq!(head.method(), "GET");

        // Decided before the request was complete.
        let mut input = HeapBuf::from(text);
        let mut decoder = RequestDecoder::new();
        assert!(matches!(decoder.decode(&mut input), Ok(Some(Event::Head(_)))));
        decoder.switch();
        while decoder.decode(&mut input).unwrap().is_some() {}
        assert!(decoder.is_over());
        assert_eq!(input, next);
    }
    // Half of it is no request for another protocol.
    for half in ["Connection: upgrade", "Upgrade: y"] {
        let text = format!("GET / HTTP/1.1\r\nHost: a\r\n{half}\r\n\r\n");
        let seen = seen_by_server(&[text.as_bytes(), next].concat());
        assert_eq!(seen.len(), 5, "{seen:?}");
    }
}

#[test]
fn the_body_of_a_response_ends_where_its_head_says() {
    let get = [Asked::by("GET")];
    assert_eq!(
        seen_by_client(&get, b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        [
            head("200 OK Http11 true false", &[("Content-Length", "5")], BodyLen::Length(5)),
            data(b"hello"),
            end(),
            rest(b""),
        ]
    );
    assert_eq!(
        seen_by_client(
            &get,
            b"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
        ),
        [
            head("200  Http11 true false", &[("Transfer-Encoding", "chunked")], BodyLen::Chunked),
            data(b"x"),
            end(),
            rest(b""),
        ]
    );
    assert_eq!(
        seen_by_client(&get, b"HTTP/1.1 500 Oh \xe9\r\n\r\nto the end"),
        [
            head("500 Oh \\xe9 Http11 false false", &[], BodyLen::UntilClose),
            data(b"to the end"),
            end(),
            rest(b""),
        ]
    );
}

#[test]
fn some_responses_have_no_body_whatever_their_fields_say() {
    let next = "HTTP/1.1 201 Next\r\nContent-Length: 0\r\n\r\n";
    let has_body = |method: &str, status: u16, field: &str| {
        let text = format!("HTTP/1.1 {status} X\r\n{field}\r\n\r\n{next}");
        let asked = [Asked::by(method), Asked::by("GET")];
        match &received(responses(Limits::new(), &asked), &[text.as_bytes()])[..] {
            [Seen::Head(_, _, BodyLen::Empty), Seen::End(_), Seen::Head(line, ..), ..] => {
                assert!(line.starts_with("201"), "{line}");
                false
            }
            [Seen::Head(..), Seen::Data(_) | Seen::Error(_), ..] => true,
            other => panic!("{other:?}"),
        }
    };
    for field in ["Content-Length: 38", "Transfer-Encoding: chunked", "X: y"] {
        assert!(!has_body("HEAD", 200, field));
        assert!(!has_body("HEAD", 404, field));
        assert!(!has_body("GET", 204, field));
        assert!(!has_body("GET", 304, field));
        assert!(has_body("GET", 200, field));
        assert!(has_body("head", 200, field), "methods are case-sensitive");
        assert!(has_body("CONNECT", 404, field));
    }
}

#[test]
fn interim_responses_are_heads_alone() {
    let text = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n\
        HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    assert_eq!(
        seen_by_client(&[Asked::by("PUT")], text),
        [
            head("100 Continue Http11 true false", &[], BodyLen::Empty),
            head("103 Early Http11 true false", &[("Link", "x")], BodyLen::Empty),
            head("200 OK Http11 true false", &[("Content-Length", "2")], BodyLen::Length(2)),
            data(b"hi"),
            end(),
            rest(b""),
        ]
    );
}

#[test]
fn behind_a_switch_of_protocols_nothing_is_touched() {
    let text = b"HTTP/1.1 101 Yes\r\nConnection: upgrade\r\nUpgrade: y\r\n\r\n\x00\x01HTTP/1.1 ";
    let seen = seen_by_client(&[Asked::by("GET").upgrade()], text);
    assert_eq!(seen[1..], [end(), rest(b"\x00\x01HTTP/1.1 ")]);
    // A tunnel has no length, whatever it says.
    let text = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\x00\x01HTTP/1.1 ";
    let seen = seen_by_client(&[Asked::by("CONNECT")], text);
    assert_eq!(seen[1..], [end(), rest(b"\x00\x01HTTP/1.1 ")]);
}

#[test]
fn a_response_that_closes_is_the_last() {
    let next = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let closes = |line: &str, asked: Asked| {
        let text = format!("{line}\r\nContent-Length: 1\r\n\r\nx");
        let seen = seen_by_client(&[asked, asked], &[text.as_bytes(), next].concat());
        if seen.len() == 6 {
            return false;
        }
        assert_eq!(seen[3..], [rest(b"")]);
        true
    };
    let get = Asked::by("GET");
    assert!(!closes("HTTP/1.1 200 OK", get));
    assert!(closes("HTTP/1.1 200 OK\r\nConnection: close", get));
    assert!(closes("HTTP/1.0 200 OK", get));
    assert!(!closes("HTTP/1.0 200 OK\r\nConnection: keep-alive", get));
}

#[test]
fn heads_and_bodies_are_where_they_were_received() {
    let text = b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
    let mut input = HeapBuf::from(text.to_vec());
    let start = input.as_slice().as_ptr();
    let mut decoder = RequestDecoder::new();
    let Some(Event::Head(head)) = decoder.decode(&mut input).unwrap() else { panic!() };
    assert_eq!(head.fields().as_bytes().as_ptr(), start);
    assert_eq!(head.fields().get("host").unwrap().as_ptr(), start.wrapping_add(24));
    let Some(Event::Data(data)) = decoder.decode(&mut input).unwrap() else { panic!() };
    assert_eq!(data.as_slice().as_ptr(), start.wrapping_add(text.len() - 5));

    // A body in pieces is not gathered.
    let mut input: CompositeBuf =
        [&text[..40], &text[40..text.len() - 3], b"llo"].map(<[u8]>::to_vec).into_iter().collect();
    let mut decoder = RequestDecoder::new();
    assert!(matches!(decoder.decode(&mut input).unwrap(), Some(Event::Head(_))));
    for part in [&b"he"[..], b"llo"] {
        let at = input.chunk(input.reader_index()).as_ptr();
        let Some(Event::Data(data)) = decoder.decode(&mut input).unwrap() else { panic!() };
        assert_eq!(data, part);
        assert_eq!(data.as_slice().as_ptr(), at);
    }
}

#[test]
fn fields_are_kept_without_their_block() {
    let mut block = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec();
    block.resize(100_000, b'x');
    let mut input = HeapBuf::from(block);
    let Some(Event::Head(head)) = RequestDecoder::new().decode(&mut input).unwrap() else {
        panic!()
    };
    let mut fields = head.into_fields();
    assert_eq!(fields.detach(), Ok(true));
    assert_eq!(fields.get("HOST"), Some(&b"a"[..]));
    assert_eq!(fields.len(), 1);
    assert!(!fields.is_empty());
    assert!(fields.into_bytes().allocation_len() < 100);
}

#[test]
fn places_of_many_fields_are_right() {
    let limits = Limits::new().fields(256).head(60_000);
    for count in [1, 23, 24, 25, 255] {
        let mut text = "GET / HTTP/1.1\r\nHost: a\r\n".to_owned();
        for i in 0..count {
            text += &format!("Name-{i}: {}\r\n", "v".repeat(i));
        }
        let mut input = HeapBuf::from((text + "\r\n").into_bytes());
        let mut decoder = RequestDecoder::with_limits(limits);
        let Some(Event::Head(head)) = decoder.decode(&mut input).unwrap() else { panic!() };
        assert_eq!(head.fields().len(), count + 1);
        for i in 0..count {
            assert_eq!(head.fields().get(&format!("name-{i}")).unwrap().len(), i);
        }
    }
}

#[test]
fn a_message_allocates_nothing() {
    let message = b"POST /x HTTP/1.1\r\nHost: a\r\nUser-Agent: b\r\nAccept: c\r\n\
        Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n\
        GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
    let mut input = HeapBuf::with_capacity(4096);
    let mut decoder = RequestDecoder::new();
    let mut events = 0;
    let mut round = |expected: bool| {
        input.clear();
        input.write_bytes(message);
        let before = allocations();
        while let Some(event) = decoder.decode(&mut input).unwrap() {
            drop(event);
            events += 1;
        }
        assert_eq!(allocations() == before, expected);
    };
    // The counter counts.
    let before = allocations();
    drop(std::hint::black_box(vec![1_u8]));
    assert_ne!(allocations(), before);
    for _ in 0..100 {
        round(true);
    }
    assert_eq!(events, 600);

    // But for places of fields beyond the 24th, once.
    let more = "a: b\r\n".repeat(30);
    let mut input = HeapBuf::from(format!("GET / HTTP/1.1\r\nHost: a\r\n{more}\r\n").into_bytes());
    let before = allocations();
    let event = RequestDecoder::new().decode(&mut input).unwrap();
    assert_eq!(allocations() - before, 1);
    drop(event);
}

/// A buffer that counts the bytes that are looked at.
struct Watched {
    inner: HeapBuf,
    looked_at: Cell<usize>,
}

impl Watched {
    fn note(&self, len: usize) {
        self.looked_at.set(self.looked_at.get() + len);
    }
}

impl ByteBuf for Watched {
    fn reader_index(&self) -> usize {
        self.inner.reader_index()
    }
    fn writer_index(&self) -> usize {
        self.inner.writer_index()
    }
    fn capacity(&self) -> usize {
        self.inner.capacity()
    }
    fn max_capacity(&self) -> usize {
        self.inner.max_capacity()
    }
    fn try_set_reader_index(&mut self, index: usize) -> Result<(), Error> {
        self.inner.try_set_reader_index(index)
    }
    fn is_accessible(&self) -> bool {
        self.inner.is_accessible()
    }
    fn ref_count(&self) -> usize {
        self.inner.ref_count()
    }
    fn release(&mut self) -> bool {
        self.inner.release()
    }
    fn window(&self, index: usize, len: usize) -> Option<&[u8]> {
        self.note(len);
        self.inner.window(index, len)
    }
    fn read_window(&mut self, len: usize) -> Option<&[u8]> {
        self.note(len);
        self.inner.read_window(len)
    }
    fn try_chunk(&self, index: usize) -> Result<&[u8], Error> {
        let chunk = self.inner.try_chunk(index)?;
        self.note(chunk.len());
        Ok(chunk)
    }
    fn try_slice(&mut self, range: Range<usize>) -> Result<SliceBuf, Error> {
        self.note(range.len());
        self.inner.try_slice(range)
    }
}

/// Bytes looked at while `text` comes byte by byte.
fn looked_at<H>(
    mut decoder: impl Decoder<Watched, Item = Event<H>, Error = DecodeError>,
    text: &[u8],
) -> usize {
    let mut input = Watched { inner: HeapBuf::new(), looked_at: Cell::new(0) };
    for &byte in text {
        input.inner.write_u8(byte);
        while decoder.decode(&mut input).unwrap().is_some() {}
    }
    assert!(!input.is_readable());
    input.looked_at.get()
}

#[test]
fn slow_bytes_are_not_looked_at_again_and_again() {
    let limits = Limits::new().head(60_000).trailers(60_000).chunk_line(60_000);
    let long = "x".repeat(20_000);
    let head = format!("GET /{long} HTTP/1.1\r\nHost: a\r\n{}\r\n", "a: b\r\n".repeat(90));
    let chunks = format!("{CHUNKED}5;{long}\r\nhello\r\n0\r\nX: {long}\r\n\r\n");
    for text in [head, chunks] {
        let looked_at = looked_at(RequestDecoder::with_limits(limits), text.as_bytes());
        // Once when they come, once when a head is cut, and a few for the line
        // ends: a square would be 10 000 times as much.
        assert!(looked_at <= 3 * text.len(), "{looked_at} for {}", text.len());
    }
}

const CHUNKED: &str = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

#[test]
fn an_old_request_needs_no_host() {
    let mut input = HeapBuf::from(b"GET / HTTP/1.0\r\n\r\n".to_vec());
    let Some(Event::Head(head)) = RequestDecoder::new().decode(&mut input).unwrap() else {
        panic!()
    };
    assert_eq!(head.version(), Version::Http10);
    let mut input = HeapBuf::from(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n".to_vec());
    assert!(RequestDecoder::new().require_host(false).decode(&mut input).is_ok());
}

#[test]
fn after_an_error_the_rest_of_the_input_stays() {
    let mut input = HeapBuf::from(b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n".to_vec());
    let mut decoder = RequestDecoder::new();
    assert!(decoder.decode(&mut input).is_err());
    assert_eq!(input, b"GET / HTTP/1.1\r\n\r\n");
    assert!(decoder.decode(&mut input).is_err());
    assert_eq!(input, b"GET / HTTP/1.1\r\n\r\n");
}

#[test]
fn a_released_input_is_an_error() {
    let mut input = HeapBuf::from(b"GET / HTTP/1.1\r\n\r\n".to_vec());
    input.release();
    assert_eq!(
        RequestDecoder::new().decode(&mut input).unwrap_err(),
        DecodeError::Buffer(Error::Released)
    );
}

#[test]
fn decoders_are_used_through_trait_objects() {
    let mut input = HeapBuf::from(b"HTTP/1.1 204 \r\n\r\n".to_vec());
    let input: &mut dyn ByteBuf = &mut input;
    let mut decoder = ResponseDecoder::new();
    decoder.expect(Asked::by("GET"));
    assert!(matches!(decoder.decode(input), Ok(Some(Event::Head(_)))));
}

// Whatever comes, in whatever pieces: the same.

/// Words of messages, and a few bytes of any kind.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        12 => prop::sample::select(&WORDS[..]).prop_map(|word| word.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

/// The text, cut there.
fn pieces<'a>(text: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    at.sort_unstable();
    let mut pieces = Vec::new();
    let mut start = 0;
    for end in at {
        pieces.push(&text[start..end]);
        start = end;
    }
    pieces.push(&text[start..]);
    pieces
}

fn cuts() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_split_gives_the_same(text in text(), cuts in cuts(), small in any::<bool>()) {
        let limits = if small { small_limits() } else { Limits::new() };
        let pieces = pieces(&text, &cuts);
        prop_assert_eq!(
            received(requests(limits), &pieces),
            received(requests(limits), &[&text])
        );
        prop_assert_eq!(
            composed(requests(limits), &pieces),
            received(requests(limits), &[&text])
        );
        let asked = [Asked::by("GET"), Asked::by("HEAD"), Asked::by("GET").upgrade()];
        prop_assert_eq!(
            received(responses(limits, &asked), &pieces),
            received(responses(limits, &asked), &[&text])
        );
    }

    /// Against what it was made of.
    #[test]
    fn a_request_is_what_it_was_made_of(
        method in "[A-Z!#$%&'*+.^_`|~-]{1,8}",
        target in "[!-~]{1,20}",
        fields in prop::collection::vec(("x[A-Za-z0-9-]{0,8}", "([!-~]([ -~]{0,9}[!-~])?)?"), 0..40),
        body in prop::option::of(prop::collection::vec(any::<u8>(), 0..50)),
        cuts in cuts(),
    ) {
        prop_assume!(method != "CONNECT");
        let mut text = format!("{method} {target} HTTP/1.1\r\n");
        let mut expected = vec![("Host".to_owned(), b"a".to_vec())];
        text += "Host: a\r\n";
        for (name, value) in &fields {
            text += &format!("{name}: {value}\r\n");
            expected.push((name.clone(), value.clone().into_bytes()));
        }
        let mut len = BodyLen::Empty;
        if let Some(body) = &body {
            text += &format!("Content-Length: {}\r\n", body.len());
            expected.push(("Content-Length".to_owned(), body.len().to_string().into_bytes()));
            len = BodyLen::Length(body.len() as u64);
        }
        let mut text = (text + "\r\n").into_bytes();
        let body = body.unwrap_or_default();
        text.extend_from_slice(&body);

        let line = format!("{method} {target} Http11 true false false");
        let mut seen = vec![Seen::Head(line, expected, len)];
        if !body.is_empty() {
            seen.push(Seen::Data(body));
        }
        seen.extend([end(), rest(b"")]);
        prop_assert_eq!(received(requests(Limits::new()), &pieces(&text, &cuts)), seen);
    }
}
