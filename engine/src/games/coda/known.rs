//! The table of Coda as a seat sees it, with the faces ruled out by failed attacks.

use arrayvec::ArrayVec;

use super::panel::{Face, PANELS, Panel};
use super::types::{Event, Rules};
use super::view::View;
use crate::game::View as _;
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// A place in a code: the seat and the position.
pub type Place = (Seat, u8);

/// A set of faces for each panel of each code.
pub type Faces = BySeat<ArrayVec<Set<Face>, { PANELS as usize }>>;

/// Everything a seat has seen.
#[derive(Clone, Debug)]
pub struct Known {
    /// The table as the seat sees it.
    pub view: View,
    /// For each panel of each code, the faces ruled out by failed attacks of any seat.
    pub ruled_out: Faces,
}

impl Known {
    /// Creates the state before the first event.
    pub fn new(rules: &Rules, seats: usize, seat: Seat) -> Self {
        Self {
            view: View::new(rules, seats, seat),
            ruled_out: BySeat::new(seats, |_| ArrayVec::new()),
        }
    }

    /// Processes one event.
    pub fn see(&mut self, event: &Event) {
        match event {
            Event::SetUp { seat, code } => {
                self.ruled_out[*seat] = code.iter().map(|_| Set::EMPTY).collect();
            }
            Event::Inserted { seat, position, .. } => {
                self.ruled_out[*seat].insert((*position).into(), Set::EMPTY);
            }
            Event::Attacked {
                target,
                position,
                panel,
                hit: false,
                ..
            } => {
                self.ruled_out[*target][usize::from(*position)].insert(panel.face());
            }
            _ => {}
        }
        self.view.see(event);
    }

    /// Returns the panels whose faces the seat has seen: its own, and all exposed ones.
    pub fn seen(&self) -> Set<Panel> {
        let in_codes = self.view.codes.iter().flat_map(|row| row.panels.iter());
        let aside = self.view.aside.iter().map(|aside| &aside.panel);
        in_codes
            .chain(aside)
            .filter_map(|shown| shown.panel())
            .collect()
    }

    /// Returns the other seats that have a standing panel.
    pub fn opponents(&self) -> impl Iterator<Item = Seat> {
        let others = self
            .view
            .codes
            .seats()
            .filter(|(seat, row)| *seat != self.view.seat && !row.standing.is_empty());
        others.map(|(seat, _)| seat)
    }

    /// Returns `true` if the panel may stand at this place, as far as colour and failed attacks tell.
    pub fn fits(&self, (seat, position): Place, panel: Panel) -> bool {
        let at = usize::from(position);
        self.view.codes[seat].panels[at].colour == panel.colour()
            && !self.ruled_out[seat][at].contains(panel.face())
    }

    /// Returns the panels that may stand at a place: those that are not in `seen`, and fit the failed attacks and the exposed panels on
    /// either side.
    pub fn open(&self, seen: Set<Panel>, (seat, position): Place) -> Set<Panel> {
        let (row, at) = (&self.view.codes[seat], usize::from(position));
        let number = |at: usize| {
            let lies = !row.standing.contains(at as u8);
            row.panels[at]
                .panel()
                .filter(|panel| lies && !panel.is_dash())
        };
        let below = (0..at).rev().find_map(number);
        let above = (at + 1..row.panels.len()).find_map(number);
        let between = |panel: &Panel| {
            below.is_none_or(|low| low < *panel) && above.is_none_or(|high| *panel < high)
        };
        let possible = Panel::of_colour(row.panels[at].colour, self.view.deck())
            .without(seen)
            .into_iter();
        let fits = |panel: &Panel| {
            self.fits((seat, position), *panel) && (panel.is_dash() || between(panel))
        };
        possible.filter(fits).collect()
    }
}
