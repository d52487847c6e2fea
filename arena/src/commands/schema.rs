//! `arena schema`: prints the messages of a game as a JSON Schema.

use std::process::ExitCode;

use arena_engine::table;
use arena_protocol::schema;
use arena_tournament::suggest;

use super::{print, wrong_use};
use crate::cli::Schema;

/// Prints the JSON Schema of a game's messages.
pub fn run(args: &Schema) -> anyhow::Result<ExitCode> {
    let game = args.game.as_deref().unwrap_or(table::names()[0]);
    match table::find(game) {
        Some(game) => print(&(serde_json::to_string_pretty(&schema::schema(game))? + "\n")),
        None => wrong_use(format!(
            "there is no game {game:?}: {}",
            suggest::value(game, table::names())
        )),
    }
}
