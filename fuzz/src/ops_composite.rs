//! Sequences of edits of a composite. The model is the list of its components
//! as `Vec`s, and a reader index. What is written at the end goes into the room
//! of the last component or into fresh ones; which, is left to the library.

use std::ops::Range;

use arbitrary::Arbitrary;
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, DirectBuf, Error, HeapBuf, SliceBuf};

#[derive(Arbitrary, Debug)]
pub struct Input {
    max_capacity: Option<u16>,
    ops: Vec<Op>,
}

#[derive(Arbitrary, Debug)]
enum Op {
    Push(Part),
    Insert(u8, Part),
    Remove(u8),
    Replace(u8, Part),
    SplitTo(u16),
    SplitOff(u16),
    /// Pushes what was split off.
    Rejoin(u8),
    Consolidate(u8, u8),
    DiscardReadComponents,
    DiscardReadBytes,
    SetReader(u16),
    SetWriter(u16),
    Read(u16),
    ReadU32,
    Get(u16, u8),
    Write(Vec<u8>),
    WriteU32(u32),
    WriteZeros(u8),
    Fill(Vec<u8>),
    MakeRoom(u16),
    Set(u16, Vec<u8>),
    SetU32(u16, u32),
    Slice(u16, u16),
    ComponentSlice(u8),
    DropSlice(u8),
    WriteSlice(u8, u8),
}

/// A component to be, of a kind that keeps its memory.
#[derive(Arbitrary, Debug)]
enum Part {
    Vec(Vec<u8>),
    WithRoom(Vec<u8>, u8),
    HalfRead(Vec<u8>, u8),
    Direct(Vec<u8>),
    Shared(Vec<u8>),
    Foreign(Vec<u8>),
    Static,
    Several(Vec<Vec<u8>>),
}

struct Model {
    buf: CompositeBuf,
    components: Vec<Vec<u8>>,
    reader: usize,
}

impl Model {
    fn len(&self) -> usize {
        self.components.iter().map(Vec::len).sum()
    }

    fn bytes(&self) -> Vec<u8> {
        self.components.concat()
    }

    fn start_of(&self, component: usize) -> usize {
        self.components[..component].iter().map(Vec::len).sum()
    }

    fn check(&self) {
        let buf = &self.buf;
        assert!(buf.components().eq(self.components.iter().map(Vec::as_slice)), "{buf:?}");
        assert_eq!(buf.component_count(), self.components.len());
        assert_eq!((buf.reader_index(), buf.writer_index()), (self.reader, self.len()));
        assert_eq!(*buf, self.bytes()[self.reader..]);
        assert!(buf.writer_index() <= buf.capacity() && buf.capacity() <= buf.max_capacity());
        let mut start = 0;
        for (i, component) in self.components.iter().enumerate() {
            assert_eq!(buf.component_start(i), Some(start));
            assert_eq!(buf.component_at(start), Some(i));
            start += component.len();
            assert_eq!(buf.component_at(start - 1), Some(i));
        }
        assert_eq!(buf.component_at(start), None);
    }

    /// Bytes were appended: the library says where components end now.
    fn appended(&mut self, src: &[u8]) {
        let mut expected = self.bytes();
        expected.extend(src);
        let old = self.components.len();
        let components: Vec<_> = self.buf.components().map(<[u8]>::to_vec).collect();
        assert_eq!(components.concat(), expected);
        // None is split or joined with another. New are one that had been room
        // only, and one more, at the most.
        assert!((old..=old + 2).contains(&components.len()));
        for (old, new) in self.components.iter().zip(&components).rev().skip(1).rev() {
            assert_eq!(old, new);
        }
        self.components = components;
    }

    /// Puts `new` in the place of `range`; the reader index stays at its byte.
    fn splice(&mut self, range: Range<usize>, new: Vec<Vec<u8>>) -> Vec<u8> {
        let (start, end) = (self.start_of(range.start), self.start_of(range.end));
        let added: usize = new.iter().map(Vec::len).sum();
        if self.reader >= end && self.reader > start {
            self.reader = self.reader - (end - start) + added;
        } else {
            self.reader = self.reader.min(start);
        }
        self.components.splice(range, new).collect::<Vec<_>>().concat()
    }

