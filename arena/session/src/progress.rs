//! Shows the progress of a tournament on standard error: as a bar, in plain lines, or not at all.

use std::fmt;
use std::io::{self, IsTerminal};
use std::ops::{ControlFlow, RangeInclusive};
use std::time::{Duration, Instant};

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::played::Played;
use arena_tournament::printable::clean;
use clap::ValueEnum;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::Observer;
use super::shard::Shard;
use arena_runner::status::status;
use arena_runner::units;

/// Interval between plain lines.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// Template of a tournament's bar.
const BAR_TEMPLATE: &str = "{bar:16} {human_pos}/{human_len}, {rate}, {eta} left{wide_msg}";
/// Maximum length of a leader's name, in characters.
const MAX_NAME_CHARS: usize = 20;

/// Style of progress output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// A bar on a terminal, plain lines elsewhere
    #[default]
    Auto,
    /// One line, redrawn in place
    Bar,
    /// A line every ten seconds, for logs
    Plain,
    /// Nothing
    None,
}

impl ProgressMode {
    /// Resolves `Auto` for the current standard error.
    fn here(self) -> Self {
        match self {
            ProgressMode::Auto if io::stderr().is_terminal() => ProgressMode::Bar,
            ProgressMode::Auto => ProgressMode::Plain,
            mode => mode,
        }
    }
}

/// The display of progress.
pub struct Display {
    /// Style of the output.
    pub mode: ProgressMode,
    /// The bar; hidden in other modes.
    pub bar: ProgressBar,
    began: Instant,
    last_line: Instant,
}

impl Display {
    /// Starts the display. A bar has this length, if known, and this template.
    pub fn new(mode: ProgressMode, length: Option<u64>, template: &str) -> Self {
        let (mode, now) = (mode.here(), Instant::now());
        let bar = if mode == ProgressMode::Bar {
            bar(length, template)
        } else {
            ProgressBar::hidden()
        };
        Self {
            mode,
            bar,
            began: now,
            last_line: now,
        }
    }

    /// Returns the number of seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Returns the matches per second, given the number played since the start.
    pub fn rate(&self, matches: u64) -> f64 {
        matches as f64 / self.elapsed().max(1e-9)
    }

    /// Returns `true` if a plain line is due.
    pub fn is_line_due(&mut self) -> bool {
        let is_due = self.mode == ProgressMode::Plain && self.last_line.elapsed() >= LINE_INTERVAL;
        if is_due {
            self.last_line = Instant::now();
        }
        is_due
    }
}

pub struct Progress {
    display: Display,
    planned: u64,
    /// Number of matches finished before this run.
    before: u64,
    done: u64,
    rounds: u32,
    round: u32,
    names: Vec<String>,
    /// Matches and points of each bot.
    sums: Vec<(u64, i64)>,
    forfeits: u64,
    voids: u64,
    /// The state of the machines that play, in words.
    machines: String,
}

impl Progress {
    /// Starts with the matches in the ledger. If a shard is given, only its matches count.
    pub fn new(
        mode: ProgressMode,
        ledger: &Ledger,
        shard: Option<Shard>,
    ) -> Result<Self, LedgerError> {
        let tournament = ledger.spec();
        let planned = shard.map_or_else(|| tournament.matches(), |shard| shard.matches(tournament));
        let deals = shard.map(|shard| shard.deals(tournament));
        let mut progress = Self {
            display: Display::new(mode, Some(planned), BAR_TEMPLATE),
            planned,
            before: 0,
            done: 0,
            rounds: tournament.rounds(),
            round: 1,
            names: tournament.bots.iter().map(|bot| bot.name.clone()).collect(),
            sums: vec![(0, 0); tournament.bots.len()],
            forfeits: 0,
            voids: 0,
            machines: String::new(),
        };
        progress.recount(ledger, deals.as_ref())?;
        progress.before = progress.done;
        progress.display.bar.reset_eta();
        Ok(progress)
    }

    /// Counts the matches in the ledger.
    fn recount(
        &mut self,
        ledger: &Ledger,
        deals: Option<&RangeInclusive<u32>>,
    ) -> Result<(), LedgerError> {
        (self.done, self.forfeits) = (0, 0);
        self.sums.fill((0, 0));
        ledger.scores(|scored| {
            if deals.is_some_and(|deals| !deals.contains(&scored.deal)) {
                return Ok(());
            }
            for (bot, seat) in scored.bots.iter().zip(&scored.seats) {
                self.count(*bot, seat.points, seat.fault.is_some());
            }
            self.done += 1;
            Ok::<_, LedgerError>(())
        })?;
        self.display.bar.set_position(self.done);
        Ok(())
    }

    fn finished(&mut self, matches: &[Played]) {
        for played in matches {
            for (name, (seat, score)) in
                played.bots.iter().zip(played.verdict.outcome.seats.seats())
            {
                if let Some(bot) = self.names.iter().position(|known| known == name) {
                    self.count(bot, score.points, played.verdict.faults[seat].is_some());
                }
            }
            self.voids += played.voids.len() as u64;
        }
        self.done += matches.len() as u64;
        self.display.bar.set_position(self.done);
        self.show();
    }

