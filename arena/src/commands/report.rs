//! `arena report`: writes all results of a tournament to a single page.

use std::fs::{self, File};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_ledger::ledger::Ledger;
use arena_results::analysis::Analysis;
use arena_results::chart;
use arena_results::report::sheets;

use super::{summary, wrong_use};
use crate::cli::Report;
use arena_config::class::Roster;
use arena_config::diagnostic::UsageError;
use arena_runner::status::status;
use arena_session::open::lock;
use arena_session::{crash, report};
use arena_tournament::spec::Spec;

/// Writes the page, or one page per bot.
pub fn run(args: &Report) -> anyhow::Result<ExitCode> {
    let mut ledger = Ledger::open_read_only(&args.dir)?;
    if args.pairings && !ledger.spec().plan.format.draws_rounds() {
        return wrong_use("this format has no rounds, and so no pairings");
    }
    if args.close {
        // A tournament cannot be reopened, so find out first if the page can be written.
        if let Some(file) = &args.out {
            let opened = File::options().append(true).create(true).open(file);
            opened.with_context(|| format!("cannot write {}", file.display()))?;
        }
        close(&args.dir)?;
        ledger = Ledger::open_read_only(&args.dir)?;
    }
    let analysis = Analysis::from_ledger(&ledger)?;
    if let Some(out) = &args.per_bot {
        let file = args.dir.file();
        let roster = if ledger.spec().pseudonyms && file.is_file() {
            Roster::of_tournament(&file).map_err(UsageError::one)?
        } else {
            None
        };
        let pages = report::publish(out, &args.dir, (&ledger, &analysis), roster.as_ref())?;
        let out = out.display();
        status(format_args!(
            "public     {out}/public may be uploaded as it is"
        ));
        status(format_args!(
            "private    {out}/private holds {pages} pages, each for its author alone: see links.csv"
        ));
        status(format_args!(
            "marks      {out}/private/marks.csv has a row for each bot, also for those left out"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    if args.pairings {
        let file = args.out.clone();
        let file = file.unwrap_or_else(|| args.dir.join("pairings.html"));
        let page = sheets(ledger.spec(), &analysis);
        fs::write(&file, page).with_context(|| file.display().to_string())?;
        status(format_args!("pairings   {}", file.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let file = args
        .out
        .clone()
        .unwrap_or_else(|| args.dir.join(report::FILE));
    let charts = chart::draw(&ledger, &analysis)?;
    report::write(&file, &args.dir, &ledger, &analysis, &charts)?;
    status(format_args!("report     {}", file.display()));
    Ok(ExitCode::SUCCESS)
}

/// Closes a tournament for good, so that its seed may be public, and rewrites its files.
fn close(dir: &Path) -> anyhow::Result<()> {
    let mut ledger = lock(dir)?;
    let closed = Spec {
        closed: true,
        ..ledger.spec().clone()
    };
    ledger.extend(&closed)?;
    crash::point("closed");
    if closed.plan.test.is_none() {
        summary::write(&mut ledger, dir)?;
    }
    let seed = closed.plan.seed;
    status(format_args!(
        "{} is closed: its reports show its seed, {seed}, and nothing more is played in it",
        dir.display()
    ));
    Ok(())
}
