//! Every two bots against each other, the one that stands higher first.

use super::{CellKind, Column, Columns, NOTHING, Table, decimal, ends, fixed, half, percent, signed};
use crate::analysis::Analysis;
use crate::scalar::Scalar;
use crate::stats::elo::{self, Elo, Estimate};
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

/// Every two bots that met.
pub(crate) fn pairs(analysis: &Analysis) -> Table {
    Table::new(of(&facing(analysis)), NOTES.map(String::from).to_vec())
}

/// The columns of all pairs, in order of the tournament file. Where all was won or lost, `elo` is empty.
pub(crate) fn pair_columns(analysis: &Analysis) -> Vec<Column> {
    let name = |bot: usize| analysis.bots[bot].as_str();
    let facing = |pair: &Pair| Facing { upper: name(pair.first), lower: name(pair.second), pair: pair.clone() };
    of(&analysis.pairs.iter().map(facing).collect::<Vec<_>>())
}

/// All columns of these pairs.
fn of(rows: &[Facing<'_>]) -> Vec<Column> {
    let of = Columns(rows);
    let score = |row: &Facing<'_>| row.pair.estimate.map(|one| one.score);
    let bounds = |row: &Facing<'_>| row.pair.estimate.map(|one| one.score_interval);
    let points = |row: &Facing<'_>| row.pair.points;
    let significance = |row: &Facing<'_>| {
        let mark = points(row).map_or_else(|| NOTHING.into(), |points| points.significance.to_string());
        (mark, vec![Scalar::number(points(row).and_then(|points| points.adjusted))])
    };
    vec![
        of.name("bot", "bot", &|row| row.upper),
        of.name("against", "against", &|row| row.lower),
        of.exact("matches", &|row| Scalar::Count(row.pair.matches)),
        of.count("wins", "W", &|row| row.pair.wins),
        of.count("draws", "D", &|row| row.pair.draws),
        of.count("losses", "L", &|row| row.pair.losses),
        of.exact("both_forfeited", &|row| Scalar::Count(row.pair.both_forfeited)),
        of.count("blocks", "blocks", &|row| row.pair.blocks).at(1),
        of.exact("unfinished_blocks", &|row| Scalar::Count(row.pair.unfinished_blocks)),
        of.exact("deals", &|row| Scalar::Count(row.pair.deals)),
        of.number("score", "score %", percent, &score),
        of.both(&["score_low_95", "score_high_95"], "±95%", &|row| {
            let half = bounds(row).map_or_else(|| NOTHING.into(), |[low, high]| fixed(50.0 * (high - low), 1));
            (half, ends(bounds(row)))
        }),
        of.both(&["elo"], "Elo", &|row| {
            let cell = row.pair.estimate.map_or_else(|| NOTHING.into(), |one| bound(one.elo));
            (cell, vec![Scalar::number(score(row).and_then(elo::of_score))])
        }),
        of.both(&["elo_low_95", "elo_high_95"], "±95%", &|row| {
            let [low, high] = row.pair.estimate.map_or([None; 2], |one| one.elo_interval);
            (half(low.zip(high).map(Into::into), 0), vec![Scalar::number(low), Scalar::number(high)])
        }),
        of.number("los", "LOS %", percent, &|row| row.pair.estimate.map(|one| one.los)),
        of.number("points_per_deal", "points/deal", super::signed_hundredths, &|row| Some(points(row)?.mean)),
        of.interval(["points_low_95", "points_high_95"], "±95%", 2, &|row| points(row)?.interval),
        of.exact("t", &|row| Scalar::number(points(row).and_then(|points| points.t))),
        of.exact("p", &|row| Scalar::number(points(row).and_then(|points| points.p))),
        Column { kind: CellKind::Mark, ..of.both(&["p_adjusted"], "sig.", &significance) },
        of.number("variance_ratio", "variance ratio", decimal, &|row| row.pair.variance_ratio).at(1),
        of.exact("points_variance_ratio", &|row| Scalar::number(row.pair.points_variance_ratio)),
        of.exact("first_seat_score", &|row| Scalar::number(row.pair.first_seat)),
        of.both(&["deals_needed"], "deals needed", &|row| (needed(&row.pair), vec![Scalar::count(row.pair.needed)]))
            .at(1),
    ]
}

/// The meaning of the columns.
const NOTES: [&str; 6] = [
    "score, Elo, LOS (likelihood of superiority): of the bot against the other, t intervals over finished blocks; a block is a deal played in every seating",
    "≥, ≤: all was won or lost, a bound with 95% confidence",
    "points/deal: the bot's points less the other's, over all matches of the two on a deal, with its t interval",
    "sig.: * p ≤ 0.05, ** p ≤ 0.01, *** p ≤ 0.001 of that, adjusted for all pairs (Holm 1979)",
    "variance ratio: how many independent matches a match of a block is worth",
    "deals needed: how many more until the score's interval excludes 50 %, if all stays as it is; 0 if it does already",
];

/// The number of deals that are still needed to see who does better.
fn needed(pair: &Pair) -> String {
    let parted = pair.estimate.is_some_and(|one| one.score_interval[0] > 0.5 || one.score_interval[1] < 0.5);
    match pair.needed {
        Some(MOST_NEEDED..) => "> 10^12".into(),
        Some(deals) => deals.to_string(),
        None if parted => "0".into(),
        None => NOTHING.into(),
    }
}

/// Elo points, or a bound of them.
fn bound(elo: Elo) -> String {
    match elo {
        Elo::Value(value) => signed(value, 0),
        Elo::AtLeast(value) => format!("≥ {}", signed(value, 0)),
        Elo::AtMost(value) => format!("≤ {}", signed(value, 0)),
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
