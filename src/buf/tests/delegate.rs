//! Every method of `&mut B` and `Box<B>` arrives at the same method of `B`.

use crate::buf::accessors::numbers;
use crate::buf::delegate::{
    methods, methods_mut, number_methods, number_methods_mut, uint_methods, uint_methods_mut,
    varint_methods, varint_methods_mut,
};
use crate::buf::uint::uints;
use crate::buf::varint::varints;
use crate::{ByteBuf, ByteBufMut, Error, HeapBuf, SliceBuf};
use core::mem::MaybeUninit;
use core::ops::Range;
use std::borrow::Cow;
use std::boxed::Box;
use std::io::IoSlice;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::string::String;
use std::vec::Vec;

/// Overrides everything, and unwinds with the name of the method that was called.
struct Recorder;

fn arrive(name: &'static str) -> ! {
    resume_unwind(Box::new(name))
}

fn expect(name: &'static str, call: impl FnOnce()) {
    let arrived = catch_unwind(AssertUnwindSafe(call)).expect_err(name);
    assert_eq!(arrived.downcast_ref::<&str>(), Some(&name));
}

macro_rules! record {
    ([] $($kind:tt $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $( record! { @$kind $name($($arg: $ty),*) -> $out } )*
    };
    (@ref $name:ident($($arg:ident: $ty:ty),*) -> $out:ty) => {
        fn $name(&self $(, $arg: $ty)*) -> $out {
            let _ = ($($arg,)*);
            arrive(stringify!($name))
        }
    };
    (@mut $name:ident($($arg:ident: $ty:ty),*) -> $out:ty) => {
        fn $name(&mut self $(, $arg: $ty)*) -> $out {
            let _ = ($($arg,)*);
            arrive(stringify!($name))
        }
    };
}

impl ByteBuf for Recorder {
    methods! { record }
    numbers! { number_methods record }
    uints! { uint_methods record }
    varints! { varint_methods record }

    fn io_slices<'a>(&'a self, _dst: &mut [IoSlice<'a>]) -> usize {
        arrive("io_slices")
    }
}

impl ByteBufMut for Recorder {
    methods_mut! { record }
    numbers! { number_methods_mut record }
    uints! { uint_methods_mut record }
    varints! { varint_methods_mut record }

    unsafe fn advance_writer(&mut self, _n: usize) {
        arrive("advance_writer")
    }
}

/// Some argument.
trait Sample {
    fn sample() -> Self;
}

macro_rules! samples {
    ($($ty:ty = $value:expr;)*) => { $(
        impl Sample for $ty {
            fn sample() -> Self {
                $value
            }
        }
    )* };
}

samples! {
    u8 = 0; u16 = 0; u32 = 0; u64 = 0; u128 = 0; usize = 0;
    i8 = 0; i16 = 0; i32 = 0; i64 = 0; i128 = 0;
    bool = false; f32 = 0.0; f64 = 0.0;
    &str = ""; &[u8] = &[]; &mut [u8] = &mut []; Range<usize> = 0..0;
    &mut dyn ByteBuf = Box::leak(Box::new(HeapBuf::new()));
}

fn every_method_arrives<B: ByteBufMut>(buf: &mut B) {
    macro_rules! call {
        ([] $($kind:tt $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => { $(
            expect(stringify!($name), || _ = B::$name(buf, $(<$ty>::sample()),*));
        )* };
    }
    methods! { call }
    methods_mut! { call }
    numbers! { number_methods call }
    numbers! { number_methods_mut call }
    uints! { uint_methods call }
    uints! { uint_methods_mut call }
    varints! { varint_methods call }
    varints! { varint_methods_mut call }
    expect("io_slices", || _ = buf.io_slices(&mut []));
    // SAFETY: zero bytes need not be initialised.
    expect("advance_writer", || unsafe { buf.advance_writer(0) });
}

#[test]
fn through_a_reference() {
    every_method_arrives(&mut &mut Recorder);
}

#[test]
fn through_a_box() {
    every_method_arrives(&mut Box::new(Recorder));
}

#[test]
fn through_trait_objects() {
    every_method_arrives::<&mut dyn ByteBufMut>(&mut (&mut Recorder as _));
    every_method_arrives::<Box<dyn ByteBufMut + Send>>(&mut (Box::new(Recorder) as _));
}
