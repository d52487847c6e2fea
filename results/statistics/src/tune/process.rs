//! A Gaussian process with a Matérn 5/2 kernel, one length scale for all parameters, an unknown mean, and a known noise covariance.
//!
//! The score of a setting is f(x) + noise, where f has the covariance `1 + h² (1 + r + r² / 3) exp(−r)` with `r = √5 d / l` for points at
//! distance d (Rasmussen and Williams 2006, "Gaussian Processes for Machine Learning", 4.2). The length scale l and the height h, the
//! standard deviation of the score, are chosen from a grid by maximum posterior density.

use arena_engine::chance::Chance;

use super::matrix::{Matrix, dot};

const LENGTHS: [f64; 7] = [0.15, 0.25, 0.4, 0.65, 1.0, 1.7, 3.0];
const HEIGHTS: [f64; 5] = [0.015, 0.03, 0.06, 0.12, 0.24];

/// A setting: each parameter as a fraction of its range.
pub(super) type Point = Vec<f64>;

/// A process fitted to scores.
#[derive(Clone, Debug)]
pub(super) struct Process {
    scales: [f64; 2],
    points: Vec<Point>,
    /// Cholesky factor of the covariance of the scores.
    factor: Matrix,
    weights: Vec<f64>,
}

impl Process {
    /// Returns the process that best fits these scores at these points.
    pub(super) fn fit(points: &[Point], scores: &[f64], noise: &Matrix) -> Self {
        let grid = LENGTHS
            .iter()
            .flat_map(|length| HEIGHTS.map(|height| [*length, height]));
        let fitted = grid.filter_map(|scales| Self::with(scales, points, scores, noise));
        let best = fitted.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.expect("a covariance with noise is positive definite")
            .0
    }

    /// Returns the process with this length scale and height, and its log posterior density up to a constant.
    fn with(
        scales: [f64; 2],
        points: &[Point],
        scores: &[f64],
        noise: &Matrix,
    ) -> Option<(Self, f64)> {
        let covariance = Matrix::from_fn(points.len(), points.len(), |i, j| {
            covariance(scales, &points[i], &points[j]) + noise[(i, j)]
        });
        let factor = covariance.root();
        if factor.diagonal().any(|pivot| pivot <= 0.0) {
            return None;
        }
        let weights = factor.solve_transposed(&factor.solve(scores));
        let prior = ((scales[0] / 0.6).ln() / 0.8).powi(2) + (scales[1] / 0.06).ln().powi(2);
        let determinant: f64 = factor.diagonal().map(f64::ln).sum();
        let density = -0.5 * (dot(scores, &weights) + prior) - determinant;
        Some((
            Self {
                scales,
                points: points.to_vec(),
                factor,
                weights,
            },
            density,
        ))
    }

    /// Returns the expected scores at these points.
    pub(super) fn mean(&self, at: &[Point]) -> Vec<f64> {
        self.across(at).times(&self.weights)
    }

    /// Returns the posterior covariance of the scores at these points.
    pub(super) fn covariance(&self, at: &[Point]) -> Matrix {
        let across = self.across(at);
        let explained: Vec<Vec<f64>> = across.rows().map(|row| self.factor.solve(row)).collect();
        Matrix::from_fn(at.len(), at.len(), |i, j| {
            covariance(self.scales, &at[i], &at[j]) - dot(&explained[i], &explained[j])
        })
    }

    /// Returns the prior covariances between the scores at these points and the scores of the process.
    fn across(&self, at: &[Point]) -> Matrix {
        Matrix::from_fn(at.len(), self.points.len(), |i, j| {
            covariance(self.scales, &at[i], &self.points[j])
        })
    }
}

/// Returns the prior covariance of the scores at two points.
fn covariance([length, height]: [f64; 2], a: &Point, b: &Point) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    let r = (5.0 * squares).sqrt() / length;
    1.0 + height.powi(2) * (1.0 + r + r * r / 3.0) * (-r).exp()
}

/// Returns a standard normal random number (Box and Muller 1958, "A note on the generation of random normal deviates").
pub(super) fn normal(chance: &mut Chance) -> f64 {
    let radius = (-2.0 * (1.0 - chance.share()).ln()).sqrt();
    radius * (std::f64::consts::TAU * chance.share()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f64; 2]; 8] = [
        [0.51, 0.95],
        [0.14, 0.95],
        [0.31, 0.42],
        [0.83, 0.41],
        [0.55, 0.03],
        [0.75, 0.54],
        [0.33, 0.79],
        [0.3, 0.45],
    ];
    const SCORES: [f64; 8] = [0.077, 0.041, 0.091, -0.021, 0.048, 0.014, 0.093, 0.091];

    fn near(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3),
            "{found} instead of {expected}"
        );
    }

    /// Compares with values computed with numpy 2.4 by Cholesky factorisation and `numpy.linalg.solve`. The points share noise in two
    /// groups of four.
    #[test]
    fn fit_and_posterior_are_those_of_numpy() {
        let points: Vec<Point> = POINTS.iter().map(|point| point.to_vec()).collect();
        let scores = SCORES;
        let noise = Matrix::from_fn(8, 8, |i, j| {
            if i == j {
                0.000_6
            } else if i / 4 == j / 4 {
                0.000_2
            } else {
                0.0
            }
        });
        for (length, height, density) in [
            (0.65, 0.06, 19.207_993_942_880_595),
            (0.25, 0.24, 10.114_271_608_832_073),
        ] {
            near(
                Process::with([length, height], &points, &scores, &noise)
                    .unwrap()
                    .1,
                density,
            );
        }
        let process = Process::fit(&points, &scores, &noise);
        assert_eq!(process.scales, [0.65, 0.06]);
        let at = [vec![0.1, 0.2], vec![0.5, 0.5], vec![0.9, 0.7]];
        let (mean, covariance) = (process.mean(&at), process.covariance(&at));
        let expected = [
            0.085_136_876_392_198_25,
            0.060_908_760_167_507_126,
            0.010_304_582_624_556_247,
        ];
        mean.iter()
            .zip(expected)
            .for_each(|(found, expected)| near(*found, expected));
        let expected = [
            [
                1.154_268_791_248_025_5e-3,
                -4.637_253_587_125_301e-6,
                2.116_860_224_095_074e-4,
            ],
            [
                -4.637_253_587_125_301e-6,
                3.341_782_793_966_353_7e-4,
                5.958_129_992_489_347e-5,
            ],
            [
                2.116_860_224_095_074e-4,
                5.958_129_992_489_347e-5,
                7.860_243_670_285_705e-4,
            ],
        ];
        for (i, row) in expected.iter().enumerate() {
            row.iter()
                .enumerate()
                .for_each(|(j, expected)| near(covariance[(i, j)], *expected));
        }
    }
}
