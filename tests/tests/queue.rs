//! Tournaments on many machines, by a queue: real servers, real workers, and whatever can go wrong between them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::fs;
use std::path::Path;

use arena_tests::nats::{Running, Server, log, servers, until};
use arena_tests::{Scratch, python_bot};

/// Writes a tournament with two built-in bots and one in Python, which lies in a folder of its own.
fn tournament(scratch: &Scratch, file: &str, head: &str) {
    fs::create_dir_all(scratch.path().join("mine")).unwrap();
    fs::copy(python_bot("first_bot.py"), scratch.path().join("mine/bot.py")).unwrap();
    let bots = "[[bots]]\nname = 'p'\ncommand = 'python3 bot.py'\ndir = 'mine'\n\
                [[bots]]\nname = 'r'\nbuiltin = 'random'\n[[bots]]\nname = 'x'\nbuiltin = 'excluding'\n\
                [[bots]]\nname = 'e'\nbuiltin = 'exact'\n";
    scratch.write(file, &format!("seed = 4503599627370497\nrules.rounds = 1\n{head}\n{bots}"));
}

/// The export of a tournament that was played on this machine alone.
fn alone(scratch: &Scratch, file: &str) -> String {
    scratch.printed(&format!("run -q {file} --out alone"));
    scratch.printed("export alone")
}

/// Waits for a coordinator, which must succeed.
fn succeeds(scratch: &Scratch, mut coordinator: Running, its_log: &str) {
    let code = coordinator.code();
    assert_eq!(code, Some(0), "{}", log(scratch, its_log));
}

fn workers(server: &Server, scratch: &Scratch, count: usize) -> Vec<Running> {
    (1..=count).map(|number| server.worker(scratch, &format!("w{number}"))).collect()
}

#[test]
fn many_machines_play_the_same_as_one() {
    for program in servers() {
        for (format, count) in
            [("format = 'round-robin'\ndeals = 40", 2), ("format = 'swiss'\nrounds = 3\ndeals = 6", 4)]
        {
            let scratch = Scratch::new();
            tournament(&scratch, "t.toml", format);
            let expected = alone(&scratch, "t.toml");
            let server = Server::start(&program, &scratch, &[]);
            let _workers = workers(&server, &scratch, count);
            let coordinator = server.spawn(&scratch, "run t.toml --out many --recheck 100", "run.log");
            succeeds(&scratch, coordinator, "run.log");
            assert!(scratch.printed("export many") == expected, "{format} on {count} workers");
            let said = log(&scratch, "run.log");
            (1..=count).for_each(|number| assert!(said.contains(&format!("worker     w{number}")), "{said}"));
            assert!(said.contains("Python 3") && said.contains("with the same result"), "{said}");
            scratch.printed("verify many");
        }
    }
}

