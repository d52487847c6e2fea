//! `arena workers`: the workers whose matches a tournament holds, and those that are excluded.

use std::process::ExitCode;

use arena_ledger::ledger::Ledger;
use arena_tournament::printable::clean;

use super::{print, wrong_use};
use crate::cli::queue::Workers;
use arena_session::folder;

/// Lists workers, excludes one or readmits one.
pub fn run(args: &Workers) -> anyhow::Result<ExitCode> {
    let dir = &*args.dir;
    if let Some(name) = &args.ban {
        let mut ledger = folder::reopen(dir)?;
        if ledger.excluded().iter().any(|entry| entry.worker == *name) {
            return wrong_use(format!("worker {name:?} is excluded already"));
        }
        let entry = ledger.exclude_worker(name, "banned by hand")?;
        ledger.close()?;
        return print(&format!(
            "excluded {}: {} matches are to be played again\n",
            clean(name),
            entry.matches
        ));
    }
    if let Some(name) = &args.readmit {
        let mut ledger = folder::reopen(dir)?;
        if !ledger.readmit_worker(name)? {
            return wrong_use(format!(
                "worker {name:?} is not excluded; `arena workers {}` lists all",
                dir.display()
            ));
        }
        ledger.close()?;
        return print(&format!("readmitted {}\n", clean(name)));
    }
    let ledger = Ledger::open_read_only(dir)?;
    let mut text = String::new();
    for (name, matches) in ledger.workers()? {
        text += &format!("{}: {matches} matches\n", clean(&name));
    }
    ledger
        .excluded()
        .iter()
        .for_each(|entry| text += &format!("{entry}\n"));
    print(if text.is_empty() {
        "no worker has played for this tournament\n"
    } else {
        &text
    })
}
