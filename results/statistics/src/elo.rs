//! Converts scores to Elo, or to bounds where Elo is not finite, and estimates strength from counts of results.
//!
//! Elo here is 400 · log10(score / (1 − score)) (Elo 1978, "The Rating of Chessplayers", with the logistic curve).

use std::f64::consts::LN_10;
use std::fmt;

use serde::Serialize;

use crate::{interval, normal};

/// An Elo difference, or a bound on it. The number is always finite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Elo {
    /// The difference, or its estimate.
    Value(f64),
    /// A lower bound with 97.5 % confidence, used if all or nearly all games were won.
    AtLeast(f64),
    /// An upper bound with 97.5 % confidence, used if all or nearly all games were lost.
    AtMost(f64),
}

impl Elo {
    /// Returns the value or the bound.
    pub fn number(self) -> f64 {
        match self {
            Elo::Value(elo) | Elo::AtLeast(elo) | Elo::AtMost(elo) => elo,
        }
    }

    /// Returns a sort key. The best bot has the largest key. Bots that lost everything come first and bots that won everything last. Within
    /// each group, the order is by value or bound.
    pub fn order(self) -> (i8, f64) {
        let group = match self {
            Elo::AtMost(_) => -1,
            Elo::Value(_) => 0,
            Elo::AtLeast(_) => 1,
        };
        (group, self.number())
    }

    /// Returns the difference from the other bot's perspective.
    pub fn turned(self) -> Self {
        match self {
            Elo::Value(elo) => Elo::Value(-elo),
            Elo::AtLeast(elo) => Elo::AtMost(-elo),
            Elo::AtMost(elo) => Elo::AtLeast(-elo),
        }
    }
}

/// Returns the Elo difference for this score; `None` if the score is not strictly between 0 and 1.
pub fn of_score(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| 400.0 / LN_10 * (score.ln() - (-score).ln_1p()))
}

/// Returns the expected score at this Elo difference.
pub fn score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo * LN_10 / 400.0).exp())
}

/// A sample of independent units: blocks, or single games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Number of units, at least 1.
    pub units: u64,
    /// Games per unit.
    pub games: f64,
    /// Mean score, in 0 … 1.
    pub mean: f64,
    /// Standard deviation of the mean score of a unit; 0 if all units are equal.
    pub deviation: f64,
}

/// An estimate of the strength of one bot compared with another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean score, in 0 … 1.
    pub score: f64,
    /// Elo difference. A bound if everything was won or lost; null if so few games were played that either bot may still be stronger.
    pub elo: Option<Elo>,
    /// Likelihood of superiority, in 0 … 1.
    pub los: f64,
}

impl Sample {
    /// Creates a sample from counts of units; `None` if there are no units. The k counts are the numbers of units with mean scores 0, 1/(k
    /// − 1), …, 1, worst first, where k − 1 is twice the number of games per unit. They are losses, draws and wins for single games, and
    /// the pentanomial counts for pairs of games. As in other tools, the variance is divided by the number of units itself.
    pub fn of_counts(counts: &[u64]) -> Option<Self> {
        let units: u64 = counts.iter().sum();
        if units == 0 || counts.len() < 2 {
            return None;
        }
        let last = (counts.len() - 1) as f64;
        let mean_of = |of: &dyn Fn(f64) -> f64| {
            let terms = counts.iter().enumerate();
            let terms = terms.map(|(cell, count)| *count as f64 * of(cell as f64 / last));
            terms.sum::<f64>() / units as f64
        };
        let mean = mean_of(&|score| score);
        // Because of rounding, the deviation of equal units might not be 0.
        let varies = counts.iter().filter(|count| **count > 0).count() > 1;
        let variance = mean_of(&|score| (score - mean).powi(2));
        Some(Self {
            units,
            games: last / 2.0,
            mean,
            deviation: if varies { variance.sqrt() } else { 0.0 },
        })
    }

