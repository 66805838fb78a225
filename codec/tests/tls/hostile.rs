//! Peers that are slow, broken, or mean harm.

use std::io::{Cursor, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use refbuf::{Pool, PoolConfig};
use refbuf_codec::tls::{Session, TlsError, TlsOptions, TlsStream};
use rustls::version::TLS13;
use rustls::{ClientConnection, Error, InvalidMessage, PeerMisbehaved, ServerConnection};

use crate::configs;
use crate::support::{
    Random, VERSIONS, all_wrapped, connected, duplex, outgoing, pass, receive, receive_into,
    records, sessions,
};

/// The most a session keeps of what it received: 96 KiB, in the next class of
/// the pool.
const MOST: usize = (96 << 10) * 5 / 4;

/// A server whose blocks are counted.
fn server(pool: &Pool) -> Session {
    let config = Arc::new(configs::server(rustls::ALL_VERSIONS));
    TlsOptions::new().allocator(Arc::new(pool.clone())).server(config).unwrap()
}

/// What a session says to garbage, and that it stays by it.
fn refused(session: &mut Session, bytes: &[u8]) -> TlsError {
    let error = receive(session, bytes).unwrap_err();
    for _ in 0..2 {
        assert_eq!(session.process(), Err(error.clone()));
        assert_eq!(session.wrap(), Err(error.clone()));
        assert_eq!(session.read_slice(), Err(error.clone()));
        assert_eq!(session.read(&mut [0]), Err(error.clone()));
        assert_eq!(session.space().map(|space| space.len()), Err(error.clone()));
        assert_eq!(session.send("hello"), Err(error.clone()));
    }
    error
}

/// A fatal alert in clear: its description.
fn alert(session: &mut Session) -> u8 {
    let bytes = outgoing(session);
    let &[21, 3, _, 0, 2, 2, description] = &bytes[bytes.len() - 7..] else {
        panic!("no alert: {bytes:?}");
    };
    description
}

#[test]
fn a_peer_that_sends_bytes_one_by_one_is_understood() {
    for version in VERSIONS {
        let (mut client, mut server) = sessions::<()>(version, &TlsOptions::new());
        client.send("slow, ").unwrap();
        server.send("also slow, ").unwrap();
        let (mut there, mut back) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            for byte in all_wrapped_once(&mut client) {
                there.extend(receive(&mut server, &[byte]).unwrap());
            }
            for byte in all_wrapped_once(&mut server) {
                back.extend(receive(&mut client, &[byte]).unwrap());
            }
        }
        assert_eq!((&there[..], &back[..]), (&b"slow, "[..], &b"also slow, "[..]));
    }
}

fn all_wrapped_once(session: &mut Session) -> Vec<u8> {
    session.wrap().unwrap();
    outgoing(session)
}

