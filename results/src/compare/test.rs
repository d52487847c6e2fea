//! What a comparison tests, and how sure its answer is to be.

use serde::{Deserialize, Serialize};

use super::{CompareError, OPTION, Verdict};
use crate::stats::betting::Peek;
use crate::stats::sprt::Sprt;
use arena_tournament::spec::Spec;

/// What is tested.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// Wins of two bots that meet each other, by a sequential probability ratio test.
    Sprt(Sprt),
    /// The difference of both bots' mean scores against the field, by a confidence sequence.
    Score(Sequence),
    /// The difference of both bots' mean points in a match, by a confidence sequence.
    Points(Sequence),
}

/// A confidence sequence, and when it decides: as soon as it leaves out 0, or lies within the margin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// The chance that the difference is ever outside of the sequence.
    pub alpha: f64,
    /// Differences up to this are none; left out if only 0 is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

/// The least margin, in parts of the greatest difference that there can be: sequences have steps of 1/500 of it.
const LEAST_MARGIN: f64 = 0.008;

impl Test {
    /// The test of a tournament.
    pub fn of(tournament: &Spec) -> Result<Self, CompareError> {
        let written = tournament.options.get(OPTION).ok_or(CompareError::None)?;
        serde_json::from_value(written.clone()).map_err(|error| CompareError::Test(error.to_string()))
    }

    /// The chance of a wrong answer.
    pub fn alpha(&self) -> f64 {
        match self {
            Test::Sprt(sprt) => sprt.errors()[0],
            Test::Score(sequence) | Test::Points(sequence) => sequence.alpha,
        }
    }

    /// Says what keeps it from being used where points differ by at most so much, if anything does.
    pub fn check(&self, points: f64) -> Result<(), String> {
        match self {
            Test::Sprt(_) => Ok(()),
            Test::Score(sequence) => sequence.check(1.0),
            Test::Points(sequence) => sequence.check(points),
        }
    }
}

impl Sequence {
    /// What it says of a difference.
    pub(super) fn verdict(&self, peek: Peek) -> Verdict {
        let [low, high] = peek.interval;
        match self.margin {
            _ if low > 0.0 => Verdict::First,
            _ if high < 0.0 => Verdict::Second,
            Some(margin) if -margin <= low && high <= margin => Verdict::Equal,
            _ => Verdict::Running,
        }
    }

    fn check(&self, most: f64) -> Result<(), String> {
        let Self { alpha, margin } = *self;
        if !(1e-6..=0.49).contains(&alpha) {
            return Err(format!("alpha lies between 0.000001 and 0.49; {alpha} does not"));
        }
        let least = LEAST_MARGIN * most;
        match margin {
            Some(margin) if !(least..=most).contains(&margin) => {
                Err(format!("a margin that can be told apart here is {least} to {most}, not {margin}"))
            }
            _ => Ok(()),
        }
    }
}
