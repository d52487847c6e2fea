//! The standings, with their error bars, the crosstable, and who forfeited why.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use arena_engine::fault::Cause;
use arena_tournament::clock::OwnClock;
use arena_tournament::deals::{self, Deal, Seated, Wdl};
use arena_tournament::spec::{Plan, Spec};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::ahead::Ahead;
use crate::anytime_valid::{Unbroken, look};
use crate::crosstable::Crosstable;
use crate::histogram::Histogram;
use crate::holm::Look;
use crate::interval::{self, FEWEST_IF_RARELY, RARELY};
use crate::pairwise::Pairwise;
use crate::scoring::{range, scoring};
use crate::standings::leads::{Lead, Leads};
use crate::standings::ranking::{AheadBy, Basis, Ranking};

pub mod leads;
pub mod ranking;

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
    /// The look at which ranks, leads and marks of pairs hold.
    pub look: Look,
    /// What the ranks are by.
    pub basis: Basis,
    /// What bots are certainly ahead of others by.
    pub ahead_by: AheadBy,
    /// The bots, best first.
    pub standings: Vec<Standing>,
    /// The bots that were withdrawn since it began.
    pub withdrawn: Vec<String>,
    /// True if bots have changed and play the same deals again, which they may have seen.
    pub same_deals: bool,
    /// Each pair of bots.
    pub crosstable: Crosstable,
}

/// The results of one bot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Standing {
    /// 1 for the first by the basis of the standings; equal bots share a rank.
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
    /// Official points in all.
    pub points: i64,
    /// Official points per match; null before its first match.
    pub points_per_match: Option<f64>,
    /// The ends of the 95 % interval of points per match, over finished deals; null for too few of them, and where all but two or
    /// fewer are equal.
    pub interval: Option<[f64; 2]>,
    /// The number of finished deals that the interval is made of.
    pub interval_deals: u64,
    /// The bots that it is certainly ahead of, with 95 % confidence for all bots together.
    pub ahead_of: Vec<String>,
    /// The best and the worst rank that it can have by that, with 95 % confidence for all bots together.
    pub ranks: [usize; 2],
    /// By how many points it is ahead of the bot in the next row; null for the last one, and unless ranks are by points.
    pub lead: Option<Lead>,
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
    unbroken: Unbroken,
    bots: Vec<Sums>,
    leads: Leads,
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
            leads: Leads::new(spec.bots.len()),
            unbroken: Unbroken::default(),
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
        let means: Vec<(usize, f64)> = totals
            .into_iter()
            .map(|(bot, (matches, points))| (bot, points as f64 / f64::from(matches)))
            .collect();
        means
            .iter()
            .for_each(|(bot, mean)| self.bots[*bot].means.add(*mean));
        self.leads.add(&means);
        if self.unbroken.holds(deal) {
            self.leads.bet(&means);
        }
    }

    /// The order of the bots by points per match, if these compare them: where all meet.
    fn by_points(&self) -> Option<Ranking> {
        let rank = |bot: &Sums| {
            1 + self
                .bots
                .iter()
                .filter(|other| other.compare(bot).is_lt())
                .count()
        };
        let ranks = || self.bots.iter().map(rank).collect();
        self.spec.all_meet().then(|| Ranking {
            basis: Basis::Points,
            ranks: ranks(),
        })
    }

    /// Which bots make more points than which, deal by deal; to be asked only where points compare the bots.
    fn ahead(&self) -> Ahead {
        let judged = self.leads.judged(self.look());
        Ahead::new(self.bots.len(), |bot, other| judged.ahead(bot, other))
    }

    /// The look at which all that is claimed must hold.
    fn look(&self) -> Look {
        look(&self.spec, self.played == self.spec.matches())
    }

    /// The bots, best first.
    fn order(&self, ranking: &Ranking) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.bots.len()).collect();
        order.sort_by_key(|bot| {
            let row = &self.bots[*bot].row;
            (ranking.ranks[*bot], Reverse(row.wins), &row.bot)
        });
        order
    }

    /// The standings by the matches so far in this order, of which these are the pairs.
    fn standings(
        self,
        ranking: &Ranking,
        (ahead, ahead_by): (&Ahead, AheadBy),
        pairs: &Pairwise,
    ) -> Standings {
        let order = self.order(ranking);
        let (rounds, matches) = (self.spec.rounds(), self.spec.matches());
        let Plan {
            game,
            rules_version,
            rules,
            seats,
            deals,
            ..
        } = self.spec.plan.clone();
        let look = self.look();
        let standings = self.rows(&order, ranking, ahead);
        let bots = &self.spec.bots;
        let withdrawn = bots.iter().filter(|bot| bot.withdrawn.is_some());
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
            look,
            basis: ranking.basis,
            ahead_by,
            standings,
            crosstable: pairs.crosstable(&order, &self.spec.names()),
            withdrawn: withdrawn.map(|bot| bot.name.clone()).collect(),
            same_deals: self.spec.has_same_deals(),
        }
    }

    /// The rows in this order.
    fn rows(&self, order: &[usize], ranking: &Ranking, ahead: &Ahead) -> Vec<Standing> {
        let name = |bot: &usize| self.bots[*bot].row.bot.clone();
        let judged = self.leads.judged(self.look());
        let best = self
            .bots
            .iter()
            .map(|bot| bot.means.mean())
            .fold(0.0, f64::max);
        let row = |(place, bot): (usize, &usize)| {
            let next = order
                .get(place + 1)
                .filter(|_| ranking.basis == Basis::Points);
            let lead = |next: &usize| judged.lead(*bot, *next, &name(next));
            Standing {
                rank: ranking.ranks[*bot],
                ahead_of: order
                    .iter()
                    .filter(|other| ahead.is(*bot, **other))
                    .map(name)
                    .collect(),
                ranks: ahead.ranks(*bot),
                lead: next.and_then(lead),
                ..self.bots[*bot].standing(best)
            }
        };
        order.iter().enumerate().map(row).collect()
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

    /// The row without its rank, where the best bot makes so many points on a deal.
    fn standing(&self, best: f64) -> Standing {
        let Standing {
            matches, points, ..
        } = self.row;
        let rarely = self.means.count() < FEWEST_IF_RARELY && self.means.mean() < RARELY * best;
        Standing {
            points_per_match: (matches > 0).then(|| points as f64 / matches as f64),
            interval: interval::of_points(&self.means).filter(|_| !rarely),
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
