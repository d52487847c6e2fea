//! Merges parts of a tournament that were played on different machines. All parts are compared, and all matches replayed, before any are
//! saved.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use arena_tournament::schedule::Planned;
use arena_tournament::spec::Spec;
use arena_tournament::unit::{self, Unit};
use serde::Serialize;

use crate::error::LedgerError;
use crate::ledger::Ledger;
use crate::stretch::Extent;
use crate::verify::check_records;
use arena_tournament::played::Played;

/// The reason why parts cannot be merged: an unusable ledger, a contradiction, an invalid match, or a match outside the plan.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct MergeError(String);

/// A folder with a part of a tournament.
pub struct Part {
    folder: PathBuf,
    /// Number of finished matches in the part.
    pub matches: u64,
    /// The extent of the part's finished matches; `None` if there are none. With the extent, both passes see the same matches even if the
    /// part is still being played.
    extent: Option<Extent>,
    /// The ledger, which is open only from the first to the last of the part's deals, because there may be more parts than open files
    /// allowed.
    ledger: Option<Ledger>,
}

impl Part {
    /// Creates the part stored in a folder's ledger.
    pub fn new(folder: &Path, ledger: &Ledger) -> Result<Self, LedgerError> {
        Ok(Self {
            folder: folder.to_owned(),
            matches: ledger.count()?,
            extent: ledger.extent()?,
            ledger: None,
        })
    }

    /// Returns the part's finished matches on these deals.
    fn on(&mut self, deals: &RangeInclusive<u32>) -> Result<Vec<(Planned, Played)>, MergeError> {
        let is_near = |extent: &&Extent| {
            extent.deals.start() <= deals.end() && deals.start() <= extent.deals.end()
        };
        let Some(extent) = self.extent.as_ref().filter(is_near) else {
            return Ok(Vec::new());
        };
        let opened = self
            .ledger
            .take()
            .map_or_else(|| Ledger::open_read_only(&self.folder), Ok);
        let read = opened.and_then(|ledger| Ok((ledger.on(extent, deals)?, ledger)));
        let (found, ledger) = read.map_err(failed(&self.folder))?;
        self.ledger = (deals.end() < extent.deals.end()).then_some(ledger);
        Ok(found)
    }
}

/// Consecutive deals with missing matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// First deal.
    pub first_deal: u32,
    /// Last deal.
    pub last_deal: u32,
    /// Number of missing matches.
    pub matches: u64,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let matches = if self.matches == 1 {
            "match"
        } else {
            "matches"
        };
        write!(
            f,
            "{} ({} {matches})",
            Unit {
                first: self.first_deal,
                last: self.last_deal
            },
            self.matches
        )
    }
}

/// Compares all parts. Returns the matches that no part has. The error is the first problem found.
pub fn compare(spec: &Spec, parts: &mut [Part]) -> Result<Vec<Missing>, MergeError> {
    check_extents(spec, parts)?;
    let mut missing = Vec::new();
    each(spec, parts, |parts, planned, found| {
        check(spec, parts, &found)?;
        planned
            .iter()
            .filter(|one| !found.contains_key(one))
            .for_each(|one| add(&mut missing, one.deal));
        Ok(())
    })?;
    Ok(missing)
}

/// Saves the matches of parts that have been compared, in batches. Matches that are already in the ledger are left unchanged.
pub fn append(parts: &mut [Part], ledger: &mut Ledger, folder: &Path) -> Result<(), MergeError> {
    let spec = ledger.spec().clone();
    each(&spec, parts, |_, _, found| {
        let matches: Vec<Played> = found.into_values().map(|found| found.played).collect();
        if matches.is_empty() {
            Ok(())
        } else {
            ledger.append(&matches).map_err(failed(folder))
        }
    })
}

fn failed(folder: &Path) -> impl FnOnce(LedgerError) -> MergeError {
    let folder = folder.display().to_string();
    move |error| MergeError(format!("{folder}: {error}"))
}

