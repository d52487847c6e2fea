//! The progress of a comparison on standard error. It ends play once the test is decided.

use std::ops::ControlFlow;

use anyhow::{Context, Error};
use arena_ledger::ledger::Ledger;
use arena_results::table::signed;
use arena_statistics::betting::MeanEstimate;
use arena_statistics::compare::Comparison;
use arena_statistics::elo::{Elo, Sample};
use arena_statistics::sprt::{self, TestVerdict};
use arena_tournament::played::Played;
use arena_tournament::test::Test;

use arena_runner::status::status;
use arena_runner::units;
use arena_session::Observer;
use arena_session::progress::{Display, ProgressMode};

/// Progress of a comparison, shown on standard error.
pub struct ComparisonProgress {
    display: Display,
    /// Number of matches finished in this run.
    now: u64,
    names: Vec<String>,
    comparison: Comparison,
    /// Description of the machines that play.
    machines: String,
}

impl ComparisonProgress {
    /// Starts from the matches already in the ledger.
    pub fn new(mode: ProgressMode, ledger: &Ledger) -> anyhow::Result<Self> {
        let names = ledger
            .spec()
            .bots
            .iter()
            .map(|bot| bot.name.clone())
            .collect();
        let (display, comparison) = (
            Display::new(mode, None, "{wide_msg}"),
            super::by_ledger(ledger)?,
        );
        Ok(Self {
            display,
            now: 0,
            names,
            comparison,
            machines: String::new(),
        })
    }

    /// Removes the bar and prints the totals.
    pub fn end(&self) {
        self.display.bar.finish_and_clear();
        if self.display.mode != ProgressMode::None {
            status(format_args!(
                "{} matches in {:.1} s ({})",
                self.now,
                self.display.elapsed(),
                self.rate()
            ));
        }
    }

    fn rate(&self) -> String {
        units::rate(self.display.rate(self.now), "matches")
    }

    fn line(&self) -> String {
        let comparison = &self.comparison;
        let stands = match &comparison.test {
            Test::Sprt(sprt) => {
                let counts = comparison.pentanomial().unwrap_or_default();
                let ([lower, upper], llr) = (sprt.bounds(), sprt::llr(sprt, &counts));
                let elo = Sample::of_counts(&counts)
                    .and_then(|sample| sample.estimate().elo)
                    .map_or_else(String::new, so_far);
                format!("LLR {} ({lower:.2}, {upper:.2}){elo}", signed(llr, 2))
            }
            Test::Score(_) => difference("score", comparison.scores(), 3),
            Test::Points(_) => difference("points", comparison.points(), 1),
        };
        format!(
            "{stands} · {} deals · {}{}",
            comparison.deals,
            self.rate(),
            self.machines
        )
    }

    fn show(&mut self) {
        if self.display.mode == ProgressMode::Bar {
            self.display.bar.set_message(self.line());
        } else if self.display.is_line_due() {
            status(self.line());
        }
    }
}

impl Observer for ComparisonProgress {
    fn round_started(&mut self, _: u32) {
        self.display.bar.set_message(self.line());
    }

    fn matches_saved(&mut self, matches: &[Played]) -> anyhow::Result<ControlFlow<()>> {
        for played in matches {
            let scored = played
                .scored(&self.names)
                .context("the match contains an unknown bot")?;
            self.comparison.add(scored).map_err(Error::msg)?;
        }
        self.now += matches.len() as u64;
        self.show();
        let done = self.comparison.verdict != TestVerdict::Running;
        Ok(if done {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    fn match_unplayed(&mut self) -> ControlFlow<()> {
        // Deals count only up to the first one that lacks a match, so further matches would not count.
        ControlFlow::Break(())
    }

    fn machines(&mut self, about: String) {
        self.machines = format!(" · {about}");
        self.show();
    }

    fn news(&mut self, line: &str) {
        self.display.bar.suspend(|| status(line));
    }
}

fn so_far(elo: Elo) -> String {
    match elo {
        Elo::Value(elo) => format!(" · Elo {} so far", signed(elo, 0)),
        // The bounds assume a fixed number of deals, so do not show them for a sequential test.
        Elo::AtLeast(_) => " · all won so far".into(),
        Elo::AtMost(_) => " · all lost so far".into(),
    }
}

fn difference(what: &str, estimate: MeanEstimate, digits: usize) -> String {
    let [low, high] = estimate.interval.map(|end| signed(end, digits));
    let mean = estimate.mean.map_or_else(String::new, |mean| {
        format!("{} so far, ", signed(mean, digits))
    });
    format!("{what} {mean}between {low} and {high}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_signed_zero() {
        let estimate = MeanEstimate {
            observed: 3,
            mean: Some(-0.0004),
            interval: [-1.0, 0.0004],
        };
        assert_eq!(
            difference("score", estimate, 3),
            "score 0.000 so far, between -1.000 and 0.000"
        );
        assert_eq!(
            difference(
                "score",
                MeanEstimate {
                    mean: None,
                    ..estimate
                },
                1
            ),
            "score between -1.0 and 0.0"
        );
        assert_eq!(
            [0.4, -0.4, 12.0].map(|elo| so_far(Elo::Value(elo))),
            [" · Elo 0 so far", " · Elo 0 so far", " · Elo +12 so far"]
        );
    }
}
