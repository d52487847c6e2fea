//! Which bots are certainly stronger than which, for all of them together with a chance of 95 %.

use nalgebra::DMatrix;
use serde::Serialize;

use super::covariance::Uncertain;
use super::difference::Direct;
use super::duels::Duels;
use super::groups::Groups;
use super::{max_t, misfit};
use crate::ahead::Ahead;
use crate::holm::Look;

/// The information of 20 deals between equals, in logits: about what a claim takes.
const TYPICAL: f64 = 5.0;
/// One over the chance that any of the claims is wrong.
const ODDS: f64 = 20.0;
/// The number of standard errors by which a bot must also be stronger by all that is known but its own duels with the other one, where
/// results choose opponents: else a pair that mostly met each other, in a cycle of bots that beat the next, would pass for stronger and weaker.
const SUPPORT: f64 = 1.0;
/// Errors of differences below this are rounding.
const ROUNDING: f64 = 1e-12;

/// The method by which claims are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Each pair of bots met equally often: the largest of all t statistics (Hothorn, Bretz and Westfall 2008); for two bots the
    /// interval of their score.
    MaxT,
    /// Results may have chosen the opponents: a bound that holds whoever was chosen (Abbasi-Yadkori, Pál and Szepesvári 2011,
    /// "Improved algorithms for linear stochastic bandits"), with the variance that pairs have of their own. The others' results must
    /// say the same as those of the two with each other.
    Adaptive,
    /// Nothing tests the ratings, since no cycle of bots met, or pairs contradict them: who beats whom is known, by betting,
    /// corrected for the number of all pairs (Waudby-Smith and Ramdas 2024), and of no bot that it is the stronger one.
    Pairs,
}

/// Which bots are certainly stronger than which.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claims {
    /// The method.
    pub method: Method,
    /// For each pair of bots whether one is certainly stronger.
    #[serde(skip)]
    pub ahead: Ahead,
    /// The same as pairs of names, the stronger bot first.
    #[serde(rename = "ahead")]
    pub stronger: Vec<[String; 2]>,
    /// By the method `pairs`: which bot certainly beats which, the better one of the two first.
    pub beats: Vec<[String; 2]>,
}

impl Method {
    /// The method for these duels.
    pub(super) fn of(duels: &Duels, groups: &Groups, uncertain: &Uncertain, look: Look) -> Self {
        match () {
            () if look == Look::Planned && duels.is_complete() => Self::MaxT,
            () if uncertain.misfit.p < misfit::LEVEL || duels.is_forest(groups) => Self::Pairs,
            () => Self::Adaptive,
        }
    }
}

impl Claims {
    /// By the duels; `direct` tells what two bots' own results say.
    pub(super) fn of(
        method: Method,
        names: &[String],
        duels: &Duels,
        uncertain: &Uncertain,
        direct: &Direct<'_>,
    ) -> Self {
        let bots = names.len();
        let ahead = match method {
            Method::MaxT if bots == 2 => Ahead::new(bots, |bot, other| direct.is_ahead(bot, other)),
            Method::MaxT | Method::Adaptive if uncertain.clusters > 1 => {
                by_ratings(method, uncertain)
            }
            _ => Ahead::new(bots, |_, _| false),
        };
        let beats = |bot: usize, other: usize| method == Method::Pairs && duels.is_won(bot, other);
        let listed = |is: &dyn Fn(usize, usize) -> bool| {
            let cells = (0..bots).flat_map(|bot| (0..bots).map(move |other| [bot, other]));
            cells
                .filter(|[bot, other]| is(*bot, *other))
                .map(|pair| pair.map(|bot| names[bot].clone()))
                .collect()
        };
        Self {
            method,
            stronger: listed(&|bot, other| ahead.is(bot, other)),
            beats: listed(&beats),
            ahead,
        }
    }
}

pub(super) fn by_ratings(method: Method, uncertain: &Uncertain) -> Ahead {
    let critical = critical(method, uncertain);
    Ahead::new(uncertain.at.len(), |bot, other| {
        let error = squared_error(method, uncertain, bot, other)
            .max(ROUNDING)
            .sqrt();
        let is_supported = || method == Method::MaxT || uncertain.beside(bot, other) > SUPPORT;
        uncertain.at[bot] - uncertain.at[other] > critical * error && is_supported()
    })
}

/// The squared error of the difference of two bots, with what the misfit of pairs adds where opponents differ.
pub(super) fn squared_error(
    method: Method,
    uncertain: &Uncertain,
    bot: usize,
    other: usize,
) -> f64 {
    let misfit = if method == Method::MaxT {
        0.0
    } else {
        uncertain.misfit_error(bot, other)
    };
    uncertain.squared_error(bot, other) + misfit
}

/// The number of standard errors from which on a difference is certain.
pub(super) fn critical(method: Method, uncertain: &Uncertain) -> f64 {
    match method {
        Method::MaxT => max_t::critical(&uncertain.clustered, uncertain.clusters as f64 - 1.0),
        Method::Adaptive | Method::Pairs => whoever_met(&uncertain.information),
    }
}

/// The number of standard errors within which all differences are, whichever results chose which deals, by their information.
pub(super) fn whoever_met(information: &DMatrix<f64>) -> f64 {
    let gain = DMatrix::identity(information.nrows(), information.ncols()) + information / TYPICAL;
    let root = gain.cholesky().expect("it is more than the identity");
    (2.0 * ODDS.ln() + 2.0 * root.l().diagonal().map(f64::ln).sum()).sqrt()
}
