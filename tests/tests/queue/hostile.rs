//! Workers that mean ill, or are broken, and what they send: real servers and coordinators, and workers that the test plays itself.

use std::fs;
use std::io;

use arena_tests::fake_worker::{FakeWorker, Match, Sent, Tap, with_matches};
use arena_tests::many::{Scene, coordinator, ends_with, hello, says};
use arena_tests::nats::{Running, Server, log};
use arena_tests::{Scratch, until};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The status of a fake worker that has these units.
fn status(hello: &Value, holding: &[String]) -> Vec<u8> {
    let status = json!({"worker": hello["worker"], "hello": hello, "holding": holding, "given_back": [],
        "languages": [], "leaves": false});
    status.to_string().into_bytes()
}

#[test]
fn a_unit_is_taken_from_whoever_never_ends_it() {
    let Some(Scene {
        scratch,
        server,
        expected,
    }) = Scene::new("deals = 80")
    else {
        return;
    };
    let hello = hello(&server, &scratch);
    let coordinator = coordinator(&server, &scratch, "--unit-timeout 10 --recheck 0");
    let silent = FakeWorker::join(&server.url(), &hello, "silent");
    let talking = FakeWorker::join(&server.url(), &hello, "talking");
    let (one, other) = (silent.take(), talking.take());
    let holding = [format!("{:016x}", other.order["key"].as_u64().unwrap())];
    until("both are overdue", || {
        silent.progress(&one);
        talking.progress(&other);
        talking.say_status(status(&talking.hello, &holding));
        let said = log(&scratch, "run.log");
        said.contains("a worker without a name has had deal")
            && said.contains("worker talking has had deal")
    });
    let _worker = server.worker(&scratch, "good");
    ends_with(&scratch, coordinator, &expected);
}

#[test]
fn a_unit_that_nobody_gets_though_somebody_could_is_put_there_again() {
    let Some(Scene {
        scratch,
        server,
        expected,
    }) = Scene::new("deals = 80")
    else {
        return;
    };
    let hello = hello(&server, &scratch);
    let mut coordinator = coordinator(&server, &scratch, "--recheck 0");
    // As if the server kept it from everybody.
    let kept = FakeWorker::join(&server.url(), &hello, "kept");
    let unit = kept.take();
    let _worker = server.worker(&scratch, "good");
    until("all is played", || {
        kept.progress(&unit);
        coordinator.has_ended()
    });
    ends_with(&scratch, coordinator, &expected);
}

/// The first result of a real worker, which plays the whole tournament.
fn real_result(server: &Server, scratch: &Scratch, expected: &str) -> Sent {
    let mut results = Tap::on(&server.url(), "arena.*.result.*.*");
    let _worker = server.worker(scratch, "first");
    ends_with(scratch, coordinator(server, scratch, ""), expected);
    fs::remove_dir_all(scratch.path().join("many")).unwrap();
    results.result()
}

/// Changes something of a result.
type Forge = fn(&mut Value, &mut Vec<Match>);

/// What a worker may have forged, and what is said of it.
const FORGED: &[(&str, Forge, &str)] = &[
    (
        "record",
        |_, all| {
            of_record(all, |record| {
                drop(record["replies"].as_array_mut().unwrap().pop());
            });
        },
        "stops before",
    ),
    (
        "seat",
        |_, all| of_record(all, |record| record["replies"][0][0] = json!(200)),
        "seat 200",
    ),
    (
        "seats",
        |_, all| of_record(all, |record| record["seats"] = json!(1_000_000)),
        "not 1000000",
    ),
    (
        "no-json",
        |_, all| set(&mut all[0], "record", &json!("{")),
        "cannot be read",
    ),
    ("deal", |_, all| another_deal(all), "another deal"),
    ("verdict", |_, all| won(all), "the ledger stores"),
    ("few", |_, all| drop(all.pop()), "23 of 24 matches"),
    ("doubled", |_, all| all[1] = all[0].clone(), "a match twice"),
    (
        "stranger",
        |_, all| set(&mut all[0], "bots", &json!(["nobody", "p"])),
        "not to be played",
    ),
    (
        "ghost",
        |_, all| set(&mut all[0], "frozen", &json!([200])),
        "a seat that does not exist",
    ),
    (
        "unplayed",
        |report, _| report["unplayed"] = json!(["", ""]),
        "24 of 24 matches",
    ),
    ("empty", |_, all| all.clear(), "0 of 24 matches"),
];

