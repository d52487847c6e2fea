//! Samples panels for everything that a seat has not seen, consistent with the events.
//!
//! The hidden panels of each round are one of the assignments that [`Count`] counts, drawn by weight. The winner's panels that were never
//! exposed must add up to the announced bonus.

use super::count::{Count, guesses};
use super::known::{Known, Place};
use super::panel::{Face, Panel, Shown};
use super::round::{DRAWS, draws_of};
use super::types::{Action, Event, Rules};
use super::view::Row;
use crate::chance::Chance;
use crate::draws::Imagined;
use crate::seat::{BySeat, Seat};
use crate::set::{Member, Set};

/// Maximum number of assignments tried to match an announced bonus.
const MAX_ATTEMPTS: usize = 20_000;

/// Index of a panel in the order in which the panels of a round were drawn.
type Nth = usize;

/// A decision of another seat that depends on the hidden faces of its panels.
enum Decision {
    /// The seat set up this code.
    SetUp(Seat, Vec<Nth>),
    /// The seat inserted this panel into this code at this position.
    Inserted(Seat, Vec<Nth>, Nth, u8),
}

/// A round as seen by a seat.
struct Round {
    number: u8,
    /// All panels drawn in the round. A face that the seat has not seen is hidden.
    panels: Vec<Shown>,
    drawn: BySeat<Vec<Nth>>,
    codes: BySeat<Vec<Nth>>,
    decisions: Vec<Decision>,
}

pub(super) fn imagine(
    rules: &Rules,
    seats: usize,
    seat: Seat,
    seen: &[Event],
    chance: &mut Chance,
) -> Option<Imagined<Action>> {
    let mut known = Known::new(rules, seats, seat);
    let mut imagined = Imagined {
        fixed: Vec::new(),
        hidden: Vec::new(),
    };
    let mut round = Round::new(0, seats);
    for (at, event) in seen.iter().enumerate() {
        if let Event::RoundEnded { winner, bonus } = *event {
            let bonus = winner.filter(|winner| *winner != seat).map(|_| bonus);
            round.end(&known, bonus, chance, &mut imagined)?;
        }
        if let Event::RoundStarted { round: number, .. } = *event {
            round = Round::new(number, seats);
        }
        known.see(event);
        // A winner makes no more choices when the round is over.
        let is_last = matches!(seen.get(at + 1), Some(Event::RoundEnded { .. }));
        round.see(event, !is_last);
    }
    if !matches!(seen.last(), Some(Event::RoundEnded { .. })) {
        round.end(&known, None, chance, &mut imagined)?;
    }
    Some(imagined)
}

impl Round {
    fn new(number: u8, seats: usize) -> Self {
        Self {
            number,
            panels: Vec::new(),
            drawn: BySeat::new(seats, |_| Vec::new()),
            codes: BySeat::new(seats, |_| Vec::new()),
            decisions: Vec::new(),
        }
    }

    fn draw(&mut self, seat: Seat, panels: &[Shown]) {
        for panel in panels {
            self.drawn[seat].push(self.panels.len());
            self.panels.push(*panel);
        }
    }

    fn see(&mut self, event: &Event, chooses: bool) {
        match event {
            Event::Took { seat, panels } => self.draw(*seat, panels),
            Event::SetUp { seat, code } => {
                if self.drawn[*seat].is_empty() {
                    self.draw(*seat, code);
                }
                // With dashes in play, the panels were taken earlier and in another order.
                for (nth, panel) in self.drawn[*seat].iter().zip(code) {
                    self.panels[*nth] = *panel;
                }
                self.codes[*seat].clone_from(&self.drawn[*seat]);
                let code = self.codes[*seat].clone();
                self.decisions.push(Decision::SetUp(*seat, code));
            }
            Event::Drew { seat, panel } => self.draw(*seat, &[*panel]),
            Event::Inserted {
                seat,
                position,
                panel,
                ..
            } => {
                if let Some(nth) = self.drawn[*seat].last().copied() {
                    self.panels[nth] = *panel;
                    if chooses {
                        let code = self.codes[*seat].clone();
                        let inserted = Decision::Inserted(*seat, code, nth, *position);
                        self.decisions.push(inserted);
                    }
                    self.codes[*seat].insert((*position).into(), nth);
                }
            }
            Event::Attacked {
                target: seat,
                position,
                panel,
                hit: true,
                ..
            }
            | Event::Exposed {
                seat,
                position,
                panel,
            } => {
                let nth = self.codes[*seat][usize::from(*position)];
                self.panels[nth] = (*panel).into();
            }
            _ => {}
        }
    }

