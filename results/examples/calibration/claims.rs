//! What a tournament claims of its bots: numbers with 95 % intervals.

use arena_engine::chance::Seed;
use arena_results::rating::Collector;
use arena_results::rating::collector::Reading;
use arena_results::rating::leaderboard::Difference;
use arena_results::standings::{Standings, Tally};
use arena_results::stats::elo::Elo;
use arena_results::stats::pair::Pair;
use arena_results::stats::pairwise::Pairwise;
use arena_tournament::deals::Scored;
use serde::Serialize;

use super::play::Setting;

/// The bot whose rating is 0.
pub const ANCHOR: usize = 1;

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A bot's points per match, by the standings.
    Points,
    /// By how many points per match a bot is ahead of the next one of the standings.
    Lead,
    /// The score of two bots against each other, and so their Elo, where neither won every deal.
    Score,
    /// The bound of that where one of them did.
    ScoreBound,
    /// The difference of their points per deal.
    Difference,
    /// A bot's rating above that of the second bot of the field.
    Rating,
    /// Its rating above that of the next one of the standings.
    RatingLead,
    /// The score of the first seat.
    FirstSeat,
    /// A bot's rank by official points.
    Rank,
}

/// A number, and the interval that a tournament puts about it.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What it is about.
    pub kind: Kind,
    /// Which bot or pair of bots, always in the same order.
    pub about: String,
    /// The number; infinite where one bot won every deal.
    pub estimate: f64,
    /// The ends of its interval, if there is one; infinite where it is open.
    pub interval: Option<[f64; 2]>,
}

/// All that a tournament says.
pub struct Told {
    /// The official standings.
    pub standings: Standings,
    /// What is said of every two bots, in order.
    pub pairs: Vec<Pair>,
    /// All its claims.
    pub claims: Vec<Claim>,
}

/// What a tournament of these deals says.
pub fn told<'a>(setting: &Setting, deals: impl IntoIterator<Item = &'a Vec<Scored>>, seed: Seed, number: u32) -> Told {
    let spec = setting.tournament(seed, number);
    let (mut tally, mut pairwise, mut collector) = (Tally::new(&spec), Pairwise::new(&spec), Collector::new(&spec));
    setting.gather(deals, |deal| {
        tally.add(deal);
        pairwise.add(deal);
        collector.add(deal);
    });
    let (standings, pairs) = (tally.standings(), pairwise.table());
    let index = |name: &str| spec.bots.iter().position(|bot| bot.name == name).unwrap_or_default();
    let order: Vec<usize> = standings.standings.iter().map(|row| index(&row.bot)).collect();
    let ratings = collector.ratings(Reading { order: &order, anchor: Some(ANCHOR), pairs: &pairs });
    let mut claims = Claims { all: Vec::new(), index: &index };
    for row in &standings.standings {
        claims.add(Kind::Points, row.bot.clone(), row.points_per_match.unwrap_or_default(), row.interval);
        claims.add(Kind::Rank, row.bot.clone(), row.rank as f64, Some(row.ranks.map(|rank| rank as f64)));
        if let Some(lead) = &row.lead {
            claims.between(Kind::Lead, [&row.bot, &lead.over], lead.points, lead.interval);
        }
    }
    for pair in &pairs {
        claims.of_pair(pair, &spec.names());
    }
    for rating in ratings.bots.iter().filter(|rating| rating.bot != spec.bots[ANCHOR].name) {
        claims.strength(Kind::Rating, [&rating.bot, &spec.bots[ANCHOR].name], rating.over);
    }
    for lead in &ratings.leads {
        claims.strength(Kind::RatingLead, [&lead.bot, &lead.next], lead.over);
    }
    if let Some(first) = ratings.first_seat {
        claims.add(Kind::FirstSeat, String::new(), first.score, first.interval);
    }
    let claims = claims.all;
    Told { standings, pairs, claims }
}

struct Claims<'a> {
    all: Vec<Claim>,
    index: &'a dyn Fn(&str) -> usize,
}

impl Claims<'_> {
    fn add(&mut self, kind: Kind, about: String, estimate: f64, interval: Option<[f64; 2]>) {
        self.all.push(Claim { kind, about, estimate, interval });
    }

    /// A claim of a difference, turned so that the bots come in their order.
    fn between(&mut self, kind: Kind, [bot, other]: [&String; 2], estimate: f64, interval: Option<[f64; 2]>) {
        if (self.index)(bot) < (self.index)(other) {
            self.add(kind, format!("{bot} {other}"), estimate, interval);
        } else {
            self.add(kind, format!("{other} {bot}"), -estimate, interval.map(|[low, high]| [-high, -low]));
        }
    }

    fn strength(&mut self, kind: Kind, bots: [&String; 2], over: Difference) {
        let interval = match over.interval {
            [None, None] => None,
            [low, high] => Some([low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)]),
        };
        if let Some(elo) = over.elo {
            self.between(kind, bots, number(elo), interval);
        }
    }

    fn of_pair(&mut self, pair: &Pair, names: &[String]) {
        let about = format!("{} {}", names[pair.first], names[pair.second]);
        if let Some(estimate) = pair.estimate {
            let bound = !matches!(estimate.elo, Elo::Value(_));
            let kind = if bound { Kind::ScoreBound } else { Kind::Score };
            self.add(kind, about.clone(), estimate.score, pair.score_interval);
        }
        if let Some(points) = pair.points {
            self.add(Kind::Difference, about, points.mean, points.interval);
        }
    }
}

fn number(elo: Elo) -> f64 {
    match elo {
        Elo::Value(elo) => elo,
        Elo::AtLeast(_) => f64::INFINITY,
        Elo::AtMost(_) => f64::NEG_INFINITY,
    }
}
