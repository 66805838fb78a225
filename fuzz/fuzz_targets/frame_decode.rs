//! Decoders of frames, of any description, for any bytes in any pieces: they
//! agree with a naive model that has all the bytes at once.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::frame_decode::{Input, run};

fuzz_target!(|input: Input| run(input));
