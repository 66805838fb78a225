//! What a codec does most often, one function each, for `tests/assembly.rs` to
//! look at the machine code of. Compiled by that test, not by cargo.
#![crate_type = "lib"]
#![allow(missing_docs)]

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, DirectBuf, HeapBuf, SliceBuf, WeakSlice};

macro_rules! probes {
    ($($name:ident($buf:ident: $ty:ty $(, $arg:ident: $arg_ty:ty)*) $(-> $ret:ty)? $body:block)*) => { $(
        #[unsafe(no_mangle)]
        #[inline(never)]
        pub fn $name($buf: $ty $(, $arg: $arg_ty)*) $(-> $ret)? $body
    )* };
}

probes! {
    heap_get_u64(buf: &HeapBuf, index: usize) -> u64 { buf.get_u64(index) }
    heap_set_u64(buf: &mut HeapBuf, index: usize, value: u64) { buf.set_u64(index, value) }
    heap_read_u8(buf: &mut HeapBuf) -> u8 { buf.read_u8() }
    heap_write_u8(buf: &mut HeapBuf, value: u8) { buf.write_u8(value) }
    heap_read_back(buf: &mut HeapBuf) { buf.set_reader_index(0) }

    direct_get_u64(buf: &DirectBuf, index: usize) -> u64 { buf.get_u64(index) }
    direct_set_u64(buf: &mut DirectBuf, index: usize, value: u64) { buf.set_u64(index, value) }
    direct_read_u8(buf: &mut DirectBuf) -> u8 { buf.read_u8() }
    direct_write_u8(buf: &mut DirectBuf, value: u8) { buf.write_u8(value) }

    slice_get_u64(buf: &SliceBuf, index: usize) -> u64 { buf.get_u64(index) }
    slice_set_u64(buf: &mut SliceBuf, index: usize, value: u64) { buf.set_u64(index, value) }
    slice_read_u8(buf: &mut SliceBuf) -> u8 { buf.read_u8() }

    weak_get_u64(buf: &WeakSlice, index: usize) -> u64 { buf.get_u64(index) }
    weak_read_u8(buf: &mut WeakSlice) -> u8 { buf.read_u8() }

    composite_get_u64(buf: &CompositeBuf, index: usize) -> u64 { buf.get_u64(index) }
    composite_set_u64(buf: &mut CompositeBuf, index: usize, value: u64) { buf.set_u64(index, value) }
    composite_read_u8(buf: &mut CompositeBuf) -> u8 { buf.read_u8() }
    composite_write_u8(buf: &mut CompositeBuf, value: u8) { buf.write_u8(value) }

    heap_read_run(buf: &mut HeapBuf) -> u64 { (0..4).map(|_| u64::from(buf.read_u8())).sum() }
    heap_write_run(buf: &mut HeapBuf) { (0..4).for_each(|i| buf.write_u8(i)) }
    composite_read_run(buf: &mut CompositeBuf) -> u64 { (0..4).map(|_| u64::from(buf.read_u8())).sum() }
    composite_write_run(buf: &mut CompositeBuf) { (0..4).for_each(|i| buf.write_u8(i)) }

    slice_clone(buf: &SliceBuf) -> SliceBuf { buf.clone() }
    slice_drop(buf: SliceBuf) { drop(buf) }
    heap_drop(buf: HeapBuf) { drop(buf) }
    heap_cut_frame(buf: &mut HeapBuf, len: usize) -> SliceBuf { buf.read_slice(len) }
    weak_drop(buf: WeakSlice) { drop(buf) }
}
