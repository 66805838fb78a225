//! Frames that end in a delimiter.

use std::sync::Arc;

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error};

use super::{ConfigError, DEFAULT_MAX_FRAME_LEN, FrameError, Payload, payload};
use crate::{Cut, Decoder, Encoder};

/// Describes frames that end in a delimiter, or in one of several.
///
/// Of several it is the one that is complete first; of two that are complete
/// at the same byte (`\n` and `\r\n`), the longer. So it does not depend on how
/// the bytes come in.
///
/// Unless told otherwise: the delimiter is not part of what is shown, the last
/// frame needs one too, and a frame has at most [`DEFAULT_MAX_FRAME_LEN`] bytes
/// before it.
///
/// ```
/// use refbuf::HeapBuf;
/// use refbuf_codec::Decoder;
/// use refbuf_codec::frame::Delimiter;
///
/// let mut decoder = Delimiter::any(["; ", "\0"]).decoder()?;
/// let mut input = HeapBuf::from(b"a;b; c\0".to_vec());
/// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"a;b");
/// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"c");
/// assert_eq!(decoder.decode_eof(&mut input)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delimiter {
    delimiters: Vec<Box<[u8]>>,
    keep: bool,
    optional_at_end: bool,
    max_frame_len: usize,
}

impl Delimiter {
    /// Frames that end in `delimiter`.
    ///
    /// ```
    /// use refbuf_codec::frame::{ConfigError, Delimiter};
    ///
    /// assert!(Delimiter::new("\r\n").decoder().is_ok());
    /// let error = Delimiter::new("").decoder().unwrap_err();
    /// assert_eq!(error, ConfigError::EmptyDelimiter { index: 0 });
    /// ```
    #[must_use]
    pub fn new(delimiter: impl AsRef<[u8]>) -> Self {
        Self::any([delimiter])
    }

    /// Frames that end in one of `delimiters`. An encoder writes the first.
    ///
    /// ```
    /// use refbuf_codec::frame::{ConfigError, Delimiter};
    ///
    /// // Where there is the first, there was the second before.
    /// let error = Delimiter::any(["\r\n", "\r"]).decoder().unwrap_err();
    /// assert_eq!(error, ConfigError::HiddenDelimiter { index: 0, by: 1 });
    /// ```
    #[must_use]
    pub fn any<D: AsRef<[u8]>>(delimiters: impl IntoIterator<Item = D>) -> Self {
        Self {
            delimiters: delimiters.into_iter().map(|d| d.as_ref().into()).collect(),
            keep: false,
            optional_at_end: false,
            max_frame_len: DEFAULT_MAX_FRAME_LEN,
        }
    }

