use super::{Random, Segments};
use crate::{ByteBuf, ByteBufMut, HeapBuf};
use std::boxed::Box;
use std::format;

#[test]
fn rows() {
    let bytes: [u8; 34] = core::array::from_fn(|i| i as u8 + 0x20);
    let mut buf = Random(23).split(&bytes, 5);
    buf.skip(1);
    assert_eq!(
        buf.hex_dump(),
        "\
00000001  21 22 23 24 25 26 27 28  29 2a 2b 2c 2d 2e 2f 30  |!\"#$%&'()*+,-./0|
00000011  31 32 33 34 35 36 37 38  39 3a 3b 3c 3d 3e 3f 40  |123456789:;<=>?@|
00000021  41                                                |A|
"
    );
    for len in [0, 15, 16, 17, 31, 32, 33] {
        let buf = HeapBuf::from(bytes[..len].to_vec());
        assert_eq!(buf.hex_dump().lines().count(), len.div_ceil(16));
    }
    buf.release();
    assert_eq!(buf.hex_dump(), "");
}

#[test]
fn debug() {
    let mut buf = Segments::new(&[b"he\0", b"llo\n\xff"]);
    assert_eq!(
        format!("{buf:?}"),
        r#"Segments { reader_index: 0, writer_index: 8, capacity: 8, readable: b"he\x00llo\n\xff" }"#
    );
    buf.write_bytes(&[b'.'; 100]);
    buf.skip(6);
    assert_eq!(
        format!("{buf:?}"),
        r#"Segments { reader_index: 6, writer_index: 108, capacity: 108, readable: b"\n\xff..............".. }"#
    );
    buf.release();
    assert_eq!(format!("{buf:?}"), "Segments { released }");
    let object: Box<dyn ByteBufMut + Send> = Box::new(buf);
    assert_eq!(format!("{object:?}"), "dyn ByteBufMut { released }");
}
