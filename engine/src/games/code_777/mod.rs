//! Code 777: everybody sees all racks except their own, and deduces their own rack from the others' answers.

pub mod card;
mod imagined;
pub mod known;
pub mod question;
#[cfg(test)]
mod tests;
pub mod types;
pub mod view;

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;

use self::card::{CARDS, Piece, RACK, Rack};
use self::known::Known;
use self::question::{QUESTIONS, Question};
use self::types::{Action, Event, Prompt, Rules};
use self::view::{MAX_DUMMIES, View};
use crate::chance::Chance;
use crate::deduction::Deduction;
use crate::draws::Draws;
use crate::draws::Imagined;
use crate::form::{Field, Form, Players};
use crate::game::{Game, Illegal, Prompt as _, Turn};
use crate::outcome::{Breakdown, Outcome, Source};
use crate::seat::{BySeat, MAX_SEATS, Seat};
use crate::set::{Member, Set};

/// Number of racks, dummies included, at a table with the rule `dummy_racks`.
const RACKS: usize = 4;

/// Number of cards in the draw pile at which the discards are shuffled in.
const RESHUFFLE_AT: usize = 7;

/// Names of the streams for racks, dummy racks and the order of the questions.
const DEALT: &str = "draws";
const DUMMIES: &str = "dummies";
const ASKED: &str = "questions";

/// Returns the index of the stream that deals the seat's next rack, given the number of its earlier racks.
fn rack_of(before: u32, seat: Seat) -> u64 {
    u64::from(before) << 8 | u64::from(seat.0)
}

/// A game of Code 777.
#[derive(Clone, Debug)]
pub struct Code777 {
    rules: Rules,
    draws: Draws,
    /// Seats still in the match.
    playing: Set<Seat>,
    racks: BySeat<[Piece; RACK]>,
    dummies: ArrayVec<Rack, MAX_DUMMIES>,
    pile: Set<Piece>,
    discards: Set<Piece>,
    /// Number of racks dealt to each seat.
    deals: BySeat<u32>,
    /// The question cards in drawing order, until the next shuffle.
    questions: [Question; QUESTIONS as usize],
    /// Number of questions drawn.
    drawn: u16,
    points: BySeat<u16>,
    phase: Phase,
}

#[derive(Clone, Debug)]
enum Phase {
    /// One seat has answered a question, and every seat declares or passes. The value of a seat that has not done so is `None`.
    Declaring {
        answerer: Seat,
        actions: BySeat<Option<Action>>,
    },
    Over,
}

