//! The ledger: the file that holds a tournament and its finished matches.
//!
//! It is an SQLite database in WAL mode, so that others may read while one process writes, and a killed writer leaves
//! whole transactions only. (`synchronous = NORMAL`: a power cut may take the last transactions with it, never break
//! the file; what is missing is played again.)

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::played::Played;
use crate::tournament::Tournament;

/// The ledger's name in the folder of its tournament.
pub const FILE: &str = "ledger.sqlite";

/// The version of the format written here; others are refused.
pub const FORMAT: u32 = 2;

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(30);

const TABLES: &str = "
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE matches (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        deal INTEGER NOT NULL,
        bots TEXT NOT NULL,
        record TEXT NOT NULL,
        verdict TEXT NOT NULL,
        notes TEXT NOT NULL,
        evidence TEXT NOT NULL,
        voids TEXT NOT NULL,
        times TEXT NOT NULL
    );";

const COLUMNS: &str = "number, id, deal, bots, record, verdict, notes, evidence, voids, times";

/// What can go wrong with a ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// There is none.
    #[error("there is no ledger in {}", .0.display())]
    None(PathBuf),
    /// There is one where a new one should be.
    #[error("there is a ledger in {} already", .0.display())]
    Already(PathBuf),
    /// The file is something else.
    #[error("{} is not a ledger of this arena", .0.display())]
    Foreign(PathBuf),
    /// Another version of the arena wrote it.
    #[error("{} is a ledger of format {found}, this program reads format {FORMAT}", path.display())]
    Format {
        /// The ledger.
        path: PathBuf,
        /// Its format.
        found: String,
    },
    /// The folder cannot be made.
    #[error("cannot make the folder {}: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// SQLite failed.
    #[error("the ledger cannot be used: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A field is not what this program writes.
    #[error("the ledger's {what} cannot be read: {error}")]
    Field {
        /// Which field.
        what: String,
        /// What is wrong with it.
        error: serde_json::Error,
    },
}

/// A tournament and its finished matches, kept in a file.
pub struct Ledger {
    connection: Connection,
    tournament: Tournament,
}

impl Ledger {
    /// Makes a new ledger in the folder, which is made too if need be.
    pub fn create(folder: &Path, tournament: &Tournament) -> Result<Self, LedgerError> {
        std::fs::create_dir_all(folder).map_err(|error| LedgerError::Folder { path: folder.to_path_buf(), error })?;
        let path = folder.join(FILE);
        let mut connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        tune(&connection)?;
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if has_tables(&transaction, &path)? {
            return Err(LedgerError::Already(folder.to_path_buf()));
        }
        transaction.execute_batch(TABLES)?;
        let mut insert = transaction.prepare("INSERT INTO meta (key, value) VALUES (?1, ?2)")?;
        insert.execute(params!["format", FORMAT.to_string()])?;
        insert.execute(params!["tournament", json("tournament", tournament)?])?;
        drop(insert);
        transaction.commit()?;
        Ok(Self { connection, tournament: tournament.clone() })
    }

    /// Opens the folder's ledger, to go on with it.
    pub fn open(folder: &Path) -> Result<Self, LedgerError> {
        let path = present(folder)?;
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let tournament = introduce(&connection, &path, folder)?;
        tune(&connection)?;
        Ok(Self { connection, tournament })
    }

