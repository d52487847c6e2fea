//! What `arena export` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `arena export`
#[derive(Args)]
pub struct Export {
    /// The tournament's folder, or its file
    #[arg(value_parser = super::folders::folder)]
    pub dir: PathBuf,
    /// A table for statistics, instead of whole matches
    #[arg(long, value_enum)]
    pub table: Option<ExportTable>,
    /// The format; if left out, what the name of the file says, else jsonl
    #[arg(long = "as", value_enum, value_name = "FORMAT")]
    pub form: Option<ExportFormat>,
    /// With the times, which differ from run to run
    #[arg(long)]
    pub times: bool,
    /// With the notes that bots sent: of whole matches, or in the table of moves
    #[arg(long)]
    pub notes: bool,
    /// Into this file (.jsonl, .csv, and .zst behind it), which is there when it is whole; to standard output if left out
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Compressed with zstd; so is every file whose name ends with .zst
    #[arg(long)]
    pub zstd: bool,
}

/// What a row of an exported table is.
#[derive(Clone, Copy, ValueEnum)]
pub enum ExportTable {
    /// A match: who won, how it ended
    Matches,
    /// A seat of a match: place, points and where they come from, result
    Seats,
    /// A reply of a match: who acted, and how
    Moves,
}

/// How matches are written.
#[derive(Clone, Copy, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object a line; without a table, one a match, with all its events
    Jsonl,
    /// A header and rows; without a table, one row for each seat of each match
    Csv,
}
