//! Frames: parts of a received block that live on their own.

use core::hint::black_box;
use refbuf::{ByteBuf, ByteBufMut, HeapBuf, SliceBuf};

use crate::measure::{Setup, on, work};
use crate::row::{Group, Target};

const FRAME: usize = 64;
const RECEIVED: usize = 64 << 10;
/// Frames in what was received.
const FRAMES: u64 = (RECEIVED / FRAME) as u64;

pub fn group() -> Group {
    let mut group = Group::new(
        "frame",
        "Cutting frames",
        Target::FastestPeer,
        "`cut_received`: 64 bytes off the front of a receive buffer of 64 KiB that is still being \
         written, made shareable, and dropped. `cut_shared`: the same off a block that is shared \
         already. `slice`: 64 bytes out of the middle, the block staying as it is. Filling the \
         buffer again after 1024 frames is not part of the time.",
    );

    let mut case = group.case("cut_received");
    case.empty()
        .ours(
            "heap",
            "heap",
            work!(received(HeapBuf::new, fill_heap) => |buf, n| {
                black_box(&buf.read_slice(n));
                0
            }),
        )
        .peer(
            "bytes",
            work!(received(bytes::BytesMut::new, fill_bytes) => |buf, n| {
                black_box(&buf.split_to(n).freeze());
                0
            }),
        )
        .peer(
            "ntex-bytes",
            work!(received(ntex_bytes::BytesMut::new, fill_ntex) => |buf, n| {
                black_box(&buf.split_to(n));
                0
            }),
        )
        .peer(
            "arc-slice",
            work!(received(shared_arc_mut, fill_arc) => |buf, n| {
                black_box(&buf.split_to(n).freeze::<arc_slice::layout::ArcLayout>());
                0
            }),
        )
        .peer(
            "bytesbuf",
            work!(received(bytesbuf::BytesBuf::new, fill_bytesbuf) => |buf, n| {
                black_box(&buf.consume(n));
                0
            }),
        )
        .missing("commonware", "cuts frozen buffers only");
    case.netty_both("cut", "heap", FRAME);

    let mut case = group.case("cut_shared");
    case.ours(
        "slice",
        "heap",
        work!(whole(SliceBuf::from) => |buf, n| {
            black_box(&buf.left.split_to(n));
            0
        }),
    )
    .peer(
        "bytes",
        work!(whole(bytes::Bytes::from) => |buf, n| {
            black_box(&buf.left.split_to(n));
            0
        }),
    )
    .peer(
        "ntex-bytes",
        work!(whole(ntex_bytes::Bytes::from) => |buf, n| {
            black_box(&buf.left.split_to(n));
            0
        }),
    )
    .peer(
        "arc-slice",
        work!(whole(arc_bytes) => |buf, n| {
            black_box(&buf.left.split_to(n));
            0
        }),
    )
    .peer(
        "bytesbuf",
        work!(whole(view) => |buf, n| {
            black_box(&buf.left.range(0..n));
            buf.left.advance(n);
            0
        }),
    );
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware",
        work!(whole(commonware_runtime::IoBuf::from) => |buf, n| {
            black_box(&buf.left.split_to(n));
            0
        }),
    );
    case.netty_both("cut", "heap", FRAME);

    let mut case = group.case("slice");
    case.ours(
        "slice",
        "heap",
        work!(whole(SliceBuf::from) => |buf, n| {
            black_box(&buf.whole.slice(n..2 * n));
            0
        }),
    )
    .peer(
        "bytes",
        work!(whole(bytes::Bytes::from) => |buf, n| {
            black_box(&buf.whole.slice(n..2 * n));
            0
        }),
    )
    .peer(
        "ntex-bytes",
        work!(whole(ntex_bytes::Bytes::from) => |buf, n| {
            black_box(&buf.whole.slice(n..2 * n));
            0
        }),
    )
    .peer(
        "arc-slice",
        work!(whole(arc_bytes) => |buf, n| {
            black_box(&buf.whole.subslice(n..2 * n));
            0
        }),
    )
    .peer(
        "bytesbuf",
        work!(whole(view) => |buf, n| {
            black_box(&buf.whole.range(n..2 * n));
            0
        }),
    );
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware",
        work!(whole(commonware_runtime::IoBuf::from) => |buf, n| {
            black_box(&buf.whole.slice(n..2 * n));
            0
        }),
    );
    case.netty_both("slice", "heap", FRAME);
    group
}

fn received<B>(make: fn() -> B, fill: fn(&mut B)) -> Setup<B>
where
    B: 'static,
{
    on(make).arg(FRAME).refill(FRAMES, fill)
}

fn fill_heap(buf: &mut HeapBuf) {
    buf.clear();
    buf.write_zeros(RECEIVED);
}

fn fill_bytes(buf: &mut bytes::BytesMut) {
    buf.clear();
    buf.resize(RECEIVED, 0);
}

fn fill_ntex(buf: &mut ntex_bytes::BytesMut) {
    buf.clear();
    buf.resize(RECEIVED, 0);
}

type SharedArcMut = arc_slice::ArcBytesMut<arc_slice::layout::ArcLayout, false>;

fn shared_arc_mut() -> SharedArcMut {
    arc_slice::ArcBytesMut::from_slice(&[0; RECEIVED]).into_shared()
}

fn fill_arc(buf: &mut SharedArcMut) {
    *buf = shared_arc_mut();
}

fn fill_bytesbuf(buf: &mut bytesbuf::BytesBuf) {
    *buf = bytesbuf::mem::GlobalPool::new().reserve(RECEIVED);
    buf.put_byte_repeated(0, RECEIVED);
}

/// A shared block: a handle that is cut up, and one that stays.
struct Whole<B> {
    left: B,
    whole: B,
}

fn whole<B: Clone + 'static>(make: fn(Vec<u8>) -> B) -> Setup<Whole<B>> {
    let make = move || {
        let whole = make(vec![0; RECEIVED]);
        Whole { left: whole.clone(), whole }
    };
    on(make).arg(FRAME).refill(FRAMES, |buf| buf.left = buf.whole.clone())
}

fn arc_bytes(content: Vec<u8>) -> arc_slice::ArcBytes<arc_slice::layout::ArcLayout> {
    arc_slice::ArcBytes::from_slice(&content)
}

fn view(content: Vec<u8>) -> bytesbuf::BytesView {
    bytesbuf::BytesView::copied_from_slice(&content, &bytesbuf::mem::GlobalPool::new())
}
