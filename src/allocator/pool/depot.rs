//! What all threads share of one class: blocks that rest, and for direct memory
//! the chunks that blocks are cut from.

use alloc::vec::Vec;

use super::shared::Shared;
#[cfg(feature = "mmap")]
use crate::Error;
#[cfg(feature = "mmap")]
use crate::memory::pooled::Chunk;
use crate::memory::pooled::{Idle, Stack};

pub(super) type Block = Idle<Shared>;
pub(super) type Batch = Stack<Shared>;

/// Under the lock of its class.
pub(super) struct Depot {
    /// No block goes in any more: the pool is gone.
    closed: bool,
    /// The last to come is the first to go. Pointers only: blocks wander from
    /// thread to thread without their headers being touched on the way.
    resting: Vec<Block>,
    #[cfg(feature = "mmap")]
    chunks: Chunks,
}

impl Depot {
    pub(super) const fn new() -> Self {
        Self {
            closed: false,
            resting: Vec::new(),
            #[cfg(feature = "mmap")]
            chunks: Chunks { slots: Vec::new(), with_free: Vec::new() },
        }
    }

    /// Whether `n` blocks can be put in: not if nobody would find them, and not
    /// if there is no memory to list them.
    pub(super) fn has_room_for(&mut self, n: usize) -> bool {
        !self.closed && self.resting.try_reserve(n).is_ok()
    }

    /// Takes blocks in, for which there is room.
    pub(super) fn put(&mut self, blocks: impl Iterator<Item = Block>) {
        self.resting.extend(blocks);
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// The last `n` blocks that rest here, or as many as there are.
    pub(super) fn take(&mut self, n: usize) -> impl ExactSizeIterator<Item = Block> {
        self.resting.drain(self.resting.len().saturating_sub(n)..)
    }

    /// All blocks that rest here, with the list of them.
    pub(super) fn take_all(&mut self) -> Vec<Block> {
        core::mem::take(&mut self.resting)
    }

    #[cfg(feature = "mmap")]
    pub(super) fn chunks(&mut self) -> &mut Chunks {
        &mut self.chunks
    }
}

/// The chunks of one class and which of their blocks nobody has, not even a
/// cache.
#[cfg(feature = "mmap")]
pub(super) struct Chunks {
    slots: Vec<Option<Slot>>,
    /// The slots that have a free block. It has room for all slots.
    with_free: Vec<u32>,
}

#[cfg(feature = "mmap")]
struct Slot {
    chunk: Chunk<Shared>,
    free: Batch,
}

#[cfg(feature = "mmap")]
impl Chunks {
    /// Adds the chunk that `make` makes, for the number it is given. Its blocks
    /// are free.
    pub(super) fn add(
        &mut self,
        make: impl FnOnce(u32) -> Result<(Chunk<Shared>, Batch), Error>,
    ) -> Result<(), Error> {
        let index = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        let Ok(number) = u32::try_from(index) else { return Err(Error::Alloc { size: 0 }) };
        let listed = |_| Error::Alloc { size: 0 };
        self.slots.try_reserve(1).map_err(listed)?;
        self.with_free.try_reserve(self.slots.len() + 1).map_err(listed)?;
        let (chunk, free) = make(number)?;
        let slot = Some(Slot { chunk, free });
        match self.slots.get_mut(index) {
            Some(empty) => *empty = slot,
            None => self.slots.push(slot),
        }
        self.with_free.push(number);
        Ok(())
    }

    /// Up to `n` blocks of one chunk.
    pub(super) fn take(&mut self, n: usize) -> Option<Batch> {
        let number = *self.with_free.last()?;
        let slot = self.slots[number as usize].as_mut()?;
        let mut batch = Batch::new();
        while batch.len() < n {
            let Some(block) = slot.free.pop() else { break };
            batch.push(block);
        }
        if slot.free.len() == 0 {
            self.with_free.pop();
        }
        Some(batch)
    }

    /// Takes a block back; returns the chunk with all its blocks if it was the
    /// last in use.
    pub(super) fn give_back(&mut self, block: Block) -> Option<(Chunk<Shared>, Batch)> {
        let number = block.tag().chunk;
        let slot = &mut self.slots[number as usize];
        let Some(Slot { chunk, free }) = slot else { unreachable!("a block outlived its chunk") };
        free.push(block);
        if free.len() == 1 {
            self.with_free.push(number);
        }
        if free.len() < chunk.count() {
            return None;
        }
        self.with_free.retain(|&other| other != number);
        let whole = slot.take().map(|slot| (slot.chunk, slot.free));
        if self.slots.iter().all(Option::is_none) {
            // Nothing is left of a pool that was trimmed, no lists either.
            self.slots = Vec::new();
            self.with_free = Vec::new();
        }
        whole
    }
}
