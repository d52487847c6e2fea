//! The demo: a small tournament between bots that come with the arena, played when no bots are given.

use std::fs;
use std::path::Path;

use anyhow::Context;
use arena_bots::roster::{self, RANDOM};
use arena_bots::samples::SAMPLES;
use arena_tournament::entrant::{Bot, Entrant, Program};
use arena_tournament::spec::{Plan, Spec};

use crate::commands::builtin_as_program;
use arena_config::read::{self, Flags};
use arena_runner::status::status;
use arena_sandbox::access;

/// The name of the demo.
pub const NAME: &str = "demo";
/// Number of deals the demo plays.
const DEALS: u32 = 10;
/// Number of bots that play in the arena's own process.
const BUILTIN_BOTS: usize = 3;

/// Reads the demo for the game and the number of seats of a plan. The game's first built-in bots and one program play. The program is the
/// game's sample in Python or, where Python is not installed, a built-in bot that runs as a program. The sample's file is written under
/// `dir`.
pub fn tournament(flags: &Flags, plan: &Plan, dir: &Path) -> anyhow::Result<Spec> {
    let names: Vec<&str> = roster::names(&plan.game).take(BUILTIN_BOTS).collect();
    // A game may have fewer built-in bots than its tables have seats.
    let more = (names.len() + 1..plan.seats)
        .map(|number| Entrant::new(format!("{RANDOM}-{number}"), Bot::Builtin(RANDOM.into())));
    let builtin = |name: &&str| Entrant::new(*name, Bot::Builtin((*name).into()));
    let bots = names.iter().map(builtin).chain(more);
    let bots = bots.chain([program(&plan.game, dir)?]).collect();
    Ok(read::with_bots(flags, NAME, DEALS, bots)?)
}

/// Returns the program that plays in the demo.
fn program(game: &str, dir: &Path) -> anyhow::Result<Entrant> {
    // Samples for all games come first in the list. The game's own sample comes later, and is preferred.
    let sample = SAMPLES
        .iter()
        .rfind(|sample| sample.plays(game) && access::on_path(sample.interpreter).is_some());
    if let Some(sample) = sample {
        let bots = dir.join("bots");
        fs::create_dir_all(&bots).with_context(|| bots.display().to_string())?;
        fs::write(bots.join(sample.file), sample.text).with_context(|| sample.file.to_owned())?;
        let program = Program {
            command: vec![sample.interpreter.into(), sample.file.into()],
            dir: bots,
            ..Program::default()
        };
        Ok(Entrant::new(
            sample.name().replace('_', "-"),
            Bot::Program(program),
        ))
    } else {
        status(format_args!(
            "note: no bot in Python plays: python3 is not installed"
        ));
        // Use none of the bots that play in the arena's process, because two bots that play identically would cause a warning.
        let name = roster::names(game).nth(BUILTIN_BOTS).unwrap_or(RANDOM);
        fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
        let program = builtin_as_program(name, dir.to_path_buf())?;
        Ok(Entrant::new(
            format!("{name}-process"),
            Bot::Program(program),
        ))
    }
}
