//! A tuning for the terminal: where it stands, and what came of it.

use super::{WIDTH, listed};
use crate::table::{counted, fixed, signed};
use arena_statistics::tune::report::{End, Gained, Setting, Tuning};
use arena_tournament::printable::{clean, folded};

/// What is known after the last generation.
pub fn generation(tuning: &Tuning) -> String {
    let Some(last) = tuning.generations.last() else { return "nothing is known yet".into() };
    format!("best so far: {}; gain {}", setting(tuning, &last.best), percent(last.gain))
}

/// The report for people, in lines of at most 80 columns.
pub fn report(tuning: &Tuning) -> String {
    let mut rows = vec![format!("{}, {}", tuning.bot, facts(tuning)), String::new()];
    match &tuning.end {
        None => rows.push(format!("not finished; {}", generation(tuning))),
        Some(end) => rows.extend([verdict(end), String::new()].into_iter().chain(results(tuning, end))),
    }
    let text: String = rows.iter().map(|row| folded(&clean(row), WIDTH).join("\n") + "\n").collect();
    text + &tuning.end.as_ref().map_or_else(String::new, warnings)
}

/// A line about a tuning.
pub(crate) fn facts(tuning: &Tuning) -> String {
    format!("{} against {}", counted(tuning.generations.len() as u64, "generation"), tuning.field.join(", "))
}

fn verdict(end: &End) -> String {
    match (end.verdict, end.unseen) {
        (Gained::Gained, _) => "gained: the tuned setting is better than the first".into(),
        (Gained::Alike, _) => "they played alike: both settings scored the same on every deal".into(),
        (Gained::NotShown, None) => "no gain shown: keep the first setting".into(),
        (Gained::NotShown, Some(unseen)) => {
            let unseen = fixed(unseen, 0);
            format!("no gain shown: keep the first setting; a gain below {unseen} Elo could have gone unseen")
        }
    }
}

fn results(tuning: &Tuning, end: &End) -> Vec<String> {
    let row = |(what, result): (&str, &Setting)| {
        format!("{what:<13}score {} %: {}", fixed(100.0 * result.score, 1), setting(tuning, &result.values))
    };
    let mut rows: Vec<String> = ["first", "tuned"].into_iter().zip(&end.settings).map(row).collect();
    rows.push(format!("difference   {}, on {} fresh deals", percent(end.difference), end.deals));
    if let [Some(gain), Some(low), Some(high)] = end.elo.map(|elo| elo.map(|elo| signed(elo, 0))) {
        rows.push(format!("Elo          {gain} ({low} to {high})"));
    }
    rows
}

/// The numbers of a setting.
fn setting(tuning: &Tuning, values: &[f64]) -> String {
    let each = tuning.numbers.iter().zip(values).map(|(number, value)| format!("{} {value}", number.name));
    each.collect::<Vec<String>>().join(", ")
}

/// A difference of scores with its interval.
fn percent(difference: [f64; 3]) -> String {
    let [gain, low, high] = difference.map(|share| signed(100.0 * share, 1));
    format!("{gain} % (90 % interval {low} to {high})")
}

fn warnings(end: &End) -> String {
    let names = end.at_border.join(", ");
    let border = format!("{names} ended within 2 % of a border of the range: the best may lie beyond");
    let far = "a score is outside 20 to 80 %: a field that is nearer in strength tells more".to_owned();
    let notes = [(border, !names.is_empty()), (far, end.is_far)].into_iter().filter(|note| note.1);
    let notes: Vec<String> = notes.map(|(note, _)| note).collect();
    if notes.is_empty() { String::new() } else { format!("\nwarnings\n{}", listed(&notes, WIDTH)) }
}
