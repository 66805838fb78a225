//! What the HTTP/1.1 decoders refuse: a test for each rule, in every buffer
//! and however the bytes come.

use crate::seen::{Seen, received, requests, responses, same_in_all_ways};
use refbuf_codec::http1::{Asked, DecodeError, Limits};

/// The error that ends it.
fn error_of(seen: &[Seen]) -> DecodeError {
    match seen.last() {
        Some(Seen::Error(error)) => *error,
        _ => panic!("not refused: {seen:?}"),
    }
}

fn refused_request(limits: Limits, text: &[u8]) -> DecodeError {
    error_of(&same_in_all_ways(|| requests(limits), text))
}

fn refused_response(limits: Limits, asked: Asked, text: &[u8]) -> DecodeError {
    error_of(&same_in_all_ways(|| responses(limits, &[asked, asked]), text))
}

macro_rules! refused {
    ($($name:ident: $text:expr => $error:ident $({ $($field:ident: $value:expr),* })?;)*) => { $(
        #[test]
        fn $name() {
            let error = refused_request(Limits::new(), $text);
            assert_eq!(error, DecodeError::$error $({ $($field: $value),* })?);
            assert!((400..=505).contains(&error.status()));
            assert!(!error.to_string().is_empty());
        }
    )* };
}

/// A request up to its fields.
macro_rules! post {
    ($fields:literal) => {
        concat!("POST / HTTP/1.1\r\nHost: a\r\n", $fields, "\r\n\r\n").as_bytes()
    };
}

/// A request with a body that begins like this.
macro_rules! chunks {
    ($chunks:literal) => {
        concat!("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", $chunks)
            .as_bytes()
    };
}

