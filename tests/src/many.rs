//! Tournaments that are played by a queue, and for comparison on one machine.

use std::fs;

use crate::nats::{self, Server, log};
use crate::process::{Child, Command};
use crate::{Scratch, arena, python_bot, until};

/// A server, a tournament in `t.toml`, and its matches as one machine plays them.
pub struct Scene {
    /// The folder of all.
    pub scratch: Scratch,
    /// The server.
    pub server: Server,
    /// The export of the tournament.
    pub expected: String,
}

impl Scene {
    /// One of a tournament with these lines and three bots.
    pub fn new(head: &str) -> Self {
        Self::with(head, &["random", "excluding"], "")
    }

    /// One with these built-in bots, whose server has these settings.
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

/// Writes a tournament with a bot in Python, which lies in a folder of its own, and these built-in ones.
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

/// The export of the tournament, played on this machine alone.
pub fn alone(scratch: &Scratch) -> String {
    scratch.printed("run -q t.toml --out alone");
    scratch.printed("export alone")
}

/// Starts a coordinator of the tournament; what it says goes to run.log.
pub fn coordinator(server: &Server, scratch: &Scratch) -> Child {
    server.spawn(scratch, "run t.toml --out many", "run.log")
}

/// Waits until the coordinator ends well with these matches.
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

/// Waits until the coordinator has said something.
pub fn says(scratch: &Scratch, what: &str) {
    until(what, || log(scratch, "run.log").contains(what));
}

/// A copy of the arena that is another file, as another build would be, with these words.
pub fn other_build(scratch: &Scratch, words: &str) -> Command {
    let path = scratch.path().join("other-arena");
    if !path.exists() {
        // As `copy_program` says, another process has to write it.
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