fn set(one: &mut Match, key: &str, value: &Value) {
    one.insert(
        key.to_owned(),
        RawValue::from_string(value.to_string()).unwrap(),
    );
}

/// Changes the first record.
fn of_record(all: &mut [Match], change: impl FnOnce(&mut Value)) {
    let text: String = serde_json::from_str(all[0]["record"].get()).unwrap();
    let mut record: Value = serde_json::from_str(&text).unwrap();
    change(&mut record);
    set(&mut all[0], "record", &json!(record.to_string()));
}

/// The record and the verdict of the same bots on another deal.
fn another_deal(all: &mut [Match]) {
    let text = |one: &Match, key: &str| one[key].get().to_owned();
    let is_other = |other: &&Match| {
        text(other, "bots") == text(&all[0], "bots") && text(other, "deal") != text(&all[0], "deal")
    };
    let other = all.iter().find(is_other).unwrap().clone();
    all[0].extend(["record", "verdict"].map(|key| (key.to_owned(), other[key].clone())));
}

/// A verdict with other points.
fn won(all: &mut [Match]) {
    let mut verdict: Value = serde_json::from_str(all[0]["verdict"].get()).unwrap();
    verdict["outcome"]["seats"][0]["points"] = json!(77);
    set(&mut all[0], "verdict", &verdict);
}

/// A worker of this name sends a result as if it came of deals that it was given.
fn send(
    server: &Server,
    hello: &Value,
    name: &str,
    deals: &Value,
    body: impl FnOnce(Value, &FakeWorker) -> Vec<u8>,
) {
    let fake = FakeWorker::join(&server.url(), hello, name);
    let epoch = fake.take().order["epoch"].clone();
    let report = fake.report(deals, &epoch);
    fake.send(body(report, &fake));
}

/// A coordinator whose memory is looked at.
fn most_memory(coordinator: &Running) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", coordinator.0.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_worker_that_sends_forged_results_is_excluded_where_its_name_is_proved() {
    let Some(Scene {
        scratch,
        server,
        expected,
    }) = Scene::guarded("deals = 80")
    else {
        return;
    };
    let hello = hello(&server, &scratch);
    let real = real_result(&server, &scratch, &expected);
    let deals = real.report["deals"].clone();
    let coordinator = coordinator(&server, &scratch, "--recheck 0");
    for (name, forge, why) in FORGED {
        send(&server, &hello, name, &deals, |mut report, _| {
            let mut matches = real.matches.clone();
            forge(&mut report, &mut matches);
            with_matches(&report, &matches)
        });
        says(
            &scratch,
            &format!("worker {name} is excluded: its results failed verification"),
        );
        let said = log(&scratch, "run.log");
        assert!(
            said.lines()
                .any(|line| line.contains(&format!("worker {name} is excluded"))
                    && line.contains(why)),
            "{said}"
        );
    }
    let refused = FakeWorker::join(&server.url(), &hello, "honest").offer_as("few", &hello);
    assert!(
        refused.unwrap()["refused"]
            .as_str()
            .unwrap()
            .contains("excluded: its results failed verification")
    );
    let _workers = [
        server.worker(&scratch, "good"),
        server.worker(&scratch, "better"),
    ];
    ends_with(&scratch, coordinator, &expected);
}

