//! Random sequences of operations, against the model.
//!
//! The property that matters most is checked after each step: *what was handed
//! out does not change*, whatever becomes of the buffer it was cut from.

use proptest::collection::vec;
use proptest::prelude::*;

#[cfg(feature = "mmap")]
use refbuf::Direct;
use refbuf::{
    BufAllocator, ByteBuf, ByteBufMut, CompositeBuf, Error, Heap, HeapBuf, OwnedBuf, Pool,
    PoolConfig, SliceBuf, Storage, WeakSlice,
};

use crate::model::Model;
use crate::support::content;

/// One step. Numbers are places: they are scaled to what is there, a little
/// beyond it included.
#[derive(Clone, Debug)]
enum Op {
    // Indices.
    SetReader(u16),
    SetWriter(u16),
    SetIndices(u16, u16),
    Skip(u16),
    Clear,
    // Reading.
    ReadNumber,
    ReadBytes(u16),
    GetBytes(u16, u16),
    // Overwriting, also what is frozen.
    SetNumber(u16, u64),
    SetBytes(u16, Vec<u8>),
    SetZeros(u16, u16),
    FlipChunk(u16),
    // Appending.
    WriteNumber(u64),
    WriteBytes(Vec<u8>),
    WriteZeros(u8),
    WriteHeld(u8),
    FillRoom(u16),
    // Room.
    EnsureWritable(u16),
    MakeRoom(u16),
    DiscardRead,
    // Handing out.
    Slice(u16, u16),
    ReadSlice(u16),
    CloneHeld(u8),
    CutHeld(u8, u16),
    DropHeld(u8),
    Downgrade,
    Upgrade(u8),
    DropView(u8),
    // Parting and joining.
    SplitOff(u16),
    SplitTo(u16),
    Unsplit(u8),
    SwapWithHalf(u8),
    DropHalf(u8),
    FreezeAndThaw { hold: bool },
    // What only a composite can do.
    Push(Piece, u8),
    Insert(u16, Piece, u8),
    Remove(u16),
    Replace(u16, Piece, u8),
    ComponentSlice(u16),
    Consolidate(u16, u16),
    DiscardComponents,
}

/// What is pushed.
#[derive(Clone, Copy, Debug)]
enum Piece {
    Owner,
    OwnerWithRoom,
    Static,
    Held,
    Composite,
    Empty,
}

fn op() -> impl Strategy<Value = Op> {
    use Op::*;
    let at = any::<u16>;
    let bytes = || vec(any::<u8>(), 0..40);
    let piece = || {
        prop_oneof![
            Just(Piece::Owner),
            Just(Piece::OwnerWithRoom),
            Just(Piece::Static),
            Just(Piece::Held),
            Just(Piece::Composite),
            Just(Piece::Empty),
        ]
    };
    let indices = prop_oneof![
        at().prop_map(SetReader),
        at().prop_map(SetWriter),
        (at(), at()).prop_map(|(r, w)| SetIndices(r, w)),
        at().prop_map(Skip),
        Just(Clear),
    ];
    let accesses = prop_oneof![
        Just(ReadNumber),
        at().prop_map(ReadBytes),
        (at(), at()).prop_map(|(i, n)| GetBytes(i, n)),
        (at(), any::<u64>()).prop_map(|(i, x)| SetNumber(i, x)),
        (at(), bytes()).prop_map(|(i, b)| SetBytes(i, b)),
        (at(), at()).prop_map(|(i, n)| SetZeros(i, n)),
        at().prop_map(FlipChunk),
    ];
    let appends = prop_oneof![
        any::<u64>().prop_map(WriteNumber),
        bytes().prop_map(WriteBytes),
        any::<u8>().prop_map(WriteZeros),
        any::<u8>().prop_map(WriteHeld),
        (0..300_u16).prop_map(FillRoom),
        (0..300_u16).prop_map(EnsureWritable),
        (0..300_u16).prop_map(MakeRoom),
        Just(DiscardRead),
    ];
    let handles = prop_oneof![
        (at(), at()).prop_map(|(i, n)| Slice(i, n)),
        at().prop_map(ReadSlice),
        any::<u8>().prop_map(CloneHeld),
        (any::<u8>(), at()).prop_map(|(i, at)| CutHeld(i, at)),
        any::<u8>().prop_map(DropHeld),
        any::<u8>().prop_map(DropHeld),
        Just(Downgrade),
        any::<u8>().prop_map(Upgrade),
        any::<u8>().prop_map(DropView),
    ];
    let parts = prop_oneof![
        at().prop_map(SplitOff),
        at().prop_map(SplitTo),
        any::<u8>().prop_map(Unsplit),
        any::<u8>().prop_map(SwapWithHalf),
        any::<u8>().prop_map(DropHalf),
        any::<bool>().prop_map(|hold| FreezeAndThaw { hold }),
    ];
    let components = prop_oneof![
        (piece(), any::<u8>()).prop_map(|(p, n)| Push(p, n)),
        (at(), piece(), any::<u8>()).prop_map(|(i, p, n)| Insert(i, p, n)),
        at().prop_map(Remove),
        (at(), piece(), any::<u8>()).prop_map(|(i, p, n)| Replace(i, p, n)),
        at().prop_map(ComponentSlice),
        (at(), at()).prop_map(|(a, b)| Consolidate(a, b)),
        Just(DiscardComponents),
    ];
    prop_oneof![
        2 => indices,
        3 => accesses,
        4 => appends,
        4 => handles,
        2 => parts,
        3 => components,
    ]
}

