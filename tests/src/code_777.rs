//! Referee for Code 777, based only on the printed rules and the exported events, independent of the engine.

use std::cmp::Ordering;

use serde_json::{Value, json};

use crate::exported::{Event, Exported, Found};

/// The number cards in the order in which they stand on a rack, each with its number of copies.
const DECK: [(Card, usize); 11] = [
    (Card('G', 1), 1),
    (Card('Y', 2), 2),
    (Card('K', 3), 3),
    (Card('N', 4), 4),
    (Card('R', 5), 4),
    (Card('K', 5), 1),
    (Card('G', 6), 3),
    (Card('P', 6), 3),
    (Card('P', 7), 1),
    (Card('Y', 7), 2),
    (Card('B', 7), 4),
];

/// Questions of the form "do you see more … or more …". Each option is a colour, a number, or both.
const MORE: [(usize, &str, &str); 11] = [
    (12, "3", "P6"),
    (13, "G6", "Y7"),
    (14, "2", "Y7"),
    (15, "P6", "G6"),
    (17, "N", "B"),
    (18, "R", "P"),
    (19, "G", "B"),
    (20, "Y", "P"),
    (21, "K", "N"),
    (22, "K", "R"),
    (23, "G", "Y"),
];

/// A colour and a number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Card(char, u32);

type Rack = [Card; 3];

/// State of a match in play.
struct Table<'a> {
    match_: Exported<'a>,
    racks: Vec<Option<Rack>>,
    dummies: Vec<Rack>,
    pile: Vec<Card>,
    discards: Vec<Card>,
    points: Vec<i64>,
    /// Number of questions asked before each seat forfeited.
    forfeited: Vec<Option<usize>>,
    last: Option<usize>,
    face_up: Vec<usize>,
    questions: usize,
    /// Seats that have declared since the last answer.
    declared: Vec<usize>,
    bare: Vec<usize>,
    ended: bool,
}

/// Replays an exported match event by event, checks that every event was legal and every answer true, and recomputes the outcome.
pub fn check(exported: &Value) -> Vec<i64> {
    let exported = Exported(exported);
    let mut table = Table::new(exported);
    for event in exported.events() {
        assert!(!table.ended, "nothing happens after the end");
        // Cards leave the pile in threes, so exactly seven remain.
        assert_eq!(
            table.pile.len() == 7,
            event.kind == "reshuffled",
            "{event:?}"
        );
        table.follow(event);
    }
    assert!(table.ended);
    Found {
        sources: &[("declarations", 1, table.points)],
        forfeited: &table.forfeited,
    }
    .compare(exported)
}

impl<'a> Table<'a> {
    fn new(match_: Exported<'a>) -> Self {
        let seats = match_.seats();
        Self {
            match_,
            racks: vec![],
            dummies: vec![],
            pile: DECK
                .iter()
                .flat_map(|(card, count)| vec![*card; *count])
                .collect(),
            discards: vec![],
            points: vec![0; seats],
            forfeited: vec![None; seats],
            last: None,
            face_up: vec![],
            questions: 0,
            declared: vec![],
            bare: vec![],
            ended: false,
        }
    }

    fn follow(&mut self, event: Event<'_>) {
        match event.kind {
            "dealt" => self.deal(event.seat(), rack(event)),
            "dummy" => {
                let rack = rack(event);
                assert!(
                    self.racks.len() == self.points.len() && self.questions == 0,
                    "after the others, once"
                );
                self.take(rack);
                self.dummies.push(rack);
            }
            "answered" => self.answered(event),
            "declared" => self.declared(event.seat(), event),
            "reshuffled" => {
                self.pile.append(&mut self.discards);
                assert_eq!(event.number("pile"), self.pile.len());
            }
            "questions_reshuffled" => {
                assert_eq!(self.face_up.len(), 23);
                self.face_up.clear();
            }
            "withdrew" => {
                let seat = event.seat();
                assert!(
                    self.questions > 0 && !self.declared.contains(&seat),
                    "a seat replies once to an answer"
                );
                assert!(self.forfeited[seat].replace(self.questions).is_none());
                self.discard(seat, event);
            }
            "ended" => {
                assert!(self.over());
                let best = self.playing().map(|seat| self.points[seat]).max();
                let best: Vec<usize> = self
                    .playing()
                    .filter(|seat| Some(self.points[*seat]) == best)
                    .collect();
                assert_eq!(event.body["best"], json!(best));
                self.ended = true;
            }
            other => panic!("there is no event {other} in Code 777"),
        }
    }

