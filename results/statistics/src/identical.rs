//! Where matches of the same bots on the same deal went alike: deterministic bots that play themselves alike, or deals
//! played twice. Such matches add no information, however many there are.

use std::collections::BTreeMap;

use arena_tournament::deals::Deal;
use schemars::JsonSchema;
use serde::Serialize;

/// Counts of how often the same bots played the same match again, for each set of bots.
#[derive(Clone, Debug, Default)]
pub struct Transcripts {
    sets: BTreeMap<Vec<usize>, Identical>,
}

/// Bots of which more than half of their matches went exactly like another one of theirs on the same deal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Identical {
    /// The bots, as indices among the tournament's bots, in order.
    pub bots: Vec<usize>,
    /// The number of matches that they played.
    pub matches: u64,
    /// The number of their matches that have the same transcript as another match of the same bots on the same deal.
    pub identical: u64,
}

impl Transcripts {
    /// Takes in a deal; each must come once.
    pub fn add(&mut self, deal: &Deal) {
        for (block, matches) in deal.tables() {
            // A forfeit is no evidence of how bots play.
            let matches = matches.iter().filter(|scored| scored.seats.iter().all(|seat| seat.fault.is_none()));
            let mut transcripts: Vec<u32> = matches.map(|scored| scored.transcript).collect();
            transcripts.sort_unstable();
            let alike = transcripts.chunk_by(|one, next| one == next).filter(|alike| alike.len() > 1);
            let new = || Identical { bots: block.bots.clone(), ..Identical::default() };
            let counts = self.sets.entry(block.bots.clone()).or_insert_with(new);
            counts.matches += transcripts.len() as u64;
            counts.identical += alike.map(|alike| alike.len() as u64).sum::<u64>();
        }
    }

    /// The sets of bots to warn of, in order.
    pub fn warnings(&self) -> Vec<Identical> {
        self.sets.values().filter(|counts| 2 * counts.identical > counts.matches).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use arena_tournament::deals::{Deals, Scored};

    use super::*;

    /// The warnings after these matches: deal, bots by seat, transcript.
    fn warnings(matches: &[(u32, Vec<usize>, u32)]) -> Vec<Identical> {
        let mut deals = Deals::new(2, None);
        let mut transcripts = Transcripts::default();
        for (deal, bots, transcript) in matches.iter().cloned() {
            let scored = Scored { deal, bots, seats: Vec::new(), transcript };
            deals.add(scored).iter().for_each(|deal| transcripts.add(deal));
        }
        deals.end().iter().for_each(|deal| transcripts.add(deal));
        transcripts.warnings()
    }

    #[test]
    fn bots_that_play_alike_are_warned_of() {
        let mut matches = Vec::new();
        for deal in 1..=4 {
            let own = deal * 100;
            // 0 and 1 are the same deterministic bot; 2 plays differently; 3 is one of both now and then.
            matches.push((deal, vec![0, 1], own));
            matches.push((deal, vec![1, 0], own));
            matches.push((deal, vec![0, 2], own + 1));
            matches.push((deal, vec![2, 0], own + 2));
            matches.push((deal, vec![2, 1], own + 2));
            matches.push((deal, vec![0, 3], own + 3));
            matches.push((deal, vec![3, 0], own + 3 + deal % 2));
        }
        let warned = Identical { bots: vec![0, 1], matches: 8, identical: 8 };
        assert_eq!(warnings(&matches), [warned], "exactly half is not warned of");
        // A deal of its own is not the same deal.
        assert_eq!(warnings(&(1..=9).map(|deal| (deal, vec![0, 1], 7)).collect::<Vec<_>>()), []);
    }

    #[test]
    fn all_matches_of_a_kind_are_counted_once() {
        let mut matches: Vec<_> =
            [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1]].iter().map(|bots| (1, bots.to_vec(), 5)).collect();
        matches.push((1, vec![1, 2, 0], 6));
        assert_eq!(warnings(&matches), [Identical { bots: vec![0, 1, 2], matches: 5, identical: 4 }]);
    }
}
