//! The prior of a bot's strength before its first match.

/// The spread of strengths about the mean, before any match: a normal distribution about 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prior {
    /// Nothing is held: the plain maximum of the likelihood.
    None,
    /// The standard deviation of strengths and of the first-seat term, in logits.
    Deviation(f64),
}

impl Prior {
    /// 5 logits, 869 Elo: weak enough to move the difference of two bots who met in 100 matches by less than a tenth
    /// of its error, and enough to keep a bot finite that loses everything.
    pub const DEFAULT: Prior = Prior::Deviation(5.0);

    /// The standard deviation of the logarithms of tie parameters, in logits. It is so weak that it shows only where
    /// all matches were ties.
    pub(crate) const TIES: f64 = 10.0;

    /// The standard deviation, in logits.
    pub fn deviation(self) -> Option<f64> {
        match self {
            Prior::None => None,
            Prior::Deviation(deviation) => Some(deviation),
        }
    }
}
