//! The leaderboard and all that is shown with it.

use serde::{Deserialize, Serialize};

use super::bootstrap::{self, Question, Resample};
use super::cyclic::{self, Cycle, Cyclic, Leads};
use super::fit::{ELO, Fit};
use super::groups::Limit;
use super::nash::{self, Nash};
use super::needed;
use super::points_model::PointsModel;

/// Values of resamples that differ by less than this, in logits, do not vary: there is no interval, since deals that all
/// came out alike do not tell how another would.
const STILL: f64 = 1e-5;

/// Which model was fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelName {
    /// Bradley and Terry's model with Davidson's ties, at tables of two.
    Davidson,
    /// Plackett and Luce's model with ties, at larger tables.
    PlackettLuce,
}

/// Why there are no intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoIntervals {
    /// Fewer than [`bootstrap::FEWEST_DEALS`] deals.
    TooFewDeals,
    /// Fewer than [`bootstrap::FEWEST_RESAMPLES`] resamples were wanted.
    TooFewResamples,
}

/// The leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratings {
    /// The model of strengths.
    pub model: ModelName,
    /// The number of deals it was fitted to: the finished ones, or all if none is finished.
    pub deals: usize,
    /// Deals that are begun and not finished, left out unless none is finished.
    pub unfinished_deals: usize,
    /// Matches left out since a bot sat in several seats, or since the table has more than 8.
    pub left_out: u64,
    /// The number of resamples the intervals are made of.
    pub resamples: usize,
    /// Why there are no intervals, if there are none.
    pub no_intervals: Option<NoIntervals>,
    /// The standard deviation of the prior of strengths, in Elo points; null for none.
    pub prior: Option<f64>,
    /// Bots that no path of matches joins are in different groups. Their strengths are relative to a mean of their own
    /// group, their ranks are in it, and nothing compares them across. One group is the rule.
    pub groups: usize,
    /// The bots, group by group, strongest first.
    pub bots: Vec<Rating>,
    /// Each bot against the next one.
    pub gaps: Vec<Gap>,
    /// δ for ties of 2, 3, …, 0 for ties that never came; at tables of two, the only one is Davidson's ν.
    pub ties: Vec<f64>,
    /// The worth of sitting first, at tables of two where some bot sat in both seats.
    pub first_seat: Option<FirstSeat>,
    /// The logarithm of the likelihood, without the prior.
    pub log_likelihood: f64,
    /// The share of results that no order of strength explains.
    pub cyclic: Cyclic,
    /// The distance of the Nash weights from an equilibrium, in Elo points; null if there are several groups.
    pub exploitability: Option<f64>,
    /// Points freed of the luck of deal and seat; null where the matches cannot tell.
    pub points: Option<PointsModel>,
}

/// The strength of a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// Its name.
    pub bot: String,
    /// Which group of bots it can be compared with, counted from 1.
    pub group: usize,
    /// Its rank in its group, 1 for the strongest; null without a match.
    pub rank: Option<usize>,
    /// Its strength, in Elo points above the mean of its group, in which each bot is weighted by how much its matches say
    /// of its strength; null without a match.
    pub elo: Option<f64>,
    /// The sides from which its results bound its strength. If not from both sides, the prior holds it, and there is no interval.
    pub limit: Limit,
    /// The ends of the 95 % interval of its strength.
    pub interval: Option<[f64; 2]>,
    /// Its best and its worst rank in the central 95 % of resamples.
    pub ranks: Option<[usize; 2]>,
    /// In which share of resamples it is first of its group; shared if several are.
    pub first: Option<f64>,
    /// Its weight in the Nash equilibrium of greatest entropy; null if there are several groups.
    pub nash_weight: Option<f64>,
    /// Its mean lead over the equilibrium, in Elo points, at most 0 but for rounding; null if there are several groups.
    pub nash_skill: Option<f64>,
}

/// Two bots of neighbouring ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// The stronger one.
    pub upper: String,
    /// The next one.
    pub lower: String,
    /// By how much, in Elo points.
    pub elo: f64,
    /// The ends of the 95 % interval of that.
    pub interval: Option<[f64; 2]>,
    /// The number of further deals until the interval would leave out 0, were all to stay as it is; null if unknown, or beyond
    /// 10^9.
    pub more_deals: Option<u64>,
}

/// The worth of sitting first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstSeat {
    /// In Elo points.
    pub elo: f64,
    /// The ends of the 95 % interval of that.
    pub interval: Option<[f64; 2]>,
}

