//! A bot that attacks at random, but never with a number that it can exclude.

use arena_engine::chance::Chance;
use arena_engine::game::Prompt as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::known::{Known, Place};
use arena_engine::games::coda::panel::Panel;
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::player::Start;
use arena_engine::seat::Seat;
use arena_engine::set::Set;

use super::knowledge::Knowledge;
use crate::bot::MatchBot;

/// A bot that excludes numbers. At a place, a number is excluded if its panel has been seen, if an attack with it failed there, or if it
/// does not lie between the exposed panels on either side. After a hit, the bot continues only if it is certain of some panel.
pub struct Excluding(Knowledge, Chance);

impl MatchBot<Coda> for Excluding {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self(Knowledge::new(start), start.seed.stream("excluding", 0))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let Self(knowledge, chance) = self;
        knowledge.learn(events);
        let Some(Choice::Attack { .. }) = prompt.0.first() else {
            return prompt.pick(chance);
        };
        let open = open_panels(&knowledge.known);
        match open
            .iter()
            .find_map(|(place, panels)| Some((*place, panels.only()?)))
        {
            Some((place, panel)) => attack(place, panel),
            None if prompt.may_stop() => Action::Stop {},
            None => {
                let (place, panels) = chance.pick(&open);
                attack(*place, panels.pick(chance))
            }
        }
    }
}

fn attack((seat, position): Place, panel: Panel) -> Action {
    Action::Attack {
        seat,
        position,
        face: panel.face(),
    }
}

/// Returns the opponents' standing panels, each with the panels that are not excluded there.
fn open_panels(known: &Known) -> Vec<(Place, Set<Panel>)> {
    let seen = known.seen();
    let standing = |seat: Seat| {
        known.view.codes[seat]
            .standing
            .into_iter()
            .map(move |position| (seat, position))
    };
    let open = |place: Place| (place, known.open(seen, place));
    known.opponents().flat_map(standing).map(open).collect()
}
