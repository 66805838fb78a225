//! The panicking form of a call says what its error says, at the line of the
//! call.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, HeapBuf, SliceBuf, WeakSlice};

#[derive(Debug, PartialEq)]
struct Panic {
    text: String,
    file: String,
    line: u32,
}

thread_local! {
    /// `Some` while this thread is expected to panic.
    static CAUGHT: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Runs `call`, which must panic.
#[track_caller]
fn panic_of(call: impl FnOnce()) -> Panic {
    static HOOK: Once = Once::new();
    // One hook for all tests, silent for those that wait for a panic.
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |info| {
            let expected = CAUGHT.with_borrow_mut(|caught| {
                let Some(caught) = caught else { return false };
                let at = info.location().expect("always known");
                (caught.file, caught.line) = (at.file().into(), at.line());
                true
            });
            if !expected {
                others(info);
            }
        }));
    });
    let empty = Panic { text: String::new(), file: String::new(), line: 0 };
    CAUGHT.set(Some(empty));
    let result = catch_unwind(AssertUnwindSafe(call));
    let mut panic = CAUGHT.take().expect("set above");
    let payload = result.expect_err("no panic");
    panic.text = *payload.downcast::<String>().expect("a formatted text");
    panic
}

/// The text of the panic that `call` ends in.
#[track_caller]
pub fn text(call: impl FnOnce()) -> String {
    panic_of(call).text
}

/// Each pair: a call that panics and its form that fails.
macro_rules! panics_as_it_fails {
    ($($call:expr => $try_call:expr;)*) => { $(
        let error = $try_call.map(drop).expect_err(stringify!($try_call));
        let panic = panic_of(|| _ = $call);
        assert_eq!(panic.text, error.to_string(), stringify!($call));
        assert_eq!(panic.file, file!(), "{} panics inside the library", stringify!($call));
    )* };
}

#[allow(clippy::reversed_empty_ranges)] // Wanted: an error.
fn reading<B: ByteBuf>(mut buf: B) {
    panics_as_it_fails! {
        buf.set_reader_index(99) => buf.try_set_reader_index(99);
        buf.skip(99) => buf.try_skip(99);
        buf.chunk(99) => buf.try_chunk(99);
        buf.slice(2..99) => buf.try_slice(2..99);
        buf.read_slice(99) => buf.try_read_slice(99);
        buf.get_bytes(99, &mut []) => buf.try_get_bytes(99, &mut []);
        buf.read_bytes(&mut [0; 99]) => buf.try_read_bytes(&mut [0; 99]);
        buf.get_u8(99) => buf.try_get_u8(99);
        buf.get_bool(99) => buf.try_get_bool(99);
        buf.get_i24_le(2) => buf.try_get_i24_le(2);
        buf.get_u64(usize::MAX) => buf.try_get_u64(usize::MAX);
        buf.get_f32(2) => buf.try_get_f32(2);
        buf.read_u128() => buf.try_read_u128();
        buf.read_f64_le() => buf.try_read_f64_le();
        buf.get_uint(0, 9) => buf.try_get_uint(0, 9);
        buf.read_int(5) => buf.try_read_int(5);
        buf.get_varint_u64(99) => buf.try_get_varint_u64(99);
        buf.read_varint_u32() => buf.try_read_varint_u32();
        buf.get_str(2, 1) => buf.try_get_str(2, 1);
        buf.read_string(99) => buf.try_read_string(99);
        buf.find_byte_in(0..99, 0) => buf.try_find_byte_in(0..99, 0);
        buf.rfind_byte_in(3..1, 0) => buf.try_rfind_byte_in(3..1, 0);
        buf.find_in(0..99, b"x") => buf.try_find_in(0..99, b"x");
    }
}

fn writing<B: ByteBufMut>(mut buf: B) {
    let mut src = HeapBuf::new();
    panics_as_it_fails! {
        buf.set_writer_index(usize::MAX) => buf.try_set_writer_index(usize::MAX);
        buf.set_indices(2, 1) => buf.try_set_indices(2, 1);
        buf.ensure_writable(usize::MAX) => buf.try_ensure_writable(usize::MAX);
        buf.make_room(usize::MAX) => buf.try_make_room(usize::MAX);
        buf.chunk_mut(99) => buf.try_chunk_mut(99);
        buf.set_bytes(99, b"x") => buf.try_set_bytes(99, b"x");
        buf.set_zeros(0, 99) => buf.try_set_zeros(0, 99);
        buf.write_zeros(usize::MAX) => buf.try_write_zeros(usize::MAX);
        buf.write_buf(&mut src, 1) => buf.try_write_buf(&mut src, 1);
        buf.set_str(3, "abc") => buf.try_set_str(3, "abc");
        buf.set_u8(99, 0) => buf.try_set_u8(99, 0);
        buf.set_u32_le(2, 0) => buf.try_set_u32_le(2, 0);
        buf.set_uint(0, 0, 0) => buf.try_set_uint(0, 0, 0);
        buf.write_int_le(0, 9) => buf.try_write_int_le(0, 9);
    }
}

