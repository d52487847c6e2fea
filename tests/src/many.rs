//! Tournaments played over a queue, compared with the same tournament played on one machine.

use std::fs;

use crate::nats::{self, Server, log};
use crate::process::{Child, Command};
use crate::{Scratch, arena, python_bot, until};

/// A queue server, a tournament in `t.toml`, and its expected matches.
pub struct Scene {
    /// Folder of all files.
    pub scratch: Scratch,
    /// The queue server.
    pub server: Server,
    /// Export of the tournament as played on one machine.
    pub expected: String,
}

impl Scene {
    /// Sets up a tournament with these lines and three bots.
    pub fn new(head: &str) -> Self {
        Self::with(head, &["random", "excluding"], "")
    }

    /// Sets up a tournament with these built-in bots, and a server with these settings.
    pub fn with(head: &str, builtin: &[&str], settings: &str) -> Self {
        let (program, scratch) = (nats::server(), Scratch::new());
        tournament(&scratch, head, builtin);
        let expected = alone(&scratch);
        scratch.write("nats.conf", settings);
        let conf = scratch.path().join("nats.conf").display().to_string();
        let server = Server::start(&program, &scratch, &["-c", &conf]);
        Self {
            scratch,
            server,
            expected,
        }
    }
}

/// Writes a tournament of these built-in bots and of a Python bot in a separate folder.
pub fn tournament(scratch: &Scratch, head: &str, builtin: &[&str]) {
    fs::create_dir_all(scratch.path().join("mine")).unwrap();
    fs::copy(
        python_bot("first_bot.py"),
        scratch.path().join("mine/bot.py"),
    )
    .unwrap();
    let bots: String = builtin
        .iter()
        .map(|bot| format!("[[bots]]\nname = '{bot}'\nbuiltin = '{bot}'\n"))
        .collect();
    let p = "[[bots]]\nname = 'p'\ncommand = 'python3 bot.py'\ndir = 'mine'\n";
    scratch.write(
        "t.toml",
        &format!("seed = 4503599627370497\nrules.rounds = 1\n{head}\n{p}{bots}"),
    );
}

/// Plays the tournament on this machine alone, and returns its export.
pub fn alone(scratch: &Scratch) -> String {
    scratch.printed("run -q t.toml --out alone");
    scratch.printed("export alone")
}

/// Starts a coordinator of the tournament, with its standard error in run.log.
pub fn coordinator(server: &Server, scratch: &Scratch) -> Child {
    server.spawn(scratch, "run t.toml --out many", "run.log")
}

/// Waits until the coordinator succeeds, and asserts that it has played these matches.
pub fn ends_with(scratch: &Scratch, coordinator: &Child, expected: &str) {
    let code = coordinator.code();
    assert_eq!(code, Some(0), "{}", log(scratch, "run.log"));
    assert!(
        scratch.printed("export many") == expected,
        "other matches; {}",
        log(scratch, "run.log")
    );
    scratch.printed("verify many");
}

/// Waits until the coordinator's log contains this text.
pub fn says(scratch: &Scratch, what: &str) {
    until(what, || log(scratch, "run.log").contains(what));
}

/// Returns a command of a copy of the arena with different bytes, which counts as another build.
pub fn other_build(scratch: &Scratch, words: &str) -> Command {
    let path = scratch.path().join("other-arena");
    if !path.exists() {
        // Another process writes the copy; see `copy_program`.
        let mut copy = Command::new("sh");
        copy.args(["-c", "cp \"$1\" \"$2\" && echo >> \"$2\"", "sh"])
            .arg(arena())
            .arg(&path);
        assert!(copy.status().unwrap().success());
    }
    let mut command = Command::new(path);
    command
        .current_dir(scratch.path())
        .args(words.split_whitespace());
    command
}
