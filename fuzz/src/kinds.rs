//! The same bytes in a buffer of every kind.

use arbitrary::Arbitrary;
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, DirectBuf, HeapBuf, SliceBuf};

/// How a composite of given bytes is split.
#[derive(Arbitrary, Debug, Clone)]
pub struct Cuts(Vec<u8>);

impl Cuts {
    /// A composite of `bytes`; its reader index is at `skip`.
    pub fn composite(&self, bytes: &[u8], skip: usize) -> CompositeBuf {
        let mut buf = CompositeBuf::new();
        let mut rest = bytes;
        for &len in &self.0 {
            let (part, later) = rest.split_at(rest.len().min(usize::from(len) % 8));
            buf.push(part.to_vec());
            rest = later;
        }
        buf.write_bytes(rest);
        buf.set_reader_index(skip);
        buf
    }
}

/// One of the kinds that can be written.
#[derive(Arbitrary, Debug, Clone)]
pub enum Kind {
    Heap,
    Limited,
    Direct,
    Slice,
    SharedSlice,
    Static,
    Foreign,
    Composite(Cuts),
}

impl Kind {
    /// `bytes` in a buffer of this kind, and what else holds it.
    pub fn make(&self, bytes: &[u8]) -> (Box<dyn ByteBufMut>, Option<SliceBuf>) {
        let mut padded = vec![0xee];
        padded.extend(bytes);
        match self {
            Self::Heap => (Box::new(HeapBuf::from(bytes)), None),
            Self::Limited => {
                let mut buf = HeapBuf::with_max_capacity(bytes.len(), bytes.len() + 16);
                buf.write_bytes(bytes);
                (Box::new(buf), None)
            }
            Self::Direct => {
                let mut buf = DirectBuf::with_capacity(bytes.len());
                buf.write_bytes(bytes);
                (Box::new(buf), None)
            }
            Self::Slice => {
                let slice = HeapBuf::from(padded).freeze().split_off(1);
                (Box::new(slice), None)
            }
            Self::SharedSlice => {
                let whole = SliceBuf::from(padded);
                (Box::new(whole.slice(1..)), Some(whole))
            }
            Self::Static => {
                static BYTES: [u8; 256] = [0x5a; 256];
                (Box::new(SliceBuf::from_static(&BYTES[..bytes.len().min(256)])), None)
            }
            Self::Foreign => (Box::new(SliceBuf::from_owner(bytes.to_vec())), None),
            Self::Composite(cuts) => (Box::new(cuts.composite(bytes, 0)), None),
        }
    }
}
