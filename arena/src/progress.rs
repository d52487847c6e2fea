//! Tells on standard error how a tournament is getting on.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use arena_results::played::Played;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Says something on standard error. That nobody listens there must not end a tournament.
pub fn tell(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A bar with rate and remaining time; nothing where standard error is no terminal.
pub struct Progress {
    bar: ProgressBar,
    forfeits: u64,
}

impl Progress {
    /// A bar for `planned` matches of which `done` are finished already.
    pub fn new(planned: u64, done: u64) -> Self {
        let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
            // A bar that cannot be drawn must not disturb the tournament.
            let _ = write!(out, "{:.0}/s", state.per_sec());
        };
        let style = ProgressStyle::with_template("{bar:24} {human_pos}/{human_len} matches, {rate}, {eta} left {msg}");
        let bar = ProgressBar::with_draw_target(Some(planned), ProgressDrawTarget::stderr_with_hz(8));
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("█▌░").with_key("rate", rate));
        }
        bar.set_position(done);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar, forfeits: 0 }
    }

    /// Shows nothing.
    pub fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), forfeits: 0 }
    }

    /// These are finished.
    pub fn finished(&mut self, matches: &[Played]) {
        let forfeits = matches.iter().flat_map(|played| &played.verdict.faults).filter(|fault| fault.is_some()).count();
        self.forfeits += forfeits as u64;
        if self.forfeits > 0 {
            self.bar.set_message(format!("· {} forfeits", self.forfeits));
        }
        self.bar.inc(matches.len() as u64);
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
