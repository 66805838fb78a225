//! Looking at components one by one.

use core::iter::FusedIterator;

use super::CompositeBuf;

/// The components of a [`CompositeBuf`] in order, as the bytes they hold; from
/// [`CompositeBuf::components`].
///
/// ```
/// use refbuf::CompositeBuf;
///
/// let buf: CompositeBuf = ["a", "bc"].into_iter().collect();
/// let mut components = buf.components();
/// assert_eq!(components.next_back(), Some(&b"bc"[..]));
/// assert_eq!(components.len(), 1);
/// ```
#[derive(Clone)]
pub struct Components<'a> {
    buf: &'a CompositeBuf,
    next: usize,
    end: usize,
}

impl<'a> Iterator for Components<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.next == self.end {
            return None;
        }
        self.next += 1;
        Some(self.buf.bytes_of(self.next - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }

    fn nth(&mut self, n: usize) -> Option<&'a [u8]> {
        self.next = self.next.saturating_add(n).min(self.end);
        self.next()
    }
}

impl DoubleEndedIterator for Components<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some(self.buf.bytes_of(self.end))
    }
}

impl ExactSizeIterator for Components<'_> {}
impl FusedIterator for Components<'_> {}

impl core::fmt::Debug for Components<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Components({}..{} of {:?})", self.next, self.end, self.buf)
    }
}

impl CompositeBuf {
    /// Number of components.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let mut buf = CompositeBuf::new();
    /// buf.push("a");
    /// buf.push("");
    /// assert_eq!(buf.component_count(), 1);
    /// ```
    #[must_use]
    pub fn component_count(&self) -> usize {
        self.components.len() - usize::from(self.has_empty_tail())
    }

    /// Whether the last component is room only.
    pub(super) fn has_empty_tail(&self) -> bool {
        let writer = self.absolute(self.writer);
        self.components.back().is_some_and(|last| last.start == writer)
    }

    /// The components in order, as the bytes they hold, read or not.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let buf: CompositeBuf = ["a", "bc"].into_iter().collect();
    /// assert!(buf.components().eq([&b"a"[..], b"bc"]));
    /// ```
    #[must_use]
    pub fn components(&self) -> Components<'_> {
        Components { buf: self, next: 0, end: self.component_count() }
    }

    /// The bytes of component `component`, if there are so many.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let buf: CompositeBuf = ["a", "bc"].into_iter().collect();
    /// assert_eq!(buf.component(1), Some(&b"bc"[..]));
    /// assert_eq!(buf.component(2), None);
    /// ```
    #[must_use]
    pub fn component(&self, component: usize) -> Option<&[u8]> {
        (component < self.component_count()).then(|| self.bytes_of(component))
    }

    /// Number of the component that holds the byte at `index`. A binary search,
    /// unless it is the one being read.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let buf: CompositeBuf = ["a", "bc"].into_iter().collect();
    /// assert_eq!(buf.component_at(2), Some(1));
    /// assert_eq!(buf.component_at(3), None);
    /// ```
    #[must_use]
    pub fn component_at(&self, index: usize) -> Option<usize> {
        (index < self.writer).then(|| self.locate(index))
    }

    /// Index of the first byte of component `component`, if there are so many.
    ///
    /// ```
    /// use refbuf::CompositeBuf;
    ///
    /// let buf: CompositeBuf = ["a", "bc"].into_iter().collect();
    /// assert_eq!(buf.component_start(1), Some(1));
    /// ```
    #[must_use]
    pub fn component_start(&self, component: usize) -> Option<usize> {
        (component < self.component_count()).then(|| self.start_of(component))
    }

    /// The `len` bytes at `index`, piece by piece. They exist.
    pub(super) fn chunks(&self, index: usize, len: usize) -> impl Iterator<Item = &[u8]> {
        debug_assert!(len <= self.writer && index <= self.writer - len);
        let (first, mut offset) = match len {
            0 => (0, 0),
            _ => {
                let first = self.locate(index);
                (first, index - self.start_of(first))
            }
        };
        let mut left = len;
        let mut components = self.components.range(first..);
        core::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let component = components.next()?;
            let view = component.buf.view();
            // The last one alone may have more than its view says.
            let bytes = if components.len() == 0 {
                self.bytes_of(self.components.len() - 1)
            } else {
                view.window(0, view.writer()).unwrap_or_default()
            };
            let bytes = &bytes[core::mem::take(&mut offset)..];
            let chunk = &bytes[..bytes.len().min(left)];
            left -= chunk.len();
            Some(chunk)
        })
    }
}

/// Components without their composite, each a shared handle, in order.
impl IntoIterator for CompositeBuf {
    type Item = crate::SliceBuf;
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        IntoIter(self.into_components().into_iter())
    }
}

/// The components of a composite as handles of their own; from
/// [`CompositeBuf::into_iter`].
///
/// ```
/// use refbuf::CompositeBuf;
///
/// let buf: CompositeBuf = ["a", "bc"].into_iter().collect();
/// let slices: Vec<_> = buf.into_iter().collect();
/// assert_eq!(slices[1], b"bc");
/// ```
pub struct IntoIter(alloc::collections::vec_deque::IntoIter<super::Component>);

impl Iterator for IntoIter {
    type Item = crate::SliceBuf;

    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn next(&mut self) -> Option<Self::Item> {
        let component = self.0.next()?;
        Some(crate::SliceBuf::from_view(component.buf.freeze()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for IntoIter {}
impl FusedIterator for IntoIter {}

impl core::fmt::Debug for IntoIter {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "IntoIter({} components)", self.0.len())
    }
}

/// An iterator of buffers as one. Allocates once if it says how many there are.
impl<T: super::IntoComponents> FromIterator<T> for CompositeBuf {
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn from_iter<I: IntoIterator<Item = T>>(buffers: I) -> Self {
        let mut this = Self::new();
        this.extend(buffers);
        this
    }
}

impl<T: super::IntoComponents> Extend<T> for CompositeBuf {
    #[cfg_attr(feature = "leak-detect", track_caller)]
    fn extend<I: IntoIterator<Item = T>>(&mut self, buffers: I) {
        let buffers = buffers.into_iter();
        // Not more than a hint: if there is no memory, `push` says so.
        let _ = self.reserve_components(buffers.size_hint().0);
        // Not `for_each`: a closure would be where leaks are said to be made.
        for buf in buffers {
            self.push(buf);
        }
    }
}

impl<'a> IntoIterator for &'a CompositeBuf {
    type Item = &'a [u8];
    type IntoIter = Components<'a>;

    fn into_iter(self) -> Components<'a> {
        self.components()
    }
}
