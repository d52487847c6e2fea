//! Exact knowledge of a seat about everything hidden: a fold over the events it has seen, with all hidden worlds equally likely.

use schemars::JsonSchema;
use serde::Serialize;

/// Information that a seat gains from the answer to a question or guess.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Learned {
    /// Entropy of the answer before it was known, in bits.
    pub expected: f64,
    /// Information of the actual answer, in bits: −log₂ of its probability.
    pub gained: f64,
    /// For a guess: true if it was right.
    pub right: Option<bool>,
}

impl Learned {
    /// Computes the information gained from an answer, given the probabilities of all answers, and the probability `came` of the actual
    /// one.
    pub fn from_answer(chances: impl IntoIterator<Item = f64>, came: f64) -> Self {
        let information = |chance: f64| chance.log2().abs();
        let expected = chances
            .into_iter()
            .filter(|chance| *chance > 0.0)
            .map(|chance| chance * information(chance));
        Self {
            expected: expected.sum(),
            gained: information(came),
            right: None,
        }
    }

    /// Computes the information gained from a guess, given the probability that the guess is right, and the result.
    pub fn from_guess(chance: f64, right: bool) -> Self {
        let came = if right { chance } else { 1.0 - chance };
        Self {
            right: Some(right),
            ..Self::from_answer([chance, 1.0 - chance], came)
        }
    }
}

/// The knowledge of one seat. It follows from the rules and the visible events alone: the motives of other seats are not interpreted.
pub trait Deduction<Event, Action>: Send {
    /// Processes one event that the seat sees.
    fn see(&mut self, event: &Event);
    /// Returns the number of hidden worlds that are consistent with everything the seat has seen. `None` if nothing is hidden, or there are
    /// too many to count.
    fn worlds(&mut self) -> Option<f64>;
    /// Returns up to `most` guesses that may be right, with their probabilities, likeliest first.
    fn guesses(&mut self, most: usize) -> Vec<(Action, f64)>;
    /// Returns the probability that a guess is right. `None` if the action is not a guess, or there are too many worlds to count.
    fn chance(&mut self, action: &Action) -> Option<f64>;
    /// Returns the information that an unseen event would give the seat. `None` if the event does not answer a question or guess.
    fn learned(&mut self, event: &Event) -> Option<Learned>;
}

/// Returns the `most` likeliest guesses by falling probability. Guesses with equal probability keep their order.
pub(crate) fn likeliest<T>(mut guesses: Vec<(T, f64)>, most: usize) -> Vec<(T, f64)> {
    guesses.sort_by(|one, other| other.1.total_cmp(&one.1));
    guesses.truncate(most);
    guesses
}
