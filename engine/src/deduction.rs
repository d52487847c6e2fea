//! What a seat can know of all that is hidden from it: a fold over the events that it has seen, by counting, with all hidden worlds
//! alike likely.

/// The information of an answer, in bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bits {
    /// The entropy of the answer, before it came.
    pub expected: f64,
    /// What the answer that came was worth: −log₂ of its chance.
    pub gained: f64,
}

impl Bits {
    /// By the chances of all answers, and of the one that came.
    pub fn of(chances: impl IntoIterator<Item = f64>, came: f64) -> Self {
        let entropy = |chance: f64| if chance > 0.0 { -chance * chance.log2() } else { 0.0 };
        Self { expected: chances.into_iter().map(entropy).sum(), gained: -came.log2() }
    }

    /// By the chance that a guess is right, and whether it was.
    pub fn of_guess(chance: f64, right: bool) -> Self {
        Self::of([chance, 1.0 - chance], if right { chance } else { 1.0 - chance })
    }
}

/// The knowledge of one seat. What others do is not read for reasons: only the rules and what they show count.
pub trait Deduction<Event, Action> {
    /// Takes in one event that the seat sees.
    fn see(&mut self, event: &Event);
    /// The number of hidden worlds that fit all it has seen; none if nothing is hidden from it, or too much to count.
    fn worlds(&mut self) -> Option<f64>;
    /// The guesses that may be right with their chances, likeliest first; no more than `most`.
    fn guesses(&mut self, most: usize) -> Vec<(Action, f64)>;
    /// The chance that an action is a right guess; none if it is no guess, or there is too much to count.
    fn chance(&mut self, action: &Action) -> Option<f64>;
    /// What the seat learns from an event that it has not taken in yet; none if that is no answer to a question or guess.
    fn bits(&mut self, event: &Event) -> Option<Bits>;
}

/// The first `most`, sorted by falling chance; equals stay in order.
pub(crate) fn likeliest<T>(mut guesses: Vec<(T, f64)>, most: usize) -> Vec<(T, f64)> {
    guesses.sort_by(|one, other| other.1.total_cmp(&one.1));
    guesses.truncate(most);
    guesses
}
