//! Files as buffers.

use std::fs::{self, File};
use std::path::PathBuf;

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, DirectBuf, Error};

use crate::support::{all_bytes, content, refused};

/// A file that is gone when this is.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("refbuf-{}-{name}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn a_file_is_read_where_it_is_and_cannot_be_written() {
    let file = Temporary::new("read", &content(5000));
    // SAFETY: nobody else knows the file.
    let mut buf = unsafe { DirectBuf::map_file(&File::open(&file.0).unwrap()) }.unwrap();
    assert_eq!((buf.capacity(), buf.max_capacity()), (5000, 5000));
    assert_eq!(all_bytes(&buf), content(5000));
    refused(&mut buf, Error::ReadOnly, |buf| buf.try_set_u8(0, 1));
    refused(&mut buf, Error::ReadOnly, |buf| buf.try_chunk_mut(7).map(|chunk| chunk.len()));
    refused(&mut buf, Error::Overflow { needed: 1, available: 0 }, |buf| buf.try_write_u8(1));
    refused(&mut buf, Error::Overflow { needed: 1, available: 0 }, |buf| buf.try_make_room(1));

    buf.skip(1000);
    let mut slice = buf.read_slice(100);
    drop(buf);
    assert!(slice.is_unique());
    refused(&mut slice, Error::ReadOnly, |slice| slice.try_set_u8(0, 1));
    let mut message = CompositeBuf::from(slice);
    refused(&mut message, Error::ReadOnly, |buf| buf.try_set_u8(0, 1));
    message.write_str("behind the file's bytes");
    assert_eq!(message.read_slice(100), content(1100)[1000..]);
    assert_eq!(fs::read(&file.0).unwrap(), content(5000));
}

#[test]
fn what_is_read_of_a_file_can_be_given_up_but_leaves_no_room() {
    let file = Temporary::new("discard", &content(100));
    // SAFETY: nobody else knows the file.
    let mut buf = unsafe { DirectBuf::map_file(&File::open(&file.0).unwrap()) }.unwrap();
    buf.skip(60);
    buf.discard_read_bytes();
    assert_eq!(all_bytes(&buf), content(100)[60..]);
    buf.set_writer_index(10);
    assert_eq!(all_bytes(&buf), content(70)[60..]);
    // Room is found elsewhere, and never in the file.
    if buf.try_write_bytes(b"appended").is_ok() {
        assert_eq!(all_bytes(&buf), [&content(70)[60..], b"appended"].concat());
    }
    assert_eq!(fs::read(&file.0).unwrap(), content(100));
}

#[test]
fn what_is_written_to_a_mapped_file_is_in_the_file() {
    let file = Temporary::new("write", &content(5000));
    let open = File::options().read(true).write(true).open(&file.0).unwrap();
    // SAFETY: nobody else knows the file.
    let mut buf = unsafe { DirectBuf::map_file_mut(&open) }.unwrap();
    buf.set_u64(3, 7);
    let slice = buf.slice(0..20);
    refused(&mut buf, Error::Shared, |buf| buf.try_set_u64(3, 8));
    buf.set_u64(20, 9);
    drop(slice);
    buf.set_u8(0, 1);
    buf.flush_file().unwrap();
    let mut expected = content(5000);
    expected[0] = 1;
    expected[3..11].copy_from_slice(&7_u64.to_be_bytes());
    expected[20..28].copy_from_slice(&9_u64.to_be_bytes());
    assert_eq!(fs::read(&file.0).unwrap(), expected);
    refused(&mut buf, Error::Overflow { needed: 1, available: 0 }, |buf| buf.try_write_u8(1));
    buf.release();
    assert!(buf.flush_file().is_err());
}

#[test]
fn a_file_without_bytes_and_one_that_cannot_be_mapped() {
    let file = Temporary::new("empty", b"");
    // SAFETY: nobody else knows the file.
    if let Ok(buf) = unsafe { DirectBuf::map_file(&File::open(&file.0).unwrap()) } {
        assert_eq!((buf.writer_index(), buf.max_writable_bytes()), (0, 0));
    }
    // SAFETY: a directory has no bytes to be changed.
    assert!(unsafe { DirectBuf::map_file(&File::open(std::env::temp_dir()).unwrap()) }.is_err());
    // Opened for reading only.
    let file = Temporary::new("readonly", b"bytes");
    // SAFETY: nobody else knows the file.
    assert!(unsafe { DirectBuf::map_file_mut(&File::open(&file.0).unwrap()) }.is_err());
}
