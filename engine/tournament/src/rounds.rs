//! Pairings and results of rounds, for formats that draw their rounds from results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::deals::Block;
use crate::field::Field;
use crate::format::{Format as _, is_present};
use crate::formats::{Choice, with};
use crate::placings::{TieBreak, decided, score};

/// A round, with bots by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The number of the round, counted from 1.
    pub round: u32,
    /// True if all matches of the round are finished.
    pub finished: bool,
    /// The pairs of bots that meet.
    pub pairings: Vec<Pairing>,
    /// The bots without an opponent.
    pub byes: Vec<String>,
}

/// A pair of bots that meet in a round, with their result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pairing {
    /// The names of the bots.
    pub bots: [String; 2],
    /// Scores over finished deals: 1 for a match won, 0.5 for a draw.
    pub score: [f64; 2],
    /// Points in the game over finished deals.
    pub points: [i64; 2],
    /// The winner; null before the end of the round, and for a draw.
    pub winner: Option<String>,
    /// The tie-break between equal scores in a knockout; null if none was needed.
    pub tie_break: Option<TieBreak>,
}

impl Choice {
    /// Returns `true` for formats that draw their rounds from results.
    pub fn draws_rounds(&self) -> bool {
        matches!(
            self,
            Choice::Swiss(_) | Choice::Knockout(_) | Choice::Ladder(_)
        )
    }

    /// Returns the finished rounds and the round after them, if any. Empty for formats without rounds.
    pub fn rounds_drawn(&self, field: Field<'_>, done: &[Block]) -> Vec<Round> {
        let mut drawn = Vec::new();
        if !self.draws_rounds() {
            return drawn;
        }
        let is_knockout = matches!(self, Choice::Knockout(_));
        let of = with!(self, format => format.rounds(field));
        let scores = field.pair_scores(of + 1, done);
        let mut blocks = BTreeMap::<(u32, [usize; 2]), u32>::new();
        for block in done {
            let round = (block.deal - 1) / field.deals + 1;
            *blocks.entry((round, block.pair())).or_default() += 1;
        }
        for round in 1..=of {
            let meetings = with!(self, format => format.meetings(field, round, done));
            let pairs: Vec<[usize; 2]> = meetings
                .iter()
                .filter_map(|meeting| meeting.bots.as_slice().try_into().ok())
                .collect();
            let is_done = |pair: &[usize; 2]| blocks.get(&(round, *pair)) == Some(&field.deals);
            let finished = pairs.iter().all(is_done);
            let name = |bot: usize| field.bots[bot].name.clone();
            let pairing = |pair: &[usize; 2]| {
                let found = scores.get(&(round, *pair)).copied().unwrap_or_default();
                let decided = decided(found.halves, found.points, is_knockout);
                let (side, tie_break) = decided.filter(|_| finished).unzip();
                Pairing {
                    bots: pair.map(name),
                    score: found.halves.map(score),
                    points: found.points,
                    winner: side.map(|side: usize| name(pair[side])),
                    tie_break: tie_break.flatten(),
                }
            };
            let is_bye = |bot: &usize| {
                is_present(&field.bots[*bot], round)
                    && !pairs.iter().flatten().any(|one| one == bot)
            };
            // After the first round of a knockout, a bot without an opponent has been eliminated.
            let bots = 0..if is_knockout && round > 1 {
                0
            } else {
                field.bots.len()
            };
            drawn.push(Round {
                round,
                finished,
                pairings: pairs.iter().map(pairing).collect(),
                byes: bots.filter(is_bye).map(name).collect(),
            });
            if !finished {
                break;
            }
        }
        drawn
    }
}
