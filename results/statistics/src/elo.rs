//! Scores as Elo, with bounds where there is no finite value, and the estimates from counts of results.
//!
//! Elo here is 400 · log10(score / (1 − score)) (Elo 1978, "The Rating of Chessplayers", with the logistic curve).

use std::f64::consts::LN_10;
use std::fmt;

use serde::Serialize;

use crate::{interval, normal};

/// An Elo difference, as far as it is known. Never infinite, never undefined.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Elo {
    /// The difference, or its estimate.
    Value(f64),
    /// All or nearly all was won: with 97.5 % confidence no less than this.
    AtLeast(f64),
    /// All or nearly all was lost: with 97.5 % confidence no more than this.
    AtMost(f64),
}

impl Elo {
    /// The value or the bound.
    pub fn number(self) -> f64 {
        match self {
            Elo::Value(elo) | Elo::AtLeast(elo) | Elo::AtMost(elo) => elo,
        }
    }

    /// The same as the other bot sees it.
    pub fn turned(self) -> Self {
        match self {
            Elo::Value(elo) => Elo::Value(-elo),
            Elo::AtLeast(elo) => Elo::AtMost(-elo),
            Elo::AtMost(elo) => Elo::AtLeast(-elo),
        }
    }
}

/// The Elo difference that gives this score; none for 0, 1 and beyond.
pub fn of_score(score: f64) -> Option<f64> {
    (score > 0.0 && score < 1.0).then(|| 400.0 / LN_10 * (score.ln() - (-score).ln_1p()))
}

/// The score that this Elo difference gives.
pub fn score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo * LN_10 / 400.0).exp())
}

/// A sample of independent units: blocks, or single games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The number of units, at least 1.
    pub units: u64,
    /// Games in a unit.
    pub games: f64,
    /// The mean score, in 0 … 1.
    pub mean: f64,
    /// The standard deviation of a unit's mean score; 0 if all units are equal.
    pub deviation: f64,
}

/// The strength of one bot against another one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean score, in 0 … 1.
    pub score: f64,
    /// Elo; a bound if all was won or all was lost, null if that is so few that either may still be the stronger one.
    pub elo: Option<Elo>,
    /// Likelihood of superiority, in 0 … 1.
    pub los: f64,
}

impl Sample {
    /// The sample that has this many units with each mean score 0, 1/(k − 1), …, 1, worst first; k − 1 is twice the games of a
    /// unit: losses, draws and wins for single games, the pentanomial counts for pairs of games. None for an empty one.
    /// The deviation is that of the counts themselves (divided by their number), as the tools of the field have it.
    pub fn of_counts(counts: &[u64]) -> Option<Self> {
        let units: u64 = counts.iter().sum();
        if units == 0 || counts.len() < 2 {
            return None;
        }
        let last = (counts.len() - 1) as f64;
        let sum = |power: i32| {
            let terms = counts.iter().enumerate();
            terms
                .map(|(cell, count)| *count as f64 * (cell as f64).powi(power))
                .sum::<f64>()
                / units as f64
        };
        let equal = counts.iter().filter(|count| **count > 0).count() == 1;
        let variance = if equal {
            0.0
        } else {
            (sum(2) - sum(1).powi(2)).max(0.0)
        };
        Some(Self {
            units,
            games: last / 2.0,
            mean: sum(1) / last,
            deviation: variance.sqrt() / last,
        })
    }

    /// The estimate. LOS = Φ((score − ½) · √units / deviation): the share of a normal distribution about the score that lies
    /// above ½, for even odds beforehand; for few units it is surer than it should be. If all units are equal it is Laplace's
    /// 1 − 2^−(units + 1) (rule of succession, 1814, even odds for every chance of a better unit).
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

    /// The bound on Elo after all was won or all was lost (see [`interval`]).
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

/// The estimate from counts, worst result first (see [`Sample::of_counts`]); none for empty counts.
pub fn of_counts(counts: &[u64]) -> Option<Estimate> {
    Sample::of_counts(counts).map(|sample| sample.estimate())
}

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_964;

/// What match runners for chess engines print of two bots, as if the number of games had been fixed: stopping early biases it.
/// A value is null where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// Elo; a bound where the other end of its 95 % interval is infinite.
    pub elo: Option<Elo>,
    /// Half the 95 % interval of Elo; null where all units are equal, so that their spread is not known.
    pub elo_error: Option<f64>,
    /// Elo normalised by the spread of results, (s − ½) / (√games · deviation) · 800 / ln 10 (Van den Bergh 2020, "Normalized Elo").
    pub nelo: Option<f64>,
    /// Half the 95 % interval of `nelo`.
    pub nelo_error: Option<f64>,
    /// Likelihood of superiority, in 0 … 1.
    pub los: Option<f64>,
    /// Drawn games among all, in 0 … 1.
    pub draws: Option<f64>,
}

