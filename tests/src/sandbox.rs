//! What tests of isolation share.

use std::sync::OnceLock;

use crate::parts::available;
use crate::process::Command;
use crate::{Scratch, arena};

/// The levels of isolation that can be had here; of those that cannot, what that costs the running test is recorded.
pub fn levels() -> Vec<&'static str> {
    static FOUND: OnceLock<[(&str, bool); 3]> = OnceLock::new();
    let can_be_had = |level| {
        let scratch = Scratch::new();
        let tried = scratch.arena(&format!(
            "match --isolation {level} --bot a=true --bot b=builtin:random"
        ));
        if tried.status.code() == Some(2) {
            eprintln!(
                "{level} cannot be had: {}",
                String::from_utf8_lossy(&tried.stderr)
            );
        }
        (level, tried.status.code() != Some(2))
    };
    let levels = FOUND.get_or_init(|| ["bubblewrap", "landlock", "off"].map(can_be_had));
    levels
        .iter()
        .filter(|(level, found)| available(level, *found))
        .map(|(level, _)| *level)
        .collect()
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
