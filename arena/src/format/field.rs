//! What a format draws from, and what it draws: the field, the blocks that are finished, and who meets on which deals.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use arena_engine::chance::Seed;
use arena_results::tournament::Tournament;
use serde_json::{Value, json};

use super::{Format, Seatings};

/// Everything that decides which matches a tournament consists of, but for the results of its rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Who meets whom.
    pub format: Format,
    /// In how many orders a table is seated on each deal.
    pub seatings: Seatings,
    /// How many seats a table has.
    pub seats: usize,
    /// How many deals: in all for a static format, of each round for one that draws its rounds from results.
    pub deals: u32,
    /// All chance of the tournament.
    pub seed: Seed,
    /// Who takes part, in the order of the file.
    pub entrants: Vec<Entrant>,
}

/// One that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name in this tournament; no other has the same.
    pub name: String,
    /// The first round, counted from 1, in which it can be drawn; only the ladder heeds it.
    pub joined: u32,
    /// The last round in which it can be drawn, if it has left; only the ladder heeds it.
    pub left: Option<u32>,
}

impl Entrant {
    /// Whether it can be drawn in a round of the ladder.
    pub fn is_there(&self, round: u32) -> bool {
        self.joined <= round && self.left.is_none_or(|left| round <= left)
    }
}

/// Some bots that meet on some deals, in every seating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The bots, ascending, as indices into the field's entrants.
    pub bots: Vec<usize>,
    /// The deals, counted from 1.
    pub deals: RangeInclusive<u32>,
}

/// A deal that two bots have finished in both seatings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The deal, counted from 1.
    pub deal: u32,
    /// The two bots, ascending, as indices into the field's entrants.
    pub bots: [usize; 2],
    /// For each of the two: 2 for every match that it won and 1 for every draw.
    pub halves: [u32; 2],
    /// The game's points of each of the two, over both matches.
    pub points: [i64; 2],
}

/// How many half-points two bots share in one block: 2 matches of 2.
pub const HALVES: u64 = 4;

/// What two bots made of each other in one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Their half-points.
    pub halves: [u64; 2],
    /// Their points in the game.
    pub points: [i64; 2],
}

impl Field {
    /// The field of a tournament as its ledger has it.
    ///
    /// # Errors
    /// If this program does not have its format.
    pub fn of(tournament: &Tournament) -> serde_json::Result<Self> {
        let Tournament { format, options, rounds, seats, seatings, deals, seed, bots, .. } = tournament;
        // Formats without options of their own may be told other things than those.
        let told = match (format.as_str(), options) {
            ("round-robin" | "knockout", _) => Value::String(format.clone()),
            (_, options) => {
                let mut options = options.as_object().cloned().unwrap_or_default();
                options.insert("rounds".into(), (*rounds).into());
                json!({ format: options })
            }
        };
        let all: usize = (1..=*seats).product();
        Ok(Self {
            format: serde_json::from_value(told)?,
            seatings: if *seatings == all as u64 { Seatings::All } else { Seatings::Rotations },
            seats: *seats,
            deals: *deals,
            seed: *seed,
            entrants: bots
                .iter()
                .map(|bot| Entrant { name: bot.name.clone(), joined: bot.joined, left: bot.left })
                .collect(),
        })
    }

    /// In how many orders a table is seated on each deal.
    pub fn orders(&self) -> usize {
        if self.plays_all_orders() { (1..=self.seats).product() } else { self.seats }
    }

    /// Whether a table is seated in all orders, and not only in the rotations of one.
    pub fn plays_all_orders(&self) -> bool {
        match self.seatings {
            Seatings::Auto => self.seats <= 3,
            Seatings::Rotations => false,
            Seatings::All => true,
        }
    }

    /// The deals of a round of a format that draws its rounds from results.
    pub fn deals_of(&self, round: u32) -> RangeInclusive<u32> {
        (round - 1) * self.deals + 1..=round * self.deals
    }

    /// The lot that a bot has drawn for some purpose. It depends on the seed and on the bot's name only, so that it
    /// stays what it is when other bots come.
    pub fn lot(&self, purpose: &str, bot: usize) -> (u64, &str) {
        let name = &self.entrants[bot].name;
        (self.seed.child(purpose, 0).child(name, 0).into(), name)
    }

    /// All bots in the order of their lots.
    pub fn drawn(&self, purpose: &str) -> Vec<usize> {
        let mut bots: Vec<usize> = (0..self.entrants.len()).collect();
        bots.sort_by_cached_key(|bot| self.lot(purpose, *bot));
        bots
    }

    /// What any two made of each other in each round before this one.
    pub fn tallies(&self, round: u32, before: &[Block]) -> BTreeMap<(u32, [usize; 2]), Tally> {
        let mut tallies = BTreeMap::<_, Tally>::new();
        for block in self.earlier(round, before) {
            let tally = tallies.entry(((block.deal - 1) / self.deals + 1, block.bots)).or_default();
            for side in [0, 1] {
                tally.halves[side] += u64::from(block.halves[side]);
                tally.points[side] += block.points[side];
            }
        }
        tallies
    }

    /// The blocks on the deals of rounds before this one.
    pub fn earlier<'a>(&self, round: u32, before: &'a [Block]) -> impl Iterator<Item = &'a Block> + use<'a> {
        let last = (round - 1) * self.deals;
        before.iter().filter(move |block| block.deal <= last)
    }
}

/// In how many ways `size` of `count` can be chosen; `u64::MAX` if there are more.
pub fn choices(count: usize, size: usize) -> u64 {
    if size > count {
        return 0;
    }
    let size = size.min(count - size) as u128;
    let ways = (0..size).try_fold(1_u128, |ways, taken| Some(ways.checked_mul(count as u128 - taken)? / (taken + 1)));
    ways.and_then(|ways| u64::try_from(ways).ok()).unwrap_or(u64::MAX)
}

/// All ways of choosing `size` of the list, in the order of the list.
pub fn combinations(list: &[usize], size: usize) -> Vec<Vec<usize>> {
    let mut found: Vec<(usize, Vec<usize>)> = vec![(0, vec![])];
    for _ in 0..size {
        found = found
            .into_iter()
            .flat_map(|(from, chosen)| (from..list.len()).map(move |next| (next + 1, with(&chosen, list[next]))))
            .collect();
    }
    found.into_iter().map(|(_, chosen)| chosen).collect()
}

fn with(chosen: &[usize], next: usize) -> Vec<usize> {
    [chosen, &[next]].concat()
}
