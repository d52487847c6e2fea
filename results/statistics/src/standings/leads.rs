//! Which bots make more official points than which, deal by deal.
//!
//! Two bots that play the same deals are compared on each of them, so that the luck they share cancels; whether the intervals of
//! each alone overlap is little evidence.

use serde::Serialize;

use crate::holm::{self, Look, Significance};
use crate::interval;
use crate::paired::Paired;
use crate::{pairwise, power};

/// By how much a bot is ahead of another one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lead {
    /// The other one.
    pub over: String,
    /// The mean difference of their points per match on a deal, over deals that both finished.
    pub points: f64,
    /// The ends of its 95 % interval; null for too few deals, and where all but two or fewer are equal.
    pub interval: Option<[f64; 2]>,
    /// The p value of the difference, adjusted for all pairs of bots (Holm 1979).
    pub p_adjusted: f64,
    /// True if it is significant: by that p value at the planned number of deals, otherwise by what holds at any number of looks.
    pub significant: bool,
    /// The number of deals in all, planned from the beginning, until such a difference is marked with a probability of 80 %; null where
    /// it has one already, without a difference, and beyond 10^9.
    pub needed: Option<u64>,
}

/// The differences of each pair of bots.
#[derive(Clone, Debug)]
pub(super) struct Leads {
    bots: usize,
    /// The differences of each bot from each later one.
    pairs: Vec<Paired>,
}

/// What the differences of all bots say together.
#[derive(Debug)]
pub(super) struct Judged<'a> {
    leads: &'a Leads,
    /// The adjusted p value of each pair, and whether the two differ significantly.
    adjusted: Vec<f64>,
    differ: Vec<bool>,
}

impl Leads {
    pub(super) fn new(bots: usize) -> Self {
        Self {
            bots,
            pairs: vec![Paired::default(); bots * bots.saturating_sub(1) / 2],
        }
    }

    /// Takes in a deal: the points per match of the bots that finished it.
    pub(super) fn add(&mut self, means: &[(usize, f64)]) {
        self.each(means, Paired::add);
    }

    /// Lets a deal count at any number of looks (see [`Paired::bet`]).
    pub(super) fn bet(&mut self, means: &[(usize, f64)]) {
        self.each(means, Paired::bet);
    }

    fn each(&mut self, means: &[(usize, f64)], add: fn(&mut Paired, f64)) {
        for (place, (bot, mine)) in means.iter().enumerate() {
            for (other, theirs) in &means[place + 1..] {
                add(
                    &mut self.pairs[pairwise::index(self.bots, *bot, *other)],
                    mine - theirs,
                );
            }
        }
    }

    /// All p values, adjusted for each other, and the marks of this look. A pair without a deal has 1.
    pub(super) fn judged(&self, look: Look) -> Judged<'_> {
        let p: Vec<f64> = self
            .pairs
            .iter()
            .map(|pair| pair.p().unwrap_or(1.0))
            .collect();
        let adjusted = holm::adjusted(&p);
        let marks = self
            .pairs
            .iter()
            .zip(&adjusted)
            .map(|(pair, p)| pair.significance(*p, self.pairs.len(), look));
        let differ = marks.map(|mark| mark != Significance::None).collect();
        Judged {
            leads: self,
            adjusted,
            differ,
        }
    }
}

impl Judged<'_> {
    /// True if the bot makes more points than the other one, at 5 % for all pairs together.
    pub(super) fn ahead(&self, bot: usize, other: usize) -> bool {
        let index = self.index(bot, other);
        let more = self.leads.pairs[index].differences.mean();
        self.differ[index] && if bot < other { more > 0.0 } else { more < 0.0 }
    }

    /// By how much a bot is ahead of another one, of this name. None if no deal was finished by both.
    pub(super) fn lead(&self, bot: usize, other: usize, over: &str) -> Option<Lead> {
        let index = self.index(bot, other);
        let differences = &self.leads.pairs[index].differences;
        if differences.count() == 0 {
            return None;
        }
        let sign = if bot < other { 1.0 } else { -1.0 };
        let turned = |[low, high]: [f64; 2]| {
            if bot < other {
                [low, high]
            } else {
                [-high, -low]
            }
        };
        let needed = power::needed(&self.leads.pairs[index], self.adjusted.len());
        Some(Lead {
            over: over.to_owned(),
            points: sign * differences.mean() + 0.0,
            interval: interval::of_points(differences).map(turned),
            p_adjusted: self.adjusted[index],
            significant: self.differ[index],
            needed: needed.filter(|_| !self.differ[index]),
        })
    }

    /// The place of two bots, whichever comes first.
    fn index(&self, bot: usize, other: usize) -> usize {
        pairwise::index(self.leads.bots, bot.min(other), bot.max(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ahead::Ahead;

    /// The ranks of three bots after this many deals: the first is ahead of the second by 5 ± 1, the third as good as the second.
    fn ranks(deals: u32) -> Vec<[usize; 2]> {
        let mut leads = Leads::new(3);
        for deal in 0..deals {
            let luck = f64::from(deal % 7);
            let apart = f64::from(deal % 3) - 1.0;
            let third = if deal % 2 == 0 { 1.0 } else { -1.0 };
            leads.add(&[(0, luck + 5.0 + apart), (1, luck), (2, luck + third)]);
        }
        let judged = leads.judged(Look::Planned);
        let ahead = Ahead::new(3, |bot, other| judged.ahead(bot, other));
        (0..3).map(|bot| ahead.ranks(bot)).collect()
    }

    #[test]
    fn ranks_are_as_wide_as_what_is_not_significant() {
        assert_eq!(ranks(0), [[1, 3]; 3]);
        assert_eq!(
            ranks(5),
            [[1, 3]; 3],
            "no p value of five deals is below 0.0625"
        );
        assert_eq!(ranks(20), [[1, 1], [2, 3], [2, 3]]);
    }

    #[test]
    fn leads_turn_with_the_bots() {
        let mut leads = Leads::new(2);
        (0..12).for_each(|deal| leads.add(&[(0, f64::from(deal % 4)), (1, 1.0)]));
        let judged = leads.judged(Look::Planned);
        let one = judged.lead(0, 1, "b").unwrap();
        let other = judged.lead(1, 0, "a").unwrap();
        assert_eq!((one.points, other.points), (0.5, -0.5));
        let ([low, high], [least, most]) = (one.interval.unwrap(), other.interval.unwrap());
        assert!(
            low < 0.5 && 0.5 < high && (low + most).abs() < 1e-12 && (high + least).abs() < 1e-12
        );
        assert!(one.needed.is_some_and(|needed| needed > 12) && one.needed == other.needed);
        assert!(
            Leads::new(2)
                .judged(Look::Planned)
                .lead(0, 1, "b")
                .is_none()
        );
    }
}
