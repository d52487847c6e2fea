//! The course of a round of Coda: set-up, draws, attacks, insertions, and its end.

use arrayvec::ArrayVec;

use super::panel::{Colour, Deck, Face, PANELS, Panel, Shown};
use super::prompt::Choice;
use super::types::Event;
use super::view::Row;
use super::{Coda, Phase};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// The visibility of a drawn panel once it is in the code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Standing,
    Exposed,
}

/// The seat that acts after this move.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Next {
    /// The seat that acted, in the same phase.
    Same,
    /// The next seat, which begins its turn.
    Turn,
}

impl Coda {
    pub(super) fn seats(&self) -> usize {
        self.codes.len()
    }

    pub(super) fn start_round(&mut self, events: &mut Vec<Event>) {
        self.round += 1;
        self.hand = self.rules.hand(self.playing.len());
        let deck = self.rules.deck();
        self.pool = Panel::all(deck);
        for seat in Seat::all(self.seats()) {
            self.codes[seat] = Row::empty();
            self.orders[seat] = unshuffled(deck);
            let which = draws_of(self.round, seat);
            let mut chance = self.draws.stream(DRAWS, which);
            for order in &mut self.orders[seat] {
                chance.shuffle(order);
                self.draws.fix(DRAWS, which, order);
            }
        }
        events.push(Event::RoundStarted {
            round: self.round,
            first: self.first(),
        });
        self.phase = Phase::SettingUp(BySeat::new(self.seats(), |_| None));
    }

    /// Returns the seat that plays first in this round. The first seat rotates from round to round.
    pub(super) fn first(&self) -> Seat {
        let turn = (self.round as usize - 1) % self.seats();
        Seat(turn as u8)
            .or_next(self.seats(), self.playing)
            .expect("at least one seat plays")
    }

    /// Deals the first panels once every playing seat has chosen their colours, beginning with the first seat.
    pub(super) fn finish_set_up(&mut self, events: &mut Vec<Event>) {
        let Phase::SettingUp(chosen) = &self.phase else {
            return;
        };
        if self.playing.into_iter().any(|seat| chosen[seat].is_none()) {
            return;
        }
        let chosen = chosen.clone();
        let mut dashes = BySeat::new(self.seats(), |_| Set::EMPTY);
        for seat in self.round_the_table() {
            let dark = chosen[seat].expect("every seat that plays has chosen");
            let mut panels: ArrayVec<Panel, 4> = (0..self.hand)
                .map(|nth| {
                    self.take_first(
                        seat,
                        if nth < dark {
                            Colour::Dark
                        } else {
                            Colour::Light
                        },
                    )
                })
                .collect();
            panels.sort_unstable_by_key(|panel| (panel.colour(), *panel));
            if self.rules.dashes {
                events.push(Event::Took {
                    seat,
                    panels: panels.iter().map(|panel| Shown::from(*panel)).collect(),
                });
            }
            panels.sort_unstable();
            dashes[seat] = panels
                .iter()
                .copied()
                .filter(|panel| panel.is_dash())
                .collect();
            self.codes[seat] = Row::standing(
                panels
                    .into_iter()
                    .filter(|panel| !panel.is_dash())
                    .collect(),
            );
        }
        self.phase = Phase::PlacingDashes(dashes);
        self.stand_up(events);
    }

    /// Returns the playing seats in turn order, beginning with the first seat of this round.
    pub(super) fn round_the_table(&self) -> impl Iterator<Item = Seat> + use<> {
        let first = self.first();
        let seats = self.seats();
        let playing = self.playing;
        let order = (0..seats).map(move |step| Seat(((first.index() + step) % seats) as u8));
        order.filter(move |seat| playing.contains(*seat))
    }

    /// Returns the possible places for the dashes that a seat took: for the dark dash among the numbers, and for the light dash among all
    /// other panels.
    pub(super) fn dash_places(&self, seat: Seat, dashes: Set<Panel>) -> Choice {
        let places = |others: usize| Set::below(others as u8 + 1);
        let numbers = self.codes[seat].panels.len();
        let [dark, light] =
            Colour::ALL.map(|colour| dashes.contains(Panel::new(colour, Face::DASH)));
        Choice::PlaceDashes {
            dark: dark.then(|| places(numbers)),
            light: light.then(|| places(numbers + usize::from(dark))),
        }
    }

