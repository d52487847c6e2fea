//! `arena show`: prints tables of a tournament, or a match move by move.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_engine::seat::{BySeat, Seat};
use arena_ledger::ledger::Ledger;
use arena_ledger::replay;
use arena_results::analysis::Analysis;
use arena_results::{csv, json, text, viewer};
use arena_tournament::printable::clean;

use super::{finished, logs, print, single, wrong_use};
use crate::cli::Show;
use crate::terminal;
use arena_runner::status::status;
use arena_session::{crashes, report};

/// Maximum number of guesses listed for one turn.
const MAX_GUESSES: usize = 20;

/// Prints a table or a match.
pub fn run(show: &Show) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&show.dir)?;
    if let Some(id) = &show.match_id {
        return recorded(show, &ledger, id);
    }
    let analysis = Analysis::from_ledger(&ledger)?;
    let mut text = if show.json {
        json::document(&analysis)?
    } else {
        table(show, &analysis)
    };
    if !(show.json || show.csv || show.pairs || show.placings || show.rounds) {
        text += &crashed(&show.dir)?;
    }
    print(&text)
}

/// Returns a line about bots that crashed between matches; empty if there are none.
pub fn crashed(dir: &Path) -> anyhow::Result<String> {
    let crashes = crashes::read(dir)?;
    let names: Vec<String> = crashes.keys().map(|bot| clean(bot)).collect();
    if names.is_empty() {
        return Ok(String::new());
    }
    let (names, dir) = (names.join(", "), dir.display());
    Ok(format!(
        "\ncrashed between matches, which cost none: {names} (arena faults {dir})\n"
    ))
}

/// Prints a finished match, or writes it as a page.
fn recorded(show: &Show, ledger: &Ledger, id: &str) -> anyhow::Result<ExitCode> {
    let played = finished(ledger, &show.dir, id)?;
    let spec = ledger.spec();
    if let Some(seat) = show
        .seat
        .filter(|seat| usize::from(*seat) >= spec.plan.seats)
    {
        return wrong_use(format!(
            "there is no seat {seat}: choose 0 to {}",
            spec.plan.seats - 1
        ));
    }
    let text = if show.logs {
        logs::in_words(ledger, &show.dir, &played, show.seat.map(Seat))?
    } else if show.json || show.out.is_some() || show.known {
        let guesses = if show.turn.is_some() {
            MAX_GUESSES
        } else {
            viewer::GUESSES
        };
        let replay = report::replay(&show.dir, ledger, &played, show.seat.map(Seat), guesses)?;
        if show.json {
            json::document(&replay)?
        } else if show.known {
            let Some(known) = text::known(&replay, show.turn, terminal::width()) else {
                return wrong_use(
                    "nothing to show: the seat has no such turn, or the game cannot count what is known",
                );
            };
            known
        } else {
            viewer::html(&replay, &Default::default(), None)?
        }
    } else {
        let table = replay::replay(replay::game(spec)?, &played)?;
        let names = BySeat::new(played.bots.len(), |seat| clean(&played.bots[seat.index()]));
        let sentences = table.sentences(show.seat.map(Seat), &names);
        single::in_words(sentences, &names, &played)
    };
    let Some(out) = &show.out else {
        return print(&text);
    };
    fs::write(out, text).with_context(|| format!("cannot write {}", out.display()))?;
    status(format_args!("replay     {}", out.display()));
    Ok(ExitCode::SUCCESS)
}

/// Formats the table selected by flags, in the selected format.
fn table(show: &Show, analysis: &Analysis) -> String {
    let width = terminal::width();
    match show {
        Show {
            pairs: true,
            csv: true,
            ..
        } => csv::pairs(analysis),
        Show { pairs: true, .. } => text::pairs(analysis, width),
        Show {
            placings: true,
            csv: true,
            ..
        } => csv::placings(analysis),
        Show { placings: true, .. } => text::placings(analysis, width),
        Show {
            rounds: true,
            csv: true,
            ..
        } => csv::rounds(analysis),
        Show { rounds: true, .. } => text::rounds(analysis, width),
        Show { csv: true, .. } => csv::standings(analysis),
        Show { full, .. } => text::standings(analysis, width, *full),
    }
}
