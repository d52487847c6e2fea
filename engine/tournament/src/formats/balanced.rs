//! Balanced: a fixed number of tables per deal, drawn so that all bots play equally often, and all pairs meet equally often, as far as
//! possible.
//!
//! On each deal every bot sits at `q` or `q + 1` tables, where `q` is the number of seats per bot, rounded down. The extra seats go to the
//! bots that have played least so far, so that after any number of deals, the numbers of tables of any two bots differ by at most one. No
//! deal has the same table twice.
//!
//! Tables are filled one by one from the bots that still need a seat, always taking the bot that has met the bots at the table least. A
//! local search then swaps bots between two tables as long as that lowers the sum of squares of all meeting counts (by convexity, the sum
//! is minimal when all pairs meet equally often). In all fields tested, of 5 to 60 bots, the meeting counts of any two pairs differ by at
//! most 3 after hundreds of deals. No bound is proven.
//!
//! The tables of a deal depend on the deals before it, but not on the total number of deals, so that deals can be added.

use std::cmp::Reverse;

use arena_engine::chance::Chance;
use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::field::{Field, Meeting, choices, combinations};
use crate::format::{Format, Options, check_positive, not_fewer, same, same_bots};
use crate::key::{Key, Kind, MAX_COUNT};

/// Maximum number of passes over the swaps of a deal. It bounds the time per deal.
const MAX_PASSES: usize = 8;

/// Maximum total number of tables on all deals. All tables are listed before the first match is played.
const MAX_TABLES: u64 = 10_000_000;

/// The balanced format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Balanced {
    /// Number of tables per deal.
    pub tables: u32,
}

impl Format for Balanced {
    const NAME: &'static str = "balanced";
    const ABOUT: &'static str = "all sit and meet about equally often";
    const KEYS: &'static [Key] = &[Key::new(
        "tables",
        Kind::Whole(1..=MAX_COUNT),
        "enough to seat each bot once",
        "tables per deal",
    )
    .flag("tables", "N")];
    /// Three, because with two seats, round-robin and gauntlet already seat all bots equally often.
    const MIN_SEATS: usize = 3;

    fn fill(options: &mut Options, field: Field<'_>) {
        options
            .entry("tables")
            .or_insert_with(|| field.bots.len().div_ceil(field.seats.max(1)).max(1).into());
    }

    fn check(&self, field: Field<'_>) -> Vec<Complaint> {
        let bots = field.bots.len();
        let seats = field.seats;
        let tables = self.tables;
        let deals = field.deals;
        let most = choices(bots, seats);
        let mut wrong: Vec<Complaint> = check_positive("tables", tables).into_iter().collect();
        if bots >= seats && u64::from(tables) > most {
            let what = format!(
                "{bots} bots at {seats} seats make only {most} different tables, not {tables}"
            );
            wrong.push(Complaint::new(
                "tables",
                what,
                format!("write at most {most}"),
            ));
        } else if u64::from(tables) * u64::from(deals) > MAX_TABLES {
            let what = format!(
                "{tables} tables on each of {deals} deals exceed the maximum of {MAX_TABLES}"
            );
            wrong.push(Complaint::new(
                "deals",
                what,
                "write fewer deals, or fewer tables",
            ));
        }
        wrong
    }

    /// Returns the tables of all deals, each as a meeting on one deal. Only the meeting counts are carried from deal to deal.
    fn meetings(&self, field: Field<'_>, _round: u32, _before: &[Block]) -> Vec<Meeting> {
        let mut design = Design::new(field.bots.len());
        let on = |deal: u32| {
            let drawn = design.draw(
                self.tables as usize,
                field.seats,
                field.seed.stream("balanced", deal.into()),
            );
            drawn.into_iter().map(move |bots| Meeting {
                bots,
                deals: deal..=deal,
            })
        };
        (1..=field.deals).flat_map(on).collect()
    }

    fn choices(&self, _field: Field<'_>) -> u64 {
        self.tables.into()
    }

    fn extends(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint> {
        same(
            "tables",
            "the number of tables a deal",
            was.tables,
            self.tables,
        )?;
        not_fewer("deals", old.deals, new.deals)?;
        same_bots::<Self>(old, new)
    }
}

