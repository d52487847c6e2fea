//! `arena show`: what a tournament's matches tell, as tables, and a match move by move.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::seat::{BySeat, Seat};
use arena_ledger::ledger::Ledger;
use arena_ledger::replay;
use arena_results::analysis::Analysis;
use arena_results::{csv, json, markdown, text, viewer};
use arena_tournament::played::Played;
use arena_tournament::printable::clean;

use super::{finished, print, single, wrong_use};
use crate::cli::Show;
use arena_config::terminal;
use arena_runner::status::status;
use arena_session::report;

/// Prints the tables that are asked for, in the form that is asked for.
pub fn run(show: &Show) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&show.dir)?;
    if let Some(id) = &show.played {
        return recorded(show, &ledger, id);
    }
    let analysis = Analysis::of(&ledger)?;
    let text = if show.json { json::document(&analysis)? } else { table(show, &ledger, &analysis)? };
    print(&text)
}

/// Prints a finished match, or writes it as a page.
fn recorded(show: &Show, ledger: &Ledger, id: &str) -> anyhow::Result<ExitCode> {
    let played = finished(ledger, &show.dir, id)?;
    let spec = ledger.spec();
    if let Some(seat) = show.seat.filter(|seat| usize::from(*seat) >= spec.plan.seats) {
        return wrong_use(format!("there is no seat {seat}: the seats are 0 to {}", spec.plan.seats - 1));
    }
    let text = if show.json || show.out.is_some() {
        let replay = report::replay(&show.dir, ledger, &played, show.seat.map(Seat))?;
        if show.json { json::document(&replay)? } else { viewer::html(&replay)? }
    } else {
        by_name!(spec.plan.game, G => in_words::<G>(show.seat.map(Seat), &played)).context("no such game")??
    };
    let Some(out) = &show.out else { return print(&text) };
    fs::write(out, text).with_context(|| format!("cannot write {}", out.display()))?;
    status(format_args!("replay     {}", out.display()));
    Ok(ExitCode::SUCCESS)
}

fn in_words<G: Game>(seat: Option<Seat>, played: &Played) -> anyhow::Result<String> {
    let all = replay::replay::<G>(played)?.events;
    let events: Vec<G::Event> = match seat {
        Some(seat) => all.iter().map(|event| G::seen_by(event, seat)).collect(),
        None => all,
    };
    let names = BySeat::new(played.bots.len(), |seat| clean(&played.bots[seat.index()]));
    Ok(single::in_words::<G>(&events, &names, played))
}

/// The table that is asked for.
fn table(show: &Show, ledger: &Ledger, analysis: &Analysis) -> anyhow::Result<String> {
    Ok(match (show.pairs, show.ratings) {
        (true, _) if show.csv => csv::pairs(analysis),
        (true, _) if show.markdown => markdown::pairs(analysis),
        (true, _) => text::pairs(analysis, terminal::width()),
        (_, true) if show.csv => csv::ratings(analysis),
        (_, true) if show.markdown => markdown::ratings(analysis),
        (_, true) => text::ratings(analysis, terminal::width()),
        _ if show.placings && show.csv => csv::placings(analysis),
        _ if show.placings && show.markdown => markdown::placings(analysis),
        _ if show.placings => text::placings(analysis, terminal::width()),
        _ if show.csv => csv::standings(analysis),
        _ if show.markdown => markdown::standings(analysis),
        _ => report(ledger, analysis, &show.dir)?,
    })
}

/// The standings and all that belongs to them, for people.
pub fn report(ledger: &Ledger, analysis: &Analysis, dir: &Path) -> anyhow::Result<String> {
    let mut report = text::standings(analysis, terminal::width());
    for entry in ledger.shut_out() {
        report += &format!("\n{entry}\n");
    }
    if analysis.standings.forfeits() > 0 {
        report += &format!("\nforfeits with their evidence: arena faults {}\n", dir.display());
    }
    Ok(report)
}