    /// The first `at` bytes as a list of components, and the rest as another.
    fn cut(&self, at: usize) -> [Vec<Vec<u8>>; 2] {
        let (mut front, mut back, mut start) = (Vec::new(), Vec::new(), 0);
        for component in &self.components {
            let (a, b) = component.split_at(at.saturating_sub(start).min(component.len()));
            front.extend((!a.is_empty()).then(|| a.to_vec()));
            back.extend((!b.is_empty()).then(|| b.to_vec()));
            start += component.len();
        }
        [front, back]
    }
}

struct Machine {
    main: Model,
    parts: Vec<Model>,
    slices: Vec<(SliceBuf, Vec<u8>)>,
}

fn pick<T>(items: &[T], n: u8) -> Option<usize> {
    usize::from(n).checked_rem(items.len())
}

impl Machine {
    /// `part` as something to add, and its components.
    fn part(&mut self, part: Part) -> (CompositeBuf, Vec<Vec<u8>>) {
        let (buf, bytes): (CompositeBuf, _) = match part {
            Part::Vec(bytes) => (HeapBuf::from(bytes.clone()).into(), bytes),
            Part::WithRoom(bytes, room) => {
                let mut buf = HeapBuf::with_capacity(bytes.len() + usize::from(room));
                buf.write_bytes(&bytes);
                (buf.into(), bytes)
            }
            Part::HalfRead(mut bytes, n) => {
                let mut buf = HeapBuf::from(bytes.clone());
                let n = bytes.len().min(n.into());
                buf.skip(n);
                bytes.drain(..n);
                (buf.into(), bytes)
            }
            Part::Direct(bytes) => {
                let mut buf = DirectBuf::with_capacity(bytes.len());
                buf.write_bytes(&bytes);
                (buf.into(), bytes)
            }
            Part::Shared(bytes) => {
                let slice = SliceBuf::from(bytes.clone());
                self.slices.push((slice.clone(), bytes.clone()));
                (slice.into(), bytes)
            }
            Part::Foreign(bytes) => (SliceBuf::from_owner(bytes.clone()).into(), bytes),
            Part::Static => (SliceBuf::from_static(b"static").into(), b"static".to_vec()),
            Part::Several(list) => {
                let buf = list.iter().cloned().collect();
                return (buf, list.into_iter().filter(|bytes| !bytes.is_empty()).collect());
            }
        };
        let list = if bytes.is_empty() { Vec::new() } else { vec![bytes] };
        (buf, list)
    }

