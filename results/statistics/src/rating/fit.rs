//! The fit of strengths: each bot's expected scores add up to the score that it made.
//!
//! It is the greatest likelihood of Bradley and Terry 1952, "Rank analysis of incomplete block designs", with a draw as half a win and
//! half a loss, found by Newton's method. Strengths are in logits.

use nalgebra::{DMatrix, DVector};

/// Elo points in a logit: 400 / ln 10.
pub(super) const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// The longest step of a strength, in logits.
const LONGEST: f64 = 1.0;
/// A fit has settled when no strength moves by more than this, in logits: 2e-8 Elo.
const SETTLED: f64 = 1e-10;
const MOST_STEPS: usize = 200;

/// Strengths by scores and numbers of duels, each of a bot (row) against another one. `hold` is added to the information: it has to
/// hold where the scores alone do not bound a strength, and draws it to 0.
pub(super) fn strengths([won, met]: &[DMatrix<f64>; 2], hold: &DMatrix<f64>) -> DVector<f64> {
    let bots = won.nrows();
    let mut at = DVector::zeros(bots);
    for _ in 0..MOST_STEPS {
        let expected =
            met.component_mul(&DMatrix::from_fn(bots, bots, |i, j| score(at[i] - at[j])));
        let slope = (won - expected).column_sum() - hold * &at;
        let Some(factor) = (information(met, &at) + hold).cholesky() else {
            break;
        };
        let step = factor.solve(&slope);
        let longest = step.amax();
        at += step / (longest / LONGEST).max(1.0);
        if longest < SETTLED {
            break;
        }
    }
    at
}

/// The information that this many duels have about strengths: the negative second derivatives of the likelihood's logarithm.
pub(super) fn information(met: &DMatrix<f64>, at: &DVector<f64>) -> DMatrix<f64> {
    let bots = met.nrows();
    let apart = DMatrix::from_fn(bots, bots, |i, j| {
        let expected = score(at[i] - at[j]);
        met[(i, j)] * expected * (1.0 - expected)
    });
    DMatrix::from_diagonal(&apart.column_sum()) - apart
}

/// The expected score at a difference in logits.
pub(super) fn score(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_scores_add_up_to_those_made() {
        let won = DMatrix::from_row_slice(3, 3, &[0.0, 7.5, 9.0, 2.5, 0.0, 6.0, 1.0, 4.0, 0.0]);
        let met = &won + won.transpose();
        let at = strengths(
            &[won.clone(), met.clone()],
            &DMatrix::from_element(3, 3, 1.0),
        );
        for bot in 0..3 {
            let expected: f64 = (0..3)
                .map(|other| met[(bot, other)] * score(at[bot] - at[other]))
                .sum();
            assert!((expected - won.row(bot).sum()).abs() < 1e-9, "{at}");
        }
        assert!(at.sum().abs() < 1e-9);
    }
}