#[test]
fn a_comparison_says_the_same_by_a_queue() {
    let Some(program) = servers().into_iter().next() else { return };
    let scratch = Scratch::new();
    let words = "compare --seed 4503599627370497 --rule rounds=1 a=builtin:exact b=builtin:excluding --json";
    let alone: serde_json::Value = serde_json::from_str(&scratch.printed(&format!("{words} -q --out alone"))).unwrap();
    let server = Server::start(&program, &scratch, &[]);
    let _workers = workers(&server, &scratch, 2);
    let coordinator = server.spawn(&scratch, &format!("{words} --out many"), "run.log");
    succeeds(&scratch, coordinator, "run.log");
    let many = fs::read_to_string(scratch.path().join("many/comparison.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&many).unwrap(), alone);
}

#[test]
fn a_second_coordinator_is_refused() {
    let Some(program) = servers().into_iter().next() else { return };
    let scratch = Scratch::new();
    tournament(&scratch, "t.toml", "deals = 400");
    let server = Server::start(&program, &scratch, &[]);
    let _first = server.spawn(&scratch, "run t.toml --out one", "one.log");
    until("the first waits for workers", || log(&scratch, "one.log").contains("waiting for workers"));
    let mut second = server.spawn(&scratch, "run t.toml --out two", "two.log");
    assert_eq!(second.code(), Some(1));
    let said = log(&scratch, "two.log");
    assert!(said.contains("has a coordinator already"), "{said}");
}

/// A copy of the arena that is another file, as another build would be.
fn other_build(scratch: &Scratch) -> std::process::Command {
    let path = scratch.path().join("other-arena");
    let mut bytes = fs::read(arena_tests::arena()).unwrap();
    bytes.push(0);
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = std::process::Command::new(path);
    command.current_dir(scratch.path()).args([
        "work",
        "--once",
        "--jobs",
        "1",
        "--name",
        "other",
        "--cache",
        "cache-other",
    ]);
    command
}

#[test]
fn another_build_is_refused_unless_it_is_welcome() {
    let Some(program) = servers().into_iter().next() else { return };
    let scratch = Scratch::new();
    scratch.write("t.toml", "seed = 4503599627370497\ndeals = 4\n[[bots]]\nname='a'\nbuiltin='random'\n[[bots]]\nname='b'\nbuiltin='random'\n");
    let server = Server::start(&program, &scratch, &[]);
    let coordinator = server.spawn(&scratch, "run t.toml --out strict", "strict.log");
    until("the coordinator waits", || log(&scratch, "strict.log").contains("waiting for workers"));
    let mut refused = server.spawn_command(other_build(&scratch), &scratch, "other.log");
    assert_eq!(refused.code(), Some(1));
    let said = log(&scratch, "other.log");
    assert!(said.contains("not the same file") && said.contains("--other-builds"), "{said}");
    assert!(log(&scratch, "strict.log").contains("worker other is refused"));
    coordinator.signal("-INT");
    drop(coordinator);
    let coordinator = server.spawn(&scratch, "run t.toml --out open --other-builds", "open.log");
    let mut welcome = server.spawn_command(other_build(&scratch), &scratch, "other.log");
    succeeds(&scratch, coordinator, "open.log");
    assert_eq!(welcome.code(), Some(0), "{}", log(&scratch, "other.log"));
}

#[test]
fn a_worker_without_the_isolation_that_is_wanted_is_refused() {
    let Some(program) = servers().into_iter().next() else { return };
    let scratch = Scratch::new();
    tournament(&scratch, "t.toml", "deals = 4\nisolation = 'bubblewrap'");
    let server = Server::start(&program, &scratch, &[]);
    let coordinator = server.spawn(&scratch, "run t.toml --out t", "run.log");
    until("the coordinator waits", || log(&scratch, "run.log").contains("waiting for workers"));
    // Where no bubblewrap is found.
    let empty = scratch.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let mut command = scratch.command("work --once --as-root --jobs 1 --name weak --cache cache-weak");
    command.env("PATH", Path::new("/").join(&empty));
    let mut worker = server.spawn_command(command, &scratch, "weak.log");
    assert_eq!(worker.code(), Some(1));
    let said = log(&scratch, "weak.log");
    assert!(said.contains("isolation = \"bubblewrap\""), "{said}");
    drop(coordinator);
}

#[test]
fn a_worker_that_is_stopped_gives_back_what_it_has() {
    let Some(program) = servers().into_iter().next() else { return };
    let scratch = Scratch::new();
    tournament(&scratch, "t.toml", "deals = 40");
    let expected = alone(&scratch, "t.toml");
    let server = Server::start(&program, &scratch, &[]);
    let mut first = server.worker(&scratch, "first");
    let coordinator = server.spawn(&scratch, "run t.toml --out many", "run.log");
    until("it plays", || log(&scratch, "first.log").contains("playing"));
    first.signal("-INT");
    assert_eq!(first.code(), Some(130), "{}", log(&scratch, "first.log"));
    let _second = server.worker(&scratch, "second");
    succeeds(&scratch, coordinator, "run.log");
    assert!(scratch.printed("export many") == expected);
}
