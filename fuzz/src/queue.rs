//! Sequences of operations on a queue of buffers and tokens. The model is one
//! run of bytes and the distance of each buffer's end from the one before.

use std::collections::VecDeque;

use arbitrary::Arbitrary;
use refbuf::{ByteBuf, ByteBufMut, CoalescingQueue, CompositeBuf, HeapBuf, SliceBuf};

#[derive(Arbitrary, Debug)]
pub struct Input {
    copy_up_to: u8,
    ops: Vec<Op>,
}

#[derive(Arbitrary, Debug)]
enum Op {
    Push(Part, bool),
    PushFront(Part, bool),
    Take(u16),
    TakeFirst,
    /// Takes, and gives so many of the last bytes back.
    GiveBack(u16, u16),
    /// Appends another queue of which so much was taken.
    Append(Vec<Part>, u16),
    Clear,
    /// Writes to what was taken, where that can be done.
    Scribble(u8),
    Drop(u8),
}

#[derive(Arbitrary, Debug)]
enum Part {
    Vec(Vec<u8>),
    WithRoom(Vec<u8>, u8),
    HalfRead(Vec<u8>, u8),
    Shared(Vec<u8>),
    Foreign(Vec<u8>),
    Several(Vec<Vec<u8>>),
    /// So many equal bytes, more than the fuzzer likes to write.
    Long(u16),
}

type Token = u32;

/// A queue and what it should hold.
struct Pair {
    queue: CoalescingQueue<Token>,
    bytes: VecDeque<u8>,
    /// What is left of each buffer, and its token.
    buffers: VecDeque<(usize, Option<Token>)>,
}

struct Machine {
    main: Pair,
    next: Token,
    /// Slices of what was pushed, and what was taken.
    slices: Vec<(SliceBuf, Vec<u8>)>,
    taken: Vec<(CompositeBuf, Vec<u8>)>,
}

impl Pair {
    fn new(copy_up_to: u8) -> Self {
        let queue = CoalescingQueue::new().copy_up_to(copy_up_to.into());
        Self { queue, bytes: VecDeque::new(), buffers: VecDeque::new() }
    }

    fn push(&mut self, buf: CompositeBuf, token: Option<Token>) {
        self.bytes.extend(buf.to_vec());
        if buf.is_readable() || token.is_some() {
            self.buffers.push_back((buf.readable_bytes(), token));
        }
        match token {
            Some(token) => self.queue.push_with(buf, token),
            None => self.queue.push(buf),
        }
    }

    fn push_front(&mut self, buf: CompositeBuf, token: Option<Token>) {
        buf.to_vec().into_iter().rev().for_each(|byte| self.bytes.push_front(byte));
        if buf.is_readable() || token.is_some() {
            self.buffers.push_front((buf.readable_bytes(), token));
        }
        match token {
            Some(token) => self.queue.push_front_with(buf, token),
            None => self.queue.push_front(buf),
        }
    }

    fn take(&mut self, n: usize) -> (CompositeBuf, Vec<Token>) {
        let taken = self.queue.take(n).unwrap();
        let n = n.min(self.bytes.len());
        assert_eq!(taken.buf, self.bytes.drain(..n).collect::<Vec<_>>());
        let (mut left, mut tokens) = (n, Vec::new());
        while let Some((len, token)) = self.buffers.front_mut() {
            let gone = left.min(*len);
            *len -= gone;
            left -= gone;
            if *len != 0 {
                break;
            }
            tokens.extend(token.take());
            self.buffers.pop_front();
        }
        assert_eq!(taken.tokens, tokens);
        (taken.buf, tokens)
    }

    fn take_first(&mut self) -> CompositeBuf {
        let taken = self.queue.take_first().unwrap();
        let (len, token) = self.buffers.pop_front().unwrap_or_default();
        assert_eq!(taken.buf, self.bytes.drain(..len).collect::<Vec<_>>());
        assert_eq!(taken.tokens, Vec::from_iter(token));
        taken.buf
    }

