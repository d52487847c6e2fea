//! Tables of pairs of bots, the higher-ranked bot first.

use super::{CellKind, Column, Columns, Table, elo_span, ends, percent, percent_span, points_span};
use crate::analysis::Analysis;
use crate::scalar::Scalar;
use arena_statistics::ahead::Side;
use arena_statistics::elo;
use arena_statistics::pair::Pair;

/// A pair of bots, from the perspective of the higher-ranked one.
pub(crate) struct Facing<'a> {
    pub(crate) upper: &'a str,
    pub(crate) lower: &'a str,
    pub(crate) pair: Pair,
}

/// Returns the pairs of bots that met, or of which one is ahead, in the order of the official standings.
pub(crate) fn facing(analysis: &Analysis) -> Vec<Facing<'_>> {
    let place = |bot: usize| {
        let name = &analysis.bots[bot];
        analysis
            .standings
            .standings
            .iter()
            .position(|row| row.bot == *name)
            .unwrap_or(usize::MAX)
    };
    let is_ahead = |pair: &Pair| pair.lead.is_some_and(|lead| lead.ahead.is_some());
    let shown = analysis.pairs.iter();
    let shown = shown.filter(|pair| pair.matches > 0 || is_ahead(pair));
    let mut all: Vec<(usize, usize, Facing<'_>)> = shown
        .map(|pair| {
            let (first, second) = (place(pair.first), place(pair.second));
            let pair = if first <= second {
                pair.clone()
            } else {
                pair.turned()
            };
            let (upper, lower) = (&analysis.bots[pair.first], &analysis.bots[pair.second]);
            (
                first.min(second),
                first.max(second),
                Facing { upper, lower, pair },
            )
        })
        .collect();
    all.sort_by_key(|(upper, lower, _)| (*upper, *lower));
    all.into_iter().map(|(_, _, facing)| facing).collect()
}

/// Returns the table of pairs of bots that met or of which one is ahead. It has at most `most` rows, for the highest-ranked bots.
pub(crate) fn pairs(analysis: &Analysis, most: usize) -> Table {
    let mut rows = facing(analysis);
    let count = rows.len();
    rows.truncate(most);
    let mut notes = NOTES.map(String::from).to_vec();
    if count > most {
        notes.insert(
            0,
            format!("These are the first {most} of {count} pairs; `arena show` with `--pairs` prints all."),
        );
    }
    Table::new(columns(&rows), notes)
}

/// Returns a line for each pair of bots with a pentanomial, for the tools and forums of engine testers.
pub(crate) fn to_paste(analysis: &Analysis) -> Vec<String> {
    let line = |row: &Facing<'_>| {
        let Pair {
            wins,
            draws,
            losses,
            pentanomial,
            ..
        } = row.pair;
        let counts = pentanomial.filter(|counts| counts.iter().sum::<u64>() > 0)?;
        let drawn = draws as f64 / (wins + draws + losses) as f64;
        let line = elo::paste(&counts, drawn);
        Some(format!("{} - {}: {line}", row.upper, row.lower))
    };
    facing(analysis).iter().filter_map(line).collect()
}

/// Returns the table of one bot against each bot that it met, from its own perspective.
pub(crate) fn pairs_of(analysis: &Analysis, bot: &str) -> Table {
    let mut rows = facing(analysis);
    rows.retain(|row| [row.upper, row.lower].contains(&bot));
    for row in rows.iter_mut().filter(|row| row.lower == bot) {
        (row.upper, row.lower, row.pair) = (row.lower, row.upper, row.pair.turned());
    }
    let mut columns = columns(&rows);
    // The first column would hold the same name in all rows.
    columns.remove(0);
    Table::new(columns, NOTES.map(String::from).to_vec())
}

/// Returns the columns of all pairs, in order of the tournament file. If all matches were won or lost, `elo` is empty.
pub(crate) fn pair_columns(analysis: &Analysis) -> Vec<Column> {
    let name = |bot: usize| analysis.bots[bot].as_str();
    let facing = |pair: &Pair| Facing {
        upper: name(pair.first),
        lower: name(pair.second),
        pair: pair.clone(),
    };
    columns(&analysis.pairs.iter().map(facing).collect::<Vec<_>>())
}

