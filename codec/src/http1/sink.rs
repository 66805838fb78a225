//! Writing messages: the same for both directions.

use std::io::Write;

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, IntoComponents};

use super::fields::{is_forbidden_trailer, is_text_byte, is_token};
use super::framing::Facts;
use super::{BodyLen, EncodeError};

/// A payload of up to so many bytes is copied: a component of its own costs
/// more.
const COPY: usize = 256;

/// What the message that is being sent still needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Nothing: it ended, or there was none.
    Ended,
    /// It can have no body.
    Never,
    /// So many bytes.
    Length(u64),
    Chunked,
    UntilClose,
}

/// A head is put together here before any of it is in the output, so that one
/// that cannot be sent leaves nothing there.
#[derive(Debug)]
pub(super) struct Sink {
    text: Vec<u8>,
    body: Body,
}

impl Sink {
    pub(super) const fn new() -> Self {
        Self { text: Vec::new(), body: Body::Ended }
    }

    pub(super) fn takes_data(&self) -> bool {
        !matches!(self.body, Body::Ended | Body::Never | Body::Length(0))
    }

    /// Whether the message is not complete.
    pub(super) fn is_unfinished(&self) -> bool {
        self.takes_data()
    }

    // Heads.

    /// Begins one, with its first line.
    pub(super) fn line(&mut self, parts: &[&str]) {
        self.text.clear();
        for part in parts {
            self.text.extend_from_slice(part.as_bytes());
        }
        self.text.extend_from_slice(b"\r\n");
    }

    /// Begins a response.
    pub(super) fn status_line(&mut self, status: u16, reason: &str) {
        self.text.clear();
        // Writing to a `Vec` does not fail.
        let _ = write!(self.text, "HTTP/1.1 {status} {reason}\r\n");
    }

    /// Adds fields, and tells what they say.
    pub(super) fn fields<F, N, V>(&mut self, fields: F) -> Result<Facts, EncodeError>
    where
        F: IntoIterator<Item = (N, V)>,
        N: AsRef<str>,
        V: AsRef<[u8]>,
    {
        let mut facts = Facts::default();
        for (field, (name, value)) in fields.into_iter().enumerate() {
            let (name, value) = (name.as_ref().as_bytes(), value.as_ref());
            if [&b"content-length"[..], b"transfer-encoding"]
                .iter()
                .any(|framing| name.eq_ignore_ascii_case(framing))
            {
                return Err(EncodeError::FramingField { field });
            }
            self.field(field, name, value)?;
            // Only the framing fields can be wrong.
            facts.add(name, value).map_err(|_| EncodeError::FramingField { field })?;
        }
        Ok(facts)
    }

    fn field(&mut self, field: usize, name: &[u8], value: &[u8]) -> Result<(), EncodeError> {
        if !is_token(name) {
            return Err(EncodeError::InvalidFieldName { field });
        }
        if !value.iter().copied().all(is_text_byte) || value.trim_ascii().len() != value.len() {
            return Err(EncodeError::InvalidFieldValue { field });
        }
        self.text.extend_from_slice(name);
        self.text.extend_from_slice(b": ");
        self.text.extend_from_slice(value);
        self.text.extend_from_slice(b"\r\n");
        Ok(())
    }

    /// A field of our own.
    pub(super) fn own_field(&mut self, line: &str) {
        self.text.extend_from_slice(line.as_bytes());
        self.text.extend_from_slice(b"\r\n");
    }

    /// The field that says how long the body is.
    pub(super) fn framing(&mut self, body: BodyLen) {
        match body {
            BodyLen::Length(len) => {
                let _ = write!(self.text, "content-length: {len}\r\n");
            }
            BodyLen::Chunked => self.own_field("transfer-encoding: chunked"),
            BodyLen::Empty | BodyLen::UntilClose => {}
        }
    }

    /// Sends the head; `body` is what will follow, if something may.
    pub(super) fn send_head(
        &mut self,
        body: Option<BodyLen>,
        output: &mut CompositeBuf,
    ) -> Result<(), EncodeError> {
        self.text.extend_from_slice(b"\r\n");
        output.try_write_bytes(&self.text)?;
        self.body = match body {
            None => Body::Never,
            Some(BodyLen::Empty) => Body::Length(0),
            Some(BodyLen::Length(len)) => Body::Length(len),
            Some(BodyLen::Chunked) => Body::Chunked,
            Some(BodyLen::UntilClose) => Body::UntilClose,
        };
        Ok(())
    }

