//! Ratings: a fit of the strengths of all bots, on the same scale for every number of seats. Ratings are descriptive and make no claims of
//! significance.
//!
//! Any two seats at a table are a duel. The ratings x are the numbers for which each bot's expected scores over its duels, 1 / (1 + 10^(−d
//! / 400)) for a difference d, add up to its actual score. Ratings are shown relative to the tournament's anchor or, without one, to the
//! average of the field: a bot that would score one half against all its bots. A bot that loses nearly everything has a rating that is
//! hardly known. Relative to this average, such a bot does not move all others.
//!
//! An interval treats the rating as a mean over deals of their influences. The influence of a deal is how much the rating moves if the deal
//! counts slightly more. A second interval is that of the bot's own score, with the other ratings held fixed. If fewer than 20 deals were
//! unequal, or if a bot won or lost fewer than five deals, the interval spans both.

mod fit;

use std::collections::BTreeMap;

use arena_tournament::deals::{Deal, versus};
use arena_tournament::spec::Spec;
use rayon::prelude::*;
use serde::Serialize;

use crate::cluster::{Cluster, OnDeal, half_points};
use crate::elo::Elo;
use crate::histogram::Histogram;
use crate::interval::{self, MIN_DEALS_FOR_POINTS};
use fit::{ELO, Edge, Fit, Graph, rating, score};

/// Maximum number of batches. If there are more deals, several share a batch. The variance between this many batches is accurate to a few
/// per cent.
const MAX_BATCHES: u32 = 1000;
/// Maximum number of batches in a field of many bots, where each batch has only some of the bots. A divisor of [`MAX_BATCHES`].
const MAX_BATCHES_OF_MANY: u32 = 200;
const MANY_BOTS: usize = 500;
/// Minimum number of deals won and lost by each bot, and of unequal deals, for intervals by the influences alone.
const MIN_WON_AND_LOST: f64 = 5.0;
const MIN_UNEQUAL: u64 = 20;

/// Ratings of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratings {
    /// Number of finished deals with a result.
    pub deals: u64,
    /// The bot whose rating is 0; null if the average of the field is 0.
    pub anchor: Option<String>,
    /// The bots, strongest first.
    pub bots: Vec<Rating>,
    /// The score of the first seat, at tables of two.
    pub first_seat: Option<FirstSeat>,
}

/// Rating of a bot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// Name of the bot.
    pub bot: String,
    /// The bot's Elo; a bound if it won, or lost, all duels with rated bots. Null if no match connects it with rated bots.
    pub elo: Option<Elo>,
    /// 95 % interval of the bot's Elo. An end is null if there is no bound, or if there are too few deals.
    pub interval: [Option<f64>; 2],
}

/// The advantage of the first seat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FirstSeat {
    /// Mean score of the first seat, in 0 … 1, over finished deals.
    pub score: f64,
    /// 95 % interval of the score; null with too few deals.
    pub interval: Option<[f64; 2]>,
}

/// The duels of two bots on a batch of deals, and the half-points of the first bot.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    half_points: u32,
    duels: u32,
}

/// A collector of deals for ratings.
#[derive(Clone, Debug)]
pub struct Collector {
    names: Vec<String>,
    /// The scores by batch and pair of bots, lower index first.
    batches: BTreeMap<u32, BTreeMap<(u32, u32), Score>>,
    deals: u64,
    /// Half points of the first seat.
    first_seat: Cluster,
}

impl Collector {
    /// Creates an empty collector for this tournament.
    pub fn new(spec: &Spec) -> Self {
        Self::with_names(spec.names())
    }

    /// Creates an empty collector for bots of any tournaments.
    pub fn with_names(names: Vec<String>) -> Self {
        Self {
            names,
            batches: BTreeMap::new(),
            deals: 0,
            first_seat: Cluster::default(),
        }
    }

    /// Adds a deal. Each deal must be added once. Duels that both bots forfeited have no score.
    pub fn add(&mut self, deal: &Deal) {
        let duels = half_points(deal.counted().flat_map(|(_, matches)| matches));
        self.deals += u64::from(!duels.is_empty());
        for ([one, other], half_points) in duels {
            let pair = (one as u32, other as u32);
            let batch = self.batches.entry(deal.number % MAX_BATCHES).or_default();
            let score = batch.entry(pair).or_default();
            score.half_points += half_points.total as u32;
            score.duels += half_points.matches;
        }
        let mut first = OnDeal::default();
        for scored in deal.matches.iter().filter(|_| deal.finished) {
            if let [one, other] = &scored.seats[..]
                && let Some(halves) = versus(one, other).halves()
            {
                first.add(halves.into());
            }
        }
        self.first_seat.add(&first);
    }

