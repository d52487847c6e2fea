//! The files and the output of a finished tournament.

use std::fs;
use std::path::Path;

use arena_ledger::ledger::Ledger;
use arena_results::analysis::Analysis;
use arena_results::faults::{self, Words, first_forfeits};
use arena_results::{chart, json, text};
use arena_tournament::printable::clean;

use super::{print, show, shown};
use crate::terminal;
use arena_runner::status::status;
use arena_session::report;
use arena_session::trust;

/// Maximum number of commands suggested at the end.
const MAX_SUGGESTIONS: usize = 2;

/// Writes the files next to the ledger, and returns the results.
pub fn write(ledger: &mut Ledger, dir: &Path) -> anyhow::Result<Analysis> {
    let analysis = Analysis::from_ledger(ledger)?;
    let charts = chart::write_all(&dir.join("charts"), ledger, &analysis)?;
    fs::write(dir.join("standings.json"), json::document(&analysis)?)?;
    report::write(&dir.join(report::FILE), dir, ledger, &analysis, &charts)?;
    Ok(analysis)
}

/// Writes the files next to the ledger, and prints the standings.
pub fn print_all(ledger: &mut Ledger, dir: &Path) -> anyhow::Result<()> {
    let analysis = write(ledger, dir)?;
    let standings = &analysis.standings;
    let shown = shown(dir);
    let flag = trust::flag(ledger.spec(), dir);
    // Write the files first, because printing fails if the reader of the output has gone away.
    let crashed = show::crashed(shown)?;
    let (mut text, is_cut) = text::first_bots(&analysis, terminal::width());
    text += &crashed;
    let between_rounds = analysis.next_round().is_some();
    if between_rounds {
        text += &format!("\n{}", text::next_round(&analysis));
    }
    print(&text)?;
    status("");
    status(format_args!(
        "report     {}",
        shown.join(report::FILE).display()
    ));
    let shown = shown.display();
    let mut next = Vec::new();
    if is_cut {
        next.push(format!("all bots   arena show {shown}"));
    }
    if standings.forfeits() > 0 {
        first_forfeit(ledger, standings.forfeits())?
            .into_iter()
            .for_each(status);
        next.push(format!("faults     arena faults {shown}"));
    }
    let spec = ledger.spec();
    if !standings.complete {
        let one_round = if between_rounds { " --one-round" } else { "" };
        next.push(format!("continue   arena run {shown}{flag}{one_round}"));
    } else if let Some(more) = spec.plan.format.listed().more {
        let now = if more == "deals" {
            spec.plan.deals
        } else {
            spec.rounds()
        };
        let twice = u64::from(now) * 2;
        next.push(format!("more       arena extend {shown} --{more} {twice}"));
    }
    next.push(format!("pairs      arena show {shown} --pairs"));
    next.iter().take(MAX_SUGGESTIONS).for_each(status);
    Ok(())
}

/// Returns a line with the cause of the first forfeit.
pub(super) fn first_forfeit(ledger: &Ledger, forfeits: u64) -> anyhow::Result<Option<String>> {
    let words = Words::public(ledger.spec());
    let first = first_forfeits(ledger, 1, None)?.into_iter().next();
    Ok(first.map(|failure| {
        let failure = words.within(failure);
        let (bot, id) = (clean(&failure.bot), clean(&failure.r#match));
        let many = match forfeits {
            1 => "1 forfeit,".to_owned(),
            count => format!("{count} forfeits; the first,"),
        };
        format!("{many} of {bot} in {id}: {}", faults::cause(&failure))
    }))
}
