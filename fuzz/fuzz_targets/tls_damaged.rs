//! A TLS session, damaged on the way, in any pieces.
#![no_main]

use libfuzzer_sys::fuzz_target;
use refbuf_fuzz::tls_damaged::{Input, run};

fuzz_target!(|input: Input| run(input));
