//! How the bot used its time, from the answers of all steps.

use std::time::Duration;

use super::BotCheck;
use super::report::{Finding, Timing};
use arena_runner::conversation::Elapsed;
use arena_runner::units::millis;

impl BotCheck<'_> {
    /// Judges the times.
    pub(super) fn timing_step(&self, timings: &[Timing]) -> anyhow::Result<()> {
        self.report.begin("it keeps its time");
        let longest = timings.iter().max_by(|a, b| a.longest_ms.total_cmp(&b.longest_ms));
        let Some(Timing { game, longest_ms, longest_of_limit, .. }) = longest else {
            return self.report.end("no answer was timed", Vec::new()).map(drop);
        };
        let share = format!("{longest_ms:.1} ms, {:.1} % of {}", longest_of_limit * 100.0, millis(self.per_move));
        let slow = (*longest_of_limit > 0.5).then(|| {
            Finding::warning(
                format!("in {game} its longest answer took {share}"),
                "tournaments run on busier machines: aim at half of clock.move_ms at most",
            )
        });
        self.report.end(format!("longest answer {share}"), slow.into_iter().collect()).map(drop)
    }
}

/// The use of time in a game; none if no answer was timed.
pub fn of(game: &str, times: &[Elapsed], limit: Duration) -> Option<Timing> {
    let mut wall: Vec<f64> = times.iter().map(|time| time.wall.as_secs_f64() * 1e3).collect();
    wall.sort_by(f64::total_cmp);
    let at = |share: usize| wall[(wall.len() * share).div_ceil(100).clamp(1, wall.len()) - 1];
    let cpu: Option<f64> = times.iter().map(|time| time.cpu.map(|cpu| cpu.as_secs_f64() * 1e3)).sum();
    let longest_ms = *wall.last()?;
    Some(Timing {
        game: game.to_owned(),
        turns: wall.len(),
        median_ms: at(50),
        p99_ms: at(99),
        longest_ms,
        longest_of_limit: longest_ms / (limit.as_secs_f64() * 1e3),
        cpu: cpu.map(|cpu| cpu / wall.iter().sum::<f64>()),
    })
}
