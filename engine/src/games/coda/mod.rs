//! Coda, also sold as Da Vinci Code: expose the others' codes before yours is exposed; official tournament scoring.

pub mod count;
mod imagined;
pub mod known;
pub mod odds;
pub mod panel;
pub mod prompt;
mod round;
#[cfg(test)]
mod tests;
pub mod types;
pub mod view;

use std::ops::RangeInclusive;

use self::known::Known;
use self::odds::Counted;
use self::panel::{Colour, Face, Panel};
use self::prompt::{Choice, Prompt};
use self::round::{Next, Order, Side, unshuffled};
use self::types::{Action, Counts, Event, Rules, SCORING};
use self::view::{Row, View};
use crate::chance::Chance;
use crate::deduction::Deduction;
use crate::draws::Draws;
use crate::draws::Imagined;
use crate::form::{Field, FieldKind, Form, Players, Whose};
use crate::game::{Game, Illegal, Late, Prompt as _, Turn};
use crate::outcome::{Breakdown, Outcome, Source};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// A game of Coda: several rounds whose points add up.
#[derive(Clone, Debug)]
pub struct Coda {
    rules: Rules,
    draws: Draws,
    /// Seats still in the match.
    playing: Set<Seat>,
    round: u8,
    /// Number of panels that each seat takes at the set-up of this round: 4, or 3 with four seats.
    hand: u8,
    codes: BySeat<Row<Panel>>,
    pool: Set<Panel>,
    /// Each seat's order of preference over the panels of each colour. A draw takes the first panel of the order that is still in the pool,
    /// so that the actions of other seats affect a seat's luck as little as possible.
    orders: BySeat<[Order; 2]>,
    counts: BySeat<Counts>,
    late: BySeat<u16>,
    phase: Phase,
}

/// The kind of move that the game waits for, and the seats that must make it.
#[derive(Clone, Debug)]
enum Phase {
    /// The seats take their first panels. Holds the number of dark panels that each seat has chosen so far.
    SettingUp(BySeat<Option<u8>>),
    /// The seats that took dashes place them. Holds the dashes that each seat has yet to place.
    PlacingDashes(BySeat<Set<Panel>>),
    /// The seat chooses the colour of the panel to draw.
    Drawing(Seat),
    /// The seat attacks, or stops after a hit.
    Attacking {
        seat: Seat,
        drawn: Option<Panel>,
        may_stop: bool,
    },
    /// The seat chooses the place of its drawn panel, which ends its turn.
    Placing {
        seat: Seat,
        drawn: Panel,
        side: Side,
    },
    /// The seat missed with an empty pool and must expose one of its own panels.
    Exposing(Seat),
    Over,
}

