//! The order in which the matches of a stage are played.
//!
//! What a program has seen of a deal would help it when it meets the deal again in another seat, so a process never
//! plays a deal twice: it is restarted when it would. Consecutive deals therefore make a *heat*, and the tables of a
//! deal are put into *classes*, such that no bot sits twice in a class. A heat is played in steps, in each of which every
//! deal plays one of its classes, in an order drawn for the deal. So a process has to be restarted once a step at most,
//! and every bot has about the same number of matches at any time. Heats grow,
//! so that the first blocks are finished soon, and how long they are does not depend on how many deals there are: the
//! schedule of a longer tournament, without the deals that a shorter one has not, is the schedule of the shorter one.
//!
//! The order of a deal's classes depends on nothing but the seed and the deal, so which of its matches a bot plays first is
//! a draw with equal chances. By this a bot that knows a deal when it comes back can be told from one that has no such
//! knowledge.

use std::borrow::Borrow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::field::{Field, Meeting, deals};

/// The number of deals the first heat has; each further one has twice as many as the one before.
pub(crate) const FIRST_HEAT: u32 = 32;

/// The number of deals a heat has at most, which bounds what the schedule keeps in memory.
pub const LONGEST_HEAT: u32 = 1_024;

/// The same while a test waits for finished deals, which come at the end of a heat.
pub const SHORT_HEAT: u32 = 32;

/// One match to be played.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Planned {
    /// The deal, counted from 1.
    pub deal: u32,
    /// The bots by seat, as indices into the entrants.
    pub seats: Vec<usize>,
}

impl Planned {
    /// The match's id in its tournament, see [`match_id`], from the names of all bots.
    pub fn id(&self, names: &[impl AsRef<str>]) -> String {
        let seated: Vec<&str> = self.seats.iter().map(|bot| names[*bot].as_ref()).collect();
        match_id(self.deal, &seated)
    }
}

/// The id of a match in its tournament: the deal and the bots in their seats.
pub fn match_id(deal: u32, bots: &[impl Borrow<str>]) -> String {
    format!("d{deal}/{}", bots.join("/"))
}

/// All matches of the meetings of a stage, in the order in which they are played. Only one heat is held in memory, as
/// numbers of meetings; the bots of a table are worked out when its turn comes.
pub fn schedule<'a>(
    field: Field<'a>,
    meetings: &'a [Meeting],
) -> impl Iterator<Item = Planned> + Clone + Send {
    in_heats(field, meetings, LONGEST_HEAT)
}

/// The same in heats of at most `longest` deals.
pub fn in_heats<'a>(
    field: Field<'a>,
    meetings: &'a [Meeting],
    longest: u32,
) -> impl Iterator<Item = Planned> + Clone + Send {
    let (first, last) = deals(meetings).into_inner();
    heats(first, last, longest)
        .scan(Sweep::new(field, meetings), move |sweep, heat| {
            Some(heat.map(|deal| sweep.ordered(deal)).collect())
        })
        .flat_map(move |heat| steps(field, meetings, heat))
}

/// The matches of deals that ascend and need not be consecutive, in a single heat: for deals that are not many.
pub fn of_deals(deals: &[u32], field: Field<'_>, meetings: &[Meeting]) -> Vec<Planned> {
    let mut sweep = Sweep::new(field, meetings);
    steps(
        field,
        meetings,
        deals.iter().map(|deal| sweep.ordered(*deal)).collect(),
    )
    .collect()
}

/// The heats of the deals from `first` to `last`, each of at most `longest` deals.
pub fn heats(
    first: u32,
    last: u32,
    longest: u32,
) -> impl Iterator<Item = RangeInclusive<u32>> + Clone + Send {
    let beginning = move |from: u32, length: u32| {
        let end = from.saturating_add(length - 1).min(last);
        (from <= last).then_some((from..=end, length))
    };
    let all = std::iter::successors(beginning(first, FIRST_HEAT), move |(heat, length)| {
        beginning(heat.end().checked_add(1)?, (length * 2).min(longest))
    });
    all.map(|(heat, _)| heat)
}

/// The deals of a heat, each with its tables by class.
type Heat = Arc<[Ordered]>;

/// A deal with its tables by class, and the order in which its classes are played.
struct Ordered {
    deal: u32,
    classes: Arc<Classes>,
    order: Vec<usize>,
}

/// The tables of a deal by class: which of the meetings, and in which of its seatings.
type Classes = Vec<Vec<(usize, usize)>>;

/// The matches of one heat, step by step.
fn steps(
    field: Field<'_>,
    meetings: &[Meeting],
    heat: Heat,
) -> impl Iterator<Item = Planned> + Clone + Send {
    let most = heat.iter().map(|here| here.order.len()).max().unwrap_or(0);
    (0..most).flat_map(move |step| {
        let heat = Arc::clone(&heat);
        (0..heat.len()).flat_map(move |place| {
            let Ordered {
                deal,
                ref classes,
                ref order,
            } = heat[place];
            let (classes, class) = (Arc::clone(classes), order.get(step).copied());
            let tables = class.map_or(0, |class| classes[class].len());
            (0..tables).map(move |table| {
                let (number, turn) = classes[class.unwrap_or(0)][table];
                Planned {
                    deal,
                    seats: seated(field, deal, &meetings[number].bots, turn),
                }
            })
        })
    })
}

