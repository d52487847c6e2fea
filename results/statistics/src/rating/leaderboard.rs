//! The leaderboard by strengths, and all that is shown with it.

use schemars::JsonSchema;
use serde::Serialize;

use super::claims::Claims;
use super::misfit::Contradiction;
use crate::elo::{self, Elo};
use crate::pair::Pair;

/// The leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Ratings {
    /// The number of finished deals that it was fitted to.
    pub deals: u64,
    /// The bot whose rating is 0: the tournament's anchor, or the strongest of those that can be compared with most. Null without
    /// a match.
    pub anchor: Option<String>,
    /// True if the tournament names the anchor.
    pub anchor_is_given: bool,
    /// The number of groups: bots that no path of matches joins are in different ones, have their ranks there, and nothing
    /// compares them across. One is the rule.
    pub groups: usize,
    /// The bots, group by group, strongest first.
    pub bots: Vec<Rating>,
    /// Each bot against the next one of the standings, in their order.
    pub leads: Vec<RatingLead>,
    /// Which bots are certainly stronger than which.
    pub claims: Claims,
    /// The p value of the test that one number for each bot explains the results of all pairs; 1 where nothing tests it.
    pub misfit_p: f64,
    /// The pairs whose results contradict the ratings; none unless that p value is below 0.001.
    pub contradictions: Vec<Contradiction>,
    /// The score of the first seat, at tables of two.
    pub first_seat: Option<FirstSeat>,
    /// By how much each bot (row) is stronger than each other one, as the tournament lists them.
    #[serde(skip)]
    pub(super) differences: Vec<Vec<EloDifference>>,
}

/// The strength of a bot.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Rating {
    /// Its name.
    pub bot: String,
    /// Which group of bots it can be compared with, counted from 1.
    pub group: usize,
    /// Its rank in its group, 1 for the strongest; null without a match.
    pub rank: Option<usize>,
    /// Its strength above that of the anchor.
    pub over: EloDifference,
}

/// A bot's strength above that of the next one of the standings.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RatingLead {
    /// The bot.
    pub bot: String,
    /// The next bot.
    pub next: String,
    /// By how much it is stronger.
    pub over: EloDifference,
}

/// A difference of two strengths, in Elo points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct EloDifference {
    /// The difference where both took something from each other, directly or over others; a bound where one of them won all deals
    /// on which they met; else null.
    pub elo: Option<Elo>,
    /// The ends of its 95 % interval; null where there is no bound, for too few deals, and where nothing but a chain of single
    /// pairs joins the two.
    pub interval: [Option<f64>; 2],
}

/// The worth of sitting first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FirstSeat {
    /// The mean score, in 0 … 1, of the first seat, over finished deals.
    pub score: f64,
    /// The ends of the 95 % interval of that score; null for too few deals.
    pub interval: Option<[f64; 2]>,
}

impl Ratings {
    /// With each bot against the next one in this order, by their indices.
    pub fn with_leads(mut self, order: &[usize], names: &[String]) -> Self {
        let lead = |pair: &[usize]| RatingLead {
            bot: names[pair[0]].clone(),
            next: names[pair[1]].clone(),
            over: self.differences[pair[0]][pair[1]],
        };
        self.leads = order.windows(2).map(lead).collect();
        self
    }
}

/// What the results of every two bots against each other say of them alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direct<'a>(pub &'a [Pair]);

impl Direct<'_> {
    /// The Elo of two bots' score with its interval, or the bound after all was won; none if they have not met.
    pub(super) fn difference(&self, bot: usize, other: usize) -> Option<EloDifference> {
        let (low, high) = (bot.min(other), bot.max(other));
        let pair = self.0.iter().find(|pair| (pair.first, pair.second) == (low, high))?;
        let elo = pair.estimate?.elo;
        let ends = pair.score_interval.map_or([None; 2], |ends| ends.map(elo::of_score));
        let [least, most] = match elo {
            None | Some(Elo::Value(_)) => ends,
            Some(Elo::AtLeast(least)) => [Some(least), None],
            Some(Elo::AtMost(most)) => [None, Some(most)],
        };
        let turned = |end: Option<f64>| end.map(|end| -end);
        Some(if bot < other {
            EloDifference { elo, interval: [least, most] }
        } else {
            EloDifference { elo: elo.map(Elo::turned), interval: [turned(most), turned(least)] }
        })
    }

    /// True if the interval of two bots' score has the first ahead.
    pub(super) fn is_ahead(&self, bot: usize, other: usize) -> bool {
        self.difference(bot, other).is_some_and(|one| one.interval[0].is_some_and(|least| least > 0.0))
    }
}
