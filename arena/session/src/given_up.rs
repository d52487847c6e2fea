//! The warning about a bot that is not started again.

use arena_results::faults::help::{Clues, help};
use arena_runner::starts::{FAILED_STARTS, GivenUp};
use arena_tournament::printable::clean;

/// Which bot it is, why, and what would help.
pub fn warning(GivenUp { bot, fault, evidence }: &GivenUp) -> String {
    let mut text = format!(
        "warning: {} was started {FAILED_STARTS} times and was never ready: it {fault}. Its other matches in this run are forfeited \
         the same way, without starting it again",
        clean(bot)
    );
    let help = help(fault, &Clues { log: &evidence.stderr, ..Clues::default() });
    help.into_iter().for_each(|help| text += &format!("\n         {help}"));
    evidence
        .last_lines()
        .take(1)
        .for_each(|line| text += &format!("\n         the last line of its log: {}", clean(line)));
    text
}
