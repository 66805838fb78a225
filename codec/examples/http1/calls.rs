//! Calls like those of a cloud SDK: a small JSON document is posted, one comes
//! back, over a connection that stays open.
//!
//! Client and server keep no buffer between calls. What a call needs it takes
//! from the allocator: what is received into, the bodies, the blocks that
//! heads are written to. So the allocator decides whether a call allocates.

use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;

use refbuf::{BufAllocator, ByteBuf, ByteBufMut, CompositeBuf, HeapBuf};
use refbuf_codec::http1::{
    BodyLen, ClientCodec, Event, Limits, Request, RequestHead, Response, ServerCodec,
};
use refbuf_codec::{Decoder, Encoder};

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Where buffers come from.
pub type Allocator = Arc<dyn BufAllocator>;

/// Bytes of a request's body.
pub const REQUEST: usize = 1 << 10;

/// How much one read may bring, to a client and to a server.
const CLIENT_READ: usize = 16 << 10;
const SERVER_READ: usize = 4 << 10;

/// The longest body that either side allocates for.
const MAX_BODY: u64 = 1 << 20;

/// What is called: the answer's length is in the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    pub target: &'static str,
    pub answer: usize,
}

pub const SMALL: Call = Call { target: "/items/8192", answer: 8 << 10 };
pub const LARGE: Call = Call { target: "/items/65536", answer: 64 << 10 };

/// One in eight is large.
pub const MIX: [Call; 8] = [SMALL, SMALL, SMALL, LARGE, SMALL, SMALL, SMALL, SMALL];

/// As much of a JSON document, in the middle of it.
fn write_document(buf: &mut HeapBuf, mut len: usize) -> Result<()> {
    const ITEM: &[u8] = br#"{"id":"0123456789abcdef","size":4096,"tags":["a","b"],"ok":true},"#;
    while len != 0 {
        let now = len.min(ITEM.len());
        buf.try_write_bytes(&ITEM[..now])?;
        len -= now;
    }
    Ok(())
}

/// Sends all there is.
fn send(output: &mut CompositeBuf, stream: &mut impl Write) -> Result<()> {
    while output.is_readable() {
        match output.write_to(stream) {
            Ok(0) => return Err(std::io::Error::from(ErrorKind::WriteZero).into()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(stream.flush()?)
}

/// Appends what one read brings; false at the end of the stream.
fn receive(input: &mut HeapBuf, stream: &mut impl Read, max: usize) -> Result<bool> {
    if input.writable_bytes() == 0 {
        input.try_make_room(max)?;
    }
    let max = input.writable_bytes().min(max);
    loop {
        match input.read_from(stream, max) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return Ok(done? != 0),
        }
    }
}

/// A client and its connection.
pub struct Client<S> {
    stream: S,
    codec: ClientCodec,
    allocator: Allocator,
}

impl<S: Read + Write> Client<S> {
    pub fn new(stream: S, allocator: Allocator) -> Self {
        let limits = Limits::new().body(MAX_BODY);
        Self { stream, codec: ClientCodec::with_limits(limits), allocator }
    }

    /// Calls, and checks the answer.
    pub fn call(&mut self, call: Call) -> Result<()> {
        self.request(call)?;
        let answer = self.answer()?;
        if answer.readable_bytes() != call.answer || answer.get_u8(0) != b'{' {
            return Err(format!("{} bytes for {}", answer.readable_bytes(), call.target).into());
        }
        Ok(())
    }

    fn request(&mut self, call: Call) -> Result<()> {
        let mut body = self.allocator.try_heap(REQUEST)?;
        write_document(&mut body, REQUEST)?;
        let mut output = self.allocator.composite();
        let fields = [
            ("host", "items.example.org"),
            ("content-type", "application/json"),
            ("accept", "application/json"),
            ("user-agent", "refbuf-example/0.1"),
            ("authorization", "Signature 0123456789abcdef0123456789abcdef0123456789abcdef"),
            ("x-request-id", "7d3a8e52-1f0f-4f0c-9f5b-0a6b5d2f8c11"),
        ];
        let request = Request::new("POST", call.target).fields(fields);
        self.codec.encode(request.body(BodyLen::Length(REQUEST as u64)), &mut output)?;
        self.codec.encode(body.freeze(), &mut output)?;
        send(&mut output, &mut self.stream)
    }

    /// The body of the answer, put together as whoever called wants it.
    fn answer(&mut self) -> Result<HeapBuf> {
        let mut answer = HeapBuf::new();
        let mut input = self.allocator.try_heap(CLIENT_READ)?;
        loop {
            while let Some(event) = self.codec.decode(&mut input)? {
                match event {
                    Event::Head(head) if head.status() != 200 => {
                        return Err(format!("status {}", head.status()).into());
                    }
                    Event::Head(head) => {
                        // At most `MAX_BODY`: the decoder saw to that.
                        let BodyLen::Length(len) = head.body() else {
                            return Err("no length".into());
                        };
                        answer = self.allocator.try_heap(usize::try_from(len)?)?;
                    }
                    Event::Data(data) => answer.try_write_bytes(data.as_slice())?,
                    Event::End(_) => return Ok(answer),
                }
            }
            if !receive(&mut input, &mut self.stream, CLIENT_READ)? {
                self.codec.decode_eof(&mut input)?;
                return Err("the server is gone".into());
            }
        }
    }
}

/// Answers calls until the client is gone.
pub fn serve<S: Read + Write>(mut stream: S, allocator: &Allocator) -> Result<()> {
    let mut codec = ServerCodec::with_limits(Limits::new().body(MAX_BODY));
    let mut input = allocator.try_heap(SERVER_READ)?;
    let mut answer = 0;
    while !codec.is_over() {
        while let Some(event) = codec.decode(&mut input)? {
            match event {
                Event::Head(head) => answer = answer_len(&head)?,
                // Somebody would parse it.
                Event::Data(_) => {}
                Event::End(_) => respond(&mut codec, answer, &mut stream, allocator)?,
            }
        }
        if !input.is_readable() {
            input = allocator.try_heap(SERVER_READ)?;
        }
        if !receive(&mut input, &mut stream, SERVER_READ)? {
            codec.decode_eof(&mut input)?;
            break;
        }
    }
    Ok(())
}

fn answer_len(head: &RequestHead) -> Result<usize> {
    let len = head.target().strip_prefix("/items/").ok_or("an unknown target")?.parse()?;
    if len as u64 > MAX_BODY { Err("too much".into()) } else { Ok(len) }
}

fn respond<S: Write>(
    codec: &mut ServerCodec,
    len: usize,
    stream: &mut S,
    allocator: &Allocator,
) -> Result<()> {
    let mut body = allocator.try_heap(len)?;
    write_document(&mut body, len)?;
    let mut output = allocator.composite();
    let fields = [
        ("server", "refbuf-example/0.1"),
        ("content-type", "application/json"),
        ("x-request-id", "7d3a8e52-1f0f-4f0c-9f5b-0a6b5d2f8c11"),
    ];
    let response = Response::new(200).reason("OK").fields(fields);
    codec.encode(response.body(BodyLen::Length(len as u64)), &mut output)?;
    codec.encode(body.freeze(), &mut output)?;
    send(&mut output, stream)
}
