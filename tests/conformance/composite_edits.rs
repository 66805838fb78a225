//! What is done to the components of a composite: adding, taking out, cutting,
//! discarding; and that no cached place outlives it.

#[cfg(feature = "mmap")]
use refbuf::DirectBuf;
use refbuf::{ByteBuf, ByteBufMut, CompositeBuf, Error, HeapBuf, SliceBuf};

use crate::support::{State, all_bytes, content, refused, refused_as};

fn of(pieces: &[&[u8]]) -> CompositeBuf {
    pieces.iter().map(|piece| piece.to_vec()).collect()
}

/// The pieces, as they are found in three ways.
fn pieces(buf: &CompositeBuf) -> Vec<&[u8]> {
    let pieces: Vec<&[u8]> = buf.components().collect();
    let starts = (0..).map_while(|component| buf.component_start(component));
    let mut at = 0;
    for ((component, piece), start) in pieces.iter().enumerate().zip(starts) {
        assert_eq!((start, buf.component(component)), (at, Some(*piece)));
        for index in at..at + piece.len() {
            assert_eq!(buf.component_at(index), Some(component));
        }
        at += piece.len();
    }
    assert_eq!((buf.writer_index(), buf.component_at(at)), (at, None));
    assert_eq!((buf.component(pieces.len()), buf.component_start(pieces.len())), (None, None));
    pieces
}

// ---- adding ------------------------------------------------------------------

#[test]
fn components_are_found_by_index_and_index_by_component() {
    let buf = of(&[b"12345", b"abc", b"defghij", b"k"]);
    assert_eq!(pieces(&buf), [&b"12345"[..], b"abc", b"defghij", b"k"]);
    assert_eq!([4, 5, 15].map(|index| buf.component_at(index)), [Some(0), Some(1), Some(3)]);
    let mut iter = buf.components();
    assert_eq!((iter.len(), iter.nth(2)), (4, Some(&b"defghij"[..])));
    assert_eq!((iter.next_back(), iter.next(), iter.next()), (Some(&b"k"[..]), None, None));
}

