//! Typed access.

use bytes::{Buf, BufMut};
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, DirectBuf, HeapBuf, SliceBuf, WeakSlice};

use crate::measure::{Setup, on, opaque, work};
use crate::row::{Case, Group, Target};

/// Bytes in every buffer that is gone back in.
const LEN: usize = 64;
/// Where the accesses by index go: not aligned, in a composite's first component.
const INDEX: usize = 13;
/// Bytes in buffers that can only be read or written on; renewed when at their end.
const LONG: usize = 64 << 10;
const BATCH: usize = 8;

pub fn group() -> Group {
    let mut group = Group::new(
        "access",
        "Typed access",
        Target::NettyUnchecked,
        "Buffers of 64 bytes, all in the first cache; a composite is two halves. `get_u64`, \
         `set_u64` and `set_get_u64` (both, at the same index) go to index 13; `read_u64`, \
         `read_batch8` (8 single bytes), `write_u64` and `write_batch8` move the index of the \
         buffer and put it back in the same operation. Buffers that cannot go back are read on \
         through 64 KiB and renewed outside of the time, so they are spared that step.",
    );
    group.case("empty").empty().jvm("empty", "loop", "loop", 0, true);
    get_u64(&mut group.case("get_u64"));
    set_u64(&mut group.case("set_u64"));
    set_get_u64(&mut group.case("set_get_u64"));
    read_u64(&mut group.case("read_u64"));
    read_batch8(&mut group.case("read_batch8"));
    write_u64(&mut group.case("write_u64"));
    write_batch8(&mut group.case("write_batch8"));
    group
}

fn content(len: usize) -> Vec<u8> {
    (0..=u8::MAX).cycle().take(len).collect()
}

fn heap() -> HeapBuf {
    HeapBuf::from(content(LEN))
}

fn direct() -> DirectBuf {
    let mut buf = DirectBuf::with_capacity(LEN);
    buf.write_bytes(&content(LEN));
    buf
}

fn slice() -> SliceBuf {
    SliceBuf::from(content(LEN))
}

/// The owner has to stay: the view keeps nothing.
struct Weak {
    view: WeakSlice,
    _owner: SliceBuf,
}

fn weak() -> Weak {
    let owner = slice();
    Weak { view: owner.downgrade(), _owner: owner }
}

fn composite() -> CompositeBuf {
    let (front, back) = (content(LEN)[..LEN / 2].to_vec(), content(LEN)[LEN / 2..].to_vec());
    [front, back].into_iter().collect()
}

fn dyn_heap() -> Box<dyn ByteBufMut> {
    Box::new(heap())
}

/// What is measured, once for everything that is a buffer of this crate.
mod ours {
    use super::{BATCH, ByteBuf, ByteBufMut, opaque};

    #[inline(always)]
    pub fn get_u64<B: ByteBuf>(buf: &mut B, index: usize) -> u64 {
        buf.get_u64(index)
    }

    #[inline(always)]
    pub fn set_u64<B: ByteBufMut>(buf: &mut B, index: usize) -> u64 {
        buf.set_u64(index, index as u64);
        0
    }

    /// At the same index, unknown to the compiler, which beside the slice would
    /// do without the second access.
    #[inline(always)]
    pub fn set_get_u64<B: ByteBufMut>(buf: &mut B, index: usize) -> u64 {
        buf.set_u64(index, index as u64);
        buf.get_u64(opaque(index))
    }

    #[inline(always)]
    pub fn read_u64<B: ByteBuf>(buf: &mut B, start: usize) -> u64 {
        let value = buf.read_u64();
        buf.set_reader_index(start);
        value
    }

    #[inline(always)]
    pub fn read_batch8<B: ByteBuf>(buf: &mut B, start: usize) -> u64 {
        let mut sum = 0;
        for _ in 0..BATCH {
            sum += u64::from(buf.read_u8());
        }
        buf.set_reader_index(start);
        sum
    }

    #[inline(always)]
    pub fn write_u64<B: ByteBufMut>(buf: &mut B, start: usize) -> u64 {
        buf.set_writer_index(start);
        buf.write_u64(start as u64);
        0
    }

    #[inline(always)]
    pub fn write_batch8<B: ByteBufMut>(buf: &mut B, start: usize) -> u64 {
        buf.set_writer_index(start);
        for i in 0..8 {
            buf.write_u8(i);
        }
        0
    }
}

