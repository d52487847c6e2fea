//! Evidence that two bots differ, valid at any number of looks.

use crate::holm::ANY_TIME;

/// Maximum ratio of an assumed past difference to the mean past difference.
const MAX_RATIO: f64 = 4.0;
/// Maximum part of the capital that is bet.
const MAX_BET: f64 = 0.9;

/// E-process against the null hypothesis that each difference could equally have had the other sign: it ever reaches 1/α with a
/// probability of at most α, at any number of looks (Ville 1939).
///
/// Under the null hypothesis the sign of each difference is symmetric. Gamblers who bet a predetermined part λ of their capital on
/// the sign and size of the next difference relative to earlier ones, K ∏= 1 ± λ f with |f| ≤ 1, therefore win nothing on
/// average; the evidence is the maximum over time of the mean of both capitals.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Logarithms of both capitals, and of their largest mean.
    more: f64,
    less: f64,
    greatest: f64,
    observed: f64,
    /// Sums of squares of the differences, and of the amounts bet on.
    squares: f64,
    bet_on: f64,
    bets: f64,
}

impl Evidence {
    /// Adds the difference on the next deal.
    pub fn add(&mut self, difference: f64) {
        if self.squares > 0.0 {
            let typical = (self.squares / self.observed).sqrt();
            let result = (difference / (MAX_RATIO * typical)).clamp(-1.0, 1.0);
            let next = self.bets + 1.0;
            let variance = (0.25 / MAX_RATIO + self.bet_on) / next;
            let bet = (2.0 * (2.0 / ANY_TIME).ln() / (variance * next * (next + 1.0).ln()))
                .sqrt()
                .min(MAX_BET);
            self.more += (bet * result).ln_1p();
            self.less += (-bet * result).ln_1p();
            let apart = (self.more - self.less).abs();
            self.greatest = self
                .greatest
                .max(self.more.max(self.less) + (0.5 * (1.0 + (-apart).exp())).ln());
            (self.bets, self.bet_on) = (next, self.bet_on + result * result);
        }
        self.observed += 1.0;
        self.squares += difference * difference;
    }

    /// Returns the evidence so far, at least 1.
    pub fn value(&self) -> f64 {
        self.greatest.min(700.0).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_engine::chance::{Chance, Seed};

    /// Returns the share of 2,000 streams of up to 300 differences with this mean, in standard deviations, whose evidence reaches
    /// 50.
    fn convinced(mean: f64) -> f64 {
        let convinced = |index: &u64| {
            let mut chance = Seed::try_from(5).unwrap().stream("evidence", *index);
            let mut evidence = Evidence::default();
            let die = |chance: &mut Chance| f64::from(chance.below(7)) - 3.0;
            (0..300).for_each(|_| {
                evidence.add(die(&mut chance) + die(&mut chance) + mean * 8.0_f64.sqrt());
            });
            evidence.value() >= 1.0 / ANY_TIME
        };
        (0..2000).filter(convinced).count() as f64 / 2000.0
    }

    #[test]
    fn equal_bots_seldom_leave_evidence_and_unequal_ones_do() {
        let [equal, unequal] = [0.0, 0.3].map(convinced);
        assert!(equal <= 0.02 && unequal > 0.9, "{equal} {unequal}");
        let mut none = Evidence::default();
        (0..100).for_each(|_| none.add(0.0));
        assert_eq!(none.value(), 1.0);
    }
}
