//! What kinds of buffer there are: the five types, and of each the states in
//! which it takes another path inside.
//!
//! A kind is a function that makes a buffer with the given readable bytes and
//! lends it to a test; what else it needs to be that kind (another handle, an
//! owner) lives until the test returns. The reader index is 0.

#[cfg(feature = "mmap")]
use refbuf::DirectBuf;
use refbuf::{
    BufAllocator, ByteBuf, ByteBufMut, CompositeBuf, HeapBuf, Pool, PoolConfig, SliceBuf, WeakSlice,
};

use crate::suites;

/// The tests of one kind: the suites for readers, and those that are named.
macro_rules! conformance {
    ($(
        $(#[$attr:meta])*
        $name:ident: $buf:ty, [$($suite:ident)*], |$bytes:ident, $test:ident| $make:expr;
    )*) => {
        $(
            $(#[$attr])*
            mod $name {
                use super::*;

                pub(super) fn with($bytes: &[u8], $test: &mut dyn FnMut($buf)) {
                    $make;
                }

                #[test]
                fn reads() {
                    suites::reads::all::<$buf>(&|bytes, test| with(bytes, &mut |mut buf| test(&mut buf)));
                    suites::reads::all::<dyn ByteBuf>(&|bytes, test| with(bytes, &mut |mut buf| test(&mut buf)));
                    suites::reads::all::<Box<dyn ByteBuf>>(&|bytes, test| {
                        with(bytes, &mut |buf| test(&mut (Box::new(buf) as Box<dyn ByteBuf>)));
                    });
                }

                #[test]
                fn compares() {
                    suites::compares::all::<$buf>(&|bytes, test| with(bytes, &mut |mut buf| test(&mut buf)));
                }

                #[test]
                fn reads_as_a_file() {
                    suites::io::reads::<$buf>(&|bytes, test| with(bytes, &mut |mut buf| test(&mut buf)));
                }

                #[test]
                fn is_released() {
                    suites::released::reading::<$buf>(&|bytes, test| with(bytes, &mut |mut buf| test(&mut buf)));
                    suites::released::reading::<dyn ByteBuf>(&|bytes, test| with(bytes, &mut |mut buf| test(&mut buf)));
                    suites::released::reading::<Box<dyn ByteBuf>>(&|bytes, test| {
                        with(bytes, &mut |buf| test(&mut (Box::new(buf) as Box<dyn ByteBuf>)));
                    });
                    suites::released::looked_at::<$buf>(&|bytes, test| with(bytes, &mut |mut buf| test(&mut buf)));
                }

                $(conformance! { @$suite $buf })*
            }
        )*

        /// Lends a buffer of each kind to `test`.
        pub fn each(bytes: &[u8], test: &mut dyn FnMut(&str, &mut (dyn ByteBuf + 'static))) {
            $( $(#[$attr])* $name::with(bytes, &mut |mut buf| test(stringify!($name), &mut buf)); )*
        }
    };
    (@io_writes $buf:ty) => {
        #[test]
        fn writes_as_a_file() {
            suites::io::writes::<$buf>(&|bytes, test| with(bytes, &mut |mut buf| test(&mut buf)));
        }
    };
    (@$suite:ident $buf:ty) => {
        #[test]
        fn $suite() {
            suites::writes::$suite::<$buf>(&|bytes, test| with(bytes, &mut |mut buf| test(&mut buf)));
            suites::writes::$suite::<dyn ByteBufMut>(&|bytes, test| {
                with(bytes, &mut |mut buf| test(&mut buf));
            });
            suites::writes::$suite::<Box<dyn ByteBufMut>>(&|bytes, test| {
                with(bytes, &mut |buf| test(&mut (Box::new(buf) as Box<dyn ByteBufMut>)));
            });
        }
    };
}

conformance! {
    heap_of_a_vec: HeapBuf, [writable sets grows io_writes],
        |bytes, test| test(HeapBuf::from(bytes.to_vec()));
    heap_with_slack: HeapBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = HeapBuf::with_capacity(bytes.len() + 37);
            buf.write_bytes(bytes);
            test(buf);
        };
    heap_grown_by_the_byte: HeapBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = HeapBuf::new();
            bytes.iter().for_each(|&byte| buf.write_u8(byte));
            test(buf);
        };
    heap_with_a_limit: HeapBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = HeapBuf::with_max_capacity(bytes.len(), bytes.len() + suites::ROOM);
            buf.write_bytes(bytes);
            test(buf);
        };
    heap_cut_at_the_front: HeapBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = HeapBuf::from([b"front", bytes, b"room"].concat());
            buf.set_writer_index(5 + bytes.len());
            let front = buf.split_to(5);
            test(buf);
            assert_eq!(front, b"front");
        };
    heap_cut_at_the_back: HeapBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = HeapBuf::from([bytes, b"back"].concat());
            let back = buf.split_off(bytes.len());
            test(buf);
            assert_eq!(back, b"back");
        };
    // Everything in it was handed out, and is still held.
    heap_frozen: HeapBuf, [writable refuses_shared grows io_writes],
        |bytes, test| {
            let mut buf = HeapBuf::with_capacity(bytes.len() + 8);
            buf.write_bytes(bytes);
            let slice = buf.slice(..);
            test(buf);
            assert_eq!(slice, bytes);
        };
    // Was frozen, and has references in reserve.
    heap_thawed: HeapBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = HeapBuf::from(bytes.to_vec());
            drop(buf.slice(..));
            test(buf);
        };
    heap_seen_by_a_view: HeapBuf, [writable refuses_shared grows io_writes],
        |bytes, test| {
            let mut buf = HeapBuf::from(bytes.to_vec());
            let _view = buf.downgrade();
            test(buf);
        };
    heap_from_a_slice: HeapBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut big = HeapBuf::from([b"abc", bytes, b"room"].concat());
            let slice = big.slice(3..3 + bytes.len());
            drop(big);
            test(HeapBuf::try_from(slice).unwrap_or_default());
        };

    // Of a block that had other bytes before; the pool lives until the end.
    heap_of_a_pool: HeapBuf, [writable sets grows io_writes],
        |bytes, test| {
            let pool = used_pool(bytes.len());
            let mut buf = pool.heap(bytes.len());
            buf.write_bytes(bytes);
            test(buf);
            assert_all_back(&pool);
        };
    heap_of_a_pool_that_is_gone: HeapBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = used_pool(bytes.len()).heap(bytes.len());
            buf.write_bytes(bytes);
            test(buf);
        };
    // Larger than the pool's blocks, if it is not very small.
    heap_too_large_for_its_pool: HeapBuf, [writable sets grows io_writes],
        |bytes, test| {
            let pool = Pool::new(PoolConfig::new().max_pooled(64));
            let mut buf = pool.heap(bytes.len());
            buf.write_bytes(bytes);
            test(buf);
            assert_all_back(&pool);
        };

    #[cfg(feature = "mmap")]
    direct_of_a_pool: DirectBuf, [writable sets grows io_writes],
        |bytes, test| {
            let pool = used_pool(bytes.len());
            let mut buf = pool.direct(bytes.len());
            buf.write_bytes(bytes);
            test(buf);
            assert_all_back(&pool);
        };
    #[cfg(feature = "mmap")]
    direct_too_large_for_its_pool: DirectBuf, [writable sets grows io_writes],
        |bytes, test| {
            let pool = Pool::new(PoolConfig::new().max_pooled(64));
            let mut buf = pool.direct(100 + bytes.len());
            buf.write_bytes(bytes);
            test(buf);
            assert_all_back(&pool);
        };
    #[cfg(feature = "mmap")]
    direct: DirectBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = DirectBuf::with_capacity(1);
            buf.write_bytes(bytes);
            test(buf);
        };
    #[cfg(feature = "mmap")]
    direct_with_a_limit: DirectBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = DirectBuf::with_max_capacity(bytes.len(), bytes.len() + suites::ROOM);
            buf.write_bytes(bytes);
            test(buf);
        };
    #[cfg(feature = "mmap")]
    direct_cut_in_the_middle: DirectBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = DirectBuf::new();
            buf.write_bytes(&[b"front", bytes].concat());
            let front = buf.split_to(5);
            let back = buf.split_off(bytes.len());
            test(buf);
            assert_eq!((front.as_slice(), back.as_slice()), (&b"front"[..], &b""[..]));
        };
    #[cfg(feature = "mmap")]
    direct_frozen: DirectBuf, [writable refuses_shared grows io_writes],
        |bytes, test| {
            let mut buf = DirectBuf::new();
            buf.write_bytes(bytes);
            let slice = buf.slice(..);
            test(buf);
            assert_eq!(slice, bytes);
        };

    slice_of_a_vec: SliceBuf, [writable sets never_grows],
        |bytes, test| test(SliceBuf::from(bytes.to_vec()));
    slice_at_an_odd_offset: SliceBuf, [writable sets never_grows],
        |bytes, test| {
            let mut big = HeapBuf::from([b"abc", bytes, b"defg"].concat());
            let slice = big.slice(3..3 + bytes.len());
            drop(big);
            test(slice);
        };
    slice_of_a_live_owner: SliceBuf, [writable refuses_shared never_grows],
        |bytes, test| {
            let mut big = HeapBuf::from([b"abc", bytes, b"defg"].concat());
            let slice = big.slice(3..3 + bytes.len());
            test(slice);
            assert_eq!(big, [b"abc", bytes, b"defg"].concat());
        };
    slice_with_a_clone: SliceBuf, [writable refuses_shared never_grows],
        |bytes, test| {
            let slice = SliceBuf::from(bytes.to_vec());
            test(slice.clone());
            assert_eq!(slice, bytes);
        };
    slice_with_a_view: SliceBuf, [writable refuses_shared never_grows],
        |bytes, test| {
            let slice = SliceBuf::from(bytes.to_vec());
            let _view = slice.downgrade();
            test(slice);
        };
    slice_of_a_slice: SliceBuf, [writable refuses_shared never_grows],
        |bytes, test| {
            let whole = SliceBuf::from([b"abcdef", bytes, b"g"].concat());
            test(whole.slice(3..).slice(3..).split_to(bytes.len()));
        };
    slice_of_static_bytes: SliceBuf, [writable refuses_read_only never_grows],
        |bytes, test| {
            static BYTES: std::sync::Mutex<Vec<&'static [u8]>> = std::sync::Mutex::new(Vec::new());
            // Leaked once for each content, and still reachable.
            let mut known = BYTES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if !known.contains(&bytes) {
                known.push(bytes.to_vec().leak());
            }
            let found = known.iter().position(|&some| some == bytes).unwrap();
            let bytes = known[found];
            drop(known);
            test(SliceBuf::from_static(bytes));
        };
    slice_of_an_owner: SliceBuf, [writable refuses_read_only never_grows],
        |bytes, test| test(SliceBuf::from_owner(bytes.to_vec()));
    #[cfg(feature = "mmap")]
    slice_of_direct_memory: SliceBuf, [writable sets never_grows],
        |bytes, test| {
            let mut buf = DirectBuf::new();
            buf.write_bytes(&[b"abc", bytes].concat());
            let slice = buf.split_off(3).freeze();
            drop(buf);
            test(slice);
        };

    slice_of_a_pooled_block: SliceBuf, [writable sets never_grows],
        |bytes, test| {
            let pool = used_pool(3 + bytes.len());
            let mut buf = pool.heap(3 + bytes.len());
            buf.write_bytes(&[b"abc", bytes].concat());
            let slice = buf.slice(3..);
            drop(buf);
            test(slice);
            assert_all_back(&pool);
        };
    #[cfg(feature = "mmap")]
    slice_of_a_pooled_direct_block: SliceBuf, [writable sets never_grows],
        |bytes, test| {
            let pool = used_pool(bytes.len());
            let mut buf = pool.direct(bytes.len());
            buf.write_bytes(bytes);
            test(buf.freeze());
            assert_all_back(&pool);
        };

    view_of_a_pooled_block: WeakSlice, [],
        |bytes, test| {
            let pool = used_pool(bytes.len());
            let mut buf = pool.heap(bytes.len());
            buf.write_bytes(bytes);
            test(buf.downgrade());
            assert_eq!(buf, bytes);
        };
    view_of_a_slice: WeakSlice, [],
        |bytes, test| {
            let slice = SliceBuf::from(bytes.to_vec());
            test(slice.downgrade());
        };
    view_of_an_owner: WeakSlice, [],
        |bytes, test| {
            let mut buf = HeapBuf::from(bytes.to_vec());
            test(buf.downgrade());
            assert_eq!(buf, bytes);
        };
    view_of_a_part: WeakSlice, [],
        |bytes, test| {
            let slice = SliceBuf::from([b"abc", bytes, b"de"].concat());
            test(slice.downgrade().slice(3..3 + bytes.len()));
            assert_eq!(slice.readable_bytes(), bytes.len() + 5);
        };

    composite_of_one: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| test(CompositeBuf::from(HeapBuf::from(bytes.to_vec())));
    composite_written_by_the_byte: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = CompositeBuf::new();
            bytes.iter().for_each(|&byte| buf.write_u8(byte));
            test(buf);
        };
    composite_of_bytes: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| test(bytes.chunks(1).map(<[u8]>::to_vec).collect());
    composite_of_sevens: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| test(bytes.chunks(7).map(<[u8]>::to_vec).collect());
    composite_of_sixty_fours: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| test(bytes.chunks(64).map(<[u8]>::to_vec).collect());
    composite_of_rising_sizes: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = CompositeBuf::new();
            for piece in rising(bytes) {
                buf.push(HeapBuf::new());
                buf.push(piece.to_vec());
                buf.push("");
            }
            test(buf);
        };
    composite_with_a_limit: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = CompositeBuf::with_max_capacity(bytes.len() + suites::ROOM);
            bytes.chunks(5).for_each(|piece| buf.push(piece.to_vec()));
            test(buf);
        };
    composite_of_slices: CompositeBuf, [writable refuses_shared grows io_writes],
        |bytes, test| {
            let slice = SliceBuf::from(bytes.to_vec());
            let pieces = (0..bytes.len()).step_by(11);
            test(pieces.map(|at| slice.slice(at..bytes.len().min(at + 11))).collect());
            assert_eq!(slice, bytes);
        };
    composite_of_all_kinds: CompositeBuf, [writable grows io_writes],
        |bytes, test| {
            let mut buf = CompositeBuf::new();
            for (i, piece) in rising(bytes).enumerate() {
                match i % 4 {
                    #[cfg(feature = "mmap")]
                    0 => {
                        let mut direct = DirectBuf::new();
                        direct.write_bytes(piece);
                        buf.push(direct);
                    }
                    1 => buf.push(SliceBuf::from_owner(piece.to_vec())),
                    2 => buf.push(SliceBuf::from([b"..", piece].concat()).slice(2..)),
                    _ => buf.push(HeapBuf::from(piece)),
                }
            }
            test(buf);
        };
    // The first byte was not the first that was ever added.
    composite_after_others: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = CompositeBuf::new();
            buf.push(b"read and gone");
            buf.push(b"this too".to_vec());
            bytes.chunks(6).for_each(|piece| buf.push(piece.to_vec()));
            buf.skip(3);
            buf.discard_read_components();
            buf.skip(18);
            buf.discard_read_components();
            assert_eq!(buf.reader_index(), 0);
            test(buf);
        };
    composite_half_way_into_a_component: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = CompositeBuf::new();
            buf.push([b"abc", bytes].concat());
            buf.skip(3);
            buf.write_bytes(b"to be cut off");
            let _ = buf.split_to(3);
            drop(buf.split_off(bytes.len()));
            buf.consolidate();
            test(buf);
        };
    composite_of_a_pool: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| {
            let pool = used_pool(bytes.len());
            let mut buf = pool.composite();
            for piece in bytes.chunks(30) {
                buf.write_bytes(piece);
                // So that the next piece is written to a component of its own.
                buf.push(SliceBuf::from_static(b"."));
                drop(buf.split_off(buf.writer_index() - 1));
            }
            test(buf);
            assert_all_back(&pool);
        };
    composite_of_composites: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf = CompositeBuf::new();
            for piece in bytes.chunks(20) {
                let inner: CompositeBuf = piece.chunks(3).map(<[u8]>::to_vec).collect();
                buf.push(CompositeBuf::new());
                buf.push(inner);
            }
            test(buf);
        };
    composite_taken_apart_and_joined: CompositeBuf, [writable sets grows io_writes],
        |bytes, test| {
            let mut buf: CompositeBuf = bytes.chunks(9).map(<[u8]>::to_vec).collect();
            let tail = buf.split_off(bytes.len() / 2);
            buf.push(tail);
            test(buf);
        };
}

