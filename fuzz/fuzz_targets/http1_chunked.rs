//! Chunked bodies that HTTP/1.1 encoders wrote are what decoders read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::http1_chunked::{Input, run};

fuzz_target!(|input: Input| run(input));