#[test]
fn what_cannot_be_read_or_found_harms_nobody() {
    let Some(Scene {
        scratch,
        server,
        expected,
    }) = Scene::new("deals = 80")
    else {
        return;
    };
    let hello = hello(&server, &scratch);
    let real = real_result(&server, &scratch, &expected);
    let deals = real.report["deals"].clone();
    let coordinator = coordinator(&server, &scratch, "--recheck 0");
    let fake = FakeWorker::join(&server.url(), &hello, "vandal");
    let epoch = fake.take().order["epoch"].clone();
    let report = |change: fn(&mut Value)| {
        let mut report = fake.report(&deals, &epoch);
        change(&mut report);
        with_matches(&report, &real.matches)
    };
    let unread = |text: &str| [text.as_bytes(), b"\n", &[7; 99][..]].concat();
    fake.send(b"\x1b[2J no newline".to_vec());
    fake.send(Vec::new());
    fake.send(unread("{\"plan\":\"\u{1b}[31m\"}"));
    fake.send(report(|report| report["deals"] = json!([])));
    fake.send(report(|report| report["deals"] = json!([0])));
    fake.send(report(|report| report["deals"] = json!([u32::MAX])));
    fake.send(report(|report| report["deals"] = json!([32, 1])));
    fake.send(report(|report| report["deals"] = json!([3, 3])));
    fake.send(report(|report| report["key"] = json!("\u{1b}]0;x")));
    fake.send(report(|report| {
        report["news"] = json!(vec!["\u{1b}[2J".repeat(1000); 50]);
    }));
    // Nobody knows this one.
    fake.send_as("unknown", [report(|_| ()), b"x".to_vec()].concat());
    let mut lost = fake.report(&deals, &epoch);
    for object in ["0".repeat(64), fake.bundles()[0].clone(), "../x y".into()] {
        lost["object"] = json!(object);
        fake.send(with_matches(&lost, &json!([])));
    }
    says(&scratch, "was lost on the way");
    send(&server, &hello, "bomber", &deals, |report, _| bomb(&report));
    says(
        &scratch,
        "a result under the name bomber was dropped: a result that cannot be read",
    );
    if let Some(kib) = most_memory(&coordinator) {
        assert!(kib < 1_500_000, "the coordinator took {kib} KiB");
    }
    let _workers = [
        server.worker(&scratch, "good"),
        server.worker(&scratch, "better"),
    ];
    ends_with(&scratch, coordinator, &expected);
    is_clean(&scratch);
}

/// A result that would be 2 GiB long.
fn bomb(report: &Value) -> Vec<u8> {
    let mut packed = zstd::Encoder::new(Vec::new(), 1).unwrap();
    io::copy(&mut io::Read::take(io::repeat(0), 2 << 30), &mut packed).unwrap();
    [
        report.to_string().into_bytes(),
        b"\n".to_vec(),
        packed.finish().unwrap(),
    ]
    .concat()
}

/// Nothing that was said acts on a terminal.
fn is_clean(scratch: &Scratch) {
    let said = log(scratch, "run.log");
    assert!(
        !said.chars().any(|c| c.is_control() && c != '\n'),
        "{said:?}"
    );
    assert!(
        said.lines().all(|line| line.chars().count() < 1_000),
        "{said}"
    );
}

