//! The statistical test of a comparison: its hypotheses and error rates.

use serde::{Deserialize, Serialize};

/// The test that decides a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// A sequential probability ratio test of the wins between two bots that play each other.
    Sprt(Sprt),
    /// A confidence sequence for the difference of two bots' mean scores against the field.
    Score(Sequence),
    /// A confidence sequence for the difference of two bots' mean points per match.
    Points(Sequence),
}

/// A test by a confidence sequence, which decides once the sequence excludes 0 or lies within the margin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// The probability that the sequence ever misses the true difference.
    pub alpha: f64,
    /// The equivalence margin. If it is left out, only a difference of 0 counts as no difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
}

/// Minimum margin, as a fraction of the largest possible difference: sequences have a resolution of 1/500 of that difference.
const MIN_MARGIN: f64 = 0.008;

impl Test {
    /// Returns the probability of a wrong answer.
    pub fn alpha(&self) -> f64 {
        match self {
            Test::Sprt(sprt) => sprt.errors()[0],
            Test::Score(sequence) | Test::Points(sequence) => sequence.alpha,
        }
    }

    /// Checks that the test can be used where points differ by at most `points`.
    ///
    /// # Errors
    /// The reason why the test cannot be used.
    pub fn check(&self, points: f64) -> Result<(), String> {
        match self {
            Test::Sprt(_) => Ok(()),
            Test::Score(sequence) => sequence.check(1.0),
            Test::Points(sequence) => sequence.check(points),
        }
    }
}

/// Checks an error probability.
fn check_error(name: &str, chance: f64) -> Result<(), String> {
    if (1e-6..=0.49).contains(&chance) {
        return Ok(());
    }
    Err(format!(
        "{name} must be between 0.000001 and 0.49, not {chance}"
    ))
}

impl Sequence {
    fn check(&self, most: f64) -> Result<(), String> {
        let Self { alpha, margin } = *self;
        check_error("alpha", alpha)?;
        let least = MIN_MARGIN * most;
        match margin {
            Some(margin) if !(least..=most).contains(&margin) => Err(format!(
                "the margin must be {least} to {most} here, not {margin}"
            )),
            _ => Ok(()),
        }
    }
}

/// A sequential probability ratio test (SPRT) of "no stronger than elo0" against "at least as strong as elo1".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Sprt {
    /// H0: the first bot is no stronger than this many Elo, in −1000 … 1000.
    elo0: f64,
    /// H1: the first bot is at least this many Elo stronger, in −1000 … 1000.
    elo1: f64,
    /// Probability of accepting H1 when H0 is true, in 0 … 0.49.
    alpha: f64,
    /// Probability of accepting H0 when H1 is true, in 0 … 0.49.
    beta: f64,
}

/// The parameters of a sequential test as written, before they are validated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

impl TryFrom<Unchecked> for Sprt {
    type Error = String;

    fn try_from(written: Unchecked) -> Result<Self, String> {
        let Unchecked {
            elo0,
            elo1,
            alpha,
            beta,
        } = written;
        Self::new(elo0, elo1, alpha, beta)
    }
}

impl Sprt {
    /// Creates a test of `elo0` against `elo1`. `alpha` is the probability of accepting `elo1` if `elo0` is true, and `beta` that of
    /// accepting `elo0` if `elo1` is true.
    ///
    /// # Errors
    /// If the parameters are out of range.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, String> {
        for (name, elo) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-1000.0..=1000.0).contains(&elo) {
                return Err(format!("{name} must be between -1000 and 1000, not {elo}"));
            }
        }
        if elo0 >= elo1 {
            return Err(format!(
                "elo0 must be less than elo1: elo0 is {elo0}, elo1 is {elo1}"
            ));
        }
        check_error("alpha", alpha)?;
        check_error("beta", beta)?;
        // Adding 0.0 turns −0 into 0.
        Ok(Self {
            elo0: elo0 + 0.0,
            elo1: elo1 + 0.0,
            alpha,
            beta,
        })
    }

    /// Returns the Elo of both hypotheses.
    pub fn elo(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// Returns the error probability under each hypothesis.
    pub fn errors(&self) -> [f64; 2] {
        [self.alpha, self.beta]
    }

    /// Returns the log-likelihood ratios at which the test stops: at or below the first it accepts elo0, at or above the second elo1 (Wald
    /// 1945).
    pub fn bounds(&self) -> [f64; 2] {
        [
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_no_test() {
        let errors = "must be between 0.000001 and 0.49, not";
        for ([elo0, elo1, alpha, beta], expected) in [
            (
                [5.0, 5.0, 0.05, 0.05],
                "elo0 must be less than elo1: elo0 is 5, elo1 is 5",
            ),
            (
                [f64::NAN, 5.0, 0.05, 0.05],
                "elo0 must be between -1000 and 1000, not NaN",
            ),
            (
                [0.0, f64::INFINITY, 0.05, 0.05],
                "elo1 must be between -1000 and 1000, not inf",
            ),
            ([0.0, 5.0, 0.5, 0.05], &format!("alpha {errors} 0.5")),
            ([0.0, 5.0, f64::NAN, 0.05], &format!("alpha {errors} NaN")),
            ([0.0, 5.0, 0.05, 0.0], &format!("beta {errors} 0")),
        ] {
            assert_eq!(Sprt::new(elo0, elo1, alpha, beta).unwrap_err(), expected);
        }
    }

    #[test]
    fn tests_are_written_as_they_are_read() {
        let text = r#"{"sprt":{"elo0":0.0,"elo1":10.0,"alpha":0.05,"beta":0.1}}"#;
        let test: Test = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&test).unwrap(), text);
        assert!(serde_json::from_str::<Test>(&text.replace("10.0", "-1.0")).is_err());
    }

    #[test]
    fn bounds_are_those_of_wald() {
        let [lower, upper] = Sprt::new(0.0, 10.0, 0.05, 0.1).unwrap().bounds();
        assert!(
            (lower - (0.1_f64 / 0.95).ln()).abs() < 1e-12 && (upper - 18.0_f64.ln()).abs() < 1e-12
        );
    }
}
