//! Why refbuf is slower where it is. Shown beside a line only if its verdict
//! says so; a loss without an entry says that nobody knows yet.

/// Group, part of the case's name, part of the type's name, and the reason.
const REASONS: &[(&str, &str, &str, &str)] = &[
    (
        "access",
        "",
        "dyn heap",
        "every access is a call through a table of functions, which the compiler cannot look into; a \
     JVM compiles the call away, because it has seen that only one class is ever there. A codec \
     takes `&mut impl ByteBuf`.",
    ),
    (
        "alloc",
        "unpooled",
        "unpooled direct",
        "a block is a memory map of its own, made and given back by the system; Netty takes its direct \
     memory from `malloc`. `Pool` keeps maps for the next.",
    ),
];

pub fn why(group: &str, case: &str, who: &str) -> &'static str {
    REASONS
        .iter()
        .find(|&&(of, in_case, in_who, _)| {
            of == group && case.contains(in_case) && who.contains(in_who)
        })
        .map_or("not explained yet.", |&(.., reason)| reason)
}
