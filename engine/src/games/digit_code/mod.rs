//! Digit Code: ask about a hidden code of six seven-segment digits, and be the first to declare it.

pub mod candidates;
pub mod code;
pub mod known;
mod play;
pub mod question;
#[cfg(test)]
mod tests;
pub mod types;
pub mod view;

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;

use self::candidates::Candidates;
use self::code::{Code, Digit};
use self::known::Known;
use self::question::{Kind, Question};
use self::types::{Action, Choice, Event, Master, Prompt, Rules, Samples};
use self::view::View;
use crate::chance::Chance;
use crate::deduction::Deduction;
use crate::draws::Draws;
use crate::draws::Imagined;
use crate::form::{Field, FieldKind, Form, Players, Text};
use crate::game::{Game, Illegal, Prompt as _, Turn};
use crate::outcome::{Breakdown, Outcome, Source};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// The only source of points: winning a game.
const SCORING: &[Source] = &[Source {
    name: "wins",
    worth: 1,
}];

/// Name of the stream that draws the engine's code.
const CODE_DRAWN: &str = "code";

/// The input of a code typed by people.
const CODE: Text = Text {
    alphabet: "0123456789",
    length: 6,
    prefill: false,
};

/// Number of wrong declarations that eliminate a seat from a game.
const MAX_WRONG: u8 = 2;

/// A match of Digit Code: one game or several.
#[derive(Clone, Debug)]
pub struct DigitCode {
    rules: Rules,
    draws: Draws,
    /// Seats still in the match.
    playing: Set<Seat>,
    /// The current game, counted from 1.
    game: u8,
    /// The seats that have not been the question master yet.
    masters: Set<Seat>,
    hidden: Hidden,
    /// Seats that may still solve a code in this game.
    solving: Set<Seat>,
    /// The seat with the first turn of this game.
    first: Seat,
    /// Number of turns that each seat has completed in this game.
    turns: BySeat<u16>,
    wrong: BySeat<u8>,
    wins: BySeat<i32>,
    phase: Phase,
}

/// The codes to be solved.
#[derive(Clone, Debug)]
enum Hidden {
    /// Each of two seats hides a code for the other.
    Each([Option<Code>; 2]),
    /// The engine hides one code for all seats.
    Engine(Code),
    /// The question master hides one code for the other seats.
    Master(Seat, Option<Code>),
}

/// The kind of move that the game waits for, and the seats that must make it.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The seats with a code to hide choose it at the same time, in secret.
    Hiding,
    /// The seat asks a question of one of these kinds or, after its first turn, may declare.
    Asking(Seat, Set<Kind>),
    /// The first of two seats has solved the code; the second gets one last declaration.
    LastChance(Seat),
    Over,
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// The seat won.
    Won(Seat),
    /// Both seats of two solved their codes.
    BothSolved,
    /// No seat won.
    Unsolved,
}

