//! How often the intervals of small tournaments hold the truth, which a long one has found.

use std::collections::BTreeMap;

use arena_engine::chance::Seed;
use rayon::prelude::*;
use serde::Serialize;

use super::claims::{self, Claim, Kind};
use super::play::Setting;

/// How many resamples the intervals of ratings are made of: fewer than a leaderboard takes, for speed.
pub const RESAMPLES: usize = 400;

/// How often the intervals of one kind held the truth.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// What they are about.
    pub kind: Kind,
    /// How many deals the tournaments had.
    pub deals: u32,
    /// The share of intervals that held the truth; 0.95 is what they promise.
    pub share: f64,
    /// Its Monte-Carlo standard error: over tournaments, since intervals of one tournament go together.
    pub error: f64,
    /// How many intervals there were.
    pub intervals: u64,
    /// How many claims had no interval.
    pub without: u64,
    /// The mean half width.
    pub half_width: f64,
}

/// What one tournament adds.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    held: u64,
    intervals: u64,
    without: u64,
    width: f64,
}

/// Plays so many tournaments of so many deals, and compares what they claim with the truth.
pub fn coverage(setting: &Setting, truth: &[Claim], seed: Seed, deals: u32, tournaments: u32) -> Vec<Coverage> {
    let truth: BTreeMap<(Kind, &str), f64> =
        truth.iter().map(|claim| ((claim.kind, claim.about.as_str()), claim.estimate)).collect();
    let truth = |claim: &Claim| match claim.about.split_once(' ') {
        // Who is next in rank may be another bot than in truth.
        Some((upper, lower)) if claim.kind == Kind::Gap => {
            Some(truth.get(&(Kind::Rating, upper))? - truth.get(&(Kind::Rating, lower))?)
        }
        _ => truth.get(&(claim.kind, claim.about.as_str())).copied(),
    };
    let seed = seed.child("tournaments", deals.into());
    let one = |index: u32| {
        let seed = seed.child("tournament", index.into());
        let claims = claims::claims(setting, &setting.play(seed, deals), seed, deals, RESAMPLES);
        let mut held: BTreeMap<Kind, Held> = BTreeMap::new();
        for claim in &claims {
            if let Some(truth) = truth(claim) {
                held.entry(claim.kind).or_default().add(claim, truth);
            }
        }
        held
    };
    // In order of the tournaments, so that sums do not depend on the number of threads.
    let all: Vec<BTreeMap<Kind, Held>> = (0..tournaments).into_par_iter().map(one).collect();
    let mut kinds: BTreeMap<Kind, Vec<Held>> = BTreeMap::new();
    all.into_iter().flatten().for_each(|(kind, held)| kinds.entry(kind).or_default().push(held));
    kinds.into_iter().map(|(kind, held)| of(kind, deals, &held)).collect()
}

impl Held {
    fn add(&mut self, claim: &Claim, truth: f64) {
        let Some([low, high]) = claim.interval else {
            self.without += 1;
            return;
        };
        self.held += u64::from(low <= truth && truth <= high);
        self.intervals += 1;
        self.width += (high - low) / 2.0;
    }
}

/// The share is a ratio of sums over tournaments, its error that of a ratio (Cochran 1977, "Sampling Techniques", 6.3).
fn of(kind: Kind, deals: u32, all: &[Held]) -> Coverage {
    let intervals: u64 = all.iter().map(|one| one.intervals).sum();
    let share = all.iter().map(|one| one.held).sum::<u64>() as f64 / intervals.max(1) as f64;
    let residual = |one: &Held| (one.held as f64 - share * one.intervals as f64).powi(2);
    let count = all.len() as f64;
    let spread = all.iter().map(residual).sum::<f64>() * count / (count - 1.0).max(1.0);
    Coverage {
        kind,
        deals,
        share,
        error: spread.sqrt() / intervals.max(1) as f64,
        intervals,
        without: all.iter().map(|one| one.without).sum(),
        half_width: all.iter().map(|one| one.width).sum::<f64>() / intervals.max(1) as f64,
    }
}
