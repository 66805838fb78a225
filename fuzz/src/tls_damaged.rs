//! A TLS session whose bytes are damaged on the way and arrive in any pieces.
//! What is read is what was sent, up to some point, and a clean end comes after
//! all of it.

use arbitrary::Arbitrary;
use refbuf_codec::tls::{Session, TlsError, TlsOptions};
use rustls::version::{TLS12, TLS13};
use std::sync::Arc;

#[allow(dead_code)]
#[path = "../../codec/tests/tls/configs.rs"]
mod configs;

#[derive(Arbitrary, Debug)]
pub struct Input {
    is_tls12: bool,
    /// What is sent, each with the size it is wrapped in.
    pieces: Vec<(Vec<u8>, u16)>,
    /// The handshake can be damaged too.
    with_handshake: bool,
    damage: Vec<(u16, Damage)>,
    /// Lengths of what arrives at once, over and over.
    arrivals: Vec<u16>,
}

#[derive(Arbitrary, Debug)]
enum Damage {
    Change(u8),
    Insert(u8),
    Remove,
    Repeat(u8),
    Cut,
}

pub fn run(input: Input) {
    let version = [&TLS13, &TLS12][usize::from(input.is_tls12)];
    let options = TlsOptions::new();
    let client = Arc::new(configs::client(&[version]));
    let server = Arc::new(configs::server(&[version]));
    let mut client: Session = options.client(client, configs::name()).unwrap();
    let mut server: Session = options.server(server).unwrap();
    if !input.with_handshake {
        while client.is_handshaking() || server.is_handshaking() {
            for (from, to) in [(0, 1), (1, 0)] {
                let ends = [&mut client, &mut server];
                let bytes = all_wrapped(ends[from]).unwrap();
                receive([&mut client, &mut server][to], &bytes, &[], &mut Vec::new()).unwrap();
            }
        }
    }

    let mut plaintext = Vec::new();
    let mut bytes = Vec::new();
    for (piece, wrap_data_size) in input.pieces {
        plaintext.extend(&piece);
        client.set_wrap_data_size(wrap_data_size.into());
        client.send(piece).unwrap();
        bytes.append(&mut all_wrapped(&mut client).unwrap());
    }
    client.close();
    bytes.append(&mut all_wrapped(&mut client).unwrap());
    let is_damaged = damage(&mut bytes, input.damage);

    let mut received = Vec::new();
    let mut result = receive(&mut server, &bytes, &input.arrivals, &mut received);
    // A handshake takes some more turns.
    for _ in 0..3 {
        let answer = all_wrapped(&mut server).unwrap_or_default();
        if result.is_err() || receive(&mut client, &answer, &[], &mut Vec::new()).is_err() {
            break;
        }
        let Ok(bytes) = all_wrapped(&mut client) else { break };
        result = receive(&mut server, &bytes, &input.arrivals, &mut received);
    }
    assert!(plaintext.starts_with(&received));
    if server.is_peer_closed() {
        assert_eq!(received, plaintext);
    }
    if !is_damaged {
        assert_eq!(result, Ok(()));
        assert!(server.is_peer_closed());
    }
    server.end();
    assert_eq!(server.read_slice().is_ok(), server.is_peer_closed());
    if let Err(error) = result {
        if server.is_peer_closed() {
            return;
        }
        assert_eq!(server.read_slice(), Err(error.clone()));
        assert_eq!(server.wrap(), Err(error));
    }
}

/// Whether anything has changed.
fn damage(bytes: &mut Vec<u8>, damage: Vec<(u16, Damage)>) -> bool {
    let original = bytes.clone();
    for (at, damage) in damage {
        if bytes.is_empty() {
            break;
        }
        let at = usize::from(at) % bytes.len();
        match damage {
            Damage::Change(bits) => bytes[at] ^= bits,
            Damage::Insert(byte) => bytes.insert(at, byte),
            Damage::Remove => drop(bytes.remove(at)),
            Damage::Repeat(len) => {
                let end = bytes.len().min(at + usize::from(len));
                let repeated = bytes[at..end].to_vec();
                bytes.splice(at..at, repeated);
            }
            Damage::Cut => bytes.truncate(at),
        }
    }
    *bytes != original
}

/// All that a session has to say.
fn all_wrapped(session: &mut Session) -> Result<Vec<u8>, TlsError> {
    let mut bytes = Vec::new();
    loop {
        session.wrap()?;
        let len = session.outgoing().len();
        if len == 0 {
            return Ok(bytes);
        }
        bytes.extend(session.outgoing());
        session.sent(len);
    }
}

fn receive(
    session: &mut Session,
    mut bytes: &[u8],
    arrivals: &[u16],
    received: &mut Vec<u8>,
) -> Result<(), TlsError> {
    let mut arrivals = arrivals.iter().cycle();
    while !bytes.is_empty() {
        let n = arrivals.next().map_or(bytes.len(), |&n| usize::from(n).max(1));
        let space = session.space()?;
        let n = n.min(space.len()).min(bytes.len());
        space[..n].copy_from_slice(&bytes[..n]);
        bytes = &bytes[n..];
        session.filled(n);
        let processed = session.process();
        while session.readable_bytes() != 0 {
            received.extend(session.read_slice().unwrap().unwrap().as_slice());
        }
        processed?;
    }
    Ok(())
}
