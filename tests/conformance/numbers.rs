//! The typed family as data: one row for each number, with its accessors as
//! functions, and an oracle that knows only shifts.

use refbuf::{ByteBuf, ByteBufMut, Error};

/// How a number lies in its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub name: &'static str,
    pub width: usize,
    pub order: Order,
    pub sign: Sign,
}

#[derive(Clone, Copy, Debug)]
pub enum Order {
    Big,
    Little,
}

#[derive(Clone, Copy, Debug)]
pub enum Sign {
    /// Also floats, as their bits.
    Unsigned,
    Signed,
    /// 0 is false, the rest is true.
    Truth,
}

impl Shape {
    /// What `bytes` mean, byte by byte. Negative numbers wrap, so that one type
    /// holds all.
    pub fn decode(self, bytes: &[u8]) -> u128 {
        assert_eq!(bytes.len(), self.width);
        let mut raw = 0;
        for i in 0..self.width {
            let byte = match self.order {
                Order::Big => bytes[i],
                Order::Little => bytes[self.width - 1 - i],
            };
            raw = raw << 8 | u128::from(byte);
        }
        match self.sign {
            Sign::Unsigned => raw,
            Sign::Truth => u128::from(raw != 0),
            // From the sign bit upwards all bits are the same.
            Sign::Signed if bytes_negative(raw, self.width) => {
                raw | u128::MAX << (8 * self.width - 1)
            }
            Sign::Signed => raw,
        }
    }

    /// The bytes of the low bits of `value`.
    pub fn encode(self, value: u128) -> Vec<u8> {
        let value = match self.sign {
            Sign::Truth => value & 1,
            _ => value,
        };
        let byte = |i: usize| (value >> (8 * i)) as u8;
        match self.order {
            Order::Big => (0..self.width).rev().map(byte).collect(),
            Order::Little => (0..self.width).map(byte).collect(),
        }
    }
}

fn bytes_negative(raw: u128, width: usize) -> bool {
    raw >> (8 * width - 1) & 1 == 1
}

/// Numbers as bits, and back.
trait Bits {
    fn widen(self) -> u128;
    fn narrow(bits: u128) -> Self;
}

macro_rules! integer_bits {
    ($($signed:ident $unsigned:ident),*) => { $(
        impl Bits for $signed {
            fn widen(self) -> u128 {
                i128::from(self) as u128
            }
            fn narrow(bits: u128) -> Self {
                bits as Self
            }
        }
        impl Bits for $unsigned {
            fn widen(self) -> u128 {
                u128::from(self)
            }
            fn narrow(bits: u128) -> Self {
                bits as Self
            }
        }
    )* };
}

integer_bits! { i8 u8, i16 u16, i32 u32, i64 u64, i128 u128 }

impl Bits for bool {
    fn widen(self) -> u128 {
        u128::from(self)
    }
    fn narrow(bits: u128) -> Self {
        bits & 1 == 1
    }
}

impl Bits for f32 {
    fn widen(self) -> u128 {
        u128::from(self.to_bits())
    }
    fn narrow(bits: u128) -> Self {
        Self::from_bits(bits as u32)
    }
}

impl Bits for f64 {
    fn widen(self) -> u128 {
        u128::from(self.to_bits())
    }
    fn narrow(bits: u128) -> Self {
        Self::from_bits(bits as u64)
    }
}

/// The four ways to get a number out of a `B`.
pub struct Getter<B: ?Sized> {
    pub shape: Shape,
    pub get: fn(&B, usize) -> u128,
    pub try_get: fn(&B, usize) -> Result<u128, Error>,
    pub read: fn(&mut B) -> u128,
    pub try_read: fn(&mut B) -> Result<u128, Error>,
}

/// The four ways to put a number into a `B`.
pub struct Setter<B: ?Sized> {
    pub shape: Shape,
    pub set: fn(&mut B, usize, u128),
    pub try_set: fn(&mut B, usize, u128) -> Result<(), Error>,
    pub write: fn(&mut B, u128),
    pub try_write: fn(&mut B, u128) -> Result<(), Error>,
}

