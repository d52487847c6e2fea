//! Referee for Digit Code, based only on the printed rules and the exported events, independent of the engine.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::exported::{Event, Exported, Found};

/// Lit segments of the digits 0 to 9.
const SEGMENTS: [&str; 10] = [
    "abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg",
];

/// Shape of a digit, three columns wide and five rows high. `.` is never filled.
const DIGIT: [&str; 5] = [".a.", "f.b", ".g.", "e.c", ".d."];

/// Names of the positions of digits.
const PLACES: &str = "TUVWXY";

/// Pairs of adjacent positions.
const PAIRS: [&str; 7] = ["TU", "UV", "WX", "XY", "TW", "UX", "VY"];

type Code = [usize; 6];

/// State of a match: a series of games.
struct Series<'a> {
    match_: Exported<'a>,
    wins: Vec<i64>,
    /// The moment at which each seat forfeited.
    forfeited: Vec<Option<usize>>,
    moment: usize,
    games: Vec<Game>,
}

/// State of a single game.
struct Game {
    first: usize,
    master: Option<usize>,
    /// Hidden codes by the seat that hid them; `None` for the arena.
    codes: BTreeMap<Option<usize>, Code>,
    shown: Vec<Option<usize>>,
    acting: usize,
    solving: Vec<usize>,
    turns: Vec<usize>,
    /// Kinds of questions asked in the four-question first turn.
    kinds: Vec<String>,
    wrong: Vec<usize>,
    /// The seat that has just been wrong for the second time. The next event must announce it.
    struck: Option<usize>,
    last_chance: bool,
    both_solved: bool,
    /// The winner once the game is decided. The inner `None` means that there is no winner.
    decided: Option<Option<usize>>,
    ended: bool,
}

/// Replays an exported match event by event, checks that every event was legal and every answer true, and recomputes the outcome.
pub fn check(exported: &Value) -> Vec<i64> {
    let exported = Exported(exported);
    let seats = exported.seats();
    let mut series = Series {
        match_: exported,
        wins: vec![0; seats],
        forfeited: vec![None; seats],
        moment: 0,
        games: vec![],
    };
    exported.events().for_each(|event| series.follow(event));
    assert_eq!(series.next(), None, "the match is played to its end");
    Found {
        sources: &[("wins", 1, series.wins)],
        forfeited: &series.forfeited,
    }
    .compare(exported)
}

impl Series<'_> {
    fn left(&self) -> Vec<usize> {
        (0..self.wins.len())
            .filter(|seat| self.forfeited[*seat].is_none())
            .collect()
    }

    /// Returns the first seat and the master of the next game, if there is one.
    fn next(&self) -> Option<(usize, Option<usize>)> {
        let Some(last) = self.games.last() else {
            return Some(self.opening(self.mastered().then_some(0)));
        };
        assert!(last.ended);
        if self.left().len() < 2 {
            return None;
        }
        if self.wins.len() == 2 {
            let again = last.both_solved && self.games.len() <= self.match_.number("replays");
            return again.then_some((1 - last.first, None));
        }
        let master = self
            .left()
            .into_iter()
            .find(|seat| Some(*seat) > last.master)?;
        last.master.map(|_| self.opening(Some(master)))
    }

    fn mastered(&self) -> bool {
        *self.match_.rule("master") == "seats"
    }

    /// Returns the first seat, which sits after the master, and the master.
    fn opening(&self, master: Option<usize>) -> (usize, Option<usize>) {
        let from = master.map_or(0, |master| master + 1);
        let first = (from..)
            .map(|seat| seat % self.wins.len())
            .find(|seat| self.forfeited[*seat].is_none());
        (first.unwrap(), master)
    }

    fn follow(&mut self, event: Event<'_>) {
        match event.kind {
            "game_started" => {
                let (first, master) = self.next().expect("there is another game");
                assert_eq!(event.number("game"), self.games.len() + 1);
                assert_eq!(
                    (event.number("first"), event.seat_or_null("master")),
                    (first, master)
                );
                let solving = self
                    .left()
                    .into_iter()
                    .filter(|seat| Some(*seat) != master)
                    .collect();
                self.games
                    .push(Game::new(first, master, solving, self.wins.len()));
            }
            "withdrew" => self.withdraw(event.seat()),
            "game_ended" => {
                let game = self.game();
                let winner = event.seat_or_null("winner");
                assert_eq!((game.decided, game.struck), (Some(winner), None));
                assert!(
                    game.shown.iter().eq(game.codes.keys()),
                    "all codes are shown"
                );
                game.ended = true;
                winner.into_iter().for_each(|seat| self.wins[seat] += 1);
            }
            _ => {
                let limit = self.match_.number("turn_limit");
                self.game().follow(event, limit);
            }
        }
    }

    fn game(&mut self) -> &mut Game {
        self.games
            .last_mut()
            .filter(|game| !game.ended)
            .expect("a game is being played")
    }

    fn withdraw(&mut self, seat: usize) {
        let limit = self.match_.number("turn_limit");
        let game = self.game();
        let hides = game.hiders().contains(&Some(seat)) && !game.codes.contains_key(&Some(seat));
        assert!(game.struck.is_none());
        assert!(
            hides || game.all_hidden() && game.decided.is_none() && seat == game.acting,
            "who must act can fail"
        );
        // With two seats, both may fail at the same moment, while they hide their codes.
        let at_once = hides && game.two() && self.left().len() == 1;
        self.moment += usize::from(!at_once);
        assert!(self.forfeited[seat].replace(self.moment).is_none());
        let left = self.left();
        let game = self.game();
        game.solving.retain(|other| *other != seat);
        game.decided = match left[..] {
            [] => Some(None),
            [alone] => Some(game.solving.contains(&alone).then_some(alone)),
            _ if game.master == Some(seat) => Some(None),
            _ => None,
        };
        game.pass(limit);
    }
}

