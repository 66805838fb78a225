//! How a connection ends, and that its ends are told apart.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use refbuf::ByteBuf;
use refbuf_codec::tls::{Session, TlsError, TlsOptions, TlsStream};

use crate::configs;
use crate::support::{
    VERSIONS, all_wrapped, connected, duplex, happened, outgoing, pass, receive, sessions,
};

#[test]
fn after_close_notify_the_other_direction_goes_on() {
    for version in VERSIONS {
        let (mut client, mut server) = connected::<()>(version, &TlsOptions::new());
        client.send("question").unwrap();
        client.close();
        assert_eq!(pass(&mut client, &mut server).unwrap(), b"question");
        assert!(server.is_peer_closed() && server.read_slice().unwrap().is_none());
        for _ in 0..3 {
            server.send("answer").unwrap();
            assert_eq!(pass(&mut server, &mut client).unwrap(), b"answer");
        }
        assert!(!client.is_peer_closed());
        server.close();
        assert_eq!(pass(&mut server, &mut client).unwrap(), b"");
        assert!(client.is_peer_closed());
        for session in [&mut client, &mut server] {
            session.process().unwrap();
            session.wrap().unwrap();
            assert!(session.outgoing().is_empty(), "close_notify is said once");
            session.end();
            assert_eq!(session.read_slice().unwrap().map(|slice| slice.to_vec()), None);
        }
    }
}

#[test]
fn close_notify_follows_what_was_queued() {
    for version in VERSIONS {
        for wrap_data_size in [0, 10, 16 << 10] {
            let options = TlsOptions::new().wrap_data_size(wrap_data_size);
            let (mut client, mut server) = connected::<()>(version, &options);
            client.write(b"written ").unwrap();
            client.send("sent ").unwrap();
            client.write(b"written").unwrap();
            client.close();
            assert_eq!(pass(&mut client, &mut server).unwrap(), b"written sent written");
            assert!(server.is_peer_closed());
        }
    }
}

#[test]
fn a_closed_session_takes_nothing_more() {
    let (mut client, _server) = connected(VERSIONS[1], &TlsOptions::new());
    client.close();
    assert_eq!(client.send("late"), Err(TlsError::Closed));
    assert_eq!(client.send_with("late", 1), Err(TlsError::Closed));
    assert_eq!(client.write(b"late"), Err(TlsError::Closed));
    client.wrap().unwrap(); // the end itself
    assert_eq!(client.send("late"), Err(TlsError::Closed));
}

/// "Any data received after a closure alert has been received MUST be ignored."
#[test]
fn what_follows_close_notify_is_ignored() {
    for version in VERSIONS {
        let (mut client, mut server) = connected::<()>(version, &TlsOptions::new());
        client.send("before").unwrap();
        client.close();
        let mut bytes = all_wrapped(&mut client);
        bytes.extend(b"\x17\x03\x03\x00\x05after and garbage");
        assert_eq!(receive(&mut server, &bytes).unwrap(), b"before");
        assert_eq!(receive(&mut server, b"more garbage").unwrap(), b"");
        server.send("still here").unwrap();
        assert_eq!(pass(&mut server, &mut client).unwrap(), b"still here");
    }
}

/// A session cut short at any byte: what came whole is there, and then an
/// error that says so; never a clean end.
#[test]
fn an_end_without_close_notify_is_truncation_wherever_it_comes() {
    for version in VERSIONS {
        let (mut client, mut server) = connected::<()>(version, &TlsOptions::new());
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for piece in ["one", "two", "three"] {
            client.send(piece).unwrap();
            bytes.append(&mut all_wrapped(&mut client));
            ends.push((bytes.len(), piece));
        }
        client.close();
        bytes.append(&mut all_wrapped(&mut client));
        // One session, byte by byte: before each of them it could have ended.
        let mut received = Vec::new();
        for (at, byte) in bytes.iter().enumerate() {
            let whole: String =
                ends.iter().take_while(|end| end.0 <= at).map(|end| end.1).collect();
            assert_eq!(received, whole.as_bytes());
            assert!(!server.is_peer_closed());
            received.extend(receive(&mut server, &[*byte]).unwrap());
        }
        assert!(server.is_peer_closed());
        server.end();
        assert_eq!(server.read_slice(), Ok(None));
    }
    // The error, in a session that ends there.
    for cut in [0, 1, 5, 6, 20, 24, 25, 26, 40] {
        let (mut client, mut server) = connected::<()>(VERSIONS[1], &TlsOptions::new());
        client.send("one").unwrap(); // 25 bytes: 5 + 3 + 1 + 16
        client.send("two").unwrap();
        client.set_wrap_data_size(0);
        let bytes = all_wrapped(&mut client);
        let received = receive(&mut server, &bytes[..cut]).unwrap();
        assert_eq!(received, if cut < 25 { &b""[..] } else { b"one" });
        server.end();
        let partial = cut % 25;
        for _ in 0..3 {
            assert_eq!(server.read_slice(), Err(TlsError::Truncated { partial }));
            assert_eq!(server.read(&mut [0]), Err(TlsError::Truncated { partial }));
        }
    }
}

