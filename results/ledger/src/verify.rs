//! Verifies a ledger: replays every record by the rules, and compares the result with the stored row.

use std::collections::HashSet;

use arena_engine::record::Record;
use arena_engine::table::{Entry, Json};
use arena_tournament::deals::{Scored, SeatResult};
use arena_tournament::played::Played;
use arena_tournament::schedule::match_id;
use arena_tournament::spec::Spec;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::error::LedgerError;
use crate::ledger::Ledger;
use crate::read::{CHUNK, SCORES};
use crate::record;
use crate::replay::{game, replay};
use crate::saved;

/// Maximum number of SQLite's error messages shown.
const MAX_COMPLAINTS: usize = 20;

/// Result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Number of intact matches.
    pub whole: u64,
    /// Damaged matches.
    pub damaged: Vec<Damage>,
    /// Other problems with the file.
    pub file: Vec<String>,
}

/// A damaged match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// Name of the match, as far as known.
    pub r#match: String,
    /// Description of the damage.
    pub why: String,
    /// True if the record is also lost, so that the match must be played again. Otherwise, the result can be restored from the record.
    pub lost: bool,
}

impl Verified {
    /// Returns true if there are no problems.
    pub fn is_whole(&self) -> bool {
        self.damaged.is_empty() && self.file.is_empty()
    }

    /// Adds a damaged match.
    pub(crate) fn add(&mut self, name: &str, why: &str, lost: bool) {
        self.damaged.push(Damage {
            r#match: name.to_owned(),
            why: why.to_owned(),
            lost,
        });
    }
}

/// A match as stored.
struct Stored {
    name: String,
    row: Row,
    record: Option<Played>,
}

/// The result of a match according to its row.
enum Row {
    Whole(Scored),
    Damaged,
    Missing,
}

/// Verifies all matches of a ledger.
pub fn verify(ledger: &Ledger) -> Result<Verified, LedgerError> {
    let mut verified = Verified {
        file: complaints(ledger)?,
        ..Verified::default()
    };
    let mut chunk = Vec::new();
    let mut seen = HashSet::new();
    let mut reader = ledger.reader()?;
    let names = ledger.spec().names();
    let scanned = ledger.rows(SCORES, |row| {
        let read =
            || Ok::<_, rusqlite::Error>((row.get(0)?, row.get::<_, Vec<u8>>(1)?, row.get(3)?));
        let (deal, key, number) = read()?;
        seen.insert(number);
        let bots = record::bots(&key)
            .into_iter()
            .map(|bot| names.get(bot).cloned().unwrap_or_default());
        let stored = Stored {
            name: match_id(deal, &bots.collect::<Vec<_>>()),
            row: ledger.scored(row).map_or(Row::Damaged, Row::Whole),
            record: known(ledger.read(number, &mut reader))?,
        };
        add(ledger, stored, &mut chunk, &mut verified)
    });
    match scanned {
        Err(LedgerError::Damaged(why)) => verified.file.push(why),
        scanned => scanned?,
    }
    ledger.records(|number, played| {
        if seen.contains(&number) {
            return Ok(());
        }
        let stored = Stored {
            name: played.id(),
            row: Row::Missing,
            record: Some(played),
        };
        add(ledger, stored, &mut chunk, &mut verified)
    })?;
    check(ledger, &mut chunk, &mut verified)?;
    Ok(verified)
}

/// Adds a match to a chunk, and checks the chunk when it is full.
fn add(
    ledger: &Ledger,
    stored: Stored,
    chunk: &mut Vec<Stored>,
    verified: &mut Verified,
) -> Result<(), LedgerError> {
    chunk.push(stored);
    if chunk.len() == CHUNK {
        check(ledger, chunk, verified)?;
    }
    Ok(())
}

/// Returns problems with the file itself.
fn complaints(ledger: &Ledger) -> Result<Vec<String>, LedgerError> {
    let mut complaints = Vec::new();
    let checked = ledger.rows(
        &format!("PRAGMA integrity_check({MAX_COMPLAINTS})"),
        |row| {
            complaints.push(row.get::<_, String>(0)?);
            Ok::<_, LedgerError>(())
        },
    );
    match checked {
        Err(LedgerError::Damaged(why)) => complaints.push(why),
        checked => checked?,
    }
    complaints.retain(|line| line != "ok");
    match ledger.missing()? {
        Some(0) => {}
        Some(missing) => {
            complaints.push(format!(
                "{missing} saved matches are missing: the log beside it was damaged or removed"
            ));
        }
        None => complaints.push(format!(
            "{} is damaged, so matches may be missing that no check can find",
            saved::FILE
        )),
    }
    Ok(complaints)
}

/// Returns a match that was read; `None` if it is damaged.
fn known(read: Result<Played, LedgerError>) -> Result<Option<Played>, LedgerError> {
    match read {
        Err(LedgerError::Damaged(_)) => Ok(None),
        read => read.map(Some),
    }
}

/// Checks matches in parallel.
fn check(
    ledger: &Ledger,
    chunk: &mut Vec<Stored>,
    verified: &mut Verified,
) -> Result<(), LedgerError> {
    let records: Vec<&Played> = chunk
        .iter()
        .filter_map(|stored| stored.record.as_ref())
        .collect();
    let mut checked = check_records(ledger.spec(), &records)?.into_iter();
    for Stored { name, row, record } in &*chunk {
        let record = record
            .as_ref()
            .map(|played| (played, checked.next().expect("one result for each record")));
        match (record, row) {
            (None, _) => verified.add(name, "its record is missing or damaged", true),
            (Some((_, Err(why))), _) => verified.add(name, &why, true),
            (Some((played, Ok(()))), Row::Damaged) => {
                verified.add(&played.id(), "its row is damaged", false);
            }
            (Some(_), Row::Missing) => verified.add(name, "its row is missing", false),
            (Some((played, Ok(()))), Row::Whole(scored)) => {
                if played.deal != scored.deal || ledger.indices(&played.bots)? != scored.bots {
                    verified.add(name, "its record belongs to another match", true);
                } else if scored.seats != SeatResult::all(&played.verdict) {
                    verified.add(name, "its row does not match its record", false);
                } else {
                    verified.whole += 1;
                }
            }
        }
    }
    chunk.clear();
    Ok(())
}

/// Replays each record and returns what is wrong with it, if anything.
pub fn check_records(
    tournament: &Spec,
    matches: &[&Played],
) -> Result<Vec<Result<(), String>>, LedgerError> {
    let plan = &tournament.plan;
    let game = game(tournament)?;
    let rules = game.rulebook.dealer(&plan.rules, plan.seats);
    let rules = rules.ok().map(|dealer| dealer.rules());
    let check = |played: &&Played| check_record(tournament, game, rules.as_ref(), played);
    Ok(matches.par_iter().map(check).collect())
}

/// Replays the record of a match by the rules of its tournament.
///
/// # Errors
/// If the record is invalid; the error describes the problem.
fn check_record(
    tournament: &Spec,
    game: &Entry,
    rules: Option<&Json>,
    played: &Played,
) -> Result<(), String> {
    replay(game, played).map_err(|error| error.to_string())?;
    let record: Record<Json, IgnoredAny> =
        played.record.read().map_err(|error| error.to_string())?;
    if record.seed != tournament.deal_seed(played.deal) {
        return Err("its record belongs to another deal".into());
    }
    if rules.is_none_or(|rules| record.rules != *rules && record.rules.value() != rules.value()) {
        return Err("its record has other rules".into());
    }
    if played.bots.len() != tournament.plan.seats {
        return Err("its record has another number of seats".into());
    }
    Ok(())
}
