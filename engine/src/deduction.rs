//! What a seat can know of all that is hidden from it: a fold over the events that it has seen, by counting, with all hidden worlds
//! equally likely.

use schemars::JsonSchema;
use serde::Serialize;

/// What a seat learns from the answer to a question or guess.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Learned {
    /// The entropy of the answer before it came, in bits.
    pub expected: f64,
    /// The information of the answer that came, in bits: −log₂ of its chance.
    pub gained: f64,
    /// For a guess: true if it was right.
    pub right: Option<bool>,
}

impl Learned {
    /// By the chances of all answers, and of the one that came.
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

    /// By the chance that a guess is right, and whether it was.
    pub fn from_guess(chance: f64, right: bool) -> Self {
        let came = if right { chance } else { 1.0 - chance };
        Self {
            right: Some(right),
            ..Self::from_answer([chance, 1.0 - chance], came)
        }
    }
}

/// The knowledge of one seat. What others do is not read for reasons: only the rules and what they show count.
pub trait Deduction<Event, Action>: Send {
    /// Takes in one event that the seat sees.
    fn see(&mut self, event: &Event);
    /// The number of hidden worlds that fit all it has seen; none if nothing is hidden from it, or too much to count.
    fn worlds(&mut self) -> Option<f64>;
    /// The guesses that may be right with their chances, likeliest first; no more than `most`.
    fn guesses(&mut self, most: usize) -> Vec<(Action, f64)>;
    /// The chance that an action is a right guess; none if it is no guess, or there is too much to count.
    fn chance(&mut self, action: &Action) -> Option<f64>;
    /// What the seat learns from an event that it has not taken in yet; none if that is no answer to a question or guess.
    fn learned(&mut self, event: &Event) -> Option<Learned>;
}

/// The first `most`, sorted by falling chance; equals stay in order.
pub(crate) fn likeliest<T>(mut guesses: Vec<(T, f64)>, most: usize) -> Vec<(T, f64)> {
    guesses.sort_by(|one, other| other.1.total_cmp(&one.1));
    guesses.truncate(most);
    guesses
}
