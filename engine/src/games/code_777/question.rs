//! The 23 question cards of Code 777, and the true answer to each for a seat that sees certain racks.

use std::cmp::Ordering;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::card::{Card, Colour, NUMBERS, Rack};
use crate::set::{Member, Set, numbered};

/// Number of question cards.
pub const QUESTIONS: u8 = 23;

/// A question card, by its number from 1 to 23.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u8", into = "u8")]
pub struct Question(#[schemars(range(min = 1, max = 23))] u8);

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Questions 1 to 11: a count.
    Count(u8),
    /// Questions 12 to 23: more of what is named first.
    First,
    /// Questions 12 to 23: more of what is named second.
    Second,
    /// Questions 12 to 23: equally many of both, perhaps none.
    Same,
}

/// Number of bits that a tally uses per kind of card.
const BITS: u8 = 4;

/// Bit offset between the two subjects of a question in a tally. The first subject is stored in the upper half, the second in the lower.
const HALF: u8 = 32;

/// Number of copies of each kind of card, computed as a sum of tallies.
#[derive(Clone, Copy)]
struct Seen(u64);

impl Seen {
    fn count(self, card: Card) -> usize {
        (self.0 >> (BITS * card.index())) as usize & ((1 << BITS) - 1)
    }

    fn of_colour(self, colour: Colour) -> usize {
        Card::all()
            .into_iter()
            .filter(|card| card.colour() == colour)
            .map(|card| self.count(card))
            .sum()
    }
}