/// The number of times that each bot has played, and that each pair has met, on the deals so far.
struct Design {
    sat: Vec<u64>,
    met: Vec<Vec<u32>>,
}

impl Design {
    fn new(bots: usize) -> Self {
        Self {
            sat: vec![0; bots],
            met: vec![vec![0; bots]; bots],
        }
    }

    /// Draws the tables of the next deal, each with its bots in ascending order.
    fn draw(&mut self, tables: usize, seats: usize, mut chance: Chance) -> Vec<Vec<usize>> {
        let quotas = self.quotas(tables * seats, &mut chance);
        let mut drawn: Vec<Vec<usize>> = Vec::with_capacity(tables);
        let mut left = quotas.clone();
        for _ in 0..tables {
            let mut table = self.seat(seats, &left, &mut chance);
            table.sort_unstable();
            if drawn.contains(&table) {
                table = unlike(&drawn, self.sat.len(), seats);
            }
            table
                .iter()
                .for_each(|bot| left[*bot] = left[*bot].saturating_sub(1));
            self.meet(&table, 1);
            drawn.push(table);
        }
        self.even_out(&mut drawn, &quotas);
        for _ in 0..MAX_PASSES {
            if !self.better(&mut drawn) {
                break;
            }
        }
        drawn.iter().flatten().for_each(|bot| self.sat[*bot] += 1);
        drawn
    }

    /// Returns each bot's number of seats on the next deal. The remaining seats go to the bots that have played least; among those, to bots
    /// that have met the bots already chosen least.
    fn quotas(&self, places: usize, chance: &mut Chance) -> Vec<usize> {
        let bots = self.sat.len();
        let mut order: Vec<usize> = (0..bots).collect();
        chance.shuffle(&mut order);
        let mut quotas = vec![places / bots; bots];
        let mut chosen = Vec::with_capacity(places % bots);
        while chosen.len() < places % bots {
            let next = (0..order.len())
                .min_by_key(|at| (self.sat[order[*at]], self.cost(order[*at], &chosen)));
            chosen.push(order.swap_remove(next.expect("fewer are chosen than there are")));
        }
        chosen.iter().for_each(|bot| quotas[*bot] += 1);
        quotas
    }

    /// Fills a table with the bots that have the most seats left. Among equals, takes those that have met the table least.
    fn seat(&self, seats: usize, left: &[usize], chance: &mut Chance) -> Vec<usize> {
        let mut order: Vec<usize> = (0..left.len()).collect();
        chance.shuffle(&mut order);
        let mut table = Vec::with_capacity(seats);
        while table.len() < seats {
            let free = order.iter().filter(|bot| !table.contains(*bot));
            let next = free.min_by_key(|bot| (Reverse(left[**bot]), self.cost(**bot, &table)));
            table.push(*next.expect("there are at least as many bots as seats"));
        }
        table
    }

    /// Moves seats from bots above their quota to bots below it.
    ///
    /// If bot A is above its quota, some bot B is below its own. Quotas differ by at most 1, so A has more seats than B, and more tables
    /// hold A without B than B without A. At one of those tables, B can replace A without duplicating an existing table.
    fn even_out(&mut self, drawn: &mut [Vec<usize>], quotas: &[usize]) {
        loop {
            let mut sits = vec![0; quotas.len()];
            drawn.iter().flatten().for_each(|bot| sits[*bot] += 1);
            let Some(often) = (0..quotas.len()).find(|bot| sits[*bot] > quotas[*bot]) else {
                return;
            };
            let seldom = (0..quotas.len())
                .find(|bot| sits[*bot] < quotas[*bot])
                .expect("there are as many places as quotas");
            let fits = |table: &Vec<usize>| {
                let new = replaced(table, often, seldom)?;
                (!drawn.contains(&new)).then_some(new)
            };
            let (at, new) = (0..drawn.len())
                .find_map(|at| Some((at, fits(&drawn[at])?)))
                .expect("some table has room");
            self.change(&mut drawn[at], new);
        }
    }

