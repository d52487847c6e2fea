//! `arena export` on the command line.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `arena export`
#[derive(Args)]
pub struct Export {
    /// Folder of the tournament, or its file
    #[arg(value_parser = super::folders::folder)]
    pub dir: PathBuf,
    /// Write a table for statistics, in place of whole matches
    #[arg(long, value_enum)]
    pub table: Option<ExportTable>,
    /// Format [default: by the name of the file, else jsonl]
    #[arg(long = "as", value_enum, value_name = "FORMAT")]
    pub form: Option<ExportFormat>,
    /// Include times, which differ from run to run
    #[arg(long)]
    pub times: bool,
    /// Include the notes of bots, in whole matches and in the table of moves
    #[arg(long)]
    pub notes: bool,
    /// Write this file (.jsonl or .csv, with .zst compressed), which appears when it is complete [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Compress with zstd, as every file whose name ends with .zst
    #[arg(long)]
    pub zstd: bool,
}

/// The rows of an exported table.
#[derive(Clone, Copy, ValueEnum)]
pub enum ExportTable {
    /// Matches: who won, how it ended
    Matches,
    /// Seats of matches: place, points and their sources, result
    Seats,
    /// Replies in matches: who acted, and how
    Moves,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object per line; without a table, one per match, with all its events
    Jsonl,
    /// A header and rows; without a table, one row per seat of each match
    Csv,
}
