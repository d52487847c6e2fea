//! The standings, with their error bars, the crosstable, and who forfeited why.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use arena_engine::fault::Cause;
use arena_tournament::clock::OwnClock;
use arena_tournament::deals::{self, Deal, Seated, Wdl};
use arena_tournament::placings::Placings;
use arena_tournament::spec::{Plan, Spec};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::ahead::{self, Ahead, Look};
use crate::crosstable::Crosstable;
use crate::histogram::Histogram;
use crate::interval;
use crate::pair::Pair;
use crate::pairwise::Pairwise;
use crate::power;
use crate::rating::{self, Ratings};
use crate::scoring::{range, scoring};

/// What the order of the standings is by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Official points per match: all bots meet the same opponents on every deal, each other aside.
    #[default]
    Points,
    /// Who is ahead of whom, then Elo: opponents differ.
    Ahead,
    /// The rules of the format, which has a placing of its own.
    Placing,
}

/// The standings, with the ratings and the pairs that they go with.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The standings.
    pub standings: Standings,
    /// The ratings of the bots.
    pub ratings: Ratings,
    /// Each pair of bots that met or is compared.
    pub pairs: Vec<Pair>,
}

/// The standings of a tournament, and all that is shown with them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standings {
    /// The tournament's name.
    pub name: String,
    /// The game's name.
    pub game: String,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The rules of the game; those of small Coda only where they are not standard.
    pub rules: Value,
    /// The format's name.
    pub format: String,
    /// The random seed; null until the tournament is closed, since all its deals follow from it.
    pub seed: Option<Seed>,
    /// Seats at each table.
    pub seats: usize,
    /// The bots with another clock than the others.
    pub time_odds: Vec<OwnClock>,
    /// The number of deals that each pairing plays in a round.
    pub deals: u32,
    /// The number of rounds that are planned, each with its own deals.
    pub rounds: u32,
    /// Deals of which some matches are finished and some are not: they count in the totals, not in the intervals.
    pub unfinished_deals: u64,
    /// The number of matches that are planned.
    pub planned: u64,
    /// The number of planned matches that are finished.
    pub played: u64,
    /// True if all planned matches are finished.
    pub complete: bool,
    /// The moment that ranks and leads are for.
    pub look: Look,
    /// What the order is by.
    pub basis: Basis,
    /// The number of deals that it takes to tell two bots apart whose true difference is 50 Elo; null where bots that meet do not do so on every deal.
    pub deals_to_tell_50_elo: Option<u64>,
    /// The least and the greatest points per match of any bot on a finished deal.
    #[serde(skip)]
    pub range: [f64; 2],
    /// The bots, best first.
    pub standings: Vec<Standing>,
    /// The bots that were withdrawn since it began.
    pub withdrawn: Vec<String>,
    /// True if bots have changed and play the same deals again, which they may have seen.
    pub same_deals: bool,
    /// Each pair of bots.
    pub crosstable: Crosstable,
}

/// Elo differences below this are rounding.
const EQUAL: f64 = 0.01;

/// The results of one bot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Standing {
    /// 1 for the first in the order of the standings; equal bots share a rank.
    pub rank: usize,
    /// Its name.
    pub bot: String,
    /// The number of matches that it finished.
    pub matches: u64,
    /// Matches in which it alone was best.
    pub wins: u64,
    /// Matches in which it was one of several best.
    pub draws: u64,
    /// Matches in which another one was best, and those that it forfeited.
    pub losses: u64,
    /// Its half points over those that there were, against every other seat at its tables; null without any.
    pub score: Option<f64>,
    /// Official points in all.
    pub points: i64,
    /// Official points per match; null before its first match.
    pub points_per_match: Option<f64>,
    /// The ends of the 95 % interval of points per match, over finished deals; null for too few of them, and where all deals of all bots
    /// are equal.
    pub interval: Option<[f64; 2]>,
    /// The number of finished deals that the interval is made of.
    pub interval_deals: u64,
    /// The bots that it is ahead of, with 95 % confidence for all bots together.
    pub ahead_of: Vec<String>,
    /// The best and the worst rank that it can have by that.
    pub ranks: [usize; 2],
    /// The sources of the points: how often each counted.
    pub breakdown: Counts,
    /// The matches that it forfeited.
    pub forfeits: Forfeits,
}

/// The number of times that each source of points counted, in the game's order; JSON leaves out those that never did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<(String, i64)>);

/// The numbers of matches that a bot forfeited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Forfeits {
    /// For any cause.
    pub total: u64,
    /// By cause; causes that did not occur are left out.
    pub by_cause: BTreeMap<Cause, u64>,
}

impl Standings {
    /// The number of matches that were forfeited, by all bots together.
    pub fn forfeits(&self) -> u64 {
        self.standings.iter().map(|row| row.forfeits.total).sum()
    }

