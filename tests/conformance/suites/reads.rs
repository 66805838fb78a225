//! What can be read, where, and what is refused.

use refbuf::{ByteBuf, Error};

use super::With;
use crate::model::Model;
use crate::numbers::{Getter, getters};
use crate::support::{LENGTHS, State, all_bytes, bounds, content, refused, refused_as};

pub fn all<B: ByteBuf + ?Sized>(with: &With<B>) {
    starts_as_promised(with);
    gets_numbers_at_every_index(with);
    reads_numbers_one_after_the_other(with);
    gets_and_reads_runs_of_bytes(with);
    gets_integers_of_any_width(with);
    gets_varints(with);
    gets_text(with);
    moves_the_reader_index(with);
    shows_its_chunks(with);
    cuts_slices(with);
    finds_bytes(with);
    finds_needles(with);
    dumps(with);
}

fn starts_as_promised<B: ByteBuf + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        with(&content(len), &mut |buf| {
            assert_eq!((buf.reader_index(), buf.writer_index()), (0, len));
            assert_eq!((buf.readable_bytes(), buf.is_readable()), (len, len != 0));
            assert!(len <= buf.capacity() && buf.capacity() <= buf.max_capacity());
            assert!(buf.is_accessible() && buf.ref_count() >= 1);
            assert_eq!(all_bytes(buf), content(len));
            assert_eq!(buf.to_vec(), content(len));
        });
    }
}

fn gets_numbers_at_every_index<B: ByteBuf + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        let model = Model::new(&content(len), len);
        with(&content(len), &mut |buf| {
            // The reader index must not matter.
            buf.set_reader_index(len / 3);
            let before = State::of(buf);
            for Getter { shape, get, try_get, .. } in getters::<B>() {
                for index in (0..len + 2).chain(bounds(len)) {
                    let expected = model.get(index, shape.width).map(|bytes| shape.decode(&bytes));
                    assert_eq!(try_get(buf, index), expected, "{} at {index}", shape.name);
                    if let Ok(value) = expected {
                        assert_eq!(get(buf, index), value, "{} at {index}", shape.name);
                    }
                }
            }
            assert_eq!(State::of(buf), before);
        });
    }
}

fn reads_numbers_one_after_the_other<B: ByteBuf + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        with(&content(len), &mut |buf| {
            for Getter { shape, read, try_read, .. } in getters::<B>() {
                // From the start and from behind the first byte, so that the
                // numbers lie across each seam in each way.
                for start in 0..len.min(2) {
                    let mut model = Model::new(&content(len), len);
                    model.set_reader(start).unwrap();
                    buf.set_reader_index(start);
                    for turn in 0.. {
                        let expected = model.read(shape.width).map(|bytes| shape.decode(&bytes));
                        let Ok(value) = expected else {
                            refused(buf, expected.unwrap_err(), try_read);
                            break;
                        };
                        let got = if turn % 2 == 0 { Ok(read(buf)) } else { try_read(buf) };
                        assert_eq!(got, Ok(value), "{}", shape.name);
                        assert_eq!(buf.reader_index(), model.reader);
                    }
                }
            }
        });
    }
}

