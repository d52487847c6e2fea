//! Error rates of the sequential test, of the estimates after it, and of repeated looks.
//!
//! Blocks are drawn with replacement from a pool of blocks that were actually played. So the true score is exactly that of the pool, and
//! thousands of tests take only seconds.

use std::sync::LazyLock;

use arena_engine::chance::{Chance, Seed};
use arena_statistics::betting::Betting;
use arena_statistics::cluster::{Cluster, OnDeal};
use arena_statistics::elo::{self, Elo, Sample};
use arena_statistics::sprt::{self, TestVerdict};
use arena_statistics::student;
use arena_tournament::test::Sprt;
use rayon::prelude::*;
use serde::Serialize;

/// Distance between the hypotheses of a test, in Elo of its own kind.
const WIDTH: f64 = 40.0;
/// Nominal error rate of a test, for both kinds of error.
const ERROR: f64 = 0.05;
/// Number of blocks after which a test is given up.
const MAX_BLOCKS: u64 = 20_000;
/// Number of looks at a stream.
const LOOKS: u64 = 300;
/// First look at an ordinary interval.
const FIRST_LOOK: u64 = 10;

/// Blocks of two bots in both seatings, counted by the first bot's half-points, worst first.
#[derive(Clone, Debug, Serialize)]
pub struct Pool {
    /// Names of the bots.
    pub name: String,
    /// Number of blocks with each sum of half points.
    pub counts: [u64; 5],
}

/// Results of a sequential test whose hypotheses are placed so that the true value has a given position between them.
#[derive(Clone, Debug, Serialize)]
pub struct Tested {
    /// Name of the pool.
    pub pool: String,
    /// Position of the true value: 0 at elo0, 1 at elo1.
    pub place: f64,
    /// Number of tests.
    pub tests: u32,
    /// Fraction of tests that accepted elo1: the type I error rate at position 0, and the power at position 1. Nominal error rates are
    /// 0.05.
    pub accepted: f64,
    /// Monte Carlo standard error of a share.
    pub error: f64,
    /// Mean number of blocks.
    pub blocks: f64,
    /// Number of blocks of a fixed-size test with the same error rates, at the pool's variance.
    pub fixed: u64,
    /// Fraction of tests whose anytime-valid interval contains the true value at the stop; nominally at least 95 %.
    pub covers: f64,
    /// Bias of the naive estimate, in logistic Elo.
    pub naive_bias: f64,
}

/// A test that has stopped.
struct Stopped {
    verdict: TestVerdict,
    blocks: u64,
    /// Logistic Elo, estimated as if the number of blocks had been fixed.
    naive: f64,
    /// Anytime-valid interval of the difference of both bots' scores.
    interval: [f64; 2],
}

/// Rates at which intervals were wrong at one or more looks.
#[derive(Clone, Debug, Serialize)]
pub struct Peeked {
    /// Name of the pool.
    pub pool: String,
    /// Number of streams.
    pub streams: u32,
    /// Number of looks at each stream, one after every block.
    pub looks: u64,
    /// Fraction of streams in which the t interval was ever wrong, from the 10th look on.
    pub student: f64,
    /// Fraction of streams in which the betting confidence sequence was ever wrong.
    pub betting: f64,
    /// Monte Carlo standard error of `student`.
    pub student_error: f64,
    /// Monte Carlo standard error of `betting`.
    pub betting_error: f64,
}

impl Pool {
    /// Returns the blocks together with their mirror images, so that two bots of the same strength are exactly equal.
    pub fn mirrored(self) -> Self {
        let [a, b, c, d, e] = self.counts;
        Self {
            counts: [a + e, b + d, 2 * c, d + b, e + a],
            ..self
        }
    }

