//! Knockout: the loser of a pairing is out.
//!
//! 1. The order of the file is the seeding: the first bot is seed 1.
//! 2. The number of places in the bracket is the smallest power of two that holds all bots. Seed 1 is paired with the last place, seed 2
//!    with the last but one, and so on. The pairs are arranged so that the best 2 seeds can only meet in the final, two of the best 4 not
//!    before the semifinals, two of the best 8 not before the quarter-finals, and so on.
//! 3. Unfilled places are byes. They are the last places, so the best seeds get the byes, in the first round only.
//! 4. A pairing plays the deals of its round in both seatings. It is won by more half-points (2 for a match won, 1 for a draw). Ties are
//!    broken by points in the game, then by the better seed. The better seed also wins a pairing without any finished block.
//! 5. With `third_place`, the losers of the semifinals meet while the final is played, by the same rules, and this decides places 3 and 4. It
//!    takes 4 bots: with fewer, only one loses a semifinal. Otherwise bots that lose in the same round share a place.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::field::{Field, Meeting, PairScore};
use crate::format::{Format, check_rounds, finished_rounds, same, same_bots};
use crate::key::{Key, Kind};
use crate::placings::{Column, Placings, Remark, Row, decided};

/// The knockout format, for two seats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knockout {
    /// True if the losers of the semifinals play for third place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub third_place: bool,
}

impl Format for Knockout {
    const NAME: &'static str = "knockout";
    const ABOUT: &'static str = "only the winners of a round play the next";
    const KEYS: &'static [Key] = &[Key::new(
        "third_place",
        Kind::Truth,
        "false",
        "let the losers of the semifinals play for third place",
    )
    .flag("third-place", "")];
    const MORE: Option<&'static str> = None;

    fn check(&self, field: Field<'_>) -> Vec<Complaint> {
        check_rounds(self, field)
    }

    /// Returns the number of rounds until a single bot is left.
    fn rounds(&self, field: Field<'_>) -> u32 {
        rounds(field)
    }

    /// Returns the pairings of a round, from the top of the bracket to the bottom. The match for third place comes after the final.
    fn meetings(&self, field: Field<'_>, round: u32, before: &[Block]) -> Vec<Meeting> {
        let mut places = survivors(field, round, before);
        if self.has_third_place(field) && round == self.rounds(field) {
            places.extend(semifinal_losers(field, before).map(Some));
        }
        let meeting = |pairing: &[Option<usize>]| {
            let bots = ascending(pairing[0]?, pairing[1]?);
            Some(Meeting {
                bots: bots.to_vec(),
                deals: field.deals_of(round),
            })
        };
        places.chunks(2).filter_map(meeting).collect()
    }

    fn choices(&self, field: Field<'_>) -> u64 {
        field.bots.len() as u64 / 2
    }

    /// Returns `None`, because the number of tables falls from round to round.
    fn tables(&self, _field: Field<'_>) -> Option<u64> {
        None
    }

    /// Counts one table per bot except the winner, because each loses exactly one pairing, and the match for third place.
    fn count(&self, field: Field<'_>) -> u64 {
        (field.bots.len() as u64).saturating_sub(1) + u64::from(self.has_third_place(field))
    }

    fn extends(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint> {
        same("deals", "the number of deals a round", old.deals, new.deals)?;
        same(
            "third_place",
            "`third_place`",
            was.third_place,
            self.third_place,
        )?;
        same_bots::<Self>(old, new)
    }

    fn placings(&self, field: Field<'_>, done: &[Block]) -> Option<Placings> {
        let of = self.rounds(field);
        let bots = field.bots.len();
        let has_third = self.has_third_place(field);
        // Some bots have a bye in the first round.
        let pairs = |round| match round {
            1 => bots - (1 << of) / 2,
            _ => ((1 << of) >> round) + usize::from(has_third && round == of),
        };
        let finished = finished_rounds(field, of, done, pairs);
        let bracket: Vec<Vec<Option<usize>>> = (1..=finished + 1)
            .map(|round| survivors(field, round, done))
            .collect();
        let through = |bot: usize| {
            let left = bracket.iter().skip(1);
            left.filter(|left| left.contains(&Some(bot))).count()
        };
        let passed: Vec<usize> = (0..field.bots.len())
            .filter(|_| finished > 0)
            .map(through)
            .collect();
        let winner = match bracket.last().map(Vec::as_slice) {
            Some([winner]) => *winner,
            _ => None,
        };
        let losers = (has_third && finished + 1 >= of).then(|| semifinal_losers(field, done));
        let mut rows = by_rounds(&passed);
        let third = losers
            .filter(|_| finished == of)
            .map(|pair| self::winner(&field.pair_scores(of + 1, done), of, pair));
        if let Some(third) = third {
            // The losers share place 3 until this match is played.
            let fourth = rows
                .iter_mut()
                .find(|row| row.place == 3 && row.bot != third);
            fourth.into_iter().for_each(|row| row.place = 4);
            rows.sort_by_key(|row| row.place);
        }
        let remark = |before: &str, bot: Option<usize>| {
            Some(Remark {
                before: before.to_owned(),
                bot: bot?,
                after: String::new(),
            })
        };
        let notes = [remark("winner: ", winner), remark("third place: ", third)];
        Some(Placings {
            format: Self::NAME.to_owned(),
            finished,
            of,
            leader: winner,
            columns: vec![Column::whole("rounds passed")],
            rows,
            bracket,
            third_place: has_third.then(|| losers.map_or([None; 2], |bots| bots.map(Some))),
            notes: notes.into_iter().flatten().collect(),
        })
    }
}