/// The rows of all types of this crate that can be written.
macro_rules! ours_mut {
    ($case:expr, $arg:expr, $body:ident) => {
        $case
            .ours("heap", "heap", work!(on(heap).arg($arg) => ours::$body))
            .ours("direct", "direct", work!(on(direct).arg($arg) => ours::$body))
            .ours("slice", "slice", work!(on(slice).arg($arg) => ours::$body))
            .ours("composite", "composite", work!(on(composite).arg($arg) => ours::$body))
            .ours("dyn heap", "heap", work!(on(dyn_heap).arg($arg) => ours::$body))
    };
}

/// The same, and the one that can only be read.
macro_rules! ours {
    ($case:expr, $arg:expr, $body:ident) => {
        ours_mut!($case, $arg, $body)
            .ours("weak", "slice", work!(on(weak).arg($arg) => |weak, arg| ours::$body(&mut weak.view, arg)))
    };
}

fn netty(case: &mut Case<'_>, operation: &'static str) {
    for kind in ["heap", "direct", "slice", "composite"] {
        case.netty_both(operation, kind, LEN);
    }
}

const APPEND_ONLY: &str = "no access by index";

fn load(bytes: &[u8], index: usize) -> u64 {
    u64::from_be_bytes(bytes[index..index + 8].try_into().unwrap())
}

fn store(bytes: &mut [u8], index: usize) {
    bytes[index..index + 8].copy_from_slice(&(index as u64).to_be_bytes());
}

/// By way of the slice that all of them are.
fn load_of<B: AsRef<[u8]>>(buf: &mut B, index: usize) -> u64 {
    load(buf.as_ref(), index)
}

fn store_in<B: AsMut<[u8]>>(buf: &mut B, index: usize) -> u64 {
    store(buf.as_mut(), index);
    0
}

fn store_and_load<B: AsMut<[u8]> + AsRef<[u8]>>(buf: &mut B, index: usize) -> u64 {
    store(buf.as_mut(), index);
    load(buf.as_ref(), opaque(index))
}

fn raw() -> Setup<Box<[u8]>> {
    on(|| content(LEN).into_boxed_slice()).arg(INDEX)
}

fn bytes_mut() -> bytes::BytesMut {
    bytes::BytesMut::from(&content(LEN)[..])
}

fn ntex_mut() -> ntex_bytes::BytesMut {
    ntex_bytes::BytesMut::copy_from_slice(content(LEN))
}

fn arc_mut() -> arc_slice::ArcBytesMut {
    arc_slice::ArcBytesMut::from_slice(&content(LEN))
}

#[cfg(feature = "commonware")]
fn io_buf_mut() -> commonware_runtime::IoBufMut {
    commonware_runtime::IoBufMut::from(&content(LEN)[..])
}

fn get_u64(case: &mut Case<'_>) {
    case.reference("&[u8]", work!(raw() => load_of));
    ours!(case, INDEX, get_u64);
    case.peer("bytes", work!(on(bytes_mut).arg(INDEX) => load_of))
        .peer("ntex-bytes", work!(on(ntex_mut).arg(INDEX) => load_of))
        .peer("arc-slice", work!(on(arc_mut).arg(INDEX) => load_of))
        .missing("bytesbuf", APPEND_ONLY);
    #[cfg(feature = "commonware")]
    case.peer("commonware", work!(on(io_buf_mut).arg(INDEX) => load_of));
    netty(case, "get_u64");
}

fn set_u64(case: &mut Case<'_>) {
    case.reference("&[u8]", work!(raw() => store_in));
    ours_mut!(case, INDEX, set_u64).missing("refbuf weak", "reads only");
    case.peer("bytes", work!(on(bytes_mut).arg(INDEX) => store_in))
        .peer("ntex-bytes", work!(on(ntex_mut).arg(INDEX) => store_in))
        .peer("arc-slice", work!(on(arc_mut).arg(INDEX) => store_in))
        .missing("bytesbuf", APPEND_ONLY);
    #[cfg(feature = "commonware")]
    case.peer("commonware", work!(on(io_buf_mut).arg(INDEX) => store_in));
    netty(case, "set_u64");
}