/// The zero of the strengths of a group: the mean of its bots, each weighted by how much its matches say about its
/// strength (Fisher's information of a Bradley-Terry model, Σ n p (1 − p) over its matches).
///
/// A plain mean would move with a bot that loses nearly everything, of which nobody can say how far below it is, and all
/// other ratings with it.
struct Zero {
    /// By the data.
    full: f64,
    /// By each resample, since the weights are as unsure as the strengths.
    resamples: Vec<f64>,
}

/// The number of meetings of each bot of a group with each of the others that count.
struct Met(Vec<(usize, Vec<(usize, f64)>)>);

impl Met {
    /// The weighted mean of the strengths of a fit.
    fn mean(&self, fit: &Fit) -> f64 {
        let strengths = &fit.strengths;
        let (mut sum, mut all) = (0.0, 0.0);
        for (bot, others) in &self.0 {
            let tells = |(other, met): &(usize, f64)| {
                let chance = 1.0 / (1.0 + (strengths[*other] - strengths[*bot]).exp());
                met * chance * (1.0 - chance)
            };
            let weight = others.iter().map(tells).sum::<f64>();
            sum += weight * strengths[*bot];
            all += weight;
        }
        if all > 0.0 { sum / all } else { 0.0 }
    }
}

/// The fit of a tournament and its resamples, from which the leaderboard is read.
pub(crate) struct Answer<'a> {
    pub(crate) question: Question<'a>,
    pub(crate) names: &'a [String],
    pub(crate) sums: &'a [u64],
    pub(crate) full: Resample,
    pub(crate) resamples: Vec<Resample>,
    /// The share that intervals leave out at each end; none if there are none.
    pub(crate) tail: Option<f64>,
}

