//! The order in which the matches of a stage are played.
//!
//! What a program has seen of a deal would help it when it meets the deal again in another seat, so a process never
//! plays a deal twice: it is started anew when it would. Consecutive deals therefore make a *heat*, and a heat is
//! played in *steps*: each step plays one table of every deal of the heat, so that a process has to be started anew
//! between steps at most. In step `t`, the deal that is number `d` of its heat plays its table `(t + d) mod T`, where
//! `T` counts the deal's tables, so that every bot has about the same number of matches at any time. Heats grow, so
//! that the first blocks are finished soon, and how long they are does not depend on how many deals there are: the
//! schedule of a longer tournament, without the deals that a shorter one has not, is the schedule of the shorter one.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arena_results::played;

use super::field::{Field, Meeting};

/// How many deals the first heat has; each further one has twice as many as the one before.
const FIRST_HEAT: u32 = 8;

/// How many deals a heat has at most, which bounds what the schedule keeps in memory.
pub(super) const LONGEST_HEAT: u32 = 1_024;

/// The same while a test waits for finished deals, which come at the end of a heat.
const SHORT_HEAT: u32 = 32;

/// One match to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The deal, counted from 1.
    pub deal: u32,
    /// The bots by seat, as indices into the field's entrants.
    pub seats: Vec<usize>,
}

impl Planned {
    /// What identifies the match in its tournament: deal and bots in their seats, from the names of all bots.
    pub fn id<Name: AsRef<str>>(&self, names: &[Name]) -> String {
        let seated: Vec<&str> = self.seats.iter().map(|bot| names[*bot].as_ref()).collect();
        played::id(self.deal, &seated)
    }
}

/// All matches of the meetings of a stage, in the order in which they are played. Only one heat is held in memory, as
/// numbers of meetings; whoever sits at a table is worked out when its turn comes.
pub fn schedule<'a>(
    field: &'a Field,
    meetings: &'a [Meeting],
) -> impl Iterator<Item = Planned> + Clone + Send + use<'a> {
    in_heats(field, meetings, LONGEST_HEAT)
}

/// The same in short heats, so that deals are finished soon one after the other.
pub fn deal_by_deal<'a>(
    field: &'a Field,
    meetings: &'a [Meeting],
) -> impl Iterator<Item = Planned> + Clone + Send + use<'a> {
    in_heats(field, meetings, SHORT_HEAT)
}

fn in_heats<'a>(
    field: &'a Field,
    meetings: &'a [Meeting],
    longest: u32,
) -> impl Iterator<Item = Planned> + Clone + Send + use<'a> {
    let first = meetings.iter().map(|meeting| *meeting.deals.start()).min().unwrap_or(1);
    let last = meetings.iter().map(|meeting| *meeting.deals.end()).max().unwrap_or(0);
    heats(first, last, longest)
        .scan(Sweep::new(meetings), |sweep, heat| Some(heat.map(|deal| (deal, sweep.at(deal))).collect()))
        .flat_map(move |heat| steps(field, meetings, heat))
}

/// The heats of the deals from `first` to `last`, each of so many at most.
pub fn heats(first: u32, last: u32, longest: u32) -> impl Iterator<Item = RangeInclusive<u32>> + Clone + Send {
    let beginning = move |from: u32, length: u32| {
        let end = from.saturating_add(length - 1).min(last);
        (from <= last).then_some((from..=end, length))
    };
    let all = std::iter::successors(beginning(first, FIRST_HEAT), move |(heat, length)| {
        beginning(heat.end().checked_add(1)?, (length * 2).min(longest))
    });
    all.map(|(heat, _)| heat)
}

/// The deals of a heat, each with the numbers of those meetings that take place on it.
type Heat = Arc<[(u32, Arc<[usize]>)]>;

/// The matches of one heat, step by step.
fn steps<'a>(
    field: &'a Field,
    meetings: &'a [Meeting],
    heat: Heat,
) -> impl Iterator<Item = Planned> + Clone + Send + use<'a> {
    let orders = field.orders();
    let most = heat.iter().map(|(_, numbers)| numbers.len() * orders).max().unwrap_or(0);
    (0..most).flat_map(move |step| {
        let heat = Arc::clone(&heat);
        (0..heat.len()).filter_map(move |place| {
            let (deal, numbers) = &heat[place];
            let tables = numbers.len() * orders;
            let table = (step < tables).then(|| (step + place) % tables)?;
            let (meeting, turn) = spread(table, numbers.len());
            let bots = &meetings[numbers[meeting]].bots;
            Some(Planned { deal: *deal, seats: seated(field, *deal, bots, turn) })
        })
    })
}

