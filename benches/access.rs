//! Typed access: what a buffer costs over indexing a slice.
//!
//! Every body is a function of its own that takes the buffer as a codec's
//! function would, and every row runs the same loop around it.

mod common;

use bytes::{Buf, BufMut, BytesMut};
use common::{Rows, criterion};
use core::hint::black_box;
use criterion::{Criterion, criterion_group, criterion_main};
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, DirectBuf, HeapBuf, SliceBuf, WeakSlice};

/// Bytes in every buffer.
const LEN: usize = 64;
/// Where the absolute accesses go: not aligned, inside a composite's first
/// component.
const INDEX: usize = 13;

/// What is measured, once for everything that is a buffer of this crate.
mod refbuf_body {
    use super::*;

    #[inline(never)]
    pub fn get_u64<B: ByteBuf + ?Sized>(buf: &mut B, index: usize) -> u64 {
        buf.get_u64(index)
    }

    #[inline(never)]
    pub fn set_u64<B: ByteBufMut + ?Sized>(buf: &mut B, index: usize) -> u64 {
        buf.set_u64(index, index as u64);
        0
    }

    /// At the same index, unknown to the compiler, which in the row of the slice
    /// would do without the second access.
    #[inline(never)]
    pub fn set_get_u64<B: ByteBufMut + ?Sized>(buf: &mut B, index: usize) -> u64 {
        buf.set_u64(index, index as u64);
        buf.get_u64(black_box(index))
    }

    #[inline(never)]
    pub fn read_batch8<B: ByteBuf + ?Sized>(buf: &mut B, start: usize) -> u64 {
        let mut sum = 0;
        for _ in 0..8 {
            sum += u64::from(buf.read_u8());
        }
        buf.set_reader_index(start);
        sum
    }

    #[inline(never)]
    pub fn write_batch8<B: ByteBufMut + ?Sized>(buf: &mut B, start: usize) -> u64 {
        for i in 0..8 {
            buf.write_u8(i);
        }
        buf.set_writer_index(start);
        0
    }
}

/// The same by slice indexing: a slice and, where bytes are read one after the
/// other, a position.
mod raw_body {
    use core::hint::black_box;

    #[inline(never)]
    pub fn get_u64(buf: &mut [u8], index: usize) -> u64 {
        u64::from_be_bytes(buf[index..index + 8].try_into().unwrap())
    }

    #[inline(never)]
    pub fn set_u64(buf: &mut [u8], index: usize) -> u64 {
        buf[index..index + 8].copy_from_slice(&(index as u64).to_be_bytes());
        0
    }

    #[inline(never)]
    pub fn set_get_u64(buf: &mut [u8], index: usize) -> u64 {
        buf[index..index + 8].copy_from_slice(&(index as u64).to_be_bytes());
        let index = black_box(index);
        u64::from_be_bytes(buf[index..index + 8].try_into().unwrap())
    }

    pub struct Reader<'a> {
        pub bytes: &'a [u8],
        pub position: usize,
    }

    #[inline(never)]
    pub fn read_batch8(reader: &mut Reader<'_>, start: usize) -> u64 {
        let mut sum = 0;
        for _ in 0..8 {
            sum += u64::from(reader.bytes[reader.position]);
            reader.position += 1;
        }
        reader.position = start;
        sum
    }

    #[inline(never)]
    pub fn write_batch8(vec: &mut Vec<u8>, start: usize) -> u64 {
        for i in 0..8 {
            vec.push(i);
        }
        vec.truncate(start);
        0
    }
}

/// The nearest that `bytes` has. It cannot go back to a position, so reading
/// goes through a handle that is consumed: a slice of the `BytesMut`.
mod bytes_body {
    use super::*;

    #[inline(never)]
    pub fn get_u64(buf: &mut BytesMut, index: usize) -> u64 {
        (&buf[index..]).get_u64()
    }

    #[inline(never)]
    pub fn set_u64(buf: &mut BytesMut, index: usize) -> u64 {
        (&mut buf[index..]).put_u64(index as u64);
        0
    }

    #[inline(never)]
    pub fn set_get_u64(buf: &mut BytesMut, index: usize) -> u64 {
        (&mut buf[index..]).put_u64(index as u64);
        (&buf[black_box(index)..]).get_u64()
    }

    #[inline(never)]
    pub fn read_batch8(buf: &mut BytesMut, start: usize) -> u64 {
        let mut reader = &buf[start..];
        let mut sum = 0;
        for _ in 0..8 {
            sum += u64::from(reader.get_u8());
        }
        sum
    }

    #[inline(never)]
    pub fn write_batch8(buf: &mut BytesMut, start: usize) -> u64 {
        for i in 0..8 {
            buf.put_u8(i);
        }
        buf.truncate(start);
        0
    }
}