fn gets_and_reads_runs_of_bytes<B: ByteBuf + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        let bytes = content(len);
        let model = Model::new(&bytes, len);
        with(&bytes, &mut |buf| {
            for index in (0..=len).chain(bounds(len)) {
                for n in [0, 1, 2, 7, 8, 9, 63, 64, 65, len, len + 1] {
                    let mut dst = vec![0xee; n];
                    match model.get(index, n) {
                        Ok(expected) => {
                            buf.get_bytes(index, &mut dst);
                            assert_eq!(dst, expected);
                        }
                        Err(error) => {
                            refused(buf, error, |buf| buf.try_get_bytes(index, &mut dst));
                            assert!(dst.iter().all(|&byte| byte == 0xee), "a part was copied");
                        }
                    }
                    if let Some(window) = buf.window(index, n) {
                        assert_eq!(window, &bytes[index..][..n]);
                    }
                }
            }
            for n in [0, 1, 2, 7, 64, 65] {
                buf.set_reader_index(0);
                let mut model = model.clone();
                let mut dst = vec![0xee; n];
                while n != 0 && model.reader + n <= len {
                    buf.read_bytes(&mut dst);
                    assert_eq!(Ok(&dst), model.read(n).as_ref());
                    assert_eq!(buf.reader_index(), model.reader);
                }
                if let Err(error) = model.read(n) {
                    let mut dst = vec![0xee; n];
                    refused(buf, error, |buf| buf.try_read_bytes(&mut dst));
                    assert!(dst.iter().all(|&byte| byte == 0xee), "a part was copied");
                }
            }
            // No bytes can be read at the end, again and again.
            buf.set_reader_index(len);
            for _ in 0..3 {
                buf.read_bytes(&mut []);
                assert_eq!(buf.try_read_bytes(&mut []), Ok(()));
                assert_eq!(buf.try_skip(0), Ok(()));
                assert_eq!(buf.reader_index(), len);
                assert_eq!(buf.to_vec(), []);
            }
        });
    }
}

fn gets_integers_of_any_width<B: ByteBuf + ?Sized>(with: &With<B>) {
    let len = 40;
    let model = Model::new(&content(len), len);
    with(&content(len), &mut |buf| {
        for width in 1..=8 {
            let unused = 64 - 8 * width as u32;
            let signed = |raw: u64| (raw << unused) as i64 >> unused;
            for index in (0..=len).chain(bounds(len)) {
                let raw = model.get(index, width).map(|bytes| {
                    let fold = |raw, byte: &u8| raw << 8 | u64::from(*byte);
                    (bytes.iter().fold(0, fold), bytes.iter().rev().fold(0, fold))
                });
                let (be, le) = (raw.map(|raw| raw.0), raw.map(|raw| raw.1));
                assert_eq!(buf.try_get_uint(index, width), be);
                assert_eq!(buf.try_get_uint_le(index, width), le);
                assert_eq!(buf.try_get_int(index, width), be.map(signed));
                assert_eq!(buf.try_get_int_le(index, width), le.map(signed));
            }
            buf.set_reader_index(1);
            let expected = buf.get_uint(1, width);
            assert_eq!(buf.read_uint(width), expected);
            assert_eq!(buf.reader_index(), 1 + width);
            buf.set_reader_index(len - width + 1);
            let error = Error::Underflow { needed: width, available: width - 1 };
            refused(buf, error, |buf| buf.try_read_uint(width));
            refused(buf, error, |buf| buf.try_read_int_le(width));
        }
        for nbytes in [0, 9, 16, usize::MAX] {
            let error = Error::InvalidWidth { nbytes, max: 8 };
            buf.set_reader_index(0);
            refused(buf, error, |buf| buf.try_get_uint(0, nbytes));
            refused(buf, error, |buf| buf.try_get_int_le(usize::MAX, nbytes));
            refused(buf, error, |buf| buf.try_read_uint_le(nbytes));
            refused(buf, error, |buf| buf.try_read_int(nbytes));
        }
    });
}