/// Whether the buffer may now hold what it cannot write, though it is alone.
#[derive(PartialEq)]
enum Edited {
    No,
    Yes,
}

/// A buffer that is being tried.
trait Subject: ByteBufMut + Sized {
    fn with_limit(max_capacity: usize) -> Self;
    fn view(&mut self) -> Option<WeakSlice>;
    fn part(&mut self, at: usize) -> Result<Self, Error>;
    fn part_front(&mut self, at: usize) -> Result<Self, Error>;
    /// Joins `other`, and tells what it did to the model; `Err` if it cannot.
    fn join(&mut self, other: Self, model: &mut Model, joined: &Model) -> Result<(), Self>;
    fn into_slice(self) -> SliceBuf;
    fn from_slice(slice: SliceBuf) -> Result<Self, SliceBuf>;
    /// What only a composite does.
    fn edit(_: &mut World<Self>, _: &Op) -> Edited {
        Edited::No
    }
}

impl<S: Storage> Subject for OwnedBuf<S> {
    fn with_limit(max_capacity: usize) -> Self {
        Self::with_max_capacity(0, max_capacity)
    }
    fn view(&mut self) -> Option<WeakSlice> {
        Some(self.downgrade())
    }
    fn part(&mut self, at: usize) -> Result<Self, Error> {
        self.try_split_off(at)
    }
    fn part_front(&mut self, at: usize) -> Result<Self, Error> {
        self.try_split_to(at)
    }
    fn join(&mut self, other: Self, model: &mut Model, joined: &Model) -> Result<(), Self> {
        self.unsplit(other)?;
        if model.reader == model.writer() {
            model.reader += joined.reader;
        }
        model.bytes.extend(&joined.bytes);
        Ok(())
    }
    fn into_slice(self) -> SliceBuf {
        self.freeze()
    }
    fn from_slice(slice: SliceBuf) -> Result<Self, SliceBuf> {
        Self::try_from(slice)
    }
}

impl Subject for CompositeBuf {
    fn with_limit(max_capacity: usize) -> Self {
        Self::with_max_capacity(max_capacity)
    }
    fn view(&mut self) -> Option<WeakSlice> {
        None
    }
    fn part(&mut self, at: usize) -> Result<Self, Error> {
        self.try_split_off(at)
    }
    fn part_front(&mut self, at: usize) -> Result<Self, Error> {
        self.try_split_to(at)
    }
    fn join(&mut self, other: Self, model: &mut Model, joined: &Model) -> Result<(), Self> {
        // `push` takes it in any case.
        let result = self.try_push(other);
        assert_eq!(result, model.write(joined.readable()));
        Ok(())
    }
    fn into_slice(self) -> SliceBuf {
        self.freeze()
    }
    fn from_slice(slice: SliceBuf) -> Result<Self, SliceBuf> {
        Ok(Self::from(slice))
    }

