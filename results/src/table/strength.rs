//! The columns of differences of strengths, which the standings and the ratings share.

use super::{Column, Columns, counted, elo, elo_span};
use crate::scalar::Scalar;
use arena_statistics::elo::Elo;
use arena_statistics::interval::FEWEST_FOR_POINTS;
use arena_statistics::rating::difference::EloDifference;
use arena_statistics::rating::leaderboard::Ratings;

/// The columns of a difference of strengths; for programs only if there is no heading. A bound stands as one end.
pub(super) fn strength<T>(
    of: &Columns<'_, T>,
    [key, low, high]: [&str; 3],
    head: &str,
    difference: &dyn Fn(&T) -> Option<EloDifference>,
) -> [Column; 2] {
    let elo_of = |row: &T| difference(row).and_then(|one| one.elo);
    let value = |row: &T| match elo_of(row)? {
        Elo::Value(elo) => Some(elo),
        Elo::AtLeast(_) | Elo::AtMost(_) => None,
    };
    let ends = |row: &T| difference(row).map_or([None; 2], |one| one.interval);
    let cell = |row: &T| (elo(elo_of(row)), vec![Scalar::number(value(row))]);
    let span = |row: &T| {
        (
            elo_span(elo_of(row), ends(row)),
            ends(row).map(Scalar::number).into(),
        )
    };
    let interval = of.both(
        &[low, high],
        if head.is_empty() { "" } else { "95%" },
        &span,
    );
    [of.both(&[key], head, &cell).at(2), interval.at(2)]
}

/// The meaning of a rating.
pub(super) fn meaning(ratings: &Ratings) -> String {
    let deals = ratings.deals;
    let intervals = if deals < FEWEST_FOR_POINTS {
        "no 95% yet"
    } else {
        "95% by how much deals differ"
    };
    format!(
        "each bot's expected score equals its actual score, over {}; {intervals}",
        counted(deals, "deal")
    )
}

/// The meaning of 100 Elo at a table of this many seats, beyond two.
pub(super) fn at_table(seats: usize) -> Option<String> {
    let first = match seats {
        3 => "47–49%",
        4 => "37–40%",
        5 => "31–34%",
        _ => return None,
    };
    Some(format!(
        "100 Elo above all others at a table of {seats}: ahead of each other seat in 64% of matches, first of all in {first}"
    ))
}
