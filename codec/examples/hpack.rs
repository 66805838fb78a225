//! HPACK at work.
//!
//! ```text
//! cargo run --example hpack                       some requests of one connection
//! cargo run --example hpack 828684418cf1e3c2...   what a header block says
//! ```

use std::error::Error;

use refbuf::{ByteBuf, ByteBufMut, HeapBuf};
use refbuf_codec::hpack::{Decoder, Encoder, Header};

fn main() -> Result<(), Box<dyn Error>> {
    let dump: String = std::env::args().skip(1).collect();
    if dump.is_empty() { requests() } else { decode(&dump) }
}

/// What a browser asks for when it shows a page.
fn requests() -> Result<(), Box<dyn Error>> {
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    let mut block = HeapBuf::new();
    let (mut total, mut total_encoded) = (0, 0);
    println!("{:<24} {:>6} {:>8} {:>6}", "request", "bytes", "encoded", "ratio");
    for (path, accept) in [
        ("/", "text/html,application/xhtml+xml"),
        ("/style.css", "text/css,*/*;q=0.1"),
        ("/script.js", "*/*"),
        ("/logo.png", "image/avif,image/webp,image/png"),
        ("/photo.jpg", "image/avif,image/webp,image/png"),
        ("/api/items?page=1", "application/json"),
        ("/api/items?page=2", "application/json"),
    ] {
        let request = [
            Header::new(":method", "GET"),
            Header::new(":scheme", "https"),
            Header::new(":authority", "www.example.com"),
            Header::new(":path", path),
            Header::new("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101"),
            Header::new("accept", accept),
            Header::new("accept-language", "en-US,en;q=0.5"),
            Header::new("accept-encoding", "gzip, deflate, br, zstd"),
            Header::new("referer", "https://www.example.com/"),
            Header::sensitive("authorization", "Basic dXNlcjpwYXNzd29yZA=="),
        ];
        // As HTTP/1.1 has it: a colon, a space and a line end for each.
        let len: usize = request.iter().map(|header| header.size() - 32 + 4).sum();
        encoder.encode(request, &mut block)?;
        let encoded = block.readable_bytes();
        let mut expected = request.iter();
        decoder.decode(&mut block, |header| assert_eq!(Some(&header), expected.next()))?;
        block.clear();
        print_row(path, len, encoded);
        (total, total_encoded) = (total + len, total_encoded + encoded);
    }
    print_row("total", total, total_encoded);
    print_table(&decoder);
    Ok(())
}

#[allow(clippy::cast_precision_loss)] // Of small numbers.
fn print_row(what: &str, len: usize, encoded: usize) {
    println!("{what:<24} {len:>6} {encoded:>8} {:>6.2}", encoded as f64 / len as f64);
}

/// A header block in hexadecimal digits.
fn decode(dump: &str) -> Result<(), Box<dyn Error>> {
    let digits: Vec<char> = dump.chars().filter(|c| !c.is_whitespace()).collect();
    let mut block = HeapBuf::new();
    for pair in digits.chunks(2) {
        block.write_u8(u8::from_str_radix(&String::from_iter(pair), 16)?);
    }
    let mut decoder = Decoder::new();
    let result = decoder.decode(&mut block, |header| println!("{header:?}"));
    print_table(&decoder);
    Ok(result?)
}

fn print_table(decoder: &Decoder) {
    println!("\ndynamic table: {} of {} bytes", decoder.table_size(), decoder.max_table_size());
    for (i, header) in decoder.table().enumerate() {
        println!("  {} {header:?}", 62 + i);
    }
}