impl Game {
    fn new(first: usize, master: Option<usize>, solving: Vec<usize>, seats: usize) -> Self {
        Self {
            first,
            master,
            codes: BTreeMap::new(),
            shown: vec![],
            acting: first,
            solving,
            turns: vec![0; seats],
            kinds: vec![],
            wrong: vec![0; seats],
            struck: None,
            last_chance: false,
            both_solved: false,
            decided: None,
            ended: false,
        }
    }

    fn two(&self) -> bool {
        self.turns.len() == 2
    }

    /// Returns the seats that hide a code; `None` stands for the arena.
    fn hiders(&self) -> Vec<Option<usize>> {
        if self.two() {
            vec![Some(0), Some(1)]
        } else {
            vec![self.master]
        }
    }

    fn all_hidden(&self) -> bool {
        self.hiders()
            .iter()
            .all(|hider| self.codes.contains_key(hider))
    }

    fn follow(&mut self, event: Event<'_>, limit: usize) {
        match event.kind {
            "hid" => {
                let hider = event.seat_or_null("seat");
                assert!(self.decided.is_none() && self.hiders().contains(&hider));
                assert!(self.codes.insert(hider, code(event)).is_none());
            }
            "eliminated" => assert_eq!(Some(event.seat()), self.struck.take()),
            "revealed" => {
                let hider = event.seat_or_null("seat");
                assert!(self.decided.is_some() && self.struck.is_none());
                assert_eq!(self.codes[&hider], code(event));
                self.shown.push(hider);
            }
            "declared" => self.declare(event, limit),
            kind => self.ask(kind, event, limit),
        }
    }

    /// Returns the code that the acting seat must solve.
    fn target(&self, seat: usize) -> &Code {
        assert!(self.all_hidden() && self.decided.is_none() && self.struck.is_none());
        assert_eq!(seat, self.acting);
        &self.codes[&if self.two() {
            Some(1 - seat)
        } else {
            self.master
        }]
    }

    fn ask(&mut self, kind: &str, event: Event<'_>, limit: usize) {
        let seat = event.seat();
        assert!(!self.last_chance, "the last chance is a declaration");
        check_answer(kind, event, self.target(seat));
        if self.two() && self.turns[seat] == 0 {
            assert!(
                !self.kinds.iter().any(|used| used == kind),
                "each kind once in the first turn"
            );
            self.kinds.push(kind.to_owned());
            if self.kinds.len() < 4 {
                return;
            }
            self.kinds.clear();
        }
        self.turns[seat] += 1;
        self.pass(limit);
    }

    fn declare(&mut self, event: Event<'_>, limit: usize) {
        let seat = event.seat();
        let right = *self.target(seat) == code(event);
        assert_eq!(event.flag("right"), right);
        assert!(
            self.turns[seat] > 0,
            "there is no declaration in the first turn"
        );
        self.turns[seat] += 1;
        if !right {
            self.wrong[seat] += 1;
            if self.wrong[seat] == 2 {
                self.struck = Some(seat);
                self.solving.retain(|other| *other != seat);
            }
        }
        if self.two() {
            self.decide_between_two(seat, right);
        } else if right {
            self.decided = Some(Some(seat));
        }
        self.pass(limit);
    }