impl Game for Coda {
    const NAME: &'static str = "coda";
    const TITLE: &'static str = "Coda";
    const SEATS: RangeInclusive<usize> = 2..=4;
    const RULES_VERSION: u32 = 1;
    const SCORING: &'static [Source] = SCORING;
    const FORMS: &'static [Form] = &[
        Form::new(
            "set_up",
            "At the set-up: how many of your first panels are dark; the rest are light.",
            &[Field::list("dark").called("number of dark panels")],
        ),
        Form::new(
            "place_dashes",
            "At the set-up, if you took dashes: how many of your other panels stand before each.",
            &[Field::list("dark"), Field::list("light")],
        ),
        Form::new(
            "place",
            "The panel you drew goes into your code, and there is more than one place for it.",
            &[Field::index("position")],
        ),
        Form::new(
            "draw",
            "At the start of a turn: the colour of the panel to draw.",
            &[Field::list("colour")],
        ),
        Form::new(
            "attack",
            "Attack a standing panel of an opponent.",
            &[
                Field::player("seat").called("opponent"),
                Field::new("position", FieldKind::Place(Whose::Of("seat"))).called("panel"),
                Field::list("face").called("number"),
            ],
        ),
        Form::new("stop", "After a hit: end your turn.", &[]),
        Form::new(
            "expose",
            "After a miss with an empty pool: expose one of your own panels.",
            &[Field::new("position", FieldKind::Place(Whose::Own)).called("panel")],
        ),
    ];
    const PLAYERS: Players = Players {
        seat: &["seat"],
        by_seat: &["codes", "points"],
    };
    const TABLE: Option<&'static str> = Some(include_str!("table.js"));
    const RULES_PAGE: &'static str = include_str!("rules.md");
    type Rules = Rules;
    type Prompt = Prompt;
    type Action = Action;
    type Event = Event;
    type View = View;

    fn deal(rules: &Rules, seats: usize, draws: Draws, events: &mut Vec<Event>) -> Self {
        let mut coda = Self {
            rules: rules.clone(),
            draws,
            playing: Seat::all(seats),
            round: 0,
            hand: 0,
            codes: BySeat::new(seats, |_| Row::empty()),
            pool: Set::EMPTY,
            orders: BySeat::new(seats, |_| unshuffled(rules.deck())),
            counts: BySeat::new(seats, |_| [0; SCORING.len()]),
            late: BySeat::new(seats, |_| 0),
            phase: Phase::Over,
        };
        coda.start_round(events);
        coda
    }

    #[inline]
    fn turn(&self) -> Turn {
        match &self.phase {
            Phase::SettingUp(chosen) => Turn::Act(
                self.playing
                    .into_iter()
                    .filter(|s| chosen[*s].is_none())
                    .collect(),
            ),
            Phase::PlacingDashes(left) => Turn::Act(
                self.playing
                    .into_iter()
                    .filter(|s| !left[*s].is_empty())
                    .collect(),
            ),
            Phase::Drawing(seat)
            | Phase::Attacking { seat, .. }
            | Phase::Placing { seat, .. }
            | Phase::Exposing(seat) => Turn::Act(Set::one(*seat)),
            Phase::Over => Turn::Over(Outcome::by_points(
                SCORING,
                &self.counts.map(|counts| Breakdown::new(SCORING, counts)),
            )),
        }
    }

    #[inline]
    fn prompt(&self, seat: Seat) -> Prompt {
        Prompt::from(match &self.phase {
            Phase::SettingUp(_) => Choice::SetUp {
                dark: Set::below(self.hand + 1),
            },
            Phase::PlacingDashes(left) => self.dash_places(seat, left[seat]),
            Phase::Placing { drawn, .. } => Choice::Place {
                position: self.codes[seat].places(*drawn),
            },
            Phase::Drawing(_) => Choice::Draw {
                colour: self.colours_left(),
            },
            Phase::Exposing(_) => Choice::Expose {
                position: self.codes[seat].standing,
            },
            Phase::Attacking { may_stop, .. } => {
                let face = Face::all(self.rules.deck());
                let attack = |(other, code): (Seat, &Row<Panel>)| {
                    let is_target = other != seat && !code.standing.is_empty();
                    is_target.then(|| Choice::Attack {
                        seat: Set::one(other),
                        position: code.standing,
                        face,
                    })
                };
                let attacks = self.codes.seats().filter_map(attack);
                return Prompt(attacks.chain(may_stop.then_some(Choice::Stop {})).collect());
            }
            Phase::Over => unreachable!("there is no prompt once it is over"),
        })
    }

    fn play(
        &mut self,
        seat: Seat,
        action: &Action,
        events: &mut Vec<Event>,
    ) -> Result<(), Illegal> {
        self.prompt(seat).permits(action)?;
        match (*action, &mut self.phase) {
            (Action::SetUp { dark }, Phase::SettingUp(chosen)) => {
                chosen[seat] = Some(dark);
                self.finish_set_up(events);
            }
            (Action::PlaceDashes { dark, light }, Phase::PlacingDashes(left)) => {
                left[seat] = Set::EMPTY;
                for (colour, place) in Colour::ALL.into_iter().zip([dark, light]) {
                    if let Some(place) = place {
                        self.codes[seat].insert(place, Panel::new(colour, Face::DASH), true);
                    }
                }
                self.stand_up(events);
            }
            (Action::Place { position }, Phase::Placing { drawn, side, .. }) => {
                let (drawn, side) = (*drawn, *side);
                self.insert(seat, position, drawn, side, events);
                self.go_on(seat, Next::Turn, events);
            }
            (Action::Draw { colour }, _) => self.draw(seat, colour, events),
            (
                Action::Attack {
                    seat: target,
                    position,
                    face,
                },
                Phase::Attacking { drawn, .. },
            ) => {
                let drawn = *drawn;
                self.attack(seat, drawn, target, position, face, events);
            }
            (Action::Stop {}, Phase::Attacking { drawn, .. }) => {
                let drawn = *drawn;
                events.push(Event::Stopped { seat });
                self.finish_turn(seat, drawn, Side::Standing, events);
            }
            (Action::Expose { position }, _) => {
                self.expose(seat, position, events);
                self.after_exposure(seat, seat, events);
            }
            _ => unreachable!("the prompt permits only what the phase asks for"),
        }
        Ok(())
    }

    fn overdue(&mut self, seat: Seat, events: &mut Vec<Event>) -> Late {
        self.late[seat] += 1;
        if self.late[seat] > self.rules.late_moves.into() {
            return Late::Forfeit;
        }
        events.push(Event::Late { seat });
        let which =
            u64::from(self.round) << 16 | u64::from(self.late[seat]) << 8 | u64::from(seat.0);
        let mut chance = self.draws.stream("late", which);
        match &self.phase {
            Phase::SettingUp(_) | Phase::PlacingDashes(_) | Phase::Drawing(_) => {
                let action = self.sample(seat, &mut chance);
                self.play(seat, &action, events)
                    .expect("a sampled action is legal");
            }
            Phase::Attacking {
                drawn: Some(drawn), ..
            }
            | Phase::Placing { drawn, .. } => {
                let drawn = *drawn;
                let position = self.codes[seat].places(drawn).pick(&mut chance);
                self.insert(seat, position, drawn, Side::Exposed, events);
                self.go_on(seat, Next::Turn, events);
            }
            Phase::Attacking { drawn: None, .. } | Phase::Exposing(_) => {
                let lowest = self.codes[seat]
                    .standing
                    .first()
                    .expect("a seat that acts has a standing panel");
                self.expose(seat, lowest, events);
                self.after_exposure(seat, seat, events);
            }
            Phase::Over => unreachable!("nobody is late once it is over"),
        }
        Late::Penalty
    }

    fn withdraw(&mut self, seats: Set<Seat>, events: &mut Vec<Event>) {
        self.playing = self.playing.without(seats);
        for seat in seats {
            events.push(Event::Withdrew { seat });
            match self.phase {
                Phase::Attacking {
                    seat: acting,
                    drawn: Some(drawn),
                    ..
                }
                | Phase::Placing {
                    seat: acting,
                    drawn,
                    ..
                } if acting == seat => {
                    self.insert_somewhere(seat, drawn, Side::Exposed, events);
                }
                // The first panels do not form a code yet, because nobody has seen their positions.
                Phase::PlacingDashes(_) => self.codes[seat] = Row::empty(),
                _ => {}
            }
            let standing = self.codes[seat].standing;
            standing
                .into_iter()
                .for_each(|position| self.expose(seat, position, events));
        }
        match self.phase {
            Phase::Over => {}
            Phase::SettingUp(_) if self.playing.len() > 1 => self.finish_set_up(events),
            Phase::PlacingDashes(_) if self.playing.len() > 1 => self.stand_up(events),
            Phase::SettingUp(_) | Phase::PlacingDashes(_) => {
                self.codes.iter_mut().for_each(|code| *code = Row::empty());
                self.end_round(self.playing.first(), events);
            }
            Phase::Drawing(seat)
            | Phase::Attacking { seat, .. }
            | Phase::Placing { seat, .. }
            | Phase::Exposing(seat) => {
                let acting = if seats.contains(seat) {
                    Next::Turn
                } else {
                    Next::Same
                };
                self.go_on(seat, acting, events);
            }
        }
    }

    fn seen_by(event: &Event, seat: Seat) -> Event {
        match event {
            Event::Took {
                seat: owner,
                panels,
            } if *owner != seat => Event::Took {
                seat: *owner,
                panels: panels.iter().map(|panel| panel.hidden()).collect(),
            },
            Event::SetUp { seat: owner, code } if *owner != seat => Event::SetUp {
                seat: *owner,
                code: code.iter().map(|panel| panel.hidden()).collect(),
            },
            Event::Drew { seat: owner, panel } if *owner != seat => Event::Drew {
                seat: *owner,
                panel: panel.hidden(),
            },
            Event::Inserted {
                seat: owner,
                position,
                panel,
                standing: true,
            } if *owner != seat => Event::Inserted {
                seat: *owner,
                position: *position,
                panel: panel.hidden(),
                standing: true,
            },
            Event::RoundStarted { .. }
            | Event::Took { .. }
            | Event::SetUp { .. }
            | Event::Drew { .. }
            | Event::Attacked { .. }
            | Event::Stopped { .. }
            | Event::Inserted { .. }
            | Event::Exposed { .. }
            | Event::Eliminated { .. }
            | Event::Late { .. }
            | Event::Withdrew { .. }
            | Event::RoundEnded { .. } => event.clone(),
        }
    }

    fn deduction(
        rules: &Rules,
        seats: usize,
        seat: Seat,
    ) -> Option<Box<dyn Deduction<Event, Action>>> {
        Some(Box::new(Counted {
            known: Known::new(rules, seats, seat),
            count: None,
        }))
    }

    fn imagine(
        rules: &Rules,
        seats: usize,
        seat: Seat,
        seen: &[Event],
        chance: &mut Chance,
    ) -> Option<Imagined<Action>> {
        imagined::imagine(rules, seats, seat, seen, chance)
    }

    fn conceals(action: &Action) -> bool {
        matches!(action, Action::Place { .. } | Action::PlaceDashes { .. })
    }

    fn describe(event: &Event, names: &BySeat<String>) -> String {
        types::describe(event, names)
    }

    fn drawn(event: &Event, view: &View, names: &BySeat<String>) -> Option<String> {
        matches!(event, Event::RoundEnded { .. }).then(|| view.drawn(names))
    }
}
