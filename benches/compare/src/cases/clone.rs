//! One more handle of shared bytes, and one less.

use core::hint::black_box;
use refbuf::SliceBuf;
use std::sync::Arc;

use crate::measure::{on, work};
use crate::row::{Group, Target};

const LEN: usize = 64;

pub fn group() -> Group {
    let mut group = Group::new(
        "clone",
        "Sharing",
        Target::FastestPeer,
        "One more handle of 64 bytes that have another one, and that one dropped again; for Netty \
         `retain()` and `release()`.",
    );
    let mut case = group.case("clone_drop");
    case.empty()
        .reference("Arc<[u8]>", work!(on(|| Arc::<[u8]>::from(content())) => clone_drop))
        .ours("slice", "heap", work!(on(|| SliceBuf::from(content())) => clone_drop))
        .peer("bytes", work!(shared(|| bytes::Bytes::from(content())) => |pair, i| {
            clone_drop(&mut pair.0, i)
        }))
        .peer("ntex-bytes", work!(on(|| ntex_bytes::Bytes::from(content())) => clone_drop))
        .peer("arc-slice", work!(on(|| arc_slice::ArcBytes::<arc_slice::layout::ArcLayout>::from(&content()[..])) => clone_drop))
        .peer("bytesbuf", work!(on(view) => clone_drop));
    #[cfg(feature = "commonware")]
    case.peer(
        "commonware",
        work!(shared(|| commonware_runtime::IoBuf::from(content())) => |pair, i| {
            clone_drop(&mut pair.0, i)
        }),
    );
    case.netty_both("clone", "heap", LEN);
    group
}

fn content() -> Vec<u8> {
    vec![0; LEN]
}

/// With a second handle that stays: those that count only once they were cloned
/// are measured as they are then.
fn shared<B: Clone>(make: impl Fn() -> B + Sync + 'static) -> crate::measure::Setup<(B, B)> {
    on(move || {
        let handle = make();
        (handle.clone(), handle)
    })
}

fn view() -> bytesbuf::BytesView {
    bytesbuf::BytesView::copied_from_slice(&content(), &bytesbuf::mem::GlobalPool::new())
}

fn clone_drop<T: Clone>(handle: &mut T, _: usize) -> u64 {
    black_box(&handle.clone());
    0
}
