//! 95 % intervals of means over deals, which hold also where one bot is far ahead and where deals are few.
//!
//! A t interval is symmetric. Where nearly all deals go one way the mean is not: it misses the truth in 10 % and more, all to
//! one side. So the effective number of trials is taken from the spread of the deals,
//!
//! ```text
//! n = p (1 − p) / var(p) · (z / t)²,    z and t the 0.975 quantiles of the normal and of Student's distribution, D − 1 degrees
//! ```
//!
//! and the ends are those of Clopper and Pearson 1934 for n p of n, as beta quantiles, each missed in at most 2.5 % (Korn and
//! Graubard 1998, "Confidence intervals for proportions with small expected number of positive counts estimated from survey
//! data", Survey Methodology 24). They are wider than Wilson's score interval, which misses in up to 16 % where one loss
//! is seen by chance.
//!
//! How often they hold is measured in CALIBRATION.md of this package, and from how many deals on they do.

use statrs::function::beta::beta_reg;

use crate::cluster::Cluster;
use crate::moments::Moments;
use crate::{normal, student, wilson};

/// Fewer deals have no interval of a score: it would reach over nearly all of 0 … 1.
pub const FEWEST_FOR_SCORES: u64 = 5;
/// Fewer deals have no interval of points, whose spread is not bounded by anything that is near, and none of ratings.
pub const FEWEST_FOR_POINTS: u64 = 10;

/// A bot that makes less than this share of all points there are scores by rare strokes of luck, of which a few deals may have
/// none; its points have no interval from fewer deals than this.
const RARELY: f64 = 0.02;
/// See there.
pub const FEWEST_IF_RARELY: u64 = 50;

/// The part of a deal that is added to the spread of scores, as if its matches were independent: few deals can be alike by
/// chance.
const BORROWED: f64 = 0.5;
/// The factor on the skewness of points: that of a sample of a skewed quantity is too small as a rule.
const SKEWER: f64 = 1.5;
/// From this many trials of either outcome on, the score interval is as good as the exact one.
const MANY: f64 = 1000.0;

/// The interval of a score, in 0 … 1, by the half points on each deal; none for fewer than [`FEWEST_FOR_SCORES`] deals.
///
/// If all deals are equal, their spread is not known to be 0: at most a share q of all deals is different
/// ([`wilson::unseen`]). Where that can be to one side only, since all was won or all was lost, the bound is one-sided, with
/// 95 % confidence.
pub fn of_score(half_points: &Cluster) -> Option<[f64; 2]> {
    let (deals, variance) = (half_points.deals(), half_points.variance()? / 4.0);
    let share = half_points.mean()? / 2.0;
    if deals < FEWEST_FOR_SCORES {
        return None;
    }
    if variance <= 0.0 {
        let tail = if share > 0.0 && share < 1.0 { 0.025 } else { 0.05 };
        let other = wilson::unseen(deals, tail);
        return Some([share * (1.0 - other), (share * (1.0 - other) + other).min(1.0)]);
    }
    let free = share * (1.0 - share) / half_points.matches_per_deal();
    let degrees = deals as f64 - 1.0;
    let spread = (degrees * variance * deals as f64 + BORROWED * free) / (degrees + BORROWED);
    Some(of_trials(share, spread / deals as f64, degrees))
}

/// The interval of a mean of points that lie in `low` … `high`, by their moments over deals; none for fewer than
/// [`FEWEST_FOR_POINTS`] deals (50 for a bot that hardly ever scores), and where all deals are equal, which is no evidence of how
/// another would be.
///
/// Either end is the further one of that by effective trials over the range, which knows the bounds, and that of a t
/// statistic freed of its skewness (Hall 1992, "On the removal of skewness by transformation", Journal of the Royal
/// Statistical Society B 54), which knows the deals.
pub fn of_points(points: &Moments, [low, high]: [f64; 2]) -> Option<[f64; 2]> {
    let variance = points.variance().filter(|variance| *variance > 0.0 && high > low)?;
    let rarely = points.mean() < low + RARELY * (high - low);
    let fewest = if rarely { FEWEST_IF_RARELY } else { FEWEST_FOR_POINTS };
    if points.count() < fewest || !(low..=high).contains(&points.mean()) {
        return None;
    }
    let (deals, degrees) = (points.count() as f64, points.count() as f64 - 1.0);
    let range = high - low;
    let share = ((points.mean() - low) / range).clamp(1e-9, 1.0 - 1e-9);
    let by_range = of_trials(share, variance / deals / (range * range), degrees);
    let quantile = student::half_width(degrees);
    let lean = SKEWER * points.skewness() / deals.sqrt();
    let error = (variance / deals).sqrt();
    let by_skewness = [quantile, -quantile].map(|t| points.mean() - error * unskewed(t, lean));
    let ends = by_range.map(|end| low + range * end);
    Some([ends[0].min(by_skewness[0]).max(low), ends[1].max(by_skewness[1]).min(high)])
}

/// The value of the t statistic at which its transformed one, T + a T²/3 + a² T³/27 + a/6, is `t`.
fn unskewed(t: f64, lean: f64) -> f64 {
    if lean.abs() < 1e-6 {
        return t;
    }
    3.0 / lean * ((1.0 + lean * (t - lean / 6.0)).cbrt() - 1.0)
}

