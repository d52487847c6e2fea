//! The schedule of a setup that knows only round-robin, until the runner plays the stages of a field.

use arena_engine::chance::Seed;

use crate::setup::Setup;

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
/// plays a deal twice. The tables of a deal are therefore kept apart: the first table of all deals of a heat is
/// played, then the second of all, so that a process has to be started anew only when a heat goes on to its next
/// table.
fn heat(setup: &Setup) -> u32 {
    (setup.deals / 10).max(100)
}

/// All matches in the order of the schedule.
pub fn schedule(setup: &Setup) -> impl Iterator<Item = Planned> + Clone + Send {
    let heat = heat(setup);
    let heats = (1..=setup.deals).step_by(heat as usize);
    let all = heats.flat_map(move |first| {
        let last = setup.deals.min(first + (heat - 1));
        let tables: Vec<_> = (first..=last).map(|deal| tables_of(setup, deal)).collect();
        let count = tables.first().map_or(0, Vec::len);
        (0..count).flat_map(move |table| {
            let of_deals = tables.iter().map(|tables| tables[table].clone());
            (first..=last).zip(of_deals).collect::<Vec<_>>()
        })
    });
    all.enumerate().map(|(number, (deal, seats))| Planned { number: number as u64, deal, seats })
}

/// The tables of one deal.
fn tables_of(setup: &Setup, deal: u32) -> Vec<Vec<usize>> {
    tables(setup.bots.len(), setup.seats, setup.seed, deal)
}

/// How many matches there are.
pub fn count(setup: &Setup) -> u64 {
    tables_of(setup, 1).len() as u64 * u64::from(setup.deals)
}

/// The tables of one deal, as bots by seat. Two and three seats are played in all orders, which makes 2 and 6 matches
/// of each combination; four in the 4 rotations of an order drawn for the deal.
fn tables(bots: usize, seats: usize, seed: Seed, deal: u32) -> Vec<Vec<usize>> {
    let mut tables = Vec::new();
    for (index, combination) in combinations(bots, seats).into_iter().enumerate() {
        if seats <= 3 {
            tables.extend(permutations(&combination));
        } else {
            let mut order = combination;
            seed.child("seating", deal.into()).stream("combination", index as u64).shuffle(&mut order);
            tables.extend((0..seats).map(|turn| {
                let mut rotated = order.clone();
                rotated.rotate_left(turn);
                rotated
            }));
        }
    }
    tables
}

/// All ways of choosing `size` of `0..count`, each ascending, in lexicographic order.
fn combinations(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = vec![vec![]];
    for _ in 0..size {
        found = found
            .into_iter()
            .flat_map(|chosen: Vec<usize>| {
                let from = chosen.last().map_or(0, |last| last + 1);
                (from..count).map(move |next| [chosen.as_slice(), &[next]].concat())
            })
            .collect();
    }
    found
}

/// All orders of the list.
fn permutations(list: &[usize]) -> Vec<Vec<usize>> {
    if list.is_empty() {
        return vec![vec![]];
    }
    let starting_with = |at: usize| {
        let rest = [&list[..at], &list[at + 1..]].concat();
        permutations(&rest).into_iter().map(move |tail| [&[list[at]], tail.as_slice()].concat())
    };
    (0..list.len()).flat_map(starting_with).collect()
}
