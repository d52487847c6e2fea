//! The memory of a Coda seat: the events it has seen, and the panels and decisions of the others.

use arena_engine::games::coda::known::{Faces, Known, Place};
use arena_engine::games::coda::odds::{Odds, odds_by};
use arena_engine::games::coda::panel::Panel;
use arena_engine::games::coda::types::{Event, Rules};
use arena_engine::player::Start;
use arena_engine::seat::BySeat;
use arena_engine::set::Set;
use arrayvec::ArrayVec;

use super::decisions::Decisions;

/// A panel that its owner has named is less likely at a place by this factor, because seats name panels of their own only to bluff.
pub const NAMED_FACTOR: f64 = 0.15;

/// A seat's conclusions from the rules and from the actions of others.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Everything that the seat has seen.
    pub known: Known,
    /// For each panel of each code, the faces of the same colour that the owner has named since it took the panel.
    pub named: Faces,
    /// The panels named in this turn by the seat whose drawn panel is not in a code yet.
    pub named_now: Set<Panel>,
    /// The decisions of the others in this round.
    pub decisions: Decisions,
}

impl Knowledge {
    /// Creates the state before the first event.
    pub fn new(start: &Start<'_, Rules>) -> Self {
        Self {
            known: Known::new(start.rules, start.seats, start.seat),
            named: BySeat::new(start.seats, |_| ArrayVec::new()),
            named_now: Set::EMPTY,
            decisions: Decisions::default(),
        }
    }

    /// Processes new events.
    pub fn learn(&mut self, events: &mut dyn Iterator<Item = Event>) {
        for event in events {
            self.decisions.see(&event, &self.known);
            match &event {
                Event::SetUp { seat, code } => {
                    self.named[*seat] = code.iter().map(|_| Set::EMPTY).collect();
                }
                Event::Drew { .. } => self.named_now = Set::EMPTY,
                Event::Inserted {
                    seat,
                    position,
                    panel,
                    ..
                } => {
                    let same = self
                        .named_now
                        .into_iter()
                        .filter(|named| named.colour() == panel.colour);
                    self.named[*seat].insert((*position).into(), same.map(Panel::face).collect());
                }
                Event::Attacked { seat, panel, .. } => {
                    self.named_now.insert(*panel);
                    let own = self.known.view.codes[*seat]
                        .panels
                        .iter()
                        .zip(self.named[*seat].iter_mut());
                    let same = own.filter(|(own, _)| own.colour == panel.colour());
                    same.for_each(|(_, named)| named.insert(panel.face()));
                }
                _ => {}
            }
            self.known.see(&event);
        }
    }

    /// Returns `true` if the owner named this panel elsewhere while it had the panel at this place. The panel at this place is then
    /// unlikely to be the named one.
    pub fn is_named(&self, (seat, position): Place, panel: Panel) -> bool {
        self.named[seat][usize::from(position)].contains(panel.face())
    }

    /// Returns the factor by which a panel is less likely at a place because its owner has named it.
    pub fn doubt(&self) -> impl Fn(Place, Panel) -> f64 {
        |place, panel| {
            if self.is_named(place, panel) {
                NAMED_FACTOR
            } else {
                1.0
            }
        }
    }

    /// Returns all attacks that may hit, with their probabilities given these doubts.
    pub fn doubted_odds(&self) -> Vec<Odds> {
        odds_by(&self.known, self.doubt())
    }
}
