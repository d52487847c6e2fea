//! The common parts of both models of strength: parameters, prior, and fit.

use super::groups::Groups;
use super::linear::Factor;
use super::newton::{self, Local, Look};
use super::prior::Prior;

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
    /// The logarithm of the likelihood, without the prior; fits that start from another one have none.
    pub(crate) log_likelihood: Option<f64>,
    /// The prior that was used.
    pub(crate) prior: Prior,
    /// The curvature at the maximum, for fits of resamples that start from this one; those have none.
    pub(crate) factor: Option<Factor>,
}

/// A model of strengths whose logarithm of the likelihood is concave in the strengths, the logarithms of the tie
/// parameters that came, and the first-seat term, in this order.
pub(crate) trait Model {
    /// The number of bots.
    fn bots(&self) -> usize;
    /// For ties of 2, 3, …: whether any came.
    fn tied(&self) -> Vec<bool>;
    /// True if there is a first-seat term.
    fn first(&self) -> bool;
    /// Adds the logarithm of the likelihood at a point, with its derivatives.
    fn add(&self, at: &[f64], local: &mut Local);
}

/// Fits a model, from the start of an earlier fit if there is one. Where the plain maximum of the likelihood is not
/// finite, the default prior stands in; the fit names the prior used.
pub(crate) fn fit(model: &impl Model, prior: Prior, groups: &Groups, start: Option<&Fit>) -> Fit {
    let bots = model.bots();
    let tied = model.tied();
    let ties = tied.iter().filter(|tied| **tied).count();
    let posterior = |at: &[f64], local: &mut Local| {
        model.add(at, local);
        hold(prior, groups, bots, ties, at, local);
    };
    let same = |start: &&Fit| tied.iter().zip(&start.ties).all(|(tied, before)| *tied == (*before > 0.0));
    let close = start.filter(|start| start.prior == prior).filter(same);
    let refined = close.and_then(|start| {
        let factor = start.factor.as_ref()?;
        newton::refine(begin(model, &tied, Some(start)), factor, posterior)
    });
    let at = refined.or_else(|| newton::maximise(begin(model, &tied, start), posterior));
    let finite = |at: &Vec<f64>| prior != Prior::None || at.iter().all(|at| at.abs() < FAR);
    match at.filter(finite) {
        Some(at) if start.is_some() => read(model, &tied, &at, prior),
        // With a prior there is always a maximum; without one, the default steps in.
        None if prior == Prior::None => fit(model, Prior::DEFAULT, groups, None),
        None if start.is_some() => fit(model, prior, groups, None),
        at => {
            let at = at.unwrap_or_else(|| begin(model, &tied, None));
            let mut local = Local::zero(at.len(), Look::Curvature);
            model.add(&at, &mut local);
            let log_likelihood = Some(local.value);
            hold(prior, groups, bots, ties, &at, &mut local);
            Fit { log_likelihood, factor: local.curvature.factor(), ..read(model, &tied, &at, prior) }
        }
    }
}

/// Adds the prior; without one, holds the mean of each group at 0.
fn hold(prior: Prior, groups: &Groups, bots: usize, ties: usize, at: &[f64], local: &mut Local) {
    match prior {
        Prior::Deviation(deviation) => {
            for (index, at) in at.iter().enumerate() {
                let tie = (bots..bots + ties).contains(&index);
                local.add_prior(index, *at, if tie { Prior::TIES } else { deviation });
            }
        }
        Prior::None => {
            for i in 0..bots {
                (0..=i).filter(|j| groups.of(i) == groups.of(*j)).for_each(|j| local.curvature.add(i, j, 1.0));
            }
        }
    }
}

fn begin(model: &impl Model, tied: &[bool], start: Option<&Fit>) -> Vec<f64> {
    let mut at = start.map_or_else(|| vec![0.0; model.bots()], |fit| fit.strengths.clone());
    for (size, _) in tied.iter().enumerate().filter(|(_, tied)| **tied) {
        let before = start.map_or(1.0, |fit| fit.ties[size]);
        at.push(if before > 0.0 { before.ln() } else { 0.0 });
    }
    if model.first() {
        at.push(start.and_then(|fit| fit.first).unwrap_or(0.0));
    }
    at
}

fn read(model: &impl Model, tied: &[bool], at: &[f64], prior: Prior) -> Fit {
    let (strengths, rest) = at.split_at(model.bots());
    let mut rest = rest.iter();
    let ties = tied.iter().map(|tied| if *tied { rest.next().map_or(0.0, |tie| tie.exp()) } else { 0.0 }).collect();
    let first = rest.next().copied();
    Fit { strengths: strengths.to_vec(), ties, first, log_likelihood: None, prior, factor: None }
}
