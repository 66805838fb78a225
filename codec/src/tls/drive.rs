//! What both streams do with a session and its socket: one call of theirs.
//!
//! The socket reads and writes, and if it would block says so. All is kept in
//! the session, so a call that came to that can be made again.

use std::io::{self, ErrorKind, Read, Write};

use super::{Session, TlsError};

pub(super) struct Drive<'a, S, T> {
    pub(super) socket: S,
    pub(super) session: &'a mut Session<T>,
}

impl<S: Read + Write, T> Drive<'_, S, T> {
    pub(super) fn handshake(&mut self) -> io::Result<()> {
        loop {
            self.process()?;
            self.write_outgoing()?;
            if !self.session.is_handshaking() {
                return Ok(());
            }
            self.session.is_ready()?;
            self.read_some()?;
        }
    }

    /// Receives until reading can be answered; if it `may_write`, also says what
    /// there is to be said.
    pub(super) fn receive(&mut self, may_write: bool) -> io::Result<()> {
        while !self.session.is_ready()? {
            let processed = self.process();
            if self.session.readable_bytes() != 0 {
                break; // an error that stays can wait
            }
            processed?;
            let written = if may_write { self.write_outgoing() } else { Ok(()) };
            if self.session.is_ready()? {
                break;
            }
            match written {
                // It may be said later: the peer may be waiting for being read.
                Err(error) if would_block(&error) => self.read_some()?,
                // Why it does not listen may be among what it says.
                Err(error) => {
                    self.read_some().and_then(|()| self.process()).map_err(|_| error)?;
                }
                Ok(()) => self.read_some()?,
            }
        }
        Ok(())
    }

    /// Writes all that is queued.
    pub(super) fn send_queued(&mut self) -> io::Result<()> {
        self.write_outgoing()?;
        while self.session.wants_wrap() {
            if self.session.is_handshaking() {
                self.handshake()?;
            }
            let result = self.session.wrap();
            self.settle(result)?;
            if self.session.outgoing().is_empty() && self.session.wants_wrap() {
                return Err(TlsError::Closed.into());
            }
            self.write_outgoing()?;
        }
        Ok(())
    }

    fn process(&mut self) -> io::Result<()> {
        let result = self.session.process();
        self.settle(result)
    }

    fn settle(&mut self, result: Result<(), TlsError>) -> io::Result<()> {
        result.map_err(|error| {
            // An alert; the error is the same without it.
            let _ = self.write_outgoing();
            error.into()
        })
    }

    /// One read, which may be the end.
    fn read_some(&mut self) -> io::Result<()> {
        loop {
            match self.socket.read(self.session.space()?) {
                Ok(0) => self.session.end(),
                Ok(n) => self.session.filled(n),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.session.rest();
                    return Err(error);
                }
            }
            return Ok(());
        }
    }

    fn write_outgoing(&mut self) -> io::Result<()> {
        while !self.session.outgoing().is_empty() {
            match self.socket.write(self.session.outgoing()) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => self.session.sent(n),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

pub(super) fn would_block(error: &io::Error) -> bool {
    error.kind() == ErrorKind::WouldBlock
}
