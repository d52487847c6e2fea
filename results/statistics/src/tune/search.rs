//! Search for the best setting: generations of settings that play the same deals, each drawn by Thompson sampling (Thompson 1933, "On the
//! likelihood that one unknown probability exceeds another", Biometrika 25).
//!
//! The search needs no configuration. The luck of the deals of a generation is noise that all its settings share.

use arena_engine::chance::{Chance, Seed};
use arena_tournament::deals::Deal;
use arena_tournament::tune::Parameter;

use super::matrix::Matrix;
use super::process::{Point, Process, normal};
use crate::compare::results::{Results, add_deal};

/// Maximum number of settings per generation.
pub const SETTINGS: usize = 16;
/// Minimum variance of a mean score, so that settings that all play alike can be fitted.
const MIN_NOISE: f64 = 1e-7;

/// Splits a budget, counted in deals played by single settings, into the number of generations, the deals of each generation, and the fresh
/// deals of the final test.
pub fn budget(deals: u32) -> [u32; 3] {
    let over = |parts: u32| (f64::from(deals) / f64::from(parts)).round() as u32;
    let each = over(16 * 12).max(10);
    [over(16 * each).max(1), each, (deals / 4).max(500)]
}

/// A search for the best setting. Settings are points: each parameter as a fraction of its range.
pub struct Search<'a> {
    parameters: &'a [Parameter],
    seed: Seed,
    points: Vec<Point>,
    scores: Vec<f64>,
    /// The generation of each point.
    of: Vec<usize>,
    /// Noise variances of a score in each generation: the part of a single setting, and the part that all settings share.
    noise: Vec<[f64; 2]>,
    process: Option<Process>,
    /// The setting expected to score best. Before the first generation, it is the initial setting.
    pub best: Point,
}

impl<'a> Search<'a> {
    /// Creates a search before the first generation.
    pub fn new(parameters: &'a [Parameter], seed: Seed) -> Self {
        let best = parameters
            .iter()
            .map(|parameter| parameter.share(parameter.numbers()[2]))
            .collect();
        let points = Vec::new();
        let scores = Vec::new();
        let of = Vec::new();
        let noise = Vec::new();
        Self {
            parameters,
            seed,
            points,
            scores,
            of,
            noise,
            process: None,
            best,
        }
    }

    /// Returns the settings of the next generation, all different. There are fewer than 16 if no more exist.
    pub fn next(&self) -> Vec<Point> {
        let mut chance = self.seed.stream("tune", self.noise.len() as u64);
        let mut candidates = vec![self.best.clone()];
        candidates
            .extend((0..100).map(|_| self.rounded(self.parameters.iter().map(|_| chance.share()))));
        candidates.extend(
            [0.15, 0.05]
                .iter()
                .flat_map(|width| self.near(&self.best, 50, *width, &mut chance)),
        );
        candidates.extend(self.points.clone());
        let candidates = distinct(candidates);
        let Some(process) = &self.process else {
            return candidates.into_iter().take(SETTINGS).collect();
        };
        let mean = process.mean(&candidates);
        let root = process.covariance(&candidates).root();
        let mut taken: Vec<usize> = Vec::new();
        while taken.len() < SETTINGS.min(candidates.len()) {
            let drawn: Vec<f64> = candidates.iter().map(|_| normal(&mut chance)).collect();
            let around = root.times(&drawn);
            let draw: Vec<f64> = mean
                .iter()
                .zip(around)
                .map(|(mean, away)| mean + away)
                .collect();
            // If the best candidate was already drawn, use the next best.
            let left = (0..candidates.len()).filter(|index| !taken.contains(index));
            taken.extend(left.max_by(|a, b| draw[*a].total_cmp(&draw[*b])));
        }
        taken
            .into_iter()
            .map(|index| candidates[index].clone())
            .collect()
    }

