//! `arena bench engine`: random matches on one core.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use arena_bots::headless::{self, Amount};
use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::games;
use arena_results::json;
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::BenchEngine;
use crate::commands::wrong_use;
use arena_config::diagnostic::UsageError;
use arena_config::rules;

/// How many matches go by between two looks at the clock.
const STRIDE: u64 = 64;
/// The number of times each game is measured; the median counts.
const TIMES: u32 = 5;

/// One row of the engine's bench.
#[derive(Serialize, JsonSchema)]
pub struct Row {
    /// The game's name.
    game: &'static str,
    /// Seats at the table.
    seats: usize,
    /// Matches in a second of one core's time: the median of several measurements.
    matches_per_second: f64,
    /// The mean number of replies of a match, of all seats together.
    replies_per_match: f64,
    /// The time for a reply, in nanoseconds of one core.
    nanoseconds_per_reply: f64,
}

/// Measures every game and number of seats.
pub fn run(args: &BenchEngine) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let names: Vec<&str> =
        games::NAMES.iter().copied().filter(|name| args.game.as_deref().is_none_or(|g| g == *name)).collect();
    if names.is_empty() {
        return wrong_use(format!("there is no such game; there is {}", games::NAMES.join(", ")));
    }
    if !args.json {
        writeln!(out, "random matches per second of one core's time, median of {TIMES}\n")?;
        writeln!(out, "{:<16} {:>5} {:>12} {:>14} {:>12}", "game", "seats", "matches/s", "replies/match", "ns/reply")?;
    }
    for name in names {
        let rules = rules::table(&args.rules)?;
        let rows = by_name!(name, G => measure::<G>(rules, args.seconds)).context("no such game")??;
        for row in rows {
            if args.json {
                out.write_all(json::line(&row)?.as_bytes())?;
            } else {
                let Row { game, seats, matches_per_second, replies_per_match, nanoseconds_per_reply } = row;
                writeln!(
                    out,
                    "{game:<16} {seats:>5} {matches_per_second:>12.0} {replies_per_match:>14.1} {nanoseconds_per_reply:>12.1}"
                )?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn measure<G: Game>(rules: toml::Table, seconds: f64) -> anyhow::Result<Vec<Row>> {
    let rules: G::Rules = rules.try_into().map_err(|e| UsageError::one(format!("rules of {}: {e}", G::NAME)))?;
    let limit = Duration::from_secs_f64(seconds / f64::from(TIMES));
    let row = |seats| {
        let mut rates = Vec::new();
        let mut all = Amount::default();
        for _ in 0..TIMES {
            let began = cpu_time();
            let go_on = |amount: Amount| !amount.matches.is_multiple_of(STRIDE) || cpu_time() - began < limit;
            let amount = headless::matches::<G>(&rules, seats, all.matches, go_on)?;
            rates.push(amount.matches as f64 / (cpu_time() - began).as_secs_f64());
            all.matches += amount.matches;
            all.replies += amount.replies;
        }
        rates.sort_by(f64::total_cmp);
        let matches_per_second = rates[rates.len() / 2];
        let replies_per_match = all.replies as f64 / all.matches as f64;
        let nanoseconds_per_reply = 1e9 / (matches_per_second * replies_per_match);
        Ok(Row { game: G::NAME, seats, matches_per_second, replies_per_match, nanoseconds_per_reply })
    };
    G::SEATS.map(row).collect()
}

/// The time that this thread has computed: what others do on the machine disturbs it less than the time of day.
#[cfg(unix)]
fn cpu_time() -> Duration {
    nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID.now().map_or(Duration::ZERO, Duration::from)
}

/// Where there is no such clock, the time of day has to do.
#[cfg(not(unix))]
fn cpu_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed()
}
