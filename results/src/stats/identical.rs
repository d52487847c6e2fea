//! Where matches of the same bots on the same deal went alike: deterministic bots that play themselves alike, or deals
//! played twice. Such matches add no information, however many there are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The matches that the same bots played alike. Keeps counts for each set of bots, and the transcripts of one deal.
#[derive(Clone, Debug, Default)]
pub struct Transcripts {
    deal: u32,
    /// The number of times that each set of bots (in order) played each transcript on this deal.
    seen: BTreeMap<(Vec<usize>, u64), u64>,
    sets: BTreeMap<Vec<usize>, Counts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    matches: u64,
    identical: u64,
}

/// Bots of which more than half of their matches went exactly like another one of theirs on the same deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identical {
    /// The bots, as indices among the tournament's bots, in order.
    pub bots: Vec<usize>,
    /// The number of matches they played.
    pub matches: u64,
    /// The number of these that have the same transcript as another match of the same bots on the same deal.
    pub identical: u64,
}

impl Transcripts {
    /// Takes in a match: its deal, its bots by seat, and a hash of what all seats replied. Matches must come in order of
    /// deals, within a deal in any order, and each must come once.
    pub fn add(&mut self, deal: u32, bots: &[usize], hash: u64) {
        if deal != self.deal {
            self.deal = deal;
            self.seen.clear();
        }
        let mut bots = bots.to_vec();
        bots.sort_unstable();
        let counts = self.sets.entry(bots.clone()).or_default();
        let seen = self.seen.entry((bots, hash)).or_default();
        *seen += 1;
        counts.matches += 1;
        // The first of its kind is told to be one of several only by the second.
        counts.identical += match *seen {
            1 => 0,
            2 => 2,
            _ => 1,
        };
    }

    /// The sets of bots to warn of, in order.
    pub fn warnings(&self) -> Vec<Identical> {
        let most = self.sets.iter().filter(|(_, counts)| 2 * counts.identical > counts.matches);
        most.map(|(bots, counts)| Identical {
            bots: bots.clone(),
            matches: counts.matches,
            identical: counts.identical,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_that_play_alike_are_warned_of() {
        let mut transcripts = Transcripts::default();
        for deal in 1..=4 {
            let own = u64::from(deal) * 100;
            // 0 and 1 are the same deterministic bot; 2 plays differently; 3 is one of both now and then.
            transcripts.add(deal, &[0, 1], own);
            transcripts.add(deal, &[1, 0], own);
            transcripts.add(deal, &[0, 2], own + 1);
            transcripts.add(deal, &[2, 0], own + 2);
            transcripts.add(deal, &[2, 1], own + 2);
            transcripts.add(deal, &[0, 3], own + 3);
            transcripts.add(deal, &[3, 0], own + 3 + u64::from(deal % 2));
        }
        let warned = Identical { bots: vec![0, 1], matches: 8, identical: 8 };
        assert_eq!(transcripts.warnings(), [warned], "exactly half is not warned of");
        // A deal of its own is not the same deal.
        let mut transcripts = Transcripts::default();
        (1..=9).for_each(|deal| transcripts.add(deal, &[0, 1], 7));
        assert_eq!(transcripts.warnings(), []);
    }

    #[test]
    fn all_matches_of_a_kind_are_counted_once() {
        let mut transcripts = Transcripts::default();
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 0, 1]].iter().for_each(|bots| transcripts.add(1, bots, 5));
        transcripts.add(1, &[1, 2, 0], 6);
        assert_eq!(transcripts.warnings(), [Identical { bots: vec![0, 1, 2], matches: 5, identical: 4 }]);
    }
}