    fn playing(&self) -> impl Iterator<Item = usize> {
        (0..self.points.len()).filter(|seat| self.forfeited[*seat].is_none())
    }

    fn take(&mut self, rack: Rack) {
        for card in rack {
            let at = self
                .pile
                .iter()
                .position(|other| *other == card)
                .expect("a card is taken from the pile");
            self.pile.swap_remove(at);
        }
    }

    /// Deals a rack: to each seat at the start, and to a seat that has just declared.
    fn deal(&mut self, seat: usize, rack: Rack) {
        self.take(rack);
        if self.questions == 0 {
            assert!(seat == self.racks.len() && self.dummies.is_empty());
            self.racks.push(Some(rack));
        } else {
            assert_eq!(self.bare, [seat], "racks are renewed one after the other");
            self.bare.clear();
            self.racks[seat] = Some(rack);
        }
    }

    /// Discards the rack that a seat shows.
    fn discard(&mut self, seat: usize, event: Event<'_>) -> Rack {
        let shown = self.racks[seat]
            .take()
            .expect("a seat that plays has a rack");
        assert_eq!(shown, rack(event));
        self.discards.extend(shown);
        shown
    }

    fn answered(&mut self, event: Event<'_>) {
        let seats = self.points.len();
        let seat = event.seat();
        let question = event.number("question");
        assert!(!self.over() && self.bare.is_empty());
        let dummies = if *self.match_.rule("dummy_racks") == true {
            4 - seats
        } else {
            0
        };
        assert!(self.racks.len() == seats && self.dummies.len() == dummies);
        let next = self.last.map_or(0, |last| last + 1);
        let next = (next..)
            .map(|seat| seat % seats)
            .find(|seat| self.forfeited[*seat].is_none());
        assert_eq!(Some(seat), next);
        assert!(
            !self.face_up.contains(&question),
            "a question card comes once before they are shuffled"
        );
        let others = self
            .racks
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != seat)
            .filter_map(|(_, rack)| *rack);
        let seen: Vec<Rack> = others.chain(self.dummies.iter().copied()).collect();
        assert_eq!(
            event.body["answer"],
            answer(question, &seen),
            "question {question} on {seen:?}"
        );
        self.face_up.push(question);
        self.last = Some(seat);
        self.questions += 1;
        self.declared.clear();
    }

    fn declared(&mut self, seat: usize, event: Event<'_>) {
        assert!(self.questions > 0 && self.declared.last().is_none_or(|before| *before < seat));
        let shown = self.discard(seat, event);
        let claim = &event.body["said"];
        let right = if *self.match_.rule("colours") == true {
            same(&cards(&claim["cards"]), shown, |card| *card)
        } else {
            let numbers: Vec<u32> = claim["numbers"]
                .as_array()
                .unwrap()
                .iter()
                .map(number)
                .collect();
            assert_eq!(numbers.len(), 3);
            same(&numbers, shown, |card| card.1)
        };
        assert_eq!(event.flag("right"), right);
        self.points[seat] += i64::from(right);
        self.declared.push(seat);
        self.bare.push(seat);
    }

    /// Returns true if one seat is left, one leads alone with enough points, or all questions are used up.
    fn over(&self) -> bool {
        let most = self
            .playing()
            .map(|seat| self.points[seat])
            .max()
            .unwrap_or(0);
        let leaders = self
            .playing()
            .filter(|seat| self.points[*seat] == most)
            .count();
        self.playing().count() < 2
            || leaders == 1 && most >= self.match_.number("points") as i64
            || self.questions == self.match_.number("questions")
    }
}

