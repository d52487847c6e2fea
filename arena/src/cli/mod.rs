//! The command line: arguments as typed, before any file or name is looked up.

pub mod compare;
mod folders;
mod game;
pub mod help;
pub mod keys;
pub mod meant;
mod plan;
pub mod progress;
pub mod queue;
mod rate;
mod season;
mod tune;
pub mod unquoted;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use arena_bots::kits::LANGUAGES;
use arena_engine::table;
use arena_tournament::formats;
use clap::{Args, Parser, Subcommand};

use self::compare::Compare;
use self::game::GameParser;
use self::keys::KeyFlags;
use arena_config::word;
use arena_session::shard::Shard;

pub use self::folders::{
    Analyse, Export, Extend, Faults, Folder, Merge, Report, Repro, Reset, Serve, Show, Status,
    Update, Verify,
};
pub use self::plan::Planning;
pub use self::rate::Rate;
pub use self::tune::Tune;

/// Exit code: the command failed.
pub const FAILURE: u8 = 1;
/// Exit code: the command line or the tournament file is wrong, and nothing was started.
pub const USAGE: u8 = 2;
/// Exit code: the bot passed its check but is not proven to be stronger, or could not be measured.
pub const UNPROVEN: u8 = 3;

/// Plays bots against each other and measures which is stronger.
#[derive(Parser)]
#[command(version, max_term_width = 100, help_template = help::first_screen())]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Write a bot to start from, also for a language model
    New(New),
    /// Play a tournament, or continue it; without a file or bots, a demo
    Run(Box<Run>),
    /// Play two bots until a test decides which is stronger
    Compare(Box<Compare>),
    /// Find better values for a bot's parameters, and test them
    Tune(Box<Tune>),
    /// Write a tournament file with every key explained
    Init(Init),
    /// Show the size of a tournament, and its duration on this machine
    Plan(Box<Planning>),
    /// Show the standings of a tournament, or one match
    Show(Show),
    /// Show who plays in a tournament, and who is left out and why
    Status(Status),
    /// Rate bots over many tournaments and files of results
    Rate(Box<Rate>),
    /// Grade the decisions of bots, and list their mistakes
    Analyse(Analyse),
    /// Watch, replay and play in a browser
    Serve(Serve),
    /// Write one page with all results, to read, print or send
    Report(Report),
    /// Let a running tournament finish its matches, then stop it
    Stop(Folder),
    /// Add deals or rounds to a tournament
    Extend(Extend),
    /// Bring the bots of a tournament in line with its file, and play on
    Update(Update),
    /// Join the parts of a tournament played as shards
    Merge(Merge),
    /// Delete all matches of a tournament
    Reset(Reset),
    /// Replay every record by the rules and check the ledger
    Verify(Verify),
    /// Show every fault with its evidence and a suggested fix
    Faults(Faults),
    /// Replay a finished match to a bot and compare its actions
    Repro(Repro),
    /// Write matches for other programs: JSON Lines, CSV or Parquet
    Export(Export),
    /// Play one match between bots and describe it
    Match(Single),
    /// Test a bot, or every program of a tournament file
    Check(Check),
    /// List the games, or print the rules of one
    Games(Games),
    /// List the built-in bots
    Bots(OfGame),
    /// Play on this machine for tournaments that others run with --nats
    Work(queue::Work),
    /// Isolation on this machine, schemas, completions
    #[command(subcommand)]
    Tools(Tool),
    /// Run a built-in bot on standard input and output
    #[command(hide = true)]
    Bot(Bot),
    /// Print the JSON Schema of a game's messages
    #[command(hide = true)]
    Schema(Schema),
}

/// The commands of `arena tools`. `bot` and `schema` are also top-level commands, because tournament files and bots' build scripts use
/// them.
#[derive(Subcommand)]
pub enum Tool {
    /// Show how bots are isolated on this machine
    Doctor(JsonArgs),
    /// Run a built-in bot on standard input and output
    Bot(Bot),
    /// Print the JSON Schema of a game's messages
    Schema(Schema),
    /// Print shell completions
    Completions(Completions),
}

/// `arena run`
#[derive(Args)]
#[command(after_help = RUN_OUT)]
pub struct Run {
    #[command(flatten)]
    pub spec: SpecArgs,
    /// Folder of the tournament
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub play: PlayArgs,
}