macro_rules! numbers {
    ($emit:ident) => { $emit! {
        u8, 1, Unsigned, Big, [get_u8 try_get_u8 read_u8 try_read_u8], [set_u8 try_set_u8 write_u8 try_write_u8];
        i8, 1, Signed, Big, [get_i8 try_get_i8 read_i8 try_read_i8], [set_i8 try_set_i8 write_i8 try_write_i8];
        bool, 1, Truth, Big, [get_bool try_get_bool read_bool try_read_bool], [set_bool try_set_bool write_bool try_write_bool];
        u16, 2, Unsigned, Big, [get_u16 try_get_u16 read_u16 try_read_u16], [set_u16 try_set_u16 write_u16 try_write_u16];
        u16, 2, Unsigned, Little, [get_u16_le try_get_u16_le read_u16_le try_read_u16_le], [set_u16_le try_set_u16_le write_u16_le try_write_u16_le];
        i16, 2, Signed, Big, [get_i16 try_get_i16 read_i16 try_read_i16], [set_i16 try_set_i16 write_i16 try_write_i16];
        i16, 2, Signed, Little, [get_i16_le try_get_i16_le read_i16_le try_read_i16_le], [set_i16_le try_set_i16_le write_i16_le try_write_i16_le];
        u32, 3, Unsigned, Big, [get_u24 try_get_u24 read_u24 try_read_u24], [set_u24 try_set_u24 write_u24 try_write_u24];
        u32, 3, Unsigned, Little, [get_u24_le try_get_u24_le read_u24_le try_read_u24_le], [set_u24_le try_set_u24_le write_u24_le try_write_u24_le];
        i32, 3, Signed, Big, [get_i24 try_get_i24 read_i24 try_read_i24], [set_i24 try_set_i24 write_i24 try_write_i24];
        i32, 3, Signed, Little, [get_i24_le try_get_i24_le read_i24_le try_read_i24_le], [set_i24_le try_set_i24_le write_i24_le try_write_i24_le];
        u32, 4, Unsigned, Big, [get_u32 try_get_u32 read_u32 try_read_u32], [set_u32 try_set_u32 write_u32 try_write_u32];
        u32, 4, Unsigned, Little, [get_u32_le try_get_u32_le read_u32_le try_read_u32_le], [set_u32_le try_set_u32_le write_u32_le try_write_u32_le];
        i32, 4, Signed, Big, [get_i32 try_get_i32 read_i32 try_read_i32], [set_i32 try_set_i32 write_i32 try_write_i32];
        i32, 4, Signed, Little, [get_i32_le try_get_i32_le read_i32_le try_read_i32_le], [set_i32_le try_set_i32_le write_i32_le try_write_i32_le];
        u64, 8, Unsigned, Big, [get_u64 try_get_u64 read_u64 try_read_u64], [set_u64 try_set_u64 write_u64 try_write_u64];
        u64, 8, Unsigned, Little, [get_u64_le try_get_u64_le read_u64_le try_read_u64_le], [set_u64_le try_set_u64_le write_u64_le try_write_u64_le];
        i64, 8, Signed, Big, [get_i64 try_get_i64 read_i64 try_read_i64], [set_i64 try_set_i64 write_i64 try_write_i64];
        i64, 8, Signed, Little, [get_i64_le try_get_i64_le read_i64_le try_read_i64_le], [set_i64_le try_set_i64_le write_i64_le try_write_i64_le];
        u128, 16, Unsigned, Big, [get_u128 try_get_u128 read_u128 try_read_u128], [set_u128 try_set_u128 write_u128 try_write_u128];
        u128, 16, Unsigned, Little, [get_u128_le try_get_u128_le read_u128_le try_read_u128_le], [set_u128_le try_set_u128_le write_u128_le try_write_u128_le];
        i128, 16, Signed, Big, [get_i128 try_get_i128 read_i128 try_read_i128], [set_i128 try_set_i128 write_i128 try_write_i128];
        i128, 16, Signed, Little, [get_i128_le try_get_i128_le read_i128_le try_read_i128_le], [set_i128_le try_set_i128_le write_i128_le try_write_i128_le];
        f32, 4, Unsigned, Big, [get_f32 try_get_f32 read_f32 try_read_f32], [set_f32 try_set_f32 write_f32 try_write_f32];
        f32, 4, Unsigned, Little, [get_f32_le try_get_f32_le read_f32_le try_read_f32_le], [set_f32_le try_set_f32_le write_f32_le try_write_f32_le];
        f64, 8, Unsigned, Big, [get_f64 try_get_f64 read_f64 try_read_f64], [set_f64 try_set_f64 write_f64 try_write_f64];
        f64, 8, Unsigned, Little, [get_f64_le try_get_f64_le read_f64_le try_read_f64_le], [set_f64_le try_set_f64_le write_f64_le try_write_f64_le];
    } };
}

macro_rules! define_tables {
    ($($ty:ty, $width:literal, $sign:ident, $order:ident,
        [$get:ident $try_get:ident $read:ident $try_read:ident],
        [$set:ident $try_set:ident $write:ident $try_write:ident];)*) => {
        pub fn getters<B: ByteBuf + ?Sized>() -> Vec<Getter<B>> {
            vec![ $( Getter {
                shape: Shape {
                    name: stringify!($get),
                    width: $width,
                    order: Order::$order,
                    sign: Sign::$sign,
                },
                get: |buf, index| buf.$get(index).widen(),
                try_get: |buf, index| buf.$try_get(index).map(Bits::widen),
                read: |buf| buf.$read().widen(),
                try_read: |buf| buf.$try_read().map(Bits::widen),
            } ),* ]
        }

        pub fn setters<B: ByteBufMut + ?Sized>() -> Vec<Setter<B>> {
            vec![ $( Setter {
                shape: Shape {
                    name: stringify!($set),
                    width: $width,
                    order: Order::$order,
                    sign: Sign::$sign,
                },
                set: |buf, index, bits| buf.$set(index, <$ty>::narrow(bits)),
                try_set: |buf, index, bits| buf.$try_set(index, <$ty>::narrow(bits)),
                write: |buf, bits| buf.$write(<$ty>::narrow(bits)),
                try_write: |buf, bits| buf.$try_write(<$ty>::narrow(bits)),
            } ),* ]
        }
    };
}

numbers! { define_tables }

#[test]
fn the_oracle_agrees_with_numbers_worked_out_by_hand() {
    let shape = |width, order, sign| Shape { name: "", width, order, sign };
    let minus_two = -2_i128 as u128;
    assert_eq!(shape(3, Order::Big, Sign::Signed).decode(&[0xff, 0xff, 0xfe]), minus_two);
    assert_eq!(shape(3, Order::Little, Sign::Signed).decode(&[0xfe, 0xff, 0xff]), minus_two);
    assert_eq!(shape(3, Order::Big, Sign::Unsigned).decode(&[0x80, 0, 1]), 0x80_0001);
    assert_eq!(shape(2, Order::Little, Sign::Unsigned).encode(0x0102), [2, 1]);
    assert_eq!(shape(1, Order::Big, Sign::Truth).decode(&[7]), 1);
}
