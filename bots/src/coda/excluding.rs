//! Attacks at random, but never with a number that it can exclude.

use arena_engine::chance::Chance;
use arena_engine::game::Prompt as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::panel::{Face, Panel, Shown};
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::player::Start;
use arena_engine::seat::Seat;

use super::knowledge::Knowledge;
use crate::bot::MatchBot;

/// A number is excluded if its panel has been seen, if naming it there failed, or if it does not lie between the exposed
/// panels on either side. After a hit it goes on only if it is certain of some panel.
pub struct Excluding(Knowledge, Chance);

impl MatchBot<Coda> for Excluding {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start), start.seed.stream("excluding", 0))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let Self(knowledge, chance) = self;
        knowledge.learn(events);
        let Some(Choice::Attack { .. }) = prompt.0.first() else { return prompt.pick(chance) };
        let open = open_panels(knowledge);
        let certain = open.iter().find(|(_, _, faces)| faces.len() == 1);
        match certain {
            Some((seat, position, faces)) => attack(*seat, *position, faces[0]),
            None if prompt.may_stop() => Action::Stop {},
            None => {
                let (seat, position, faces) = chance.pick(&open);
                attack(*seat, *position, *chance.pick(faces))
            }
        }
    }
}

fn attack(seat: Seat, position: u8, face: Face) -> Action {
    Action::Attack { seat, position, face }
}

/// The opponents' standing panels with the faces that are not excluded.
fn open_panels(knowledge: &Knowledge) -> Vec<(Seat, u8, Vec<Face>)> {
    let seen = knowledge.seen();
    let mut open = Vec::new();
    for seat in knowledge.opponents() {
        let row = &knowledge.view.codes[seat];
        for position in row.standing {
            let at = usize::from(position);
            let number = |shown: &Shown| shown.panel().filter(|panel| !panel.is_dash());
            let below = row.panels[..at].iter().rev().find_map(number);
            let above = row.panels[at..].iter().find_map(number);
            let between = |panel: Panel| {
                panel.is_dash() || below.is_none_or(|low| low < panel) && above.is_none_or(|high| panel < high)
            };
            let possible = Panel::all(knowledge.view.deck()).without(seen).into_iter();
            let faces = possible.filter(|panel| between(*panel) && knowledge.fits(seat, at, *panel));
            open.push((seat, position, faces.map(Panel::face).collect()));
        }
    }
    open
}
