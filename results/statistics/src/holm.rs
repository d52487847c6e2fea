//! Multiple testing: Holm's step-down correction, and the error rate that each look at a tournament may use.

/// Error rate of the first look, at the planned number of deals.
pub const PLANNED_ERROR_RATE: f64 = 0.035;
/// Error rate of all later looks together. Together with the first look, this is less than 0.05. The rest is a reserve for points with few
/// distinct values, and for extensions that depend on results.
const LATER_ERROR_RATE: f64 = 0.01;

/// Returns the error rate that a look at this many deals may use, after the earlier looks. The later the deals, the less error rate they
/// add.
///
/// Lan and DeMets 1983, "Discrete sequential boundaries for clinical trials", Biometrika 70: the error rate used up after n deals is a
/// function of n alone. Here it is 0.035 + 0.01 · (1 − n₀ / n), so that all looks together use less than 0.045, whatever their number.
/// Doubling the length of a tournament uses 0.005.
pub fn level(earlier: &[u32], deals: u32) -> f64 {
    match earlier {
        [] => PLANNED_ERROR_RATE,
        [first, ..] => {
            let left = |deals: u32| f64::from(*first) / f64::from(deals);
            LATER_ERROR_RATE * (left(earlier[earlier.len() - 1]) - left(deals)).max(0.0)
        }
    }
}

/// Returns the adjusted p-values in the given order. If all hypotheses with an adjusted p-value of at most 0.05 are rejected, the
/// probability of rejecting any true one is at most 5 %, however the tests depend on each other.
///
/// Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6: the k-th smallest of m
/// p-values becomes the largest (m − i + 1) · p_i for i ≤ k, at most 1.
pub fn adjusted(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut greatest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        greatest = greatest.max((p.len() - rank) as f64 * p[index]).min(1.0);
        adjusted[index] = greatest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal;

    fn check(p: &[f64], expected: &[f64]) {
        let found = adjusted(p);
        assert_eq!(found.len(), expected.len());
        assert!(
            found
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-12),
            "{found:?}"
        );
    }

    #[test]
    fn all_looks_together_spend_less_than_5_percent() {
        for step in [1, 7, 40, 1000] {
            let looks: Vec<u32> = (0..300).map(|look| 20 + look * step).collect();
            let levels = (0..looks.len()).map(|look| level(&looks[..look], looks[look]));
            let sum: f64 = levels.sum();
            assert!((0.035..=0.045).contains(&sum), "{sum}");
        }
        assert!((level(&[20], 40) - 0.005).abs() < 1e-12);
        assert!((level(&[20, 40], 80) - 0.0025).abs() < 1e-12);
    }

    /// Checks the error rate if results decide the sizes. The worst case is somebody who sees all results, and extends the tournament such
    /// that a false claim is most likely. Dynamic programming over the number of deals and the normal deviate so far finds the error rate
    /// of this person.
    #[test]
    fn whoever_extends_to_find_something_is_held_below_5_percent() {
        const STEP: f64 = 0.1;
        let density = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let critical = |level: f64| -normal::quantile(level / 2.0);
        let deviates: Vec<f64> = (-60..=60).map(|at| f64::from(at) * STEP).collect();
        let sizes: Vec<u32> = (0..24).map(|at| (1e6 * 1.25_f64.powi(at)) as u32).collect();
        // The greatest probability of a later claim, by size and deviate.
        let mut chances = vec![vec![0.0; deviates.len()]; sizes.len()];
        for (from, size) in sizes.iter().enumerate().rev() {
            for to in from + 1..sizes.len() {
                let bound = critical(level(&[sizes[0], *size], sizes[to]));
                let share = f64::from(*size) / f64::from(sizes[to]);
                let deviation = (1.0 - share).sqrt();
                for (at, z) in deviates.iter().enumerate() {
                    let mean = z * share.sqrt();
                    let claimed = |side: f64| normal::cdf((side * mean - bound) / deviation);
                    let later = deviates.iter().zip(&chances[to]);
                    let later = later.filter(|(next, _)| next.abs() < bound);
                    let later = later.map(|(next, chance)| {
                        chance * density((next - mean) / deviation) / deviation * STEP
                    });
                    let chance = claimed(1.0) + claimed(-1.0) + later.sum::<f64>();
                    chances[from][at] = chances[from][at].max(chance);
                }
            }
        }
        let open = deviates.iter().zip(&chances[0]);
        let open = open.filter(|(z, _)| z.abs() < critical(PLANNED_ERROR_RATE));
        let later: f64 = open.map(|(z, chance)| chance * density(*z) * STEP).sum();
        assert!(
            (0.045..0.048).contains(&(PLANNED_ERROR_RATE + later)),
            "{later}"
        );
    }

    #[test]
    fn p_values_are_adjusted_step_by_step() {
        check(&[], &[]);
        check(&[0.03], &[0.03]);
        // By hand: m·p is .01 .072 .312 .287 .252 .3 .296 .615 .424 .216; the adjusted values are its running maximum.
        check(
            &[
                0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216,
            ],
            &[
                0.01, 0.072, 0.312, 0.312, 0.312, 0.312, 0.312, 0.615, 0.615, 0.615,
            ],
        );
        check(&[0.9, 0.01, 0.6], &[1.0, 0.03, 1.0]);
        check(&[0.02, 0.02], &[0.04, 0.04]);
    }
}