    fn edit(world: &mut World<Self>, op: &Op) -> Edited {
        let count = world.buf.component_count();
        let max = world.model.max_capacity;
        match *op {
            // The halves of a component that was parted share its block.
            Op::Unsplit(_) => {}
            Op::Push(piece, n) => {
                let (piece, bytes) = world.piece(piece, n);
                let expected = world.model.write(&bytes);
                assert_eq!(world.buf.try_push(piece), expected);
            }
            Op::Insert(at, piece, n) => {
                let component = at as usize % (count + 2);
                let (piece, bytes) = world.piece(piece, n);
                let start = world.buf.component_start(component).unwrap_or(world.model.writer());
                let result = world.buf.try_insert(component, piece);
                if component > count {
                    let error = Error::InvalidIndex { index: component, min: 0, max: count };
                    assert_eq!(result, Err(error));
                } else if let Err(error) = world.model.ensure(bytes.len()) {
                    assert_eq!(result, Err(error));
                } else {
                    assert_eq!(result, Ok(()));
                    world.model.bytes.splice(start..start, bytes.iter().copied());
                    // What is put where reading goes on is still to be read.
                    if world.model.reader > start {
                        world.model.reader += bytes.len();
                    }
                }
            }
            Op::Remove(at) => {
                let component = at as usize % (count + 1);
                let Some(gone) = world.span(component) else {
                    assert!(matches!(
                        world.buf.try_remove(component),
                        Err(Error::InvalidIndex { .. })
                    ));
                    return Edited::Yes;
                };
                let removed = world.buf.remove(component);
                let bytes: Vec<u8> = world.model.bytes.drain(gone.clone()).collect();
                world.model.reader = match world.model.reader {
                    reader if reader >= gone.end => reader - gone.len(),
                    reader => reader.min(gone.start),
                };
                world.hold(removed, bytes);
            }
            Op::Replace(at, piece, n) => {
                let component = at as usize % (count + 1);
                let (piece, new) = world.piece(piece, n);
                let Some(gone) = world.span(component) else {
                    assert!(matches!(
                        world.buf.try_replace(component, piece),
                        Err(Error::InvalidIndex { .. })
                    ));
                    return Edited::Yes;
                };
                let writer = world.model.writer() - gone.len() + new.len();
                match world.buf.try_replace(component, piece) {
                    Ok(removed) => {
                        assert!(writer <= max);
                        let bytes =
                            world.model.bytes.splice(gone.clone(), new.iter().copied()).collect();
                        world.model.reader = match world.model.reader {
                            reader if reader >= gone.end => reader - gone.len() + new.len(),
                            reader => reader.min(gone.start),
                        };
                        world.hold(removed, bytes);
                    }
                    Err(error) => {
                        assert!(writer > max && matches!(error, Error::Overflow { .. }));
                    }
                }
            }
            Op::ComponentSlice(at) => {
                let component = at as usize % (count + 1);
                match world.span(component) {
                    Some(span) => {
                        let bytes = world.model.bytes[span].to_vec();
                        let slice = world.buf.component_slice(component);
                        world.hold(slice, bytes);
                    }
                    None => assert!(world.buf.try_component_slice(component).is_err()),
                }
            }
            Op::Consolidate(a, b) => {
                let (a, b) = (a as usize % (count + 2), b as usize % (count + 2));
                let result = world.buf.try_consolidate(a..b);
                assert_eq!(result.is_ok(), a <= b && b <= count);
                if result.is_ok() && b - a >= 2 {
                    assert_eq!(world.buf.component_count(), count - (b - a) + 1);
                }
            }
            Op::DiscardComponents => {
                let before = world.model.reader;
                world.buf.discard_read_components();
                world.model.drop_front(before - world.buf.reader_index());
                // None that was read is left.
                let first = world.buf.component(0).map_or(0, <[u8]>::len);
                assert!(world.buf.reader_index() < first || world.buf.writer_index() == 0);
            }
            _ => return Edited::No,
        }
        Edited::Yes
    }
}

impl World<CompositeBuf> {
    /// Indices of a component.
    fn span(&self, component: usize) -> Option<std::ops::Range<usize>> {
        let start = self.buf.component_start(component)?;
        Some(start..start + self.buf.component(component)?.len())
    }

