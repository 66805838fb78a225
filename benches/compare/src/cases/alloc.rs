//! What memory costs: allocate and drop.

use core::hint::black_box;
use refbuf::{BufAllocator, ByteBufMut, HeapBuf, Pool, PoolConfig, Unpooled};
use std::sync::Arc;

use crate::measure::{Setup, on, work};
use crate::row::{Case, Group, Target};

const SIZES: [usize; 5] = [256, 1 << 10, 4 << 10, 16 << 10, 64 << 10];

pub fn group() -> Group {
    let mut group = Group::new(
        "alloc",
        "Allocating",
        Target::FastestPeer,
        "An empty buffer for so many bytes, and dropped, on one thread and on two at once (then \
         the time is that of one thread, for one buffer). `pooled` is the best that each has to \
         offer, a pool if it has one; `unpooled` asks the allocator each time. `unpooled direct` is \
         memory outside of the heap: a map of its own with refbuf, `malloc` with Netty, a page of \
         the heap with commonware. The memory is not touched. `unpooled, shared` is what such \
         buffers are for: eight bytes are written, the buffer is frozen and cloned, and both handles \
         are dropped.",
    );
    group.case("empty").empty();
    for size in SIZES {
        shared(&mut group.case(name("unpooled, shared", size, 1)), size);
    }
    for threads in [1, 2] {
        for (how, rows) in [
            ("pooled", pooled as fn(&mut Case<'_>, usize)),
            ("unpooled", unpooled),
            ("unpooled direct", unpooled_direct),
        ] {
            for size in SIZES {
                rows(group.case(name(how, size, threads)).threads(threads), size);
            }
        }
    }
    group
}

fn name(how: &str, size: usize, threads: usize) -> String {
    let size = if size < 1024 { format!("{size} B") } else { format!("{} KiB", size >> 10) };
    format!("{how}, {size}{}", if threads == 1 { "" } else { ", 2 threads" })
}

fn sized<S>(make: impl Fn() -> S + Sync + 'static, size: usize) -> Setup<S> {
    on(make).arg(size)
}

/// Made and dropped in its place: moving a handle about is not what is measured.
fn make<B>(make: impl FnOnce() -> B) -> u64 {
    black_box(&make());
    0
}

/// Those that ask the system.
fn from_the_system(case: &mut Case<'_>, size: usize) {
    case.reference(
        "Vec",
        work!(sized(|| (), size) => |(), n| make(|| Vec::<u8>::with_capacity(n))),
    )
    .peer("bytes", work!(sized(|| (), size) => |(), n| make(|| bytes::BytesMut::with_capacity(n))))
    .peer(
        "ntex-bytes",
        work!(sized(|| (), size) => |(), n| {
            make(|| ntex_bytes::BytesMut::with_capacity(n))
        }),
    )
    .peer(
        "arc-slice",
        work!(sized(|| (), size) => |(), n| {
            make(|| arc_slice::ArcBytesMut::<arc_slice::layout::ArcLayout>::with_capacity(n))
        }),
    );
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware",
        work!(sized(|| (), size) => |(), n| {
            make(|| commonware_runtime::IoBufMut::with_capacity(n))
        }),
    );
}

fn pooled(case: &mut Case<'_>, size: usize) {
    from_the_system(case, size);
    // One for all threads: a static each, as a program has it.
    case.ours(
        "pooled heap",
        "pooled heap",
        work!(sized(pool, size) => |pool, n| make(|| pool.heap(n))),
    )
    .ours(
        "pooled direct",
        "pooled direct",
        work!(sized(pool, size) => |pool, n| {
            make(|| pool.direct(n))
        }),
    )
    .peer(
        "ntex-bytes pages",
        work!(sized(move || page_size(size), size) => |page, _| {
            make(|| ntex_bytes::BytesMut::with_page_size(*page))
        }),
    )
    .peer(
        "bytesbuf",
        work!(sized(bytesbuf::mem::GlobalPool::new, size) => |pool, n| {
            make(|| pool.reserve(n))
        }),
    );
    for kind in ["pooled heap", "pooled direct"] {
        case.netty("alloc", kind, size);
    }
}

fn unpooled(case: &mut Case<'_>, size: usize) {
    from_the_system(case, size);
    case.ours(
        "unpooled heap",
        "unpooled heap",
        work!(sized(|| (), size) => |(), n| make(|| Unpooled.heap(n))),
    )
    .missing("bytesbuf", "always from a pool")
    .netty("alloc", "unpooled heap", size);
}

/// The same, with a second handle of what was written.
fn share<W, B: Clone>(mut buf: W, write: impl FnOnce(&mut W), freeze: impl FnOnce(W) -> B) -> u64 {
    write(&mut buf);
    make(|| {
        let bytes = freeze(buf);
        (bytes.clone(), bytes)
    })
}

fn shared(case: &mut Case<'_>, size: usize) {
    case.reference(
        "Vec, Arc",
        work!(sized(|| (), size) => |(), n| {
            share(Vec::with_capacity(n), |vec| vec.extend_from_slice(&WORD), Arc::new)
        }),
    )
    .ours(
        "unpooled heap",
        "unpooled heap",
        work!(sized(|| (), size) => |(), n| {
            share(Unpooled.heap(n), |buf| buf.write_bytes(&WORD), HeapBuf::freeze)
        }),
    )
    .peer(
        "bytes",
        work!(sized(|| (), size) => |(), n| {
            share(
                bytes::BytesMut::with_capacity(n),
                |buf| buf.extend_from_slice(&WORD),
                bytes::BytesMut::freeze,
            )
        }),
    )
    .peer(
        "ntex-bytes",
        work!(sized(|| (), size) => |(), n| {
            share(
                ntex_bytes::BytesMut::with_capacity(n),
                |buf| buf.extend_from_slice(&WORD),
                ntex_bytes::BytesMut::freeze,
            )
        }),
    )
    .peer(
        "arc-slice",
        work!(sized(|| (), size) => |(), n| {
            share(
                arc_slice::ArcBytesMut::<arc_slice::layout::ArcLayout>::with_capacity(n),
                |buf| buf.extend_from_slice(&WORD),
                |buf| buf.freeze::<arc_slice::layout::ArcLayout>(),
            )
        }),
    )
    .missing("bytesbuf", "always from a pool");
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware",
        work!(sized(|| (), size) => |(), n| {
            share(
                commonware_runtime::IoBufMut::with_capacity(n),
                |buf| bytes::BufMut::put_slice(buf, &WORD),
                commonware_runtime::IoBufMut::freeze,
            )
        }),
    );
}

