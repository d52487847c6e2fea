//! libFuzzer target for the wire: a bot sends arbitrary bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| arena_tests::fuzz::wire::wire(data));
