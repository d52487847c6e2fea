//! Repairing a ledger: a new one is made of all that is whole in the file of a damaged one and the log beside it. Neither the header of
//! the file nor its trees are needed, since matches and description are found by their marks.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use arena_tournament::played::Played;
use arena_tournament::spec::Spec;

use crate::about::{self, About};
use crate::error::LedgerError;
use crate::file::{FILE, beside};
use crate::ledger::{CHUNK, Ledger, index, present};
use crate::lock::Lock;
use crate::piece::{self, Entry, Head};
use crate::record::Reader;
use crate::saved;
use crate::verify::{self, Verified};

/// All that can be found of a ledger, whether SQLite can read it or not.
pub struct Remains {
    about: About,
    /// The entries of matches in order of their numbers, and the numbers of those of which parts are missing.
    entries: Vec<Vec<u8>>,
    partial: Vec<i64>,
    complaints: Vec<String>,
}

impl Remains {
    /// What can be found of the folder's ledger. Where it has lost both copies of the description of its tournament, its
    /// matches are read by another description, if that is given and any of them fits it.
    pub fn find(folder: &Path, substitute: Option<&Spec>) -> Result<Self, LedgerError> {
        let path = present(folder)?;
        let mut complaints = complaints(folder)?;
        let (mut entries, partial) = entries(&path)?;
        let matches = entries.split_off(&(about::NUMBER + 1, 0));
        let about = entries
            .values()
            .filter_map(|entry| About::read(entry))
            .max_by_key(|about| about.revision);
        let is_own = about.is_some();
        let about = about.or_else(|| substitute.map(About::new));
        let about = about.ok_or_else(|| LedgerError::Hopeless(path.clone()))?;
        if !is_own {
            complaints
                .push("the description of the tournament is lost; that of its file fits".into());
        }
        let remains = Self {
            about,
            entries: matches.into_values().collect(),
            partial,
            complaints,
        };
        if !is_own && remains.verify(|_| Ok(()))?.whole == 0 {
            return Err(LedgerError::Hopeless(path));
        }
        Ok(remains)
    }

    /// The tournament whose matches these are.
    pub fn spec(&self) -> &Spec {
        &self.about.spec
    }

    /// Checks all matches, and passes on those that are whole.
    pub fn verify(
        &self,
        mut keep: impl FnMut(&[Played]) -> Result<(), LedgerError>,
    ) -> Result<Verified, LedgerError> {
        let mut verified = Verified {
            file: self.complaints.clone(),
            ..Verified::default()
        };
        let partial = self.partial.iter().map(|number| format!("record {number}"));
        partial.for_each(|name| verified.add(&name, "a part of it is lost", true));
        let (spec, bots, mut seen) = (self.spec(), index(self.spec()), HashSet::new());
        let mut reader = Reader::new(spec)?;
        for chunk in self.entries.chunks(CHUNK) {
            let mut found: Vec<Played> = chunk
                .iter()
                .filter_map(|entry| reader.read(entry))
                .collect();
            found.retain(|played| {
                played.bots.iter().all(|bot| bots.contains_key(bot)) && seen.insert(played.id())
            });
            let checked = verify::check_records(spec, &found.iter().collect::<Vec<_>>())?;
            let mut whole = Vec::new();
            for (played, checked) in found.into_iter().zip(checked) {
                match checked {
                    Ok(()) => whole.push(played),
                    Err(why) => verified.add(&played.id(), &why, true),
                }
            }
            verified.whole += whole.len() as u64;
            keep(&whole)?;
        }
        Ok(verified)
    }
}

/// SQLite's complaints about the folder's ledger.
fn complaints(folder: &Path) -> Result<Vec<String>, LedgerError> {
    match Ledger::open_read_only(folder).and_then(|ledger| verify::complaints(&ledger)) {
        Err(LedgerError::Damaged(why)) => Ok(vec![why]),
        Err(LedgerError::Sqlite(error)) => Ok(vec![error.to_string()]),
        Err(LedgerError::Foreign(_) | LedgerError::None(_)) => {
            Ok(vec!["its beginning is lost".into()])
        }
        found => found,
    }
}

/// The whole entries by number and sum, and the numbers of matches of which parts are missing.
type Found = (BTreeMap<(i64, u32), Vec<u8>>, Vec<i64>);

/// All entries in a file and in the log beside it.
fn entries(path: &Path) -> Result<Found, LedgerError> {
    let log = beside(path, "-wal");
    let mut files = vec![std::fs::read(path).map_err(LedgerError::file(path))?];
    if log.exists() {
        files.push(std::fs::read(&log).map_err(LedgerError::file(&log))?);
    }
    let pieces: BTreeMap<Head, &[u8]> = files.iter().flat_map(|bytes| piece::find(bytes)).collect();
    let mut found = BTreeMap::<(i64, u32), Entry>::new();
    for (head, content) in pieces {
        found
            .entry((head.number, head.sum))
            .or_default()
            .take(&head, content);
    }
    let (mut whole, mut partial) = Found::default();
    for (key, entry) in found {
        match entry.content() {
            Some(content) => _ = whole.insert(key, content),
            None => partial.extend((key.0 != about::NUMBER).then_some(key.0)),
        }
    }
    Ok((whole, partial))
}

/// Puts a new ledger with all that is whole in the place of a damaged one, which is kept beside it under another name.
/// Returns what was found, and where the old one is.
pub fn repair(
    folder: &Path,
    substitute: Option<&Spec>,
) -> Result<(Verified, PathBuf), LedgerError> {
    let lock = Lock::take(folder)?;
    let remains = Remains::find(folder, substitute)?;
    let making = folder.join("repairing");
    // What an earlier attempt may have left.
    if making.exists() {
        std::fs::remove_dir_all(&making).map_err(LedgerError::file(&making))?;
    }
    let mut new = Ledger::create(&making, remains.spec())?;
    let verified = remains.verify(|whole| new.append(whole))?;
    new.change(|_, about| {
        about.clone_from(&remains.about);
        Ok(())
    })?;
    new.close()?;
    let aside = (1..)
        .map(|number| folder.join(format!("damaged-{number}.sqlite")))
        .find(|path| !path.exists());
    let aside = aside.expect("some number is free");
    let old = folder.join(FILE);
    for ending in ["", "-wal", "-shm"] {
        let (from, to) = (beside(&old, ending), beside(&aside, ending));
        if from.exists() {
            std::fs::rename(&from, to).map_err(LedgerError::file(&from))?;
        }
    }
    for file in [saved::FILE, FILE] {
        let to = folder.join(file);
        std::fs::rename(making.join(file), &to).map_err(LedgerError::file(&to))?;
    }
    std::fs::remove_dir_all(&making).map_err(LedgerError::file(&making))?;
    drop(lock);
    Ok((verified, aside))
}
