//! The order in which the matches of a stage are played.
//!
//! A program that meets a deal again in another seat could profit from what it saw the first time. So no process plays a deal twice: it is
//! restarted first. To make restarts rare, consecutive deals form a *heat*, and the tables of a deal are split into *classes* in which no
//! bot sits twice. A heat is played in steps; in each step every deal plays one of its classes, in an order drawn for the deal. So a
//! process is restarted at most once per step, and at any time all bots have played about the same number of matches. The first heats are
//! short, so that the first blocks finish soon. The lengths of heats do not depend on the number of deals. So a longer tournament plays the
//! deals that it shares with a shorter one in the same order.
//!
//! The order of a deal's classes depends only on the seed and the deal, so each of a bot's matches on the deal is equally likely to be
//! played first. This makes it possible to detect bots that recognise a repeated deal.

use std::borrow::Borrow;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::field::{Field, Meeting, deals};

/// Number of deals in the first heat. Each further heat is twice as long as the one before.
pub(crate) const FIRST_HEAT: u32 = 32;

/// Maximum number of deals in a heat. It bounds the memory of the schedule.
pub const MAX_HEAT_DEALS: u32 = 1_024;

/// Maximum number of deals in a heat while a test waits for finished deals, because deals finish at the end of a heat.
pub const SHORT_HEAT: u32 = 32;

/// A match to be played.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Planned {
    /// The deal, counted from 1.
    pub deal: u32,
    /// The bots in seat order, as indices into the entrants.
    pub seats: Vec<usize>,
}

impl Planned {
    /// Returns the id of the match in its tournament, given the names of all bots; see [`match_id`].
    pub fn id(&self, names: &[impl AsRef<str>]) -> String {
        let seated: Vec<&str> = self.seats.iter().map(|bot| names[*bot].as_ref()).collect();
        match_id(self.deal, &seated)
    }
}

/// Returns the id of a match in its tournament: the deal and the bots in seat order.
pub fn match_id(deal: u32, bots: &[impl Borrow<str>]) -> String {
    format!("d{deal}/{}", bots.join("/"))
}

/// Iterates over all matches of a stage's meetings, in playing order. Only one heat is held in memory, as numbers of meetings; the bots of
/// a table are computed when the table is played.
pub fn schedule<'a>(
    field: Field<'a>,
    meetings: &'a [Meeting],
) -> impl Iterator<Item = Planned> + Clone + Send {
    in_heats(field, meetings, MAX_HEAT_DEALS)
}

/// Like [`schedule`], in heats of at most `longest` deals.
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

/// Returns the matches of these deals in a single heat. Deals must ascend, but may leave gaps; the function is meant for few deals.
pub fn of_deals(deals: &[u32], field: Field<'_>, meetings: &[Meeting]) -> Vec<Planned> {
    let mut sweep = Sweep::new(field, meetings);
    steps(
        field,
        meetings,
        deals.iter().map(|deal| sweep.ordered(*deal)).collect(),
    )
    .collect()
}

/// Returns the heats of the deals from `first` to `last`, each with at most `longest` deals.
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

/// The tables of a deal by class, in the order in which the classes are played.
struct Ordered {
    deal: u32,
    classes: Arc<Classes>,
    order: Vec<usize>,
}

/// The tables of a deal by class, each as the index of a meeting and of its seating.
type Classes = Vec<Vec<(usize, usize)>>;

/// Returns the matches of one heat, step by step.
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

/// Splits the tables of a deal into classes: each table goes into the first class that has none of its bots. The order of the meetings does
/// not matter.
///
/// Pairs are visited in the order of the sum of their bots' indices, which yields the minimum number of classes if all bots meet (the
/// circle method, Kirkman 1847).
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
    // For each bot, the first class that may still be free.
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

/// An iteration over deals in ascending order that tracks the meetings on each deal.
#[derive(Clone)]
struct Sweep<'a> {
    field: Field<'a>,
    meetings: &'a [Meeting],
    /// The numbers of all meetings, ordered by their first deals.
    by_start: Arc<[usize]>,
    /// Number of meetings that have begun.
    begun: usize,
    /// The numbers of the meetings in progress, ascending.
    here: Arc<[usize]>,
    /// The tables of the meetings in progress, by class.
    classes: Arc<Classes>,
    /// The first deal after one of the meetings in progress has ended.
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

    /// Returns a deal with its classes in an order drawn from the seed and the deal. Deals must be requested in ascending order.
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

    /// Returns the tables of a deal. Deals must be requested in ascending order.
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

/// Returns the bots of a meeting in seat order: order number `turn` among all orders, or among the rotations of one.
fn seated(field: Field<'_>, deal: u32, bots: &[usize], turn: usize) -> Vec<usize> {
    if field.plays_all_orders() || field.orders() == 1 {
        return nth_order(bots, turn);
    }
    let mut order = drawn_order(field, deal, bots);
    order.rotate_left(turn);
    order
}

/// Draws an order of the bots that depends only on the seed, the deal and their names.
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

/// Returns permutation number `turn` of the list, in lexicographic order of indices.
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
