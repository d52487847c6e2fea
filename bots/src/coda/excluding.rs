//! Attacks at random, but never with a number that it can exclude.

use arena_engine::chance::Chance;
use arena_engine::game::Prompt as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::panel::{Face, Panel, Shown};
use arena_engine::games::coda::prompt::{Attacks, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::player::{Player, Start};
use arena_engine::seat::Seat;

use super::knowledge::Knowledge;

/// A number is excluded if its panel has been seen, if it was tried in vain, or if it does not lie between the exposed
/// panels on either side. After a hit it goes on only if it is certain of some panel.
#[derive(Default)]
pub struct Excluding(Option<(Knowledge, Chance)>);

impl Player<Coda> for Excluding {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.0 = Some((Knowledge::new(start), start.seed.stream("excluding", 0)));
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let (knowledge, chance) = self.0.as_mut().expect("a match starts before its first turn");
        knowledge.learn(events);
        let Prompt::Attack(Attacks { may_stop, .. }) = prompt else { return prompt.pick(chance) };
        let open = open_panels(knowledge);
        let certain = open.iter().find(|(_, _, faces)| faces.len() == 1);
        match certain {
            Some((seat, position, faces)) => attack(*seat, *position, faces[0]),
            None if *may_stop => Action::Stop {},
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
