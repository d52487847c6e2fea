//! Tournaments that are played by a queue, and for comparison on one machine.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::fake_worker::Tap;
use crate::nats::{self, Running, Server, log};
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
    /// One of a tournament with these lines and three bots, if there is a server.
    pub fn new(head: &str) -> Option<Self> {
        Self::with(head, &["random", "excluding"], "")
    }

    /// The same on a server that lets nobody in without a password.
    pub fn guarded(head: &str) -> Option<Self> {
        Self::with(
            head,
            &["random", "excluding"],
            "authorization { user: u, password: p }\n",
        )
    }

    /// One with these built-in bots, whose server has these settings.
    pub fn with(head: &str, builtin: &[&str], settings: &str) -> Option<Self> {
        let (program, scratch) = (nats::server()?, Scratch::new());
        tournament(&scratch, head, builtin);
        let expected = alone(&scratch);
        scratch.write("nats.conf", settings);
        let conf = scratch.path().join("nats.conf").display().to_string();
        let mut server = Server::start(&program, &scratch, &["-c", &conf]);
        server.user = if settings.starts_with("authorization") {
            "u:p@"
        } else {
            ""
        };
        Some(Self {
            scratch,
            server,
            expected,
        })
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

/// Starts a coordinator of the tournament, with further words; what it says goes to run.log.
pub fn coordinator(server: &Server, scratch: &Scratch, words: &str) -> Running {
    server.spawn(
        scratch,
        &format!("run t.toml --out many {words}"),
        "run.log",
    )
}

/// Waits until the coordinator ends well with these matches.
pub fn ends_with(scratch: &Scratch, mut coordinator: Running, expected: &str) {
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

/// What a real worker says of itself.
pub fn hello(server: &Server, scratch: &Scratch) -> Value {
    let mut offers = Tap::on(&server.url(), "arena.join.*");
    let _worker = server.worker(scratch, "real");
    offers.json()
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

/// The path of Python on this machine.
pub fn real_python() -> String {
    let real = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .unwrap();
    String::from_utf8(real.stdout).unwrap().trim().to_owned()
}

/// A worker on a machine whose Python is another, though not on a bot's first turn: what follows from a seed there does not follow from
/// it elsewhere.
pub fn wrong_worker(server: &Server, scratch: &Scratch, name: &str) -> Running {
    chooses_otherwise(server, scratch, name, 9)
}

/// A worker on a machine whose Python chooses otherwise from this choice of a match on.
pub fn chooses_otherwise(server: &Server, scratch: &Scratch, name: &str, from: u32) -> Running {
    let folder = scratch.path().join(format!("python-{name}"));
    fs::create_dir_all(&folder).unwrap();
    let wrong = format!(
        "import random, runpy, sys
class Wrong(random.Random):
    calls = 0
    def choice(self, values):
        self.calls, value = self.calls + 1, super().choice(values)
        return value if self.calls < {from} else values[(values.index(value) + 1) % len(values)]
random.Random, sys.argv = Wrong, sys.argv[1:]
runpy.run_path(sys.argv[0], run_name=\"__main__\")"
    );
    let script = format!(
        "#!/bin/sh\ntest \"$1\" = --version && exec {0} --version\nexec {0} -c '{wrong}' \"$@\"\n",
        real_python()
    );
    scratch.write_program(&format!("python-{name}/python3"), &script);
    let mut command = scratch.command(&format!(
        "work --jobs 1 --oversubscribe --name {name} --cache cache-{name}"
    ));
    command.env(
        "PATH",
        format!("{}:{}", folder.display(), std::env::var("PATH").unwrap()),
    );
    server.spawn_command(command, scratch, &format!("{name}.log"))
}
