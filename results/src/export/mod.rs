//! Exports for other programs: whole matches with all their events, and tables for statistics.
//!
//! Every match is replayed from its record first, so an export agrees with the rules.
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

/// Error of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A match does not replay as recorded.
    #[error(transparent)]
    Replay(#[from] BadRecord),
    /// A value cannot be written as JSON.
    #[error("a match cannot be written: {0}")]
    Json(#[from] serde_json::Error),
    /// The table cannot be written as Parquet.
    #[cfg(feature = "parquet")]
    #[error("cannot write the export: {0}")]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// The output cannot be written.
    #[error("cannot write the export: {0}")]
    Write(#[from] io::Error),
    /// The file cannot be created or replaced.
    #[error("cannot write {}: {error}", path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error reported by the system.
        error: io::Error,
    },
}

/// Extras to include. Times and notes differ between runs of the same tournament.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// Times of matches and moves.
    pub times: bool,
    /// Notes of bots on their moves.
    pub notes: bool,
    /// View and prompt of the seat at each move.
    pub views: bool,
}

/// Table for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataset {
    /// One row per match.
    Matches,
    /// One row per seat of each match.
    Seats,
    /// One row per reply in each match's record.
    Moves,
    /// The rows of `Moves`, with the information available at each decision.
    Decisions,
}

/// Name of a column and type of its values, any of which may be missing.
type Column = (&'static str, Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Integer,
    Number,
    Flag,
    Text,
}

/// File format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// Header, then one line of comma-separated values per row (RFC 4180, with line feeds). Missing values are empty;
    /// text that a spreadsheet would take for a formula gets an extra leading apostrophe.
    Csv,
    /// One JSON object per row, on a separate line. Missing values are null; text is unchanged.
    Jsonl,
    /// Typed columns, compressed.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl RowFormat {
    /// Returns the format with this name; `None` if this build has no such format.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "csv" => Some(Self::Csv),
            "jsonl" => Some(Self::Jsonl),
            #[cfg(feature = "parquet")]
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// Writes one JSON object per line for each match, in order of deals and bots, with all its events, replayed from its
/// record. Without extras, the same matches give the same bytes.
///
/// # Errors
/// Returns an error if the ledger cannot be read, if a match does not end as its record says, or if the output cannot
/// be written.
pub fn full(ledger: &Ledger, with: With, out: Out<'_>) -> Done {
    let game = game(ledger.spec())?;
    let line = |played: &Played| full::line(&Replayed::new(game, played)?, with);
    each(ledger, &line, &mut |line| Ok(out.write_all(&line)?))
}

/// Writes the rows of a table, in order of deals and bots, with the same columns for all matches of a game. Without
/// extras, the same matches give the same bytes.
///
/// # Errors
/// Returns an error in the same cases as [`full`].
pub fn table(ledger: &Ledger, table: Dataset, format: RowFormat, with: With, out: Out<'_>) -> Done {
    let spec = ledger.spec();
    let game = game(spec)?;
    let columns = columns(table, game.scoring, with);
    let rows: &Rows<'_> = &|played| rows(spec, &Replayed::new(game, played)?, table, with);
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

/// Result of an export.
type Done = Result<(), ExportError>;
/// Destination of an export.
pub type Out<'a> = &'a mut (dyn Write + Send);
/// Function that makes the rows of a match.
type Rows<'a> = dyn Fn(&Played) -> Result<Vec<Row>, ExportError> + Sync + 'a;
/// Values of a row, in column order.
type Row = Vec<Scalar<'static>>;

/// Returns the rows of a match in a table.
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

/// Returns the columns of a table for a game with these sources of points.
fn columns(table: Dataset, sources: &'static [Source], with: With) -> Vec<Column> {
    match table {
        Dataset::Matches => matches::columns(with),
        Dataset::Seats => seats::columns(sources, with),
        Dataset::Moves => moves::columns(with),
        Dataset::Decisions => [moves::columns(with), decisions::columns()].concat(),
    }
}

/// Match of the ledger, replayed from its record.
pub(crate) struct Replayed<'a> {
    id: String,
    game: &'static Entry,
    played: &'a Played,
    table: Box<dyn Table>,
    record: RawRecord,
    verdict: Verdict,
}

impl<'a> Replayed<'a> {
    pub(crate) fn new(game: &'static Entry, played: &'a Played) -> Result<Self, ExportError> {
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

    /// Returns the insights of each decision; none if the game provides no insights.
    pub(crate) fn insights(&self, guesses: usize) -> Result<Vec<Insight<Json>>, ExportError> {
        self.table
            .insights(guesses)
            .map_err(|why| self.failed(&why))
    }

    fn failed(&self, why: &BadRecord) -> ExportError {
        BadRecord(format!("match {}: {why}", self.id)).into()
    }
}

/// Applies `of` to all matches in parallel, and passes the results to `take` in order of deals and bots.
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