    /// Reveals the backs of all codes once all dashes are placed, and starts the first turn.
    pub(super) fn stand_up(&mut self, events: &mut Vec<Event>) {
        let Phase::PlacingDashes(left) = &self.phase else {
            return;
        };
        if self.playing.into_iter().any(|seat| !left[seat].is_empty()) {
            return;
        }
        for seat in self.round_the_table() {
            let code = self.codes[seat]
                .panels
                .iter()
                .map(|panel| Shown::from(*panel))
                .collect();
            events.push(Event::SetUp { seat, code });
        }
        self.start_turn(self.first(), events);
    }

    /// Takes from the pool the panel of that colour that comes first in the seat's order of preference.
    #[inline]
    pub(super) fn take(&mut self, seat: Seat, colour: Colour) -> Panel {
        let order = &self.orders[seat][colour as usize];
        let panel = *order
            .iter()
            .find(|panel| self.pool.contains(**panel))
            .expect("the colour is in the pool");
        self.pool.remove(panel);
        panel
    }

    /// Puts a panel first in the seat's order of preference, so that the seat's next draw of that colour takes it if it is in the pool. A
    /// search can enumerate all draws this way.
    pub fn prefer(&mut self, seat: Seat, panel: Panel) {
        let order = &mut self.orders[seat][panel.colour() as usize];
        if let Some(at) = order.iter().position(|other| *other == panel) {
            order[..=at].rotate_right(1);
        }
    }

    /// Takes a first panel of that colour, or of the other colour if a small game has run out of the first.
    fn take_first(&mut self, seat: Seat, colour: Colour) -> Panel {
        let left = self.colours_left();
        let taken = if left.contains(colour) {
            Some(colour)
        } else {
            left.only()
        };
        self.take(seat, taken.expect("there are first panels for all seats"))
    }

    #[inline]
    pub(super) fn colours_left(&self) -> Set<Colour> {
        let left = |colour: &Colour| {
            !self
                .pool
                .and(Panel::of_colour(*colour, Deck::ALL))
                .is_empty()
        };
        Colour::ALL.into_iter().filter(left).collect()
    }

    /// Starts a turn: the seat draws if the pool has panels, and attacks without a drawn panel otherwise.
    pub(super) fn start_turn(&mut self, seat: Seat, events: &mut Vec<Event>) {
        let colours = self.colours_left();
        if colours.is_empty() {
            self.phase = Phase::Attacking {
                seat,
                drawn: None,
                may_stop: false,
            };
        } else if let Some(colour) = colours.only() {
            self.draw(seat, colour, events);
        } else {
            self.phase = Phase::Drawing(seat);
        }
    }

    pub(super) fn draw(&mut self, seat: Seat, colour: Colour, events: &mut Vec<Event>) {
        let panel = self.take(seat, colour);
        events.push(Event::Drew {
            seat,
            panel: panel.into(),
        });
        self.phase = Phase::Attacking {
            seat,
            drawn: Some(panel),
            may_stop: false,
        };
    }

    pub(super) fn attack(
        &mut self,
        seat: Seat,
        drawn: Option<Panel>,
        target: Seat,
        position: u8,
        face: Face,
        events: &mut Vec<Event>,
    ) {
        let attacked = self.codes[target].panels[usize::from(position)];
        let panel = Panel::new(attacked.colour(), face);
        let hit = panel == attacked;
        self.push_scored(
            Event::Attacked {
                seat,
                target,
                position,
                panel,
                hit,
            },
            events,
        );
        if hit {
            self.codes[target].standing.remove(position);
            self.phase = Phase::Attacking {
                seat,
                drawn,
                may_stop: true,
            };
            self.after_exposure(target, seat, events);
        } else if drawn.is_some() {
            self.finish_turn(seat, drawn, Side::Exposed, events);
        } else if let Some(last) = self.codes[seat].standing.only() {
            self.expose(seat, last, events);
            self.after_exposure(seat, seat, events);
        } else {
            self.phase = Phase::Exposing(seat);
        }
    }

    /// Exposes a panel of the seat's own code.
    pub(super) fn expose(&mut self, seat: Seat, position: u8, events: &mut Vec<Event>) {
        self.codes[seat].standing.remove(position);
        let panel = self.codes[seat].panels[usize::from(position)];
        events.push(Event::Exposed {
            seat,
            position,
            panel,
        });
    }

