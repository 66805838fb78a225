//! Header blocks of arbitrary bytes, in one piece and in many.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::hpack_decode::{Input, run};

fuzz_target!(|input: Input| run(input));
