//! Intervals of each pair of bots while a tournament runs, which are valid at any time.
//!
//! An ordinary 95 % interval that is computed after each deal until it leaves out ½ is wrong far more often than in 5 % of
//! cases. These intervals come from confidence sequences ([`Betting`]), and are right at all times and for all pairs together
//! with a chance of 98 %: each may err with a chance of 2 % divided by the number of pairs (Bonferroni), which leaves 3 % for the
//! look at the planned number of deals. That is by the size of the
//! field and not by the pairs that have met, since it has to be known beforehand. They are made of the deals from the
//! first to the last before one that is not finished, so that what they are made of at one look is the beginning of what they
//! are made of at the next.

use std::collections::BTreeMap;

use arena_tournament::deals::Deal;
use arena_tournament::spec::Spec;
use serde::Serialize;

use crate::betting::Betting;
use crate::cluster::DuelsOnDeal;
use crate::holm::{ANY_TIME, Look};

/// The deals from the first to the last before one that is not finished: those that are the beginning of what is known at any later
/// look. Those of tournaments whose deals differ in size never are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unbroken {
    deals: u32,
    broken: bool,
}

impl Unbroken {
    /// True if the next deal is one of them.
    pub fn holds(&mut self, deal: &Deal) -> bool {
        // A deal of which no match is finished is not finished either.
        self.broken |= deal.planned.is_none() || !deal.finished || deal.number != self.deals + 1;
        self.deals += 1;
        !self.broken
    }
}

/// The look at a tournament of which all planned matches are finished, or not.
pub fn look(spec: &Spec, is_complete: bool) -> Look {
    let as_planned = is_complete && spec.first_plan.is_none() && spec.plan.test.is_none();
    if as_planned {
        Look::Planned
    } else {
        Look::AnyTime
    }
}

/// An interval of two bots against each other that is valid at any time, and together with those of all other pairs: with a
/// chance of 98 % none of them is ever wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
#[derive(Debug)]
pub struct AnytimeValid {
    /// The chance that the interval of a pair is ever wrong.
    alpha: f64,
    unbroken: Unbroken,
    pairs: BTreeMap<[usize; 2], Betting>,
}

impl AnytimeValid {
    /// Of a tournament of this many bots.
    pub fn new(bots: usize) -> Self {
        let pairs = bots * bots.saturating_sub(1) / 2;
        Self {
            alpha: ANY_TIME / pairs.max(1) as f64,
            unbroken: Unbroken::default(),
            pairs: BTreeMap::new(),
        }
    }

    /// Takes in a deal.
    pub fn add(&mut self, deal: &Deal) {
        if !self.unbroken.holds(deal) {
            return;
        }
        let begin = || Betting::new(0.0, 1.0, self.alpha).expect("0 is less than 1");
        let duels = DuelsOnDeal::of(deal)
            .into_iter()
            .filter(|(_, duels)| duels.half_points.matches > 0);
        for (pair, DuelsOnDeal { half_points, .. }) in duels {
            let betting = self.pairs.entry(pair).or_insert_with(begin);
            // A score cannot lie outside of 0 … 1.
            let _ = betting.add(half_points.total as f64 / f64::from(2 * half_points.matches));
        }
    }

    /// The intervals of each pair of bots that have met.
    pub fn pairs(self) -> Vec<AnytimePair> {
        let pair = |([first, second], betting): ([usize; 2], Betting)| {
            let estimate = betting.estimate();
            AnytimePair {
                first,
                second,
                deals: estimate.observed,
                score: estimate.interval,
            }
        };
        self.pairs.into_iter().map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;
    use arena_tournament::deals::{Scored, Seated};
    use arena_tournament::spec::FirstPlan;

    use super::*;
    use arena_tournament::sample::{gathered, tournament, verdict};

    /// The pairs after these deals, each with its number of matches; the first bot wins all of them.
    fn after(deals: &[(u32, usize)]) -> Vec<AnytimePair> {
        let matches = deals.iter().flat_map(|(deal, matches)| {
            [vec![0, 1], vec![1, 0]]
                .into_iter()
                .take(*matches)
                .map(|bots| {
                    let (first, second) = if bots[0] == 0 { (1, 2) } else { (2, 1) };
                    let seats = Seated::all(&verdict(&[(first, 9), (second, 9)], &[]));
                    Scored {
                        deal: *deal,
                        bots,
                        seats,
                        transcript: 0,
                    }
                })
        });
        let mut known = AnytimeValid::new(2);
        gathered(tournament(&["a", "b"], 2, 100).gather(), matches)
            .iter()
            .for_each(|deal| known.add(deal));
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

    #[test]
    fn only_a_finished_first_plan_is_looked_at_as_planned() {
        let first = tournament(&["a", "b"], 2, 100);
        let extended = Spec {
            first_plan: Some(FirstPlan {
                deals: 50,
                rounds: 1,
            }),
            ..first.clone()
        };
        assert_eq!(
            [
                look(&first, true),
                look(&first, false),
                look(&extended, true)
            ],
            [Look::Planned, Look::AnyTime, Look::AnyTime]
        );
    }

    /// The pairs of six bots after a hundred deals, of which all but the first are equal; it wins this many matches of a hundred.
    fn six(index: u64, wins: u32) -> Vec<AnytimePair> {
        const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
        let mut chance = Seed::try_from(31).unwrap().stream("six", index);
        let mut matches = Vec::new();
        for deal in 1..=100 {
            for bots in (0..6).flat_map(|one| {
                (0..6)
                    .filter(move |other| one != *other)
                    .map(move |other| [one, other])
            }) {
                let odds = match bots {
                    [0, _] => wins,
                    [_, 0] => 100 - wins,
                    _ => 50,
                };
                let places = if chance.below(100) < odds {
                    [(1, 9), (2, 9)]
                } else {
                    [(2, 9), (1, 9)]
                };
                let seats = Seated::all(&verdict(&places, &[]));
                matches.push(Scored {
                    deal,
                    bots: bots.to_vec(),
                    seats,
                    transcript: 0,
                });
            }
        }
        let mut known = AnytimeValid::new(NAMES.len());
        gathered(tournament(&NAMES, 2, 100).gather(), matches)
            .iter()
            .for_each(|deal| known.add(deal));
        known.pairs()
    }

    /// What is decided once stays decided, since intervals only shrink: so one look at the end tells of all.
    #[test]
    fn among_equal_bots_hardly_a_tournament_ever_claims_anything() {
        let claims = (0..60)
            .filter(|index| six(*index, 50).iter().any(|pair| pair.decided().is_some()))
            .count();
        println!("{claims} of 60 tournaments");
        assert!(claims <= 3, "{claims}");
    }

    #[test]
    fn a_better_bot_is_still_told_from_all_others() {
        let pairs = six(0, 85);
        let decided: Vec<_> = pairs.iter().filter_map(AnytimePair::decided).collect();
        assert_eq!(decided, [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]);
    }
}