    /// A buffer to be pushed, as a composite, and its bytes.
    fn piece(&self, piece: Piece, n: u8) -> (CompositeBuf, Vec<u8>) {
        static STATIC: &[u8] = b"static bytes that nobody may change";
        let bytes = content(1 + n as usize % 50);
        let mut buf = CompositeBuf::new();
        let bytes = match piece {
            Piece::Owner => {
                buf.push(bytes.clone());
                bytes
            }
            Piece::OwnerWithRoom => {
                let mut owner = HeapBuf::with_capacity(100);
                owner.write_bytes(&bytes);
                owner.skip(1);
                buf.push(owner);
                bytes[1..].to_vec()
            }
            Piece::Static => {
                let bytes = &STATIC[..1 + n as usize % 30];
                buf.push(bytes);
                bytes.to_vec()
            }
            Piece::Held => {
                let Some((slice, bytes)) = pick(&self.held, n) else { return (buf, Vec::new()) };
                buf.push(slice.clone());
                bytes[slice.reader_index()..].to_vec()
            }
            Piece::Composite => {
                bytes.chunks(4).for_each(|piece| buf.push(piece.to_vec()));
                buf.skip(bytes.len() / 2);
                bytes[bytes.len() / 2..].to_vec()
            }
            Piece::Empty => Vec::new(),
        };
        (buf, bytes)
    }
}

/// The buffer, the model, and everything that was made of the buffer, with the
/// bytes it had then.
struct World<B> {
    buf: B,
    model: Model,
    held: Vec<(SliceBuf, Vec<u8>)>,
    views: Vec<(WeakSlice, Vec<u8>)>,
    halves: Vec<(B, Model)>,
    /// Static bytes may be in it, or components that share a block.
    tainted: bool,
}

fn pick<T>(of: &[T], number: u8) -> Option<&T> {
    of.get(number as usize % of.len().max(1))
}

fn take<T>(of: &mut Vec<T>, number: u8) -> Option<T> {
    (!of.is_empty()).then(|| of.swap_remove(number as usize % of.len()))
}

impl<B: Subject> World<B> {
    fn new(buf: B) -> Self {
        let max_capacity = buf.max_capacity();
        Self {
            buf,
            model: Model::new(&[], max_capacity),
            held: Vec::new(),
            views: Vec::new(),
            halves: Vec::new(),
            tainted: false,
        }
    }

    /// A place: from 0 to two beyond the end.
    fn at(&self, number: u16) -> usize {
        number as usize % (self.model.writer() + 3)
    }

    fn hold(&mut self, slice: SliceBuf, bytes: Vec<u8>) {
        self.held.push((slice, bytes));
    }

    /// Overwriting may be refused, if somebody else is there. Then nothing was
    /// changed.
    fn set<T>(
        &mut self,
        result: Result<T, Error>,
        change: impl FnOnce(&mut Model) -> Result<(), Error>,
    ) {
        let mut changed = self.model.clone();
        match (result.map(drop), change(&mut changed)) {
            (Ok(()), Ok(())) => self.model = changed,
            (Err(Error::Shared), Ok(())) => assert!(
                !(self.held.is_empty() && self.views.is_empty() && self.halves.is_empty())
                    || self.tainted,
                "shared with nobody"
            ),
            (Err(Error::ReadOnly), Ok(())) => assert!(self.tainted, "nothing is read-only"),
            (result, expected) => assert_eq!(result, expected),
        }
    }

