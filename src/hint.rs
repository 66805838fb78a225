//! What is said to the compiler and changes nothing.

/// The same number, which the compiler cannot know.
///
/// Each access of a run stores the index for the next one, and for whoever looks
/// at the buffer when that one fails. Where the failing access stores it once
/// more, the stores in between are of no use, and the compiler leaves them out:
/// eight reads are eight checks, eight loads and one store. A store of what is
/// known to be there already would be left out first; hence this.
///
/// Only for paths that fail: it reads memory, though never that of a buffer.
#[inline(always)]
pub(crate) fn same(n: usize) -> usize {
    static NOTHING: usize = 0;
    // SAFETY: a reference.
    n | unsafe { core::ptr::read_volatile(&NOTHING) }
}
