//! What `arena bench calibration` may be told.

use clap::Args;

/// `arena bench calibration`
#[derive(Args)]
#[command(after_help = "The same seed gives the same figures, on however many cores.")]
pub struct BenchCalibration {
    /// How many tournaments are played for each number of deals
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub tournaments: u32,
    /// How many deals the tournaments have; may be repeated
    #[arg(long = "deals", value_name = "D", default_values_t = [10, 20, 50], value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub deals: Vec<u32>,
    /// How many deals the truth is taken from
    #[arg(long, default_value_t = 6_000, value_name = "D", value_parser = clap::value_parser!(u32).range(10..=10_000_000))]
    pub truth: u32,
    /// How many sequential tests, and streams that are peeked at, are run of each kind; as many as tournaments if left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub tests: Option<u32>,
    /// Only this game
    #[arg(long)]
    pub game: Option<String>,
    /// Where all chance comes from, below 2^53
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
