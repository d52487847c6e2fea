//! Tests of Digit Code's rules: the lattice, corner cases, and hidden information.

mod facts;
mod play;
mod shown;

use crate::chance::Seed;
use crate::games::digit_code::DigitCode;
use crate::games::digit_code::code::{Code, Digit, Line, Pair};
use crate::games::digit_code::types::{Action, Event, Rules};
use crate::machine::Match;
use crate::record::Reply;
use crate::seat::Seat;

fn seed(seed: u64) -> Seed {
    Seed::try_from(seed).unwrap()
}

fn code(text: &str) -> Code {
    text.parse().unwrap()
}

fn table(rules: &Rules, seats: usize) -> Match<DigitCode> {
    Match::new(rules, seats, seed(1)).unwrap()
}

/// Returns a match of two seats that have hidden these codes.
fn two(rules: &Rules, codes: [&str; 2]) -> Match<DigitCode> {
    let mut table = table(rules, 2);
    hide(&mut table, codes);
    table
}

fn hide(table: &mut Match<DigitCode>, codes: [&str; 2]) {
    for (seat, hidden) in codes.into_iter().enumerate() {
        act(table, seat as u8, Action::Hide { code: code(hidden) });
    }
}

fn act(table: &mut Match<DigitCode>, seat: u8, action: Action) {
    table.reply(Seat(seat), Reply::Act(action)).unwrap();
}

/// Returns the only seat that must act now.
fn acting(table: &Match<DigitCode>) -> u8 {
    table.to_act().only().unwrap().0
}

const LINE: Action = Action::AskLine { line: Line::P };
const PARITY: Action = Action::AskParity { digit: Digit::W };
const LARGER: Action = Action::AskLarger { pair: Pair::UV };
const PLACE: Action = Action::AskPlace {
    column: Line::F,
    row: Line::M,
};

/// Plays the first turns, in which each of two seats asks four questions.
fn first_turns(table: &mut Match<DigitCode>) {
    for _ in 0..2 {
        let seat = acting(table);
        [LINE, PARITY, LARGER, PLACE]
            .into_iter()
            .for_each(|question| act(table, seat, question));
    }
}

fn declare(table: &mut Match<DigitCode>, seat: u8, text: &str) {
    act(table, seat, Action::Declare { code: code(text) });
}

/// Returns the place and number of wins of every seat.
fn scores(table: &Match<DigitCode>) -> Vec<(u8, i32)> {
    let seats = &table.verdict().unwrap().outcome.seats;
    assert!(
        seats
            .iter()
            .all(|score| score.points == score.breakdown.get("wins"))
    );
    seats
        .iter()
        .map(|score| (score.place, score.points))
        .collect()
}

/// Returns the code that a seat has to solve in the current game, taken from the true events.
fn secret(table: &Match<DigitCode>, solver: Seat) -> Code {
    let hidden = table.events().iter().rev().find_map(|event| match event {
        Event::Hid { seat, code } if *seat != Some(solver) => *code,
        _ => None,
    });
    hidden.unwrap()
}

/// Returns the lattice of a code as text, row by row.
fn drawing(code: Code) -> Vec<String> {
    let rows = Line::rows().into_iter();
    let mark = |row| {
        move |column| {
            if code.is_filled(column, row) {
                '#'
            } else {
                '.'
            }
        }
    };
    rows.map(|row| Line::columns().into_iter().map(mark(row)).collect())
        .collect()
}

fn play_on(
    table: &mut Match<DigitCode>,
    mut choose: impl FnMut(&Match<DigitCode>, Seat) -> Action,
) {
    while !table.is_over() {
        for seat in table.to_act() {
            let action = choose(table, seat);
            table.reply(seat, Reply::Act(action)).unwrap();
        }
    }
}
