//! `arena logs`: what bots wrote to their standard error during a match.

use std::fmt::Write;
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
    let played = finished(&ledger, &args.dir, &args.played)?;
    let mut text = String::new();
    for (seat, name) in played.bots.iter().enumerate().filter(|(_, name)| args.bot.iter().all(|bot| bot == *name)) {
        let _ = writeln!(text, "{} (seat {seat})", clean(name));
        let path = logs::path(&logs::folder(&args.dir), name, "log");
        let is_program = ledger.spec().bots.iter().any(|bot| bot.is_called(name) && bot.is_program());
        if !is_program {
            text += "  is built in: it writes nothing\n";
            continue;
        }
        let lines = logs::of_match(&logs::folder(&args.dir), name, &args.played, seat);
        let lines = lines.with_context(|| path.display().to_string())?;
        if lines.is_empty() {
            let _ =
                writeln!(text, "  wrote nothing during this match that is kept (the whole log: {})", path.display());
        }
        text.extend(lines.iter().map(|line| format!("  {}\n", clean(line))));
    }
    if text.is_empty() {
        let bot = args.bot.as_deref().unwrap_or_default();
        return wrong_use(format!("{bot} did not play match {}: it was {}", args.played, played.bots.join(", ")));
    }
    print(&text)
}
