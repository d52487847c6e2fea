//! Names and content of tournament folders.

use std::path::{Path, PathBuf};

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_runner::file_name::readable;
use arena_tournament::deals::Block;
use arena_tournament::schedule::schedule;

pub use super::content::{DERIVED, EARLIER, FILE, refuse_foreign};
pub use super::replace::replace;

/// Returns a folder for a tournament of this name that does not exist yet.
pub fn new(name: &str) -> PathBuf {
    numbered(name)
        .find(|dir| !dir.exists())
        .expect("some number is free")
}

/// Returns the possible folders for tournaments of this name.
pub fn numbered(name: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let safe = readable(name);
    (1..).map(move |number| Path::new("runs").join(format!("{safe}-{number}")))
}

/// Returns `true` if a tournament has begun in the folder. A ledger without a committed description counts as missing.
pub fn is_one(path: &Path) -> bool {
    !matches!(Ledger::open_read_only(path), Err(LedgerError::None(_)))
}

/// Returns `true` if the folder describes a tournament, whether or not it has begun.
pub fn is_described(path: &Path) -> bool {
    path.join(FILE).is_file() || is_one(path)
}

/// Returns the finished blocks, from which the next rounds are drawn.
pub fn blocks(ledger: &Ledger) -> Result<Vec<Block>, LedgerError> {
    let mut blocks = Vec::new();
    ledger.deals(|deal| {
        blocks.extend(deal.finished_blocks().cloned());
        Ok::<_, LedgerError>(())
    })?;
    Ok(blocks)
}

/// Returns the number of finished matches in the ledger that the plan does not contain.
pub fn strangers(ledger: &Ledger) -> anyhow::Result<u64> {
    let spec = ledger.spec();
    let blocks = blocks(ledger)?;
    let mut planned = 0;
    for round in 1..=spec.rounds() {
        let meetings = spec.meetings(round, &blocks);
        let (mut all, mut here) = (0, 0);
        for one in schedule(spec.field(), &meetings) {
            all += 1;
            here += u64::from(ledger.has(one.deal, &one.seats)?);
        }
        planned += here;
        // Later rounds depend on results that are still missing.
        if here < all {
            break;
        }
    }
    Ok(ledger.count()?.saturating_sub(planned))
}
