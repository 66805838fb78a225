//! What can be written, where, and what is refused.

use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf};

use super::{ROOM, With};
use crate::model::Model;
use crate::numbers::{Setter, setters};
use crate::support::{LENGTHS, State, all_bytes, bounds, content, refused, refused_as};

// ---- every kind that can be written at all ----------------------------------

/// What holds wherever `ByteBufMut` is implemented.
pub fn writable<B: ByteBufMut + ?Sized>(with: &With<B>) {
    super::released::writing(with);
    refuses_what_is_out_of_bounds(with);
    moves_its_indices(with);
    discards_what_was_read(with);
}

fn refuses_what_is_out_of_bounds<B: ByteBufMut + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        let model = Model::new(&content(len), len);
        with(&content(len), &mut |buf| {
            for index in (0..=len + 1).chain(bounds(len)) {
                for Setter { shape, try_set, .. } in setters::<B>() {
                    if let Err(error) = model.get(index, shape.width) {
                        refused(buf, error, |buf| try_set(buf, index, 7));
                    }
                }
                for n in bounds(len) {
                    if let Err(error) = model.get(index, n.min(len + 1)) {
                        let src = vec![7; n.min(len + 1)];
                        refused(buf, error, |buf| buf.try_set_bytes(index, &src));
                    }
                    if let Err(error) = model.get(index, n) {
                        refused(buf, error, |buf| buf.try_set_zeros(index, n));
                    }
                }
                if let Err(error) = model.get(index, 3) {
                    refused(buf, error, |buf| buf.try_set_str(index, "abc"));
                    refused(buf, error, |buf| buf.try_set_uint(index, 1, 3));
                    refused(buf, error, |buf| buf.try_set_int_le(index, -1, 3));
                }
                if let Err(error) = model.get(index, 0) {
                    refused(buf, error, |buf| buf.try_chunk_mut(index).map(|chunk| chunk.len()));
                }
            }
            // Nothing can be set to nothing anywhere, also at the end.
            for index in 0..=len {
                assert_eq!(buf.try_set_bytes(index, &[]), Ok(()));
                assert_eq!(buf.try_set_zeros(index, 0), Ok(()));
                assert_eq!(buf.try_set_str(index, ""), Ok(0));
            }
            assert_eq!(buf.try_chunk_mut(len).map(|chunk| chunk.len()), Ok(0));
            for nbytes in [0, 9, usize::MAX] {
                let error = Error::InvalidWidth { nbytes, max: 8 };
                refused(buf, error, |buf| buf.try_set_uint(0, 1, nbytes));
                refused(buf, error, |buf| buf.try_write_int(1, nbytes));
            }
        });
    }
}

/// The indices, as far as no room is needed.
fn moves_its_indices<B: ByteBufMut + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        with(&content(len), &mut |buf| {
            let mut model = Model::new(&content(len), buf.max_capacity());
            for (reader, writer) in
                [(len / 4, len), (len / 3, len - len / 4), (len / 3, len / 3), (0, 0)]
            {
                for bad in bounds(len).filter(|&index| index < reader || index > model.max_capacity)
                {
                    let mut other = model.clone();
                    if let Err(error) = other.set_indices(reader, bad) {
                        refused(buf, error, |buf| buf.try_set_indices(reader, bad));
                    }
                    let mut other = model.clone();
                    if let Err(error) = other.set_writer(bad) {
                        refused(buf, error, |buf| buf.try_set_writer_index(bad));
                    }
                }
                buf.set_indices(reader, writer);
                // A slice is as long as what it shows; an owner may grow again.
                model.set_indices(reader, writer).unwrap();
                model.max_capacity = buf.max_capacity();
                assert_eq!((buf.reader_index(), buf.writer_index()), (reader, writer));
                assert_eq!(all_bytes(buf), model.bytes);
                assert_eq!(buf.writable_bytes(), buf.capacity() - writer);
                assert_eq!(buf.max_writable_bytes(), buf.max_capacity() - writer);
                assert_eq!(buf.spare_capacity_mut().len(), buf.writable_bytes());
                assert_eq!(buf.is_writable(), buf.writable_bytes() != 0);
            }
        });
        with(&content(len), &mut |buf| {
            buf.set_reader_index(len / 2);
            buf.clear();
            assert_eq!((buf.reader_index(), buf.writer_index()), (0, 0));
            buf.clear();
            assert_eq!(buf.to_vec(), []);
        });
    }
}

