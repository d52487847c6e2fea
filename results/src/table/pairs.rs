//! Every two bots against each other, the one that stands higher first.

use super::{Column, Kind, NOTHING, Table, fixed, names, numbers, percent, signed};
use crate::analysis::Analysis;
use crate::stats::elo::{Elo, Estimate};
use crate::stats::pair::{MOST_NEEDED, Pair, PointsDifference};

/// Two bots, as the one that stands higher sees it.
pub(crate) struct Facing<'a> {
    pub(crate) upper: &'a str,
    pub(crate) lower: &'a str,
    pub(crate) pair: Pair,
}

/// Every two bots that met, in order of the official standings.
pub(crate) fn facing(analysis: &Analysis) -> Vec<Facing<'_>> {
    let place = |bot: usize| {
        let name = &analysis.bots[bot];
        analysis.standings.standings.iter().position(|row| row.bot == *name).unwrap_or(usize::MAX)
    };
    let met = analysis.pairs.iter().filter(|pair| pair.matches > 0);
    let mut all: Vec<(usize, usize, Facing<'_>)> = met
        .map(|pair| {
            let (first, second) = (place(pair.first), place(pair.second));
            let pair = if first <= second { pair.clone() } else { turned(pair) };
            let (upper, lower) = (&analysis.bots[pair.first], &analysis.bots[pair.second]);
            (first.min(second), first.max(second), Facing { upper, lower, pair })
        })
        .collect();
    all.sort_by_key(|(upper, lower, _)| (*upper, *lower));
    all.into_iter().map(|(_, _, facing)| facing).collect()
}

/// All that is known of every two bots.
pub(crate) fn pairs(analysis: &Analysis) -> Table {
    let rows = facing(analysis);
    let estimate = |head: &str, cell: &dyn Fn(&Estimate) -> String| {
        numbers(head, &rows, |row| row.pair.estimate.as_ref().map_or_else(|| NOTHING.into(), cell))
    };
    let points = |head: &str, cell: &dyn Fn(&PointsDifference) -> String| {
        numbers(head, &rows, |row| row.pair.points.as_ref().map_or_else(|| NOTHING.into(), cell))
    };
    let mut marks = points("sig.", &|points| points.significance.to_string());
    marks.kind = Kind::Mark;
    let columns: Vec<Column> = vec![
        names("bot", &rows, |row| row.upper.into()),
        names("against", &rows, |row| row.lower.into()),
        numbers("W", &rows, |row| row.pair.wins.to_string()),
        numbers("D", &rows, |row| row.pair.draws.to_string()),
        numbers("L", &rows, |row| row.pair.losses.to_string()),
        estimate("score %", &|one| percent(Some(one.score))),
        estimate("±95%", &|one| fixed(50.0 * (one.score_interval[1] - one.score_interval[0]), 1)),
        estimate("Elo", &|one| elo(one.elo)),
        estimate("±95%", &|one| elo_half(one.elo_interval)),
        estimate("LOS %", &|one| percent(Some(one.los))),
        points("points/deal", &|points| signed(points.mean, 2)),
        points("±95%", &|points| super::half(points.interval, 2)),
        marks,
        numbers("blocks", &rows, |row| row.pair.blocks.to_string()),
        numbers("variance ratio", &rows, |row| super::decimal(row.pair.variance_ratio)),
        numbers("deals needed", &rows, |row| needed(&row.pair)),
    ];
    Table { columns, notes: NOTES.map(String::from).to_vec() }
}

/// What the columns mean.
const NOTES: [&str; 6] = [
    "score, Elo, LOS (likelihood of superiority): of the bot against the other, t intervals over finished blocks; a block is a deal played in every seating",
    "≥, ≤: all was won or lost, a bound with 95% confidence",
    "points/deal: the bot's points less the other's, over all matches of the two on a deal, with its t interval",
    "sig.: * p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001 of that, adjusted for all pairs (Holm 1979)",
    "variance ratio: how many independent matches a match of a block is worth",
    "deals needed: how many more until the score's interval excludes 50 %, if all stays as it is; 0 if it does already",
];

/// How many more deals it takes to tell who does better.
fn needed(pair: &Pair) -> String {
    let parted = pair.estimate.is_some_and(|one| one.score_interval[0] > 0.5 || one.score_interval[1] < 0.5);
    match pair.needed {
        Some(MOST_NEEDED..) => "> 10^12".into(),
        Some(deals) => deals.to_string(),
        None if parted => "0".into(),
        None => NOTHING.into(),
    }
}

fn elo(elo: Elo) -> String {
    match elo {
        Elo::Value(value) => signed(value, 0),
        Elo::AtLeast(value) => format!("≥ {}", signed(value, 0)),
        Elo::AtMost(value) => format!("≤ {}", signed(value, 0)),
    }
}

fn elo_half(interval: [Option<f64>; 2]) -> String {
    match interval {
        [Some(low), Some(high)] => fixed((high - low) / 2.0, 0),
        _ => NOTHING.into(),
    }
}

/// The same pair, as its second bot sees it.
fn turned(pair: &Pair) -> Pair {
    let turn = |interval: [f64; 2]| [-interval[1], -interval[0]];
    Pair {
        first: pair.second,
        second: pair.first,
        wins: pair.losses,
        losses: pair.wins,
        pentanomial: pair.pentanomial.map(|[a, b, c, d, e]| [e, d, c, b, a]),
        estimate: pair.estimate.map(|one| turned_estimate(&one)),
        points: pair.points.map(|one| PointsDifference {
            mean: -one.mean,
            interval: one.interval.map(turn),
            t: one.t.map(|t| -t),
            ..one
        }),
        ..pair.clone()
    }
}

fn turned_estimate(one: &Estimate) -> Estimate {
    let turn = |elo: Elo| match elo {
        Elo::Value(value) => Elo::Value(-value),
        Elo::AtLeast(value) => Elo::AtMost(-value),
        Elo::AtMost(value) => Elo::AtLeast(-value),
    };
    let ends = |[low, high]: [Option<f64>; 2]| [high.map(|end| -end), low.map(|end| -end)];
    Estimate {
        score: 1.0 - one.score,
        score_interval: [1.0 - one.score_interval[1], 1.0 - one.score_interval[0]],
        elo: turn(one.elo),
        elo_interval: ends(one.elo_interval),
        normalised: one.normalised.map(turn),
        normalised_interval: ends(one.normalised_interval),
        los: 1.0 - one.los,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn pairs_turn_to_and_fro() {
        let analysis = sample::analysis(&["ann", "bob", "cy"], 6);
        for pair in &analysis.pairs {
            let there = turned(pair);
            assert_eq!((there.first, there.wins), (pair.second, pair.losses));
            let back = turned(&there);
            assert_eq!((back.first, back.wins, back.pentanomial), (pair.first, pair.wins, pair.pentanomial));
            let (Some(one), Some(same)) = (pair.estimate, back.estimate) else { panic!("there are blocks") };
            assert!(
                (one.score - same.score).abs() < 1e-12 && one.elo == same.elo && one.elo_interval == same.elo_interval
            );
        }
    }

    #[test]
    fn who_stands_higher_comes_first() {
        let analysis = sample::analysis(&["ann", "bob", "cy"], 6);
        let order: Vec<&str> = analysis.standings.standings.iter().map(|row| row.bot.as_str()).collect();
        let rows = facing(&analysis);
        let names: Vec<[&str; 2]> = rows.iter().map(|row| [row.upper, row.lower]).collect();
        assert_eq!(names, [[order[0], order[1]], [order[0], order[2]], [order[1], order[2]]]);
    }
}