    /// Adds a generation: its settings, each with its scores on the generation's deals.
    pub fn add(&mut self, settings: &[Point], scores: &[Vec<f64>]) {
        let (count, deals) = (settings.len() as f64, scores[0].len() as f64);
        let means: Vec<f64> = scores
            .iter()
            .map(|scores| scores.iter().sum::<f64>() / deals)
            .collect();
        let (mut common, mut all) = (0.0, 0.0);
        for deal in 0..scores[0].len() {
            let settings = scores.iter().zip(&means);
            let apart = settings.map(|(scores, mean)| scores[deal] - mean);
            let [sum, squares] = apart.fold([0.0, 0.0], |[sum, squares], apart| {
                [sum + apart, squares + apart * apart]
            });
            common += (sum / count).powi(2);
            all += squares;
        }
        let own = (all - count * common) / ((count - 1.0) * (deals - 1.0));
        let shared = (common / (deals - 1.0) - own / count).max(0.0);
        self.of.extend(vec![self.noise.len(); settings.len()]);
        self.noise.push([own / deals, shared / deals]);
        self.points.extend_from_slice(settings);
        self.scores.extend(means);
        let process = self.fitted();
        self.best = self.greatest(&process);
        self.process = Some(process);
    }

    fn fitted(&self) -> Process {
        let [own, shared] = [0, 1].map(|part| {
            self.noise.iter().map(|noise| noise[part]).sum::<f64>() / self.noise.len() as f64
        });
        let noise = Matrix::from_fn(self.of.len(), self.of.len(), |i, j| {
            match (i == j, self.of[i] == self.of[j]) {
                (true, _) => own.max(MIN_NOISE) + shared,
                (false, true) => shared,
                _ => 0.0,
            }
        });
        let scores: Vec<f64> = self.scores.iter().map(|score| score - 0.5).collect();
        Process::fit(&self.points, &scores, &noise)
    }

    /// Returns the best setting, among those played and others near them.
    fn greatest(&self, process: &Process) -> Point {
        let mut chance = self.seed.stream("tuned", self.noise.len() as u64);
        let best = &self.points[index_of_greatest(&process.mean(&self.points))];
        let mut around = vec![best.clone()];
        around.extend(
            [0.1, 0.05, 0.02]
                .iter()
                .flat_map(|width| self.near(best, 60, *width, &mut chance)),
        );
        around.swap_remove(index_of_greatest(&process.mean(&around)))
    }

    /// Returns random settings near another one.
    fn near(&self, centre: &Point, count: usize, width: f64, chance: &mut Chance) -> Vec<Point> {
        let mut near = || {
            self.rounded(
                centre
                    .iter()
                    .map(|share| (share + width * normal(chance)).clamp(0.0, 1.0)),
            )
        };
        (0..count).map(|_| near()).collect()
    }

    /// Rounds a setting to playable values.
    fn rounded(&self, shares: impl Iterator<Item = f64>) -> Point {
        self.parameters
            .iter()
            .zip(shares)
            .map(|(parameter, share)| parameter.share(parameter.at(share)))
            .collect()
    }
}

/// Returns the index of the first greatest number.
fn index_of_greatest(numbers: &[f64]) -> usize {
    let indices = 0..numbers.len();
    let best = indices.reduce(|best, next| {
        if numbers[next] > numbers[best] {
            next
        } else {
            best
        }
    });
    best.expect("there are numbers")
}

/// Returns the points without duplicates.
fn distinct(mut points: Vec<Point>) -> Vec<Point> {
    let all = points.clone();
    let mut index = 0..;
    points.retain(|point| {
        index
            .next()
            .is_some_and(|index| !all[..index].contains(point))
    });
    points
}

/// Returns the scores of the first `bots` bots on a deal. A bot's score is 0 if it has no results, because all seats forfeited every match.
pub fn scores(deal: &Deal, bots: usize) -> Vec<f64> {
    let mut results = vec![Results::default(); bots];
    add_deal(deal, &mut results);
    results
        .iter()
        .map(|results| results.score().unwrap_or_default())
        .collect()
}
