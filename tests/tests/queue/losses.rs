//! Losses and limits of a queue: deleted streams, lost servers, full disks, bots that are too large, other builds.

use std::fs;

use arena_tests::fake_worker::{FakeWorker, Tap};
use arena_tests::many::{Scene, coordinator, ends_with, other_build, says, tournament};
use arena_tests::nats::{Server, log, server};
use arena_tests::process::{Child, Command};
use arena_tests::sandbox::on_path;
use arena_tests::{Scratch, until};

fn workers(server: &Server, scratch: &Scratch) -> [Child; 2] {
    ["good", "better"].map(|name| server.worker(scratch, name))
}

#[test]
fn streams_that_are_deleted_are_made_again() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 200");
    let coordinator = coordinator(&server, &scratch);
    let vandal = FakeWorker::join(&server.url(), "vandal");
    // Units have been published by now.
    vandal.take();
    vandal.delete(&["unit", "result", "files"]);
    let mut results = Tap::on(&server.url(), "arena.*.result");
    let _workers = workers(&server, &scratch);
    for streams in [
        &["unit"][..],
        &["result"],
        &["files"],
        &["unit", "result", "files"],
    ] {
        results.message();
        vandal.delete(streams);
    }
    ends_with(&scratch, &coordinator, &expected);
}

#[test]
fn a_server_that_has_lost_everything_is_filled_again() {
    let Scene {
        scratch,
        mut server,
        expected,
    } = Scene::new("deals = 200");
    let coordinator = coordinator(&server, &scratch);
    says(&scratch, "waiting for workers");
    begin_anew(&mut server, &scratch);
    let mut results = Tap::on(&server.url(), "arena.*.result");
    let _workers = workers(&server, &scratch);
    results.message();
    drop(results);
    begin_anew(&mut server, &scratch);
    ends_with(&scratch, &coordinator, &expected);
}

/// Kills a server, and starts an empty one.
fn begin_anew(server: &mut Server, scratch: &Scratch) {
    server.kill();
    fs::remove_dir_all(scratch.path().join("jetstream")).unwrap();
    server.again();
}

#[test]
fn a_full_disk_ends_the_coordinator_and_costs_nothing_that_was_saved() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 600");
    let here = scratch.path();
    // The inner namespace has a small disk. The files are copied out at the end.
    scratch.write(
        "full.sh",
        "arena run -q t.toml --out small/many \"$@\"; echo $? > code; cp -r small/many many\n",
    );
    let mut full = Command::new("bwrap");
    full.args(["--dev-bind", "/", "/", "--size", "400000", "--tmpfs"])
        .arg(here.join("small"));
    full.arg("--chdir").arg(here).args(["sh", "full.sh"]);
    let _workers = workers(&server, &scratch);
    let full = server.spawn_command(on_path(full), &scratch, "full.log");
    assert_eq!(full.code(), Some(0), "{}", log(&scratch, "full.log"));
    assert_eq!(
        log(&scratch, "code").trim(),
        "1",
        "{}",
        log(&scratch, "full.log")
    );
    assert!(
        log(&scratch, "full.log").contains("no space is left"),
        "{}",
        log(&scratch, "full.log")
    );
    assert!(scratch.standings("many")["played"].as_u64().unwrap() > 0);
    ends_with(&scratch, &coordinator(&server, &scratch), &expected);
}

#[test]
fn bots_that_cannot_travel_are_refused_before_anybody_is_asked() {
    let program = server();
    let scratch = Scratch::new();
    tournament(&scratch, "deals = 4", &["random"]);
    let server = Server::start(&program, &scratch, &[]);
    let model = scratch.path().join("mine/model.bin");
    fs::File::create(&model)
        .unwrap()
        .set_len(600 << 20)
        .unwrap();
    refused(&server, &scratch, 2, &["bot p cannot play", "512 MiB"]);
    let model = fs::File::create(&model).unwrap();
    model.set_len(150 << 20).unwrap();
    refused(
        &server,
        &scratch,
        2,
        &["bot p cannot be sent to workers", "128 MiB"],
    );
}

/// Asserts that the coordinator ends at once, with the reason.
fn refused(server: &Server, scratch: &Scratch, expected: i32, why: &[&str]) {
    let code = coordinator(server, scratch).code();
    let said = log(scratch, "run.log");
    assert!(
        code == Some(expected) && why.iter().all(|why| said.contains(why)),
        "{code:?}: {said}"
    );
    assert!(!said.contains("waiting for workers"), "{said}");
}

#[test]
fn results_that_are_too_long_for_a_message_travel_in_parts() {
    let scene = Scene::with(
        "deals = 200",
        &["random", "excluding"],
        "max_payload: 12288\n",
    );
    let Scene {
        scratch,
        server,
        expected,
    } = scene;
    let mut results = Tap::on(&server.url(), "arena.*.result");
    let coordinator = coordinator(&server, &scratch);
    let _workers = workers(&server, &scratch);
    // Wait for a longer result, because the first results are too short to be split.
    until("a result travels in parts", || {
        results.result()["is_last"].get() == "false"
    });
    ends_with(&scratch, &coordinator, &expected);
}

#[test]
fn a_server_that_takes_no_tournament_is_named() {
    let scene = Scene::with("deals = 4", &["random", "excluding"], "max_payload: 4096\n");
    let Scene {
        scratch, server, ..
    } = scene;
    refused(&server, &scratch, 1, &["max_payload"]);
}

#[test]
fn another_build_goes_on_with_what_the_first_has_left() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 200");
    let mut results = Tap::on(&server.url(), "arena.*.result");
    let first = coordinator(&server, &scratch);
    says(&scratch, "waiting for workers");
    let old = server.worker(&scratch, "old");
    says(&scratch, "worker     old");
    first.signal("STOP");
    results.message();
    first.kill();
    let second = server.spawn_command(
        other_build(&scratch, "run t.toml --out many"),
        &scratch,
        "run.log",
    );
    until("the old one is turned away", || {
        log(&scratch, "old.log").contains("not the same file")
    });
    let work = "work --jobs 1 --oversubscribe --name new";
    let _new = server.spawn_command(other_build(&scratch, work), &scratch, "new.log");
    ends_with(&scratch, &second, &expected);
    drop(old);
}

#[test]
fn more_deals_are_played_by_those_who_are_there() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 8");
    let _workers = workers(&server, &scratch);
    ends_with(&scratch, &coordinator(&server, &scratch), &expected);
    scratch.printed("extend alone --deals 40");
    scratch.printed("run -q alone");
    scratch.printed("extend many --deals 40");
    let second = server.spawn(&scratch, "run many", "run.log");
    ends_with(&scratch, &second, &scratch.printed("export alone"));
}
