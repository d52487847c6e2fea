//! `arena verify`: replays every record by the rules, and checks the ledger.

use std::process::ExitCode;

use arena_ledger::ledger::Ledger;
use arena_ledger::lock::Lock;
use arena_ledger::repair::repair;
use arena_ledger::verify::{Verified, verify};
use arena_results::json;
use arena_tournament::printable::clean;
use serde::Serialize;

use super::print;
use crate::cli::{self, Verify};
use arena_runner::status::status;
use arena_session::folder;

/// Maximum number of damaged matches listed one by one.
const MAX_DAMAGED_SHOWN: usize = 20;

/// Result of verifying a tournament.
#[derive(Serialize)]
pub struct VerifyResult {
    /// Number of planned matches.
    planned: u64,
    #[serde(flatten)]
    verified: Verified,
    /// Number of finished matches that are not part of the plan.
    not_planned: u64,
}

/// Verifies a ledger, and repairs it with `--repair`.
pub fn run(args: &Verify) -> anyhow::Result<ExitCode> {
    let shown = args.dir.display();
    if args.repair && Lock::is_held(&args.dir) {
        // Fail early if another arena is writing, because reading the ledger may take hours.
        Lock::take(&args.dir)?;
    }
    let ledger = Ledger::open_read_only(&args.dir)?;
    let verified = verify(&ledger)?;
    let damaged = !verified.is_whole();
    let not_planned = if damaged {
        0
    } else {
        folder::strangers(&ledger)?
    };
    let found = VerifyResult {
        planned: ledger.spec().matches(),
        verified,
        not_planned,
    };
    drop(ledger);
    let mut then = format!("keep the rest  arena verify {shown} --repair");
    if damaged && args.repair {
        let (kept, aside) = repair(&args.dir)?;
        then = format!(
            "repaired: {kept} matches are kept; the damaged ledger is {}\nplay what is lost  arena run {shown}",
            aside.display()
        );
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

fn in_words(found: &VerifyResult) -> String {
    let VerifyResult {
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
    for damage in verified.damaged.iter().take(MAX_DAMAGED_SHOWN) {
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
    if verified.damaged.len() > MAX_DAMAGED_SHOWN {
        text += &format!(
            "and {} more (--json lists them all)\n",
            verified.damaged.len() - MAX_DAMAGED_SHOWN
        );
    }
    if *not_planned > 0 {
        text += &format!("{not_planned} matches are not part of the plan\n");
    }
    text
}
