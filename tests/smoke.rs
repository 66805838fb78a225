use refbuf::*;
#[test]
fn smoke() {
    let mut b = HeapBuf::with_capacity(16);
    for i in 0..100u64 { b.write_u64(i); }
    let s: Vec<_> = (0..100).map(|_| b.read_slice(8)).collect();
    assert_eq!(b.ref_count(), 101);
    assert_eq!(s[5].ref_count(), 101);
    for (i, s) in s.iter().enumerate() { assert_eq!(s.get_u64(0), i as u64); }
    b.clear();
    assert_eq!(b.capacity(), 0);
    b.write_u8(1);
    assert_eq!(s[0].ref_count(), 100);
    let mut c = CompositeBuf::new();
    for s in s { c.push(s); }
    for i in 0..100u64 { assert_eq!(c.get_u64(i as usize * 8), i); }
    assert_eq!(c.get_u64(4), 0u64 << 32 | 0);
    for i in 0..100u64 { assert_eq!(c.read_u64(), i); c.discard_read_components(); }
    assert_eq!(c.component_count(), 0);
    for i in 0..100_000u64 { c.write_u64(i); assert_eq!(c.read_u64(), i); c.discard_read_components(); }
    for i in 0..100_000u64 { c.write_u64(i); }
    for i in 0..100_000u64 { assert_eq!(c.read_u64(), i); }
    let w = b.downgrade();
    assert!(w.is_accessible());
    drop(b);
    assert!(!w.is_accessible());
    assert_eq!(std::mem::size_of::<SliceBuf>(), 32);
    assert_eq!(std::mem::size_of::<HeapBuf>(), 56);
    assert_eq!(std::mem::size_of::<Option<HeapBuf>>(), 56);
    assert_eq!(std::mem::size_of::<Option<SliceBuf>>(), 32);
}
