//! The number of deals that it takes to see a difference between two bots, before they are played.
//!
//! "To see" means that the interval of the two ([`interval`]) leaves out 0 with a chance of 80 %, if they differ by δ. From 30 deals on
//! that is after
//!
//! ```text
//! D = [(2.80 σ + √(7.85 σ² + 6.4 r δ)) / 2δ]²,    2.80 = z(0.975) + z(0.8)
//! ```
//!
//! deals, where σ is the standard deviation of the result on a deal and r the distance of the worst deal, which an interval adds (½
//! for scores); below, streams of such deals are simulated. Of a field that pair counts whose results differ most from deal to deal:
//! a bot that beats another one always says nothing of two that are close.

use std::collections::BTreeMap;

use arena_engine::chance::{Chance, Seed};
use arena_tournament::deals::Deal;
use serde::Serialize;

use crate::cluster::{Cluster, DuelsOnDeal, OnDeal};
use crate::histogram::Histogram;
use crate::holm::PLANNED;
use crate::interval::{self, FEWEST_FOR_POINTS, FEWEST_FOR_SCORES};
use crate::paired::{self, Paired};
use crate::{elo, normal};

/// The chance to see a difference that is there.
pub const POWER: f64 = 0.8;

/// The 0.8 quantile of the normal distribution: that of [`POWER`].
const Z_POWER: f64 = 0.841_621_233_572_914_3;
/// Below this many deals, streams of deals are simulated; this many.
const FEW: u64 = 30;
const STREAMS: u64 = 1000;
/// More deals than this are not counted: bots that close will never differ significantly.
const MOST: f64 = 1e9;

/// The number of deals after which a difference has a mark among that many pairs with a chance of 80 %: that of a t test at 3 % for
/// all pairs together, but no fewer than can have one. None for no difference, and beyond 10^9.
pub fn marked(delta: f64, sigma: f64, pairs: usize) -> Option<u64> {
    let z = normal::quantile(1.0 - PLANNED / pairs as f64 / 2.0);
    let deals = (((z + Z_POWER) * sigma / delta).powi(2) + z * z / 2.0).ceil();
    (delta != 0.0 && deals <= MOST).then(|| (deals as u64).max(fewest_marked(pairs)))
}

/// The number of deals in all after which a difference and a spread as these deals show are significant among that many pairs with
/// a chance of 80 %; none without a difference or a spread, and beyond 10^9.
pub fn needed(paired: &Paired, pairs: usize) -> Option<u64> {
    let deviation = paired
        .differences
        .variance()
        .filter(|variance| *variance > 0.0)?
        .sqrt();
    marked(paired.differences.mean(), deviation, pairs)
}

/// The least difference that has a mark after this many deals; none if no difference has.
pub fn least_marked(deals: u64, sigma: f64, pairs: usize) -> Option<f64> {
    let z = normal::quantile(1.0 - PLANNED / pairs as f64 / 2.0);
    let delta = (z + Z_POWER) * sigma / (deals as f64 - z * z / 2.0).sqrt();
    (delta.is_finite() && deals >= fewest_marked(pairs)).then_some(delta)
}

/// The least number of deals after which a pair among so many can have a mark.
pub fn fewest_marked(pairs: usize) -> u64 {
    (1..)
        .find(|deals| !paired::too_few(*deals, pairs))
        .expect("the least p value halves with each deal")
}

/// A count rounded to two significant digits, for people.
pub fn rounded(count: u64) -> u64 {
    let unit = count
        .checked_ilog10()
        .map_or(1, |digits| 10_u64.pow(digits.saturating_sub(1)));
    count.saturating_add(unit / 2) / unit * unit
}

/// A difference between two bots, in the unit that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// In Elo: of the mean score.
    Elo(f64),
    /// In points in a match.
    Points(f64),
}

impl Difference {
    /// The mean score less ½, or points.
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
    /// draws, which is the greatest that independent matches can have. None for points, which have no bound.
    pub fn worst_spread(self, matches: f64) -> Option<Spread> {
        match self {
            Difference::Elo(_) => Some(Spread {
                of: Of::Scores {
                    dispersion: 1.0 / matches,
                },
                deals: 0,
            }),
            Difference::Points(_) => None,
        }
    }
}

/// How much what two bots make of a deal differs from deal to deal.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    of: Of,
    /// The number of results that it was measured on, each of two bots on a deal; 0 if it was not measured.
    pub deals: u64,
}

