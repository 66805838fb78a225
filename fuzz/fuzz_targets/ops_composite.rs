//! Sequences of edits of a composite.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::ops_composite::{Input, run};

fuzz_target!(|input: Input| run(input));
