//! `arena export` on the command line.

use std::path::PathBuf;

use super::folders::TournamentDir;
use arena_results::export::{Dataset, RowFormat};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// `arena export`
#[derive(Args)]
pub struct Export {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Write a table with a row per match, seat or move, in place of whole matches
    #[arg(long, value_parser = tables())]
    pub table: Option<Dataset>,
    /// Format: JSON Lines, or CSV, which without a table has a row per seat [default: by the name of the file, else jsonl]
    #[arg(long = "as", value_parser = formats(), value_name = "FORMAT")]
    pub form: Option<RowFormat>,
    /// Include times, which differ from run to run
    #[arg(long)]
    pub times: bool,
    /// Include the notes of bots
    #[arg(long)]
    pub notes: bool,
    /// Write this file, .jsonl or .csv, compressed with .zst [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Compress with zstd
    #[arg(long)]
    pub zstd: bool,
}

fn tables() -> impl TypedValueParser<Value = Dataset> {
    PossibleValuesParser::new(["matches", "seats", "moves"]).map(|name| match name.as_str() {
        "matches" => Dataset::Matches,
        "seats" => Dataset::Seats,
        _ => Dataset::Moves,
    })
}

fn formats() -> impl TypedValueParser<Value = RowFormat> {
    let names = PossibleValuesParser::new(["jsonl", "csv"]);
    names.map(|name| if name == "csv" { RowFormat::Csv } else { RowFormat::Jsonl })
}