#[test]
fn http_on_the_tls_port_is_refused_with_an_alert() {
    let pool = Pool::new(PoolConfig::new());
    let mut server = server(&pool);
    let error = refused(&mut server, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let expected = Error::InvalidMessage(InvalidMessage::InvalidContentType);
    assert_eq!(error, TlsError::Protocol(expected));
    assert_eq!(alert(&mut server), 50); // decode_error
}

#[test]
fn a_stream_tells_the_peer_why() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let client = thread::spawn(move || {
        let mut socket = TcpStream::connect(address).unwrap();
        socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        answer
    });
    let socket = listener.accept().unwrap().0;
    let mut stream = TlsStream::server(socket, configs::pair().1).unwrap();
    let error = stream.read(&mut [0; 10]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(matches!(TlsError::of(&error), Some(TlsError::Protocol(_))));
    assert_eq!(stream.handshake().unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(stream.read_slice().unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(stream.write(b"x").unwrap_err().kind(), ErrorKind::InvalidData);
    drop(stream);
    assert_eq!(client.join().unwrap(), [21, 3, 3, 0, 2, 2, 50]);
}

#[test]
fn a_client_that_trusts_nobody_says_so() {
    let (there, back) = duplex(100_000, 4);
    let mut config = configs::client(rustls::ALL_VERSIONS);
    let roots = rustls::RootCertStore::empty();
    config = {
        let _ = config;
        rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
    };
    let mut client = TlsStream::client(there, Arc::new(config), configs::name()).unwrap();
    let mut server = TlsStream::server(back, configs::pair().1).unwrap();
    let mut errors = [None, None];
    for _ in 0..1000 {
        for (error, result) in errors.iter_mut().zip([client.handshake(), server.handshake()]) {
            if let Err(new) = result {
                if new.kind() != ErrorKind::WouldBlock {
                    *error = TlsError::of(&new).cloned();
                }
            }
        }
    }
    let [ours, theirs] = errors;
    assert!(matches!(ours, Some(TlsError::Protocol(Error::InvalidCertificate(_)))), "{ours:?}");
    assert!(matches!(theirs, Some(TlsError::Protocol(Error::AlertReceived(_)))), "{theirs:?}");
}

#[test]
fn a_record_that_is_too_long_is_refused_by_its_header() {
    for version in VERSIONS {
        let (_, mut server) = connected::<()>(version, &TlsOptions::new());
        let error = refused(&mut server, b"\x17\x03\x03\xff\xff");
        let expected = Error::InvalidMessage(InvalidMessage::MessageTooLarge);
        assert_eq!(error, TlsError::Protocol(expected));
        assert_eq!(
            records(&outgoing(&mut server))[0].0,
            if version.version == VERSIONS[0].version { 21 } else { 23 }
        );
    }
    // And before there are keys.
    let pool = Pool::new(PoolConfig::new());
    let mut server = server(&pool);
    refused(&mut server, b"\x16\x03\x01\x48\x01");
    assert_eq!(alert(&mut server), 50);
}

/// Rows 253 and 261: a length makes nobody keep, or even reserve, as much.
#[test]
fn a_handshake_message_of_16_mib_is_refused_by_its_header() {
    let pool = Pool::new(PoolConfig::new());
    let mut server = server(&pool);
    // ClientHello, 16 777 215 bytes: nine bytes of the stream.
    let mut bytes = b"\x16\x03\x01\x40\x00\x01\xff\xff\xff".to_vec();
    receive(&mut server, &bytes).unwrap();
    assert_eq!(pool.stats().reserved_high, 4 << 10); // one read
    // The rest of that record, and it is seen.
    bytes.resize(5 + (16 << 10), 0);
    let error = refused(&mut server, &bytes[9..]);
    let expected = Error::InvalidMessage(InvalidMessage::HandshakePayloadTooLarge);
    assert_eq!(error, TlsError::Protocol(expected));
    assert!(pool.stats().reserved_high <= MOST);
}

/// The same in as many records as it takes: there is a limit for all of it.
#[test]
fn a_handshake_message_in_tiny_records_does_not_fill_the_memory() {
    let pool = Pool::new(PoolConfig::new());
    let mut server = server(&pool);
    let mut flood = b"\x16\x03\x01\x00\x04\x01\x00\xff\xf0".to_vec(); // 65 520 bytes
    for _ in 0..65_520 {
        flood.extend(b"\x16\x03\x01\x00\x01\x00");
    }
    let error = refused(&mut server, &flood);
    assert_eq!(error, TlsError::HandshakeTooLong { limit: 96 << 10 });
    assert!(pool.stats().reserved_high <= 4 * MOST, "{:?}", pool.stats());
}

/// One of the longest that are allowed, in records of any size that is not
/// tiny, is understood: it is no ClientHello, which is said at its end.
#[test]
fn a_handshake_message_of_64_kib_is_kept() {
    for record in [100, 1000, 16 << 10] {
        let pool = Pool::new(PoolConfig::new());
        let mut server = server(&pool);
        let mut message = b"\x01\x00\xff\xff".to_vec();
        message.resize(4 + 0xffff, 0);
        let mut bytes = Vec::new();
        for fragment in message.chunks(record) {
            bytes.extend(b"\x16\x03\x01");
            bytes.extend(u16::try_from(fragment.len()).unwrap().to_be_bytes());
            bytes.extend(fragment);
        }
        let last = bytes.split_off(bytes.len() - 1);
        receive(&mut server, &bytes).unwrap();
        assert!(matches!(refused(&mut server, &last), TlsError::Protocol(_)));
        assert_eq!(alert(&mut server), 50);
        assert!(pool.stats().reserved_high <= 4 * MOST);
    }
}

/// Row 249: units are counted too.
#[test]
fn a_flood_of_empty_records_is_refused() {
    let (mut client, mut server) = connected::<()>(VERSIONS[0], &TlsOptions::new());
    // rustls makes no empty records, but clear ones before the handshake do.
    drop((client.process(), server.process()));
    let pool = Pool::new(PoolConfig::new());
    let mut server = self::server(&pool);
    let flood = b"\x17\x03\x03\x00\x00".repeat(100);
    let error = refused(&mut server, &flood);
    let counted = Error::PeerMisbehaved(PeerMisbehaved::TooManyEmptyFragments);
    assert!(
        error == TlsError::Protocol(counted)
            || matches!(error, TlsError::Protocol(Error::InappropriateMessage { .. })),
        "{error}"
    );
}

/// Row 256: fewer bytes than a header, and a header of anything, in any split.
#[test]
fn garbage_is_refused_or_waited_for() {
    let mut random = Random(6);
    for _ in 0..3000 {
        let pool = Pool::new(PoolConfig::new());
        let mut server = server(&pool);
        let n = random.below(40);
        let mut bytes = random.bytes(n);
        if random.below(2) == 0 {
            // Looks right at first.
            for (byte, right) in bytes.iter_mut().zip([22, 3, 1, 0, 10, 1, 0, 0, 6, 3, 3]) {
                *byte = right;
            }
        }
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(1 + random.below(rest.len()));
            rest = later;
            match receive(&mut server, piece) {
                Ok(plaintext) => assert_eq!(plaintext, b""),
                Err(error) => {
                    assert!(matches!(error, TlsError::Protocol(_)), "{error}");
                    break;
                }
            }
        }
        assert!(server.is_handshaking());
        assert!(pool.stats().reserved_high <= MOST);
    }
}

/// Any bit of a session after its handshake: the records before it are read,
/// that one and all after it are not, and the peer is told.
#[test]
fn damaged_records_are_never_read() {
    for version in VERSIONS {
        let mut random = Random(7);
        for _ in 0..150 {
            let (mut client, mut server) = connected::<()>(version, &TlsOptions::new());
            let mut bytes = Vec::new();
            let mut ends = Vec::new();
            let mut plaintext = Vec::new();
            for _ in 0..4 {
                let n = 1 + random.below(50);
                let piece = random.bytes(n);
                plaintext.extend(&piece);
                client.send(piece).unwrap();
                bytes.append(&mut all_wrapped(&mut client));
                ends.push((bytes.len(), plaintext.len()));
            }
            let damaged = random.below(bytes.len());
            bytes[damaged] ^= 1 << random.below(8);
            let whole = ends.iter().take_while(|end| end.0 <= damaged).map(|end| end.1).last();
            let (mut received, mut error) = (Vec::new(), None);
            let mut rest = &bytes[..];
            while !rest.is_empty() && error.is_none() {
                let (piece, later) = rest.split_at(1 + random.below(rest.len()));
                rest = later;
                error = receive_into(&mut server, piece, &mut received).err();
            }
            let start = ends.iter().take_while(|end| end.0 <= damaged).map(|end| end.0).last();
            if version.version == TLS13.version
                && damaged - start.unwrap_or(0) < 3
                && error.is_none()
            {
                // Type and version in clear mean nothing: what is protected is
                // the real type (RFC 8446, section 5.2).
                assert_eq!(received, plaintext);
                continue;
            }
            assert_eq!(received.len(), whole.unwrap_or(0));
            assert_eq!(received, plaintext[..received.len()]);
            match error {
                Some(TlsError::Protocol(_)) => {
                    let told = receive(&mut client, &outgoing(&mut server)).unwrap_err();
                    assert!(matches!(told, TlsError::Protocol(Error::AlertReceived(_))), "{told}");
                    assert!(!server.is_peer_closed());
                }
                Some(error) => panic!("{error}"),
                // A length that is larger now: more is waited for.
                None => {
                    server.end();
                    assert!(matches!(server.read_slice(), Err(TlsError::Truncated { .. })));
                }
            }
        }
    }
}

/// What was whole comes before the error, in one piece of input too.
#[test]
fn what_came_before_the_damage_can_be_read() {
    for version in VERSIONS {
        let (mut client, mut server) = connected::<()>(version, &TlsOptions::new());
        client.send("good").unwrap();
        let mut bytes = all_wrapped(&mut client);
        client.send("bad").unwrap();
        bytes.extend(all_wrapped(&mut client));
        *bytes.last_mut().unwrap() ^= 1;
        let space = server.space().unwrap();
        space[..bytes.len()].copy_from_slice(&bytes);
        server.filled(bytes.len());
        let error = server.process().unwrap_err();
        assert_eq!(error, TlsError::Protocol(Error::DecryptError));
        assert_eq!(server.read_slice().unwrap().unwrap(), "good");
        assert_eq!(server.read_slice(), Err(error));
        let told = receive(&mut client, &outgoing(&mut server)).unwrap_err();
        let alert = rustls::AlertDescription::BadRecordMac;
        assert_eq!(told, TlsError::Protocol(Error::AlertReceived(alert)));
    }
}

/// New keys of the peer, and its wish for ours, between two records.
#[test]
fn keys_are_changed_on_the_way() {
    let (mut client, mut server) = plain_client();
    let mut received = Vec::new();
    for n in 0..5 {
        client.writer().write_all(&[n; 1000]).unwrap();
        client.refresh_traffic_keys().unwrap();
        client.writer().write_all(&[n; 1000]).unwrap();
        let mut bytes = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut bytes).unwrap();
        }
        received.extend(receive(&mut server, &bytes).unwrap());
        server.send(vec![n; 3000]).unwrap();
        let mut answer = &all_wrapped(&mut server)[..];
        let mut read = Vec::new();
        while !answer.is_empty() {
            client.read_tls(&mut answer).unwrap();
            client.process_new_packets().unwrap();
            let _ = client.reader().read_to_end(&mut read);
        }
        assert_eq!(read, [n; 3000]);
    }
    let expected: Vec<u8> = (0..5).flat_map(|n| [n; 2000]).collect();
    assert!(received == expected);
}

