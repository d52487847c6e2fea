//! `arena compare` on the command line.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use arena_results::comparison::Wanted;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::duration;
use super::keys::KeyFlags;
use super::progress::ProgressArgs;
use super::queue::NatsArgs;

/// `arena compare`
#[derive(Args)]
#[command(after_help = HOW)]
pub struct Compare {
    /// Two bots: the name of one that is built in or in --file, a source file, a folder, or NAME=COMMAND. Or the folder of a comparison
    #[arg(required = true, num_args = 1..=2, value_name = "BOT")]
    pub bots: Vec<String>,
    /// Let both play this opponent instead of each other; repeatable
    #[arg(long = "field", value_name = "BOT")]
    pub field: Vec<String>,
    /// Tournament file with bots, game, rules and clock
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub test: TestFlags,
    /// Set the exit code by whether the first bot is better than the second, or not worse
    #[arg(long, value_name = "WANTED", help_heading = TEST, value_parser = gates())]
    pub gate: Option<Wanted>,
    #[arg(long, help = with_default("Play at most this many deals", MAX_DEALS), value_name = "N", help_heading = TEST, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_deals: Option<u32>,
    #[command(flatten)]
    pub keys: KeyFlags,
    /// Folder of the comparison
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub progress: ProgressArgs,
    #[command(flatten)]
    pub queue: NatsArgs,
    /// Stop after this time, such as 20m, with all finished matches saved; the same command continues
    #[arg(long = "for", value_name = "TIME", value_parser = duration, help_heading = "Output", hide_short_help = true)]
    pub lasting: Option<Duration>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

const HOW: &str = "Plays deals in every seating until the test decides. The same command, or `arena compare FOLDER`, continues where it stopped. \
Without --out the folder is the first of runs/A-vs-B-1, 2, … that holds this comparison (on any seed, if none is given) or is new.\n\
Exit codes: 0 decided, or all deals played; 1 failed, 2 usage error, 130 interrupted with all finished matches saved. With --gate: 0 passed, 1 not passed, \
3 undecided when deals or time are used up.";

/// Default hypotheses H0 and H1, in Elo.
pub const DEFAULT_ELO: [f64; 2] = [0.0, 10.0];
/// Non-inferiority margin, in Elo.
pub const DEFAULT_MARGIN: f64 = 10.0;
/// Default error rate, both of accepting H1 if H0 is true and of accepting H0 if H1 is true.
pub const DEFAULT_ERROR_RATE: f64 = 0.05;
/// Default maximum number of deals.
pub const MAX_DEALS: u32 = 20_000;

fn with_default(about: &str, default: impl Display) -> String {
    format!("{about} [default: {default}]")
}

/// Help heading of the flags of the test.
const TEST: &str = "Test";

#[derive(Args)]
pub struct TestFlags {
    #[arg(long, help = with_default("H0: the first bot is stronger by no more than this", DEFAULT_ELO[0]), help_heading = TEST, allow_hyphen_values = true, value_name = "ELO")]
    pub elo0: Option<f64>,
    #[arg(long, help = with_default("H1: the first bot is stronger by at least this", DEFAULT_ELO[1]), help_heading = TEST, allow_hyphen_values = true, value_name = "ELO")]
    pub elo1: Option<f64>,
    #[arg(long, help = with_default("Probability of accepting H1 when H0 is true, or of finding a difference where there is none", DEFAULT_ERROR_RATE), help_heading = TEST, hide_short_help = true, value_name = "CHANCE")]
    pub alpha: Option<f64>,
    #[arg(long, help = with_default("Probability of accepting H0 when H1 is true", DEFAULT_ERROR_RATE), help_heading = TEST, hide_short_help = true, value_name = "CHANCE")]
    pub beta: Option<f64>,
    /// Compare points per match instead of wins; stop when the interval of the difference excludes 0
    #[arg(long, help_heading = TEST)]
    pub points: bool,
    /// Largest difference that counts as equal: X points per match with --points, X of the score with --field. With --gate not-worse: a bot
    /// passes if it is weaker by less than X Elo [default: 10]
    #[arg(long, help_heading = TEST, hide_short_help = true, value_name = "X")]
    pub margin: Option<f64>,
}

fn gates() -> impl TypedValueParser<Value = Wanted> {
    let names = PossibleValuesParser::new(["better", "not-worse"]);
    names.map(|name| {
        if name == "better" {
            Wanted::Better
        } else {
            Wanted::NotWorse
        }
    })
}
