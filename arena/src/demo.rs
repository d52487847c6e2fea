//! The demo: a small tournament between bots that come with the arena, played when no bots are given.

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

/// Number of deals the demo plays.
const DEALS: u32 = 10;
/// Number of bots that play in process.
const BUILTIN_BOTS: usize = 3;

/// Fills the field with the game's first built-in bots and one program: the game's sample in Python or, where Python is not
/// installed, a built-in bot behind the wire. The sample's file is written under `dir`.
pub fn fill(spec: &mut Spec, dir: &Path) -> anyhow::Result<()> {
    "demo".clone_into(&mut spec.name);
    spec.plan.deals = DEALS;
    let names: Vec<&str> = roster::names(&spec.plan.game).take(BUILTIN_BOTS).collect();
    spec.bots = names
        .iter()
        .map(|name| Entrant::new(*name, Bot::Builtin((*name).into())))
        .collect();
    // A game may have fewer built-in bots than its tables have seats.
    let more = (names.len() + 1..spec.plan.seats).map(|number| format!("{RANDOM}-{number}"));
    spec.bots
        .extend(more.map(|name| Entrant::new(name, Bot::Builtin(RANDOM.into()))));
    // The samples that play every game come first; prefer the game's own, which comes later.
    let sample = SAMPLES.iter().rfind(|sample| {
        sample.plays(&spec.plan.game) && access::on_path(sample.interpreter).is_some()
    });
    let program = if let Some(sample) = sample {
        let bots = dir.join("bots");
        fs::create_dir_all(&bots).with_context(|| bots.display().to_string())?;
        fs::write(bots.join(sample.file), sample.text).with_context(|| sample.file.to_owned())?;
        let program = Program {
            command: vec![sample.interpreter.into(), sample.file.into()],
            dir: bots,
            ..Program::default()
        };
        Entrant::new(sample.name().replace('_', "-"), Bot::Program(program))
    } else {
        status(format_args!(
            "note: no bot in Python plays: python3 is not installed"
        ));
        // Not one of the bots that play in process: two bots that play identically would cause a warning.
        let name = roster::names(&spec.plan.game)
            .nth(BUILTIN_BOTS)
            .unwrap_or(RANDOM);
        fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
        let program = builtin_as_program(name, dir.to_path_buf())?;
        Entrant::new(format!("{name}-process"), Bot::Program(program))
    };
    spec.bots.push(program);
    Ok(())
}
