//! Table of the information available to each seat at its decisions.

use super::{fitted, grid};
use crate::table::{Column, NOTHING, Table, percent};
use crate::viewer::{Guess, Known, Reaction, Replay};
use arena_tournament::reply_text::{ReplyText, words};

/// Explanations of the columns, one sentence each.
const NOTES: [&str; 5] = [
    "worlds: the possibilities that fit all that the seat had seen",
    "%: the chance that its guess was right, if all worlds are equally likely",
    "likeliest: the guess with the greatest chance",
    "bits: what the answer was worth; exp.: what it was expected to be worth",
    "A likelier guess is not always the better one: what it reveals counts as well.",
];

/// Formats the decisions of a match, or one decision with its likeliest guesses, at most `width` columns wide where possible. `None` if
/// there is no such turn, or if the game provides no insights.
pub fn known(replay: &Replay, turn: Option<usize>, width: usize) -> Option<String> {
    let moves = replay.frames.iter().flat_map(|step| &step.moves);
    let shown = moves.filter(|reaction| turn.is_none_or(|turn| turn == reaction.turn));
    let rows: Vec<(&Reaction, &Known)> = shown
        .filter_map(|reaction| Some((reaction, reaction.known.as_ref()?)))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let notes = NOTES.map(str::to_owned).into();
    let decisions = fitted(
        &Table {
            columns: columns(replay, &rows),
            notes,
        },
        width,
    );
    let guesses = rows
        .iter()
        .filter(|_| turn.is_some())
        .map(|(_, known)| listed(&known.likeliest, width));
    Some(decisions + &guesses.collect::<String>())
}

fn columns(replay: &Replay, rows: &[(&Reaction, &Known)]) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Reaction, &Known) -> String| -> Vec<String> {
        rows.iter()
            .map(|(reaction, known)| cell(reaction, known))
            .collect()
    };
    let number = |number: Option<f64>, digits: usize| {
        number.map_or_else(|| NOTHING.to_owned(), |number| format!("{number:.digits$}"))
    };
    // All guesses have the same kind, so their values suffice.
    let values = |guess: &Guess| {
        words(&guess.action)
            .split_once(' ')
            .map_or_else(String::new, |(_, values)| values.into())
    };
    let best = |known: &Known| {
        known
            .likeliest
            .first()
            .map(|guess| (values(guess), guess.chance))
            .unzip()
    };
    vec![
        Column::number("turn", cells(&|reaction, _| reaction.turn.to_string())),
        Column::name(
            "bot",
            cells(&|reaction, _| replay.bots[reaction.seat.index()].clone()),
        ),
        Column::number("worlds", cells(&|_, known| number(known.worlds, 0))),
        Column::name("action", cells(&|reaction, _| replied(&reaction.reply))),
        Column::number("%", cells(&|_, known| percent(known.chance))),
        Column::name(
            "likeliest",
            cells(&|_, known| best(known).0.unwrap_or_else(|| NOTHING.into())),
        ),
        Column::number("%", cells(&|_, known| percent(best(known).1))),
        Column::number(
            "bits",
            cells(&|_, known| number(known.learned.map(|learned| learned.gained), 2)),
        ),
        Column::number(
            "exp.",
            cells(&|_, known| number(known.learned.map(|learned| learned.expected), 2)),
        ),
    ]
}

/// Formats the likeliest guesses as a table, one per row.
fn listed(guesses: &[Guess], width: usize) -> String {
    let guess = Column::name(
        "likeliest guesses",
        guesses.iter().map(|guess| words(&guess.action)).collect(),
    );
    let chance = Column::number(
        "%",
        guesses
            .iter()
            .map(|guess| percent(Some(guess.chance)))
            .collect(),
    );
    format!("\n{}\n", grid::fit(&[guess, chance], width).table)
}

fn replied(reply: &ReplyText) -> String {
    match reply {
        ReplyText::Act(action) => words(action),
        ReplyText::Late => "(late)".into(),
        ReplyText::Failed(_) => "(failed)".into(),
    }
}
