//! Sequences of operations on an owner, with slices and views of it held and
//! dropped in between. The model is a `Vec` and a reader index; a slice is the
//! bytes that it had when it was cut, and must always have.

use arbitrary::Arbitrary;
use refbuf::{ByteBuf, ByteBufMut, Direct, Error, Heap, OwnedBuf, SliceBuf, Storage, WeakSlice};

#[derive(Arbitrary, Debug)]
pub struct Input {
    direct: bool,
    capacity: u8,
    more: Option<u8>,
    ops: Vec<Op>,
}

#[derive(Arbitrary, Debug)]
enum Op {
    Write(Vec<u8>),
    WriteU64(u64),
    WriteZeros(u16),
    Fill(Vec<u8>),
    Set(u8, Vec<u8>),
    Read(u8),
    SetReader(u8),
    SetWriter(u16),
    Slice(u8, u8),
    ReadSlice(u8),
    Downgrade,
    DropSlice(u8),
    WriteSlice(u8, u8),
    DropView(u8),
    Upgrade(u8),
    EnsureWritable(u16),
    MakeRoom(u16),
    DiscardReadBytes,
    SplitTo(u8),
    SplitOff(u8),
    Swap(u8),
    Unsplit(u8),
    FreezeAndThaw,
    Release,
}

struct Owner<S: Storage> {
    buf: OwnedBuf<S>,
    bytes: Vec<u8>,
    reader: usize,
}

impl<S: Storage> Owner<S> {
    fn new(buf: OwnedBuf<S>) -> Self {
        Self { buf, bytes: Vec::new(), reader: 0 }
    }

    fn check(&self) {
        assert_eq!(self.buf.chunk(0), self.bytes);
        assert_eq!(self.buf.reader_index(), self.reader);
        assert!(self.buf.capacity() <= self.buf.max_capacity());
    }

    /// Takes the bytes and the room before `at` off the model.
    fn cut(&mut self, at: usize) -> (Vec<u8>, usize) {
        let rest = self.bytes.split_off(at.min(self.bytes.len()));
        let front = (std::mem::replace(&mut self.bytes, rest), self.reader.min(at));
        self.reader = self.reader.saturating_sub(at);
        front
    }

    /// Whether `n` more than `kept` bytes are allowed.
    fn allows(&self, kept: usize, n: usize) -> bool {
        n <= self.buf.max_capacity() - kept
    }
}

struct Machine<S: Storage> {
    owner: Owner<S>,
    parts: Vec<Owner<S>>,
    slices: Vec<(SliceBuf, Vec<u8>)>,
    views: Vec<(WeakSlice, Vec<u8>)>,
}

/// One of `items`, if there are any.
fn pick<T>(items: &[T], n: u8) -> Option<usize> {
    usize::from(n).checked_rem(items.len())
}

