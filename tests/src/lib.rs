//! Shared parts of the end-to-end tests: the binary, scratch folders, and referees that know only the rules.
#![expect(clippy::missing_panics_doc, reason = "tests fail by panicking")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod coda;
pub mod code_777;
pub mod crack_the_code;
pub mod digit_code;
pub mod exported;
#[cfg(feature = "all")]
pub mod fake_worker;
pub mod fuzz;
#[cfg(feature = "all")]
pub mod many;
#[cfg(feature = "all")]
pub mod nats;
pub mod process;
pub mod referee;
pub mod sandbox;
pub mod schema;
pub mod serve;
pub mod shell;
#[cfg(feature = "all")]
pub mod slurm;
pub mod user;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::process::Command;

/// Returns the project's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns the folder `target/PROFILE`. Tests run from its subfolder `deps`.
fn profile() -> PathBuf {
    env::current_exe()
        .unwrap()
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .to_path_buf()
}

/// Returns the folder `target`.
pub fn target() -> PathBuf {
    profile().parent().unwrap().to_path_buf()
}

/// Returns the binary under test: the file named by `ARENA_TEST_BINARY`, which must be called `arena`, or one built like the tests.
pub fn arena() -> &'static Path {
    static ARENA: OnceLock<PathBuf> = OnceLock::new();
    ARENA.get_or_init(|| env::var_os("ARENA_TEST_BINARY").map_or_else(build, PathBuf::from))
}

/// Builds the arena. Also builds a test of this package, so that all libraries have the same features as in a test run of the complete
/// workspace. After such a run, only the arena is linked.
fn build() -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    build.current_dir(root()).args([
        "build",
        "--quiet",
        "--workspace",
        "--bin",
        "arena",
        "--test",
        "e2e",
    ]);
    if cfg!(feature = "all") {
        build.args(["--features", "arena/nats,arena/parquet,arena-tests/all"]);
    }
    // Remove variables that Cargo sets for tests. They would cause needless rebuilds of dependencies.
    for (name, _) in env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|begin| name.to_string_lossy().starts_with(begin))
        {
            build.env_remove(name);
        }
    }
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    let built = build.limit(2 * TEST_TIMEOUT).status().unwrap();
    assert!(built.success(), "the arena does not build");
    let profile = profile();
    let name = format!("arena{}", env::consts::EXE_SUFFIX);
    // Use a separate folder, because the arena scans the folder of every program that it runs.
    let alone = profile.join("alone");
    std::fs::create_dir_all(&alone).unwrap();
    let new = alone.join(std::process::id().to_string());
    std::fs::hard_link(profile.join(&name), &new).unwrap();
    std::fs::rename(&new, alone.join(&name)).unwrap();
    // If both names are links to the same file, renaming would do nothing and leave this name.
    let _ = std::fs::remove_file(new);
    alone.join(name)
}

/// Returns the program of `arena/examples/own-game`, which `tests/run --all` builds.
pub fn own_game() -> PathBuf {
    profile().join("own-game")
}

/// A temporary folder for a test, removed at the end, and the program that the test runs in it.
pub struct Scratch(TempDir, PathBuf);

impl Drop for Scratch {
    /// Prints the log files in the folder if the test failed.
    fn drop(&mut self) {
        let entries = thread::panicking().then(|| {
            std::fs::read_dir(self.path())
                .into_iter()
                .flatten()
                .flatten()
        });
        let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "log");
        for path in entries
            .into_iter()
            .flatten()
            .map(|entry| entry.path())
            .filter(is_log)
        {
            eprintln!(
                "{}:\n{}",
                path.display(),
                std::fs::read_to_string(&path).unwrap_or_default()
            );
        }
    }
}

impl Scratch {
    /// Creates an empty folder.
    #[expect(clippy::new_without_default, reason = "it is not a value")]
    pub fn new() -> Self {
        Self::with(arena().to_owned())
    }

    /// Creates an empty folder in which a program other than the arena is run.
    pub fn with(program: PathBuf) -> Self {
        Self(tempfile::tempdir().unwrap(), program)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file in the folder.
    pub fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path().join(file), text).unwrap();
    }

    /// Writes an executable program in a child process. If this process wrote it, a process forked meanwhile could inherit the open file,
    /// and the program could not run.
    pub fn write_program(&self, file: &str, text: &str) {
        let mut write = Command::new("sh");
        write.current_dir(self.path()).args([
            "-c",
            "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"",
            "sh",
            file,
            text,
        ]);
        assert!(write.status().unwrap().success());
    }

    /// Returns an arena command in this folder. The words are split at spaces.
    pub fn command(&self, words: &str) -> Command {
        let mut command = Command::new(&self.1);
        command
            .current_dir(self.path())
            .args(words.split_whitespace());
        command
    }

    /// Runs the arena in this folder. The words are split at spaces.
    pub fn arena(&self, words: &str) -> Output {
        self.command(words).output().unwrap()
    }

    /// Runs the arena in this folder, asserts success, and returns its standard output.
    pub fn printed(&self, words: &str) -> String {
        let output = self.arena(words);
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "arena {words}: {}\n{log}",
            output.status
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs the arena in this folder, asserts that it refuses the words, and returns the reason.
    pub fn refused(&self, words: &str) -> String {
        let output = self.arena(words);
        let why = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "arena {words}: {why}");
        why
    }

    /// Returns the exported matches of a tournament in this folder.
    pub fn export(&self, dir: &str) -> Vec<Value> {
        self.printed(&format!("export {dir}"))
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Returns the seed of a tournament in this folder.
    pub fn seed(&self, dir: &str) -> u64 {
        let text = std::fs::read_to_string(self.path().join(dir).join("tournament.toml")).unwrap();
        let file: toml::Table = text.parse().unwrap();
        file["seed"].as_integer().unwrap().try_into().unwrap()
    }

    /// Returns the standings of a tournament in this folder, with its faults.
    pub fn standings(&self, dir: &str) -> Value {
        let json = |command: &str| -> Value {
            serde_json::from_str(&self.printed(&format!("{command} {dir} --json"))).unwrap()
        };
        let mut standings = json("show");
        let mut faults = json("faults")["faults"].take();
        for fault in faults.as_array_mut().unwrap() {
            let fields = ["match", "bot", "seat", "cause", "detail"];
            let fault = fault.as_object_mut().unwrap();
            fault.retain(|name, _| fields.contains(&name.as_str()));
        }
        standings["faults"] = faults;
        standings
    }
}

/// Timeout for processes, and for everything else that is bound to happen. On a busy machine, the slowest processes take minutes.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(1800);

/// Waits until a condition holds; fails the test on timeout.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < TEST_TIMEOUT, "timed out: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the path of a sample bot in Python.
pub fn python_bot(file: &str) -> String {
    root().join("bots/python").join(file).display().to_string()
}
