//! Queues for tests: real NATS servers on loopback, and workers of the arena.

use std::env;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::process::{Child, Command};
use crate::{PATIENCE, Scratch, target, until};

/// The server of the system, and the newer one, both from `tests/install`.
pub fn servers() -> [PathBuf; 2] {
    [server(), newer_server()]
}

/// The server of the system, by its whole path: a test may put a script of this name in front of it.
pub fn server() -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/sbin".into()])
        .map(|dir| dir.join("nats-server"))
        .find(|program| program.is_file())
        .expect("tests/install installs nats-server")
}

/// The newer server.
pub fn newer_server() -> PathBuf {
    target().join("nats/bin/nats-server")
}

/// A server with JetStream on loopback.
pub struct Server {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    options: Vec<String>,
    process: Option<Child>,
}

impl Server {
    /// Starts one that keeps its streams in a folder of the scratch.
    pub fn start(program: &Path, scratch: &Scratch, options: &[&str]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let folder = scratch.path().join("jetstream");
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let mut server = Self {
            program: program.to_owned(),
            folder,
            port,
            options,
            process: None,
        };
        server.again();
        server
    }

    /// Starts it again, with the streams that it had.
    pub fn again(&mut self) {
        let mut command = Command::new(&self.program);
        command
            .args([
                "-js",
                "-a",
                "127.0.0.1",
                "-p",
                &self.port.to_string(),
                "-sd",
            ])
            .arg(&self.folder);
        command
            .args(&self.options)
            // Nobody waits for it, and a test may be long.
            .limit(4 * PATIENCE)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.process = Some(command.spawn().unwrap());
        until("the server listens", || {
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
    }

    /// Kills it as kill -9 does.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts a command of the arena on this queue, in the scratch's folder; what it says goes to a file.
    pub fn spawn(&self, scratch: &Scratch, words: &str, log: &str) -> Child {
        self.spawn_command(scratch.command(words), scratch, log)
    }

    /// Starts a program on this queue.
    pub fn spawn_command(&self, mut command: Command, scratch: &Scratch, log: &str) -> Child {
        command.args(["--nats", &self.url()]).stdout(Stdio::null());
        command.stderr(fs::File::create(scratch.path().join(log)).unwrap());
        command.spawn().unwrap()
    }

    /// Starts a worker of this name, with one job and a cache of its own; what it says goes to NAME.log.
    pub fn worker(&self, scratch: &Scratch, name: &str) -> Child {
        let words = format!("work --jobs 1 --oversubscribe --name {name}");
        let mut command = scratch.command(&words);
        command.env(
            "XDG_CACHE_HOME",
            scratch.path().join(format!("cache-{name}")),
        );
        self.spawn_command(command, scratch, &format!("{name}.log"))
    }
}

/// What a file of the scratch holds so far.
pub fn log(scratch: &Scratch, file: &str) -> String {
    fs::read_to_string(scratch.path().join(file)).unwrap_or_default()
}
