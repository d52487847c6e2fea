//! The command line: what may be said, before anything is looked up.

mod bench;
mod clock;
pub mod compare;
mod export;
mod folders;
pub mod keys;
mod plan;
mod progress;
pub mod queue;
mod serve;
pub mod slips;

use std::io;
use std::path::PathBuf;

use arena_engine::games;
use arena_tournament::formats;
use clap::{Args, Parser, Subcommand};

pub use self::bench::{Bench, BenchEngine, BenchWire};
use self::clock::ClockFlags;
use self::compare::Compare;
use self::keys::{KeyFlags, OneBot, SingleMatch, Whole};
use self::progress::ProgressArgs;
use arena_config::read::Flags;
use arena_session::shard::Shard;

pub use self::export::{Export, ExportFormat, ExportTable};
pub use self::folders::{
    Audit, Disqualify, Extend, Faults, Folder, Logs, Merge, Replace, Report, Repro, Reset, Show, Verify,
};
pub use self::plan::Planning;
pub use self::serve::Serve;

/// Exit code: the arena itself could not do it.
pub const FAILURE: u8 = 1;
/// Exit code: the command line or the tournament file is wrong; nothing was started.
pub const USAGE: u8 = 2;

/// The arena for code-breaking bots.
#[derive(Parser)]
#[command(version, about, long_about = None, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str =
    "Exit codes: 0 done, 1 failed, 2 wrong use or wrong file, 130 interrupted with all finished matches saved.";

/// What the arena does.
#[derive(Subcommand)]
pub enum Command {
    /// Play a tournament; without a file or bots, a demo
    Run(Box<Run>),
    /// Play two bots until it is clear which is stronger, and say how sure that is
    Compare(Box<Compare>),
    /// Write a tournament file to begin with, every key explained
    Init(Init),
    /// Tell what a tournament consists of, how long it takes here, and what difference it can see
    Plan(Box<Planning>),
    /// Show the standings of a tournament
    Show(Show),
    /// Show tournaments in a browser: standings that move while matches are played, charts, faults, and every match to replay
    Serve(Serve),
    /// Write a page with all results of a tournament, to read, print or send: one file, and nothing else is needed
    Report(Report),
    /// Let a running tournament finish its matches, and wait until it has ended
    Stop(Folder),
    /// Add deals, rounds or bots to a tournament; what has been played stays valid
    Extend(Box<Extend>),
    /// Put a newer version of a bot into a tournament that has begun
    Replace(Replace),
    /// Take a bot out of a tournament that has begun
    Disqualify(Disqualify),
    /// Put the parts of a tournament that shards have played together
    Merge(Merge),
    /// Remove all that was played of a tournament
    Reset(Reset),
    /// Play every record again by the rules, and say whether the ledger is whole
    Verify(Verify),
    /// Play a sample of the matches again with the same bots, and list bots that act otherwise
    Audit(Audit),
    /// Show every fault of a tournament, with the evidence and what would help
    Faults(Faults),
    /// Show what bots wrote to their logs (standard error) during a finished match
    Logs(Logs),
    /// Send a program what a bot was sent in a finished match, and show where it acts otherwise
    Repro(Repro),
    /// Write a tournament's matches for other programs: whole, or as tables for pandas, DuckDB and R
    Export(Export),
    /// Play one match, also yourself, and tell it in words
    Match(Single),
    /// Try a bot, or all of a tournament file, in every way that a tournament would, and say what is wrong and how to mend it
    Check(Check),
    /// List the games
    Games(Listed),
    /// List the bots that are built in
    Bots(Listed),
    /// Play on this machine for tournaments that others run with --nats, until stopped
    Work(queue::Work),
    /// Be a built-in bot: answer the arena on standard input and output
    Bot(Bot),
    /// Print the JSON Schema of a game's messages, or of what a command prints with --json
    Schema(Schema),
    /// Print what lets a shell complete the arena's commands and flags
    Completions(Completions),
    /// Print the manual of all commands as a man page
    Man,
    /// Measure how fast things are on this machine
    #[command(subcommand)]
    Bench(Bench),
    /// Say what keeps bots apart on this machine, and what each level of isolation stops
    Doctor(Doctor),
}

/// `arena run`
#[derive(Args)]
#[command(after_help = RUN_OUT)]
pub struct Run {
    /// The tournament
    #[command(flatten)]
    pub spec: SpecArgs,
    /// The tournament's folder, if it is to be another
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Play part I of N only, counted from 1, such as 3/16: in the folder FILE-3-of-16 if --out names none. `arena merge` puts the
    /// parts together
    #[arg(long, value_name = "I/N", conflicts_with = "url")]
    pub shard: Option<Shard>,
    /// What is told meanwhile
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// Keep every line to (<) and from (>) each program in logs/BOT-PID.wire, with the microseconds since its start;
    /// at most 16 MiB of each process
    #[arg(long)]
    pub log_wire: bool,
    /// The queue
    #[command(flatten)]
    pub queue: queue::QueueArgs,
}

