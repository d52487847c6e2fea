//! The memory of a seat of Coda: the table as it sees it, and what it learnt from attacks.

use arena_engine::game::View as _;
use arena_engine::games::coda::panel::Panel;
use arena_engine::games::coda::types::{Event, Rules};
use arena_engine::games::coda::view::View;
use arena_engine::player::Start;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::set::Set;
use arrayvec::ArrayVec;

use super::decisions::{Decisions, Faces};

/// The view, and what it learnt from attacks.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The table as the seat sees it.
    pub view: View,
    /// For each panel of each code the faces that a failed attack has ruled out.
    pub ruled_out: Faces,
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
            view: View::new(start.rules, start.seats, start.seat),
            ruled_out: BySeat::new(start.seats, |_| ArrayVec::new()),
            named: BySeat::new(start.seats, |_| ArrayVec::new()),
            named_now: Set::EMPTY,
            decisions: Decisions::default(),
        }
    }

    /// Takes in what happened.
    pub fn learn(&mut self, events: &mut dyn Iterator<Item = Event>) {
        for event in events {
            self.decisions.see(&event, &self.view, &self.ruled_out);
            match &event {
                Event::SetUp { seat, code } => {
                    self.ruled_out[*seat] = code.iter().map(|_| Set::EMPTY).collect();
                    self.named[*seat] = self.ruled_out[*seat].clone();
                }
                Event::Drew { .. } => self.named_now = Set::EMPTY,
                Event::Inserted { seat, position, panel, .. } => {
                    self.ruled_out[*seat].insert((*position).into(), Set::EMPTY);
                    let same = self.named_now.into_iter().filter(|named| named.colour() == panel.colour);
                    self.named[*seat].insert((*position).into(), same.map(Panel::face).collect());
                }
                Event::Attacked { seat, target, position, panel, hit } => {
                    if !hit {
                        self.ruled_out[*target][usize::from(*position)].insert(panel.face());
                    }
                    self.named_now.insert(*panel);
                    let own = self.view.codes[*seat].panels.iter().zip(self.named[*seat].iter_mut());
                    let same = own.filter(|(own, _)| own.colour == panel.colour());
                    same.for_each(|(_, named)| named.insert(panel.face()));
                }
                _ => {}
            }
            self.view.see(&event);
        }
    }

    /// The panels that the seat has seen: its own, and all that are exposed.
    pub fn seen(&self) -> Set<Panel> {
        let in_codes = self.view.codes.iter().flat_map(|row| row.panels.iter());
        let aside = self.view.aside.iter().map(|aside| &aside.panel);
        in_codes.chain(aside).filter_map(|shown| shown.panel()).collect()
    }

    /// The other seats that have a standing panel.
    pub fn opponents(&self) -> impl Iterator<Item = Seat> {
        let others = self.view.codes.seats().filter(|(seat, row)| *seat != self.view.seat && !row.standing.is_empty());
        others.map(|(seat, _)| seat)
    }

    /// True if the owner has named this panel of another code while it had the one at this place: it hardly would if that is it.
    pub fn is_named(&self, seat: Seat, position: usize, panel: Panel) -> bool {
        self.named[seat][position].contains(panel.face())
    }

    /// True if colour and failed attacks allow the panel to stand at this place.
    pub fn fits(&self, seat: Seat, position: usize, panel: Panel) -> bool {
        self.view.codes[seat].panels[position].colour == panel.colour()
            && !self.ruled_out[seat][position].contains(panel.face())
    }
}
