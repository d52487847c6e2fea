//! Columns of ratings over many tournaments, and of the points of a season.

use super::{Column, Columns, Table, counted, elo, elo_span, percent};
use crate::rate::{Pooled, Row, Score, Season};
use crate::scalar::Scalar;
use arena_statistics::elo::Elo;

/// Returns the columns of the ratings, strongest bot first.
pub(crate) fn rated_columns(pooled: &Pooled) -> Vec<Column> {
    let of = Columns(&pooled.bots);
    let group = if pooled.groups > 1 { "group" } else { "" };
    let value = |row: &Row| match row.elo? {
        Elo::Value(elo) => Some(elo),
        Elo::AtLeast(_) | Elo::AtMost(_) => None,
    };
    let span = |row: &Row| {
        let exact = row.interval.map(Scalar::number).into();
        (elo_span(row.elo, row.interval), exact)
    };
    vec![
        of.count("group", group, &|row| row.group as u64),
        of.name("bot", &|row| row.bot.clone()),
        of.both(&["elo"], "Elo", &|row| {
            (elo(row.elo), vec![Scalar::number(value(row))])
        }),
        of.both(&["elo_low_95", "elo_high_95"], "95%", &span),
        of.number("score", "score %", percent, &|row| row.score),
        of.count("matches", "matches", &|row| row.matches),
        of.count("tournaments", "tournaments", &|row| row.tournaments as u64)
            .spare(1),
    ]
}

/// Returns the columns of a season, with the points of each tournament for programs.
pub(crate) fn season_columns(season: &Season) -> Vec<Column> {
    let of = Columns(&season.bots);
    let mut columns = vec![
        of.count("rank", "#", &|row| row.rank as u64),
        of.name("bot", &|row| row.bot.clone()),
        of.number("points", "points", points, &|row| Some(row.points)),
        of.count("played", "played", &|row| row.played as u64),
    ];
    let each = season.tournaments.iter().enumerate().map(|(nth, name)| {
        let cell = |row: &Score| (points(row.each[nth]), vec![Scalar::number(row.each[nth])]);
        of.both(&[name], name, &cell)
    });
    columns.extend(each);
    columns
}

/// Formats points without superfluous digits; empty where there are none.
fn points(points: Option<f64>) -> String {
    let round = |points: f64| (points * 100.0).round() / 100.0;
    points.map_or_else(String::new, |points| round(points).to_string())
}

/// Returns the table of ratings.
pub(crate) fn rated(pooled: &Pooled) -> Table {
    Table::new(rated_columns(pooled), notes(pooled))
}

/// Returns the points of a season as a table. People see single tournaments only where there is room.
pub(crate) fn season(season: &Season) -> Table {
    let all = season.points.iter().map(f64::to_string);
    let all: Vec<String> = all.collect();
    let mut notes = vec![format!(
        "points by place in each tournament: {}; equal bots share the points of their places",
        all.join(", ")
    )];
    notes.extend(
        season
            .best
            .map(|best| format!("the best {best} of {} count", season.tournaments.len())),
    );
    Table::new(season_columns(season), notes)
}

/// Describes the data in a sentence.
pub(crate) fn rated_facts(pooled: &Pooled) -> String {
    let Pooled { matches, deals, .. } = pooled;
    let used = pooled
        .sources
        .iter()
        .filter(|source| source.matches > 0)
        .count();
    let sources = counted(used as u64, "source");
    format!(
        "{sources}: {} on {}",
        counted(*matches, "match"),
        counted(*deals, "deal")
    )
}

/// Returns remarks on the numbers.
fn notes(pooled: &Pooled) -> Vec<String> {
    let zero = match (&pooled.anchor, pooled.groups) {
        (Some(anchor), 1) => format!("above {anchor}"),
        (Some(anchor), _) => format!("above {anchor}, and above the average in other groups"),
        (None, 1) => "above the average bot".into(),
        (None, _) => "above the average bot of the group".into(),
    };
    let mut notes = vec![format!(
        "Elo {zero}; errors by deal, so matches on one deal count as one observation"
    )];
    if pooled.groups > 1 {
        notes.push(format!(
            "{} groups that no match connects are rated apart",
            pooled.groups
        ));
    }
    if pooled.repeated > 0 {
        notes.push(format!(
            "{} given twice: they count once",
            counted(pooled.repeated, "match")
        ));
    }
    let left_out = pooled.left_out.iter();
    notes.extend(
        left_out.map(|(why, count)| format!("left out: {} {why}", counted(*count, "match"))),
    );
    notes
}
