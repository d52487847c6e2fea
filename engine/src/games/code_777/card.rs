//! The cards of Code 777 and their notation: a letter for the colour and the number, as in `G1`, `K5`, `B7`.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::notation::notation;
use crate::set::{Set, members, numbered};
use crate::shown;

/// Highest number on a card; the lowest is 1.
pub const NUMBERS: u8 = 7;

/// Total number of cards.
pub const CARDS: u8 = 28;

/// Number of cards on a rack.
pub const RACK: usize = 3;

/// Number of distinct cards.
pub const KINDS: usize = 11;

/// The distinct cards in ascending order, each with its number of copies.
const CARD_KINDS: [(u8, Colour, u8); KINDS] = [
    (1, Colour::Green, 1),
    (2, Colour::Yellow, 2),
    (3, Colour::Black, 3),
    (4, Colour::Brown, 4),
    (5, Colour::Red, 4),
    (5, Colour::Black, 1),
    (6, Colour::Green, 3),
    (6, Colour::Purple, 3),
    (7, Colour::Purple, 1),
    (7, Colour::Yellow, 2),
    (7, Colour::Blue, 4),
];

/// The colour of a card's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Colour {
    /// Green, written G.
    Green,
    /// Yellow, written Y.
    Yellow,
    /// Black, written K as in printing, because B is blue.
    Black,
    /// Brown, written N after its last letter, because B is blue.
    Brown,
    /// Red, written R.
    Red,
    /// Purple, written P.
    Purple,
    /// Blue, written B.
    Blue,
}

impl Colour {
    /// All colours.
    pub const ALL: [Colour; 7] = [
        Colour::Green,
        Colour::Yellow,
        Colour::Black,
        Colour::Brown,
        Colour::Red,
        Colour::Purple,
        Colour::Blue,
    ];

    /// Returns the letter of the colour in card notation.
    pub fn letter(self) -> char {
        ['G', 'Y', 'K', 'N', 'R', 'P', 'B'][self as usize]
    }
}

members!(Colour);

/// The front of a card: a number in a colour, ordered by number. Most fronts appear on several cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// Returns the distinct cards in ascending order.
    pub fn all() -> Set<Card> {
        Set::below(KINDS as u8)
    }

    /// Returns the card with this number and colour, if there is one.
    pub fn new(number: u8, colour: Colour) -> Option<Self> {
        Self::all()
            .into_iter()
            .find(|card| card.number() == number && card.colour() == colour)
    }

    /// Returns the number on the card, 1 to 7.
    pub fn number(self) -> u8 {
        CARD_KINDS[usize::from(self.0)].0
    }

    /// Returns the colour of the card.
    pub fn colour(self) -> Colour {
        CARD_KINDS[usize::from(self.0)].1
    }

    /// Returns the number of copies of this card.
    pub fn copies(self) -> u8 {
        CARD_KINDS[usize::from(self.0)].2
    }
}

shown!(Card, |card| "{}{}", card.colour().letter(), card.number());

impl FromStr for Card {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let no_card = || format!("{text:?} is not a card: those are {}", Card::all());
        let [letter, digit] = *text.as_bytes() else {
            return Err(no_card());
        };
        let is_it =
            |card: &Card| card.colour().letter() == letter.into() && card.number() + b'0' == digit;
        Card::all().into_iter().find(is_it).ok_or_else(no_card)
    }
}

notation!(Card, "a card such as \"B7\"", {
    "type": "string",
    "enum": Card::all().into_iter().map(|card| card.to_string()).collect::<Vec<_>>()
});

/// The three cards on a rack, kept sorted because their order has no meaning.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(from = "[Card; 3]", into = "[Card; 3]")]
pub struct Rack([Card; RACK]);

impl Rack {
    /// Returns the distinct racks that the 28 cards allow, in ascending order.
    pub fn all() -> impl Iterator<Item = Rack> {
        let cards = || Card::all().into_iter();
        let sorted = cards().flat_map(move |low| {
            let from = move |least| cards().filter(move |card| *card >= least);
            from(low)
                .flat_map(move |middle| from(middle).map(move |high| Rack([low, middle, high])))
        });
        sorted.filter(|rack| {
            rack.0
                .iter()
                .all(|card| Cards::from_rack(rack).count(*card) <= card.copies())
        })
    }

    /// Returns the cards on the rack, sorted.
    pub fn cards(&self) -> [Card; RACK] {
        self.0
    }

