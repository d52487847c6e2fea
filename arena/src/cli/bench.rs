//! `arena bench` on the command line.

use clap::{Args, Subcommand};

/// `arena bench`
#[derive(Subcommand)]
pub enum Bench {
    /// Play random matches of every game on one core
    Engine(BenchEngine),
    /// Time turns between the arena and programs, beside bare pipes
    Wire(BenchWire),
    /// Send every line back: the other end of the bare pipes
    #[command(hide = true)]
    Echo,
}

/// `arena bench wire`
#[derive(Args)]
pub struct BenchWire {
    /// The programs that play, as commands; twice `arena bot random` if left out
    #[arg(long = "program", value_name = "COMMAND")]
    pub programs: Vec<String>,
    /// How many matches each of our own bots offers to play at the same time
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub matches: u32,
    /// How many matches, or pairs of pipes, run at the same time: one a core if left out
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Do not keep each worker and its bots on one core
    #[arg(long)]
    pub no_pin: bool,
    /// How long each of the two is measured
    #[arg(long, default_value_t = 3.0)]
    pub seconds: f64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `arena bench engine`
#[derive(Args)]
pub struct BenchEngine {
    /// Measure this game only
    #[arg(long)]
    pub game: Option<String>,
    /// A rule of the game: NAME=VALUE; repeatable
    #[arg(long = "rule", value_name = "NAME=VALUE", requires = "game")]
    pub rules: Vec<String>,
    /// How long each game and number of seats is measured
    #[arg(long, default_value_t = 1.0)]
    pub seconds: f64,
    /// Print JSON, a line for each row
    #[arg(long)]
    pub json: bool,
}
