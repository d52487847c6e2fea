//! The flags of `arena compare`, resolved into a test and a tournament.

use arena_results::comparison::Wanted;
use arena_statistics::sprt;
use arena_tournament::test::{Sequence, Sprt, Test};

use crate::cli::compare::{
    Compare, DEFAULT_ELO, DEFAULT_ERROR_RATE, DEFAULT_MARGIN, MAX_DEALS, TestFlags,
};
use arena_config::FlagValue;
use arena_config::diagnostic::UsageError;
use arena_config::read::Flags;

/// A test that needs more than this many times the maximum number of deals is refused.
const MAX_DEALS_FACTOR: u64 = 100;

impl TestFlags {
    /// Resolves the test. An existing comparison keeps its test, changed by the flags. A new one has a ratio test, or an interval test with
    /// `--points` or a field.
    pub fn test(
        &self,
        before: Option<Test>,
        field: &[String],
        gate: Option<Wanted>,
    ) -> Result<Test, UsageError> {
        let has_ratio = before.map_or(field.is_empty(), |before| matches!(before, Test::Sprt(_)));
        let is_weak = gate == Some(Wanted::NotWorse);
        if has_ratio && !self.points {
            let sprt = self.ratio(before, is_weak)?;
            let [elo0, _] = sprt.elo();
            let why = match gate {
                Some(Wanted::Better) if elo0 < 0.0 => {
                    "better would pass a bot that is weaker: use --elo0 0 or more, or --gate not-worse"
                }
                Some(Wanted::NotWorse) if elo0 >= 0.0 => {
                    "not-worse would fail a bot that is as strong: use --elo0 below 0, or --gate better"
                }
                _ => return Ok(Test::Sprt(sprt)),
            };
            return Err(UsageError::one(format!("with --elo0 {elo0}, --gate {why}")));
        }
        let test = self.sequence(before)?;
        match test {
            Test::Score(Sequence { margin: None, .. })
            | Test::Points(Sequence { margin: None, .. })
                if is_weak =>
            {
                Err(UsageError::one(
                    "--gate not-worse needs a --margin with --points and --field",
                ))
            }
            _ => Ok(test),
        }
    }

    fn ratio(&self, before: Option<Test>, is_weak: bool) -> Result<Sprt, UsageError> {
        if self.margin.is_some() && !is_weak {
            return Err(UsageError::one(
                "--margin is for --points, --field and --gate not-worse; without them use --elo0 and --elo1",
            ));
        }
        if let Some(margin) = self.margin {
            if self.elo0.is_some() {
                return Err(UsageError::one(
                    "--margin and --elo0 both set the lower hypothesis; leave one out",
                ));
            }
            if !(margin > 0.0 && margin <= 1000.0) {
                return Err(UsageError::one(format!(
                    "the margin must be more than 0 and at most 1000 Elo, not {margin}"
                )));
            }
        }
        let ([elo0, elo1], [alpha, beta]) = match before {
            Some(Test::Sprt(sprt)) => (sprt.elo(), sprt.errors()),
            _ if is_weak => ([-DEFAULT_MARGIN, 0.0], [DEFAULT_ERROR_RATE; 2]),
            _ => (DEFAULT_ELO, [DEFAULT_ERROR_RATE; 2]),
        };
        let lower = self.elo0.or(self.margin.map(|margin| -margin));
        let (elo0, elo1) = (lower.unwrap_or(elo0), self.elo1.unwrap_or(elo1));
        let (alpha, beta) = (self.alpha.unwrap_or(alpha), self.beta.unwrap_or(beta));
        Sprt::new(elo0, elo1, alpha, beta).map_err(UsageError::one)
    }

    /// Refuses hypotheses that are so close together that the test would hardly ever end within this many deals.
    pub fn check_deals(test: Test, deals: u32) -> Result<(), UsageError> {
        let Test::Sprt(sprt) = test else {
            return Ok(());
        };
        // The estimate assumes the spread of two independent matches without draws. A sequential test needs about half as many deals. If
        // deals vary less, it needs even fewer.
        let needed = sprt::fixed_size(&sprt, &[1, 0, 2, 0, 1]).unwrap_or(u64::MAX);
        let deals = deals.max(MAX_DEALS);
        if needed / MAX_DEALS_FACTOR <= deals.into() {
            return Ok(());
        }
        let [elo0, elo1] = sprt.elo();
        let needed = match needed {
            0..=1_000_000_000_000 => format!("about {} million", needed / 1_000_000),
            _ => "more than a million million".into(),
        };
        Err(UsageError::one(format!(
            "{elo0} and {elo1} Elo are too close: their test takes {needed} deals, far more than {deals}; \
             set --elo0 and --elo1 further apart, or raise --max-deals"
        )))
    }

    fn sequence(&self, before: Option<Test>) -> Result<Test, UsageError> {
        let unused = [
            ("--elo0", self.elo0.is_some()),
            ("--elo1", self.elo1.is_some()),
            ("--beta", self.beta.is_some()),
        ];
        if let Some((flag, _)) = unused.iter().find(|(_, given)| *given) {
            return Err(UsageError::one(format!(
                "{flag} does not work with --points or --field; leave it out"
            )));
        }
        let (alpha, margin) = match before {
            Some(Test::Score(sequence) | Test::Points(sequence)) => {
                (sequence.alpha, sequence.margin)
            }
            _ => (DEFAULT_ERROR_RATE, None),
        };
        let sequence = Sequence {
            alpha: self.alpha.unwrap_or(alpha),
            margin: self.margin.or(margin),
        };
        let points = self.points || matches!(before, Some(Test::Points(_)));
        Ok(if points {
            Test::Points(sequence)
        } else {
            Test::Score(sequence)
        })
    }
}

impl Compare {
    /// Returns the flags that describe the tournament, with these bots.
    pub fn flags(&self, bots: &[String]) -> Flags {
        let mut flags = self.keys.0.clone();
        let deals = self.max_deals.iter();
        let deals =
            deals.map(|deals| FlagValue::new("deals", *deals, format!("--max-deals {deals}")));
        flags.values.extend(deals.chain(FlagValue::bots(bots)));
        flags
    }
}
