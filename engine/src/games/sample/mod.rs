//! Hide and seek: every seat hides a word of three letters, and seeks the words of the others. It shows how small a game can be, and that
//! a game without a picture is watched and played; it is not in the program's list, and the tests alone reach it.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chance::{Chance, Seed};
use crate::form::{Field, FieldKind, Form, Players, Text};
use crate::game::{self, Game, Illegal, Late, Prompt as _, Turn};
use crate::outcome::{Breakdown, Outcome, Source};
use crate::seat::{BySeat, Seat};
use crate::set::Set;

/// The letters of a word.
const LETTERS: [char; 4] = ['A', 'B', 'C', 'D'];
/// The words that a prompt offers as samples.
const SAMPLES: [&str; 3] = ["BAD", "CAB", "DAC"];

/// A table of hide and seek.
#[derive(Clone, Debug)]
pub struct HideAndSeek {
    rounds: u8,
    words: BySeat<Option<String>>,
    finds: BySeat<i32>,
    playing: Set<Seat>,
    found: Set<Seat>,
    /// Who seeks, once all have hidden a word, and in which round; none once it is over.
    seeking: Option<(Seat, u8)>,
}

/// How long it is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Turns of each seat, 1 to 20.
    pub rounds: u8,
}

impl Default for Rules {
    fn default() -> Self {
        Self { rounds: 6 }
    }
}

impl game::Rules for Rules {
    fn check(&self, _: usize) -> Result<(), String> {
        if (1..=20).contains(&self.rounds) { Ok(()) } else { Err(format!("rounds is 1 to 20, not {}", self.rounds)) }
    }

    fn points(&self, seats: usize) -> RangeInclusive<i32> {
        0..=seats as i32 - 1
    }
}

/// The options of a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Prompt(pub Vec<Choice>);

/// One option: an action, with the list of legal values in place of each value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PromptOption")]
pub enum Choice {
    /// Before the first turn: hide a word.
    Hide {
        /// Some words; any of three letters A to D may be hidden.
        word: Vec<String>,
    },
    /// Seek the word of another seat.
    Seek {
        /// Whose word, and what it may be.
        guess: Guess<Set<Seat>, Vec<char>>,
    },
}

/// An action of a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Hide this word.
    Hide {
        /// Three letters A to D.
        word: String,
    },
    /// Say that the word of another seat is this.
    Seek {
        /// Whose, and what.
        guess: Guess<Seat, char>,
    },
}

/// A guess at a word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Guess<Who, Letter> {
    /// Whose word.
    pub seat: Who,
    /// Its letters.
    pub letters: [Letter; 3],
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A seat hid a word.
    Hid {
        /// Who.
        seat: Seat,
        /// The word; null unless it is yours.
        word: Option<String>,
    },
    /// A seat sought a word.
    Sought {
        /// Who.
        seat: Seat,
        /// Whose word, and what it might be.
        guess: Guess<Seat, char>,
        /// How many letters are right: three have found it.
        right: u8,
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
    /// The words: your own, and those that were found.
    pub words: BySeat<Option<String>>,
    /// What each seat has sought, with the number of right letters.
    pub sought: BySeat<Vec<(Guess<Seat, char>, u8)>>,
}