/// Flags for playing a tournament.
#[derive(Args, Default)]
pub struct PlayArgs {
    /// Play only part I of N, such as 3/16, into the folder FILE-3-of-16; `arena merge` joins the parts
    #[arg(
        long,
        value_name = "I/N",
        conflicts_with = "url",
        help_heading = "Many machines"
    )]
    pub shard: Option<Shard>,
    #[command(flatten)]
    pub progress: progress::ProgressArgs,
    /// Stop after this time, such as 90m or 2h, with all finished matches saved; `arena run FOLDER` continues
    #[arg(long = "for", value_name = "TIME", value_parser = duration, help_heading = "Output", hide_short_help = true)]
    pub lasting: Option<Duration>,
    /// Play one round only, and print the pairings of the next; `arena run FOLDER` goes on
    #[arg(long, conflicts_with = "shard", help_heading = "Formats")]
    pub one_round: bool,
    /// Keep every line to (<) and from (>) each program in logs/BOT-PID.wire; at most 16 MiB per process
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub log_wire: bool,
    #[command(flatten)]
    pub queue: queue::NatsArgs,
}

/// Parses a time such as 30s, 90m or 2h.
fn duration(text: &str) -> Result<Duration, String> {
    let units = [("s", 1), ("m", 60), ("h", 3_600)];
    let found = units
        .into_iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)));
    let parsed = found.and_then(|(number, seconds)| {
        number
            .parse::<u32>()
            .ok()
            .map(|number| u64::from(number) * seconds)
    });
    parsed
        .map(Duration::from_secs)
        .ok_or_else(|| "write a whole number followed by s, m or h, such as 90m".into())
}

const RUN_OUT: &str = "The tournament of FILE.toml is kept in the folder FILE beside it, and the same command continues it. A tournament given by flags, \
and the demo, are kept in runs/NAME-1, 2, …, and the same command starts another one. `arena run FOLDER` continues any tournament, with its seed. \
If you edit the program of a duel, the new version plays, and the matches so far are set aside.";

/// A tournament: its file or folder, and the flags that override it.
#[derive(Args)]
pub struct SpecArgs {
    /// Tournament file (TOML), or folder of a tournament. Or bots: the name of a built-in one, a source file, a folder, or NAME=COMMAND
    #[arg(value_name = "FILE|BOT")]
    pub words: Vec<PathBuf>,
    #[command(flatten)]
    pub keys: KeyFlags,
}

fn format_help() -> String {
    let names: Vec<&str> = formats::LISTED.iter().map(|format| format.name).collect();
    format!("Format: {}", names.join(", "))
}

/// `arena new`
#[derive(Args)]
#[command(after_help = NEW)]
pub struct New {
    #[arg(help = format!("Language: {}; or the word game", LANGUAGES.map(|(name, _)| name).join(", ")))]
    pub language: String,
    /// Folder to write; its name is the bot's. After the word game: the language, python, javascript or rust
    #[arg(value_name = "NAME")]
    pub dir: PathBuf,
    /// After the word game: folder to write; its name is the game's
    #[arg(value_name = "GAME_NAME")]
    pub game_dir: Option<PathBuf>,
    /// Game that the bot plays
    #[arg(long, default_value = table::names()[0], value_parser = GameParser)]
    pub game: String,
}

const NEW: &str = "The folder holds the protocol, a bot of one short file, a README and a tournament against a built-in bot. For Coda the bot \
plays sensibly; for other games it is a skeleton that plays at random.\n\
`arena new game python my-game` writes a game instead: rules, a helper, a bot, and a tournament.";

/// `arena init`
#[derive(Args)]
pub struct Init {
    /// File to write
    #[arg(default_value = "tournament.toml")]
    pub file: PathBuf,
    /// Game
    #[arg(long, default_value = table::names()[0])]
    pub game: String,
    /// Format
    #[arg(long, default_value = formats::LISTED[0].name, help = format_help())]
    pub format: String,
    /// Bot to add to the built-in ones, such as my_bot.py or NAME=COMMAND; repeatable
    #[arg(long = "bot", value_name = "BOT")]
    pub bots: Vec<String>,
}

