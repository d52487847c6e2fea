//! Tests of Code 777's rules: cards, questions, declarations, corner cases, and whole games in words.

mod facts;
mod play;
mod shown;

use crate::chance::Seed;
use crate::fault::Fault;
use crate::games::code_777::Code777;
use crate::games::code_777::card::{Card, Rack};
use crate::games::code_777::types::{Action, Claim, Event, Rules};
use crate::machine::Match;
use crate::record::Reply;
use crate::seat::Seat;

const PASS: Action = Action::Pass {};

fn seed(seed: u64) -> Seed {
    Seed::try_from(seed).unwrap()
}

fn table(rules: &Rules, seats: usize, number: u64) -> Match<Code777> {
    Match::new(rules, seats, seed(number)).unwrap()
}

fn rack(text: &str) -> Rack {
    let cards: Vec<Card> = text.split(' ').map(|card| card.parse().unwrap()).collect();
    Rack::from(<[Card; 3]>::try_from(cards).unwrap())
}

/// Returns the rack in front of each seat, from the events alone.
fn racks(table: &Match<Code777>) -> Vec<Option<Rack>> {
    let mut racks = vec![None; table.record().seats];
    for event in table.events() {
        match *event {
            Event::Dealt { seat, rack } => racks[seat.index()] = rack,
            Event::Declared { seat, .. } | Event::Withdrew { seat, .. } => {
                racks[seat.index()] = None;
            }
            _ => {}
        }
    }
    racks
}

fn right(table: &Match<Code777>, seat: Seat) -> Action {
    Action::Declare(Claim::Numbers(
        racks(table)[seat.index()].unwrap().numbers(),
    ))
}

fn wrong() -> Action {
    Action::Declare(Claim::Numbers([1, 1, 1]))
}

fn failed() -> Reply<Action> {
    Reply::Failed(Fault::left())
}

/// Plays one declaration window: every seat that must act replies with `reply`.
fn window(
    table: &mut Match<Code777>,
    mut reply: impl FnMut(&Match<Code777>, Seat) -> Reply<Action>,
) {
    for seat in table.to_act() {
        let reply = reply(table, seat);
        table.reply(seat, reply).unwrap();
    }
}

/// Plays one declaration window in which these seats declare correctly and the others pass.
fn declare(table: &mut Match<Code777>, seats: &[u8]) {
    window(table, |table, seat| {
        Reply::Act(if seats.contains(&seat.0) {
            right(table, seat)
        } else {
            PASS
        })
    });
}

fn points(table: &Match<Code777>) -> Vec<(u8, i32)> {
    table
        .verdict()
        .unwrap()
        .outcome
        .seats
        .iter()
        .map(|score| (score.place, score.points))
        .collect()
}

/// Returns the seats that answered questions, in order.
fn answerers(table: &Match<Code777>) -> Vec<u8> {
    let seats = table.events().iter().filter_map(|event| match event {
        Event::Answered { seat, .. } => Some(seat.0),
        _ => None,
    });
    seats.collect()
}
