//! Measures how much better bots guess than by counting: the number of correct guesses minus the number expected by counting.
//!
//! If all hidden worlds are equally likely, a guess of probability p is right with probability p, however it is chosen. A bot whose guesses
//! are right more often draws conclusions from the behaviour of others. A bot gives something away if others' guesses about it are right
//! more often.

use std::collections::BTreeMap;

use arena_engine::deduction::Learned;
use serde::Serialize;

use crate::interval;

/// Lower bounds of probability of the classes of a calibration, except the first.
const PARTS: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 1.0];
/// Tolerance for rounding of probabilities.
const ROUNDING: f64 = 1e-9;

/// A decision, with its probabilities by counting.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// The index of the bot that decided.
    pub bot: usize,
    /// The bot that the decision was about, if any.
    pub about: Option<usize>,
    /// Probability that the guess was right; `None` if the decision was not a guess.
    pub chance: Option<f64>,
    /// Information gained from the answer, if there was one.
    pub learned: Option<Learned>,
    /// True if the bot decided too late.
    pub late: bool,
}

/// Profiles of all bots.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Profiles {
    /// Number of matches that count.
    pub matches: u64,
    /// Number of matches left out because a bot forfeited.
    pub forfeited: u64,
    /// Number of void attempts. Only the last attempt at a match counts.
    pub voids: u64,
    /// The profiles, in the order of the tournament file.
    pub bots: Vec<Profile>,
}

/// Profile of a bot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Profile {
    /// Name of the bot.
    pub bot: String,
    /// The bot's guesses.
    pub reads: Reading,
    /// Guesses of other bots about this bot; null if guesses are not about a single bot.
    pub is_read: Reading,
    /// The bot's guesses about each other bot, by name.
    pub against: BTreeMap<String, Reading>,
    /// The bot's guesses by probability: below 0.1, below 0.25, below 0.5, below 0.75, below 1, and 1.
    pub calibration: [Reading; 6],
    /// Number of the bot's questions and guesses that were answered.
    pub answers: u64,
    /// Actual information of the answers, in bits.
    pub gained: f64,
    /// Expected information of the answers, in bits.
    pub expected: f64,
    /// Number of the bot's late moves, which are left out.
    pub late: u64,
}

/// Guesses, compared with their probabilities by counting.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Reading {
    /// Number of guesses.
    pub guesses: u64,
    /// Number of correct guesses.
    pub right: u64,
    /// Number of correct guesses expected by counting: the sum of their probabilities.
    pub chances: f64,
    /// Mean difference per guess; null if there are no guesses.
    pub mean: Option<f64>,
    /// 95 % interval of the mean difference, with deals as units; null with too few deals.
    pub interval: Option<[f64; 2]>,
    /// The difference and the number of guesses on each deal.
    #[serde(skip)]
    deals: BTreeMap<u32, (f64, u64)>,
}

impl Reading {
    fn add(&mut self, deal: u32, chance: f64, right: bool) {
        let hit = u64::from(right);
        (self.guesses, self.right, self.chances) =
            (self.guesses + 1, self.right + hit, self.chances + chance);
        let (sum, guesses) = self.deals.entry(deal).or_default();
        (*sum, *guesses) = (*sum + hit as f64 - chance, *guesses + 1);
    }

    fn finish(&mut self) {
        self.mean =
            (self.guesses > 0).then(|| (self.right as f64 - self.chances) / self.guesses as f64);
        self.interval = interval::of_sums(self.deals.values().copied());
    }
}

impl Profiles {
    /// Starts without matches, for bots with these names.
    pub fn new(names: &[String]) -> Self {
        let profile = |bot: &String| Profile {
            bot: bot.clone(),
            ..Profile::default()
        };
        Self {
            bots: names.iter().map(profile).collect(),
            ..Self::default()
        }
    }

