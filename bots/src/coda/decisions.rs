//! The decisions of other seats in this round, with the public knowledge at the time of each.

use arena_engine::games::coda::known::{Known, Place};
use arena_engine::games::coda::panel::Panel;
use arena_engine::games::coda::types::Event;
use arena_engine::games::coda::view::View;
use arena_engine::seat::Seat;
use arena_engine::set::Set;

/// A decision of another seat.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The seat that decided.
    pub seat: Seat,
    /// Positions, in the seat's present code, of the panels that it had at the time of the decision.
    pub own: Set<u8>,
    /// The places that the seat could attack, code by code, each with the panels that were publicly possible there.
    pub options: Vec<(Place, Set<Panel>)>,
    /// The index of the attacked option and the named panel; `None` if the seat ended its turn.
    pub attack: Option<(usize, Panel)>,
    /// True if the seat could have ended its turn.
    pub may_stop: bool,
}

/// The decisions of a round.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// All decisions, first to last.
    pub all: Vec<Decision>,
    /// Number of decisions before the current turn.
    before: usize,
    /// True if the last attack hit, so that the turn may be ended.
    may_stop: bool,
}

impl Decisions {
    /// Processes an event. `known` is the state before the event.
    pub fn see(&mut self, event: &Event, known: &Known) {
        let view = &known.view;
        match event {
            Event::RoundStarted { .. } => *self = Self::default(),
            Event::Drew { .. } => (self.before, self.may_stop) = (self.all.len(), false),
            Event::Inserted { seat, position, .. } => {
                let theirs = self
                    .all
                    .iter_mut()
                    .enumerate()
                    .filter(|(_, decision)| decision.seat == *seat);
                for (index, decision) in theirs {
                    decision.own = decision.own.with_gap_at(*position);
                    if index >= self.before {
                        decision.own.insert(*position);
                    }
                }
                self.may_stop = false;
            }
            Event::Attacked {
                seat,
                target,
                position,
                panel,
                hit,
            } => {
                if *seat != view.seat {
                    let options = options(known, *seat);
                    let option = options
                        .iter()
                        .position(|(place, _)| *place == (*target, *position));
                    let option = option.expect("an attack is on a standing panel");
                    self.add(view, *seat, options, Some((option, *panel)));
                }
                self.may_stop = *hit;
            }
            Event::Stopped { seat } if *seat != view.seat => {
                self.add(view, *seat, options(known, *seat), None);
            }
            _ => {}
        }
    }

    fn add(
        &mut self,
        view: &View,
        seat: Seat,
        options: Vec<(Place, Set<Panel>)>,
        attack: Option<(usize, Panel)>,
    ) {
        let own = Set::below(view.codes[seat].panels.len() as u8);
        self.all.push(Decision {
            seat,
            own,
            options,
            attack,
            may_stop: self.may_stop,
        });
    }
}

/// Returns the places that a seat can attack, with public knowledge of each.
pub fn options(known: &Known, seat: Seat) -> Vec<(Place, Set<Panel>)> {
    let exposed = exposed(&known.view);
    let others = known.view.codes.seats().filter(|(other, _)| *other != seat);
    let places = others.flat_map(|(other, row)| {
        row.standing
            .into_iter()
            .map(move |position| (other, position))
    });
    places
        .map(|place| (place, known.open(exposed, place)))
        .collect()
}

/// Returns the exposed panels.
fn exposed(view: &View) -> Set<Panel> {
    let rows = view.codes.iter().flat_map(|row| {
        (0u8..)
            .zip(&row.panels)
            .filter(|(at, _)| !row.standing.contains(*at))
    });
    rows.filter_map(|(_, shown)| shown.panel()).collect()
}