fn gets_varints<B: ByteBuf + ?Sized>(with: &With<B>) {
    // The value, where it starts, how long it is.
    let mut bytes = Vec::new();
    let mut numbers = Vec::new();
    for shift in 0..64 {
        for value in [1_u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
            let start = bytes.len();
            let mut rest = value;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
            numbers.push((value, start, bytes.len() - start));
        }
    }
    let zigzag = |raw: u64| if raw % 2 == 0 { (raw / 2) as i64 } else { -1 - (raw / 2) as i64 };
    with(&bytes, &mut |buf| {
        for &(value, start, len) in &numbers {
            assert_eq!(buf.get_varint_u64(start), (value, len));
            assert_eq!(buf.get_varint_i64(start), (zigzag(value), len));
            let narrow = u32::try_from(value).map(|value| (value, len)).ok();
            assert_eq!(buf.try_get_varint_u32(start), narrow.ok_or(Error::VarintOverflow));
            let signed = narrow.map(|(value, len)| (zigzag(value.into()) as i32, len));
            assert_eq!(buf.try_get_varint_i32(start), signed.ok_or(Error::VarintOverflow));
            assert_eq!(buf.reader_index(), start);
            if narrow.is_none() {
                refused(buf, Error::VarintOverflow, |buf| buf.try_read_varint_u32());
            }
            assert_eq!(buf.read_varint_u64(), value);
            assert_eq!(buf.reader_index(), start + len);
        }
        let error = Error::Underflow { needed: 1, available: 0 };
        refused(buf, error, |buf| buf.try_read_varint_u64());
        refused(buf, error, |buf| buf.try_read_varint_i32());
        let limit = buf.writer_index();
        for index in [limit + 1, usize::MAX] {
            refused_as!(buf, Error::OutOfBounds { .. }, buf.try_get_varint_u64(index));
        }
    });
    with(&[0xff; 3], &mut |buf| {
        refused(buf, Error::Underflow { needed: 4, available: 3 }, |buf| buf.try_read_varint_u64());
        let error = Error::OutOfBounds { index: 1, len: 3, limit: 3 };
        refused(buf, error, |buf| buf.try_get_varint_u64(1));
    });
    for endless in [10, 11, 30] {
        with(&vec![0x80; endless], &mut |buf| {
            refused(buf, Error::VarintOverflow, |buf| buf.try_read_varint_u64());
            refused(buf, Error::VarintOverflow, |buf| buf.try_read_varint_i32());
        });
    }
}

fn gets_text<B: ByteBuf + ?Sized>(with: &With<B>) {
    let text: &[u8] = "grün €uro 𝄞 and some more, to lie across the seams".as_bytes();
    with(text, &mut |buf| {
        for start in 0..=text.len() {
            for end in start..=text.len() {
                let expected = std::str::from_utf8(&text[start..end])
                    .map_err(|e| Error::InvalidUtf8 { valid_up_to: e.valid_up_to() });
                assert_eq!(buf.try_get_str(start, end - start).as_deref(), expected.as_deref());
            }
        }
        assert_eq!(buf.read_string(5), "grün");
        assert_eq!(buf.reader_index(), 5);
        buf.set_reader_index(6);
        refused(buf, Error::InvalidUtf8 { valid_up_to: 0 }, |buf| buf.try_read_string(2));
        let available = text.len() - 6;
        for needed in [available + 1, usize::MAX] {
            refused(buf, Error::Underflow { needed, available }, |buf| buf.try_read_string(needed));
        }
        for (index, len) in [(0, text.len() + 1), (text.len() + 1, 0), (usize::MAX, usize::MAX)] {
            refused_as!(buf, Error::OutOfBounds { .. }, buf.try_get_str(index, len));
        }
        assert_eq!(buf.try_get_str(text.len(), 0).as_deref(), Ok(""));
    });
}

fn moves_the_reader_index<B: ByteBuf + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        with(&content(len), &mut |buf| {
            let mut model = Model::new(&content(len), len);
            for index in (0..=len).rev().chain(bounds(len)).chain(0..=len) {
                match model.set_reader(index) {
                    Ok(()) => buf.set_reader_index(index),
                    Err(error) => refused(buf, error, |buf| buf.try_set_reader_index(index)),
                }
                assert_eq!(buf.reader_index(), model.reader);
                assert_eq!(buf.to_vec(), model.readable());
                for n in bounds(len) {
                    let mut ahead = model.clone();
                    match ahead.skip(n) {
                        Ok(()) => {
                            buf.skip(n);
                            assert_eq!(buf.reader_index(), ahead.reader);
                            buf.set_reader_index(model.reader);
                        }
                        Err(error) => refused(buf, error, |buf| buf.try_skip(n)),
                    }
                }
            }
        });
    }
}