impl Game for HideAndSeek {
    const NAME: &'static str = "sample";
    const TITLE: &'static str = "Hide and seek";
    const SEATS: RangeInclusive<usize> = 2..=3;
    const RULES_VERSION: u32 = 1;
    const SCORING: &'static [Source] = &[Source { name: "finds", worth: 1 }];
    const FORMS: &'static [Form] = &[
        Form::new(
            "hide",
            "Hide a word of three letters.",
            &[Field::new("word", FieldKind::Text(Text { alphabet: "ABCD", length: 3, prefill: true }))],
        ),
        Form::new(
            "seek",
            "Say what another player has hidden: the answer is how many letters are right.",
            &[Field::new("guess", FieldKind::Group(&[Field::player("seat"), Field::each("letters")]))],
        ),
    ];
    const PLAYERS: Players = Players { seat: &["seat"], by_seat: &["words", "sought"] };
    const RULES_PAGE: &'static str = include_str!("rules.md");
    type Rules = Rules;
    type Prompt = Prompt;
    type Action = Action;
    type Event = Event;
    type View = View;

    fn deal(rules: &Rules, seats: usize, _: Seed, _: &mut Vec<Event>) -> Self {
        Self {
            rounds: rules.rounds,
            words: BySeat::new(seats, |_| None),
            finds: BySeat::new(seats, |_| 0),
            playing: Seat::all(seats),
            found: Set::EMPTY,
            seeking: Some((Seat(0), 0)),
        }
    }

    fn turn(&self) -> Turn {
        let hiding: Set<Seat> = self.playing.into_iter().filter(|seat| self.words[*seat].is_none()).collect();
        match self.seeking {
            None => {
                let breakdown = |finds: &i32| Breakdown::new(Self::SCORING, &[*finds]);
                Turn::Over(Outcome::by_points(Self::SCORING, &self.finds.map(breakdown)))
            }
            Some(_) if !hiding.is_empty() => Turn::Act(hiding),
            Some((seat, _)) => Turn::Act(Set::one(seat)),
        }
    }

    fn prompt(&self, seat: Seat) -> Prompt {
        Prompt(vec![match &self.words[seat] {
            None => Choice::Hide { word: SAMPLES.map(str::to_owned).into() },
            Some(_) => {
                let guess = Guess { seat: self.hidden_from(seat), letters: [(); 3].map(|()| LETTERS.into()) };
                Choice::Seek { guess }
            }
        }])
    }

    fn play(&mut self, seat: Seat, action: &Action, events: &mut Vec<Event>) -> Result<(), Illegal> {
        self.prompt(seat).permits(action)?;
        match action {
            Action::Hide { word } => {
                self.words[seat] = Some(word.clone());
                events.push(Event::Hid { seat, word: Some(word.clone()) });
            }
            Action::Seek { guess } => {
                let word = self.words[guess.seat].as_deref().unwrap_or_default();
                let right = word.chars().zip(guess.letters).filter(|(letter, guess)| letter == guess).count() as u8;
                events.push(Event::Sought { seat, guess: guess.clone(), right });
                if right == 3 {
                    self.finds[seat] += 1;
                    self.found.insert(guess.seat);
                }
                self.next_turn(seat);
            }
        }
        Ok(())
    }

    fn overdue(&mut self, _: Seat, _: &mut Vec<Event>) -> Late {
        Late::Forfeit
    }

    fn withdraw(&mut self, seats: Set<Seat>, events: &mut Vec<Event>) {
        self.playing = self.playing.without(seats);
        events.extend(seats.into_iter().map(|seat| Event::Withdrew { seat }));
        match self.seeking {
            _ if self.playing.len() < 2 => self.seeking = None,
            Some((seat, _)) if seats.contains(seat) => self.next_turn(seat),
            _ => {}
        }
    }

    fn seen_by(event: &Event, seat: Seat) -> Event {
        match event {
            Event::Hid { seat: owner, .. } if *owner != seat => Event::Hid { seat: *owner, word: None },
            Event::Hid { .. } | Event::Sought { .. } | Event::Withdrew { .. } => event.clone(),
        }
    }

    fn describe(event: &Event, names: &BySeat<String>) -> String {
        match event {
            Event::Hid { seat, word: Some(word) } => format!("{} hides {word}.", names[*seat]),
            Event::Hid { seat, word: None } => format!("{} hides a word.", names[*seat]),
            Event::Sought { seat, guess: Guess { seat: of, letters }, right } => {
                let word = String::from_iter(letters);
                format!("{} seeks the word of {}: {word}, {right} right.", names[*seat], names[*of])
            }
            Event::Withdrew { seat } => format!("{} forfeits.", names[*seat]),
        }
    }
}

impl HideAndSeek {
    /// The other seats whose words are not found yet.
    fn hidden_from(&self, seat: Seat) -> Set<Seat> {
        self.playing.without(self.found).without(Set::one(seat))
    }

    /// The next seat seeks, if it has anything to seek; it is over when all rounds are played or nobody has.
    fn next_turn(&mut self, seat: Seat) {
        let Some((_, round)) = self.seeking else { return };
        let seeks = self.playing.into_iter().filter(|seat| !self.hidden_from(*seat).is_empty()).collect();
        let next = seat.next(self.words.len(), seeks);
        let round = |next: Seat| if next <= seat { round + 1 } else { round };
        self.seeking = next.map(|next| (next, round(next))).filter(|(_, round)| *round < self.rounds);
    }
}

impl game::Prompt<Action> for Prompt {
    fn pick(&self, chance: &mut Chance) -> Action {
        match chance.pick(&self.0) {
            Choice::Hide { word } => Action::Hide { word: chance.pick(word).clone() },
            Choice::Seek { guess: Guess { seat, letters } } => {
                let letters = letters.each_ref().map(|letters| *chance.pick(letters));
                Action::Seek { guess: Guess { seat: seat.pick(chance), letters } }
            }
        }
    }

    fn permits(&self, action: &Action) -> Result<(), Illegal> {
        let refused = |why: &str| Err(Illegal(why.to_owned()));
        match (action, self.0.first()) {
            (Action::Hide { word }, Some(Choice::Hide { .. })) => {
                let is_word = word.chars().count() == 3 && word.chars().all(|letter| LETTERS.contains(&letter));
                if is_word { Ok(()) } else { refused("a word is three letters A to D") }
            }
            (Action::Seek { guess }, Some(Choice::Seek { guess: legal })) => {
                if !legal.seat.contains(guess.seat) {
                    return refused(&format!("there is no word to find at seat {}", guess.seat));
                }
                let is_word = guess.letters.iter().all(|letter| LETTERS.contains(letter));
                if is_word { Ok(()) } else { refused("letters are A to D") }
            }
            (Action::Seek { .. }, _) => refused("seek is not legal now: choose hide"),
            (Action::Hide { .. }, _) => refused("hide is not legal now: choose seek"),
        }
    }
}

impl game::View<Rules, Event> for View {
    fn new(_: &Rules, seats: usize, seat: Seat) -> Self {
        Self { seat, words: BySeat::new(seats, |_| None), sought: BySeat::new(seats, |_| Vec::new()) }
    }

    fn see(&mut self, event: &Event) {
        match event {
            Event::Hid { seat, word } => self.words[*seat].clone_from(word),
            Event::Sought { seat, guess, right } => {
                self.sought[*seat].push((guess.clone(), *right));
                if *right == 3 {
                    self.words[guess.seat] = Some(guess.letters.iter().collect());
                }
            }
            Event::Withdrew { .. } => {}
        }
    }
}
