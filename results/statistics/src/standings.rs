//! The standings with error bars, the crosstable, and forfeits by cause.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use arena_engine::fault::Cause;
use arena_tournament::clock::OwnClock;
use arena_tournament::deals::{self, Deal, SeatResult, Wdl};
use arena_tournament::placings::Placings;
use arena_tournament::spec::{Plan, Spec};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::ahead::{self, Ahead};
use crate::crosstable::Crosstable;
use crate::elo::{self, Elo};
use crate::histogram::Histogram;
use crate::interval;
use crate::pair::Pair;
use crate::pairwise::Pairwise;
use crate::power;
use crate::rating::{self, Ratings};
use crate::scoring::{range, scoring};

/// The criterion for the order of the standings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Official points per match: all bots meet the same opponents on every deal, apart from each other.
    #[default]
    Points,
    /// The relation of bots that are ahead of others, then Elo, because opponents differ.
    Ahead,
    /// The placing by the rules of the format.
    Placing,
}

/// The standings, with ratings and pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The standings of the bots.
    pub standings: Standings,
    /// The ratings of the bots.
    pub ratings: Ratings,
    /// Each pair of bots that met or is compared.
    pub pairs: Vec<Pair>,
}

/// The standings of a tournament, with all facts that are shown with them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standings {
    /// Name of the tournament.
    pub name: String,
    /// Name of the game.
    pub game: String,
    /// Version of the game's rules.
    pub rules_version: u32,
    /// Rules of the game. Rules of small Coda are included only if they are not standard.
    pub rules: Value,
    /// Name of the format.
    pub format: String,
    /// Random seed; null until the tournament is closed, because all deals follow from it.
    pub seed: Option<Seed>,
    /// Number of seats at each table.
    pub seats: usize,
    /// The bots whose clock differs from the tournament's.
    pub time_odds: Vec<OwnClock>,
    /// Number of deals that each pairing plays in a round.
    pub deals: u32,
    /// Number of planned rounds, each with its own deals.
    pub rounds: u32,
    /// Number of deals with some matches finished and some not. They count in the totals, but not in the intervals.
    pub unfinished_deals: u64,
    /// Number of planned matches.
    pub planned: u64,
    /// Number of planned matches that are finished.
    pub played: u64,
    /// True if all planned matches are finished.
    pub complete: bool,
    /// Number of deals at the last look, when it was decided which bots are ahead; null before the first look.
    pub judged: Option<u32>,
    /// The criterion for the order.
    pub basis: Basis,
    /// Number of deals needed to tell two bots apart whose true difference is 50 Elo; null if not all pairs meet on every deal.
    pub deals_to_tell_50_elo: Option<u64>,
    /// Bots, best first.
    pub standings: Vec<Standing>,
    /// Bots withdrawn since the start.
    pub withdrawn: Vec<String>,
    /// True if changed bots play the same deals again, which they may have seen.
    pub same_deals: bool,
    /// Results of each pair of bots.
    pub crosstable: Crosstable,
}

/// Tolerance for rounding in the comparison of Elo.
const ELO_TOLERANCE: f64 = 0.01;

/// Results of one bot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Standing {
    /// Rank in the standings, starting at 1; equal bots share a rank.
    pub rank: usize,
    /// Name of the bot.
    pub bot: String,
    /// Number of the bot's finished matches.
    pub matches: u64,
    /// Number of matches in which the bot alone was best.
    pub wins: u64,
    /// Number of matches in which the bot shared first place.
    pub draws: u64,
    /// Number of matches in which another bot was best, or which the bot forfeited.
    pub losses: u64,
    /// The bot's half-points as a fraction of those available, against every other seat at its tables; null if there are none.
    pub score: Option<f64>,
    /// Total official points.
    pub points: i64,
    /// Official points per match; null before the bot's first match.
    pub points_per_match: Option<f64>,
    /// 95 % interval of points per match, with finished deals as units; null with too few deals, or if nearly all are equal.
    pub interval: Option<[f64; 2]>,
    /// Number of finished deals used for the interval.
    pub interval_deals: u64,
    /// The bots that this bot is ahead of, with 95 % confidence that no statement of this kind is wrong.
    pub ahead_of: Vec<String>,
    /// The best and the worst possible rank with the same confidence.
    pub ranks: [usize; 2],
    /// Number of times that each source of points counted.
    pub breakdown: Counts,
    /// The matches that the bot forfeited.
    pub forfeits: Forfeits,
}

/// Number of times that each source of points counted, in the game's order; JSON leaves out zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<(String, i64)>);

/// Numbers of matches forfeited by a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Forfeits {
    /// Number of forfeits of all causes.
    pub total: u64,
    /// Number of forfeits by cause, without zeros.
    pub by_cause: BTreeMap<Cause, u64>,
}

