//! Tournaments and comparisons on many machines, and workers that are refused or stopped.

use std::fs;
use std::path::Path;

use arena_tests::many::{Scene, alone, coordinator, ends_with, other_build, tournament};
use arena_tests::nats::{Server, log, server, servers};
use arena_tests::process::Child;
use arena_tests::{Scratch, until};

fn workers(server: &Server, scratch: &Scratch, count: usize) -> Vec<Child> {
    (1..=count)
        .map(|number| server.worker(scratch, &format!("w{number}")))
        .collect()
}

#[test]
fn many_machines_play_the_same_as_one() {
    let formats = [
        ("format = 'round-robin'\ndeals = 40", 2),
        ("format = 'swiss'\nrounds = 3\ndeals = 30", 4),
    ];
    for (program, (format, count)) in servers().iter().zip(formats) {
        let scratch = Scratch::new();
        tournament(&scratch, format, &["random", "excluding", "exact"]);
        let expected = alone(&scratch);
        let server = Server::start(program, &scratch, &[]);
        let _workers = workers(&server, &scratch, count);
        // All workers must join before all matches have been played.
        until("the workers wait for a tournament", || {
            (1..=count)
                .all(|number| log(&scratch, &format!("w{number}.log")).contains("waiting for"))
        });
        ends_with(&scratch, &coordinator(&server, &scratch), &expected);
        let said = log(&scratch, "run.log");
        (1..=count).for_each(|number| {
            assert!(said.contains(&format!("worker     w{number}")), "{said}");
        });
    }
}

#[test]
fn a_comparison_says_the_same_by_a_queue() {
    let program = server();
    let scratch = Scratch::new();
    let words = "compare --seed 4503599627370497 --rule rounds=1 a=builtin:exact b=builtin:excluding --json";
    let alone: serde_json::Value =
        serde_json::from_str(&scratch.printed(&format!("{words} -q --out alone"))).unwrap();
    let server = Server::start(&program, &scratch, &[]);
    let _workers = workers(&server, &scratch, 2);
    let coordinator = server.spawn(&scratch, &format!("{words} --out many"), "run.log");
    assert_eq!(coordinator.code(), Some(0), "{}", log(&scratch, "run.log"));
    let many = fs::read_to_string(scratch.path().join("many/comparison.json")).unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&many).unwrap(),
        alone
    );
}

#[test]
fn a_second_coordinator_is_refused() {
    let program = server();
    let scratch = Scratch::new();
    tournament(&scratch, "deals = 400", &["random"]);
    let server = Server::start(&program, &scratch, &[]);
    let _first = server.spawn(&scratch, "run t.toml --out one", "one.log");
    until("the first waits for workers", || {
        log(&scratch, "one.log").contains("waiting for workers")
    });
    let second = server.spawn(&scratch, "run t.toml --out two", "two.log");
    assert_eq!(second.code(), Some(1));
    let said = log(&scratch, "two.log");
    assert!(said.contains("already has a coordinator"), "{said}");
}

#[test]
fn a_second_worker_of_a_name_is_refused() {
    let program = server();
    let scratch = Scratch::new();
    let server = Server::start(&program, &scratch, &[]);
    let _first = server.worker(&scratch, "ann");
    until("the first waits", || {
        log(&scratch, "ann.log").contains("waiting for a tournament")
    });
    let second = server.spawn(&scratch, "work --name ann", "second.log");
    assert_eq!(second.code(), Some(1));
    let said = log(&scratch, "second.log");
    assert!(said.contains("is already named ann"), "{said}");
}

#[test]
fn another_build_is_refused() {
    let program = server();
    let scratch = Scratch::new();
    tournament(&scratch, "deals = 4", &["random"]);
    let server = Server::start(&program, &scratch, &[]);
    let _coordinator = coordinator(&server, &scratch);
    let work = "work --once --jobs 1 --name other";
    let refused = server.spawn_command(other_build(&scratch, work), &scratch, "other.log");
    assert_eq!(refused.code(), Some(1));
    let said = log(&scratch, "other.log");
    assert!(said.contains("not the same file"), "{said}");
}

#[test]
fn a_worker_without_the_isolation_that_is_wanted_is_refused() {
    let program = server();
    let scratch = Scratch::new();
    tournament(&scratch, "deals = 4\nisolation = 'bubblewrap'", &["random"]);
    let server = Server::start(&program, &scratch, &[]);
    let coordinator = server.spawn(&scratch, "run t.toml --out t", "run.log");
    until("the coordinator waits", || {
        log(&scratch, "run.log").contains("waiting for workers")
    });
    // A worker with Python, but without bubblewrap.
    let empty = scratch.path().join("empty");
    fs::create_dir(&empty).unwrap();
    scratch.write_program("empty/python3", "#!/bin/sh\n");
    let mut command = scratch.command("work --once --as-root --jobs 1 --name weak");
    command.env("PATH", Path::new("/").join(&empty));
    let worker = server.spawn_command(command, &scratch, "weak.log");
    assert_eq!(worker.code(), Some(1));
    let said = log(&scratch, "weak.log");
    assert!(
        said.contains("the required isolation is not available"),
        "{said}"
    );
    drop(coordinator);
}

