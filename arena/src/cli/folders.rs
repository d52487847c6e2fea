//! The commands that work on the folder of a tournament.

use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use arena_results::export::Dataset;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};

use super::game::GameParser;
use super::season::SeasonPoints;

/// Folder of a tournament; may be given as its file: `friday.toml` for `friday`.
#[derive(Clone)]
pub struct TournamentDir(PathBuf);

impl From<OsString> for TournamentDir {
    fn from(path: OsString) -> Self {
        let path = PathBuf::from(path);
        // A folder that holds only this file has not begun, or was reset.
        let inside = path.ends_with("tournament.toml")
            && (path.with_file_name("ledger.sqlite").is_file()
                || !path.with_extension("").exists());
        Self(match path.extension() {
            _ if inside => PathBuf::from(".").join(path.parent().unwrap_or(&path)),
            Some(extension) if extension == "toml" && path.is_file() => path.with_extension(""),
            _ => path,
        })
    }
}

impl TournamentDir {
    /// Returns the tournament file: the file next to the folder that has the folder's name or, without it, the file in the folder.
    pub fn file(&self) -> PathBuf {
        let beside = PathBuf::from(format!("{}.toml", self.display()));
        if beside.is_file() {
            beside
        } else {
            self.join("tournament.toml")
        }
    }
}