#[derive(Clone, Debug, PartialEq)]
enum Of {
    /// Scores, whose variance is so many times that of a coin which shows one side as often.
    Scores { dispersion: f64 },
    /// The differences of points of a pair.
    Points(Histogram),
}

impl Spread {
    /// The standard deviation over deals of two that differ by `delta`: of their mean score, or of the difference of points.
    pub fn sigma(&self, delta: f64) -> f64 {
        match &self.of {
            Of::Scores { dispersion } => (dispersion * (0.25 - delta * delta)).max(0.0).sqrt(),
            // That of few deals is easily too small.
            Of::Points(leads) => (leads.variance().unwrap_or_default()
                * (1.0 + (2.0 / leads.count() as f64).sqrt()))
            .sqrt(),
        }
    }

    /// The number of deals until a difference is seen. None for no difference, and beyond 10^9.
    pub fn deals(&self, delta: f64) -> Option<u64> {
        let deals = self.by_formula(delta.abs());
        if deals < FEW as f64 {
            return Some(
                (self.fewest()..FEW)
                    .find(|deals| self.shows(delta.abs(), *deals))
                    .unwrap_or(FEW),
            );
        }
        (deals <= MOST).then_some(deals as u64)
    }

    /// The least difference that this many deals show; none if they show none.
    pub fn least(&self, deals: u64) -> Option<f64> {
        let mut most = match &self.of {
            Of::Scores { .. } => 0.499,
            Of::Points(_) => 40.0 * self.sigma(0.0),
        };
        if !self.shows(most, deals) {
            return None;
        }
        let mut least = 0.0;
        for _ in 0..20 {
            let middle = f64::midpoint(least, most);
            if self.shows(middle, deals) {
                most = middle;
            } else {
                least = middle;
            }
        }
        Some(most)
    }

    /// True if the interval after this many deals leaves out 0 with a chance of 80 %.
    fn shows(&self, delta: f64, deals: u64) -> bool {
        if deals >= FEW {
            return self.by_formula(delta) <= deals as f64;
        }
        let seed = Seed::try_from(0).expect("0 is a seed");
        let sees = |stream: &u64| self.sees(delta, deals, seed.stream("power", *stream));
        deals >= self.fewest() && (0..STREAMS).filter(sees).count() as f64 >= POWER * STREAMS as f64
    }

    fn by_formula(&self, delta: f64) -> f64 {
        let (sigma, reach) = (self.sigma(delta), self.reach());
        ((2.80 * sigma + (7.85 * sigma * sigma + 6.4 * reach * delta).sqrt()) / (2.0 * delta))
            .powi(2)
            .ceil()
    }

    /// The distance of the worst deal from the mean.
    fn reach(&self) -> f64 {
        match &self.of {
            Of::Scores { .. } => 0.5,
            Of::Points(leads) => leads
                .cells()
                .iter()
                .map(|(lead, _)| (lead - leads.mean()).abs())
                .fold(0.0, f64::max),
        }
    }

    fn fewest(&self) -> u64 {
        match &self.of {
            Of::Scores { .. } => FEWEST_FOR_SCORES,
            Of::Points(_) => FEWEST_FOR_POINTS,
        }
    }

    /// True if the interval of simulated deals lies above 0: scores of coins, of which a deal has as many as give its variance, or the
    /// measured differences, moved.
    fn sees(&self, delta: f64, deals: u64, mut chance: Chance) -> bool {
        match &self.of {
            Of::Scores { dispersion } => {
                let coins = (1.0 / dispersion) as u32;
                let mut scores = Cluster::default();
                for _ in 0..deals {
                    let won = (0..coins).filter(|_| chance.share() < 0.5 + delta).count();
                    scores.add(&OnDeal {
                        matches: coins,
                        total: 2 * won as i64,
                    });
                }
                interval::of_score(&scores).is_some_and(|[low, _]| low > 0.5)
            }
            Of::Points(leads) => {
                let all = leads
                    .cells()
                    .iter()
                    .flat_map(|(lead, count)| std::iter::repeat_n(*lead, *count as usize));
                let all: Vec<f64> = all.collect();
                let moved = |_| chance.pick(&all) - leads.mean() + delta;
                interval::of_points(&(0..deals).map(moved).collect())
                    .is_some_and(|[low, _]| low > 0.0)
            }
        }
    }
}

