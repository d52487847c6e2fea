//! Chooses the guess of a strategy on a board. The first guesses are cached.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use arena_engine::chance::Chance;
use arena_engine::games::crack_the_code::code::{Code, Pins};

use super::solver::{Prior, Puzzle, Strategy};
use arena_engine::games::crack_the_code::board::{Board, MAX_LISTED};
use arena_engine::games::crack_the_code::packed::{Packed, Size};

/// Maximum number of earlier guesses on a board for which the next guess is cached.
const MAX_CACHED_GUESSES: usize = 2;

/// Maximum number of candidates against which each guess is tried.
const MAX_CANDIDATES: usize = 2_000;

/// Maximum number of guesses tried in addition to the candidates.
const MAX_OTHERS: usize = 10_000;

/// Number of candidates drawn when there are too many to list.
const SAMPLED_CANDIDATES: usize = 200;

type Situation = (Strategy, Size, Prior, Vec<(Code, Pins)>);

/// The cache of chosen guesses. A choice depends only on the situation, so all matches share the cache.
static BOOK: LazyLock<Mutex<HashMap<Situation, Packed>>> = LazyLock::new(Mutex::default);

/// Returns the strategy's guess.
pub fn guess(strategy: Strategy, board: &mut Board, prior: Prior, chance: &mut Chance) -> Packed {
    let size = board.size;
    if board.guesses.is_empty() && (size.positions, size.colours) == (5, 6) {
        // 11223 is better on average than 11122, 11123 and 11234, with each of the strategies.
        return Packed::from(&[1, 1, 2, 2, 3].into_iter().collect::<Code>());
    }
    let situation = (board.guesses.len() <= MAX_CACHED_GUESSES)
        .then(|| (strategy, size, prior, board.guesses.clone()));
    let book = || BOOK.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = situation
        .as_ref()
        .and_then(|situation| book().get(situation).copied())
    {
        return known;
    }
    let others = others(board);
    let Some(candidates) = board.candidates() else {
        let candidates = &board.sample(SAMPLED_CANDIDATES, chance);
        return Puzzle {
            size,
            prior,
            candidates,
            others: &[],
        }
        .best(strategy);
    };
    // If there are too many candidates to try all, take evenly spaced ones.
    let spaced = candidates
        .iter()
        .step_by(candidates.len().div_ceil(MAX_CANDIDATES).max(1))
        .copied();
    let candidates = &spaced.collect::<Vec<_>>();
    let chosen = Puzzle {
        size,
        prior,
        candidates,
        others: &others,
    }
    .best(strategy);
    if let Some(situation) = situation {
        book().insert(situation, chosen);
    }
    chosen
}

/// Returns the guesses to try in addition to the candidates: all that differ by more than the names of unused colours. Returns none if
/// there are too many.
pub(super) fn others(board: &Board) -> Vec<Packed> {
    let size = board.size;
    let unlike = if size.codes() as usize <= MAX_LISTED {
        size.unlike(board.used())
    } else {
        Vec::new()
    };
    if unlike.len() <= MAX_OTHERS {
        unlike
    } else {
        Vec::new()
    }
}
