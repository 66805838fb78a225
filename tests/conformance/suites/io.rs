//! `std::io` over any kind, and between kinds.

use std::io::{BufRead, ErrorKind, IoSlice, Read, Seek, SeekFrom, Write};

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf};

use super::With;
use crate::support::{LENGTHS, content};

pub fn reads<B: ByteBuf + Read + BufRead + Seek>(with: &With<B>) {
    for len in LENGTHS {
        let bytes = content(len);
        with(&bytes, &mut |buf| {
            let mut all = Vec::new();
            assert_eq!(buf.read_to_end(&mut all).unwrap(), len);
            assert_eq!(all, bytes);
            assert_eq!(buf.read(&mut [0; 4]).unwrap(), 0, "the end of the input");

            assert_eq!(buf.seek(SeekFrom::Start(0)).unwrap(), 0);
            let mut shown = Vec::new();
            while let chunk @ [_, ..] = buf.fill_buf().unwrap() {
                let n = chunk.len().min(10);
                shown.extend_from_slice(&chunk[..n]);
                buf.consume(n);
            }
            assert_eq!(shown, bytes);

            seeks(buf, len);
            writes_itself_out(buf, &bytes);
        });
    }
    with(b"one\ntwo\nthree", &mut |buf| {
        let lines: Vec<String> = buf.lines().map(Result::unwrap).collect();
        assert_eq!(lines, ["one", "two", "three"]);
    });
}

fn seeks<B: ByteBuf + Seek>(buf: &mut B, len: usize) {
    let end = len as u64;
    assert_eq!(buf.seek(SeekFrom::End(0)).unwrap(), end);
    assert_eq!(buf.seek(SeekFrom::End(-(len as i64))).unwrap(), 0);
    assert_eq!(buf.seek(SeekFrom::Current(len as i64 / 2)).unwrap(), end / 2);
    assert_eq!(buf.stream_position().unwrap(), end / 2);
    for beyond in [
        SeekFrom::Start(end + 1),
        SeekFrom::Start(u64::MAX),
        SeekFrom::End(1),
        SeekFrom::End(i64::MAX),
        SeekFrom::End(i64::MIN),
        SeekFrom::Current(end as i64 + 1),
        SeekFrom::Current(i64::MIN),
        SeekFrom::Current(i64::MAX),
    ] {
        assert_eq!(buf.seek(beyond).unwrap_err().kind(), ErrorKind::InvalidInput);
        assert_eq!(buf.reader_index(), len / 2);
    }
}

/// Takes a little of each write, as a socket does.
struct Slow {
    taken: Vec<u8>,
    at_once: usize,
    writes: usize,
}

impl Write for Slow {
    fn write(&mut self, src: &[u8]) -> std::io::Result<usize> {
        self.write_vectored(&[IoSlice::new(src)])
    }
    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> std::io::Result<usize> {
        let bytes: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
        let n = bytes.len().min(self.at_once);
        self.taken.extend_from_slice(&bytes[..n]);
        self.writes += 1;
        Ok(n)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn writes_itself_out<B: ByteBuf>(buf: &mut B, bytes: &[u8]) {
    for at_once in [1, 7, 1000] {
        buf.set_reader_index(0);
        let mut slow = Slow { taken: Vec::new(), at_once, writes: 0 };
        while buf.is_readable() {
            let before = (buf.reader_index(), slow.writes);
            let n = buf.write_to(&mut slow).unwrap();
            assert_eq!((buf.reader_index(), slow.writes), (before.0 + n, before.1 + 1));
            assert_eq!(slow.taken, bytes[..buf.reader_index()]);
        }
        assert_eq!(buf.write_to(&mut slow).unwrap(), 0);
        assert_eq!(slow.taken, bytes);
    }
    buf.set_reader_index(0);
    // Where there is nothing to send, nobody is asked.
    let result = buf.write_to(&mut Broken).map_err(|error| error.kind());
    assert_eq!(result, if bytes.is_empty() { Ok(0) } else { Err(ErrorKind::BrokenPipe) });
    assert_eq!(buf.reader_index(), 0);
}

/// Fails at once.
struct Broken;

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(ErrorKind::BrokenPipe.into())
    }
}

pub fn writes<B: ByteBufMut + Read + Write>(with: &With<B>) {
    for len in LENGTHS {
        with(&content(len), &mut |buf| {
            buf.write_all(b"then this").unwrap();
            write!(buf, " and {}", 7).unwrap();
            let expected = [&*content(len), b"then this and 7"].concat();
            assert_eq!(buf.to_vec(), expected);

            // All of a source, a little at a time.
            let more = content(700);
            let mut source = &*more;
            while buf.read_from(&mut source, 64).unwrap() != 0 {}
            assert_eq!(buf.to_vec(), [expected, more].concat());

            let writer = buf.writer_index();
            let error = buf.read_from(&mut Broken, 100).unwrap_err();
            assert_eq!((error.kind(), buf.writer_index()), (ErrorKind::BrokenPipe, writer));
            assert_eq!(
                buf.read_from(&mut Broken, 0).map_err(|e| e.kind()),
                Err(ErrorKind::BrokenPipe)
            );

            let mut other = CompositeBuf::new();
            let copied = std::io::copy(buf, &mut other).unwrap();
            assert_eq!((copied, other.readable_bytes()), (writer as u64, writer));
        });
    }
}
