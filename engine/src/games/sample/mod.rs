//! Hide and seek: every seat hides a word of three letters, and the first to find another's word wins. It shows how small a game can be, and
//! that a game without a picture is watched and played; it is not in the program's list, and the tests alone reach it.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chance::Chance;
use crate::draws::Draws;
use crate::form::{Field, Form, Players};
use crate::game::{self, Game, Illegal, Prompt as _, Turn, not_now, one_of};
use crate::outcome::{Breakdown, Outcome, Source};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// The letters of a word.
const LETTERS: [char; 4] = ['A', 'B', 'C', 'D'];
/// Turns of each seat.
const ROUNDS: usize = 6;

/// A word.
type Word = [char; 3];

/// A table of hide and seek.
#[derive(Clone, Debug)]
pub struct HideAndSeek {
    words: BySeat<Option<Word>>,
    playing: Set<Seat>,
    /// The seat that seeks next.
    seeker: Seat,
    turns_left: usize,
    finder: Option<Seat>,
}

/// There are no variants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rules {}

impl game::Rules for Rules {
    fn check(&self, _: usize) -> Result<(), String> {
        Ok(())
    }

    fn points(&self, _: usize) -> RangeInclusive<i32> {
        0..=1
    }
}

/// The options of a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Prompt(pub [Choice; 1]);

/// One option: an action, with the list of legal values in place of each value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PromptOption")]
pub enum Choice {
    /// Before the first turn: hide a word.
    Hide {
        /// The letters that each place may have.
        word: [Vec<char>; 3],
    },
    /// Seek the word of another seat.
    Seek {
        /// The other seats.
        seat: Set<Seat>,
        /// The letters that each place may have.
        word: [Vec<char>; 3],
    },
}

/// An action of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Hide this word.
    Hide {
        /// Three letters A to D.
        word: Word,
    },
    /// Guess the word of another seat.
    Seek {
        /// The seat that hides it.
        seat: Seat,
        /// The guess.
        word: Word,
    },
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A seat hid a word.
    Hid {
        /// Who.
        seat: Seat,
        /// The word; null unless it is yours.
        word: Option<Word>,
    },
    /// A seat guessed a word.
    Sought {
        /// Who.
        seat: Seat,
        /// The seat that hides the word.
        target: Seat,
        /// The guess.
        word: Word,
        /// How many letters are right: three have found it.
        right: usize,
    },
    /// A seat forfeited.
    Withdrew {
        /// Who.
        seat: Seat,
    },
}

/// The table as one seat sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The seat that sees this.
    pub seat: Seat,
    /// The words: your own, and null for the others.
    pub words: BySeat<Option<Word>>,
    /// All guesses, first to last.
    pub sought: Vec<Event>,
}

