//! The columns of the standings.

use super::placings::key;
use super::strength::strength;
use super::{Column, Columns, Table, decimal, ends, notes, span};
use crate::analysis::Analysis;
use crate::scalar::Scalar;
use arena_statistics::standings::Standing;

/// All columns of the standings, best bot first.
pub(crate) fn columns(analysis: &Analysis) -> Vec<Column> {
    let rows = &analysis.standings.standings;
    let of = Columns(rows);
    let ratings = &analysis.ratings;
    let rating = |row: &Standing| {
        ratings
            .bots
            .iter()
            .find(|rating| rating.bot == row.bot)
            .map(|rating| rating.over)
    };
    let rating_lead = |row: &Standing| {
        ratings
            .leads
            .iter()
            .find(|lead| lead.bot == row.bot)
            .map(|lead| lead.over)
    };
    let lead_interval = |row: &Standing| row.lead.as_ref()?.interval;
    let anchored = ratings.anchor_is_given;
    let mut columns = vec![
        of.count("rank", "#", &|row| row.rank as u64),
        of.name("bot", &|row| row.bot.clone()),
        of.count("matches", "matches", &|row| row.matches)
            .at(4)
            .spare(1),
        of.count("wins", "W", &|row| row.wins).at(3),
        of.count("draws", "D", &|row| row.draws).at(3),
        of.count("losses", "L", &|row| row.losses).at(3),
        of.both(&["points"], "points", &|row| {
            (row.points.to_string(), vec![Scalar::Integer(row.points)])
        })
        .detail(),
        of.number("points_per_match", "pts/match", decimal, &|row| {
            row.points_per_match
        })
        .at(2),
        of.interval(["low_95", "high_95"], span, &|row| ends(row.interval))
            .at(2),
    ];
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
    columns.extend([
        of.count("forfeits", "forfeits", &|row| row.forfeits.total)
            .at(5),
        of.both(&["best_rank", "worst_rank"], "ranks", &|row| {
            (
                ranks(row),
                row.ranks.map(|rank| Scalar::Count(rank as u64)).into(),
            )
        })
        .at(2),
        of.hidden("lead_points", &|row| Some(row.lead.as_ref()?.points)),
        of.hidden("lead_points_low_95", &|row| Some(lead_interval(row)?[0])),
        of.hidden("lead_points_high_95", &|row| Some(lead_interval(row)?[1])),
        of.hidden("lead_p_adjusted", &|row| {
            Some(row.lead.as_ref()?.p_adjusted)
        }),
    ]);
    columns.extend(strength(
        &of,
        ["elo", "elo_low_95", "elo_high_95"],
        if anchored { "Elo" } else { "" },
        &rating,
    ));
    let over_next = if anchored { "" } else { "Elo over next" };
    columns.extend(strength(
        &of,
        ["lead_elo", "lead_elo_low_95", "lead_elo_high_95"],
        over_next,
        &rating_lead,
    ));
    if let Some(placings) = &analysis.placings {
        let placed = |row: &Standing| {
            placings
                .rows
                .iter()
                .find(|placed| analysis.bots[placed.bot] == row.bot)
        };
        columns.push(of.hidden("place", &|row| Some(placed(row)?.place as f64)));
        for (index, column) in placings.columns.iter().enumerate() {
            let key = key(&format!("{} {}", placings.format, column.title));
            columns.push(of.hidden(&key, &|row| Some(placed(row)?.cells[index])));
        }
    }
    columns
}

/// Rank, official points, ranks, rating and results of each bot.
pub(crate) fn headline(analysis: &Analysis) -> Table {
    let columns = columns(analysis)
        .into_iter()
        .filter(|column| !column.detail)
        .collect();
    Table::new(columns, notes::meaning(analysis))
}

/// The sources of the points: official points in all, and how often each source counted per match.
pub(crate) fn breakdown(analysis: &Analysis) -> Option<Table> {
    let bots = &analysis.standings.standings;
    if bots.first().is_none_or(|row| row.breakdown.0.is_empty()) {
        return None;
    }
    let columns = columns(analysis)
        .into_iter()
        .filter(|column| column.detail || column.place == 0)
        .collect();
    Some(Table::new(
        columns,
        vec!["points in all, and how often each source of points counted, per match".into()],
    ))
}

/// The best and the worst rank that a bot can have.
fn ranks(row: &Standing) -> String {
    let [best, worst] = row.ranks;
    if best == worst {
        best.to_string()
    } else {
        format!("{best}–{worst}")
    }
}
