//! Helpers for tests of isolation.

use std::sync::OnceLock;

use crate::process::Command;
use crate::{Scratch, arena};

/// Returns the isolation levels available on this machine.
pub fn levels() -> Vec<&'static str> {
    static OFFERED: OnceLock<Vec<&str>> = OnceLock::new();
    let is_offered = |level: &&str| {
        let scratch = Scratch::new();
        let tried = scratch.arena(&format!(
            "match --isolation {level} --bot a=true --bot b=builtin:random"
        ));
        tried.status.code() != Some(2)
    };
    let levels = ["bubblewrap", "landlock", "off"].into_iter();
    OFFERED
        .get_or_init(|| levels.filter(is_offered).collect())
        .clone()
}

/// Puts the arena on the command's `PATH`.
pub fn on_path(mut command: Command) -> Command {
    let path = format!(
        "{}:{}",
        arena().parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    command.env("PATH", path);
    command
}
