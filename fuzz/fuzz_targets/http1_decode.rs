//! Any bytes, however they come: the HTTP/1.1 decoders say the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::http1_decode::{Input, run};

fuzz_target!(|input: Input| run(input));
