//! What the model says of each bot: strength, ranks, and what else the matches tell of who is stronger.

use super::{Column, NOTHING, Table, fixed, names, numbers, percent, signed};
use crate::analysis::Analysis;
use crate::rating::classic::{Classic, Online};
use crate::rating::cyclic::Cyclic;
use crate::rating::points_model::PointsModel;
use crate::rating::{Rating, Ratings};

/// How many circles are told.
const CYCLES: usize = 3;

/// The ratings of all bots, strongest first; with the classic systems if they are given, by index of the bots.
pub(crate) fn ratings(analysis: &Analysis, classics: Option<&[Classic]>) -> Table {
    let rows = &analysis.ratings.bots;
    let end = |end: usize| move |row: &Rating| row.interval.map_or_else(|| NOTHING.into(), |ends| signed(ends[end], 0));
    let mut columns = vec![numbers("#", rows, |row| row.rank.map_or_else(|| NOTHING.into(), |rank| rank.to_string()))];
    columns.push(names("bot", rows, |row| row.bot.clone()));
    if analysis.ratings.groups > 1 {
        columns.push(numbers("group", rows, |row| row.group.to_string()));
    }
    columns.extend([
        numbers("Elo", rows, super::headline::strength),
        numbers("95% from", rows, end(0)),
        numbers("to", rows, end(1)),
        numbers("ranks", rows, ranks),
        numbers("P(first) %", rows, |row| percent(row.first)),
        numbers("Nash weight", rows, |row| super::decimal(row.nash_weight)),
        numbers("Nash skill", rows, |row| row.nash_skill.map_or_else(|| NOTHING.into(), |skill| signed(skill, 0))),
    ]);
    if let Some(points) = &analysis.ratings.points {
        columns.extend(effects(rows, points));
    }
    let mut notes = notes(&analysis.ratings);
    if let Some(classics) = classics {
        columns.extend(classic(analysis, classics));
        notes.push(
            "Glicko-2, TrueSkill, Weng-Lin: with one deviation; they depend on the order of games, which the fit above does not"
                .into(),
        );
    }
    Table { columns, notes }
}

fn ranks(row: &Rating) -> String {
    match row.ranks {
        Some([best, worst]) if best == worst => best.to_string(),
        Some([best, worst]) => format!("{best}–{worst}"),
        None => NOTHING.into(),
    }
}

/// The points of each bot, freed of deal and seat.
fn effects(rows: &[Rating], points: &PointsModel) -> [Column; 2] {
    let of = |row: &Rating| points.bots.iter().find(|one| one.bot == row.bot).map(|one| one.effect);
    [
        numbers("points effect", rows, |row| of(row).map_or_else(|| NOTHING.into(), |one| signed(one.points, 2))),
        numbers("±95%", rows, |row| super::half(of(row).map(|one| one.interval), 2)),
    ]
}

fn classic(analysis: &Analysis, classics: &[Classic]) -> [Column; 3] {
    let of = |row: &Rating| analysis.bots.iter().position(|bot| *bot == row.bot).and_then(|bot| classics.get(bot));
    let column = |head: &str, digits: usize, system: fn(&Classic) -> Online| {
        numbers(head, &analysis.ratings.bots, |row| {
            let told = |one: Online| format!("{} ± {}", fixed(one.rating, digits), fixed(one.deviation, digits));
            of(row).map_or_else(|| NOTHING.into(), |classic| told(system(classic)))
        })
    };
    [
        column("Glicko-2", 0, |classic| classic.glicko_2),
        column("TrueSkill", 2, |classic| classic.true_skill),
        column("Weng-Lin", 2, |classic| classic.weng_lin),
    ]
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
                format!("seat {seat} {} ± {}", signed(effect.points, 2), super::half(Some(effect.interval), 2))
            })
            .collect();
        notes.push(format!(
            "points effect: points per match above the mean bot, freed of the luck of deal and seat; {}",
            seats.join(", ")
        ));
    }
    if let Some(first) = ratings.first_seat {
        let within = first.interval.map_or_else(String::new, |_| format!(" ± {}", super::half(first.interval, 0)));
        notes.push(format!("sitting first is worth {}{within} Elo", signed(first.elo, 0)));
    }
    notes.extend(cyclic(&ratings.cyclic));
    notes
}

/// What no order of strength explains.
fn cyclic(cyclic: &Cyclic) -> Vec<String> {
    let Some(share) = cyclic.share else { return Vec::new() };
    let clean = match cyclic.corrected {
        Some(corrected) => format!("{}% without what noise adds", percent(Some(corrected))),
        None => "how much of it is noise cannot be told".into(),
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
