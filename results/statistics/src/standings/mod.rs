//! The official standings, with their error bars, the crosstable, and who forfeited why.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use arena_engine::fault::Cause;
use arena_engine::seat::Seat;
use arena_tournament::deals::{self, Deal, Seated, Wdl};
use arena_tournament::departure::Departure;
use arena_tournament::spec::{Plan, Spec};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::crosstable::Crosstable;
use crate::interval;
use crate::moments::Moments;
use crate::pairwise::Pairwise;
use crate::scoring::{self, Range, scoring};
use crate::standings::leads::{Judged, Lead, Leads};
use arena_tournament::played::Played;

pub mod leads;

/// The most forfeits that are listed one by one; all are counted.
pub const MOST_FAULTS: usize = 1000;

/// The standings of a tournament, and all that is shown with them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Standings {
    /// The tournament's name.
    pub name: String,
    /// The game's name.
    pub game: String,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The rules of the game; those of small Coda only where they are not standard.
    #[schemars(with = "Map<String, Value>")]
    pub rules: Value,
    /// The format's name.
    pub format: String,
    /// The random seed.
    pub seed: Seed,
    /// Seats at each table.
    pub seats: usize,
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
    /// The bots, best first.
    pub standings: Vec<Standing>,
    /// The bots besides the first one that may be the best: those from which it does not differ significantly, at 5 % for all
    /// pairs of bots together.
    pub rivals: Vec<String>,
    /// The bots that have left since it began: replaced by newer versions, or disqualified.
    pub departures: Vec<Departure>,
    /// Every two bots against each other.
    pub crosstable: Crosstable,
    /// The first 1000 forfeits, in order of the schedule.
    pub faults: Vec<Forfeit>,
    /// The number of forfeits that are not listed.
    pub faults_not_listed: u64,
}

/// The results of one bot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Standing {
    /// 1 for the most points per match; equal bots share a rank.
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
    /// The ends of the 95 % interval of points per match, over finished deals; null for too few of them, and where all are
    /// equal.
    pub interval: Option<[f64; 2]>,
    /// The number of finished deals that the interval is made of.
    pub interval_deals: u64,
    /// The best and the worst rank that it can have by significant differences, with 95 % confidence for all bots together.
    pub ranks: [usize; 2],
    /// By how much it is ahead of the bot in the next row; null for the last one.
    pub lead: Option<Lead>,
    /// The sources of the points: how often each counted.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub breakdown: Counts,
    /// The matches that it forfeited.
    pub forfeits: Forfeits,
}

/// The number of times that each source of points counted, in the game's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<(String, i64)>);

/// The numbers of matches that a bot forfeited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Forfeits {
    /// For any cause.
    pub total: u64,
    /// By cause; causes that did not occur are left out.
    pub by_cause: BTreeMap<Cause, u64>,
}

/// One forfeit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Forfeit {
    /// The match's id.
    #[serde(rename = "match")]
    pub id: String,
    /// The bot that forfeited.
    pub bot: String,
    /// In which seat.
    pub seat: Seat,
    /// The kind of failure.
    pub cause: Cause,
    /// What happened, in a sentence.
    pub detail: String,
}

impl Standings {
    /// The number of matches that were forfeited, by all bots together.
    pub fn forfeits(&self) -> u64 {
        self.standings.iter().map(|row| row.forfeits.total).sum()
    }
}

/// A tournament's results so far: takes in deals, keeps only sums.
#[derive(Clone, Debug)]
pub struct Tally {
    spec: Spec,
    range: Range,
    bots: Vec<Sums>,
    leads: Leads,
    unfinished_deals: u64,
    played: u64,
    faults: Vec<Forfeit>,
}

/// The sums of one bot.
#[derive(Clone, Debug, Default)]
struct Sums {
    /// Its row, without its rank and all that is a mean.
    row: Standing,
    /// Points per match on finished deals.
    means: Moments,
}