#[test]
fn a_flood_of_offers_and_statuses_changes_nothing() {
    let Some(Scene {
        scratch,
        server,
        expected,
    }) = Scene::new("deals = 80")
    else {
        return;
    };
    let hello = hello(&server, &scratch);
    let coordinator = coordinator(&server, &scratch, "--recheck 0");
    let fake = FakeWorker::join(&server.url(), &hello, "flood");
    let with = |change: &dyn Fn(&mut Value)| {
        let mut hello = hello.clone();
        change(&mut hello);
        hello
    };
    let unsound = [
        with(&|hello| hello["jobs"] = json!(u64::MAX)),
        with(&|hello| hello["cores"] = json!(0)),
        with(&|hello| hello["best"] = json!("y".repeat(100_000))),
        with(&|hello| hello["build"]["version"] = json!("z".repeat(100_000))),
        with(&|hello| hello["build"]["rules"] = json!(vec![("a", 1); 1_000])),
    ];
    for hello in &unsound {
        assert!(fake.offer(hello).unwrap()["refused"].is_string(), "{hello}");
        fake.say_status(status(hello, &["0000000000000007".into()]));
    }
    let other = with(&|hello| hello["build"]["version"] = json!("\u{1b}[2J"));
    assert!(fake.offer(&other).unwrap()["refused"].is_string());
    for number in 0..2_000 {
        fake.shout("flood", vec![b'x'; number]);
        fake.shout(&format!("flood-{number}"), hello.to_string().into_bytes());
        fake.say_status(vec![b'{'; number]);
        fake.say("pulse", vec![b'['; number]);
    }
    let holding: Vec<String> = (1..20_000).map(|number| format!("{number:016x}")).collect();
    let mut loud: Value = serde_json::from_slice(&status(&fake.hello, &holding)).unwrap();
    loud["languages"] = json!(vec!["\u{1b}[31m".repeat(200); 100]);
    fake.say_status(loud.to_string().into_bytes());
    let _workers = [
        server.worker(&scratch, "good"),
        server.worker(&scratch, "better"),
    ];
    ends_with(&scratch, coordinator, &expected);
    is_clean(&scratch);
}

#[test]
fn nobody_is_shut_out_by_what_another_sends_under_its_name() {
    let Some(Scene {
        scratch,
        server,
        expected,
    }) = Scene::new("deals = 400")
    else {
        return;
    };
    let hello = hello(&server, &scratch);
    let mut results = Tap::on(&server.url(), "arena.*.result.*.*");
    let coordinator = coordinator(&server, &scratch, "--recheck 0");
    let fake = FakeWorker::join(&server.url(), &hello, "liar");
    let _honest = [
        server.worker(&scratch, "honest"),
        server.worker(&scratch, "other"),
    ];
    let real = results.result();
    for name in ["honest", "liar"] {
        let mut report = fake.report(&real.report["deals"], &real.report["epoch"]);
        report["worker"] = json!("honest");
        fake.send_as(name, with_matches(&report, &json!([])));
        says(
            &scratch,
            &format!("a result under the name {name} was dropped: 0 of 24 matches"),
        );
    }
    // An honest worker that has nothing says that it was given these.
    let mut unplayed = fake.report(&real.report["deals"], &real.report["epoch"]);
    unplayed["unplayed"] = json!(vec!["match d1/p/random: no"; 24]);
    fake.send(with_matches(&unplayed, &json!([])));
    ends_with(&scratch, coordinator, &expected);
    assert!(
        !log(&scratch, "run.log").contains("excluded"),
        "{}",
        log(&scratch, "run.log")
    );
}

#[test]
fn what_one_worker_cannot_play_another_does() {
    let Some(Scene {
        scratch,
        server,
        expected,
    }) = Scene::new("deals = 40")
    else {
        return;
    };
    let hello = hello(&server, &scratch);
    let coordinator = coordinator(&server, &scratch, "--recheck 0");
    let fake = FakeWorker::join(&server.url(), &hello, "idle");
    let _good = server.worker(&scratch, "good");
    says(&scratch, "worker     good");
    let order = fake.take().order;
    let shown: Vec<&String> = order.as_object().unwrap().keys().collect();
    assert_eq!(
        shown,
        ["deals", "epoch", "key", "meetings", "not_for", "plan"]
    );
    let mut report = fake.report(&order["deals"], &order["epoch"]);
    report["key"] = order["key"].clone();
    let deals: Vec<u64> = serde_json::from_value(order["deals"].clone()).unwrap();
    report["unplayed"] = deals
        .iter()
        .flat_map(|deal| vec![json!(format!("match d{deal}/x: no")); 6])
        .collect();
    fake.send(with_matches(&report, &json!([])));
    ends_with(&scratch, coordinator, &expected);
}
