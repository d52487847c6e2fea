//! Tells on standard error how a comparison is getting on, and when it is decided.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Context;
use arena_ledger::ledger::Ledger;
use arena_results::table::signed;
use arena_statistics::betting::MeanEstimate;
use arena_statistics::compare::Comparison;
use arena_statistics::elo::{self, Elo};
use arena_statistics::sprt::{self, TestVerdict};
use arena_tournament::played::Played;
use arena_tournament::test::Test;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use arena_runner::status::status;
use arena_runner::units;
use arena_session::Observer;
use arena_session::progress::{PLAIN, ProgressMode};

/// The number of characters the way between both bounds has.
const WAY: usize = 21;

/// How a comparison is getting on.
pub struct News {
    mode: ProgressMode,
    bar: ProgressBar,
    began: Instant,
    told: Instant,
    /// Matches that were finished since then.
    now: u64,
    names: Vec<String>,
    comparison: Comparison,
    /// What there is to know of the machines that play.
    machines: String,
}

impl News {
    /// Begins with what is in the ledger.
    pub fn new(mode: ProgressMode, ledger: &Ledger) -> anyhow::Result<Self> {
        let mode = mode.here();
        let bar = if mode == ProgressMode::Bar { bar() } else { ProgressBar::hidden() };
        let now = Instant::now();
        let names = ledger.spec().bots.iter().map(|bot| bot.name.clone()).collect();
        Ok(Self {
            mode,
            bar,
            began: now,
            told: now,
            now: 0,
            names,
            comparison: super::by_ledger(ledger)?,
            machines: String::new(),
        })
    }

    /// Takes the bar away, and says how it ended.
    pub fn end(&self) {
        self.bar.finish_and_clear();
        if self.mode != ProgressMode::None {
            let took = self.began.elapsed().as_secs_f64();
            status(format_args!("{} matches in {took:.1} s ({})", self.now, units::rate(self.rate(), "matches")));
        }
    }

    fn rate(&self) -> f64 {
        self.now as f64 / self.began.elapsed().as_secs_f64().max(1e-9)
    }

    fn line(&self) -> String {
        let comparison = &self.comparison;
        let stands = match &comparison.test {
            Test::Sprt(sprt) => {
                let counts = comparison.pentanomial().unwrap_or_default();
                let ([lower, upper], llr) = (sprt.bounds(), sprt::llr(sprt, &counts));
                let way = way(llr, lower, upper);
                let elo = elo::of_counts(&counts).map_or_else(String::new, |estimate| so_far(estimate.elo));
                format!("LLR {} {lower:.2} {way} {upper:+.2}{elo}", signed(llr, 2))
            }
            Test::Score(_) => difference("score", comparison.scores(), 3),
            Test::Points(_) => difference("points", comparison.points(), 1),
        };
        format!("{stands} · {} deals · {}{}", comparison.deals, units::rate(self.rate(), "matches"), self.machines)
    }
}

impl News {
    fn show(&mut self) {
        if self.mode == ProgressMode::Bar {
            self.bar.set_message(self.line());
        } else if self.mode == ProgressMode::Plain && self.told.elapsed() >= PLAIN {
            self.told = Instant::now();
            status(self.line());
        }
    }
}

impl Observer for News {
    fn round_started(&mut self, _: u32) {
        self.bar.set_message(self.line());
    }

    fn matches_saved(&mut self, matches: &[Played]) -> anyhow::Result<ControlFlow<()>> {
        for played in matches {
            // What only the report looks at is left out: that is made from the ledger.
            let scored = played.scored(&self.names).context("a match of a bot that takes no part")?;
            self.comparison.add(scored)?;
        }
        self.now += matches.len() as u64;
        self.show();
        let done = self.comparison.verdict != TestVerdict::Running;
        Ok(if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn match_unplayed(&mut self) -> ControlFlow<()> {
        // No deal counts any more after one that lacks a match.
        ControlFlow::Break(())
    }

    fn matches_taken_back(&mut self, ledger: &Ledger) -> anyhow::Result<()> {
        self.comparison = super::by_ledger(ledger)?;
        Ok(())
    }

    fn machines(&mut self, about: String) {
        self.machines = format!(" · {about}");
        self.show();
    }

    fn news(&mut self, line: &str) {
        self.bar.suspend(|| status(line));
    }
}

/// Where a number stands between two bounds.
fn way(number: f64, lower: f64, upper: f64) -> String {
    let part = ((number - lower) / (upper - lower)).clamp(0.0, 1.0);
    let place = (part * (WAY - 1) as f64).round() as usize;
    (0..WAY).map(|at| if at == place { '●' } else { '─' }).collect()
}

fn so_far(elo: Elo) -> String {
    match elo {
        Elo::Value(elo) => format!(" · Elo {} so far", signed(elo, 0)),
        // A bound is one for a number of deals that was fixed.
        Elo::AtLeast(_) => " · all won so far".into(),
        Elo::AtMost(_) => " · all lost so far".into(),
    }
}

fn difference(what: &str, known: MeanEstimate, digits: usize) -> String {
    let [low, high] = known.interval.map(|end| signed(end, digits));
    let mean = known.mean.map_or_else(String::new, |mean| format!("{} so far, ", signed(mean, digits)));
    format!("{what} {mean}between {low} and {high}")
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_begins_at_one_bound_and_ends_at_the_other() {
        let place = |llr: f64| way(llr, -2.0, 2.0).chars().position(|sign| sign == '●').unwrap();
        assert_eq!([-2.5, -2.0, 0.0, 1.0, 2.0, 9.0].map(place), [0, 0, 10, 15, 20, 20]);
    }

    #[test]
    fn nothing_is_signed_zero() {
        let known = MeanEstimate { observed: 3, mean: Some(-0.0004), interval: [-1.0, 0.0004] };
        assert_eq!(difference("score", known, 3), "score 0.000 so far, between -1.000 and 0.000");
        assert_eq!(difference("score", MeanEstimate { mean: None, ..known }, 1), "score between -1.0 and 0.0");
        assert_eq!(
            [0.4, -0.4, 12.0].map(|elo| so_far(Elo::Value(elo))),
            [" · Elo 0 so far", " · Elo 0 so far", " · Elo +12 so far"]
        );
    }
}
