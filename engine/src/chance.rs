//! All randomness of a match: one seed, and named streams of numbers drawn from it.
//!
//! A seed, a name and an index give the same numbers on every machine and in every version: the generator is ChaCha with
//! 8 rounds, and bounded integers and shuffles are our own, pinned by tests.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shown;

/// Random seed of a match or of a part of one: an integer below 2^53, so that every JSON reader holds it exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u64", into = "u64")]
pub struct Seed(#[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))] u64);

impl Seed {
    /// The largest seed.
    pub const MAX: u64 = (1 << 53) - 1;

    /// Derives an independent seed for a part of the match. The parent seed cannot be recovered from it.
    pub fn child(self, name: &str, index: u64) -> Seed {
        Seed(self.stream(name, index).0.next_u64() & Self::MAX)
    }

    /// Returns the stream of random numbers with this name and index.
    pub fn stream(self, name: &str, index: u64) -> Chance {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.0.to_le_bytes());
        key[8..16].copy_from_slice(&fnv1a(name).to_le_bytes());
        key[16..24].copy_from_slice(&index.to_le_bytes());
        Chance(ChaCha8Rng::from_seed(key))
    }
}

impl TryFrom<u64> for Seed {
    type Error = String;
    fn try_from(seed: u64) -> Result<Self, String> {
        let too_large = || format!("a seed must be below 2^53 = 9007199254740992, {seed} is not");
        (seed <= Self::MAX)
            .then_some(Seed(seed))
            .ok_or_else(too_large)
    }
}

impl From<Seed> for u64 {
    fn from(seed: Seed) -> u64 {
        seed.0
    }
}

shown!(Seed, |seed| "{}", seed.0);

/// A stream of random numbers.
#[derive(Debug)]
pub struct Chance(ChaCha8Rng);

impl Clone for Chance {
    fn clone(&self) -> Self {
        Self(ChaCha8Rng::deserialize_state(&self.0.serialize_state()))
    }
}

impl Chance {
    /// Returns a uniformly distributed integer in `0..bound` (Lemire 2019, "Fast random integer generation in an interval"). A bound of 1
    /// draws no numbers from the stream.
    ///
    /// # Panics
    /// If `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "nothing lies below 0");
        if bound == 1 {
            return 0;
        }
        let mut product = u64::from(self.0.next_u32()) * u64::from(bound);
        if (product as u32) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u32) < threshold {
                product = u64::from(self.0.next_u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// Returns a uniformly distributed number in `[0, 1)`.
    pub fn share(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / (f64::from(u32::MAX) + 1.0)
    }

    /// Splits off an independent stream. Each call gives a different one.
    pub fn split(&mut self) -> Chance {
        let mut key = [0; 32];
        key.chunks_exact_mut(8)
            .for_each(|part| part.copy_from_slice(&self.0.next_u64().to_le_bytes()));
        Chance(ChaCha8Rng::from_seed(key))
    }

    /// Returns a random item of the list, uniformly distributed.
    ///
    /// # Panics
    /// If the list is empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u32) as usize]
    }

    /// Shuffles the list uniformly (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

/// Returns the 64-bit FNV-1a hash of a stream's name.
fn fnv1a(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(seed: u64) -> Seed {
        Seed::try_from(seed).unwrap()
    }

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        let mut chance = seed(7).stream("deal", 3);
        let drawn: Vec<u32> = (1..=12).map(|n| chance.below(n * 10)).collect();
        assert_eq!(drawn, GOLDEN_DRAWS);
        let mut order: Vec<u8> = (0..12).collect();
        chance.shuffle(&mut order);
        assert_eq!(order, GOLDEN_ORDER);
        assert_eq!(u64::from(seed(7).child("deal", 3)), GOLDEN_CHILD);
    }
    const GOLDEN_DRAWS: [u32; 12] = [0, 1, 27, 1, 10, 11, 61, 76, 32, 14, 21, 5];
    const GOLDEN_ORDER: [u8; 12] = [3, 5, 8, 2, 4, 11, 0, 6, 7, 1, 9, 10];
    const GOLDEN_CHILD: u64 = 6_563_040_825_167_126;

    #[test]
    fn a_copy_draws_the_same_numbers() {
        let mut chance = seed(7).stream("copy", 0);
        // The generator makes 64 words at a time.
        for _ in 0..130 {
            let draw = |chance: &mut Chance| [(); 3].map(|()| chance.below(u32::MAX));
            assert_eq!(draw(&mut chance.clone()), draw(&mut chance.clone()));
            let mut copy = chance.clone();
            assert_eq!(chance.below(u32::MAX), copy.below(u32::MAX));
        }
    }

    #[test]
    fn names_and_indices_part_the_streams() {
        let first = |name, index| seed(1).child(name, index);
        assert_ne!(first("deal", 0), first("deal", 1));
        assert_ne!(first("deal", 0), first("bot", 0));
        assert_ne!(first("deal", 0), seed(2).child("deal", 0));
    }

    #[test]
    fn shares_fill_the_unit_and_splits_differ() {
        let mut chance = seed(3).stream("shares", 0);
        let mut tenths = [0; 10];
        (0..10_000).for_each(|_| tenths[(chance.share() * 10.0) as usize] += 1);
        assert!(
            tenths.iter().all(|count| (850..1150).contains(count)),
            "{tenths:?}"
        );
        let (mut one, mut other) = (chance.split(), chance.split());
        assert_ne!(
            [0; 4].map(|_| one.below(1000)),
            [0; 4].map(|_| other.below(1000))
        );
    }

    #[test]
    fn shuffles_are_even() {
        let mut chance = seed(5).stream("even", 0);
        let mut counts = [0; 6];
        for _ in 0..6_000 {
            let mut order = [0, 1, 2];
            chance.shuffle(&mut order);
            counts[order[0] * 2 + usize::from(order[1] > order[2])] += 1;
        }
        assert!(
            counts.iter().all(|count| (850..1150).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn seeds_stay_below_two_to_the_53() {
        assert!(Seed::try_from(1 << 53).is_err());
        assert!((0..100).all(|i| u64::from(seed(3).child("x", i)) <= Seed::MAX));
    }
}
