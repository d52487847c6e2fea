//! What bots read beyond counting: right guesses less the chances that counting gave them.
//!
//! All hidden worlds alike likely, a guess of chance p is right with p, however it is chosen: who is right more often draws conclusions
//! from what others do, and who is read more often gives something away.

use std::collections::BTreeMap;

use arena_engine::deduction::Learned;
use schemars::JsonSchema;
use serde::Serialize;

use crate::interval;

/// The least chance of each bin but the first, in which all chances are less; the last bin holds what is certain.
const BINS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 1.0];
/// By how much rounding may change a chance.
const ROUNDING: f64 = 1e-9;

/// A decision, with what counting says of it.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// The bot.
    pub bot: usize,
    /// The bot that it was about, if it was about one.
    pub about: Option<usize>,
    /// The chance that its guess was right; none if it was no guess.
    pub chance: Option<f64>,
    /// What it learned from the answer, if there was one.
    pub learned: Option<Learned>,
    /// True if it was late.
    pub late: bool,
}

/// Profiles of all bots, by what could be known at each decision of matches that nobody forfeited.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Profiles {
    /// The number of matches that count.
    pub matches: u64,
    /// The number of matches that are left out since a bot forfeited.
    pub forfeited: u64,
    /// How often a match was void and played again; only the last time counts.
    pub voids: u64,
    /// The bots, in order of the tournament file.
    pub bots: Vec<Profile>,
}

/// The profile of a bot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Profile {
    /// Its name.
    pub bot: String,
    /// Its guesses against all.
    pub reads: Reading,
    /// The guesses of others at what it hides, where each guess is about one bot.
    pub is_read: Reading,
    /// Its guesses about each of the others.
    pub against: Vec<Against>,
    /// Its guesses by their chance.
    pub calibration: Vec<Bin>,
    /// The number of its questions and guesses that were answered.
    pub answers: u64,
    /// What an answer was worth on average, in bits; null without any.
    pub gained: Option<f64>,
    /// What it was expected to be worth, in bits.
    pub expected: Option<f64>,
    /// The number of its late moves, which are left out.
    pub late: u64,
}

/// The guesses of a bot about another one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Against {
    /// The other bot.
    pub bot: String,
    /// The guesses.
    pub reads: Reading,
}

/// Guesses, and how many more of them were right than by counting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Reading {
    /// The number of guesses.
    pub guesses: u64,
    /// How many were right.
    pub right: u64,
    /// How many were to be right by counting: the sum of their chances.
    pub chances: f64,
    /// The difference per guess; null without any.
    pub mean: Option<f64>,
    /// The ends of its 95 % interval, over deals; null for too few of them.
    pub interval: Option<[f64; 2]>,
    /// The difference and the number of guesses on each deal.
    #[serde(skip)]
    deals: BTreeMap<u32, (f64, u64)>,
}

/// Guesses of about the same chance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Bin {
    /// Their least chance.
    pub from: f64,
    /// The chance that all are below; null if they are certain.
    pub below: Option<f64>,
    /// Their number.
    pub guesses: u64,
    /// How many were right.
    pub right: u64,
    /// The sum of their chances.
    pub chances: f64,
}

impl Reading {
    fn add(&mut self, deal: u32, chance: f64, right: bool) {
        let beyond = f64::from(u8::from(right)) - chance;
        self.guesses += 1;
        self.right += u64::from(right);
        self.chances += chance;
        let (sum, guesses) = self.deals.entry(deal).or_default();
        (*sum, *guesses) = (*sum + beyond, *guesses + 1);
    }

    fn finish(&mut self) {
        let mean = (self.right as f64 - self.chances) / self.guesses as f64;
        self.mean = (self.guesses > 0).then_some(mean);
        self.interval = interval::of_means(self.deals.values().copied());
    }
}

impl Profiles {
    /// No match yet, of bots with these names.
    pub fn new(names: &[String]) -> Self {
        let against = |bot: &String| Against { bot: bot.clone(), reads: Reading::default() };
        let ends = || BINS.iter().copied().map(Some).chain([None]);
        let bins =
            || [0.0].into_iter().chain(BINS).zip(ends()).map(|(from, below)| Bin { from, below, ..Bin::default() });
        let profile = |bot: &String| Profile {
            bot: bot.clone(),
            against: names.iter().map(against).collect(),
            calibration: bins().collect(),
            ..Profile::default()
        };
        Self { bots: names.iter().map(profile).collect(), ..Self::default() }
    }

