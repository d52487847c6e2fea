//! What is decided between two bots while a tournament runs, however often one looks.
//!
//! An ordinary 95 % interval that is looked at after each deal until it leaves out ½ is wrong far more often than in 5 % of
//! cases. What is told here comes from confidence sequences ([`Betting`]), which are right at all times together with a chance of 95 %
//! for each pair. They are made of the deals from the first to the last before one that is not finished, so that what
//! they are made of at one look is the beginning of what they are made of at the next.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::scored::Scored;
use crate::stats::betting::Betting;
use crate::wdl::{self, Wdl};
use arena_tournament::spec::Spec;

/// What is known of two bots against each other at any time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LivePair {
    /// The first bot, as its index among the tournament's bots.
    pub first: usize,
    /// The other one, of a greater index.
    pub second: usize,
    /// How many deals it is made of.
    pub deals: u64,
    /// The ends of the interval of the first bot's score, in 0 … 1.
    pub score: [f64; 2],
}

impl LivePair {
    /// Who is better, if that is decided: the better bot and the other one.
    pub fn decided(&self) -> Option<(usize, usize)> {
        match self.score {
            [low, _] if low > 0.5 => Some((self.first, self.second)),
            [_, high] if high < 0.5 => Some((self.second, self.first)),
            _ => None,
        }
    }
}

/// Takes in the matches of a tournament that is not finished, in order of their deals.
#[derive(Debug)]
pub struct Live {
    /// How many matches a deal has; it is not for tournaments of which that is not known.
    per_deal: Option<u64>,
    deal: u32,
    matches: Vec<Scored>,
    /// Whether a deal was not finished: what follows does not count.
    broken: bool,
    pairs: BTreeMap<[usize; 2], Betting>,
}

impl Live {
    /// No match yet.
    pub fn new(tournament: &Spec) -> Self {
        let per_deal = tournament.matches_per_deal();
        Self { per_deal, deal: 1, matches: Vec::new(), broken: per_deal.is_none(), pairs: BTreeMap::new() }
    }

    /// Takes in what came of a match.
    pub fn add(&mut self, scored: &Scored) {
        if scored.deal != self.deal {
            self.close();
            // A deal of which no match is finished is not finished either.
            self.broken |= scored.deal != self.deal + 1;
            self.deal = scored.deal;
        }
        if !self.broken {
            self.matches.push(scored.clone());
        }
    }

    /// What is known of every two bots that have met.
    pub fn pairs(mut self) -> Vec<LivePair> {
        self.close();
        let pair = |([first, second], betting): ([usize; 2], Betting)| {
            let known = betting.peek();
            LivePair { first, second, deals: known.observed, score: known.interval }
        };
        self.pairs.into_iter().map(pair).collect()
    }

    fn close(&mut self) {
        let matches = std::mem::take(&mut self.matches);
        self.broken |= Some(matches.len() as u64) != self.per_deal;
        if self.broken {
            return;
        }
        for (pair, (halves, meetings)) in meetings(&matches) {
            let score = halves as f64 / (2 * meetings) as f64;
            let betting = self.pairs.entry(pair).or_insert_with(Betting::of_scores);
            // A score cannot lie outside of 0 … 1.
            let _ = betting.add(score);
        }
    }
}

/// For every two bots the half points of the first, and how often they met.
fn meetings(matches: &[Scored]) -> BTreeMap<[usize; 2], (u64, u64)> {
    let mut meetings = BTreeMap::new();
    for scored in matches {
        for (one, first) in scored.bots.iter().enumerate() {
            for (other, second) in scored.bots.iter().enumerate().filter(|(_, second)| *second > first) {
                let (halves, count) = meetings.entry([*first, *second]).or_insert((0, 0));
                *count += 1;
                let back = wdl::against(&scored.seats[other], &scored.seats[one]);
                *halves += match wdl::against(&scored.seats[one], &scored.seats[other]) {
                    // Who forfeits together is even.
                    Wdl::Loss if back == Wdl::Loss => u64::from(Wdl::Draw.halves()),
                    result => u64::from(result.halves()),
                };
            }
        }
    }
    meetings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{tournament, verdict};
    use crate::scored::Seated;

    /// The pairs after these deals; the first bot wins all matches of those that are told.
    fn after(deals: &[(u32, usize)]) -> Vec<LivePair> {
        let mut live = Live::new(&tournament(&["a", "b"], 2, 100));
        for (deal, matches) in deals {
            for bots in [vec![0, 1], vec![1, 0]].into_iter().take(*matches) {
                let (first, second) = if bots[0] == 0 { (1, 2) } else { (2, 1) };
                let seats = Seated::all(&verdict(&[(first, 9), (second, 9)], &[]));
                live.add(&Scored { deal: *deal, bots, seats, transcript: 0 });
            }
        }
        live.pairs()
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
