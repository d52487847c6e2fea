//! The common parts of both models of strength: parameters, prior, and fit.

use super::newton::{self, Local, Parts};
use super::sums::Likelihood;

/// Elo points in a logit: 400 / ln 10.
pub const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The standard deviations of parameters before any match, in logits, of normal distributions about 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prior {
    /// Of strengths and of the first-seat term.
    pub(crate) strengths: f64,
    /// Of the logarithms of tie parameters.
    pub(crate) ties: f64,
}

/// 5 logits, 869 Elo, are weak enough to move the difference of two bots who met in 100 matches by less than a tenth of its error,
/// and enough to keep a bot finite that loses everything. That of ties is so weak that it shows only where all matches were ties.
pub(crate) const PRIOR: Prior = Prior { strengths: 5.0, ties: 10.0 };

/// Fitted strengths.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    /// Of each bot, in logits; their sum is 0 in each group of bots that can be compared.
    pub(crate) strengths: Vec<f64>,
    /// δ₂, δ₃, … by how many tie (at tables of two, δ₂ is Davidson's ν); 0 for ties that never came.
    pub(crate) ties: Vec<f64>,
    /// All parameters as the model has them; the effect of the first seat is the last.
    pub(crate) at: Vec<f64>,
    /// The logarithm of the likelihood, without the prior.
    pub(crate) log_likelihood: f64,
}

/// A likelihood with a prior. Its logarithm is concave in the strengths, the logarithms of the tie parameters that came, and the
/// first-seat term, which are its parameters in this order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posterior<'a> {
    pub(crate) likelihood: &'a Likelihood<'a>,
    pub(crate) prior: Prior,
}

impl Posterior<'_> {
    /// Adds the logarithm of the likelihood and of the prior at a point, with their derivatives.
    pub(crate) fn add(&self, at: &[f64], local: &mut Local) {
        self.likelihood.add(at, local);
        let bots = self.likelihood.cells.bots();
        let ties = bots..bots + self.likelihood.ties();
        for (index, at) in at.iter().enumerate() {
            local.add_prior(index, *at, if ties.contains(&index) { self.prior.ties } else { self.prior.strengths });
        }
    }

    /// Where it is greatest.
    pub(crate) fn fit(&self) -> Fit {
        let at = newton::maximise(self.begin(), |at, local| self.add(at, local));
        // With a prior there is always a maximum.
        self.read(at.unwrap_or_else(|| self.begin()))
    }

    fn begin(&self) -> Vec<f64> {
        vec![0.0; self.likelihood.cells.bots() + self.likelihood.ties() + usize::from(self.likelihood.first)]
    }

    fn read(&self, at: Vec<f64>) -> Fit {
        let (strengths, rest) = at.split_at(self.likelihood.cells.bots());
        let mut rest = rest.iter();
        let ties = self
            .likelihood
            .tied
            .iter()
            .map(|tied| if *tied { rest.next().map_or(0.0, |tie| tie.exp()) } else { 0.0 })
            .collect();
        let mut local = Local::zero(at.len(), Parts::All);
        self.likelihood.add(&at, &mut local);
        Fit { strengths: strengths.to_vec(), ties, log_likelihood: local.value, at }
    }
}
