//! The units of a round: those that are still to be published, and those that the workers have.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::field::{Field, Meeting, deals};
use arena_tournament::schedule::{self, Planned};
use arena_tournament::spec::Spec;
use arena_tournament::unit;

/// Maximum number of deals per unit.
const MAX_DEALS: u64 = 1_024;
/// Maximum number of deals per unit while a test waits for finished deals.
const MAX_DEALS_FOR_TEST: u64 = 16;
/// Maximum number of matches per unit, unless it is a single deal.
const MAX_MATCHES: u64 = 8_192;
/// Number of consecutive comparisons in which a unit is missing in the stream, after which it is published again.
const MAX_MISSING: u32 = 2;

/// Units of a round.
pub struct Units<'a> {
    field: Field<'a>,
    meetings: &'a [Meeting],
    /// True if the meetings follow from the tournament alone.
    is_static: bool,
    /// Deals that may still have to be published, in reverse order.
    todo: Vec<u32>,
    /// Maximum number of deals per unit.
    most: usize,
    /// Published units, by their first deal.
    pub open: BTreeMap<u32, Open>,
}

/// A published unit.
#[derive(Default)]
pub struct Open {
    pub deals: Vec<u32>,
    /// Number of consecutive comparisons that did not find the unit in the stream.
    missing: u32,
    /// Number of results of the unit that violated the rules.
    pub refused: u32,
}

impl<'a> Units<'a> {
    /// Plans the units of these meetings.
    pub fn new(spec: &'a Spec, meetings: &'a [Meeting]) -> Self {
        let field = spec.field();
        let most = if spec.plan.test.is_some() {
            MAX_DEALS_FOR_TEST
        } else {
            MAX_DEALS
        };
        let most = most
            .min(MAX_MATCHES / unit::matches_of_a_deal(field, meetings))
            .max(1);
        Self {
            field,
            meetings,
            is_static: spec.rounds() == 1,
            todo: deals(meetings).rev().collect(),
            most: most as usize,
            open: BTreeMap::new(),
        }
    }

    /// Returns the matches of some deals.
    pub fn matches(&self, deals: &[u32]) -> Vec<Planned> {
        schedule::of_deals(deals, self.field, self.meetings)
    }

    /// Returns the meetings on some deals; `None` if they follow from the tournament alone.
    pub fn meetings(&self, deals: &[u32]) -> Option<Vec<Meeting>> {
        let is_needed = |meeting: &&Meeting| deals.iter().any(|deal| meeting.deals.contains(deal));
        (!self.is_static).then(|| self.meetings.iter().filter(is_needed).cloned().collect())
    }

    /// Returns the next deals that lack matches in the ledger, up to this number.
    pub fn next(&mut self, most: u32, ledger: &Ledger) -> Result<Option<Vec<u32>>, LedgerError> {
        let mut deals = Vec::new();
        while deals.len() < self.most.min(most as usize)
            && let Some(deal) = self.todo.pop()
        {
            if !self.is_done(&[deal], ledger)? {
                deals.push(deal);
            }
        }
        Ok((!deals.is_empty()).then_some(deals))
    }

    /// Puts back deals that could not be published.
    pub fn put_back(&mut self, deals: &[u32]) {
        self.todo.extend(deals.iter().rev());
    }

    /// Returns the number of deals not published yet.
    pub fn left(&self) -> u32 {
        self.todo.len() as u32
    }

    /// Returns all deals of the round.
    pub fn all(&self) -> RangeInclusive<u32> {
        deals(self.meetings)
    }

    /// Returns true if all matches of some deals are in the ledger.
    pub fn is_done(&self, deals: &[u32], ledger: &Ledger) -> Result<bool, LedgerError> {
        for planned in self.matches(deals) {
            if !ledger.has(planned.deal, &planned.seats)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the open unit of these deals.
    pub fn open_mut(&mut self, deals: &[u32]) -> Option<&mut Open> {
        let open = self.open.get_mut(deals.first()?)?;
        (open.deals == deals).then_some(open)
    }

    /// Records that a unit was published.
    pub fn published(&mut self, deals: Vec<u32>) {
        let open = Open {
            deals,
            ..Open::default()
        };
        self.open.entry(open.deals[0]).or_insert(open).missing = 0;
    }

    /// Returns the open units that were missing in the stream in several consecutive comparisons.
    pub fn missing(&mut self, published: &BTreeSet<u32>) -> Vec<Vec<u32>> {
        let mut missing = Vec::new();
        for (key, open) in &mut self.open {
            open.missing = if published.contains(key) {
                0
            } else {
                open.missing + 1
            };
            if open.missing >= MAX_MISSING {
                missing.push(open.deals.clone());
            }
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use arena_config::read::{self, Flags};

    const TOURNAMENT: &str = "game = \"coda\"\ndeals = 100\n[[bots]]\nname = \"a\"\nbuiltin = \"random\"\n[[bots]]\nname = \"b\"\nbuiltin = \"exact\"\n";

    #[test]
    fn units_of_whatever_length_hold_every_deal_once() {
        let spec = read::of_kept(TOURNAMENT, Path::new("/t.toml"), &Flags::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::create(folder.path(), &spec).unwrap();
        let meetings = spec.meetings(1, &[]);
        for lengths in [&[1][..], &[7], &[1_000], &[4, 1, 30]] {
            let mut units = Units::new(&spec, &meetings);
            let mut found = Vec::new();
            for most in lengths.iter().cycle() {
                let Some(deals) = units.next(*most, &ledger).unwrap() else {
                    break;
                };
                assert!(deals.len() <= *most as usize, "{deals:?}");
                found.extend(deals.clone());
                units.published(deals.clone());
                assert_eq!(units.open[&deals[0]].deals, deals);
            }
            assert_eq!(found, (1..=100).collect::<Vec<_>>());
            units.put_back(&[7, 9]);
            assert_eq!(units.next(9, &ledger).unwrap(), Some(vec![7, 9]));
        }
    }

    #[test]
    fn a_unit_is_missed_after_some_comparisons_in_a_row() {
        let spec = read::of_kept(TOURNAMENT, Path::new("/t.toml"), &Flags::default()).unwrap();
        let meetings = spec.meetings(1, &[]);
        let mut units = Units::new(&spec, &meetings);
        units.published(vec![3, 4]);
        let none = BTreeSet::new();
        assert!(units.missing(&none).is_empty());
        assert!(units.missing(&BTreeSet::from([3])).is_empty());
        assert!(units.missing(&none).is_empty());
        assert_eq!(units.missing(&none), [[3, 4]]);
    }
}
