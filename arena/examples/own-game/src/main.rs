//! The arena with a game of its own, the number hunt, and a bot for it.

use std::ops::RangeInclusive;
use std::process::ExitCode;

use arena::{Builtin, Entry};
use arena_bots::bot::{self, MatchBot};
use arena_engine::chance::Chance;
use arena_engine::draws::Draws;
use arena_engine::form::{Field, Form};
use arena_engine::game::{self, Game, Illegal, Prompt as _, Turn};
use arena_engine::outcome::{Breakdown, Outcome, Source};
use arena_engine::player::Start;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::set::Set;
use arena_engine::small::{Options, Seen};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

static GAMES: [Entry; 1] = [Entry::new::<NumberHunt>()];
static BOTS: [Builtin; 1] = [bot::entry::<NumberHunt, Halving>(
    "halving",
    "guesses the middle of what is left",
)];

fn main() -> ExitCode {
    arena::run(&GAMES, &BOTS)
}

/// A table of the game with all hidden information.
struct NumberHunt {
    numbers: BySeat<Option<u8>>,
    guesses: u8,
    is_over: bool,
    finder: Option<Seat>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rules {}

impl game::Rules for Rules {
    fn points(&self, _seats: usize) -> RangeInclusive<i32> {
        0..=1
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Hide { number: u8 },
    Guess { number: u8 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Event {
    /// The number is null for the other seat.
    Hid { seat: Seat, number: Option<u8> },
    /// `low` tells whether the guess is too low; null if it is right.
    Guessed {
        seat: Seat,
        number: u8,
        low: Option<bool>,
    },
}

impl Game for NumberHunt {
    const NAME: &'static str = "number-hunt";
    const TITLE: &'static str = "Number hunt";
    const SEATS: RangeInclusive<usize> = 2..=2;
    const RULES_VERSION: u32 = 1;
    const SCORING: &'static [Source] = &[Source::new("finds", 1)];
    const FORMS: &'static [Form] = &[
        Form::new("hide", "Hide a number.", &[Field::list("number")]),
        Form::new("guess", "Guess theirs.", &[Field::list("number")]),
    ];
    const RULES_PAGE: &'static str = include_str!("rules.md");
    type Rules = Rules;
    type Prompt = Options;
    type Action = Action;
    type Event = Event;
    type View = Seen<Event>;

    fn deal(_: &Rules, seats: usize, _: Draws, _: &mut Vec<Event>) -> Self {
        Self {
            numbers: BySeat::new(seats, |_| None),
            guesses: 0,
            is_over: false,
            finder: None,
        }
    }

    fn turn(&self) -> Turn {
        if self.is_over || self.finder.is_some() || self.guesses == 10 {
            let finds = |seat| Breakdown::new(Self::SCORING, &[(self.finder == Some(seat)).into()]);
            let finds = BySeat::new(2, finds);
            return Turn::Over(Outcome::by_points(Self::SCORING, &finds));
        }
        let all = Seat::all(2).into_iter();
        let hiding: Set<Seat> = all.filter(|seat| self.numbers[*seat].is_none()).collect();
        Turn::Act(match hiding.is_empty() {
            true => Set::one(Seat(self.guesses % 2)),
            false => hiding,
        })
    }

    fn prompt(&self, seat: Seat) -> Options {
        let action = self.numbers[seat].map_or("hide", |_| "guess");
        Options::one(action, "number", 1..=20)
    }

    fn play(&mut self, seat: Seat, action: &Action, news: &mut Vec<Event>) -> Result<(), Illegal> {
        self.prompt(seat).permits(action)?;
        match *action {
            Action::Hide { number } => {
                let number = Some(number);
                self.numbers[seat] = number;
                news.push(Event::Hid { seat, number });
            }
            Action::Guess { number } => {
                let hidden = self.numbers[Seat(1 - seat.0)].unwrap_or_default();
                let low = (hidden != number).then_some(hidden > number);
                self.finder = low.is_none().then_some(seat);
                self.guesses += 1;
                news.push(Event::Guessed { seat, number, low });
            }
        }
        Ok(())
    }

    fn withdraw(&mut self, _: Set<Seat>, _: &mut Vec<Event>) {
        self.is_over = true;
    }

    fn seen_by(event: &Event, eye: Seat) -> Event {
        match *event {
            Event::Hid { seat, number } => {
                let number = number.filter(|_| seat == eye);
                Event::Hid { seat, number }
            }
            Event::Guessed { .. } => event.clone(),
        }
    }

    fn describe(event: &Event, names: &BySeat<String>) -> String {
        match event {
            Event::Hid { seat, .. } => format!("{} hides a number.", names[*seat]),
            Event::Guessed { seat, number, .. } => {
                format!("{} guesses {number}.", names[*seat])
            }
        }
    }
}

/// A bot that remembers the range in which the other seat's number lies.
struct Halving {
    seat: Seat,
    left: [u8; 2],
    chance: Chance,
}

impl MatchBot<NumberHunt> for Halving {
    fn new(start: &Start<'_, Rules>) -> Self {
        Self {
            seat: start.seat,
            left: [1, 20],
            chance: start.seed.stream("halving", 0),
        }
    }

    fn act(&mut self, news: &mut dyn Iterator<Item = Event>, prompt: &Options) -> Action {
        for event in news {
            match event {
                Event::Guessed { seat, number, low } if seat == self.seat => match low {
                    Some(true) => self.left[0] = number + 1,
                    _ => self.left[1] = number - 1,
                },
                _ => {}
            }
        }
        match prompt.pick(&mut self.chance) {
            Action::Guess { .. } => Action::Guess {
                number: self.left[0].midpoint(self.left[1]),
            },
            hide => hide,
        }
    }
}
