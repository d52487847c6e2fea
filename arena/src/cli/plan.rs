//! `arena plan` on the command line.

use std::path::PathBuf;

use clap::Args;

use super::SpecArgs;

/// `arena plan`
#[derive(Args)]
#[command(after_help = HOW)]
pub struct Planning {
    #[command(flatten)]
    pub spec: SpecArgs,
    /// Folder of the tournament
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Measure for this many seconds how long matches take and how much deals differ; 0 to measure nothing
    #[arg(long, default_value_t = 2.0)]
    pub seconds: f64,
    /// Show how many deals it takes to tell apart two bots whose true difference is this many Elo [default: 50]
    #[arg(long, value_name = "ELO", value_parser = elo, allow_hyphen_values = true)]
    pub to_tell: Option<f64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

const HOW: &str = "After the deals of --to-tell, the 95 % interval of two such bots excludes 0 with a probability of 80 %. How much deals differ \
is measured on the deals that finish within --seconds.";

/// Parses a difference in Elo.
fn elo(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(elo) if (1.0..=1000.0).contains(&elo) => Ok(elo),
        _ => Err("write a difference from 1 to 1000, in Elo".into()),
    }
}
