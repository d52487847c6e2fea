//! What a tournament claims of its bots: numbers with 95 % intervals.

use arena_engine::chance::Seed;
use arena_statistics::elo::Elo;
use arena_statistics::pair::Pair;
use arena_statistics::pairwise::Pairwise;
use arena_statistics::rating::difference::EloDifference;
use arena_statistics::rating::{Collector, Ratings};
use arena_statistics::standings::ranking::Ranked;
use arena_statistics::standings::{Standings, Tally};
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
    /// Which bot or pair of bots, always in the same order, or which row of the standings.
    pub about: String,
    /// The bots that are compared.
    pub bots: [String; 2],
    /// The number; infinite where one bot won every deal.
    pub estimate: f64,
    /// The ends of its interval, if there is one; infinite where it is open.
    pub interval: Option<[f64; 2]>,
}

/// All that a tournament says.
pub struct Analysed {
    /// The official standings.
    pub standings: Standings,
    /// The strengths of the bots.
    pub ratings: Ratings,
    /// The claim about each pair of bots, in order.
    pub pairs: Vec<Pair>,
    /// All its claims.
    pub claims: Vec<Claim>,
}

/// What a tournament of these deals says.
pub fn analyse<'a>(
    setting: &Setting,
    deals: impl IntoIterator<Item = &'a Vec<Scored>>,
    seed: Seed,
    planned: u32,
) -> Analysed {
    let spec = setting.tournament(seed, planned);
    let mut tally = Tally::new(&spec);
    let mut pairwise = Pairwise::new(&spec);
    let mut collector = Collector::new(&spec);
    setting.gather(deals, |deal| {
        tally.add(deal);
        pairwise.add(deal);
        collector.add(deal);
    });
    let Ranked {
        standings,
        ratings,
        pairs,
    } = tally.ranked(&pairwise, &collector, None, Some(ANCHOR));
    let mut claims = Vec::new();
    let mut claim = |kind, about: &str, bots: [&str; 2], estimate, interval| {
        claims.push(Claim {
            kind,
            about: about.to_owned(),
            bots: bots.map(str::to_owned),
            estimate,
            interval,
        });
    };
    for (row, place) in standings.standings.iter().zip(1..) {
        let bots = [row.bot.as_str(), ""];
        claim(
            Kind::Points,
            bots[0],
            bots,
            row.points_per_match.unwrap_or_default(),
            row.interval,
        );
        claim(
            Kind::Rank,
            bots[0],
            bots,
            row.rank as f64,
            Some(row.ranks.map(|rank| rank as f64)),
        );
        if let Some(lead) = &row.lead {
            claim(
                Kind::Lead,
                &format!("row {place}"),
                [&row.bot, &lead.over],
                lead.points,
                lead.interval,
            );
        }
    }
    let names = spec.names();
    for pair in &pairs {
        let bots = [names[pair.first].as_str(), &names[pair.second]];
        let about = bots.join(" ");
        if let Some(estimate) = pair.estimate {
            let kind = if let Some(Elo::Value(_)) = estimate.elo {
                Kind::Score
            } else {
                Kind::ScoreBound
            };
            claim(kind, &about, bots, estimate.score, pair.score_interval);
        }
        if let Some(points) = pair.points {
            claim(Kind::Difference, &about, bots, points.mean, points.interval);
        }
    }
    let anchor = &names[ANCHOR];
    for rating in ratings.bots.iter().filter(|rating| rating.bot != *anchor) {
        let elo = rating.over.elo.map_or(f64::NAN, number);
        claim(
            Kind::Rating,
            &rating.bot,
            [&rating.bot, anchor],
            elo,
            ends(&rating.over),
        );
    }
    for (lead, place) in ratings.leads.iter().zip(1..) {
        let elo = lead.over.elo.map_or(f64::NAN, number);
        claim(
            Kind::RatingLead,
            &format!("row {place}"),
            [&lead.bot, &lead.next],
            elo,
            ends(&lead.over),
        );
    }
    if let Some(first) = ratings.first_seat {
        claim(Kind::FirstSeat, "", [""; 2], first.score, first.interval);
    }
    Analysed {
        standings,
        ratings,
        pairs,
        claims,
    }
}

/// The interval of a strength, infinite where it is open.
fn ends(over: &EloDifference) -> Option<[f64; 2]> {
    match over.interval {
        [None, None] => None,
        [low, high] => Some([
            low.unwrap_or(f64::NEG_INFINITY),
            high.unwrap_or(f64::INFINITY),
        ]),
    }
}

/// How much stronger a bot is than the one whose rating is 0.
pub fn strength(ratings: &Ratings, bot: &str) -> f64 {
    let rating = ratings.bots.iter().find(|rating| rating.bot == bot);
    rating
        .and_then(|rating| rating.over.elo)
        .map_or(0.0, number)
}

fn number(elo: Elo) -> f64 {
    match elo {
        Elo::Value(elo) => elo,
        Elo::AtLeast(_) => f64::INFINITY,
        Elo::AtMost(_) => f64::NEG_INFINITY,
    }
}
