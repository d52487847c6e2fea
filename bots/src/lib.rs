//! Built-in and reference bots: bots in Rust that play in process or over the protocol, and starter kits in other languages.

pub mod bot;
pub mod coda;
pub mod code_777;
pub mod crack_the_code;
pub mod decision;
pub mod digit_code;
pub mod headless;
pub mod judge;
pub mod kits;
pub mod roster;
pub mod samples;
pub mod wire;
