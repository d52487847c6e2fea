//! The flags that control progress output.

use clap::Args;

use arena_session::progress::ProgressMode;

#[derive(Args, Default)]
pub struct ProgressArgs {
    /// Progress on standard error
    #[arg(
        long,
        value_enum,
        default_value = "auto",
        help_heading = "Output",
        hide_short_help = true
    )]
    progress: ProgressMode,
    /// Show no progress
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
}

impl ProgressArgs {
    /// Shows progress as usual, or none.
    pub fn new(quiet: bool) -> Self {
        let progress = ProgressMode::default();
        Self { progress, quiet }
    }

    /// Returns how progress is shown.
    pub fn mode(&self) -> ProgressMode {
        if self.quiet {
            ProgressMode::None
        } else {
            self.progress
        }
    }
}
