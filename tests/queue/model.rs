//! Random use against a naive model: a list of pieces that are `Vec`s, each of
//! which may end a buffer, with its token.

use std::collections::VecDeque;

use proptest::collection::vec;
use proptest::prelude::*;
use refbuf::{ByteBuf, ByteBufMut, CoalescingQueue, CompositeBuf, HeapBuf, SliceBuf, Taken};

#[derive(Clone, Debug)]
enum Op {
    Push {
        part: Part,
        has_token: bool,
        front: bool,
    },
    Take(usize),
    TakeInto(usize),
    TakeFirst,
    /// Takes, and gives the last of it back with the last token.
    GiveBack(usize, usize),
    Append(Vec<Part>),
    Clear,
    /// Writes what was taken, where that can be done.
    Scribble,
}

#[derive(Clone, Debug)]
enum Part {
    Heap(usize, usize),
    Read(usize, usize),
    Shared(usize),
    Foreign(usize),
    Static(usize),
    Several(Vec<usize>),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => (part(), any::<bool>(), prop::bool::weighted(0.2))
            .prop_map(|(part, has_token, front)| Op::Push { part, has_token, front }),
        3 => size().prop_map(Op::Take),
        3 => size().prop_map(Op::TakeInto),
        1 => Just(Op::TakeFirst),
        1 => (size(), size()).prop_map(|(n, back)| Op::GiveBack(n, back)),
        1 => vec(part(), 0..4).prop_map(Op::Append),
        1 => Just(Op::Clear),
        1 => Just(Op::Scribble),
    ]
}

/// Often short, so that there are seams everywhere.
fn size() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0), 1..8_usize, 8..40_usize, Just(200)]
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        (size(), 0..40_usize).prop_map(|(len, room)| Part::Heap(len, room)),
        (size(), size()).prop_map(|(len, read)| Part::Read(len, read)),
        size().prop_map(Part::Shared),
        size().prop_map(Part::Foreign),
        size().prop_map(Part::Static),
        vec(size(), 0..4).prop_map(Part::Several),
    ]
}

#[derive(Default)]
struct Piece {
    bytes: VecDeque<u8>,
    /// The end of a buffer, and its token.
    end: Option<Option<u32>>,
}

struct Machine {
    queue: CoalescingQueue<u32>,
    model: VecDeque<Piece>,
    copy_up_to: usize,
    next: u32,
    /// What was taken with `take_into`, all in one.
    buf: CompositeBuf,
    tokens: Vec<u32>,
    bytes: Vec<u8>,
    done: Vec<u32>,
    /// What others hold of what was pushed.
    held: Vec<(SliceBuf, Vec<u8>)>,
    taken: Vec<(CompositeBuf, Vec<u8>)>,
}

impl Machine {
    fn fresh(&mut self, len: usize) -> Vec<u8> {
        self.next += 1;
        (0..len).map(|i| (self.next as usize * 31 + i) as u8).collect()
    }

    /// A buffer, and the pieces that it has.
    fn buffer(&mut self, part: &Part) -> (CompositeBuf, Vec<Vec<u8>>) {
        let mut buf = CompositeBuf::new();
        let bytes = match *part {
            Part::Heap(len, room) => {
                let bytes = self.fresh(len);
                let mut heap = HeapBuf::with_capacity(len + room);
                heap.write_bytes(&bytes);
                buf.push(heap);
                bytes
            }
            Part::Read(len, read) => {
                let bytes = self.fresh(len);
                let mut heap = HeapBuf::from(bytes.clone());
                heap.skip(read.min(len));
                buf.push(heap);
                bytes[read.min(len)..].to_vec()
            }
            Part::Shared(len) => {
                let bytes = self.fresh(len);
                let slice = SliceBuf::from(bytes.clone());
                self.held.push((slice.clone(), bytes.clone()));
                buf.push(slice);
                bytes
            }
            Part::Foreign(len) => {
                let bytes = self.fresh(len);
                buf.push(SliceBuf::from_owner(bytes.clone()));
                bytes
            }
            Part::Static(len) => {
                static BYTES: [u8; 200] = [0x5a; 200];
                buf.push(&BYTES[..len]);
                BYTES[..len].to_vec()
            }
            Part::Several(ref sizes) => {
                let pieces: Vec<_> = sizes.iter().map(|&len| self.fresh(len)).collect();
                return (pieces.iter().cloned().collect(), pieces);
            }
        };
        (buf, vec![bytes])
    }

    fn push(&mut self, part: &Part, token: Option<u32>, front: bool) {
        let (buf, pieces) = self.buffer(part);
        match (front, token) {
            (false, None) => self.queue.push(buf),
            (false, Some(token)) => self.queue.push_with(buf, token),
            (true, None) => self.queue.push_front(buf),
            (true, Some(token)) => self.queue.push_front_with(buf, token),
        }
        self.add(pieces, token, front);
    }

    fn add(&mut self, pieces: Vec<Vec<u8>>, token: Option<u32>, front: bool) {
        let mut pieces: Vec<_> = pieces
            .into_iter()
            .filter(|bytes| !bytes.is_empty())
            .map(|bytes| Piece { bytes: bytes.into(), end: None })
            .collect();
        match pieces.last_mut() {
            Some(last) => last.end = Some(token),
            None if token.is_some() => {
                pieces.push(Piece { bytes: VecDeque::new(), end: Some(token) });
            }
            None => {}
        }
        if front {
            pieces.into_iter().rev().for_each(|piece| self.model.push_front(piece));
        } else {
            self.model.extend(pieces);
        }
    }

    fn len(&self) -> usize {
        self.model.iter().map(|piece| piece.bytes.len()).sum()
    }