    /// Sends a head that no body belongs to and another head follows.
    pub(super) fn send_interim(&mut self, output: &mut CompositeBuf) -> Result<(), EncodeError> {
        self.text.extend_from_slice(b"\r\n");
        Ok(output.try_write_bytes(&self.text)?)
    }

    // Bodies.

    /// Sends a part of the body, without copying it unless it is small.
    pub(super) fn data(
        &mut self,
        data: impl ByteBuf + IntoComponents,
        output: &mut CompositeBuf,
    ) -> Result<(), EncodeError> {
        if !data.is_accessible() {
            return Err(refbuf::Error::Released.into());
        }
        match data.as_contiguous() {
            Some(bytes) if bytes.len() <= COPY => self.bytes(bytes, output),
            _ => {
                let len = data.readable_bytes();
                self.part(len, output, |output| output.try_push(data))
            }
        }
    }

    /// Sends a part of the body, copying it.
    pub(super) fn bytes(
        &mut self,
        bytes: &[u8],
        output: &mut CompositeBuf,
    ) -> Result<(), EncodeError> {
        self.part(bytes.len(), output, |output| output.try_write_bytes(bytes))
    }

    /// Sends a part of the body of `len` bytes, which `add` appends. All of it
    /// or nothing.
    fn part(
        &mut self,
        len: usize,
        output: &mut CompositeBuf,
        add: impl FnOnce(&mut CompositeBuf) -> Result<(), refbuf::Error>,
    ) -> Result<(), EncodeError> {
        // In chunks, no data would be the end.
        if len == 0 && self.body != Body::Ended {
            return Ok(());
        }
        let body = self.after(len as u64)?;
        let start = output.writer_index();
        let done = if self.body == Body::Chunked {
            self.text.clear();
            let _ = write!(self.text, "{len:x}\r\n");
            output
                .try_write_bytes(&self.text)
                .and_then(|()| add(output))
                .and_then(|()| output.try_write_bytes(b"\r\n"))
        } else {
            add(output)
        };
        if let Err(error) = done {
            take_back(output, start);
            return Err(error.into());
        }
        self.body = body;
        Ok(())
    }

    /// What the body needs after `len` more bytes.
    fn after(&self, len: u64) -> Result<Body, EncodeError> {
        match self.body {
            Body::Ended => Err(EncodeError::NoMessage),
            Body::Never => Err(EncodeError::BodyNotAllowed),
            Body::Length(left) => match left.checked_sub(len) {
                Some(left) => Ok(Body::Length(left)),
                None => Err(EncodeError::BodyTooLong { len, left }),
            },
            body @ (Body::Chunked | Body::UntilClose) => Ok(body),
        }
    }

    /// Ends the body.
    pub(super) fn end<F, N, V>(
        &mut self,
        trailers: F,
        output: &mut CompositeBuf,
    ) -> Result<(), EncodeError>
    where
        F: IntoIterator<Item = (N, V)>,
        N: AsRef<str>,
        V: AsRef<[u8]>,
    {
        match self.body {
            Body::Ended => return Err(EncodeError::NoMessage),
            Body::Length(left) if left != 0 => return Err(EncodeError::BodyTooShort { left }),
            Body::Chunked => {
                self.line(&["0"]);
                for (field, (name, value)) in trailers.into_iter().enumerate() {
                    let name = name.as_ref().as_bytes();
                    if is_forbidden_trailer(name) {
                        return Err(EncodeError::ForbiddenTrailer { field });
                    }
                    self.field(field, name, value.as_ref())?;
                }
                self.text.extend_from_slice(b"\r\n");
                output.try_write_bytes(&self.text)?;
            }
            Body::Length(_) | Body::Never | Body::UntilClose => {
                if trailers.into_iter().next().is_some() {
                    return Err(EncodeError::TrailersNotAllowed);
                }
            }
        }
        self.body = Body::Ended;
        Ok(())
    }
}

/// Takes what was appended from `start` on out of the output again.
fn take_back(output: &mut CompositeBuf, start: usize) {
    // Back to where the writer index was, so it is in range.
    let back = output.try_set_writer_index(start);
    debug_assert!(back.is_ok() || !output.is_accessible());
}
