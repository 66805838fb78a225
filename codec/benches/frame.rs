//! Frames: cutting them off, and whether to copy a payload or to push it.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, HeapBuf, SliceBuf};
use refbuf_codec::frame::{Delimiter, LengthField};
use refbuf_codec::{Cut, Decoder, Encoder};

/// Bytes received before they are cut.
const BLOCK: usize = 64 << 10;

/// Frames to a write.
const BATCH: usize = 32;

fn frames(len: usize) -> Vec<u8> {
    let header = u32::try_from(len).expect("short").to_be_bytes();
    [&header, &vec![7; len][..]].concat().repeat(BLOCK / (len + 4))
}

fn lines(len: usize) -> Vec<u8> {
    [&vec![b'x'; len - 1][..], b"\n"].concat().repeat(BLOCK / len)
}

/// Decodes all there is; the number of frames.
fn drain<B: Cut, D: Decoder<B, Error: std::fmt::Debug>>(decoder: &mut D, input: &mut B) -> usize {
    let mut n = 0;
    while let Some(frame) = decoder.decode(input).expect("good frames") {
        black_box(&frame);
        n += 1;
    }
    n
}

fn decode(c: &mut Criterion) {
    for len in [64, 1024] {
        let mut group = c.benchmark_group(format!("frame_decode/{len}"));
        let bytes = frames(len);
        group.throughput(Throughput::Elements((bytes.len() / (len + 4)) as u64));
        let decoder = LengthField::new(4).decoder().expect("makes sense");
        group.bench_function("heap", |b| {
            b.iter_batched_ref(
                || (decoder.clone(), HeapBuf::from(&bytes[..])),
                |(decoder, input)| drain(decoder, input),
                BatchSize::LargeInput,
            );
        });
        group.bench_function("composite", |b| {
            let parts: Vec<SliceBuf> =
                bytes.chunks(4096).map(|part| SliceBuf::from(part.to_vec())).collect();
            b.iter_batched_ref(
                || (decoder.clone(), parts.iter().cloned().collect::<CompositeBuf>()),
                |(decoder, input)| drain(decoder, input),
                BatchSize::LargeInput,
            );
        });
        group.bench_function("tokio_util", |b| {
            use tokio_util::codec::{Decoder, LengthDelimitedCodec};
            b.iter_batched_ref(
                || (LengthDelimitedCodec::new(), bytes::BytesMut::from(&bytes[..])),
                |(decoder, input)| {
                    let mut n = 0;
                    while let Some(frame) = decoder.decode(input).expect("good frames") {
                        black_box(&frame);
                        n += 1;
                    }
                    n
                },
                BatchSize::LargeInput,
            );
        });
        group.finish();

        let mut group = c.benchmark_group(format!("line_decode/{len}"));
        let bytes = lines(len);
        group.throughput(Throughput::Elements((bytes.len() / len) as u64));
        let decoder = Delimiter::lines().decoder().expect("makes sense");
        group.bench_function("heap", |b| {
            b.iter_batched_ref(
                || (decoder.clone(), HeapBuf::from(&bytes[..])),
                |(decoder, input)| drain(decoder, input),
                BatchSize::LargeInput,
            );
        });
        // It copies every line into a `String`, and checks that it is one.
        group.bench_function("tokio_util", |b| {
            use tokio_util::codec::{Decoder, LinesCodec};
            b.iter_batched_ref(
                || (LinesCodec::new(), bytes::BytesMut::from(&bytes[..])),
                |(decoder, input)| {
                    let mut n = 0;
                    while let Some(frame) = decoder.decode(input).expect("good lines") {
                        black_box(&frame);
                        n += 1;
                    }
                    n
                },
                BatchSize::LargeInput,
            );
        });
        group.finish();
    }
}

/// Writes what is queued to a device that takes all and does nothing with it.
fn write(output: &mut CompositeBuf, null: &mut File) {
    while output.is_readable() {
        output.write_to(null).expect("written");
        output.discard_read_components();
    }
}

fn encode(c: &mut Criterion) {
    let mut null = OpenOptions::new().write(true).open("/dev/null").expect("a null device");
    for len in [32, 128, 256, 512, 1024, 4096] {
        // Not the same bytes over and over: as many as are received at once, a
        // few times.
        let payloads: Vec<SliceBuf> =
            (0..4 * BLOCK / len).map(|_| SliceBuf::from(vec![7; len])).collect();
        let mut payloads = payloads.iter().cycle();
        let mut payload = || payloads.next().expect("one more").clone();
        let header = u32::try_from(len).expect("short");
        let mut output = CompositeBuf::new();
        let mut group = c.benchmark_group(format!("frame_encode/{len}"));
        group.throughput(Throughput::Elements(BATCH as u64));
        group.bench_function("copied", |b| {
            b.iter(|| {
                for _ in 0..BATCH {
                    output.write_u32(header);
                    output.write_bytes(payload().as_slice());
                }
                write(&mut output, &mut null);
            });
        });
        group.bench_function("pushed", |b| {
            b.iter(|| {
                for _ in 0..BATCH {
                    output.write_u32(header);
                    output.push(payload());
                }
                write(&mut output, &mut null);
            });
        });
        let mut encoder = LengthField::new(4).encoder().expect("makes sense");
        group.bench_function("encoder", |b| {
            b.iter(|| {
                for _ in 0..BATCH {
                    encoder.encode(payload(), &mut output).expect("encoded");
                }
                write(&mut output, &mut null);
            });
        });
        group.bench_function("tokio_util", |b| {
            use tokio_util::codec::{Encoder, LengthDelimitedCodec};
            let payloads: Vec<_> =
                (0..4 * BLOCK / len).map(|_| bytes::Bytes::from(vec![7; len])).collect();
            let mut payloads = payloads.iter().cycle();
            let mut codec = LengthDelimitedCodec::new();
            let mut output = bytes::BytesMut::new();
            b.iter(|| {
                for _ in 0..BATCH {
                    codec
                        .encode(payloads.next().expect("one more").clone(), &mut output)
                        .expect("encoded");
                }
                std::io::Write::write_all(&mut null, &output).expect("written");
                output.clear();
            });
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = decode, encode
}
criterion_main!(benches);
