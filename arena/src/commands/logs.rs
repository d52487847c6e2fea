//! `arena show DIR MATCH --logs`: prints bots' standard error from a match.

use std::path::Path;

use anyhow::Context;
use arena_engine::seat::Seat;
use arena_ledger::ledger::Ledger;
use arena_runner::logs;
use arena_tournament::played::Played;
use arena_tournament::printable::clean;

/// Formats the logs of a match, for one seat or seat by seat.
pub fn in_words(
    ledger: &Ledger,
    dir: &Path,
    played: &Played,
    only: Option<Seat>,
) -> anyhow::Result<String> {
    let folder = logs::folder(dir);
    let mut text = String::new();
    for (seat, name) in played.bots.iter().enumerate() {
        if only.is_some_and(|only| only.index() != seat) {
            continue;
        }
        text += &format!("{} (seat {seat})\n", clean(name));
        if !ledger
            .spec()
            .bots
            .iter()
            .any(|bot| bot.name == *name && bot.is_program())
        {
            text += "  is built in: it writes nothing\n";
            continue;
        }
        let path = logs::path(&folder, name, "log").display().to_string();
        let lines =
            logs::of_match(&folder, name, &played.id(), seat).with_context(|| path.clone())?;
        if lines.is_empty() {
            text += &format!("  wrote nothing in this match (the whole log: {path})\n");
        }
        text.extend(lines.iter().map(|line| format!("  {}\n", clean(line))));
    }
    Ok(text)
}
