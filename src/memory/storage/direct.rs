//! Memory maps.

use core::fmt;
use core::ptr::NonNull;
use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapMut, MmapOptions};

use super::Storage;
use crate::Error;

/// How anonymous maps are made. The default is ordinary pages, given by the
/// system when first touched.
///
/// ```
/// use refbuf::{ByteBufMut, DirectBuf, DirectOptions};
///
/// let options = DirectOptions::new().huge_pages(true).populate(true);
/// let mut buf = DirectBuf::with_options(1 << 20, options);
/// buf.write_bytes(b"in huge pages where there are some, in ordinary ones elsewhere");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DirectOptions {
    huge_pages: bool,
    populate: bool,
}

impl DirectOptions {
    /// The default options.
    ///
    /// ```
    /// use refbuf::{DirectBuf, DirectOptions};
    ///
    /// let buf = DirectBuf::with_options(4096, DirectOptions::new());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { huge_pages: false, populate: false }
    }

    /// Ask for 2 MiB pages. Where the system has none reserved, the map is of
    /// ordinary pages and the system is advised to join them; never an error.
    ///
    /// ```
    /// use refbuf::DirectOptions;
    ///
    /// let options = DirectOptions::new().huge_pages(true);
    /// ```
    #[must_use]
    pub const fn huge_pages(mut self, yes: bool) -> Self {
        self.huge_pages = yes;
        self
    }

    /// Have all pages in memory before the call returns, so that no later
    /// access takes a page fault. Ignored where the system cannot.
    ///
    /// ```
    /// use refbuf::DirectOptions;
    ///
    /// let options = DirectOptions::new().populate(true);
    /// ```
    #[must_use]
    pub const fn populate(mut self, yes: bool) -> Self {
        self.populate = yes;
        self
    }
}

/// log2 of 2 MiB.
const HUGE_PAGE_BITS: u8 = 21;

/// A memory map: page-aligned memory outside the allocator, or a file.
///
/// ```
/// use refbuf::{ByteBuf, ByteBufMut, Direct, OwnedBuf};
///
/// let mut buf: OwnedBuf<Direct> = OwnedBuf::with_capacity(5000);
/// buf.write_bytes(b"page-aligned");
/// assert_eq!(buf.chunk(0).as_ptr().align_offset(4096), 0);
/// ```
pub struct Direct(Map);

enum Map {
    Anonymous(MmapMut, DirectOptions),
    File(MmapMut),
    ReadOnlyFile(Mmap),
}

impl Direct {
    /// Bytes that an anonymous map for `capacity` has.
    pub(crate) fn size_for(capacity: usize, options: DirectOptions) -> Result<usize, Error> {
        let page = if options.huge_pages { 1 << HUGE_PAGE_BITS } else { page_size() };
        round_up(capacity, page)
    }

    pub(crate) fn anonymous(capacity: usize, options: DirectOptions) -> Result<Self, Error> {
        let mut ordinary = MmapOptions::new();
        ordinary.len(Self::size_for(capacity, options)?);
        let mut populated = ordinary.clone();
        if options.populate {
            populated.populate();
        }
        let map = if options.huge_pages {
            // Populating ordinary pages has to wait for the advice: they would
            // be there, and small.
            populated.huge(Some(HUGE_PAGE_BITS)).map_anon().or_else(|_| ordinary.map_anon())
        } else {
            populated.map_anon()
        };
        let map = map.map_err(|_| Error::Alloc { size: capacity })?;
        advise(&map, options);
        Ok(Self(Map::Anonymous(map, options)))
    }

    /// # Safety
    ///
    /// As [`MmapOptions::map`].
    pub(crate) unsafe fn file(file: &File) -> io::Result<Self> {
        // SAFETY: of the caller.
        let map = unsafe { MmapOptions::new().map(file) }?;
        Ok(Self(Map::ReadOnlyFile(map)))
    }

    /// # Safety
    ///
    /// As [`MmapOptions::map_mut`].
    pub(crate) unsafe fn file_mut(file: &File) -> io::Result<Self> {
        // SAFETY: of the caller.
        let map = unsafe { MmapOptions::new().map_mut(file) }?;
        Ok(Self(Map::File(map)))
    }

    /// Writes a file map back to the file, and waits
    /// for it. Nothing to do for other maps.
    pub(crate) fn flush(&self) -> io::Result<()> {
        match &self.0 {
            Map::File(map) => map.flush(),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Direct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.0 {
            Map::Anonymous(..) => "anonymous",
            Map::File(_) => "file",
            Map::ReadOnlyFile(_) => "read-only file",
        };
        write!(f, "Direct({kind}, {} bytes)", self.region().len())
    }
}

// SAFETY: a map stays where it is until it is remapped.
unsafe impl Storage for Direct {
    fn allocate(capacity: usize) -> Result<Self, Error> {
        Self::anonymous(capacity, DirectOptions::new())
    }

    fn footprint(capacity: usize) -> Result<usize, Error> {
        round_up(capacity, page_size())
    }

    fn region(&self) -> NonNull<[u8]> {
        let (start, len) = match &self.0 {
            // The pointer of a map that was made writable is so, whatever way
            // it is asked for.
            Map::Anonymous(map, _) | Map::File(map) => (map.as_ptr(), map.len()),
            Map::ReadOnlyFile(map) => (map.as_ptr(), map.len()),
        };
        let start = NonNull::new(start.cast_mut()).unwrap_or(NonNull::dangling());
        NonNull::slice_from_raw_parts(start, len)
    }

    fn is_writable(&self) -> bool {
        !matches!(self.0, Map::ReadOnlyFile(_))
    }

    fn sibling(&self, capacity: usize) -> Result<Self, Error> {
        let options = match self.0 {
            Map::Anonymous(_, options) => options,
            Map::File(_) | Map::ReadOnlyFile(_) => DirectOptions::new(),
        };
        Self::anonymous(capacity, options)
    }

    #[cfg(target_os = "linux")]
    fn resize(&mut self, capacity: usize) -> Result<bool, Error> {
        let Map::Anonymous(map, options) = &mut self.0 else {
            return Ok(false);
        };
        let size = round_up(capacity, page_size())?;
        let remap = memmap2::RemapOptions::new().may_move(true);
        // SAFETY: nothing points into the map but the one handle that asks for
        // this, and it takes the new place and length afterwards.
        if unsafe { map.remap(size, remap) }.is_err() {
            // Huge pages refuse odd sizes, and there may be no room: copying
            // will do, or say that there is none.
            return Ok(false);
        }
        advise(map, *options);
        Ok(true)
    }
}

/// What could not be had by the call that made the map. All of it is advice,
/// so a refusal changes nothing.
#[cfg(target_os = "linux")]
fn advise(map: &MmapMut, options: DirectOptions) {
    if options.huge_pages {
        let _ = map.advise(memmap2::Advice::HugePage);
        if options.populate {
            // After the advice, or the pages would be there already, small.
            let _ = map.advise(memmap2::Advice::PopulateWrite);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_: &MmapMut, _: DirectOptions) {}

fn round_up(capacity: usize, to: usize) -> Result<usize, Error> {
    capacity
        .max(1)
        .checked_next_multiple_of(to)
        .filter(|&size| isize::try_from(size).is_ok())
        .ok_or(Error::Alloc { size: capacity })
}

/// The page size is not asked for: rounding to a multiple of it that all
/// common systems share costs nothing where pages are smaller.
const fn page_size() -> usize {
    if cfg!(target_arch = "aarch64") { 65536 } else { 4096 }
}
