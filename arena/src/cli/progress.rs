//! What is told while matches are played.

use clap::Args;

use arena_session::progress::ProgressMode;

/// How progress is told.
#[derive(Args)]
pub struct ProgressArgs {
    /// How progress is told on standard error
    #[arg(long, value_enum, default_value = "auto")]
    progress: ProgressMode,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl ProgressArgs {
    /// The way in which it is told.
    pub fn mode(&self) -> ProgressMode {
        if self.quiet { ProgressMode::None } else { self.progress }
    }
}