    /// Ends the turn. The drawn panel goes into the code; if it has several places, its owner chooses one.
    pub(super) fn finish_turn(
        &mut self,
        seat: Seat,
        drawn: Option<Panel>,
        side: Side,
        events: &mut Vec<Event>,
    ) {
        if let Some(drawn) = drawn {
            let Some(position) = self.codes[seat].places(drawn).only() else {
                self.phase = Phase::Placing { seat, drawn, side };
                return;
            };
            self.insert(seat, position, drawn, side, events);
        }
        self.go_on(seat, Next::Turn, events);
    }

    /// Inserts a drawn panel into the code at a position.
    pub(super) fn insert(
        &mut self,
        seat: Seat,
        position: u8,
        panel: Panel,
        side: Side,
        events: &mut Vec<Event>,
    ) {
        let standing = side == Side::Standing;
        self.codes[seat].insert(position, panel, standing);
        events.push(Event::Inserted {
            seat,
            position,
            panel: panel.into(),
            standing,
        });
    }

    /// Inserts a drawn panel into the code at some legal position, when the choice no longer has an effect.
    pub(super) fn insert_somewhere(
        &mut self,
        seat: Seat,
        panel: Panel,
        side: Side,
        events: &mut Vec<Event>,
    ) {
        let position = self.codes[seat]
            .places(panel)
            .first()
            .expect("there is a place for every panel");
        self.insert(seat, position, panel, side, events);
    }

    /// Handles the exposure of a panel of `exposed` in the turn of `acting`. Eliminates `exposed` if its code has no standing panel left.
    pub(super) fn after_exposure(&mut self, exposed: Seat, acting: Seat, events: &mut Vec<Event>) {
        if self.codes[exposed].standing.is_empty() {
            let by = (exposed != acting).then_some(acting);
            self.push_scored(Event::Eliminated { seat: exposed, by }, events);
        }
        self.go_on(
            acting,
            if exposed == acting {
                Next::Turn
            } else {
                Next::Same
            },
            events,
        );
    }

    /// Ends the round if at most one code stands. Otherwise moves on to the next seat to act.
    pub(super) fn go_on(&mut self, acting: Seat, next: Next, events: &mut Vec<Event>) {
        let alive: Set<Seat> = self
            .codes
            .seats()
            .filter(|(_, c)| !c.standing.is_empty())
            .map(|(seat, _)| seat)
            .collect();
        if alive.len() < 2 {
            self.end_round(alive.first(), events);
        } else if next == Next::Turn {
            let seat = acting.next(self.seats(), alive).expect("two codes stand");
            self.start_turn(seat, events);
        }
    }

    pub(super) fn end_round(&mut self, winner: Option<Seat>, events: &mut Vec<Event>) {
        if let Phase::Attacking {
            seat,
            drawn: Some(drawn),
            ..
        } = self.phase
            && winner == Some(seat)
        {
            self.insert_somewhere(seat, drawn, Side::Standing, events);
        }
        let bonus = winner.map_or(0, |seat| {
            let code = &self.codes[seat];
            code.standing
                .into_iter()
                .map(|place| code.panels[usize::from(place)].face().value())
                .sum()
        });
        self.push_scored(Event::RoundEnded { winner, bonus }, events);
        if self.round < self.rules.rounds && self.playing.len() > 1 {
            self.start_round(events);
        } else {
            self.phase = Phase::Over;
        }
    }

    /// Appends an event and adds the points it scores.
    #[inline]
    pub(super) fn push_scored(&mut self, event: Event, events: &mut Vec<Event>) {
        if let Some((seat, scored)) = event.scored() {
            self.counts[seat]
                .iter_mut()
                .zip(scored)
                .for_each(|(count, more)| *count += more);
        }
        events.push(event);
    }
}

/// Name of the streams that order the panels for each seat's draws.
pub(super) const DRAWS: &str = "draws";

/// Returns the index of the stream for a seat's draws in a round.
pub(super) fn draws_of(round: u8, seat: Seat) -> u64 {
    u64::from(round) << 8 | u64::from(seat.0)
}

/// A seat's order of preference over the panels of one colour.
pub(super) type Order = ArrayVec<Panel, { PANELS as usize / 2 }>;

/// Returns the panels of both colours in ascending order.
pub(super) fn unshuffled(deck: Deck) -> [Order; 2] {
    Colour::ALL.map(|colour| Panel::of_colour(colour, deck).into_iter().collect())
}
