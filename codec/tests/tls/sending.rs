//! What becomes of what is queued.

use std::sync::Arc;

use refbuf::{
    BufAllocator, ByteBuf, ByteBufMut, CompositeBuf, DirectBuf, Error, HeapBuf, Pool, PoolConfig,
    SliceBuf, Unpooled,
};
use refbuf_codec::tls::{TlsError, TlsOptions};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use crate::support::{
    Random, VERSIONS, all_wrapped, connected, outgoing, pass, receive, records, wrapped,
};

/// A record's bytes around the plaintext.
const OVERHEAD: [usize; 2] = [5 + 8 + 16, 5 + 1 + 16];

#[test]
fn small_buffers_share_records() {
    for (version, overhead) in VERSIONS.into_iter().zip(OVERHEAD) {
        let (mut client, mut server) = connected::<()>(version, &TlsOptions::new());
        for _ in 0..1000 {
            client.send(vec![1; 100]).unwrap();
        }
        let bytes = all_wrapped(&mut client);
        let records = records(&bytes);
        assert_eq!(records.len(), 100_000_usize.div_ceil(16 << 10));
        assert_eq!(bytes.len(), 100_000 + records.len() * overhead);
        assert_eq!(receive(&mut server, &bytes).unwrap(), [1; 100_000]);
    }
}

#[test]
fn with_size_0_each_buffer_has_its_records() {
    for (version, overhead) in VERSIONS.into_iter().zip(OVERHEAD) {
        let options = TlsOptions::new().wrap_data_size(0);
        let (mut client, mut server) = connected::<()>(version, &options);
        let mut expected = Vec::new();
        let mut all = Vec::new();
        for n in [1, 100, 0, 16 << 10, (16 << 10) + 1, 3] {
            let buf = Random(n as u64).bytes(n);
            all.extend(&buf);
            client.send(buf).unwrap();
            expected.extend((0..n).step_by(16 << 10).map(|at| (n - at).min(16 << 10)));
        }
        let bytes = all_wrapped(&mut client);
        let lens: Vec<_> = records(&bytes).iter().map(|record| record.1 + 5 - overhead).collect();
        assert_eq!(lens, expected);
        assert!(receive(&mut server, &bytes).unwrap() == all);
    }
}

#[test]
fn one_wrap_is_as_large_as_was_asked_for() {
    const MIB: usize = 1 << 20;
    // Records, and bytes in them.
    for (size, expected, len) in [
        (16 << 10, 4, 64 << 10),
        (64 << 10, 4, 64 << 10),
        (20_000, 7, 76_384), // each is one of 16 384 and the rest, up to a full one too many
        (256 << 10, 16, 256 << 10),
        (MIB, 16, 256 << 10), // what stays in the cache
        (10 * MIB, 16, 256 << 10),
    ] {
        let options = TlsOptions::new().wrap_data_size(size).outbound_limit(10 * MIB);
        let (mut client, _) = connected::<()>(VERSIONS[1], &options);
        client.send(SliceBuf::from(vec![0; 5 * MIB])).unwrap();
        let bytes = wrapped(&mut client);
        assert_eq!(records(&bytes).len(), expected, "{size}");
        assert_eq!(client.queued_bytes(), 5 * MIB - len, "{size}");
    }
}

#[test]
fn the_size_can_change_while_something_is_queued() {
    let (mut client, mut server) = connected::<()>(VERSIONS[1], &TlsOptions::new());
    let mut random = Random(1);
    let expected = random.bytes(300_000);
    let mut rest = SliceBuf::from(expected.clone());
    while rest.is_readable() {
        let n = random.size().min(rest.readable_bytes());
        client.send(rest.split_to(n)).unwrap();
    }
    let mut received = Vec::new();
    while client.wants_wrap() {
        client.set_wrap_data_size(random.wrap_data_size().max(100));
        received.extend(receive(&mut server, &wrapped(&mut client)).unwrap());
    }
    assert!(received == expected);
}

