//! The differences of strength that the ranks of a tournament can show.

use std::fmt;

use arena_statistics::elo;
use arena_statistics::power::{self, rounded};
use arena_tournament::spec::Spec;
use serde::Serialize;

use super::in_first_round;

/// The difference for which a number of deals is suggested, in Elo.
const WANTED: f64 = 50.0;
/// Ranks that show no less than this are coarse.
const COARSE: f64 = 100.0;

/// The differences that the ranks can show with a chance of 80 %, by the worst case of independent matches without draws.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ranks {
    /// The number of planned deals.
    deals: u32,
    /// The number of bots.
    bots: usize,
    /// The least of them, in Elo; null if no result can decide any rank.
    least_elo: Option<f64>,
    /// The least number of deals that can decide a rank.
    fewest_deals: u64,
    /// The number of deals that show 50 Elo.
    deals_for_50_elo: Option<u64>,
}

impl Ranks {
    /// Of a tournament; none where not all bots meet on every deal, so that points do not rank them.
    pub fn of(spec: &Spec) -> Option<Self> {
        let (deals, bots) = (spec.plan.deals, spec.bots.len());
        if bots < 2 || !spec.all_meet() {
            return None;
        }
        // The matches that a bot has on a deal. Two bots differ in all of them, and in those that they play each other twice.
        let matches = in_first_round(spec).into_values().min()? as f64 / f64::from(deals);
        let sigma = 1.0 / (2.0 * matches * bots as f64 / (bots as f64 - 1.0)).sqrt();
        let pairs = bots * (bots - 1) / 2;
        let least = power::least_marked(deals.into(), sigma, pairs)
            .and_then(|delta| elo::of_score(0.5 + delta));
        Some(Self {
            deals,
            bots,
            least_elo: least,
            fewest_deals: power::fewest_marked(pairs),
            deals_for_50_elo: power::marked(elo::score(WANTED) - 0.5, sigma, pairs),
        })
    }

    /// True if only large differences, or none, can decide a rank.
    pub fn are_coarse(&self) -> bool {
        self.least_elo.is_none_or(|least| least >= COARSE)
    }
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            deals,
            bots,
            least_elo,
            fewest_deals,
            ..
        } = self;
        let on = if *deals == 1 {
            "1 deal".into()
        } else {
            format!("{deals} deals")
        };
        match least_elo {
            Some(least) => {
                let least = rounded(least.round() as u64);
                write!(
                    f,
                    "{on} can show differences of about {least} Elo between {bots} bots"
                )?;
            }
            None if u64::from(*deals) < *fewest_deals => {
                write!(
                    f,
                    "{on} cannot decide which of {bots} bots is better; that takes at least {fewest_deals}"
                )?;
            }
            None => write!(f, "{on} can hardly show any difference between {bots} bots")?,
        }
        match self
            .deals_for_50_elo
            .filter(|needed| *needed > u64::from(*deals))
        {
            Some(needed) => write!(
                f,
                "; for {WANTED} Elo, plan about {} deals",
                rounded(needed)
            ),
            None => Ok(()),
        }
    }
}