fn discards_what_was_read<B: ByteBufMut + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        for reader in [0, 1.min(len), len / 2, len] {
            with(&content(len), &mut |buf| {
                buf.set_reader_index(reader);
                buf.discard_read_bytes();
                assert_eq!((buf.reader_index(), buf.writer_index()), (0, len - reader));
                assert_eq!(all_bytes(buf), content(len)[reader..]);
                buf.discard_read_bytes();
                assert_eq!(all_bytes(buf), content(len)[reader..]);
                assert!(buf.capacity() <= buf.max_capacity());
                assert_eq!(buf.slice(0..len - reader), content(len)[reader..]);
            });
        }
    }
    // A bit each time, as a decoder does.
    with(&content(90), &mut |buf| {
        for n in 0..13 {
            let expected = buf.to_vec()[n..].to_vec();
            buf.skip(n);
            buf.discard_read_bytes();
            assert_eq!(all_bytes(buf), expected);
        }
    });
}

// ---- kinds that may overwrite what they have ----------------------------------

/// Writing in place, everywhere.
pub fn sets<B: ByteBufMut + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        let mut model = Model::new(&content(len), len);
        with(&content(len), &mut |buf| {
            let fixed = State::of(buf);
            // Bits that depend on where they are written.
            let mut bits = 0x0123_4567_89ab_cdef_u128;
            for Setter { shape, set, try_set, .. } in setters::<B>() {
                for index in 0..(len + 1).saturating_sub(shape.width) {
                    bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
                        ^ index as u128;
                    model.set(index, &shape.encode(bits)).unwrap();
                    match index % 2 {
                        0 => set(buf, index, bits),
                        _ => assert_eq!(try_set(buf, index, bits), Ok(()), "{}", shape.name),
                    }
                    let window = index.saturating_sub(2)..len.min(index + shape.width + 2);
                    let mut near = vec![0; window.len()];
                    buf.get_bytes(window.start, &mut near);
                    assert_eq!(near, model.bytes[window], "{} at {index}", shape.name);
                }
            }
            assert_eq!(all_bytes(buf), model.bytes);
            for n in 1..=len.min(20) {
                for index in (0..=len - n).step_by(3) {
                    let src = content(index + n).split_off(index);
                    buf.set_bytes(index, &src);
                    model.set(index, &src).unwrap();
                }
                assert_eq!(all_bytes(buf), model.bytes);
            }
            for width in 1..=len.min(8) {
                for index in 0..=len - width {
                    let value = 0xf1e2_d3c4_b5a6_9788 - index as u64;
                    buf.set_uint(index, value, width);
                    assert_eq!(buf.get_uint(index, width), value & (u64::MAX >> (64 - 8 * width)));
                    buf.set_int_le(index, -2, width);
                    assert_eq!(buf.get_int_le(index, width), -2);
                    model.set(index, &(-2_i64).to_le_bytes()[..width]).unwrap();
                }
            }
            for n in 0..=len {
                let index = (len - n) / 2;
                model.set(index, &vec![0; n]).unwrap();
                buf.set_zeros(index, n);
                assert_eq!(all_bytes(buf), model.bytes);
                // For the next turn, something that is not 0.
                model.set(0, &content(len)).unwrap();
                buf.set_bytes(0, &content(len));
            }
            if len >= 6 {
                assert_eq!(buf.set_str(1, "grün"), 5);
                model.set(1, "grün".as_bytes()).unwrap();
            }
            for index in (0..len).step_by(4) {
                let chunk = buf.chunk_mut(index);
                assert_eq!(chunk, &model.bytes[index..index + chunk.len()]);
                chunk[0] ^= 0xff;
                model.bytes[index] ^= 0xff;
            }
            assert_eq!(all_bytes(buf), model.bytes);
            assert_eq!(State::of(buf), State::of_other_bytes(fixed.clone(), &model.bytes));
            buf.set_writer_index(len - len / 3);
            model.set_writer(len - len / 3).unwrap();
            refuses_at_the_end(buf, &model);
        });
    }
}

/// A number that starts before the end and goes beyond it.
fn refuses_at_the_end<B: ByteBufMut + ?Sized>(buf: &mut B, model: &Model) {
    for Setter { shape, try_set, .. } in setters::<B>() {
        for back in 0..shape.width {
            let Some(index) = model.writer().checked_sub(back) else { continue };
            let error = model.get(index, shape.width).unwrap_err();
            refused(buf, error, |buf| try_set(buf, index, 1));
        }
    }
}

