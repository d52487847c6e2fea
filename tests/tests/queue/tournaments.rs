//! Tournaments and comparisons on many machines, and workers that are refused or stopped.

use std::fs;
use std::path::Path;

use arena_tests::many::{Scene, alone, coordinator, ends_with, other_build, tournament};
use arena_tests::nats::{Running, Server, log, server, servers};
use arena_tests::{Scratch, until};

fn workers(server: &Server, scratch: &Scratch, count: usize) -> Vec<Running> {
    (1..=count)
        .map(|number| server.worker(scratch, &format!("w{number}")))
        .collect()
}

#[test]
fn many_machines_play_the_same_as_one() {
    for program in servers() {
        for (format, count) in [
            ("format = 'round-robin'\ndeals = 40", 2),
            ("format = 'swiss'\nrounds = 3\ndeals = 6", 4),
        ] {
            let scratch = Scratch::new();
            tournament(&scratch, format, &["random", "excluding", "exact"]);
            let expected = alone(&scratch);
            let server = Server::start(&program, &scratch, &[]);
            let _workers = workers(&server, &scratch, count);
            ends_with(
                &scratch,
                coordinator(&server, &scratch, "--recheck 100"),
                &expected,
            );
            let said = log(&scratch, "run.log");
            (1..=count).for_each(|number| {
                assert!(said.contains(&format!("worker     w{number}")), "{said}");
            });
            assert!(
                said.contains("Python 3") && said.contains("with the same result"),
                "{said}"
            );
        }
    }
}

#[test]
fn a_comparison_says_the_same_by_a_queue() {
    let Some(program) = server() else { return };
    let scratch = Scratch::new();
    let words = "compare --seed 4503599627370497 --rule rounds=1 a=builtin:exact b=builtin:excluding --json";
    let alone: serde_json::Value =
        serde_json::from_str(&scratch.printed(&format!("{words} -q --out alone"))).unwrap();
    let server = Server::start(&program, &scratch, &[]);
    let _workers = workers(&server, &scratch, 2);
    let mut coordinator = server.spawn(&scratch, &format!("{words} --out many"), "run.log");
    assert_eq!(coordinator.code(), Some(0), "{}", log(&scratch, "run.log"));
    let many = fs::read_to_string(scratch.path().join("many/comparison.json")).unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&many).unwrap(),
        alone
    );
}

#[test]
fn a_short_tournament_gets_a_worker_while_a_long_one_is_played() {
    let Some(Scene {
        scratch,
        server,
        expected,
    }) = Scene::new("deals = 8")
    else {
        return;
    };
    let short = std::fs::read_to_string(scratch.path().join("t.toml")).unwrap();
    scratch.write("long.toml", &short.replace("deals = 8", "deals = 100000"));
    let _long = server.spawn(&scratch, "run long.toml --out long", "long.log");
    until("the long one waits", || {
        log(&scratch, "long.log").contains("waiting for workers")
    });
    let _first = server.worker(&scratch, "first");
    until("it is played", || {
        log(&scratch, "long.log").contains("worker     first")
    });
    let coordinator = coordinator(&server, &scratch, "");
    until("the short one waits", || {
        log(&scratch, "run.log").contains("waiting for workers")
    });
    let _second = server.worker(&scratch, "second");
    ends_with(&scratch, coordinator, &expected);
    let said = log(&scratch, "run.log");
    assert!(said.contains("second: 48 matches"), "{said}");
}

#[test]
fn a_second_coordinator_is_refused() {
    let Some(program) = server() else { return };
    let scratch = Scratch::new();
    tournament(&scratch, "deals = 400", &["random"]);
    let server = Server::start(&program, &scratch, &[]);
    let _first = server.spawn(&scratch, "run t.toml --out one", "one.log");
    until("the first waits for workers", || {
        log(&scratch, "one.log").contains("waiting for workers")
    });
    let mut second = server.spawn(&scratch, "run t.toml --out two", "two.log");
    assert_eq!(second.code(), Some(1));
    let said = log(&scratch, "two.log");
    assert!(said.contains("has a coordinator already"), "{said}");
}

/// What another build is to do.
const OTHER: &str = "work --once --jobs 1 --name other --cache cache-other";

