//! UTF-8 in and out.

use super::{ByteBuf, check_readable, chunks};
use crate::Error;
use alloc::{borrow::Cow, string::String};
use core::str::{Utf8Error, from_utf8};

pub(super) fn get<B: ByteBuf + ?Sized>(
    buf: &B,
    index: usize,
    len: usize,
) -> Result<Cow<'_, str>, Error> {
    match buf.window(index, len) {
        // No bytes prove nothing: a released buffer has those too.
        Some(bytes) if !bytes.is_empty() => from_utf8(bytes).map(Cow::Borrowed).map_err(invalid),
        _ => String::from_utf8(chunks::to_vec(buf, index, len)?)
            .map(Cow::Owned)
            .map_err(|error| invalid(error.utf8_error())),
    }
}

pub(super) fn read<B: ByteBuf + ?Sized>(buf: &mut B, len: usize) -> Result<String, Error> {
    check_readable(buf, len)?;
    let start = buf.reader_index();
    let text = buf.try_get_str(start, len)?.into_owned();
    buf.try_set_reader_index(start + len)?;
    Ok(text)
}

fn invalid(error: Utf8Error) -> Error {
    Error::InvalidUtf8 { valid_up_to: error.valid_up_to() }
}
