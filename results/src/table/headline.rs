//! The table that everybody looks at first, and where the points come from.

use super::{Column, Table, decimal, half, names, notes, numbers, signed};
use crate::analysis::Analysis;
use crate::rating::Rating;
use crate::rating::groups::Limit;
use crate::standings::{Standing, Standings};

/// Rank, rating, official points and results of each bot, in order of the official standings.
pub(crate) fn headline(analysis: &Analysis) -> Table {
    let rows = &analysis.standings.standings;
    let rated = |cell: &dyn Fn(&Rating) -> String| -> Vec<String> {
        let rating = |row: &Standing| analysis.ratings.bots.iter().find(|rating| rating.bot == row.bot);
        rows.iter().map(|row| rating(row).map_or_else(|| super::NOTHING.into(), cell)).collect()
    };
    let columns = vec![
        numbers("#", rows, |row| row.rank.to_string()),
        names("bot", rows, |row| row.bot.clone()),
        Column::number("Elo", 0, rated(&strength)),
        Column::number("±95%", 0, rated(&|rating| half(rating.interval, 0))),
        numbers("pts/match", rows, |row| decimal(row.points_per_match)),
        numbers("±95%", rows, |row| decimal(half_width(row))),
        numbers("W", rows, |row| row.wins.to_string()),
        numbers("D", rows, |row| row.draws.to_string()),
        numbers("L", rows, |row| row.losses.to_string()),
        Column { spare: 1, ..numbers("matches", rows, |row| row.matches.to_string()) },
        numbers("forfeits", rows, |row| row.forfeits.total.to_string()),
    ];
    Table { columns, notes: notes::meaning(analysis) }
}

/// Where the points come from: official points in all, and how often each source counted per match.
pub(crate) fn breakdown(standings: &Standings) -> Option<Table> {
    let rows = &standings.standings;
    let sources = rows.first().map(|row| row.breakdown.0.as_slice()).unwrap_or_default();
    if sources.is_empty() {
        return None;
    }
    let mut columns = vec![
        numbers("#", rows, |row| row.rank.to_string()),
        names("bot", rows, |row| row.bot.clone()),
        numbers("points", rows, |row| row.points.to_string()),
    ];
    columns.extend(sources.iter().enumerate().map(|(index, (source, _))| {
        numbers(&source.replace('_', " "), rows, |row| {
            let count = row.breakdown.0.get(index).map_or(0, |(_, count)| *count);
            decimal((row.matches > 0).then(|| count as f64 / row.matches as f64))
        })
    }));
    Some(Table { columns, notes: vec!["points in all, and how often each source of points counted, per match".into()] })
}

/// A bot's strength in Elo points; a bound where its results bound it from one side only.
pub(super) fn strength(rating: &Rating) -> String {
    match (rating.limit, rating.elo) {
        (Limit::Both, Some(elo)) => signed(elo, 0),
        (Limit::AtLeast, Some(elo)) => format!("≥ {}", signed(elo, 0)),
        (Limit::AtMost, Some(elo)) => format!("≤ {}", signed(elo, 0)),
        (Limit::Neither, _) | (_, None) => super::NOTHING.into(),
    }
}

/// Half the width of the 95 % interval of a bot's points per match.
pub(crate) fn half_width(row: &Standing) -> Option<f64> {
    row.interval.map(|[low, high]| (high - low) / 2.0)
}
