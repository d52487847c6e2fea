//! `arena compare` on the command line.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::clock::ClockFlags;
use super::keys::{KeyFlags, TwoBots};
use super::progress::ProgressArgs;
use super::queue::QueueArgs;

/// `arena compare`
#[derive(Args)]
#[command(after_help = HOW)]
pub struct Compare {
    /// Two bots: NAME=COMMAND, NAME=builtin:BOT, or the name of one that is in the file or built in. Or the folder of a
    /// comparison that has begun
    #[arg(required = true, num_args = 1..=2, value_name = "BOT")]
    pub bots: Vec<String>,
    /// Whom both play, in place of each other; may be repeated
    #[arg(long = "field", value_name = "BOT")]
    pub field: Vec<String>,
    /// A tournament file, for its bots, game, rules and clock
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// What is tested
    #[command(flatten)]
    pub test: TestFlags,
    /// How many deals are played at most: 20000 if left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_deals: Option<u32>,
    /// The flags of keys
    #[command(flatten)]
    pub keys: KeyFlags<TwoBots>,
    /// Whether there is a clock
    #[command(flatten)]
    pub clock: ClockFlags,
    /// The folder, if it is to be another
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// What is told meanwhile
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// The queue
    #[command(flatten)]
    pub queue: QueueArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

const HOW: &str = "Deals are played in every seating until the test decides. The same command goes on where it stopped, \
as does `arena compare FOLDER`; without --out the folder is runs/A-vs-B-1, 2, …: the first that holds this very comparison (on any seed, if none is named) or none.\n\
Exit codes: 0 decided, or all deals played; 1 failed, 2 wrong use, 130 interrupted with all finished matches saved.";

/// What is tested.
#[derive(Args)]
pub struct TestFlags {
    /// Accept H0 if the first bot is no stronger than this many Elo: 0 if left out
    #[arg(long, allow_hyphen_values = true, value_name = "ELO")]
    pub elo0: Option<f64>,
    /// Accept H1 if it is at least so much stronger: 10 if left out
    #[arg(long, allow_hyphen_values = true, value_name = "ELO")]
    pub elo1: Option<f64>,
    /// In which Elo: logistic if left out
    #[arg(long, value_enum)]
    pub model: Option<ModelName>,
    /// The chance to accept H1, or to see a difference, that is not true: 0.05 if left out
    #[arg(long, value_name = "CHANCE")]
    pub alpha: Option<f64>,
    /// The chance to accept H0 when H1 is true: 0.05 if left out
    #[arg(long, value_name = "CHANCE")]
    pub beta: Option<f64>,
    /// Compare points in place of wins: decided once the difference is not 0
    #[arg(long)]
    pub points: bool,
    /// With --points or --field: decided as well once the difference is this much at most (points in a match, or score)
    #[arg(long, value_name = "X")]
    pub margin: Option<f64>,
}

/// In which Elo hypotheses are given.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ModelName {
    /// Of the mean score
    Logistic,
    /// Of the mean score less ½, in standard deviations of a match
    Normalised,
}