/// The results of each pair of bots on the finished deals of a sample.
#[derive(Clone, Debug, Default)]
pub struct DealSample {
    pairs: BTreeMap<[usize; 2], (Cluster, Histogram)>,
}

impl DealSample {
    /// Takes in a deal; each must come once. One that is not finished is passed over.
    pub fn add(&mut self, deal: &Deal) {
        if !deal.finished {
            return;
        }
        for (bots, sums) in DuelsOnDeal::of(deal) {
            let (half_points, points) = self.pairs.entry(bots).or_default();
            half_points.add(&sums.half_points);
            points.add(sums.points.total as f64 / f64::from(sums.points.matches));
        }
    }

    /// The number of deals of the first two bots, the score of the first of them, and its 95 % interval; none for too few deals.
    pub fn first_pair(&self) -> Option<(u64, f64, [f64; 2])> {
        let (half_points, _) = self.pairs.get(&[0, 1])?;
        Some((
            half_points.deals(),
            half_points.mean()? / 2.0,
            interval::of_score(half_points)?,
        ))
    }

    /// The spread of scores of the pair for which it is greatest; none without a deal.
    pub fn score(&self) -> Option<Spread> {
        let all = || self.pairs.values().map(|(half_points, _)| half_points);
        let dispersion = all().map(dispersion).max_by(f64::total_cmp)?;
        Some(Spread {
            of: Of::Scores { dispersion },
            deals: all().map(Cluster::deals).sum(),
        })
    }

    /// The spread of differences of points likewise; none if no two deals differ.
    pub fn points(&self) -> Option<Spread> {
        let all = || self.pairs.values().map(|(_, points)| points);
        let variance = |points: &&Histogram| points.variance().unwrap_or_default();
        let most = all()
            .filter(|points| variance(points) > 0.0)
            .max_by(|a, b| variance(a).total_cmp(&variance(b)))?;
        Some(Spread {
            of: Of::Points(most.clone()),
            deals: all().map(Histogram::count).sum(),
        })
    }
}

/// The variance of scores of deals over that of a coin which shows one side as often, taken for greater the less is known of it: a
/// pair in which one bot won everything says next to nothing. At most 1.
fn dispersion(half_points: &Cluster) -> f64 {
    let deals = half_points.deals() as f64;
    let score = half_points.mean().unwrap_or_default() / 2.0;
    let information = 4.0 * deals * score * (1.0 - score);
    let squares = half_points
        .variance()
        .map_or(0.0, |variance| variance / 4.0 * deals * (deals - 1.0));
    let seen = 4.0 * deals * squares / (deals - 1.0).max(1.0) + 5.0;
    (seen / (information + 10.0) * (1.0 + (2.0 / (information + 10.0)).sqrt())).min(1.0)
}

#[cfg(test)]
mod tests {
    use arena_tournament::deals::{Deals, Scored, Seated};

    use super::*;

    /// Deals of two matches with these half points.
    fn scores(half_points: &[i64]) -> Cluster {
        let mut sums = Cluster::default();
        half_points.iter().for_each(|total| {
            sums.add(&OnDeal {
                matches: 2,
                total: *total,
            });
        });
        sums
    }

    /// Computed with numpy.
    #[test]
    fn deals_to_see_are_those_of_the_formula() {
        let pairs = [scores(&[4; 10]), scores(&[2, 3, 1, 4, 2, 0, 2, 3, 2, 2])];
        let largest = pairs.iter().map(dispersion).fold(0.0, f64::max);
        assert!((largest - 0.723_606_8).abs() < 1e-6, "{largest}");
        let spread = Spread {
            of: Of::Scores {
                dispersion: largest,
            },
            deals: 20,
        };
        let deals =
            [20.0, 50.0, 100.0, 200.0].map(|elo| spread.by_formula(Difference::Elo(elo).delta()));
        assert_eq!(deals, [1767.0, 295.0, 78.0, 22.0]);
    }

    #[test]
    fn few_deals_are_simulated() {
        let spread = Difference::Elo(1.0).worst_spread(2.0).unwrap();
        let deals =
            [100.0, 200.0, 400.0].map(|elo| spread.deals(Difference::Elo(elo).delta()).unwrap());
        assert!(
            (45..65).contains(&deals[0])
                && (11..22).contains(&deals[1])
                && (5..9).contains(&deals[2]),
            "{deals:?}"
        );
        for count in [12, 29, 30, 500] {
            let least = spread.least(count).unwrap();
            assert!(
                spread
                    .deals(least * 1.001)
                    .is_some_and(|deals| deals <= count),
                "{least} {count}"
            );
            assert!(
                spread
                    .deals(least * 0.95)
                    .is_some_and(|deals| deals > count),
                "{least} {count}"
            );
        }
        assert_eq!((spread.least(4), spread.deals(0.0)), (None, None));
    }

