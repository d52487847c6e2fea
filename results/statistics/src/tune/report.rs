//! The report of a tuning, for people and programs, with the test of the tuned setting against the first one.

use arena_tournament::tune::Parameter;
use serde::Serialize;

use crate::{elo, normal, student};

/// The probability of claiming a gain where there is none.
const ALPHA: f64 = 0.05;
const POWER: f64 = 0.8;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tuning {
    /// Name of the bot.
    pub bot: String,
    /// The bots that every setting met.
    pub field: Vec<String>,
    /// The tuned parameters.
    pub numbers: Vec<Parameter>,
    /// The generations, in order.
    pub generations: Vec<Generation>,
    /// The test of the tuned setting against the first one, on fresh deals; null until they are played.
    pub end: Option<End>,
}

/// A generation of settings that played the same deals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Generation {
    /// The settings that played.
    pub settings: Vec<Setting>,
    /// The setting expected to score best, as the value of each parameter. Its expected score is biased by luck in the search; only the
    /// final test shows its gain.
    pub best: Vec<f64>,
}

/// A setting of the tuned parameters, with its score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// Value of each parameter.
    pub values: Vec<f64>,
    /// Mean score over the setting's deals, in 0 … 1.
    pub score: f64,
}

/// The comparison of the tuned setting with the first one, on deals that no setting had played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct End {
    /// Verdict of the comparison.
    pub verdict: Gained,
    /// Number of deals.
    pub deals: usize,
    /// The first setting, then the tuned one.
    pub settings: Vec<Setting>,
    /// The difference between the scores of the tuned and the first setting, and the ends of its 90 % interval.
    pub difference: [f64; 3],
    /// The difference and its interval in Elo; null where a score would be 0 or 1.
    pub elo: [Option<f64>; 3],
    /// Minimum detectable gain, in Elo. The test shows a gain of this size with a probability of 80 %.
    pub unseen: Option<f64>,
    /// The parameters that ended within 2 % of a bound of their range.
    pub at_border: Vec<String>,
    /// True if a score is outside 20 to 80 %, so that the field is too strong or too weak to be informative.
    pub is_far: bool,
}

/// Verdict of a tuning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gained {
    /// The tuned setting is better.
    Gained,
    /// No gain is shown.
    NotShown,
    /// Both settings scored the same on every deal.
    Alike,
}

/// Creates settings from points, with their mean scores.
pub fn settings(numbers: &[Parameter], points: &[Vec<f64>], scores: &[Vec<f64>]) -> Vec<Setting> {
    let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
    let setting = |(point, scores): (&Vec<f64>, &Vec<f64>)| Setting {
        values: values(numbers, point),
        score: mean(scores),
    };
    points.iter().zip(scores).map(setting).collect()
}

/// Returns the values of a setting from its point.
pub fn values(numbers: &[Parameter], point: &[f64]) -> Vec<f64> {
    numbers
        .iter()
        .zip(point)
        .map(|(number, share)| number.at(*share))
        .collect()
}

/// Returns a difference with the ends of its 90 % interval, given its standard error with these degrees of freedom.
fn interval([mean, error]: [f64; 2], degrees: f64) -> [f64; 3] {
    let width = error * student::quantile(1.0 - ALPHA, degrees);
    [mean, mean - width, mean + width]
}

impl End {
    /// Compares the scores of the first and the tuned setting on the same deals: a one-sided t test of their differences at 5 %.
    pub fn new(numbers: &[Parameter], points: &[Vec<f64>], scores: &[Vec<f64>]) -> Self {
        let settings = settings(numbers, points, scores);
        let [low, high] = [0, 1].map(|side: usize| settings[side].score);
        let deals = scores[0].len();
        let gain = high - low;
        let middle = f64::midpoint(low, high);
        let apart = || {
            scores[0]
                .iter()
                .zip(&scores[1])
                .map(|(first, tuned)| tuned - first)
        };
        let squares: f64 = apart().map(|one| (one - gain).powi(2)).sum();
        let error = (squares / (deals as f64 * (deals as f64 - 1.0))).sqrt();
        let difference = interval([gain, error], deals as f64 - 1.0);
        let elo = |apart: f64| {
            Some(elo::of_score(middle + apart / 2.0)? - elo::of_score(middle - apart / 2.0)?)
        };
        let is_alike = apart().all(|one| one == 0.0);
        let verdict = if difference[1] > 0.0 {
            Gained::Gained
        } else {
            Gained::NotShown
        };
        let is_end = |(_, share): &(&Parameter, &f64)| !(0.02..=0.98).contains(*share);
        Self {
            verdict: if is_alike { Gained::Alike } else { verdict },
            deals,
            difference,
            elo: difference.map(elo),
            unseen: elo(difference[2] - gain + error * normal::quantile(POWER)),
            at_border: numbers
                .iter()
                .zip(&points[1])
                .filter(is_end)
                .map(|(number, _)| number.name.clone())
                .collect(),
            is_far: [low, high].iter().any(|score| !(0.2..=0.8).contains(score)),
            settings,
        }
    }
}
