//! What tests of isolation share.

use std::process::Command;

use crate::{Scratch, arena, required};

/// The levels of isolation that can be had here.
pub fn levels() -> Vec<&'static str> {
    let can_be_had = |level: &&str| {
        let scratch = Scratch::new();
        let tried = scratch.arena(&format!("match --isolation {level} --bot a=true --bot b=builtin:random"));
        let is_there = tried.status.code() != Some(2);
        let why = String::from_utf8_lossy(&tried.stderr);
        assert!(is_there || !required(), "{level} is required: {why}");
        if !is_there {
            eprintln!("SKIPPED: {why}");
        }
        is_there
    };
    ["bubblewrap", "landlock", "off"].into_iter().filter(can_be_had).collect()
}

/// The command with the arena on the path.
pub fn on_path(mut command: Command) -> Command {
    let path = format!("{}:{}", arena().parent().unwrap().display(), std::env::var("PATH").unwrap());
    command.env("PATH", path);
    command
}
