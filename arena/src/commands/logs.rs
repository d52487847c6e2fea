//! `arena show DIR MATCH --logs`: prints bots' standard error from a match.

use std::path::Path;

use anyhow::Context;
use arena_engine::seat::Seat;
use arena_ledger::ledger::Ledger;
use arena_runner::logs::{self, OfMatch};
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
        text += &format!("{} (seat {})\n", clean(name), seat + 1);
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
        let log =
            logs::of_match(&folder, name, &played.id(), seat).with_context(|| path.clone())?;
        let mut kept = played.evidence.iter();
        let kept = kept.find(|kept| kept.seat.index() == seat);
        let kept = kept.map_or("", |kept| kept.stderr.trim_end());
        let (why, lines) = match log {
            OfMatch::Lines(lines) => (None, lines),
            OfMatch::Nothing if kept.is_empty() => {
                let why = format!("wrote nothing in this match (the whole log: {path})");
                (Some(why), Vec::new())
            }
            OfMatch::Nothing => (
                Some(format!("has nothing of this match in {path}")),
                Vec::new(),
            ),
            OfMatch::Full => {
                let why = format!("has no log of this match, since {path} was full before it");
                (Some(why), Vec::new())
            }
            OfMatch::NoFile => (
                Some(format!("has no log here: there is no {path}")),
                Vec::new(),
            ),
        };
        if let Some(why) = &why {
            text += &format!("  {why}\n");
        }
        text.extend(lines.iter().map(|line| format!("  {}\n", clean(line))));
        if why.is_some() && !kept.is_empty() {
            text += "  kept with its fault:\n";
            text.extend(kept.lines().map(|line| format!("  {}\n", clean(line))));
        }
    }
    Ok(text)
}
