//! Decoding a header block: as raw bytes, and out of every kind of buffer,
//! beside others. The ids are `decode/case/who`.
//!
//! `peer` is `loona-hpack`, the faster one without Huffman (it gives out borrowed
//! headers too, and copies them into the table); `peer_httlib` is
//! `httlib-hpack`, the faster one with it (it gives out copies).
//!
//! All headers are new to the decoder, so each of them is inserted into the
//! table and evicts others. The decoder lives on from one block to the next, as
//! it does on a connection, and so does the peer's.

#[path = "../../benches/common/mod.rs"]
mod common;

use common::criterion;
use core::hint::black_box;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, DirectBuf, HeapBuf, SliceBuf};
use refbuf_codec::hpack::{Decoder, Encoder, Header, Huffman, Indexing};

/// Headers, bytes of a name, bytes of a value.
const SIZES: [(&str, usize, usize, usize); 3] =
    [("small", 5, 20, 40), ("medium", 20, 40, 80), ("large", 100, 100, 300)];

const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";

/// Names and values of random letters, the same ones each time.
fn headers(count: usize, name: usize, value: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut text = |len| -> Vec<u8> {
        let letters = core::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            LETTERS[(state >> 58) as usize]
        });
        letters.take(len).collect()
    };
    (0..count).map(|_| (text(name), text(value))).collect()
}

fn block(headers: &[(Vec<u8>, Vec<u8>)], huffman: Huffman) -> Vec<u8> {
    let mut encoder = Encoder::new().with_huffman(huffman).with_indexing(Indexing::Always);
    let mut block = HeapBuf::new();
    let headers = headers.iter().map(|(name, value)| Header::new(name, value));
    encoder.encode(headers, &mut block).expect("there is memory");
    block.to_vec()
}

fn decoder() -> Decoder {
    Decoder::new().with_max_header_list_size(1 << 20)
}

fn consume(header: Header<'_>) {
    black_box(header);
}

fn composite(block: &[u8], len: usize) -> CompositeBuf {
    block.chunks(len).map(|piece| SliceBuf::from(piece.to_vec())).collect()
}

fn decode(c: &mut Criterion) {
    for (size, count, name, value) in SIZES {
        for (coding, huffman) in [("plain", Huffman::Never), ("huffman", Huffman::Always)] {
            let headers = headers(count, name, value);
            let block = block(&headers, huffman);
            let case = format!("{size}_{coding}");
            let mut group = c.benchmark_group("decode");
            group.throughput(Throughput::Bytes((count * (name + value)) as u64));

            group.bench_function(BenchmarkId::new(&case, "raw"), |b| {
                let mut decoder = decoder();
                b.iter(|| decoder.decode_slice(black_box(&block), consume));
            });
            let mut direct = DirectBuf::with_capacity(block.len());
            direct.write_bytes(&block);
            let slice = SliceBuf::from(block.clone());
            let mut row = |who, buf: &mut dyn Buffer| {
                let id = BenchmarkId::new(&case, who);
                group.bench_function(id, |b| {
                    let mut decoder = decoder();
                    b.iter(|| buf.decode(&mut decoder));
                });
            };
            row("heap", &mut HeapBuf::from(block.clone()));
            row("slice", &mut slice.clone());
            row("weak", &mut slice.downgrade());
            row("direct", &mut direct);
            row("composite7", &mut composite(&block, 7));
            row("composite64", &mut composite(&block, 64));
            row("composite4096", &mut composite(&block, 4096));

            group.bench_function(BenchmarkId::new(&case, "peer"), |b| {
                let mut decoder = loona_hpack::Decoder::new();
                b.iter(|| {
                    let decoded = decoder.decode_with_cb(black_box(&block), |name, value| {
                        black_box((name, value));
                    });
                    decoded.expect("it is in order");
                });
            });
            group.bench_function(BenchmarkId::new(&case, "peer_httlib"), |b| {
                let mut decoder = httlib_hpack::Decoder::default();
                b.iter(|| {
                    let mut block = black_box(&block).clone();
                    let mut list = Vec::new();
                    decoder.decode(&mut block, &mut list).expect("it is in order");
                    list
                });
            });
        }
    }
}

/// One virtual call into code that is compiled for the buffer.
trait Buffer {
    fn decode(&mut self, decoder: &mut Decoder);
}

impl<B: ByteBuf> Buffer for B {
    #[inline(never)]
    fn decode(&mut self, decoder: &mut Decoder) {
        self.set_reader_index(0);
        decoder.decode(self, consume).expect("it is in order");
    }
}

criterion_group! { name = benches; config = criterion(); targets = decode }
criterion_main!(benches);
