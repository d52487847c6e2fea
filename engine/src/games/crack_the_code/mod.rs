//! Crack the code: two seats race to find each other's hidden code from black and white pins alone.

pub mod board;
pub mod code;
pub mod known;
pub mod packed;
mod search;
#[cfg(test)]
mod tests;
pub mod types;
pub mod view;

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;

use self::board::Board;
use self::code::Code;
use self::known::Known;
use self::packed::Size;
use self::types::{Action, Choice, Colours, Event, Prompt, Rules};
use self::view::View;
use crate::chance::Chance;
use crate::deduction::Deduction;
use crate::draws::Draws;
use crate::draws::Imagined;
use crate::form::{Field, Form, Players};
use crate::game::{Game, Illegal, Prompt as _, Turn};
use crate::outcome::{Breakdown, Outcome, Source};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// The sources of points: the winner scores 1 and the loser 0; in a draw both score 1, or both 0.
const SCORING: &[Source] = &[
    Source {
        name: "cracked",
        worth: 1,
    },
    Source {
        name: "walkover",
        worth: 1,
    },
];

/// The seat that guesses first in every round.
const FIRST: Seat = Seat(0);

/// The seat that guesses second in every round, and therefore may have the equalising guess.
const SECOND: Seat = Seat(1);

/// A game of Crack the code. It uses no randomness: everything hidden was chosen by the seats.
#[derive(Clone, Debug)]
pub struct CrackTheCode {
    rules: Rules,
    /// The code that each seat hid.
    codes: BySeat<Option<Code>>,
    /// The seats that have cracked their opponent's code.
    cracked: Set<Seat>,
    /// The seat that wins by a forfeit: it had not cracked the opponent's code when the opponent forfeited.
    walkover: Option<Seat>,
    phase: Phase,
}

/// The kind of move that the game waits for, and the seats that must make it.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The seats hide their codes at the same time, in secret.
    Hiding,
    /// The seat guesses; rounds are counted from 1.
    Guessing {
        seat: Seat,
        round: u8,
    },
    Over,
}

