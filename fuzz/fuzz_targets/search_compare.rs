//! Searching and comparing, however the bytes are split.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::search_compare::{Input, run};

fuzz_target!(|input: Input| run(input));