impl Line {
    /// From counts (see [`Sample::of_counts`]) and the share of games that were drawn.
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
        match (self.elo, self.elo_error) {
            (Some(Elo::Value(elo)), None) => write!(f, "Elo {}", tenths(elo))?,
            (Some(Elo::Value(elo)), Some(error)) => {
                write!(f, "Elo {} ± {error:.1} (95 %)", tenths(elo))?;
            }
            (Some(Elo::AtLeast(elo)), _) => write!(f, "Elo ≥ {elo:.0}")?,
            (Some(Elo::AtMost(elo)), _) => write!(f, "Elo ≤ {elo:.0}")?,
            (None, _) => f.write_str("Elo –")?,
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

/// A number with one decimal, never −0.0.
fn tenths(number: f64) -> String {
    format!("{:.1}", (number * 10.0).round() / 10.0 + 0.0)
}

/// The line to paste of pentanomial counts, worst first, and the share of matches that were drawn.
pub fn paste(counts: &[u64; 5], draws: f64) -> String {
    format!("{}, Ptnml(0-2) {counts:?}", Line::new(counts, draws))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elo, nElo and their errors, LOS.
    fn check(counts: &[u64], expected: [f64; 5]) {
        let found = Line::new(counts, 0.0);
        let [nelo, nelo_error] = [found.nelo, found.nelo_error].map(Option::unwrap);
        let elo = found.elo.unwrap().number();
        let all = [
            elo,
            found.elo_error.unwrap(),
            nelo,
            nelo_error,
            found.los.unwrap(),
        ];
        let near = all.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(near, "{all:?} for {counts:?}");
    }

    /// As match runners print them.
    #[test]
    fn estimates_are_those_of_the_field() {
        check(
            &[34, 54, 63, 64, 75],
            [55.580, 27.653, 57.936, 28.275, 0.999_970],
        );
        check(
            &[96, 111, 136],
            [40.7025, 30.4272, 49.7684, 36.7685, 0.996_010],
        );
    }

    #[test]
    fn lines_to_paste_have_no_infinite_numbers() {
        for (counts, expected) in [
            (
                [34, 54, 63, 64, 75],
                "Elo 55.6 ± 27.7 (95 %), nElo 57.9 ± 28.3, LOS 100.0 %, draws 24 %",
            ),
            ([10, 20, 40, 20, 10], ""),
            (
                [0, 0, 0, 0, 33],
                "Elo ≥ 371, nElo –, LOS 100.0 %, draws 24 %",
            ),
            ([0, 0, 0, 1, 3], ""),
            ([3, 1, 0, 0, 0], ""),
            ([1, 0, 0, 0, 1], "Elo –, nElo 0.0 ± "),
            ([0, 0, 5, 0, 0], "Elo 0.0, nElo –, LOS 50.0 %, draws 24 %"),
            ([0; 5], "Elo –, nElo –, LOS –, draws –"),
        ] {
            let found = paste(&counts, 0.24);
            assert!(found.starts_with(expected), "{found}");
        }
    }

    #[test]
    fn worse_counts_mirror_better_ones() {
        for counts in [
            [1, 2, 3, 4, 5],
            [0, 0, 0, 0, 7],
            [0, 0, 9, 0, 0],
            [0, 0, 0, 1, 0],
            [3, 0, 0, 0, 1],
        ] {
            let (mut mirrored, found) = (counts, of_counts(&counts).unwrap());
            mirrored.reverse();
            let other = of_counts(&mirrored).unwrap();
            let sum = found.elo.map_or(0.0, Elo::number) + other.elo.map_or(0.0, Elo::number);
            assert!(
                sum.abs() < 1e-9 && found.elo.is_some() == other.elo.is_some(),
                "{counts:?}"
            );
            assert!((found.los + other.los - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn what_is_all_won_or_all_lost_has_a_bound() {
        let won = of_counts(&[0, 0, 0, 0, 33]).unwrap();
        // (1 − q)^33 = 0.025: q = 0.10576; 400 log10(0.89424 / 0.10576) = 370.8.
        assert!(
            matches!(won.elo, Some(Elo::AtLeast(elo)) if (elo - 370.8).abs() < 0.1),
            "{won:?}"
        );
        assert!((1.0 - won.los - 0.5_f64.powi(34)).abs() < 1e-12);
        let lost = of_counts(&[7, 0, 0]).unwrap();
        assert!(
            matches!(lost.elo, Some(Elo::AtMost(elo)) if (elo + 63.5).abs() < 0.1),
            "{lost:?}"
        );
        assert_eq!(
            of_counts(&[0, 0, 5]).unwrap().elo,
            None,
            "the bound of 5 is below 0"
        );
        assert!(
            of_counts(&[0, 0, u64::MAX / 8])
                .unwrap()
                .elo
                .unwrap()
                .number()
                .is_finite()
        );
        assert_eq!(of_counts(&[0, 0, 0]), None);
    }

    #[test]
    fn equal_units_are_even() {
        let level = of_counts(&[0, 0, 5, 0, 0]).unwrap();
        assert_eq!((level.elo, level.los), (Some(Elo::Value(0.0)), 0.5));
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
