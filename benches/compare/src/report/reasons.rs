//! Why refbuf is slower where it is. Shown beside a line only if its verdict
//! says so; a loss without an entry says that nobody knows yet.

struct Reason {
    group: &'static str,
    /// A part of the name of the case and of that of the type.
    case: &'static str,
    who: &'static str,
    why: &'static str,
}

const fn reason(
    group: &'static str,
    case: &'static str,
    who: &'static str,
    why: &'static str,
) -> Reason {
    Reason { group, case, who, why }
}

const EDGE: &str = "the reference count lies in front of the bytes, in the same allocation, which so is larger \
    than the 1032 bytes up to which glibc has a cache for each thread. Whoever has a count there has \
    this at 1 KiB; others allocate one when a buffer is shared for the first time. `Pool`, which \
    `default_allocator()` is, has no such edge.";

const WIDER_HANDLE: &str = "one counted step up and one down, as with the fastest; what differs is \
    that a handle with two indices has 32 bytes, where a slice alone has 24.";

/// The first that fits is it.
const REASONS: &[Reason] = &[
    reason(
        "access",
        "",
        "dyn heap",
        "every access is a call through a table of functions, which the compiler cannot look into. \
         A JVM compiles the call away, because it has seen that only one class is ever there. A \
         codec takes `&mut impl ByteBuf`.",
    ),
    reason(
        "access",
        "",
        "weak",
        "a view that keeps nothing has to look at each access whether the buffer is still there. \
         Netty's unchecked slice does not, and reads freed memory when it is not.",
    ),
    reason(
        "access",
        "read_u64",
        "",
        "the read and going back are a comparison each, which Netty leaves out with its checks off.",
    ),
    reason(
        "alloc",
        "unpooled direct",
        "",
        "a block is a memory map of its own, made and given back by the system, so that it can grow by \
         remapping, be of huge pages or of a file. Netty and commonware take memory from `malloc`. \
         `Pool` keeps maps for the next.",
    ),
    reason("alloc", "1 KiB", "unpooled", EDGE),
    reason(
        "alloc",
        "shared",
        "unpooled",
        "the block says what kind of memory it is and how much, and the handle has two indices and \
         its limits: 232 instructions of both and glibc's, where arc-slice takes 189.",
    ),
    reason(
        "alloc",
        "unpooled",
        "",
        "the reference count and what describes the block are written in front of the bytes, and read \
         to free it: 177 instructions, where a `Vec` takes 152; 126 of either are glibc's. \
         Others put that off until a buffer is shared for the first time, and allocate then: see \
         `unpooled, shared`.",
    ),
    reason("frame", "", "slice", WIDER_HANDLE),
    reason("clone", "", "slice", WIDER_HANDLE),
];

pub fn why(group: &str, case: &str, who: &str) -> &'static str {
    REASONS
        .iter()
        .find(|of| of.group == group && case.contains(of.case) && who.contains(of.who))
        .map_or("not explained yet.", |of| of.why)
}

#[cfg(test)]
mod tests {
    use super::why;

    #[test]
    fn the_nearest_reason_comes_first() {
        assert!(why("alloc", "unpooled, 1 KiB", "refbuf unpooled heap").contains("1032"));
        assert!(why("alloc", "unpooled, shared, 1 KiB", "refbuf unpooled heap").contains("1032"));
        assert!(why("alloc", "unpooled, 16 KiB", "refbuf unpooled heap").contains("put that off"));
        assert!(why("alloc", "unpooled direct, 1 KiB", "refbuf unpooled direct").contains("map"));
        assert!(why("access", "set_u64", "refbuf dyn heap").contains("call"));
    }

    #[test]
    fn what_has_no_reason_says_so() {
        assert_eq!(why("find", "64 B", "refbuf heap"), "not explained yet.");
    }
}
