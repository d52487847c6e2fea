//! Searches for the minimum total number of guesses over all codes, and computes a lower bound for all strategies.
//!
//! The strategies of the solver look one answer ahead. This beam search follows the most promising guesses to the end. A wider beam comes
//! closer to the optimum. Only a search over all guesses could prove the optimum.

use std::collections::HashMap;
use std::thread;

use arena_engine::games::crack_the_code::packed::{ANSWERS, Packed, Size};
use arena_engine::set::Set;

/// A beam search for a good strategy.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Length of codes and number of colours.
    pub size: Size,
    /// Beam width: number of guesses followed at each step.
    pub width: usize,
}

/// Lists of candidates, each with the lowest total of guesses found.
type Known = HashMap<Vec<Packed>, u64>;

impl Search {
    /// Returns the lowest total number of guesses found, over all codes, for strategies that begin with this guess.
    pub fn guesses(self, first: Packed) -> u64 {
        let all = self.size.all();
        let parts = self.split(first, &all);
        let used: Set<u8> = first.colours().collect();
        let half = |from: usize| {
            let mut known = Known::new();
            parts
                .iter()
                .skip(from)
                .step_by(2)
                .map(|part| self.fewest(part, used, &mut known))
                .sum::<u64>()
        };
        let (even, odd) = thread::scope(|scope| {
            let even = scope.spawn(|| half(0));
            let odd = half(1);
            (even.join().expect("the search does not panic"), odd)
        });
        all.len() as u64 + even + odd
    }

    /// Returns a lower bound of the total for all strategies with this first guess. Every second guess is tried; after it, all answers are
    /// assumed to be possible.
    pub fn at_least(self, first: Packed) -> u64 {
        let all = self.size.all();
        let used = first.colours().collect();
        let part = |part: &Vec<Packed>| {
            let guesses = part.iter().copied().chain(self.size.unlike(used));
            guesses
                .map(|guess| self.bound(&self.counts(guess, part)))
                .min()
                .expect("a part has a candidate")
        };
        all.len() as u64 + self.split(first, &all).iter().map(part).sum::<u64>()
    }

    /// Returns the lowest total found for these sorted candidates, after these colours have been guessed.
    fn fewest(self, candidates: &[Packed], used: Set<u8>, known: &mut Known) -> u64 {
        if candidates.len() <= 2 {
            return [0, 1, 3][candidates.len()];
        }
        if let Some(fewest) = known.get(candidates) {
            return *fewest;
        }
        let ideal = least(candidates.len(), self.size.answers());
        let mut fewest = u64::MAX;
        for (bound, guess) in self.promising(candidates, used) {
            if bound < fewest {
                let used = guess.colours().fold(used, |mut used, colour| {
                    used.insert(colour);
                    used
                });
                fewest = fewest.min(self.followed(guess, candidates, used, fewest, known));
            }
            if fewest == ideal {
                break;
            }
        }
        known.insert(candidates.to_vec(), fewest);
        fewest
    }

    /// Returns the lowest total that begins with this guess, or any number above the limit.
    fn followed(
        self,
        guess: Packed,
        candidates: &[Packed],
        used: Set<u8>,
        limit: u64,
        known: &mut Known,
    ) -> u64 {
        let mut parts = self.split(guess, candidates);
        parts.sort_by_key(Vec::len);
        let mut total = candidates.len() as u64
            + parts
                .iter()
                .map(|part| least(part.len(), self.size.answers()))
                .sum::<u64>();
        for part in parts {
            if total >= limit {
                break;
            }
            total += self.fewest(&part, used, known) - least(part.len(), self.size.answers());
        }
        total
    }

