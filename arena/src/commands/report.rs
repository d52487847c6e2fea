//! `arena report`: all results of a tournament as one page, or in short for a README or a forum.

use std::process::ExitCode;

use arena_ledger::ledger::Ledger;
use arena_results::analysis::Analysis;
use arena_results::{chart, json, report as contents};

use super::print;
use crate::cli::Report;
use arena_runner::status::status;
use arena_session::report;

/// Writes the page, or prints Markdown or JSON.
pub fn run(args: &Report) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    let analysis = Analysis::of(&ledger)?;
    if args.json {
        return print(&json::document(&analysis)?);
    }
    if args.markdown {
        return print(&report::of(
            &args.dir,
            &ledger,
            &analysis,
            &[],
            contents::markdown,
        )?);
    }
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
    report::write(&file, &args.dir, &ledger, &analysis, &charts)?;
    status(format_args!("report     {}", file.display()));
    Ok(ExitCode::SUCCESS)
}