impl Deref for TournamentDir {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

/// `arena stop`
#[derive(Args)]
pub struct Folder {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
}

/// The choice of deals when changed bots enter a tournament.
#[derive(Args)]
pub struct SameDeals {
    /// Keep the seed, and so the deals. For experiments of your own only: authors may have seen replays of these deals
    #[arg(long)]
    pub same_deals: bool,
}

/// Trust in a tournament's author.
#[derive(Args)]
pub struct Trust {
    /// Allow the file or folder to use the network, your variables and paths outside its folder, and to lower the isolation
    #[arg(long)]
    pub trust: bool,
}

/// `arena extend`
#[derive(Args)]
#[group(skip)]
#[command(group = ArgGroup::new("more").required(true).multiple(true).args(["deals", "rounds"]))]
pub struct Extend {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// New total number of deals; in a format with rounds, of deals that each pairing plays in a round
    #[arg(long, value_name = "N")]
    pub deals: Option<u32>,
    /// New total number of rounds
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
}

const UPDATED: &str = "New bots enter, changed ones start again without results, and those that are missing or have `withdrawn = true` are withdrawn. \
    If a new or changed bot would play deals that were played before, the tournament starts over on a new seed, and its matches so far are kept in the folder earlier/1. Each new version is first started once; if that fails, nothing is changed, or in a class the old version plays on.\n\
    Asks before it changes anything; without a terminal, nothing is changed without --yes.";

/// `arena update`
#[derive(Args)]
#[command(after_help = UPDATED)]
pub struct Update {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Tournament file [default: DIR.toml beside the folder, or else tournament.toml in the folder]
    file: Option<PathBuf>,
    /// Make the changes and play on without asking
    #[arg(long)]
    pub yes: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub deals: SameDeals,
    #[command(flatten)]
    pub trust: Trust,
}

impl Update {
    /// Returns the tournament file.
    pub fn file(&self) -> PathBuf {
        self.file.clone().unwrap_or_else(|| self.dir.file())
    }
}

const MERGED: &str = "Compares all parts and replays them by the rules before saving anything. Matches that two parts share must be the same except for \
times; parts of different tournaments are refused. Matches merged earlier stay, so more parts may follow.\n\
Exit codes: 0 done, with missing matches listed; 1 a match failed the checks and nothing was saved; 2 usage error, such as parts of \
different tournaments.";

/// `arena merge`
#[derive(Args)]
#[command(after_help = MERGED)]
pub struct Merge {
    /// Folder of the whole tournament, new or existing
    #[arg(value_name = "OUT")]
    pub dir: TournamentDir,
    /// Folders of its parts
    #[arg(required = true, value_name = "PART")]
    pub parts: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena reset`
#[derive(Args)]
pub struct Reset {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Delete finished matches too
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub deals: SameDeals,
}

/// `arena verify`
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 nothing is damaged, 1 something is or was damaged, even if --repair has repaired it."
)]
pub struct Verify {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Write a new ledger without the damaged matches; keep the old one beside it
    #[arg(long)]
    pub repair: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena analyse`
#[derive(Args)]
#[command(after_help = JUDGED)]
pub struct Analyse {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Judge this finished match only: its id, such as d1/a/b
    #[arg(long = "match", value_name = "ID")]
    pub match_id: Option<String>,
    /// Judge this bot only
    #[arg(long, value_name = "NAME")]
    pub bot: Option<String>,
    /// Judge this many matches, spread over the tournament [default: as many as 30 s allow; with --json, all]
    #[arg(long, value_name = "N", conflicts_with = "match_id", value_parser = clap::value_parser!(u64).range(1..))]
    pub matches: Option<u64>,
    /// Compare the guesses of each bot, and the guesses of others about it, with pure counting
    #[arg(long, conflicts_with_all = ["match_id", "bot", "jobs", "matches"])]
    pub profile: bool,
    /// Judge this many matches at a time [default: one per core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const JUDGED: &str = "The judge knows what a seat had seen, not what was hidden, so luck does not count. It plays each match on from the decision. \
A decision is a clear mistake if it costs more than 2 % and more than 3 standard errors (the number after ± is one), and a second judge agrees. \
The number in brackets is the chance of a guess by counting alone. Judgements are kept in judged.jsonl in the folder.";

/// `arena show`
#[derive(Args)]
pub struct Show {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Show this finished match, move by move: its id, such as d1/a/b
    #[arg(value_name = "MATCH", conflicts_with_all = ["table", "csv"])]
    pub match_id: Option<String>,
    /// Show only what this seat knew or wrote; seats count from 0
    #[arg(long, value_name = "N", requires = "match_id")]
    pub seat: Option<u8>,
    /// Show what each seat could know by counting before each decision, and what it learned
    #[arg(long, requires = "match_id", conflicts_with = "out")]
    pub known: bool,
    /// With --known, show only this turn, with its likeliest guesses; turns count from 0
    #[arg(long, value_name = "N", requires = "known")]
    pub turn: Option<usize>,
    /// Show what bots wrote to standard error during the match
    #[arg(long, requires = "match_id", conflicts_with_all = ["out", "json", "known"])]
    pub logs: bool,
    /// Write the match as a replay page, a single file
    #[arg(
        long,
        value_name = "FILE",
        requires = "match_id",
        conflicts_with = "json"
    )]
    pub out: Option<PathBuf>,
    /// Show each pair of bots against each other
    #[arg(long, group = "table")]
    pub pairs: bool,
    /// Show everything: what columns mean, sources of points, crosstable, all warnings
    #[arg(long, group = "table")]
    pub full: bool,
    /// Show the placings by the rules of the format, such as Buchholz or a bracket
    #[arg(long, group = "table")]
    pub placings: bool,
    /// Show the rounds: who met whom, with what result, and who has a bye
    #[arg(long, group = "table")]
    pub rounds: bool,
    /// Print JSON: everything, or every step of the match with the table as each seat sees it
    #[arg(long, group = "form")]
    pub json: bool,
    /// Print CSV, with exact numbers
    #[arg(long, group = "form")]
    pub csv: bool,
}

/// `arena status`
#[derive(Args)]
pub struct Status {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena report`
#[derive(Args)]
pub struct Report {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Close the tournament first: all reports show its seed from then on, and nothing more is played in it
    #[arg(long)]
    pub close: bool,
    /// File to write [default: report.html in the folder]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write the pairings of all rounds instead, to print on a page each [default: pairings.html in the folder]
    #[arg(long, conflicts_with = "per_bot")]
    pub pairings: bool,
    /// Write two folders into this one: `public`, which may be uploaded as it is, and `private`, with the marks and a page for each author
    #[arg(long, value_name = "FOLDER", conflicts_with = "out")]
    pub per_bot: Option<PathBuf>,
}

/// `arena faults`
#[derive(Args)]
pub struct Faults {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Show the faults of this bot only
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Print JSON: all faults one by one
    #[arg(long)]
    pub json: bool,
}

/// `arena repro`
#[derive(Args)]
#[command(after_help = REPRO_EXIT_CODES)]
pub struct Repro {
    /// Folder of the tournament, or its file; or a log of --log-wire, BOT-PID.wire, with --program
    pub dir: TournamentDir,
    /// Id of a match, such as d1/a/b; with :TURN, stop after that turn (counted from 0, over all seats)
    #[arg(value_name = "MATCH[:TURN]")]
    pub place: Option<String>,
    /// Run this program instead of the recorded one, such as its next version
    #[arg(long, value_name = "COMMAND")]
    pub program: Option<String>,
    /// Send the lines of this seat; seats count from 0 [default: the seat that failed]
    #[arg(long, value_name = "N")]
    pub seat: Option<u8>,
    /// If the arena runs as root: let the program run as root where it cannot run as another user
    #[arg(long)]
    pub as_root: bool,
    /// Print JSON: every turn, then and now
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub trust: Trust,
}

const REPRO_EXIT_CODES: &str = "Each turn has the recorded position, whatever the program answers. The time limit of an answer is the \
tournament's, but at least 10 s.\nExit codes: 0 no action differs from the recorded one, 1 some differ or the program fails, 2 usage error.";

/// `arena export`
#[derive(Args)]
pub struct Export {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Write a table instead of whole matches, with a row per match, seat, move or decision; decisions also show what could be known
    #[arg(long, value_parser = tables())]
    pub table: Option<Dataset>,
    /// Format: JSON Lines, CSV or Parquet. Without --table, CSV and Parquet have a row per seat [default: by the name of the file,
    /// else jsonl]
    #[arg(long = "as", value_parser = ["jsonl", "csv", "parquet"], value_name = "FORMAT")]
    pub form: Option<String>,
    /// Include times, which differ from run to run
    #[arg(long)]
    pub times: bool,
    /// Include the notes of bots
    #[arg(long)]
    pub notes: bool,
    /// Include with each move what its seat saw and was offered
    #[arg(long)]
    pub views: bool,
    /// Write this file: .jsonl, .csv, .jsonl.zst, .csv.zst or .parquet [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Compress with zstd
    #[arg(long)]
    pub zstd: bool,
}

fn tables() -> impl TypedValueParser<Value = Dataset> {
    PossibleValuesParser::new(["matches", "seats", "moves", "decisions"]).map(|name| {
        match name.as_str() {
            "matches" => Dataset::Matches,
            "seats" => Dataset::Seats,
            "moves" => Dataset::Moves,
            _ => Dataset::Decisions,
        }
    })
}

/// `arena serve`
#[derive(Args)]
#[command(after_help = SAFE)]
pub struct Serve {
    /// Show the tournaments in this folder and below it
    #[arg(default_value = ".")]
    pub dir: TournamentDir,
    /// Listen on this address or name of this machine; 0.0.0.0 for all of its addresses
    #[arg(long, default_value = "127.0.0.1", value_name = "HOST")]
    pub host: String,
    /// Port [default: 4270, or any other if that is taken]
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Let people play even if other machines can reach the server
    #[arg(long)]
    pub allow_play: bool,
    /// Offer this bot as an opponent, besides the built-in ones: a source file, a folder, or NAME=COMMAND; repeatable
    #[arg(long = "bot", value_name = "BOT")]
    pub bots: Vec<String>,
    /// Also offer the game in this folder, such as ./my-game; repeatable
    #[arg(long = "game", value_name = "FOLDER", value_parser = GameParser, hide_possible_values = true)]
    pub games: Vec<String>,
    /// Keep the token in this file, so that the address stays the same after a restart; the file is created if it is missing
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Also print an address that only lets people watch, and keep its token in this file
    #[arg(long, value_name = "FILE")]
    pub view_token_file: Option<PathBuf>,
    #[command(flatten)]
    pub season: SeasonPoints,
}

const SAFE: &str = "The server prints the address to open, with a token that lets a browser in. It refuses requests without the token, and requests to \
a host name other than localhost or HOST. Only this machine can reach it unless --host is given; then people can play only with --allow-play. The server reads \
ledgers, and writes only the matches of people, in the folder `played`, and the files of tokens.";
