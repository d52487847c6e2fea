//! Exports for other programs: whole matches with all that happened in them, and tables for statistics.
//!
//! Everything is made of records that are played again first, so that an export agrees with the rules.
//! `results/EXPORT.md` documents every column.

pub(crate) mod decisions;
mod full;
mod matches;
mod moves;
pub mod out;
#[cfg(feature = "parquet")]
mod parquet;
mod row;
mod seats;

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::PathBuf;

use arena_engine::insight::Insight;
use arena_engine::outcome::{Source, Verdict};
use arena_engine::replay::BadRecord;
use arena_engine::table::{Entry, Json, RawRecord, Table};
use arena_tournament::spec::Spec;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::scalar::Scalar;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_ledger::replay::{game, replay};
use arena_tournament::played::Played;

/// Why an export fails.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A match does not replay.
    #[error(transparent)]
    Replay(#[from] BadRecord),
    /// A value cannot be written as JSON.
    #[error("a match cannot be written: {0}")]
    Json(#[from] serde_json::Error),
    /// The table cannot be written as Parquet.
    #[cfg(feature = "parquet")]
    #[error("cannot write the export: {0}")]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// The output takes no more.
    #[error("cannot write the export: {0}")]
    Write(#[from] io::Error),
    /// The file cannot be made.
    #[error("cannot write {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

/// The extras to write. Times and notes differ from one run of a tournament to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// The times of matches and moves.
    pub times: bool,
    /// The notes of bots on their moves.
    pub notes: bool,
    /// With each move, what its seat saw and was offered.
    pub views: bool,
}

/// A table for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataset {
    /// A row for each match.
    Matches,
    /// A row for each seat of each match.
    Seats,
    /// A row for each reply of each match's record.
    Moves,
    /// The same rows, and what could be known by counting.
    Decisions,
}

/// A column: its name, and the type of its values, any of which may be missing.
type Column = (&'static str, Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Integer,
    Number,
    Flag,
    Text,
}

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// A header, then a line of comma-separated values for each row (RFC 4180, with line feeds). Missing values are
    /// empty; text that a spreadsheet would take for a formula begins with an apostrophe more.
    Csv,
    /// A JSON object for each row, on a separate line. Missing values are null; text is not changed.
    Jsonl,
    /// Columns with their types, compressed.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl RowFormat {
    /// The format of this name; none if there is no such format in this build.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "csv" => Some(Self::Csv),
            "jsonl" => Some(Self::Jsonl),
            #[cfg(feature = "parquet")]
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// Writes one JSON object a line for each match, in order of deals and bots, with all that happened, replayed from its
/// record. Without extras, the same matches give the same bytes.
///
/// # Errors
/// If the ledger cannot be read, if a match does not end as its record says, or if the output takes no more.
pub fn full(ledger: &Ledger, with: With, out: Out<'_>) -> Done {
    let game = game(ledger.spec())?;
    let line = |played: &Played| full::line(&Replayed::of(game, played)?, with);
    each(ledger, &line, &mut |line| Ok(out.write_all(&line)?))
}

/// Writes the rows of a table, in order of deals and bots, with the same columns for all matches of a game. Without
/// extras, the same matches give the same bytes.
///
/// # Errors
/// As for [`full`].
pub fn table(ledger: &Ledger, table: Dataset, format: RowFormat, with: With, out: Out<'_>) -> Done {
    let spec = ledger.spec();
    let game = game(spec)?;
    let columns = columns(table, game.scoring, with);
    let rows: &Rows<'_> = &|played| rows(spec, &Replayed::of(game, played)?, table, with);
    let line = match format {
        RowFormat::Csv => row::csv,
        RowFormat::Jsonl => row::jsonl,
        #[cfg(feature = "parquet")]
        RowFormat::Parquet => return parquet::write(ledger, &columns, rows, out),
    };
    if format == RowFormat::Csv {
        out.write_all(row::header(&columns).as_bytes())?;
    }
    let text = |played: &Played| {
        Ok(rows(played)?
            .iter()
            .map(|row| line(&columns, row))
            .collect::<String>())
    };
    each(ledger, &text, &mut |text| {
        Ok(out.write_all(text.as_bytes())?)
    })
}

/// Done, or why not.
type Done = Result<(), ExportError>;
/// Where an export goes.
pub type Out<'a> = &'a mut (dyn Write + Send);
/// Makes the rows of a match.
type Rows<'a> = dyn Fn(&Played) -> Result<Vec<Row>, ExportError> + Sync + 'a;
/// The values of a row, in order of the columns.
type Row = Vec<Scalar<'static>>;

/// The rows of a match in a table.
fn rows(
    spec: &Spec,
    replayed: &Replayed<'_>,
    table: Dataset,
    with: With,
) -> Result<Vec<Row>, ExportError> {
    Ok(match table {
        Dataset::Matches => vec![matches::row(spec, replayed, with)],
        Dataset::Seats => seats::rows(replayed, with).collect(),
        Dataset::Moves => moves::rows(replayed, with)?,
        Dataset::Decisions => {
            let known = decisions::rows(replayed)?;
            moves::rows(replayed, with)?
                .into_iter()
                .zip(known)
                .map(|rows| <[Row; 2]>::from(rows).concat())
                .collect()
        }
    })
}

/// A table's columns, in a game with these sources of points.
fn columns(table: Dataset, sources: &'static [Source], with: With) -> Vec<Column> {
    match table {
        Dataset::Matches => matches::columns(with),
        Dataset::Seats => seats::columns(sources, with),
        Dataset::Moves => moves::columns(with),
        Dataset::Decisions => [moves::columns(with), decisions::columns()].concat(),
    }
}

/// A match of the ledger as it went when it was played again.
pub(crate) struct Replayed<'a> {
    id: String,
    game: &'static Entry,
    played: &'a Played,
    table: Box<dyn Table>,
    record: RawRecord,
    verdict: Verdict,
}

impl<'a> Replayed<'a> {
    pub(crate) fn of(game: &'static Entry, played: &'a Played) -> Result<Self, ExportError> {
        let table = replay(game, played)?;
        Ok(Self {
            id: played.id(),
            game,
            played,
            record: table.record(),
            verdict: table.verdict().expect("it is over").clone(),
            table,
        })
    }

    /// Each decision with what could be known; none if the game does not count.
    pub(crate) fn insights(&self, guesses: usize) -> Result<Vec<Insight<Json>>, ExportError> {
        self.table
            .insights(guesses)
            .map_err(|why| self.failed(&why))
    }

    fn failed(&self, why: &BadRecord) -> ExportError {
        BadRecord(format!("match {}: {why}", self.id)).into()
    }
}

/// Makes something of each match, side by side, and hands it over in order of deals and bots.
pub(crate) fn each<T: Send>(
    ledger: &Ledger,
    of: &(dyn Fn(&Played) -> Result<T, ExportError> + Sync + '_),
    take: &mut dyn FnMut(T) -> Done,
) -> Done {
    let made = |chunk: &[Played]| {
        let all: Vec<Result<T, ExportError>> = chunk.par_iter().map(of).collect();
        all.into_iter().try_for_each(|one| take(one?))
    };
    ledger.each_chunk(|_| true, made)
}
