//! 95 % intervals of means over deals, in which a worse result never improves a bound.
//!
//! The lower bound is the 2.5 % quantile of Σ D_i x_i. Here x are the values of the deals, with the worst possible value of a deal added,
//! and D is uniform on the simplex (Gaffke 2005, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a
//! nonnegative variable", Mathematical Methods of Statistics 14). The upper bound is the lower bound of the mirrored values. If all deals
//! have the same extreme result, it equals the bound of Clopper and Pearson 1934. The D_i are exponential variables E_i divided by their
//! sum, so the mean is at most t with the probability that Σ E_i m_i (x_i − t) ≤ 0, where the m_i are the sizes of the deals. This
//! probability is computed exactly:
//!
//! ```text
//! G(i..j) = (y_j G(i+1..j) − y_i G(i..j−1)) / (y_j − y_i),    y = m (x − t) ascending,    G = 1 if all y ≤ 0, 0 if all y > 0
//! ```
//!
//! Each step is a mean of two probabilities, so that rounding errors do not accumulate. With many deals, a saddlepoint approximation is
//! used (Barndorff-Nielsen's r*). The distances of its bounds from the mean agree with the exact ones within 1 %.
//!
//! The coverage of the intervals is measured in `results/CALIBRATION.md`.

use crate::cluster::Cluster;
use crate::histogram::Histogram;
use crate::{normal, student};

/// Minimum number of deals for an interval of a score. With fewer deals, the interval would span nearly all of 0 … 1.
pub const MIN_DEALS_FOR_SCORES: u64 = 5;
/// Minimum number of deals for intervals of ratings, and of points, which have no tight bounds.
pub const MIN_DEALS_FOR_POINTS: u64 = 10;
/// Minimum number of deals whose difference is not the most common one. With fewer such deals, the size of rare results cannot be
/// estimated.
pub const MIN_UNEQUAL_DEALS: u64 = 3;
/// The worst value is added to the differences `WORST_WEIGHT / deals` times, but at least once. With few deals, values that are even worse
/// probably exist.
const WORST_WEIGHT: u64 = 30;
/// Maximum number of deals for which the bound is computed exactly.
const MAX_EXACT_DEALS: u64 = 60;

/// Probability that a bound is on the wrong side of the mean.
const TAIL: f64 = 0.025;

/// Values of deals: each with the size of the deal and the number of such deals.
type Cells = Vec<(f64, f64, u64)>;

/// Returns the interval of a score, in 0 … 1, from the half points on each deal; `None` for fewer than [`MIN_DEALS_FOR_SCORES`] deals.
pub fn of_score(half_points: &Cluster) -> Option<[f64; 2]> {
    let cell = |(matches, total, count): (u32, i64, u64)| {
        (
            total as f64 / (2.0 * f64::from(matches)),
            f64::from(matches),
            count,
        )
    };
    let cells: Cells = half_points.counts().map(cell).collect();
    let mirrored = cells
        .iter()
        .map(|(value, size, count)| (1.0 - value, *size, *count))
        .collect();
    (half_points.deals() >= MIN_DEALS_FOR_SCORES)
        .then(|| [lower(cells, 0.0, 1), 1.0 - lower(mirrored, 0.0, 1)])
}

/// Returns the interval of mean points from their values on deals; `None` with fewer than [`MIN_DEALS_FOR_POINTS`] deals, or if fewer than
/// [`MIN_UNEQUAL_DEALS`] of them differ from all others.
///
/// Points have no tight bounds, and often a long tail on one side. Hall's transformation, which removes the skewness, moves and stretches
/// the t interval towards the tail (Hall 1992, "On the removal of skewness by transformation", Journal of the Royal Statistical Society B
/// 54). The ends lie within the values seen.
pub fn of_points(points: &Histogram) -> Option<[f64; 2]> {
    if !varies(points) {
        return None;
    }
    let (deals, mean) = (points.count() as f64, points.mean());
    let moment = |power: i32| points.sum(|value| (value - mean).powi(power)) / deals;
    let deviation = moment(2).sqrt();
    let skewness = moment(3) / deviation.powi(3);
    let end = |t: f64| {
        let t = t / (deals - 1.0).sqrt();
        let away = if skewness.abs() < 1e-6 {
            t
        } else {
            let cube = 1.0 + skewness * (t - skewness / (6.0 * deals));
            (cube.cbrt() - 1.0) * 3.0 / skewness
        };
        mean - deviation * away
    };
    let [low, high] = points.range();
    let t = student::half_width(deals - 1.0);
    Some([end(t).max(low), end(-t).min(high)])
}