    /// Returns the estimate. LOS = Φ((score − ½) · √units / deviation), the probability that a normal variable around the score is above ½.
    /// With few units, this is too confident. If all units are equal, LOS is Laplace's 1 − 2^−(units + 1) (rule of succession, 1814,
    /// uniform prior).
    pub fn estimate(&self) -> Estimate {
        let error = self.deviation / (self.units as f64).sqrt();
        let lost = 0.5_f64.powf(self.units as f64 + 1.0);
        let varies = self.deviation > 0.0;
        Estimate {
            score: self.mean,
            elo: of_score(self.mean).map(Elo::Value).or(self.bound()),
            los: match self.mean {
                _ if varies => normal::cdf((self.mean - 0.5) / error),
                ..0.5 => lost,
                0.5 => 0.5,
                _ => 1.0 - lost,
            },
        }
    }

    /// Returns the bound on Elo if everything was won or lost (see [`interval`]).
    fn bound(&self) -> Option<Elo> {
        let lost = interval::unseen(self.units);
        let least = 400.0 / LN_10 * ((-lost).ln_1p() - lost.ln());
        (least > 0.0).then_some(if self.mean < 0.5 {
            Elo::AtMost(-least)
        } else {
            Elo::AtLeast(least)
        })
    }
}

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_964;

/// A summary of two bots as printed by match runners for chess engines. It is computed as if the number of games had been fixed in advance,
/// so early stopping biases it. Unknown values are null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// Elo difference; a bound if one end of its 95 % interval is infinite.
    pub elo: Option<Elo>,
    /// Half the width of the 95 % interval of Elo; null if all units are equal, because their variance is then unknown.
    pub elo_error: Option<f64>,
    /// Elo normalised by the standard deviation of results, (s − ½) / (√games · deviation) · 800 / ln 10 (Van den Bergh 2020,
    /// "Normalized Elo").
    pub nelo: Option<f64>,
    /// Half the width of the 95 % interval of `nelo`.
    pub nelo_error: Option<f64>,
    /// Likelihood of superiority, in 0 … 1.
    pub los: Option<f64>,
    /// Fraction of drawn games, in 0 … 1.
    pub draws: Option<f64>,
}

