//! The input and output of formats: the entrants and the size of the tournament, and the meetings on deals.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use arena_engine::chance::Seed;
use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::entrant::Entrant;
use crate::suggest::{self, quoted};

/// The rule for the number of orders in which a table's bots are seated on each deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seatings {
    /// All orders for two or three seats, and rotations for four.
    #[default]
    Auto,
    /// The rotations of an order drawn for the deal and the bots, one per seat.
    Rotations,
    /// All orders: 2, 6 or 24.
    All,
    /// Only the order of the list of bots, for a single match. Tournament files cannot ask for it, but ledgers store it.
    #[serde(skip_deserializing)]
    Listed,
}

/// All variants of `Seatings`, including those found only in ledgers.
#[derive(Deserialize)]
#[serde(remote = "Seatings", rename_all = "snake_case")]
pub(crate) enum KeptSeatings {
    Auto,
    Rotations,
    All,
    Listed,
}

/// The entrants, and the numbers that formats and the schedule depend on.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Number of seats at a table.
    pub seats: usize,
    /// Number of orders in which a table's bots are seated on each deal.
    pub seatings: Seatings,
    /// Number of deals: the total number, or the number per round for a format that draws its rounds from results.
    pub deals: u32,
    /// The random seed.
    pub seed: Seed,
    /// The entrants, in the order of the file.
    pub bots: &'a [Entrant],
}

/// A group of bots that meet on some deals, in every seating.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meeting {
    /// The bots in ascending order, as indices into the entrants.
    pub bots: Vec<usize>,
    /// The deals, counted from 1.
    pub deals: RangeInclusive<u32>,
}

/// Returns the range of deals covered by these meetings.
pub fn deals(meetings: &[Meeting]) -> RangeInclusive<u32> {
    let first = meetings
        .iter()
        .map(|meeting| *meeting.deals.start())
        .min()
        .unwrap_or(1);
    let last = meetings
        .iter()
        .map(|meeting| *meeting.deals.end())
        .max()
        .unwrap_or(0);
    first..=last
}

/// The scores of two bots against each other in one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairScore {
    /// The half-points of both bots; see [`Block::halves`].
    pub halves: [u64; 2],
    /// The game points of both bots.
    pub points: [i64; 2],
}

impl<'a> Field<'a> {
    /// Returns the number of orders in which a table's bots are seated on each deal.
    pub fn orders(self) -> usize {
        match self.seatings {
            Seatings::Listed => 1,
            _ if self.plays_all_orders() => (1..=self.seats).product(),
            _ => self.seats,
        }
    }

    /// Returns `true` if a table is seated in all orders; `false` if only in the rotations of one order.
    pub fn plays_all_orders(self) -> bool {
        match self.seatings {
            Seatings::Auto => self.seats <= 3,
            Seatings::Rotations | Seatings::Listed => false,
            Seatings::All => true,
        }
    }

    /// Returns the index of the bot with this name. `at` is the path of the key that holds the name.
    ///
    /// # Errors
    /// If there is no such bot.
    pub fn find(self, at: &str, name: &str) -> Result<usize, Complaint> {
        self.bots
            .iter()
            .position(|bot| bot.name == name)
            .ok_or_else(|| {
                let mut known: Vec<&str> = self.bots.iter().map(|bot| bot.name.as_str()).collect();
                known.sort_unstable();
                known.dedup();
                Complaint::new(
                    at,
                    format!("no bot is named {}", quoted(name)),
                    suggest::value(name, &known),
                )
            })
    }

    /// Returns the deals of a round, for a format that draws its rounds from results.
    pub fn deals_of(self, round: u32) -> RangeInclusive<u32> {
        (round - 1) * self.deals + 1..=round * self.deals
    }

    /// Returns the random lot of a bot for a purpose. The lot depends only on the seed and the bot's name, so that it does not change when
    /// other bots join.
    pub fn lot(self, purpose: &str, bot: usize) -> (u64, &'a str) {
        let name = &self.bots[bot].name;
        (self.seed.child(purpose, 0).child(name, 0).into(), name)
    }

    /// Returns all bots, ordered by lot.
    pub fn drawn(self, purpose: &str) -> Vec<usize> {
        let mut bots: Vec<usize> = (0..self.bots.len()).collect();
        bots.sort_by_cached_key(|bot| self.lot(purpose, *bot));
        bots
    }

    /// Returns the scores of all pairs that met in earlier rounds, by round and pair.
    pub fn pair_scores(
        self,
        round: u32,
        before: &[Block],
    ) -> BTreeMap<(u32, [usize; 2]), PairScore> {
        let mut scores = BTreeMap::<_, PairScore>::new();
        for block in self.earlier(round, before) {
            let score = scores
                .entry(((block.deal - 1) / self.deals + 1, block.pair()))
                .or_default();
            for side in [0, 1] {
                score.halves[side] += u64::from(block.halves[side]);
                score.points[side] += block.points[side];
            }
        }
        scores
    }

    /// Returns the blocks played on the deals of earlier rounds.
    pub fn earlier<'b>(
        self,
        round: u32,
        before: &'b [Block],
    ) -> impl Iterator<Item = &'b Block> + use<'b> {
        let last = (round - 1) * self.deals;
        before.iter().filter(move |block| block.deal <= last)
    }
}

/// Returns the number of ways to choose `size` of `count` items, saturating at `u64::MAX`.
pub fn choices(count: usize, size: usize) -> u64 {
    if size > count {
        return 0;
    }
    let size = size.min(count - size) as u128;
    let ways = (0..size).try_fold(1_u128, |ways, taken| {
        Some(ways.checked_mul(count as u128 - taken)? / (taken + 1))
    });
    ways.and_then(|ways| u64::try_from(ways).ok())
        .unwrap_or(u64::MAX)
}

/// Returns all ways to choose `size` items of the list. Chosen items keep their order.
pub fn combinations(list: &[usize], size: usize) -> Vec<Vec<usize>> {
    let mut found: Vec<(usize, Vec<usize>)> = vec![(0, vec![])];
    for _ in 0..size {
        let longer = |(from, chosen): (usize, Vec<usize>)| {
            (from..list.len()).map(move |next| (next + 1, [&chosen[..], &[list[next]]].concat()))
        };
        found = found.into_iter().flat_map(longer).collect();
    }
    found.into_iter().map(|(_, chosen)| chosen).collect()
}
