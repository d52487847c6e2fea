//! Several tests at once: Holm's step-down correction, and the marks of significance.

use arena_engine::shown;
use serde::Serialize;

/// The chance of any mark of significance, ever, where all bots are equal: what a single look at the planned number of deals takes of
/// it, and what all other looks take together.
pub const LEVEL: f64 = PLANNED + ANY_TIME;
/// The part of the look at the planned number of deals.
pub const PLANNED: f64 = 0.03;
/// The part of all looks before and, where a tournament was extended, after it.
pub const ANY_TIME: f64 = 0.02;

/// The look at which marks are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// That at all deals that were planned at first, and no more.
    Planned,
    /// One of any number: some deals are not finished yet, or more were added than were planned at first.
    AnyTime,
}

/// The adjusted p values, in the order of the given ones: rejecting those of at most 0.05 rejects a true hypothesis
/// anywhere among them with a chance of at most 5 %, however the tests depend on each other.
///
/// Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6: the k-th
/// smallest of m p values becomes the greatest (m − i + 1) · p_i for i ≤ k, at most 1.
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

/// The significance of a p value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Significance {
    /// Not at 5 %, or there is no test.
    None,
    /// At 5 % for all pairs and all looks together.
    FivePercent,
    /// At 1 %.
    OnePercent,
    /// At 0.1 %.
    OnePerMille,
}

impl Significance {
    /// Of one of so many pairs: at 5 % if its adjusted p value is at most 0.03, which counts at the planned look only, or if an
    /// e-process ([`crate::evidence::Evidence`]) has come to the number of pairs over 0.02. Other levels share these in proportion.
    pub fn of(p_adjusted: f64, evidence: f64, pairs: usize, look: Look) -> Self {
        let planned = if look == Look::Planned {
            p_adjusted / PLANNED
        } else {
            f64::INFINITY
        };
        match planned.min(pairs as f64 / evidence / ANY_TIME) {
            ..=0.02 => Self::OnePerMille,
            ..=0.2 => Self::OnePercent,
            ..=1.0 => Self::FivePercent,
            _ => Self::None,
        }
    }
}

shown!(Significance, |mark| "{}", &"***"[..*mark as usize]);

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

    #[test]
    fn marks_follow_the_usual_levels() {
        let planned = |p: f64| Significance::of(p, 1.0, 6, Look::Planned).to_string();
        assert_eq!(
            [0.0, 0.000_599, 0.0007, 0.005_999, 0.03, 0.0301, 1.0].map(planned),
            ["***", "***", "**", "**", "*", "", ""]
        );
        let at_any_time = |e: f64| Significance::of(0.0, e, 6, Look::AnyTime).to_string();
        assert_eq!(
            [1.0, 299.0, 301.0, 1501.0, 15_001.0, f64::INFINITY].map(at_any_time),
            ["", "", "*", "**", "***", "***"]
        );
        assert_eq!(
            Significance::of(0.5, 301.0, 6, Look::Planned),
            Significance::FivePercent
        );
    }
}
