//! Lists the finished matches of a tournament page by page, filtered by bots, results or faults, in a chosen order.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use arena_tournament::deals::{Scored, SeatResult};
use arena_tournament::played::Played;
use arena_tournament::schedule::match_id;
use serde::Deserialize;

use crate::error::LedgerError;
use crate::ledger::Ledger;

/// Number of matches per page.
pub const MATCHES_PER_PAGE: usize = 100;
/// The integer that represents a fraction of 1.
const WHOLE: usize = 1_000;

/// Selection of matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// A bot that takes part; any bot if empty.
    pub bot: String,
    /// Another bot that takes part; any bot if empty.
    pub other: String,
    /// Result of the first bot, or of any bot if none is named.
    pub result: ResultFilter,
    /// Order of the matches.
    pub order: Order,
    /// Page number, counted from 0.
    pub page: usize,
}

/// Result of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultFilter {
    /// Any result.
    #[default]
    Any,
    /// The bot alone came first.
    Won,
    /// The bot shared first place.
    Drawn,
    /// The bot did not come first.
    Lost,
    /// The bot forfeited. If no bot is named, any bot did.
    Forfeit,
}

/// Order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By deal, first to last.
    #[default]
    Deal,
    /// By deal, last to first.
    Last,
    /// By the winner's lead over the second seat in points, largest first.
    Clearest,
    /// By the winner's lead over the second seat in points, smallest first.
    Closest,
}

/// A page of matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Number of matches that pass the filter.
    pub total: usize,
    /// Matches on the page.
    pub rows: Vec<Row>,
}

/// A match in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Id of the match.
    pub id: String,
    /// Bots, by seat.
    pub bots: Vec<String>,
    /// Result of each seat.
    pub seats: Vec<SeatResult>,
}

impl Listing {
    /// Returns the number of pages.
    pub fn pages(&self) -> usize {
        self.total.div_ceil(MATCHES_PER_PAGE).max(1)
    }
}

/// A compact index of all finished matches, ordered by deal and bots. The content of a page is read from the ledger.
#[derive(Default)]
pub struct Index {
    /// Distinct tables: bots by seat.
    tables: Vec<Vec<usize>>,
    /// Distinct results of matches.
    ends: Vec<End>,
    /// Deal of each match, with its indices into `tables` and `ends`.
    matches: Vec<(u32, u32, u32)>,
    /// Total points of each bot, and the number of its matches.
    points: Vec<(f64, f64)>,
}

/// The part of a match's result by which lists are filtered and sorted.
#[derive(Clone, PartialEq, Eq, Hash)]
struct End {
    /// Lead of the best seat over the second, in points.
    margin: i32,
    /// Place of each seat, and `true` if the seat forfeited.
    seats: Vec<(u8, bool)>,
}

impl Index {
    /// Indexes the matches of a ledger.
    pub fn new(ledger: &Ledger) -> Result<Self, LedgerError> {
        let matches = Vec::with_capacity(ledger.count()?.try_into().unwrap_or_default());
        let mut index = Self {
            matches,
            points: vec![(0.0, 0.0); ledger.spec().bots.len()],
            ..Self::default()
        };
        let (mut tables, mut ends) = (HashMap::new(), HashMap::new());
        ledger.scores(|scored| {
            let end = End::new(&scored);
            for (bot, seated) in scored.bots.iter().zip(&scored.seats) {
                let (points, matches) = &mut index.points[*bot];
                (*points, *matches) = (*points + f64::from(seated.points), *matches + 1.0);
            }
            let table = number(&mut tables, &mut index.tables, scored.bots);
            index
                .matches
                .push((scored.deal, table, number(&mut ends, &mut index.ends, end)));
            Ok::<_, LedgerError>(())
        })?;
        Ok(index)
    }

    /// Returns the page selected by a filter.
    pub fn page(&self, ledger: &Ledger, filter: &Filter) -> Result<Listing, LedgerError> {
        let names = ledger.spec().names();
        let seats: Vec<Option<u32>> = self
            .tables
            .iter()
            .map(|table| filter.seats(table, &names))
            .collect();
        let passing: Vec<u32> = self
            .ends
            .iter()
            .map(|end| end.passing(filter.result))
            .collect();
        let passes = |(_, table, end): &&(u32, u32, u32)| {
            seats[*table as usize].is_some_and(|seats| seats & passing[*end as usize] != 0)
        };
        let rank = |end: u32| match filter.order {
            Order::Deal | Order::Last => 0,
            Order::Clearest => -i64::from(self.ends[end as usize].margin),
            Order::Closest => i64::from(self.ends[end as usize].margin),
        };
        // Avoid a sorted copy by two passes: count the matches of each rank, then pick those on the page.
        let (mut next, total) = self.places(passes, rank);
        let first = filter.page.saturating_mul(MATCHES_PER_PAGE);
        let page = first..first.saturating_add(MATCHES_PER_PAGE);
        let mut chosen = BTreeMap::new();
        let mut choose = |found: &(u32, u32, u32)| {
            let place = next.entry(rank(found.2)).or_default();
            if page.contains(place) {
                chosen.insert(*place, (found.0, &*self.tables[found.1 as usize]));
            }
            *place += 1;
        };
        match filter.order {
            Order::Last => self
                .matches
                .iter()
                .rev()
                .filter(passes)
                .for_each(&mut choose),
            _ => self.matches.iter().filter(passes).for_each(&mut choose),
        }
        Ok(Listing {
            total,
            rows: rows(ledger, chosen.into_values())?,
        })
    }

