//! A stream of tokio's as one of `std::io` that does not block, for as long as
//! one poll: so that what is done with a stream is written once for both.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// So many reads or writes in one poll, then others have their turn.
const TURNS: usize = 32;

/// Does some `work` with a stream; pending if the stream was, and the work
/// could not do without: then its error is one that `would_block`.
pub(crate) fn poll<S, T, E>(
    stream: &mut S,
    cx: &mut Context<'_>,
    would_block: impl FnOnce(&E) -> bool,
    work: impl FnOnce(&mut Polled<'_, '_, S>) -> Result<T, E>,
) -> Poll<Result<T, E>> {
    let mut polled = Polled { stream, cx, turns: TURNS, pending: false };
    match work(&mut polled) {
        Err(error) if polled.pending && would_block(&error) => Poll::Pending,
        result => Poll::Ready(result),
    }
}

/// A stream of tokio as one of `std::io` that does not block, within one poll.
pub(crate) struct Polled<'a, 'cx, S> {
    stream: &'a mut S,
    cx: &'a mut Context<'cx>,
    turns: usize,
    /// The task will be woken.
    pending: bool,
}

impl<S: Unpin> Polled<'_, '_, S> {
    /// The stream's answer.
    fn ask<T>(
        &mut self,
        question: impl FnOnce(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> io::Result<T> {
        let answer = match self.turns.checked_sub(1) {
            Some(turns) => {
                self.turns = turns;
                question(Pin::new(self.stream), self.cx)
            }
            None => {
                self.cx.waker().wake_by_ref();
                Poll::Pending
            }
        };
        match answer {
            Poll::Ready(result) => result,
            Poll::Pending => {
                self.pending = true;
                Err(ErrorKind::WouldBlock.into())
            }
        }
    }
}

impl<S: AsyncRead + Unpin> Read for Polled<'_, '_, S> {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        let mut dst = ReadBuf::new(dst);
        self.ask(|stream, cx| stream.poll_read(cx, &mut dst))?;
        Ok(dst.filled().len())
    }
}

impl<S: AsyncWrite + Unpin> Write for Polled<'_, '_, S> {
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        self.ask(|stream, cx| stream.poll_write(cx, src))
    }

    /// Where the stream is no good at this, it writes the first piece.
    fn write_vectored(&mut self, src: &[IoSlice<'_>]) -> io::Result<usize> {
        self.ask(|stream, cx| stream.poll_write_vectored(cx, src))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.ask(|stream, cx| stream.poll_flush(cx))
    }
}
