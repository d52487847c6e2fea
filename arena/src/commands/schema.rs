//! `arena schema`: the messages of a game as a JSON Schema.

use std::process::ExitCode;

use arena_engine::game::Game;
use arena_engine::games::{self, Visitor};
use arena_protocol::schema;

use super::print;
use crate::cli::Schema;
use crate::spec::diagnostic::UsageError;

/// Prints the schema.
pub fn run(args: &Schema) -> anyhow::Result<ExitCode> {
    let known = || UsageError::one(format!("there is no game {:?}; there is {}", args.game, games::NAMES.join(", ")));
    let text = games::visit(&args.game, Print).ok_or_else(known)??;
    print(&(text + "\n"))
}

struct Print;

impl Visitor for Print {
    type Out = serde_json::Result<String>;

    fn visit<G: Game>(self) -> Self::Out {
        serde_json::to_string_pretty(&schema::schema::<G>())
    }
}
