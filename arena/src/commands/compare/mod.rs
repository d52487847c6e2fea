//! `arena compare`: plays two bots until a test decides which is stronger.

mod find;
mod flags;
mod progress;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Error;
use arena_ledger::ledger::Ledger;
use arena_results::comparison::{ComparisonReport, Gate, GateAnswer};
use arena_results::{json, text};
use arena_statistics::compare::Comparison;
use arena_statistics::sprt::TestVerdict;

use self::progress::ComparisonProgress;
use super::run::stop_after;
use super::summary::first_forfeit;
use super::{check_unplayed, print, print_changes, shown, work};
use crate::cli;
use crate::cli::compare::Compare;
use arena_runner::status::status;
use arena_session::crash;
use arena_session::open::{Opening, open};
use arena_session::session::{self, Session};

/// The result file, next to the ledger.
const RESULT_FILE: &str = "comparison.json";

/// Starts or continues a comparison of two bots.
pub fn run(args: &Compare) -> anyhow::Result<ExitCode> {
    work::machines(&args.queue)?;
    let opening = open(&find::requested(args)?, true)?;
    print_changes(&opening.opened);
    play(args, opening)
}

/// Plays until the comparison is decided or stopped, and prints the result.
fn play(args: &Compare, opening: Opening) -> anyhow::Result<ExitCode> {
    let began = Instant::now();
    let machines = work::machines(&args.queue)?;
    let dir = opening.dir.clone();
    let (spec, mut ledger) = opening.apply()?;
    let (spec, dir) = (&spec, &*dir);
    let mut unplayed = Vec::new();
    if by_ledger(&ledger)?.verdict == TestVerdict::Running {
        let session = Session::new(spec, dir, args.progress.mode(), machines)?;
        if let Some(lasting) = args.lasting {
            stop_after(lasting, &session)?;
        }
        let mut progress = ComparisonProgress::new(args.progress.mode(), &ledger)?;
        let played = work::play(&session, &args.queue, &mut ledger, &mut progress);
        progress.end();
        unplayed = played?;
    }
    crash::point("before-report");
    // Compute the result from the ledger alone, not from the counts kept during play.
    let comparison = by_ledger(&ledger)?;
    report(&comparison, &ledger, dir, args)?;
    check_unplayed(spec, &unplayed)?;
    let is_running = comparison.verdict == TestVerdict::Running;
    let is_over = args
        .lasting
        .is_some_and(|lasting| began.elapsed() >= lasting);
    Ok(
        match args
            .gate
            .map(|wanted| Gate::new(wanted, comparison.verdict).answer)
        {
            _ if is_running && !is_over => ExitCode::from(arena_session::stopping::INTERRUPTED),
            None | Some(GateAnswer::Passed) => ExitCode::SUCCESS,
            Some(GateAnswer::Failed) => ExitCode::from(cli::FAILURE),
            Some(GateAnswer::Undecided) => ExitCode::from(cli::UNPROVEN),
        },
    )
}

/// Writes the files next to the ledger, and prints the result.
fn report(
    comparison: &Comparison,
    ledger: &Ledger,
    dir: &Path,
    args: &Compare,
) -> anyhow::Result<()> {
    let shown = shown(dir).display();
    let gate = args
        .gate
        .map(|wanted| Gate::new(wanted, comparison.verdict));
    let report = ComparisonReport {
        gate,
        ..ComparisonReport::new(comparison, ledger.spec())
    };
    let written = json::document(&report)?;
    fs::write(dir.join(RESULT_FILE), &written)?;
    let printed = if args.json {
        written
    } else {
        // The director's own terminal may show the seed.
        text::comparison(&ComparisonReport {
            seed: Some(ledger.spec().plan.seed),
            ..report.clone()
        })
    };
    print(&printed)?;
    status("");
    if comparison.beyond() > 0 {
        status(format_args!(
            "{} more matches were finished by then; they are kept, not counted",
            comparison.beyond()
        ));
    }
    if comparison.verdict == TestVerdict::Running {
        let next = session::command(ledger.spec(), dir);
        status(format_args!("continue   {next}"));
    }
    let forfeits = report.results.iter().map(|results| results.forfeits).sum();
    if forfeits > 0 {
        first_forfeit(ledger, forfeits)?
            .into_iter()
            .for_each(status);
        status(format_args!("faults     arena faults {shown}"));
    }
    status(format_args!("matches    arena show {shown}"));
    Ok(())
}

/// Computes the comparison from the matches in the ledger.
fn by_ledger(ledger: &Ledger) -> anyhow::Result<Comparison> {
    let mut comparison = Comparison::new(ledger.spec()).map_err(Error::msg)?;
    ledger.scores(|scored| comparison.add(scored).map_err(Error::msg))?;
    Ok(comparison)
}
