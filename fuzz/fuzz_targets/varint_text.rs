//! Variable-length numbers and text, however the bytes are split.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::varint_text::{Input, run};

fuzz_target!(|input: Input| run(input));
