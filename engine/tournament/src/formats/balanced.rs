//! Balanced: a fixed number of tables per deal, drawn so that all bots sit and meet as equally often as possible.
//!
//! On each deal every bot sits at `q` or `q + 1` tables, where `q` is how many seats there are for each bot, rounded
//! down. Those that sit once more are those that have sat least so far, so that after any number of deals any two
//! bots have sat equally often, or one once more than the other. No deal has the same table twice.
//!
//! Who sits with whom is drawn table by table from those that still have to sit, always taking the one that has met
//! the table least, and then bettered by letting two tables swap two bots as long as that makes the squares of all
//! the numbers of meetings add up to less (a local search; that the squares are least when all pairs meet equally
//! often is plain convexity). In all fields that are tried in the tests, of 5 to 60 bots, the numbers of meetings of
//! any two pairs differ by 3 at most after hundreds of deals. No bound is proven.
//!
//! The tables of a deal depend on the deals before and not on how many deals there are, so that more deals can be
//! added.

use std::cmp::Reverse;

use arena_engine::chance::Chance;
use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::field::{Field, Meeting, choices, combinations};
use crate::format::{Format, Options, check_positive, not_fewer, same, same_bots};
use crate::key::{Key, Kind, MANY};

/// The number of times that the swaps of a deal are gone through at most, which bounds the time for a deal.
const PASSES: usize = 8;

/// The most tables on all deals together, since all of them are listed before the first is played.
const MOST: u64 = 10_000_000;

/// A fixed number of tables per deal, drawn so that all bots sit and meet as equally often as possible.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Balanced {
    /// Tables a deal.
    pub tables: u32,
}

impl Format for Balanced {
    const NAME: &'static str = "balanced";
    const ABOUT: &'static str = "all sit and meet about equally often";
    const KEYS: &'static [Key] = &[Key::new(
        "tables",
        Kind::Whole(1..=MANY),
        "enough to seat each bot once",
        "tables per deal",
    )
    .flag("tables", "N")];
    /// With two, round-robin and gauntlet seat everybody equally often.
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
        } else if u64::from(tables) * u64::from(deals) > MOST {
            let what =
                format!("{tables} tables on each of {deals} deals exceed the maximum of {MOST}");
            wrong.push(Complaint::new(
                "deals",
                what,
                "write fewer deals, or fewer tables",
            ));
        }
        wrong
    }

    /// The tables of all deals, as meetings of one deal each. Only the numbers of meetings of all pairs are carried from deal to
    /// deal.
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

/// Counts of how often everyone has sat and met everyone on the deals so far.
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

    /// The tables of the next deal, each ascending.
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
        for _ in 0..PASSES {
            if !self.better(&mut drawn) {
                break;
            }
        }
        drawn.iter().flatten().for_each(|bot| self.sat[*bot] += 1);
        drawn
    }

    /// The number of seats of everyone on the next deal: equally often, and if it does not come out even, those that sat
    /// least once more; of those that sat as often, the ones that have met the ones chosen before least.
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

    /// A table of those that have to sit most often still, and of these the ones that have met the table least.
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

    /// Lets bots that sit more often than they should give places to those that sit less often.
    ///
    /// As long as some bot sits too often, another sits too seldom, and since quotas differ by 1 at most, the first
    /// sits more often. So more tables have the first without the second than the other way round, and at one of them
    /// the second can take the first one's place without making a table that is there already.
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

    /// Goes through all swaps of two bots between two tables, and does those that even out who meets whom. True if
    /// there were any.
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

    /// True if the squares of the numbers of meetings add up to less when `give`, of the one table, and `take`, of
    /// the other, swap.
    ///
    /// Of two numbers, `a` that falls by 1 and `b` that rises by 1, the squares change by 2(b − a + 1).
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

    /// Counts a table among the meetings, or takes it back.
    fn meet(&mut self, table: &[usize], times: i32) {
        for one in table {
            for other in table.iter().filter(|other| *other != one) {
                self.met[*one][*other] = self.met[*one][*other].wrapping_add_signed(times);
            }
        }
    }

    /// By how much a bot at this table adds to the squares of the numbers of meetings, but for what is the same for
    /// all bots.
    fn cost(&self, bot: usize, table: &[usize]) -> u64 {
        table
            .iter()
            .map(|other| u64::from(self.met[bot][*other]))
            .sum()
    }
}

/// The table with one bot in place of another; none if that does not sit there, or the one does already.
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

/// Some table that has not been drawn.
fn unlike(drawn: &[Vec<usize>], bots: usize, seats: usize) -> Vec<usize> {
    let everyone: Vec<usize> = (0..bots).collect();
    let new = combinations(&everyone, seats)
        .into_iter()
        .find(|table| !drawn.contains(table));
    new.expect("a deal has no more tables than there are combinations")
}
