//! A stream that does what it is told.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Read, Write};

/// What a read does.
#[derive(Debug, Clone)]
pub enum Step {
    Bytes(Vec<u8>),
    Fail(ErrorKind),
}

/// Reads go step by step, and then meet the end.
#[derive(Debug, Default)]
pub struct Script {
    pub steps: VecDeque<Step>,
    pub reads: usize,
    /// Bytes that one write takes; all if `None`.
    pub at_most: Option<usize>,
    /// What writes fail with, each once, before they go on.
    pub failures: VecDeque<ErrorKind>,
    /// Bytes they take before they would block; no end of it if `None`.
    pub room: Option<usize>,
    pub written: Vec<u8>,
    pub writes: usize,
    pub pieces: usize,
    pub flushes: usize,
}

impl Script {
    pub fn of(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { steps: steps.into_iter().collect(), ..Self::default() }
    }

    /// The bytes one by one, and `kind` before each.
    pub fn stuttering(bytes: &[u8], kind: ErrorKind) -> Self {
        Self::of(bytes.iter().flat_map(|&byte| [Step::Fail(kind), Step::Bytes(vec![byte])]))
    }
}

impl Read for Script {
    fn read(&mut self, dst: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        match self.steps.pop_front() {
            None => Ok(0),
            Some(Step::Fail(kind)) => Err(kind.into()),
            Some(Step::Bytes(mut bytes)) => {
                let n = bytes.len().min(dst.len());
                dst[..n].copy_from_slice(&bytes[..n]);
                bytes.drain(..n);
                if !bytes.is_empty() {
                    self.steps.push_front(Step::Bytes(bytes));
                }
                Ok(n)
            }
        }
    }
}

impl Write for Script {
    fn write(&mut self, src: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(src)])
    }

    fn write_vectored(&mut self, src: &[IoSlice<'_>]) -> io::Result<usize> {
        if let Some(kind) = self.failures.pop_front() {
            return Err(kind.into());
        }
        if self.room == Some(0) {
            return Err(ErrorKind::WouldBlock.into());
        }
        self.writes += 1;
        self.pieces += src.len();
        let mut left = self.at_most.unwrap_or(usize::MAX).min(self.room.unwrap_or(usize::MAX));
        let before = self.written.len();
        for piece in src {
            let n = left.min(piece.len());
            if n == 0 {
                break;
            }
            self.written.extend(&piece[..n]);
            left -= n;
        }
        let n = self.written.len() - before;
        self.room = self.room.map(|room| room - n);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushes += 1;
        Ok(())
    }
}
