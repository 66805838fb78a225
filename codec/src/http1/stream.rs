//! A stream of messages: heads, bodies, ends. The same for both directions;
//! what a head means is told by whoever parses it.

use refbuf::{ByteBuf, SliceBuf};

use super::chunked::{Chunks, Part};
use super::fields::{Fields, is_token_byte};
use super::scan::{Bounds, Scan};
use super::{BodyLen, DecodeError, Limits};

/// A part of a message.
///
/// A message is its head, as many pieces of its body as it came in, and its
/// end. The exception is an interim response, which is a head alone.
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::http1::{Event, RequestDecoder};
///
/// let text = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\
///     5\r\nhello\r\n0\r\nDigest: x\r\n\r\n";
/// let mut input = HeapBuf::from(text.to_vec());
/// let mut decoder = RequestDecoder::new();
/// while let Some(event) = decoder.decode(&mut input)? {
///     match event {
///         Event::Head(head) => assert_eq!(head.method(), "POST"),
///         Event::Data(data) => assert_eq!(data, b"hello"),
///         Event::End(trailers) => assert_eq!(trailers.get("digest"), Some(&b"x"[..])),
///     }
/// }
/// # Ok::<(), refbuf_codec::http1::DecodeError>(())
/// ```
// The head is most of what is decoded, and boxing it would allocate.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone)]
pub enum Event<H> {
    /// A message begins.
    Head(H),
    /// More of its body, not copied: where it was received.
    Data(SliceBuf),
    /// It is complete. The trailers of a chunked body; none otherwise.
    End(Fields),
}

/// Where the input is.
#[derive(Debug)]
enum State {
    /// In front of a head, or within.
    Head,
    /// Behind the body.
    End,
    Length(u64),
    Chunked(Chunks),
    /// So many bytes came.
    UntilClose(u64),
    /// Whether there will be another head is not known.
    Waiting,
    /// There will be none.
    Closed,
    /// What is left is in another protocol.
    Switched,
}

/// What comes after a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    Head,
    /// Somebody has to say whether there is another message.
    Wait,
    /// Nothing: the connection ends.
    Close,
    /// Another protocol.
    Switch,
}

/// What follows a head.
pub(super) enum Follow {
    /// Another head.
    Head,
    Body(BodyLen, After),
}

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) limits: Limits,
    state: State,
    after: After,
    scan: Scan,
    empty_lines: usize,
    failed: Option<DecodeError>,
}

