//! The tournament file and the flags: how they are read, and how a setup is written as a file again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_engine::machine;
use serde::{Deserialize, Serialize};

use super::bots::{check_bots, is_named, of_flag, read_plays, words};
use super::{BadSetup, Bank, Bot, Clock, Cores, Plays, Program, Restart, Setup, millis};
use crate::cli::Changes;
use crate::keeper::cage::Isolation;
use crate::keeper::limits::Limits;
use crate::{cores, format};

/// What a tournament file may hold. The README describes every key.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    name: Option<String>,
    game: Option<String>,
    format: Option<String>,
    deals: Option<u32>,
    seats: Option<usize>,
    seed: Option<u64>,
    jobs: Option<usize>,
    oversubscribe: Option<bool>,
    pin: Option<bool>,
    isolation: Option<Isolation>,
    rules: toml::Table,
    clock: ClockTable,
    limits: Limits,
    bots: Vec<BotTable>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ClockTable {
    move_ms: Option<u64>,
    bank_ms: Option<u64>,
    increment_ms: Option<u64>,
    start_ms: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BotTable {
    name: String,
    builtin: Option<String>,
    command: Option<String>,
    dir: Option<PathBuf>,
    restart: Option<Restart>,
    cores: Option<Cores>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    read: Vec<PathBuf>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
}

/// How long an answer may take, if nothing else is said.
pub const MOVE_MS: u64 = 2_000;
/// How long a program may take until it is ready, if nothing else is said.
pub const START_MS: u64 = 10_000;
const DEALS: u32 = 100;

/// Reads a tournament file and applies the flags.
pub fn from_file(path: &Path, change: &Changes) -> anyhow::Result<Setup> {
    let (file, dir) = read_file(path)?;
    let setup = resolve(file, change, &dir).with_context(|| path.display().to_string())?;
    Ok(Setup { hidden: vec![path.to_path_buf()], ..setup })
}

/// What a tournament file holds, and its folder.
fn read_file(path: &Path) -> anyhow::Result<(File, PathBuf)> {
    let text = std::fs::read_to_string(path).map_err(|e| BadSetup::one(format!("{}: {e}", path.display())))?;
    let file: File = toml::from_str(&text).map_err(|e| BadSetup::one(format!("{}: {e}", path.display())))?;
    let dir = std::path::absolute(path)?.parent().unwrap_or(Path::new("/")).to_path_buf();
    Ok((file, dir))
}

/// Builds a setup from flags alone.
pub fn from_flags(change: &Changes) -> anyhow::Result<Setup> {
    resolve(File::default(), change, &std::env::current_dir()?)
}

fn resolve(file: File, change: &Changes, dir: &Path) -> anyhow::Result<Setup> {
    let mut wrong = Vec::new();
    let game = change.game.clone().or(file.game).unwrap_or_else(|| "coda".into());
    let mut rules = file.rules;
    for rule in &change.rules {
        add_rule(rule, &mut rules, &mut wrong);
    }
    let mut bots = bots_of_file(file.bots, dir, &mut wrong);
    for flag in &change.bots {
        match of_flag(flag) {
            Ok(bot) => {
                bots.retain(|other| other.name != bot.name || change.bots.iter().any(|f| is_named(f, &other.name)));
                bots.push(bot);
            }
            Err(why) => wrong.push(why),
        }
    }
    let seats = change.seats.or(file.seats);
    let seed = change.seed.or(file.seed).unwrap_or(1);
    let seed = Seed::try_from(seed).map_err(|e| wrong.push(e.to_string())).ok();
    let format = file.format.unwrap_or_else(|| format::NAMES[0].into());
    if !format::NAMES.contains(&format.as_str()) {
        wrong.push(format!("there is no format {format:?}; there is {}", format::NAMES.join(", ")));
    }
    check_bots(&game, &bots, &mut wrong);
    wrong.extend(file.limits.check().err());
    let seats = seats.unwrap_or(2);
    let checked = games::visit(&game, CheckRules { rules, seats });
    let rules = match checked {
        None => {
            wrong.push(format!("there is no game {game:?}; there is {}", games::NAMES.join(", ")));
            None
        }
        Some(Err(why)) => {
            wrong.push(why);
            None
        }
        Some(Ok(rules)) => Some(rules),
    };
    let clock = clock(&file.clock, change, &mut wrong);
    match (seed, rules) {
        (Some(seed), Some(rules)) if wrong.is_empty() => Ok(Setup {
            name: file.name.unwrap_or_else(|| game.clone()),
            deals: file.deals.unwrap_or(DEALS),
            jobs: file.jobs.unwrap_or_else(cores::count),
            oversubscribe: file.oversubscribe.unwrap_or_default(),
            pin: file.pin.unwrap_or(true),
            game,
            rules,
            format,
            seats,
            seed,
            clock,
            isolation: change.isolation.or(file.isolation).unwrap_or_default(),
            limits: file.limits,
            hidden: Vec::new(),
            bots,
        }),
        _ => Err(BadSetup(wrong).into()),
    }
}

/// How much time there is. `--no-clock` takes all limits away but that for the start.
fn clock(table: &ClockTable, change: &Changes, wrong: &mut Vec<String>) -> Clock {
    let start = Duration::from_millis(table.start_ms.unwrap_or(START_MS));
    if change.no_clock {
        return Clock { per_move: None, bank: None, start };
    }
    if table.bank_ms.is_none() && table.increment_ms.is_some() {
        wrong.push("clock: increment_ms needs a bank_ms to add to".into());
    }
    let bank = table.bank_ms.map(|total| Bank {
        total: Duration::from_millis(total),
        increment: Duration::from_millis(table.increment_ms.unwrap_or_default()),
    });
    let per_move = Some(Duration::from_millis(change.move_ms.or(table.move_ms).unwrap_or(MOVE_MS)));
    Clock { per_move, bank, start }
}

/// The tournament of a file with only the bot of this name, or another program in its place, whether or not the others can
/// be started here.
pub fn with_one_bot(path: &Path, name: &str, command: Option<&str>) -> anyhow::Result<Setup> {
    let (mut file, dir) = read_file(path)?;
    file.bots.retain(|bot| bot.name == name && command.is_none());
    let mut setup = resolve(file, &Changes::default(), &dir).with_context(|| path.display().to_string())?;
    setup.hidden.push(path.to_path_buf());
    if let Some(command) = command {
        let plays = read_plays(command).map_err(|why| BadSetup::one(format!("--bot {command:?}: {why}")))?;
        setup.bots.push(Bot::new(name, plays));
        let mut wrong = Vec::new();
        check_bots(&setup.game, &setup.bots, &mut wrong);
        return if wrong.is_empty() { Ok(setup) } else { Err(BadSetup(wrong).into()) };
    }
    if setup.bots.is_empty() {
        let shown = path.display();
        return Err(BadSetup::one(format!("{shown} has no bot {name:?}; name a program with --bot")).into());
    }
    Ok(setup)
}

/// The rules that flags give.
pub fn rule_table(flags: &[String]) -> Result<toml::Table, BadSetup> {
    let (mut rules, mut wrong) = (toml::Table::new(), Vec::new());
    flags.iter().for_each(|flag| add_rule(flag, &mut rules, &mut wrong));
    if wrong.is_empty() { Ok(rules) } else { Err(BadSetup(wrong)) }
}

fn add_rule(rule: &str, rules: &mut toml::Table, wrong: &mut Vec<String>) {
    // A value that is no TOML by itself is a word: `master=seats` needs no quotes.
    let quoted = || rule.split_once('=').map(|(name, word)| format!("{name} = '{}'", word.trim()));
    let read = |text: &str| toml::from_str::<toml::Table>(text).ok();
    match read(rule).or_else(|| read(&quoted()?)) {
        Some(table) => rules.extend(table),
        None => wrong.push(format!("--rule {rule:?}: write it as NAME=VALUE, such as rounds=1")),
    }
}

fn bots_of_file(tables: Vec<BotTable>, dir: &Path, wrong: &mut Vec<String>) -> Vec<Bot> {
    let mut bots = Vec::new();
    for table in tables {
        let dir = dir.join(table.dir.unwrap_or_default());
        let read = table.read.iter().map(|path| dir.join(path)).collect();
        let cores = table.cores.unwrap_or_default();
        let plays = match (table.builtin, table.command) {
            (Some(builtin), None) => Ok(Plays::Builtin(builtin)),
            (None, Some(command)) => words(&command)
                .map(|command| Plays::Program(Program { command, dir, env: table.env, read, cores }))
                .map_err(|why| format!("bot {:?}: {why}", table.name)),
            _ => Err(format!("bot {:?}: give either builtin or command", table.name)),
        };
        match plays {
            Ok(plays) => bots.push(Bot { name: table.name, restart: table.restart.unwrap_or_default(), plays }),
            Err(why) => wrong.push(why),
        }
    }
    bots
}

/// Fills in the rules of a game and checks them.
struct CheckRules {
    rules: toml::Table,
    seats: usize,
}

impl Visitor for CheckRules {
    type Out = Result<serde_json::Value, String>;

    fn visit<G: Game>(self) -> Self::Out {
        let rules: G::Rules = self.rules.try_into().map_err(|e| format!("rules of {}: {}", G::NAME, one_line(&e)))?;
        machine::check::<G>(&rules, self.seats).map_err(|e| e.to_string())?;
        serde_json::to_value(rules).map_err(|e| e.to_string())
    }
}

fn one_line(error: &toml::de::Error) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Setup {
    /// The tournament file that gives this setup again, wherever it lies.
    pub fn to_file(&self) -> anyhow::Result<String> {
        let table = |Bot { name, restart, plays }: &Bot| {
            let restart = Some(*restart).filter(|restart| *restart != Restart::default());
            let (name, env, read) = (name.clone(), BTreeMap::new(), Vec::new());
            let mut table = BotTable { name, builtin: None, command: None, dir: None, restart, cores: None, env, read };
            match plays {
                Plays::Builtin(builtin) => table.builtin = Some(builtin.clone()),
                Plays::Program(program) => {
                    table.command = Some(plays.to_string());
                    table.dir = Some(program.dir.clone());
                    table.env.clone_from(&program.env);
                    table.read.clone_from(&program.read);
                    table.cores = Some(program.cores).filter(|cores| *cores != Cores::One);
                }
            }
            table
        };
        let file = File {
            name: Some(self.name.clone()),
            game: Some(self.game.clone()),
            format: Some(self.format.clone()),
            deals: Some(self.deals),
            seats: Some(self.seats),
            seed: Some(self.seed.into()),
            jobs: None,
            oversubscribe: None,
            pin: None,
            isolation: Some(self.isolation),
            rules: toml::Table::try_from(&self.rules)?,
            clock: ClockTable {
                move_ms: self.clock.per_move.map(millis),
                bank_ms: self.clock.bank.map(|bank| millis(bank.total)),
                increment_ms: self.clock.bank.map(|bank| millis(bank.increment)),
                start_ms: Some(millis(self.clock.start)),
            },
            limits: self.limits,
            bots: self.bots.iter().map(table).collect(),
        };
        Ok(toml::to_string(&file)?)
    }
}
