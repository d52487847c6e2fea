//! Bracket drawing for the terminal.

use arena_tournament::printable::{clean, cut};

use crate::analysis::Analysis;
use tabled::grid::util::string::get_string_width;

/// Minimum width of a column, below which names would be unrecognisable.
const MIN_WIDTH: usize = 8;

/// Draws the bracket from left to right, with the scores of finished rounds. `None` if the format has no bracket, or if the bracket is too
/// wide.
pub(super) fn bracket(analysis: &Analysis, wide: usize) -> Option<String> {
    let placings = analysis.placings.as_ref()?;
    let places = placings.bracket.first()?.len();
    let rounds = places.trailing_zeros() as usize;
    let scored = |round: usize, bot: &String| {
        let name = clean(bot);
        let Some((pairing, side)) = analysis.pairing_in(round, bot) else {
            return name;
        };
        let decided = pairing.winner.as_ref() == Some(bot) && pairing.tie_break.is_some();
        let mark = if decided { "*" } else { "" };
        format!("{name} {:.1}{mark}", pairing.score[side])
    };
    let unknown = || "?".to_owned();
    let label = |round: usize, place: usize| -> Option<String> {
        // In the first round, an empty place is a bye. In later rounds, it is undecided.
        let Some(at) = placings.bracket.get(round) else {
            return Some(unknown());
        };
        Some(scored(round, at[place].as_ref()?))
    };
    let third_place = placings.third_place.iter().flatten().map(|bot| {
        bot.as_ref()
            .map_or_else(unknown, |bot| scored(rounds - 1, bot))
    });
    let third_place: Vec<String> = third_place.collect();
    let labels: Vec<Vec<Option<String>>> = (0..=rounds)
        .map(|round| {
            (0..places >> round)
                .map(|place| label(round, place))
                .collect()
        })
        .collect();
    let longest = labels.iter().flatten().flatten();
    let longest = longest.map(|label| get_string_width(label)).max()?;
    // Each cell is followed by a blank, a corner and a blank.
    let width = longest.min(((wide + 3) / (rounds + 1)).saturating_sub(3));
    if width < longest.min(MIN_WIDTH) {
        return None;
    }
    let mut lines = vec![String::new(); 2 * places - 1];
    for (round, labels) in labels.iter().enumerate() {
        let row = |place: usize| (place << (round + 1)) + (1 << round) - 1;
        let mut cells = vec![(" ".repeat(width + 1), ' '); lines.len()];
        for (place, label) in labels.iter().enumerate() {
            let Some(label) = label else { continue };
            let label = cut(label, width);
            let here = row(place);
            if round == rounds {
                cells[here].0 = label;
                continue;
            }
            let is_upper = place % 2 == 0;
            let line = "─".repeat(width.saturating_sub(get_string_width(&label)));
            cells[here] = (format!("{label} {line}"), if is_upper { '┐' } else { '┘' });
            let middle = row(place / 2 * 2) + (1 << round);
            let between = if is_upper {
                here + 1..middle
            } else {
                middle + 1..here
            };
            between.for_each(|line| cells[line].1 = '│');
            cells[middle].1 = '├';
        }
        for (line, (cell, corner)) in lines.iter_mut().zip(cells) {
            line.push_str(&cell);
            line.extend([corner, ' ']);
        }
    }
    let text = lines.iter().map(|line| line.trim_end());
    let mut text = text.collect::<Vec<_>>().join("\n").trim_end().to_owned() + "\n";
    if !third_place.is_empty() {
        text += &format!("\nthird place: {}\n", third_place.join(" – "));
    }
    let labels = labels.iter().flatten().flatten().chain(&third_place);
    if labels.into_iter().any(|label| label.ends_with('*')) {
        text += "\n* more points at equal scores, or the better seed at equal points\n";
    }
    Some(text)
}
