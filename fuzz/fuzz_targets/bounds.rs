//! Any index and length on every kind of buffer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::bounds::{Input, run};

fuzz_target!(|input: Input| run(input));