    fn step(&mut self, op: Op) {
        let (reader, writer) = (self.main.reader, self.main.len());
        let room = self.main.buf.max_capacity() - writer;
        let count = self.main.components.len();
        match op {
            Op::Push(part) => {
                let (buf, list) = self.part(part);
                let fits = buf.readable_bytes() <= room;
                assert_eq!(self.main.buf.try_push(buf).is_ok(), fits);
                if fits {
                    self.main.components.extend(list);
                }
            }
            Op::Insert(at, part) => {
                let (buf, list) = self.part(part);
                let at = usize::from(at) % (count + 2);
                let fits = buf.readable_bytes() <= room && at <= count;
                assert_eq!(self.main.buf.try_insert(at, buf).is_ok(), fits);
                if fits {
                    self.main.splice(at..at, list);
                }
            }
            Op::Remove(at) => {
                let at = usize::from(at) % (count + 1);
                let removed = self.main.buf.try_remove(at);
                assert_eq!(removed.is_ok(), at < count);
                if let Ok(slice) = removed {
                    let bytes = self.main.splice(at..at + 1, Vec::new());
                    self.slices.push((slice, bytes));
                }
            }
            Op::Replace(at, part) => {
                let (buf, list) = self.part(part);
                let at = usize::from(at) % (count + 1);
                let gone = self.main.components.get(at).map_or(0, Vec::len);
                let fits = buf.readable_bytes() <= room.saturating_add(gone) && at < count;
                let replaced = self.main.buf.try_replace(at, buf);
                assert_eq!(replaced.is_ok(), fits);
                if let Ok(slice) = replaced {
                    let bytes = self.main.splice(at..at + 1, list);
                    self.slices.push((slice, bytes));
                }
            }
            Op::SplitTo(at) => {
                let at = usize::from(at);
                let done = self.main.buf.try_split_to(at);
                assert_eq!(done.is_ok(), at <= writer);
                if let Ok(buf) = done {
                    let [front, back] = self.main.cut(at);
                    self.main.components = back;
                    self.main.reader = reader.saturating_sub(at);
                    self.parts.push(Model { buf, components: front, reader: reader.min(at) });
                }
            }
            Op::SplitOff(at) => {
                let at = usize::from(at);
                let done = self.main.buf.try_split_off(at);
                assert_eq!(done.is_ok(), at <= writer);
                if let Ok(buf) = done {
                    let [front, back] = self.main.cut(at);
                    self.main.components = front;
                    self.main.reader = reader.min(at);
                    let reader = reader.saturating_sub(at);
                    self.parts.push(Model { buf, components: back, reader });
                }
            }
            Op::Rejoin(n) => {
                if let Some(i) = pick(&self.parts, n) {
                    let part = self.parts.swap_remove(i);
                    let [_, unread] = part.cut(part.reader);
                    let fits = part.buf.readable_bytes() <= room;
                    assert_eq!(self.main.buf.try_push(part.buf).is_ok(), fits);
                    if fits {
                        self.main.components.extend(unread);
                    }
                }
            }
            Op::Consolidate(first, end) => {
                let range = usize::from(first)..usize::from(end);
                let done = self.main.buf.try_consolidate(range.clone()).is_ok();
                assert_eq!(done, first <= end && range.end <= count);
                if done && !range.is_empty() {
                    let one = self.main.components[range.clone()].concat();
                    self.main.components.splice(range, [one]);
                }
            }
            Op::DiscardReadComponents => {
                self.main.buf.discard_read_components();
                while self.main.components.first().is_some_and(|c| c.len() <= self.main.reader) {
                    self.main.reader -= self.main.components.remove(0).len();
                }
            }
            Op::DiscardReadBytes => {
                self.main.buf.discard_read_bytes();
                [_, self.main.components] = self.main.cut(reader);
                self.main.reader = 0;
            }
            Op::SetReader(index) => {
                let done = self.main.buf.try_set_reader_index(index.into()).is_ok();
                assert_eq!(done, usize::from(index) <= writer);
                if done {
                    self.main.reader = index.into();
                }
            }
            Op::SetWriter(index) => {
                let index = usize::from(index);
                let done = self.main.buf.try_set_writer_index(index).is_ok();
                assert_eq!(done, index >= reader && index <= self.main.buf.max_capacity());
                if done && index < writer {
                    [self.main.components, _] = self.main.cut(index);
                } else if done {
                    self.main.appended(&vec![0; index - writer]);
                }
            }
            Op::Read(n) => {
                let mut dst = vec![0; n.into()];
                let done = self.main.buf.try_read_bytes(&mut dst).is_ok();
                assert_eq!(done, dst.len() <= writer - reader);
                if done {
                    assert_eq!(dst, self.main.bytes()[reader..reader + dst.len()]);
                    self.main.reader += dst.len();
                }
            }
            Op::ReadU32 => {
                let expected = self.main.bytes()[reader..].first_chunk().copied();
                assert_eq!(self.main.buf.try_read_u32().ok(), expected.map(u32::from_be_bytes));
                self.main.reader += if expected.is_some() { 4 } else { 0 };
            }
            Op::Get(at, n) => {
                let mut dst = vec![0; n.into()];
                let done = self.main.buf.try_get_bytes(at.into(), &mut dst).ok().map(|()| dst);
                let end = usize::from(at) + usize::from(n);
                assert_eq!(done.as_deref(), self.main.bytes().get(at.into()..end));
            }
            Op::Write(src) => {
                let done = self.main.buf.try_write_bytes(&src).is_ok();
                assert_eq!(done, src.len() <= room);
                if done {
                    self.main.appended(&src);
                }
            }
            Op::WriteU32(value) => {
                let done = self.main.buf.try_write_u32(value).is_ok();
                assert_eq!(done, 4 <= room);
                if done {
                    self.main.appended(&value.to_be_bytes());
                }
            }
            Op::WriteZeros(n) => {
                let done = self.main.buf.try_write_zeros(n.into()).is_ok();
                assert_eq!(done, usize::from(n) <= room);
                if done {
                    self.main.appended(&vec![0; n.into()]);
                }
            }
            Op::Fill(src) => {
                let spare = self.main.buf.spare_capacity_mut();
                let n = spare.len().min(src.len());
                for (slot, byte) in spare.iter_mut().zip(&src) {
                    slot.write(*byte);
                }
                // SAFETY: just filled.
                unsafe { self.main.buf.advance_writer(n) };
                self.main.appended(&src[..n]);
            }
            Op::MakeRoom(n) => {
                let done = self.main.buf.try_make_room(n.into()).is_ok();
                assert!(!done || self.main.buf.writable_bytes() >= n.into());
                assert!(done || usize::from(n) > room);
                // It may have discarded what was read, whole components only.
                while self.main.reader != self.main.buf.reader_index() {
                    self.main.reader -= self.main.components.remove(0).len();
                }
            }
            Op::Set(at, src) => {
                let at = usize::from(at);
                let done = self.main.buf.try_set_bytes(at, &src);
                self.was_set(at, &src, done);
            }
            Op::SetU32(at, value) => {
                let done = self.main.buf.try_set_u32(at.into(), value);
                self.was_set(at.into(), &value.to_be_bytes(), done);
            }
            Op::Slice(start, end) => {
                let range = usize::from(start)..usize::from(end);
                let done = self.main.buf.try_slice(range.clone());
                let expected = self.main.bytes().get(range).map(<[u8]>::to_vec);
                assert_eq!(done.is_ok(), expected.is_some());
                self.slices.extend(done.ok().zip(expected));
            }
            Op::ComponentSlice(at) => {
                let at = usize::from(at) % (count + 1);
                let done = self.main.buf.try_component_slice(at);
                assert_eq!(done.is_ok(), at < count);
                self.slices.extend(done.ok().zip(self.main.components.get(at).cloned()));
            }
            Op::DropSlice(n) => {
                if let Some(i) = pick(&self.slices, n) {
                    self.slices.swap_remove(i);
                }
            }
            Op::WriteSlice(n, byte) => {
                if let Some(i) = pick(&self.slices, n) {
                    let (slice, bytes) = &mut self.slices[i];
                    if slice.try_set_u8(0, byte).is_ok() {
                        bytes[0] = byte;
                    }
                }
            }
        }
    }

    fn was_set(&mut self, at: usize, src: &[u8], done: Result<(), Error>) {
        let end = at + src.len();
        match done {
            Ok(()) => {
                let bytes = self.main.components.iter_mut().flatten().skip(at);
                bytes.zip(src).for_each(|(byte, new)| *byte = *new);
            }
            Err(Error::OutOfBounds { .. }) => assert!(end > self.main.len()),
            // That nothing changed shows in `check`.
            Err(error) => assert!(matches!(error, Error::Shared | Error::ReadOnly)),
        }
    }

    fn check(&self) {
        self.main.check();
        self.parts.iter().for_each(Model::check);
        for (slice, bytes) in &self.slices {
            assert_eq!(slice.chunk(0), bytes);
        }
    }
}

pub fn run(input: Input) {
    let max_capacity = input.max_capacity.map_or(usize::MAX, usize::from);
    let buf = CompositeBuf::with_max_capacity(max_capacity);
    let main = Model { buf, components: Vec::new(), reader: 0 };
    let mut machine = Machine { main, parts: Vec::new(), slices: Vec::new() };
    for op in input.ops {
        machine.step(op);
        machine.check();
    }
}