fn set_get_u64(case: &mut Case<'_>) {
    case.reference("&[u8]", work!(raw() => store_and_load));
    ours_mut!(case, INDEX, set_get_u64).missing("refbuf weak", "reads only");
    case.peer("bytes", work!(on(bytes_mut).arg(INDEX) => store_and_load))
        .peer("ntex-bytes", work!(on(ntex_mut).arg(INDEX) => store_and_load))
        .peer("arc-slice", work!(on(arc_mut).arg(INDEX) => store_and_load))
        .missing("bytesbuf", APPEND_ONLY);
    #[cfg(feature = "commonware")]
    case.peer("commonware", work!(on(io_buf_mut).arg(INDEX) => store_and_load));
    netty(case, "set_get_u64");
}

/// What a reader of a slice keeps.
struct Reader {
    bytes: Box<[u8]>,
    position: usize,
}

fn reader() -> Reader {
    Reader { bytes: content(LEN).into(), position: 0 }
}

/// A handle that reading consumes, and the whole to begin again with.
struct Consumed<B> {
    left: B,
    whole: B,
}

fn consumed<B: Clone + 'static>(
    make: impl Fn(Vec<u8>) -> B + Sync + 'static,
) -> Setup<Consumed<B>> {
    let make = move || {
        let whole = make(content(LONG));
        Consumed { left: whole.clone(), whole }
    };
    on(make).refill((LONG / BATCH) as u64, |buf| buf.left = buf.whole.clone())
}

type ArcBytes = arc_slice::ArcBytes<arc_slice::layout::ArcLayout<true>>;

fn pooled_view(content: Vec<u8>) -> bytesbuf::BytesView {
    bytesbuf::BytesView::copied_from_slice(&content, &bytesbuf::mem::GlobalPool::new())
}

fn read_8<B: Buf>(buf: &mut Consumed<B>, _: usize) -> u64 {
    (0..BATCH).map(|_| u64::from(buf.left.get_u8())).sum()
}

fn read_u64(case: &mut Case<'_>) {
    case.reference(
        "&[u8]",
        work!(on(reader) => |reader, start| {
            let value = load(&reader.bytes, reader.position);
            reader.position = start;
            value
        }),
    );
    ours!(case, 0, read_u64);
    case.peer("bytes", work!(consumed(bytes::Bytes::from) => |buf, _| buf.left.get_u64()))
        .peer(
            "ntex-bytes",
            work!(consumed(ntex_bytes::Bytes::from) => |buf, _| Buf::get_u64(&mut buf.left)),
        )
        .peer("arc-slice", work!(consumed(ArcBytes::from) => |buf, _| buf.left.get_u64()))
        .peer("bytesbuf", work!(consumed(pooled_view) => |buf, _| buf.left.get_u64_be()));
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware",
        work!(consumed(commonware_runtime::IoBuf::from) => |buf, _| buf.left.get_u64()),
    );
    netty(case, "read_u64");
}

fn read_batch8(case: &mut Case<'_>) {
    case.reference(
        "&[u8]",
        work!(on(reader) => |reader, start| {
            let mut sum = 0;
            for _ in 0..BATCH {
                sum += u64::from(reader.bytes[reader.position]);
                reader.position += 1;
            }
            reader.position = start;
            sum
        }),
    );
    ours!(case, 0, read_batch8);
    case.peer("bytes", work!(consumed(bytes::Bytes::from) => read_8))
        .peer("ntex-bytes", work!(consumed(ntex_bytes::Bytes::from) => read_8))
        .peer("arc-slice", work!(consumed(ArcBytes::from) => read_8))
        .peer(
            "bytesbuf",
            work!(consumed(pooled_view) => |buf, _| {
                (0..BATCH).map(|_| u64::from(buf.left.get_byte())).sum()
            }),
        );
    #[cfg(feature = "commonware")]
    case.peer("commonware", work!(consumed(commonware_runtime::IoBuf::from) => read_8));
    netty(case, "read_batch8");
}

/// Room to append to.
fn room() -> bytes::BytesMut {
    bytes::BytesMut::with_capacity(LEN)
}

fn ntex_room() -> ntex_bytes::BytesMut {
    ntex_bytes::BytesMut::with_capacity(LEN)
}

fn arc_room() -> arc_slice::ArcBytesMut {
    arc_slice::ArcBytesMut::with_capacity(LEN)
}