    fn apply(&mut self, op: &Op) {
        self.tainted |= B::edit(self, op) == Edited::Yes;
        match op {
            &Op::SetReader(at) => {
                let at = self.at(at);
                assert_eq!(self.buf.try_set_reader_index(at), self.model.set_reader(at));
            }
            &Op::SetWriter(at) => {
                let at = self.at(at);
                assert_eq!(self.buf.try_set_writer_index(at), self.model.set_writer(at));
            }
            &Op::SetIndices(reader, writer) => {
                let (reader, writer) = (self.at(reader), self.at(writer));
                let expected = self.model.set_indices(reader, writer);
                assert_eq!(self.buf.try_set_indices(reader, writer), expected);
            }
            &Op::Skip(n) => {
                let n = self.at(n);
                assert_eq!(self.buf.try_skip(n), self.model.skip(n));
            }
            Op::Clear => {
                self.buf.clear();
                self.model.set_indices(0, 0).unwrap();
            }
            Op::ReadNumber => {
                let expected =
                    self.model.read(4).map(|b| u32::from_be_bytes(b.try_into().unwrap()));
                assert_eq!(self.buf.try_read_u32(), expected);
            }
            &Op::ReadBytes(n) => {
                let mut dst = vec![0; self.at(n)];
                let result = self.buf.try_read_bytes(&mut dst).map(|()| dst.clone());
                assert_eq!(result, self.model.read(dst.len()));
            }
            &Op::GetBytes(at, n) => {
                let (at, mut dst) = (self.at(at), vec![0; self.at(n)]);
                let result = self.buf.try_get_bytes(at, &mut dst).map(|()| dst.clone());
                assert_eq!(result, self.model.get(at, dst.len()));
            }
            &Op::SetNumber(at, number) => {
                let at = self.at(at);
                let result = self.buf.try_set_u64(at, number);
                self.set(result, |model| model.set(at, &number.to_be_bytes()));
            }
            Op::SetBytes(at, bytes) => {
                let at = self.at(*at);
                let result = self.buf.try_set_bytes(at, bytes);
                self.set(result, |model| model.set(at, bytes));
            }
            &Op::SetZeros(at, n) => {
                let (at, n) = (self.at(at), self.at(n));
                let result = self.buf.try_set_zeros(at, n);
                self.set(result, |model| model.set(at, &vec![0; n]));
            }
            &Op::FlipChunk(at) => {
                let at = self.at(at);
                let result = self.buf.try_chunk_mut(at).map(|chunk| {
                    chunk.iter_mut().for_each(|byte| *byte = !*byte);
                    chunk.len()
                });
                self.set(result, |model| {
                    model.get(at, 0)?;
                    let end = at + result.unwrap_or(0);
                    model.bytes[at..end].iter_mut().for_each(|byte| *byte = !*byte);
                    Ok(())
                });
            }
            &Op::WriteNumber(number) => {
                let expected = self.model.write(&number.to_le_bytes());
                assert_eq!(self.buf.try_write_u64_le(number), expected);
            }
            Op::WriteBytes(bytes) => {
                let expected = self.model.write(bytes);
                assert_eq!(self.buf.try_write_bytes(bytes), expected);
            }
            &Op::WriteZeros(n) => {
                let expected = self.model.write_zeros(n.into());
                assert_eq!(self.buf.try_write_zeros(n.into()), expected);
            }
            &Op::WriteHeld(which) => {
                let Some((slice, bytes)) = pick(&self.held, which) else { return };
                let (mut slice, n) = (slice.clone(), slice.readable_bytes());
                let expected = self.model.write(&bytes[slice.reader_index()..]);
                assert_eq!(self.buf.try_write_buf(&mut slice, n), expected);
                assert_eq!(slice.readable_bytes(), if expected.is_ok() { 0 } else { n });
            }
            &Op::FillRoom(n) => {
                let result = self.buf.try_ensure_writable(n.into());
                assert_eq!(result, self.model.ensure(n.into()));
                if result.is_ok() {
                    let bytes = content(n.into());
                    for (slot, &byte) in self.buf.spare_capacity_mut().iter_mut().zip(&bytes) {
                        slot.write(byte);
                    }
                    // SAFETY: there is room for `n` bytes, all of them written.
                    unsafe { self.buf.advance_writer(n.into()) };
                    self.model.write(&bytes).unwrap();
                }
            }
            &Op::EnsureWritable(n) => {
                let result = self.buf.try_ensure_writable(n.into());
                assert_eq!(result, self.model.ensure(n.into()));
                assert!(result.is_err() || self.buf.writable_bytes() >= n.into());
            }
            &Op::MakeRoom(n) => {
                let before = self.model.reader;
                match self.buf.try_make_room(n.into()) {
                    Ok(()) => {
                        // It says how much it gave up.
                        self.model.drop_front(before - self.buf.reader_index());
                        assert!(self.buf.writable_bytes() >= n.into());
                    }
                    Err(error) => {
                        assert!(matches!(error, Error::Overflow { .. }));
                        assert!(self.model.ensure(n.into()).is_err());
                    }
                }
            }
            Op::DiscardRead => {
                self.buf.discard_read_bytes();
                self.model.drop_front(self.model.reader);
            }
            &Op::Slice(start, end) => {
                let (start, end) = (self.at(start), self.at(end));
                match self.buf.try_slice(start..end) {
                    Ok(slice) => {
                        let bytes = self.model.get(start, end - start).expect("out of bounds");
                        self.hold(slice, bytes);
                    }
                    Err(_) => assert!(start > end || end > self.model.writer()),
                }
            }
            &Op::ReadSlice(n) => {
                let n = self.at(n);
                match (self.buf.try_read_slice(n), self.model.read(n)) {
                    (Ok(slice), Ok(bytes)) => self.hold(slice, bytes),
                    (result, expected) => assert_eq!(result.map(drop), expected.map(drop)),
                }
            }
            &Op::CloneHeld(which) => {
                if let Some(held) = pick(&self.held, which).cloned() {
                    self.held.push(held);
                }
            }
            &Op::CutHeld(which, at) => {
                let Some((slice, bytes)) = take(&mut self.held, which) else { return };
                let at = at as usize % (bytes.len() + 1);
                let (mut front, mut tail) = (slice.clone(), bytes);
                let back = front.split_off(at);
                let back_bytes = tail.split_off(at);
                self.hold(front, tail);
                self.hold(back, back_bytes);
            }
            &Op::DropHeld(which) => drop(take(&mut self.held, which)),
            Op::Downgrade => {
                if let Some(view) = self.buf.view() {
                    self.views.push((view, self.model.bytes.clone()));
                }
            }
            &Op::Upgrade(which) => {
                let Some((view, bytes)) = pick(&self.views, which).cloned() else { return };
                match view.upgrade() {
                    Some(slice) => self.hold(slice, bytes),
                    None => assert!(!view.is_accessible()),
                }
            }
            &Op::DropView(which) => drop(take(&mut self.views, which)),
            &Op::SplitOff(at) => {
                let at = self.at(at);
                match self.buf.part(at) {
                    Ok(half) => {
                        let model = self.model.split_off(at);
                        self.halves.push((half, model));
                    }
                    Err(error) => {
                        assert!(
                            at > self.model.writer() && matches!(error, Error::InvalidIndex { .. })
                        );
                    }
                }
            }
            &Op::SplitTo(at) => {
                let at = self.at(at);
                match self.buf.part_front(at) {
                    Ok(half) => {
                        let rest = self.model.split_off(at);
                        self.halves.push((half, std::mem::replace(&mut self.model, rest)));
                    }
                    Err(error) => {
                        let max = self.model.writer();
                        assert_eq!(error, Error::InvalidIndex { index: at, min: 0, max });
                        assert!(at > max);
                    }
                }
            }
            &Op::Unsplit(which) => {
                let Some((half, model)) = take(&mut self.halves, which) else { return };
                if let Err(half) = self.buf.join(half, &mut self.model, &model) {
                    self.halves.push((half, model));
                }
            }
            &Op::SwapWithHalf(which) => {
                let Some((half, model)) = take(&mut self.halves, which) else { return };
                let old = (
                    std::mem::replace(&mut self.buf, half),
                    std::mem::replace(&mut self.model, model),
                );
                self.halves.push(old);
            }
            &Op::DropHalf(which) => drop(take(&mut self.halves, which)),
            &Op::FreezeAndThaw { hold } => {
                let (reader, bytes) = (self.model.reader, self.model.bytes.clone());
                let slice = std::mem::replace(&mut self.buf, B::with_limit(0)).into_slice();
                assert_eq!((slice.reader_index(), slice.writer_index()), (reader, bytes.len()));
                if hold {
                    self.hold(slice.clone(), bytes.clone());
                }
                self.buf = B::from_slice(slice).unwrap_or_else(|slice| {
                    let alone =
                        self.held.is_empty() && self.views.is_empty() && self.halves.is_empty();
                    assert!(!alone || bytes.is_empty(), "alone, but not to be had");
                    drop(slice);
                    let mut copy = B::with_limit(usize::MAX);
                    copy.write_bytes(&bytes);
                    copy.set_reader_index(reader);
                    copy
                });
                // The limit is not kept, and a composite takes what is unread.
                self.model.max_capacity = self.buf.max_capacity();
                self.model.drop_front(bytes.len() - self.buf.writer_index());
            }
            Op::Push(..)
            | Op::Insert(..)
            | Op::Remove(..)
            | Op::Replace(..)
            | Op::ComponentSlice(..)
            | Op::Consolidate(..)
            | Op::DiscardComponents => {}
        }
    }