/// Returns all columns of these pairs.
fn columns(rows: &[Facing<'_>]) -> Vec<Column> {
    let of = Columns(rows);
    let score = |row: &Facing<'_>| row.pair.estimate.map(|one| one.score);
    let lead = |row: &Facing<'_>| row.pair.lead;
    let is_ahead = |row: &Facing<'_>| {
        let (mark, exact) = match lead(row).and_then(|lead| lead.ahead) {
            Some(Side::First) => (">", row.upper),
            Some(Side::Second) => ("<", row.lower),
            None => ("", ""),
        };
        (mark.to_owned(), vec![Scalar::text(exact.to_owned())])
    };
    let elo_of = |row: &Facing<'_>| row.pair.estimate.and_then(|one| one.elo);
    let elo = |row: &Facing<'_>| {
        let exact = score(row).and_then(elo::of_score);
        (super::elo(elo_of(row)), vec![Scalar::number(exact)])
    };
    let elo_interval = |row: &Facing<'_>| {
        let ends = ends(row.pair.score_interval).map(|end| end.and_then(elo::of_score));
        let shown = elo_span(elo_of(row), ends);
        (shown, ends.map(Scalar::number).into())
    };
    let score_interval = |row: &Facing<'_>| ends(row.pair.score_interval);
    let lead_interval = |row: &Facing<'_>| ends(lead(row).and_then(|one| one.interval));
    vec![
        of.name("bot", &|row| row.upper.to_owned()),
        of.name("against", &|row| row.lower.to_owned()),
        of.count("matches", "", &|row| row.pair.matches),
        of.count("wins", "W", &|row| row.pair.wins),
        of.count("draws", "D", &|row| row.pair.draws),
        of.count("losses", "L", &|row| row.pair.losses),
        of.count("both_forfeited", "", &|row| row.pair.both_forfeited),
        of.count("deals", "", &|row| row.pair.deals),
        of.number("score", "score %", percent, &score),
        of.interval(
            ["score_low_95", "score_high_95"],
            percent_span,
            &score_interval,
        ),
        of.both(&["elo"], "Elo", &elo),
        of.both(&["elo_low_95", "elo_high_95"], "95%", &elo_interval),
        of.number("los", "LOS %", percent, &|row| Some(row.pair.estimate?.los)),
        of.number("lead", "lead", super::signed_hundredths, &|row| {
            Some(lead(row)?.points)
        }),
        of.interval(["lead_low_95", "lead_high_95"], points_span, &lead_interval),
        of.hidden("lead_deals", &|row| Some(lead(row)?.deals as f64)),
        of.hidden("p", &|row| Some(lead(row)?.p)),
        of.hidden("p_adjusted", &|row| Some(lead(row)?.p_adjusted)),
        Column {
            kind: CellKind::Mark,
            ..of.both(&["ahead"], "ahead", &is_ahead)
        },
    ]
}

/// Explanations of the columns, one or more sentences each.
const NOTES: [&str; 3] = [
    "score, Elo, LOS: of the bot against the other, over finished blocks; a block is a deal played in every seating. LOS, the likelihood of superiority, is for this pair alone; it is not a test. ≥, ≤: a bound, as nearly all was won or lost, or few deals are finished. –: too few deals",
    "lead: the bot's points per match less the other's against the same opponents, deal by deal; where opponents differ, in their own matches",
    "ahead: > the bot is ahead, < the other is ahead; with 95 % confidence, no such statement is wrong. The limit of p, adjusted for all pairs compared (Holm 1979), is 0.035 at the planned number of deals, and a part of 0.01 after an extension",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn pairs_turn_to_and_fro() {
        let analysis = sample::analysis(&["ann", "bob", "cy"], 6);
        for pair in &analysis.pairs {
            let there = pair.turned();
            assert_eq!((there.first, there.wins), (pair.second, pair.losses));
            let back = there.turned();
            assert_eq!(
                (back.first, back.wins, back.pentanomial),
                (pair.first, pair.wins, pair.pentanomial)
            );
            let (Some(one), Some(same)) = (pair.estimate, back.estimate) else {
                panic!("there are blocks")
            };
            assert!((one.score - same.score).abs() < 1e-12 && one.elo == same.elo);
        }
    }

    #[test]
    fn who_stands_higher_comes_first() {
        let analysis = sample::analysis(&["ann", "bob", "cy"], 6);
        let order: Vec<&str> = analysis
            .standings
            .standings
            .iter()
            .map(|row| row.bot.as_str())
            .collect();
        let rows = facing(&analysis);
        let names: Vec<[&str; 2]> = rows.iter().map(|row| [row.upper, row.lower]).collect();
        assert_eq!(
            names,
            [
                [order[0], order[1]],
                [order[0], order[2]],
                [order[1], order[2]]
            ]
        );
    }
}
