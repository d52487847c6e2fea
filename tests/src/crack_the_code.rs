//! Referee for Crack the code, based only on the printed rules and the exported events, independent of the engine.

use serde_json::{Value, json};

use crate::exported::{Event, Exported, Found};

/// Colours of the pegs, first to last.
type Code = Vec<u64>;

/// State of a match in play.
struct Board {
    positions: usize,
    colours: u64,
    attempts: usize,
    hidden: [Option<Code>; 2],
    guesses: [usize; 2],
    cracked: [bool; 2],
    out: [bool; 2],
    revealed: Vec<usize>,
}

/// Replays an exported match event by event, checks that every event was legal and every pin correct, and recomputes the outcome.
pub fn check(exported: &Value) -> Vec<i64> {
    let exported = Exported(exported);
    assert_eq!(exported.seats(), 2);
    let mut board = Board::new(exported);
    exported.events().for_each(|event| board.follow(event));
    let hidden: Vec<usize> = (0..2)
        .filter(|seat| board.hidden[*seat].is_some())
        .collect();
    assert!(
        board.over() && board.revealed == hidden,
        "it was played to the end and all codes were shown"
    );
    let cracked = board.cracked.map(i64::from);
    let walkover = [0, 1]
        .map(|seat| i64::from(board.out[1 - seat] && !board.out[seat] && !board.cracked[seat]));
    Found {
        sources: &[
            ("cracked", 1, cracked.to_vec()),
            ("walkover", 1, walkover.to_vec()),
        ],
        // If both seats forfeit, they do so at the same moment.
        forfeited: &board.out.map(|out| out.then_some(0)),
    }
    .compare(exported)
}

impl Board {
    fn new(exported: Exported<'_>) -> Self {
        Self {
            positions: exported.number("positions"),
            colours: exported.number("colours") as u64,
            attempts: exported.number("attempts"),
            hidden: [None, None],
            guesses: [0, 0],
            cracked: [false, false],
            out: [false, false],
            revealed: vec![],
        }
    }

    fn follow(&mut self, event: Event<'_>) {
        let seat = event.seat();
        match event.kind {
            "hid" => {
                assert!(self.hidden[seat].is_none() && !self.over());
                self.hidden[seat] = Some(self.code(event));
            }
            "guessed" => self.guess(seat, event),
            "withdrew" => {
                let guessing = self.hidden.iter().all(Option::is_some)
                    && !self.over()
                    && seat == self.acting();
                assert!(
                    guessing || self.hidden[seat].is_none() && !self.out[seat],
                    "only who must act can fail"
                );
                self.out[seat] = true;
            }
            "revealed" => {
                assert!(self.over(), "the codes are shown in the end");
                assert_eq!(self.hidden[seat], Some(self.code(event)));
                self.revealed.push(seat);
            }
            other => panic!("there is no event {other} in Crack the code"),
        }
    }

    /// Parses a legal code.
    fn code(&self, event: Event<'_>) -> Code {
        let code: Code = event.body["code"]
            .as_array()
            .unwrap()
            .iter()
            .map(|peg| peg.as_u64().unwrap())
            .collect();
        assert!(
            code.len() == self.positions && code.iter().all(|peg| (1..=self.colours).contains(peg)),
            "{code:?}"
        );
        code
    }

    /// Returns the seat to act: the first seat if both have made equally many guesses.
    fn acting(&self) -> usize {
        usize::from(self.guesses[0] > self.guesses[1])
    }

    fn guess(&mut self, seat: usize, event: Event<'_>) {
        assert!(!self.over() && seat == self.acting());
        let hidden = self.hidden[1 - seat]
            .as_ref()
            .expect("guessing begins when both codes are hidden");
        assert!(self.hidden[seat].is_some());
        let (black, white) = pins(hidden, &self.code(event));
        assert_eq!(event.body["pins"], json!({"black": black, "white": white}));
        self.guesses[seat] += 1;
        self.cracked[seat] = black == self.positions;
    }

    /// Returns true if a round is complete, and either a code is cracked or it was the last round.
    fn over_by_guesses(&self) -> bool {
        self.guesses[0] == self.guesses[1]
            && (self.cracked != [false, false] || self.guesses[0] == self.attempts)
    }

    fn over(&self) -> bool {
        self.out != [false, false] || self.over_by_guesses()
    }
}

/// Counts black pins (right peg in the right position) and white pins (remaining pegs of the guess, each matched to an equal remaining peg
/// of the code).
fn pins(hidden: &[u64], guess: &[u64]) -> (usize, usize) {
    let (same, other): (Vec<_>, Vec<_>) = hidden
        .iter()
        .zip(guess)
        .partition(|(hidden, guess)| hidden == guess);
    let (mut left, guesses): (Vec<u64>, Vec<u64>) = other.into_iter().unzip();
    let mut white = 0;
    for peg in guesses {
        if let Some(at) = left.iter().position(|other| *other == peg) {
            left.swap_remove(at);
            white += 1;
        }
    }
    (same.len(), white)
}
