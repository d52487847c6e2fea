//! Multiple testing: Holm's step-down correction, and the allocation of the error rate between looks.

/// Familywise error rate: probability of any mark of significance, ever, if all bots are equal. Split between the single look at the
/// planned number of deals and all other looks together.
pub const LEVEL: f64 = PLANNED + ANY_TIME;
/// Error rate of the look at the planned number of deals.
pub const PLANNED: f64 = 0.03;
/// Error rate of all looks before it and, in an extended tournament, after it.
pub const ANY_TIME: f64 = 0.02;

/// Returns the adjusted p-values in the given order: rejecting those of at most 0.05 rejects any true hypothesis with a probability
/// of at most 5 %, however the tests depend on each other.
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
    fn p_values_are_adjusted_step_by_step() {
        check(&[], &[]);
        check(&[0.03], &[0.03]);
        // By hand: m·p is .01 .072 .312 .287 .252 .3 .296 .615 .424 .216, then the running maximum.
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
