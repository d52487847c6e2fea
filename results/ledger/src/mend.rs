//! Making a whole ledger of what is left of a damaged one.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use arena_tournament::deals::Scored;
use arena_tournament::spec::Spec;
use rusqlite::types::Value;

use crate::body::Unpacker;
use crate::error::LedgerError;
use crate::ledger::{DICTIONARY, FILE, FORMAT, Ledger, SPEC, VERSION, beside, present};
use crate::lock::Lock;
use crate::pages::Pages;
use crate::row;
use crate::stored::{Store, Stored, name};
use crate::verify::{Verified, verify};

/// All that can be read of a ledger's file, whether SQLite can use it or not.
pub struct Remains {
    pages: Pages,
    spec: Spec,
    dictionary: Vec<u8>,
    /// The rows whose sums are right, by the numbers of their records.
    rows: BTreeMap<i64, Scored>,
    complaints: Vec<String>,
}

impl Remains {
    /// What can be read of the folder's ledger. Where it has lost all copies of the description of its tournament, its
    /// matches are read by another description, if that is given and any of them fits it.
    pub fn find(folder: &Path, substitute: Option<Spec>) -> Result<Self, LedgerError> {
        let path = present(folder)?;
        let mut complaints = complaints(folder)?;
        let failed = |error| LedgerError::File { path: path.clone(), error };
        let mut pages = Pages::open(&path, &beside(&path, "-wal")).map_err(failed)?;
        let (texts, mut rows) = checked(&mut pages).map_err(failed)?;
        let kept = |key: &'static str| texts.iter().filter(move |(of, _)| of == key).map(|(_, value)| value);
        if let Some(found) = kept(VERSION).find(|found| **found != FORMAT.to_string().as_bytes()) {
            return Err(LedgerError::Format { path, found: String::from_utf8_lossy(found).into_owned() });
        }
        let dictionary = kept(DICTIONARY).next().cloned().unwrap_or_default();
        if dictionary.is_empty() && !rows.is_empty() {
            complaints.push("what its records are unpacked with is lost, and so are they".into());
        }
        let (spec, is_own) = match (latest(SPEC.into_iter().flat_map(kept)), substitute) {
            (Some(spec), _) => (spec, true),
            (None, Some(spec)) => (spec, false),
            (None, None) => return Err(LedgerError::Hopeless(path)),
        };
        rows.retain(|_, scored| name(&spec, scored.deal, &scored.bots).is_some());
        let mut remains = Self { pages, spec, dictionary, rows, complaints };
        if !is_own {
            if verify(&mut remains, |_| Ok(()))?.whole == 0 {
                return Err(LedgerError::Hopeless(path));
            }
            remains.complaints.push("the description of the tournament is lost; that of its file fits".into());
        }
        Ok(remains)
    }

    /// The match in a body, with its row.
    fn read(&self, unpacker: &mut Unpacker, number: i64, body: &[u8]) -> Option<Stored> {
        let row = self.rows.get(&number);
        let Some(played) = unpacker.read(body) else {
            let name = row.and_then(|row| name(&self.spec, row.deal, &row.bots));
            return name.map(|name| Stored::lost(name, "its record is damaged"));
        };
        let is_of = |row: &&Scored| indices(&self.spec, &played.bots).is_some_and(|bots| bots == row.bots);
        let row = row.filter(|row| row.deal == played.deal).filter(is_of).cloned();
        Some(Stored { name: played.id(), row: Ok(row), body: Ok(played) })
    }
}

impl Store for Remains {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn complaints(&self) -> Vec<String> {
        self.complaints.clone()
    }

    fn stored(&mut self, take: &mut dyn FnMut(Stored) -> Result<(), LedgerError>) -> Result<(), LedgerError> {
        let failed = |error| LedgerError::File { path: FILE.into(), error };
        let mut unpacker = Unpacker::new(&self.dictionary).map_err(failed)?;
        // A page that SQLite has given up may hold what another has too.
        let mut whole = HashSet::new();
        let mut damaged = BTreeMap::new();
        for page in self.pages.numbers() {
            for (number, body) in self.pages.rows(page).map_err(failed)?.iter().filter_map(|row| body(row)) {
                match self.read(&mut unpacker, number, body) {
                    Some(stored) if stored.body.is_err() => _ = damaged.insert(number, stored),
                    Some(stored) if whole.insert(number) => take(stored)?,
                    _ => {}
                }
            }
        }
        for (number, row) in self.rows.iter().filter(|(number, _)| !whole.contains(number)) {
            let missing =
                || Stored::lost(name(&self.spec, row.deal, &row.bots).unwrap_or_default(), "its record is missing");
            take(damaged.remove(number).unwrap_or_else(missing))?;
        }
        Ok(())
    }
}

