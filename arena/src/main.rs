//! The arena with the games and the bots of this project.

use std::process::ExitCode;

use arena_bots::roster;
use arena_engine::games;

fn main() -> ExitCode {
    arena::run(games::ENTRIES, roster::ROSTER)
}
