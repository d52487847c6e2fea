//! SQLite database of a ledger: tables, connections, and the diagnosis of unreadable files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use crate::about::About;
use crate::error::LedgerError;
use crate::file::{FILE, FORMAT};

/// Time to wait for another process that is writing.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

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
        Ok(path)
    } else {
        Err(LedgerError::None(folder.to_path_buf()))
    }
}

/// Opens a database whose statements wait for other processes.
pub(crate) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, LedgerError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Configures a connection for writing.
pub(crate) fn tune(connection: &Connection) -> Result<(), LedgerError> {
    let settings =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON";
    Ok(connection.execute_batch(settings)?)
}

/// Checks that a file is a ledger of a supported format, and reads its metadata.
pub(crate) fn described(
    connection: &Connection,
    path: &Path,
    folder: &Path,
) -> Result<About, LedgerError> {
    if !has_tables(connection, path)? {
        return Err(LedgerError::None(folder.to_path_buf()));
    }
    let format = "SELECT CAST(value AS BLOB) FROM meta WHERE key = 'format'";
    // Other kinds of files have no such table.
    let mut query = connection
        .prepare(format)
        .map_err(|error| foreign(error, path))?;
    let format: Option<Vec<u8>> = query
        .query_row([], |row| row.get(0))
        .optional()
        .map_err(|error| foreign(error, path))?;
    let Some(format) = format else {
        return Err(LedgerError::Foreign(path.to_path_buf()));
    };
    let found = String::from_utf8_lossy(&format).into_owned();
    if found != FORMAT.to_string() {
        return Err(LedgerError::Format(path.to_path_buf(), found));
    }
    About::load(connection)
        .map_err(|error| foreign(error, path))?
        .ok_or_else(|| LedgerError::Unreadable(path.to_path_buf()))
}

/// Returns true if anything was ever written to the database. A process killed right after creating the file
/// leaves it empty.
pub(crate) fn has_tables(connection: &Connection, path: &Path) -> Result<bool, LedgerError> {
    let count = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| {
        row.get::<_, u64>(0)
    });
    Ok(count.map_err(|error| foreign(error, path))? > 0)
}

/// Converts the error if the file is not a ledger.
fn foreign(error: rusqlite::Error, path: &Path) -> LedgerError {
    match &error {
        rusqlite::Error::SqliteFailure(failure, Some(text))
            if failure.code == ErrorCode::NotADatabase || text.starts_with("no such table") =>
        {
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

/// Returns the URI of a ledger that no process can be writing to.
pub(crate) fn immutable(path: &Path) -> PathBuf {
    let escaped = path
        .to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    format!("file:{escaped}?immutable=1").into()
}
