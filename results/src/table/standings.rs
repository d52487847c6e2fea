//! The columns of the standings.

use super::placings::key;
use super::{Column, Columns, NOTHING, Table, decimal, notes, signed};
use crate::analysis::Analysis;
use crate::rating::Rating;
use crate::rating::groups::Limit;
use crate::scalar::Scalar;
use crate::standings::Standing;

/// All columns of the standings, best bot first.
pub(crate) fn columns(analysis: &Analysis) -> Vec<Column> {
    let rows = &analysis.standings.standings;
    let of = Columns(rows);
    let rating = |row: &Standing| analysis.ratings.bots.iter().find(|rating| rating.bot == row.bot);
    let mut columns = vec![
        of.count("rank", "#", &|row| row.rank as u64),
        of.name("bot", "bot", &|row| &row.bot),
        of.count("matches", "matches", &|row| row.matches).at(4).spare(1),
        of.count("wins", "W", &|row| row.wins).at(3),
        of.count("draws", "D", &|row| row.draws).at(3),
        of.count("losses", "L", &|row| row.losses).at(3),
        of.both(&["points"], "points", &|row| (row.points.to_string(), vec![Scalar::Integer(row.points)])).detail(),
        of.number("points_per_match", "pts/match", decimal, &|row| row.points_per_match).at(2),
        of.interval(["low_95", "high_95"], "±95%", 2, &|row| row.interval).at(2),
    ];
    let sources = rows.first().map(|row| row.breakdown.0.as_slice()).unwrap_or_default();
    columns.extend(sources.iter().enumerate().map(|(index, (source, _))| {
        let cell = |row: &Standing| {
            let count = row.breakdown.0.get(index).map_or(0, |(_, count)| *count);
            let per_match = (row.matches > 0).then(|| count as f64 / row.matches as f64);
            (decimal(per_match), vec![Scalar::Integer(count)])
        };
        of.both(&[source], &source.replace('_', " "), &cell).detail()
    }));
    columns.extend([
        of.count("forfeits", "forfeits", &|row| row.forfeits.total).at(5),
        of.both(&["elo"], "Elo", &|row| elo(rating(row))).at(1),
        of.interval(["elo_low_95", "elo_high_95"], "±95%", 0, &|row| rating(row)?.interval).at(1),
        of.exact("elo_limit", &|row| limit(rating(row))),
    ]);
    if let Some(placings) = &analysis.placings {
        let placed = |row: &Standing| placings.rows.iter().find(|placed| analysis.bots[placed.bot] == row.bot);
        let cell = |row: &Standing, index: usize| Scalar::number(placed(row).map(|placed| placed.cells[index]));
        columns.push(of.exact("place", &|row| Scalar::count(placed(row).map(|placed| placed.place as u64))));
        let keys = placings.columns.iter().map(|column| key(&format!("{} {}", placings.format, column.title)));
        columns.extend(keys.enumerate().map(|(index, key)| of.exact(&key, &|row| cell(row, index))));
    }
    columns
}

/// Rank, rating, official points and results of each bot.
pub(crate) fn headline(analysis: &Analysis) -> Table {
    let columns = columns(analysis).into_iter().filter(|column| !column.detail).collect();
    Table::new(columns, notes::meaning(analysis))
}

/// The sources of the points: official points in all, and how often each source counted per match.
pub(crate) fn breakdown(analysis: &Analysis) -> Option<Table> {
    let bots = &analysis.standings.standings;
    if bots.first().is_none_or(|row| row.breakdown.0.is_empty()) {
        return None;
    }
    let columns = columns(analysis).into_iter().filter(|column| column.detail || column.place == 0).collect();
    Some(Table::new(columns, vec!["points in all, and how often each source of points counted, per match".into()]))
}

/// A bot's strength in Elo points; a bound where its results bound it from one side only.
pub(super) fn elo(rating: Option<&Rating>) -> (String, Vec<Scalar<'static>>) {
    let limit = rating.map_or(Limit::Neither, |rating| rating.limit);
    let elo = rating.and_then(|rating| rating.elo);
    let cell = match (limit, elo) {
        (Limit::Both, Some(elo)) => signed(elo, 0),
        (Limit::AtLeast, Some(elo)) => format!("≥ {}", signed(elo, 0)),
        (Limit::AtMost, Some(elo)) => format!("≤ {}", signed(elo, 0)),
        (Limit::Neither, _) | (_, None) => NOTHING.into(),
    };
    (cell, vec![Scalar::number(elo)])
}

/// From which sides a bot's strength is bounded.
pub(super) fn limit(rating: Option<&Rating>) -> Scalar<'static> {
    rating.map_or(Scalar::Missing, |rating| Scalar::text(rating.limit.name()))
}

/// Half the width of the 95 % interval of a bot's points per match.
pub(crate) fn half_width(row: &Standing) -> Option<f64> {
    row.interval.map(|[low, high]| (high - low) / 2.0)
}
