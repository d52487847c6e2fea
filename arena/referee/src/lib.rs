//! Games that are programs, in any language: a referee.
//!
//! A referee says what its game is, and then plays any number of matches at the same time, over lines of JSON (`message`). Its matches
//! are ordinary ones (`outside`): the engine's match decides who must act and takes replies, so that records, replays and reports need
//! to know nothing of it. A conversation blocks, since whoever waits for a table can do nothing else meanwhile (`process`).
//!
//! A referee's failure is no bot's fault: the match is void, and the command ends.

mod entry;
mod facts;
mod message;
mod outside;
mod process;
mod referee;
mod wording;

pub use self::entry::load;
pub use self::referee::{Setup, end_all};