// ---- kinds that may not -------------------------------------------------------

/// Somebody else sees the bytes.
pub fn refuses_shared<B: ByteBufMut + ?Sized>(with: &With<B>) {
    refuses_to_overwrite(with, Error::Shared);
}

/// Nobody may change the bytes.
pub fn refuses_read_only<B: ByteBufMut + ?Sized>(with: &With<B>) {
    refuses_to_overwrite(with, Error::ReadOnly);
}

fn refuses_to_overwrite<B: ByteBufMut + ?Sized>(with: &With<B>, error: Error) {
    for len in [1, 16, 64, 100] {
        with(&content(len), &mut |buf| {
            for Setter { shape, try_set, .. } in setters::<B>() {
                for index in (0..(len + 1).saturating_sub(shape.width)).step_by(3) {
                    refused(buf, error, |buf| try_set(buf, index, 1));
                }
            }
            for index in 0..len {
                refused(buf, error, |buf| buf.try_set_bytes(index, b"x"));
                refused(buf, error, |buf| buf.try_set_bytes(0, &vec![7; index + 1]));
                refused(buf, error, |buf| buf.try_set_zeros(index, len - index));
                refused(buf, error, |buf| buf.try_set_str(index, "x"));
                refused(buf, error, |buf| buf.try_set_uint(index, 1, 1));
                refused(buf, error, |buf| buf.try_chunk_mut(index).map(|chunk| chunk.len()));
                assert!(!buf.set_window(index, b"x"));
            }
            assert_eq!(all_bytes(buf), content(len));
        });
    }
}

/// Shrinks only.
pub fn never_grows<B: ByteBufMut + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        with(&content(len), &mut |buf| {
            assert_eq!((buf.capacity(), buf.max_capacity()), (len, len));
            assert_eq!((buf.is_writable(), buf.max_writable_bytes()), (false, 0));
            let overflow = |needed| Error::Overflow { needed, available: 0 };
            let mut src = HeapBuf::from(vec![1, 2, 3]);
            for Setter { shape, try_write, .. } in setters::<B>() {
                refused(buf, overflow(shape.width), |buf| try_write(buf, 1));
            }
            for n in [1, 2, 100] {
                refused(buf, overflow(n), |buf| buf.try_write_bytes(&content(n)));
            }
            for n in [1, usize::MAX] {
                refused(buf, overflow(n), |buf| buf.try_write_zeros(n));
                refused(buf, overflow(n), |buf| buf.try_ensure_writable(n));
                refused(buf, overflow(n), |buf| buf.try_make_room(n));
            }
            refused(buf, overflow(3), |buf| buf.try_write_buf(&mut src, 3));
            assert_eq!(src.reader_index(), 0);
            refused(buf, overflow(1), |buf| buf.try_write_str("x"));
            refused(buf, overflow(2), |buf| buf.try_write_varint_u64(300));
            refused_as!(buf, Error::InvalidIndex { .. }, buf.try_set_writer_index(len + 1));
            assert!(buf.read_from(&mut &b"x"[..], 1).is_err());

            // No bytes fit.
            assert_eq!(buf.try_write_bytes(b""), Ok(()));
            assert_eq!(buf.try_write_zeros(0), Ok(()));
            assert_eq!(buf.try_ensure_writable(0), Ok(()));
            assert_eq!(buf.try_make_room(0), Ok(()));
            assert_eq!(buf.try_write_buf(&mut src, 0), Ok(()));
            assert_eq!(all_bytes(buf), content(len));

            buf.set_writer_index(len / 2);
            assert_eq!((buf.capacity(), buf.max_capacity()), (len / 2, len / 2));
            refused_as!(buf, Error::InvalidIndex { .. }, buf.try_set_writer_index(len / 2 + 1));
        });
    }
}

// ---- kinds that grow ------------------------------------------------------------

pub fn grows<B: ByteBufMut + ?Sized>(with: &With<B>) {
    appends_numbers(with);
    appends_runs_of_bytes(with);
    appends_other_buffers(with);
    makes_room(with);
    shows_its_room(with);
    stays_below_its_limit(with);
}

