//! Ratings after each day of play.

use std::collections::BTreeMap;
use std::ops::Range;

use arena_statistics::elo::Elo;
use arena_statistics::rating::Collector;
use serde::Serialize;

use super::pool::{Day, Pool};
use super::{lines, numbered};

/// Maximum number of bots, and of days, for which the history is computed.
const MAX_BOTS: usize = 100;
const MAX_DAYS: usize = 60;

/// Ratings after the matches up to a day.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stand {
    /// The day.
    pub day: String,
    /// Elo of each bot that has a number, not just a bound, on that day.
    pub elo: BTreeMap<String, f64>,
}

/// Rates the bots of a group by the matches up to each day. Matches without a date count from the beginning. Empty if there are fewer than
/// two days.
pub fn history(
    pool: &Pool,
    bots: &[usize],
    labels: &[String],
    anchor: Option<usize>,
) -> Vec<Stand> {
    if bots.len() > MAX_BOTS {
        return Vec::new();
    }
    let mut by_day: BTreeMap<Day, Vec<(Range<usize>, u32)>> = BTreeMap::new();
    for deal in numbered(pool) {
        by_day
            .entry(pool.day(deal.0.clone()).unwrap_or_default())
            .or_default()
            .push(deal);
    }
    let days = by_day.keys().filter(|day| **day > 0).count();
    if days < 2 {
        return Vec::new();
    }
    let every = days.div_ceil(MAX_DAYS);
    let names: Vec<String> = bots.iter().map(|bot| labels[*bot].clone()).collect();
    let local: BTreeMap<usize, usize> = bots.iter().copied().zip(0..).collect();
    let anchor = anchor.and_then(|anchor| local.get(&anchor).copied());
    let mut collector = Collector::with_names(names);
    let mut stands = Vec::new();
    let mut nth = 0;
    for (day, deals) in by_day {
        for (range, number) in deals {
            let of_group = |bot: u32| local.get(&(bot as usize)).copied();
            collector.add(&pool.deal(range.clone(), number, &of_group, false));
        }
        if day == 0 {
            continue;
        }
        nth += 1;
        if nth % every != 0 && nth != days {
            continue;
        }
        let rated = collector.ratings(anchor).bots.into_iter();
        let known = rated.filter_map(|rating| match rating.elo? {
            Elo::Value(elo) => Some((rating.bot, elo)),
            Elo::AtLeast(_) | Elo::AtMost(_) => None,
        });
        stands.push(Stand {
            day: lines::date(day),
            elo: known.collect(),
        });
    }
    stands
}