impl Game for DigitCode {
    const NAME: &'static str = "digit-code";
    const TITLE: &'static str = "Digit Code";
    const SEATS: RangeInclusive<usize> = 2..=5;
    const RULES_VERSION: u32 = 1;
    const SCORING: &'static [Source] = SCORING;
    const FORMS: &'static [Form] = &[
        Form::new(
            "hide",
            "Before the first turn: hide a code.",
            &[Field::new(
                "code",
                FieldKind::Text(Text {
                    prefill: true,
                    ..CODE
                }),
            )],
        ),
        Form::new(
            "ask_line",
            "Ask how many places of a line are filled: columns A to I, rows J to S.",
            &[Field::list("line").called("column or row")],
        ),
        Form::new(
            "ask_parity",
            "Ask whether a digit is even or odd.",
            &[Field::list("digit")],
        ),
        Form::new(
            "ask_larger",
            "Ask which of two neighbours is larger.",
            &[Field::list("pair").called("neighbours")],
        ),
        Form::new(
            "ask_place",
            "Ask whether one place is filled.",
            &[Field::list("column"), Field::list("row")],
        ),
        Form::new(
            "declare",
            "Declare what the hidden code is.",
            &[Field::new("code", FieldKind::Text(CODE))],
        ),
    ];
    const PLAYERS: Players = Players {
        seat: &["seat", "first", "master", "solving", "withdrawn"],
        by_seat: &["wrong", "wins"],
    };
    const TABLE: Option<&'static str> = Some(include_str!("table.js"));
    const RULES_PAGE: &'static str = include_str!("rules.md");
    type Rules = Rules;
    type Prompt = Prompt;
    type Action = Action;
    type Event = Event;
    type View = View;

    fn deal(rules: &Rules, seats: usize, draws: Draws, events: &mut Vec<Event>) -> Self {
        let mut digit_code = Self {
            rules: rules.clone(),
            draws,
            playing: Seat::all(seats),
            game: 0,
            masters: if rules.master == Master::Seats {
                Seat::all(seats)
            } else {
                Set::EMPTY
            },
            hidden: Hidden::Each([None; 2]),
            solving: Set::EMPTY,
            first: Seat(0),
            turns: BySeat::new(seats, |_| 0),
            wrong: BySeat::new(seats, |_| 0),
            wins: BySeat::new(seats, |_| 0),
            phase: Phase::Over,
        };
        digit_code.start_game(events);
        digit_code
    }

    fn turn(&self) -> Turn {
        match self.phase {
            Phase::Hiding => Turn::Act(self.to_hide()),
            Phase::Asking(seat, _) | Phase::LastChance(seat) => Turn::Act(Set::one(seat)),
            Phase::Over => {
                let breakdowns = self.wins.map(|wins| Breakdown::new(SCORING, &[*wins]));
                Turn::Over(Outcome::by_points(SCORING, &breakdowns))
            }
        }
    }

    fn prompt(&self, seat: Seat) -> Prompt {
        let mut prompt = self.options(seat);
        let mut choices = prompt.0.iter_mut();
        if let Some(Choice::Hide { code } | Choice::Declare { code }) =
            choices.find(|choice| choice.kind().is_none())
        {
            *code = self.samples(seat);
        }
        prompt
    }

    fn options(&self, seat: Seat) -> Prompt {
        let mut options = ArrayVec::new();
        match self.phase {
            Phase::Hiding => options.push(Choice::Hide {
                code: Samples::new(),
            }),
            Phase::Asking(_, kinds) => {
                options.extend(kinds.into_iter().map(Choice::questions));
                if self.turns[seat] > 0 {
                    options.push(Choice::Declare {
                        code: Samples::new(),
                    });
                }
            }
            Phase::LastChance(_) => options.push(Choice::Declare {
                code: Samples::new(),
            }),
            Phase::Over => {}
        }
        Prompt(options)
    }

    fn play(
        &mut self,
        seat: Seat,
        action: &Action,
        events: &mut Vec<Event>,
    ) -> Result<(), Illegal> {
        self.options(seat).permits(action)?;
        match *action {
            Action::Hide { code } => self.hide(seat, code, events),
            Action::AskLine { line } => self.answer(seat, Question::Line(line), events),
            Action::AskParity { digit } => self.answer(seat, Question::Parity(digit), events),
            Action::AskLarger { pair } => self.answer(seat, Question::Larger(pair), events),
            Action::AskPlace { column, row } => {
                self.answer(seat, Question::Place(column, row), events);
            }
            Action::Declare { code } => self.judge(seat, code, events),
        }
        Ok(())
    }

    fn withdraw(&mut self, seats: Set<Seat>, events: &mut Vec<Event>) {
        self.playing = self.playing.without(seats);
        self.solving = self.solving.without(seats);
        events.extend(seats.into_iter().map(|seat| Event::Withdrew { seat }));
        match self.phase {
            Phase::Over => {}
            _ if self.playing.len() < 2 => {
                // The last remaining seat wins only if it was solving. A question master, or a seat that was eliminated, does not win.
                let end = self
                    .playing
                    .and(self.solving)
                    .only()
                    .map_or(End::Unsolved, End::Won);
                self.end_game(end, events);
            }
            Phase::Hiding => self.end_game(End::Unsolved, events),
            Phase::Asking(seat, _) | Phase::LastChance(seat) if seats.contains(seat) => {
                self.next_turn(seat, events);
            }
            Phase::Asking(..) | Phase::LastChance(_) => {}
        }
    }

    fn seen_by(event: &Event, seat: Seat) -> Event {
        match *event {
            Event::Hid { seat: owner, code } => Event::Hid {
                seat: owner,
                code: code.filter(|_| owner == Some(seat)),
            },
            Event::GameStarted { .. }
            | Event::AskedLine { .. }
            | Event::AskedParity { .. }
            | Event::AskedLarger { .. }
            | Event::AskedPlace { .. }
            | Event::Declared { .. }
            | Event::Eliminated { .. }
            | Event::Withdrew { .. }
            | Event::Revealed { .. }
            | Event::GameEnded { .. } => *event,
        }
    }

    fn deduction(
        rules: &Rules,
        seats: usize,
        seat: Seat,
    ) -> Option<Box<dyn Deduction<Event, Action>>> {
        Some(Box::new(Known::expecting(
            rules,
            seats,
            seat,
            Candidates::all(),
        )))
    }

    fn imagine(
        _: &Rules,
        seats: usize,
        seat: Seat,
        seen: &[Event],
        chance: &mut Chance,
    ) -> Option<Imagined<Action>> {
        let mut left = Candidates::all().clone();
        // With two seats, each solves its own code.
        let concerns = |asker| seats > 2 || asker == seat;
        // For each code: the seat that hid it, and the code once known.
        let mut codes: Vec<(Option<Seat>, Option<Code>)> = Vec::new();
        for event in seen {
            match *event {
                Event::GameStarted { game, .. } if game > 1 => left = Candidates::all().clone(),
                Event::Hid { seat: by, code } if by != Some(seat) => codes.push((by, code)),
                Event::Revealed { seat: by, code } => {
                    let mut open = codes.iter_mut().rev();
                    if let Some((_, hidden)) = open.find(|(owner, _)| *owner == by) {
                        *hidden = Some(code);
                    }
                }
                Event::Declared {
                    seat: by,
                    code,
                    right: false,
                } if concerns(by) => left.remove(code),
                _ => {
                    let asked = event.question().filter(|(asker, ..)| concerns(*asker));
                    asked
                        .into_iter()
                        .for_each(|(_, question, answer)| left.keep(question, answer));
                }
            }
        }
        let mut imagined = Imagined {
            fixed: Vec::new(),
            hidden: Vec::new(),
        };
        for (by, code) in codes {
            if code.is_none() && left.is_empty() {
                return None;
            }
            let code = code.unwrap_or_else(|| left.pick(chance));
            match by {
                Some(seat) => imagined.hidden.push((seat, Action::Hide { code })),
                None => {
                    let digits = Digit::ALL.map(|digit| code.value(digit)).to_vec();
                    imagined.fixed.push((CODE_DRAWN.into(), 0, digits));
                }
            }
        }
        Some(imagined)
    }

    fn conceals(action: &Action) -> bool {
        matches!(action, Action::Hide { .. })
    }

    fn describe(event: &Event, names: &BySeat<String>) -> String {
        types::describe(event, names)
    }

    fn drawn(event: &Event, _view: &View, _names: &BySeat<String>) -> Option<String> {
        match event {
            Event::Hid {
                code: Some(code), ..
            } => Some(code.drawn()),
            _ => None,
        }
    }
}
