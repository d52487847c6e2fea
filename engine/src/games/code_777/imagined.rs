//! Samples a seat's own rack in proportion to its likelihood, and the draws that all racks came from.

use std::collections::VecDeque;

use super::card::{Piece, RACK, Rack};
use super::known::Known;
use super::types::{Action, Event, Rules};
use super::{ASKED, DEALT, DUMMIES, rack_of};
use crate::chance::Chance;
use crate::draws::Imagined;
use crate::seat::{BySeat, Seat};
use crate::set::{Member, Set};

pub(super) fn imagine(
    rules: &Rules,
    seats: usize,
    seat: Seat,
    seen: &[Event],
    chance: &mut Chance,
) -> Option<Imagined<Action>> {
    let mut known = Known::new(rules, seats, seat);
    let mut own: VecDeque<Rack> = VecDeque::new();
    for event in seen {
        known.see(event);
        if let Event::Declared { seat: by, rack, .. } | Event::Withdrew { seat: by, rack } = event
            && *by == seat
        {
            own.push_back(*rack);
        }
    }
    own.extend(draw(&known, chance));

    let mut fixed = Vec::new();
    let (mut pile, mut discards) = (Piece::all(), Set::EMPTY);
    let mut racks = BySeat::new(seats, |_| [Piece::at(0); RACK]);
    let mut deals = BySeat::new(seats, |_| 0);
    let (mut dummies, mut asked, mut passes) = (0, Vec::new(), 0);
    let indices = |pieces: [Piece; RACK]| pieces.map(Piece::index).to_vec();
    for event in seen {
        match *event {
            Event::Dealt { seat: to, rack } => {
                let rack = rack.or_else(|| own.pop_front())?;
                racks[to] = take(&mut pile, rack)?;
                fixed.push((DEALT.into(), rack_of(deals[to], to), indices(racks[to])));
                deals[to] += 1;
            }
            Event::Dummy { rack } => {
                fixed.push((DUMMIES.into(), dummies, indices(take(&mut pile, rack)?)));
                dummies += 1;
            }
            Event::Answered { question, .. } => asked.push(question.index()),
            Event::QuestionsReshuffled {} => {
                fixed.push((ASKED.into(), passes, std::mem::take(&mut asked)));
                passes += 1;
            }
            Event::Declared { seat: by, .. } | Event::Withdrew { seat: by, .. } => {
                discards = discards.into_iter().chain(racks[by]).collect();
            }
            Event::Reshuffled { .. } => {
                pile = pile.into_iter().chain(discards).collect();
                discards = Set::EMPTY;
            }
            Event::Ended { .. } => {}
        }
    }
    fixed.push((ASKED.into(), passes, asked));
    Some(Imagined {
        fixed,
        hidden: Vec::new(),
    })
}

/// Draws one of the candidates for the seat's own rack, by weight.
fn draw(known: &Known, chance: &mut Chance) -> Option<Rack> {
    let mut left = chance.share();
    let mut racks = known.own.iter();
    let drawn = racks.find(|(_, weight)| {
        left -= weight;
        left < 0.0
    });
    drawn.or(known.own.last()).map(|(rack, _)| *rack)
}

/// Removes the cards of a rack from the pile; `None` if the pile lacks any of them.
fn take(pile: &mut Set<Piece>, rack: Rack) -> Option<[Piece; RACK]> {
    let mut pieces = [Piece::at(0); RACK];
    for (piece, card) in pieces.iter_mut().zip(rack.cards()) {
        *piece = pile.into_iter().find(|piece| piece.card() == card)?;
        pile.remove(*piece);
    }
    Some(pieces)
}
