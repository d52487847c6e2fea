//! A tuning for the terminal: what it plays, where it stands, and what came of it.

use super::{WIDTH, listed, narrow};
use crate::table::{Column, counted, fixed, signed};
use arena_statistics::tune::report::{End, Gained, Tuning};
use arena_statistics::tune::search::Budget;
use arena_tournament::printable::{clean, folded};

/// The size of a tuning whose settings play this number of matches on a deal.
pub fn budget(budget: &Budget, matches: u64) -> String {
    let Budget { generations, settings, deals, fresh } = *budget;
    let all = u64::from(generations) * settings as u64 * u64::from(deals) + 2 * u64::from(fresh);
    format!(
        "{generations} generations of {settings} settings on {deals} deals each, then 2 settings on {fresh} fresh deals: {} at most",
        counted(all * matches, "match")
    )
}

/// What is known after the last of so many generations.
pub fn generation(tuning: &Tuning, planned: u32) -> String {
    let Some(last) = tuning.generations.last() else { return String::new() };
    let values =
        tuning.numbers.iter().zip(&last.best).map(|(number, best)| format!("{} {}", number.name, value(*best)));
    let ([gain, low, high], values) = (last.elo().map(|elo| signed(elo, 0)), values.collect::<Vec<_>>().join(", "));
    format!(
        "generation {} of {planned}: {values}; estimated gain {gain} Elo ({low} to {high})",
        tuning.generations.len()
    )
}

/// The report for people.
pub fn report(tuning: &Tuning) -> String {
    let text = format!("{}: {}", tuning.bot, facts(tuning));
    let text = folded(&clean(&text), WIDTH).join("\n");
    let Some(end) = &tuning.end else {
        return format!("{text}\n\nnot finished\n");
    };
    let verdict = folded(&verdict(end), WIDTH).join("\n");
    let number = |number: f64, digits: usize| signed(number, digits);
    let [gain, low, high] = end.difference.map(|difference| number(100.0 * difference, 1));
    let elo = match end.elo {
        [Some(gain), Some(low), Some(high)] => {
            let [gain, low, high] = [gain, low, high].map(|elo| number(elo, 0));
            format!("\nElo          {gain}, 90 % interval {low} to {high}")
        }
        _ => String::new(),
    };
    format!(
        "{text}\n\n{verdict}\n\n{}\n\ndifference   {gain} %, 90 % interval {low} to {high}{elo}\ndeals        {}, fresh ones\n{}",
        narrow(&columns(tuning, end)),
        end.deals,
        warnings(end)
    )
}

/// A line about a tuning.
pub(crate) fn facts(tuning: &Tuning) -> String {
    let field = tuning.field.join(", ");
    format!("{} against {field}", counted(tuning.generations.len() as u64, "generation"))
}

/// A value as it is played.
pub(crate) fn value(value: f64) -> String {
    value.to_string()
}

fn verdict(end: &End) -> String {
    match (end.verdict, end.unseen) {
        (Gained::Gained, _) => "gained: the tuned setting is better than the first".into(),
        (Gained::Alike, _) => "they played alike: both settings scored the same on every deal".into(),
        (Gained::NotShown, Some(unseen)) => {
            let unseen = fixed(unseen, 0);
            format!("no gain shown: keep the first setting; a gain below {unseen} Elo could have gone unseen")
        }
        (Gained::NotShown, None) => "no gain shown: keep the first setting".into(),
    }
}

/// Both settings, a row for each number and one for the score.
fn columns(tuning: &Tuning, end: &End) -> [Column; 4] {
    let rows = |last: &str, cell: &dyn Fn(usize) -> String| {
        (0..tuning.numbers.len()).map(cell).chain([last.to_owned()]).collect::<Vec<String>>()
    };
    let score = |score: f64| format!("{} %", fixed(100.0 * score, 1));
    let range = |index: usize| format!("{} to {}", tuning.numbers[index].from, tuning.numbers[index].to);
    [
        Column::name("number", rows("score", &|index| tuning.numbers[index].name.clone())),
        Column::number("range", rows("", &range)),
        Column::number("first", rows(&score(end.first.score), &|index| value(end.first.values[index]))),
        Column::number("tuned", rows(&score(end.tuned.score), &|index| value(end.tuned.values[index]))),
    ]
}

fn warnings(end: &End) -> String {
    let mut notes = Vec::new();
    if !end.at_border.is_empty() {
        let names = end.at_border.join(", ");
        notes.push(format!("{names} ended within 2 % of a border of the range: the best may lie beyond"));
    }
    if end.is_far {
        notes.push("a score is outside 20 to 80 %: take a field of about the bot's strength to learn more".into());
    }
    if notes.is_empty() { String::new() } else { format!("\nwarnings\n{}", listed(&notes, WIDTH)) }
}