#[test]
fn a_worker_that_is_stopped_gives_back_what_it_has() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 40");
    let first = server.worker(&scratch, "first");
    let coordinator = coordinator(&server, &scratch);
    until("it plays", || {
        log(&scratch, "first.log").contains("playing")
    });
    first.signal("INT");
    assert_eq!(first.code(), Some(130), "{}", log(&scratch, "first.log"));
    let _second = server.worker(&scratch, "second");
    ends_with(&scratch, &coordinator, &expected);
}

#[test]
fn bots_that_fail_forfeit_as_on_one_machine() {
    let program = server();
    let scratch = Scratch::new();
    tournament(
        &scratch,
        "deals = 1\nclock.move_ms = 500\nclock.start_ms = 2000",
        &[],
    );
    let bot = fs::read_to_string(scratch.path().join("mine/bot.py")).unwrap();
    let mut text = fs::read_to_string(scratch.path().join("t.toml")).unwrap();
    let turn = "elif kind == \"turn\":\n";
    for (name, source) in [
        (
            "crashes",
            bot.replace(turn, &format!("{turn}        sys.exit(3)\n")),
        ),
        (
            "sleeps",
            bot.replace(
                turn,
                &format!("{turn}        import time; time.sleep(60)\n"),
            ),
        ),
    ] {
        fs::create_dir(scratch.path().join(name)).unwrap();
        fs::write(scratch.path().join(name).join("bot.py"), source).unwrap();
        text += &format!("[[bots]]\nname = '{name}'\ncommand = 'python3 bot.py'\ndir = '{name}'\n");
    }
    // A tournament in which no match is played to its end exits with 1.
    text += "[[bots]]\nname = 'random'\nbuiltin = 'random'\n";
    scratch.write("t.toml", &text);
    let expected = alone(&scratch);
    assert!(
        expected.contains("crash") && expected.contains("time"),
        "{expected}"
    );
    let server = Server::start(&program, &scratch, &[]);
    let _workers = ["a", "b"].map(|name| server.worker(&scratch, name));
    ends_with(&scratch, &coordinator(&server, &scratch), &expected);
}

#[test]
fn a_machine_without_the_interpreter_costs_no_bot_a_match() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 40");
    let coordinator = coordinator(&server, &scratch);
    // A worker without Python.
    fs::create_dir(scratch.path().join("empty")).unwrap();
    let bare = |name: &str, words: &str| {
        let words = format!("work --as-root --jobs 1 --name {name} {words}");
        let mut command = scratch.command(&words);
        command.env("PATH", scratch.path().join("empty"));
        server.spawn_command(command, &scratch, &format!("{name}.log"))
    };
    let once = bare("once", "--once");
    assert_eq!(once.code(), Some(1), "{}", log(&scratch, "once.log"));
    let _waits = bare("waits", "");
    for file in ["once.log", "waits.log"] {
        until("it says why", || {
            log(&scratch, file)
                .contains("cannot be played here: bot p: there is no program python3")
        });
    }
    let _good = server.worker(&scratch, "good");
    ends_with(&scratch, &coordinator, &expected);
}

#[test]
fn a_bot_travels_with_all_that_was_copied_when_it_entered() {
    let program = server();
    let scratch = Scratch::new();
    tournament(&scratch, "deals = 8", &["random"]);
    let here = scratch.path().display().to_string();
    let bot = fs::read_to_string(scratch.path().join("mine/bot.py")).unwrap();
    for folder in ["outer/a", "outer/common", "made"] {
        fs::create_dir_all(scratch.path().join(folder)).unwrap();
    }
    scratch.write("outer/common/bot.py", &bot);
    scratch.write("made/source.py", &bot);
    let text = fs::read_to_string(scratch.path().join("t.toml")).unwrap();
    scratch.write(
        "t.toml",
        &format!(
            "{text}[[bots]]
name = 'near'
command = 'python3 ../common/bot.py'
dir = 'outer/a'
[[bots]]
name = 'named'
command = 'python3 {here}/mine/bot.py'
dir = 'mine'
[[bots]]
name = 'built'
build = 'cp source.py built.py'
command = 'python3 built.py'
dir = 'made'
"
        ),
    );
    let expected = alone(&scratch);
    let server = Server::start(&program, &scratch, &[]);
    let coordinator = coordinator(&server, &scratch);
    until("the coordinator waits", || {
        log(&scratch, "run.log").contains("waiting for workers")
    });
    // Workers must not depend on these folders.
    for folder in ["outer", "mine", "made"] {
        let gone = format!("{folder}-gone");
        fs::rename(scratch.path().join(folder), scratch.path().join(gone)).unwrap();
    }
    let _workers = workers(&server, &scratch, 2);
    ends_with(&scratch, &coordinator, &expected);
}
