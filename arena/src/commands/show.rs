//! `arena show`: the standings of a tournament's folder.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use arena_results::ledger::Ledger;
use arena_results::standings::Standings;
use arena_results::{csv, markdown, text};

use crate::cli::Show;
use crate::tournament::folder;

/// Prints the standings in the form that is asked for.
pub fn run(show: &Show) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&show.dir)?;
    let standings = Standings::of(&ledger)?;
    let text = if show.json {
        format!("{}\n", serde_json::to_string_pretty(&standings)?)
    } else if show.csv {
        csv::standings(&standings)
    } else if show.markdown {
        markdown::standings(&standings)
    } else {
        report(&standings, &ledger, &show.dir)?
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// How many bots a crosstable may have to fit a terminal, and how many forfeits are told one by one.
const CROSSTABLE: usize = 10;
const FORFEITS: usize = 5;

/// The standings, the crosstable and the forfeits, for people.
pub fn report(standings: &Standings, ledger: &Ledger, dir: &Path) -> anyhow::Result<String> {
    let mut report = text::standings(standings);
    if (2..=CROSSTABLE).contains(&standings.standings.len()) {
        report += &format!("\n{}", text::crosstable(&standings.crosstable));
    }
    if let Some(places) = folder::places(ledger)? {
        report += &format!("\n{places}");
    }
    let forfeits = standings.forfeits();
    if forfeits > 0 {
        report += &format!("\n{forfeits} forfeits\n");
        for fault in standings.faults.iter().take(FORFEITS) {
            let told = format!("{} in {} ({}): {}", fault.bot, fault.id, fault.cause, fault.detail);
            report += &format!("{}\n", text::clean(&told));
        }
        report += &format!("all of them, with the evidence: arena faults {}\n", dir.display());
    }
    Ok(report)
}