    /// Lines: they end in `\n` or `\r\n`, the last one may end with the input.
    /// A `\r` that no `\n` follows is part of its line. An encoder writes `\n`.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::Delimiter;
    ///
    /// let mut decoder = Delimiter::lines().decoder()?;
    /// let mut input = HeapBuf::from(b"one\r\n\nthree".to_vec());
    /// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"one");
    /// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"");
    /// assert_eq!(decoder.decode(&mut input)?, None);
    /// assert_eq!(decoder.decode_eof(&mut input)?.unwrap(), b"three");
    /// assert_eq!(decoder.decode_eof(&mut input)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn lines() -> Self {
        Self::any(["\n", "\r\n"]).optional_at_end()
    }

    /// Shows the delimiter as part of the frame.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::Delimiter;
    ///
    /// let mut decoder = Delimiter::lines().keep().decoder()?;
    /// let mut input = HeapBuf::from(b"one\r\ntwo".to_vec());
    /// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"one\r\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn keep(mut self) -> Self {
        self.keep = true;
        self
    }

    /// What comes behind the last delimiter is a frame too, unless there is
    /// nothing. Without this it is [`FrameError::Truncated`].
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::Delimiter;
    ///
    /// let mut input = HeapBuf::from(b"rest".to_vec());
    /// assert!(Delimiter::new("\0").decoder()?.decode_eof(&mut input).is_err());
    /// let mut decoder = Delimiter::new("\0").optional_at_end().decoder()?;
    /// assert_eq!(decoder.decode_eof(&mut input)?.unwrap(), b"rest");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn optional_at_end(mut self) -> Self {
        self.optional_at_end = true;
        self
    }

    /// The bytes that may come before a delimiter.
    ///
    /// ```
    /// use refbuf::HeapBuf;
    /// use refbuf_codec::Decoder;
    /// use refbuf_codec::frame::{Delimiter, FrameError};
    ///
    /// let mut decoder = Delimiter::lines().max_frame_len(3).decoder()?;
    /// let mut input = HeapBuf::from(b"much too long\nabc\n".to_vec());
    /// assert_eq!(decoder.decode(&mut input), Err(FrameError::Undelimited { max: 3 }));
    /// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"abc");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn max_frame_len(mut self, max_frame_len: usize) -> Self {
        self.max_frame_len = max_frame_len;
        self
    }

    /// A decoder of such frames.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`] if there is no delimiter, or one that is empty or
    /// could never be found.
    ///
    /// ```
    /// use refbuf_codec::frame::{ConfigError, Delimiter};
    ///
    /// let error = Delimiter::any([""; 0]).decoder().unwrap_err();
    /// assert_eq!(error, ConfigError::NoDelimiter);
    /// ```
    pub fn decoder(self) -> Result<DelimiterDecoder, ConfigError> {
        let Self { keep, optional_at_end, max_frame_len, .. } = self;
        let search = Search::new(self.delimiters)?;
        Ok(DelimiterDecoder { search, keep, optional_at_end, max_frame_len, state: State::Cutting })
    }

    /// An encoder of such frames.
    ///
    /// # Errors
    ///
    /// As [`decoder`](Self::decoder).
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    /// use refbuf_codec::Encoder;
    /// use refbuf_codec::frame::Delimiter;
    ///
    /// let mut output = CompositeBuf::new();
    /// Delimiter::lines().encoder()?.encode("a line", &mut output)?;
    /// assert_eq!(output, b"a line\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn encoder(self) -> Result<DelimiterEncoder, ConfigError> {
        let delimiter = self.delimiters.first().cloned().unwrap_or_default();
        let search = Search::new(self.delimiters)?;
        Ok(DelimiterEncoder { search, delimiter, max_frame_len: self.max_frame_len })
    }

    /// Both, which are a codec together.
    ///
    /// # Errors
    ///
    /// As [`decoder`](Self::decoder).
    ///
    /// ```
    /// use refbuf_codec::frame::Delimiter;
    ///
    /// let (decoder, encoder) = Delimiter::lines().codec()?;
    /// # Ok::<(), refbuf_codec::frame::ConfigError>(())
    /// ```
    pub fn codec(self) -> Result<(DelimiterDecoder, DelimiterEncoder), ConfigError> {
        Ok((self.clone().decoder()?, self.encoder()?))
    }
}

/// Looks for the delimiter that is complete first, at every byte once.
///
/// A delimiter that ends in another one (`\r\n` in `\n`) is complete where that
/// is: only the shorter is looked for, and then which of the two it was.
#[derive(Debug, Clone)]
struct Search {
    /// All, the longest first.
    delimiters: Arc<[Box<[u8]>]>,
    scans: Vec<Scan>,
}

/// How far the search for one delimiter has come.
#[derive(Debug, Clone)]
struct Scan {
    delimiter: Box<[u8]>,
    /// Counted from the start, which is the reader index of a decoder: no
    /// occurrence starts before.
    from: usize,
    /// One starts there.
    found: bool,
}

impl Search {
    fn new(delimiters: Vec<Box<[u8]>>) -> Result<Self, ConfigError> {
        if delimiters.is_empty() {
            return Err(ConfigError::NoDelimiter);
        }
        if let Some(index) = delimiters.iter().position(|delimiter| delimiter.is_empty()) {
            return Err(ConfigError::EmptyDelimiter { index });
        }
        for (index, delimiter) in delimiters.iter().enumerate() {
            let before_its_end = &delimiter[..delimiter.len() - 1];
            let by = delimiters
                .iter()
                .position(|other| before_its_end.windows(other.len()).any(|w| *w == **other));
            if let Some(by) = by {
                return Err(ConfigError::HiddenDelimiter { index, by });
            }
        }
        let mut delimiters = delimiters;
        delimiters.sort_by_key(|delimiter| std::cmp::Reverse(delimiter.len()));
        delimiters.dedup();
        let ends_in_another = |delimiter: &[u8]| {
            delimiters.iter().any(|other| **other != *delimiter && delimiter.ends_with(other))
        };
        let scans = delimiters
            .iter()
            .filter(|delimiter| !ends_in_another(delimiter))
            .map(|delimiter| Scan { delimiter: delimiter.clone(), from: 0, found: false })
            .collect();
        Ok(Self { delimiters: delimiters.into(), scans })
    }

    /// Begins anew.
    fn reset(&mut self) {
        self.consumed(usize::MAX);
    }

    /// Bytes of the longest delimiter.
    fn longest(&self) -> usize {
        self.delimiters[0].len()
    }