#[cfg(feature = "commonware")]
fn io_room() -> commonware_runtime::IoBufMut {
    commonware_runtime::IoBufMut::with_capacity(LEN)
}

/// What was appended cannot be taken back: another block each 64 KiB.
fn pooled_room() -> Setup<bytesbuf::BytesBuf> {
    fn renew(buf: &mut bytesbuf::BytesBuf) {
        *buf = bytesbuf::mem::GlobalPool::new().reserve(LONG);
    }
    on(bytesbuf::BytesBuf::new).refill((LONG / BATCH) as u64, renew)
}

/// A composite that is written behind a component that it shares.
fn open_composite() -> CompositeBuf {
    let mut buf = CompositeBuf::from(slice());
    buf.write_u64(0);
    buf
}

/// Rows of those types of this crate that have room. A slice has none.
macro_rules! ours_with_room {
    ($case:expr, $body:ident) => {
        $case
            .ours("heap", "heap", work!(on(|| HeapBuf::with_capacity(LEN)) => ours::$body))
            .ours("direct", "direct", work!(on(|| DirectBuf::with_capacity(LEN)) => ours::$body))
            .ours("composite", "composite", work!(on(open_composite).arg(LEN) => ours::$body))
            .ours("dyn heap", "heap", work!(on(dyn_heap) => ours::$body))
            .missing("refbuf slice", NO_ROOM)
            .missing("refbuf weak", NO_ROOM)
    };
}

const NO_ROOM: &str = "has no room behind its bytes";

fn netty_with_room(case: &mut Case<'_>, operation: &'static str) {
    for kind in ["heap", "direct", "composite"] {
        case.netty_both(operation, kind, LEN);
    }
}

fn write_u64(case: &mut Case<'_>) {
    case.reference(
        "Vec",
        work!(on(|| Vec::with_capacity(LEN)) => |vec, start| {
            vec.truncate(start);
            vec.extend_from_slice(&(start as u64).to_be_bytes());
            0
        }),
    );
    ours_with_room!(case, write_u64);
    case.peer(
        "bytes",
        work!(on(room) => |buf, start| {
            buf.truncate(start);
            buf.put_u64(start as u64);
            0
        }),
    )
    .peer(
        "ntex-bytes",
        work!(on(ntex_room) => |buf, start| {
            buf.truncate(start);
            buf.put_u64(start as u64);
            0
        }),
    )
    .peer(
        "arc-slice",
        work!(on(arc_room) => |buf, start| {
            buf.truncate(start);
            buf.extend_from_slice(&(start as u64).to_be_bytes());
            0
        }),
    )
    .peer(
        "bytesbuf",
        work!(pooled_room() => |buf, start| {
            buf.put_u64_be(start as u64);
            0
        }),
    );
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware",
        work!(on(io_room) => |buf, start| {
            buf.truncate(start);
            buf.put_u64(start as u64);
            0
        }),
    );
    netty_with_room(case, "write_u64");
}

fn write_batch8(case: &mut Case<'_>) {
    case.reference(
        "Vec",
        work!(on(|| Vec::with_capacity(LEN)) => |vec, start| {
            vec.truncate(start);
            (0..8).for_each(|i| vec.push(i));
            0
        }),
    );
    ours_with_room!(case, write_batch8);
    case.peer(
        "bytes",
        work!(on(room) => |buf, start| {
            buf.truncate(start);
            (0..8).for_each(|i| buf.put_u8(i));
            0
        }),
    )
    .peer(
        "ntex-bytes",
        work!(on(ntex_room) => |buf, start| {
            buf.truncate(start);
            (0..8).for_each(|i| ntex_bytes::BufMut::put_u8(buf, i));
            0
        }),
    )
    .peer(
        "arc-slice",
        work!(on(arc_room) => |buf, start| {
            buf.truncate(start);
            (0..8).for_each(|i| buf.push(i));
            0
        }),
    )
    .peer(
        "bytesbuf",
        work!(pooled_room() => |buf, _| {
            (0..8).for_each(|i| buf.put_byte(i));
            0
        }),
    );
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware",
        work!(on(io_room) => |buf, start| {
            buf.truncate(start);
            (0..8).for_each(|i| buf.put_u8(i));
            0
        }),
    );
    netty_with_room(case, "write_batch8");
}
