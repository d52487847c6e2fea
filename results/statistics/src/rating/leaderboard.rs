//! The leaderboard by strengths, and all that is shown with it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::elo::Elo;

/// Which model was fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelName {
    /// Bradley and Terry's model with Davidson's ties, at tables of two.
    Davidson,
    /// Plackett and Luce's model with ties, at larger tables.
    PlackettLuce,
}

/// The leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Ratings {
    /// The model of strengths.
    pub model: ModelName,
    /// The number of finished deals that it was fitted to; 0 if none is, so that it was fitted to all others.
    pub deals: usize,
    /// Deals that are begun and not finished; left out unless none is finished, and then without intervals.
    pub unfinished_deals: usize,
    /// Matches left out since a bot sat in several seats, or since the table has more than 8.
    pub left_out: u64,
    /// The bot whose rating is 0: the tournament's anchor, or the best by the standings of those that can be compared with
    /// most. Null without a match.
    pub anchor: Option<String>,
    /// True if the tournament names the anchor.
    pub anchor_is_given: bool,
    /// The standard deviation of the prior of strengths, in Elo points.
    pub prior: f64,
    /// The number of groups: bots that no path of matches joins are in different ones, have their ranks there, and nothing
    /// compares them across. One is the rule.
    pub groups: usize,
    /// The bots, group by group, strongest first.
    pub bots: Vec<Rating>,
    /// Each bot against the next one of the standings, in their order.
    pub leads: Vec<RatingLead>,
    /// δ for ties of 2, 3, …, 0 for ties that never came; at tables of two, the only one is Davidson's ν.
    pub ties: Vec<f64>,
    /// The score of the first seat, at tables of two.
    pub first_seat: Option<FirstSeat>,
    /// The logarithm of the likelihood, without the prior.
    pub log_likelihood: f64,
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
    /// The difference: by the model where both took something from each other, directly or over others; a bound where one of
    /// them won all deals on which they met; else null.
    pub elo: Option<Elo>,
    /// The ends of its 95 % interval; null where there is no bound, and for too few deals.
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
