//! The common parts of both models of strength: parameters, prior, and fit.

use super::groups::Groups;
use super::newton::{self, Local, Look};
use super::prior::Prior;
use super::sums::Likelihood;

/// Elo points in a logit: 400 / ln 10.
pub const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Without a prior, a parameter that settles beyond this many logits is on its way to infinity: millions of matches
/// would not bring it there.
const FAR: f64 = 16.0;

/// Fitted strengths.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    /// Of each bot, in logits; their sum is 0 in each group of bots that can be compared.
    pub(crate) strengths: Vec<f64>,
    /// δ₂, δ₃, … by how many tie (at tables of two, δ₂ is Davidson's ν); 0 for ties that never came.
    pub(crate) ties: Vec<f64>,
    /// The effect of the first seat, in logits.
    pub(crate) first: Option<f64>,
    /// All parameters as the model has them.
    pub(crate) at: Vec<f64>,
    /// The logarithm of the likelihood, without the prior.
    pub(crate) log_likelihood: f64,
    /// The prior that was used.
    pub(crate) prior: Prior,
}

/// A likelihood with a prior. Its logarithm is concave in the strengths, the logarithms of the tie parameters that came, and the
/// first-seat term, which are its parameters in this order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posterior<'a> {
    pub(crate) likelihood: &'a Likelihood<'a>,
    pub(crate) prior: Prior,
    pub(crate) groups: &'a Groups,
}

impl Posterior<'_> {
    /// Adds the logarithm of the likelihood and of the prior at a point, with their derivatives.
    pub(crate) fn add(&self, at: &[f64], local: &mut Local) {
        self.likelihood.add(at, local);
        self.hold(at, local);
    }

    /// Where it is greatest. Where the plain maximum of the likelihood is not finite, the default prior stands in; the fit
    /// names the prior used.
    pub(crate) fn fit(&self) -> Fit {
        let at = newton::maximise(self.begin(), |at, local| self.add(at, local));
        let finite = |at: &Vec<f64>| self.prior != Prior::None || at.iter().all(|at| at.abs() < FAR);
        match at.filter(finite) {
            // With a prior there is always a maximum; without one, the default steps in.
            None if self.prior == Prior::None => Self { prior: Prior::DEFAULT, ..*self }.fit(),
            at => self.read(at.unwrap_or_else(|| self.begin())),
        }
    }

    /// Adds the prior; without one, holds the mean of each group at 0.
    fn hold(&self, at: &[f64], local: &mut Local) {
        let bots = self.likelihood.cells.bots();
        match self.prior {
            Prior::Deviation(deviation) => {
                let ties = bots + self.likelihood.ties();
                for (index, at) in at.iter().enumerate() {
                    let tie = (bots..ties).contains(&index);
                    local.add_prior(index, *at, if tie { Prior::TIES } else { deviation });
                }
            }
            Prior::None => {
                let same = |i: usize, j: &usize| self.groups.of(i) == self.groups.of(*j);
                for i in 0..bots {
                    (0..=i).filter(|j| same(i, j)).for_each(|j| local.curvature.add(i, j, 1.0));
                }
            }
        }
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
        let first = rest.next().copied();
        let mut local = Local::zero(at.len(), Look::Curvature);
        self.likelihood.add(&at, &mut local);
        Fit { strengths: strengths.to_vec(), ties, first, log_likelihood: local.value, prior: self.prior, at }
    }
}