    /// Returns the ratings by the deals so far, relative to the anchor if there is one.
    pub fn ratings(&self, anchor: Option<usize>) -> Ratings {
        let rated = Rated::new(self, anchor);
        let rating = |bot: usize| {
            let (elo, interval) = rated.rating(bot);
            let bot = self.names[bot].clone();
            Rating { bot, elo, interval }
        };
        let all = (0..self.names.len()).into_par_iter();
        let mut bots: Vec<Rating> = all.map(rating).collect();
        bots.sort_by(|one, other| {
            let [(group, elo), (other_group, other_elo)] =
                [one, other].map(|one| one.elo.map_or((i8::MIN, 0.0), Elo::order));
            other_group
                .cmp(&group)
                .then(other_elo.total_cmp(&elo))
                .then_with(|| one.bot.cmp(&other.bot))
        });
        let first_seat = self.first_seat.mean().map(|mean| FirstSeat {
            score: mean / 2.0,
            interval: interval::of_score(&self.first_seat),
        });
        Ratings {
            deals: self.deals,
            anchor: anchor.map(|anchor| self.names[anchor].clone()),
            bots,
            first_seat,
        }
    }

    /// Returns the opponents of each bot, in order.
    fn graph(&self) -> Graph {
        let mut totals: BTreeMap<(u32, u32), Score> = BTreeMap::new();
        for (pair, score) in self.batches.values().flatten() {
            let total = totals.entry(*pair).or_default();
            total.half_points += score.half_points;
            total.duels += score.duels;
        }
        let mut graph: Graph = vec![Vec::new(); self.names.len()];
        for ((one, other), Score { half_points, duels }) in totals {
            graph[one as usize].push(Edge {
                other,
                duels,
                half_points,
            });
            graph[other as usize].push(Edge {
                other: one,
                duels,
                half_points: 2 * duels - half_points,
            });
        }
        graph
    }

    /// Returns the scores of each batch, whose deals may come from several parts.
    fn batches(&self) -> Vec<Vec<&BTreeMap<(u32, u32), Score>>> {
        let most = if self.names.len() < MANY_BOTS {
            MAX_BATCHES
        } else {
            MAX_BATCHES_OF_MANY
        };
        let mut batches: BTreeMap<u32, Vec<_>> = BTreeMap::new();
        for (number, batch) in &self.batches {
            batches.entry(number % most).or_default().push(batch);
        }
        batches.into_values().collect()
    }
}

/// The rated bots, and the data from which ratings are computed.
struct Rated<'a> {
    of: &'a Collector,
    anchor: Option<usize>,
    /// Opponents of each bot.
    graph: Graph,
    /// The index of each bot among the rated bots.
    place: Vec<Option<usize>>,
    /// The ratings, in logits.
    at: Vec<f64>,
    /// The derivative of the zero point of the scale with respect to each rating.
    zero: Vec<f64>,
    /// The influence of each batch on each rating.
    influence: Vec<Vec<f64>>,
    /// Half-points of each bot by batch: in its duels with rated bots or, if no bot is rated, in all its duels.
    own: Vec<Cluster>,
    /// True if no bot won or lost nearly everything.
    is_even: bool,
}

impl<'a> Rated<'a> {
    fn new(of: &'a Collector, anchor: Option<usize>) -> Self {
        let graph = of.graph();
        let bots = of.names.len();
        let mut core = fit::core(&of.names, anchor, &graph);
        if core.len() == 1 && anchor.is_none() {
            core.clear();
        }
        let mut place = vec![None; bots];
        core.iter()
            .enumerate()
            .for_each(|(at, bot)| place[*bot] = Some(at));
        let mut rated = Self {
            of,
            anchor,
            graph,
            at: Vec::new(),
            zero: vec![0.0; core.len()],
            influence: Vec::new(),
            own: vec![Cluster::default(); bots],
            is_even: false,
            place,
        };
        if core.is_empty() {
            rated.slopes();
            return rated;
        }
        let fit = Fit::new(&rated.graph, &core);
        rated.at.clone_from(&fit.at);
        let slopes = rated.slopes();
        rated.is_even = rated.is_even();
        let batches = slopes.len() as f64;
        rated.influence = slopes.par_iter().map(|slopes| fit.moved(slopes)).collect();
        let zero = match anchor.and_then(|anchor| rated.place[anchor]) {
            Some(anchor) => {
                rated.zero[anchor] = 1.0;
                rated.at[anchor]
            }
            None => rated.average(),
        };
        rated.at.iter_mut().for_each(|at| *at -= zero);
        for influence in &mut rated.influence {
            let each = influence.iter().zip(&rated.zero);
            let moved: f64 = each.map(|(influence, part)| influence * part).sum();
            influence
                .iter_mut()
                .for_each(|influence| *influence = (*influence - moved) * batches);
        }
        rated
    }

    /// Returns the rating of a bot that would score one half against the field, and its derivative with respect to each rating.
    ///
    /// A bot that lost everything against rated bots counts as a certain win, and a bot that won everything as a certain loss. If there are
    /// so many such bots that no rating would yield one half, they count as half the number of rated bots.
    fn average(&mut self) -> f64 {
        let far = self.own.iter().zip(&self.place);
        let far = far.filter_map(|(own, place)| own.mean().filter(|_| place.is_none()));
        let net: f64 = far
            .map(|mean| f64::from(mean == 2.0) - f64::from(mean == 0.0))
            .sum();
        let rated = self.at.len() as f64;
        let field: Vec<(f64, f64)> = self.at.iter().map(|at| (*at, 1.0)).collect();
        let average = fit::rating(0.5 + (net / rated / 2.0).clamp(-0.25, 0.25), &field);
        let slope = |at: &f64| score(at - average) * score(average - at);
        let all: f64 = self.at.iter().map(slope).sum();
        self.zero = self.at.iter().map(|at| slope(at) / all).collect();
        average
    }