    /// False if a seat has one point at most, so that points say no more than scores.
    pub fn has_points(&self) -> bool {
        range(&self.game, &self.rules, self.seats).points != 1.0
    }
}

/// A tournament's results so far: takes in deals, keeps only sums.
#[derive(Clone, Debug)]
pub struct Tally {
    spec: Spec,
    bots: Vec<Sums>,
    ahead: ahead::Collector,
    pairs: Pairwise,
    ratings: rating::Collector,
    unfinished_deals: u64,
    played: u64,
}

/// The sums of one bot.
#[derive(Clone, Debug, Default)]
struct Sums {
    /// Its row, without its rank and all that is a mean.
    row: Standing,
    /// Points per match on finished deals.
    means: Histogram,
}

impl Tally {
    /// No match yet.
    pub fn new(spec: &Spec) -> Self {
        let sources = scoring(&spec.plan.game).unwrap_or_default();
        let breakdown = Counts(
            sources
                .iter()
                .map(|source| (source.name.to_owned(), 0))
                .collect(),
        );
        let row = |bot: String| Standing {
            bot,
            breakdown: breakdown.clone(),
            ..Standing::default()
        };
        Self {
            bots: spec
                .names()
                .into_iter()
                .map(|bot| Sums {
                    row: row(bot),
                    ..Sums::default()
                })
                .collect(),
            ahead: ahead::Collector::new(spec),
            pairs: Pairwise::new(spec),
            ratings: rating::Collector::new(spec),
            unfinished_deals: 0,
            played: 0,
            spec: spec.clone(),
        }
    }

    /// Takes in a deal; each must come once.
    pub fn add(&mut self, deal: &Deal) {
        self.played += deal.matches.len() as u64;
        self.unfinished_deals += u64::from(!deal.finished);
        for scored in &deal.matches {
            for (seat, bot) in scored.bots.iter().enumerate() {
                self.bots[*bot].add(&scored.seats, seat);
            }
        }
        let mut totals: BTreeMap<usize, (u32, i64)> = BTreeMap::new();
        for scored in deal.counted().flat_map(|(_, matches)| matches) {
            for (bot, seat) in scored.bots.iter().zip(&scored.seats) {
                let total = totals.entry(*bot).or_default();
                total.0 += 1;
                total.1 += i64::from(seat.points);
            }
        }
        for (bot, (matches, points)) in totals {
            self.bots[bot].means.add(points as f64 / f64::from(matches));
        }
        self.ahead.add(deal);
        self.pairs.add(deal);
        self.ratings.add(deal);
    }

    /// The standings in the order that the matches allow: as the format places the bots, if it does; by points where these compare
    /// them, since all meet; else by who is ahead of whom. Elo is above the bot that is named, if there is one.
    pub fn ranked(&self, placings: Option<&Placings>, anchor: Option<usize>) -> Ranked {
        let ahead = self.ahead.ahead();
        let ratings = self.ratings.ratings(anchor);
        let (basis, ranks) = match placings {
            Some(placings) => (Basis::Placing, self.by_placing(placings)),
            None if self.spec.all_meet() => {
                let points = |one: usize, other: usize| self.bots[other].compare(&self.bots[one]);
                (
                    Basis::Points,
                    self.ranks(|one, other| points(one, other).is_gt()),
                )
            }
            None => (Basis::Ahead, self.by_ahead(&ahead, &ratings)),
        };
        let mut order: Vec<usize> = (0..self.bots.len()).collect();
        order.sort_by_key(|bot| {
            let row = &self.bots[*bot].row;
            (ranks[*bot], Reverse(row.wins), &row.bot)
        });
        Ranked {
            standings: self.standings(basis, &ranks, &order, &ahead),
            ratings,
            pairs: self.pairs.table(&ahead),
        }
    }

    /// The least and the greatest points per match of any bot on a finished deal.
    fn range(&self) -> [f64; 2] {
        let ends = self.bots.iter().filter(|bot| bot.means.count() > 0);
        let ends = ends.map(|bot| bot.means.range());
        ends.reduce(|[low, high], [least, most]| [low.min(least), high.max(most)])
            .unwrap_or_default()
    }

    /// The rank of each bot, one more than the number of those that are better.
    fn ranks(&self, is_better: impl Fn(usize, usize) -> bool) -> Vec<usize> {
        let bots = 0..self.bots.len();
        let rank = |bot| 1 + bots.clone().filter(|other| is_better(*other, bot)).count();
        bots.clone().map(rank).collect()
    }

    /// As the format places the bots; before the end of a round, and those that it does not place, all are equal.
    fn by_placing(&self, placings: &Placings) -> Vec<usize> {
        let mut ranks = vec![1; self.bots.len()];
        let rows = placings.rows.iter().filter(|_| placings.finished > 0);
        rows.for_each(|row| ranks[row.bot] = row.place);
        ranks
    }

