//! The best guess if the fewest guesses are wanted, by one of four measures.

use std::sync::LazyLock;

use super::packed::{ANSWERS, Packed, Size};

/// The effect that a guess should have on the candidates, the codes that fit all answers so far: each answer to it leaves a part of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Make the largest part as small as possible (Knuth 1977).
    Minimax,
    /// Make the part that is left as small as possible on average (Irving 1979).
    ExpectedSize,
    /// Learn as much as possible: the greatest entropy of the parts (Neuwirth 1982).
    Entropy,
    /// Make as many parts as possible (Kooi 2005).
    MostParts,
}

/// The number of candidates that each answer leaves.
pub type Parts = [u32; ANSWERS];

/// The number of candidates that each answer to the guess would leave.
pub fn parts(guess: Packed, candidates: &[Packed], size: Size) -> Parts {
    let mut parts = [0; ANSWERS];
    candidates.iter().for_each(|code| parts[usize::from(guess.answer(*code, size.positions))] += 1);
    parts
}

/// The best of the guesses and the candidates; of equal ones a candidate, and of those the first. Guesses and candidates
/// must be in order.
///
/// # Panics
/// If there is no candidate.
pub fn choose(strategy: Strategy, guesses: &[Packed], candidates: &[Packed], size: Size) -> Packed {
    if candidates.len() <= 2 {
        return candidates[0];
    }
    cheapest(guesses, candidates, size, strategy.ideal(candidates.len()), |parts| strategy.cost(parts))
}

/// The guess whose parts cost least, by the same rule. No cost is below `ideal`.
pub fn cheapest(
    guesses: &[Packed],
    candidates: &[Packed],
    size: Size,
    ideal: u64,
    cost: impl Fn(&Parts) -> u64,
) -> Packed {
    let (mut best, mut least) = (candidates[0], u64::MAX);
    for guess in candidates.iter().chain(guesses) {
        let cost = cost(&parts(*guess, candidates, size));
        if cost < least {
            (best, least) = (*guess, cost);
            if cost <= ideal {
                break;
            }
        }
    }
    best
}

impl Strategy {
    /// The cost of being left with these parts. Whole numbers, so that equal parts are equally bad in whatever order.
    fn cost(self, parts: &Parts) -> u64 {
        let sizes = parts.iter().filter(|size| **size > 0);
        match self {
            Strategy::Minimax => parts.iter().copied().max().unwrap_or(0).into(),
            Strategy::ExpectedSize => sizes.map(|size| u64::from(*size) * u64::from(*size)).sum(),
            Strategy::Entropy => sizes.map(|size| uncertainty(*size)).sum(),
            Strategy::MostParts => (ANSWERS - sizes.count()) as u64,
        }
    }

    /// The cost of a guess after which there is only one candidate left, whatever the answer.
    fn ideal(self, candidates: usize) -> u64 {
        match self {
            Strategy::Minimax => 1,
            Strategy::ExpectedSize => candidates as u64,
            Strategy::Entropy => 0,
            Strategy::MostParts => ANSWERS.saturating_sub(candidates) as u64,
        }
    }
}

/// The size of a part times its logarithm, in units of 2^-32: the less is left of it in all parts, the greater is the
/// entropy.
fn uncertainty(size: u32) -> u64 {
    const KNOWN: u32 = 4096;
    static TABLE: LazyLock<Vec<u64>> = LazyLock::new(|| (0..KNOWN).map(computed).collect());
    fn computed(size: u32) -> u64 {
        let size = f64::from(size.max(1));
        (size * size.log2() * f64::from(1 << 16) * f64::from(1 << 16)).round() as u64
    }
    if size < KNOWN { TABLE[size as usize] } else { computed(size) }
}