    /// Adds the decisions of a match that had this many void attempts. `None` means that the match was forfeited.
    pub fn add(&mut self, deal: u32, voids: u64, decisions: Option<&[Counted]>) {
        self.voids += voids;
        let Some(decisions) = decisions else {
            return self.forfeited += 1;
        };
        self.matches += 1;
        for Counted {
            bot,
            about,
            chance,
            learned,
            late,
        } in decisions
        {
            let profile = &mut self.bots[*bot];
            profile.late += u64::from(*late);
            let Some(learned) = learned else { continue };
            profile.answers += 1;
            profile.gained += learned.gained;
            profile.expected += learned.expected;
            let Some((chance, right)) = chance.zip(learned.right) else {
                continue;
            };
            let part = PARTS
                .iter()
                .filter(|least| chance + ROUNDING >= **least)
                .count();
            profile.reads.add(deal, chance, right);
            profile.calibration[part].add(deal, chance, right);
            if let Some(about) = about {
                self.bots[*about].is_read.add(deal, chance, right);
                let other = self.bots[*about].bot.clone();
                self.bots[*bot]
                    .against
                    .entry(other)
                    .or_default()
                    .add(deal, chance, right);
            }
        }
    }

    /// Computes the profiles from all matches added.
    pub fn finish(mut self) -> Self {
        for profile in &mut self.bots {
            let parts = profile.against.values_mut().chain(&mut profile.calibration);
            parts
                .chain([&mut profile.reads, &mut profile.is_read])
                .for_each(Reading::finish);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(bot: usize, about: usize, chance: f64, right: bool) -> Counted {
        let learned = Some(Learned::from_guess(chance, right));
        Counted {
            bot,
            about: Some(about),
            chance: Some(chance),
            learned,
            late: false,
        }
    }

    /// Returns profiles of 12 deals. On each, bot 0 guesses right twice at probability ½. Bot 1 guesses once wrong at ¼, once right with
    /// certainty, and once too late.
    fn profiles() -> Profiles {
        let mut profiles = Profiles::new(&["a".into(), "b".into()]);
        let sure = guess(1, 0, 1.0 - 1e-12, true);
        let late = Counted {
            chance: None,
            learned: None,
            late: true,
            ..sure
        };
        let half = guess(0, 1, 0.5, true);
        profiles.add(13, 2, None);
        (1..=12).for_each(|deal| {
            profiles.add(
                deal,
                0,
                Some(&[half, half, guess(1, 0, 0.25, deal < 4), sure, late]),
            );
        });
        profiles.finish()
    }

    #[test]
    fn readings_are_right_guesses_less_their_chances() {
        let Profiles {
            matches,
            forfeited,
            voids,
            bots,
        } = profiles();
        assert_eq!((matches, forfeited, voids), (12, 1, 2));
        let [a, b] = &bots[..] else {
            panic!("two bots")
        };
        assert_eq!((a.reads.guesses, a.reads.mean, b.late), (24, Some(0.5), 12));
        assert_eq!((&a.reads, &b.reads), (&b.is_read, &a.is_read));
        assert_eq!(
            a.against,
            BTreeMap::from([("b".to_owned(), a.reads.clone())])
        );
        assert_eq!(
            a.reads.interval, None,
            "the same on all deals does not show how far others go"
        );
        // Three of 12 were right, as expected by counting.
        assert!(
            b.reads.mean.is_some_and(|mean| mean.abs() < 1e-9),
            "{:?}",
            b.reads
        );
        assert!(
            b.reads
                .interval
                .is_some_and(|[low, high]| low < -0.05 && high > 0.05),
            "{:?}",
            b.reads
        );
        assert_eq!((a.answers, a.gained, a.expected), (24, 24.0, 24.0));
    }

    #[test]
    fn guesses_are_in_the_part_of_their_chance() {
        let guesses = |bot: &Profile| bot.calibration.each_ref().map(|part| part.guesses);
        let parts: Vec<[u64; 6]> = profiles().bots.iter().map(guesses).collect();
        assert_eq!(parts, [[0, 0, 0, 24, 0, 0], [0, 0, 12, 0, 0, 12]]);
    }
}