    fn check(&self) {
        is_the_model(&self.buf, &self.model);
        for (half, model) in &self.halves {
            is_the_model(half, model);
        }
        for (slice, bytes) in &self.held {
            assert!(slice.is_accessible() && slice.ref_count() >= 1);
            assert_eq!(bytes_of(slice), *bytes, "a slice changed");
        }
        for (view, bytes) in &self.views {
            if view.is_accessible() {
                assert_eq!(bytes_of(view), *bytes, "a view changed");
            } else {
                assert_eq!((view.ref_count(), view.try_get_u8(0)), (0, Err(Error::Released)));
            }
        }
    }
}

fn bytes_of(buf: &impl ByteBuf) -> Vec<u8> {
    let mut bytes = vec![0; buf.writer_index()];
    buf.get_bytes(0, &mut bytes);
    bytes
}

fn is_the_model(buf: &impl ByteBufMut, model: &Model) {
    assert_eq!((buf.reader_index(), buf.writer_index()), (model.reader, model.writer()));
    assert_eq!(buf.max_capacity(), model.max_capacity);
    assert!(buf.writer_index() <= buf.capacity() && buf.capacity() <= buf.max_capacity());
    assert_eq!(bytes_of(buf), model.bytes);
    assert_eq!(buf.to_vec(), model.readable());
    // The cached windows too.
    for index in (0..model.writer()).step_by(1 + model.writer() / 16) {
        assert_eq!(buf.get_u8(index), model.bytes[index]);
        let pair = model.get(index, 2).map(|b| u16::from_be_bytes(b.try_into().unwrap()));
        assert_eq!(buf.try_get_u16(index), pair);
    }
}