    /// Returns up to a page of the matches most worth watching, best first. A match ranks by the sum of two fractions: the fraction of
    /// matches that were closer, and the fraction of bots with more points per match than the bots at the table. Matches with a forfeit
    /// come last.
    pub fn to_watch(&self, ledger: &Ledger) -> Result<Vec<Row>, LedgerError> {
        let (closer, behind) = (self.closer(), self.behind());
        let mut best = BTreeSet::new();
        for (nth, (_, table, end)) in self.matches.iter().enumerate() {
            let rank = (closer[*end as usize] + behind[*table as usize], nth);
            if best.len() < MATCHES_PER_PAGE || best.last().is_some_and(|last| rank < *last) {
                best.insert(rank);
            }
            if best.len() > MATCHES_PER_PAGE {
                best.pop_last();
            }
        }
        let of = |(_, nth): (usize, usize)| {
            (
                self.matches[nth].0,
                &*self.tables[self.matches[nth].1 as usize],
            )
        };
        rows(ledger, best.into_iter().map(of))
    }

    /// Returns, for each result, the fraction of closer matches in units of `WHOLE`. It is above 1 if the result includes a forfeit.
    fn closer(&self) -> Vec<usize> {
        let (before, all) = self.places(|_| true, |end| self.ends[end as usize].margin.into());
        let closer = |end: &End| {
            let is_broken = end.seats.iter().any(|(_, forfeited)| *forfeited);
            before[&end.margin.into()] * WHOLE / all.max(1) + if is_broken { 2 * WHOLE } else { 0 }
        };
        self.ends.iter().map(closer).collect()
    }

    /// Returns, for each table, the mean over its bots of the fraction of all bots with more points per match, in units of `WHOLE`.
    fn behind(&self) -> Vec<usize> {
        let means: Vec<f64> = self
            .points
            .iter()
            .map(|(points, matches)| points / matches.max(1.0))
            .collect();
        let ahead: Vec<usize> = means
            .iter()
            .map(|mean| means.iter().filter(|other| *other > mean).count())
            .collect();
        let behind =
            |table: &Vec<usize>| table.iter().map(|bot| ahead[*bot]).sum::<usize>() * WHOLE;
        self.tables
            .iter()
            .map(|table| behind(table) / (table.len() * means.len()).max(1))
            .collect()
    }

    /// Returns, for each rank, the number of passing matches with a lower rank, and the total number of passing matches.
    fn places(
        &self,
        passes: impl Fn(&&(u32, u32, u32)) -> bool,
        rank: impl Fn(u32) -> i64,
    ) -> (BTreeMap<i64, usize>, usize) {
        let mut counts = vec![0; self.ends.len()];
        self.matches
            .iter()
            .filter(passes)
            .for_each(|(.., end)| counts[*end as usize] += 1);
        let mut places = BTreeMap::<i64, usize>::new();
        (0..)
            .zip(&counts)
            .for_each(|(end, count)| *places.entry(rank(end)).or_default() += count);
        let mut before = 0;
        places
            .values_mut()
            .for_each(|count| before += std::mem::replace(count, before));
        (places, before)
    }

    /// Returns the ids of the matches before and after this one.
    pub fn beside(&self, ledger: &Ledger, played: &Played) -> [Option<String>; 2] {
        let names = ledger.spec().names();
        let seated = |table: &u32| {
            self.tables[*table as usize]
                .iter()
                .map(|bot| names[*bot].as_str())
        };
        let is = |(deal, table, _): &(u32, u32, u32)| {
            *deal == played.deal && seated(table).eq(&played.bots)
        };
        let place = self.matches.iter().position(is);
        let id = |place: usize| {
            let (deal, table, _) = self.matches.get(place)?;
            Some(match_id(*deal, &seated(table).collect::<Vec<_>>()))
        };
        [
            place.and_then(|place| id(place.checked_sub(1)?)),
            place.and_then(|place| id(place + 1)),
        ]
    }
}

/// Returns the number of a value, adding it if it is new.
fn number<T: Clone + Eq + Hash>(known: &mut HashMap<T, u32>, all: &mut Vec<T>, value: T) -> u32 {
    *known.entry(value).or_insert_with_key(|value| {
        all.push(value.clone());
        all.len() as u32 - 1
    })
}