/// Puts the tables of a deal into classes, each into the first in which none of its bots sits. The order of the meetings
/// does not matter.
///
/// Pairs are gone through by the sum of their bots' places, which makes as few classes as there can be where all meet all
/// (the circle method, Kirkman 1847).
fn classes(field: Field<'_>, meetings: &[Meeting], numbers: &[usize]) -> Classes {
    let mut bots: Vec<usize> = numbers
        .iter()
        .flat_map(|number| &meetings[*number].bots)
        .copied()
        .collect();
    bots.sort_unstable();
    bots.dedup();
    let place = |bot: &usize| bots.binary_search(bot).unwrap_or(0);
    let circle = (bots.len() - usize::from(bots.len().is_multiple_of(2))).max(1);
    let mut order = numbers.to_vec();
    order.sort_by_key(|number| &meetings[*number].bots);
    order.sort_by_cached_key(|number| {
        let places = meetings[*number].bots.iter().map(place);
        (
            places.clone().any(|place| place >= circle),
            places.sum::<usize>() % circle,
        )
    });
    let mut classes: Classes = Vec::new();
    let mut taken: Vec<Vec<bool>> = Vec::new();
    // For each bot, the first class in which it may not sit yet.
    let mut free = vec![0; bots.len()];
    for turn in 0..field.orders() {
        for number in &order {
            let places: Vec<usize> = meetings[*number].bots.iter().map(place).collect();
            let mut class = places.iter().map(|bot| free[*bot]).max().unwrap_or(0);
            while taken
                .get(class)
                .is_some_and(|taken| places.iter().any(|bot| taken[*bot]))
            {
                class += 1;
            }
            if class == taken.len() {
                taken.push(vec![false; bots.len()]);
                classes.push(Vec::new());
            }
            classes[class].push((*number, turn));
            for bot in places {
                taken[class][bot] = true;
                while taken.get(free[bot]).is_some_and(|taken| taken[bot]) {
                    free[bot] += 1;
                }
            }
        }
    }
    classes
}

/// The meetings that take place on a deal, for one deal after the other.
#[derive(Clone)]
struct Sweep<'a> {
    field: Field<'a>,
    meetings: &'a [Meeting],
    /// The numbers of all meetings by their first deals.
    by_start: Arc<[usize]>,
    /// The number of those that have begun.
    begun: usize,
    /// Those that have begun and not ended, ascending.
    here: Arc<[usize]>,
    /// Their tables by class.
    classes: Arc<Classes>,
    /// The first deal on which one of them does not take place any more.
    ends: Option<u32>,
}

impl<'a> Sweep<'a> {
    fn new(field: Field<'a>, meetings: &'a [Meeting]) -> Self {
        let mut by_start: Vec<usize> = (0..meetings.len()).collect();
        by_start.sort_by_key(|number| *meetings[*number].deals.start());
        Self {
            field,
            meetings,
            by_start: by_start.into(),
            begun: 0,
            here: Arc::default(),
            classes: Arc::default(),
            ends: None,
        }
    }

    /// This deal, which is later than those before, with its classes in an order that depends on the seed and its number.
    fn ordered(&mut self, deal: u32) -> Ordered {
        let classes = self.at(deal);
        let mut order: Vec<usize> = (0..classes.len()).collect();
        self.field
            .seed
            .child("order", deal.into())
            .stream("classes", 0)
            .shuffle(&mut order);
        Ordered {
            deal,
            classes,
            order,
        }
    }

    /// The tables of this deal, which is later than those before.
    fn at(&mut self, deal: u32) -> Arc<Classes> {
        let has_begun = |number: &&usize| *self.meetings[**number].deals.start() <= deal;
        let beginning = self.by_start[self.begun..]
            .iter()
            .take_while(has_begun)
            .count();
        if beginning > 0 || self.ends.is_some_and(|ends| ends <= deal) {
            let new = &self.by_start[self.begun..self.begun + beginning];
            let both = self.here.iter().chain(new).copied();
            let mut here: Vec<usize> = both
                .filter(|number| self.meetings[*number].deals.contains(&deal))
                .collect();
            here.sort_unstable();
            self.ends = here
                .iter()
                .filter_map(|number| self.meetings[*number].deals.end().checked_add(1))
                .min();
            self.classes = Arc::new(classes(self.field, self.meetings, &here));
            self.here = here.into();
            self.begun += beginning;
        }
        Arc::clone(&self.classes)
    }
}

/// The bots of a meeting by seat: their order number `turn`, of all orders or of the rotations of one.
fn seated(field: Field<'_>, deal: u32, bots: &[usize], turn: usize) -> Vec<usize> {
    if field.plays_all_orders() || field.orders() == 1 {
        return nth_order(bots, turn);
    }
    let mut order = drawn_order(field, deal, bots);
    order.rotate_left(turn);
    order
}

/// An order of the bots that depends on the seed, the deal and their names, and on nothing else in the field.
fn drawn_order(field: Field<'_>, deal: u32, bots: &[usize]) -> Vec<usize> {
    let name = |bot: &usize| field.bots[*bot].name.as_str();
    let mut order = bots.to_vec();
    order.sort_unstable_by_key(name);
    let names: Vec<&str> = order.iter().map(name).collect();
    field
        .seed
        .child("seating", deal.into())
        .stream(&names.join("/"), 0)
        .shuffle(&mut order);
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