#[test]
fn appending_leaves_no_hole_whatever_room_there_was() {
    let mut buf = CompositeBuf::new();
    buf.write_u8(1);
    assert!(buf.writable_bytes() > 0);
    buf.push(vec![2, 3]);
    let mut roomy = HeapBuf::with_capacity(64);
    roomy.write_u8(4);
    buf.push(roomy);
    buf.write_u8(5);
    buf.push(vec![6]);
    assert_eq!(pieces(&buf), [&[1][..], &[2, 3], &[4, 5], &[6]]);
    assert_eq!(all_bytes(&buf), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn what_is_written_after_a_push_goes_behind_what_was_written_before() {
    let mut buf = CompositeBuf::new();
    for i in 0..20 {
        buf.write_u32(0);
        buf.push(vec![i; 10]);
    }
    let places: Vec<_> = buf.components().step_by(2).map(<[u8]>::as_ptr).collect();
    assert!(places.iter().zip(&places[1..]).all(|(a, b)| a.wrapping_add(4) == *b));
    // What is in one block is as writable as if it were not.
    for i in 0..20 {
        buf.set_u32(14 * i, 10);
    }
    assert_eq!(buf.get_u32(14 * 19), 10);

    // When all of it is gone, the whole block is used again.
    let block = places[0];
    buf.skip(buf.readable_bytes());
    buf.discard_read_components();
    buf.ensure_writable(1000);
    buf.write_u8(1);
    assert_eq!(buf.chunk(0).as_ptr(), block);
}

#[test]
fn cutting_off_all_bytes_leaves_the_room_behind_them() {
    let mut buf = CompositeBuf::new();
    buf.write_u32(7);
    let behind = buf.chunk(0).as_ptr().wrapping_add(4);
    assert_eq!(buf.split_to(4), [0, 0, 0, 7]);
    buf.write_u8(1);
    assert_eq!(buf.chunk(0).as_ptr(), behind);
}

#[test]
fn room_in_a_large_block_is_given_up_with_it() {
    let mut buf = CompositeBuf::new();
    let mut large = HeapBuf::with_capacity(1 << 20);
    large.write_u8(1);
    buf.push(large);
    buf.push(vec![2]);
    buf.skip(1);
    buf.discard_read_components();
    assert!(buf.allocation_len() < 100);
}

#[test]
fn empty_components_vanish_wherever_they_are_put() {
    let mut buf = CompositeBuf::new();
    buf.push("");
    buf.push(vec![1]);
    buf.push(HeapBuf::with_capacity(10));
    buf.push(vec![2]);
    buf.insert(1, SliceBuf::new());
    buf.insert(0, CompositeBuf::new());
    buf.insert(2, "");
    assert_eq!(pieces(&buf), [&[1][..], &[2]]);
    let mut both = [0; 2];
    buf.get_bytes(0, &mut both);
    assert_eq!((both, buf.capacity()), ([1, 2], 2));
    // One that was read is empty too, and is let go at once.
    let owner = SliceBuf::from(vec![3]);
    let mut read = owner.clone();
    read.skip(1);
    buf.push(read);
    assert_eq!((buf.component_count(), owner.ref_count()), (2, 1));
}

#[test]
fn adding_takes_the_reference_and_also_when_it_fails() {
    let slice = SliceBuf::from(content(8));
    let mut buf = CompositeBuf::with_max_capacity(20);
    buf.push(slice.clone());
    buf.push(slice.clone());
    assert_eq!(slice.ref_count(), 3);
    let full = Error::Overflow { needed: 8, available: 4 };
    refused(&mut buf, full, |buf| buf.try_push(slice.clone()));
    refused(&mut buf, full, |buf| buf.try_insert(1, slice.clone()));
    assert_eq!(slice.ref_count(), 3, "the refused ones are gone");
    refused_as!(&mut buf, Error::InvalidIndex { .. }, buf.try_insert(3, slice.clone()));
    refused_as!(&mut buf, Error::InvalidIndex { .. }, buf.try_replace(2, slice.clone()));
    assert_eq!(slice.ref_count(), 3);
    let mut gone = slice.clone();
    gone.release();
    refused(&mut buf, Error::Released, |buf| buf.try_push(gone));
    drop(buf);
    assert_eq!(slice.ref_count(), 1);
}

#[test]
fn a_composite_in_a_composite_is_taken_apart() {
    let payload = SliceBuf::from(b"payload".to_vec());
    let mut inner = of(&[b"1", b"2"]);
    inner.push(payload.clone());
    inner.skip(1);
    let mut buf = of(&[b"0"]);
    buf.push(inner);
    buf.push(of(&[]));
    assert_eq!(pieces(&buf), [&b"0"[..], b"2", b"payload"]);
    assert_eq!(payload.ref_count(), 2);
    // All of its components are readable by themselves.
    let mut outer = of(&[]);
    outer.push(buf);
    assert_eq!(outer.read_slice(9), "02payload");
    outer.release();
    assert_eq!(payload.ref_count(), 1);
}

#[test]
fn only_the_readable_part_of_what_is_added_is_seen() {
    let mut first = CompositeBuf::new();
    first.push(b"---01234".to_vec());
    first.skip(3);
    let mut second = CompositeBuf::new();
    second.push(first);
    let last = second.component_count() - 1;
    let piece = second.component_slice(last);
    assert_eq!((piece.as_slice(), piece.reader_index()), (&b"01234"[..], 0));
    assert_eq!(second.remove(last), "01234");
    second.push(piece);
    assert_eq!((second.to_vec(), second.reader_index()), (b"01234".to_vec(), 0));
}

#[test]
fn pieces_of_a_part_keep_their_bounds() {
    let inner = of(&[&[1, 2], &[3, 4]]);
    let part = inner.into_iter().collect::<CompositeBuf>().split_off(1).split_to(2);
    let mut buf = CompositeBuf::new();
    buf.push(part);
    let mut slices = [std::io::IoSlice::new(&[]); 4];
    assert_eq!(buf.io_slices(&mut slices), 2);
    assert_eq!([&slices[0][..], &slices[1][..]], [[2], [3]]);
}

#[test]
fn the_sum_of_lengths_cannot_overflow() {
    // The largest piece that can be had without memory, again and again.
    static ZEROS: [u8; 1 << 20] = [0; 1 << 20];
    let mut buf = CompositeBuf::with_max_capacity(10 << 20);
    while buf.max_writable_bytes() >= ZEROS.len() {
        buf.push(&ZEROS[..]);
    }
    buf.push(&ZEROS[..0]);
    let full = Error::Overflow { needed: 1 << 20, available: 0 };
    refused(&mut buf, full, |buf| buf.try_push(&ZEROS[..]));
    refused(&mut buf, full, |buf| buf.try_push(SliceBuf::from_static(&ZEROS)));
    refused(&mut buf, full, |buf| {
        let many: CompositeBuf = [&ZEROS[..1 << 19], &ZEROS[1 << 19..]].into_iter().collect();
        buf.try_push(many)
    });
    refused(&mut buf, Error::Overflow { needed: usize::MAX, available: 0 }, |buf| {
        buf.try_write_zeros(usize::MAX)
    });
    assert_eq!((buf.component_count(), buf.writer_index()), (10, 10 << 20));
}

#[test]
fn many_small_components_are_never_copied() {
    let frames: Vec<SliceBuf> = (0..4096).map(|i| SliceBuf::from(vec![i as u8; 1024])).collect();
    let buf: CompositeBuf = frames.iter().cloned().collect();
    assert_eq!(buf.component_count(), 4096);
    for (component, frame) in buf.components().zip(&frames) {
        assert_eq!(component.as_ptr(), frame.as_slice().as_ptr());
    }
}

// ---- taking out ----------------------------------------------------------------

#[test]
fn components_are_removed_from_any_place() {
    let mut buf: CompositeBuf = (0..10).map(|i| vec![i; 2]).collect();
    for _ in 4..7 {
        assert_eq!(buf.remove(4).writer_index(), 2);
    }
    assert_eq!((buf.component_count(), buf.writer_index()), (7, 14));
    assert_eq!(pieces(&buf)[3..5], [[3, 3], [7, 7]]);
    assert_eq!(buf.remove(6), [9, 9]);
    assert_eq!(buf.capacity(), 12);
    while buf.component_count() != 0 {
        buf.remove(0);
    }
    assert_eq!((buf.reader_index(), buf.writer_index(), buf.capacity()), (0, 0, 0));
    refused_as!(&mut buf, Error::InvalidIndex { .. }, buf.try_remove(0));
}

#[test]
fn the_reader_index_stays_at_its_byte() {
    let start = || {
        let mut buf = of(&[b"ab", b"cd", b"ef", b"gh"]);
        buf.skip(5);
        buf
    };
    let next = |buf: &CompositeBuf| buf.get_u8(buf.reader_index());
    let mut buf = start();
    buf.remove(0);
    assert_eq!((buf.reader_index(), next(&buf)), (3, b'f'));
    let mut buf = start();
    buf.remove(3);
    assert_eq!((buf.reader_index(), next(&buf)), (5, b'f'));
    let mut buf = start();
    assert_eq!(buf.remove(2), "ef");
    assert_eq!((buf.reader_index(), next(&buf)), (4, b'g'), "at the gap");
    let mut buf = start();
    buf.insert(1, "12345");
    assert_eq!((buf.reader_index(), next(&buf)), (10, b'f'));
    let mut buf = start();
    buf.insert(3, "12345");
    assert_eq!((buf.reader_index(), next(&buf)), (5, b'f'));
    let mut buf = start();
    assert_eq!(buf.replace(0, "1"), "ab");
    assert_eq!((buf.reader_index(), next(&buf)), (4, b'f'));
}

#[test]
fn what_is_taken_out_is_readable_as_it_was() {
    let slice = SliceBuf::from(content(20));
    let mut buf = of(&[b"a"]);
    buf.push(slice.slice(5..15));
    buf.skip(4);
    let gone = buf.remove(1);
    assert_eq!((gone.as_slice(), gone.ref_count()), (&content(20)[5..15], 2));
    assert_eq!(gone.as_slice().as_ptr(), slice.as_slice()[5..].as_ptr());
    drop(buf);
    let all: Vec<SliceBuf> = of(&[b"x", b"yz"]).into_iter().collect();
    assert_eq!((all[0].as_slice(), all[1].as_slice()), (&b"x"[..], &b"yz"[..]));
}

#[test]
fn shortening_lets_go_of_what_lies_behind() {
    let slices: Vec<SliceBuf> = (0..4).map(|i| SliceBuf::from(vec![i; 4])).collect();
    let mut buf: CompositeBuf = slices.iter().cloned().collect();
    buf.get_u8(15);
    buf.set_writer_index(6);
    assert_eq!(slices.each_count(), [2, 2, 1, 1]);
    assert_eq!((pieces(&buf), buf.try_get_u8(6).is_err()), (vec![&[0; 4][..], &[1; 2]], true));
    // What is written now is not in the slice's memory.
    buf.write_bytes(&[9; 4]);
    assert_eq!((slices[1].to_vec(), all_bytes(&buf)[6..].to_vec()), (vec![1; 4], vec![9; 4]));
    buf.clear();
    assert_eq!((slices.each_count(), buf.component_count()), ([1; 4], 0));
}

trait EachCount {
    fn each_count(&self) -> [usize; 4];
}

impl EachCount for Vec<SliceBuf> {
    fn each_count(&self) -> [usize; 4] {
        [0, 1, 2, 3].map(|i: usize| self[i].ref_count())
    }
}

// ---- reading on and discarding ---------------------------------------------------

/// Gives up what was read, in one of two ways.
type Discard = fn(&mut CompositeBuf);
const DISCARDS: [Discard; 2] =
    [CompositeBuf::discard_read_components, <CompositeBuf as ByteBufMut>::discard_read_bytes];

#[test]
fn a_cached_component_is_forgotten_when_it_is_discarded() {
    for discard in DISCARDS {
        let slices: Vec<SliceBuf> =
            (0..4_u32).map(|i| SliceBuf::from(i.to_be_bytes().to_vec())).collect();
        let mut buf: CompositeBuf = slices.iter().cloned().collect();
        let count = |buf: &mut CompositeBuf, skip: usize| {
            buf.skip(skip);
            discard(buf);
            buf.component_count()
        };
        assert_eq!(count(&mut buf, 2), 4);
        assert_eq!(count(&mut buf, 3), 3);
        buf.skip(3);
        assert_eq!(buf.read_u32(), 2);
        assert_eq!(count(&mut buf, 0), 1);
        assert_eq!(buf.read_u32(), 3);
        assert_eq!(count(&mut buf, 0), 0);
        assert_eq!(slices.each_count(), [1; 4]);
        refused(&mut buf, Error::Underflow { needed: 1, available: 0 }, |buf| buf.try_read_u8());
    }
}

#[test]
fn components_with_an_offset_inside_are_read_right_after_discarding() {
    for discard in DISCARDS {
        let mut buf = CompositeBuf::new();
        let mut expected = Vec::new();
        for i in 0..3 {
            let mut piece = HeapBuf::from(content(9 + 20 + i));
            piece.skip(9);
            expected.extend_from_slice(piece.as_slice());
            #[cfg(feature = "mmap")]
            {
                let mut direct = DirectBuf::new();
                direct.write_bytes(&[0xee; 9]);
                direct.write_bytes(piece.as_slice());
                direct.skip(9);
                let mut inner = CompositeBuf::new();
                inner.push(direct);
                buf.push(inner);
            }
            #[cfg(not(feature = "mmap"))]
            buf.push(piece);
        }
        for (at, &byte) in expected.iter().enumerate() {
            assert_eq!(buf.read_u8(), byte, "at {at}");
            discard(&mut buf);
            assert_eq!(buf.to_vec(), expected[at + 1..]);
        }
    }
}

#[test]
fn every_way_of_reading_and_discarding_reads_on_at_the_right_byte() {
    // All pairs of how much is read between two discards.
    let bytes = content(40);
    for discard in DISCARDS {
        for first in 0..20 {
            for second in 0..20 {
                let mut buf: CompositeBuf = [4, 4, 1, 9, 2, 7, 13]
                    .iter()
                    .scan(0, |at, n| {
                        *at += n;
                        Some(bytes[*at - n..*at].to_vec())
                    })
                    .collect();
                buf.skip(first);
                discard(&mut buf);
                buf.get_u8(buf.writer_index() - 1);
                buf.skip(second);
                discard(&mut buf);
                pieces(&buf);
                assert_eq!(buf.to_vec(), bytes[first + second..]);
                if buf.readable_bytes() >= 2 {
                    assert_eq!(buf.read_u16().to_be_bytes(), bytes[first + second..][..2]);
                }
            }
        }
    }
}

#[test]
fn slices_do_not_notice_that_their_components_are_discarded() {
    let mut buf = of(&[b"abc", b"def", b"ghi"]);
    let inside = buf.slice(3..6);
    let across = buf.slice(1..8);
    let frame = buf.read_slice(2);
    buf.skip(buf.readable_bytes());
    buf.discard_read_components();
    buf.write_bytes(&[0xee; 100]);
    assert_eq!((inside, across, frame), (SliceBuf::from("def"), "bcdefgh".into(), "ab".into()));
}

#[test]
fn discarding_everything_or_nothing_works() {
    for discard in DISCARDS {
        let mut empty = CompositeBuf::new();
        discard(&mut empty);
        assert_eq!(empty, "");
        let mut buf = of(&[b"ab", b"c"]);
        discard(&mut buf);
        assert_eq!(buf, "abc");
        buf.skip(3);
        discard(&mut buf);
        discard(&mut buf);
        assert_eq!((buf.reader_index(), buf.writer_index()), (0, 0));
        buf.write_u8(7);
        assert_eq!(buf.read_u8(), 7);
    }
}

#[test]
fn one_byte_written_and_read_many_times() {
    let mut buf = CompositeBuf::new();
    for i in 0..65 {
        buf.write_u8(i);
        assert_eq!(buf.read_u8(), i);
    }
    assert_eq!(buf.component_count(), 1);
}

// ---- writing ---------------------------------------------------------------------

#[test]
fn a_write_across_a_shared_component_changes_nothing() {
    let slice = SliceBuf::from(b"shared".to_vec());
    let mut buf = of(&[b"first"]);
    buf.push(slice.clone());
    buf.push(b"last".to_vec());
    for (index, len) in [(0, 15), (0, 6), (4, 2), (5, 1), (10, 2), (10, 5)] {
        refused(&mut buf, Error::Shared, |buf| buf.try_set_bytes(index, &vec![0; len]));
        refused(&mut buf, Error::Shared, |buf| buf.try_set_zeros(index, len));
    }
    refused(&mut buf, Error::Shared, |buf| buf.try_set_u64(4, 0));
    buf.set_bytes(0, b"FIRST");
    buf.set_u32(11, u32::from_be_bytes(*b"LAST"));
    assert_eq!(buf, "FIRSTsharedLAST");
    drop(slice);
    buf.set_bytes(4, b"TSHAREDL");
    assert_eq!(buf, "FIRSTSHAREDLAST");
}

#[test]
fn a_slice_of_a_composite_freezes_what_it_shows_and_no_more() {
    let mut buf = of(&[b"abcdef", b"ghi"]);
    let slice = buf.slice(0..3);
    refused(&mut buf, Error::Shared, |buf| buf.try_set_u8(2, b'x'));
    buf.set_bytes(3, b"DEFGHI");
    drop(slice);
    buf.set_u8(2, b'C');
    assert_eq!(buf, "abCDEFGHI");
    // Gathered slices are copies.
    let across = buf.slice(4..8);
    buf.set_bytes(4, b"....");
    assert_eq!((across, buf.to_vec()), ("EFGH".into(), b"abCD....I".to_vec()));
}

#[test]
fn the_room_of_an_owner_is_used_and_what_is_written_there_is_seen_at_once() {
    let mut owner = HeapBuf::with_capacity(100);
    owner.write_bytes(b"0123");
    let memory = owner.chunk(0).as_ptr();
    let mut buf = CompositeBuf::from(owner);
    assert_eq!(buf.capacity(), 100);
    assert_eq!(buf.read_u16(), u16::from_be_bytes(*b"01"));
    buf.write_bytes(b"4567");
    assert_eq!(buf.read_u32(), u32::from_be_bytes(*b"2345"));
    buf.set_u8(7, b'!');
    assert_eq!((buf.chunk(0).as_ptr(), buf.component(0)), (memory, Some(&b"0123456!"[..])));
}

// ---- cutting, joining, consolidating ------------------------------------------------

#[test]
fn a_part_is_cut_out_without_copying() {
    let whole = SliceBuf::from(content(1024));
    let pieces_of = |start, end| {
        let mut buf = CompositeBuf::new();
        buf.extend([100..300, 300..700, 700..800].map(|range| whole.slice(range)));
        let part = buf.split_off(start).split_to(end - start);
        assert_eq!(part, whole.slice(100 + start..100 + end));
        for piece in part.components() {
            let memory = whole.as_slice().as_ptr_range();
            assert!(memory.contains(&piece.as_ptr()), "a copy");
        }
        pieces(&part).len()
    };
    assert_eq!(pieces_of(150, 650), 3);
    assert_eq!(pieces_of(310, 360), 1);
    assert_eq!(pieces_of(310, 310), 0);
    assert_eq!(whole.ref_count(), 1);
}

#[test]
fn a_composite_is_cut_anywhere_and_both_parts_go_on() {
    let bytes = content(20);
    for at in 0..=20 {
        for reader in [0, 5, 12, 20] {
            let mut front: CompositeBuf = bytes.chunks(6).map(<[u8]>::to_vec).collect();
            front.skip(reader);
            let mut back = front.split_off(at);
            assert_eq!(
                (front.reader_index(), back.reader_index()),
                (reader.min(at), reader.saturating_sub(at))
            );
            assert_eq!(
                (all_bytes(&front), all_bytes(&back)),
                (bytes[..at].to_vec(), bytes[at..].to_vec())
            );
            front.write_u8(1);
            back.write_u8(2);
            if at != 0 && at != 20 {
                front.set_u8(at - 1, 3);
                back.set_u8(0, 4);
            }
            pieces(&front);
            pieces(&back);
            assert_eq!((front.writer_index(), back.writer_index()), (at + 1, 21 - at));
        }
    }
}

#[test]
fn consolidating_copies_a_range_into_one_and_changes_nothing_else() {
    let bytes = content(30);
    for (range, count) in [(0..10, 1), (2..5, 8), (3..3, 10), (9..10, 10), (0..2, 9)] {
        let mut buf: CompositeBuf = bytes.chunks(3).map(<[u8]>::to_vec).collect();
        buf.skip(10);
        buf.get_u8(29);
        let before = State::of(&buf);
        buf.try_consolidate(range.clone()).unwrap();
        assert_eq!(pieces(&buf).len(), count);
        assert_eq!(State::of(&buf), before);
        assert_eq!(buf.read_slice(20), bytes[10..]);
        assert_eq!(
            (buf.component_start(range.start.min(count - 1)), buf.is_readable()),
            (Some(3 * range.start.min(count - 1)), false)
        );
    }
    let mut buf: CompositeBuf = bytes.chunks(3).map(<[u8]>::to_vec).collect();
    #[allow(clippy::reversed_empty_ranges)]
    for range in [5..4, 0..11, 11..11, usize::MAX..usize::MAX] {
        refused_as!(&mut buf, Error::InvalidIndex { .. }, buf.try_consolidate(range));
    }
}

#[test]
fn an_empty_composite_does_everything_with_nothing() {
    let mut buf = CompositeBuf::new();
    assert_eq!((buf.capacity(), buf.component_count(), buf.is_contiguous()), (0, 0, true));
    assert_eq!((buf.chunk(0), buf.to_vec(), buf.hex_dump()), (&[][..], vec![], String::new()));
    assert_eq!(buf.slice(0..0), "");
    assert_eq!((buf.split_off(0), buf.split_to(0)), (CompositeBuf::new(), CompositeBuf::new()));
    buf.consolidate();
    buf.clear();
    assert_eq!(buf.io_slices(&mut []), 0);
    assert_eq!(buf.freeze(), "");
}

#[test]
fn a_released_composite_lets_go_of_its_components_and_takes_no_new_ones() {
    let slices: Vec<SliceBuf> = (0..4).map(|i| SliceBuf::from(vec![i; 4])).collect();
    let mut buf: CompositeBuf = slices.iter().cloned().collect();
    assert!(buf.release() && !buf.release());
    assert_eq!(slices.each_count(), [1; 4]);
    let gone = Error::Released;
    assert_eq!(buf.try_push(slices[0].clone()), Err(gone));
    assert_eq!(buf.try_push(""), Err(gone));
    assert_eq!(buf.try_insert(0, "x"), Err(gone));
    assert_eq!(buf.try_remove(0), Err(gone));
    assert_eq!(buf.try_replace(0, "x"), Err(gone));
    assert_eq!(buf.try_component_slice(0), Err(gone));
    assert_eq!(buf.try_split_off(0).map(drop), Err(gone));
    assert_eq!(buf.try_split_to(0).map(drop), Err(gone));
    assert_eq!(buf.try_consolidate(0..0), Err(gone));
    assert_eq!((buf.component_count(), buf.component(0), buf.component_at(0)), (0, None, None));
    assert_eq!(slices.each_count(), [1; 4]);
    let mut other = of(&[b"a"]);
    refused(&mut other, gone, |other| other.try_push(std::mem::take(&mut buf_released())));
    assert_eq!(buf.freeze().try_get_u8(0), Err(gone));
}

fn buf_released() -> CompositeBuf {
    let mut buf = of(&[b"a"]);
    buf.release();
    buf
}

/// What was written before a payload stays writable behind it, also where many
/// such parts share a block.
#[test]
fn a_length_is_filled_in_after_the_payload_was_pushed() {
    let payload = SliceBuf::from(vec![7; 300]);
    let mut buf = CompositeBuf::new();
    let mut kept = Vec::new();
    for len in 0..100_u32 {
        let at = buf.writer_index();
        buf.write_u32(0);
        let mut body = payload.clone();
        body.skip(300 - len as usize);
        buf.push(body);
        buf.write_u8(b';');
        buf.set_u32(at, len);
        // A slice of one part forbids writing to that one only.
        if len % 10 == 3 {
            kept.push(buf.slice(at..at + 4));
            assert_eq!(buf.try_set_u32(at, 0), Err(Error::Shared));
        }
    }
    for len in 0..100 {
        assert_eq!(buf.read_u32(), len);
        buf.skip(len as usize);
        assert_eq!(buf.read_u8(), b';');
    }
    for (i, slice) in kept.iter().enumerate() {
        assert_eq!(slice.get_u32(0) as usize, 10 * i + 3);
    }
    drop(buf);
    assert_eq!(payload.ref_count(), 1);
    // All references are accounted for: the last of them is the sole handle.
    let mut last = kept.pop().unwrap();
    drop(kept);
    assert_eq!((last.ref_count(), last.try_set_u8(0, 1)), (1, Ok(())));
}

/// Slices have a way of their own into a composite.
#[test]
fn of_a_slice_the_unread_bytes_are_pushed_or_nothing_is_kept() {
    let whole = SliceBuf::from(b"0123456789".to_vec());
    let unread = |from| {
        let mut slice = whole.clone();
        slice.skip(from);
        slice
    };
    let mut buf = CompositeBuf::with_max_capacity(9);
    for (from, count) in [(4, 2), (10, 2), (8, 3)] {
        buf.push(unread(from));
        assert_eq!(whole.ref_count(), count, "from {from}");
    }
    assert_eq!(buf, "45678989");
    assert_eq!(buf.component_count(), 2);
    let full = Error::Overflow { needed: 2, available: 1 };
    refused(&mut buf, full, |buf| buf.try_push(unread(8)));
    let mut gone = whole.clone();
    gone.release();
    refused(&mut buf, Error::Released, |buf| buf.try_push(gone.clone()));
    buf.push(SliceBuf::new());
    buf.push(unread(9));
    assert_eq!(buf, "456789899");
    assert_eq!(whole.ref_count(), 4);
    drop(buf);
    assert_eq!(whole.ref_count(), 1);
}

// ---- copying out -----------------------------------------------------------------

/// Components of every length that is copied in a way of its own, from every
/// place in the first of them to every place in the last.
#[test]
fn bytes_are_gathered_over_components_of_all_lengths() {
    let bytes: Vec<u8> = (0..=255).cycle().take(71 * 70 / 2 + 70).collect();
    let mut rest = &bytes[..];
    let mut buf = CompositeBuf::new();
    for len in (0..=70).chain([70]) {
        let (piece, later) = rest.split_at(len);
        buf.push(piece.to_vec());
        rest = later;
    }
    assert_eq!(buf, bytes);
    // The last component may be longer than its own indices say.
    let mut expected = bytes;
    buf.write_bytes(b"the end");
    expected.extend(b"the end");
    for start in (0..expected.len()).step_by(7) {
        for len in (0..=expected.len() - start).step_by(5) {
            let mut copy = vec![0xaa; len];
            buf.get_bytes(start, &mut copy);
            assert_eq!(copy, expected[start..start + len]);
        }
        let mut copy = vec![0; expected.len() - start];
        buf.get_bytes(start, &mut copy);
        assert_eq!(copy, expected[start..]);
    }
}
