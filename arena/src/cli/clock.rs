//! The flag that stops all clocks.

use clap::Args;

#[derive(Args)]
pub struct ClockFlags {
    /// Do not limit the time for an answer, for debugging
    #[arg(long, conflicts_with = "move-ms", help_heading = "Clock", hide_short_help = true)]
    pub no_clock: bool,
}
