//! The arena with this project's games and bots.

use std::process::ExitCode;

use arena_bots::roster;
use arena_engine::games;

fn main() -> ExitCode {
    arena::run(games::ENTRIES, roster::ROSTER)
}
