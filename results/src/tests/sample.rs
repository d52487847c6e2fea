//! Results of sample tournaments, for tests.

use arena_ledger::ledger::Ledger;
use arena_statistics::standings::Standings;
use arena_tournament::sample::cup;

use crate::analysis::Analysis;

/// The standings of such a tournament.
pub(crate) fn standings(bots: &[&str], deals: u32) -> Standings {
    analysis(bots, deals).standings
}

/// All results of such a tournament.
pub(crate) fn analysis(bots: &[&str], deals: u32) -> Analysis {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, all) = cup(bots, deals);
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&all).unwrap();
    Analysis::of(&ledger).unwrap()
}