const WORD: [u8; 8] = [7; 8];

/// Memory that begins with a page.
fn unpooled_direct(case: &mut Case<'_>, size: usize) {
    case.ours(
        "unpooled direct",
        "unpooled direct",
        work!(sized(|| (), size) => |(), n| make(|| Unpooled.direct(n))),
    );
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware, aligned",
        work!(sized(|| (), size) => |(), n| make(|| {
            commonware_runtime::IoBufMut::with_alignment(n, PAGE)
        })),
    );
    for who in ["bytes", "bytesbuf", "ntex-bytes", "arc-slice"] {
        case.missing(who, "aligns memory to no page");
    }
    case.netty("alloc", "unpooled direct", size);
}

#[cfg(feature = "commonware")]
const PAGE: std::num::NonZeroUsize = std::num::NonZeroUsize::new(4096).expect("not zero");

/// The same for all threads and rows.
fn pool() -> Pool {
    use std::sync::OnceLock;
    static POOL: OnceLock<Pool> = OnceLock::new();
    POOL.get_or_init(|| Pool::new(PoolConfig::new())).clone()
}

/// The pages that hold so much; 4 KiB are the smallest.
fn page_size(size: usize) -> ntex_bytes::BytePageSize {
    ntex_bytes::BytePageSize::for_capacity(size)
}
