//! Finds the guess that is best by one of four measures, which aim to minimise the number of guesses.

use std::sync::LazyLock;

use arena_engine::chance::Chance;
use arena_engine::games::crack_the_code::code::MAX_POSITIONS;

use arena_engine::games::crack_the_code::packed::{ANSWERS, Packed, Size};

/// A measure of a guess. The answers to a guess split the candidates, the codes that fit all answers so far, into parts. The measure is
/// computed from these parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Minimise the largest part (Knuth 1977).
    Minimax,
    /// Minimise the expected size of the remaining part (Irving 1979).
    ExpectedSize,
    /// Maximise the information: the entropy of the parts (Neuwirth 1982).
    Entropy,
    /// Maximise the number of parts (Kooi 2005).
    MostParts,
}

/// The candidates left by one answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part {
    /// Number of codes in the part.
    pub codes: u32,
    /// Total weight under the prior.
    pub weight: u32,
}

/// The candidates left by each answer.
pub type Parts = [Part; ANSWERS];

/// The prior weights of hidden codes, by their number of repeated pegs: none, one, two and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prior(pub [u32; MAX_POSITIONS as usize]);

impl Prior {
    /// Equal weights for all codes.
    pub const EVEN: Self = Self([1; MAX_POSITIONS as usize]);

    /// Returns the weight of a code.
    pub fn weight(&self, code: Packed) -> u32 {
        self.0[code.repeats()]
    }

    /// Draws a random code by these weights.
    pub fn draw(&self, size: Size, chance: &mut Chance) -> Packed {
        let most = self.0.iter().max().expect("there are weights");
        loop {
            let peg = |_| 1 + chance.below(size.colours.into()) as u8;
            let code = (0..size.positions)
                .map(peg)
                .fold(Packed::EMPTY, Packed::and);
            if chance.below(*most) < self.weight(code) {
                return code;
            }
        }
    }
}

/// The codes that the next guess should distinguish.
#[derive(Clone, Copy, Debug)]
pub struct Puzzle<'a> {
    /// The size of the codes.
    pub size: Size,
    /// The expected distribution of hidden codes.
    pub prior: Prior,
    /// The codes that fit all answers so far, in ascending order; never empty.
    pub candidates: &'a [Packed],
    /// Further guesses to try, in ascending order.
    pub others: &'a [Packed],
}

impl Puzzle<'_> {
    /// Returns the candidates that each answer to the guess would leave, given their weights.
    fn parts(&self, guess: Packed, weights: &[u32]) -> Parts {
        let mut parts = [Part::default(); ANSWERS];
        for (code, weight) in self.candidates.iter().zip(weights) {
            let part = &mut parts[usize::from(guess.answer(*code, self.size.positions))];
            part.codes += 1;
            part.weight += weight;
        }
        parts
    }

    /// Returns the guess of the strategy. Among equal guesses, returns the first candidate if there is one.
    pub fn best(&self, strategy: Strategy) -> Packed {
        if let [one, rest @ ..] = self.candidates
            && rest.len() <= 1
        {
            let likelier = rest
                .iter()
                .find(|other| self.prior.weight(**other) > self.prior.weight(*one));
            return *likelier.unwrap_or(one);
        }
        self.cheapest(strategy.ideal(self), |parts| strategy.cost(parts))
    }

    /// Returns the guess whose parts cost least. Among equal guesses, returns the first candidate if there is one. `ideal` is a lower bound
    /// of the cost.
    pub fn cheapest(&self, ideal: u64, cost: impl Fn(&Parts) -> u64) -> Packed {
        let weights: Vec<u32> = self
            .candidates
            .iter()
            .map(|code| self.prior.weight(*code))
            .collect();
        let (mut best, mut least) = (self.candidates[0], u64::MAX);
        for guess in self.candidates.iter().chain(self.others) {
            let cost = cost(&self.parts(*guess, &weights));
            if cost < least {
                (best, least) = (*guess, cost);
                if cost <= ideal {
                    break;
                }
            }
        }
        best
    }
}

impl Strategy {
    /// Returns the cost of being left with these parts. The cost is an integer, so that the order of summation does not matter.
    fn cost(self, parts: &Parts) -> u64 {
        let parts = parts.iter().filter(|part| part.codes > 0);
        match self {
            Strategy::Minimax => parts.map(|part| part.codes).max().unwrap_or(0).into(),
            Strategy::ExpectedSize => parts
                .map(|part| u64::from(part.weight) * u64::from(part.codes))
                .sum(),
            Strategy::Entropy => parts.map(|part| uncertainty(part.weight)).sum(),
            Strategy::MostParts => (ANSWERS - parts.count()) as u64,
        }
    }

    /// Returns the cost of a guess that leaves a single candidate, whatever the answer.
    fn ideal(self, puzzle: &Puzzle<'_>) -> u64 {
        let weights = puzzle
            .candidates
            .iter()
            .map(|code| puzzle.prior.weight(*code));
        match self {
            Strategy::Minimax => 1,
            Strategy::ExpectedSize => weights.map(u64::from).sum(),
            Strategy::Entropy => weights.map(uncertainty).sum(),
            Strategy::MostParts => ANSWERS.saturating_sub(puzzle.candidates.len()) as u64,
        }
    }
}

/// Returns the weight of a part times its logarithm, in units of 2^-32. A lower total over all parts means a higher entropy.
fn uncertainty(size: u32) -> u64 {
    const KNOWN: u32 = 4096;
    static TABLE: LazyLock<Vec<u64>> = LazyLock::new(|| (0..KNOWN).map(computed).collect());
    fn computed(size: u32) -> u64 {
        let size = f64::from(size.max(1));
        (size * size.log2() * f64::from(1 << 16) * f64::from(1 << 16)).round() as u64
    }
    if size < KNOWN {
        TABLE[size as usize]
    } else {
        computed(size)
    }
}