impl Game for Code777 {
    const NAME: &'static str = "code-777";
    const TITLE: &'static str = "Code 777";
    const SEATS: RangeInclusive<usize> = 2..=RACKS;
    const RULES_VERSION: u32 = 1;
    const SCORING: &'static [Source] = &[Source {
        name: "declarations",
        worth: 1,
    }];
    const FORMS: &'static [Form] = &[
        Form::new("pass", "Say nothing.", &[]),
        Form::new(
            "declare",
            "Say what stands on your own rack, in any order.",
            &[Field::each("numbers"), Field::each("cards")],
        ),
    ];
    const PLAYERS: Players = Players {
        seat: &["seat"],
        by_seat: &["racks", "points"],
    };
    const TABLE: Option<&'static str> = Some(include_str!("table.js"));
    const RULES_PAGE: &'static str = include_str!("rules.md");
    type Rules = Rules;
    type Prompt = Prompt;
    type Action = Action;
    type Event = Event;
    type View = View;

    fn deal(rules: &Rules, seats: usize, draws: Draws, events: &mut Vec<Event>) -> Self {
        let mut game = Self {
            rules: rules.clone(),
            draws,
            playing: Seat::all(seats),
            racks: BySeat::new(seats, |_| [Piece::at(0); RACK]),
            dummies: ArrayVec::new(),
            pile: Piece::all(),
            discards: Set::EMPTY,
            deals: BySeat::new(seats, |_| 0),
            questions: std::array::from_fn(|index| Question::at(index as u8 + 1)),
            drawn: 0,
            points: BySeat::new(seats, |_| 0),
            phase: Phase::Over,
        };
        Seat::all(seats)
            .into_iter()
            .for_each(|seat| game.deal_to(seat, events));
        game.deal_dummies(events);
        game.draw_question(Seat(0), events);
        game
    }

    fn turn(&self) -> Turn {
        match &self.phase {
            Phase::Declaring { actions, .. } => Turn::Act(
                self.playing
                    .into_iter()
                    .filter(|seat| actions[*seat].is_none())
                    .collect(),
            ),
            Phase::Over => {
                let breakdown = |points: &u16| Breakdown::new(Self::SCORING, &[i32::from(*points)]);
                Turn::Over(Outcome::by_points(
                    Self::SCORING,
                    &self.points.map(breakdown),
                ))
            }
        }
    }

    fn prompt(&self, _: Seat) -> Prompt {
        Prompt::new(&self.rules)
    }

    fn play(
        &mut self,
        seat: Seat,
        action: &Action,
        events: &mut Vec<Event>,
    ) -> Result<(), Illegal> {
        self.prompt(seat).permits(action)?;
        if let Phase::Declaring { actions, .. } = &mut self.phase {
            actions[seat] = Some(*action);
        }
        self.go_on(events);
        Ok(())
    }

    fn withdraw(&mut self, seats: Set<Seat>, events: &mut Vec<Event>) {
        self.playing = self.playing.without(seats);
        for seat in seats {
            events.push(Event::Withdrew {
                seat,
                rack: self.rack(seat),
            });
            self.discard(seat);
        }
        self.go_on(events);
    }

    fn seen_by(event: &Event, seat: Seat) -> Event {
        let mut seen = *event;
        match &mut seen {
            Event::Dealt { seat: owner, rack } if *owner == seat => *rack = None,
            Event::Dealt { .. }
            | Event::Dummy { .. }
            | Event::Answered { .. }
            | Event::Declared { .. }
            | Event::Reshuffled { .. }
            | Event::QuestionsReshuffled {}
            | Event::Withdrew { .. }
            | Event::Ended { .. } => {}
        }
        seen
    }

    fn deduction(
        rules: &Rules,
        seats: usize,
        seat: Seat,
    ) -> Option<Box<dyn Deduction<Event, Action>>> {
        Some(Box::new(Known::new(rules, seats, seat)))
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

    fn describe(event: &Event, names: &BySeat<String>) -> String {
        types::describe(event, names)
    }
}

impl Code777 {
    fn rack(&self, seat: Seat) -> Rack {
        self.racks[seat].map(Piece::card).into()
    }

    /// Deals the seat three cards from the draw pile. Each rack has its own order of preference over all cards. So the actions of other
    /// seats affect a rack only through the cards that are missing from the pile.
    fn deal_to(&mut self, seat: Seat, events: &mut Vec<Event>) {
        let which = rack_of(self.deals[seat], seat);
        self.deals[seat] += 1;
        self.racks[seat] = self.take(DEALT, which);
        events.push(Event::Dealt {
            seat,
            rack: Some(self.rack(seat)),
        });
        if self.pile.len() <= RESHUFFLE_AT {
            self.pile = self.pile.into_iter().chain(self.discards).collect();
            self.discards = Set::EMPTY;
            events.push(Event::Reshuffled {
                pile: self.pile.len() as u8,
            });
        }
    }

    fn deal_dummies(&mut self, events: &mut Vec<Event>) {
        let missing = if self.rules.dummy_racks {
            RACKS - self.racks.len()
        } else {
            0
        };
        for which in 0..missing {
            let rack = Rack::from(self.take(DUMMIES, which as u64).map(Piece::card));
            self.dummies.push(rack);
            events.push(Event::Dummy { rack });
        }
    }

