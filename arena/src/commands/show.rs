//! `arena show`: what a tournament's matches tell, as tables.

use std::path::Path;
use std::process::ExitCode;

use arena_results::analysis::Analysis;
use arena_results::ledger::Ledger;
use arena_results::{csv, json, markdown, text};

use super::print;
use crate::cli::Show;
use crate::terminal;

/// Prints the tables that are asked for, in the form that is asked for.
pub fn run(show: &Show) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&show.dir)?;
    let analysis = Analysis::of(&ledger)?;
    let text = if show.json { json::analysis(&analysis)? } else { table(show, &analysis)? };
    print(&text)
}

/// The table that is asked for.
fn table(show: &Show, analysis: &Analysis) -> anyhow::Result<String> {
    Ok(match (show.pairs, show.ratings) {
        (true, _) if show.csv => csv::pairs(analysis),
        (true, _) if show.markdown => markdown::pairs(analysis),
        (true, _) => text::pairs(analysis, terminal::width()),
        (_, true) if show.csv => csv::ratings(analysis),
        (_, true) if show.markdown => markdown::ratings(analysis),
        (_, true) => text::ratings(analysis, terminal::width()),
        _ if show.placings && show.csv => csv::placings(analysis),
        _ if show.placings && show.markdown => markdown::placings(analysis),
        _ if show.placings => text::placings(analysis),
        _ if show.csv => csv::standings(analysis),
        _ if show.markdown => markdown::standings(analysis),
        _ => report(analysis, &show.dir)?,
    })
}

/// The standings and all that belongs to them, for people.
pub fn report(analysis: &Analysis, dir: &Path) -> anyhow::Result<String> {
    let mut report = text::standings(analysis, terminal::width());
    if analysis.standings.forfeits() > 0 {
        report += &format!("\nforfeits with their evidence: arena faults {}\n", dir.display());
    }
    Ok(report)
}