impl Knockout {
    /// Returns `true` if there is a match for third place.
    fn has_third_place(&self, field: Field<'_>) -> bool {
        self.third_place && field.bots.len() >= 4
    }
}

/// Returns the number of rounds until a single bot is left.
fn rounds(field: Field<'_>) -> u32 {
    field.bots.len().next_power_of_two().trailing_zeros()
}

/// Returns the two losers of the semifinals of at least 4 bots, the better seed first.
fn semifinal_losers(field: Field<'_>, before: &[Block]) -> [usize; 2] {
    let last = rounds(field);
    let finalists = survivors(field, last, before);
    let semifinalists = survivors(field, last - 1, before).into_iter();
    let lost: Vec<usize> = semifinalists
        .filter(|bot| !finalists.contains(bot))
        .flatten()
        .collect();
    ascending(lost[0], lost[1])
}

/// Ranks bots by the number of rounds that they survived, most first. Bots eliminated in the same round share a place.
fn by_rounds(passed: &[usize]) -> Vec<Row> {
    let place = |bot: usize| {
        1 + passed
            .iter()
            .filter(|rounds| **rounds > passed[bot])
            .count()
    };
    let row = |bot: usize| Row {
        place: place(bot),
        bot,
        cells: vec![passed[bot] as f64],
    };
    let mut rows: Vec<Row> = (0..passed.len()).map(row).collect();
    rows.sort_by_key(|row| row.place);
    rows
}

/// Returns the bots left before this round, by place in the bracket from top to bottom. Neighbours in this list meet. A place can be empty
/// only in the first round, which gives its neighbour a bye. For the round after the last, the list holds only the winner of the
/// tournament.
pub(crate) fn survivors(field: Field<'_>, round: u32, before: &[Block]) -> Vec<Option<usize>> {
    let scores = field.pair_scores(round, before);
    let bots = field.bots.len();
    let first = bracket(rounds(field))
        .into_iter()
        .map(|seed| (seed < bots).then_some(seed))
        .collect();
    (1..round).fold(first, |places: Vec<_>, played| {
        let through = |pairing: &[Option<usize>]| match *pairing {
            [Some(one), Some(other)] => Some(winner(&scores, played, ascending(one, other))),
            [one, other] => one.or(other),
            _ => pairing[0],
        };
        places.chunks(2).map(through).collect()
    })
}

/// Returns the seeds, counted from 0, by place in the bracket from top to bottom.
fn bracket(rounds: u32) -> Vec<usize> {
    (0..rounds).fold(vec![0], |places, _| {
        let last = places.len() * 2 - 1;
        places
            .into_iter()
            .flat_map(|seed| [seed, last - seed])
            .collect()
    })
}

/// Returns the winner of a pairing.
pub(crate) fn winner(
    scores: &BTreeMap<(u32, [usize; 2]), PairScore>,
    round: u32,
    pair: [usize; 2],
) -> usize {
    let PairScore { halves, points } = scores.get(&(round, pair)).copied().unwrap_or_default();
    pair[decided(halves, points, true).map_or(0, |(side, _)| side)]
}

/// Orders two bots ascending, as in blocks.
fn ascending(one: usize, other: usize) -> [usize; 2] {
    [one.min(other), one.max(other)]
}
