//! Errors of a ledger.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{ErrorCode, ffi};

use crate::file::FORMAT;

/// Error of a ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// There is no ledger, or it was never filled.
    #[error("no tournament has begun in {}: name the folder or the file of one, or begin it with `arena run`", .0.display())]
    None(PathBuf),
    /// A ledger already exists.
    #[error("{} already holds a ledger", .0.display())]
    Already(PathBuf),
    /// The file is not a ledger.
    #[error("{} is not a ledger of this arena, or its beginning is lost", .0.display())]
    Foreign(PathBuf),
    /// The ledger was written by another version of the arena.
    #[error(
        "{path} is a ledger of format {found}, this program reads format {FORMAT}: use the version of the arena that wrote it, or \
         start over with `arena reset`",
        path = .0.display(), found = .1
    )]
    Format(PathBuf, u32),
    /// Another process is writing to the ledger of this folder.
    #[error(
        "{folder} is in use by another arena ({holder}); `arena show` can still read it, `arena stop` stops the other",
        folder = .0.display(), holder = .1
    )]
    Busy(PathBuf, String),
    /// A file or folder next to the ledger cannot be created or used.
    #[error("cannot use {path}: {error}", path = .0.display(), error = .1)]
    File(PathBuf, io::Error),
    /// The disk is full.
    #[error(
        "no space is left for the ledger; all matches saved before are kept: free some space, then continue with `arena run`"
    )]
    Full,
    /// The system does not let the file grow.
    #[error(
        "the ledger cannot grow: the disk is full, its quota is used up, or files may not be that large (ulimit -f); all \
         matches saved before are kept: make room or raise the limit, then repeat the command"
    )]
    Unwritten,
    /// Some content of the file differs from what was written.
    #[error(
        "the ledger is damaged ({0}): `arena verify` lists what is lost, `arena verify --repair` keeps what is whole"
    )]
    Damaged(String),
    /// The tables or the tournament cannot be read.
    #[error(
        "{} is damaged too badly to be read: restore a copy of the folder, or start over with `arena reset`",
        .0.display()
    )]
    Unreadable(PathBuf),
    /// SQLite failed.
    #[error("the ledger cannot be used: {0}")]
    Sqlite(rusqlite::Error),
    /// A match or the tournament cannot be serialised.
    #[error("a value cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The tournament has no such bot.
    #[error("no bot is named {0:?} in this tournament")]
    Stranger(String),
    /// This program does not have the game, for this reason.
    #[error("{0}")]
    Game(String),
}

impl LedgerError {
    /// Wraps an error that concerns a file or a folder.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        |error| Self::File(path, error)
    }
}

impl From<rusqlite::Error> for LedgerError {
    fn from(error: rusqlite::Error) -> Self {
        use ffi::{
            SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE,
        };
        use rusqlite::Error::{
            FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, SqlInputError,
        };
        // The query met a value, or the name of a table or column, that a ledger never contains.
        let is_strange = match &error {
            FromSqlConversionFailure(..)
            | IntegralValueOutOfRange(..)
            | InvalidColumnType(..)
            | SqlInputError { .. } => true,
            error => error.to_string().starts_with("no such "),
        };
        if is_strange {
            return Self::Damaged(error.to_string());
        }
        let cannot_grow = [
            SQLITE_IOERR_WRITE,
            SQLITE_IOERR_TRUNCATE,
            SQLITE_IOERR_SHMOPEN,
            SQLITE_IOERR_SHMSIZE,
        ];
        if error
            .sqlite_error()
            .is_some_and(|error| cannot_grow.contains(&error.extended_code))
        {
            return Self::Unwritten;
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(error.to_string()),
            _ => Self::Sqlite(error),
        }
    }
}
