//! What is measured, a file a group. Everybody's rows of a case are in one place.

mod access;
mod alloc;
mod clone;
mod find;
mod frame;
mod hpack;
mod rope;

use crate::row::Group;
use std::io;
use std::path::Path;

/// All groups. `directory` is for what Netty's side is given as files.
pub fn all(directory: &Path) -> io::Result<Vec<Group>> {
    Ok(vec![
        access::group(),
        frame::group(),
        clone::group(),
        alloc::group(),
        rope::group(),
        find::group(),
        hpack::group(directory)?,
    ])
}
