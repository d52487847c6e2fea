//! libFuzzer target for matches: seats reply with arbitrary bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| arena_tests::fuzz::replies::replies(data));
