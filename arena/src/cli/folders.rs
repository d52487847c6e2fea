//! What is said to commands about the folder of a tournament.

use std::convert::Infallible;
use std::path::PathBuf;

use clap::Args;

use super::keys::{Growing, KeyFlags};

/// A tournament's folder; its file stands for it: `friday.toml` for `friday`.
pub(super) fn folder(path: &str) -> Result<PathBuf, Infallible> {
    let path = PathBuf::from(path);
    let inside = path.ends_with("tournament.toml") && path.with_file_name("ledger.sqlite").is_file();
    Ok(match path.extension() {
        _ if inside => PathBuf::from(".").join(path.parent().unwrap_or(&path)),
        Some(extension) if extension == "toml" && path.is_file() => path.with_extension(""),
        _ => path,
    })
}

/// `arena stop`
#[derive(Args)]
pub struct Folder {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
}

/// `arena extend`
#[derive(Args)]
pub struct Extend {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// The tournament file with what it becomes, if flags do not say it
    pub file: Option<PathBuf>,
    /// The flags of keys
    #[command(flatten)]
    pub keys: KeyFlags<Growing>,
}

const MERGED: &str = "All is compared and played again by the rules before anything is saved: matches that two parts have must be the \
same but for times, and parts of different tournaments are refused. What has been merged already stays, so more parts may follow.\n\
Exit codes: 0 done, also if matches are missing, which are listed, 1 a match is not as it should be and nothing was saved, \
2 wrong use, such as parts of different tournaments.";

/// `arena merge`
#[derive(Args)]
#[command(after_help = MERGED)]
pub struct Merge {
    /// The folder of the whole tournament: a new one, or one that has begun
    #[arg(value_parser = folder, value_name = "OUT")]
    pub dir: PathBuf,
    /// The folders of its parts
    #[arg(required = true, value_name = "PART")]
    pub parts: Vec<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena reset`
#[derive(Args)]
pub struct Reset {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// Also if there are finished matches
    #[arg(long)]
    pub yes: bool,
}

/// `arena verify`
#[derive(Args)]
#[command(after_help = "Exit codes: 0 all is whole, 1 something is damaged, or was and is repaired.")]
pub struct Verify {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// Make a ledger of all that is whole; the damaged one is kept beside it
    #[arg(long)]
    pub repair: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena audit`
#[derive(Args)]
#[command(after_help = "Exit codes: 0 all bots act the same, 1 some do not.")]
pub struct Audit {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// About how many matches are played again
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub sample: u64,
    /// How many matches run at the same time: one a core if left out
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// As root, let bots run as root where they cannot run as another user
    #[arg(long)]
    pub as_root: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena show`
#[derive(Args)]
pub struct Show {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// A finished match, move by move, by its id, such as d1/a/b
    #[arg(value_name = "MATCH", conflicts_with_all = ["table", "csv", "markdown"])]
    pub played: Option<String>,
    /// Of the match only what this seat knew, counted from 0
    #[arg(long, value_name = "N", requires = "played")]
    pub seat: Option<u8>,
    /// Write the match as a page that replays it: one file, and nothing else is needed
    #[arg(long, value_name = "FILE", requires = "played", conflicts_with = "json")]
    pub out: Option<PathBuf>,
    /// Every two bots against each other
    #[arg(long, group = "table")]
    pub pairs: bool,
    /// Strengths above one bot, what sitting first is worth, circles
    #[arg(long, group = "table")]
    pub ratings: bool,
    /// The order by the rules of the format: Buchholz, the pairings of a knockout, the rungs of a ladder
    #[arg(long, group = "table")]
    pub placings: bool,
    /// As JSON: everything; of a match every step, with the table as each seat sees it
    #[arg(long, group = "form")]
    pub json: bool,
    /// As CSV, numbers exact
    #[arg(long, group = "form")]
    pub csv: bool,
    /// As a Markdown table
    #[arg(long, group = "form")]
    pub markdown: bool,
}

const REPLACED: &str = "The newer version is called BOT@2. Its matches are all played anew; those of the older one count for nobody and \
    are kept in a folder of their own, former/BOT. In formats whose rounds are drawn from results (swiss, knockout, ladder) what was \
    played stands, and the newer version goes on in the place of the older one.";

const DISQUALIFIED: &str = "Its matches count for nobody and are kept in a folder of their own, former/BOT. In formats whose matches \
    depend on each other (swiss, knockout, ladder, balanced) what was played stands, and the bot forfeits whatever it has not played.";

/// `arena replace`
#[derive(Args)]
#[command(after_help = REPLACED)]
pub struct Replace {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// The bot, by its name
    pub bot: String,
    /// The newer version: a command, or builtin:BOT; if left out, the same command with files that have changed
    #[arg(long, value_name = "COMMAND")]
    pub command: Option<String>,
    /// The folder in which the command runs; that of the older version if left out
    #[arg(long = "dir", value_name = "DIR", requires = "command")]
    pub bot_dir: Option<PathBuf>,
}

/// `arena disqualify`
#[derive(Args)]
#[command(after_help = DISQUALIFIED)]
pub struct Disqualify {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// The bot, by its name
    pub bot: String,
    /// The reason, which stands in all reports
    #[arg(long, value_name = "REASON")]
    pub why: String,
}

/// `arena logs`
#[derive(Args)]
pub struct Logs {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// A finished match by its id, such as d1/a/b
    #[arg(value_name = "MATCH")]
    pub played: String,
    /// Only of this bot
    #[arg(long, value_name = "NAME")]
    pub bot: Option<String>,
}

/// `arena report`
#[derive(Args)]
pub struct Report {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// The file to write; report.html in the folder if left out
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// As Markdown on standard output: standings, crosstable, and how to play it again
    #[arg(long, group = "form", conflicts_with = "out")]
    pub markdown: bool,
    /// As JSON on standard output, the same as that of `arena show`
    #[arg(long, group = "form", conflicts_with = "out")]
    pub json: bool,
}

/// `arena faults`
#[derive(Args)]
pub struct Faults {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// Only the faults of this bot
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// As JSON: all faults one by one
    #[arg(long)]
    pub json: bool,
}

/// `arena repro`
#[derive(Args)]
#[command(after_help = REPRO_EXIT_CODES)]
pub struct Repro {
    /// The tournament's folder, or its file
    #[arg(value_parser = folder)]
    pub dir: PathBuf,
    /// The match, as `arena faults` and `arena export` call it, and the turn to stop after: the replies of a match are
    /// counted from 0
    #[arg(value_name = "MATCH[:TURN]")]
    pub place: String,
    /// Another program than the recorded one, such as its next version; run in the current folder
    #[arg(long, value_name = "COMMAND")]
    pub program: Option<String>,
    /// Whose lines are sent; the seat that failed if left out
    #[arg(long, value_name = "N")]
    pub seat: Option<u8>,
    /// As root, let the program run as root where it cannot run as another user
    #[arg(long)]
    pub as_root: bool,
    /// As JSON: every turn, then and now
    #[arg(long)]
    pub json: bool,
}

const REPRO_EXIT_CODES: &str = "Each turn is asked in the recorded position, whatever was answered before. An \
answer may take as long as the tournament allows, and 10 s at least.\nExit codes: 0 every action is the recorded one, 1 some differ or the program fails, 2 wrong use.";
