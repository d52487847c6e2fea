//! The difference of two strengths, and what two bots' own results say of it.

use serde::Serialize;

use crate::elo::{self, Elo};
use crate::pair::Pair;
use crate::pairwise;

/// A difference of two strengths, in Elo points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EloDifference {
    /// The difference where both took something from each other, directly or over others; a bound where one of them won all deals
    /// on which they met; else null.
    pub elo: Option<Elo>,
    /// The ends of its 95 % interval; null where there is no bound, for too few deals, and where nothing but a chain of single
    /// pairs joins the two.
    pub interval: [Option<f64>; 2],
}

/// What the results of each pair of bots against each other say of them alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direct<'a> {
    /// The number of bots.
    pub bots: usize,
    /// All pairs, in order of the first and then the second bot.
    pub pairs: &'a [Pair],
}

impl Direct<'_> {
    /// The Elo of two bots' score with its interval, or the bound after all was won; none if they have not met.
    pub(super) fn difference(&self, bot: usize, other: usize) -> Option<EloDifference> {
        let (low, high) = (bot.min(other), bot.max(other));
        let pair = &self.pairs[pairwise::index(self.bots, low, high)];
        let elo = pair.estimate?.elo;
        let ends = pair
            .score_interval
            .map_or([None; 2], |ends| ends.map(elo::of_score));
        let [least, most] = match elo {
            None | Some(Elo::Value(_)) => ends,
            Some(Elo::AtLeast(least)) => [Some(least), None],
            Some(Elo::AtMost(most)) => [None, Some(most)],
        };
        let turned = |end: Option<f64>| end.map(|end| -end);
        Some(if bot < other {
            EloDifference {
                elo,
                interval: [least, most],
            }
        } else {
            EloDifference {
                elo: elo.map(Elo::turned),
                interval: [turned(most), turned(least)],
            }
        })
    }

    /// True if the interval of two bots' score has the first ahead.
    pub(super) fn is_ahead(&self, bot: usize, other: usize) -> bool {
        self.difference(bot, other)
            .is_some_and(|one| one.interval[0].is_some_and(|least| least > 0.0))
    }
}