fn appends_numbers<B: ByteBufMut + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        with(&content(len), &mut |buf| {
            let mut model = Model::new(&content(len), buf.max_capacity());
            for turn in 0..20_u128 {
                for Setter { shape, write, try_write, .. } in setters::<B>() {
                    let bits = (turn + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
                    model.write(&shape.encode(bits)).unwrap();
                    match turn % 2 {
                        0 => write(buf, bits),
                        _ => assert_eq!(try_write(buf, bits), Ok(())),
                    }
                    assert_eq!(buf.writer_index(), model.writer());
                }
                for width in 1..=8 {
                    buf.write_uint(0xf1e2_d3c4_b5a6_9788, width);
                    model.write(&0xf1e2_d3c4_b5a6_9788_u64.to_be_bytes()[8 - width..]).unwrap();
                    buf.write_int_le(-3, width);
                    model.write(&(-3_i64).to_le_bytes()[..width]).unwrap();
                }
            }
            assert_eq!(all_bytes(buf), model.bytes);

            // Varints come back as they went in.
            buf.set_reader_index(buf.writer_index());
            let numbers = (0..64).flat_map(|shift| [1_u64 << shift, !0 >> shift, (1 << shift) - 1]);
            for number in numbers.clone() {
                let start = buf.writer_index();
                buf.write_varint_u64(number);
                assert_eq!(buf.writer_index() - start, refbuf::varint_len_u64(number));
                buf.write_varint_i64(number as i64);
                buf.write_varint_i64((number as i64).wrapping_neg());
                buf.write_varint_u32(number as u32);
                buf.write_varint_i32(number as i32);
            }
            for number in numbers {
                assert_eq!(buf.read_varint_u64(), number);
                assert_eq!(buf.read_varint_i64(), number as i64);
                assert_eq!(buf.read_varint_i64(), (number as i64).wrapping_neg());
                assert_eq!(buf.read_varint_u32(), number as u32);
                assert_eq!(buf.read_varint_i32(), number as i32);
            }
            assert!(!buf.is_readable());
        });
    }
}

fn appends_runs_of_bytes<B: ByteBufMut + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        with(&content(len), &mut |buf| {
            let mut model = Model::new(&content(len), buf.max_capacity());
            for n in (0..40).chain([100, 1000, 5000]) {
                buf.write_bytes(&content(n));
                model.write(&content(n)).unwrap();
                buf.write_zeros(n);
                model.write_zeros(n).unwrap();
                assert_eq!(buf.write_str("grün"), 5);
                model.write("grün".as_bytes()).unwrap();
                let writer = model.writer() + n / 2;
                buf.set_writer_index(writer);
                model.set_writer(writer).unwrap();
                assert_eq!(buf.writer_index(), model.writer());
            }
            assert_eq!(all_bytes(buf), model.bytes);
            // Back, and forward again: what is there now was written now.
            let writer = model.writer();
            buf.set_writer_index(writer / 2);
            model.set_writer(writer / 2).unwrap();
            buf.write_str("over the old");
            model.write(b"over the old").unwrap();
            buf.set_writer_index(writer);
            model.set_writer(writer).unwrap();
            assert_eq!(all_bytes(buf), model.bytes);
        });
    }
}

fn appends_other_buffers<B: ByteBufMut + ?Sized>(with: &With<B>) {
    let sources = || -> [Box<dyn ByteBuf>; 3] {
        [
            Box::new(HeapBuf::from(content(90))),
            Box::new(content(90).chunks(7).map(<[u8]>::to_vec).collect::<CompositeBuf>()),
            Box::new(refbuf::SliceBuf::from_owner(content(90))),
        ]
    };
    for mut src in sources() {
        with(&content(5), &mut |buf| {
            src.set_reader_index(1);
            buf.write_buf(&mut src, 30);
            assert_eq!((src.reader_index(), src.writer_index()), (31, 90));
            assert_eq!(all_bytes(buf), [&content(5)[..], &content(90)[1..31]].concat());
            let available = 59;
            for needed in [60, usize::MAX] {
                refused(buf, Error::Underflow { needed, available }, |buf| {
                    buf.try_write_buf(&mut src, needed)
                });
                assert_eq!(src.reader_index(), 31);
            }
            buf.write_buf(&mut src, 59);
            assert_eq!(all_bytes(buf), [&content(5)[..], &content(90)[1..]].concat());
        });
    }
}

