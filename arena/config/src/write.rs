//! A tournament's description written as a tournament file again.

use std::collections::BTreeMap;
use std::path::Path;

use arena_tournament::clock::TimeControl;
use arena_tournament::entrant::{Bot, Cores, Entrant, Restart};
use arena_tournament::field::Seatings;
use arena_tournament::formats::Options;
use arena_tournament::spec::{Conditions, Spec};
use arena_tournament::test::Test;
use arena_tournament::tune::Parameter;
use serde::Serialize;

use super::entrants::HUMAN;

/// A tournament file, plain keys before tables.
#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    game: &'a str,
    format: &'static str,
    anchor: Option<&'a str>,
    #[serde(flatten)]
    options: Options,
    seatings: Seatings,
    deals: u32,
    seats: usize,
    seed: u64,
    rules: toml::Table,
    #[serde(flatten)]
    conditions: Conditions,
    compare: Option<Test>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tune: &'a [Parameter],
    bots: Vec<BotTable<'a>>,
}

#[derive(Default, Serialize)]
struct BotTable<'a> {
    name: &'a str,
    builtin: Option<&'a str>,
    command: Option<String>,
    dir: Option<&'a Path>,
    build: Option<&'a str>,
    restart: Option<Restart>,
    cores: Option<Cores>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pass_env: &'a [String],
    network: Option<bool>,
    may_pause: Option<bool>,
    cache: Option<&'a Path>,
    build_network: Option<bool>,
    withdrawn: Option<bool>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    read: &'a [std::path::PathBuf],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<&'a str, &'a str>,
    clock: Option<TimeControl>,
}

/// The tournament file that gives this description again, wherever it lies.
pub fn to_toml(spec: &Spec) -> anyhow::Result<String> {
    let plan = &spec.plan;
    let file = File {
        name: &spec.name,
        game: &plan.game,
        format: plan.format.name(),
        anchor: spec.anchor.as_deref(),
        options: plan.format.options(),
        seatings: plan.seatings,
        deals: plan.deals,
        seats: plan.seats,
        seed: plan.seed.into(),
        rules: toml::Table::try_from(&plan.rules)?,
        conditions: Conditions {
            clock: written(spec.conditions.clock),
            ..spec.conditions
        },
        compare: plan.test,
        tune: &spec.tune,
        bots: spec.bots.iter().map(bot_table).collect(),
    };
    Ok(toml::to_string(&file)?)
}

/// A clock as a file says it, where 0 is no limit.
fn written(clock: TimeControl) -> TimeControl {
    TimeControl {
        move_ms: Some(clock.move_ms.unwrap_or(0)),
        ..clock
    }
}

fn bot_table(entrant: &Entrant) -> BotTable<'_> {
    let table = BotTable {
        name: &entrant.name,
        restart: Some(entrant.restart).filter(|restart| *restart != Restart::default()),
        withdrawn: entrant.withdrawn.map(|_| true),
        clock: entrant.clock.map(written),
        ..BotTable::default()
    };
    match &entrant.bot {
        Bot::Builtin(builtin) => BotTable {
            builtin: Some(builtin),
            ..table
        },
        Bot::Program(program) => BotTable {
            command: Some(entrant.bot.to_string()),
            dir: Some(&program.dir),
            build: program.build.as_deref(),
            env: program
                .env
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect(),
            pass_env: &program.pass_env,
            read: &program.read,
            cores: Some(program.cores).filter(|cores| *cores != Cores::One),
            network: program.network.then_some(true),
            may_pause: program.may_pause.then_some(true),
            cache: program.cache.as_deref(),
            build_network: program.build_network.then_some(true),
            ..table
        },
        Bot::Person => BotTable {
            command: Some(HUMAN.into()),
            ..table
        },
    }
}
