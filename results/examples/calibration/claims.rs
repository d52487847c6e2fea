//! What a tournament claims of its bots: numbers with 95 % intervals.

use arena_engine::chance::Seed;
use arena_results::rating::{Collector, Ratings};
use arena_results::standings::Tally;
use arena_results::stats::normal;
use arena_results::stats::pair::Pair;
use arena_results::stats::pairwise::Pairwise;
use arena_tournament::deals::Scored;
use serde::Serialize;

use super::play::Setting;

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A bot's points per match, by the standings.
    Points,
    /// The same, as if matches were independent.
    PointsNaive,
    /// The score of two bots against each other, and so their Elo.
    Score,
    /// The same, as if matches were independent.
    ScoreNaive,
    /// The normalised Elo of two bots.
    Normalised,
    /// The difference of their points per deal.
    Difference,
    /// A bot's rating.
    Rating,
    /// Its lead over the next bot in rank.
    Gap,
    /// Its rank.
    Rank,
    /// What the first seat is worth.
    FirstSeat,
    /// A bot's points, freed of deal and seat.
    Effect,
}

/// A number, and the interval that a tournament puts about it.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What it is about.
    pub kind: Kind,
    /// Which bot or pair of bots.
    pub about: String,
    /// The number.
    pub estimate: f64,
    /// The ends of its interval, if there is one.
    pub interval: Option<[f64; 2]>,
}

/// What is said of every two bots, in order.
pub fn pairs(setting: &Setting, matches: &[Scored], seed: Seed) -> Vec<Pair> {
    let spec = setting.tournament(seed, 1);
    let mut pairwise = Pairwise::new(spec.field());
    setting.gather(matches, |deal| pairwise.add(deal));
    pairwise.table()
}

/// The ratings by these matches, with so many resamples.
pub fn ratings(setting: &Setting, matches: &[Scored], seed: Seed, deals: u32, resamples: usize) -> Ratings {
    let mut collector = Collector::new(&setting.tournament(seed, deals));
    setting.gather(matches, |deal| collector.add(deal));
    collector.ratings(seed, resamples)
}

/// All claims of a tournament.
pub fn claims(setting: &Setting, matches: &[Scored], seed: Seed, deals: u32, resamples: usize) -> Vec<Claim> {
    let mut claims = points(setting, matches, seed, deals);
    pairs(setting, matches, seed).iter().for_each(|pair| of_pair(pair, &mut claims));
    of_ratings(&ratings(setting, matches, seed, deals, resamples), &mut claims);
    claims
}

fn points(setting: &Setting, matches: &[Scored], seed: Seed, deals: u32) -> Vec<Claim> {
    let tournament = setting.tournament(seed, deals);
    let mut tally = Tally::new(&tournament);
    setting.gather(matches, |deal| tally.add(deal));
    let standings = tally.standings().standings;
    let mut claims = Vec::new();
    for standing in &standings {
        let Some(estimate) = standing.points_per_match else { continue };
        let about = standing.bot.clone();
        let bot = tournament.bots.iter().position(|entry| entry.name == about);
        let own = |scored: &Scored| {
            let seat = scored.bots.iter().position(|sits| Some(*sits) == bot)?;
            Some(f64::from(scored.seats[seat].points))
        };
        let naive = independent(matches.iter().filter_map(own));
        claims.push(Claim { kind: Kind::PointsNaive, about: about.clone(), estimate, interval: naive });
        claims.push(Claim { kind: Kind::Points, about, estimate, interval: standing.interval });
    }
    claims
}

fn of_pair(pair: &Pair, claims: &mut Vec<Claim>) {
    let about = format!("{} {}", pair.first, pair.second);
    let mut claim = |kind, estimate, interval| claims.push(Claim { kind, about: about.clone(), estimate, interval });
    if let Some(estimate) = &pair.estimate {
        claim(Kind::Score, estimate.score, Some(estimate.score_interval));
        let results = [(pair.wins, 1.0), (pair.draws, 0.5), (pair.losses, 0.0)];
        let scores = results.into_iter().flat_map(|(count, score)| (0..count).map(move |_| score));
        claim(Kind::ScoreNaive, estimate.score, independent(scores));
        if let ([Some(low), Some(high)], Some(value)) = (estimate.normalised_interval, estimate.normalised) {
            claim(Kind::Normalised, value.number(), Some([low, high]));
        }
    }
    if let Some(points) = &pair.points {
        claim(Kind::Difference, points.mean, points.interval);
    }
}

fn of_ratings(ratings: &Ratings, claims: &mut Vec<Claim>) {
    let mut claim = |kind, about: &str, estimate: Option<f64>, interval| {
        claims.extend(estimate.map(|estimate| Claim { kind, about: about.into(), estimate, interval }));
    };
    for bot in &ratings.bots {
        claim(Kind::Rating, &bot.bot, bot.elo, bot.interval);
        let ranks = bot.ranks.map(|ranks| ranks.map(|rank| rank as f64));
        claim(Kind::Rank, &bot.bot, bot.rank.map(|rank| rank as f64), ranks);
    }
    for gap in &ratings.gaps {
        claim(Kind::Gap, &format!("{} {}", gap.upper, gap.lower), Some(gap.elo), gap.interval);
    }
    if let Some(first) = &ratings.first_seat {
        claim(Kind::FirstSeat, "", Some(first.elo), first.interval);
    }
    for bot in ratings.points.iter().flat_map(|points| &points.bots) {
        claim(Kind::Effect, &bot.bot, Some(bot.effect.points), Some(bot.effect.interval));
    }
}

/// The normal interval of a mean of independent values; none for fewer than two.
fn independent(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for value in values {
        count += 1.0;
        sum += value;
        squares += value * value;
    }
    let mean = sum / count;
    let variance = (squares / count - mean * mean).max(0.0) / (count - 1.0);
    (count > 1.0).then(|| [-1.0, 1.0].map(|side| mean + side * normal::Z * variance.sqrt()))
}
