//! What a codec does most often, one function each, for `tests/assembly.rs` to
//! look at the machine code of. Compiled by that test, not by cargo.
#![crate_type = "lib"]
#![allow(missing_docs)]

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, HeapBuf, SliceBuf, WeakSlice};

macro_rules! probes {
    ($($name:ident($buf:ident: $ty:ty $(, $arg:ident: $arg_ty:ty)*) $(-> $ret:ty)? $body:block)*) => { $(
        #[unsafe(no_mangle)]
        #[inline(never)]
        pub fn $name($buf: $ty $(, $arg: $arg_ty)*) $(-> $ret)? $body
    )* };
}

probes! {
    raw_get_u64(buf: &[u8], index: usize) -> u64 {
        u64::from_be_bytes(buf[index..][..8].try_into().unwrap())
    }
    raw_set_u64(buf: &mut [u8], index: usize, value: u64) {
        buf[index..][..8].copy_from_slice(&value.to_be_bytes());
    }

    heap_get_u64(buf: &HeapBuf, index: usize) -> u64 { buf.get_u64(index) }
    heap_set_u64(buf: &mut HeapBuf, index: usize, value: u64) { buf.set_u64(index, value) }
    heap_read_u8(buf: &mut HeapBuf) -> u8 { buf.read_u8() }
    heap_write_u8(buf: &mut HeapBuf, value: u8) { buf.write_u8(value) }
    heap_reset_reader(buf: &mut HeapBuf) { buf.set_reader_index(0) }
    heap_reset_writer(buf: &mut HeapBuf) { buf.set_writer_index(0) }

    slice_get_u64(buf: &SliceBuf, index: usize) -> u64 { buf.get_u64(index) }
    slice_set_u64(buf: &mut SliceBuf, index: usize, value: u64) { buf.set_u64(index, value) }
    slice_read_u8(buf: &mut SliceBuf) -> u8 { buf.read_u8() }

    weak_get_u64(buf: &WeakSlice, index: usize) -> u64 { buf.get_u64(index) }
    weak_read_u8(buf: &mut WeakSlice) -> u8 { buf.read_u8() }

    composite_get_u64(buf: &CompositeBuf, index: usize) -> u64 { buf.get_u64(index) }
    composite_set_u64(buf: &mut CompositeBuf, index: usize, value: u64) { buf.set_u64(index, value) }
    composite_read_u8(buf: &mut CompositeBuf) -> u8 { buf.read_u8() }
    composite_write_u8(buf: &mut CompositeBuf, value: u8) { buf.write_u8(value) }

    slice_clone(buf: &SliceBuf) -> SliceBuf { buf.clone() }
    slice_drop(buf: SliceBuf) { drop(buf) }
    heap_drop(buf: HeapBuf) { drop(buf) }
    heap_cut_frame(buf: &mut HeapBuf, len: usize) -> SliceBuf { buf.read_slice(len) }
    weak_upgrade(buf: &WeakSlice) -> Option<SliceBuf> { buf.upgrade() }
}

#[cfg(feature = "mmap")]
probes! {
    direct_get_u64(buf: &refbuf::DirectBuf, index: usize) -> u64 { buf.get_u64(index) }
    direct_set_u64(buf: &mut refbuf::DirectBuf, index: usize, value: u64) { buf.set_u64(index, value) }
    direct_read_u8(buf: &mut refbuf::DirectBuf) -> u8 { buf.read_u8() }
    direct_write_u8(buf: &mut refbuf::DirectBuf, value: u8) { buf.write_u8(value) }
}
#[unsafe(no_mangle)] #[inline(never)]
pub fn t_set_get(buf: &mut CompositeBuf, index: usize) -> u64 { buf.set_u64(index, index as u64); buf.get_u64(index)}
#[unsafe(no_mangle)] #[inline(never)]
pub fn t_read8(buf: &mut HeapBuf, start: usize) -> u64 { let mut sum=0; for _ in 0..8 { sum += u64::from(buf.read_u8()); } buf.set_reader_index(start); sum}
#[unsafe(no_mangle)] #[inline(never)]
pub fn t_write8(buf: &mut HeapBuf, start: usize) { for i in 0..8 { buf.write_u8(start as u8 + i); } buf.set_writer_index(start); }
