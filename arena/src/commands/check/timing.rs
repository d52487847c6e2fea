//! How the bot used its time, from the answers of all steps.

use super::Plan;
use super::report::{Finding, Report, Timing};
use arena_runner::conversation::Elapsed;
use arena_runner::units::millis;

/// The answers that were timed, by game in the order in which they were played.
#[derive(Default)]
pub struct Times(Vec<(String, Vec<Elapsed>)>);

impl Times {
    /// Adds answers.
    pub fn add(&mut self, game: &str, times: impl IntoIterator<Item = Elapsed>) {
        match self.0.iter_mut().find(|(name, _)| name == game) {
            Some((_, all)) => all.extend(times),
            None => self.0.push((game.to_owned(), times.into_iter().collect())),
        }
    }
}

/// Judges the times.
pub fn step(plan: &Plan, times: &Times, report: &mut Report) -> anyhow::Result<Vec<Timing>> {
    let limit = plan.per_move.as_secs_f64() * 1e3;
    let timings: Vec<Timing> = times
        .0
        .iter()
        .filter(|(_, elapsed)| !elapsed.is_empty())
        .map(|(game, elapsed)| timing(game, elapsed, limit))
        .collect();
    report.begin("it keeps its time");
    let longest = timings.iter().max_by(|a, b| a.longest_ms.total_cmp(&b.longest_ms));
    let fact = longest.map(|timing| format!("longest answer {}", share(timing, millis(plan.per_move))));
    let findings = longest.filter(|timing| timing.longest_of_limit > 0.5).map(|timing| {
        Finding::warning(
            format!("in {} its longest answer elapsed {}", timing.game, share(timing, millis(plan.per_move))),
            "tournaments run on busier machines: aim at half of clock.move_ms at most",
        )
    });
    report.end(fact.unwrap_or_else(|| "no answer was timed".into()), findings.into_iter().collect())?;
    report.table(&timings)?;
    Ok(timings)
}

fn share(timing: &Timing, limit: u64) -> String {
    format!("{:.1} ms, {:.1} % of {limit}", timing.longest_ms, timing.longest_of_limit * 100.0)
}

fn timing(game: &str, elapsed: &[Elapsed], limit: f64) -> Timing {
    let mut wall: Vec<f64> = elapsed.iter().map(|elapsed| elapsed.wall.as_secs_f64() * 1e3).collect();
    wall.sort_by(f64::total_cmp);
    let at = |share: usize| wall[(wall.len() * share).div_ceil(100).clamp(1, wall.len()) - 1];
    let cpu: Option<f64> = elapsed.iter().map(|elapsed| elapsed.cpu.map(|cpu| cpu.as_secs_f64() * 1e3)).sum();
    let longest_ms = at(100);
    Timing {
        game: game.to_owned(),
        turns: wall.len(),
        median_ms: at(50),
        p99_ms: at(99),
        longest_ms,
        longest_of_limit: longest_ms / limit,
        cpu: cpu.map(|cpu| cpu / wall.iter().sum::<f64>()),
    }
}
