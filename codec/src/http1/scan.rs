//! Where a head ends: looked for before anything is parsed, and from where the
//! last look ended, so that a byte is looked at once however slowly they come.

use memchr::memchr_iter;
use refbuf::ByteBuf;

use super::DecodeError;

/// How far a head, or a trailer section, has been looked through. Positions
/// count from its first byte, the reader index.
#[derive(Debug, Default)]
pub(super) struct Scan {
    scanned: usize,
    /// Where the present line begins.
    line: usize,
    /// Lines before it.
    lines: usize,
}

/// What a scan may find.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) bytes: usize,
    pub(super) lines: usize,
    pub(super) too_long: DecodeError,
    pub(super) too_many: DecodeError,
}

impl Scan {
    /// Whether nothing has been looked at.
    pub(super) fn is_new(&self) -> bool {
        self.scanned == 0
    }

    /// The length up to and with the first empty line; `None` if there is none
    /// yet.
    pub(super) fn find<B: ByteBuf + ?Sized>(
        &mut self,
        input: &B,
        bounds: Bounds,
    ) -> Result<Option<usize>, DecodeError> {
        while self.scanned < bounds.bytes {
            let start = self.scanned;
            let at = input.reader_index() + start;
            let chunk = input.try_chunk(at)?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let chunk = &chunk[..chunk.len().min(bounds.bytes - start)];
            for feed in memchr_iter(b'\n', chunk) {
                let before = match feed.checked_sub(1) {
                    Some(before) => chunk[before],
                    None if start == 0 => 0,
                    None => input.try_get_u8(at - 1)?,
                };
                if before != b'\r' {
                    return Err(DecodeError::BareLineFeed { at: start + feed });
                }
                let end = start + feed + 1;
                if end - self.line == 2 {
                    return Ok(Some(end));
                }
                self.line = end;
                self.lines += 1;
                if self.lines > bounds.lines {
                    return Err(bounds.too_many);
                }
            }
            self.scanned += chunk.len();
        }
        Err(bounds.too_long)
    }
}
