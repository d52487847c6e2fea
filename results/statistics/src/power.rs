//! The number of deals that it takes to see a difference between two bots, before they are played.
//!
//! The unit is the deal, as everywhere here: what is counted are the deals on which the two meet. After
//!
//! ```text
//! D = (z(0.975) + z(0.8))² σ² / δ²
//! ```
//!
//! deals the two-sided 95 % interval of their result leaves out 0 with a chance of 80 %, if they differ by δ and the result
//! of a deal has the standard deviation σ (Cohen 1988, "Statistical Power Analysis for the Behavioral Sciences"; normal
//! approximation). δ and σ are in the same unit: mean score of a match less ½, or points in a match.

use std::collections::BTreeMap;

use arena_tournament::deals::Deal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cluster::{Cluster, DuelsOnDeal};
use crate::{elo, normal};

/// The chance to see a difference that is there.
pub const POWER: f64 = 0.8;

/// The 0.8 quantile of the normal distribution: that of [`POWER`].
const Z_POWER: f64 = 0.841_621_233_572_914_3;

/// More deals than this are not counted: bots that close will never differ significantly.
const MOST: f64 = 1e9;

/// The number of deals that it takes to see a difference of `delta`, where what is measured has the standard deviation `sigma`
/// over deals, in the same unit. None for no difference, for more than a thousand million deals, and for what is no number.
pub fn deals(delta: f64, sigma: f64) -> Option<u64> {
    deals_at(delta, sigma, 0.05)
}

/// The same for a two-sided test at another level than 5 %.
pub fn deals_at(delta: f64, sigma: f64, level: f64) -> Option<u64> {
    let deals = ((normal::quantile(1.0 - level / 2.0) + Z_POWER) * sigma / delta).powi(2).ceil();
    (delta != 0.0 && deals <= MOST).then(|| (deals as u64).max(1))
}

/// The least difference that this many deals see, in the unit of `sigma`: the inverse of [`deals`]. None for no deals.
pub fn least_seen(deals: u64, sigma: f64) -> Option<f64> {
    let delta = (normal::Z + Z_POWER) * sigma / (deals as f64).sqrt();
    delta.is_finite().then_some(delta)
}

/// A count rounded to two significant digits, for people.
pub fn rounded(count: u64) -> u64 {
    let unit = count.checked_ilog10().map_or(1, |digits| 10_u64.pow(digits.saturating_sub(1)));
    count.saturating_add(unit / 2) / unit * unit
}

/// A difference between two bots, in the unit that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// In Elo: of the mean score.
    Elo(f64),
    /// In points in a match.
    Points(f64),
}

impl Difference {
    /// The same in the unit of the standard deviation over deals: the mean score less ½, or points.
    pub fn delta(self) -> f64 {
        match self {
            Difference::Elo(elo) => elo::score(elo) - 0.5,
            Difference::Points(points) => points,
        }
    }

    /// A difference of so much, in the unit of this one; none for a score that no Elo gives.
    pub fn of_delta(self, delta: f64) -> Option<Self> {
        match self {
            Difference::Elo(_) => elo::of_score(0.5 + delta).map(Difference::Elo),
            Difference::Points(_) => Some(Difference::Points(delta)),
        }
    }

    /// Its spread over the deals of a sample, if that can be measured there.
    pub fn spread(self, sample: &DealSample) -> Option<Spread> {
        match self {
            Difference::Elo(_) => sample.score(),
            Difference::Points(_) => sample.points(),
        }
    }

    /// The spread of it where nothing is known but how many matches two bots have on a deal: that of independent matches without
    /// draws between equal bots, which is the greatest that independent matches can have. None for points, which have no bound.
    pub fn worst_spread(self, matches: f64) -> Option<Spread> {
        match self {
            Difference::Elo(_) => Some(Spread { sigma: 0.5 / matches.sqrt(), deals: 0 }),
            Difference::Points(_) => None,
        }
    }
}

