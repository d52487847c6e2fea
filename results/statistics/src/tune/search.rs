//! The search for the best setting: generations of settings that play the same deals, each drawn from what is known by Thompson
//! sampling (Thompson 1933, "On the likelihood that one unknown probability exceeds another", Biometrika 25).
//!
//! Nothing about it needs to be chosen. What the deals of a generation have in common is noise that its settings share.

use arena_engine::chance::{Chance, Seed};
use arena_tournament::deals::{Deal, Scored};
use arena_tournament::tune::Parameter;
use nalgebra::{DMatrix, DVector};

use super::process::{Point, Process};
use crate::rating::max_t::{normal, root};

/// The settings of a generation; the whole budget is spent on so many generations, each with at least so many deals.
const SETTINGS: usize = 16;
const GENERATIONS: u32 = 12;
const LEAST_DEALS: u32 = 10;
/// The fewest fresh deals of the test at the end, and the share of the budget that they are otherwise.
const LEAST_FRESH: u32 = 500;
const FRESH: u32 = 4;
/// Points that are looked at beside what is known: anywhere, and about the best so far within these distances.
const ANYWHERE: usize = 100;
const NEAR: [(usize, f64); 2] = [(50, 0.15), (50, 0.05)];
/// The number of known points that are looked at again.
const KNOWN: usize = 10;
/// The steps to the greatest mean: points about the best, and their distances.
const STEPS: [(usize, f64); 3] = [(60, 0.1), (60, 0.05), (60, 0.02)];
/// The least variance of a score, so that settings that all play alike can be fitted.
const LEAST_NOISE: f64 = 1e-7;

/// What a tuning plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The number of generations.
    pub generations: u32,
    /// The settings of each, at most.
    pub settings: usize,
    /// The deals of each.
    pub deals: u32,
    /// The deals on which the first and the tuned setting are compared.
    pub fresh: u32,
}

impl Budget {
    /// The budget of this many deals, where each setting's deal counts as one; the fresh deals come beside.
    pub fn of(deals: u32) -> Self {
        let over = |parts: u32| (f64::from(deals) / f64::from(parts)).round() as u32;
        let each = over(SETTINGS as u32 * GENERATIONS).max(LEAST_DEALS);
        let generations = over(SETTINGS as u32 * each).max(1);
        Self { generations, settings: SETTINGS, deals: each, fresh: (deals / FRESH).max(LEAST_FRESH) }
    }
}

/// A difference of scores with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    pub mean: f64,
    pub error: f64,
}

/// A search.
pub struct Search<'a> {
    parameters: &'a [Parameter],
    seed: Seed,
    points: Vec<Point>,
    scores: Vec<f64>,
    /// The generation of each point.
    of: Vec<usize>,
    /// The variance of a deal in each generation, over its deals: that of a setting alone, and what all settings share.
    own: Vec<f64>,
    shared: Vec<f64>,
    process: Option<Process>,
    /// The setting that is expected to score best.
    pub best: Vec<f64>,
}

impl<'a> Search<'a> {
    /// Before the first generation.
    pub fn new(parameters: &'a [Parameter], seed: Seed) -> Self {
        let best = parameters.iter().map(|parameter| parameter.numbers()[2]).collect();
        let (points, of, scores, own, shared) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { parameters, seed, points, scores, of, own, shared, process: None, best }
    }

    /// The settings of the next generation, all different; fewer than 16 where there are no more.
    pub fn next(&self) -> Vec<Vec<f64>> {
        let mut chance = self.seed.stream("tune", self.own.len() as u64);
        let mut candidates = vec![self.first()];
        let Some(process) = &self.process else {
            candidates.extend(self.anywhere(&mut chance));
            return self.distinct(candidates).into_iter().map(|(setting, _)| setting).take(SETTINGS).collect();
        };
        candidates = self.anywhere(&mut chance);
        candidates.extend(self.around(&self.best, &NEAR, &mut chance));
        candidates.extend(self.known(process));
        candidates.extend([self.best.clone(), self.first()]);
        let candidates = self.distinct(candidates);
        let points: Vec<Point> = candidates.iter().map(|(_, point)| point.clone()).collect();
        let (mean, covariance) = process.posterior(&points);
        let root = root(&covariance);
        let mut drawn: Vec<usize> = Vec::new();
        for _ in 0..SETTINGS.min(candidates.len()) {
            let mut draw = &mean + &root * DVector::from_fn(points.len(), |_, _| normal(&mut chance));
            // One that was drawn already gives way to the next best.
            drawn.iter().for_each(|taken| draw[*taken] = f64::NEG_INFINITY);
            drawn.push(draw.imax());
        }
        drawn.into_iter().map(|index| candidates[index].0.clone()).collect()
    }

