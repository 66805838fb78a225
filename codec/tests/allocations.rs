//! How much a frame allocates on its way through, once all is warm: nothing.

use std::io::{self, IoSlice, Read, Write};

use refbuf::{ByteBuf, CompositeBuf, HeapBuf, SliceBuf};
use refbuf_codec::frame::{Delimiter, FrameError, LengthField, Varint};
use refbuf_codec::framed::blocking::Framed;
use refbuf_codec::{Decoder, Encoder};

use counting::Counting;

#[path = "../../examples/tour/counting.rs"]
#[allow(dead_code)] // It counts more than is asked here.
mod counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// Brings the same bytes over and over, some hundreds to a read, and takes all.
struct Wheel {
    bytes: Vec<u8>,
    at: usize,
}

impl Read for Wheel {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        let n = dst.len().min(self.bytes.len() - self.at).min(1500);
        dst[..n].copy_from_slice(&self.bytes[self.at..][..n]);
        self.at = (self.at + n) % self.bytes.len();
        Ok(n)
    }
}

impl Write for Wheel {
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        Ok(src.len())
    }

    fn write_vectored(&mut self, src: &[IoSlice<'_>]) -> io::Result<usize> {
        Ok(src.iter().map(|piece| piece.len()).sum())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Allocations of `frames` frames that are received and sent back, `batch` to a
/// flush.
fn allocations<C>(codec: C, bytes: Vec<u8>, frames: usize, batch: usize) -> u64
where
    C: Decoder<HeapBuf, Item = SliceBuf, Error = FrameError>
        + Encoder<SliceBuf, Error = FrameError>,
{
    let mut framed = Framed::new(Wheel { bytes, at: 0 }, codec);
    let mut echo = |frames: usize| {
        for i in 0..frames {
            let frame = framed.receive().unwrap().unwrap();
            framed.feed(frame).unwrap();
            if i % batch == 0 {
                framed.flush().unwrap();
            }
        }
    };
    echo(500);
    let before = ALLOCATOR.allocations();
    echo(frames);
    ALLOCATOR.allocations() - before
}

#[test]
fn a_frame_that_goes_through_allocates_nothing() {
    const FRAMES: usize = 1000;
    for len in [0, 10, 200, 1024, 1025, 5000, 40_000] {
        let payload = vec![b'x'; len];
        for batch in [1, 50] {
            let field = LengthField::new(4);
            let bytes = [&u32::try_from(len).unwrap().to_be_bytes(), &payload[..]].concat();
            let by_length = allocations(field.codec().unwrap(), bytes, FRAMES, batch);

            let mut bytes = CompositeBuf::new();
            Varint::new().encoder().encode(payload.clone(), &mut bytes).unwrap();
            let bytes = bytes.to_vec();
            let by_varint = allocations(Varint::new().codec(), bytes, FRAMES, batch);

            let bytes = [&payload[..], b"\r\n"].concat();
            let lines = Delimiter::lines().codec().unwrap();
            let by_line = allocations(lines, bytes, FRAMES, batch);
            // A list may grow once more; that is not a frame's.
            let all = [by_length, by_varint, by_line];
            assert!(all.iter().all(|&n| n <= 10), "{len} bytes, {batch} to a flush: {all:?}");
        }
    }
}
