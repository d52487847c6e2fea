//! Workers whose machines play otherwise than others, and bots that do not follow from their seed.

use std::fs;

use arena_tests::fake_worker::{FakeWorker, Tap};
use arena_tests::many::{
    self, alone, chooses_otherwise, coordinator, ends_with, hello, real_python, says, tournament,
    wrong_worker,
};
use arena_tests::nats::{Running, Server, log, server};
use arena_tests::{Scratch, until};
use serde_json::json;

/// A queue on which a worker on a wrong machine has sent its first result, and now rests.
struct Scene {
    scratch: Scratch,
    server: Server,
    expected: String,
    coordinator: Running,
    wrong: Running,
    idle: FakeWorker,
}

impl Scene {
    fn new(head: &str, builtin: &[&str], words: &str) -> Option<Self> {
        let many::Scene {
            scratch,
            server,
            expected,
        } = many::Scene::with(head, builtin, "")?;
        let hello = hello(&server, &scratch);
        let coordinator = coordinator(&server, &scratch, words);
        // As long as somebody else is there, what the first plays waits to be checked.
        let idle = FakeWorker::join(&server.url(), &hello, "idle");
        let mut results = Tap::on(&server.url(), "arena.*.result.*.*");
        let wrong = wrong_worker(&server, &scratch, "wrong");
        until("the wrong one plays", || {
            stay(&idle, false);
            wrong_has_sent(&mut results)
        });
        wrong.signal("-STOP");
        Some(Self {
            scratch,
            server,
            expected,
            coordinator,
            wrong,
            idle,
        })
    }
}

fn wrong_has_sent(results: &mut Tap) -> bool {
    results.message_now().is_some()
}

/// Tells the coordinator that this worker is there, or leaves.
fn stay(idle: &FakeWorker, leaves: bool) {
    let status = json!({"worker": idle.hello["worker"], "hello": idle.hello, "holding": [], "given_back": [],
        "languages": [], "leaves": leaves});
    idle.say_status(status.to_string().into_bytes());
}

fn a_wrong_machine_is_found(head: &str, builtin: &[&str], words: &str) {
    let Some(scene) = Scene::new(head, builtin, words) else {
        return;
    };
    let Scene {
        scratch,
        server,
        expected,
        coordinator,
        mut wrong,
        idle,
    } = scene;
    let _good = [
        server.worker(&scratch, "good"),
        server.worker(&scratch, "better"),
    ];
    until("it is found out", || {
        stay(&idle, false);
        log(&scratch, "run.log")
            .contains("worker wrong is excluded: its results failed verification (it played")
    });
    stay(&idle, true);
    wrong.signal("-CONT");
    assert_eq!(wrong.code(), Some(1), "{}", log(&scratch, "wrong.log"));
    assert!(log(&scratch, "wrong.log").contains("the coordinator excluded this worker"));
    ends_with(&scratch, coordinator, &expected);
    let said = log(&scratch, "run.log");
    assert!(
        !said.contains("worker good is excluded") && !said.contains("worker better is excluded"),
        "{said}"
    );
}

#[test]
fn a_wrong_machine_is_found_and_all_it_played_is_played_again() {
    // As often as by default.
    a_wrong_machine_is_found("deals = 100", &["random", "excluding"], "");
}

#[test]
fn rounds_that_follow_from_a_wrong_machine_are_drawn_anew() {
    a_wrong_machine_is_found(
        "format = 'swiss'\nrounds = 3\ndeals = 6",
        &["random", "excluding", "exact"],
        "--recheck 100",
    );
}

/// Two workers disagree, and nobody else is there.
fn disagreement() -> Option<(Scene, Running)> {
    let scene = Scene::new("deals = 4", &["random", "excluding"], "--recheck 100")?;
    let good = scene.server.worker(&scene.scratch, "good");
    until("they disagree", || {
        stay(&scene.idle, false);
        log(&scene.scratch, "run.log").contains("differently: a third one decides which is wrong")
    });
    stay(&scene.idle, true);
    says(
        &scene.scratch,
        "start a third one, to decide which is wrong",
    );
    Some((scene, good))
}

#[test]
fn two_that_disagree_wait_for_a_third() {
    let Some((scene, _good)) = disagreement() else {
        return;
    };
    let _third = scene.server.worker(&scene.scratch, "third");
    says(&scene.scratch, "worker wrong is excluded");
    ends_with(&scene.scratch, scene.coordinator, &scene.expected);
}

#[test]
fn of_two_that_disagree_none_is_believed_when_it_is_stopped() {
    let Some((scene, _good)) = disagreement() else {
        return;
    };
    let mut coordinator = scene.coordinator;
    coordinator.signal("-INT");
    assert_eq!(
        coordinator.code(),
        Some(130),
        "{}",
        log(&scene.scratch, "run.log")
    );
    assert_eq!(scene.scratch.standings("many")["played"], 0);
    drop(scene.wrong);
    let _others = scene.server.worker(&scene.scratch, "other");
    let again = self::coordinator(&scene.server, &scene.scratch, "");
    ends_with(&scene.scratch, again, &scene.expected);
}

#[test]
fn a_bot_that_does_not_follow_from_its_seed_is_named_and_nobody_is_blamed() {
    let Some(program) = server() else { return };
    let scratch = Scratch::new();
    tournament(&scratch, "deals = 100", &["random", "excluding"]);
    let bot = scratch.path().join("mine/bot.py");
    let source = fs::read_to_string(&bot).unwrap();
    fs::write(
        &bot,
        source.replace("random.Random(body[\"seed\"])", "random.Random()"),
    )
    .unwrap();
    let server = Server::start(&program, &scratch, &[]);
    let _workers = ["a", "b", "c"].map(|name| server.worker(&scratch, name));
    let mut coordinator = coordinator(&server, &scratch, "--recheck 100");
    assert_eq!(coordinator.code(), Some(0), "{}", log(&scratch, "run.log"));
    let said = log(&scratch, "run.log");
    assert!(
        said.contains("no two workers get the same results from p:") && !said.contains("excluded"),
        "{said}"
    );
    scratch.printed("verify many");
}

