//! The memory of a seat of Coda: what it has seen, and what the others named and decided.

use arena_engine::games::coda::known::{Faces, Known, Place};
use arena_engine::games::coda::odds::{Odds, odds_by};
use arena_engine::games::coda::panel::Panel;
use arena_engine::games::coda::types::{Event, Rules};
use arena_engine::player::Start;
use arena_engine::seat::BySeat;
use arena_engine::set::Set;
use arrayvec::ArrayVec;

use super::decisions::Decisions;

/// A panel that its owner has named is less likely to be there by this factor: nobody attacks with what it has, unless to bluff.
pub const NAMED: f64 = 0.15;

/// What follows from the rules, and from what the others did.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// What it has seen.
    pub known: Known,
    /// For each panel of each code the faces of its colour that its owner has named since it has it.
    pub named: Faces,
    /// What was named this turn by the seat whose panel lies aside.
    pub named_now: Set<Panel>,
    /// What the others decided in this round.
    pub decisions: Decisions,
}

impl Knowledge {
    /// Before the first event.
    pub fn new(start: &Start<'_, Rules>) -> Self {
        Self {
            known: Known::new(start.rules, start.seats, start.seat),
            named: BySeat::new(start.seats, |_| ArrayVec::new()),
            named_now: Set::EMPTY,
            decisions: Decisions::default(),
        }
    }

    /// Takes in what happened.
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

    /// True if the owner has named this panel of another code while it had the one at this place: it hardly would if that is it.
    pub fn is_named(&self, (seat, position): Place, panel: Panel) -> bool {
        self.named[seat][usize::from(position)].contains(panel.face())
    }

    /// The factor by which a panel is less likely at a place for what its owner has named.
    pub fn doubt(&self) -> impl Fn(Place, Panel) -> f64 {
        |place, panel| {
            if self.is_named(place, panel) {
                NAMED
            } else {
                1.0
            }
        }
    }

    /// All attacks that may hit, with their chances if that is doubted.
    pub fn doubted_odds(&self) -> Vec<Odds> {
        odds_by(&self.known, self.doubt())
    }
}
