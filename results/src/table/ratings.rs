//! The columns of the ratings: strength, ranks, and what else the matches say about who is stronger.

use super::standings::{elo, limit};
use super::{Column, Columns, NOTHING, Table, decimal, fixed, half, percent, signed, signed_hundredths, signed_whole};
use crate::analysis::Analysis;
use crate::rating::classic::{Classic, Online};
use crate::rating::cyclic::Cyclic;
use crate::rating::{Rating, Ratings};
use crate::scalar::Scalar;

/// The number of circles that are listed.
const CYCLES: usize = 3;

/// The ratings of all bots, strongest first; with the classic systems if they are given, by index of the bots.
pub(crate) fn ratings(analysis: &Analysis, classics: Option<&[Classic]>) -> Table {
    let mut notes = notes(&analysis.ratings);
    if classics.is_some() {
        notes.push(
            "Glicko-2, TrueSkill, Weng-Lin: with one deviation; they depend on the order of games, which the fit above does not"
                .into(),
        );
    }
    Table::new(rating_columns(analysis, classics), notes)
}

/// All columns of the ratings.
pub(crate) fn rating_columns(analysis: &Analysis, classics: Option<&[Classic]>) -> Vec<Column> {
    let ratings = &analysis.ratings;
    let of = Columns(&ratings.bots);
    let end = |end: usize| move |row: &Rating| row.interval.map(|ends| ends[end]);
    let effect = |row: &Rating| {
        let bots = &ratings.points.as_ref()?.bots;
        bots.iter().find(|one| one.bot == row.bot).map(|one| one.effect)
    };
    let count = |number: Option<usize>| Scalar::count(number.map(|number| number as u64));
    let [group, points, error] = [
        (ratings.groups > 1, "group"),
        (ratings.points.is_some(), "points effect"),
        (ratings.points.is_some(), "±95%"),
    ]
    .map(|(shown, head)| if shown { head } else { "" });
    let mut columns = vec![
        of.both(&["rank"], "#", &|row| {
            (row.rank.map_or_else(|| NOTHING.into(), |rank| rank.to_string()), vec![count(row.rank)])
        }),
        of.name("bot", "bot", &|row| &row.bot),
        of.count("group", group, &|row| row.group as u64),
        of.both(&["elo"], "Elo", &|row| elo(Some(row))),
        of.number("elo_low_95", "95% from", signed_whole, &end(0)),
        of.number("elo_high_95", "to", signed_whole, &end(1)),
        of.exact("elo_limit", &|row| limit(Some(row))),
        of.both(&["best_rank", "worst_rank"], "ranks", &|row| {
            (ranks(row), [0, 1].map(|end| count(row.ranks.map(|ranks| ranks[end]))).into())
        }),
        of.number("first", "P(first) %", percent, &|row| row.first),
        of.number("nash_weight", "Nash weight", decimal, &|row| row.nash_weight),
        of.number("nash_skill", "Nash skill", signed_whole, &|row| row.nash_skill),
        of.number("points_effect", points, signed_hundredths, &|row| Some(effect(row)?.points)),
        of.both(&["points_effect_error"], error, &|row| {
            (half(effect(row).map(|one| one.interval), 2), vec![Scalar::number(effect(row).map(|one| one.error))])
        }),
    ];
    if let Some(classics) = classics {
        let of_bot = |row: &Rating| classics.get(analysis.bots.iter().position(|bot| *bot == row.bot)?);
        let system = |keys: [&str; 2], head: &str, digits: usize, system: fn(&Classic) -> Online| {
            of.both(&keys, head, &|row| match of_bot(row).map(system) {
                Some(Online { rating, deviation }) => (
                    format!("{} ± {}", fixed(rating, digits), fixed(deviation, digits)),
                    vec![Scalar::Number(rating), Scalar::Number(deviation)],
                ),
                None => (NOTHING.into(), vec![Scalar::Missing; 2]),
            })
        };
        columns.extend([
            system(["glicko_2", "glicko_2_deviation"], "Glicko-2", 0, |classic| classic.glicko_2),
            system(["true_skill", "true_skill_deviation"], "TrueSkill", 2, |classic| classic.true_skill),
            system(["weng_lin", "weng_lin_deviation"], "Weng-Lin", 2, |classic| classic.weng_lin),
        ]);
    }
    columns
}

fn ranks(row: &Rating) -> String {
    match row.ranks {
        Some([best, worst]) if best == worst => best.to_string(),
        Some([best, worst]) => format!("{best}–{worst}"),
        None => NOTHING.into(),
    }
}

fn notes(ratings: &Ratings) -> Vec<String> {
    let mut notes = vec![
        "ranks, P(first): the central 95% of a bot's ranks over resampled deals, and how often it is first there".into(),
        "Nash weight, Nash skill: in the equilibrium of greatest entropy between the bots, and the mean lead over it in Elo; copies of a bot change neither".into(),
    ];
    if let Some(points) = &ratings.points {
        let seats: Vec<String> = points
            .seats
            .iter()
            .enumerate()
            .map(|(seat, effect)| {
                format!("seat {seat} {} ± {}", signed(effect.points, 2), half(Some(effect.interval), 2))
            })
            .collect();
        notes.push(format!(
            "points effect: points per match above the mean bot, freed of the luck of deal and seat; {}",
            seats.join(", ")
        ));
    }
    if let Some(first) = ratings.first_seat {
        let within = first.interval.map_or_else(String::new, |_| format!(" ± {}", half(first.interval, 0)));
        notes.push(format!("sitting first is worth {}{within} Elo", signed(first.elo, 0)));
    }
    notes.extend(cyclic(&ratings.cyclic));
    notes
}

/// The share of results that no order of strength explains.
fn cyclic(cyclic: &Cyclic) -> Vec<String> {
    let Some(share) = cyclic.share else { return Vec::new() };
    let clean = match cyclic.corrected {
        Some(corrected) => format!("{}% without what noise adds", percent(Some(corrected))),
        None => "how much of it is noise is not known".into(),
    };
    let mut notes =
        vec![format!("cyclic share: no order of strength explains {}% of the results, {clean}", percent(Some(share)))];
    for cycle in cyclic.cycles.iter().take(CYCLES) {
        let [a, b, c] = &cycle.bots;
        notes.push(format!("a circle: {a} beats {b} beats {c} beats {a}, p = {:.1e} or less", cycle.p));
    }
    let more = cyclic.cycles.len().saturating_sub(CYCLES) as u64 + cyclic.cycles_not_listed;
    if more > 0 {
        notes.push(format!("and {more} more circles"));
    }
    notes
}
