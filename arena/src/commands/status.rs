//! `arena status`: lists the bots of a tournament, the bots that are left out with the reasons, and the forfeits of the last run.

use std::process::ExitCode;

use arena_ledger::ledger::Ledger;
use arena_results::analysis::Analysis;
use arena_results::json;
use arena_results::status::Status;

use super::print;
use crate::cli::Status as Args;
use crate::terminal;

/// Prints the status table.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    let mut status = Status::from_ledger(&ledger)?;
    status.rate(&Analysis::from_ledger(&ledger)?.ratings);
    print(&if args.json {
        json::document(&status)?
    } else {
        status.in_words(terminal::width())
    })
}
