//! Detects identical matches of the same bots on the same deal. Such matches add no information. They come from deterministic bots that
//! play against themselves, or from deals played twice.

use std::collections::{BTreeMap, HashMap, HashSet};

use arena_tournament::deals::{Deal, Scored};
use serde::Serialize;

/// Counts of identical matches, by set of bots.
#[derive(Clone, Debug, Default)]
pub struct Transcripts {
    /// For each set of bots: the number of matches, and the number of those that are identical to another one.
    sets: BTreeMap<Vec<usize>, [u64; 2]>,
}

/// A set of bots that repeated more than half of their matches: each is identical to another match of the set on the same deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Identical {
    /// The bots, in the order of the tournament file.
    pub bots: Vec<String>,
    /// Number of matches that these bots played.
    pub matches: u64,
    /// Number of these matches with the same transcript as another match of the set on the same deal.
    pub identical: u64,
}

/// Detects bots that play identically: each match of one equals the match of the other with the same opponents in the same seats on the
/// same deal.
#[derive(Clone, Debug)]
pub struct Copies {
    /// For each pair of bots: the number of identical matches. A pair is removed once a match differs.
    alike: BTreeMap<[usize; 2], u64>,
}

/// Returns the matches without a forfeit, because forfeits do not show how bots play.
fn whole(matches: &[Scored]) -> impl Iterator<Item = &Scored> {
    let is_whole = |scored: &&Scored| scored.seats.iter().all(|seat| seat.fault.is_none());
    matches.iter().filter(is_whole)
}

impl Copies {
    /// Starts without matches, for this number of bots.
    pub fn new(bots: usize) -> Self {
        let pairs = (0..bots).flat_map(|one| (one + 1..bots).map(move |other| ([one, other], 0)));
        Self {
            alike: pairs.collect(),
        }
    }

    /// Adds a deal; each must be added once.
    pub fn add(&mut self, deal: &Deal) {
        if self.alike.is_empty() {
            return;
        }
        let transcripts: HashMap<&[usize], u32> = whole(&deal.matches)
            .map(|scored| (&scored.bots[..], scored.transcript))
            .collect();
        let mut of_bot: HashMap<usize, Vec<(&[usize], u32)>> = HashMap::new();
        for (bots, transcript) in &transcripts {
            bots.iter()
                .for_each(|bot| of_bot.entry(*bot).or_default().push((*bots, *transcript)));
        }
        self.alike.retain(|[one, other], alike| {
            let swap = |bot: &usize| match bot {
                bot if bot == one => *other,
                bot if bot == other => *one,
                bot => *bot,
            };
            let mut own = of_bot.get(one).into_iter().flatten();
            own.all(|(bots, transcript)| {
                let swapped: Vec<usize> = bots.iter().map(swap).collect();
                let other = transcripts.get(&swapped[..]);
                *alike += u64::from(other.is_some());
                other.is_none_or(|other| other == transcript)
            })
        });
    }

    /// Returns the number of identical matches of two bots; 0 once a match has differed.
    pub fn matches(&self, pair: [usize; 2]) -> u64 {
        self.alike.get(&pair).copied().unwrap_or_default()
    }

    /// Returns the sets of bots that play identically, in order. A bot whose results differ from those of the rest of its set is left out.
    pub fn sets<T: PartialEq>(&self, results: impl Fn(usize) -> T) -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = Vec::new();
        let mut members = HashSet::new();
        // The first bot of each bot's set, because a bot may belong to several pairs.
        let mut first: HashMap<usize, usize> = HashMap::new();
        for ([one, other], alike) in &self.alike {
            if *alike == 0 || results(*one) != results(*other) {
                continue;
            }
            let set = *first.entry(*one).or_insert(sets.len());
            if set == sets.len() {
                sets.push(vec![*one]);
            }
            if members.insert((set, *other)) {
                sets[set].push(*other);
                first
                    .entry(*other)
                    .and_modify(|first| *first = set.min(*first))
                    .or_insert(set);
            }
        }
        sets
    }
}

impl Transcripts {
    /// Adds a deal; each must be added once.
    pub fn add(&mut self, deal: &Deal) {
        for (block, matches) in deal.tables() {
            let mut transcripts: Vec<u32> =
                whole(matches).map(|scored| scored.transcript).collect();
            transcripts.sort_unstable();
            let alike = transcripts
                .chunk_by(|one, next| one == next)
                .filter(|alike| alike.len() > 1);
            let [matches, identical] = self.sets.entry(block.bots.clone()).or_default();
            *matches += transcripts.len() as u64;
            *identical += alike.map(|alike| alike.len() as u64).sum::<u64>();
        }
    }

