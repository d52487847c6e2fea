//! Which matches a tournament consists of: one file for each format, all pure functions of the setup.

mod round_robin;

use serde::{Deserialize, Serialize};

use crate::setup::Setup;

/// The names of the formats; the first is the default.
pub const NAMES: &[&str] = &["round-robin", "gauntlet", "balanced", "swiss", "knockout", "ladder"];

/// Who meets whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every combination of bots that fits the table.
    #[default]
    RoundRobin,
    /// Every combination with exactly one of the challengers.
    Gauntlet {
        /// The challengers, as indices into the list of bots.
        challengers: Vec<usize>,
    },
    /// So many tables a deal, drawn so that everyone sits and meets as equally often as can be.
    Balanced {
        /// Tables a deal.
        tables: u32,
    },
    /// Rounds in which bots of about equal score meet; two seats.
    Swiss {
        /// How many rounds.
        rounds: u32,
    },
    /// Rounds that only the winners of pairings survive; two seats.
    Knockout,
    /// Rounds that go to the pairs that are least resolved; two seats.
    Ladder {
        /// How many rounds.
        rounds: u32,
        /// How many pairs play in each.
        pairs: u32,
    },
}

/// In how many orders the bots of a table are seated on each deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seatings {
    /// All orders for two and three seats, rotations for four.
    #[default]
    Auto,
    /// The rotations of an order drawn for the deal and the bots: as many as seats.
    Rotations,
    /// All orders: 2, 6 or 24.
    All,
}

/// One match to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Its place in the schedule, counted from 0.
    pub number: u64,
    /// The deal, counted from 1.
    pub deal: u32,
    /// The bots by seat, as indices into the setup's list.
    pub seats: Vec<usize>,
}

impl Planned {
    /// What identifies the match in its tournament: deal and bots in their seats.
    pub fn id(&self, setup: &Setup) -> String {
        format!("d{}/{}", self.deal, setup.names(&self.seats).join("/"))
    }
}

/// How many deals are played side by side: a hundred, or a tenth of all if that is more.
///
/// What a program has seen of a deal would help it when it meets the deal again in another seat, so a process never
/// plays a deal twice. The tables of a deal are therefore kept apart: the first table of all deals of a heat is played, then
/// the second of all, so that a process has to be started anew only when a heat goes on to its next table.
fn heat(setup: &Setup) -> u32 {
    (setup.deals / 10).max(100)
}

/// All matches in the order of the schedule.
pub fn schedule(setup: &Setup) -> impl Iterator<Item = Planned> + Clone + Send {
    let heat = heat(setup);
    let heats = (1..=setup.deals).step_by(heat as usize);
    let all = heats.flat_map(move |first| {
        let last = setup.deals.min(first + (heat - 1));
        let tables: Vec<_> = (first..=last).map(|deal| tables(setup, deal)).collect();
        let count = tables.first().map_or(0, Vec::len);
        (0..count).flat_map(move |table| {
            let of_deals = tables.iter().map(|tables| tables[table].clone());
            (first..=last).zip(of_deals).collect::<Vec<_>>()
        })
    });
    all.enumerate().map(|(number, (deal, seats))| Planned { number: number as u64, deal, seats })
}

/// The tables of one deal.
fn tables(setup: &Setup, deal: u32) -> Vec<Vec<usize>> {
    round_robin::tables(setup.bots.len(), setup.seats, setup.seed, deal)
}

/// How many matches there are.
pub fn count(setup: &Setup) -> u64 {
    tables(setup, 1).len() as u64 * u64::from(setup.deals)
}