impl Tally {
    /// No match yet.
    pub fn new(spec: &Spec) -> Self {
        let sources = scoring(&spec.plan.game).unwrap_or_default();
        let breakdown = Counts(sources.iter().map(|source| (source.name.to_owned(), 0)).collect());
        let row = |bot: String| Standing { bot, breakdown: breakdown.clone(), ..Standing::default() };
        Self {
            bots: spec.names().into_iter().map(|bot| Sums { row: row(bot), ..Sums::default() }).collect(),
            leads: Leads::new(spec.bots.len()),
            range: scoring::range(spec),
            unfinished_deals: 0,
            played: 0,
            faults: Vec::new(),
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
        for block in deal.counted() {
            for (bot, points) in block.bots.iter().zip(&block.points) {
                let total = totals.entry(*bot).or_default();
                total.0 += block.matches as u32;
                total.1 += points;
            }
        }
        let totals = totals.into_iter().filter(|(_, (matches, _))| *matches > 0);
        let means: Vec<(usize, f64)> =
            totals.map(|(bot, (matches, points))| (bot, points as f64 / f64::from(matches))).collect();
        means.iter().for_each(|(bot, mean)| self.bots[*bot].means.add(*mean));
        self.leads.add(&means);
    }

    /// Lists the forfeits of a match, as long as there are not too many.
    pub fn list_faults(&mut self, played: &Played) {
        for (seat, fault) in played.verdict.faults.seats() {
            if let Some(fault) = fault
                && self.faults.len() < MOST_FAULTS
            {
                self.faults.push(Forfeit {
                    id: played.id(),
                    bot: played.bots[seat.index()].clone(),
                    seat,
                    cause: fault.cause(),
                    detail: fault.to_string(),
                });
            }
        }
    }

    /// The standings by the matches so far, of which these are the pairs.
    pub fn standings(self, pairs: &Pairwise) -> Standings {
        let order = self.order();
        let (rounds, matches) = (self.spec.rounds(), self.spec.matches());
        let Plan { game, rules_version, rules, format, seats, deals, seed, .. } = self.spec.plan.clone();
        let judged = self.leads.judged();
        let standings = self.rows(&order, &judged);
        // Bots without a match come last.
        let mut met = order.iter().filter(|bot| self.bots[**bot].row.matches > 0);
        let first = met.next();
        let rivals = met.filter(|other| first.is_some_and(|first| !judged.ahead(*first, **other)));
        let rivals = rivals.map(|other| self.bots[*other].row.bot.clone()).collect();
        let forfeits: u64 = self.bots.iter().map(|sums| sums.row.forfeits.total).sum();
        Standings {
            name: self.spec.name.clone(),
            game,
            rules_version,
            rules,
            format: format.name().to_owned(),
            seed,
            seats,
            deals,
            rounds,
            unfinished_deals: self.unfinished_deals,
            planned: matches,
            played: self.played,
            complete: self.played == matches,
            standings,
            rivals,
            crosstable: pairs.crosstable(&order, &self.spec.names()),
            departures: self.spec.departures,
            faults_not_listed: forfeits - self.faults.len() as u64,
            faults: self.faults,
        }
    }

    /// The rows in this order.
    fn rows(&self, order: &[usize], judged: &Judged<'_>) -> Vec<Standing> {
        let rank =
            |bot: usize| 1 + order.iter().filter(|other| self.bots[**other].compare(&self.bots[bot]).is_lt()).count();
        let row = |(place, bot): (usize, &usize)| {
            let next = order.get(place + 1);
            let lead = |next: &usize| judged.lead(*bot, *next, &self.bots[*next].row.bot, self.range.points);
            Standing {
                rank: rank(*bot),
                ranks: judged.ranks(*bot),
                lead: next.and_then(lead),
                ..self.bots[*bot].standing(self.range.points)
            }
        };
        order.iter().enumerate().map(row).collect()
    }

    /// The bots, best first.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.bots.len()).collect();
        order.sort_by(|a, b| {
            let (a, b) = (&self.bots[*a], &self.bots[*b]);
            a.compare(b).then(b.row.wins.cmp(&a.row.wins)).then_with(|| a.row.bot.cmp(&b.row.bot))
        });
        order
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

    /// The row without its rank, where `most` is the most points of a match.
    fn standing(&self, most: f64) -> Standing {
        let Standing { matches, points, .. } = self.row;
        Standing {
            points_per_match: (matches > 0).then(|| points as f64 / matches as f64),
            interval: interval::of_points(&self.means, [0.0, most]),
            interval_deals: self.means.count(),
            ..self.row.clone()
        }
    }

    /// By points per match, most first, in exact arithmetic; bots without a match come last.
    fn compare(&self, other: &Sums) -> Ordering {
        let cross = |points: i64, matches: u64| i128::from(points) * i128::from(matches);
        let (mine, other) = (&self.row, &other.row);
        let by_points = cross(other.points, mine.matches).cmp(&cross(mine.points, other.matches));
        (mine.matches == 0).cmp(&(other.matches == 0)).then(by_points)
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(source, count)| (source, count)))
    }
}

#[cfg(test)]
mod tests;
