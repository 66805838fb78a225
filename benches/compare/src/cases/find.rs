//! Looking for a byte.

use refbuf::{ByteBuf, CompositeBuf, HeapBuf};

use crate::measure::{on, work};
use crate::row::{Case, Group, Target};

pub fn group() -> Group {
    let mut group = Group::new(
        "find",
        "Finding a byte",
        Target::FastestPeer,
        "The first byte that is 1, which is the last of so many; in pieces of 64 bytes for the \
         rope. None of the other crates searches: one takes their slice and the crate `memchr`, \
         which is the second reference. The target is Netty.",
    );
    group.case("empty").empty();
    contiguous(&mut group.case("64 B"), 64);
    contiguous(&mut group.case("64 KiB"), 64 << 10);
    rope(&mut group.case("rope of 16"));
    group
}

fn content(len: usize) -> Vec<u8> {
    let mut content = vec![0; len];
    content[len - 1] = 1;
    content
}

const NONE: &str = "does not search";

fn none_of_the_others(case: &mut Case<'_>) {
    for who in ["bytes", "bytesbuf", "ntex-bytes", "arc-slice", "commonware"] {
        case.missing(who, NONE);
    }
}

fn contiguous(case: &mut Case<'_>, len: usize) {
    case.reference(
        "&[u8], iter().position()",
        work!(on(move || content(len)) => |bytes, _| {
            bytes.iter().position(|&byte| byte == 1).unwrap_or(0) as u64
        }),
    )
    .reference(
        "&[u8], memchr",
        work!(on(move || content(len)) => |bytes, _| {
            memchr::memchr(1, bytes).unwrap_or(0) as u64
        }),
    )
    .ours(
        "heap",
        "heap",
        work!(on(move || HeapBuf::from(content(len))) => |buf, _| {
            buf.find_byte(1).unwrap_or(0) as u64
        }),
    );
    none_of_the_others(case);
    case.netty_both("find", "heap", len);
}

const PART: usize = 64;

fn rope(case: &mut Case<'_>) {
    case.ours(
        "composite",
        "composite",
        work!(on(composite) => |buf, _| {
            buf.find_byte(1).unwrap_or(0) as u64
        }),
    );
    none_of_the_others(case);
    case.netty_both("find", "composite", 16 * PART);
}

fn composite() -> CompositeBuf {
    content(16 * PART).chunks(PART).map(<[u8]>::to_vec).collect()
}