fn shows_its_chunks<B: ByteBuf + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        let bytes = content(len);
        with(&bytes, &mut |buf| {
            for index in 0..=len {
                let chunk = buf.try_chunk(index).expect("in bounds");
                assert_eq!(chunk.is_empty(), index == len);
                assert_eq!(chunk, &bytes[index..index + chunk.len()]);
                assert_eq!(chunk.as_ptr(), buf.chunk(index).as_ptr(), "a copy");
            }
            for index in bounds(len).filter(|&index| index > len) {
                let error = Error::OutOfBounds { index, len: 0, limit: len };
                refused(buf, error, |buf| buf.try_chunk(index).map(<[u8]>::to_vec));
            }
            for start in [0, len / 2, len] {
                buf.set_reader_index(start);
                let one_chunk = buf.chunk(start).len() == len - start;
                assert_eq!(buf.is_contiguous(), one_chunk);
                assert_eq!(buf.as_contiguous(), one_chunk.then_some(&bytes[start..]));
                assert_eq!(joined_io_slices(buf, 256), &bytes[start..]);
                let few = joined_io_slices(buf, 2);
                assert!(bytes[start..].starts_with(&few) && (start == len || !few.is_empty()));
                assert_eq!(joined_io_slices(buf, 0), []);
            }
        });
    }
}

/// The pieces of a vectored write, none of them empty.
fn joined_io_slices<B: ByteBuf + ?Sized>(buf: &B, max: usize) -> Vec<u8> {
    let mut slices = vec![std::io::IoSlice::new(&[]); max];
    let n = buf.io_slices(&mut slices);
    assert!(slices[..n].iter().all(|piece| !piece.is_empty()));
    slices[..n].iter().flat_map(|piece| piece.iter().copied()).collect()
}

fn cuts_slices<B: ByteBuf + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        let bytes = content(len);
        with(&bytes, &mut |buf| {
            let step = 1 + len / 16;
            for start in (0..=len).step_by(step) {
                for end in (start..=len).step_by(step) {
                    let slice = buf.slice(start..end);
                    assert_eq!(slice, bytes[start..end]);
                    assert_eq!((slice.reader_index(), slice.writer_index()), (0, end - start));
                    assert_eq!(slice.capacity(), end - start);
                    assert_eq!(slice.max_capacity(), end - start);
                }
            }
            assert_eq!((buf.reader_index(), buf.to_vec()), (0, bytes.clone()));
            for start in bounds(len) {
                for end in bounds(len).filter(|&end| end > len || end < start) {
                    if start <= end {
                        let error =
                            Error::OutOfBounds { index: start, len: end - start, limit: len };
                        refused(buf, error, |buf| buf.try_slice(start..end));
                    } else {
                        refused_as!(buf, Error::InvalidIndex { .. }, buf.try_slice(start..end));
                    }
                }
            }

            // One frame after the other, all held.
            let mut model = Model::new(&bytes, len);
            let mut frames = Vec::new();
            for n in (0..).take_while(|n| n * n / 2 < len) {
                match model.read(n) {
                    Ok(expected) => frames.push((buf.read_slice(n), expected)),
                    Err(error) => refused(buf, error, |buf| buf.try_read_slice(n)),
                }
                assert_eq!(buf.reader_index(), model.reader);
            }
            for needed in bounds(len).filter(|&n| n > len) {
                let error = Error::Underflow { needed, available: buf.readable_bytes() };
                refused(buf, error, |buf| buf.try_read_slice(needed));
            }
            for (frame, expected) in &frames {
                assert_eq!(frame, expected);
            }
            drop(frames);
            assert_eq!(all_bytes(buf), bytes);
        });
    }
}

