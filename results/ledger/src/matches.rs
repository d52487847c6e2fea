//! The finished matches of a tournament, a page at a time: those of certain bots, results or faults, in some order.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;

use arena_tournament::deals::{Scored, Seated};
use arena_tournament::played::Played;
use arena_tournament::schedule::match_id;
use serde::Deserialize;

use crate::error::LedgerError;
use crate::ledger::Ledger;

/// The number of matches of a page.
pub const PAGE: usize = 100;

/// Which matches are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// A bot that takes part; any if empty.
    pub bot: String,
    /// Another one that takes part; any if empty.
    pub other: String,
    /// How it ended for the first bot, or for any bot if none is named.
    pub result: ResultFilter,
    /// In which order.
    pub order: Order,
    /// Which page, counted from 0.
    pub page: usize,
}

/// How a match ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultFilter {
    /// Any end.
    #[default]
    Any,
    /// The bot came first alone.
    Won,
    /// The bot shared the first place.
    Drawn,
    /// The bot did not come first.
    Lost,
    /// The bot forfeited; any bot, if none is named.
    Forfeit,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By deal.
    #[default]
    Deal,
    /// The last deal first.
    Last,
    /// By the points of the winner less those of the second, the most first.
    Clearest,
    /// The same, the fewest first.
    Closest,
}

/// A page of matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The number of matches that pass the filter.
    pub total: usize,
    /// Those of the page.
    pub rows: Vec<Row>,
}

/// A match in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: String,
    /// The bots by seat.
    pub bots: Vec<String>,
    /// How each seat ended.
    pub seats: Vec<Seated>,
}

impl Listing {
    /// The number of pages.
    pub fn pages(&self) -> usize {
        self.total.div_ceil(PAGE).max(1)
    }
}

/// All finished matches in a few bytes each, in order of deals and bots. What a page shows is read from the ledger.
#[derive(Default)]
pub struct Index {
    /// The bots by seat of each table there is.
    tables: Vec<Vec<usize>>,
    /// Each way in which matches ended.
    ends: Vec<End>,
    /// The deal of each match, and its place in those lists.
    matches: Vec<(u32, u32, u32)>,
}

/// How a match ended, as far as lists are filtered and ordered by it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct End {
    /// By how many points the best seat is ahead of the second.
    margin: i32,
    /// The place of each seat, and if it forfeited.
    seats: Vec<(u8, bool)>,
}

impl Index {
    /// The matches of a ledger.
    pub fn of(ledger: &Ledger) -> Result<Self, LedgerError> {
        let mut index =
            Self { matches: Vec::with_capacity(ledger.count()?.try_into().unwrap_or_default()), ..Self::default() };
        let (mut tables, mut ends) = (HashMap::new(), HashMap::new());
        ledger.scores(|scored| {
            let end = End::of(&scored);
            let table = number(&mut tables, &mut index.tables, scored.bots);
            index.matches.push((scored.deal, table, number(&mut ends, &mut index.ends, end)));
            Ok::<_, LedgerError>(())
        })?;
        Ok(index)
    }

    /// The page that a filter selects.
    pub fn page(&self, ledger: &Ledger, filter: &Filter) -> Result<Listing, LedgerError> {
        let names = ledger.spec().names();
        let seats: Vec<Option<u32>> = self.tables.iter().map(|table| filter.seats(table, &names)).collect();
        let passing: Vec<u32> = self.ends.iter().map(|end| end.passing(filter.result)).collect();
        let passes = |(_, table, end): &&(u32, u32, u32)| {
            seats[*table as usize].is_some_and(|seats| seats & passing[*end as usize] != 0)
        };
        let mut found: Vec<&(u32, u32, u32)> = self.matches.iter().filter(passes).collect();
        let margin = |(.., end): &&(u32, u32, u32)| self.ends[*end as usize].margin;
        match filter.order {
            Order::Deal => {}
            Order::Last => found.reverse(),
            Order::Clearest => found.sort_by_key(|one| Reverse(margin(one))),
            Order::Closest => found.sort_by_key(margin),
        }
        let page = found.iter().skip(filter.page.saturating_mul(PAGE)).take(PAGE);
        // Matches may have been removed since.
        let rows = page.filter_map(|(deal, table, _)| ledger.score(*deal, &self.tables[*table as usize]).transpose());
        let rows = rows.map(|scored| Ok(row(scored?, &names))).collect::<Result<_, LedgerError>>()?;
        Ok(Listing { total: found.len(), rows })
    }

