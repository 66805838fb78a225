//! Sequences of operations on a queue of buffers and tokens.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::queue::{Input, run};

fuzz_target!(|input: Input| run(input));
