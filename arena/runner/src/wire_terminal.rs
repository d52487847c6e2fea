//! Every line between the arena and a bot's process, shown on standard error as it passes.

use super::observer::{Observer, Passed};
use super::status::coloured;

/// The codes of a terminal for lines to a bot, and for lines from it.
const SENT: u8 = 36;
const RECEIVED: u8 = 33;

/// The lines of the bot of this name.
pub struct WireTerminal(pub String);

impl Observer for WireTerminal {
    fn observe(&mut self, passed: Passed, line: &[u8]) {
        let (arrow, code) = match passed {
            Passed::Sent => ('→', SENT),
            Passed::Received => ('←', RECEIVED),
            Passed::Dropped | Passed::Violated | Passed::Answered(_) => return,
        };
        coloured(&format!("{arrow} {} {}", self.0, String::from_utf8_lossy(line)), code);
    }
}