    /// Returns, for each batch, the excess of each rated bot's score over its expected score. Also sums up the own score of every bot.
    fn slopes(&mut self) -> Vec<Vec<f64>> {
        let mut all = Vec::new();
        for batch in self.of.batches() {
            let mut slopes = vec![0.0; self.at.len()];
            let mut own: BTreeMap<usize, OnDeal> = BTreeMap::new();
            for ((one, other), made) in batch.into_iter().flatten() {
                let pair = [*one as usize, *other as usize];
                let halves = [made.half_points, 2 * made.duels - made.half_points];
                let counts =
                    |side: &usize| self.at.is_empty() || self.place[pair[1 - side]].is_some();
                for side in [0, 1].into_iter().filter(counts) {
                    own.entry(pair[side]).or_default().join(&OnDeal {
                        matches: made.duels,
                        total: halves[side].into(),
                    });
                }
                let [Some(first), Some(second)] = pair.map(|bot| self.place[bot]) else {
                    continue;
                };
                let expected = f64::from(made.duels) * score(self.at[first] - self.at[second]);
                let more = f64::from(made.half_points) / 2.0 - expected;
                slopes[first] += more;
                slopes[second] -= more;
            }
            own.iter()
                .for_each(|(bot, on_deal)| self.own[*bot].add(on_deal));
            all.push(slopes);
        }
        all
    }

    /// Returns the Elo of a bot with its interval.
    fn rating(&self, bot: usize) -> (Option<Elo>, [Option<f64>; 2]) {
        if self.anchor == Some(bot) {
            return (Some(Elo::Value(0.0)), [None; 2]);
        }
        let Some(place) = self.place[bot] else {
            return self.bound(bot);
        };
        let at = self.at[place];
        let mut ends = [None; 2];
        if let Some(own) =
            interval::of_score(&self.own[bot]).filter(|_| self.of.deals >= MIN_DEALS_FOR_POINTS)
        {
            // A rating that also moves the average moves less relative to the average.
            let part = 1.0 - self.zero[place];
            let opponents = self.opponents(bot);
            let by_score = own.map(|mean| part * (rating(mean, &opponents) - at));
            let row = self.influence.iter().map(|batch| batch[place]);
            let row: Histogram = row.collect();
            let moved = match interval::of_points(&row) {
                Some(moved) if self.is_even && row.unequal() >= MIN_UNEQUAL => moved,
                _ => {
                    let values = row
                        .cells()
                        .iter()
                        .map(|(value, count)| (*value, 1.0, *count));
                    let [low, high] = interval::symmetric(values);
                    [low.min(by_score[0]), high.max(by_score[1])]
                }
            };
            ends = [
                (own[0] > 0.0).then(|| at + moved[0]),
                (own[1] < 1.0).then(|| at + moved[1]),
            ];
        }
        (
            Some(Elo::Value(at * ELO + 0.0)),
            ends.map(|end| end.map(|end| end * ELO)),
        )
    }

    /// Returns true if all rated bots won and lost enough for the means of influences to be nearly normal.
    fn is_even(&self) -> bool {
        let rated = self.own.iter().zip(&self.place);
        let mut rated = rated.filter(|(_, place)| place.is_some());
        rated.all(|(own, _)| {
            let share = own.mean().unwrap_or_default() / 2.0;
            share.min(1.0 - share) * own.deals() as f64 >= MIN_WON_AND_LOST
        })
    }

    /// Returns the bound on the Elo of a bot that won, or lost, all its duels with rated bots. If none is rated, its opponents count as
    /// equal to each other.
    fn bound(&self, bot: usize) -> (Option<Elo>, [Option<f64>; 2]) {
        let own = &self.own[bot];
        let mut opponents = self.opponents(bot);
        let mut part = ELO;
        if self.at.is_empty() {
            let bots = self.own.iter().filter(|own| own.deals() > 0).count() as f64;
            part *= (bots - 1.0) / bots;
            opponents.push((0.0, 1.0));
        }
        let lost = interval::unseen(own.deals());
        match own.mean().filter(|_| !opponents.is_empty()) {
            Some(2.0) => {
                let least = part * rating(1.0 - lost, &opponents);
                (Some(Elo::AtLeast(least)), [Some(least), None])
            }
            Some(0.0) => {
                let most = part * rating(lost, &opponents);
                (Some(Elo::AtMost(most)), [None, Some(most)])
            }
            _ => (None, [None; 2]),
        }
    }

    /// Returns the ratings of a bot's rated opponents, with the numbers of duels.
    fn opponents(&self, bot: usize) -> Vec<(f64, f64)> {
        self.graph[bot]
            .iter()
            .filter_map(|edge| {
                let place = self.place[edge.other as usize]?;
                Some((self.at[place], f64::from(edge.duels)))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
