//! A bot that infers from attacks which panels other seats lack, and chooses colours.

use std::cmp::Reverse;

use arena_engine::chance::Chance;
use arena_engine::game::Prompt as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::panel::Colour;
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::player::Start;
use arena_engine::seat::Seat;
use arena_engine::set::Set;

use super::exact::{attack_or_stop, expose};
use super::knowledge::Knowledge;
use crate::bot::MatchBot;

/// A bot that attacks like `exact`, but doubts that seats have panels that they have named. It draws the colour of which the others hide
/// most, because its own panels cannot be in their codes.
pub struct Inferring(Knowledge, Chance);

impl MatchBot<Coda> for Inferring {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start), start.seed.stream("inferring", 0))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let Self(knowledge, chance) = self;
        knowledge.learn(events);
        match prompt.0.first() {
            Some(Choice::Attack { .. }) => {
                attack_or_stop(&knowledge.doubted_odds(), prompt.may_stop())
            }
            _ => prepare(knowledge, prompt, chance),
        }
    }
}

/// Returns the action for all prompts except attacks.
pub fn prepare(knowledge: &Knowledge, prompt: &Prompt, chance: &mut Chance) -> Action {
    match prompt.0.first() {
        // Equal numbers of both colours reveal least.
        Some(Choice::SetUp { dark }) if dark.len() > 2 => Action::SetUp {
            dark: (dark.len() / 2) as u8,
        },
        Some(Choice::Draw { colour }) => Action::Draw {
            colour: most_hidden(knowledge, *colour, chance),
        },
        Some(Choice::Expose { position }) => expose(*position),
        _ => prompt.pick(chance),
    }
}

/// Returns the colour of which the others hide most. If both are equal, returns the colour of which the bot itself has fewer panels.
fn most_hidden(knowledge: &Knowledge, colours: Set<Colour>, chance: &mut Chance) -> Colour {
    let codes = &knowledge.known.view.codes;
    let standing = |seat: Seat, colour: Colour| {
        let row = &codes[seat];
        row.standing
            .into_iter()
            .filter(|position| row.panels[usize::from(*position)].colour == colour)
            .count()
    };
    let hidden = |colour| {
        knowledge
            .known
            .opponents()
            .map(|seat| standing(seat, colour))
            .sum::<usize>()
    };
    let own = |colour| {
        codes[knowledge.known.view.seat]
            .panels
            .iter()
            .filter(|panel| panel.colour == colour)
            .count()
    };
    let worth = |colour: &Colour| (hidden(*colour), Reverse(own(*colour)));
    let best = colours
        .into_iter()
        .map(|colour| worth(&colour))
        .max()
        .expect("a choice has a value");
    let equal: Vec<Colour> = colours
        .into_iter()
        .filter(|colour| worth(colour) == best)
        .collect();
    *chance.pick(&equal)
}