/// Returns the interval of a mean difference, given the sum and the number of differences on each deal.
pub fn of_sums(deals: impl Iterator<Item = (f64, u64)> + Clone) -> Option<[f64; 2]> {
    let means = deals.map(|(sum, size)| (sum / size as f64, size as f64, 1));
    let all = means.clone().map(|(mean, _, _)| mean).collect();
    varies(&all).then(|| symmetric(means))
}

/// Returns the interval of a mean difference, given its cells. There must be at least one deal.
pub(crate) fn symmetric(cells: impl Iterator<Item = (f64, f64, u64)> + Clone) -> [f64; 2] {
    let sizes = cells.clone().map(|(value, _, _)| value.abs());
    let worst = sizes.fold(0.0, f64::max);
    both_ends(cells, [-worst, worst])
}

/// Returns `true` if there are enough deals, and enough of them differ.
fn varies(values: &Histogram) -> bool {
    values.count() >= MIN_DEALS_FOR_POINTS && values.unequal() >= MIN_UNEQUAL_DEALS
}

fn both_ends(
    cells: impl Iterator<Item = (f64, f64, u64)> + Clone,
    [low, high]: [f64; 2],
) -> [f64; 2] {
    let deals: u64 = cells.clone().map(|(_, _, count)| count).sum();
    let added = (WORST_WEIGHT / deals.max(1)).max(1);
    let mirrored = cells
        .clone()
        .map(|(value, size, count)| (-value, size, count));
    [
        lower(cells.collect(), low, added),
        -lower(mirrored.collect(), -high, added),
    ]
}

/// Returns the largest fraction of deals that may have another outcome, with 97.5 % confidence, if this number of deals all had the same
/// outcome.
pub(crate) fn unseen(deals: u64) -> f64 {
    -(TAIL.ln() / deals as f64).exp_m1()
}

/// Returns the lower bound of the mean of these values, to which the worst value is added `added` times.
fn lower(mut cells: Cells, worst: f64, added: u64) -> f64 {
    let deals: u64 = cells.iter().map(|(_, _, count)| count).sum();
    let (best, size) = cells
        .iter()
        .fold((worst, 0.0_f64), |(best, most), (value, size, _)| {
            (best.max(*value), most.max(*size))
        });
    let equal = cells.iter().all(|cell| (cell.0, cell.1) == (best, size));
    if best <= worst || (equal && added == 1) {
        return best - (best - worst) * unseen(deals);
    }
    cells.push((worst, size, added));
    let quantile = if deals <= MAX_EXACT_DEALS {
        exact
    } else {
        approximate
    };
    // Regula falsi that halves the weight of a retained end (the Illinois method).
    let at = |mean: f64| {
        let away: Vec<(f64, u64)> = cells
            .iter()
            .map(|(value, size, count)| (size * (value - mean), *count))
            .collect();
        quantile(&away) + normal::Z
    };
    let ([mut low, mut high], mut below, mut above) = ([worst, best], -MAX_QUANTILE, MAX_QUANTILE);
    for _ in 0..200 {
        let mean = low + (high - low) * (-below / (above - below)).clamp(1e-3, 1.0 - 1e-3);
        let found = at(mean);
        if found < 0.0 {
            (low, below, above) = (mean, found, above / 2.0);
        } else {
            (high, above, below) = (mean, found, below / 2.0);
        }
        if high - low <= 1e-12 * (best - worst) || found.abs() < 1e-10 {
            return mean;
        }
    }
    low
}

/// A quantile, in standard deviations, that no probability reaches.
const MAX_QUANTILE: f64 = 40.0;

