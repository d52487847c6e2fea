//! Whether time is limited.

use clap::Args;

/// Whether there is a clock.
#[derive(Args)]
pub struct ClockFlags {
    /// No limit to the time for an answer, for debugging
    #[arg(long, conflicts_with = "move-ms")]
    pub no_clock: bool,
}
