//! The coordinator's handling of results that break the rules, are unreadable, or contain no matches.

use std::fs;

use arena_tests::Scratch;
use arena_tests::fake_worker::{FakeWorker, Object, Tap, raw};
use arena_tests::many::{Scene, coordinator, ends_with, says};
use arena_tests::nats::{Server, log};
use arena_tests::process::Child;
use serde_json::{Value, json};

#[test]
fn a_unit_that_nobody_gets_though_somebody_could_is_put_there_again() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 80");
    let coordinator = coordinator(&server, &scratch);
    // Simulates a server that never delivers this unit.
    let kept = FakeWorker::join(&server.url(), "kept");
    let unit = kept.take();
    let _worker = server.worker(&scratch, "good");
    arena_tests::until("all is played", || {
        kept.progress(&unit);
        coordinator.has_ended()
    });
    ends_with(&scratch, &coordinator, &expected);
}

/// Returns the matches of a real worker's first result. The worker plays the complete tournament.
fn real_matches(server: &Server, scratch: &Scratch, expected: &str) -> Vec<Object> {
    let mut results = Tap::on(&server.url(), "arena.*.result");
    let _worker = server.worker(scratch, "first");
    ends_with(scratch, &coordinator(server, scratch), expected);
    fs::remove_dir_all(scratch.path().join("many")).unwrap();
    serde_json::from_str(results.result()["matches"].get()).unwrap()
}

/// Changes to the matches of a result.
type Forge = fn(&mut [Object]);

/// Forged results of a broken worker, and the resulting messages.
const FORGED: &[(&str, Forge, &str)] = &[
    (
        "record",
        |all| {
            of_record(all, |record| {
                drop(record["replies"].as_array_mut().unwrap().pop());
            });
        },
        "stops before",
    ),
    (
        "seat",
        |all| of_record(all, |record| record["replies"][0][0] = json!(200)),
        "seat 200",
    ),
    (
        "seats",
        |all| of_record(all, |record| record["seats"] = json!(1_000_000)),
        "not 1000000",
    ),
    (
        "no-json",
        |all| set(&mut all[0], "record", &json!("{")),
        "cannot be read",
    ),
    ("deal", another_deal, "another deal"),
    ("verdict", won, "the ledger stores"),
    ("doubled", |all| all[1] = all[0].clone(), "is not planned"),
    (
        "stranger",
        |all| set(&mut all[0], "bots", &json!(["nobody", "p"])),
        "is not planned",
    ),
];

fn set(one: &mut Object, key: &str, value: &Value) {
    one.insert(key.to_owned(), raw(value));
}

/// Changes the first record.
fn of_record(all: &mut [Object], change: impl FnOnce(&mut Value)) {
    let mut record: Value = serde_json::from_str(all[0]["record"].get()).unwrap();
    change(&mut record);
    set(&mut all[0], "record", &record);
}

/// Replaces the record and the verdict with those of the same bots on another deal.
fn another_deal(all: &mut [Object]) {
    let text = |one: &Object, key: &str| one[key].get().to_owned();
    let is_other = |other: &&Object| {
        text(other, "bots") == text(&all[0], "bots") && text(other, "deal") != text(&all[0], "deal")
    };
    let other = all.iter().find(is_other).unwrap().clone();
    all[0].extend(["record", "verdict"].map(|key| (key.to_owned(), other[key].clone())));
}

/// Changes the points of a verdict.
fn won(all: &mut [Object]) {
    let mut verdict: Value = serde_json::from_str(all[0]["verdict"].get()).unwrap();
    verdict["outcome"]["seats"][0]["points"] = json!(77);
    set(&mut all[0], "verdict", &verdict);
}

#[test]
fn what_the_rules_refuse_is_dropped_and_played_again() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 80");
    let real = real_matches(&server, &scratch, &expected);
    let coordinator = coordinator(&server, &scratch);
    for (name, forge, why) in FORGED {
        let fake = FakeWorker::join(&server.url(), name);
        let mut matches = real.clone();
        forge(&mut matches);
        fake.send_matches(&fake.report(&json!([])), &matches);
        says(
            &scratch,
            &format!("warning: a result of worker {name} was dropped: "),
        );
        let said = log(&scratch, "run.log");
        let is_told = |line: &str| line.contains(&format!("worker {name} ")) && line.contains(why);
        assert!(said.lines().any(is_told), "{name}: {said}");
    }
    let _good = server.worker(&scratch, "good");
    ends_with(&scratch, &coordinator, &expected);
}

#[test]
fn what_cannot_be_read_harms_nobody() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 80");
    let coordinator = coordinator(&server, &scratch);
    let fake = FakeWorker::join(&server.url(), "vandal");
    for bytes in [&b"\x1b[2J"[..], b"", b"{}"] {
        fake.send_bytes(bytes.to_vec());
        fake.say("status", bytes.to_vec());
        fake.say("pulse", bytes.to_vec());
    }
    fake.send(&json!({"worker": "\u{1b}[31m"}));
    says(&scratch, "a result that cannot be read was dropped");
    for deals in [json!([]), json!([0]), json!([u32::MAX]), json!([3, 1])] {
        let mut report = fake.report(&deals);
        report["news"] = json!(["\u{1b}[2J"]);
        fake.send(&report);
    }
    let _good = server.worker(&scratch, "good");
    ends_with(&scratch, &coordinator, &expected);
    let said = log(&scratch, "run.log");
    assert!(
        !said.chars().any(|c| c.is_control() && c != '\n'),
        "{said:?}"
    );
}

/// Asserts that the coordinator ends and reports matches without a result, which the next run plays.
fn ends_without(scratch: &Scratch, coordinator: &Child, why: &str, expected: &str) {
    assert_eq!(coordinator.code(), Some(1), "{}", log(scratch, "run.log"));
    let said = log(scratch, "run.log");
    assert!(said.contains(why), "{said}");
    scratch.printed("run -q many");
    assert_eq!(scratch.printed("export many"), expected);
}

#[test]
fn a_unit_whose_results_the_rules_refuse_again_and_again_is_given_up() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 40");
    let real = real_matches(&server, &scratch, &expected);
    let coordinator = coordinator(&server, &scratch);
    let fake = FakeWorker::join(&server.url(), "broken");
    let unit = fake.take();
    let mut matches = real;
    set(&mut matches[0], "record", &json!("{"));
    let report = fake.report(&unit.order["deals"]);
    (0..3).for_each(|_| fake.send_matches(&report, &matches));
    let _good = server.worker(&scratch, "good");
    ends_without(
        &scratch,
        &coordinator,
        "workers sent moves that the rules do not allow",
        &expected,
    );
}

#[test]
fn matches_without_a_result_are_told_and_played_by_the_next_run() {
    let Scene {
        scratch,
        server,
        expected,
    } = Scene::new("deals = 40");
    let coordinator = coordinator(&server, &scratch);
    let fake = FakeWorker::join(&server.url(), "busy");
    let unit = fake.take();
    let mut report = fake.report(&unit.order["deals"]);
    report["unplayed"] = json!(["match d1/p/random: the machine was too busy"]);
    fake.send(&report);
    let _good = server.worker(&scratch, "good");
    ends_without(
        &scratch,
        &coordinator,
        "the machine was too busy",
        &expected,
    );
}
