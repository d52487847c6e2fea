//! `arena tune` on the command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::duration;
use super::keys::KeyFlags;
use super::progress::ProgressArgs;

/// `arena tune`
#[derive(Args)]
#[command(after_help = HOW)]
pub struct Tune {
    /// Tournament file with [[tune]] tables, or folder of an existing tuning
    pub file: PathBuf,
    #[command(flatten)]
    pub keys: KeyFlags,
    /// Folder of the tuning
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub progress: ProgressArgs,
    /// Stop after this time, such as 90m or 2h, with all finished matches saved; the same command continues
    #[arg(long = "for", value_name = "TIME", value_parser = duration, help_heading = "Output", hide_short_help = true)]
    pub lasting: Option<Duration>,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

const HOW: &str = "A bot's command or environment holds each number as {NAME}; the other bots of the file are its field, and its format is not used. \
The budget is --deals, where each deal of a setting counts as one; a quarter more, at least 500, is played by the first and the tuned setting at the end. \
The same command, or `arena tune FOLDER`, continues where it stopped.";
