//! Ledgers of format 3, which are shown and exported: their description in today's shape.

use arena_engine::chance::Seed;
use arena_tournament::entrant::{Bot, Entrant, HashedFile, Program};
use arena_tournament::field::Seatings;
use arena_tournament::formats::{Choice, Options};
use arena_tournament::spec::{Conditions, Local, Plan, Spec, TimeControl};
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::LedgerError;
use crate::ledger::get;

/// The description in a ledger of format 3.
#[derive(Deserialize)]
struct Tournament {
    name: String,
    game: String,
    rules_version: u32,
    rules: Value,
    format: String,
    options: Option<Map<String, Value>>,
    seats: usize,
    seatings: u64,
    deals: u32,
    rounds: u32,
    seed: Seed,
    start_ms: u64,
    move_ms: Option<u64>,
    bank_ms: Option<u64>,
    increment_ms: Option<u64>,
    bots: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    plays: String,
    files: Vec<HashedFile>,
    joined: u32,
    left: Option<u32>,
}

/// The description of a ledger's tournament, without what only playing needs.
pub fn spec(connection: &Connection) -> Result<Spec, LedgerError> {
    let json = get(connection, "tournament")?.unwrap_or_default();
    let damaged =
        |why: &dyn std::fmt::Display| LedgerError::Damaged(format!("the description of its tournament: {why}"));
    let old: Tournament = serde_json::from_slice(&json).map_err(|error| damaged(&error))?;
    let mut options: Options = old.options.unwrap_or_default();
    let test = options.remove("compare").map(serde_json::from_value).transpose().map_err(|error| damaged(&error))?;
    options.insert("rounds".into(), old.rounds.into());
    // Challengers were indices.
    let name = |bot: &Value| old.bots.get(bot.as_u64()? as usize).map(|entry| Value::from(entry.name.as_str()));
    if let Some(Value::Array(challengers)) = options.get_mut("challengers") {
        *challengers = challengers.iter().filter_map(name).collect();
    }
    let all: usize = (1..=old.seats).product();
    Ok(Spec {
        name: old.name,
        anchor: None,
        plan: Plan {
            game: old.game,
            rules_version: old.rules_version,
            rules: old.rules,
            format: Choice::read(&old.format, options).map_err(|error| damaged(&error))?,
            test,
            seats: old.seats,
            seatings: if old.seatings == all as u64 { Seatings::All } else { Seatings::Rotations },
            deals: old.deals,
            seed: old.seed,
        },
        conditions: Conditions {
            clock: TimeControl {
                move_ms: old.move_ms,
                bank_ms: old.bank_ms,
                increment_ms: old.increment_ms.unwrap_or(0),
                start_ms: old.start_ms,
            },
            ..Conditions::default()
        },
        local: Local::default(),
        bots: old.bots.into_iter().map(entrant).collect(),
        departures: Vec::new(),
    })
}

fn entrant(entry: Entry) -> Entrant {
    let bot = match entry.plays.strip_prefix("builtin ") {
        Some(name) => Bot::Builtin(name.to_owned()),
        None => Bot::Program(Program { command: shlex::split(&entry.plays).unwrap_or_default(), ..Program::default() }),
    };
    let Entry { name, files, joined, left, .. } = entry;
    Entrant { files, joined, left, ..Entrant::new(name, bot) }
}
