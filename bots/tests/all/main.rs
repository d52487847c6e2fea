//! Tests of the built-in bots, in one program: their strength, the judge, and the wire.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod coda;
mod code_777;
mod crack_the_code;
mod digit_code;
mod judge;
mod wire;
