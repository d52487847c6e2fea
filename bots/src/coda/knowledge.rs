//! The memory of a seat of Coda: the table as it sees it, and the faces that attacks have ruled out.

use arena_engine::game::View as _;
use arena_engine::games::coda::panel::{Deck, Face, PANELS, Panel};
use arena_engine::games::coda::types::{Event, Rules};
use arena_engine::games::coda::view::View;
use arena_engine::player::Start;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::set::Set;
use arrayvec::ArrayVec;

/// The view, and for each panel of each code the faces that a failed attack has ruled out.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The table as the seat sees it.
    pub view: View,
    ruled_out: BySeat<ArrayVec<Set<Face>, { PANELS as usize }>>,
}

impl Knowledge {
    /// Before the first event.
    pub fn new(start: &Start<'_, Rules>) -> Self {
        Self {
            view: View::new(start.rules, start.seats, start.seat),
            ruled_out: BySeat::new(start.seats, |_| ArrayVec::new()),
        }
    }

    /// Takes in what happened.
    pub fn learn(&mut self, events: &mut dyn Iterator<Item = Event>) {
        for event in events {
            match &event {
                Event::SetUp { seat, code } => {
                    self.ruled_out[*seat] = code.iter().map(|_| Set::EMPTY).collect();
                }
                Event::Inserted { seat, position, .. } => {
                    self.ruled_out[*seat].insert((*position).into(), Set::EMPTY);
                }
                Event::Attacked { target, position, panel, hit: false, .. } => {
                    self.ruled_out[*target][usize::from(*position)].insert(panel.face());
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

    /// The panels in play.
    pub fn deck(&self) -> Deck {
        if self.view.dashes { Deck::WithDashes } else { Deck::Standard }
    }

    /// The other seats that have a standing panel.
    pub fn opponents(&self) -> impl Iterator<Item = Seat> {
        let others = self.view.codes.seats().filter(|(seat, row)| *seat != self.view.seat && !row.standing.is_empty());
        others.map(|(seat, _)| seat)
    }

    /// True if colour and failed attacks allow the panel to stand at this place.
    pub fn fits(&self, seat: Seat, position: usize, panel: Panel) -> bool {
        self.view.codes[seat].panels[position].colour == panel.colour()
            && !self.ruled_out[seat][position].contains(panel.face())
    }
}
