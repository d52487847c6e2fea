//! The protocol between the arena and a bot: one JSON object per line, UTF-8, on the bot's standard input and output.
//!
//! The reference for bot authors is `PROTOCOL.md` in this package; [`message`] holds the same messages as types.

#![warn(missing_docs)]

pub mod fault;
pub mod frame;
pub mod message;
pub mod schema;
