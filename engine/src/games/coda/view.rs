//! A seat's view of a Coda table: a fold over the events it has seen.

use arrayvec::ArrayVec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::panel::{Colour, Deck, NUMBERS, PANELS, Panel, Shown};
use super::types::{Event, Rules, SCORING, is_standard};
use crate::game;
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// The table as one seat sees it now, without history, as at a real table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The seat whose view this is.
    pub seat: Seat,
    /// The round being played, counted from 1.
    pub round: u8,
    /// Rounds in the game.
    pub rounds: u8,
    /// True if dashes are in play.
    pub dashes: bool,
    /// Count of numbers per colour; left out if it is the standard 12.
    #[serde(default = "standard", skip_serializing_if = "is_standard")]
    pub numbers: u8,
    /// The code in front of each seat.
    pub codes: BySeat<Row<Shown>>,
    /// Your first panels until they form a code; empty at all other times.
    pub taken: ArrayVec<Shown, 4>,
    /// The panel drawn this turn that is not in a code yet.
    pub aside: Option<Aside>,
    /// Number of panels of each colour left to draw.
    pub pool: Pool,
    /// Points so far.
    pub points: BySeat<i32>,
}

/// One code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row<P> {
    /// The panels, lowest first; in a view, other seats' standing panels are hidden.
    pub panels: ArrayVec<P, { PANELS as usize }>,
    /// The positions of the panels that still stand.
    pub standing: Set<u8>,
}

/// A drawn panel that is not in a code yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aside {
    /// The seat that drew it.
    pub seat: Seat,
    /// The panel; hidden unless it is yours.
    pub panel: Shown,
}

/// Numbers of panels left to draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pool {
    /// Number of dark panels.
    pub dark: u8,
    /// Number of light panels.
    pub light: u8,
}

impl Pool {
    fn full(deck: Deck) -> Self {
        let [dark, light] = Colour::ALL.map(|colour| Panel::of_colour(colour, deck).len() as u8);
        Self { dark, light }
    }

    fn take(&mut self, colour: Colour) {
        match colour {
            Colour::Dark => self.dark -= 1,
            Colour::Light => self.light -= 1,
        }
    }
}

fn standard() -> u8 {
    NUMBERS
}

impl View {
    /// Draws the codes as text, one line per seat. Panels in bars still stand.
    pub(super) fn drawn(&self, names: &BySeat<String>) -> String {
        let width = names.iter().map(|name| name.chars().count()).max();
        let width = width.unwrap_or_default();
        let line = |(seat, row): (Seat, &Row<Shown>)| {
            let panels = (0..).zip(&row.panels).map(|(at, panel)| {
                let text = if row.standing.contains(at) {
                    format!("|{panel}|")
                } else {
                    format!("{panel} ")
                };
                format!("{text:>6}")
            });
            let panels: String = panels.collect();
            let name = &names[seat];
            format!("    {name:width$}{}\n", panels.trim_end())
        };
        let rows: String = self.codes.seats().map(line).collect();
        format!("{rows}    (panels in bars still stand)\n")
    }

    /// Returns the panels in play.
    pub fn deck(&self) -> Deck {
        Deck {
            numbers: self.numbers,
            dashes: self.dashes,
        }
    }
}

impl game::View<Rules, Event> for View {
    fn new(rules: &Rules, seats: usize, seat: Seat) -> Self {
        Self {
            seat,
            round: 0,
            rounds: rules.rounds,
            codes: BySeat::new(seats, |_| Row::empty()),
            taken: ArrayVec::new(),
            aside: None,
            dashes: rules.dashes,
            numbers: rules.numbers,
            pool: Pool::full(rules.deck()),
            points: BySeat::new(seats, |_| 0),
        }
    }

    fn see(&mut self, event: &Event) {
        if let Some((seat, counts)) = event.scored() {
            self.points[seat] += SCORING
                .iter()
                .zip(counts)
                .map(|(source, count)| source.worth * count)
                .sum::<i32>();
        }
        match event {
            Event::RoundStarted { round, .. } => {
                self.round = *round;
                self.codes.iter_mut().for_each(|row| *row = Row::empty());
                self.aside = None;
                self.pool = Pool::full(self.deck());
            }
            Event::Took { seat, panels } => {
                panels.iter().for_each(|panel| self.pool.take(panel.colour));
                if *seat == self.seat {
                    self.taken.clone_from(panels);
                }
            }
            Event::SetUp { seat, code } => {
                if *seat == self.seat {
                    self.taken.clear();
                }
                if !self.dashes {
                    code.iter().for_each(|panel| self.pool.take(panel.colour));
                }
                self.codes[*seat] = Row::standing(code.iter().copied().collect());
            }
            Event::Drew { seat, panel } => {
                self.pool.take(panel.colour);
                self.aside = Some(Aside {
                    seat: *seat,
                    panel: *panel,
                });
            }
            Event::Inserted {
                seat,
                position,
                panel,
                standing,
            } => {
                self.aside = None;
                self.codes[*seat].insert(*position, *panel, *standing);
            }
            Event::Attacked {
                target,
                position,
                panel,
                hit: true,
                ..
            } => {
                self.codes[*target].expose(*position, *panel);
            }
            Event::Exposed {
                seat,
                position,
                panel,
            } => self.codes[*seat].expose(*position, *panel),
            Event::Attacked { hit: false, .. }
            | Event::Stopped { .. }
            | Event::Eliminated { .. }
            | Event::Late { .. }
            | Event::Withdrew { .. }
            | Event::RoundEnded { .. } => {}
        }
    }
}

impl<P> Row<P> {
    /// Returns an empty code.
    #[inline]
    pub fn empty() -> Self {
        Self {
            panels: ArrayVec::new(),
            standing: Set::EMPTY,
        }
    }

    /// Returns a code whose panels all stand.
    #[inline]
    pub fn standing(panels: ArrayVec<P, { PANELS as usize }>) -> Self {
        let standing = Set::below(panels.len() as u8);
        Self { panels, standing }
    }

    /// Inserts a panel at a position. Panels at that position and above move up by one.
    #[inline]
    pub fn insert(&mut self, position: u8, panel: P, standing: bool) {
        self.panels.insert(position.into(), panel);
        self.standing = self.standing.with_gap_at(position);
        if standing {
            self.standing.insert(position);
        }
    }
}

impl Row<Panel> {
    /// Returns the positions at which the panel may be inserted: any position for a dash. A number goes after all lower and before all
    /// higher ones, so there is a choice only where dashes stand in between.
    pub fn places(&self, panel: Panel) -> Set<u8> {
        let end = self.panels.len() as u8;
        if panel.is_dash() {
            return Set::below(end + 1);
        }
        let numbered = (0..)
            .zip(&self.panels)
            .filter(|(_, other)| !other.is_dash());
        let mut first = 0;
        for (at, other) in numbered {
            if *other > panel {
                return Set::range(first, at + 1);
            }
            first = at + 1;
        }
        Set::range(first, end + 1)
    }
}

impl Row<Shown> {
    /// Exposes a panel.
    pub fn expose(&mut self, position: u8, panel: Panel) {
        self.panels[usize::from(position)] = panel.into();
        self.standing.remove(position);
    }
}
