//! The columns of the ratings: strength, and what else the matches say about who is stronger.

use super::strength::{model, strength};
use super::{Column, Columns, NOTHING, Table, counted, percent, percent_span};
use crate::analysis::Analysis;
use crate::scalar::Scalar;
use arena_statistics::circles;

/// The number of circles that are listed.
const CIRCLES: usize = 3;

/// The ratings of all bots, strongest first.
pub(crate) fn ratings(analysis: &Analysis) -> Table {
    Table::new(rating_columns(analysis), notes(analysis))
}

/// All columns of the ratings.
pub(crate) fn rating_columns(analysis: &Analysis) -> Vec<Column> {
    let ratings = &analysis.ratings;
    let of = Columns(&ratings.bots);
    let rank = |rank: Option<usize>| rank.map_or_else(|| NOTHING.into(), |rank| rank.to_string());
    let group = if ratings.groups > 1 { "group" } else { "" };
    let mut columns = vec![
        of.both(&["rank"], "#", &|row| (rank(row.rank), vec![Scalar::count(row.rank.map(|rank| rank as u64))])),
        of.name("bot", &|row| row.bot.clone()),
        of.count("group", group, &|row| row.group as u64),
    ];
    columns.extend(strength(&of, ["elo", "elo_low_95", "elo_high_95"], "Elo", &|row| Some(row.over)));
    columns
}

fn notes(analysis: &Analysis) -> Vec<String> {
    let ratings = &analysis.ratings;
    let mut notes = Vec::new();
    if let Some(anchor) = &ratings.anchor {
        notes.push(format!("Elo above {anchor}: {}", model(ratings)));
    }
    if let Some(first) = ratings.first_seat {
        let within = first.interval.map_or_else(String::new, |ends| format!(", 95% {}", percent_span(ends.map(Some))));
        notes.push(format!("the first seat scores {}%{within}", percent(Some(first.score))));
    }
    let circles = circles::circles(&analysis.pairs);
    let name = |bot: usize| analysis.bots[bot].as_str();
    for [a, b, c] in circles.iter().take(CIRCLES).map(|circle| circle.map(name)) {
        notes.push(format!("a circle: {a} beats {b} beats {c} beats {a}, each with a mark in --pairs"));
    }
    if circles.len() > CIRCLES {
        notes.push(format!("and {} more", counted((circles.len() - CIRCLES) as u64, "circle")));
    }
    notes
}
