//! The warning about a bot that is not restarted.

use arena_results::faults::help::{Clues, help};
use arena_results::faults::log;
use arena_runner::starts::{FAILED_STARTS, GivenUp};
use arena_tournament::printable::clean;

/// Returns a warning that names the bot, the reason and a suggested fix.
pub fn warning(
    GivenUp {
        bot,
        fault,
        evidence,
    }: &GivenUp,
) -> String {
    let mut text = format!(
        "warning: {} was started {FAILED_STARTS} times and was never ready: it {fault}. Its other matches in this run are forfeited \
         the same way, without starting it again",
        clean(bot)
    );
    let help = help(
        fault,
        &Clues {
            log: &evidence.stderr,
            before_ready: true,
            ..Clues::default()
        },
    );
    help.into_iter()
        .for_each(|help| text += &format!("\n         {help}"));
    let reason = log::reason(&evidence.stderr);
    reason
        .into_iter()
        .for_each(|line| text += &format!("\n         its log says: {}", clean(&line)));
    text
}