fn check_extents(spec: &Spec, parts: &[Part]) -> Result<(), MergeError> {
    let last = spec.plan.deals;
    for Part { folder, extent, .. } in parts {
        if let Some(deal) = extent
            .as_ref()
            .map(|extent| *extent.deals.end())
            .filter(|deal| *deal > last)
        {
            let folder = folder.display();
            let why = format!(
                "{folder} holds matches on deal {deal}, but the plan ends with deal {last}"
            );
            return Err(MergeError(why));
        }
    }
    Ok(())
}

/// Counts a missing match of this deal. Deals must be added in order.
fn add(missing: &mut Vec<Missing>, deal: u32) {
    match missing.last_mut() {
        Some(last) if last.last_deal == deal || last.last_deal + 1 == deal => {
            last.last_deal = deal;
            last.matches += 1;
        }
        _ => missing.push(Missing {
            first_deal: deal,
            last_deal: deal,
            matches: 1,
        }),
    }
}

/// A match, and the part that has it.
struct Found {
    played: Played,
    part: usize,
}

/// Calls `take` with the plan of each unit and the matches of the parts, in order of deals.
fn each(
    spec: &Spec,
    parts: &mut [Part],
    mut take: impl FnMut(&[Part], &[Planned], BTreeMap<Planned, Found>) -> Result<(), MergeError>,
) -> Result<(), MergeError> {
    let meetings = spec.meetings(1, &[]);
    for (unit, mut planned) in unit::planned(spec.field(), &meetings) {
        planned.sort_unstable();
        let found = gather(spec, parts, &unit.deals(), &planned)?;
        take(parts, &planned, found)?;
    }
    Ok(())
}

/// Returns the matches of all parts on these deals. Fails if parts disagree.
fn gather(
    spec: &Spec,
    parts: &mut [Part],
    deals: &RangeInclusive<u32>,
    planned: &[Planned],
) -> Result<BTreeMap<Planned, Found>, MergeError> {
    let mut all = BTreeMap::<Planned, Found>::new();
    for part in 0..parts.len() {
        for (key, played) in parts[part].on(deals)? {
            if planned.binary_search(&key).is_err() {
                return Err(wrong(
                    &played.id(),
                    &parts[part],
                    "it is not part of the plan",
                ));
            }
            if !is_of_row(spec, &key, &played) {
                let why = format!("its record belongs to {}", played.id());
                return Err(wrong(&key.id(&spec.names()), &parts[part], &why));
            }
            match all.entry(key) {
                Entry::Vacant(free) => _ = free.insert(Found { played, part }),
                Entry::Occupied(there) => {
                    let there = there.get();
                    if let Some(what) = there.played.difference(&played) {
                        let [one, other] =
                            [there.part, part].map(|part| parts[part].folder.display());
                        return Err(MergeError(format!(
                            "match {} differs between {one} and {other}: {what}. One of them was changed, or a bot uses random \
                             numbers that are not from its seed",
                            played.id()
                        )));
                    }
                }
            }
        }
    }
    Ok(all)
}

/// Creates the error for a match that this tournament cannot produce.
fn wrong(id: &str, part: &Part, why: &str) -> MergeError {
    MergeError(format!(
        "match {id} in {} is not valid: {why}",
        part.folder.display()
    ))
}

/// Returns true if the match belongs to this row of the plan.
fn is_of_row(spec: &Spec, row: &Planned, played: &Played) -> bool {
    let seated = row.seats.iter().zip(&played.bots);
    row.deal == played.deal
        && row.seats.len() == played.bots.len()
        && seated
            .into_iter()
            .all(|(bot, name)| spec.bots.get(*bot).is_some_and(|bot| bot.name == *name))
}

/// Replays all records by the rules.
fn check(spec: &Spec, parts: &[Part], found: &BTreeMap<Planned, Found>) -> Result<(), MergeError> {
    let matches: Vec<&Played> = found.values().map(|found| &found.played).collect();
    let Some(first) = found.values().next() else {
        return Ok(());
    };
    let checked = check_records(spec, &matches).map_err(failed(&parts[first.part].folder))?;
    let mut checked = found.values().zip(checked);
    checked.try_for_each(|(Found { played, part }, checked)| {
        checked.map_err(|why| wrong(&played.id(), &parts[*part], &why))
    })
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
