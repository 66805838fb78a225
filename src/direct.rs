//! `DirectBuf`: an `OwnedBuf` of mapped memory, and its constructors.

use std::fs::File;
use std::io;

use crate::error::OrPanic;
use crate::memory::{Direct, DirectOptions};
use crate::{ByteBuf, Error, OwnedBuf};

/// A growable buffer of page-aligned memory outside the allocator: anonymous
/// pages, or a file.
///
/// Capacities are whole pages. A large buffer without slices grows by
/// remapping its pages (Linux), not by copying.
///
/// ```
/// use refbuf::{ByteBuf, ByteBufMut, DirectBuf};
///
/// let mut buf = DirectBuf::with_capacity(1 << 20);
/// buf.write_u64(7);
/// buf.reserve(16 << 20);
/// assert_eq!(buf.read_u64(), 7);
/// ```
pub type DirectBuf = OwnedBuf<Direct>;

impl DirectBuf {
    /// An empty buffer with room for `capacity` bytes at least, in pages of the
    /// kind that `options` ask for. It grows into pages of the same kind.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had.
    ///
    /// ```
    /// use refbuf::{ByteBuf, DirectBuf, DirectOptions};
    ///
    /// let buf = DirectBuf::with_options(5000, DirectOptions::new().populate(true));
    /// assert_eq!(buf.capacity() % 4096, 0);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_options(capacity: usize, options: DirectOptions) -> Self {
        Self::try_with_options(capacity, options).or_panic()
    }

    /// [`with_options`](DirectBuf::with_options) with an error for a panic.
    ///
    /// # Errors
    ///
    /// [`Error::Alloc`].
    ///
    /// ```
    /// use refbuf::{DirectBuf, DirectOptions};
    ///
    /// assert!(DirectBuf::try_with_options(usize::MAX, DirectOptions::new()).is_err());
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub fn try_with_options(capacity: usize, options: DirectOptions) -> Result<Self, Error> {
        let map = Direct::anonymous(capacity, options)?;
        Ok(Self::from_storage(map))
    }

    /// Maps a file for reading: its bytes are the readable bytes, and nothing
    /// can be written ([`Error::ReadOnly`], [`Error::Overflow`]).
    ///
    /// # Safety
    ///
    /// Nobody, in this process or another, may change or shorten the file
    /// while the buffer or a slice of it exists: the bytes are in its pages.
    ///
    /// # Errors
    ///
    /// Those of the system.
    ///
    /// ```
    /// use refbuf::{ByteBuf, DirectBuf};
    ///
    /// # let path = std::env::temp_dir().join("refbuf-map-file-doc");
    /// std::fs::write(&path, "on disk")?;
    /// // SAFETY: the file is this program's own.
    /// let mut buf = unsafe { DirectBuf::map_file(&std::fs::File::open(&path)?)? };
    /// assert_eq!(buf.read_slice(2), "on");
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub unsafe fn map_file(file: &File) -> io::Result<Self> {
        // SAFETY: of the caller.
        let map = unsafe { Direct::file(file) }?;
        Ok(Self::from_map(map))
    }

    /// Maps a file for reading and writing: changes go to the file, sooner or
    /// later or with [`flush_file`](DirectBuf::flush_file). The buffer has the
    /// size of the file and does not grow.
    ///
    /// # Safety
    ///
    /// Nobody else, in this process or another, may change or shorten the file
    /// while the buffer or a slice of it exists: the bytes are in its pages.
    ///
    /// # Errors
    ///
    /// Those of the system.
    ///
    /// ```
    /// use refbuf::{ByteBufMut, DirectBuf};
    ///
    /// # let path = std::env::temp_dir().join("refbuf-map-file-mut-doc");
    /// std::fs::write(&path, "on disk")?;
    /// let file = std::fs::File::options().read(true).write(true).open(&path)?;
    /// // SAFETY: the file is this program's own.
    /// let mut buf = unsafe { DirectBuf::map_file_mut(&file)? };
    /// buf.set_bytes(0, b"ON");
    /// buf.flush_file()?;
    /// assert_eq!(std::fs::read_to_string(&path)?, "ON disk");
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[cfg_attr(feature = "leak-detect", track_caller)]
    pub unsafe fn map_file_mut(file: &File) -> io::Result<Self> {
        // SAFETY: of the caller.
        let map = unsafe { Direct::file_mut(file) }?;
        Ok(Self::from_map(map))
    }

    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn from_map(map: Direct) -> Self {
        use crate::Storage;
        let len = map.region().len();
        // SAFETY: the bytes of a file are initialised.
        unsafe { Self::from_storage_filled(map, len, len) }
    }

    /// Writes the bytes of a file map to the file and waits until they are
    /// there. For anonymous memory there is nothing to do.
    ///
    /// # Errors
    ///
    /// Those of the system; [`Error::Released`].
    ///
    /// ```
    /// use refbuf::DirectBuf;
    ///
    /// DirectBuf::with_capacity(4096).flush_file()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn flush_file(&self) -> io::Result<()> {
        if !self.is_accessible() {
            return Err(Error::Released.into());
        }
        match self.storage() {
            Some(map) => map.flush(),
            None => Ok(()),
        }
    }
}