    /// Takes in the decisions of a match that nobody forfeited.
    pub fn add(&mut self, deal: u32, decisions: &[Counted]) {
        self.matches += 1;
        for Counted { bot, about, chance, learned, late } in decisions {
            let profile = &mut self.bots[*bot];
            profile.late += u64::from(*late);
            let Some(learned) = learned else { continue };
            profile.answers += 1;
            *profile.gained.get_or_insert_default() += learned.gained;
            *profile.expected.get_or_insert_default() += learned.expected;
            let Some((chance, right)) = chance.zip(learned.right) else { continue };
            profile.reads.add(deal, chance, right);
            let bin = &mut profile.calibration[BINS.iter().filter(|from| chance + ROUNDING >= **from).count()];
            (bin.guesses, bin.right, bin.chances) =
                (bin.guesses + 1, bin.right + u64::from(right), bin.chances + chance);
            if let Some(about) = about {
                profile.against[*about].reads.add(deal, chance, right);
                self.bots[*about].is_read.add(deal, chance, right);
            }
        }
    }

    /// The profiles by all matches that were taken in.
    pub fn finish(mut self) -> Self {
        for profile in &mut self.bots {
            let per_answer = |sum: f64| sum / profile.answers as f64;
            (profile.gained, profile.expected) = (profile.gained.map(per_answer), profile.expected.map(per_answer));
            profile.against.retain(|against| against.reads.guesses > 0);
            let against = profile.against.iter_mut().map(|against| &mut against.reads);
            against.chain([&mut profile.reads, &mut profile.is_read]).for_each(Reading::finish);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(bot: usize, about: usize, chance: f64, right: bool) -> Counted {
        let learned = Some(Learned::from_guess(chance, right));
        Counted { bot, about: Some(about), chance: Some(chance), learned, late: false }
    }

    /// 12 deals, in each of which 0 guesses right at a half twice, and 1 once wrong at a quarter, once certainly right, and once too late.
    fn profiles() -> Profiles {
        let mut profiles = Profiles::new(&["a".into(), "b".into()]);
        let sure = guess(1, 0, 1.0 - 1e-12, true);
        let late = Counted { chance: None, learned: None, late: true, ..sure };
        let half = guess(0, 1, 0.5, true);
        (1..=12).for_each(|deal| profiles.add(deal, &[half, half, guess(1, 0, 0.25, deal < 4), sure, late]));
        profiles.finish()
    }

    #[test]
    fn readings_are_right_guesses_less_their_chances() {
        let Profiles { matches, bots, .. } = profiles();
        let [a, b] = &bots[..] else { panic!("two bots") };
        assert_eq!((matches, a.reads.guesses, a.reads.mean, b.late), (12, 24, Some(0.5), 12));
        assert_eq!((&a.reads, &b.reads), (&b.is_read, &a.is_read));
        assert_eq!(a.against, [Against { bot: "b".into(), reads: a.reads.clone() }]);
        assert_eq!(a.reads.interval, None, "the same on all deals does not show how far others go");
        // Three of 12 were right, as by counting.
        assert!(b.reads.mean.is_some_and(|mean| mean.abs() < 1e-9), "{:?}", b.reads);
        assert!(b.reads.interval.is_some_and(|[low, high]| low < -0.05 && high > 0.05), "{:?}", b.reads);
        assert_eq!((a.answers, a.gained, a.expected), (24, Some(1.0), Some(1.0)));
    }

    #[test]
    fn guesses_are_in_the_bin_of_their_chance() {
        let of = |bot: &Profile| -> Vec<(f64, u64, u64)> {
            let some = bot.calibration.iter().filter(|bin| bin.guesses > 0);
            some.map(|bin| (bin.from, bin.guesses, bin.right)).collect()
        };
        let bots = profiles().bots;
        assert_eq!((of(&bots[0]), of(&bots[1])), (vec![(0.5, 24, 24)], vec![(0.25, 12, 3), (1.0, 12, 12)]));
    }
}
