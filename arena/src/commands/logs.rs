//! `arena logs`: what bots wrote to their standard error during a match.

use std::process::ExitCode;

use anyhow::Context;
use arena_ledger::ledger::Ledger;
use arena_tournament::printable::clean;

use super::{finished, print, wrong_use};
use crate::cli::Logs;
use arena_runner::logs;

/// Prints them, seat by seat.
pub fn run(args: &Logs) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    let played = finished(&ledger, &args.dir, &args.match_id)?;
    let (mut text, folder) = (String::new(), logs::folder(&args.dir));
    for (seat, name) in played
        .bots
        .iter()
        .enumerate()
        .filter(|(_, name)| args.bot.iter().all(|bot| bot == *name))
    {
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
            logs::of_match(&folder, name, &args.match_id, seat).with_context(|| path.clone())?;
        if lines.is_empty() {
            text += &format!(
                "  wrote nothing during this match that is kept (the whole log: {path})\n"
            );
        }
        text.extend(lines.iter().map(|line| format!("  {}\n", clean(line))));
    }
    if text.is_empty() {
        let bot = args.bot.as_deref().unwrap_or_default();
        return wrong_use(format!(
            "{bot} did not play match {}: it was {}",
            args.match_id,
            played.bots.join(", ")
        ));
    }
    print(&text)
}
