//! How uncertain fitted strengths are, and how far the results of pairs contradict them.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::duels::Duels;
use super::fit::{information, score, strengths};
use super::misfit::{LackOfFit, Residual};

/// The hold on strengths in what is uncertain, in deals between equals: it moves nothing that can be seen, and keeps a bot finite that won
/// everything.
const RIDGE: f64 = 1.0 / 25.0;
/// A deal's score varies by no less than this part of what a coin's does.
const LEAST_DISPERSION: f64 = 0.25;

/// Strengths with their uncertainty, all in logits and by deals.
#[derive(Clone, Debug)]
pub(super) struct Uncertain {
    /// The strengths.
    pub at: DVector<f64>,
    /// The covariance clustered by deal (Liang and Zeger 1986, "Longitudinal data analysis using generalized linear models").
    pub clustered: DMatrix<f64>,
    /// The inverse of the information times the dispersion.
    pub by_model: DMatrix<f64>,
    /// What the misfit of pairs adds.
    by_misfit: DMatrix<f64>,
    /// The information in deals.
    pub information: DMatrix<f64>,
    /// The clusters: deals, or batches of them.
    pub clusters: usize,
    /// By how much each cluster (row) moves each bot.
    influences: DMatrix<f64>,
    /// The misfit.
    pub misfit: LackOfFit,
}

impl Uncertain {
    /// By these duels.
    pub(super) fn of(duels: &Duels) -> Self {
        let bots = duels.bots();
        let clusters = duels.batches().len();
        let per_deal = duels.per_deal();
        let totals = duels.totals();
        let hold = DMatrix::identity(bots, bots) * (RIDGE * per_deal);
        let at = strengths(&totals, &hold);
        let information = information(&totals[1], &at);
        let inverse = (&information + hold)
            .cholesky()
            .expect("the hold makes it positive definite")
            .inverse();
        let (slopes, residuals) = residuals(duels, &at);
        let spread: f64 = residuals.iter().map(|residual| residual.squares).sum();
        let free: f64 = residuals.iter().map(|residual| residual.free).sum();
        let dispersion = (spread / free.max(f64::MIN_POSITIVE)).max(LEAST_DISPERSION * per_deal);
        let sandwich = |meat: DMatrix<f64>| &inverse * meat * &inverse;
        let misfit = LackOfFit::of(residuals, bots, dispersion, per_deal);
        let count = clusters as f64;
        Self {
            influences: &slopes * &inverse,
            clustered: sandwich(slopes.tr_mul(&slopes)) * (count / (count - 1.0).max(1.0)),
            by_model: &inverse * dispersion,
            by_misfit: sandwich(misfit.spread(bots)),
            information: information / per_deal,
            at,
            clusters,
            misfit,
        }
    }

    /// The squared error of the difference of two bots: the greater of both estimates.
    pub(super) fn squared_error(&self, bot: usize, other: usize) -> f64 {
        spread(&self.clustered, bot, other).max(spread(&self.by_model, bot, other))
    }

    /// What the misfit of pairs adds to it.
    pub(super) fn misfit_error(&self, bot: usize, other: usize) -> f64 {
        spread(&self.by_misfit, bot, other)
    }

    /// By how many standard errors a bot is stronger than another one by all that is known but their own duels.
    pub(super) fn beside(&self, bot: usize, other: usize) -> f64 {
        let dispersion = self.misfit.dispersion;
        let (more, own) = self.misfit.own(bot, other);
        let rest = dispersion / spread(&self.by_model, bot, other) - own;
        let lead = self.at[bot] - self.at[other] - more / rest;
        lead * (rest / dispersion).max(0.0).sqrt()
    }

    /// The degrees of freedom of the error of a difference: about as many as clusters weigh in it, since few of them may hold all that is
    /// known of a bot that hardly ever wins. With `k` such clusters, quantiles of t are then near those of exact bounds.
    pub(super) fn degrees(&self, bot: usize, other: usize) -> f64 {
        let moved = self.influences.column(bot) - self.influences.column(other);
        let [squares, fourths] =
            [2, 4].map(|power| moved.iter().map(|one| one.powi(power)).sum::<f64>());
        (squares * squares / fourths.max(f64::MIN_POSITIVE) + 1.5).min(self.clusters as f64 - 1.0)
    }
}

/// The variance of the difference of two.
fn spread(covariance: &DMatrix<f64>, one: usize, other: usize) -> f64 {
    covariance[(one, one)] + covariance[(other, other)] - 2.0 * covariance[(one, other)]
}

/// By how much each bot (column) did better than expected in each cluster, less the mean over clusters; and each pair on its own.
fn residuals(duels: &Duels, at: &DVector<f64>) -> (DMatrix<f64>, Vec<Residual>) {
    let mut slopes = DMatrix::zeros(duels.batches().len(), duels.bots());
    let mut pairs: BTreeMap<[usize; 2], Residual> = BTreeMap::new();
    for (cluster, batch) in duels.batches().enumerate() {
        for ([one, other], made) in batch {
            let (met, expected) = (f64::from(made.duels), score(at[one] - at[other]));
            let more = f64::from(made.half_points) / 2.0 - met * expected;
            slopes[(cluster, one)] += more;
            slopes[(cluster, other)] -= more;
            let pair = pairs
                .entry([one, other])
                .or_insert_with(|| Residual::new([one, other], expected));
            pair.add(more, met);
        }
    }
    for mut bot in slopes.column_iter_mut() {
        let mean: f64 = bot.mean();
        bot.add_scalar_mut(-mean);
    }
    (slopes, pairs.into_values().collect())
}
