//! Claims of a tournament about its bots: estimates with 95 % intervals.

use arena_engine::chance::Seed;
use arena_statistics::elo::Elo;
use arena_statistics::pair::Pair;
use arena_statistics::standings::{Ranked, Tally};
use arena_tournament::deals::Scored;
use serde::Serialize;

use super::play::Setting;

/// Subject of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A bot's points per match in the standings.
    Points,
    /// Score of two bots against each other, which determines their Elo difference.
    Score,
    /// Difference of two bots' points per match against the same opponents.
    Lead,
    /// A bot's rating relative to the mean of all rated bots.
    Rating,
    /// Score of the first seat.
    FirstSeat,
}

/// An estimate with the interval that a tournament reports for it.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Subject of the claim.
    pub kind: Kind,
    /// Bot or pair of bots, in a fixed order.
    pub about: String,
    /// The estimate; infinite if one bot won every deal.
    pub estimate: f64,
    /// The ends of the interval, if there is one; an open end is infinite.
    pub interval: Option<[f64; 2]>,
}

pub struct Analysed {
    /// Claim about each pair of bots, in order.
    pub pairs: Vec<Pair>,
    /// All claims.
    pub claims: Vec<Claim>,
}

/// Returns the claims of a tournament on these deals.
pub fn analyse<'a>(
    setting: &Setting,
    deals: impl IntoIterator<Item = &'a Vec<Scored>>,
    seed: Seed,
    planned: u32,
) -> Analysed {
    let spec = setting.tournament(seed, planned);
    let mut tally = Tally::new(&spec);
    setting.gather(deals, |deal| tally.add(deal));
    let Ranked {
        standings,
        ratings,
        pairs,
    } = tally.ranked(None, None);
    let mut claims = Vec::new();
    let mut claim = |kind, about: &str, estimate, interval| {
        claims.push(Claim {
            kind,
            about: about.to_owned(),
            estimate,
            interval,
        });
    };
    for row in &standings.standings {
        let points = row.points_per_match.unwrap_or_default();
        claim(Kind::Points, &row.bot, points, row.interval);
    }
    let names = spec.names();
    for pair in &pairs {
        let about = format!("{} {}", names[pair.first], names[pair.second]);
        if let Some(estimate) = pair.estimate {
            claim(Kind::Score, &about, estimate.score, pair.score_interval);
        }
        if let Some(lead) = pair.lead {
            claim(Kind::Lead, &about, lead.points, lead.interval);
        }
    }
    if let Some(first) = ratings.first_seat {
        claim(Kind::FirstSeat, "", first.score, first.interval);
    }
    for rating in &ratings.bots {
        let elo = rating.elo.map_or(f64::NAN, Elo::number);
        claim(Kind::Rating, &rating.bot, elo, ends(rating.interval));
    }
    Analysed { pairs, claims }
}

/// Replaces open ends of an interval with infinities.
fn ends(interval: [Option<f64>; 2]) -> Option<[f64; 2]> {
    let [low, high] = interval;
    (low.is_some() || high.is_some()).then(|| {
        [
            low.unwrap_or(f64::NEG_INFINITY),
            high.unwrap_or(f64::INFINITY),
        ]
    })
}