    /// Returns the numbers on the rack, lowest first.
    pub fn numbers(&self) -> [u8; RACK] {
        self.0.map(Card::number)
    }
}

impl From<[Card; RACK]> for Rack {
    fn from(mut cards: [Card; RACK]) -> Self {
        cards.sort_unstable();
        Self(cards)
    }
}

impl From<Rack> for [Card; RACK] {
    fn from(rack: Rack) -> Self {
        rack.0
    }
}

shown!(Rack, |rack| "{} {} {}", rack.0[0], rack.0[1], rack.0[2]);

/// A multiset of cards: the number of copies of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cards([u8; KINDS]);

impl Cards {
    /// Returns all 28 cards.
    pub fn full() -> Self {
        Self(CARD_KINDS.map(|(_, _, copies)| copies))
    }

    /// Collects the cards of one rack.
    pub fn from_rack(rack: &Rack) -> Self {
        let mut cards = Self::default();
        cards.add(rack);
        cards
    }

    /// Returns the number of copies of this card.
    pub fn count(&self, card: Card) -> u8 {
        self.0[usize::from(card.0)]
    }

    /// Adds the cards of a rack.
    pub fn add(&mut self, rack: &Rack) {
        rack.0
            .iter()
            .for_each(|card| self.0[usize::from(card.0)] += 1);
    }

    /// Returns these cards without those of a rack; `None` if any card of the rack is missing.
    #[must_use]
    pub fn without(&self, rack: &Rack) -> Option<Self> {
        let mut left = *self;
        for card in rack.0 {
            let count = &mut left.0[usize::from(card.0)];
            *count = count.checked_sub(1)?;
        }
        Some(left)
    }

    /// Returns the number of ways to draw the rack from these cards, counting identical cards as distinct.
    pub fn ways(&self, rack: &Rack) -> u32 {
        let mut left = *self;
        let mut ways = 1;
        let mut alike = 0;
        for (i, card) in rack.0.iter().enumerate() {
            let count = &mut left.0[usize::from(card.0)];
            alike = if i > 0 && rack.0[i - 1] == *card {
                alike + 1
            } else {
                1
            };
            ways = ways * u32::from(*count) / alike;
            *count = count.saturating_sub(1);
        }
        ways
    }
}

/// One of the 28 physical cards, distinct from its copies, so that every card of the deck is drawn with the same probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece(u8);

impl Piece {
    /// Returns all 28 pieces.
    pub(super) fn all() -> Set<Piece> {
        Set::below(CARDS)
    }

    /// Returns the front of the piece. Pieces are numbered card by card.
    pub(super) fn card(self) -> Card {
        const FRONTS: [Card; CARDS as usize] = {
            let mut fronts = [Card(0); CARDS as usize];
            let mut piece = 0;
            let mut card = 0;
            let mut end = CARD_KINDS[0].2;
            while piece < CARDS {
                if piece == end {
                    card += 1;
                    end += CARD_KINDS[card as usize].2;
                }
                fronts[piece as usize] = Card(card);
                piece += 1;
            }
            fronts
        };
        FRONTS[usize::from(self.0)]
    }
}

numbered!(Card, Piece);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_reads_back() {
        for card in Card::all() {
            assert_eq!(card.to_string().parse::<Card>().unwrap(), card);
        }
        for bad in ["", "G", "G2", "K4", "g1", "G11", "7B", "B7 "] {
            assert!(bad.parse::<Card>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_pieces_are_the_cards() {
        for card in Card::all() {
            let alike = Piece::all()
                .into_iter()
                .filter(|piece| piece.card() == card)
                .count();
            assert_eq!(alike, usize::from(card.copies()));
        }
    }

    #[test]
    fn every_rack_is_drawn_in_as_many_ways_as_counting_says() {
        let pieces: Vec<Piece> = Piece::all().into_iter().collect();
        let mut counted = std::collections::BTreeMap::new();
        for a in 0..pieces.len() {
            for b in a + 1..pieces.len() {
                for c in b + 1..pieces.len() {
                    *counted
                        .entry(Rack::from([a, b, c].map(|i| pieces[i].card())))
                        .or_insert(0) += 1;
                }
            }
        }
        for rack in Rack::all() {
            assert_eq!(Cards::full().ways(&rack), counted[&rack], "{rack}");
        }
        assert_eq!(counted.len(), Rack::all().count());
    }
}