    /// Tries all swaps of two bots between two tables, and makes those that even out the meeting counts. Returns `true` if any swap was
    /// made.
    fn better(&mut self, drawn: &mut [Vec<usize>]) -> bool {
        let mut found = false;
        for one in 0..drawn.len() {
            for other in one + 1..drawn.len() {
                found |= self.better_two(drawn, one, other);
            }
        }
        found
    }

    fn better_two(&mut self, drawn: &mut [Vec<usize>], one: usize, other: usize) -> bool {
        let swaps = drawn[one]
            .iter()
            .flat_map(|give| drawn[other].iter().map(move |take| (*give, *take)));
        let gaining = |(give, take): (usize, usize)| {
            if !self.gains(&drawn[one], &drawn[other], give, take) {
                return None;
            }
            let first = replaced(&drawn[one], give, take)?;
            let second = replaced(&drawn[other], take, give)?;
            (!drawn.contains(&first) && !drawn.contains(&second)).then_some((first, second))
        };
        let Some((first, second)) = swaps.into_iter().find_map(gaining) else {
            return false;
        };
        self.change(&mut drawn[one], first);
        self.change(&mut drawn[other], second);
        true
    }

    /// Returns `true` if the sum of squares of the meeting counts falls when `give` of the one table and `take` of the other are swapped.
    ///
    /// If a count `a` falls by 1 and a count `b` rises by 1, the sum of squares changes by 2(b − a + 1).
    fn gains(&self, one: &[usize], other: &[usize], give: usize, take: usize) -> bool {
        let rest = |table: &[usize], of: usize, without: usize| -> i64 {
            table
                .iter()
                .filter(|bot| **bot != without)
                .map(|bot| i64::from(self.met[of][*bot]))
                .sum()
        };
        let before = rest(one, give, give) + rest(other, take, take);
        let after = rest(one, take, give) + rest(other, give, take);
        let pairs = 2 * (one.len() as i64 - 1);
        after + pairs < before
    }

    fn change(&mut self, table: &mut Vec<usize>, new: Vec<usize>) {
        self.meet(table, -1);
        self.meet(&new, 1);
        *table = new;
    }

    /// Adds `times` to the meeting counts of all pairs at a table.
    fn meet(&mut self, table: &[usize], times: i32) {
        for one in table {
            for other in table.iter().filter(|other| *other != one) {
                self.met[*one][*other] = self.met[*one][*other].wrapping_add_signed(times);
            }
        }
    }

    /// Returns a bot's contribution to the sum of squares of the meeting counts at this table, up to a constant.
    fn cost(&self, bot: usize, table: &[usize]) -> u64 {
        table
            .iter()
            .map(|other| u64::from(self.met[bot][*other]))
            .sum()
    }
}

/// Returns the table with the bot `out` replaced by `into`. `None` if `out` is not at the table, or `into` already is.
fn replaced(table: &[usize], out: usize, into: usize) -> Option<Vec<usize>> {
    if !table.contains(&out) || table.contains(&into) {
        return None;
    }
    let mut new: Vec<usize> = table
        .iter()
        .map(|bot| if *bot == out { into } else { *bot })
        .collect();
    new.sort_unstable();
    Some(new)
}

/// Returns a table that has not been drawn yet.
fn unlike(drawn: &[Vec<usize>], bots: usize, seats: usize) -> Vec<usize> {
    let everyone: Vec<usize> = (0..bots).collect();
    let new = combinations(&everyone, seats)
        .into_iter()
        .find(|table| !drawn.contains(table));
    new.expect("a deal has no more tables than there are combinations")
}
