//! Queues for tests: real NATS servers on the loopback interface, and arena workers.

use std::env;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::process::{Child, Command};
use crate::{Scratch, TEST_TIMEOUT, target, until};

/// Returns the system's server and a newer one, both from `tests/install`.
pub fn servers() -> [PathBuf; 2] {
    [server(), newer_server()]
}

/// Returns the full path of the system's server, because a test may hide it behind a script with the same name.
pub fn server() -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/sbin".into()])
        .map(|dir| dir.join("nats-server"))
        .find(|program| program.is_file())
        .expect("tests/install installs nats-server")
}

/// Returns the path of the newer server.
pub fn newer_server() -> PathBuf {
    target().join("nats/bin/nats-server")
}

/// A server with JetStream on the loopback interface.
pub struct Server {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    options: Vec<String>,
    process: Option<Child>,
}

impl Server {
    /// Starts a server that keeps its streams in a folder of the scratch.
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

    /// Restarts the server with its existing streams.
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
            // The test does not wait for the server to end, and the test may be long.
            .limit(4 * TEST_TIMEOUT)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.process = Some(command.spawn().unwrap());
        until("the server listens", || {
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
    }

    /// Kills the server with SIGKILL.
    pub fn kill(&mut self) {
        self.process = None;
    }

    /// Returns the server's address.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Starts an arena command on this queue, in the scratch folder, with its standard error in a file.
    pub fn spawn(&self, scratch: &Scratch, words: &str, log: &str) -> Child {
        self.spawn_command(scratch.command(words), scratch, log)
    }

    /// Starts a program on this queue.
    pub fn spawn_command(&self, mut command: Command, scratch: &Scratch, log: &str) -> Child {
        command.args(["--nats", &self.url()]).stdout(Stdio::null());
        command.stderr(fs::File::create(scratch.path().join(log)).unwrap());
        command.spawn().unwrap()
    }

    /// Starts a worker with this name, one job and a separate cache, with its standard error in NAME.log.
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

/// Returns the current content of a file in the scratch folder; empty if it does not exist.
pub fn log(scratch: &Scratch, file: &str) -> String {
    fs::read_to_string(scratch.path().join(file)).unwrap_or_default()
}