const RUN_OUT: &str = "A tournament of FILE.toml is kept in the folder FILE beside it, one given by flags in runs/NAME-1, 2, …. \
The same command goes on where it stopped, as does `arena run FOLDER`: with the seed of the folder, if the file and the flags name none.";

/// A tournament: its file or folder, and what flags change in it.
#[derive(Args)]
pub struct SpecArgs {
    /// The tournament file (TOML), or the folder of a tournament that has begun
    pub file: Option<PathBuf>,
    /// The flags of its keys
    #[command(flatten)]
    pub keys: KeyFlags<Whole>,
    /// Whether there is a clock
    #[command(flatten)]
    pub clock: ClockFlags,
}

impl SpecArgs {
    /// The flags, as the description is read with them.
    pub fn flags(&self) -> Flags {
        Flags { values: self.keys.values.clone(), no_clock: self.clock.no_clock }
    }
}

fn format_help() -> String {
    let names: Vec<&str> = formats::LISTED.iter().map(|format| format.name).collect();
    format!("Who meets whom: {}", names.join(", "))
}

/// `arena init`
#[derive(Args)]
pub struct Init {
    /// The file to write
    #[arg(default_value = "tournament.toml")]
    pub file: PathBuf,
    /// The game
    #[arg(long, default_value = games::NAMES[0])]
    pub game: String,
    /// Who meets whom
    #[arg(long, default_value = formats::LISTED[0].name, help = format_help())]
    pub format: String,
    /// A bot beside those that are built in: NAME=COMMAND, or NAME=builtin:BOT; may be repeated
    #[arg(long = "bot", value_name = "NAME=COMMAND")]
    pub bots: Vec<String>,
}

/// `arena match`
#[derive(Args)]
#[command(after_help = PEOPLE)]
pub struct Single {
    /// The flags of keys
    #[command(flatten)]
    pub keys: KeyFlags<SingleMatch>,
    /// Whether there is a clock
    #[command(flatten)]
    pub clock: ClockFlags,
    /// As JSON: one true event a line, then the verdict
    #[arg(long)]
    pub json: bool,
    /// Keep every line to (<) and from (>) each program in FOLDER/BOT-PID.wire, with the microseconds since its start;
    /// at most 16 MiB of each process
    #[arg(long, value_name = "FOLDER")]
    pub log_wire: Option<PathBuf>,
}

const PEOPLE: &str = "A person plays by --bot NAME=human: you are shown on standard error what that seat sees, and type on standard input the number of \
an option and its values, in one line or one after the other. `?` shows the options again, `hint` what the strongest built-in bot would do, `quit` forfeits. \
People have no clock unless --move-ms gives one. The whole match, nothing hidden, is printed when it is over.";

/// `arena check`
#[derive(Args)]
#[command(after_help = "Exit codes: 0 all steps passed, perhaps with warnings, 1 a step failed, 2 wrong use.")]
pub struct Check {
    /// Only this game; may be repeated. If left out, that of the file, or every game that the bot says it plays
    #[arg(long = "game", value_name = "GAME")]
    pub games: Vec<String>,
    /// Only tables of this many seats; if left out, those of the file, or all
    #[arg(long, value_name = "N")]
    pub seats: Option<usize>,
    /// The flags of keys
    #[command(flatten)]
    pub keys: KeyFlags<OneBot>,
    /// How many matches for each number of seats; at least one is played in each seat
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub matches_each: u64,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// The program with its arguments, such as: python3 my_bot.py. Or a tournament file (.toml): every program in it, by its game,
    /// seats, clock and limits
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// `arena doctor`
#[derive(Args)]
pub struct Doctor {
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena games` and `arena bots`
#[derive(Args)]
pub struct Listed {
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena bot`
#[derive(Args)]
pub struct Bot {
    /// The bot's name
    pub name: String,
    /// How many matches it offers to play at the same time
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub matches: u32,
}

/// `arena schema`
#[derive(Args)]
pub struct Schema {
    /// The game whose messages are described
    #[arg(default_value = games::NAMES[0])]
    pub game: String,
    /// What this command prints with --json instead, such as show, match or bench-engine
    #[arg(long, value_name = "COMMAND", conflicts_with = "game")]
    pub of: Option<String>,
}

/// `arena completions`
#[derive(Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Whether all that went wrong is that nobody reads our output any more.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe))
}
