//! `arena match`: one match, told in words or as events.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_engine::machine::Match;
use arena_engine::seat::{BySeat, Seat};
use arena_results::played::Played;
use arena_results::text::clean;
use serde_json::json;

use crate::cli::Single;
use crate::runner::{self, Logs, Run, Stop};
use crate::setup::{self, BadSetup, Bot, Plays, Setup};
use crate::status::status;
use crate::tournament::sandbox;

/// Plays the match and prints it.
pub fn run(asked: &Single) -> anyhow::Result<ExitCode> {
    let mut setup = setup::file::from_flags(&asked.change)?;
    if setup.bots.is_empty() {
        let strongest = arena_bots::roster::names(&setup.game).last().unwrap_or(arena_bots::roster::RANDOM);
        setup.bots = ('a'..)
            .take(setup.seats)
            .map(|name| Bot::new(&name.to_string(), Plays::Builtin(strongest.into())))
            .collect();
    }
    if setup.bots.len() != setup.seats {
        let (bots, seats) = (setup.bots.len(), setup.seats);
        return Err(BadSetup::one(format!(
            "a match of {seats} seats needs {seats} bots, not {bots} (--seats sets how many)"
        ))
        .into());
    }
    let wire = asked.log_wire.as_deref();
    if let Some(folder) = wire {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let game = setup.game.clone();
    let told = games::visit(&game, Tell { setup: &setup, json: asked.json, wire })
        .ok_or_else(|| BadSetup::one("no such game"))??;
    io::stdout().lock().write_all(told.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

struct Tell<'a> {
    setup: &'a Setup,
    json: bool,
    wire: Option<&'a Path>,
}

impl Visitor for Tell<'_> {
    type Out = anyhow::Result<String>;

    fn visit<G: Game>(self) -> Self::Out {
        let stop = Stop::default();
        let sandbox = sandbox::for_programs(self.setup, &[])?;
        if let Some(line) = sandbox.describe().filter(|_| sandbox.is_degraded()) {
            status(line);
        }
        let rules = serde_json::from_value(self.setup.rules.clone())?;
        let logs = Logs { words: None, wire: self.wire };
        let run = Run::<G::Rules> { setup: self.setup, rules: &rules, logs, stop: &stop, sandbox: &sandbox };
        let (table, played) = runner::play_one::<G>(run)?;
        let names = BySeat::new(self.setup.seats, |seat| clean(&self.setup.bots[seat.index()].name));
        if self.json { as_json(&table, &played) } else { Ok(in_words(&table, &names, &played)) }
    }
}

fn as_json<G: Game>(table: &Match<G>, played: &Played) -> anyhow::Result<String> {
    let mut lines = Vec::new();
    for event in table.events() {
        lines.push(serde_json::to_string(&json!({ "event": event }))?);
    }
    lines.push(serde_json::to_string(&json!({ "verdict": played.verdict }))?);
    Ok(lines.join("\n") + "\n")
}

fn in_words<G: Game>(table: &Match<G>, names: &BySeat<String>, played: &Played) -> String {
    let mut lines: Vec<String> = table.events().iter().map(|event| G::describe(event, names)).collect();
    lines.push(String::new());
    for (seat, score) in played.verdict.outcome.seats.seats() {
        let sources: Vec<String> = score.breakdown.iter().map(|(name, count)| format!("{name} {count}")).collect();
        lines.push(format!("{}. {}: {} points ({})", score.place, names[seat], score.points, sources.join(", ")));
    }
    for (seat, fault) in played.verdict.faults.seats() {
        if let Some(fault) = fault {
            lines.push(format!("{} forfeited ({}): {}", names[seat], fault.cause, fault.detail));
            lines.extend(last_words(played, seat));
        }
    }
    lines.join("\n") + "\n"
}

/// The end of a failed bot's log.
fn last_words(played: &Played, seat: Seat) -> Vec<String> {
    let of_seat = played.evidence.iter().filter(|evidence| evidence.seat == seat);
    let logs = of_seat.map(|evidence| evidence.stderr.trim_end());
    logs.filter(|log| !log.is_empty())
        .flat_map(|log| log.lines())
        .map(|line| format!("  | {}", clean(&line.replace('\t', "    "))))
        .collect()
}