    /// Samples the hidden panels of the round, and derives the draws and decisions from them.
    fn end(
        &self,
        known: &Known,
        bonus: Option<i32>,
        chance: &mut Chance,
        imagined: &mut Imagined<Action>,
    ) -> Option<()> {
        let panels = self.fill(known, bonus, chance)?;
        for (seat, drawn) in self.drawn.seats() {
            let items = drawn.iter().map(|nth| panels[*nth].index()).collect();
            let stream = draws_of(self.number, seat);
            imagined.fixed.push((DRAWS.into(), stream, items));
        }
        let me = known.view.seat;
        for decision in &self.decisions {
            let (seat, action) = match decision {
                Decision::SetUp(seat, code) => (*seat, dashes(code, &panels)),
                Decision::Inserted(seat, code, nth, position) => {
                    let code = Row::standing(code.iter().map(|nth| panels[*nth]).collect());
                    let chooses = code.places(panels[*nth]).len() > 1;
                    let position = *position;
                    (*seat, chooses.then_some(Action::Place { position }))
                }
            };
            let others = action.filter(|_| seat != me);
            imagined.hidden.extend(others.map(|action| (seat, action)));
        }
        Some(())
    }

    /// Returns a face for each panel drawn in the round.
    fn fill(&self, known: &Known, bonus: Option<i32>, chance: &mut Chance) -> Option<Vec<Panel>> {
        let way = way(known, bonus, chance)?;
        let mut panels: Vec<Option<Panel>> =
            self.panels.iter().map(|shown| shown.panel()).collect();
        for ((seat, position), panel) in way {
            panels[self.codes[seat][usize::from(position)]] = Some(panel);
        }
        // A panel that is in no code yet may be any of the remaining ones.
        let used: Set<Panel> = panels.iter().flatten().copied().collect();
        let mut left: Vec<Panel> = Panel::all(known.view.deck())
            .without(used)
            .into_iter()
            .collect();
        chance.shuffle(&mut left);
        let shown = self.panels.iter().zip(panels);
        let mut any = |colour| {
            let at = left.iter().position(|panel| panel.colour() == colour)?;
            Some(left.remove(at))
        };
        shown
            .map(|(shown, panel)| panel.or_else(|| any(shown.colour)))
            .collect()
    }
}

/// Returns a random assignment of the hidden places in which the winner's bonus has this value.
fn way(known: &Known, bonus: Option<i32>, chance: &mut Chance) -> Option<Vec<(Place, Panel)>> {
    let guesses = guesses(known, |_, _| 1.0).into_iter();
    let counted: Vec<_> = guesses
        .map(|guess| {
            let count = Count::new(known, &guess.dashes, |_, _| 1.0);
            (guess.weight * count.total(), count, guess.dashes)
        })
        .filter(|(weight, ..)| *weight > 0.0)
        .collect();
    let total: f64 = counted.iter().map(|(weight, ..)| weight).sum();
    (0..MAX_ATTEMPTS).find_map(|_| {
        let mut left = chance.share() * total;
        let mut guesses = counted.iter();
        let chosen = guesses.find(|(weight, ..)| {
            left -= weight;
            left < 0.0
        });
        let (_, count, dashes) = chosen.or(counted.last())?;
        let mut way = dashes.clone();
        count.draw(chance, |place, panel| way.push((place, panel)));
        let shown = known.opponents().flat_map(|seat| {
            let row = &known.view.codes[seat];
            let standing = row.standing.into_iter();
            standing.filter_map(|at| row.panels[usize::from(at)].panel())
        });
        let standing = way.iter().map(|(_, panel)| *panel).chain(shown);
        let sum: i32 = standing.map(|panel| panel.face().value()).sum();
        bonus.is_none_or(|bonus| bonus == sum).then_some(way)
    })
}

/// Returns the action that placed the dashes of a first code, if the code has any.
fn dashes(code: &[Nth], panels: &[Panel]) -> Option<Action> {
    let code: Vec<Panel> = code.iter().map(|nth| panels[*nth]).collect();
    let before = |dash: Panel, counts: &dyn Fn(&Panel) -> bool| {
        let at = code.iter().position(|panel| *panel == dash)?;
        Some(code[..at].iter().filter(|panel| counts(panel)).count() as u8)
    };
    let [dark, light] = super::Colour::ALL.map(|colour| Panel::new(colour, Face::DASH));
    let dark = before(dark, &|panel| !panel.is_dash());
    let light = before(light, &|_| true);
    (dark.is_some() || light.is_some()).then_some(Action::PlaceDashes { dark, light })
}
