//! The columns of the ratings: strength, and what else the matches say about who is stronger.

use super::strength::{at_table, meaning, strength};
use super::{Column, Columns, NOTHING, Table, counted, percent, percent_span, some, within};
use crate::analysis::Analysis;
use crate::scalar::Scalar;
use arena_statistics::circles;
use arena_statistics::rating::claims::{Claims, Method};
use arena_statistics::rating::misfit::Contradiction;
use arena_statistics::rating::{Rating, Ratings};

/// The number of claims, and of contradictions, that are listed.
const LISTED: usize = 6;
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
    let rank = |row: &Rating| {
        let shown = row
            .rank
            .map_or_else(|| NOTHING.into(), |rank| rank.to_string());
        (shown, vec![Scalar::count(row.rank.map(|rank| rank as u64))])
    };
    let group = if ratings.groups > 1 { "group" } else { "" };
    let mut columns = vec![
        of.both(&["rank"], "#", &rank),
        of.name("bot", &|row| row.bot.clone()),
        of.count("group", group, &|row| row.group as u64),
    ];
    columns.extend(strength(
        &of,
        ["elo", "elo_low_95", "elo_high_95"],
        "Elo",
        &|row| Some(row.over),
    ));
    columns
}

fn notes(analysis: &Analysis) -> Vec<String> {
    let ratings = &analysis.ratings;
    let mut notes = Vec::new();
    if let Some(anchor) = &ratings.anchor {
        notes.push(format!("Elo above {anchor}: {}", meaning(ratings)));
    }
    notes.extend(at_table(analysis.standings.seats));
    notes.push(claims(ratings));
    notes.extend(contradictions(ratings));
    if let Some(first) = ratings.first_seat {
        let score = percent(Some(first.score));
        let within = within(first.interval, percent_span);
        notes.push(format!("the first seat scores {score}%{within}"));
    }
    let circles = circles::circles(&analysis.pairs);
    let name = |bot: usize| analysis.bots[bot].as_str();
    for [a, b, c] in circles.iter().take(CIRCLES).map(|circle| circle.map(name)) {
        notes.push(format!(
            "a cycle: {a} beats {b} beats {c} beats {a}, each with a mark in --pairs"
        ));
    }
    if circles.len() > CIRCLES {
        let more = counted((circles.len() - CIRCLES) as u64, "cycle");
        notes.push(format!("and {more} more"));
    }
    notes
}

/// Which bots are certainly stronger than which, or else which beat which.
fn claims(ratings: &Ratings) -> String {
    let Claims {
        stronger, beats, ..
    } = &ratings.claims;
    let (what, pairs, than) = match ratings.claims.method {
        Method::MaxT => ("certainly stronger", stronger, "than"),
        Method::Adaptive => (
            "certainly stronger, whichever results chose the opponents",
            stronger,
            "than",
        ),
        Method::Pairs => (
            "ratings claim nothing here; certain of two bots against each other",
            beats,
            "beats",
        ),
    };
    let pairs = pairs
        .iter()
        .map(|[one, other]| format!("{one} {than} {other}"))
        .collect();
    format!(
        "{what} (95% confidence for all bots together): {}",
        some(pairs, LISTED, "none yet")
    )
}

/// That the results of pairs contradict the ratings, if so.
fn contradictions(ratings: &Ratings) -> Option<String> {
    let pair = |one: &Contradiction| {
        let [score, expected] = [one.score, one.expected].map(|score| percent(Some(score)));
        let (bot, other) = (&one.bot, &one.other);
        format!("{bot} scores {score}% against {other}, not {expected}%")
    };
    let pairs: Vec<String> = ratings.contradictions.iter().map(pair).collect();
    let contradict = "no single rating for each bot explains the results of all pairs (p < 0.001)";
    (!pairs.is_empty()).then(|| format!("{contradict}: {}", some(pairs, LISTED, "none yet")))
}