    /// The ids of the matches before and after one.
    pub fn beside(&self, ledger: &Ledger, played: &Played) -> [Option<String>; 2] {
        let names = ledger.spec().names();
        let seated = |table: &u32| self.tables[*table as usize].iter().map(|bot| names[*bot].as_str());
        let is = |(deal, table, _): &(u32, u32, u32)| *deal == played.deal && seated(table).eq(&played.bots);
        let place = self.matches.iter().position(is);
        let id = |place: usize| {
            let (deal, table, _) = self.matches.get(place)?;
            Some(match_id(*deal, &seated(table).collect::<Vec<_>>()))
        };
        [place.and_then(|place| id(place.checked_sub(1)?)), place.and_then(|place| id(place + 1))]
    }
}

/// The number of a value among those that there were so far.
fn number<T: Clone + Eq + Hash>(known: &mut HashMap<T, u32>, all: &mut Vec<T>, value: T) -> u32 {
    *known.entry(value).or_insert_with_key(|value| {
        all.push(value.clone());
        all.len() as u32 - 1
    })
}

impl Filter {
    /// The seats of a table whose result counts, as bits; none if the table is not listed. An unknown name sits nowhere.
    fn seats(&self, table: &[usize], names: &[String]) -> Option<u32> {
        let seat = |name: &str| table.iter().position(|bot| names.get(*bot).is_some_and(|known| known == name));
        let other = self.other.is_empty() || seat(&self.other).is_some();
        let seats = if self.bot.is_empty() { Some(u32::MAX) } else { seat(&self.bot).map(|seat| 1 << seat) };
        seats.filter(|_| other)
    }
}

impl End {
    fn of(scored: &Scored) -> Self {
        let seats = scored.seats.iter().map(|seated| (seated.place, seated.fault.is_some())).collect();
        let mut points: Vec<i32> = scored.seats.iter().map(|seated| seated.points).collect();
        points.sort_unstable();
        let margin = if let [.., second, first] = points[..] { first.saturating_sub(second) } else { 0 };
        Self { margin, seats }
    }

    /// The seats that ended like this, as bits.
    fn passing(&self, result: ResultFilter) -> u32 {
        let first = self.seats.iter().filter(|(place, _)| *place == 1).count();
        let is = |(place, forfeited): &(u8, bool)| match result {
            ResultFilter::Any => true,
            ResultFilter::Won => *place == 1 && first == 1,
            ResultFilter::Drawn => *place == 1 && first > 1,
            ResultFilter::Lost => *place > 1,
            ResultFilter::Forfeit => *forfeited,
        };
        (0..).zip(&self.seats).filter(|(_, seat)| is(seat)).map(|(seat, _)| 1 << seat).sum()
    }
}

fn row(scored: Scored, names: &[String]) -> Row {
    let bots: Vec<String> = scored.bots.iter().map(|bot| names[*bot].clone()).collect();
    Row { id: match_id(scored.deal, &bots), bots, seats: scored.seats }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_tournament::sample;

    fn listing(change: impl Fn(&mut Filter)) -> Listing {
        let folder = tempfile::tempdir().unwrap();
        let (tournament, played) = sample::small();
        let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
        ledger.append(&played).unwrap();
        let mut filter = Filter::default();
        change(&mut filter);
        Index::of(&ledger).unwrap().page(&ledger, &filter).unwrap()
    }

    #[test]
    fn every_match_is_won_drawn_or_lost_by_a_bot() {
        let all = listing(|_| {});
        let bot = all.rows[0].bots[0].clone();
        let of_bot = listing(|filter| filter.bot.clone_from(&bot));
        let results = [ResultFilter::Won, ResultFilter::Drawn, ResultFilter::Lost];
        let parts = results.map(|result| {
            listing(|filter| {
                filter.bot.clone_from(&bot);
                filter.result = result;
            })
        });
        assert_eq!(parts.iter().map(|part| part.total).sum::<usize>(), of_bot.total);
        assert!(of_bot.total > 0 && of_bot.rows.iter().all(|row| row.bots.contains(&bot)));
        assert_eq!(listing(|filter| filter.bot = "nobody".into()).total, 0);
    }

    #[test]
    fn orders_hold_the_same_matches() {
        let mut first = listing(|_| {}).rows;
        let mut last = listing(|filter| filter.order = Order::Last).rows;
        last.reverse();
        assert_eq!(first, last);
        let lead = |row: &Row| {
            let points: Vec<i32> = row.seats.iter().map(|seated| seated.points).collect();
            points.iter().max().unwrap() - points.iter().min().unwrap()
        };
        let closest = listing(|filter| filter.order = Order::Closest).rows;
        assert!(closest.is_sorted_by_key(lead));
        let mut again = closest;
        first.sort_by(|one, other| one.id.cmp(&other.id));
        again.sort_by(|one, other| one.id.cmp(&other.id));
        assert_eq!(first, again);
        assert_eq!(listing(|filter| filter.page = 1).rows, []);
    }
}
