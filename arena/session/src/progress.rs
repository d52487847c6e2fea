//! The progress of a tournament on standard error: as a bar, in plain lines, or not at all.

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

/// The time from one plain line to the next.
pub const PLAIN: Duration = Duration::from_secs(10);
/// The most characters of a leader's name that are shown.
const NAME: usize = 20;

/// The way in which progress is shown.
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
    /// The mode that is meant where standard error goes.
    pub fn here(self) -> Self {
        match self {
            ProgressMode::Auto if io::stderr().is_terminal() => ProgressMode::Bar,
            ProgressMode::Auto => ProgressMode::Plain,
            mode => mode,
        }
    }
}

/// The progress of a tournament.
pub struct Progress {
    mode: ProgressMode,
    bar: ProgressBar,
    began: Instant,
    last_line: Instant,
    planned: u64,
    /// The number of those that were finished before.
    before: u64,
    done: u64,
    rounds: u32,
    round: u32,
    names: Vec<String>,
    /// Matches and points of each bot.
    sums: Vec<(u64, i64)>,
    forfeits: u64,
    voids: u64,
    /// What there is to know of the machines that play.
    machines: String,
}

impl Progress {
    /// Starts with what is in the ledger, of one shard only if there is one.
    pub fn new(mode: ProgressMode, ledger: &Ledger, shard: Option<Shard>) -> Result<Self, LedgerError> {
        let mode = mode.here();
        let tournament = ledger.spec();
        let planned = shard.map_or_else(|| tournament.matches(), |shard| shard.matches(tournament));
        let deals = shard.map(|shard| shard.deals(tournament));
        let bar = if mode == ProgressMode::Bar { bar(planned) } else { ProgressBar::hidden() };
        let now = Instant::now();
        let mut progress = Self {
            mode,
            bar,
            began: now,
            last_line: now,
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
        progress.bar.reset_eta();
        Ok(progress)
    }

    /// Counts what is in the ledger.
    fn recount(&mut self, ledger: &Ledger, deals: Option<&RangeInclusive<u32>>) -> Result<(), LedgerError> {
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
        self.bar.set_position(self.done);
        Ok(())
    }

    fn finished(&mut self, matches: &[Played]) {
        for played in matches {
            for (name, (seat, score)) in played.bots.iter().zip(played.verdict.outcome.seats.seats()) {
                if let Some(bot) = self.names.iter().position(|known| known == name) {
                    self.count(bot, score.points, played.verdict.faults[seat].is_some());
                }
            }
            self.voids += played.voids.len() as u64;
        }
        self.done += matches.len() as u64;
        self.bar.set_position(self.done);
        self.show();
    }

    fn show(&mut self) {
        self.bar.set_message(self.details());
        if self.mode == ProgressMode::Plain && self.last_line.elapsed() >= PLAIN {
            self.last_line = Instant::now();
            status(self.line());
        }
    }

    /// The number of matches that are finished, and of those that are planned.
    pub fn counts(&self) -> [u64; 2] {
        [self.done, self.planned]
    }

    /// Takes the bar away, and prints how it ended.
    pub fn end(&self, how: &str) {
        self.bar.finish_and_clear();
        if self.mode == ProgressMode::None {
            return;
        }
        let (now, elapsed) = (self.done.saturating_sub(self.before), self.began.elapsed());
        if now == 0 && self.before > 0 {
            return status(format_args!("{how}: nothing now, {} of {} matches before", self.before, self.planned));
        }
        let rate = units::rate(now as f64 / elapsed.as_secs_f64().max(1e-9), "matches");
        let played = if self.before > 0 { format!("{now} now, {} in all", self.done) } else { now.to_string() };
        let mut line =
            format!("{how}: {played} of {} matches in {:.1} s ({rate})", self.planned, elapsed.as_secs_f64());
        for (count, what) in [(self.forfeits, "forfeits"), (self.voids, "void and played again")] {
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

    /// The bot with the most points per match.
    fn leader(&self) -> Option<(&str, f64)> {
        let means = self.names.iter().zip(&self.sums).filter(|(_, (matches, _))| *matches > 0);
        let means = means.map(|(name, (matches, points))| (name.as_str(), *points as f64 / *matches as f64));
        means.max_by(|(first, a), (second, b)| a.total_cmp(b).then_with(|| second.cmp(first)))
    }

    fn details(&self) -> String {
        let mut details = String::new();
        if self.rounds > 1 {
            details += &format!(" · round {} of {}", self.round, self.rounds);
        }
        if let Some((name, points)) = self.leader() {
            let name: String = clean(name).chars().take(NAME).collect();
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
        let rate = self.done.saturating_sub(self.before) as f64 / self.began.elapsed().as_secs_f64().max(1e-9);
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
        self.bar.set_message(self.details());
    }

    fn matches_saved(&mut self, matches: &[Played]) -> anyhow::Result<ControlFlow<()>> {
        self.finished(matches);
        Ok(ControlFlow::Continue(()))
    }

    fn match_unplayed(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn matches_taken_back(&mut self, ledger: &Ledger) -> anyhow::Result<()> {
        Ok(self.recount(ledger, None)?)
    }

    fn machines(&mut self, about: String) {
        self.machines = format!(" · {about}");
        self.show();
    }

    fn news(&mut self, line: &str) {
        self.bar.suspend(|| status(line));
    }
}

fn bar(planned: u64) -> ProgressBar {
    let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
        // A bar that cannot be drawn must not disturb the tournament.
        let _ = write!(out, "{}", units::rate(state.per_sec(), "matches"));
    };
    let style = ProgressStyle::with_template("{bar:16} {human_pos}/{human_len}, {rate}, {eta} left{wide_msg}");
    let bar = ProgressBar::with_draw_target(Some(planned), ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("█▌░").with_key("rate", rate));
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