impl<S: Storage> Machine<S> {
    fn step(&mut self, op: Op) {
        let owner = &mut self.owner;
        let (reader, writer) = (owner.reader, owner.bytes.len());
        match op {
            Op::Write(src) => {
                let done = owner.buf.try_write_bytes(&src).is_ok();
                assert_eq!(done, owner.allows(writer, src.len()));
                if done {
                    owner.bytes.extend(src);
                }
            }
            Op::WriteU64(value) => {
                let done = owner.buf.try_write_u64(value).is_ok();
                assert_eq!(done, owner.allows(writer, 8));
                if done {
                    owner.bytes.extend(value.to_be_bytes());
                }
            }
            Op::WriteZeros(n) => {
                let done = owner.buf.try_write_zeros(n.into()).is_ok();
                assert_eq!(done, owner.allows(writer, n.into()));
                if done {
                    owner.bytes.resize(writer + usize::from(n), 0);
                }
            }
            Op::Fill(src) => {
                let spare = owner.buf.spare_capacity_mut();
                let n = spare.len().min(src.len());
                for (slot, byte) in spare.iter_mut().zip(&src) {
                    slot.write(*byte);
                }
                // SAFETY: just filled.
                unsafe { owner.buf.advance_writer(n) };
                owner.bytes.extend(&src[..n]);
            }
            Op::Set(at, src) => {
                let at = usize::from(at);
                match owner.buf.try_set_bytes(at, &src) {
                    Ok(()) => owner.bytes[at..at + src.len()].copy_from_slice(&src),
                    Err(Error::OutOfBounds { .. }) => assert!(at + src.len() > writer),
                    Err(error) => {
                        assert_eq!(error, Error::Shared);
                        let others = self.parts.len() + self.slices.len() + self.views.len();
                        assert_ne!(others, 0);
                    }
                }
            }
            Op::Read(n) => {
                let mut dst = vec![0; n.into()];
                let done = owner.buf.try_read_bytes(&mut dst).is_ok();
                assert_eq!(done, dst.len() <= writer - reader);
                if done {
                    assert_eq!(dst, owner.bytes[reader..reader + dst.len()]);
                    owner.reader += dst.len();
                }
            }
            Op::SetReader(index) => {
                let done = owner.buf.try_set_reader_index(index.into()).is_ok();
                assert_eq!(done, usize::from(index) <= writer);
                if done {
                    owner.reader = index.into();
                }
            }
            Op::SetWriter(index) => {
                let index = usize::from(index);
                let done = owner.buf.try_set_writer_index(index).is_ok();
                assert_eq!(done, index >= reader && index <= owner.buf.max_capacity());
                if done {
                    owner.bytes.resize(index, 0);
                }
            }
            Op::Slice(start, end) => {
                let range = usize::from(start)..usize::from(end);
                let done = owner.buf.try_slice(range.clone());
                assert_eq!(done.is_ok(), start <= end && range.end <= writer);
                if let Ok(slice) = done {
                    self.slices.push((slice, owner.bytes[range].to_vec()));
                }
            }
            Op::ReadSlice(n) => {
                let n = usize::from(n);
                let done = owner.buf.try_read_slice(n);
                assert_eq!(done.is_ok(), n <= writer - reader);
                if let Ok(slice) = done {
                    self.slices.push((slice, owner.bytes[reader..reader + n].to_vec()));
                    owner.reader += n;
                }
            }
            Op::Downgrade => {
                let view = owner.buf.downgrade();
                assert_eq!(view.reader_index(), reader);
                self.views.push((view, owner.bytes.clone()));
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
            Op::DropView(n) => {
                if let Some(i) = pick(&self.views, n) {
                    self.views.swap_remove(i);
                }
            }
            Op::Upgrade(n) => {
                if let Some(i) = pick(&self.views, n) {
                    let (view, bytes) = &self.views[i];
                    assert_eq!(view.upgrade().is_some(), view.is_accessible());
                    self.slices.extend(view.upgrade().map(|slice| (slice, bytes.clone())));
                }
            }
            Op::EnsureWritable(n) => {
                let done = owner.buf.try_ensure_writable(n.into()).is_ok();
                assert_eq!(done, owner.allows(writer, n.into()));
                assert!(!done || owner.buf.writable_bytes() >= n.into());
            }
            Op::MakeRoom(n) => {
                let done = owner.buf.try_make_room(n.into()).is_ok();
                assert_eq!(done, owner.allows(writer - reader, n.into()));
                assert!(!done || owner.buf.writable_bytes() >= n.into());
                // Either nothing that was read is given up, or all.
                if owner.buf.reader_index() != reader {
                    owner.cut(reader);
                }
            }
            Op::DiscardReadBytes => {
                owner.buf.discard_read_bytes();
                owner.cut(reader);
            }
            Op::SplitTo(at) => {
                let done = owner.buf.try_split_to(at.into());
                assert_eq!(done.is_ok(), usize::from(at) <= writer);
                if let Ok(buf) = done {
                    let (bytes, reader) = owner.cut(at.into());
                    self.parts.push(Owner { buf, bytes, reader });
                }
            }
            Op::SplitOff(at) => {
                let capacity = owner.buf.capacity();
                let done = owner.buf.try_split_off(at.into());
                assert_eq!(done.is_ok(), usize::from(at) <= capacity);
                if let Ok(buf) = done {
                    let (bytes, reader) = owner.cut(at.into());
                    let bytes = std::mem::replace(&mut owner.bytes, bytes);
                    let reader = std::mem::replace(&mut owner.reader, reader);
                    self.parts.push(Owner { buf, bytes, reader });
                }
            }
            Op::Swap(n) => {
                if let Some(i) = pick(&self.parts, n) {
                    std::mem::swap(owner, &mut self.parts[i]);
                }
            }
            Op::Unsplit(n) => {
                if let Some(i) = pick(&self.parts, n) {
                    let part = self.parts.swap_remove(i);
                    match owner.buf.unsplit(part.buf) {
                        Ok(()) => {
                            if reader == writer {
                                owner.reader += part.reader;
                            }
                            owner.bytes.extend(part.bytes);
                        }
                        Err(buf) => self.parts.push(Owner { buf, ..part }),
                    }
                }
            }
            Op::FreezeAndThaw => {
                let slice = std::mem::take(&mut owner.buf).freeze();
                match OwnedBuf::try_from(slice) {
                    Ok(buf) => owner.buf = buf,
                    Err(slice) => {
                        self.slices.push((slice, std::mem::take(&mut owner.bytes)));
                        owner.reader = 0;
                    }
                }
            }
            Op::Release => {
                owner.buf.release();
                assert!(!owner.buf.is_accessible() && !owner.buf.release());
                assert_eq!(owner.buf.try_write_u8(0), Err(Error::Released));
                assert_eq!(owner.buf.try_get_bytes(0, &mut []), Err(Error::Released));
                self.owner = Owner::new(OwnedBuf::new());
            }
        }
    }

    fn check(&self) {
        self.owner.check();
        self.parts.iter().for_each(Owner::check);
        for (slice, bytes) in &self.slices {
            assert_eq!(slice.chunk(0), bytes);
        }
        for (view, bytes) in &self.views {
            match view.try_chunk(0) {
                Ok(chunk) => assert_eq!(chunk, bytes),
                Err(error) => assert_eq!(error, Error::Released),
            }
        }
    }

    /// Without strong handles no view is accessible, unless it is of no memory.
    fn finish(self) {
        let Self { owner, parts, slices, views } = self;
        drop((owner, parts, slices));
        for (view, bytes) in views {
            assert!(!view.is_accessible() || bytes.is_empty());
        }
    }
}

fn run_on<S: Storage>(input: Input) {
    let capacity = usize::from(input.capacity);
    let max = input.more.map_or(usize::MAX, |more| capacity + usize::from(more));
    let owner = Owner::new(OwnedBuf::with_max_capacity(capacity, max));
    let mut machine: Machine<S> =
        Machine { owner, parts: Vec::new(), slices: Vec::new(), views: Vec::new() };
    for op in input.ops {
        machine.step(op);
        machine.check();
    }
    machine.finish();
}

pub fn run(input: Input) {
    if input.direct { run_on::<Direct>(input) } else { run_on::<Heap>(input) }
}
