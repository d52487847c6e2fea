//! Exports for other programs: whole matches with all that happened in them, and tables for statistics.
//!
//! Everything is made of records that are played again first, so an export never tells more or less than the rules do.
//! `results/EXPORT.md` documents every column.

mod full;
mod matches;
mod moves;
pub mod out;
mod row;
mod seats;

#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::PathBuf;

use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_engine::machine::Finished;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use self::row::RowWriter;
use crate::ledger::{Ledger, LedgerError};
use crate::played::Played;
use crate::replay::{ReplayError, replay};
use crate::scalar::Scalar;
use arena_tournament::spec::Spec;

/// How many matches are played again side by side; no more are held in memory.
const CHUNK: usize = 1_024;

/// Why an export fails.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The program does not have the game.
    #[error("this program does not know the game {0:?}")]
    Game(String),
    /// A match does not replay.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A line cannot be written as JSON.
    #[error("match {id} cannot be written: {error}")]
    Json {
        /// The match.
        id: String,
        /// What is wrong.
        error: serde_json::Error,
    },
    /// The output takes no more.
    #[error("cannot write the export: {0}")]
    Write(#[from] io::Error),
    /// The file that was asked for cannot be made.
    #[error("cannot write {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// What else to write; both differ from one run of a tournament to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// How long matches and moves took.
    pub times: bool,
    /// What bots noted on their moves.
    pub notes: bool,
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
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// A header, then a line of comma-separated values for each row (RFC 4180, with line feeds). Missing values are
    /// empty; text that a spreadsheet would take for a formula begins with an apostrophe more.
    Csv,
    /// A JSON object for each row, on a line of its own. Missing values are null; text is as it is.
    Jsonl,
}

/// Writes one JSON object a line for each match, in order of deals and bots, with all that happened, replayed from its
/// record. Without extras, the same matches give the same bytes.
///
/// # Errors
/// If the ledger cannot be read, if a match does not end as its record says, or if the output takes no more.
pub fn full(ledger: &Ledger, with: With, out: &mut dyn Write) -> Result<(), ExportError> {
    visit(ledger, MatchExport { ledger, with, out })
}

/// Writes the rows of a table, in order of deals and bots, with the same columns for all matches of a game. Without
/// extras, the same matches give the same bytes.
///
/// # Errors
/// As for [`full`].
pub fn table(
    ledger: &Ledger,
    table: Dataset,
    format: RowFormat,
    with: With,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    visit(ledger, TableExport { ledger, table, format, with, out })
}

fn visit<V: Visitor<Out = Result<(), ExportError>>>(ledger: &Ledger, visitor: V) -> Result<(), ExportError> {
    let game = &ledger.spec().plan.game;
    games::visit(game, visitor).unwrap_or_else(|| Err(ExportError::Game(game.clone())))
}

struct MatchExport<'a> {
    ledger: &'a Ledger,
    with: With,
    out: &'a mut dyn Write,
}

impl Visitor for MatchExport<'_> {
    type Out = Result<(), ExportError>;
    fn visit<G: Game>(self) -> Self::Out {
        each::<G>(self.ledger, self.out, |replayed| full::line(replayed, self.with))
    }
}

struct TableExport<'a> {
    ledger: &'a Ledger,
    table: Dataset,
    format: RowFormat,
    with: With,
    out: &'a mut dyn Write,
}

impl Visitor for TableExport<'_> {
    type Out = Result<(), ExportError>;
    fn visit<G: Game>(self) -> Self::Out {
        let Self { ledger, table, format, with, out } = self;
        let tournament = ledger.spec();
        let columns = columns::<G>(table, with);
        let form = RowWriter::new(format, &columns);
        out.write_all(form.header().as_bytes())?;
        each::<G>(ledger, out, |replayed| {
            let mut text = Vec::new();
            rows(tournament, table, with, replayed, |row| {
                debug_assert_eq!(row.len(), columns.len());
                form.row(&row, &mut text);
            })?;
            Ok(text)
        })
    }
}

/// The names of a table's columns.
fn columns<G: Game>(table: Dataset, with: With) -> Vec<&'static str> {
    match table {
        Dataset::Matches => matches::columns(with),
        Dataset::Seats => seats::columns(G::SCORING, with),
        Dataset::Moves => moves::columns(with),
    }
}

/// Hands over the rows of a match.
fn rows<G: Game>(
    tournament: &Spec,
    table: Dataset,
    with: With,
    replayed: &Replayed<'_, G>,
    mut put: impl FnMut(Vec<Scalar<'_>>),
) -> Result<(), ExportError> {
    match table {
        Dataset::Matches => put(matches::row(tournament, replayed, with)),
        Dataset::Seats => seats::rows(replayed, with).for_each(put),
        Dataset::Moves => moves::rows(replayed, with, put)?,
    }
    Ok(())
}

/// A match of the ledger, and how it went when it was played again.
struct Replayed<'a, G: Game> {
    id: String,
    played: &'a Played,
    finished: Finished<G>,
}

/// Plays all matches again and writes what is made of each, in order of deals and bots.
fn each<G: Game>(
    ledger: &Ledger,
    out: &mut dyn Write,
    made: impl Fn(&Replayed<'_, G>) -> Result<Vec<u8>, ExportError> + Sync,
) -> Result<(), ExportError> {
    let one = |played: &Played| made(&Replayed { id: played.id(), played, finished: replay(played)? });
    let mut write = |chunk: &mut Vec<Played>| -> Result<(), ExportError> {
        let texts: Vec<Result<Vec<u8>, ExportError>> = chunk.par_iter().map(one).collect();
        chunk.clear();
        texts.into_iter().try_for_each(|text| Ok(out.write_all(&text?)?))
    };
    let mut chunk = Vec::with_capacity(CHUNK);
    ledger.each(|played| {
        chunk.push(played);
        if chunk.len() == CHUNK { write(&mut chunk) } else { Ok(()) }
    })?;
    write(&mut chunk)
}
