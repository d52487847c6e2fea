//! The finished matches of a tournament, a page at a time: those of certain bots, results or faults, in some order.

use arena_tournament::deals::{Scored, Seated};
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
    /// The page that a filter selects.
    pub fn of(ledger: &Ledger, filter: &Filter) -> Result<Self, LedgerError> {
        let names = ledger.spec().names();
        let index = |name: &str| names.iter().position(|bot| bot == name);
        let mut found = Vec::new();
        ledger.scores(|scored| {
            if passes(filter, &scored, index(&filter.bot), index(&filter.other)) {
                found.push(scored);
            }
            Ok::<_, LedgerError>(())
        })?;
        match filter.order {
            Order::Deal => {}
            Order::Last => found.reverse(),
            Order::Clearest => found.sort_by_key(|scored| std::cmp::Reverse(margin(scored))),
            Order::Closest => found.sort_by_key(margin),
        }
        let total = found.len();
        let rows = found.into_iter().skip(filter.page.saturating_mul(PAGE)).take(PAGE);
        Ok(Self { total, rows: rows.map(|scored| row(scored, &names)).collect() })
    }

    /// The number of pages.
    pub fn pages(&self) -> usize {
        self.total.div_ceil(PAGE).max(1)
    }
}

fn row(scored: Scored, names: &[String]) -> Row {
    let bots: Vec<String> = scored.bots.iter().map(|bot| names[*bot].clone()).collect();
    Row { id: match_id(scored.deal, &bots), bots, seats: scored.seats }
}

/// True if a match is one of those that are listed; an unknown name matches none.
fn passes(filter: &Filter, scored: &Scored, bot: Option<usize>, other: Option<usize>) -> bool {
    let seat = |bot: Option<usize>| scored.bots.iter().position(|seated| Some(*seated) == bot);
    let here = |name: &str, bot| name.is_empty() || seat(bot).is_some();
    here(&filter.bot, bot) && here(&filter.other, other) && ended(filter, scored, seat(bot))
}

fn ended(filter: &Filter, scored: &Scored, seat: Option<usize>) -> bool {
    let first = scored.seats.iter().filter(|seated| seated.place == 1).count();
    let is = |seated: &Seated| match filter.result {
        ResultFilter::Any => true,
        ResultFilter::Won => seated.place == 1 && first == 1,
        ResultFilter::Drawn => seated.place == 1 && first > 1,
        ResultFilter::Lost => seated.place > 1,
        ResultFilter::Forfeit => seated.fault.is_some(),
    };
    match seat {
        Some(seat) => is(&scored.seats[seat]),
        None => scored.seats.iter().any(is),
    }
}

/// By how many points the best seat is ahead of the second.
fn margin(scored: &Scored) -> i32 {
    let mut points: Vec<i32> = scored.seats.iter().map(|seated| seated.points).collect();
    points.sort_unstable_by(|one, other| other.cmp(one));
    points.first().zip(points.get(1)).map_or(0, |(first, second)| first - second)
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
        Listing::of(&ledger, &filter).unwrap()
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
