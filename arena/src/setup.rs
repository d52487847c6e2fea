//! The tournament as the runner looks at it.

use std::path::PathBuf;
use std::time::Duration;

use arena_engine::chance::Seed;
pub use arena_tournament::entrant::{Bot as Plays, Cores, Program, Restart};
use arena_tournament::schedule::Planned;
use arena_tournament::spec::{Limits, Spec, TimeControl};

pub use crate::spec::diagnostic::UsageError as BadSetup;

/// What is played.
#[derive(Clone, Debug)]
pub struct Setup {
    pub game: String,
    pub rules: serde_json::Value,
    pub seats: usize,
    pub seed: Seed,
    pub clock: Clock,
    pub jobs: usize,
    pub pin: bool,
    pub limits: Limits,
    pub isolation: arena_tournament::spec::Isolation,
    pub hidden: Vec<PathBuf>,
    pub bots: Vec<Bot>,
}

/// How much time bots have.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub per_move: Option<Duration>,
    pub bank: Option<Bank>,
    pub start: Duration,
}

/// The time that a seat has for a whole match.
#[derive(Clone, Copy, Debug)]
pub struct Bank {
    pub total: Duration,
    pub increment: Duration,
}

/// A bot with its name.
#[derive(Clone, Debug)]
pub struct Bot {
    pub name: String,
    pub restart: Restart,
    pub plays: Plays,
}

impl From<&Spec> for Setup {
    fn from(spec: &Spec) -> Self {
        let TimeControl { move_ms, bank_ms, increment_ms, start_ms } = spec.conditions.clock;
        let ms = Duration::from_millis;
        Self {
            game: spec.plan.game.clone(),
            rules: spec.plan.rules.clone(),
            seats: spec.plan.seats,
            seed: spec.plan.seed,
            clock: Clock {
                per_move: move_ms.map(ms),
                bank: bank_ms.map(|total| Bank { total: ms(total), increment: ms(increment_ms) }),
                start: ms(start_ms),
            },
            jobs: spec.local.jobs,
            pin: spec.local.pin,
            limits: spec.conditions.limits,
            isolation: spec.conditions.isolation,
            hidden: spec.local.hidden.clone(),
            bots: spec
                .bots
                .iter()
                .map(|bot| Bot { name: bot.name.clone(), restart: bot.restart, plays: bot.bot.clone() })
                .collect(),
        }
    }
}

impl Setup {
    pub fn id(&self, planned: &Planned) -> String {
        planned.id(&self.bots.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>())
    }
    pub fn names(&self, seats: &[usize]) -> Vec<String> {
        seats.iter().map(|bot| self.bots[*bot].name.clone()).collect()
    }
}

/// Whole microseconds.
pub fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Whole milliseconds.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
