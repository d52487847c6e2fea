//! `arena bot`: runs a built-in bot that speaks the wire protocol.

use std::io;
use std::process::ExitCode;

use arena_bots::{roster, wire};
use arena_engine::table;

use super::wrong_use;
use crate::cli::Bot;

/// Plays until the arena sends `quit`.
pub fn run(bot: &Bot) -> anyhow::Result<ExitCode> {
    let known = table::names()
        .iter()
        .any(|game| roster::names(game).any(|name| name == bot.name));
    if !known {
        return wrong_use(format!(
            "no bot {:?} is built in; `arena games` lists them",
            bot.name
        ));
    }
    wire::serve(
        &bot.name,
        bot.matches,
        io::stdin().lock(),
        io::stdout().lock(),
    )?;
    Ok(ExitCode::SUCCESS)
}
