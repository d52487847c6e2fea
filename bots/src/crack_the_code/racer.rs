//! A bot that plays the race. Considering both boards, it makes the guess that wins most often rather than the most informative one, and
//! hides codes by a mixed strategy.

use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::crack_the_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::player::Start;
use arena_engine::seat::Seat;

use super::book::{self, others};
use super::knowledge::Knowledge;
use super::solver::{Prior, Puzzle, Strategy};
use crate::bot::MatchBot;
use arena_engine::games::crack_the_code::board::{Board, MAX_LISTED};
use arena_engine::games::crack_the_code::packed::{Packed, Size};

/// Number of candidates above which the bot maximises information like [`Strategy::Entropy`].
const MAX_CANDIDATES: usize = 300;

/// Number of rounds that the bot plans ahead. Codes not cracked by then count as never cracked.
const ROUNDS_AHEAD: usize = 8;

/// One point in fixed-point units. Integers make equal guesses cost the same, in whatever order their parts are added.
const UNIT: f64 = (1 << 24) as f64;

/// Weights from fictitious play between hider and searcher. An entropy search that expects these weights needs at most 4.82 guesses on
/// average for any kind of code, so no kind is worth hiding. A search that expects all codes equally needs 4.96 guesses for codes of five
/// different colours.
pub const MIXED: Prior = Prior([12, 8, 7, 4, 1, 1, 1, 1]);

const STANDARD: Size = Size {
    positions: 5,
    colours: 6,
};

/// A bot that guesses by entropy while there are many candidates, and then by the chance to win the race, with a draw counting half. This
/// way of guessing alone scored 50.5 % against [`Strategy::Entropy`] over 40,000 standard matches. The bot hides codes by a mixed strategy,
/// and expects others to do so.
pub struct Racer(Knowledge);

impl MatchBot<CrackTheCode> for Racer {
    fn new(start: &Start<'_, Rules>) -> Self {
        let prior = if Size::from(start.rules) == STANDARD {
            MIXED
        } else {
            Prior::EVEN
        };
        Self(Knowledge::expecting(start, "racer", prior))
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let knowledge = &mut self.0;
        knowledge.learn(events);
        match prompt.0.first() {
            Some(Choice::Guess { .. }) => guess(knowledge),
            _ => {
                let Knowledge {
                    rules,
                    prior,
                    chance,
                    ..
                } = knowledge;
                Action::Hide {
                    code: prior.draw(Size::from(&*rules), chance).into(),
                }
            }
        }
    }
}

/// Returns the guess with the best chance to win or, far from the end, the most informative one.
fn guess(knowledge: &mut Knowledge) -> Action {
    let values = Values::new(knowledge);
    let Knowledge {
        boards,
        seat,
        prior,
        chance,
        ..
    } = knowledge;
    let own = &mut boards[*seat];
    let size = own.size;
    let prior = *prior;
    let others = others(own);
    let code = match own.candidates() {
        Some(candidates) if candidates.len() <= MAX_CANDIDATES => race(
            &values,
            &Puzzle {
                size,
                prior,
                candidates,
                others: &others,
            },
        ),
        _ => book::guess(Strategy::Entropy, own, prior, chance),
    };
    knowledge.guess(code)
}

/// Returns the guess with the best chance to win.
fn race(values: &Values, puzzle: &Puzzle<'_>) -> Packed {
    let size = puzzle.size;
    // For each size of a part, the loss of a candidate in this part if this guess does not crack the code.
    let lost: Vec<u64> = (0..=puzzle.candidates.len())
        .map(|part| values.lost(part, size))
        .collect();
    let now = ((1.0 - values.cracked[0]) * UNIT) as u64;
    let cracked = usize::from(size.cracked());
    puzzle.cheapest(0, |parts| {
        let all: u64 = parts
            .iter()
            .map(|part| u64::from(part.weight) * lost[part.codes as usize])
            .sum();
        let hit = u64::from(parts[cracked].weight);
        all - hit * lost[1] + hit * now
    })
}

/// The value of cracking the code in each coming round, beginning with this one, and of never cracking it.
struct Values {
    cracked: [f64; ROUNDS_AHEAD],
    never: f64,
    rounds: usize,
}

impl Values {
    /// Computes the values from the progress of the other seat.
    fn new(knowledge: &mut Knowledge) -> Self {
        let other = Seat(1 - knowledge.seat.0);
        let made = knowledge.own().guesses.len();
        let rounds = (usize::from(knowledge.rules.attempts) - made).min(ROUNDS_AHEAD);
        let ahead = knowledge.boards[other].guesses.len() > made;
        let chances = solved(&mut knowledge.boards[other], ahead);
        // The probability that the other seat has cracked its code after this many rounds.
        let by = |round: usize| if round == 0 { 0.0 } else { chances[round - 1] };
        let mut cracked = [0.0; ROUNDS_AHEAD];
        for (round, value) in cracked.iter_mut().enumerate() {
            *value = 1.0 - (by(round) + by(round + 1)) / 2.0;
        }
        Self {
            cracked,
            never: (1.0 - by(rounds)) / 2.0,
            rounds,
        }
    }

    /// Returns the mean loss of the candidates in a part if play continues, in fixed-point units.
    fn lost(&self, part: usize, size: Size) -> u64 {
        let mut worth = 0.0;
        let mut before = 0.0;
        for round in 1..self.rounds {
            let within = distinguished(part, round, size);
            worth += (within - before) * self.cracked[round];
            before = within;
        }
        worth += (part as f64 - before) * self.never;
        ((1.0 - worth / part.max(1) as f64) * UNIT).round() as u64
    }
}

/// Returns the probability that the seat guessing on this board has cracked the code by the end of each coming round. `ahead` is true if
/// this seat has already guessed in the current round.
fn solved(board: &mut Board, ahead: bool) -> [f64; ROUNDS_AHEAD] {
    let size = board.size;
    let cracked = board
        .guesses
        .last()
        .is_some_and(|(code, pins)| pins.crack(code));
    let candidates = board.candidates().map_or(MAX_LISTED, <[_]>::len);
    let mut chances = [0.0; ROUNDS_AHEAD];
    for (round, chance) in chances.iter_mut().enumerate() {
        let guesses = if ahead { round } else { round + 1 };
        *chance = if cracked {
            1.0
        } else {
            distinguished(candidates, guesses, size) / candidates as f64
        };
    }
    chances
}

/// Returns the approximate number of these candidates that good play finds within this many guesses.
///
/// The first guess finds one candidate. Each further guess multiplies the number of candidates that can be distinguished by about 0.7 times
/// the number of answers. The transition from this number to all candidates was fitted to the decision trees of [`Strategy::Entropy`] for 4
/// and 5 positions and 6 and 8 colours.
fn distinguished(candidates: usize, guesses: usize, size: Size) -> f64 {
    if guesses == 0 || candidates == 0 {
        return 0.0;
    }
    let most = (0.7 * size.answers() as f64)
        .max(1.0)
        .powi(guesses as i32 - 1);
    let candidates = candidates as f64;
    if guesses == 1 {
        1.0
    } else {
        candidates * most / (candidates.powi(3) + most.powi(3)).cbrt()
    }
}
