//! `arena reset`: deletes everything played in a folder, and keeps the tournament file.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::{self, Ledger};
use arena_ledger::lock::{self, Lock};
use arena_ledger::saved;

use super::wrong_use;
use crate::cli::Reset;
use arena_config::seed;
use arena_runner::status::status;
use arena_session::{crashes, folder, judgements};

/// Files and folders that are derived from the ledger or written during play.
const DERIVED: &[&str] = &[
    "charts",
    "logs",
    folder::EARLIER,
    "standings.json",
    "report.html",
    judgements::FILE,
    crashes::FILE,
    saved::FILE,
];

/// Resets the folder of a tournament.
pub fn run(args: &Reset) -> anyhow::Result<ExitCode> {
    let (dir, shown) = (&*args.dir, args.dir.display());
    if !folder::is_one(dir) {
        return Err(LedgerError::None(dir.to_path_buf()).into());
    }
    let lock = Lock::take(dir)?;
    // Even an unreadable ledger can be reset.
    let matches = match Ledger::open_read_only(dir) {
        Ok(ledger) => {
            // Draw a new seed: authors of the next bots may have seen the deals.
            let mut spec = ledger.spec().clone();
            if args.yes && !args.deals.same_deals && ledger.count()? > 0 {
                spec.restart(seed::draw()?);
            }
            folder::write(dir, &spec)?;
            ledger.count().ok()
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
    for ending in ["", "-wal", "-shm"] {
        remove(&dir.join(format!("{}{ending}", ledger::FILE)))?;
    }
    for name in DERIVED {
        remove(&dir.join(name))?;
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
    status(format_args!(
        "  arena run {shown}/{} --out {shown}",
        folder::FILE
    ));
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
