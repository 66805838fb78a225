//! Sequences of operations on an owner, its slices and views.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::ops_owned::{Input, run};

fuzz_target!(|input: Input| run(input));
