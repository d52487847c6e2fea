//! The demo: the tournament of all bots that come with the arena, played when none is given.

use std::fs;
use std::path::Path;

use anyhow::Context;
use arena_bots::roster::{self, RANDOM};
use arena_bots::samples::SAMPLES;
use arena_tournament::entrant::{Bot, Entrant, Program};
use arena_tournament::spec::Spec;

use crate::commands::builtin_as_program;
use arena_runner::status::status;
use arena_sandbox::access;

/// The number of deals the demo plays.
const DEALS: u32 = 30;

/// Fills the field with every bot that can run here: ours in process and, to show that they play the same, one of them
/// as a program (not the strongest, which think longest); the samples in other languages whose interpreter is found. Their files are written under `dir`.
pub fn fill(spec: &mut Spec, dir: &Path) -> anyhow::Result<()> {
    "demo".clone_into(&mut spec.name);
    spec.plan.deals = DEALS;
    let names: Vec<&str> = roster::names(&spec.plan.game).collect();
    spec.bots = names
        .iter()
        .map(|name| Entrant::new(*name, Bot::Builtin((*name).into())))
        .collect();
    // A game may have fewer bots than its tables have seats.
    let more = (names.len() + 1..=spec.plan.seats).map(|number| format!("{RANDOM}-{number}"));
    spec.bots
        .extend(more.map(|name| Entrant::new(name, Bot::Builtin(RANDOM.into()))));
    let quick = *names.get(2).unwrap_or(&RANDOM);
    let process = Bot::Program(builtin_as_program(quick, dir.to_path_buf())?);
    spec.bots
        .push(Entrant::new(format!("{quick}-process"), process));
    for sample in SAMPLES
        .iter()
        .filter(|sample| sample.plays(&spec.plan.game))
    {
        if access::on_path(sample.interpreter).is_none() {
            status(format_args!(
                "note: {} does not play: {} is not installed",
                sample.file, sample.interpreter
            ));
            continue;
        }
        let bots = dir.join("bots");
        fs::create_dir_all(&bots).with_context(|| bots.display().to_string())?;
        fs::write(bots.join(sample.file), sample.text).with_context(|| sample.file.to_owned())?;
        let program = Program {
            command: vec![sample.interpreter.into(), sample.file.into()],
            dir: bots,
            ..Program::default()
        };
        spec.bots.push(Entrant::new(
            sample.name().replace('_', "-"),
            Bot::Program(program),
        ));
    }
    Ok(())
}
