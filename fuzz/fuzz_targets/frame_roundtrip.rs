//! What is encoded as a frame is decoded as that frame; what cannot be is
//! refused, and leaves nothing behind.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::frame_roundtrip::{Input, run};

fuzz_target!(|input: Input| run(input));
