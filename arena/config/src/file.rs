//! Serde types of a tournament file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use arena_engine::chance::Seed;
use arena_tournament::clock::TimeControl;
use arena_tournament::entrant::{Bot, Cores, Entrant, Restart};
use arena_tournament::field::Seatings;
use arena_tournament::formats::Options;
use arena_tournament::spec::{Isolation, Limits, Memory, Spec};
use arena_tournament::test::Test;
use arena_tournament::tune::Parameter;
use serde::{Deserialize, Serialize};

use super::command::HUMAN;

/// A tournament file. Missing keys have defaults.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct File {
    pub name: Option<String>,
    pub game: Option<String>,
    pub format: Option<String>,
    pub anchor: Option<String>,
    /// Options of the format.
    #[serde(flatten)]
    pub options: Options,
    pub seatings: Seatings,
    pub deals: Option<u32>,
    pub seats: Option<usize>,
    pub seed: Option<Seed>,
    pub jobs: Option<usize>,
    pub oversubscribe: Option<bool>,
    pub pin: Option<bool>,
    pub cores: Option<String>,
    pub keep_going: Option<bool>,
    pub strict: Option<bool>,
    pub as_root: Option<bool>,
    pub rules: toml::Table,
    pub clock: Clock,
    pub limits: Limits,
    pub isolation: Isolation,
    pub memory: Memory,
    pub compare: Option<Test>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tune: Vec<Parameter>,
    pub bots: Vec<BotTable>,
}

/// The keys of a clock. 0 means no limit per answer.
#[derive(Clone, Copy, Default, Deserialize, Serialize)]
#[serde(default, expecting = "a table")]
pub struct Clock {
    move_ms: Option<u64>,
    bank_ms: Option<u64>,
    increment_ms: Option<u64>,
    start_ms: Option<u64>,
}

/// A `[[bots]]` table.
#[derive(Default, Deserialize, Serialize)]
#[serde(default, expecting = "a table")]
pub struct BotTable {
    pub name: Option<String>,
    pub from: Option<String>,
    pub roster: Option<PathBuf>,
    pub builtin: Option<String>,
    pub command: Option<String>,
    pub dir: Option<PathBuf>,
    pub build: Option<String>,
    pub restart: Option<Restart>,
    pub withdrawn: Option<bool>,
    pub cores: Option<Cores>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pass_env: Vec<String>,
    pub network: Option<bool>,
    pub may_pause: Option<bool>,
    pub cache: Option<PathBuf>,
    pub build_network: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<PathBuf>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    pub clock: Option<Clock>,
}

impl Clock {
    /// Returns this clock, with missing keys taken from another clock.
    pub fn or(self, rest: TimeControl) -> TimeControl {
        let move_ms = self.move_ms.or(rest.move_ms);
        TimeControl {
            move_ms: move_ms.filter(|limit| *limit > 0),
            bank_ms: self.bank_ms.or(rest.bank_ms),
            increment_ms: self.increment_ms.unwrap_or(rest.increment_ms),
            start_ms: self.start_ms.unwrap_or(rest.start_ms),
        }
    }
}

impl From<TimeControl> for Clock {
    fn from(clock: TimeControl) -> Self {
        Self {
            move_ms: Some(clock.move_ms.unwrap_or(0)),
            bank_ms: clock.bank_ms,
            increment_ms: Some(clock.increment_ms),
            start_ms: Some(clock.start_ms),
        }
    }
}

/// Returns a tournament file that describes the same tournament and does not depend on its folder.
pub fn to_toml(spec: &Spec) -> anyhow::Result<String> {
    let plan = &spec.plan;
    let file = File {
        name: Some(spec.name.clone()),
        game: Some(plan.game.clone()),
        format: Some(plan.format.name().to_owned()),
        anchor: spec.anchor.clone(),
        options: plan.format.options(),
        seatings: plan.seatings,
        deals: Some(plan.deals),
        seats: Some(plan.seats),
        seed: Some(plan.seed),
        rules: toml::Table::try_from(&plan.rules)?,
        clock: spec.conditions.clock.into(),
        limits: spec.conditions.limits,
        isolation: spec.conditions.isolation,
        memory: spec.conditions.memory,
        compare: plan.test,
        tune: spec.tune.clone(),
        bots: spec.bots.iter().map(bot_table).collect(),
        ..File::default()
    };
    Ok(toml::to_string(&file)?)
}

/// Returns the part of a tournament file that describes these bots.
pub fn bots(bots: &[Entrant]) -> Result<String, toml::ser::Error> {
    let tables: Vec<BotTable> = bots.iter().map(bot_table).collect();
    toml::to_string(&BTreeMap::from([("bots", tables)]))
}

fn bot_table(entrant: &Entrant) -> BotTable {
    let table = BotTable {
        name: Some(entrant.name.clone()),
        restart: Some(entrant.restart).filter(|restart| *restart != Restart::default()),
        withdrawn: entrant.withdrawn.map(|_| true),
        clock: entrant.clock.map(Clock::from),
        ..BotTable::default()
    };
    match &entrant.bot {
        Bot::Builtin(builtin) => BotTable {
            builtin: Some(builtin.clone()),
            ..table
        },
        Bot::Program(program) => BotTable {
            command: Some(entrant.bot.to_string()),
            dir: Some(program.dir.clone()),
            build: program.build.clone(),
            env: program.env.clone(),
            pass_env: program.pass_env.clone(),
            read: program.read.clone(),
            cores: Some(program.cores).filter(|cores| *cores != Cores::One),
            network: program.network.then_some(true),
            may_pause: program.may_pause.then_some(true),
            cache: program.cache.clone(),
            build_network: program.build_network.then_some(true),
            ..table
        },
        Bot::Person => BotTable {
            command: Some(HUMAN.into()),
            ..table
        },
    }
}
