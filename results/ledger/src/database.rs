//! SQLite database of a ledger: tables, connections, and the diagnosis of unreadable files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use arena_engine::table;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use crate::about::About;
use crate::error::LedgerError;
use crate::file::{FILE, FORMAT};

/// Maximum time to wait for another process that is writing.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of steps of the queries that identify a ledger. An intact ledger needs a few dozen.
const MAX_STEPS: i32 = 100_000;
/// Maximum size of a value in a ledger.
const MAX_VALUE_BYTES: i32 = 1 << 28;
/// Maximum number of tables read from an unknown file.
const MAX_TABLES: usize = 20;

pub(crate) const TABLES: &str = "
    CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE records (number INTEGER PRIMARY KEY, entry BLOB NOT NULL);
    CREATE TABLE scores (
        deal INTEGER NOT NULL,
        bots BLOB NOT NULL,
        seats BLOB NOT NULL,
        record INTEGER NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (deal, bots)
    ) WITHOUT ROWID;";

/// Returns the path of the ledger in a folder, if it exists.
pub(crate) fn present(folder: &Path) -> Result<PathBuf, LedgerError> {
    let path = folder.join(FILE);
    if path.is_file() {
        // Records can only be replayed with the copy of their game that is in the folder.
        table::search_in(folder);
        Ok(path)
    } else {
        Err(LedgerError::None(folder.to_path_buf()))
    }
}

/// Opens a database. Its statements wait for other processes, and run no code from the file, which may be forged.
pub(crate) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, LedgerError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    for (config, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    ] {
        connection.set_db_config(config, is_on)?;
    }
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
    Ok(connection)
}

/// Configures a connection for writing.
pub(crate) fn tune(connection: &Connection) -> Result<(), LedgerError> {
    let settings =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON";
    Ok(connection.execute_batch(settings)?)
}

/// Checks that a file is a ledger of a supported format, and reads its metadata, in a limited number of steps.
pub(crate) fn described(
    connection: &mut Connection,
    path: &Path,
    folder: &Path,
) -> Result<About, LedgerError> {
    connection.progress_handler(MAX_STEPS, Some(|| true))?;
    let about = about(connection, path, folder);
    connection.progress_handler(0, None::<fn() -> bool>)?;
    about
}

fn about(connection: &Connection, path: &Path, folder: &Path) -> Result<About, LedgerError> {
    let not_ours = || LedgerError::Foreign(path.to_path_buf());
    let tables = tables(connection, path)?;
    if tables.is_empty() {
        return Err(LedgerError::None(folder.to_path_buf()));
    }
    let ours: Vec<String> = TABLES.split_terminator(';').map(on_one_line).collect();
    // The first table is the same in all formats.
    if !tables.contains(&ours[0]) {
        return Err(not_ours());
    }
    let format = "SELECT CAST(value AS BLOB) FROM meta WHERE key = 'format'";
    let format: Option<Vec<u8>> = connection
        .query_row(format, [], |row| row.get(0))
        .optional()
        .map_err(|error| foreign(error, path))?;
    let format = format.and_then(|format| String::from_utf8(format).ok()?.parse().ok());
    let found: u32 = format.ok_or_else(not_ours)?;
    if found != FORMAT {
        return Err(LedgerError::Format(path.to_path_buf(), found));
    }
    if tables != ours {
        return Err(not_ours());
    }
    About::load(connection)
        .map_err(|error| foreign(error, path))?
        .ok_or_else(|| LedgerError::Unreadable(path.to_path_buf()))
}

/// Returns the definitions of all objects in a database, in order. There are none if the process that created it was killed before the
/// first commit.
pub(crate) fn tables(connection: &Connection, path: &Path) -> Result<Vec<String>, LedgerError> {
    // A table of a forged file may be named `sqlite_schema`, but not `sqlite_master`.
    let query = format!("SELECT coalesce(sql, '') FROM sqlite_master LIMIT {MAX_TABLES}");
    let read = || {
        let mut query = connection.prepare(&query)?;
        let rows = query.query_map([], |row| row.get::<_, String>(0))?;
        rows.map(|sql| Ok(on_one_line(&sql?))).collect()
    };
    let tables: rusqlite::Result<_> = read();
    tables.map_err(|error| foreign(error, path))
}

/// Returns a statement with single spaces.
fn on_one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Replaces the error by a better one if the file is not a ledger.
fn foreign(error: rusqlite::Error, path: &Path) -> LedgerError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::OperationInterrupted) => {
            LedgerError::Foreign(path.to_path_buf())
        }
        _ => match LedgerError::from(error) {
            LedgerError::Damaged(_) => LedgerError::Unreadable(path.to_path_buf()),
            error => error,
        },
    }
}

/// Returns true if SQLite failed because it cannot create its files next to the ledger.
pub(crate) fn unwritable(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    )
}

/// Returns the URI of a ledger for reading while no process can be writing to it.
pub(crate) fn immutable(path: &Path) -> PathBuf {
    with_parameters(path, "immutable=1")
}

/// Returns the URI of a ledger with parameters for SQLite.
pub(crate) fn with_parameters(path: &Path, parameters: &str) -> PathBuf {
    let escaped = path
        .to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    format!("file:{escaped}?{parameters}").into()
}
