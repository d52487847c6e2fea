//! `arena report`: all results of a tournament as one page.

use std::process::ExitCode;

use arena_ledger::ledger::Ledger;
use arena_results::analysis::Analysis;
use arena_results::{chart, profile};

use crate::cli::Report;
use arena_runner::status::status;
use arena_session::report::{self, More};

/// Writes the page, or one for each bot.
pub fn run(args: &Report) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    let analysis = Analysis::of(&ledger)?;
    if let Some(out) = &args.per_bot {
        let pages = report::per_bot(out, &args.dir, &ledger, &analysis)?;
        status(format_args!(
            "report     {pages} pages below {}",
            out.join("index.html").display()
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let file = args
        .out
        .clone()
        .unwrap_or_else(|| args.dir.join(report::FILE));
    let charts = chart::draw(&ledger, &analysis)?;
    let profiles = args.profile.then(|| profile::of(&ledger)).transpose()?;
    let more = More {
        charts: &charts,
        profiles: profiles.as_ref(),
    };
    report::write(&file, &args.dir, &ledger, &analysis, more)?;
    status(format_args!("report     {}", file.display()));
    Ok(ExitCode::SUCCESS)
}