impl Standings {
    /// Returns the total number of matches forfeited by all bots.
    pub fn forfeits(&self) -> u64 {
        self.standings.iter().map(|row| row.forfeits.total).sum()
    }

    /// Returns `false` if a seat can have at most one point, so that points add nothing to scores.
    pub fn has_points(&self) -> bool {
        range(&self.game, &self.rules, self.seats).points != 1.0
    }
}

/// The running results of a tournament. Deals are added, but only sums are kept.
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

/// Sums of one bot.
#[derive(Clone, Debug, Default)]
struct Sums {
    /// The bot's row, without its rank and means.
    row: Standing,
    /// Points per match on finished deals.
    means: Histogram,
}

impl Tally {
    /// Starts without matches.
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

    /// Adds a deal; each must be added once.
    pub fn add(&mut self, deal: &Deal) {
        self.played += deal.matches.len() as u64;
        self.unfinished_deals += u64::from(!deal.finished);
        self.ahead.add(deal);
        let deal = &*deal.without_walkovers();
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
        self.pairs.add(deal);
        self.ratings.add(deal);
    }

    /// Returns the standings in the best available order. The order is the placing of the format, if it has one. Otherwise, if all bots
    /// meet and points are therefore comparable, points decide. In all other cases, the relation of bots that are ahead of others decides.
    /// Elo is relative to the anchor, if there is one.
    pub fn ranked(&self, placings: Option<&Placings>, anchor: Option<usize>) -> Ranked {
        let ahead = self.ahead.ahead();
        let ratings = self.ratings.ratings(anchor);
        let (basis, ranks) = match placings {
            Some(placings) => (Basis::Placing, self.by_placing(placings)),
            None if self.spec.all_meet() => {
                let points = |one: usize, other: usize| self.bots[other].compare(&self.bots[one]);
                let ranks = ahead.order(|one, other| points(one, other).is_gt());
                (Basis::Points, ranks)
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

    /// Ranks by the placing of the format. All bots are equal before the end of a round, and so are bots that the format does not place.
    fn by_placing(&self, placings: &Placings) -> Vec<usize> {
        let mut ranks = vec![1; self.bots.len()];
        let rows = placings.rows.iter().filter(|_| placings.finished > 0);
        rows.for_each(|row| ranks[row.bot] = row.place);
        ranks
    }

    /// Ranks by the relation of bots that are ahead of others, then by Elo. Among bots that won or lost everything against the others, and
    /// among bots without Elo, the score decides.
    fn by_ahead(&self, ahead: &Ahead, ratings: &Ratings) -> Vec<usize> {
        let rated = ratings.bots.iter();
        let rated = rated.filter_map(|one| Some((one.bot.as_str(), one.elo?)));
        let elo: BTreeMap<&str, Elo> = rated.collect();
        let scores = self.pairs.scores(self.bots.len());
        let of = |bot: usize| match (elo.get(self.bots[bot].row.bot.as_str()), scores[bot]) {
            (Some(Elo::Value(elo)), _) => (0, *elo),
            (Some(Elo::AtLeast(_)), score) => (1, score.unwrap_or_default()),
            (Some(Elo::AtMost(_)), score) => (-1, score.unwrap_or_default()),
            (None, None) => (i8::MIN, 0.0),
            (None, Some(score)) if score >= 1.0 => (1, score),
            (None, Some(score)) => elo::of_score(score).map_or((-1, score), |elo| (0, elo)),
        };
        let is_higher = |(group, elo): (i8, f64), (other_group, other): (i8, f64)| {
            group > other_group || group == other_group && elo > other + ELO_TOLERANCE
        };
        ahead.order(|one, other| is_higher(of(one), of(other)))
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
        let mut possible = ahead.ranks();
        for (possible, rank) in possible.iter_mut().zip(ranks) {
            // A format may place bots by its own rules.
            *possible = [possible[0].min(*rank), possible[1].max(*rank)];
        }
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
            ..self.bots[*bot].standing()
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
            judged: ahead.judged,
            basis,
            deals_to_tell_50_elo: self.spec.meet_on_every_deal().then(deals_to_tell),
            standings: order.iter().map(row).collect(),
            crosstable: self.pairs.crosstable(order, &self.spec.names()),
            withdrawn: withdrawn.map(|bot| bot.name.clone()).collect(),
            same_deals: self.spec.has_same_deals(),
        }
    }
}

impl Sums {
    fn add(&mut self, seats: &[SeatResult], seat: usize) {
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

    /// Returns the row without its rank.
    fn standing(&self) -> Standing {
        let Standing {
            matches, points, ..
        } = self.row;
        Standing {
            points_per_match: (matches > 0).then(|| points as f64 / matches as f64),
            interval: interval::of_points(&self.means),
            interval_deals: self.means.count(),
            ..self.row.clone()
        }
    }

    /// Compares by points per match, most first, in exact arithmetic. Bots without a match come last.
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
