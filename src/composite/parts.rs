//! What can be put into a composite.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use super::CompositeBuf;
use crate::exclusive::Exclusive;
use crate::memory::Storage;
use crate::{ByteBuf, Error, HeapBuf, OwnedBuf, SliceBuf};

/// What [`CompositeBuf::push`] takes: buffers of every kind that keeps its
/// memory, and values that become one without copying.
///
/// The readable bytes are what is added. An owner stays writable where it is
/// exclusive, and its room becomes the composite's; a [`SliceBuf`] can be
/// written while it is the sole handle; a composite is taken apart.
///
/// Sealed: other owners of bytes go through [`SliceBuf::from_owner`].
///
/// ```
/// use refbuf::{CompositeBuf, IntoComponents};
///
/// fn framed(body: impl IntoComponents) -> CompositeBuf {
///     let mut frame = CompositeBuf::new();
///     frame.push("<");
///     frame.push(body);
///     frame.push(">");
///     frame
/// }
/// assert_eq!(framed(vec![b'a']), b"<a>");
/// ```
pub trait IntoComponents: sealed::IntoParts {}

impl<T: sealed::IntoParts> IntoComponents for T {}

/// Not empty, and with nothing before the reader index.
pub struct Part(pub(super) Exclusive);

/// One part or many, without allocating for one.
pub enum Parts {
    None,
    One(Part),
    Many(VecDeque<super::Component>, usize),
}

impl Parts {
    /// Readable bytes of all of them.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(part) => part.0.view().writer(),
            Self::Many(_, len) => *len,
        }
    }

    pub(crate) fn count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(_) => 1,
            Self::Many(components, _) => components.len(),
        }
    }

    pub(crate) fn into_parts(self) -> impl DoubleEndedIterator<Item = Exclusive> {
        let (one, many) = match self {
            Self::None => (None, VecDeque::new()),
            Self::One(part) => (Some(part.0), VecDeque::new()),
            Self::Many(components, _) => (None, components),
        };
        one.into_iter().chain(many.into_iter().map(|component| component.buf))
    }

    /// `into_parts`, faster where there is one.
    #[inline]
    pub(crate) fn each(self, mut f: impl FnMut(Exclusive)) {
        match self {
            Self::None => {}
            Self::One(part) => f(part.0),
            Self::Many(components, _) => components.into_iter().for_each(|each| f(each.buf)),
        }
    }

    #[inline]
    fn one(mut buf: Exclusive) -> Result<Self, Error> {
        if buf.view().is_released() {
            return Err(Error::Released);
        }
        buf.discard_read();
        Ok(if buf.view().writer() == 0 { Self::None } else { Self::One(Part(buf)) })
    }
}

mod sealed {
    use super::{CompositeBuf, Error, Parts};

    pub trait IntoParts: Sized {
        #[cfg_attr(feature = "leak-detect", track_caller)]
        fn into_parts(self) -> Result<Parts, Error>;

        /// What `CompositeBuf::try_push` does.
        #[cfg_attr(feature = "leak-detect", track_caller)]
        fn push_to(self, composite: &mut CompositeBuf) -> Result<(), Error> {
            let parts = self.into_parts()?;
            composite.reserve_parts(parts.count(), parts.len())?;
            parts.each(|buf| composite.add_tail(buf));
            Ok(())
        }
    }
}

use sealed::IntoParts;

impl<S: Storage> IntoParts for OwnedBuf<S> {
    #[inline]
    fn into_parts(self) -> Result<Parts, Error> {
        Parts::one(self.into_inner())
    }
}

impl IntoParts for SliceBuf {
    #[inline]
    fn into_parts(self) -> Result<Parts, Error> {
        Parts::one(Exclusive::from_shared(self.into_view()))
    }

    #[inline]
    fn push_to(self, composite: &mut CompositeBuf) -> Result<(), Error> {
        let (base, reader, writer, block) = self.into_view().into_words();
        // SAFETY: the words of a view.
        unsafe { composite.push_shared(base, reader, writer, block) }
    }
}

impl IntoParts for CompositeBuf {
    fn into_parts(mut self) -> Result<Parts, Error> {
        self.check_accessible()?;
        // What was read is not added.
        let unread = self.try_split_off(self.reader)?;
        let len = unread.readable_bytes();
        Ok(Parts::Many(unread.into_components(), len))
    }
}

/// Values that are turned into a buffer first.
macro_rules! by_way_of {
    ($($from:ty => $buf:ty),* $(,)?) => { $(
        impl IntoParts for $from {
            fn into_parts(self) -> Result<Parts, Error> {
                <$buf>::from(self).into_parts()
            }
        }
    )* };
}

by_way_of! {
    Vec<u8> => HeapBuf,
    Box<[u8]> => HeapBuf,
    String => HeapBuf,
    &'static [u8] => SliceBuf,
    &'static str => SliceBuf,
}

impl<const N: usize> IntoParts for &'static [u8; N] {
    fn into_parts(self) -> Result<Parts, Error> {
        SliceBuf::from_static(self).into_parts()
    }
}

/// A composite of one component.
impl<S: Storage> From<OwnedBuf<S>> for CompositeBuf {
    fn from(buf: OwnedBuf<S>) -> Self {
        core::iter::once(buf).collect()
    }
}

/// A composite of one component.
impl From<SliceBuf> for CompositeBuf {
    fn from(buf: SliceBuf) -> Self {
        core::iter::once(buf).collect()
    }
}