impl Game for CrackTheCode {
    const NAME: &'static str = "crack-the-code";
    const TITLE: &'static str = "Crack the code";
    const SEATS: RangeInclusive<usize> = 2..=2;
    const RULES_VERSION: u32 = 1;
    const SCORING: &'static [Source] = SCORING;
    const FORMS: &'static [Form] = &[
        Form::new(
            "hide",
            "Before the first guess: your secret code.",
            &[Field::each("code")],
        ),
        Form::new(
            "guess",
            "A guess at the other player's code.",
            &[Field::each("code")],
        ),
    ];
    const PLAYERS: Players = Players {
        seat: &["seat"],
        by_seat: &["codes", "guesses"],
    };
    const TABLE: Option<&'static str> = Some(include_str!("table.js"));
    const RULES_PAGE: &'static str = include_str!("rules.md");
    type Rules = Rules;
    type Prompt = Prompt;
    type Action = Action;
    type Event = Event;
    type View = View;

    fn deal(rules: &Rules, seats: usize, _: Draws, _: &mut Vec<Event>) -> Self {
        Self {
            rules: *rules,
            codes: BySeat::new(seats, |_| None),
            cracked: Set::EMPTY,
            walkover: None,
            phase: Phase::Hiding,
        }
    }

    fn turn(&self) -> Turn {
        match self.phase {
            Phase::Hiding => Turn::Act(
                self.codes
                    .seats()
                    .filter(|(_, code)| code.is_none())
                    .map(|(s, _)| s)
                    .collect(),
            ),
            Phase::Guessing { seat, .. } => Turn::Act(Set::one(seat)),
            Phase::Over => Turn::Over(self.outcome()),
        }
    }

    fn prompt(&self, _: Seat) -> Prompt {
        let code = self.colours();
        let choice = match self.phase {
            Phase::Hiding => Some(Choice::Hide { code }),
            Phase::Guessing { .. } => Some(Choice::Guess { code }),
            Phase::Over => None,
        };
        Prompt(choice.into_iter().collect())
    }

    fn play(
        &mut self,
        seat: Seat,
        action: &Action,
        events: &mut Vec<Event>,
    ) -> Result<(), Illegal> {
        self.prompt(seat).permits(action)?;
        match action {
            Action::Hide { code } => {
                events.push(Event::Hid {
                    seat,
                    code: Some(code.clone()),
                });
                self.codes[seat] = Some(code.clone());
                if self.codes.iter().all(Option::is_some) {
                    self.phase = Phase::Guessing {
                        seat: FIRST,
                        round: 1,
                    };
                }
            }
            Action::Guess { code } => {
                let hidden = self.codes[Seat(1 - seat.0)]
                    .as_ref()
                    .expect("both codes are hidden before the first guess");
                let pins = code.pins(hidden);
                events.push(Event::Guessed {
                    seat,
                    code: code.clone(),
                    pins,
                });
                if pins.crack(code) {
                    self.cracked.insert(seat);
                }
                self.next_turn(events);
            }
        }
        Ok(())
    }

    fn withdraw(&mut self, seats: Set<Seat>, events: &mut Vec<Event>) {
        events.extend(seats.into_iter().map(|seat| Event::Withdrew { seat }));
        if let Phase::Over = self.phase {
            return;
        }
        let left = Seat::all(self.codes.len()).without(seats).only();
        self.walkover = left.filter(|seat| !self.cracked.contains(*seat));
        self.end(events);
    }

    fn seen_by(event: &Event, seat: Seat) -> Event {
        match event {
            Event::Hid { seat: owner, .. } if *owner != seat => Event::Hid {
                seat: *owner,
                code: None,
            },
            Event::Hid { .. }
            | Event::Guessed { .. }
            | Event::Withdrew { .. }
            | Event::Revealed { .. } => event.clone(),
        }
    }

    fn deduction(rules: &Rules, _: usize, seat: Seat) -> Option<Box<dyn Deduction<Event, Action>>> {
        Some(Box::new(Known::new(rules, seat)))
    }

    fn imagine(
        rules: &Rules,
        _: usize,
        seat: Seat,
        seen: &[Event],
        chance: &mut Chance,
    ) -> Option<Imagined<Action>> {
        let mut board = Board::new(Size::from(rules));
        let mut hidden = Vec::new();
        for event in seen {
            match event {
                Event::Hid { seat: by, .. } if *by != seat => hidden.push(*by),
                Event::Guessed {
                    seat: by,
                    code,
                    pins,
                } if *by == seat => board.see(code.clone(), *pins),
                _ => {}
            }
        }
        let mut hide = |by| {
            let code = board.candidate(chance).into();
            (by, Action::Hide { code })
        };
        Some(Imagined {
            fixed: Vec::new(),
            hidden: hidden.into_iter().map(&mut hide).collect(),
        })
    }

    fn conceals(action: &Action) -> bool {
        matches!(action, Action::Hide { .. })
    }

    fn describe(event: &Event, names: &BySeat<String>) -> String {
        types::describe(event, names)
    }
}

impl CrackTheCode {
    /// Returns the choices for a code: every colour at every position.
    fn colours(&self) -> Colours {
        let colours: Set<u8> = (1..=self.rules.colours).collect();
        std::iter::repeat_n(colours, self.rules.positions.into()).collect::<ArrayVec<_, _>>()
    }

    /// Moves on after a guess: to the other seat, or to the end of the match. The match ends only when both seats have made equally many
    /// guesses.
    fn next_turn(&mut self, events: &mut Vec<Event>) {
        let Phase::Guessing { seat, round } = self.phase else {
            return;
        };
        if seat == FIRST {
            self.phase = Phase::Guessing {
                seat: SECOND,
                round,
            };
        } else if self.cracked.is_empty() && round < self.rules.attempts {
            self.phase = Phase::Guessing {
                seat: FIRST,
                round: round + 1,
            };
        } else {
            self.end(events);
        }
    }

    /// Ends the match and reveals the codes.
    fn end(&mut self, events: &mut Vec<Event>) {
        let hidden = self
            .codes
            .seats()
            .filter_map(|(seat, code)| Some((seat, code.clone()?)));
        events.extend(hidden.map(|(seat, code)| Event::Revealed { seat, code }));
        self.phase = Phase::Over;
    }

    fn outcome(&self) -> Outcome {
        let counts = |seat| {
            [
                self.cracked.contains(seat).into(),
                (self.walkover == Some(seat)).into(),
            ]
        };
        let breakdowns = BySeat::new(self.codes.len(), |seat| {
            Breakdown::new(SCORING, &counts(seat))
        });
        Outcome::by_points(SCORING, &breakdowns)
    }
}