/// A pool with blocks at rest that were full of other bytes, and are of the size
/// for `len`.
fn used_pool(len: usize) -> Pool {
    let pool = Pool::new(PoolConfig::new());
    let mut used = pool.heap(len);
    used.write_bytes(&vec![0xdd; used.capacity()]);
    #[cfg(feature = "mmap")]
    {
        let mut used = pool.direct(len);
        used.write_bytes(&vec![0xdd; used.capacity()]);
    }
    pool
}

fn assert_all_back(pool: &Pool) {
    assert_eq!(pool.stats().live_bytes(), 0);
    pool.trim();
    assert_eq!(pool.stats().reserved, 0);
}

/// Pieces of 1, 2, 3 .. 9 and again 1, 2, 3 .. bytes.
fn rising(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    (0..).map_while(move |i| {
        let (piece, rest) = bytes.split_at(bytes.len().min(1 + i % 9));
        bytes = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

#[test]
fn each_kind_is_made_with_the_bytes_it_is_asked_for() {
    let bytes = crate::support::content(100);
    let mut kinds = 0;
    each(&bytes, &mut |name, buf| {
        assert_eq!(buf.to_vec(), bytes, "{name}");
        assert_eq!((buf.reader_index(), buf.writer_index()), (0, 100), "{name}");
        kinds += 1;
    });
    assert!(kinds > 30);
}