/// Rows 229 and 233: a peer that does not read makes nothing more than a little
/// ciphertext, however much is queued and however often it is tried.
#[test]
fn a_peer_that_does_not_read_is_sent_little() {
    const LIMIT: usize = 64 << 10;
    let pool = Pool::new(PoolConfig::new());
    for wrap_data_size in [0, 1000, 16 << 10, 5 << 20] {
        let options = TlsOptions::new()
            .wrap_data_size(wrap_data_size)
            .outbound_limit(LIMIT)
            .allocator(Arc::new(pool.clone()));
        let (mut client, _) = connected::<()>(VERSIONS[1], &options);
        let row = SliceBuf::from(vec![0; 5 << 20]);
        for _ in 0..200 {
            client.send(row.clone()).unwrap(); // 1000 MiB
        }
        for _ in 0..100 {
            client.wrap().unwrap();
        }
        let (waits, record) = (client.outgoing().len(), (16 << 10) + OVERHEAD[1]);
        assert!((1..LIMIT + record).contains(&waits), "{waits} for {wrap_data_size}");
        // 64 KiB, a record and its overhead, in the next class of the pool.
        assert!(pool.stats().live_bytes() <= (LIMIT + record) as u64 * 5 / 4);
        // It begins to read, a little each time: still not more.
        for _ in 0..300 {
            client.sent(999.min(client.outgoing().len()));
            client.wrap().unwrap();
            assert!(client.outgoing().len() < LIMIT + record);
        }
    }
}

/// Row 229 again: of the block itself, when the peer does read.
#[test]
fn the_outgoing_block_does_not_grow_with_the_queue() {
    let pool = Pool::new(PoolConfig::new());
    let options = TlsOptions::new().allocator(Arc::new(pool.clone()));
    let (mut client, _) = connected::<()>(VERSIONS[1], &options);
    client.rest();
    client.send(SliceBuf::from(vec![0; 20 << 20])).unwrap();
    while client.wants_wrap() {
        client.wrap().unwrap();
        assert!(pool.stats().live_bytes() <= 80 << 10, "{:?}", pool.stats());
        client.sent(client.outgoing().len());
    }
}

#[test]
fn an_idle_session_keeps_no_blocks() {
    let pool = Pool::new(PoolConfig::new());
    let options = TlsOptions::new().allocator(Arc::new(pool.clone()));
    let (mut client, mut server) = connected::<()>(VERSIONS[1], &options);
    for _ in 0..3 {
        client.write(b"hello").unwrap();
        client.send(pool.heap(100)).unwrap();
        pass(&mut client, &mut server).unwrap();
        server.send(vec![0; 100_000]).unwrap();
        pass(&mut server, &mut client).unwrap();
        client.rest();
        server.rest();
        assert_eq!(pool.stats().live_bytes(), 0);
    }
}

/// Row 228: each region of a composite is a record of its own, and each of
/// them needs room for what a record adds.
#[test]
fn many_regions_with_their_overhead_fit() {
    for version in VERSIONS {
        for wrap_data_size in [0, 16 << 10, 1 << 20] {
            let options = TlsOptions::new().wrap_data_size(wrap_data_size).outbound_limit(1 << 20);
            let (mut client, mut server) = connected::<()>(version, &options);
            let mut regions = CompositeBuf::new();
            let mut expected = Vec::new();
            for n in 0..300 {
                let region = Random(n).bytes(1025); // longer than what is copied together
                expected.extend(&region);
                regions.push(region);
            }
            client.send(regions).unwrap();
            assert!(pass(&mut client, &mut server).unwrap() == expected);
        }
    }
}

/// More of it is overhead than was foreseen: the block grows, not each time.
#[test]
fn tiny_records_do_not_move_the_block_each_time() {
    let pool = Pool::new(PoolConfig::new());
    let options = TlsOptions::new().wrap_data_size(0).allocator(Arc::new(pool.clone()));
    let (mut client, mut server) = connected::<()>(VERSIONS[1], &options);
    for _ in 0..700 {
        client.send("x").unwrap();
    }
    let before = pool.stats().taken();
    let bytes = wrapped(&mut client); // 700 records in 16 100 bytes
    assert!(pool.stats().taken() - before < 10);
    assert_eq!(receive(&mut server, &bytes).unwrap(), [b'x'; 700]);
}

/// Row 231: an echo of a lot needs no more memory than an echo of little.
/// Rows 236 and 237: what was received is sent, and is the same block.
#[test]
fn an_echo_needs_little_memory() {
    let pool = Pool::new(PoolConfig::new());
    let options = TlsOptions::new().allocator(Arc::new(pool.clone()));
    let (mut client, mut server) = connected::<()>(VERSIONS[1], &options);
    let mut random = Random(5);
    for _ in 0..300 {
        let n = random.size();
        let bytes = random.bytes(n);
        client.send(bytes.clone()).unwrap();
        let mut received = all_wrapped(&mut client);
        let mut echoed = Vec::new();
        while !received.is_empty() {
            let space = server.space().unwrap();
            let n = space.len().min(received.len());
            space[..n].copy_from_slice(&received[..n]);
            received.drain(..n);
            server.filled(n);
            server.process().unwrap();
            while let Some(slice) = server.read_slice().unwrap() {
                server.send(slice).unwrap();
            }
            echoed.extend(pass(&mut server, &mut client).unwrap());
        }
        assert!(echoed == bytes);
    }
    assert!(pool.stats().reserved_high < 2 << 20, "{:?}", pool.stats());
}

