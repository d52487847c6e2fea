//! Columns of the standings.

use super::placings::key;
use super::{
    Column, Columns, Table, decimal, elo, elo_span, ends, notes, percent, points_span,
    signed_hundredths, span,
};
use crate::analysis::Analysis;
use crate::scalar::Scalar;
use arena_statistics::ahead::Lead;
use arena_statistics::elo::Elo;
use arena_statistics::rating::Rating;
use arena_statistics::standings::Standing;

/// Returns all columns of the standings, best bot first.
pub(crate) fn columns(analysis: &Analysis) -> Vec<Column> {
    let rows = &analysis.standings.standings;
    let of = Columns(rows);
    let ratings = &analysis.ratings.bots;
    let rating = |row: &Standing| ratings.iter().find(|rating| rating.bot == row.bot);
    let rated: Vec<(&Standing, Option<&Rating>)> =
        rows.iter().map(|row| (row, rating(row))).collect();
    let bots = rows.len();
    let is_known = rows.iter().any(|row| row.ranks != [1, bots]);
    let has_faults = rows.iter().any(|row| row.forfeits.total > 0);
    let shown_if = |shown: bool, head: &'static str| if shown { head } else { "" };
    let ranks = |row: &Standing| {
        let exact = row.ranks.map(|rank| Scalar::Count(rank as u64));
        (self::ranks(row), exact.into())
    };
    let results = |row: &Standing| format!("{}–{}–{}", row.wins, row.draws, row.losses);
    let lead = |row: &Standing| lead_over_next(analysis, row);
    let mut columns = vec![
        of.count("rank", "#", &|row| row.rank as u64),
        of.name("bot", &|row| row.bot.clone()),
        of.number("points_per_match", "points", decimal, &|row| {
            row.points_per_match
        }),
        Column {
            head: "points 95%".into(),
            ..of.interval(["low_95", "high_95"], span, &|row| ends(row.interval))
        }
        .detail(),
        of.both(&[], "lead", &|row| {
            let lead = lead(row).map(|lead| lead.points);
            (signed_hundredths(lead), Vec::new())
        }),
        of.both(&[], "95%", &|row| {
            let interval = lead(row).and_then(|lead| lead.interval);
            (points_span(ends(interval)), Vec::new())
        }),
        of.both(
            &["best_rank", "worst_rank"],
            shown_if(is_known, "ranks"),
            &ranks,
        )
        .spare(2),
    ];
    columns.extend(strength(&Columns(&rated)));
    columns.extend([
        of.number("score", "score %", percent, &|row| row.score)
            .spare(3),
        of.count("matches", "", &|row| row.matches),
        of.count("wins", "", &|row| row.wins),
        of.count("draws", "", &|row| row.draws),
        of.count("losses", "", &|row| row.losses),
        of.both(&[], "W–D–L", &|row| (results(row), Vec::new()))
            .spare(1),
        of.count("forfeits", shown_if(has_faults, "faults"), &|row| {
            row.forfeits.total
        }),
        of.both(&["points"], "points", &|row| {
            (row.points.to_string(), vec![Scalar::Integer(row.points)])
        })
        .detail(),
    ]);
    let sources = rows
        .first()
        .map(|row| row.breakdown.0.as_slice())
        .unwrap_or_default();
    columns.extend(sources.iter().enumerate().map(|(index, (source, _))| {
        let cell = |row: &Standing| {
            let count = row.breakdown.0.get(index).map_or(0, |(_, count)| *count);
            let per_match = (row.matches > 0).then(|| count as f64 / row.matches as f64);
            (decimal(per_match), vec![Scalar::Integer(count)])
        };
        of.both(&[source], &source.replace('_', " "), &cell)
            .detail()
    }));
    if let Some(placings) = &analysis.placings {
        let placed = |row: &Standing| placings.rows.iter().find(|placed| placed.bot == row.bot);
        columns.push(of.hidden("place", &|row| Some(placed(row)?.place as f64)));
        for (index, column) in placings.columns.iter().enumerate() {
            let key = key(&format!("{} {}", placings.format, column.title));
            columns.push(of.hidden(&key, &|row| Some(placed(row)?.cells[index])));
        }
    }
    columns
}

/// Returns the lead of a bot over the next one in the standings, if they are compared.
fn lead_over_next(analysis: &Analysis, row: &Standing) -> Option<Lead> {
    let rows = &analysis.standings.standings;
    let place = rows.iter().position(|other| other.bot == row.bot)?;
    let [bot, next] = [row, rows.get(place + 1)?].map(|row| analysis.index(&row.bot));
    let (bot, next) = (bot?, next?);
    let mut pairs = analysis.pairs.iter();
    let pair = pairs.find(|pair| [pair.first, pair.second] == [bot.min(next), bot.max(next)])?;
    if bot < next {
        pair.lead
    } else {
        pair.lead.map(Lead::turned)
    }
}

/// Returns the columns of Elo and of its interval. A bound appears as one end of the interval.
fn strength(of: &Columns<'_, (&Standing, Option<&Rating>)>) -> [Column; 2] {
    type Row<'a> = (&'a Standing, Option<&'a Rating>);
    let elo_of = |(_, rating): &Row<'_>| rating.and_then(|rating| rating.elo);
    let value = |row: &Row<'_>| match elo_of(row)? {
        Elo::Value(elo) => Some(elo),
        Elo::AtLeast(_) | Elo::AtMost(_) => None,
    };
    let cell = |row: &Row<'_>| (elo(elo_of(row)), vec![Scalar::number(value(row))]);
    let span = |row: &Row<'_>| {
        let ends = row.1.map_or([None; 2], |rating| rating.interval);
        (elo_span(elo_of(row), ends), ends.map(Scalar::number).into())
    };
    [
        of.both(&["elo"], "Elo", &cell),
        of.both(&["elo_low_95", "elo_high_95"], "95%", &span),
    ]
}

/// Returns the table of ranks, official points, Elo and results.
pub(crate) fn standings(analysis: &Analysis) -> Table {
    let columns = columns(analysis)
        .into_iter()
        .filter(|column| !column.detail)
        .collect();
    Table::new(columns, notes::meaning(analysis))
}

/// Returns the table of official points in total and of each source's count per match; `None` if the game has no
/// sources.
pub(crate) fn breakdown(analysis: &Analysis) -> Option<Table> {
    let bots = &analysis.standings.standings;
    if bots.first().is_none_or(|row| row.breakdown.0.is_empty()) {
        return None;
    }
    let columns = columns(analysis).into_iter().enumerate();
    let columns = columns.filter(|(place, column)| *place < 2 || column.detail);
    Some(Table::new(
        columns.map(|(_, column)| column).collect(),
        vec!["points in all, and how often each source of points counted, per match".into()],
    ))
}

/// Formats the best and the worst rank that are possible for a bot.
fn ranks(row: &Standing) -> String {
    let [best, worst] = row.ranks;
    if best == worst {
        best.to_string()
    } else {
        format!("{best}–{worst}")
    }
}
