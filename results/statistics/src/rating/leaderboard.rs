//! The leaderboard by strengths, and all that is shown with it.

use serde::Serialize;

use super::claims::Claims;
use super::difference::EloDifference;
use super::misfit::Contradiction;

/// The leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// The pairs whose results contradict the ratings; none unless one number for each bot fails to explain all pairs (p < 0.001).
    pub contradictions: Vec<Contradiction>,
    /// The score of the first seat, at tables of two.
    pub first_seat: Option<FirstSeat>,
    /// By how much each bot (row) is stronger than each other one, as the tournament lists them.
    #[serde(skip)]
    pub(super) differences: Vec<Vec<EloDifference>>,
}

/// The strength of a bot.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RatingLead {
    /// The bot.
    pub bot: String,
    /// The next bot.
    pub next: String,
    /// By how much it is stronger.
    pub over: EloDifference,
}

/// The worth of sitting first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
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
