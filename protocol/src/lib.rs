//! The wire between the arena and a bot: one JSON object a line, UTF-8, on the bot's standard input and output.
//!
//! The reference for authors of bots is `PROTOCOL.md` beside this package; [`message`] holds the same as types.

#![warn(missing_docs)]

pub mod fault;
pub mod frame;
pub mod message;
pub mod schema;