/// Which of the meetings of a deal, and which of its seatings, a table is.
///
/// Meetings that are listed one after the other often have bots in common. So tables are counted in strides of about
/// the golden section of all (as in Knuth 1973, "The Art of Computer Programming", volume 3, 6.4: multiples of it
/// fill a circle evenly), such that any few in a row have all bots about equally often.
fn spread(table: usize, meetings: usize) -> (usize, usize) {
    let listed = (table % meetings * stride(meetings)) % meetings;
    (listed, table / meetings)
}

/// The least number from the golden section of the count on that has no divisor in common with it.
fn stride(count: usize) -> usize {
    let golden = count * 618 / 1_000;
    (golden.max(1)..).find(|stride| greatest_divisor(*stride, count) == 1).expect("the count plus 1 is one")
}

fn greatest_divisor(one: usize, other: usize) -> usize {
    if other == 0 { one } else { greatest_divisor(other, one % other) }
}

/// Which meetings take place on a deal, asked for one deal after the other.
#[derive(Clone)]
struct Sweep<'a> {
    meetings: &'a [Meeting],
    /// The numbers of all meetings by their first deals.
    by_start: Arc<[usize]>,
    /// How many of those have begun.
    begun: usize,
    /// Those that have begun and not ended, ascending.
    here: Arc<[usize]>,
    /// The first deal on which one of them does not take place any more.
    ends: Option<u32>,
}

impl<'a> Sweep<'a> {
    fn new(meetings: &'a [Meeting]) -> Self {
        let mut by_start: Vec<usize> = (0..meetings.len()).collect();
        by_start.sort_by_key(|number| *meetings[*number].deals.start());
        Self { meetings, by_start: by_start.into(), begun: 0, here: Arc::default(), ends: None }
    }

    /// The meetings on this deal, which is later than those asked for before.
    fn at(&mut self, deal: u32) -> Arc<[usize]> {
        let has_begun = |number: &&usize| *self.meetings[**number].deals.start() <= deal;
        let beginning = self.by_start[self.begun..].iter().take_while(has_begun).count();
        if beginning > 0 || self.ends.is_some_and(|ends| ends <= deal) {
            let new = &self.by_start[self.begun..self.begun + beginning];
            let both = self.here.iter().chain(new).copied();
            let mut here: Vec<usize> = both.filter(|number| self.meetings[*number].deals.contains(&deal)).collect();
            here.sort_unstable();
            self.ends = here.iter().filter_map(|number| self.meetings[*number].deals.end().checked_add(1)).min();
            self.here = here.into();
            self.begun += beginning;
        }
        Arc::clone(&self.here)
    }
}

/// The bots of a meeting by seat: their order number `turn`, of all orders or of the rotations of one.
fn seated(field: &Field, deal: u32, bots: &[usize], turn: usize) -> Vec<usize> {
    if field.plays_all_orders() {
        return nth_order(bots, turn);
    }
    let mut order = drawn_order(field, deal, bots);
    order.rotate_left(turn);
    order
}

/// An order of the bots that depends on the seed, the deal and their names, and on nothing else in the field.
fn drawn_order(field: &Field, deal: u32, bots: &[usize]) -> Vec<usize> {
    let name = |bot: &usize| field.entrants[*bot].name.as_str();
    let mut order = bots.to_vec();
    order.sort_unstable_by_key(name);
    let names: Vec<&str> = order.iter().map(name).collect();
    field.seed.child("seating", deal.into()).stream(&names.join("/"), 0).shuffle(&mut order);
    order
}

/// The order of the list that is number `turn` when all its orders are sorted by the places that items had in it.
fn nth_order(list: &[usize], mut turn: usize) -> Vec<usize> {
    let mut left = list.to_vec();
    let mut order = Vec::with_capacity(list.len());
    for remaining in (1..=list.len()).rev() {
        let of_each: usize = (1..remaining).product();
        order.push(left.remove(turn / of_each));
        turn %= of_each;
    }
    order
}