    #[test]
    fn marks_among_many_pairs_take_more_deals() {
        let spread = Difference::Elo(1.0).worst_spread(2.0).unwrap();
        let delta = Difference::Elo(50.0).delta();
        let [own, few, many] = [
            spread.deals(delta),
            marked(delta, spread.sigma(delta), 1),
            marked(delta, spread.sigma(delta), 66),
        ]
        .map(|deals| deals.unwrap() as f64);
        assert!(
            (1.0..1.2).contains(&(few / own)) && (2.1..2.6).contains(&(many / own)),
            "{own} {few} {many}"
        );
        assert_eq!(
            (fewest_marked(1), fewest_marked(66), fewest_marked(300)),
            (7, 13, 15)
        );
        for deals in [20, 100, 3000] {
            let least = least_marked(deals, 0.3, 10).unwrap();
            assert_eq!(marked(least * 1.000_001, 0.3, 10), Some(deals));
        }
        assert_eq!(
            (
                least_marked(12, 0.3, 300),
                marked(0.0, 0.3, 1),
                marked(1e-9, 0.3, 1)
            ),
            (None, None, None)
        );
    }

    #[test]
    fn counts_are_rounded_to_two_digits() {
        let table = [
            (0, 0),
            (7, 7),
            (97, 97),
            (100, 100),
            (104, 100),
            (105, 110),
            (994, 990),
            (995, 1_000),
        ];
        for (count, shown) in table
            .into_iter()
            .chain([(3_166, 3_200), (1_000_000_000, 1_000_000_000)])
        {
            assert_eq!(rounded(count), shown, "{count}");
        }
        assert_eq!(rounded(u64::MAX), 18_000_000_000_000_000_000);
    }

    /// Finished deals of two matches, each with the points of bot 0 and bot 1; the better wins.
    fn sample(deals: &[[[i32; 2]; 2]]) -> DealSample {
        let mut sample = DealSample::default();
        let place = |[mine, other]: [i32; 2]| if mine >= other { 1 } else { 2 };
        let seat = |points: [i32; 2]| Seated {
            place: place(points),
            points: points[0],
            fault: None,
            counts: vec![],
        };
        for (deal, matches) in (1..).zip(deals) {
            let mut gathering = Deals::new(2, None);
            for (turn, [one, other]) in matches.iter().enumerate() {
                let (mut bots, mut seats) =
                    (vec![0, 1], vec![seat([*one, *other]), seat([*other, *one])]);
                if turn == 1 {
                    (bots, seats) = (vec![1, 0], seats.into_iter().rev().collect());
                }
                assert!(
                    gathering
                        .add(Scored {
                            deal,
                            bots,
                            seats,
                            transcript: 0
                        })
                        .is_none()
                );
            }
            sample.add(&gathering.end().unwrap());
        }
        sample
    }

    /// Leads 6, 0, −2: a variance of 52 / 3.
    #[test]
    fn the_spread_of_points_is_that_over_deals() {
        let points = sample(&[[[9, 1], [5, 1]], [[3, 1], [1, 3]], [[2, 2], [0, 4]]])
            .points()
            .unwrap();
        let variance = 52.0 / 3.0 * (1.0 + (2.0_f64 / 3.0).sqrt());
        assert!(
            (points.sigma(1.0).powi(2) - variance).abs() < 1e-9 && points.deals == 3,
            "{points:?}"
        );
        assert!(points.deals(1.0) > points.deals(2.0) && points.deals(2.0) > points.deals(20.0));
    }

    #[test]
    fn too_few_or_equal_deals_say_little() {
        let won = sample(&[[[9, 1], [5, 1]], [[3, 1], [5, 1]]]);
        assert!(won.score().unwrap().sigma(0.0) > 0.4, "all was won");
        assert_eq!(sample(&[[[1, 1], [1, 1]], [[2, 2], [3, 3]]]).points(), None);
        assert_eq!(
            (
                sample(&[]).score(),
                Difference::Points(1.0).worst_spread(2.0)
            ),
            (None, None)
        );
    }
}
