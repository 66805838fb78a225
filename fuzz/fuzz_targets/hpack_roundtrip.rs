//! What is encoded is decoded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::hpack_roundtrip::{Input, run};

fuzz_target!(|input: Input| run(input));
