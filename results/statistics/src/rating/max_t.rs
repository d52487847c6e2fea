//! The 95 % point of the greatest |t| of all pairs: simultaneous inference on all differences (Hothorn, Bretz and Westfall 2008,
//! "Simultaneous inference in general parametric models", Biometrical Journal 50).

use arena_engine::chance::{Chance, Seed};
use nalgebra::DMatrix;
use rayon::prelude::*;
use statrs::function::gamma::gamma_lr;

/// The chance that any of the claims is wrong.
const ALPHA: f64 = 0.05;
/// Draws of normal vectors, and the most differences that are looked at.
const DRAWS: usize = 20_000;
const DIFFERENCES: usize = 60_000_000;
/// Draws that share a stream of chance.
const CHUNK: usize = 500;
/// The parts that the draws are grouped in for the distribution of t.
const PARTS: usize = 500;

/// The critical value for errors with this covariance that is estimated with these degrees of freedom. Its stream of chance is
/// always the same.
pub(super) fn critical(covariance: &DMatrix<f64>, degrees: f64) -> f64 {
    let normal = greatest(covariance);
    // Student's t is normal over the root of an independent chi-squared variable by its degrees.
    let beyond = |t: f64| {
        let share = |z: &f64| {
            gamma_lr(
                degrees / 2.0,
                (degrees / 2.0 * (z / t).powi(2)).max(f64::MIN_POSITIVE),
            )
        };
        normal.iter().map(share).sum::<f64>() / normal.len() as f64
    };
    let (mut low, mut high) = (1.0, 1e4);
    while high - low > 1e-4 * low {
        let middle = f64::sqrt(low * high);
        if beyond(middle) > ALPHA {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The quantiles of the greatest standardised difference of two normal variables with this covariance, in rising order.
fn greatest(covariance: &DMatrix<f64>) -> Vec<f64> {
    let bots = covariance.nrows();
    let variance =
        |i: usize, j: usize| covariance[(i, i)] + covariance[(j, j)] - 2.0 * covariance[(i, j)];
    // Differences without an error are no claim.
    let scale = |i: usize, j: usize| variance(i, j).max(1e-12).sqrt().recip();
    let pairs: Vec<_> = (0..bots)
        .flat_map(|i| (0..i).map(move |j| (i, j, scale(i, j))))
        .collect();
    let root = root(covariance);
    let draws = (DIFFERENCES / pairs.len().max(1)).clamp(CHUNK, DRAWS);
    let seed = Seed::try_from(27).expect("27 is below 2^53");
    let chunk = |index: usize| {
        let mut chance = seed.stream("max t", index as u64);
        let normals = DMatrix::from_fn(bots, CHUNK, |_, _| normal(&mut chance));
        let drawn = &root * normals;
        let most = |z: nalgebra::DVectorView<'_, f64>| {
            pairs
                .iter()
                .map(|(i, j, scale)| (z[*i] - z[*j]).abs() * scale)
                .fold(0.0, f64::max)
        };
        drawn.column_iter().map(most).collect::<Vec<f64>>()
    };
    let mut all: Vec<f64> = (0..draws / CHUNK)
        .into_par_iter()
        .flat_map_iter(chunk)
        .collect();
    all.sort_by(f64::total_cmp);
    let part = (all.len() / PARTS).max(1);
    all.chunks(part)
        .map(|part| part.iter().sum::<f64>() / part.len() as f64)
        .collect()
}

/// A triangular root of a positive semidefinite matrix: the directions that have no variance are left out.
pub(crate) fn root(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    let mut root = covariance.lower_triangle();
    let least = 1e-12 * covariance.diagonal().max();
    for j in 0..root.nrows() {
        for i in j..root.nrows() {
            let rest = root[(i, j)] - root.view((i, 0), (1, j)).dot(&root.view((j, 0), (1, j)));
            root[(i, j)] = match root[(j, j)] {
                _ if i == j && rest <= least => 0.0,
                _ if i == j => rest.sqrt(),
                pivot if pivot > 0.0 => rest / pivot,
                _ => 0.0,
            };
        }
    }
    root
}

/// A standard normal number (Box and Muller 1958, "A note on the generation of random normal deviates").
pub(crate) fn normal(chance: &mut Chance) -> f64 {
    let radius = (-2.0 * (1.0 - chance.share()).ln()).sqrt();
    radius * (std::f64::consts::TAU * chance.share()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::student;

    #[test]
    fn for_two_it_is_students_quantile() {
        for degrees in [4.0, 9.0, 99.0] {
            let found = critical(&DMatrix::identity(2, 2), degrees);
            let expected = student::half_width(degrees);
            assert!(
                (found / expected - 1.0).abs() < 0.015,
                "{found} not {expected}"
            );
        }
    }

    /// The studentised range over √2, by the tables.
    #[test]
    fn for_equal_errors_it_is_the_studentised_range() {
        for (bots, degrees, range) in [
            (4, 20.0, 3.958),
            (10, 20.0, 5.008),
            (10, 1e6, 4.474),
            (60, 1e6, 5.764),
        ] {
            let found = critical(&DMatrix::identity(bots, bots), degrees);
            let expected = range / f64::sqrt(2.0);
            assert!(
                (found / expected - 1.0).abs() < 0.01,
                "{found} not {expected} for {bots}"
            );
        }
    }
}
