//! What tests of isolation share.

use std::sync::OnceLock;

use crate::process::Command;
use crate::{Scratch, arena};

/// The levels of isolation that this machine offers.
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

/// The command with the arena on the path.
pub fn on_path(mut command: Command) -> Command {
    let path = format!(
        "{}:{}",
        arena().parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    command.env("PATH", path);
    command
}
