//! Infers from attacks what others do not have, and chooses colours.

use std::cmp::Reverse;

use arena_engine::chance::Chance;
use arena_engine::game::Prompt as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::panel::Colour;
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::player::{Player, Start};
use arena_engine::seat::Seat;
use arena_engine::set::Set;

use super::exact::{attack_or_stop, expose};
use super::knowledge::Knowledge;
use super::odds::odds;

/// A panel that its owner has named is so much less likely to be there: nobody attacks with what it has, unless to bluff.
pub const NAMED: f64 = 0.15;

/// Attacks as `exact` does, but doubts that anybody has a panel that it has named; draws the colour of which most is hidden in the
/// codes of the others, since what it has itself, they have not.
#[derive(Default)]
pub struct Inferring(Option<(Knowledge, Chance)>);

impl Player<Coda> for Inferring {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.0 = Some((Knowledge::new(start), start.seed.stream("inferring", 0)));
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let (knowledge, chance) = self.0.as_mut().expect("a match starts before its first turn");
        knowledge.learn(events);
        match prompt {
            Prompt::Attack(attacks) => attack_or_stop(&odds(knowledge, NAMED), attacks.may_stop),
            Prompt::One(choice) => prepare(knowledge, choice, chance),
        }
    }
}

/// What there is to choose besides attacks.
pub fn prepare(knowledge: &Knowledge, choice: &Choice, chance: &mut Chance) -> Action {
    match choice {
        // As many of each colour tell least.
        Choice::SetUp { dark } if dark.len() > 2 => Action::SetUp { dark: (dark.len() / 2) as u8 },
        Choice::Draw { colour } => Action::Draw { colour: most_hidden(knowledge, *colour, chance) },
        Choice::Expose { position } => expose(*position),
        _ => Prompt::One(choice.clone()).pick(chance),
    }
}

/// Of the colours the one of which the others hide most; of equals the one of which it has less itself.
fn most_hidden(knowledge: &Knowledge, colours: Set<Colour>, chance: &mut Chance) -> Colour {
    let codes = &knowledge.view.codes;
    let standing = |seat: Seat, colour: Colour| {
        let row = &codes[seat];
        row.standing.into_iter().filter(|position| row.panels[usize::from(*position)].colour == colour).count()
    };
    let hidden = |colour| knowledge.opponents().map(|seat| standing(seat, colour)).sum::<usize>();
    let own = |colour| codes[knowledge.view.seat].panels.iter().filter(|panel| panel.colour == colour).count();
    let worth = |colour: &Colour| (hidden(*colour), Reverse(own(*colour)));
    let best = colours.into_iter().map(|colour| worth(&colour)).max().expect("a choice has a value");
    let equal: Vec<Colour> = colours.into_iter().filter(|colour| worth(colour) == best).collect();
    *chance.pick(&equal)
}
