//! `arena verify`: replays every record by the rules, and checks the ledger.

use std::path::Path;
use std::process::ExitCode;

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_ledger::lock::Lock;
use arena_ledger::repair::{Remains, repair};
use arena_ledger::verify::{Verified, verify};
use arena_results::json;
use arena_tournament::printable::clean;
use serde::Serialize;

use super::print;
use crate::cli::{self, Verify};
use arena_runner::status::status;
use arena_session::folder;

/// The number of damaged matches that are listed one by one.
const SHOWN: usize = 20;

/// What was found of a tournament.
#[derive(Serialize)]
pub struct Found {
    /// The number of matches that are planned.
    planned: u64,
    #[serde(flatten)]
    verified: Verified,
    /// The number of finished matches that are not part of the plan.
    not_planned: u64,
}

/// Verifies a ledger, and repairs it with `--repair`.
pub fn run(args: &Verify) -> anyhow::Result<ExitCode> {
    let shown = args.dir.display();
    if args.repair && Lock::is_held(&args.dir) {
        // Before hours are spent on reading it.
        Lock::take(&args.dir)?;
    }
    let mut found = find(&args.dir)?;
    let damaged = !found.verified.is_whole();
    let mut then = format!("keep what is whole  arena verify {shown} --repair");
    if damaged && args.repair {
        let (verified, aside) = repair(&args.dir, folder::described(&args.dir).as_ref())?;
        then = format!(
            "repaired: {} matches are kept; the damaged ledger is {}\nplay what is lost  arena run {shown}",
            verified.whole,
            aside.display()
        );
        found.verified = verified;
    }
    let done = print(&if args.json {
        json::document(&found)?
    } else {
        in_words(&found)
    })?;
    if damaged {
        status(format_args!("\n{then}"));
    }
    Ok(if damaged || found.not_planned > 0 {
        ExitCode::from(cli::FAILURE)
    } else {
        done
    })
}

/// What SQLite can read of the ledger, or else what its file holds.
fn find(dir: &Path) -> anyhow::Result<Found> {
    let verified = Ledger::open_read_only(dir).and_then(|ledger| Ok((verify(&ledger)?, ledger)));
    let (verified, ledger) = match verified {
        Err(LedgerError::Damaged(_) | LedgerError::Foreign(_)) => {
            let remains = Remains::find(dir, folder::described(dir).as_ref())?;
            let (planned, verified) = (remains.spec().matches(), remains.verify(|_| Ok(()))?);
            return Ok(Found {
                planned,
                verified,
                not_planned: 0,
            });
        }
        verified => verified?,
    };
    let not_planned = if verified.is_whole() {
        folder::strangers(&ledger)?
    } else {
        0
    };
    Ok(Found {
        planned: ledger.spec().matches(),
        verified,
        not_planned,
    })
}

fn in_words(found: &Found) -> String {
    let Found {
        planned,
        verified,
        not_planned,
    } = found;
    let mut text = format!(
        "{} of {planned} matches are finished and whole\n",
        verified.whole
    );
    for complaint in &verified.file {
        text += &format!("the file: {}\n", clean(complaint));
    }
    for damage in verified.damaged.iter().take(SHOWN) {
        let what = if damage.lost {
            "lost"
        } else {
            "can be repaired"
        };
        text += &format!(
            "{}: {} ({what})\n",
            clean(&damage.r#match),
            clean(&damage.why)
        );
    }
    if verified.damaged.len() > SHOWN {
        text += &format!(
            "and {} more (--json lists them all)\n",
            verified.damaged.len() - SHOWN
        );
    }
    if *not_planned > 0 {
        text += &format!("{not_planned} matches are not part of the plan\n");
    }
    text
}