fn finds_bytes<B: ByteBuf + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        let bytes = content(len);
        let model = Model::new(&bytes, len);
        let present = bytes.iter().step_by(7).copied();
        let sought: Vec<u8> = present.chain([0, 0xff, b'\n']).collect();
        with(&bytes, &mut |buf| {
            let step = 1 + len / 20;
            for start in (0..=len).step_by(step) {
                buf.set_reader_index(start);
                for &byte in &sought {
                    let first = model.find(start..len, &[byte]);
                    assert_eq!(buf.find_byte(byte), first);
                    assert_eq!(buf.bytes_before(byte), first.map(|at| at - start));
                    assert_eq!(buf.rfind_byte(byte), model.rfind_byte(start..len, byte));
                    for end in (start..=len).step_by(step) {
                        assert_eq!(
                            buf.find_byte_in(start..end, byte),
                            model.find(start..end, &[byte])
                        );
                        assert_eq!(
                            buf.rfind_byte_in(start..end, byte),
                            model.rfind_byte(start..end, byte)
                        );
                    }
                }
                // A predicate sees each byte once, in order, until it says yes.
                let mut seen = Vec::new();
                assert_eq!(
                    ByteBuf::position(&buf, |byte| {
                        seen.push(byte);
                        false
                    }),
                    None
                );
                assert_eq!(seen, &bytes[start..]);
                seen.clear();
                assert_eq!(
                    ByteBuf::rposition(&buf, |byte| {
                        seen.push(byte);
                        false
                    }),
                    None
                );
                assert!(seen.iter().rev().eq(&bytes[start..]));
                let mut calls = 0;
                let third = ByteBuf::position(&buf, |_| {
                    calls += 1;
                    calls == 3
                });
                assert_eq!(third, (len - start >= 3).then(|| start + 2));
                let mut calls = 0;
                let third = ByteBuf::rposition(&buf, |_| {
                    calls += 1;
                    calls == 3
                });
                assert_eq!(third, (len - start >= 3).then(|| len - 3));
            }
            buf.set_reader_index(0);
            for start in bounds(len) {
                for end in bounds(len).filter(|&end| end > len || end < start) {
                    refused_as!(
                        buf,
                        Error::OutOfBounds { .. } | Error::InvalidIndex { .. },
                        buf.try_find_byte_in(start..end, 0)
                    );
                    refused_as!(
                        buf,
                        Error::OutOfBounds { .. } | Error::InvalidIndex { .. },
                        buf.try_rfind_byte_in(start..end, 0)
                    );
                    refused_as!(
                        buf,
                        Error::OutOfBounds { .. } | Error::InvalidIndex { .. },
                        buf.try_find_in(start..end, b"x")
                    );
                }
            }
        });
    }
}

fn finds_needles<B: ByteBuf + ?Sized>(with: &With<B>) {
    // Few letters, so that there are many beginnings that come to nothing.
    for len in [0, 1, 9, 90, 1100] {
        let bytes: Vec<u8> = content(len).iter().map(|byte| b'a' + byte % 2).collect();
        let model = Model::new(&bytes, len);
        with(&bytes, &mut |buf| {
            for n in [0, 1, 2, 3, 5, 8, 13, 40, 600] {
                for at in (0..=len.saturating_sub(n)).step_by(1 + len / 7) {
                    let needle = &bytes[at..len.min(at + n)];
                    for start in [0, at / 2, at] {
                        buf.set_reader_index(start);
                        assert_eq!(buf.find(needle), model.find(start..len, needle));
                        for end in [start, (start + at) / 2, at.min(len), len] {
                            let end = end.max(start);
                            assert_eq!(
                                buf.find_in(start..end, needle),
                                model.find(start..end, needle)
                            );
                        }
                    }
                }
            }
            assert_eq!(buf.find(b"abc"), None);
        });
    }
}

fn dumps<B: ByteBuf + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        let bytes = content(len);
        with(&bytes, &mut |buf| {
            buf.set_reader_index(len / 5);
            let dump = buf.hex_dump();
            let rows: Vec<&str> = dump.lines().collect();
            let readable = &bytes[len / 5..];
            assert_eq!(rows.len(), readable.len().div_ceil(16));
            for ((row, bytes), i) in rows.iter().zip(readable.chunks(16)).zip(0..) {
                assert!(row.starts_with(&format!("{:08x} ", len / 5 + 16 * i)));
                let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let columns: Vec<&str> =
                    row[9..row.find('|').unwrap()].split_whitespace().collect();
                assert_eq!(columns, hex);
            }
        });
    }
}