/// How much what two bots make of a deal differs from deal to deal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The standard deviation over deals, in mean score or points in a match.
    pub sigma: f64,
    /// The number of results that it was measured on, each of two bots on a deal; 0 if it was not measured.
    pub deals: u64,
}

/// The results of every two bots on the finished deals of a sample.
#[derive(Clone, Debug, Default)]
pub struct DealSample {
    pairs: BTreeMap<[usize; 2], [Cluster; 2]>,
}

impl DealSample {
    /// Takes in a deal; each must come once. One that is not finished is passed over.
    pub fn add(&mut self, deal: &Deal) {
        if !deal.finished {
            return;
        }
        for (bots, sums) in DuelsOnDeal::of(deal) {
            let [half_points, points] = self.pairs.entry(bots).or_default();
            half_points.add(&sums.half_points);
            points.add(&sums.points);
        }
    }

    /// The spread of the mean score of two bots against each other. Pairs all of whose deals are equal are left out: there one
    /// wins everything or both play alike, which is no evidence for bots that are close but differ.
    pub fn score(&self) -> Option<Spread> {
        let spread = pooled(self.pairs.values().map(|[half_points, _]| half_points), |variance| variance > 0.0)?;
        Some(Spread { sigma: spread.sigma / 2.0, ..spread })
    }

    /// The spread of the mean difference of points; none if no two deals differ.
    pub fn points(&self) -> Option<Spread> {
        pooled(self.pairs.values().map(|[_, points]| points), |_| true)
    }
}

/// The mean of the variances over deals of these pairs, each about its own mean; of pairs with two deals at least, and a variance
/// that is taken. None if that is none, or 0.
fn pooled<'a>(pairs: impl Iterator<Item = &'a Cluster>, take: impl Fn(f64) -> bool) -> Option<Spread> {
    let variance = |pair: &Cluster| Some((pair.variance()? * pair.deals() as f64, pair.deals()));
    let all: Vec<(f64, u64)> = pairs.filter_map(variance).filter(|(variance, _)| take(*variance)).collect();
    let mean = all.iter().map(|(variance, _)| variance).sum::<f64>() / all.len() as f64;
    (mean > 0.0).then(|| Spread { sigma: mean.sqrt(), deals: all.iter().map(|(_, deals)| deals).sum() })
}

#[cfg(test)]
mod tests {
    use arena_tournament::deals::{Deals, Scored, Seated};

    use super::*;

    /// By hand: (1.959964 + 0.841621)² = 7.848879; for 20 Elo δ = 1 / (1 + 10^(−1/20)) − 1/2 = 0.0287505.
    #[test]
    fn deals_are_those_of_the_formula() {
        let factor = (normal::Z + normal::quantile(POWER)).powi(2);
        assert!((factor - 7.848_879_7).abs() < 1e-6, "{factor}");
        // 7.8488797 · 0.25 / 2 = 0.9811100 over 0.0287505² = 0.00082659: 1186.94.
        assert_eq!(deals(Difference::Elo(20.0).delta(), 0.125_f64.sqrt()), Some(1187));
        // 7.8488797 · 100 / 2.25 = 348.84.
        assert_eq!(deals(Difference::Points(1.5).delta(), 10.0), Some(349));
        assert_eq!(deals(-1.5, 10.0), Some(349), "either may be ahead");
        assert_eq!((deals(0.5, 1e-9), deals(0.5, 0.0)), (Some(1), Some(1)));
    }

    #[test]
    fn what_cannot_be_seen_has_no_number_of_deals() {
        assert_eq!((deals(0.0, 0.5), deals(0.0, 0.0), deals(1e-6, 0.5)), (None, None, None));
        assert_eq!((deals(f64::NAN, 0.5), deals(0.1, f64::NAN), deals(0.1, f64::INFINITY)), (None, None, None));
        // 7.8488797 · 0.25 / 4.5e-5² = 9.69e8, which is below 1e9.
        assert!(deals(4.5e-5, 0.5).is_some() && deals(4.4e-5, 0.5).is_none());
        assert_eq!(least_seen(0, 0.5), None);
    }

