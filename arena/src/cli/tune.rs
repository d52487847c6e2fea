//! `arena tune` on the command line.

use std::path::PathBuf;

use clap::Args;

use super::keys::KeyFlags;
use super::progress::ProgressArgs;

/// `arena tune`
#[derive(Args)]
#[command(after_help = HOW)]
pub struct Tune {
    /// Tournament file with tune tables, or folder of an existing tuning
    pub file: PathBuf,
    #[command(flatten)]
    pub keys: KeyFlags,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// Folder of the tuning
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

const HOW: &str = "A [[tune]] table has a name, from, to, start, and scale = \"log\" for numbers that span powers; {NAME} in the command or the \
environment of one bot stands for its value. All other bots of the file are its field; the format is not used. --deals is the budget: the deals of all \
settings together. At the end, the first and the tuned setting each play a quarter of the budget, and at least 500 deals. The same command, or \
`arena tune FOLDER`, continues where it stopped.";
