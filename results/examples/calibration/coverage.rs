//! Coverage of intervals in small tournaments, by bot and by pair, with the side on which they miss the true value.

use std::collections::BTreeMap;

use arena_engine::chance::{Chance, Seed};
use arena_tournament::deals::Scored;
use rayon::prelude::*;
use serde::Serialize;

use super::claims::{self, Claim, Kind};
use super::play::Setting;

/// Coverage of one kind of interval, for the bot or pair for which it is worst.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// Subject of the intervals.
    pub kind: Kind,
    /// Number of deals per tournament.
    pub deals: u32,
    /// Fraction of intervals that lie on one side of the true value, for the worst bot or pair and side; nominally 0.025.
    pub tail: f64,
    /// The bot or pair with the largest fraction, and the side on which its intervals lie.
    pub tail_of: String,
    /// Fraction of claims that have an interval.
    pub shown: f64,
    /// Mean width of closed intervals.
    pub width: Option<f64>,
}

/// Counts for one bot or pair.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    claims: u64,
    shown: u64,
    above: u64,
    below: u64,
    closed: u64,
    width: f64,
}

impl Held {
    fn add(&mut self, claim: &Claim, truth: f64) {
        self.claims += 1;
        let Some([low, high]) = claim.interval else {
            return;
        };
        self.shown += 1;
        // Sums may differ in the last digits.
        let near = 1e-9 * (1.0 + truth.abs().min(1e9));
        self.above += u64::from(truth < low - near);
        self.below += u64::from(truth > high + near);
        if (high - low).is_finite() {
            self.closed += 1;
            self.width += high - low;
        }
    }

    fn join(mut self, other: &Held) -> Held {
        self.claims += other.claims;
        self.shown += other.shown;
        self.above += other.above;
        self.below += other.below;
        self.closed += other.closed;
        self.width += other.width;
        self
    }
}

/// Counts by kind, and by bot or pair.
type Counts = BTreeMap<(Kind, String), Held>;

/// Draws tournaments from the deals that were played, and compares their claims with the results over all deals.
///
/// Fractions refer to the intervals that exist. Bots and pairs that have an interval in fewer than a twentieth of the tournaments are left
/// out.
pub fn coverage(
    setting: &Setting,
    pool: &[Vec<Scored>],
    seed: Seed,
    deals: u32,
    tournaments: u32,
) -> Vec<Coverage> {
    let truth = claims::analyse(setting, pool, seed, pool.len() as u32).claims;
    let truth: BTreeMap<(Kind, &str), f64> = truth
        .iter()
        .filter(|claim| !claim.estimate.is_nan())
        .map(|claim| ((claim.kind, claim.about.as_str()), claim.estimate))
        .collect();
    let seed = seed.child("tournaments", deals.into());
    let one = |index: u32| {
        let drawn = draw(pool, deals, &mut seed.stream("tournament", index.into()));
        let mut counts = Counts::new();
        let analysed = claims::analyse(setting, drawn, seed, deals);
        for claim in analysed.claims {
            if let Some(truth) = truth.get(&(claim.kind, claim.about.as_str())) {
                counts
                    .entry((claim.kind, claim.about.clone()))
                    .or_default()
                    .add(&claim, *truth);
            }
        }
        counts
    };
    let all = (0..tournaments)
        .into_par_iter()
        .map(one)
        .reduce(Counts::new, |mut sum, counts| {
            for (key, held) in counts {
                let joined = sum.get(&key).map_or(held, |before| held.join(before));
                sum.insert(key, joined);
            }
            sum
        });
    let mut kinds: BTreeMap<Kind, Vec<(String, Held)>> = BTreeMap::new();
    all.into_iter()
        .for_each(|((kind, about), held)| kinds.entry(kind).or_default().push((about, held)));
    kinds
        .into_iter()
        .map(|(kind, held)| summed(kind, deals, tournaments, &held))
        .collect()
}

/// Draws deals with replacement.
fn draw<'a>(pool: &'a [Vec<Scored>], deals: u32, chance: &mut Chance) -> Vec<&'a Vec<Scored>> {
    (0..deals).map(|_| chance.pick(pool)).collect()
}

fn summed(kind: Kind, deals: u32, tournaments: u32, all: &[(String, Held)]) -> Coverage {
    let sum = all
        .iter()
        .fold(Held::default(), |sum, (_, held)| sum.join(held));
    let shown = all
        .iter()
        .filter(|(_, held)| 20 * held.shown >= u64::from(tournaments));
    let tails = shown.flat_map(|(about, held)| {
        [("above", held.above), ("below", held.below)]
            .map(|(side, count)| (count as f64 / held.shown as f64, format!("{about} {side}")))
    });
    let (tail, tail_of) = tails.fold((0.0, String::new()), |most, tail| {
        if tail.0 > most.0 { tail } else { most }
    });
    let width = (sum.closed > 0).then(|| sum.width / sum.closed as f64);
    Coverage {
        kind,
        deals,
        tail,
        tail_of,
        shown: sum.shown as f64 / sum.claims.max(1) as f64,
        width,
    }
}

/// Rate of tournaments between equal bots that claim a difference.
#[derive(Clone, Debug, Serialize)]
pub struct Alarms {
    /// Number of deals per tournament.
    pub deals: u32,
    /// Fraction of tournaments that claim that any bot is ahead of another.
    pub ahead: f64,
}

/// Draws the same tournaments with the bots' names shuffled on each deal, so that all bots are equal.
pub fn alarms(
    setting: &Setting,
    pool: &[Vec<Scored>],
    seed: Seed,
    deals: u32,
    tournaments: u32,
) -> Alarms {
    let seed = seed.child("equal", deals.into());
    let one = |index: u32| {
        let mut chance = seed.stream("tournament", index.into());
        let drawn: Vec<Vec<Scored>> = draw(pool, deals, &mut chance)
            .into_iter()
            .map(|deal| renamed(setting, deal, &mut chance))
            .collect();
        let pairs = claims::analyse(setting, &drawn, seed, deals).pairs;
        let leads = pairs.iter().filter_map(|pair| pair.lead);
        leads.into_iter().any(|lead| lead.ahead.is_some())
    };
    let wrong = (0..tournaments).into_par_iter().filter(|index| one(*index));
    Alarms {
        deals,
        ahead: wrong.count() as f64 / f64::from(tournaments),
    }
}

/// Returns a deal with the bots' names shuffled.
fn renamed(setting: &Setting, deal: &[Scored], chance: &mut Chance) -> Vec<Scored> {
    let mut names: Vec<usize> = (0..setting.bots.len()).collect();
    chance.shuffle(&mut names);
    let renamed = |scored: &Scored| Scored {
        bots: scored.bots.iter().map(|bot| names[*bot]).collect(),
        ..scored.clone()
    };
    deal.iter().map(renamed).collect()
}
