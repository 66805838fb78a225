//! The allocator that the environment asks for.

use alloc::string::String;
use core::fmt;
use std::ffi::OsStr;
use std::sync::OnceLock;

use super::{BufAllocator, Pool, Unpooled};

/// The environment variable that [`default_allocator`] looks at.
const VARIABLE: &str = "REFBUF_ALLOCATOR";

/// The allocator for code that was not given one: what `REFBUF_ALLOCATOR` says,
/// `pooled` (that is [`Pool::global`]) or `unpooled`; pooled when it is not
/// set. It is looked at once.
///
/// # Panics
///
/// If the variable says anything else.
///
/// ```
/// use refbuf::{ByteBufMut, default_allocator};
///
/// let mut buf = default_allocator().heap(64);
/// buf.write_u8(1);
/// ```
#[must_use]
#[track_caller]
pub fn default_allocator() -> &'static dyn BufAllocator {
    match try_default_allocator() {
        Ok(allocator) => allocator,
        Err(error) => panic!("{error}"),
    }
}

/// [`default_allocator`] with an error for a panic.
///
/// # Errors
///
/// If the variable says neither `pooled` nor `unpooled`.
///
/// ```
/// use refbuf::try_default_allocator;
///
/// let allocator = try_default_allocator()?;
/// assert!(allocator.try_heap(1).is_ok());
/// # Ok::<(), refbuf::UnknownAllocator>(())
/// ```
pub fn try_default_allocator() -> Result<&'static dyn BufAllocator, UnknownAllocator> {
    static CHOICE: OnceLock<Result<Choice, UnknownAllocator>> = OnceLock::new();
    match CHOICE.get_or_init(|| choose(std::env::var_os(VARIABLE).as_deref())) {
        Ok(Choice::Pooled) => Ok(Pool::global()),
        Ok(Choice::Unpooled) => Ok(&Unpooled),
        Err(error) => Err(error.clone()),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Pooled,
    Unpooled,
}

fn choose(value: Option<&OsStr>) -> Result<Choice, UnknownAllocator> {
    let Some(value) = value else { return Ok(Choice::Pooled) };
    match value.to_str() {
        Some("pooled") => Ok(Choice::Pooled),
        Some("unpooled") => Ok(Choice::Unpooled),
        _ => Err(UnknownAllocator(value.to_string_lossy().into_owned())),
    }
}

/// `REFBUF_ALLOCATOR` has a value that is not known.
///
/// ```
/// use refbuf::{UnknownAllocator, try_default_allocator};
///
/// if let Err(error @ UnknownAllocator { .. }) = try_default_allocator() {
///     eprintln!("{error}");
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAllocator(String);

impl fmt::Display for UnknownAllocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{VARIABLE}={:?} is neither \"pooled\" nor \"unpooled\"", self.0)
    }
}

impl core::error::Error for UnknownAllocator {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_names_and_nothing_else() {
        let choose = |value: &str| choose(Some(OsStr::new(value)));
        assert_eq!(super::choose(None), Ok(Choice::Pooled));
        assert_eq!(choose("pooled"), Ok(Choice::Pooled));
        assert_eq!(choose("unpooled"), Ok(Choice::Unpooled));
        for odd in ["", "Pooled", "pool", "unpooled "] {
            let error = choose(odd).unwrap_err().to_string();
            assert!(error.contains("REFBUF_ALLOCATOR") && error.contains(odd), "{error}");
        }
    }
}
