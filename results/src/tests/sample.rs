//! Results of sample tournaments, for tests.

use arena_engine::outcome::Verdict;
use arena_engine::table::Json;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_statistics::standings::Standings;
use arena_tournament::formats::Choice;
use arena_tournament::played::Played;
use arena_tournament::sample::{cup, decided, tournament, verdict};

use crate::analysis::Analysis;

/// Returns the standings of a sample tournament.
pub(crate) fn standings(bots: &[&str], deals: u32) -> Standings {
    analysis(bots, deals).standings
}

/// Returns all results of a sample tournament.
pub(crate) fn analysis(bots: &[&str], deals: u32) -> Analysis {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, all) = cup(bots, deals);
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&all).unwrap();
    Analysis::from_ledger(&ledger).unwrap()
}

/// Returns all results of a tournament of this format, in which `result` gives the verdict of two bots on a deal.
pub(crate) fn of_format(
    format: Choice,
    bots: &[&str],
    deals: u32,
    result: impl Fn(u32, [usize; 2]) -> Verdict,
) -> Analysis {
    let mut spec = tournament(bots, 2, deals);
    spec.plan.format = format;
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::create(folder.path(), &spec).unwrap();
    let mut done = Vec::new();
    for round in 1..=spec.rounds() {
        for meeting in spec.meetings(round, &done) {
            for deal in meeting.deals {
                let [one, other] = meeting.bots[..] else {
                    unreachable!("tables have two seats")
                };
                let play = |seats: [usize; 2]| Played {
                    // Records depend on the deal and the scores, but not on the names of the bots.
                    record: Json::new(&(deal, result(deal, seats).outcome.seats)),
                    ..decided(deal, &seats.map(|bot| bots[bot]), result(deal, seats))
                };
                ledger
                    .append(&[play([one, other]), play([other, one])])
                    .unwrap();
            }
        }
        done.clear();
        let blocks = |deal: &arena_tournament::deals::Deal| {
            done.extend(deal.finished_blocks().cloned());
            Ok::<_, LedgerError>(())
        };
        ledger.deals(blocks).unwrap();
    }
    Analysis::from_ledger(&ledger).unwrap()
}

/// Returns the verdict for these points; a bot with negative points crashes.
pub(crate) fn scored(points: [i32; 2]) -> Verdict {
    let faults: Vec<u8> = (0..2)
        .filter(|seat| points[usize::from(*seat)] < 0)
        .collect();
    let place = |mine: i32, other: i32| if mine < other { 2 } else { 1 };
    let [one, other] = points;
    verdict(
        &[
            (place(one, other), one.max(0)),
            (place(other, one), other.max(0)),
        ],
        &faults,
    )
}