    /// Returns the guesses to follow, each with a lower bound of its total. Half of them are chosen by the information in their answers,
    /// and half by the number of different answers.
    fn promising(self, candidates: &[Packed], used: Set<u8>) -> Vec<(u64, Packed)> {
        let guesses = candidates.iter().copied().chain(self.size.unlike(used));
        let mut all: Vec<(f64, usize, u64, Packed)> = Vec::new();
        for guess in guesses {
            let counts = self.counts(guess, candidates);
            let sizes = counts
                .iter()
                .map(|count| f64::from(*count))
                .filter(|size| *size > 0.0);
            let parts = counts.iter().filter(|count| **count > 0).count();
            all.push((
                sizes.map(|size| size * size.ln()).sum(),
                ANSWERS - parts,
                self.bound(&counts),
                guess,
            ));
        }
        // Candidates come first among equal guesses, because the sort is stable.
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut chosen: Vec<_> = all.iter().take(self.width.div_ceil(2)).copied().collect();
        all.sort_by_key(|one| (one.1, one.2));
        chosen.extend(all.iter().take(self.width / 2));
        chosen.sort_by_key(|(_, _, bound, _)| *bound);
        chosen.dedup_by_key(|(_, _, _, guess)| *guess);
        chosen
            .into_iter()
            .map(|(_, _, bound, guess)| (bound, guess))
            .collect()
    }

    /// Returns the minimum total for a guess that leaves these numbers of candidates after its answers.
    fn bound(self, counts: &[u32; ANSWERS]) -> u64 {
        let cracked = usize::from(self.size.cracked());
        let least = |(answer, count): (usize, &u32)| {
            let further = if answer == cracked {
                0
            } else {
                least(*count as usize, self.size.answers())
            };
            u64::from(*count) + further
        };
        counts.iter().enumerate().map(least).sum()
    }

    fn counts(self, guess: Packed, candidates: &[Packed]) -> [u32; ANSWERS] {
        let mut counts = [0; ANSWERS];
        candidates
            .iter()
            .for_each(|code| counts[usize::from(guess.answer(*code, self.size.positions))] += 1);
        counts
    }

    /// Groups the candidates by their answer to a guess, without the one that it cracks.
    fn split(self, guess: Packed, candidates: &[Packed]) -> Vec<Vec<Packed>> {
        let mut parts = vec![Vec::new(); ANSWERS];
        for code in candidates {
            parts[usize::from(guess.answer(*code, self.size.positions))].push(*code);
        }
        parts[usize::from(self.size.cracked())].clear();
        parts.retain(|part| !part.is_empty());
        parts
    }
}

/// Returns the minimum total number of guesses for this many candidates. The first guess finds one candidate, the second at most one after
/// each answer, and so on.
fn least(candidates: usize, answers: usize) -> u64 {
    let mut left = candidates;
    let mut found = 1;
    let mut guess = 1;
    let mut total = 0;
    while left > 0 {
        let now = left.min(found);
        total += guess * now as u64;
        left -= now;
        found = found.saturating_mul(answers - 1);
        guess += 1;
    }
    total
}

#[cfg(test)]
mod tests {
    use arena_engine::games::crack_the_code::code::Code;

    use super::*;

    fn packed(digits: &str) -> Packed {
        Packed::from(&digits.bytes().map(|digit| digit - b'0').collect::<Code>())
    }

    /// Compares with the minimum for 4 positions and 6 colours, 5625 guesses, proved by Koyama and Lai (1993).
    #[test]
    fn the_search_finds_the_known_optimum() {
        let size = Size {
            positions: 4,
            colours: 6,
        };
        assert_eq!(Search { size, width: 100 }.guesses(packed("1123")), 5625);
    }

    #[test]
    fn bound_and_search_meet_where_codes_are_few() {
        for (size, first, guesses) in [
            (
                Size {
                    positions: 1,
                    colours: 5,
                },
                "1",
                15,
            ),
            (
                Size {
                    positions: 2,
                    colours: 3,
                },
                "12",
                21,
            ),
        ] {
            let bounds = size
                .unlike(Set::EMPTY)
                .into_iter()
                .map(|first| Search { size, width: 100 }.at_least(first));
            assert_eq!(
                (
                    bounds.min(),
                    Search { size, width: 100 }.guesses(packed(first))
                ),
                (Some(guesses), guesses)
            );
        }
    }
}
