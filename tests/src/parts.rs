//! Optional parts of the machine. A test that needs one asks here, so that no test is skipped in silence.

use crate::process::Command;

use std::collections::BTreeMap;
use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Mutex;
use std::thread;

/// True if no part may be missing.
pub fn required() -> bool {
    env::var("ARENA_TEST_REQUIRE").is_ok_and(|required| required == "all")
}

/// True if a part was found. Where it was not, what that costs the running test is recorded; where all parts are required, the
/// test fails.
pub fn available(part: &str, found: bool) -> bool {
    assert!(found || !required(), "{part} is required and missing");
    if !found {
        record(part);
    }
    found
}

/// Adds a line to the file that `tests/run` reads in the end: the part, and the test that it was missing for.
pub fn record(part: &str) {
    let program = env::current_exe()
        .unwrap()
        .file_stem()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let program = program
        .rsplit_once('-')
        .map_or(program.as_str(), |(name, _)| name);
    let thread = thread::current();
    let test = thread.name().unwrap_or("a thread of a test");
    eprintln!("SKIPPED, wholly or in part, without {part}: {program} {test}");
    if let Some(file) = env::var_os("ARENA_TEST_SKIPPED") {
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(file)
            .unwrap();
        // One write, so that lines of tests that run side by side do not mix.
        file.write_all(format!("{part}\t{program} {test}\n").as_bytes())
            .unwrap();
    }
}

/// True if a program is here.
pub fn has(program: &str) -> bool {
    answers(program, Command::new(program).arg("--version"))
}

/// True if bubblewrap is here.
pub fn has_bubblewrap() -> bool {
    answers("bubblewrap", Command::new("bwrap").arg("--version"))
}

/// True if Python is here with all that reads exports.
pub fn has_readers() -> bool {
    has("python3") && ["pandas", "duckdb", "zstandard"].map(has_module) == [true; 3]
}

/// True if Python has this module.
pub fn has_module(module: &str) -> bool {
    answers(
        &format!("{module} for Python"),
        Command::new("python3").args(["-c", &format!("import {module}")]),
    )
}

/// True if a part is here, which is so if this command succeeds.
pub fn answers(part: &str, probe: &mut Command) -> bool {
    static FOUND: Mutex<BTreeMap<String, bool>> = Mutex::new(BTreeMap::new());
    let succeeds = |probe: &mut Command| probe.output().is_ok_and(|output| output.status.success());
    let found = *FOUND
        .lock()
        .unwrap()
        .entry(part.to_owned())
        .or_insert_with(|| succeeds(probe));
    available(part, found)
}
