//! The best guess if the fewest guesses are wanted, by one of four measures, and the average number that each takes.

use std::sync::LazyLock;

use arena_engine::set::Set;

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

/// The guesses that a strategy takes over all codes, the one that cracks the code counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guesses {
    /// All codes together.
    pub total: u64,
    /// The number of codes.
    pub codes: u64,
    /// The most guesses that any code takes.
    pub most: u32,
}

impl Guesses {
    /// The average.
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.codes as f64
    }
}

/// Plays a strategy against every code of the size. The first guess may be given; if not, the strategy chooses it.
///
/// The candidates are parted by their answers, and each part is played on as one, so that every situation is met once.
pub fn average(strategy: Strategy, size: Size, first: Option<Packed>) -> Guesses {
    let mut candidates = size.all();
    let mut guesses = Guesses { total: 0, codes: candidates.len() as u64, most: 0 };
    let first = first.unwrap_or_else(|| choose(strategy, &size.unlike(Set::EMPTY), &candidates, size));
    let mut tree = Tree { strategy, size, guesses: &mut guesses };
    tree.play(first, &mut candidates, Set::EMPTY, 1);
    guesses
}

struct Tree<'a> {
    strategy: Strategy,
    size: Size,
    guesses: &'a mut Guesses,
}

impl Tree<'_> {
    /// Counts a guess for each candidate, and plays on with those that it does not crack.
    fn play(&mut self, guess: Packed, candidates: &mut [Packed], mut used: Set<u8>, turn: u32) {
        self.guesses.total += candidates.len() as u64;
        self.guesses.most = self.guesses.most.max(turn);
        guess.colours().for_each(|colour| used.insert(colour));
        let positions = self.size.positions;
        let answer = |code: &Packed| guess.answer(*code, positions);
        // A stable sort leaves each part in order.
        candidates.sort_by_key(answer);
        let cracked = self.size.cracked();
        for part in candidates.chunk_by_mut(|one, next| answer(one) == answer(next)) {
            if answer(&part[0]) != cracked {
                let guesses = if part.len() > 2 { self.size.unlike(used) } else { Vec::new() };
                let next = choose(self.strategy, &guesses, part, self.size);
                self.play(next, part, used, turn + 1);
            }
        }
    }
}
