//! Intervals of every two bots while a tournament runs, which are valid however often one looks.
//!
//! An ordinary 95 % interval that is looked at after each deal until it leaves out ½ is wrong far more often than in 5 % of
//! cases. These intervals come from confidence sequences ([`Betting`]), which are right at all times together with a chance of 95 %
//! for each pair. They are made of the deals from the first to the last before one that is not finished, so that what
//! they are made of at one look is the beginning of what they are made of at the next.

use std::collections::BTreeMap;

use arena_tournament::deals::{Deal, Scored};
use serde::{Deserialize, Serialize};

use crate::stats::betting::Betting;

/// An interval of two bots against each other that is valid at any time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnytimePair {
    /// The first bot, as its index among the tournament's bots.
    pub first: usize,
    /// The other one, of a greater index.
    pub second: usize,
    /// The number of deals that it is made of.
    pub deals: u64,
    /// The ends of the interval of the first bot's score, in 0 … 1.
    pub score: [f64; 2],
}

impl AnytimePair {
    /// The better bot and the other one, if that is decided.
    pub fn decided(&self) -> Option<(usize, usize)> {
        match self.score {
            [low, _] if low > 0.5 => Some((self.first, self.second)),
            [_, high] if high < 0.5 => Some((self.second, self.first)),
            _ => None,
        }
    }
}

/// Takes in the deals of a tournament that is not finished, in their order.
#[derive(Debug, Default)]
pub struct AnytimeValid {
    /// The number of deals that count.
    deals: u32,
    /// True once a deal was not finished: those that follow do not count.
    broken: bool,
    pairs: BTreeMap<[usize; 2], Betting>,
}

impl AnytimeValid {
    /// Takes in a deal. Those of tournaments whose deals differ in size never count.
    pub fn add(&mut self, deal: &Deal) {
        // A deal of which no match is finished is not finished either.
        self.broken |= deal.planned.is_none() || !deal.finished || deal.number != self.deals + 1;
        if self.broken {
            return;
        }
        self.deals += 1;
        let mut scores: BTreeMap<[usize; 2], (u32, u32)> = BTreeMap::new();
        for duel in deal.matches.iter().flat_map(Scored::duels) {
            let (halves, count) = scores.entry(duel.bots).or_default();
            *halves += duel.versus().halves();
            *count += 1;
        }
        for (pair, (halves, count)) in scores {
            let betting = self.pairs.entry(pair).or_insert_with(Betting::of_scores);
            // A score cannot lie outside of 0 … 1.
            let _ = betting.add(f64::from(halves) / f64::from(2 * count));
        }
    }

    /// The intervals of every two bots that have met.
    pub fn pairs(self) -> Vec<AnytimePair> {
        let pair = |([first, second], betting): ([usize; 2], Betting)| {
            let known = betting.peek();
            AnytimePair { first, second, deals: known.observed, score: known.interval }
        };
        self.pairs.into_iter().map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use arena_tournament::deals::Seated;

    use super::*;
    use crate::sample::{gathered, tournament, verdict};

    /// The pairs after these deals, each with its number of matches; the first bot wins all of them.
    fn after(deals: &[(u32, usize)]) -> Vec<AnytimePair> {
        let matches = deals.iter().flat_map(|(deal, matches)| {
            [vec![0, 1], vec![1, 0]].into_iter().take(*matches).map(|bots| {
                let (first, second) = if bots[0] == 0 { (1, 2) } else { (2, 1) };
                let seats = Seated::all(&verdict(&[(first, 9), (second, 9)], &[]));
                Scored { deal: *deal, bots, seats, transcript: 0 }
            })
        });
        let mut known = AnytimeValid::default();
        gathered(tournament(&["a", "b"], 2, 100).gather(), matches).iter().for_each(|deal| known.add(deal));
        known.pairs()
    }

    #[test]
    fn only_the_deals_before_the_first_unfinished_one_count() {
        let all: Vec<(u32, usize)> = (1..=40).map(|deal| (deal, 2)).collect();
        let known = after(&all);
        assert_eq!((known[0].deals, known[0].decided()), (40, Some((0, 1))));
        let mut gap = all.clone();
        gap[20].1 = 1;
        assert_eq!(after(&gap)[0].deals, 20);
        gap.remove(10);
        assert_eq!(after(&gap)[0].deals, 10);
        assert_eq!(after(&all[..1])[0].decided(), None);
        assert_eq!(after(&[(2, 2)]), []);
    }
}