    fn decide_between_two(&mut self, seat: usize, right: bool) {
        let other = 1 - seat;
        if right && self.last_chance {
            self.both_solved = true;
            self.decided = Some(None);
        } else if right && seat == self.first {
            self.last_chance = true;
        } else if right {
            self.decided = Some(Some(seat));
        } else if self.last_chance || self.wrong[seat] == 2 {
            self.decided = Some(Some(other));
        }
    }

    /// Ends the game if no solver is left, or all have had their turns. Otherwise, the next seat acts.
    fn pass(&mut self, limit: usize) {
        let done = !self.last_chance && self.solving.iter().all(|seat| self.turns[*seat] >= limit);
        if done && self.decided.is_none() {
            self.decided = Some(None);
        }
        let next = (1..=self.turns.len()).map(|step| (self.acting + step) % self.turns.len());
        if self.all_hidden() && self.decided.is_none() {
            self.acting = next
                .into_iter()
                .find(|seat| self.solving.contains(seat))
                .unwrap();
        }
    }
}

/// Parses a legal code: no digit more than twice, and equal digits never adjacent horizontally or vertically.
fn code(event: Event<'_>) -> Code {
    let digits: Vec<usize> = event
        .text("code")
        .bytes()
        .map(|digit| usize::from(digit - b'0'))
        .collect();
    let code = digits.try_into().unwrap();
    assert!(legal(&code), "{code:?}");
    code
}

fn legal(code: &Code) -> bool {
    let twice = code
        .iter()
        .all(|digit| *digit < 10 && code.iter().filter(|other| *other == digit).count() <= 2);
    twice
        && PAIRS
            .iter()
            .map(|pair| both(code, pair))
            .all(|[one, other]| one != other)
}

fn digit(code: &Code, place: char) -> usize {
    code[PLACES.find(place).expect("the digits are T to Y")]
}

fn both(code: &Code, pair: &str) -> [usize; 2] {
    let mut places = pair.chars();
    [(); 2].map(|()| digit(code, places.next().unwrap()))
}

/// Returns true if the cell in a column (from A) and row (from J) is filled.
fn filled(code: &Code, column: char, row: char) -> bool {
    let (x, y) = (
        "ABCDEFGHI".find(column).unwrap(),
        "JKLMNOPQRS".find(row).unwrap(),
    );
    let segment = DIGIT[y % 5].as_bytes()[x % 3];
    SEGMENTS[code[y / 5 * 3 + x / 3]]
        .bytes()
        .any(|lit| lit == segment)
}

/// Counts the filled cells of a column or row.
fn in_line(code: &Code, line: char) -> usize {
    if line <= 'I' {
        ('J'..='S').filter(|row| filled(code, line, *row)).count()
    } else {
        ('A'..='I')
            .filter(|column| filled(code, *column, line))
            .count()
    }
}

fn check_answer(kind: &str, event: Event<'_>, code: &Code) {
    let letter = |key: &str| event.text(key).parse::<char>().unwrap();
    match kind {
        "asked_line" => assert_eq!(
            event.number("filled"),
            in_line(code, letter("line")),
            "{event:?} on {code:?}"
        ),
        "asked_parity" => {
            let parity = ["even", "odd"][digit(code, letter("digit")) % 2];
            assert_eq!(event.text("parity"), parity, "{event:?} on {code:?}");
        }
        "asked_larger" => {
            let pair = event.text("pair");
            assert!(PAIRS.contains(&pair));
            let [one, other] = both(code, pair);
            let larger = if one > other { &pair[..1] } else { &pair[1..] };
            assert_eq!(event.text("larger"), larger, "{event:?} on {code:?}");
        }
        "asked_place" => {
            let here = filled(code, letter("column"), letter("row"));
            assert_eq!(event.flag("filled"), here, "{event:?} on {code:?}");
        }
        other => panic!("there is no event {other} in Digit Code"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the example in the rules, with the number of codes that remain.
    #[test]
    fn the_example_fits_as_many_codes_as_it_should() {
        let codes: Vec<Code> = (0..1_000_000)
            .map(|code: usize| [100_000, 10_000, 1_000, 100, 10, 1].map(|ten| code / ten % 10))
            .filter(legal)
            .collect();
        assert_eq!(codes.len(), 465_120);
        let fits = |code: &&Code| {
            in_line(code, 'P') == 6
                && code[3].is_multiple_of(2)
                && code[2] > code[1]
                && filled(code, 'F', 'M')
        };
        assert_eq!(codes.iter().filter(fits).count(), 6_232);
    }
}