fn makes_room<B: ByteBufMut + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        for n in [0, 1, 100, ROOM / 2] {
            with(&content(len), &mut |buf| {
                buf.set_reader_index(len / 2);
                buf.ensure_writable(n);
                assert!(buf.writable_bytes() >= n);
                assert!(buf.capacity() <= buf.max_capacity());
                assert_eq!((buf.reader_index(), buf.writer_index()), (len / 2, len));
                let state = State::of(buf);
                // There is room: nothing may move.
                let room = buf.spare_capacity_mut().as_ptr_range();
                buf.ensure_writable(n);
                buf.make_room(n);
                assert_eq!(buf.spare_capacity_mut().as_ptr_range(), room);
                assert_eq!(State::of(buf), state);
                buf.write_bytes(&content(n));
                if n != 0 {
                    assert_eq!(buf.chunk(len).as_ptr(), room.start.cast());
                }
                assert_eq!(all_bytes(buf), [content(len), content(n)].concat());
            });
            with(&content(len), &mut |buf| {
                buf.set_reader_index(len / 2);
                buf.make_room(n);
                assert!(buf.writable_bytes() >= n);
                assert!(buf.capacity() <= buf.max_capacity());
                assert!(buf.reader_index() <= len / 2);
                assert_eq!(buf.to_vec(), content(len)[len / 2..]);
                buf.write_bytes(&content(n));
                assert_eq!(buf.to_vec(), [&content(len)[len / 2..], &content(n)].concat());
            });
        }
    }
}

fn shows_its_room<B: ByteBufMut + ?Sized>(with: &With<B>) {
    for len in LENGTHS {
        with(&content(len), &mut |buf| {
            let mut model = Model::new(&content(len), buf.max_capacity());
            for n in [1, 10, 300] {
                buf.ensure_writable(n);
                for (slot, byte) in buf.spare_capacity_mut().iter_mut().zip(content(n)) {
                    slot.write(byte);
                }
                // Not written as far as anybody can tell.
                assert_eq!(all_bytes(buf), model.bytes);
                // SAFETY: there is room for `n` bytes, and they were written.
                unsafe { buf.advance_writer(n) };
                model.write(&content(n)).unwrap();
                assert_eq!(all_bytes(buf), model.bytes);
            }
        });
    }
}

fn stays_below_its_limit<B: ByteBufMut + ?Sized>(with: &With<B>) {
    with(&content(20), &mut |buf| {
        let available = buf.max_capacity() - 20;
        let mut src = HeapBuf::from(vec![1, 2, 3]);
        for needed in [available.saturating_add(1), usize::MAX - 10, usize::MAX] {
            if needed == available {
                continue;
            }
            let error = Error::Overflow { needed, available };
            refused(buf, error, |buf| buf.try_write_zeros(needed));
            refused(buf, error, |buf| buf.try_ensure_writable(needed));
            refused_as!(buf, Error::Overflow { .. }, buf.try_make_room(needed));
        }
        if available < usize::MAX / 2 {
            for Setter { shape, try_write, .. } in setters::<B>() {
                buf.set_writer_index(buf.max_capacity() - (shape.width - 1));
                let error = Error::Overflow { needed: shape.width, available: shape.width - 1 };
                refused(buf, error, |buf| try_write(buf, 1));
            }
            buf.set_writer_index(buf.max_capacity());
            let error = Error::Overflow { needed: 3, available: 0 };
            refused(buf, error, |buf| buf.try_write_bytes(b"abc"));
            refused(buf, error, |buf| buf.try_write_str("abc"));
            refused(buf, error, |buf| buf.try_write_buf(&mut src, 3));
            assert_eq!(src.reader_index(), 0);
            assert_eq!((buf.capacity(), buf.writable_bytes()), (buf.max_capacity(), 0));
            assert!(buf.read_from(&mut &b"abc"[..], 3).is_err());
        } else {
            refused_as!(buf, Error::Alloc { .. }, buf.try_ensure_writable(isize::MAX as usize));
            refused_as!(buf, Error::Alloc { .. }, buf.try_write_zeros(isize::MAX as usize));
            refused_as!(buf, Error::Alloc { .. }, buf.try_set_writer_index(isize::MAX as usize));
            refused_as!(buf, Error::Alloc { .. }, buf.try_make_room(isize::MAX as usize));
        }
        assert_eq!(all_bytes(buf)[..20], content(20));
    });
}
