//! Frames that begin with how long they are, whatever that looks like.

use refbuf::ByteBuf;

use super::FrameError;
use crate::Cut;

/// What the front of the input says.
pub(super) enum Head {
    /// Nothing yet: it takes so many bytes, at least.
    Short { needed: usize },
    /// A frame of `len` bytes, of which the first `strip` are not shown.
    Frame { len: usize, strip: usize },
    /// A frame of `len` bytes, which is more than allowed.
    TooLong { len: u64, error: FrameError },
}

/// Cuts frames off by what their heads say.
#[derive(Debug, Clone, Default)]
pub(super) struct Prefixed {
    state: State,
    missing: usize,
}

#[derive(Debug, Clone, Default)]
enum State {
    #[default]
    Cutting,
    /// Within a frame of `len` bytes that is too long.
    Skipping {
        left: u64,
        len: u64,
    },
    Failed(FrameError),
}

impl Prefixed {
    pub(super) fn missing(&self) -> usize {
        self.missing
    }

    /// The next frame. `head` looks at what is at the reader index; an error
    /// of it is one for good.
    #[inline]
    pub(super) fn decode<B: Cut>(
        &mut self,
        input: &mut B,
        head: impl FnOnce(&B) -> Result<Head, FrameError>,
    ) -> Result<Option<B::Frame>, FrameError> {
        self.missing = 0;
        if !matches!(self.state, State::Cutting) && !self.is_cutting_again(input)? {
            return Ok(None);
        }
        let have = input.readable_bytes();
        match head(input) {
            Ok(Head::Frame { len, strip }) if len <= have => cut(input, len, strip).map(Some),
            Ok(Head::Frame { len: needed, .. } | Head::Short { needed }) => {
                self.missing = needed - have;
                Ok(None)
            }
            Ok(Head::TooLong { len, error }) => {
                self.state = State::Skipping { left: len, len };
                self.is_cutting_again(input)?;
                Err(error)
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// The next frame, when no more bytes come.
    pub(super) fn decode_eof<B: Cut>(
        &mut self,
        input: &mut B,
        head: impl FnOnce(&B) -> Result<Head, FrameError>,
    ) -> Result<Option<B::Frame>, FrameError> {
        if let Some(frame) = self.decode(input, head)? {
            return Ok(Some(frame));
        }
        let have = input.readable_bytes();
        let missing = std::mem::take(&mut self.missing);
        let truncated = match self.state {
            State::Skipping { left, len } => {
                FrameError::Truncated { have: len - left, needed: len }
            }
            _ if have == 0 => return Ok(None),
            _ => FrameError::Truncated { have: have as u64, needed: (have + missing) as u64 },
        };
        Err(self.fail(truncated))
    }

    /// Skips what there is of a frame that is too long; whether all of it has
    /// been there.
    #[cold]
    fn is_cutting_again<B: ByteBuf>(&mut self, input: &mut B) -> Result<bool, FrameError> {
        match &mut self.state {
            State::Cutting => Ok(true),
            State::Failed(error) => Err(*error),
            State::Skipping { left, .. } => {
                let have = input.readable_bytes();
                let n = usize::try_from(*left).map_or(have, |left| left.min(have));
                input.try_skip(n)?;
                *left -= n as u64;
                if *left != 0 {
                    return Ok(false);
                }
                self.state = State::Cutting;
                Ok(true)
            }
        }
    }

    #[cold]
    fn fail(&mut self, error: FrameError) -> FrameError {
        self.state = State::Failed(error);
        error
    }
}

/// The next `len` bytes without the first `strip` of them: all of it or, if
/// that fails, nothing.
#[inline]
fn cut<B: Cut>(input: &mut B, len: usize, strip: usize) -> Result<B::Frame, FrameError> {
    let start = input.reader_index();
    input.try_skip(strip)?;
    input.try_cut(len - strip).map_err(|error| {
        // Where it was.
        let _ = input.try_set_reader_index(start);
        error.into()
    })
}