refused! {
    // Two opinions on where the message ends.
    length_and_transfer_encoding:
        post!("Content-Length: 5\r\nTransfer-Encoding: chunked") => ConflictingLength;
    transfer_encoding_and_length:
        post!("Transfer-Encoding: chunked\r\nContent-Length: 5") => ConflictingLength;
    lengths_that_differ:
        post!("Content-Length: 5\r\nContent-Length: 6") => RepeatedContentLength;
    lengths_that_are_equal:
        post!("Content-Length: 5\r\ncontent-length: 5") => RepeatedContentLength;
    length_as_a_list: post!("Content-Length: 5, 5") => InvalidContentLength;
    length_with_a_sign: post!("Content-Length: +5") => InvalidContentLength;
    length_below_zero: post!("Content-Length: -5") => InvalidContentLength;
    length_with_a_space: post!("Content-Length: 5 5") => InvalidContentLength;
    length_in_hexadecimal: post!("Content-Length: 0x5") => InvalidContentLength;
    length_without_digits: post!("Content-Length: ") => InvalidContentLength;
    length_beyond_64_bits:
        post!("Content-Length: 18446744073709551616") => InvalidContentLength;
    length_of_many_digits:
        post!("Content-Length: 99999999999999999999999999999999999") => InvalidContentLength;
    encoding_before_chunked:
        post!("Transfer-Encoding: gzip, chunked") => UnsupportedTransferEncoding;
    encoding_behind_chunked:
        post!("Transfer-Encoding: chunked, gzip") => UnsupportedTransferEncoding;
    encoding_identity: post!("Transfer-Encoding: identity") => UnsupportedTransferEncoding;
    encoding_chunked_twice:
        post!("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked")
            => UnsupportedTransferEncoding;
    encoding_chunked_twice_in_a_list:
        post!("Transfer-Encoding: chunked, chunked") => UnsupportedTransferEncoding;
    encoding_almost_chunked: post!("Transfer-Encoding: xchunked") => UnsupportedTransferEncoding;
    encoding_with_a_vertical_tab:
        post!("Transfer-Encoding: \x0bchunked") => InvalidFieldValue { at: 26 };
    encoding_in_an_old_version:
        b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" => TransferEncodingInOldVersion;

    // Lines and fields that others might read differently.
    space_before_colon:
        post!("Content-Length : 5") => SpaceBeforeColon { at: 40 };
    tab_before_colon: post!("X\t: 5") => SpaceBeforeColon { at: 27 };
    folded_field: post!("X: 1\r\n 2") => ObsoleteFold { at: 32 };
    folded_field_by_a_tab: post!("X: 1\r\n\tContent-Length: 5") => ObsoleteFold { at: 32 };
    space_before_the_first_field:
        b"GET / HTTP/1.1\r\n Host: a\r\n\r\n" => ObsoleteFold { at: 16 };
    line_without_colon: post!("Content-Length") => InvalidFieldName { at: 26 };
    field_without_name: post!(": 5") => InvalidFieldName { at: 26 };
    field_name_with_a_space: post!("Content Length: 5") => InvalidFieldName { at: 26 };
    field_name_beyond_ascii: post!("X\u{e9}: 5") => InvalidFieldName { at: 26 };
    field_value_with_a_carriage_return:
        post!("X: 1\rContent-Length: 5") => InvalidFieldValue { at: 26 };
    field_value_with_a_nul: post!("X: 1\x002") => InvalidFieldValue { at: 26 };
    line_feed_alone:
        b"POST / HTTP/1.1\r\nHost: a\nContent-Length: 5\r\n\r\n" => BareLineFeed { at: 24 };
    line_feed_alone_at_the_end: b"GET / HTTP/1.1\r\nHost: a\r\n\n" => BareLineFeed { at: 25 };
    line_feed_alone_behind_the_start_line: b"GET / HTTP/1.1\n\n" => BareLineFeed { at: 14 };
    line_feed_alone_at_the_start: b"\nGET / HTTP/1.1\r\n\r\n" => BareLineFeed { at: 0 };

    // Start lines.
    no_host: b"GET / HTTP/1.1\r\n\r\n" => MissingHost;
    two_hosts: post!("Host: b") => RepeatedHost;
    two_hosts_in_an_old_version:
        b"GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n" => RepeatedHost;
    version_of_tomorrow: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" => UnsupportedVersion;
    version_of_yesterday: b"GET /\r\n\r\n" => UnsupportedVersion;
    version_in_lower_case: b"GET / http/1.1\r\n\r\n" => UnsupportedVersion;
    version_followed_by_more: b"GET / HTTP/1.1 \r\nHost: a\r\n\r\n" => UnsupportedVersion;
    method_that_is_no_token: b"GE@T / HTTP/1.1\r\nHost: a\r\n\r\n" => InvalidMethod;
    method_is_missing: b" / HTTP/1.1\r\nHost: a\r\n\r\n" => InvalidMethod;
    target_is_missing: b"GET  HTTP/1.1\r\nHost: a\r\n\r\n" => InvalidTarget;
    target_with_a_control_character: b"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n" => InvalidTarget;
    target_with_half_a_character: b"GET /\xc3 HTTP/1.1\r\nHost: a\r\n\r\n" => InvalidTarget;
    garbage_at_once: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" => InvalidMethod;

    // Chunks.
    chunk_size_of_17_digits: chunks!("00000000000000005\r\nhello") => ChunkSizeTooLong;
    chunk_size_beyond_64_bits: chunks!("10000000000000000\r\nhello") => ChunkSizeTooLong;
    chunk_size_is_missing: chunks!("\r\nhello") => InvalidChunkLine;
    chunk_size_with_a_sign: chunks!("+5\r\nhello\r\n0\r\n\r\n") => InvalidChunkLine;
    chunk_size_with_a_prefix: chunks!("0x5\r\nhello\r\n0\r\n\r\n") => InvalidChunkLine;
    chunk_size_behind_a_space: chunks!(" 5\r\nhello\r\n0\r\n\r\n") => InvalidChunkLine;
    chunk_size_before_a_space: chunks!("5 \r\nhello\r\n0\r\n\r\n") => InvalidChunkLine;
    chunk_line_with_a_line_feed: chunks!("5\nhello\r\n0\r\n\r\n") => BareNewlineInChunk;
    chunk_line_with_a_carriage_return: chunks!("5\rhello\r\n0\r\n\r\n") => BareNewlineInChunk;
    chunk_extension_with_a_line_feed:
        chunks!("5;a\nb\r\nhello\r\n0\r\n\r\n") => BareNewlineInChunk;
    chunk_extension_with_a_carriage_return:
        chunks!("5;a\rb\r\nhello\r\n0\r\n\r\n") => BareNewlineInChunk;
    chunk_extension_with_a_nul: chunks!("5;a\0\r\nhello\r\n0\r\n\r\n") => InvalidChunkLine;
    chunk_that_is_longer_than_its_size: chunks!("5\r\nhello!\r\n0\r\n\r\n") => MissingChunkEnd;
    chunk_that_ends_with_a_line_feed: chunks!("5\r\nhello\n0\r\n\r\n") => MissingChunkEnd;
    chunk_that_ends_with_a_carriage_return: chunks!("5\r\nhello\r0\r\n\r\n") => MissingChunkEnd;
    trailer_with_a_line_feed: chunks!("0\r\nX: 1\n\r\n") => BareLineFeed { at: 4 };
    trailer_that_frames: chunks!("0\r\nContent-Length: 5\r\n\r\n") => ForbiddenTrailer;
    trailer_that_is_folded: chunks!("0\r\nX: 1\r\n 2\r\n\r\n") => ObsoleteFold { at: 6 };

    // Ends of the input.
    ends_in_a_head: b"GET / HTTP/1.1\r\nHost: a\r\n" => TruncatedHead { have: 25 };
    ends_in_a_body: b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel"
        => TruncatedBody { missing: 2 };
    ends_before_a_body: b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"
        => TruncatedBody { missing: 5 };
    ends_in_a_chunk: chunks!("5\r\nhel") => TruncatedChunks;
    ends_in_a_chunk_line: chunks!("5") => TruncatedChunks;
    ends_before_the_trailers: chunks!("5\r\nhello\r\n0\r\n") => TruncatedChunks;
}