/// Row 226: a token comes when the last byte of its buffer is sent, not before.
#[test]
fn tokens_come_when_the_last_byte_is_sent() {
    for wrap_data_size in [0, 7, 16 << 10, 1 << 20] {
        let options = TlsOptions::new().wrap_data_size(wrap_data_size);
        let (mut client, mut server) = connected(VERSIONS[1], &options);
        let mut random = Random(wrap_data_size as u64);
        let mut ends = Vec::new();
        let mut queued = 0;
        for token in 0..100 {
            let n = [0, 1, 100, 3000][random.below(4)];
            client.send_with(vec![0; n], token).unwrap();
            queued += n;
            ends.push(queued);
        }
        let (mut received, mut next) = (0, 0);
        while client.wants_wrap() || !client.outgoing().is_empty() {
            client.wrap().unwrap();
            let n = 1 + random.below(client.outgoing().len().max(1));
            let n = n.min(client.outgoing().len());
            let bytes = client.outgoing()[..n].to_vec();
            client.sent(n);
            received += receive(&mut server, &bytes).unwrap().len();
            while let Some(token) = client.completed() {
                assert_eq!(token, next);
                assert!(received >= ends[token], "{token} was early");
                next += 1;
            }
        }
        assert_eq!((received, next), (queued, 100));
    }
}

#[test]
fn tokens_of_what_was_not_sent_come_back() {
    let options = TlsOptions::new().wrap_data_size(0).outbound_limit(1);
    let (mut client, _server) = connected(VERSIONS[1], &options);
    for token in 0..5 {
        client.send_with("hello", token).unwrap();
    }
    client.wrap().unwrap();
    client.sent(client.outgoing().len());
    client.wrap().unwrap();
    assert_eq!(client.completed(), Some(0));
    assert_eq!(client.completed(), None);
    assert_eq!(client.abandon(), [1, 2, 3, 4]);
    assert_eq!(client.queued_bytes(), 0);
    assert!(!client.wants_wrap());
}

/// Row 232: what others can see is not written, by nobody.
#[test]
fn buffers_that_were_sent_are_not_changed() {
    let (mut client, mut server) = connected::<()>(VERSIONS[1], &TlsOptions::new());
    let mut random = Random(3);
    let mut sent: Vec<(SliceBuf, Vec<u8>)> = Vec::new();
    for _ in 0..200 {
        let n = random.size();
        let bytes = random.bytes(n);
        let mut buf = HeapBuf::with_capacity(n + 20_000); // with room behind it
        buf.write_bytes(&bytes);
        sent.push((buf.slice(..), bytes));
        client.send(buf).unwrap();
        client.send(sent[random.below(sent.len())].0.clone()).unwrap();
        pass(&mut client, &mut server).unwrap();
    }
    for (slice, bytes) in sent {
        assert!(slice.as_slice() == bytes);
    }
}

#[test]
fn writes_are_held_back_and_copied() {
    let options = TlsOptions::new().write_limit(1000);
    let (mut client, mut server) = connected::<()>(VERSIONS[1], &options);
    let mut bytes = vec![1; 700];
    assert_eq!(client.write(&bytes).unwrap(), 700);
    bytes.fill(2);
    assert_eq!(client.write(&bytes).unwrap(), 300);
    assert_eq!(client.write(&bytes).unwrap(), 0);
    assert_eq!(client.queued_bytes(), 1000);
    let received = pass(&mut client, &mut server).unwrap();
    assert_eq!(received, [[1; 700].as_slice(), &[2; 300]].concat());
}

#[test]
fn small_writes_are_gathered() {
    let pool = Pool::new(PoolConfig::new());
    let options = TlsOptions::new().allocator(Arc::new(pool.clone()));
    let (mut client, mut server) = connected::<()>(VERSIONS[1], &options);
    let before = pool.stats().taken();
    for _ in 0..2000 {
        assert_eq!(client.write(b"0123456789").unwrap(), 10);
    }
    assert_eq!(pool.stats().taken() - before, 2); // of 16 KiB
    let bytes = all_wrapped(&mut client);
    assert_eq!(records(&bytes).len(), 2);
    assert_eq!(receive(&mut server, &bytes).unwrap(), b"0123456789".repeat(2000));

    client.set_wrap_data_size(0);
    for _ in 0..5 {
        client.write(b"0123456789").unwrap();
    }
    let bytes = all_wrapped(&mut client);
    assert_eq!(records(&bytes).len(), 5);
    assert_eq!(receive(&mut server, &bytes).unwrap(), b"0123456789".repeat(5));
}

