//! The memory that rows are in.

use refbuf::SliceBuf;

pub const MIB: usize = 1 << 20;
pub const ROW: usize = 5 * MIB;

/// One block, and rows that are slices of it.
pub struct Store {
    block: SliceBuf,
    rows: usize,
}

impl Store {
    /// `mib` as it was asked for, or what is reasonable.
    pub fn new(rows: usize, mib: Option<usize>) -> Self {
        let wanted = rows.saturating_mul(ROW / MIB);
        let mib = mib.unwrap_or_else(|| wanted.min(free_mib() / 2)).clamp(ROW / MIB, wanted);
        let mut state = 1_u64;
        let words = (0..mib * MIB / 8).map(|_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            state.to_ne_bytes()
        });
        Self { block: SliceBuf::from(words.flatten().collect::<Vec<u8>>()), rows }
    }

    pub fn mib(&self) -> usize {
        self.block.as_slice().len() / MIB
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rows lie side by side if there is memory enough, else they overlap.
    pub fn row(&self, row: usize) -> SliceBuf {
        let free = self.block.as_slice().len() - ROW;
        let step = ROW.min(free / (self.rows - 1).max(1));
        self.block.slice(row * step..row * step + ROW)
    }

    /// So many buffers of so many bytes.
    pub fn small(&self, count: usize, len: usize) -> Vec<SliceBuf> {
        (0..count).map(|at| self.block.slice(at * len..(at + 1) * len)).collect()
    }
}

/// What the system could give now, or a guess if it does not say.
fn free_mib() -> usize {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
    kib.map_or(1000, |kib| kib / 1024)
}