impl Filter {
    /// Returns a bit mask of the seats whose results count; `None` if the table does not pass the filter. An unknown name matches no seat.
    fn seats(&self, table: &[usize], names: &[String]) -> Option<u32> {
        let seat = |name: &str| {
            table
                .iter()
                .position(|bot| names.get(*bot).is_some_and(|known| known == name))
        };
        let other = self.other.is_empty() || seat(&self.other).is_some();
        let seats = if self.bot.is_empty() {
            Some(u32::MAX)
        } else {
            seat(&self.bot).map(|seat| 1 << seat)
        };
        seats.filter(|_| other)
    }
}

impl End {
    fn new(scored: &Scored) -> Self {
        let seats = scored
            .seats
            .iter()
            .map(|seated| (seated.place, seated.fault.is_some()))
            .collect();
        Self {
            margin: margin(scored),
            seats,
        }
    }

    /// Returns a bit mask of the seats with this result.
    fn passing(&self, result: ResultFilter) -> u32 {
        let first = self.seats.iter().filter(|(place, _)| *place == 1).count();
        let is = |(place, forfeited): &(u8, bool)| match result {
            ResultFilter::Any => true,
            ResultFilter::Won => *place == 1 && first == 1,
            ResultFilter::Drawn => *place == 1 && first > 1,
            ResultFilter::Lost => *place > 1,
            ResultFilter::Forfeit => *forfeited,
        };
        (0..)
            .zip(&self.seats)
            .filter(|(_, seat)| is(seat))
            .map(|(seat, _)| 1 << seat)
            .sum()
    }
}

/// Reads the results of matches, some of which may have been removed meanwhile.
fn rows<'a>(
    ledger: &Ledger,
    matches: impl Iterator<Item = (u32, &'a [usize])>,
) -> Result<Vec<Row>, LedgerError> {
    let names = ledger.spec().names();
    let found = matches.filter_map(|(deal, bots)| ledger.score(deal, bots).transpose());
    found.map(|scored| Ok(row(scored?, &names))).collect()
}

fn row(scored: Scored, names: &[String]) -> Row {
    let bots: Vec<String> = scored.bots.iter().map(|bot| names[*bot].clone()).collect();
    Row {
        id: match_id(scored.deal, &bots),
        bots,
        seats: scored.seats,
    }
}

/// Returns the lead of the best seat over the second, in points.
fn margin(scored: &Scored) -> i32 {
    let ahead = |(first, second): (i32, i32), seated: &SeatResult| {
        (
            first.max(seated.points),
            second.max(first.min(seated.points)),
        )
    };
    let (first, second) = scored.seats.iter().fold((i32::MIN, i32::MIN), ahead);
    first.saturating_sub(second)
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
        Index::new(&ledger).unwrap().page(&ledger, &filter).unwrap()
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
        assert_eq!(
            parts.iter().map(|part| part.total).sum::<usize>(),
            of_bot.total
        );
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
    #[test]
    fn no_match_is_watched_before_a_closer_one_of_better_bots() {
        let folder = tempfile::tempdir().unwrap();
        let (tournament, played) = sample::cup(&["ann", "bob", "eve", "joe"], 20);
        let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
        ledger.append(&played).unwrap();
        let index = Index::new(&ledger).unwrap();
        let page = |page| {
            index
                .page(
                    &ledger,
                    &Filter {
                        page,
                        ..Filter::default()
                    },
                )
                .unwrap()
                .rows
        };
        let mut watched = index.to_watch(&ledger).unwrap();
        let listed = watched.len();
        assert_eq!(listed, MATCHES_PER_PAGE);
        watched.extend(
            (0..3)
                .flat_map(page)
                .filter(|row| !watched[..MATCHES_PER_PAGE].contains(row))
                .collect::<Vec<_>>(),
        );
        assert_eq!(watched.len(), played.len());
        let is_broken = |row: &Row| row.seats.iter().any(|seated| seated.fault.is_some());
        let margin = |row: &Row| row.seats[0].points.abs_diff(row.seats[1].points);
        let ahead = |row: &Row| {
            row.bots
                .iter()
                .map(|bot| tournament.names().iter().position(|name| name == bot))
                .sum()
        };
        let worse: Vec<(bool, u32, Option<usize>)> = watched
            .iter()
            .map(|row| (is_broken(row), margin(row), ahead(row)))
            .collect();
        for (nth, one) in worse[..listed].iter().enumerate() {
            assert!(!one.0);
            let is_better = |other: &&(bool, u32, Option<usize>)| {
                !other.0 && other.1 < one.1 && other.2 < one.2
            };
            assert_eq!(
                worse[nth..].iter().find(is_better),
                None,
                "after {:?}",
                watched[nth]
            );
        }
        assert!(
            worse.iter().any(|row| row.0) && worse[..listed].iter().any(|row| row.2 > Some(1)),
            "not of two bots alone"
        );
    }
}
