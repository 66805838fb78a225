//! Numbers and names as both forms of the report write them.

use super::model::{Ratio, Report};
use crate::stats::Summary;

/// The columns of the table of ratios.
pub const COLUMNS: [&str; 9] = [
    "case",
    "type",
    "ns",
    "beside the reference",
    "beside the best peer",
    "beside Netty, checks on",
    "beside Netty, checks off",
    "target",
    "verdict",
];

pub fn ns(ns: &Summary) -> String {
    let digits = if ns.median < 100.0 { 2 } else { 0 };
    format!("{:.digits$}", ns.median)
}

pub fn spread(ns: &Summary) -> String {
    format!("{:.0} %", ns.spread() * 100.0)
}

pub fn ratio(ratio: Option<&Ratio>) -> String {
    ratio.map_or("-".into(), |ratio| format!("{:.2}", ratio.ratio))
}

/// Where it is not the same for all lines: with the name.
pub fn named(ratio: Option<&Ratio>) -> String {
    ratio.map_or("-".into(), |ratio| format!("{:.2} ({})", ratio.ratio, ratio.beside))
}

pub fn file_name(group: &str, case: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    format!("{group}-{case}.svg")
        .replace(", ", "-")
        .chars()
        .map(|c| if c == '.' { c } else { plain(c) })
        .collect()
}

pub const HOW_TO_READ: &[&str] = &[
    "All times are nanoseconds for one operation: the median of the samples, and half of the way \
     from the lowest tenth to the highest, as a part of it (the spread). Ratios are of medians, and \
     below 1 refbuf is faster.",
    "Everybody runs the same loop, one operation an iteration, with the buffer and the argument \
     unknown to the compiler in each of them; the loop without an operation is shown, and not \
     taken off. Every row here gives one sample in each round, Netty's JVMs run between the \
     rounds, and samples are taken in turn from four copies of the loop that lie differently in \
     the instruction cache, the same four for all.",
    "The verdict is computed. For typed access and HPACK the target is Netty (its buffer of \
     the same kind) with checkAccessible and checkBounds off, whereas refbuf has no way to switch \
     its checks off. Elsewhere it is the fastest crate that offers the operation, or Netty, where none does. Within \
     5 % it is a tie. References (a slice, a `Vec`, an `Arc`) show what is possible and are \
     nobody's rival.",
    "Netty runs each case in a fresh JVM: warm-up, then samples. It has the parallel collector, \
     Unsafe, direct buffers without cleaners, its own threads, and no leak detection.",
];

/// What the figures may not be taken for.
pub fn caveat(report: &Report) -> Option<&'static str> {
    if cfg!(debug_assertions) {
        Some("This was built without --release: it shows that everything works, and no more.")
    } else if report.quick {
        Some("This was a quick run: it shows that everything works, and its figures say nothing.")
    } else if report.busy {
        Some("The machine had other work to do when this run began. Take ratios for hints.")
    } else {
        None
    }
}
