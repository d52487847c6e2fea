//! `arena stop`: tells a running tournament to finish its running matches, and waits until it has ended.

use std::process::ExitCode;

use arena_ledger::ledger::Ledger;
use arena_ledger::lock::Lock;

use crate::cli::{self, Folder};
use arena_runner::status::status;
use arena_session::{session, stopping};

/// Stops the tournament that is running in a folder.
pub fn run(args: &Folder) -> anyhow::Result<ExitCode> {
    let (dir, shown) = (&*args.dir, args.dir.display());
    let ledger = Ledger::open_read_only(dir)?;
    if !Lock::is_held(dir) {
        status(format_args!("the tournament in {shown} is not running"));
        return Ok(ExitCode::from(cli::FAILURE));
    }
    stopping::request(dir)?;
    Lock::wait(dir)?;
    stopping::withdraw(dir);
    status(format_args!(
        "stopped: {} of {} matches are finished",
        ledger.count()?,
        ledger.spec().matches()
    ));
    status(format_args!(
        "continue arena {} {shown}",
        session::kind(ledger.spec()).0
    ));
    Ok(ExitCode::SUCCESS)
}
