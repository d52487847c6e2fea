//! Fits ratings, so that each bot's expected scores add up to its actual score.
//!
//! This is the maximum likelihood estimate of Bradley and Terry 1952, "Rank analysis of incomplete block designs", with a draw
//! as half a win and half a loss, found by Newton's method. Ratings are in logits.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Elo points per logit: 400 / ln 10.
pub(super) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Maximum step of a rating, in logits.
const MAX_STEP: f64 = 1.0;
/// Convergence threshold for the largest step of a rating, in logits: 2e-8 Elo.
const TOLERANCE: f64 = 1e-10;
const MAX_STEPS: usize = 200;

/// Ratings that add up to 0, and the Cholesky factor of their information matrix.
pub(super) struct Fit {
    pub(super) at: DVector<f64>,
    pub(super) information: Cholesky<f64, Dyn>,
}

impl Fit {
    /// Fits scores and numbers of duels, each of a bot (row) against another one. Each bot must have taken something from each other,
    /// directly or indirectly (Ford 1957, "Solution of a ranking problem from binary comparisons").
    ///
    /// `None` if the matrix of duels cannot be inverted.
    pub(super) fn new(won: &DMatrix<f64>, met: &DMatrix<f64>) -> Option<Self> {
        let bots = won.nrows();
        let mut at = DVector::zeros(bots);
        for _ in 0..MAX_STEPS {
            let expected = DMatrix::from_fn(bots, bots, |i, j| score(at[i] - at[j]));
            let slope = (won - met.component_mul(&expected)).column_sum();
            let step = information(met, &at)?.solve(&slope);
            let longest = step.amax();
            at += step / (longest / MAX_STEP).max(1.0);
            if longest < TOLERANCE {
                break;
            }
        }
        let information = information(met, &at)?;
        Some(Self { at, information })
    }
}

/// Returns the factored negative Hessian of the log-likelihood. Only differences of ratings matter, so their sum is fixed at 0.
fn information(met: &DMatrix<f64>, at: &DVector<f64>) -> Option<Cholesky<f64, Dyn>> {
    let bots = met.nrows();
    let between = DMatrix::from_fn(bots, bots, |i, j| {
        let expected = score(at[i] - at[j]);
        met[(i, j)] * expected * (1.0 - expected)
    });
    let sums = DMatrix::from_diagonal(&between.column_sum());
    (sums - between).add_scalar(1.0).cholesky()
}

/// Returns the expected score at a difference in logits.
pub(super) fn score(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// Returns the rating at which the expected scores against opponents with these ratings and numbers of duels have this mean, in the
/// open interval from 0 to 1.
pub(super) fn rating(mean: f64, opponents: &[(f64, f64)]) -> f64 {
    let wanted: f64 = opponents.iter().map(|(_, duels)| duels * mean).sum();
    let made = |at: f64| -> f64 {
        let scores = opponents.iter();
        scores.map(|(other, duels)| duels * score(at - other)).sum()
    };
    let (mut low, mut high) = (-100.0, 100.0);
    while high - low > 1e-9 {
        let middle = f64::midpoint(low, high);
        if made(middle) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Returns the largest set of bots that have taken something from each other, directly or indirectly, or the set of the given bot.
/// `took` says whether one bot scored at least half a point against another; ties in size go to the set with the first name.
pub(super) fn core(
    names: &[String],
    named: Option<usize>,
    took: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    let bots = names.len();
    let mut from = vec![Vec::new(); bots];
    let mut to = vec![Vec::new(); bots];
    for (bot, other) in (0..bots).flat_map(|bot| (0..bots).map(move |other| (bot, other))) {
        if took(bot, other) {
            from[bot].push(other);
            to[other].push(bot);
        }
    }
    let set = |bot: usize| -> Vec<usize> {
        let [below, above] = [reached(&from, bot), reached(&to, bot)];
        (0..bots).filter(|bot| below[*bot] && above[*bot]).collect()
    };
    if let Some(bot) = named {
        return set(bot);
    }
    let mut by_name: Vec<usize> = (0..bots).collect();
    by_name.sort_by_key(|bot| &names[*bot]);
    let mut seen = vec![false; bots];
    let mut largest = Vec::new();
    for bot in by_name {
        if !seen[bot] {
            let found = set(bot);
            found.iter().for_each(|bot| seen[*bot] = true);
            if found.len() > largest.len() {
                largest = found;
            }
        }
    }
    largest
}

/// Returns which bots are reachable along these edges from one of them, including itself.
fn reached(edges: &[Vec<usize>], start: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    reached[start] = true;
    let mut open = vec![start];
    while let Some(via) = open.pop() {
        for to in &edges[via] {
            if !std::mem::replace(&mut reached[*to], true) {
                open.push(*to);
            }
        }
    }
    reached
}