    fn blocks(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn sample(&self) -> Sample {
        Sample::of_counts(&self.counts).expect("a pool has blocks")
    }

    /// Draws a block, as its half points.
    fn draw(&self, chance: &mut Chance) -> usize {
        let mut left = u64::from(chance.below(self.blocks() as u32));
        for (half_points, count) in self.counts.iter().enumerate() {
            match left.checked_sub(*count) {
                Some(rest) => left = rest,
                None => return half_points,
            }
        }
        unreachable!("what was drawn lies below the sum")
    }
}

/// Runs tests at each of three positions.
pub fn test(pool: &Pool, seed: Seed, tests: u32) -> Vec<Tested> {
    [0.0, 0.5, 1.0]
        .map(|place| test_at(pool, place, seed, tests))
        .into()
}

fn test_at(pool: &Pool, place: f64, seed: Seed, tests: u32) -> Tested {
    let sample = pool.sample();
    let truth = elo::of_score(sample.mean).expect("a pool has wins and losses");
    let elo0 = truth - place * WIDTH;
    let sprt = Sprt::new(elo0, elo0 + WIDTH, ERROR, ERROR).expect("the hypotheses come in order");
    let stream = format!("{} Logistic {place}", pool.name);
    let one = |index: u32| one(pool, &sprt, &mut seed.stream(&stream, index.into()));
    let all: Vec<Stopped> = (0..tests).into_par_iter().map(one).collect();
    let count = f64::from(tests);
    let share =
        |of: &dyn Fn(&Stopped) -> bool| all.iter().filter(|one| of(one)).count() as f64 / count;
    let accepted = share(&|one| one.verdict == TestVerdict::AcceptElo1);
    let difference = 2.0 * sample.mean - 1.0;
    Tested {
        pool: pool.name.clone(),
        place,
        tests,
        accepted,
        error: (accepted * (1.0 - accepted) / count).sqrt(),
        blocks: all.iter().map(|one| one.blocks as f64).sum::<f64>() / count,
        fixed: sprt::fixed_size(&sprt, &pool.counts).expect("a pool has wins and losses"),
        covers: share(&|one| (one.interval[0]..=one.interval[1]).contains(&difference)),
        naive_bias: all.iter().map(|one| one.naive - truth).sum::<f64>() / count,
    }
}

/// Draws blocks until the test stops.
fn one(pool: &Pool, sprt: &Sprt, chance: &mut Chance) -> Stopped {
    let mut counts = [0; 5];
    let mut betting = Betting::new(-1.0, 1.0, ERROR).expect("-1 is less than 1");
    let mut verdict = TestVerdict::Running;
    while verdict == TestVerdict::Running && betting.estimate().observed < MAX_BLOCKS {
        let half_points = pool.draw(chance);
        counts[half_points] += 1;
        betting
            .add(half_points as f64 / 2.0 - 1.0)
            .expect("a difference of scores lies in -1 … 1");
        verdict = sprt::verdict(sprt, &counts);
    }
    let naive = Sample::of_counts(&counts)
        .expect("there is a block")
        .estimate()
        .elo
        .map_or(0.0, Elo::number);
    let known = betting.estimate();
    Stopped {
        verdict,
        blocks: known.observed,
        naive,
        interval: known.interval,
    }
}

/// Looks at the streams after every block.
pub fn peek(pool: &Pool, seed: Seed, streams: u32) -> Peeked {
    let truth = pool.sample().mean;
    let one = |index: u32| ever_wrong(pool, truth, &mut seed.stream(&pool.name, index.into()));
    let all: Vec<[bool; 2]> = (0..streams).into_par_iter().map(one).collect();
    let share =
        |which: usize| all.iter().filter(|wrong| wrong[which]).count() as f64 / f64::from(streams);
    let error = |share: f64| (share * (1.0 - share) / f64::from(streams)).sqrt();
    let (student, betting) = (share(0), share(1));
    let (student_error, betting_error) = (error(student), error(betting));
    Peeked {
        pool: pool.name.clone(),
        streams,
        looks: LOOKS,
        student,
        betting,
        student_error,
        betting_error,
    }
}

/// Half widths of 95 % t intervals by the number of deals, in standard errors.
static HALF_WIDTHS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let degrees = (0..=LOOKS).map(|look| look as f64 - 1.0);
    degrees.map(student::half_width).collect()
});

/// Returns whether the t interval, and whether the confidence sequence, missed the true score at any look.
fn ever_wrong(pool: &Pool, truth: f64, chance: &mut Chance) -> [bool; 2] {
    let (mut sums, mut betting) = (
        Cluster::default(),
        Betting::new(0.0, 1.0, ERROR).expect("0 is less than 1"),
    );
    let mut wrong = [false; 2];
    for look in 1..=LOOKS {
        let half_points = pool.draw(chance);
        betting
            .add(half_points as f64 / 4.0)
            .expect("a score lies in 0 … 1");
        sums.add(&OnDeal {
            matches: 1,
            total: half_points as i64,
        });
        let [low, high] = betting.estimate().interval;
        wrong[1] |= truth < low || high < truth;
        if let (true, Some(mean), Some(variance)) =
            (look >= FIRST_LOOK, sums.mean(), sums.variance())
        {
            wrong[0] |=
                (mean / 4.0 - truth).abs() > HALF_WIDTHS[look as usize] * variance.sqrt() / 4.0;
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirrored_pool_is_level_and_drawn_from_in_proportion() {
        let pool = Pool {
            name: "pool".into(),
            counts: [10, 25, 30, 25, 30],
        }
        .mirrored();
        assert_eq!(pool.counts, [40, 50, 60, 50, 40]);
        assert!((pool.sample().mean - 0.5).abs() < 1e-12);
        let mut chance = Seed::try_from(3).unwrap().stream("draws", 0);
        let mut counts = [0_u64; 5];
        (0..24_000).for_each(|_| counts[pool.draw(&mut chance)] += 1);
        assert!(
            counts
                .iter()
                .zip(pool.counts)
                .all(|(drawn, of)| drawn.abs_diff(of * 100) < 400),
            "{counts:?}"
        );
    }
}
