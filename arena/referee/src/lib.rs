//! Games that are programs in any language, called referees.
//!
//! A referee announces its game, and then plays any number of matches at the same time, over lines of JSON (`message`). Its matches are
//! ordinary ones (`outside`): the engine's match decides who must act and takes replies, so records, replays and reports need no special
//! treatment. A conversation blocks the calling thread, which has nothing else to do until the answer arrives (`process`).
//!
//! A failure of the referee is no bot's fault: the match is void, and the command ends.

mod entry;
mod facts;
mod message;
mod outside;
mod process;
mod referee;
mod wording;

pub use self::entry::load;
pub use self::referee::{Setup, end_all};