impl Game for HideAndSeek {
    const NAME: &'static str = "sample";
    const TITLE: &'static str = "Hide and seek";
    const SEATS: RangeInclusive<usize> = 2..=3;
    const RULES_VERSION: u32 = 1;
    const SCORING: &'static [Source] = &[Source {
        name: "finds",
        worth: 1,
    }];
    const FORMS: &'static [Form] = &[
        Form::new(
            "hide",
            "Hide a word of three letters.",
            &[Field::each("word")],
        ),
        Form::new(
            "seek",
            "Guess the word of another player.",
            &[Field::player("seat"), Field::each("word")],
        ),
    ];
    const PLAYERS: Players = Players {
        seat: &["seat", "target"],
        by_seat: &["words"],
    };
    const RULES_PAGE: &'static str = include_str!("rules.md");
    type Rules = Rules;
    type Prompt = Prompt;
    type Action = Action;
    type Event = Event;
    type View = View;

    fn deal(_: &Rules, seats: usize, _: Draws, _: &mut Vec<Event>) -> Self {
        Self {
            words: BySeat::new(seats, |_| None),
            playing: Seat::all(seats),
            seeker: Seat(0),
            turns_left: ROUNDS * seats,
            finder: None,
        }
    }

    fn turn(&self) -> Turn {
        if self.finder.is_some() || self.turns_left == 0 || self.playing.len() < 2 {
            let finds = |seat| Breakdown::new(Self::SCORING, &[(self.finder == Some(seat)).into()]);
            return Turn::Over(Outcome::by_points(
                Self::SCORING,
                &BySeat::new(self.words.len(), finds),
            ));
        }
        let hiding: Set<Seat> = self
            .playing
            .into_iter()
            .filter(|seat| self.words[*seat].is_none())
            .collect();
        Turn::Act(if hiding.is_empty() {
            Set::one(self.seeker)
        } else {
            hiding
        })
    }

    fn prompt(&self, seat: Seat) -> Prompt {
        let word = [(); 3].map(|()| LETTERS.into());
        Prompt([match self.words[seat] {
            None => Choice::Hide { word },
            Some(_) => Choice::Seek {
                seat: self.playing.without(Set::one(seat)),
                word,
            },
        }])
    }

    fn play(
        &mut self,
        seat: Seat,
        action: &Action,
        events: &mut Vec<Event>,
    ) -> Result<(), Illegal> {
        self.prompt(seat).permits(action)?;
        match *action {
            Action::Hide { word } => {
                self.words[seat] = Some(word);
                events.push(Event::Hid {
                    seat,
                    word: Some(word),
                });
            }
            Action::Seek { seat: target, word } => {
                let hidden = self.words[target].into_iter().flatten();
                let right = hidden
                    .zip(word)
                    .filter(|(hidden, guess)| hidden == guess)
                    .count();
                events.push(Event::Sought {
                    seat,
                    target,
                    word,
                    right,
                });
                self.finder = (right == 3).then_some(seat);
                self.turns_left -= 1;
                self.seeker = seat
                    .next(self.words.len(), self.playing)
                    .expect("two seats play");
            }
        }
        Ok(())
    }

    fn withdraw(&mut self, seats: Set<Seat>, events: &mut Vec<Event>) {
        self.playing = self.playing.without(seats);
        self.seeker = self
            .seeker
            .or_next(self.words.len(), self.playing)
            .unwrap_or(self.seeker);
        events.extend(seats.into_iter().map(|seat| Event::Withdrew { seat }));
    }

    fn seen_by(event: &Event, seat: Seat) -> Event {
        match *event {
            Event::Hid { seat: owner, .. } if owner != seat => Event::Hid {
                seat: owner,
                word: None,
            },
            Event::Hid { .. } | Event::Sought { .. } | Event::Withdrew { .. } => *event,
        }
    }

    fn describe(event: &Event, names: &BySeat<String>) -> String {
        match *event {
            Event::Hid { seat, word: None } => format!("{} hides a word.", names[seat]),
            Event::Hid {
                seat,
                word: Some(word),
            } => format!("{} hides {}.", names[seat], String::from_iter(word)),
            Event::Sought {
                seat,
                target,
                word,
                right,
            } => {
                let word = String::from_iter(word);
                format!(
                    "{} seeks the word of {}: {word}, {right} right.",
                    names[seat], names[target]
                )
            }
            Event::Withdrew { seat } => format!("{} forfeits.", names[seat]),
        }
    }
}

impl game::Prompt<Action> for Prompt {
    fn pick(&self, chance: &mut Chance) -> Action {
        let mut picked =
            |word: &[Vec<char>; 3]| word.each_ref().map(|letters| *chance.pick(letters));
        match &self.0[0] {
            Choice::Hide { word } => Action::Hide { word: picked(word) },
            Choice::Seek { seat, word } => Action::Seek {
                word: picked(word),
                seat: seat.pick(chance),
            },
        }
    }

    fn permits(&self, action: &Action) -> Result<(), Illegal> {
        let word = match (action, &self.0[0]) {
            (Action::Hide { word }, Choice::Hide { .. }) => word,
            (Action::Seek { seat, word }, Choice::Seek { seat: others, .. }) => {
                one_of("seat", *seat, *others)?;
                word
            }
            _ => return Err(not_now(action, &self.0)),
        };
        let is_word = word.iter().all(|letter| LETTERS.contains(letter));
        if is_word {
            Ok(())
        } else {
            Err(Illegal("a word is three letters A to D".into()))
        }
    }
}

impl game::View<Rules, Event> for View {
    fn new(_: &Rules, seats: usize, seat: Seat) -> Self {
        Self {
            seat,
            words: BySeat::new(seats, |_| None),
            sought: Vec::new(),
        }
    }

    fn see(&mut self, event: &Event) {
        match *event {
            Event::Hid { seat, word } => self.words[seat] = word,
            Event::Sought { .. } => self.sought.push(*event),
            Event::Withdrew { .. } => {}
        }
    }
}