    /// Where the first delimiter that is complete ends, counted from `start`.
    fn end<B: ByteBuf>(&mut self, input: &B, start: usize) -> Result<Option<usize>, Error> {
        let have = input.writer_index() - start;
        let mut first = None;
        for scan in &mut self.scans {
            // One that ends later is not the first: what is behind is left for
            // the next time.
            let within = first.unwrap_or(have);
            scan.advance(input, start, within)?;
            let end = scan.from + scan.delimiter.len();
            if scan.found && end <= within {
                first = Some(end);
            }
        }
        Ok(first)
    }

    /// The length of the longest delimiter among the `end` bytes from `start`
    /// on that ends with them.
    fn len_before<B: ByteBuf>(&self, input: &B, start: usize, end: usize) -> usize {
        let mut lens = self.delimiters.iter().filter_map(|delimiter| {
            let index = (start + end).checked_sub(delimiter.len()).filter(|&i| i >= start)?;
            is_at(input, index, delimiter).then_some(delimiter.len())
        });
        lens.next().unwrap_or(0)
    }

    /// Where it started is `n` bytes further on.
    fn consumed(&mut self, n: usize) {
        for scan in &mut self.scans {
            // One that overlaps what was consumed is none.
            scan.found &= scan.from >= n;
            scan.from = scan.from.saturating_sub(n);
        }
    }
}

impl Scan {
    /// Goes on up to `within`, counted from `start`.
    fn advance<B: ByteBuf>(&mut self, input: &B, start: usize, within: usize) -> Result<(), Error> {
        let len = self.delimiter.len();
        if self.found || within.saturating_sub(self.from) < len {
            return Ok(());
        }
        let range = start + self.from..start + within;
        let found = match *self.delimiter {
            [byte] => input.try_find_byte_in(range, byte)?,
            _ => input.try_find_in(range, &self.delimiter)?,
        };
        self.found = found.is_some();
        self.from = found.map_or(within - (len - 1), |index| index - start);
        Ok(())
    }
}

/// Whether `text` is what is at `index`.
fn is_at<B: ByteBuf>(input: &B, index: usize, text: &[u8]) -> bool {
    match input.window(index, text.len()) {
        Some(bytes) => bytes == text,
        None => (index..).zip(text).all(|(index, &byte)| input.try_get_u8(index) == Ok(byte)),
    }
}

/// Cuts frames off that end in a delimiter; see [`Delimiter`].
///
/// A frame without a delimiter within the limit is reported as soon as no
/// delimiter can end it in time any more; what comes until its delimiter is
/// dropped. Memory is allocated only for the list of components of a frame that
/// is cut off a composite, and to look across its seams for a delimiter above
/// 256 bytes.
///
/// Errors: [`FrameError::Undelimited`]; at the end [`FrameError::Truncated`],
/// unless the delimiter is [optional](Delimiter::optional_at_end) there.
///
/// ```
/// use refbuf::{ByteBufMut, HeapBuf};
/// use refbuf_codec::Decoder;
/// use refbuf_codec::frame::Delimiter;
///
/// let mut decoder = Delimiter::lines().decoder()?;
/// let mut input = HeapBuf::from(b"GET /\r".to_vec());
/// assert_eq!(decoder.decode(&mut input)?, None);
/// input.write_bytes(b"\n");
/// assert_eq!(decoder.decode(&mut input)?.unwrap(), b"GET /");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct DelimiterDecoder {
    search: Search,
    keep: bool,
    optional_at_end: bool,
    max_frame_len: usize,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    Cutting,
    /// Within a frame that is too long, of which so much was dropped.
    Dropping {
        had: u64,
    },
    Failed(FrameError),
}

impl DelimiterDecoder {
    fn skip<B: ByteBuf>(&mut self, input: &mut B, n: usize) -> Result<(), FrameError> {
        input.try_skip(n)?;
        self.search.consumed(n);
        Ok(())
    }

    /// Cuts `len` bytes off, and then skips up to `end`.
    fn cut<B: Cut>(
        &mut self,
        input: &mut B,
        len: usize,
        end: usize,
    ) -> Result<B::Frame, FrameError> {
        let frame = input.try_cut(len)?;
        input.try_skip(end - len)?;
        self.search.consumed(end);
        Ok(frame)
    }

    /// Begins to drop a frame.
    #[cold]
    fn undelimited<B: ByteBuf>(&mut self, input: &mut B) -> Result<FrameError, FrameError> {
        self.state = State::Dropping { had: 0 };
        self.drop_some(input)?;
        Ok(FrameError::Undelimited { max: self.max_frame_len })
    }

