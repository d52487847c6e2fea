//! Measures a plan by playing a sample of its matches, without saving them.

use std::time::{Duration, Instant};

use anyhow::Context;
use arena_bots::roster;
use arena_engine::record::Record;
use arena_statistics::pairwise::Pairwise;
use arena_tournament::deals::Deals;
use arena_tournament::entrant::Bot;
use arena_tournament::played::Played;
use arena_tournament::schedule::Planned;
use arena_tournament::spec::Spec;
use serde::de::IgnoredAny;

use super::sample::sample;
use arena_runner::{Finished, Run, Starts, Stop};
use arena_session::sandbox;

/// Maximum number of seats whose turns are counted. This many suffice for an average.
const MAX_SEATS_COUNTED: u64 = 1_000;

/// Result of playing the sample.
pub struct Measured {
    /// Matches per second; `None` if no match was finished.
    pub speed: Option<f64>,
    /// Mean number of turns per seat and match; `None` if no match was finished.
    pub turns: Option<f64>,
    /// Results of each pair of bots.
    pub pairs: Pairwise,
}

impl Measured {
    /// Returns the result for the case that no match was finished.
    pub fn nothing(spec: &Spec) -> Self {
        Self {
            speed: None,
            turns: None,
            pairs: Pairwise::new(spec),
        }
    }
}

/// Replaces each bot that has network access by a built-in bot, because a measurement must not cause costs on remote servers.
fn without_network(spec: &Spec) -> Spec {
    let mut offline = spec.clone();
    let opponent = roster::names(&spec.plan.game)
        .nth(1)
        .unwrap_or(roster::RANDOM);
    let networked = offline
        .bots
        .iter_mut()
        .filter(|bot| bot.program().is_some_and(|program| program.network));
    networked.for_each(|entrant| entrant.bot = Bot::Builtin(opponent.into()));
    offline
}

/// Plays matches from the whole field for this many seconds, as the tournament would. Matches between built-in bots are played first, and
/// are much faster than others. Each kind of match gets its own share of the time, so that both kinds are measured.
pub fn measure(spec: &Spec, seconds: f64) -> anyhow::Result<Measured> {
    let (planned, spec) = (spec, &without_network(spec));
    let sandbox = sandbox::for_programs(spec, &[])?;
    sandbox::announce(spec, &sandbox, false);
    let began = Instant::now();
    let all = sample(spec);
    let builtin = |planned: &Planned| {
        planned
            .seats
            .iter()
            .all(|bot| matches!(spec.bots[*bot].bot, Bot::Builtin(_)))
    };
    let count = all.len();
    let (fast, slow): (Vec<_>, Vec<_>) = all.into_iter().partition(builtin);
    let mut sums = Sums::new(spec);
    let (mut left, mut each) = (
        usize::from(!fast.is_empty()) + usize::from(!slow.is_empty()),
        0.0,
    );
    for part in [fast, slow].into_iter().filter(|part| !part.is_empty()) {
        let share = part.len() as f64 / count as f64;
        let time = (seconds - began.elapsed().as_secs_f64()).max(0.0) / left as f64;
        let stop = Stop::default();
        let starts = Starts::default();
        let run = Run::new(spec, &stop, &starts, &sandbox);
        let Some(one) = play(run, &part, time, &mut sums)? else {
            return Ok(Measured::nothing(planned));
        };
        each += share * one;
        left -= 1;
    }
    // The latency of remote servers is unknown, so report no speed for bots that use them.
    let speed = (count > 0 && planned == spec).then(|| 1.0 / each.max(1e-9));
    let turns = (sums.turns.1 > 0).then(|| sums.turns.0 as f64 / sums.turns.1 as f64);
    Ok(Measured {
        speed,
        turns,
        pairs: sums.end().0,
    })
}

/// Plays matches until the time is up or all are played. Returns the seconds per match.
pub fn play(
    run: Run<'_>,
    todo: &[Planned],
    seconds: f64,
    sums: &mut Sums,
) -> anyhow::Result<Option<f64>> {
    let until = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let mut finished = 0_u64;
    let mut first = None;
    let mut last = None;
    let began = Instant::now();
    arena_runner::play_all(run, todo.iter().cloned(), |all| {
        for one in all {
            let played = match one {
                Finished::Played(played) => played,
                Finished::GivenUp(_) => continue,
                Finished::Paused(paused) => anyhow::bail!("{paused}"),
                Finished::Unplayed { id, why } => anyhow::bail!("match {id}: {why}"),
            };
            last = Some(Instant::now());
            first = first.or(last);
            finished += 1;
            if began.elapsed() >= until {
                run.stop.stop();
            }
            sums.add(&played)?;
        }
        Ok(())
    })?;
    // Measure from the first result to the last, to exclude the start of programs. With a single match, measure from the beginning.
    let (Some(first), Some(last)) = (first, last) else {
        return Ok(None);
    };
    let (count, took) = if finished > 1 {
        (finished - 1, last - first)
    } else {
        (1, last - began)
    };
    Ok(Some(took.as_secs_f64() / count as f64))
}

/// Results of the matches played so far.
pub struct Sums {
    names: Vec<String>,
    gathering: Deals,
    pairs: Pairwise,
    faults: Vec<String>,
    /// Total number of turns of the first seats, and the number of those seats.
    turns: (u64, u64),
}

impl Sums {
    /// Starts with no results.
    pub fn new(spec: &Spec) -> Self {
        // With two seats, each deal in the sample has one table. With more seats, it has all its tables.
        let is_duel = spec.plan.seats == 2;
        let gathering = if is_duel {
            Deals::new(spec.field().orders(), None)
        } else {
            spec.gather()
        };
        Self {
            names: spec.names(),
            gathering,
            pairs: Pairwise::new(spec),
            faults: Vec::new(),
            turns: (0, 0),
        }
    }

    fn add(&mut self, played: &Played) -> anyhow::Result<()> {
        let faults = played.verdict.faults.iter().flatten();
        self.faults
            .extend(faults.map(|fault| format!("({}): {fault}", fault.cause())));
        if self.turns.1 < MAX_SEATS_COUNTED {
            let record: Record<IgnoredAny, IgnoredAny> = played.record.read()?;
            self.turns.0 += record.replies.len() as u64;
            self.turns.1 += played.bots.len() as u64;
        }
        let scored = played
            .scored(&self.names)
            .context("the match contains an unknown bot")?;
        self.gathering
            .add_in_any_order(scored)
            .iter()
            .for_each(|deal| self.pairs.add(deal));
        Ok(())
    }

    /// Returns the results of each pair of bots, and all faults.
    pub fn end(mut self) -> (Pairwise, Vec<String>) {
        std::iter::from_fn(|| self.gathering.end()).for_each(|deal| self.pairs.add(&deal));
        (self.pairs, self.faults)
    }
}