/// What SQLite says of the folder's ledger.
fn complaints(folder: &Path) -> Result<Vec<String>, LedgerError> {
    match Ledger::open_read_only(folder) {
        Ok(ledger) => Ok(ledger.complaints()),
        Err(LedgerError::Damaged(why)) => Ok(vec![why]),
        Err(LedgerError::Foreign(_) | LedgerError::None(_)) => Ok(vec!["its beginning is lost".into()]),
        Err(error) => Err(error),
    }
}

/// The entries of `meta` and the rows of matches whose sums are right.
type Checked = (Vec<(String, Vec<u8>)>, BTreeMap<i64, Scored>);

fn checked(pages: &mut Pages) -> io::Result<Checked> {
    let (mut texts, mut rows) = Checked::default();
    for number in pages.numbers() {
        for columns in pages.rows(number)? {
            rows.extend(scored(&columns));
            texts.extend(text(columns));
        }
    }
    Ok((texts, rows))
}

fn text(columns: Vec<Value>) -> Option<(String, Vec<u8>)> {
    let Ok([Value::Text(key), Value::Blob(value), Value::Integer(sum)]) = <[Value; 3]>::try_from(columns) else {
        return None;
    };
    (i64::from(crc32fast::hash(&value)) == sum).then_some((key, value))
}

fn scored(columns: &[Value]) -> Option<(i64, Scored)> {
    let [Value::Integer(deal), Value::Blob(key), Value::Blob(seats), Value::Integer(body), Value::Integer(sum)] =
        columns
    else {
        return None;
    };
    let scored = row::unpack(u32::try_from(*deal).ok()?, key, seats, *body, u32::try_from(*sum).ok()?).ok()?;
    (scored.bots.len() == scored.seats.len()).then_some((*body, scored))
}

fn body(columns: &[Value]) -> Option<(i64, &[u8])> {
    if let [Value::Integer(number), Value::Blob(body)] = columns { Some((*number, body)) } else { None }
}

/// The bots as their indices, if all are in the tournament.
fn indices(spec: &Spec, bots: &[String]) -> Option<Vec<usize>> {
    let index = crate::ledger::index(spec);
    bots.iter().map(|bot| index.get(bot).copied()).collect()
}

/// The description that is the last of those in a file: more bots have left than before, or a tournament that was extended has
/// more bots or deals.
fn latest<'a>(descriptions: impl Iterator<Item = &'a Vec<u8>>) -> Option<Spec> {
    let read = descriptions.filter_map(|json| serde_json::from_slice(json).ok());
    read.max_by_key(|spec: &Spec| (spec.departures.len(), spec.bots.len(), spec.plan.deals))
}

/// Puts a new ledger with all that is whole in the place of a damaged one, which is kept beside it under another name.
/// Returns what was found, and where the old one is.
pub fn mend(folder: &Path, substitute: Option<Spec>) -> Result<(Verified, PathBuf), LedgerError> {
    let lock = Lock::take(folder)?;
    let mut damaged = Remains::find(folder, substitute)?;
    let making = folder.join("mending");
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |error| LedgerError::File { path, error }
    };
    // What an earlier attempt may have left.
    if making.exists() {
        std::fs::remove_dir_all(&making).map_err(failed(&making))?;
    }
    let mut new = Ledger::create(&making, &damaged.spec)?;
    let verified = verify(&mut damaged, |whole| if whole.is_empty() { Ok(()) } else { new.append(whole) })?;
    new.close()?;
    drop(damaged);
    let aside = (1..).map(|number| folder.join(format!("damaged-{number}.sqlite"))).find(|path| !path.exists());
    let aside = aside.expect("some number is free");
    let old = folder.join(FILE);
    for ending in ["", "-wal", "-shm"] {
        let (from, to) = (beside(&old, ending), beside(&aside, ending));
        if from.exists() {
            std::fs::rename(&from, to).map_err(failed(&from))?;
        }
    }
    std::fs::rename(making.join(FILE), &old).map_err(failed(&old))?;
    std::fs::remove_dir_all(&making).map_err(failed(&making))?;
    drop(lock);
    Ok((verified, aside))
}