/// Boundaries of records show where a handshake can be cut: here, everywhere.
#[test]
fn a_handshake_cut_anywhere_is_truncation() {
    for version in VERSIONS {
        let (mut client, mut server) = sessions::<()>(version, &TlsOptions::new());
        client.process().unwrap();
        let hello = outgoing(&mut client);
        receive(&mut server, &hello).unwrap();
        let flight = outgoing(&mut server);
        for byte in &flight[..flight.len() - 1] {
            receive(&mut client, &[*byte]).unwrap();
            assert!(client.is_handshaking() || version.version != VERSIONS[1].version);
        }
        client.end();
        assert!(matches!(client.read_slice(), Err(TlsError::Truncated { .. })));
    }
}

#[test]
fn a_stream_tells_truncation_from_the_end() {
    for version in VERSIONS {
        for is_clean in [false, true] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            let client = thread::spawn(move || {
                let config = Arc::new(configs::client(&[version]));
                let socket = TcpStream::connect(address).unwrap();
                let mut stream = TlsStream::client(socket, config, configs::name()).unwrap();
                stream.write_all(b"hello").unwrap();
                if is_clean {
                    stream.shutdown_write().unwrap();
                } else {
                    stream.flush().unwrap();
                    stream.socket().shutdown(Shutdown::Write).unwrap();
                }
                // Half closed in either way: the answer can be read.
                let mut answer = [0; 6];
                stream.read_exact(&mut answer).unwrap();
                assert_eq!(&answer, b"answer");
            });
            let socket = listener.accept().unwrap().0;
            let config = Arc::new(configs::server(&[version]));
            let mut stream = TlsStream::server(socket, config).unwrap();
            let mut hello = [0; 5];
            stream.read_exact(&mut hello).unwrap();
            let end = stream.read(&mut hello);
            if is_clean {
                assert_eq!(end.unwrap(), 0);
                assert!(stream.read_slice().unwrap().is_none());
            } else {
                let error = end.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
                assert_eq!(TlsError::of(&error), Some(&TlsError::Truncated { partial: 0 }));
                assert!(stream.read_slice().is_err());
            }
            stream.write_all(b"answer").unwrap();
            stream.flush().unwrap();
            client.join().unwrap();
        }
    }
}

#[test]
fn an_end_during_the_handshake_is_an_error_for_whoever_asks() {
    let (there, back) = duplex(100_000, 1);
    let mut client = TlsStream::client(there, configs::pair().0, configs::name()).unwrap();
    back.end();
    let error = loop {
        match client.handshake() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            other => break other.unwrap_err(),
        }
    };
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    client.send("never").unwrap();
    assert_eq!(client.flush().unwrap_err().kind(), ErrorKind::UnexpectedEof);
    assert_eq!(client.read(&mut [0]).unwrap_err().kind(), ErrorKind::UnexpectedEof);
}

#[test]
fn a_server_that_accepts_early_data_is_refused() {
    let mut config = configs::server(&[VERSIONS[1]]);
    config.max_early_data_size = 1000;
    let error = Session::<()>::server(Arc::new(config)).unwrap_err();
    assert_eq!(error, TlsError::EarlyData);
}

/// The peer's `close_notify` may come while there is much to be sent yet.
#[test]
fn a_stream_sends_on_after_the_peer_closed() {
    let (there, back) = duplex(1000, 2);
    let (client_config, server_config) = configs::pair();
    let mut client = TlsStream::client(there, client_config, configs::name()).unwrap();
    let mut server = TlsStream::server(back, server_config).unwrap();
    server.send(vec![7; 50_000]).unwrap();
    let (mut has_closed, mut received) = (false, Vec::<u8>::new());
    while received.len() < 50_000 {
        has_closed |= happened(client.shutdown_write()).is_some();
        happened(server.flush());
        if let Some(slice) = happened(client.read_slice()) {
            received.extend(slice.unwrap().as_slice());
        }
        if let Some(slice) = happened(server.read_slice()) {
            assert!(slice.is_none());
        }
    }
    assert!(has_closed && received == [7; 50_000]);
}
