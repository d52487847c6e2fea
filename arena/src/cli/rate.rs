//! `arena rate` on the command line.

use std::path::PathBuf;

use clap::Args;

use super::folders::TournamentDir;
use super::season::SeasonPoints;

/// `arena rate`
#[derive(Args)]
#[command(after_help = READ)]
pub struct Rate {
    /// Tournaments, folders of tournaments, and files of results: .pgn, .csv, .tsv, .jsonl
    #[arg(required = true, value_name = "FOLDER or FILE")]
    pub sources: Vec<TournamentDir>,
    /// Rate all versions of a bot as one bot, by its name [default: each version is a bot]
    #[arg(long, value_name = "WHAT", value_parser = ["name"])]
    pub by: Option<String>,
    /// CSV file with the columns old,new, for bots that were renamed; all versions of such a bot count as one
    #[arg(long, value_name = "FILE")]
    pub aliases: Option<PathBuf>,
    /// Bot whose Elo is 0 [default: the average]
    #[arg(long, value_name = "BOT")]
    pub anchor: Option<String>,
    /// Leave out matches before this day, such as 2026-11-22, and those without a date
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub since: Option<u32>,
    /// Count only matches between these bots; repeatable
    #[arg(long, value_name = "BOT")]
    pub only: Vec<String>,
    /// Leave out the matches of this bot; repeatable
    #[arg(long, value_name = "BOT")]
    pub without: Vec<String>,
    #[command(flatten)]
    pub season: SeasonPoints,
    /// Write one page with everything
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print JSON
    #[arg(long, group = "form")]
    pub json: bool,
    /// Print CSV with exact numbers; with --points, the points of the season
    #[arg(long, group = "form")]
    pub csv: bool,
}

fn day(text: &str) -> Result<u32, String> {
    arena_results::rate::day(text).ok_or_else(|| "write a date as 2026-11-22".into())
}

const READ: &str = "Nothing is changed in the folders. Finished deals count, and a match that is given twice counts once. CSV has a line of \
column names: a,b,result (1, 0.5 or 0 for a), or match,deal,bot,place,points with a row for each seat; it may also have deal and date. In PGN, \
two games with reversed colours from one position, or of one round, are a deal.";