    #[test]
    fn the_least_difference_that_is_seen_is_the_inverse() {
        // 2.8015852 · 0.35355339 / √20 = 0.2214848; 400 · log10(0.7214848 / 0.2785152) = 165.35.
        let delta = least_seen(20, 0.125_f64.sqrt()).unwrap();
        assert!((delta - 0.221_484_8).abs() < 1e-6, "{delta}");
        let Some(Difference::Elo(elo)) = Difference::Elo(1.0).of_delta(delta) else { panic!("{delta} is no Elo") };
        assert!((elo - 165.35).abs() < 0.01, "{elo}");
        for count in [1, 2, 97, 3166, 1_000_000] {
            let seen = least_seen(count, 0.4).unwrap();
            assert_eq!((deals(seen * 1.000_000_1, 0.4), deals(seen * 0.99, 0.4) > Some(count)), (Some(count), true));
        }
        assert_eq!(Difference::Elo(1.0).of_delta(0.5), None);
        assert_eq!(Difference::Points(1.0).of_delta(0.75), Some(Difference::Points(0.75)));
    }

    #[test]
    fn counts_are_rounded_to_two_digits() {
        let table = [(0, 0), (7, 7), (97, 97), (100, 100), (104, 100), (105, 110), (994, 990), (995, 1_000)];
        for (count, shown) in table.into_iter().chain([(3_166, 3_200), (1_000_000_000, 1_000_000_000)]) {
            assert_eq!(rounded(count), shown, "{count}");
        }
        assert_eq!(rounded(u64::MAX), 18_000_000_000_000_000_000);
    }

    /// Finished deals of two matches, each with the points of bot 0 and bot 1; the better wins.
    fn sample(deals: &[[[i32; 2]; 2]]) -> DealSample {
        let mut sample = DealSample::default();
        let place = |[mine, other]: [i32; 2]| if mine >= other { 1 } else { 2 };
        let seat = |points: [i32; 2]| Seated { place: place(points), points: points[0], fault: None, counts: vec![] };
        for (deal, matches) in (1..).zip(deals) {
            let mut gathering = Deals::new(2, None);
            for (turn, [one, other]) in matches.iter().enumerate() {
                let (mut bots, mut seats) = (vec![0, 1], vec![seat([*one, *other]), seat([*other, *one])]);
                if turn == 1 {
                    (bots, seats) = (vec![1, 0], seats.into_iter().rev().collect());
                }
                assert!(gathering.add(Scored { deal, bots, seats, transcript: 0 }).is_none());
            }
            sample.add(&gathering.end().unwrap());
        }
        sample
    }

    /// Mean scores 1, ½, ¼: their variance is (0.4167² + 0.0833² + 0.3333²) / 2 = 0.1458. Leads 6, 0, −2: 52 / 3.
    #[test]
    fn the_spread_is_that_over_deals() {
        let three = sample(&[[[9, 1], [5, 1]], [[3, 1], [1, 3]], [[2, 2], [0, 4]]]);
        let (score, points) = (three.score().unwrap(), three.points().unwrap());
        assert!((score.sigma.powi(2) - 0.145_833_3).abs() < 1e-6 && score.deals == 3, "{score:?}");
        assert!((points.sigma.powi(2) - 52.0 / 3.0).abs() < 1e-9 && points.deals == 3, "{points:?}");
    }

    #[test]
    fn too_few_or_equal_deals_have_no_spread() {
        let one = sample(&[[[9, 1], [5, 1]]]);
        assert_eq!((one.score(), one.points()), (None, None));
        let won = sample(&[[[9, 1], [5, 1]], [[3, 1], [5, 1]]]);
        assert_eq!(won.score(), None, "all was won");
        assert!(won.points().is_some());
        assert_eq!(sample(&[[[1, 1], [1, 1]], [[2, 2], [3, 3]]]).points(), None);
        assert_eq!(Difference::Points(1.0).worst_spread(2.0), None);
        assert_eq!(Difference::Elo(1.0).worst_spread(4.0), Some(Spread { sigma: 0.25, deals: 0 }));
    }
}