/// `arena match`
#[derive(Args)]
pub struct Single {
    /// Bots: the name of a built-in one, a source file, a folder, or NAME=COMMAND; the strongest built-in bot takes the free seats
    #[arg(value_name = "BOT")]
    pub bots: Vec<String>,
    #[command(flatten)]
    pub keys: KeyFlags,
    /// Print the whole match, not only its end
    #[arg(long, help_heading = "Output")]
    pub all: bool,
    /// Also write the match as a replay page, a single file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Print JSON: one true event per line, then the verdict
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// For debugging: set no time limits, and show each program's process id and every line to (→) and from (←) it
    #[arg(
        long,
        help_heading = "Output",
        conflicts_with = "move-ms",
        hide_short_help = true
    )]
    pub debug: bool,
    /// Keep every line to (<) and from (>) each program in FOLDER/BOT-PID.wire; at most 16 MiB per process
    #[arg(
        long,
        value_name = "FOLDER",
        help_heading = "Output",
        hide_short_help = true
    )]
    pub log_wire: Option<PathBuf>,
}

/// Moves the flags of `arena check` in front of the file or folder that they follow. Words after a program are its arguments, but a file or
/// folder takes none.
pub fn check_words(words: &mut [OsString]) {
    let is_check = words.get(1).is_some_and(|word| word == "check");
    let is_whole = words.get(2).and_then(|word| word.to_str());
    if is_check && is_whole.is_some_and(|word| word.ends_with(".toml") || word::is_path(word)) {
        words[2..].rotate_left(1);
    }
}

/// `arena check`
#[derive(Args)]
#[command(after_help = CHECK, mut_arg("seed", |arg| arg.requires("beats").help_heading("Grade")))]
pub struct Check {
    /// Check this game only; repeatable [default: that of the file, or all that the bot plays]
    #[arg(long = "game", value_name = "GAME", value_parser = game::loaded)]
    pub games: Vec<String>,
    /// Check this number of seats only [default: that of the file, or all]
    #[arg(long, value_name = "N")]
    pub seats: Option<usize>,
    #[command(flatten)]
    pub keys: KeyFlags,
    /// Play this many matches for each number of seats, and at least one in each seat
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub matches_each: u64,
    /// If all steps pass, grade the bot: is it proven stronger than this built-in bot?
    #[arg(long, value_name = "BOT", help_heading = "Grade")]
    pub beats: Option<String>,
    /// Play this many deals for the grade, each in both seatings
    #[arg(long, value_name = "N", help_heading = "Grade", requires = "beats", default_value_t = 30, value_parser = clap::value_parser!(u32).range(5..=100_000))]
    pub deals: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Bot: a source file, a folder, or a program with its arguments, such as: python3 my_bot.py --fast. Or a tournament file (.toml), to check
    /// every program in it. With --game ./my-game alone, the game itself is checked
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required_unless_present = "games",
        value_name = "COMMAND"
    )]
    pub command: Vec<String>,
}

const CHECK: &str = "--beats plays the game of the file or of --game, or else the first of `arena games`. A bot is proven stronger if the 95 % interval of its score lies above 50 %. \
A match that it forfeits is lost.\n\
Exit codes: 0 all steps passed, perhaps with warnings, and with --beats the bot is proven stronger; 1 a step failed, 2 usage error, 3 --beats did \
not prove that the bot is stronger.";

/// `arena bots`
#[derive(Args)]
pub struct OfGame {
    /// Game, such as coda [default: all]
    #[arg(value_parser = GameParser, hide_possible_values = true)]
    pub game: Option<String>,
}

/// `arena games`
#[derive(Args)]
pub struct Games {
    #[command(flatten)]
    pub of: OfGame,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena tools doctor`
#[derive(Args)]
pub struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena bot`
#[derive(Args)]
pub struct Bot {
    /// Name of the bot
    pub name: String,
    /// Offer to play this many matches at the same time
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub matches: u32,
}

/// `arena schema`
#[derive(Args)]
pub struct Schema {
    /// Game whose messages to describe [default: the first of `arena games`]
    #[arg(value_parser = game::loaded)]
    pub game: Option<String>,
}

/// `arena tools completions`
#[derive(Args)]
pub struct Completions {
    /// Shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Returns true if the error is a broken pipe: the reader of our output has gone away.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}