#[test]
fn another_build_is_refused_unless_it_is_welcome() {
    let Some(program) = server() else { return };
    let scratch = Scratch::new();
    tournament(&scratch, "deals = 4", &["random"]);
    let server = Server::start(&program, &scratch, &[]);
    let coordinator = server.spawn(&scratch, "run t.toml --out strict", "strict.log");
    until("the coordinator waits", || {
        log(&scratch, "strict.log").contains("waiting for workers")
    });
    let mut refused = server.spawn_command(other_build(&scratch, OTHER), &scratch, "other.log");
    assert_eq!(refused.code(), Some(1));
    let said = log(&scratch, "other.log");
    assert!(
        said.contains("not the same file") && said.contains("--other-builds"),
        "{said}"
    );
    assert!(log(&scratch, "strict.log").contains("worker other is refused"));
    coordinator.signal("-INT");
    drop(coordinator);
    let mut coordinator =
        server.spawn(&scratch, "run t.toml --out open --other-builds", "open.log");
    let mut welcome = server.spawn_command(other_build(&scratch, OTHER), &scratch, "other.log");
    assert_eq!(coordinator.code(), Some(0), "{}", log(&scratch, "open.log"));
    assert_eq!(welcome.code(), Some(0), "{}", log(&scratch, "other.log"));
}

#[test]
fn a_worker_without_the_isolation_that_is_wanted_is_refused() {
    let Some(program) = server() else { return };
    let scratch = Scratch::new();
    tournament(&scratch, "deals = 4\nisolation = 'bubblewrap'", &["random"]);
    let server = Server::start(&program, &scratch, &[]);
    let coordinator = server.spawn(&scratch, "run t.toml --out t", "run.log");
    until("the coordinator waits", || {
        log(&scratch, "run.log").contains("waiting for workers")
    });
    // Where no bubblewrap is found.
    let empty = scratch.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let mut command =
        scratch.command("work --once --as-root --jobs 1 --name weak --cache cache-weak");
    command.env("PATH", Path::new("/").join(&empty));
    let mut worker = server.spawn_command(command, &scratch, "weak.log");
    assert_eq!(worker.code(), Some(1));
    let said = log(&scratch, "weak.log");
    assert!(said.contains("isolation = \"bubblewrap\""), "{said}");
    drop(coordinator);
}

#[test]
fn a_worker_that_is_stopped_gives_back_what_it_has() {
    let Some(Scene {
        scratch,
        server,
        expected,
    }) = Scene::new("deals = 40")
    else {
        return;
    };
    let mut first = server.worker(&scratch, "first");
    let coordinator = coordinator(&server, &scratch, "");
    until("it plays", || {
        log(&scratch, "first.log").contains("playing")
    });
    first.signal("-INT");
    assert_eq!(first.code(), Some(130), "{}", log(&scratch, "first.log"));
    let _second = server.worker(&scratch, "second");
    ends_with(&scratch, coordinator, &expected);
}

#[test]
fn what_travels_is_shown_and_workers_are_listed_banned_and_readmitted() {
    let Some(Scene {
        scratch,
        server,
        expected,
    }) = Scene::new("deals = 8")
    else {
        return;
    };
    scratch.write("mine/.env", "TOKEN=s3cret");
    let listed = scratch.printed("bundle t.toml --list");
    let is_home = |line: &str| {
        line.contains("at home") && line.contains("mine/.env: its name is one of *.env")
    };
    assert!(
        listed.contains("bot p: 1 files") && listed.contains("  bot.py\n"),
        "{listed}"
    );
    assert!(listed.lines().any(is_home), "{listed}");
    let _workers = workers(&server, &scratch, 2);
    ends_with(&scratch, coordinator(&server, &scratch, ""), &expected);
    let said = log(&scratch, "run.log");
    assert!(
        said.contains("travels    bot p: 1 files") && said.contains("mine/.env (its name"),
        "{said}"
    );
    assert!(said.contains("checked    8 of 8 deals"), "{said}");
    let sum = |text: String| -> u32 {
        let counts = text.lines().filter_map(|line| {
            line.split_once(": ")?
                .1
                .strip_suffix(" matches")?
                .parse::<u32>()
                .ok()
        });
        counts.sum()
    };
    assert_eq!(sum(scratch.printed("workers many")), 48);
    assert!(
        scratch
            .printed("workers many --ban w1")
            .contains("excluded w1")
    );
    assert!(
        scratch
            .printed("workers many")
            .contains("worker w1 is excluded (banned by hand)")
    );
    assert_eq!(
        scratch.arena("workers many --ban w1").status.code(),
        Some(2)
    );
    assert_eq!(
        scratch.printed("workers many --readmit w1"),
        "readmitted w1\n"
    );
    assert_eq!(
        scratch.arena("workers many --readmit w1").status.code(),
        Some(2)
    );
    scratch.printed("run -q many");
    assert_eq!(scratch.printed("export many"), expected);
}
