//! What goes into a frame.

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, OwnedBuf, SliceBuf, Storage};

use super::FrameError;

/// Payloads of up to so many bytes are copied behind their header; longer ones
/// become components of the output.
///
/// A payload that is pushed makes two components, with the header before it:
/// places in the output, `iovec`s of the write, counted references. Copying is
/// cheaper than that up to some KiB where the bytes are in the cache, and 3
/// times as cheap at this length (group `frame_encode` of the benches); where
/// they are not, or the output grows for them, it pays less.
///
/// ```
/// use refbuf::{CompositeBuf, HeapBuf};
/// use refbuf_codec::frame::{COPIED, LengthField};
/// use refbuf_codec::Encoder;
///
/// let mut encoder = LengthField::new(4).encoder()?;
/// let mut output = CompositeBuf::new();
/// encoder.encode("small", &mut output)?;
/// encoder.encode("small", &mut output)?;
/// assert_eq!(output.component_count(), 1);
/// encoder.encode(vec![0; COPIED + 1], &mut output)?;
/// assert_eq!(output.component_count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub const COPIED: usize = 1024;

/// What an encoder of frames takes: buffers, and values that become one
/// without copying, as [`CompositeBuf::push`] takes them.
///
/// The readable bytes are the payload. Sealed: other owners of bytes go
/// through [`SliceBuf::from_owner`].
///
/// ```
/// use refbuf::CompositeBuf;
/// use refbuf_codec::Encoder;
/// use refbuf_codec::frame::{FrameError, Payload, Varint};
///
/// fn framed(payload: impl Payload) -> Result<CompositeBuf, FrameError> {
///     let mut output = CompositeBuf::new();
///     Varint::new().encoder().encode(payload, &mut output)?;
///     Ok(output)
/// }
/// assert_eq!(framed("text")?, b"\x04text");
/// assert_eq!(framed(vec![1, 2])?, b"\x02\x01\x02");
/// # Ok::<(), FrameError>(())
/// ```
pub trait Payload: sealed::Append {}

impl<P: sealed::Append> Payload for P {}

mod sealed {
    use super::{CompositeBuf, Error};

    pub trait Append {
        /// Its bytes.
        fn len(&self) -> usize;

        /// Appends all of them; an error leaves the output as it was.
        fn append_to(self, output: &mut CompositeBuf) -> Result<(), Error>;
    }
}

macro_rules! buffers {
    ($([$($generics:tt)*] $ty:ty),* $(,)?) => { $(
        impl<$($generics)*> sealed::Append for $ty {
            #[inline]
            fn len(&self) -> usize {
                self.readable_bytes()
            }

            #[inline]
            fn append_to(mut self, output: &mut CompositeBuf) -> Result<(), Error> {
                match self.readable_bytes() {
                    n @ 1..=COPIED => match self.read_window(n) {
                        Some(bytes) => output.try_write_bytes(bytes),
                        None => output.try_write_buf(&mut self, n),
                    },
                    _ => output.try_push(self),
                }
            }
        }
    )* };
}

buffers! {
    [S: Storage] OwnedBuf<S>,
    [] SliceBuf,
    [] CompositeBuf,
}

macro_rules! bytes {
    ($($ty:ty),* $(,)?) => { $(
        impl sealed::Append for $ty {
            #[inline]
            fn len(&self) -> usize {
                AsRef::<[u8]>::as_ref(self).len()
            }

            #[inline]
            fn append_to(self, output: &mut CompositeBuf) -> Result<(), Error> {
                let bytes: &[u8] = self.as_ref();
                if bytes.len() <= COPIED {
                    output.try_write_bytes(bytes)
                } else {
                    output.try_push(self)
                }
            }
        }
    )* };
}

bytes! { Vec<u8>, Box<[u8]>, String, &'static [u8], &'static str }

impl<const N: usize> sealed::Append for &'static [u8; N] {
    #[inline]
    fn len(&self) -> usize {
        N
    }

    #[inline]
    fn append_to(self, output: &mut CompositeBuf) -> Result<(), Error> {
        self.as_slice().append_to(output)
    }
}

/// Appends all that `write` does or, if that fails, nothing.
#[inline]
pub(super) fn append(
    output: &mut CompositeBuf,
    write: impl FnOnce(&mut CompositeBuf) -> Result<(), FrameError>,
) -> Result<(), FrameError> {
    let end = output.writer_index();
    let result = write(output);
    if result.is_err() {
        // It has been there. A released output has nothing to take back.
        let _ = output.try_set_writer_index(end);
    }
    result
}