    /// Opens the folder's ledger to read it only, whether or not another process is writing, and also where nothing
    /// may be written.
    pub fn open_read_only(folder: &Path) -> Result<Self, LedgerError> {
        let path = present(folder)?;
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        match introduce(&connection, &path, folder) {
            Err(LedgerError::Sqlite(error)) if unwritable(&error) && !beside(&path, "-wal").exists() => {
                let connection =
                    connect(&immutable(&path), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?;
                let tournament = introduce(&connection, &path, folder)?;
                Ok(Self { connection, tournament })
            }
            tournament => Ok(Self { tournament: tournament?, connection }),
        }
    }

    /// The tournament whose matches these are.
    pub fn tournament(&self) -> &Tournament {
        &self.tournament
    }

    /// How many matches are finished.
    pub fn count(&self) -> Result<u64, LedgerError> {
        Ok(self.connection.query_row("SELECT count(*) FROM matches", [], |row| row.get(0))?)
    }

    /// The ids of the finished matches.
    pub fn done(&self) -> Result<HashSet<String>, LedgerError> {
        let mut ids = self.connection.prepare("SELECT id FROM matches")?;
        let ids = ids.query_map([], |row| row.get(0))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// Adds finished matches, all or none; those that the ledger has already are left as they are.
    pub fn append(&mut self, matches: &[Played]) -> Result<(), LedgerError> {
        let transaction = self.connection.transaction()?;
        let mut insert = transaction.prepare_cached(&format!(
            "INSERT INTO matches ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (id) DO NOTHING"
        ))?;
        for played in matches {
            insert.execute(params![
                played.number,
                played.id,
                played.deal,
                json("bots", &played.bots)?,
                played.record,
                json("verdict", &played.verdict)?,
                json("notes", &played.notes)?,
                json("evidence", &played.evidence)?,
                json("voids", &played.voids)?,
                json("times", &played.times)?,
            ])?;
        }
        drop(insert);
        Ok(transaction.commit()?)
    }

    /// The finished match with this id, if there is one.
    pub fn find(&self, id: &str) -> Result<Option<Played>, LedgerError> {
        let mut query = self.connection.prepare_cached(&format!("SELECT {COLUMNS} FROM matches WHERE id = ?1"))?;
        query.query_row([id], |row| Ok(read(row))).optional()?.transpose()
    }

    /// Hands over the finished matches one by one in order of the schedule, as they were when this was called.
    pub fn each<E: From<LedgerError>>(&self, mut take: impl FnMut(Played) -> Result<(), E>) -> Result<(), E> {
        let mut query = self
            .connection
            .prepare(&format!("SELECT {COLUMNS} FROM matches ORDER BY number"))
            .map_err(LedgerError::from)?;
        let mut rows = query.query([]).map_err(LedgerError::from)?;
        while let Some(row) = rows.next().map_err(LedgerError::from)? {
            take(read(row)?)?;
        }
        Ok(())
    }
}

fn present(folder: &Path) -> Result<PathBuf, LedgerError> {
    let path = folder.join(FILE);
    if path.is_file() { Ok(path) } else { Err(LedgerError::None(folder.to_path_buf())) }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, LedgerError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// Settings of a connection that writes.
fn tune(connection: &Connection) -> Result<(), LedgerError> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    Ok(connection.pragma_update(None, "synchronous", "NORMAL")?)
}

/// Makes sure that it is a ledger of our format, and reads what it says of itself.
fn introduce(connection: &Connection, path: &Path, folder: &Path) -> Result<Tournament, LedgerError> {
    if !has_tables(connection, path)? {
        return Err(LedgerError::None(folder.to_path_buf()));
    }
    let mut meta = connection.prepare("SELECT value FROM meta WHERE key = ?1").map_err(|error| foreign(error, path))?;
    let mut value = |key: &str| meta.query_row([key], |row| row.get::<_, String>(0)).optional();
    let Some(found) = value("format")? else { return Err(LedgerError::Foreign(path.to_path_buf())) };
    if found != FORMAT.to_string() {
        return Err(LedgerError::Format { path: path.to_path_buf(), found });
    }
    parse("tournament", &value("tournament")?.unwrap_or_default())
}

/// Whether anything was ever written to the database; a process killed right after it opened the file leaves none.
fn has_tables(connection: &Connection, path: &Path) -> Result<bool, LedgerError> {
    let count = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, u64>(0));
    Ok(count.map_err(|error| foreign(error, path))? > 0)
}

/// Tells a file that is something else from other troubles.
fn foreign(error: rusqlite::Error, path: &Path) -> LedgerError {
    match &error {
        rusqlite::Error::SqliteFailure(failure, Some(text))
            if failure.code == ErrorCode::NotADatabase || text.starts_with("no such table") =>
        {
            LedgerError::Foreign(path.to_path_buf())
        }
        _ => error.into(),
    }
}

/// Whether SQLite failed because it may not put its files beside the ledger.
fn unwritable(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// The file that SQLite keeps beside the ledger under this ending.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The address of a ledger that nobody can be writing.
fn immutable(path: &Path) -> PathBuf {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{escaped}?immutable=1").into()
}

fn read(row: &Row<'_>) -> Result<Played, LedgerError> {
    let id: String = row.get("id")?;
    let what = |field: &str| format!("{field} of match {id}");
    Ok(Played {
        number: row.get("number")?,
        deal: row.get("deal")?,
        bots: parse(&what("bots"), row.get_ref("bots")?.as_str().map_err(rusqlite::Error::from)?)?,
        record: row.get("record")?,
        verdict: parse(&what("verdict"), row.get_ref("verdict")?.as_str().map_err(rusqlite::Error::from)?)?,
        notes: parse(&what("notes"), row.get_ref("notes")?.as_str().map_err(rusqlite::Error::from)?)?,
        evidence: parse(&what("evidence"), row.get_ref("evidence")?.as_str().map_err(rusqlite::Error::from)?)?,
        voids: parse(&what("voids"), row.get_ref("voids")?.as_str().map_err(rusqlite::Error::from)?)?,
        times: parse(&what("times"), row.get_ref("times")?.as_str().map_err(rusqlite::Error::from)?)?,
        id,
    })
}

fn json(what: &str, value: &impl Serialize) -> Result<String, LedgerError> {
    serde_json::to_string(value).map_err(|error| LedgerError::Field { what: what.into(), error })
}

fn parse<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, LedgerError> {
    serde_json::from_str(text).map_err(|error| LedgerError::Field { what: what.into(), error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn all(ledger: &Ledger) -> Vec<Played> {
        let mut all = Vec::new();
        let collected: Result<(), LedgerError> = ledger.each(|played| {
            all.push(played);
            Ok(())
        });
        collected.unwrap();
        all
    }

    #[test]
    fn what_goes_in_comes_out_in_order_and_doubles_are_harmless() {
        let folder = tempfile::tempdir().unwrap();
        let (tournament, played) = sample::small();
        let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
        ledger.append(&[played[2].clone(), played[0].clone()]).unwrap();
        ledger.append(&[played[1].clone(), played[2].clone()]).unwrap();
        let mut altered = played[1].clone();
        altered.bots.reverse();
        ledger.append(&[altered]).unwrap();

        assert_eq!(all(&ledger), played[..3]);
        assert_eq!(ledger.count().unwrap(), 3);
        assert_eq!(ledger.done().unwrap(), played[..3].iter().map(|one| one.id.clone()).collect());
        assert_eq!(ledger.find(&played[1].id).unwrap().as_ref(), Some(&played[1]));
        assert_eq!(ledger.find("none").unwrap(), None);

        let reader = Ledger::open_read_only(folder.path()).unwrap();
        assert_eq!(reader.tournament(), &tournament);
        ledger.append(&played[3..]).unwrap();
        assert_eq!(all(&reader), played);
        drop((ledger, reader));
        assert_eq!(all(&Ledger::open(folder.path()).unwrap()), played);
    }

    #[test]
    fn a_ledger_that_cannot_change_is_read_whatever_its_folder_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("50% #1? yes");
        let (tournament, played) = sample::small();
        Ledger::create(&folder, &tournament).unwrap().append(&played).unwrap();
        let path = immutable(&folder.join(FILE));
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI).unwrap();
        assert_eq!(introduce(&connection, &path, &folder).unwrap(), tournament);
        assert_eq!(all(&Ledger { connection, tournament }), played);
    }

    #[test]
    fn another_match_with_the_same_number_is_refused_and_nothing_is_added() {
        let folder = tempfile::tempdir().unwrap();
        let (tournament, played) = sample::small();
        let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
        let mut other = played[0].clone();
        other.id = "other".into();
        assert!(ledger.append(&[played[0].clone(), other]).is_err());
        assert_eq!(ledger.count().unwrap(), 0);
    }

    #[test]
    fn what_is_no_ledger_of_ours_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let told = |opened: Result<Ledger, LedgerError>| match opened {
            Ok(_) => "opened".to_owned(),
            Err(error) => error.to_string().replace(folder.path().to_str().unwrap(), "FOLDER"),
        };
        let (tournament, _) = sample::small();
        let open = || told(Ledger::open(folder.path()));
        assert_eq!(open(), "there is no ledger in FOLDER");

        std::fs::write(folder.path().join(FILE), "").unwrap();
        assert_eq!(open(), "there is no ledger in FOLDER");
        assert_eq!(told(Ledger::create(folder.path(), &tournament)), "opened");
        assert_eq!(told(Ledger::create(folder.path(), &tournament)), "there is a ledger in FOLDER already");

        let connection = Connection::open(folder.path().join(FILE)).unwrap();
        connection.execute("UPDATE meta SET value = '9' WHERE key = 'format'", []).unwrap();
        assert_eq!(open(), "FOLDER/ledger.sqlite is a ledger of format 9, this program reads format 2");
        connection.execute_batch("DROP TABLE meta").unwrap();
        assert_eq!(open(), "FOLDER/ledger.sqlite is not a ledger of this arena");
        drop(connection);
        std::fs::write(folder.path().join(FILE), "something else".repeat(100)).unwrap();
        assert_eq!(open(), "FOLDER/ledger.sqlite is not a ledger of this arena");
    }
}