#[test]
fn what_is_queued_before_the_handshake_follows_it() {
    for version in VERSIONS {
        let (mut client, mut server) = crate::support::sessions::<()>(version, &TlsOptions::new());
        client.send("early ").unwrap();
        client.write(b"bird").unwrap();
        client.close();
        let mut received = Vec::new();
        for _ in 0..4 {
            client.wrap().unwrap();
            received.extend(receive(&mut server, &outgoing(&mut client)).unwrap());
            pass(&mut server, &mut client).unwrap();
        }
        assert_eq!(received, b"early bird");
        assert!(server.is_peer_closed());
    }
}

/// Gives no memory from the `after`th request on, while it is `on`.
struct Stingy {
    on: AtomicBool,
    after: AtomicUsize,
}

impl BufAllocator for Stingy {
    fn try_heap(&self, capacity: usize) -> Result<HeapBuf, Error> {
        if self.on.load(Relaxed) {
            let left = self.after.load(Relaxed);
            self.after.store(left.saturating_sub(1), Relaxed);
            if left == 0 {
                return Err(Error::Alloc { size: capacity });
            }
        }
        Unpooled.try_heap(capacity)
    }

    fn try_direct(&self, capacity: usize) -> Result<DirectBuf, Error> {
        Unpooled.try_direct(capacity)
    }

    fn composite(&self) -> CompositeBuf {
        CompositeBuf::new()
    }
}

/// Rows 224 and 227: a failure in the middle leaves everything where it was,
/// and counted.
#[test]
fn without_memory_nothing_is_lost() {
    for after in 0..6 {
        let stingy = Arc::new(Stingy { on: AtomicBool::new(false), after: AtomicUsize::new(0) });
        let options = TlsOptions::new().allocator(stingy.clone());
        let (mut client, mut server) = connected(VERSIONS[1], &options);
        client.rest();
        server.rest();
        let mut expected: Vec<u8> = Vec::new();
        let mut failures = 0;
        let mut received: Vec<u8> = Vec::new();
        for round in 0..20 {
            for n in [10, 20, 5000, 40_000] {
                let bytes = Random(round).bytes(n);
                expected.extend(&bytes);
                client.send_with(bytes, expected.len()).unwrap();
            }
            stingy.after.store(after, Relaxed);
            stingy.on.store(true, Relaxed);
            let mut bytes = Vec::new();
            while client.wants_wrap() {
                let (queued, waits) = (client.queued_bytes(), client.outgoing().len());
                if let Err(error) = client.wrap() {
                    assert!(matches!(error, TlsError::Buffer(Error::Alloc { .. })), "{error}");
                    failures += 1;
                    assert!(client.outgoing().len() >= waits && client.queued_bytes() <= queued);
                    stingy.on.store(false, Relaxed);
                }
                bytes.append(&mut outgoing(&mut client));
            }
            stingy.after.store(after, Relaxed);
            stingy.on.store(true, Relaxed);
            // A receiver that has to ask again.
            let mut rest = &bytes[..];
            while !rest.is_empty() || server.readable_bytes() != 0 {
                let filled = server.space().map(|space| {
                    let n = space.len().min(rest.len());
                    space[..n].copy_from_slice(&rest[..n]);
                    rest = &rest[n..];
                    n
                });
                let processed = filled.and_then(|n| {
                    server.filled(n);
                    server.process()
                });
                if let Err(error) = processed {
                    assert!(matches!(error, TlsError::Buffer(Error::Alloc { .. })), "{error}");
                    failures += 1;
                    stingy.on.store(false, Relaxed);
                    server.process().unwrap();
                }
                while let Some(slice) = server.read_slice().unwrap() {
                    received.extend(slice.as_slice());
                }
            }
            stingy.on.store(false, Relaxed);
            client.rest();
            server.rest();
        }
        assert!(received == expected);
        assert!(failures != 0 || after > 3, "nothing failed after {after}");
        let mut last = 0;
        while let Some(token) = client.completed() {
            last = token;
        }
        assert_eq!(last, expected.len());
    }
}
