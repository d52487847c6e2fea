//! The columns of differences of strengths, which the standings and the ratings share.

use super::{Column, Columns, counted, elo, elo_span};
use crate::scalar::Scalar;
use arena_statistics::elo::Elo;
use arena_statistics::interval::FEWEST_FOR_POINTS;
use arena_statistics::rating::leaderboard::{EloDifference, ModelName, Ratings};

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
    let mut interval = of
        .both(&[low, high], "95%", &|row| (elo_span(elo_of(row), ends(row)), ends(row).map(Scalar::number).into()))
        .at(2);
    if head.is_empty() {
        interval.head.clear();
    }
    [of.both(&[key], head, &cell).at(2), interval]
}

/// The meaning of a rating.
pub(super) fn model(ratings: &Ratings) -> String {
    let model = match ratings.model {
        ModelName::Davidson => "Bradley and Terry's model with Davidson's ties",
        ModelName::PlackettLuce => "Plackett and Luce's model with ties",
    };
    let deals = ratings.deals as u64;
    let intervals = match deals {
        0 => return format!("{model}, fitted to the matches so far"),
        1..FEWEST_FOR_POINTS => "no 95% yet",
        _ => "95% by the profile of the likelihood, clustered by deal",
    };
    format!("{model}, fitted to {}; {intervals}", counted(deals, "deal"))
}