/// Both ends of a share whose estimate has this variance, by this many degrees of freedom.
fn of_trials(share: f64, variance: f64, degrees: f64) -> [f64; 2] {
    let trials = share * (1.0 - share) / variance * (normal::Z / student::half_width(degrees)).powi(2);
    let [count, missed] = [share * trials, (1.0 - share) * trials];
    if count.min(missed) > MANY {
        let (whole, half) =
            (trials + normal::Z.powi(2), normal::Z * (count * missed / trials + normal::Z.powi(2) / 4.0).sqrt());
        return [-1.0, 1.0].map(|side| (count + normal::Z.powi(2) / 2.0 + side * half) / whole);
    }
    [beta_quantile(0.025, count, missed + 1.0), 1.0 - beta_quantile(0.025, missed, count + 1.0)]
}

/// The value below which a beta variable lies with this chance, found by halving on the scale of log-odds.
fn beta_quantile(chance: f64, a: f64, b: f64) -> f64 {
    let value = |logit: f64| 1.0 / (1.0 + (-logit).exp());
    let (mut low, mut high) = (-200.0, 40.0);
    for _ in 0..70 {
        let middle = f64::midpoint(low, high);
        if beta_reg(a, b, value(middle)) < chance { low = middle } else { high = middle }
    }
    value(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::OnDeal;

    fn scores(deals: &[i64]) -> Cluster {
        let mut sums = Cluster::default();
        deals.iter().for_each(|total| sums.add(&OnDeal { matches: 2, total: *total, squares: 0 }));
        sums
    }

    fn near(found: Option<[f64; 2]>, expected: [f64; 2]) {
        let close = found.is_some_and(|ends| ends.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6));
        assert!(close, "{found:?}, not {expected:?}");
    }

    /// Computed with scipy 1.17, `beta.ppf`.
    #[test]
    fn beta_quantiles_are_those_of_scipy() {
        for (chance, a, b, expected) in [
            (0.025, 0.9, 30.0, 0.000_534_887_047_246_621_6),
            (0.025, 4.0, 1.0, 0.397_635_364_383_525_3),
            (0.025, 55.5, 44.5, 0.457_250_115_931_005_1),
            (0.025, 990.0, 1200.0, 0.431_258_623_893_842_8),
        ] {
            let found = beta_quantile(chance, a, b);
            assert!((found / expected - 1.0).abs() < 1e-7, "{found} not {expected} for {a} {b}");
        }
    }

    /// Of 4 half points on each deal.
    #[test]
    fn scores_lean_away_from_the_end_that_is_near() {
        // (1 − q)^30 = 0.05 to one side, and 0.025 where it can be to both.
        near(of_score(&scores(&[4; 30])), [0.904_966, 1.0]);
        near(of_score(&scores(&[0; 30])), [0.0, 0.095_034]);
        near(of_score(&scores(&[2; 30])), [0.442_148_5, 0.557_851_5]);
        let mut few = [4; 30];
        few[7] = 2;
        let [low, high] = of_score(&scores(&few)).unwrap();
        // The mean is 59/60; a t interval would go from 0.95 to 1.02.
        assert!((0.89..0.925).contains(&low) && (0.999..1.0).contains(&high), "{low} {high}");
        assert_eq!((of_score(&scores(&[4, 2])), of_score(&scores(&[]))), (None, None));
    }

    #[test]
    fn many_deals_have_about_the_t_interval() {
        let all: Vec<i64> = (0..4000).map(|i| i % 5).collect();
        let [low, high] = of_score(&scores(&all)).unwrap();
        // Scores have a mean of 1/2 and a variance of 1/8 by deal.
        let half = 1.96 * (0.125_f64 / 4000.0).sqrt();
        assert!((0.5 - low - half).abs() < 1e-4 && (high - 0.5 - half).abs() < 1e-4, "{low} {high} {half}");
    }

    fn points(values: impl IntoIterator<Item = f64>) -> Moments {
        let mut moments = Moments::default();
        values.into_iter().for_each(|value| moments.add(value));
        moments
    }

    #[test]
    fn points_lean_to_the_side_of_their_tail() {
        let skewed = points((0..40).map(|i| if i % 10 == 0 { 30.0 } else { 2.0 }));
        let [low, high] = of_points(&skewed, [0.0, 100.0]).unwrap();
        assert!(high - skewed.mean() > 1.5 * (skewed.mean() - low), "{low} {high}");
        let even = points((0..40).map(|i| f64::from(i % 5)));
        let [low, high] = of_points(&even, [-100.0, 104.0]).unwrap();
        let half = student::half_width(39.0) * (even.variance().unwrap() / 40.0).sqrt();
        assert!((2.0 - low - half).abs() < 0.02 && (high - 2.0 - half).abs() < 0.02, "{low} {high} {half}");
        for none in [points([1.0; 40]), points((0..9).map(f64::from)), points((0..20).map(|i| f64::from(i) + 100.0))] {
            assert_eq!(of_points(&none, [0.0, 100.0]), None);
        }
    }
}