    /// Takes in a generation: its settings, and for each its scores on the generation's deals.
    pub fn add(&mut self, settings: &[Vec<f64>], scores: &[Vec<f64>]) {
        let (count, deals) = (settings.len() as f64, scores[0].len());
        let mean = |scores: &Vec<f64>| scores.iter().sum::<f64>() / scores.len() as f64;
        let apart = DMatrix::from_fn(scores.len(), deals, |i, deal| scores[i][deal] - mean(&scores[i]));
        let common = apart.row_mean();
        let alone = DMatrix::from_fn(scores.len(), deals, |i, deal| apart[(i, deal)] - common[deal]);
        let own = alone.norm_squared() / ((count - 1.0) * (deals as f64 - 1.0));
        self.shared.push((common.norm_squared() / (deals as f64 - 1.0) - own / count).max(0.0));
        self.of.extend(settings.iter().map(|_| self.own.len()));
        self.own.push(own);
        let points: Vec<Point> = settings.iter().map(|setting| self.point(setting)).collect();
        self.points.extend(points);
        self.scores.extend(scores.iter().map(mean));
        let process = self.fitted(deals as f64);
        self.best = self.greatest(&process);
        self.process = Some(process);
    }

    /// By how much the best setting is expected to score more than the first one.
    pub fn gain(&self) -> Gain {
        let at = [self.point(&self.first()), self.point(&self.best)];
        let Some(process) = &self.process else { return Gain { mean: 0.0, error: 0.0 } };
        let (mean, covariance) = process.posterior(&at);
        let variance = covariance[(0, 0)] + covariance[(1, 1)] - 2.0 * covariance[(0, 1)];
        Gain { mean: mean[1] - mean[0], error: variance.max(0.0).sqrt() }
    }

    fn fitted(&self, deals: f64) -> Process {
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64 / deals;
        let (own, shared) = (mean(&self.own).max(LEAST_NOISE), mean(&self.shared));
        let noise = DMatrix::from_fn(self.points.len(), self.points.len(), |i, j| {
            f64::from(u8::from(i == j)) * own + f64::from(u8::from(self.of[i] == self.of[j])) * shared
        });
        let scores = DVector::from_iterator(self.scores.len(), self.scores.iter().map(|score| score - 0.5));
        Process::fit(&self.points, &scores, &noise)
    }

    /// The setting with the greatest mean: the best that was played, moved step by step.
    fn greatest(&self, process: &Process) -> Vec<f64> {
        let mut chance = self.seed.stream("tune best", self.own.len() as u64);
        let mut best = self.setting(&self.points[process.mean(&self.points).imax()]);
        for step in STEPS {
            let around = self.distinct([vec![best.clone()], self.around(&best, &[step], &mut chance)].concat());
            let points: Vec<Point> = around.iter().map(|(_, point)| point.clone()).collect();
            best.clone_from(&around[process.mean(&points).imax()].0);
        }
        best
    }

    /// The settings with the greatest means among those that were played.
    fn known(&self, process: &Process) -> Vec<Vec<f64>> {
        let mean = process.mean(&self.points);
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by(|a, b| mean[*b].total_cmp(&mean[*a]));
        order.into_iter().take(KNOWN).map(|index| self.setting(&self.points[index])).collect()
    }

    fn anywhere(&self, chance: &mut Chance) -> Vec<Vec<f64>> {
        let mut point = || self.parameters.iter().map(|_| chance.share()).collect::<Point>();
        (0..ANYWHERE).map(|_| self.setting(&point())).collect()
    }

    fn around(&self, setting: &[f64], steps: &[(usize, f64)], chance: &mut Chance) -> Vec<Vec<f64>> {
        let centre = self.point(setting);
        let widths = steps.iter().flat_map(|(count, width)| std::iter::repeat_n(*width, *count));
        let near = |width: f64, chance: &mut Chance| {
            centre.iter().map(|share| (share + width * normal(chance)).clamp(0.0, 1.0)).collect::<Point>()
        };
        widths.map(|width| self.setting(&near(width, chance))).collect()
    }

    /// The settings without repetitions, each with its point.
    fn distinct(&self, settings: Vec<Vec<f64>>) -> Vec<(Vec<f64>, Point)> {
        let mut distinct: Vec<(Vec<f64>, Point)> = Vec::new();
        for setting in settings {
            if distinct.iter().all(|(other, _)| *other != setting) {
                let point = self.point(&setting);
                distinct.push((setting, point));
            }
        }
        distinct
    }

    /// The setting that one begins with.
    pub fn first(&self) -> Vec<f64> {
        self.parameters.iter().map(|parameter| parameter.numbers()[2]).collect()
    }

    fn setting(&self, point: &[f64]) -> Vec<f64> {
        self.parameters.iter().zip(point).map(|(parameter, share)| parameter.at(*share)).collect()
    }

    fn point(&self, setting: &[f64]) -> Point {
        self.parameters.iter().zip(setting).map(|(parameter, value)| parameter.share(*value)).collect()
    }
}

/// The mean score of each of the first so many bots on a deal, over all that it met there. What both forfeited is worth nothing.
pub fn scores(deal: &Deal, bots: usize) -> Vec<f64> {
    let mut sums = vec![[0, 0]; bots];
    for duel in deal.matches.iter().flat_map(Scored::duels) {
        let versus = duel.versus();
        for (bot, versus) in duel.bots.into_iter().zip([versus, versus.reversed()]) {
            if let Some([halves, most]) = sums.get_mut(bot) {
                (*halves, *most) = (*halves + versus.halves().unwrap_or_default(), *most + 2);
            }
        }
    }
    sums.into_iter().map(|[halves, most]| f64::from(halves) / f64::from(most.max(1))).collect()
}