    fn show(&mut self) {
        self.display.bar.set_message(self.details());
        if self.display.is_line_due() {
            status(self.line());
        }
    }

    /// Returns the numbers of finished and planned matches.
    pub fn counts(&self) -> [u64; 2] {
        [self.done, self.planned]
    }

    /// Removes the bar, and prints how the run ended.
    pub fn end(&self, how: &str) {
        self.display.bar.finish_and_clear();
        if self.display.mode == ProgressMode::None {
            return;
        }
        let now = self.done.saturating_sub(self.before);
        if now == 0 && self.before > 0 {
            return status(format_args!(
                "{how}: no new matches; {} of {} were already finished",
                self.before, self.planned
            ));
        }
        let (rate, took) = (
            units::rate(self.display.rate(now), "matches"),
            self.display.elapsed(),
        );
        let played = if self.before > 0 {
            format!("{now} now, {} in all", self.done)
        } else {
            now.to_string()
        };
        let mut line = format!(
            "{how}: {played} of {} matches in {took:.1} s ({rate})",
            self.planned
        );
        for (count, what) in [
            (self.forfeits, "forfeits"),
            (self.voids, "void and played again"),
        ] {
            if count > 0 {
                line += &format!(", {count} {what}");
            }
        }
        status(line);
    }

    fn count(&mut self, bot: usize, points: i32, forfeited: bool) {
        let (matches, sum) = &mut self.sums[bot];
        *matches += 1;
        *sum += i64::from(points);
        self.forfeits += u64::from(forfeited);
    }

    /// Returns the bot with the most points per match.
    fn leader(&self) -> Option<(&str, f64)> {
        let means = self
            .names
            .iter()
            .zip(&self.sums)
            .filter(|(_, (matches, _))| *matches > 0);
        let means = means
            .map(|(name, (matches, points))| (name.as_str(), *points as f64 / *matches as f64));
        means.max_by(|(first, a), (second, b)| a.total_cmp(b).then_with(|| second.cmp(first)))
    }

    fn details(&self) -> String {
        let mut details = String::new();
        if self.rounds > 1 {
            details += &format!(" · round {} of {}", self.round, self.rounds);
        }
        if let Some((name, points)) = self.leader() {
            let name: String = clean(name).chars().take(MAX_NAME_CHARS).collect();
            details += &format!(" · most points/match: {name} {points:.2}");
        }
        for (count, what) in [(self.forfeits, "forfeits"), (self.voids, "void")] {
            if count > 0 {
                details += &format!(" · {count} {what}");
            }
        }
        details + &self.machines
    }

    fn line(&self) -> String {
        let now = self.done.saturating_sub(self.before);
        if now == 0 {
            // The speed is not known yet.
            let Self { done, planned, .. } = self;
            return format!("{done} of {planned} matches{}", self.details());
        }
        let rate = self.display.rate(now);
        let left = (self.planned.saturating_sub(self.done)) as f64 / rate.max(1e-9);
        let left = HumanDuration(Duration::from_secs_f64(left.min(1e9)));
        format!(
            "{} of {} matches, {}, {left} left{}",
            self.done,
            self.planned,
            units::rate(rate, "matches"),
            self.details()
        )
    }
}

impl Observer for Progress {
    fn round_started(&mut self, round: u32) {
        self.round = round;
        self.display.bar.set_message(self.details());
    }

    fn matches_saved(&mut self, matches: &[Played]) -> anyhow::Result<ControlFlow<()>> {
        self.finished(matches);
        Ok(ControlFlow::Continue(()))
    }

    fn match_unplayed(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn machines(&mut self, about: String) {
        self.machines = format!(" · {about}");
        self.show();
    }

    fn news(&mut self, line: &str) {
        self.display.bar.suspend(|| status(line));
    }
}

fn bar(length: Option<u64>, template: &str) -> ProgressBar {
    let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
        // A failure to draw the bar must not disturb the tournament.
        let _ = write!(out, "{}", units::rate(state.per_sec(), "matches"));
    };
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("█▌░").with_key("rate", rate));
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_config::read::{Flags, of_kept};

    #[test]
    fn nothing_is_estimated_before_the_first_match() {
        let bot = |name: &str| format!("[[bots]]\nname = '{name}'\nbuiltin = 'random'\n");
        let text = format!("deals = 3\n{}{}", bot("x"), bot("y"));
        let file = std::path::Path::new("/t.toml");
        let spec = of_kept(&text, file, &Flags::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::create(folder.path(), &spec).unwrap();
        let mut progress = Progress::new(ProgressMode::Plain, &ledger, None).unwrap();
        assert_eq!(progress.line(), "0 of 6 matches");
        progress.done = 2;
        assert!(progress.line().contains(" left"), "{}", progress.line());
    }
}