fn run<B: Subject>(buf: B, ops: &[Op]) {
    let mut world = World::new(buf);
    for op in ops {
        world.apply(op);
        world.check();
    }
    // The buffer goes first, or last.
    let World { buf, held, views, halves, .. } = world;
    drop(buf);
    drop(halves);
    for (slice, bytes) in &held {
        assert_eq!(bytes_of(slice), *bytes);
    }
    drop(held);
    assert!(views.iter().all(|(view, bytes)| !view.is_accessible() || bytes.is_empty()));
}

fn limit() -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(usize::MAX), 1 => 0..2000_usize]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_heap_buffer_does_what_the_model_does(limit in limit(), ops in vec(op(), 1..80)) {
        run(OwnedBuf::<Heap>::with_limit(limit), &ops);
    }

    #[cfg(feature = "mmap")]
    #[test]
    fn a_direct_buffer_does_what_the_model_does(limit in limit(), ops in vec(op(), 1..80)) {
        run(OwnedBuf::<Direct>::with_limit(limit), &ops);
    }

    #[test]
    fn a_composite_does_what_the_model_does(limit in limit(), ops in vec(op(), 1..80)) {
        run(CompositeBuf::with_limit(limit), &ops);
    }

    #[test]
    fn buffers_of_a_pool_do_what_the_model_does(all in vec(vec(op(), 1..80), 1..3)) {
        // One after the other, in the blocks that were left.
        let pool = Pool::new(PoolConfig::new().max_pooled(2048).thread_cache(4096));
        for ops in all {
            run(pool.heap(0), &ops);
            #[cfg(feature = "mmap")]
            run(pool.direct(0), &ops);
            run(pool.composite(), &ops);
            assert_eq!(pool.stats().live_bytes(), 0);
        }
        pool.trim();
        assert_eq!(pool.stats().reserved, 0);
    }
}