fn bytes() -> Vec<u8> {
    (0..).take(LEN).collect()
}

fn heap() -> HeapBuf {
    HeapBuf::from(bytes())
}

fn direct() -> DirectBuf {
    let mut buf = DirectBuf::with_capacity(LEN);
    buf.write_bytes(&bytes());
    buf
}

fn slice() -> SliceBuf {
    SliceBuf::from(bytes())
}

/// The owner has to stay: the view keeps nothing.
fn weak() -> (SliceBuf, WeakSlice) {
    let owner = slice();
    let view = owner.downgrade();
    (owner, view)
}

fn composite() -> CompositeBuf {
    let (front, back) = (bytes()[..LEN / 2].to_vec(), bytes()[LEN / 2..].to_vec());
    let mut buf = CompositeBuf::new();
    buf.push(front);
    buf.push(back);
    buf
}

/// Reads at `INDEX`; all types can.
macro_rules! reading {
    ($c:expr, $case:ident, $start:expr) => {{
        let mut rows = Rows::new($c, stringify!($case), LEN);
        rows.run("bytes", &mut BytesMut::from(&bytes()[..]), $start, bytes_body::$case);
        rows.run("heap", &mut heap(), $start, refbuf_body::$case);
        rows.run("direct", &mut direct(), $start, refbuf_body::$case);
        rows.run("slice", &mut slice(), $start, refbuf_body::$case);
        let (_owner, mut weak) = weak();
        rows.run("weak", &mut weak, $start, refbuf_body::$case);
        rows.run("composite", &mut composite(), $start, refbuf_body::$case);
        let dyn_heap: &mut dyn ByteBuf = &mut heap();
        rows.run("dyn_heap", dyn_heap, $start, refbuf_body::$case);
        rows
    }};
}

/// Overwrites at `INDEX`; all types but `WeakSlice` can.
macro_rules! overwriting {
    ($c:expr, $case:ident) => {{
        let mut rows = Rows::new($c, stringify!($case), LEN);
        rows.run("raw", &mut bytes()[..], INDEX, raw_body::$case);
        rows.run("bytes", &mut BytesMut::from(&bytes()[..]), INDEX, bytes_body::$case);
        rows.run("heap", &mut heap(), INDEX, refbuf_body::$case);
        rows.run("direct", &mut direct(), INDEX, refbuf_body::$case);
        rows.run("slice", &mut slice(), INDEX, refbuf_body::$case);
        rows.run("composite", &mut composite(), INDEX, refbuf_body::$case);
        let dyn_heap: &mut dyn ByteBufMut = &mut heap();
        rows.run("dyn_heap", dyn_heap, INDEX, refbuf_body::$case);
    }};
}

fn set_u64(c: &mut Criterion) {
    overwriting!(c, set_u64);
}

fn set_get_u64(c: &mut Criterion) {
    overwriting!(c, set_get_u64);
}

fn get_u64(c: &mut Criterion) {
    let mut rows = reading!(c, get_u64, INDEX);
    rows.run("raw", &mut bytes()[..], INDEX, raw_body::get_u64);
}

fn read_batch8(c: &mut Criterion) {
    let mut rows = reading!(c, read_batch8, 0);
    let mut reader = raw_body::Reader { bytes: &bytes(), position: 0 };
    rows.run("raw", &mut reader, 0, raw_body::read_batch8);
}

/// Appends to room that is there. A slice never has any.
fn write_batch8(c: &mut Criterion) {
    let mut rows = Rows::new(c, "write_batch8", LEN);
    rows.run("raw", &mut Vec::with_capacity(LEN), 0, raw_body::write_batch8);
    rows.run("bytes", &mut BytesMut::with_capacity(LEN), 0, bytes_body::write_batch8);
    rows.run("heap", &mut HeapBuf::with_capacity(LEN), 0, refbuf_body::write_batch8);
    rows.run("direct", &mut DirectBuf::with_capacity(LEN), 0, refbuf_body::write_batch8);
    let mut composite = CompositeBuf::from(slice());
    composite.write_u64(0); // A second component, which has room.
    let start = composite.writer_index();
    rows.run("composite", &mut composite, start, refbuf_body::write_batch8);
    let dyn_heap: &mut dyn ByteBufMut = &mut HeapBuf::with_capacity(LEN);
    rows.run("dyn_heap", dyn_heap, 0, refbuf_body::write_batch8);
}

criterion_group! {
    name = access;
    config = criterion();
    targets = set_u64, get_u64, set_get_u64, read_batch8, write_batch8
}
criterion_main!(access);