#[test]
fn responses_are_refused_for_the_same() {
    let refused = |text: &[u8]| refused_response(Limits::new(), Asked::by("GET"), text);
    assert_eq!(
        refused(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
        DecodeError::ConflictingLength
    );
    assert_eq!(
        refused(b"HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n"),
        DecodeError::SpaceBeforeColon { at: 31 }
    );
    assert_eq!(
        refused(b"HTTP/1.1 200 OK\r\nX: 5\r\n 6\r\n\r\n"),
        DecodeError::ObsoleteFold { at: 23 }
    );
    assert_eq!(
        refused(b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        DecodeError::TransferEncodingInOldVersion
    );
    assert_eq!(refused(b"HTTP/1.1 99 Low\r\n\r\n"), DecodeError::InvalidStatus);
    assert_eq!(refused(b"HTTP/1.1 099 Low\r\n\r\n"), DecodeError::InvalidStatus);
    assert_eq!(refused(b"HTTP/1.1 2000 High\r\n\r\n"), DecodeError::InvalidStatus);
    assert_eq!(refused(b"HTTP/1.1 200 a\x01b\r\n\r\n"), DecodeError::InvalidStatus);
    assert_eq!(refused(b"HTTP/3.0 200 OK\r\n\r\n"), DecodeError::UnsupportedVersion);
    assert_eq!(refused(b"ICY 200 OK\r\n\r\n"), DecodeError::UnsupportedVersion);
    assert_eq!(refused(b"HTTP/1.1 101 Other\r\n\r\n"), DecodeError::UnexpectedSwitch);
    // Even where there is no body that they could be about.
    let head = Asked::by("HEAD");
    assert_eq!(
        refused_response(
            Limits::new(),
            head,
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"
        ),
        DecodeError::RepeatedContentLength
    );
}

#[test]
fn a_response_that_nobody_asked_for_is_refused() {
    let ok = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let seen = same_in_all_ways(|| responses(Limits::new(), &[Asked::by("GET")]), &ok.repeat(2));
    assert_eq!(error_of(&seen), DecodeError::Unasked);
    assert_eq!(seen.len(), 3, "the first one is not: {seen:?}");
}

#[test]
fn the_end_of_the_input_before_a_response_is_an_error() {
    let ok = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let asked = [Asked::by("GET"); 3];
    let seen = same_in_all_ways(|| responses(Limits::new(), &asked), ok);
    assert_eq!(error_of(&seen), DecodeError::Unanswered { requests: 2 });
}

// Limits: what is just allowed is, one more is not.

fn accepted(limits: Limits, text: &[u8]) {
    let seen = same_in_all_ways(|| requests(limits), text);
    assert!(matches!(seen.last(), Some(Seen::Rest(_))), "refused: {seen:?}");
}

#[test]
fn a_head_has_so_many_bytes() {
    let head = |len: usize| {
        let mut head = b"GET / HTTP/1.1\r\nHost: ".to_vec();
        head.resize(len - 4, b'a');
        head.extend_from_slice(b"\r\n\r\n");
        head
    };
    let limits = Limits::new().head(100);
    accepted(limits, &head(100));
    assert_eq!(refused_request(limits, &head(101)), DecodeError::HeadTooLong { max: 100 });
    // Without an end in sight it is refused as soon as it is too long.
    let endless = &head(1000)[..101];
    assert_eq!(refused_request(limits, endless), DecodeError::HeadTooLong { max: 100 });
    assert_eq!(DecodeError::HeadTooLong { max: 100 }.status(), 431);
}

#[test]
fn a_head_has_so_many_fields() {
    let head = |count: usize| {
        let more = "a:\r\n".repeat(count - 1);
        format!("GET / HTTP/1.1\r\nHost: a\r\n{more}\r\n").into_bytes()
    };
    let limits = Limits::new().fields(30);
    accepted(limits, &head(30));
    assert_eq!(refused_request(limits, &head(31)), DecodeError::TooManyFields { max: 30 });
    // A flood of the smallest fields, long before the bytes are too many.
    let flood = "a:\r\n".repeat(3000);
    let flood = format!("GET / HTTP/1.1\r\n{flood}").into_bytes();
    assert_eq!(
        error_of(&received(requests(Limits::new()), &[&flood])),
        DecodeError::TooManyFields { max: 100 }
    );
}

#[test]
fn so_many_empty_lines_precede_a_head() {
    let text = |count: usize| {
        format!("{}GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n".repeat(count)).into_bytes()
    };
    let limits = Limits::new().empty_lines(3);
    accepted(limits, &text(0));
    accepted(limits, &text(3));
    // Between two requests too, and counted for each.
    accepted(limits, &[text(3), text(3)].concat());
    assert_eq!(refused_request(limits, &text(4)), DecodeError::TooManyEmptyLines { max: 3 });
}

const CHUNKED: &str = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

fn chunked(chunks: &str) -> Vec<u8> {
    [CHUNKED, chunks].concat().into_bytes()
}

#[test]
fn a_chunk_line_has_so_many_bytes() {
    let limits = Limits::new().chunk_line(10);
    accepted(limits, &chunked("5;234567\r\nhello\r\n0\r\n\r\n"));
    // The carriage return counts.
    accepted(limits, &chunked("5;2345678\r\nhello\r\n0\r\n\r\n"));
    assert_eq!(
        refused_request(limits, &chunked("5;23456789\r\nhello\r\n0\r\n\r\n")),
        DecodeError::ChunkLineTooLong { max: 10 }
    );
}

#[test]
fn trailers_have_so_many_bytes_and_fields() {
    let limits = Limits::new().trailers(12).fields(3);
    accepted(limits, &chunked("0\r\nabc: efgh \r\n\r\n".replace("efgh ", "efgh").as_str()));
    assert_eq!(
        refused_request(limits, &chunked("0\r\nabc: efghijk\r\n\r\n")),
        DecodeError::TrailersTooLong { max: 12 }
    );
    accepted(limits, &chunked("0\r\na:\r\nb:\r\nc:\r\n\r\n"));
    assert_eq!(
        refused_request(limits.trailers(100), &chunked("0\r\na:\r\nb:\r\nc:\r\nd:\r\n\r\n")),
        DecodeError::TooManyFields { max: 3 }
    );
}

#[test]
fn a_flood_of_tiny_chunks_is_refused_by_their_number() {
    // Each costs its line of two bytes and 32, and pays with one.
    let limits = Limits::new().chunk_overhead(33 * 100).body(1 << 20);
    let text = |count: usize| chunked(&("1\r\nx\r\n".repeat(count) + "0\r\n\r\n"));
    accepted(limits, &text(100));
    assert_eq!(refused_request(limits, &text(101)), DecodeError::ChunkOverhead { max: 33 * 100 });
    // By default too, within a megabyte.
    let flood = text(40_000);
    let seen = received(requests(Limits::new()), &[&flood]);
    assert_eq!(error_of(&seen), DecodeError::ChunkOverhead { max: 1 << 20 });
    // While chunks of some size go on forever.
    let text = chunked(&("40\r\n".to_owned() + &"x".repeat(64) + "\r\n").repeat(5000));
    let seen = received(requests(limits), &[&text]);
    assert_eq!(error_of(&seen), DecodeError::TruncatedChunks);
}

#[test]
fn a_body_has_so_many_bytes() {
    let limits = Limits::new().body(5);
    let post = |len: usize| {
        let body = "x".repeat(len);
        format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {len}\r\n\r\n{body}").into_bytes()
    };
    accepted(limits, &post(5));
    let seen = same_in_all_ways(|| requests(limits), &post(6));
    assert_eq!(seen, [Seen::Error(DecodeError::BodyTooLong { len: 6, max: 5 })]);
    accepted(limits, &chunked("2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"));
    assert_eq!(
        refused_request(limits, &chunked("2\r\nab\r\n4\r\ncdef\r\n0\r\n\r\n")),
        DecodeError::BodyTooLong { len: 6, max: 5 }
    );
    // No sum of sizes wraps.
    assert_eq!(
        refused_request(limits, &chunked("2\r\nab\r\nffffffffffffffff\r\n")),
        DecodeError::BodyTooLong { len: u64::MAX, max: 5 }
    );
    assert_eq!(
        refused_response(limits, Asked::by("GET"), b"HTTP/1.1 200 OK\r\n\r\nabcdef"),
        DecodeError::BodyTooLong { len: 6, max: 5 }
    );
    assert_eq!(DecodeError::BodyTooLong { len: 6, max: 5 }.status(), 413);
}

#[test]
fn a_chunk_of_all_64_bits_is_no_reason_to_allocate() {
    let seen = received(requests(Limits::new()), &[&chunked("ffffffffffffffff\r\nabc")]);
    assert_eq!(seen[1], Seen::Data(b"abc".to_vec()));
    assert_eq!(error_of(&seen), DecodeError::TruncatedChunks);
}

#[test]
fn so_many_interim_responses_precede_a_final_one() {
    let text = |count: usize| {
        let mut text = b"HTTP/1.1 103 Early\r\n\r\n".repeat(count);
        text.extend_from_slice(b"HTTP/1.1 204 \r\n\r\n");
        text
    };
    let limits = Limits::new().interim(2);
    let asked = [Asked::by("GET"); 2];
    let seen = same_in_all_ways(|| responses(limits, &asked), &[text(2), text(2)].concat());
    assert_eq!(seen.len(), 9, "{seen:?}");
    assert_eq!(
        refused_response(limits, asked[0], &text(3)),
        DecodeError::TooManyInterim { max: 2 }
    );
}