    /// Returns the sets of bots to warn about, in order, with the bots' names.
    pub fn warnings(&self, names: &[String]) -> Vec<Identical> {
        let warning = |(bots, [matches, identical]): (&Vec<usize>, &[u64; 2])| Identical {
            bots: bots.iter().map(|bot| names[*bot].clone()).collect(),
            matches: *matches,
            identical: *identical,
        };
        self.sets
            .iter()
            .filter(|(_, [matches, identical])| 2 * identical > *matches)
            .map(warning)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use arena_tournament::deals::Deals;

    use super::*;

    /// Returns the deals of these matches, given as deal, bots by seat, transcript.
    fn deals(matches: impl IntoIterator<Item = (u32, Vec<usize>, u32)>) -> Vec<Deal> {
        let mut gathering = Deals::new(2, None);
        let mut deals = Vec::new();
        for (deal, bots, transcript) in matches {
            deals.extend(gathering.add(Scored {
                deal,
                bots,
                seats: Vec::new(),
                transcript,
            }));
        }
        deals.extend(gathering.end());
        deals
    }

    /// Returns the sets of bots that are warned about, with their numbers of matches and of identical ones.
    fn warnings(matches: Vec<(u32, Vec<usize>, u32)>) -> Vec<(String, u64, u64)> {
        let mut transcripts = Transcripts::default();
        deals(matches).iter().for_each(|deal| transcripts.add(deal));
        let warnings = transcripts.warnings(&["a", "b", "c", "d"].map(String::from));
        let short = |one: Identical| (one.bots.concat(), one.matches, one.identical);
        warnings.into_iter().map(short).collect()
    }

    #[test]
    fn bots_that_play_alike_are_warned_of() {
        let mut matches = Vec::new();
        for deal in 1..=4 {
            let own = deal * 100;
            // 0 and 1 are the same deterministic bot; 2 plays differently; 3 sometimes plays like one of them.
            for (bots, transcript) in [
                ([0, 1], 0),
                ([1, 0], 0),
                ([0, 2], 1),
                ([2, 0], 2),
                ([2, 1], 2),
                ([0, 3], 3),
                ([3, 0], 3 + deal % 2),
            ] {
                matches.push((deal, bots.to_vec(), own + transcript));
            }
        }
        assert_eq!(
            warnings(matches),
            [("ab".into(), 8, 8)],
            "exactly half is not warned of"
        );
        // Matches on another deal are not identical.
        assert_eq!(
            warnings((1..=9).map(|deal| (deal, vec![0, 1], 7)).collect()),
            []
        );
        // All matches of one kind count once.
        let three = [
            ([0, 1, 2], 5),
            ([0, 2, 1], 5),
            ([1, 0, 2], 5),
            ([2, 0, 1], 5),
            ([1, 2, 0], 6),
        ];
        let three = three.map(|(bots, transcript)| (1, bots.to_vec(), transcript));
        assert_eq!(warnings(three.to_vec()), [("abc".into(), 5, 4)]);
    }

    #[test]
    fn copies_play_alike_against_all() {
        let sets = |changed: u32, points: [u32; 4]| {
            let pairs = (0..16).map(|pair| [pair / 4, pair % 4]);
            let pairs = pairs.filter(|[one, other]| one != other);
            // 0, 1 and 3 are the same program, which plays differently against itself and against 2.
            let matches = (1..=4).flat_map(|deal| {
                pairs.clone().map(move |bots| {
                    let seat = bots.iter().position(|bot| *bot == 2);
                    let own = seat.map_or(0, |seat| 1 + seat as u32);
                    let more = if (deal, bots) == (3, [2, 3]) {
                        changed
                    } else {
                        0
                    };
                    (deal, bots.to_vec(), own + more)
                })
            });
            let mut copies = Copies::new(4);
            deals(matches).iter().for_each(|deal| copies.add(deal));
            copies.sets(|bot| points[bot])
        };
        assert_eq!(sets(0, [9, 9, 4, 9]), [[0, 1, 3]]);
        let others = "whose points differ has played others";
        assert_eq!(sets(0, [9, 9, 4, 8]), [[0, 1]], "{others}");
        assert_eq!(sets(7, [9, 9, 4, 9]), [[0, 1]], "one match is enough");
    }
}
