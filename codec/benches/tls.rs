//! Responses over TLS on the loopback: rows of 5 MiB, wrapped in several sizes
//! (HBASE-28029), and many small writes. Beside the same server on `rustls`'s
//! own stream; the client is the same for both.

#[path = "../tests/tls/configs.rs"]
mod configs;
#[allow(dead_code)] // The example uses more of it.
#[path = "../examples/tls/serve.rs"]
mod serve;

use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use refbuf::{ByteBuf, SliceBuf};
use serve::{Answer, Client, Server, serve};

const ROW: usize = 5 << 20;
/// More than fits into the caches.
const ROWS: usize = 24;
const SMALL: usize = 100;
const SMALL_WRITES: usize = 1000;

const SIZES: [(&str, usize); 5] =
    [("16k", 16 << 10), ("64k", 64 << 10), ("1m", 1 << 20), ("5m", 5 << 20), ("10m", 10 << 20)];

/// Bytes that do not matter, in memory of their own.
fn store(len: usize) -> SliceBuf {
    let mut state = 1_u64;
    let next = |_| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    SliceBuf::from((0..len).map(next).collect::<Vec<u8>>())
}

/// Times answers, one after the other, over one connection.
fn row(
    group: &mut BenchmarkGroup<'_, WallTime>,
    (case, who): (&str, &str),
    server: Server,
    answers: &[Answer],
) {
    let len = answers[0].iter().map(ByteBuf::readable_bytes).sum();
    group.throughput(Throughput::Bytes(len as u64));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let socket = listener.accept().unwrap().0;
            socket.set_nodelay(true).unwrap();
            serve(&mut *server.on(socket, configs::pair().1), answers, || {}).unwrap();
        });
        let mut client = Client::connect(&listener).unwrap();
        let mut asked = 0;
        group.bench_function(BenchmarkId::new(case, who), |bencher| {
            bencher.iter(|| {
                client.ask(asked % answers.len(), len, |_, _| {}).unwrap();
                asked += 1;
            });
        });
        client.close().unwrap();
    });
}

fn rows_5mib(c: &mut Criterion) {
    let store = store(ROWS * ROW);
    let answers: Vec<Answer> =
        (0..ROWS).map(|row| vec![store.slice(row * ROW..(row + 1) * ROW)]).collect();
    let mut group = c.benchmark_group("rows_5mib");
    for (case, wrap_data_size) in SIZES {
        row(&mut group, (case, "refbuf"), Server::Refbuf { wrap_data_size }, &answers);
        // It has no such size; a row beside each, because machines change.
        row(&mut group, (case, "plain_rustls"), Server::Plain, &answers);
    }
    group.finish();
}

fn small_writes(c: &mut Criterion) {
    let store = store(SMALL * SMALL_WRITES);
    let answer = (0..SMALL_WRITES).map(|at| store.slice(at * SMALL..(at + 1) * SMALL)).collect();
    let answers: [Answer; 1] = [answer];
    let mut group = c.benchmark_group("small_writes");
    for (case, wrap_data_size, plain) in
        [("0", 0, Server::Plain), ("16k", 16 << 10, Server::PlainGathered)]
    {
        row(&mut group, (case, "refbuf"), Server::Refbuf { wrap_data_size }, &answers);
        row(&mut group, (case, "plain_rustls"), plain, &answers);
    }
    group.finish();
}

/// Short, because what is compared are the rows of one run.
fn short() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1500))
        .sample_size(30)
        .without_plots()
}

criterion_group! {
    name = benches;
    config = short();
    targets = rows_5mib, small_writes
}
criterion_main!(benches);