impl Line {
    /// Creates a summary from counts (see [`Sample::of_counts`]) and the fraction of drawn games.
    pub fn new(counts: &[u64], draws: f64) -> Self {
        let Some(sample) = Sample::of_counts(counts) else {
            return Self::default();
        };
        let Estimate { elo, los, .. } = sample.estimate();
        let varies = sample.deviation > 0.0;
        let error = Z / (sample.units as f64).sqrt();
        let end = |sign: f64| of_score(sample.mean + sign * error * sample.deviation);
        let (elo, elo_error) = match [end(-1.0), end(1.0)] {
            _ if !varies => (elo, None),
            [Some(low), Some(high)] => (elo, Some((high - low) / 2.0)),
            [low, high] => (low.map(Elo::AtLeast).or(high.map(Elo::AtMost)), None),
        };
        let scale = 800.0 / LN_10 / sample.games.sqrt();
        Self {
            elo,
            elo_error,
            nelo: varies.then(|| (sample.mean - 0.5) / sample.deviation * scale),
            nelo_error: varies.then_some(error * scale),
            los: Some(los),
            draws: Some(draws),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.elo {
            Some(Elo::Value(elo)) => write!(f, "Elo {}", tenths(elo))?,
            Some(Elo::AtLeast(elo)) => write!(f, "Elo ≥ {elo:.0}")?,
            Some(Elo::AtMost(elo)) => write!(f, "Elo ≤ {elo:.0}")?,
            None => f.write_str("Elo –")?,
        }
        if let Some(error) = self.elo_error {
            write!(f, " ± {error:.1} (95 %)")?;
        }
        match self.nelo.zip(self.nelo_error) {
            Some((nelo, error)) => write!(f, ", nElo {} ± {error:.1}", tenths(nelo))?,
            None => f.write_str(", nElo –")?,
        }
        let percent = |share: Option<f64>, digits: usize| match share {
            Some(share) => format!("{:.digits$} %", 100.0 * share),
            None => "–".into(),
        };
        let [los, draws] = [percent(self.los, 1), percent(self.draws, 0)];
        write!(f, ", LOS {los}, draws {draws}")
    }
}

/// Formats a number with one decimal, and never as −0.0.
fn tenths(number: f64) -> String {
    format!("{:.1}", (number * 10.0).round() / 10.0 + 0.0)
}

/// Formats a line for pasting from the pentanomial counts, worst first, and the fraction of drawn matches.
pub fn paste(counts: &[u64; 5], draws: f64) -> String {
    format!("{}, Ptnml(0-2) {counts:?}", Line::new(counts, draws))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with values printed by match runners, for pairs of games and for single games.
    #[test]
    fn estimates_are_those_of_the_field() {
        let check = |counts: &[u64], expected: [f64; 5]| {
            let line = Line::new(counts, 0.0);
            let elo = line.elo.map(Elo::number);
            let found = [elo, line.elo_error, line.nelo, line.nelo_error, line.los];
            let near =
                |(found, expected): (Option<f64>, f64)| (found.unwrap() - expected).abs() < 1e-3;
            assert!(found.into_iter().zip(expected).all(near), "{found:?}");
        };
        check(
            &[34, 54, 63, 64, 75],
            [55.580, 27.653, 57.936, 28.275, 0.999_970],
        );
        check(
            &[96, 111, 136],
            [40.702_5, 30.427_2, 49.768_4, 36.768_5, 0.996_010],
        );
    }

    #[test]
    fn lines_to_paste_have_no_infinite_numbers() {
        let check = |counts: [u64; 5], expected: &str| {
            let found = paste(&counts, 0.24);
            let (line, rest) = found.split_once(", draws ").unwrap();
            assert_eq!(line, expected);
            assert!(
                counts == [0; 5] || rest == format!("24 %, Ptnml(0-2) {counts:?}"),
                "{found}"
            );
        };
        check(
            [34, 54, 63, 64, 75],
            "Elo 55.6 ± 27.7 (95 %), nElo 57.9 ± 28.3, LOS 100.0 %",
        );
        // (1 − q)^33 = 0.025: q = 0.10576; 400 log10(0.89424 / 0.10576) = 370.8.
        check([0, 0, 0, 0, 33], "Elo ≥ 371, nElo –, LOS 100.0 %");
        check([7, 0, 0, 0, 0], "Elo ≤ -64, nElo –, LOS 0.4 %");
        // The bound is below 0.
        check([0, 0, 0, 0, 2], "Elo –, nElo –, LOS 87.5 %");
        // The mean minus 1.96 standard errors is 0.8314.
        check(
            [0, 0, 0, 1, 3],
            "Elo ≥ 277, nElo 992.9 ± 240.8, LOS 100.0 %",
        );
        check([1, 0, 0, 0, 1], "Elo –, nElo 0.0 ± 340.5, LOS 50.0 %");
        check([0, 0, 5, 0, 0], "Elo 0.0, nElo –, LOS 50.0 %");
        check([0; 5], "Elo –, nElo –, LOS –");
        let many = Line::new(&[0, 0, u64::MAX / 8], 0.0);
        assert!(many.elo.unwrap().number().is_finite());
    }

    #[test]
    fn worse_counts_mirror_better_ones() {
        for counts in [
            [1, 2, 3, 4, 5],
            [0, 0, 0, 0, 7],
            [0, 0, 9, 0, 0],
            [3, 0, 0, 0, 1],
        ] {
            let [a, b, c, d, e] = counts;
            let both = [counts, [e, d, c, b, a]].map(|counts| Sample::of_counts(&counts).unwrap());
            let [found, other] = both.map(|sample| sample.estimate());
            let [one, two] = [found.elo, other.elo].map(Option::unwrap);
            assert!((one.number() + two.number()).abs() < 1e-9, "{counts:?}");
            assert!((found.los + other.los - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn scores_and_elo_undo_each_other() {
        for elo in [-900.0, -3.0, 0.0, 17.5, 800.0] {
            assert!((of_score(score(elo)).unwrap() - elo).abs() < 1e-9);
        }
        assert!((score(200.0) - 0.759_746_926_6).abs() < 1e-9);
        assert_eq!((of_score(0.0), of_score(1.0)), (None, None));
    }
}
