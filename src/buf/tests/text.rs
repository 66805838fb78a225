use super::{Random, Segments};
use crate::{ByteBuf, ByteBufMut, Error};
use std::borrow::Cow;

const TEXT: &str = "aß€😀z";

#[test]
fn across_seams() {
    let mut random = Random(19);
    for _ in 0..50 {
        let mut buf = random.split(TEXT.as_bytes(), 4);
        assert_eq!(buf.get_str(0, TEXT.len()), TEXT);
        assert_eq!(buf.read_string(TEXT.len()), TEXT);
        assert_eq!(buf.reader_index(), TEXT.len());
        assert_eq!(buf.get_str(TEXT.len(), 0), "");
    }
}

#[test]
fn borrowed_where_contiguous() {
    let buf = Segments::new(&[b"abc", b"def"]);
    assert!(matches!(buf.get_str(0, 3), Cow::Borrowed("abc")));
    assert!(matches!(buf.get_str(2, 2), Cow::Owned(s) if s == "cd"));
}

#[test]
fn errors() {
    let bytes = "aß€".as_bytes();
    for cut in 0..=bytes.len() {
        let mut buf = Segments::new(&[&bytes[..cut], &bytes[cut..]]);
        let invalid = Error::InvalidUtf8 { valid_up_to: 3 };
        assert_eq!(buf.try_get_str(0, 5), Err(invalid));
        assert_eq!(buf.try_get_str(2, 1), Err(Error::InvalidUtf8 { valid_up_to: 0 }));
        assert_eq!(buf.try_read_string(5), Err(invalid));
        let huge = usize::MAX;
        assert_eq!(
            buf.try_get_str(1, huge),
            Err(Error::OutOfBounds { index: 1, len: huge, limit: 6 })
        );
        assert_eq!(buf.try_read_string(huge), Err(Error::Underflow { needed: huge, available: 6 }));
        assert_eq!(buf.reader_index(), 0);
        buf.release();
        assert_eq!(buf.try_get_str(0, 0), Err(Error::Released));
        assert_eq!(buf.try_read_string(0), Err(Error::Released));
    }
}

#[test]
fn writing() {
    let mut buf = Segments::new(&[]);
    assert_eq!(buf.write_str(TEXT), TEXT.len());
    assert_eq!(buf.set_str(0, "b"), 1);
    assert_eq!(buf, "bß€😀z");
    let before = buf.bytes();
    assert!(buf.try_set_str(TEXT.len() - 1, "ß").is_err());
    assert!(buf.try_write_str(&"x".repeat(5000)).is_err());
    assert_eq!(buf.bytes(), before);
}
