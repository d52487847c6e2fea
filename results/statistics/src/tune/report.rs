//! The report of a tuning, for people and for programs, with the test of the tuned setting against the first.

use arena_tournament::tune::Parameter;
use schemars::JsonSchema;
use serde::Serialize;

use super::search::Gain;
use crate::{elo, normal, student};

/// The chance of claiming a gain where there is none, and that of seeing one as large as `unseen`.
const ALPHA: f64 = 0.05;
const POWER: f64 = 0.8;
/// The share of a range, at either end, that is its border.
const BORDER: f64 = 0.02;
/// The least score that is shown in Elo, and its mirror the greatest.
const LEAST: f64 = 0.001;
/// The scores from which there is something to learn.
const LEARN: std::ops::RangeInclusive<f64> = 0.2..=0.8;

/// A tuning.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Tuning {
    /// The bot.
    pub bot: String,
    /// The bots that every setting met.
    pub field: Vec<String>,
    /// The numbers that are tuned.
    pub numbers: Vec<Parameter>,
    /// The generations, in order.
    pub generations: Vec<Generation>,
    /// The tuned setting against the first, on fresh deals; null until they are played.
    pub end: Option<End>,
}

/// Settings that played the same deals, and what was known then.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Generation {
    /// The settings that played.
    pub settings: Vec<Setting>,
    /// The setting that was expected to score best.
    pub best: Vec<f64>,
    /// By how much it was expected to score more than the first setting.
    pub gain: f64,
    /// The standard error of that.
    pub error: f64,
}

/// A setting.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Setting {
    /// The value of each number.
    pub values: Vec<f64>,
    /// The mean score over its deals, in 0 … 1.
    pub score: f64,
}

/// The comparison of the tuned setting with the first, on deals that no setting had played.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct End {
    /// The answer.
    pub verdict: Gained,
    /// The number of deals.
    pub deals: usize,
    /// The first setting.
    pub first: Setting,
    /// The tuned setting.
    pub tuned: Setting,
    /// The difference of the scores: tuned less first, and the ends of its 90 % interval.
    pub difference: [f64; 3],
    /// The same in Elo; null where scores are 0 or 1.
    pub elo: [Option<f64>; 3],
    /// The gain in Elo that would have been shown with a probability of 80 %: a smaller one could have gone unseen.
    pub unseen: Option<f64>,
    /// The numbers that ended within 2 % of a border of their range.
    pub at_border: Vec<String>,
    /// True if a score is outside 20 to 80 %: the field is too strong or too weak to learn from.
    pub is_far: bool,
}

/// The answer of a tuning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gained {
    /// The tuned setting is better.
    Gained,
    /// No gain is shown.
    NotShown,
    /// Both settings scored the same on every deal.
    Alike,
}

impl End {
    /// Compares the scores of both settings on the same deals: a t test of their differences, one-sided, at 5 %.
    pub fn new([first, tuned]: [Vec<f64>; 2], scores: &[Vec<f64>], numbers: &[Parameter]) -> Self {
        let deals = scores[0].len();
        let apart: Vec<f64> = scores[0].iter().zip(&scores[1]).map(|(first, tuned)| tuned - first).collect();
        let ([low, high], gain) = ([mean(&scores[0]), mean(&scores[1])], mean(&apart));
        let spread = apart.iter().map(|one| (one - gain).powi(2)).sum::<f64>() / (deals as f64 - 1.0);
        let error = (spread / deals as f64).sqrt();
        let width = error * student::quantile(1.0 - ALPHA, deals as f64 - 1.0);
        let difference = [gain, gain - width, gain + width];
        let middle = f64::midpoint(low, high);
        let verdict = match difference[1] {
            _ if apart.iter().all(|one| *one == 0.0) => Gained::Alike,
            least if least > 0.0 => Gained::Gained,
            _ => Gained::NotShown,
        };
        let is_end = |(number, value): &(&Parameter, &f64)| !(BORDER..=1.0 - BORDER).contains(&number.share(**value));
        let at_border = numbers.iter().zip(&tuned).filter(is_end).map(|(number, _)| number.name.clone()).collect();
        Self {
            verdict,
            deals,
            first: Setting { values: first, score: low },
            tuned: Setting { values: tuned, score: high },
            difference,
            elo: difference.map(|difference| elo_of(difference, middle)),
            unseen: elo_of(width + error * normal::quantile(POWER), middle),
            at_border,
            is_far: [low, high].iter().any(|score| !LEARN.contains(score)),
        }
    }
}

impl Generation {
    /// A generation with these settings and scores, after which this is known.
    pub fn new(settings: Vec<Vec<f64>>, scores: &[Vec<f64>], best: Vec<f64>, gain: Gain) -> Self {
        let setting = |(values, scores): (_, &Vec<f64>)| Setting { values, score: mean(scores) };
        let settings = settings.into_iter().zip(scores).map(setting).collect();
        Self { settings, best, gain: gain.mean, error: gain.error }
    }

    /// The gain in Elo, with the ends of its 90 % interval.
    pub fn elo(&self) -> [f64; 3] {
        let width = normal::quantile(1.0 - ALPHA) * self.error;
        let all = self.settings.iter().map(|setting| setting.score).sum::<f64>() / self.settings.len() as f64;
        let elo = |gain: f64| elo::of_score((all + gain / 2.0).clamp(LEAST, 1.0 - LEAST)).unwrap_or_default();
        [0.0, -width, width].map(|apart| elo(self.gain + apart) - elo(-self.gain - apart))
    }
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len() as f64
}

/// A difference of two scores in Elo, where this is the middle of both; none where one of them is 0 or 1.
fn elo_of(difference: f64, middle: f64) -> Option<f64> {
    Some(elo::of_score(middle + difference / 2.0)? - elo::of_score(middle - difference / 2.0)?)
}
