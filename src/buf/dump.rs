//! Buffers for people to look at. Nothing here panics, whatever the state of the
//! buffer.

use super::{ByteBuf, ByteBufMut, chunks};
use alloc::string::String;
use core::fmt::{self, Write as _};

const ROW: usize = 16;

pub(super) fn hex_dump<B: ByteBuf + ?Sized>(buf: &B) -> String {
    let mut out = String::new();
    chunks::for_each_block::<ROW, _>(buf, |index, row| {
        // Writing to a `String` cannot fail.
        let _ = hex_row(&mut out, index, row);
    });
    out
}

fn hex_row(out: &mut String, index: usize, row: &[u8]) -> fmt::Result {
    write!(out, "{index:08x} ")?;
    for i in 0..ROW {
        if i % 8 == 0 {
            out.push(' ');
        }
        match row.get(i) {
            Some(byte) => write!(out, "{byte:02x} ")?,
            None => out.push_str("   "),
        }
    }
    out.push_str(" |");
    out.extend(row.iter().map(|&byte| match byte {
        b' '..=b'~' => char::from(byte),
        _ => '.',
    }));
    out.push_str("|\n");
    Ok(())
}

/// `HeapBuf { reader_index: 0, writer_index: 5, capacity: 64, readable: b"hello" }`
pub(crate) fn fmt_debug<B: ByteBuf + ?Sized>(
    name: &str,
    buf: &B,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if !buf.is_accessible() {
        return write!(f, "{name} {{ released }}");
    }
    f.debug_struct(name)
        .field("reader_index", &buf.reader_index())
        .field("writer_index", &buf.writer_index())
        .field("capacity", &buf.capacity())
        .field("readable", &Preview(buf))
        .finish()
}

/// The first few readable bytes.
struct Preview<'a, B: ?Sized>(&'a B);

impl<B: ByteBuf + ?Sized> fmt::Debug for Preview<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = chunks::readable(self.0).flatten();
        f.write_str("b\"")?;
        for byte in bytes.by_ref().take(ROW) {
            write!(f, "{}", byte.escape_ascii())?;
        }
        f.write_str(if bytes.next().is_some() { "\".." } else { "\"" })
    }
}

/// So that a struct with a boxed buffer in it can derive `Debug`.
macro_rules! impl_debug {
    ($($name:literal $ty:ty;)*) => { $(
        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt_debug($name, self, f)
            }
        }
    )* };
}

impl_debug! {
    "dyn ByteBuf" dyn ByteBuf + '_;
    "dyn ByteBuf" dyn ByteBuf + Send + '_;
    "dyn ByteBufMut" dyn ByteBufMut + '_;
    "dyn ByteBufMut" dyn ByteBufMut + Send + '_;
}