/// A set of cards with its name.
type Named = (&'static str, fn(Card) -> bool);

/// The subject of a question.
enum About {
    /// Number of racks with this property.
    Racks(&'static str, fn(&Rack) -> bool),
    /// A number computed from all visible cards.
    Cards(&'static str, fn(Seen) -> usize),
    /// Comparison of two sets of cards: the set with more cards.
    More([Named; 2]),
}

impl Question {
    /// Returns all questions.
    pub fn all() -> impl Iterator<Item = Question> {
        (1..=QUESTIONS).map(Question)
    }

    /// Returns the number of the question card.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Returns the true answer of a seat that sees these racks.
    pub fn answer(self, seen: &[Rack]) -> Answer {
        self.read(seen.iter().map(|rack| self.tally(rack)).sum())
    }

    /// Returns the contribution of one rack. The answer depends on the racks only through the sum of their tallies.
    pub fn tally(self, rack: &Rack) -> u64 {
        match self.about() {
            About::Racks(_, fits) => fits(rack).into(),
            About::Cards(..) => rack
                .cards()
                .iter()
                .map(|card| 1 << (BITS * card.index()))
                .sum(),
            About::More(kinds) => {
                let [first, second] = kinds
                    .map(|(_, is)| rack.cards().iter().filter(|card| is(**card)).count() as u64);
                first << HALF | second
            }
        }
    }

    /// Returns the answer of a seat that sees racks whose tallies have this sum.
    pub fn read(self, sum: u64) -> Answer {
        match self.about() {
            About::Racks(..) => Answer::Count(sum as u8),
            About::Cards(_, count) => Answer::Count(count(Seen(sum)) as u8),
            About::More(_) => match (sum >> HALF).cmp(&(sum & ((1 << HALF) - 1))) {
                Ordering::Greater => Answer::First,
                Ordering::Less => Answer::Second,
                Ordering::Equal => Answer::Same,
            },
        }
    }

    /// Returns the answer as a phrase.
    pub fn describe(self, answer: Answer) -> String {
        match (answer, self.about()) {
            (Answer::Count(count), _) => count.to_string(),
            (Answer::First, About::More([(first, _), _])) => format!("more {first}"),
            (Answer::Second, About::More([_, (second, _)])) => format!("more {second}"),
            (Answer::First | Answer::Second | Answer::Same, _) => "the same".into(),
        }
    }

    fn about(self) -> About {
        match self.0 {
            1 => About::Racks("the sum is 18 or more", |rack| sum(rack) >= 18),
            2 => About::Racks("the sum is 12 or less", |rack| sum(rack) <= 12),
            3 => About::Racks("the same number stands in different colours", |rack| {
                pairs(rack).any(|(a, b)| a.number() == b.number() && a != b)
            }),
            4 => About::Racks("there are three different colours", |rack| {
                pairs(rack).all(|(a, b)| a.colour() != b.colour())
            }),
            5 => About::Racks("all numbers are even or all are odd", |rack| {
                pairs(rack).all(|(a, b)| a.number() % 2 == b.number() % 2)
            }),
            6 => About::Racks(
                "at least two cards are alike in number and colour",
                |rack| pairs(rack).any(|(a, b)| a == b),
            ),
            7 => About::Racks("there are three consecutive numbers", |rack| {
                let [low, middle, high] = rack.numbers();
                low + 1 == middle && middle + 1 == high
            }),
            8 => About::Cards("How many colours do you see?", |seen| {
                Colour::ALL
                    .into_iter()
                    .filter(|colour| seen.of_colour(*colour) > 0)
                    .count()
            }),
            9 => About::Cards("How many colours do you see three times or more?", |seen| {
                Colour::ALL
                    .into_iter()
                    .filter(|colour| seen.of_colour(*colour) >= 3)
                    .count()
            }),
            10 => About::Cards("How many of the numbers 1 to 7 do you not see?", |seen| {
                let numbers: Set<u8> = Card::all()
                    .into_iter()
                    .filter(|card| seen.count(*card) > 0)
                    .map(Card::number)
                    .collect();
                usize::from(NUMBERS) - numbers.len()
            }),
            11 => About::Cards(
                "How many of green 1, black 5 and purple 7 do you see in all?",
                |seen| {
                    let single = Card::all().into_iter().filter(|card| card.copies() == 1);
                    single.map(|card| seen.count(card)).sum()
                },
            ),
            12 => About::More([("threes", |card| card.number() == 3), PURPLE_SIXES]),
            13 => About::More([GREEN_SIXES, YELLOW_SEVENS]),
            14 => About::More([("twos", |card| card.number() == 2), YELLOW_SEVENS]),
            15 => About::More([PURPLE_SIXES, GREEN_SIXES]),
            16 => About::More([
                ("blue sevens", |card| is(card, 7, Colour::Blue)),
                ("sevens of other colours", |card| {
                    card.number() == 7 && card.colour() != Colour::Blue
                }),
            ]),
            17 => About::More([BROWNS, BLUES]),
            18 => About::More([REDS, PURPLES]),
            19 => About::More([GREENS, BLUES]),
            20 => About::More([YELLOWS, PURPLES]),
            21 => About::More([BLACKS, BROWNS]),
            22 => About::More([BLACKS, REDS]),
            _ => About::More([GREENS, YELLOWS]),
        }
    }
}

const GREENS: Named = ("green numbers", |card| card.colour() == Colour::Green);
const YELLOWS: Named = ("yellow numbers", |card| card.colour() == Colour::Yellow);
const BLACKS: Named = ("black numbers", |card| card.colour() == Colour::Black);
const BROWNS: Named = ("brown numbers", |card| card.colour() == Colour::Brown);
const REDS: Named = ("red numbers", |card| card.colour() == Colour::Red);
const PURPLES: Named = ("purple numbers", |card| card.colour() == Colour::Purple);
const BLUES: Named = ("blue numbers", |card| card.colour() == Colour::Blue);

const GREEN_SIXES: Named = ("green sixes", |card| is(card, 6, Colour::Green));
const PURPLE_SIXES: Named = ("purple sixes", |card| is(card, 6, Colour::Purple));
const YELLOW_SEVENS: Named = ("yellow sevens", |card| is(card, 7, Colour::Yellow));

fn is(card: Card, number: u8, colour: Colour) -> bool {
    card.number() == number && card.colour() == colour
}

fn sum(rack: &Rack) -> u8 {
    rack.numbers().iter().sum()
}

/// Returns the three pairs of cards on a rack.
fn pairs(rack: &Rack) -> impl Iterator<Item = (Card, Card)> {
    let [a, b, c] = rack.cards();
    [(a, b), (a, c), (b, c)].into_iter()
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.about() {
            About::Racks(what, _) => write!(f, "On how many racks is this true: {what}?"),
            About::Cards(what, _) => f.write_str(what),
            About::More([(first, _), (second, _)]) => {
                write!(f, "Do you see more {first} or more {second}?")
            }
        }
    }
}

impl TryFrom<u8> for Question {
    type Error = String;
    fn try_from(number: u8) -> Result<Self, String> {
        let none = || format!("question cards have the numbers 1 to 23, not {number}");
        (1..=QUESTIONS)
            .contains(&number)
            .then_some(Question(number))
            .ok_or_else(none)
    }
}

impl From<Question> for u8 {
    fn from(question: Question) -> u8 {
        question.0
    }
}

numbered!(Question);
