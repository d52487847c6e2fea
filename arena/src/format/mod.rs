//! Which matches a tournament consists of: one file for each format, all pure functions of the setup.

mod round_robin;

use crate::setup::Setup;

/// The names of the formats; the first is the default.
pub const NAMES: &[&str] = &["round-robin"];

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

/// All matches in the order of the schedule.
pub fn schedule(setup: &Setup) -> impl Iterator<Item = Planned> + Clone + Send {
    let tables = move |deal| round_robin::tables(setup.bots.len(), setup.seats, setup.seed, deal);
    let of_deal = move |deal| tables(deal).into_iter().map(move |seats| (deal, seats));
    let all = (1..=setup.deals).flat_map(of_deal);
    all.enumerate().map(|(number, (deal, seats))| Planned { number: number as u64, deal, seats })
}

/// How many matches there are.
pub fn count(setup: &Setup) -> u64 {
    round_robin::tables(setup.bots.len(), setup.seats, setup.seed, 1).len() as u64 * u64::from(setup.deals)
}
