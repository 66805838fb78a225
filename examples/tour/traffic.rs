//! What the client sends, and how it checks what comes back.

use std::error::Error;
use std::net::{Shutdown, TcpStream};
use std::ops::Range;
use std::thread;

use refbuf::{ByteBuf, ByteBufMut, HeapBuf, SliceBuf};

use crate::options::Options;
use crate::protocol::{Decoder, Encoder, Received};
use crate::random::{below, random};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Pseudo-random bytes. The payload of a message is a piece of them that its
/// number decides, so both ends know it and nothing is stored.
pub struct Traffic {
    bytes: SliceBuf,
    min: usize,
    max: usize,
}

impl Traffic {
    /// More than the longest payload by this, so that payloads start at many
    /// different places.
    const SPREAD: usize = 1 << 20;

    pub fn new(options: &Options) -> Self {
        let mut bytes = HeapBuf::with_capacity(options.max + Self::SPREAD + 8);
        for n in 0.. {
            if bytes.readable_bytes() >= options.max + Self::SPREAD {
                break;
            }
            bytes.write_u64(random(n));
        }
        Self { bytes: bytes.freeze(), min: options.min, max: options.max }
    }

    fn range(&self, message: u64) -> Range<usize> {
        let random = random(!message);
        let len = self.min + below(random >> 32, self.max - self.min + 1);
        let start = below(random & 0xffff_ffff, Self::SPREAD);
        start..start + len
    }

    /// Sends the messages of one connection, checks the answers, and calls
    /// `progress` for each. Sending and checking each have a thread, so neither
    /// end ever waits for one who waits for it.
    pub fn exchange<B: ByteBufMut>(
        &self,
        stream: &TcpStream,
        messages: Range<u64>,
        input: B,
        progress: impl Fn(),
    ) -> Result<Received> {
        thread::scope(|scope| {
            let sender = scope.spawn({
                let messages = messages.clone();
                move || self.send(stream, messages)
            });
            let checked = self.check(stream, messages, input, progress).inspect_err(|_| {
                // Frees the sender, if it waits. Fails only if the connection
                // is gone already.
                let _ = stream.shutdown(Shutdown::Both);
            });
            let sent = sender.join().expect("the sender does not panic");
            let received = checked?;
            sent.map(|()| received)
        })
    }

    fn send(&self, mut stream: &TcpStream, messages: Range<u64>) -> Result<()> {
        let mut out = Encoder::new();
        for message in messages {
            out.push(self.bytes.slice(self.range(message)))?;
            if out.is_full() {
                out.send(&mut stream)?;
            }
        }
        out.send(&mut stream)?;
        Ok(stream.shutdown(Shutdown::Write)?)
    }

    fn check<B: ByteBufMut>(
        &self,
        mut stream: &TcpStream,
        messages: Range<u64>,
        input: B,
        progress: impl Fn(),
    ) -> Result<Received> {
        let mut decoder = Decoder::new(input, self.max);
        for message in messages {
            let Some(answer) = decoder.message(&mut stream)? else {
                return Err(format!("no answer to message {message}").into());
            };
            if answer.as_slice() != &self.bytes.as_slice()[self.range(message)] {
                return Err(format!("a wrong answer to message {message}: {answer:?}").into());
            }
            progress();
        }
        match decoder.message(&mut stream)? {
            None => Ok(decoder.received()),
            Some(answer) => Err(format!("an answer to no message: {answer:?}").into()),
        }
    }
}
