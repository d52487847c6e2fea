//! How a setup is written as a tournament file again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use arena_results::compare::Test;
use serde::Serialize;

use super::{Bot, Cores, Plays, Restart, Setup, millis};
use crate::format::{Format, Seatings};
use crate::sandbox::Isolation;
use crate::sandbox::Limits;

/// A tournament file, its plain keys before its tables.
#[derive(Default, Serialize)]
struct File {
    name: String,
    game: String,
    format: &'static str,
    challengers: Option<Vec<String>>,
    rounds: Option<u32>,
    tables: Option<u32>,
    pairs: Option<u32>,
    seatings: Seatings,
    deals: u32,
    seats: usize,
    seed: u64,
    isolation: Isolation,
    rules: toml::Table,
    clock: ClockTable,
    limits: Limits,
    compare: Option<Test>,
    bots: Vec<BotTable>,
}

#[derive(Default, Serialize)]
struct ClockTable {
    move_ms: Option<u64>,
    bank_ms: Option<u64>,
    increment_ms: Option<u64>,
    start_ms: Option<u64>,
}

#[derive(Default, Serialize)]
struct BotTable {
    name: String,
    builtin: Option<String>,
    command: Option<String>,
    dir: Option<PathBuf>,
    restart: Option<Restart>,
    cores: Option<Cores>,
    joined: Option<u32>,
    left: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    read: Vec<PathBuf>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
}

impl Setup {
    /// The tournament file that gives this setup again, wherever it lies.
    pub fn to_file(&self) -> anyhow::Result<String> {
        let clock = ClockTable {
            move_ms: Some(self.clock.per_move.map_or(0, millis)),
            bank_ms: self.clock.bank.map(|bank| millis(bank.total)),
            increment_ms: self.clock.bank.map(|bank| millis(bank.increment)),
            start_ms: Some(millis(self.clock.start)),
        };
        let file = File {
            name: self.name.clone(),
            game: self.game.clone(),
            format: self.format.name(),
            seatings: self.seatings,
            deals: self.deals,
            seats: self.seats,
            seed: self.seed.into(),
            isolation: self.isolation,
            rules: toml::Table::try_from(&self.rules)?,
            clock,
            limits: self.limits,
            compare: self.test,
            bots: self.bots.iter().map(|bot| self.table(bot)).collect(),
            ..self.format_keys()
        };
        Ok(toml::to_string(&file)?)
    }

    /// The keys of the format, and nothing else.
    fn format_keys(&self) -> File {
        let none = File::default();
        match &self.format {
            Format::RoundRobin | Format::Knockout => none,
            Format::Gauntlet { challengers } => File { challengers: Some(self.names(challengers)), ..none },
            Format::Balanced { tables } => File { tables: Some(*tables), ..none },
            Format::Swiss { rounds } => File { rounds: Some(*rounds), ..none },
            Format::Ladder { rounds, pairs } => File { rounds: Some(*rounds), pairs: Some(*pairs), ..none },
        }
    }

    fn table(&self, bot: &Bot) -> BotTable {
        let mut table = BotTable {
            name: bot.name.clone(),
            restart: Some(bot.restart).filter(|restart| *restart != Restart::default()),
            joined: Some(bot.joined).filter(|round| *round > 1),
            left: bot.left,
            ..BotTable::default()
        };
        match &bot.plays {
            Plays::Builtin(builtin) => table.builtin = Some(builtin.clone()),
            Plays::Program(program) => {
                table.command = Some(bot.plays.to_string());
                table.dir = Some(program.dir.clone());
                table.env.clone_from(&program.env);
                table.read.clone_from(&program.read);
                table.cores = Some(program.cores).filter(|cores| *cores != Cores::One);
            }
        }
        table
    }
}

impl Format {
    /// How a tournament file calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Format::RoundRobin => "round-robin",
            Format::Gauntlet { .. } => "gauntlet",
            Format::Balanced { .. } => "balanced",
            Format::Swiss { .. } => "swiss",
            Format::Knockout => "knockout",
            Format::Ladder { .. } => "ladder",
        }
    }
}