impl Stream {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            state: State::Head,
            after: After::Head,
            scan: Scan::default(),
            empty_lines: 0,
            failed: None,
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting)
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.state, State::Closed | State::Switched)
    }

    /// Whether the input is in front of a head, or within.
    pub(super) fn is_in_head(&self) -> bool {
        matches!(self.state, State::Head)
    }

    pub(super) fn is_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Decides what comes after the message that somebody has to decide on.
    /// True if there is one.
    pub(super) fn decide(&mut self, after: After) -> bool {
        let waits = self.after == After::Wait;
        if waits {
            self.after = after;
            if self.is_waiting() {
                self.go_on();
            }
        }
        waits
    }

    /// Refuses all that comes from now on.
    pub(super) fn fail(&mut self, error: DecodeError) -> DecodeError {
        self.failed = Some(error);
        error
    }

    fn go_on(&mut self) {
        self.state = match self.after {
            After::Head => State::Head,
            After::Wait => State::Waiting,
            After::Close => State::Closed,
            After::Switch => State::Switched,
        };
    }

    /// The next event. `parse` makes a head of its bytes; with `eof` no more
    /// bytes will come.
    pub(super) fn next<B: ByteBuf + ?Sized, H>(
        &mut self,
        input: &mut B,
        eof: bool,
        parse: impl FnOnce(SliceBuf, &Limits) -> Result<(H, Follow), DecodeError>,
    ) -> Result<Option<Event<H>>, DecodeError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let next = match self.try_next(input, parse) {
            Ok(None) if eof => self.end(input),
            next => next,
        };
        next.map_err(|error| self.fail(error))
    }

    fn try_next<B: ByteBuf + ?Sized, H>(
        &mut self,
        input: &mut B,
        parse: impl FnOnce(SliceBuf, &Limits) -> Result<(H, Follow), DecodeError>,
    ) -> Result<Option<Event<H>>, DecodeError> {
        match &mut self.state {
            State::Head => {
                let Some(bytes) = self.head(input)? else { return Ok(None) };
                let (head, follow) = parse(bytes, &self.limits)?;
                self.begin(follow)?;
                Ok(Some(Event::Head(head)))
            }
            State::End | State::Length(0) => Ok(Some(self.finish(Fields::default()))),
            State::Length(left) => {
                let data = take(input, *left)?;
                if let Some(data) = &data {
                    *left -= data.readable_bytes() as u64;
                }
                Ok(data.map(Event::Data))
            }
            State::Chunked(chunks) => match chunks.next(input, &self.limits)? {
                None => Ok(None),
                Some(Part::Data(left)) => {
                    let data = take(input, left)?;
                    if let Some(data) = &data {
                        chunks.took(data.readable_bytes() as u64);
                    }
                    Ok(data.map(Event::Data))
                }
                Some(Part::End(trailers)) => Ok(Some(self.finish(trailers))),
            },
            State::UntilClose(total) => {
                // Up to the limit, so that it does not depend on how they come
                // what is handed on.
                let max = self.limits.body;
                if *total == max && input.is_readable() {
                    return Err(DecodeError::BodyTooLong { len: max.saturating_add(1), max });
                }
                let data = take(input, max - *total)?;
                if let Some(data) = &data {
                    *total += data.readable_bytes() as u64;
                }
                Ok(data.map(Event::Data))
            }
            State::Waiting | State::Switched => Ok(None),
            // Whoever goes on reading does not collect it.
            State::Closed => {
                input.try_skip(input.readable_bytes())?;
                Ok(None)
            }
        }
    }

    /// The bytes of a head, if it is there to its end.
    fn head<B: ByteBuf + ?Sized>(
        &mut self,
        input: &mut B,
    ) -> Result<Option<SliceBuf>, DecodeError> {
        let limits = &self.limits;
        let bounds = Bounds {
            bytes: limits.head,
            // The start line is one too.
            lines: limits.fields + 1,
            too_long: DecodeError::HeadTooLong { max: limits.head },
            too_many: DecodeError::TooManyFields { max: limits.fields },
        };
        loop {
            if self.scan.is_new() {
                // What is no HTTP at all need not fill a buffer first.
                match input.try_chunk(input.reader_index())?.first() {
                    None => return Ok(None),
                    Some(b'\r' | b'\n') => {}
                    Some(&byte) if is_token_byte(byte) => {}
                    Some(_) => return Err(DecodeError::InvalidMethod),
                }
            }
            match self.scan.find(input, bounds)? {
                None => return Ok(None),
                Some(len) => {
                    self.scan = Scan::default();
                    if len > 2 {
                        self.empty_lines = 0;
                        return Ok(Some(input.try_read_slice(len)?));
                    }
                }
            }
            input.try_skip(2)?;
            self.empty_lines += 1;
            if self.empty_lines > limits.empty_lines {
                return Err(DecodeError::TooManyEmptyLines { max: limits.empty_lines });
            }
        }
    }

    fn begin(&mut self, follow: Follow) -> Result<(), DecodeError> {
        let Follow::Body(body, after) = follow else { return Ok(()) };
        self.after = after;
        self.state = match body {
            BodyLen::Empty => State::End,
            BodyLen::Length(len) => {
                check_body(len, &self.limits)?;
                State::Length(len)
            }
            BodyLen::Chunked => State::Chunked(Chunks::default()),
            BodyLen::UntilClose => State::UntilClose(0),
        };
        Ok(())
    }

    fn finish<H>(&mut self, trailers: Fields) -> Event<H> {
        self.go_on();
        Event::End(trailers)
    }

    /// No more bytes will come, and those that are there are not enough.
    fn end<B: ByteBuf + ?Sized, H>(&mut self, input: &B) -> Result<Option<Event<H>>, DecodeError> {
        match self.state {
            State::Head => match input.readable_bytes() {
                0 => Ok(None),
                have => Err(DecodeError::TruncatedHead { have }),
            },
            State::Length(missing) => Err(DecodeError::TruncatedBody { missing }),
            State::Chunked(_) => Err(DecodeError::TruncatedChunks),
            State::UntilClose(_) => Ok(Some(self.finish(Fields::default()))),
            State::End | State::Waiting | State::Closed | State::Switched => Ok(None),
        }
    }
}

fn check_body(len: u64, limits: &Limits) -> Result<(), DecodeError> {
    let max = limits.body;
    if len > max { Err(DecodeError::BodyTooLong { len, max }) } else { Ok(()) }
}

/// What there is of `left` bytes, without crossing from one run of memory into
/// another: no copy.
fn take<B: ByteBuf + ?Sized>(input: &mut B, left: u64) -> Result<Option<SliceBuf>, DecodeError> {
    let run = input.try_chunk(input.reader_index())?.len();
    if run == 0 {
        return Ok(None);
    }
    let len = usize::try_from(left).map_or(run, |left| run.min(left));
    Ok(Some(input.try_read_slice(len)?))
}
