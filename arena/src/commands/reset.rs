//! `arena reset`: deletes everything that was played in a folder, and keeps the tournament file.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::{self, Ledger};
use arena_ledger::lock::{self, Lock};

use super::wrong_use;
use crate::cli::Reset;
use arena_config::seed;
use arena_runner::status::status;
use arena_session::open::describe;
use arena_session::{crash, folder, session};

/// Resets the folder of a tournament.
pub fn run(args: &Reset) -> anyhow::Result<ExitCode> {
    let (dir, shown) = (&*args.dir, args.dir.display());
    if !folder::is_described(dir) {
        return Err(LedgerError::None(dir.to_path_buf()).into());
    }
    let lock = Lock::take(dir)?;
    let mut next = format!("arena run {shown}");
    // Even an unreadable ledger can be reset.
    let matches = match Ledger::open_read_only(dir) {
        Ok(ledger) => {
            let count = ledger.count().ok();
            // Use a new seed, because the authors of the next bots may have seen the deals.
            let spec = if args.yes && !args.deals.same_deals && count != Some(0) {
                &ledger.spec().restarted(seed::draw()?)
            } else {
                ledger.spec()
            };
            describe(dir, spec)?;
            next = session::command(spec, dir);
            count
        }
        // The ledger is missing if an earlier reset was killed.
        Err(LedgerError::None(_)) => {
            folder::refuse_foreign(dir)?;
            Some(0)
        }
        Err(_) => None,
    };
    let matches = matches.map_or_else(
        || "an unknown number of".to_owned(),
        |count| count.to_string(),
    );
    if !args.yes && matches != "0" {
        return wrong_use(format!(
            "{shown} holds {matches} finished matches: --yes removes them for good"
        ));
    }
    for name in folder::DERIVED {
        remove(&dir.join(name))?;
    }
    crash::point("derived-removed");
    // Remove the ledger last, so that an interrupted reset can be repeated.
    for ending in ["", "-journal", "-wal", "-shm"] {
        remove(&dir.join(format!("{}{ending}", ledger::FILE)))?;
        crash::point("ledger-removed");
    }
    drop(lock);
    remove(&dir.join(lock::FILE))?;
    status(format_args!(
        "removed {matches} matches; {shown}/{} is kept and plays {} again:",
        folder::FILE,
        if args.deals.same_deals {
            "them"
        } else {
            "on new deals"
        }
    ));
    status(format_args!("  {next}"));
    Ok(ExitCode::SUCCESS)
}

/// Removes a file or folder, if it exists.
fn remove(path: &Path) -> anyhow::Result<()> {
    let removed = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| path.display().to_string())
        }
        _ => Ok(()),
    }
}