impl Answer<'_> {
    /// The bots in order of the leaderboard.
    pub(crate) fn order(&self) -> Vec<usize> {
        let ranks = bootstrap::ranks(&self.full.fit.strengths, self.question.groups);
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by_key(|bot| (self.question.groups.of(*bot), ranks[*bot], &self.names[*bot]));
        order
    }

    /// The strength of each bot, in order of the leaderboard, and the distance of the Nash weights from an equilibrium.
    pub(crate) fn bots(&self) -> (Vec<Rating>, Option<f64>) {
        let groups = self.question.groups.all();
        let nash = (groups.len() == 1).then(|| self.nash());
        let ranks = bootstrap::ranks(&self.full.fit.strengths, self.question.groups);
        let drawn: Vec<Vec<usize>> =
            self.resamples.iter().map(|one| bootstrap::ranks(&one.fit.strengths, self.question.groups)).collect();
        let zeros: Vec<Zero> = groups.iter().map(|group| self.zero(group)).collect();
        let rating = |bot: usize| {
            let group = groups.iter().position(|group| group.contains(&bot)).unwrap_or(0);
            let zero = &zeros[group];
            let strength = self.full.fit.strengths[bot] - zero.full;
            let drawn_strengths = || {
                let both = self.resamples.iter().zip(&zero.resamples);
                both.map(|(one, zero)| one.fit.strengths[bot] - zero).collect()
            };
            let met = groups[group].len() > 1;
            let limit = self.question.groups.limit(bot);
            let bounded = met && limit == Limit::Both;
            let drawn_ranks = || drawn.iter().map(|ranks| ranks[bot]).collect::<Vec<_>>();
            Rating {
                bot: self.names[bot].clone(),
                group: group + 1,
                rank: met.then_some(ranks[bot]),
                elo: met.then_some(strength * ELO),
                limit,
                interval: bounded.then(|| self.interval_of(strength, drawn_strengths())).flatten(),
                ranks: self.tail.filter(|_| met).map(|tail| bootstrap::rank_interval(drawn_ranks(), tail)),
                first: self.tail.filter(|_| met).map(|_| first(&drawn, bot, &groups[group])),
                nash_weight: nash.as_ref().map(|nash| nash.weights[bot]),
                nash_skill: nash.as_ref().map(|nash| nash.skills[bot] * ELO),
            }
        };
        let ratings = self.order().into_iter().map(rating).collect();
        (ratings, nash.map(|nash| nash.exploitability * ELO))
    }

    /// The zero of the strengths of a group. Bots that their results bound from one side only do not
    /// count.
    fn zero(&self, group: &[usize]) -> Zero {
        let bounded = group.iter().filter(|bot| self.question.groups.in_main_field(**bot));
        let met = |bot: usize, other: usize| self.question.cells.meeting(self.sums, bot, other).matches as f64;
        let others = |bot: usize| {
            let others = group.iter().filter(|other| **other != bot);
            others.map(|other| (*other, met(bot, *other))).collect()
        };
        let met = Met(bounded.map(|bot| (*bot, others(*bot))).collect());
        Zero {
            full: met.mean(&self.full.fit),
            resamples: self.resamples.iter().map(|one| met.mean(&one.fit)).collect(),
        }
    }

    /// Each bot against the next one of its group.
    pub(crate) fn gaps(&self) -> Vec<Gap> {
        let order = self.order();
        let groups = self.question.groups;
        let neighbours = order.windows(2).filter(|pair| groups.of(pair[0]) == groups.of(pair[1]));
        neighbours.map(|pair| self.gap(pair[0], pair[1])).collect()
    }

    fn gap(&self, upper: usize, lower: usize) -> Gap {
        let lead = |fit: &Fit| fit.strengths[upper] - fit.strengths[lower];
        let bounded = [upper, lower].iter().all(|bot| self.question.groups.limit(*bot) == Limit::Both);
        let interval = bounded.then(|| self.interval(lead)).flatten();
        let drawn: Vec<f64> = self.resamples.iter().map(|one| lead(&one.fit)).collect();
        let difference = lead(&self.full.fit);
        let more = |interval: [f64; 2]| match interval {
            [low, high] if low > 0.0 || high < 0.0 => Some(0),
            _ => needed::more_deals(difference, bootstrap::deviation(&drawn), self.question.layout.deals()),
        };
        Gap {
            upper: self.names[upper].clone(),
            lower: self.names[lower].clone(),
            elo: difference * ELO,
            interval,
            more_deals: interval.and_then(more),
        }
    }

    /// The worth of sitting first.
    pub(crate) fn first_seat(&self) -> Option<FirstSeat> {
        let first = self.full.fit.first?;
        Some(FirstSeat { elo: first * ELO, interval: self.interval(|fit| fit.first.unwrap_or(0.0)) })
    }

    /// The share of results that no order of strength explains.
    pub(crate) fn cyclic(&self) -> Cyclic {
        let leads = Leads::new(self.question.cells, self.question.layout);
        let pairs = leads.pairs() as f64;
        let corrected = |bot: usize, other: usize| (leads.p(bot, other) * pairs).min(1.0);
        let cycles = cyclic::cycles(self.names.len(), corrected, cyclic::LEVEL);
        let splits: Vec<_> = self.resamples.iter().map(|one| one.split).collect();
        let named = |(bots, p): &([usize; 3], f64)| Cycle { bots: bots.map(|bot| self.names[bot].clone()), p: *p };
        Cyclic {
            share: self.full.split.share(),
            corrected: self.tail.and_then(|_| self.full.split.corrected(&splits)),
            cycles: cycles.iter().take(cyclic::MOST_CYCLES).map(named).collect(),
            cycles_not_listed: cycles.len().saturating_sub(cyclic::MOST_CYCLES) as u64,
        }
    }

    /// The Nash equilibrium of the logits; bots that never met have the difference of their strengths.
    fn nash(&self) -> Nash {
        let strengths = &self.full.fit.strengths;
        let logit = |bot: usize, other: usize| {
            let meeting = self.question.cells.meeting(self.sums, bot, other);
            if meeting.matches > 0 { cyclic::logit(meeting) } else { strengths[bot] - strengths[other] }
        };
        nash::nash(strengths.len(), logit)
    }

    /// The interval of a quantity in logits, in Elo points.
    fn interval(&self, of: impl Fn(&Fit) -> f64) -> Option<[f64; 2]> {
        self.interval_of(of(&self.full.fit), self.resamples.iter().map(|one| of(&one.fit)).collect())
    }

    /// The interval of a value, by what it is in each resample.
    fn interval_of(&self, value: f64, drawn: Vec<f64>) -> Option<[f64; 2]> {
        let tail = self.tail?;
        (bootstrap::deviation(&drawn) > STILL).then(|| bootstrap::interval(value, drawn, tail).map(|end| end * ELO))
    }
}

/// In which share of the resamples a bot is first of its group; where several are, they share it.
fn first(drawn: &[Vec<usize>], bot: usize, group: &[usize]) -> f64 {
    let share = |ranks: &Vec<usize>| match ranks[bot] {
        1 => 1.0 / group.iter().filter(|other| ranks[**other] == 1).count() as f64,
        _ => 0.0,
    };
    drawn.iter().map(share).sum::<f64>() / drawn.len() as f64
}