fn appending<B: ByteBufMut>(mut full: B) {
    let mut src = HeapBuf::from(vec![1]);
    panics_as_it_fails! {
        full.write_bytes(b"x") => full.try_write_bytes(b"x");
        full.write_str("x") => full.try_write_str("x");
        full.write_u8(1) => full.try_write_u8(1);
        full.write_f64(1.0) => full.try_write_f64(1.0);
        full.write_uint(1, 3) => full.try_write_uint(1, 3);
        full.write_varint_u64(1) => full.try_write_varint_u64(1);
        full.write_varint_i32(-1000) => full.try_write_varint_i32(-1000);
        full.write_buf(&mut src, 1) => full.try_write_buf(&mut src, 1);
    }
}

/// Four bytes: no text from 2 on, and an endless varint at the start.
const BYTES: [u8; 4] = [0xff, 0xff, 0xc0, 0xff];

#[test]
fn each_call_panics_as_it_fails_at_the_callers_line() {
    let heap = || HeapBuf::from(BYTES.to_vec());
    let slice = || SliceBuf::from(BYTES.to_vec());
    let composite = || BYTES.chunks(1).map(<[u8]>::to_vec).collect::<CompositeBuf>();
    let kept = slice();
    reading(heap());
    reading(slice());
    reading::<WeakSlice>(kept.downgrade());
    reading(composite());
    writing(heap());
    writing(slice());
    writing(composite());
    appending(slice());
    let mut full = HeapBuf::with_max_capacity(0, 4);
    full.write_bytes(&BYTES);
    appending(full);
    let mut full = CompositeBuf::with_max_capacity(4);
    full.push(heap());
    appending(full);
}

#[test]
fn calls_that_only_one_type_has_panic_as_they_fail() {
    let mut heap = HeapBuf::from(BYTES.to_vec());
    let mut slice = SliceBuf::from(BYTES.to_vec());
    let view = slice.downgrade();
    let mut composite = CompositeBuf::with_max_capacity(4);
    composite.push(&BYTES);
    panics_as_it_fails! {
        heap.slice(..5) => heap.try_slice(..5);
        heap.split_off(99) => heap.try_split_off(99);
        heap.split_to(5) => heap.try_split_to(5);
        heap.reserve(usize::MAX) => heap.try_reserve(usize::MAX);
        HeapBuf::with_capacity(usize::MAX) => HeapBuf::try_with_capacity(usize::MAX);
        HeapBuf::with_max_capacity(2, 1) => HeapBuf::try_with_max_capacity(2, 1);
        slice.slice(5..) => slice.try_slice(5..);
        slice.slice(..=usize::MAX) => slice.try_slice(..=usize::MAX);
        slice.split_off(5) => slice.try_split_off(5);
        slice.split_to(5) => slice.try_split_to(5);
        view.slice(5..) => view.try_slice(5..);
        composite.push("x") => composite.try_push("x");
        composite.insert(9, "x") => composite.try_insert(9, "x");
        composite.insert(0, "x") => composite.try_insert(0, "x");
        composite.remove(1) => composite.try_remove(1);
        composite.replace(1, "x") => composite.try_replace(1, "x");
        composite.component_slice(1) => composite.try_component_slice(1);
        composite.split_off(5) => composite.try_split_off(5);
        composite.split_to(5) => composite.try_split_to(5);
    }
}

#[test]
fn the_line_is_that_of_the_call() {
    let mut buf: CompositeBuf = ["ab", "c"].into_iter().collect();
    let panic = panic_of(|| {
        buf.skip(1);
        buf.read_u32();
    });
    let call = line!() - 2;
    let text = "4 bytes needed, 2 readable".to_string();
    assert_eq!(panic, Panic { text, file: file!().to_string(), line: call });
}

#[test]
fn a_predicate_that_panics_leaves_the_buffer_as_it_was() {
    crate::kinds::each(b"some bytes", &mut |name, buf| {
        buf.skip(2);
        let text =
            text(|| _ = ByteBuf::position(&&mut *buf, |byte| byte == b'b' && panic!("at {byte}")));
        assert_eq!(text, "at 98", "{name}");
        assert_eq!((buf.reader_index(), buf.to_vec()), (2, b"me bytes".to_vec()), "{name}");
        assert_eq!(ByteBuf::rposition(&&mut *buf, |byte| byte == b'm'), Some(2));
    });
}
