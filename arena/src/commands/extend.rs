//! `arena extend`: adds deals or rounds to a tournament. Finished matches remain valid.

use std::process::ExitCode;

use super::print_changes;
use crate::cli::Extend;
use arena_runner::status::status;
use arena_session::open::{Requested, open};
use arena_session::session;

/// Extends the tournament in a folder.
pub fn run(args: &Extend) -> anyhow::Result<ExitCode> {
    let requested = Requested::larger(&args.dir, args.deals, args.rounds)?;
    let opening = open(&requested, true)?;
    print_changes(&opening.opened);
    let (spec, _) = opening.apply()?;
    let next = session::command(&spec, &args.dir);
    status(format_args!("play them  {next}"));
    Ok(ExitCode::SUCCESS)
}
