//! `arena close`: ends a tournament for good, so that its seed may be shown to everybody.

use std::process::ExitCode;

use arena_tournament::spec::Spec;

use super::summary;
use crate::cli::Close;
use arena_runner::status::status;
use arena_session::{crash, folder};

/// Closes a tournament, and writes its reports again.
pub fn run(args: &Close) -> anyhow::Result<ExitCode> {
    let dir = &*args.dir;
    let mut ledger = folder::reopen(dir)?;
    let closed = Spec {
        closed: true,
        ..ledger.spec().clone()
    };
    ledger.extend(&closed)?;
    crash::point("closed");
    if closed.plan.test.is_none() {
        summary::write(&mut ledger, dir)?;
    }
    let (seed, shown) = (closed.plan.seed, dir.display());
    status(format_args!(
        "{shown} is closed: its reports show its seed, {seed}, and nothing more is played in it"
    ));
    Ok(ExitCode::SUCCESS)
}
