//! Built-in bots, in one program: they play as they should, the judge is right, and the wire carries what they say.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod coda;
mod code_777;
mod crack_the_code;
mod digit_code;
mod judge;
mod wire;