/// Parses a card's number.
fn number(value: &Value) -> u32 {
    let number = value.as_u64().unwrap() as u32;
    assert!((1..=7).contains(&number));
    number
}

/// Parses three cards of the game.
fn cards(value: &Value) -> Rack {
    let card = |value: &Value| {
        let (colour, number) = value.as_str().unwrap().split_at(1);
        let card = Card(colour.parse().unwrap(), number.parse().unwrap());
        assert!(DECK.iter().any(|(other, _)| *other == card));
        card
    };
    let cards: Vec<Card> = value.as_array().unwrap().iter().map(card).collect();
    cards.try_into().unwrap()
}

/// Parses a rack, which must be sorted.
fn rack(event: Event<'_>) -> Rack {
    let rack = cards(&event.body["rack"]);
    assert!(rack.is_sorted_by_key(|card| DECK.iter().position(|(other, _)| other == card)));
    rack
}

/// Returns true if the claim consists of the rack's cards, in any order.
fn same<T: PartialEq>(claim: &[T], rack: Rack, what: impl Fn(&Card) -> T) -> bool {
    let mut left: Vec<T> = rack.iter().map(what).collect();
    claim.iter().all(|one| {
        left.iter()
            .position(|card| card == one)
            .map(|at| left.remove(at))
            .is_some()
    })
}

/// Computes the true answer for a seat that sees these racks.
fn answer(question: usize, seen: &[Rack]) -> Value {
    let all = seen.concat();
    let see = |is: &dyn Fn(Card) -> bool| all.iter().filter(|card| is(**card)).count();
    let more = |first: usize, second: usize| match first.cmp(&second) {
        Ordering::Greater => json!("first"),
        Ordering::Less => json!("second"),
        Ordering::Equal => json!("same"),
    };
    let count = |count: usize| json!({ "count": count });
    match question {
        1..=7 => count(seen.iter().filter(|rack| holds(question, **rack)).count()),
        8 => count(
            "GYKNRPB"
                .chars()
                .filter(|colour| see(&|card| card.0 == *colour) > 0)
                .count(),
        ),
        9 => count(
            "GYKNRPB"
                .chars()
                .filter(|colour| see(&|card| card.0 == *colour) >= 3)
                .count(),
        ),
        10 => count(
            (1..=7)
                .filter(|number| see(&|card| card.1 == *number) == 0)
                .count(),
        ),
        11 => count(see(&|card| {
            [Card('G', 1), Card('K', 5), Card('P', 7)].contains(&card)
        })),
        16 => more(
            see(&|card| card == Card('B', 7)),
            see(&|card| card.1 == 7 && card.0 != 'B'),
        ),
        _ => {
            let (_, first, second) = MORE
                .iter()
                .find(|(other, ..)| *other == question)
                .expect("there are 23 questions");
            more(see(&|card| is(card, first)), see(&|card| is(card, second)))
        }
    }
}

/// Returns true if a card has the given colour, number, or both.
fn is(card: Card, given: &str) -> bool {
    given
        .chars()
        .all(|given| card.0 == given || given.to_digit(10) == Some(card.1))
}

/// Returns true if a rack counts for a question of the form "on how many racks …".
fn holds(question: usize, rack: Rack) -> bool {
    let [a, b, c] = rack;
    let pairs = [(a, b), (a, c), (b, c)];
    let mut numbers = rack.map(|card| card.1);
    numbers.sort_unstable();
    let sum: u32 = numbers.iter().sum();
    match question {
        1 => sum >= 18,
        2 => sum <= 12,
        3 => pairs.iter().any(|(a, b)| a.1 == b.1 && a.0 != b.0),
        4 => pairs.iter().all(|(a, b)| a.0 != b.0),
        5 => pairs.iter().all(|(a, b)| a.1 % 2 == b.1 % 2),
        6 => pairs.iter().any(|(a, b)| a == b),
        7 => numbers[1] == numbers[0] + 1 && numbers[2] == numbers[1] + 1,
        _ => unreachable!("these are the questions about racks"),
    }
}