    fn check(&self) {
        assert_eq!(self.queue.readable_bytes(), self.bytes.len());
        assert_eq!(self.queue.len(), self.buffers.len());
        assert_eq!(self.queue.is_empty(), self.buffers.is_empty());
    }
}

impl Machine {
    fn token(&mut self, wanted: bool) -> Option<Token> {
        self.next += 1;
        wanted.then_some(self.next)
    }

    fn buffer(&mut self, part: Part) -> CompositeBuf {
        match part {
            Part::Vec(bytes) => HeapBuf::from(bytes).into(),
            Part::WithRoom(bytes, room) => {
                let mut buf = HeapBuf::with_capacity(bytes.len() + usize::from(room));
                buf.write_bytes(&bytes);
                buf.into()
            }
            Part::HalfRead(bytes, n) => {
                let mut buf = HeapBuf::from(bytes);
                buf.skip(buf.readable_bytes().min(n.into()));
                buf.into()
            }
            Part::Shared(bytes) => {
                let slice = SliceBuf::from(bytes.clone());
                self.slices.push((slice.clone(), bytes));
                slice.into()
            }
            Part::Foreign(bytes) => SliceBuf::from_owner(bytes).into(),
            Part::Several(list) => list.into_iter().collect(),
            Part::Long(len) => HeapBuf::from(vec![0x5a; len.into()]).into(),
        }
    }

    fn step(&mut self, op: Op) {
        match op {
            Op::Push(part, with_token) => {
                let (buf, token) = (self.buffer(part), self.token(with_token));
                self.main.push(buf, token);
            }
            Op::PushFront(part, with_token) => {
                let (buf, token) = (self.buffer(part), self.token(with_token));
                self.main.push_front(buf, token);
            }
            Op::Take(n) => {
                let (buf, _) = self.main.take(n.into());
                self.keep(buf);
            }
            Op::TakeFirst => {
                let buf = self.main.take_first();
                self.keep(buf);
            }
            Op::GiveBack(n, back) => {
                let (mut buf, mut tokens) = self.main.take(n.into());
                let back = buf.readable_bytes().min(back.into());
                let rest = buf.split_off(buf.writer_index() - back);
                self.main.push_front(rest, tokens.pop());
                self.keep(buf);
            }
            Op::Append(parts, n) => {
                let mut other = Pair::new(0);
                for part in parts {
                    let (buf, token) = (self.buffer(part), self.token(true));
                    other.push(buf, token);
                }
                other.take(n.into());
                self.main.queue.append(&mut other.queue);
                self.main.bytes.append(&mut other.bytes);
                self.main.buffers.append(&mut other.buffers);
                other.check();
            }
            Op::Clear => {
                self.main.bytes.clear();
                let tokens = self.main.buffers.drain(..).filter_map(|(_, token)| token);
                assert!(self.main.queue.clear().eq(tokens));
            }
            Op::Scribble(byte) => {
                for (buf, bytes) in &mut self.taken {
                    buf.write_u8(byte);
                    bytes.push(byte);
                    for (i, old) in bytes.iter_mut().enumerate() {
                        if buf.try_set_u8(i, byte).is_ok() {
                            *old = byte;
                        }
                    }
                }
            }
            Op::Drop(n) => {
                self.slices.truncate(n.into());
                self.taken.truncate(n.into());
            }
        }
    }

    fn keep(&mut self, buf: CompositeBuf) {
        let bytes = buf.to_vec();
        self.taken.push((buf, bytes));
    }

    fn check(&self) {
        self.main.check();
        for (slice, bytes) in &self.slices {
            assert_eq!(slice, bytes);
        }
        for (buf, bytes) in &self.taken {
            assert_eq!(buf, bytes);
        }
    }
}

pub fn run(input: Input) {
    let main = Pair::new(input.copy_up_to);
    let mut machine = Machine { main, next: 0, slices: Vec::new(), taken: Vec::new() };
    for op in input.ops {
        machine.step(op);
        machine.check();
    }
    machine.main.take(usize::MAX);
    assert!(machine.main.queue.is_empty());
}
