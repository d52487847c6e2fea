//! Points of a season, as clubs count them: by place in each tournament.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Choices;
use super::pool::{Pool, seated};
use arena_tournament::deals::{SeatResult, versus};

/// Table of a season.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Season {
    /// Points for each place, beginning with the first place.
    pub points: Vec<f64>,
    /// Number of tournaments whose points count for a bot; null if all count.
    pub best: Option<usize>,
    /// Tournaments, in order.
    pub tournaments: Vec<String>,
    /// Bots, best first.
    pub bots: Vec<Score>,
}

/// Points of a bot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The rank; equal bots share one.
    pub rank: usize,
    /// Name of the bot.
    pub bot: String,
    /// The points that count.
    pub points: f64,
    /// Number of tournaments that the bot played.
    pub played: usize,
    /// Points in each tournament; null where the bot did not play.
    pub each: Vec<Option<f64>>,
}

/// Adds up the points of each bot, given the names of all bots and all sources; `None` if no season is wanted.
pub fn season(
    pool: &Pool,
    choices: &Choices,
    (labels, names): (&[String], &[String]),
    counts: &[u64],
) -> Result<Option<Season>, String> {
    if choices.points.is_empty() {
        return Ok(None);
    }
    let mut tournaments = Vec::new();
    let mut each: BTreeMap<u32, Vec<Option<f64>>> = BTreeMap::new();
    for (number, ranks) in ranks(pool, counts) {
        tournaments.push(names[number].clone());
        for (bot, points) in shared(&ranks, &choices.points) {
            let row = each.entry(bot).or_default();
            row.resize(tournaments.len() - 1, None);
            row.push(Some(points));
        }
    }
    let score = |(bot, mut each): (u32, Vec<Option<f64>>)| {
        each.resize(tournaments.len(), None);
        let mut all: Vec<f64> = each.iter().copied().flatten().collect();
        all.sort_by(|one, other| other.total_cmp(one));
        Score {
            rank: 0,
            bot: labels[bot as usize].clone(),
            points: all.iter().take(choices.best.unwrap_or(usize::MAX)).sum(),
            played: all.len(),
            each,
        }
    };
    let mut bots: Vec<Score> = each.into_iter().map(score).collect();
    bots.sort_by(|one, other| {
        other
            .points
            .total_cmp(&one.points)
            .then_with(|| one.bot.cmp(&other.bot))
    });
    let totals: Vec<f64> = bots.iter().map(|bot| bot.points).collect();
    for bot in &mut bots {
        bot.rank = 1 + totals.partition_point(|points| *points > bot.points + 1e-9);
    }
    Ok(Some(Season {
        points: choices.points.clone(),
        best: choices.best,
        tournaments,
        bots,
    }))
}

/// Returns the ranks in each source that has matches. In a tournament, its rules decide; in a file, the score does. A copy of a tournament
/// does not count again.
fn ranks(pool: &Pool, counts: &[u64]) -> Vec<(usize, Vec<(u32, usize)>)> {
    let mut known = BTreeSet::new();
    let mut all = Vec::new();
    let plays = (0..pool.sources.len()).filter(|number| counts[*number] > 0);
    let mut order: Vec<usize> = plays.collect();
    order.sort_by_key(|number| (pool.sources[*number].day, *number));
    for number in order {
        let source = &pool.sources[number];
        if source.ranks.is_empty() {
            all.push((number, by_score(pool, number as u32)));
        } else if known.insert((source.series, &source.name)) {
            all.push((number, source.ranks.clone()));
        }
    }
    all
}

fn by_score(pool: &Pool, number: u32) -> Vec<(u32, usize)> {
    let mut sums: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (_, seats) in pool
        .each(0..pool.matches())
        .filter(|(source, _)| *source == number)
    {
        let results: Vec<SeatResult> = seats.iter().map(|(_, seat)| seated(*seat)).collect();
        for (at, (bot, _)) in seats.iter().enumerate() {
            let sum = sums.entry(*bot).or_default();
            let others = (0..seats.len()).filter(|other| *other != at);
            for halves in others.filter_map(|other| versus(&results[at], &results[other]).halves())
            {
                sum.0 += u64::from(halves);
                sum.1 += 1;
            }
        }
    }
    let score = |(made, most): (u64, u64)| made as f64 / most.max(1) as f64;
    let mut scores: Vec<f64> = sums.values().map(|sum| score(*sum)).collect();
    scores.sort_by(|one, other| other.total_cmp(one));
    let rank = |mine: f64| 1 + scores.partition_point(|other| *other > mine + 1e-12);
    sums.iter()
        .map(|(bot, sum)| (*bot, rank(score(*sum))))
        .collect()
}

/// Returns the points of each bot. Bots with equal ranks share the points of their places.
fn shared(ranks: &[(u32, usize)], points: &[f64]) -> Vec<(u32, f64)> {
    let place = |place: usize| points.get(place - 1).copied().unwrap_or_default();
    let mut level: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, rank) in ranks {
        *level.entry(*rank).or_default() += 1;
    }
    let mean = |(rank, level): (&usize, &usize)| {
        let all: f64 = (*rank..rank + level).map(place).sum();
        (*rank, all / *level as f64)
    };
    let means: BTreeMap<usize, f64> = level.iter().map(mean).collect();
    ranks
        .iter()
        .map(|(bot, rank)| (*bot, means[rank]))
        .collect()
}