#[test]
fn bots_that_fail_forfeit_as_on_one_machine() {
    let Some(program) = server() else { return };
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
    scratch.write("t.toml", &text);
    let expected = alone(&scratch);
    assert!(
        expected.contains("crash") && expected.contains("time"),
        "{expected}"
    );
    let server = Server::start(&program, &scratch, &[]);
    let _workers = ["a", "b"].map(|name| server.worker(&scratch, name));
    ends_with(
        &scratch,
        coordinator(&server, &scratch, "--recheck 100"),
        &expected,
    );
    assert!(!log(&scratch, "run.log").contains("excluded"));
}

#[test]
fn a_machine_whose_bots_answer_otherwise_stands_aside_and_is_not_excluded() {
    let Some(many::Scene {
        scratch,
        server,
        expected,
    }) = many::Scene::new("deals = 20")
    else {
        return;
    };
    let coordinator = coordinator(&server, &scratch, "");
    says(
        &scratch,
        "rehearsed  1 of 1 programs gave the same answers twice here",
    );
    let _odd = chooses_otherwise(&server, &scratch, "odd", 1);
    says(
        &scratch,
        "worker odd stands aside: bot p does not answer its first turn here as on the coordinator's machine: {",
    );
    until("it says so itself", || {
        log(&scratch, "odd.log").contains("standing aside: bot p does not answer")
    });
    let _good = server.worker(&scratch, "good");
    ends_with(&scratch, coordinator, &expected);
    let said = log(&scratch, "run.log");
    assert!(
        said.contains("good: 120 matches") && !said.contains("excluded"),
        "{said}"
    );
}

#[test]
fn where_all_machines_but_the_coordinators_answer_alike_they_play() {
    let Some(many::Scene {
        scratch, server, ..
    }) = many::Scene::new("deals = 4")
    else {
        return;
    };
    let mut coordinator = coordinator(&server, &scratch, "");
    says(&scratch, "waiting for workers");
    let _first = ["one", "two"].map(|name| chooses_otherwise(&server, &scratch, name, 1));
    says(
        &scratch,
        "no worker's bot p answers as it does on this machine: workers can play it anyway",
    );
    let _third = chooses_otherwise(&server, &scratch, "three", 1);
    assert_eq!(coordinator.code(), Some(0), "{}", log(&scratch, "run.log"));
    assert!(log(&scratch, "run.log").contains("three: 24 matches"));
}

/// A command of a worker on a machine that has no Python.
fn bare(scratch: &Scratch, words: &str) -> std::process::Command {
    fs::create_dir_all(scratch.path().join("empty")).unwrap();
    let mut command = scratch.command(&format!("work --as-root --jobs 1 --oversubscribe {words}"));
    command.env("PATH", scratch.path().join("empty"));
    command
}

#[test]
fn a_machine_without_the_interpreter_stands_aside_and_costs_no_bot_a_match() {
    let Some(many::Scene {
        scratch,
        server,
        expected,
    }) = many::Scene::new("deals = 40")
    else {
        return;
    };
    let coordinator = coordinator(&server, &scratch, "");
    says(&scratch, "waiting for workers");
    let _bare = server.spawn_command(
        bare(&scratch, "--name bare --cache cache-bare"),
        &scratch,
        "bare.log",
    );
    says(
        &scratch,
        "worker bare stands aside: bot p does not start here",
    );
    until("it says so itself", || {
        log(&scratch, "bare.log").contains("standing aside: bot p does not start here")
    });
    let mut once = server.spawn_command(
        bare(&scratch, "--once --name once --cache cache-once"),
        &scratch,
        "once.log",
    );
    assert_eq!(once.code(), Some(1), "{}", log(&scratch, "once.log"));
    let _good = server.worker(&scratch, "good");
    ends_with(&scratch, coordinator, &expected);
    let said = log(&scratch, "run.log");
    assert!(
        said.contains("checked    0 of 40 deals") && said.contains("names      not proved"),
        "{said}"
    );
    assert!(!expected.contains("crash"));
}

#[test]
fn a_machine_that_loses_the_interpreter_gives_back_what_it_has() {
    let Some(many::Scene {
        scratch,
        server,
        expected,
    }) = many::Scene::new("deals = 400")
    else {
        return;
    };
    let coordinator = coordinator(&server, &scratch, "");
    let mut results = Tap::on(&server.url(), "arena.*.result.*.*");
    // Its Python works as long as a file is there.
    fs::create_dir_all(scratch.path().join("frail")).unwrap();
    scratch.write("frail/works", "");
    let works = scratch.path().join("frail/works");
    let script = format!(
        "#!/bin/sh\ntest -e {} || exit 1\nexec {} \"$@\"\n",
        works.display(),
        real_python()
    );
    scratch.write_program("frail/python3", &script);
    let mut command =
        scratch.command("work --jobs 1 --oversubscribe --name frail --cache cache-frail");
    command.env(
        "PATH",
        format!(
            "{}:{}",
            scratch.path().join("frail").display(),
            std::env::var("PATH").unwrap()
        ),
    );
    let _frail = server.spawn_command(command, &scratch, "frail.log");
    results.message();
    fs::remove_file(works).unwrap();
    says(
        &scratch,
        "worker frail stands aside: bot p does not start here",
    );
    let _good = server.worker(&scratch, "good");
    ends_with(&scratch, coordinator, &expected);
}