/// Returns the probability of Σ E y ≤ 0 as a quantile of the normal distribution.
fn exact(away: &[(f64, u64)]) -> f64 {
    let side = |keep: fn(f64) -> bool| {
        let kept = away.iter().filter(move |(y, _)| keep(*y));
        let mut all: Vec<f64> = kept
            .flat_map(|(y, count)| std::iter::repeat_n(y.abs(), *count as usize))
            .collect();
        // The values are sorted by their distance from 0.
        all.sort_by(f64::total_cmp);
        all
    };
    let (below, above) = (side(|y| y <= 0.0), side(|y| y > 0.0));
    // Probabilities for the values nearest below 0, by the number of values above 0.
    let mut chances = vec![0.0; above.len() + 1];
    for low in &below {
        chances[0] = 1.0;
        for (index, high) in above.iter().enumerate() {
            chances[index + 1] = (low * chances[index] + high * chances[index + 1]) / (low + high);
        }
    }
    let chance = chances[above.len()];
    if chance > 0.0 {
        normal::quantile(chance)
    } else {
        -MAX_QUANTILE
    }
}

/// Approximates `exact` for many values: r* = w + ln(u / w) / w, with K(s) = −Σ ln(1 − s y), K′(s) = 0, w = ± √(−2 K(s)) and u
/// = s √K″(s).
fn approximate(away: &[(f64, u64)]) -> f64 {
    let (least, most) = away
        .iter()
        .fold((0.0_f64, 0.0_f64), |(least, most), (y, _)| {
            (least.min(*y), most.max(*y))
        });
    if least >= 0.0 || most <= 0.0 {
        return if least >= 0.0 {
            -MAX_QUANTILE
        } else {
            MAX_QUANTILE
        };
    }
    let sum = |of: &dyn Fn(f64) -> f64| {
        away.iter()
            .map(|(y, count)| *count as f64 * of(*y))
            .sum::<f64>()
    };
    let ([mut low, mut high], mut s) = ([1.0 / least, 1.0 / most], 0.0);
    let mut curvature = 0.0;
    for _ in 0..100 {
        let slope = sum(&|y| y / (1.0 - s * y));
        curvature = sum(&|y| (y / (1.0 - s * y)).powi(2));
        if slope > 0.0 {
            high = s;
        } else {
            low = s;
        }
        let (newton, last) = (s - slope / curvature, s);
        s = if low < newton && newton < high {
            newton
        } else {
            f64::midpoint(low, high)
        };
        if (s - last).abs() <= 1e-12 * s.abs() {
            break;
        }
    }
    let w = (2.0 * sum(&|y| (-s * y).ln_1p()))
        .max(0.0)
        .sqrt()
        .copysign(s);
    // Near the mean, rounding errors dominate the ratio. Use its limit, a sixth of the skewness.
    let skewness = || sum(&|y| 2.0 * (y / (1.0 - s * y)).powi(3)) / curvature.powf(1.5);
    w + if w.abs() < 1e-3 {
        skewness() / 6.0
    } else {
        (s * curvature.sqrt() / w).ln() / w
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::{Chance, Seed};
    use proptest::prelude::*;

    use super::*;
    use crate::cluster::OnDeal;

    /// Returns deals of two matches with these half points.
    fn scores(deals: impl IntoIterator<Item = i64>) -> Cluster {
        let mut sums = Cluster::default();
        deals
            .into_iter()
            .for_each(|total| sums.add(&OnDeal { matches: 2, total }));
        sums
    }

    fn check(deals: &[(i64, usize)], expected: [f64; 2]) {
        let all = deals
            .iter()
            .flat_map(|(total, count)| std::iter::repeat_n(*total, *count));
        let found = of_score(&scores(all)).unwrap();
        assert!(
            found
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-6),
            "{found:?} for {deals:?}"
        );
    }

    /// Compares with bounds computed by the recursion in numpy, with bisection.
    #[test]
    fn bounds_are_those_of_gaffke() {
        check(&[(4, 10)], [0.691_503, 1.0]);
        check(&[(4, 9), (3, 1)], [0.671_893, 0.999_368]);
        check(&[(3, 5), (2, 5)], [0.423_457, 0.755_517]);
        check(&[(4, 5), (2, 3), (0, 2)], [0.346_047, 0.875_216]);
        check(&[(2, 10)], [0.345_751, 0.654_249]);
        check(&[(4, 20)], [0.831_567, 1.0]);
        check(&[(4, 18), (2, 2)], [0.776_086, 0.993_826]);
        check(&[(3, 20)], [0.623_675, 0.792_108]);
        check(&[(0, 9), (4, 1)], [0.002_529, 0.445_016]);
        assert_eq!(
            (of_score(&scores([4; 4])), of_score(&scores([]))),
            (None, None)
        );
    }

    /// Returns all possible results of `deals` deals, as the numbers of deals with 0 … 4 half-points.
    fn results(deals: usize) -> Vec<[usize; 5]> {
        let upto = || 0..=deals;
        let four =
            upto().flat_map(move |a| upto().flat_map(move |b| upto().map(move |c| [a, b, c])));
        let five = four.flat_map(move |[a, b, c]| {
            upto().map(move |d| [a, b, c, d, deals.wrapping_sub(a + b + c + d)])
        });
        five.filter(|counts| counts[4] <= deals).collect()
    }

    #[test]
    fn a_worse_result_never_gives_a_better_bound() {
        let bounds = |counts: [usize; 5]| {
            of_score(&scores((0..5).flat_map(|total| {
                std::iter::repeat_n(total as i64, counts[total])
            })))
            .unwrap()
        };
        for deals in 5..=8 {
            for better in results(deals) {
                let [low, high] = bounds(better);
                for total in (1..5).filter(|total| better[*total] > 0) {
                    let mut worse = better;
                    worse[total] -= 1;
                    worse[total - 1] += 1;
                    let [least, most] = bounds(worse);
                    assert!(
                        least <= low + 1e-9 && most <= high + 1e-9,
                        "{worse:?} {better:?}"
                    );
                }
            }
        }
    }

    proptest! {
        /// Checks that a worse deal never helps, in a range that includes the transition to the approximation.
        #[test]
        fn a_worse_deal_never_helps_among_many(deals in prop::collection::vec(0..=4_i64, 50..160), at in 0..50_usize) {
            let better = of_score(&scores(deals.clone())).unwrap();
            let mut worse = deals;
            worse[at] = (worse[at] - 1).max(0);
            let worse = of_score(&scores(worse)).unwrap();
            prop_assert!(worse[0] <= better[0] + 1e-9 && worse[1] <= better[1] + 1e-9);
        }

        #[test]
        fn both_methods_agree(weights in prop::array::uniform5(1..20_usize), deals in 60..140_usize) {
            let all: Vec<i64> = (0..5).flat_map(|total| std::iter::repeat_n(total as i64, weights[total])).collect();
            let cells: Cells = (0..5).map(|value| {
                let count = (0..deals).filter(|deal| all[deal * 7 % all.len()] == value).count();
                (value as f64 / 4.0, 1.0, count as u64)
            }).filter(|(_, _, count)| *count > 0).chain([(0.0, 1.0, 1)]).collect();
            for mean in [0.2, 0.35, 0.5, 0.65] {
                let away: Vec<(f64, u64)> = cells.iter().map(|(value, _, count)| (value - mean, *count)).collect();
                let [exact, near] = [exact(&away), approximate(&away)];
                prop_assert!(exact.abs() > 3.0 || (exact - near).abs() < 0.02, "{} {}", exact, near);
            }
        }
    }

    /// Checks that both methods agree at a mean of 0, where the quantile depends only on the skewness.
    #[test]
    fn both_methods_agree_at_the_mean() {
        let away = [(-0.2, 40), (0.05, 5), (0.3, 15), (0.55, 2), (0.8, 2)];
        let mean = away.iter().map(|(y, count)| y * *count as f64).sum::<f64>() / 64.0;
        let away = away.map(|(y, count)| (y - mean, count));
        let [exact, near] = [exact(&away), approximate(&away)];
        assert!(
            exact > 0.04 && (exact - near).abs() < 0.002,
            "{exact} {near}"
        );
    }

    #[test]
    fn a_loss_in_many_deals_costs_something() {
        let with = |lost: usize| {
            of_score(&scores(
                (0..1000).map(|deal| if deal < lost { 3 } else { 4 }),
            ))
            .unwrap()
        };
        let bounds: Vec<f64> = (0..5).map(|lost| with(lost)[0]).collect();
        assert!(
            bounds.windows(2).all(|pair| pair[1] < pair[0] - 1e-5),
            "{bounds:?}"
        );
        assert!((bounds[0] - 0.025_f64.powf(0.001)).abs() < 1e-12);
    }

    #[test]
    fn many_deals_have_about_the_t_interval() {
        let [low, high] = of_score(&scores((0..4000).map(|i| i % 5))).unwrap();
        // The scores of deals have a mean of 1/2 and a variance of 1/8.
        let half = 1.96 * (0.125_f64 / 4000.0).sqrt();
        assert!(
            (0.5 - low - half).abs() < 2e-4 && (high - 0.5 - half).abs() < 2e-4,
            "{low} {high} {half}"
        );
    }

    #[test]
    fn deals_of_more_matches_weigh_more() {
        let mut sums = scores([2; 10]);
        (0..10).for_each(|_| {
            sums.add(&OnDeal {
                matches: 6,
                total: 9,
            });
        });
        let [low, high] = of_score(&sums).unwrap();
        // The mean is 110 of 160.
        assert!(
            low < 0.6 && 0.6875 < high && high - low < 0.4,
            "{low} {high}"
        );
    }

    #[test]
    fn points_lean_to_the_side_of_their_tail() {
        let skewed = Histogram::from_iter((0..40).map(|i| if i % 10 == 0 { 30.0 } else { 2.0 }));
        let [low, high] = of_points(&skewed).unwrap();
        assert!(
            high - skewed.mean() > 1.5 * (skewed.mean() - low),
            "{low} {high}"
        );
        let few = |deals: usize| of_points(&(0..deals).map(|i| (i % 5) as f64).collect());
        assert!(few(9).is_none() && few(10).is_some());
        let mirrored = of_points(&(0..10).map(|i| -f64::from(i % 5)).collect()).unwrap();
        assert!(few(10).is_some_and(|[low, high]| (low + mirrored[1]).abs()
            + (high + mirrored[0]).abs()
            < 1e-9));
        assert_eq!(of_points(&Histogram::from_iter([1.0; 40])), None);
    }

    /// Returns the fractions of samples whose interval lies above, and below, the mean of 0.
    fn missed(deals: u32, value: impl Fn(&mut Chance) -> f64) -> [f64; 2] {
        let mut missed = [0.0; 2];
        for sample in 0..2000 {
            let mut chance = Seed::try_from(8).unwrap().stream("points", sample);
            let points: Histogram = (0..deals).map(|_| value(&mut chance)).collect();
            let [low, high] = of_points(&points).unwrap();
            missed[0] += f64::from(u8::from(low > 0.0)) / 2000.0;
            missed[1] += f64::from(u8::from(high < 0.0)) / 2000.0;
        }
        missed
    }

    #[test]
    fn points_with_and_without_a_tail_are_covered() {
        let share = |chance: &mut Chance| (f64::from(chance.below(10_000)) + 0.5) / 10_000.0;
        for deals in [10, 20, 30, 60] {
            let level = missed(deals, |chance| share(chance) + share(chance) - 1.0);
            let gamma = |chance: &mut Chance| (0..3).map(|_| -share(chance).ln()).sum::<f64>();
            let tail = missed(deals, |chance| gamma(chance) - 3.0);
            for [above, below] in [level, tail] {
                assert!(above < 0.045 && below < 0.055, "{deals} {above} {below}");
                assert!(
                    (0.03..0.075).contains(&(above + below)),
                    "{deals} {above} {below}"
                );
            }
        }
    }

    #[test]
    fn means_over_deals_of_one_size_are_points() {
        let values = || (0..40).map(|i| f64::from(i % 7));
        let [low, high] = of_sums(values().map(|value| (3.0 * value, 3))).unwrap();
        let [least, most] = symmetric(values().map(|value| (value, 1.0, 1)));
        assert!(
            (low - least).abs() < 1e-9 && (high - most).abs() < 1e-9,
            "{low} {high}, not {least} {most}"
        );
        // Larger deals have more weight, so the mean is 5.5.
        let [low, high] =
            of_sums((0..40).map(|i| if i % 2 == 0 { (60.0, 10) } else { (0.0, 1) })).unwrap();
        assert!(
            3.5 < low && low < 60.0 / 11.0 && 60.0 / 11.0 < high && high < 6.0,
            "{low} {high}"
        );
        assert_eq!(of_sums([(1.0, 1); 40].into_iter()), None);
    }
}