/// A plain client that has shaken hands with a session.
fn plain_client() -> (ClientConnection, Session) {
    let config = Arc::new(configs::client(&[VERSIONS[1]]));
    let mut client = ClientConnection::new(config, configs::name()).unwrap();
    let mut server: Session = Session::server(Arc::new(configs::server(&[VERSIONS[1]]))).unwrap();
    for _ in 0..3 {
        let mut bytes = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut bytes).unwrap();
        }
        receive(&mut server, &bytes).unwrap();
        let mut bytes = &all_wrapped(&mut server)[..];
        while !bytes.is_empty() {
            client.read_tls(&mut bytes).unwrap();
            client.process_new_packets().unwrap();
        }
    }
    assert!(!client.is_handshaking() && !server.is_handshaking());
    (client, server)
}

/// The record layer remembers where a handshake message began, also when it is
/// asked to send while only a part of one has come.
#[test]
fn sending_in_the_middle_of_a_handshake_message_works() {
    let mut config = configs::server(&[VERSIONS[1]]);
    config.max_fragment_size = Some(64); // a message takes several records
    let mut server = ServerConnection::new(Arc::new(config)).unwrap();
    let config = Arc::new(configs::client(&[VERSIONS[1]]));
    let mut client: Session = Session::client(config, configs::name()).unwrap();
    client.send("x").unwrap();
    let (mut sent, mut received) = (1, Vec::new());
    for _ in 0..3 {
        client.wrap().unwrap();
        let mut bytes = &outgoing(&mut client)[..];
        while !bytes.is_empty() {
            server.read_tls(&mut bytes).unwrap();
            server.process_new_packets().unwrap();
            let _ = server.reader().read_to_end(&mut received);
        }
        // The server's part of the handshake, then tickets.
        let mut answer = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut answer).unwrap();
        }
        for byte in answer {
            receive(&mut client, &[byte]).unwrap();
            client.send("x").unwrap();
            client.wrap().unwrap();
            sent += 1;
        }
    }
    assert!(!client.is_handshaking() && sent > 1000);
    assert_eq!(received, vec![b'x'; sent]);
}