    /// Takes from the draw pile the three cards that come first in an order drawn from the stream.
    fn take(&mut self, stream: &str, which: u64) -> [Piece; RACK] {
        let mut order: [Piece; CARDS as usize] =
            std::array::from_fn(|index| Piece::at(index as u8));
        self.draws.stream(stream, which).shuffle(&mut order);
        self.draws.fix(stream, which, &mut order);
        let mut left = order.into_iter().filter(|piece| self.pile.contains(*piece));
        let taken = std::array::from_fn(|_| {
            left.next()
                .expect("the draw pile has more than seven cards")
        });
        taken.iter().for_each(|piece| self.pile.remove(*piece));
        taken
    }

    fn discard(&mut self, seat: Seat) {
        self.racks[seat]
            .iter()
            .for_each(|piece| self.discards.insert(*piece));
    }

    /// Draws a question card for the seat and answers it.
    fn draw_question(&mut self, seat: Seat, events: &mut Vec<Event>) {
        let index = usize::from(self.drawn) % self.questions.len();
        if index == 0 {
            let pass = self.drawn / u16::from(QUESTIONS);
            self.questions.sort_unstable();
            self.draws
                .stream(ASKED, pass.into())
                .shuffle(&mut self.questions);
            self.draws.fix(ASKED, pass.into(), &mut self.questions);
            if pass > 0 {
                events.push(Event::QuestionsReshuffled {});
            }
        }
        self.drawn += 1;
        let question = self.questions[index];
        let others = self
            .playing
            .into_iter()
            .filter(|other| *other != seat)
            .map(|other| self.rack(other));
        let seen: ArrayVec<Rack, MAX_SEATS> = others.chain(self.dummies.iter().copied()).collect();
        events.push(Event::Answered {
            seat,
            question,
            answer: question.answer(&seen),
        });
        self.phase = Phase::Declaring {
            answerer: seat,
            actions: BySeat::new(self.racks.len(), |_| None),
        };
    }

    /// Judges all declarations together once every playing seat has acted. Then the next seat draws a question, or the game ends. Racks are
    /// renewed one by one, so that nobody gets back a card just discarded.
    fn go_on(&mut self, events: &mut Vec<Event>) {
        let Phase::Declaring { answerer, actions } = &self.phase else {
            return;
        };
        if self.playing.into_iter().any(|seat| actions[seat].is_none()) {
            return;
        }
        let (answerer, actions) = (*answerer, actions.clone());
        let declared = |seat: Seat| match actions[seat] {
            Some(Action::Declare(claim)) => Some((seat, claim)),
            Some(Action::Pass {}) | None => None,
        };
        for (seat, claim) in self.playing.into_iter().filter_map(declared) {
            self.points[seat] += u16::from(claim.right(&self.rack(seat)));
        }
        let over = self.is_over();
        for (seat, claim) in self.playing.into_iter().filter_map(declared) {
            let rack = self.rack(seat);
            events.push(Event::Declared {
                seat,
                said: claim,
                rack,
                right: claim.right(&rack),
            });
            self.discard(seat);
            if !over {
                self.deal_to(seat, events);
            }
        }
        if over {
            events.push(Event::Ended { best: self.best() });
            self.phase = Phase::Over;
        } else {
            let next = answerer
                .next(self.racks.len(), self.playing)
                .expect("two seats play");
            self.draw_question(next, events);
        }
    }

    /// Returns `true` if a single seat leads with enough points, no opponent is left, or the questions are used up.
    fn is_over(&self) -> bool {
        let leader = self
            .best()
            .only()
            .is_some_and(|seat| self.points[seat] >= self.rules.points.into());
        leader || self.playing.len() < 2 || self.drawn >= self.rules.questions
    }

    /// Returns the playing seats with the most points.
    fn best(&self) -> Set<Seat> {
        let most = self.playing.into_iter().map(|seat| self.points[seat]).max();
        self.playing
            .into_iter()
            .filter(|seat| Some(self.points[*seat]) == most)
            .collect()
    }
}