    /// By the ranks that each bot can have, then by Elo; those without one come last.
    fn by_ahead(&self, ahead: &Ahead, ratings: &Ratings) -> Vec<usize> {
        let rated = ratings.bots.iter();
        let rated = rated.filter_map(|one| Some((one.bot.as_str(), one.elo?)));
        let elo: BTreeMap<&str, (i8, f64)> = rated.map(|(bot, elo)| (bot, elo.order())).collect();
        let of = |bot: usize| {
            let elo = elo.get(self.bots[bot].row.bot.as_str());
            elo.copied().unwrap_or((i8::MIN, 0.0))
        };
        let is_higher = |(group, elo): (i8, f64), (other_group, other): (i8, f64)| {
            group > other_group || group == other_group && elo > other + EQUAL
        };
        let middle: Vec<usize> = ahead.ranks().iter().map(|ends| ends.iter().sum()).collect();
        self.ranks(|one, other| match middle[one].cmp(&middle[other]) {
            Ordering::Less => true,
            Ordering::Equal => is_higher(of(one), of(other)),
            Ordering::Greater => false,
        })
    }

    fn standings(
        &self,
        basis: Basis,
        ranks: &[usize],
        order: &[usize],
        ahead: &Ahead,
    ) -> Standings {
        let (rounds, matches) = (self.spec.rounds(), self.spec.matches());
        let Plan {
            game,
            rules_version,
            rules,
            seats,
            deals,
            ..
        } = self.spec.plan.clone();
        let range = self.range();
        let possible = ahead.ranks();
        let scores = self.pairs.scores(self.bots.len());
        let row = |bot: &usize| Standing {
            rank: ranks[*bot],
            score: scores[*bot],
            ahead_of: order
                .iter()
                .filter(|other| ahead.is(*bot, **other))
                .map(|other| self.bots[*other].row.bot.clone())
                .collect(),
            ranks: possible[*bot],
            ..self.bots[*bot].standing(range)
        };
        let bots = &self.spec.bots;
        let withdrawn = bots.iter().filter(|bot| bot.withdrawn.is_some());
        let deals_to_tell = || power::deals_to_tell(power::USUAL_ELO, self.pairs.half_points());
        Standings {
            name: self.spec.name.clone(),
            game,
            rules_version,
            rules,
            format: self.spec.kind().to_owned(),
            seed: self.spec.public_seed(),
            seats,
            time_odds: self.spec.time_odds(),
            deals,
            rounds,
            unfinished_deals: self.unfinished_deals,
            planned: matches,
            played: self.played,
            complete: self.played == matches,
            look: self.ahead.look(),
            basis,
            deals_to_tell_50_elo: self.spec.meet_on_every_deal().then(deals_to_tell),
            range,
            standings: order.iter().map(row).collect(),
            crosstable: self.pairs.crosstable(order, &self.spec.names()),
            withdrawn: withdrawn.map(|bot| bot.name.clone()).collect(),
            same_deals: self.spec.has_same_deals(),
        }
    }
}

impl Sums {
    fn add(&mut self, seats: &[Seated], seat: usize) {
        let (mine, row) = (&seats[seat], &mut self.row);
        row.matches += 1;
        match deals::in_match(seats, seat) {
            Wdl::Win => row.wins += 1,
            Wdl::Draw => row.draws += 1,
            Wdl::Loss => row.losses += 1,
        }
        row.points += i64::from(mine.points);
        for ((_, sum), count) in row.breakdown.0.iter_mut().zip(&mine.counts) {
            *sum += i64::from(*count);
        }
        if let Some(cause) = mine.fault {
            row.forfeits.total += 1;
            *row.forfeits.by_cause.entry(cause).or_default() += 1;
        }
    }

    /// The row without its rank, where deals are worth so many points.
    fn standing(&self, range: [f64; 2]) -> Standing {
        let Standing {
            matches, points, ..
        } = self.row;
        Standing {
            points_per_match: (matches > 0).then(|| points as f64 / matches as f64),
            interval: interval::of_points(&self.means, range),
            interval_deals: self.means.count(),
            ..self.row.clone()
        }
    }

    /// By points per match, most first, in exact arithmetic; bots without a match come last.
    fn compare(&self, other: &Sums) -> Ordering {
        let cross = |points: i64, matches: u64| i128::from(points) * i128::from(matches);
        let (mine, other) = (&self.row, &other.row);
        let by_points = cross(other.points, mine.matches).cmp(&cross(mine.points, other.matches));
        (mine.matches == 0)
            .cmp(&(other.matches == 0))
            .then(by_points)
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let counted = self.0.iter().filter(|(_, count)| *count != 0);
        serializer.collect_map(counted.map(|(source, count)| (source, count)))
    }
}

#[cfg(test)]
mod tests;