/// A stream hands out what came before the damage, too.
#[test]
fn a_stream_gives_what_came_before_the_damage() {
    for version in VERSIONS {
        let (mut client, server) = connected::<()>(version, &TlsOptions::new());
        client.send("good").unwrap();
        let mut bytes = all_wrapped(&mut client);
        client.send("bad").unwrap();
        bytes.extend(all_wrapped(&mut client));
        *bytes.last_mut().unwrap() ^= 1;
        let mut stream = TlsStream::new(Cursor::new(bytes), server);
        assert_eq!(stream.read_slice().unwrap().unwrap(), "good");
        for _ in 0..2 {
            let error = stream.read_slice().unwrap_err();
            assert_eq!(TlsError::of(&error), Some(&TlsError::Protocol(Error::DecryptError)));
        }
    }
}

/// Plaintext that nobody reads holds the socket back.
#[test]
fn a_session_that_is_not_read_takes_no_more() {
    let pool = Pool::new(PoolConfig::new());
    let options = TlsOptions::new().allocator(Arc::new(pool.clone()));
    let (mut client, mut server) = connected::<()>(VERSIONS[1], &options);
    client.send(vec![0; 1 << 20]).unwrap();
    let bytes = all_wrapped(&mut client);
    client.rest();
    let mut rest = &bytes[..];
    loop {
        let space = server.space().unwrap();
        let n = space.len().min(rest.len());
        if n == 0 {
            break;
        }
        space[..n].copy_from_slice(&rest[..n]);
        rest = &rest[n..];
        server.filled(n);
        server.process().unwrap();
    }
    assert!(rest.len() > bytes.len() - (100 << 10));
    assert!(pool.stats().live_bytes() <= 2 * MOST as u64, "{:?}", pool.stats());
    // It goes on where it was.
    let mut received = 0;
    while received < 1 << 20 {
        while let Some(slice) = server.read_slice().unwrap() {
            received += slice.as_slice().len();
        }
        let space = server.space().unwrap();
        let n = space.len().min(rest.len());
        space[..n].copy_from_slice(&rest[..n]);
        rest = &rest[n..];
        server.filled(n);
        server.process().unwrap();
    }
    assert_eq!(received, 1 << 20);
}

/// `rustls` would send a second last alert, and where debug assertions are on,
/// asserts that it does not.
#[test]
#[cfg_attr(debug_assertions, ignore = "rustls 0.23 asserts that this does not happen")]
fn garbage_after_our_own_close_is_an_error() {
    for version in VERSIONS {
        let (mut client, mut server) = connected::<()>(version, &TlsOptions::new());
        client.close();
        pass(&mut client, &mut server).unwrap();
        let error = receive(&mut client, b"\x17\x03\x03\xff\xff").unwrap_err();
        let expected = Error::InvalidMessage(InvalidMessage::MessageTooLarge);
        assert_eq!(error, TlsError::Protocol(expected));
    }
}