    /// The portions that make the next `n` bytes, byte by byte, and the tokens.
    fn expect(&mut self, n: usize) -> (Vec<Vec<u8>>, Vec<u32>) {
        let (mut portions, mut tokens, mut left) = (Vec::new(), Vec::new(), n);
        while let Some(piece) = self.model.front_mut() {
            let mut portion = Vec::new();
            while left != 0 {
                let Some(byte) = piece.bytes.pop_front() else { break };
                portion.push(byte);
                left -= 1;
            }
            if !portion.is_empty() {
                portions.push(portion);
            }
            if !piece.bytes.is_empty() {
                break;
            }
            tokens.extend(piece.end.flatten());
            self.model.pop_front();
        }
        (portions, tokens)
    }

    /// Neighbours that are small become one.
    fn coalesced(&self, portions: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let is_small = |bytes: &Vec<u8>| bytes.len() <= self.copy_up_to;
        portions.chunk_by(|a, b| is_small(a) && is_small(b)).map(<[Vec<u8>]>::concat).collect()
    }

    fn take(&mut self, n: usize) -> Taken<u32> {
        let taken = self.queue.take(n).unwrap();
        let (portions, tokens) = self.expect(n);
        let components = self.coalesced(portions);
        assert!(taken.buf.components().eq(components.iter().map(Vec::as_slice)));
        assert_eq!(taken.tokens, tokens);
        taken
    }

    fn step(&mut self, op: Op) {
        match op {
            Op::Push { part, has_token, front } => {
                let token = self.next;
                self.push(&part, has_token.then_some(token), front);
            }
            Op::Take(n) => {
                let taken = self.take(n).buf;
                let bytes = taken.to_vec();
                self.taken.push((taken, bytes));
            }
            Op::TakeInto(n) => {
                let taken = self.queue.take_into(n, &mut self.buf, &mut self.tokens).unwrap();
                assert_eq!(taken, n.min(self.len()));
                let (portions, tokens) = self.expect(n);
                self.bytes.extend(portions.concat());
                self.done.extend(tokens);
            }
            Op::TakeFirst => {
                let taken = self.queue.take_first().unwrap();
                let (mut pieces, mut end) = (Vec::new(), None);
                while end.is_none() {
                    let Some(piece) = self.model.pop_front() else { break };
                    end = piece.end;
                    pieces.push(Vec::from(piece.bytes));
                }
                let pieces = pieces.iter().map(Vec::as_slice).filter(|bytes| !bytes.is_empty());
                assert!(taken.buf.components().eq(pieces));
                assert_eq!(taken.tokens, Vec::from_iter(end.flatten()));
            }
            Op::GiveBack(n, back) => {
                let mut taken = self.take(n);
                let back = back.min(taken.buf.readable_bytes());
                let rest = taken.buf.split_off(taken.buf.writer_index() - back);
                let pieces = rest.components().map(<[u8]>::to_vec).collect();
                let token = taken.tokens.pop();
                match token {
                    Some(token) => self.queue.push_front_with(rest, token),
                    None => self.queue.push_front(rest),
                }
                self.add(pieces, token, true);
            }
            Op::Append(parts) => {
                let mut other = CoalescingQueue::new();
                for (i, part) in parts.iter().enumerate() {
                    let (buf, pieces) = self.buffer(part);
                    let token = self.next;
                    if i % 2 == 0 {
                        other.push_with(buf, token);
                    } else {
                        other.push(buf);
                    }
                    self.add(pieces, (i % 2 == 0).then_some(token), false);
                }
                self.queue.append(&mut other);
                assert_eq!((other.readable_bytes(), other.len()), (0, 0));
            }
            Op::Clear => {
                let tokens = self.model.drain(..).filter_map(|piece| piece.end.flatten());
                assert!(self.queue.clear().eq(tokens));
            }
            Op::Scribble => {
                for (buf, bytes) in &mut self.taken {
                    buf.write_bytes(b"scribble");
                    bytes.extend(b"scribble");
                    for (i, byte) in bytes.iter_mut().enumerate() {
                        if buf.try_set_u8(i, 0xee).is_ok() {
                            *byte = 0xee;
                        }
                    }
                }
            }
        }
    }

    fn check(&self) {
        assert_eq!(self.queue.readable_bytes(), self.len());
        let buffers = self.model.iter().filter(|piece| piece.end.is_some()).count();
        assert_eq!((self.queue.len(), self.queue.is_empty()), (buffers, buffers == 0));
        assert_eq!(self.buf, self.bytes);
        assert_eq!(self.tokens, self.done);
        for (slice, bytes) in &self.held {
            assert_eq!(slice, bytes, "what was pushed was written");
        }
        for (buf, bytes) in &self.taken {
            assert_eq!(buf, bytes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_behaves_like_the_model(
        ops in vec(op(), 0..40),
        copy_up_to in prop_oneof![Just(0), 1..20_usize, Just(CoalescingQueue::<()>::DEFAULT_COPY_UP_TO)],
    ) {
        let mut machine = Machine {
            queue: CoalescingQueue::new().copy_up_to(copy_up_to),
            model: VecDeque::new(),
            copy_up_to,
            next: 0,
            buf: CompositeBuf::new(),
            tokens: Vec::new(),
            bytes: Vec::new(),
            done: Vec::new(),
            held: Vec::new(),
            taken: Vec::new(),
        };
        for op in ops {
            machine.step(op);
            machine.check();
        }
        // All that is left, too.
        machine.step(Op::Take(usize::MAX));
        machine.check();
        assert!(machine.queue.is_empty());
    }
}