    /// Drops what there is of a frame, up to its delimiter; whether that has
    /// been there.
    #[cold]
    fn drop_some<B: ByteBuf>(&mut self, input: &mut B) -> Result<bool, FrameError> {
        let State::Dropping { had } = self.state else {
            return Ok(true);
        };
        if let Some(end) = self.search.end(input, input.reader_index())? {
            self.skip(input, end)?;
            self.state = State::Cutting;
            return Ok(true);
        }
        // The delimiter may have begun.
        let n = input.readable_bytes().saturating_sub(self.search.longest() - 1);
        self.skip(input, n)?;
        self.state = State::Dropping { had: had + n as u64 };
        Ok(false)
    }

    #[cold]
    fn fail(&mut self, error: FrameError) -> FrameError {
        self.state = State::Failed(error);
        error
    }
}

impl<B: Cut> Decoder<B> for DelimiterDecoder {
    type Item = B::Frame;
    type Error = FrameError;

    fn decode(&mut self, input: &mut B) -> Result<Option<B::Frame>, FrameError> {
        match self.state {
            State::Cutting => {}
            State::Failed(error) => return Err(error),
            State::Dropping { .. } => {
                if !self.drop_some(input)? {
                    return Ok(None);
                }
            }
        }
        let max = self.max_frame_len;
        let Some(end) = self.search.end(input, input.reader_index())? else {
            // A delimiter that ends behind all there is starts behind this.
            let starts = input.readable_bytes().saturating_sub(self.search.longest() - 1);
            return if starts > max { Err(self.undelimited(input)?) } else { Ok(None) };
        };
        let len = end - self.search.len_before(input, input.reader_index(), end);
        if len > max {
            return Err(self.undelimited(input)?);
        }
        self.cut(input, if self.keep { end } else { len }, end).map(Some)
    }

    fn decode_eof(&mut self, input: &mut B) -> Result<Option<B::Frame>, FrameError> {
        if let Some(frame) = self.decode(input)? {
            return Ok(Some(frame));
        }
        let have = input.readable_bytes();
        let had = match self.state {
            State::Dropping { had } => Some(had),
            _ if have > self.max_frame_len => return Err(self.undelimited(input)?),
            _ => None,
        };
        if !self.optional_at_end && (had.is_some() || have != 0) {
            let have = had.unwrap_or(0) + have as u64;
            return Err(self.fail(FrameError::Truncated { have, needed: have + 1 }));
        }
        if had.is_some() {
            // It was reported.
            self.skip(input, have)?;
            self.state = State::Cutting;
            return Ok(None);
        }
        if have == 0 { Ok(None) } else { self.cut(input, have, have).map(Some) }
    }

    fn recovers(&self, error: &FrameError) -> bool {
        error.is_of_one_frame()
    }
}

/// Puts a delimiter behind a payload; see [`Delimiter`].
///
/// A payload of more than [`COPIED`](super::COPIED) bytes is not copied, but
/// looked through: what is encoded is decoded as one frame with that payload.
///
/// Errors: [`FrameError::ContainsDelimiter`] if it would not be;
/// [`FrameError::TooLong`].
///
/// ```
/// use refbuf::CompositeBuf;
/// use refbuf_codec::Encoder;
/// use refbuf_codec::frame::{Delimiter, FrameError};
///
/// let mut encoder = Delimiter::lines().encoder()?;
/// let mut output = CompositeBuf::new();
/// encoder.encode("name: value", &mut output)?;
/// let error = encoder.encode("name: value\nsecond: line", &mut output);
/// assert_eq!(error, Err(FrameError::ContainsDelimiter { end: 12 }));
/// assert_eq!(output, b"name: value\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct DelimiterEncoder {
    search: Search,
    /// The one that is written.
    delimiter: Box<[u8]>,
    max_frame_len: usize,
}

impl<P: Payload> Encoder<P> for DelimiterEncoder {
    type Error = FrameError;

    fn encode(&mut self, payload: P, output: &mut CompositeBuf) -> Result<(), FrameError> {
        let Self { search, delimiter, max_frame_len } = self;
        let (len, max) = (payload.len(), *max_frame_len);
        if len > max {
            return Err(FrameError::TooLong { len: len as u64, max: max as u64 });
        }
        let start = output.writer_index();
        payload::append(output, |output| {
            payload.append_to(output)?;
            output.try_write_bytes(delimiter)?;
            let all = len + delimiter.len();
            search.reset();
            let end = search.end(output, start)?.unwrap_or(all);
            if end < all || search.len_before(output, start, end) != delimiter.len() {
                return Err(FrameError::ContainsDelimiter { end });
            }
            Ok(())
        })
    }
}
