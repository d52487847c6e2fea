//! `arena tune` fixes a bad parameter, does not claim a gain for one without effect, and gives the same result whatever interrupts it.

use std::fs;
use std::process::Stdio;

use arena_engine::chance::Seed;
use arena_tests::{Scratch, arena};
use serde_json::Value;

/// Returns a tuning file for a few deals of two seats, whose parameter has no effect. These lines come before its tables.
pub fn idle(more: &str) -> String {
    let head = format!(
        "deals = 1\nseed = 7\nisolation = 'off'\noversubscribe = true\n{more}\n[rules]\nrounds = 1\n"
    );
    let number = "[[tune]]\nname = 'idle'\nfrom = 1\nto = 4\nstart = 4\n";
    let bot = format!(
        "[[bots]]\nname = 'mine'\ncommand = '{} bot random'\nenv = {{ IDLE = '{{idle}}' }}\n",
        arena().display()
    );
    format!("{head}{number}[[bots]]\nname = 'other'\nbuiltin = 'random'\n{bot}")
}

fn json(scratch: &Scratch, file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(scratch.path().join(file)).unwrap()).unwrap()
}

#[cfg(feature = "all")]
#[test]
fn a_wrong_number_is_found_and_the_gain_is_shown() {
    let scratch = Scratch::new();
    fs::copy(
        arena_tests::root().join("tests/bots/tunable_coda.py"),
        scratch.path().join("bot.py"),
    )
    .unwrap();
    let number = "[[tune]]\nname = 'aim'\nfrom = 0.0\nto = 1.0\nstart = 0.1\n";
    let mine = "[[bots]]\nname = 'mine'\ncommand = 'python3 bot.py --aim={aim}'\n[[bots]]\nname = 'other'\ncommand = 'python3 bot.py'\n";
    let file = idle("").replace("idle", "aim");
    let (head, _) = file.split_once("[[tune]]").unwrap();
    scratch.write("mine.toml", &format!("{head}{number}{mine}"));
    let text = scratch.printed("tune --trust mine.toml -q");
    assert!(
        text.contains("gained: the tuned setting is better than the first"),
        "{text}"
    );
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let found = json(&scratch, "mine/tuning.json");
    let (end, first) = (&found["end"], &found["generations"][0]["settings"]);
    assert_eq!(
        (end["verdict"].as_str(), end["deals"].as_u64()),
        (Some("gained"), Some(500)),
        "{found}"
    );
    assert_eq!(
        (first.as_array().map(Vec::len), &first[0]["values"][0]),
        (Some(16), &0.1.into()),
        "{found}"
    );
    assert!(
        end["difference"][1].as_f64() > Some(0.1) && end["is_far"] == true,
        "{found}"
    );
    assert!(
        (end["settings"][1]["values"][0].as_f64().unwrap() - 0.6).abs() < 0.25,
        "{found}"
    );
    let chart = fs::read_to_string(scratch.path().join("mine/tuning.svg")).unwrap();
    assert!(
        chart.contains("\naim\n") && chart.matches("<polyline").count() > 3,
        "{chart}"
    );
    // A generation is an ordinary tournament; its settings are in its file.
    assert_eq!(
        scratch.standings("mine/generation-01")["played"].as_u64(),
        Some(320)
    );
    assert!(
        fs::read_to_string(scratch.path().join("mine/end/tournament.toml"))
            .unwrap()
            .contains("--aim=0.1")
    );
    scratch.printed("verify mine/end");
    fs::write(scratch.path().join("bot.py"), "# another one").unwrap();
    let kept = scratch.arena("tune --trust mine -q");
    let said = String::from_utf8(kept.stderr).unwrap();
    assert!(
        kept.status.success() && said.contains("the old version plays on"),
        "{said}"
    );
    let why = scratch.refused("tune --trust mine.toml -q");
    assert!(why.contains("have changed since the tuning began"), "{why}");
}

#[test]
fn jobs_kills_and_ways_to_go_on_change_nothing() {
    let scratch = Scratch::new();
    scratch.write("one.toml", &idle("name = 'same'\njobs = 1"));
    scratch.write("two.toml", &idle("name = 'same'\njobs = 2"));
    let whole = scratch.printed("tune --trust one.toml -q");
    assert!(
        whole.contains("they played alike") || whole.contains("no gain shown"),
        "{whole}"
    );
    let mut chance = Seed::try_from(11).unwrap().stream("kills", 0);
    for round in 0..8 {
        let words = if round % 2 == 0 {
            "tune --trust two.toml -q"
        } else {
            "tune --trust one.toml -q --out two"
        };
        let child = scratch
            .command(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.until_written(chance.below(400_000).into());
        child.kill();
    }
    assert_eq!(whole, scratch.printed("tune --trust two.toml -q"));
    assert_eq!(
        whole,
        scratch.printed("tune --trust two -q"),
        "the folder goes on as well"
    );
    assert_eq!(
        json(&scratch, "one/tuning.json"),
        json(&scratch, "two/tuning.json")
    );
    for part in ["generation-01", "end"] {
        let [one, two] = ["one", "two"].map(|dir| scratch.printed(&format!("export {dir}/{part}")));
        assert!(one == two, "{part}");
    }
    let points = |file: &str| fs::read(scratch.path().join(file)).unwrap();
    assert!(points("one/tuning.svg") == points("two/tuning.svg"));
}

#[test]
fn interrupted_it_says_how_to_go_on() {
    let scratch = Scratch::new();
    scratch.write("t.toml", &idle("").replace("deals = 1", "deals = 1000000"));
    let child = scratch
        .command("tune --trust t.toml -q --json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let is_playing = || {
        scratch
            .arena("show t/generation-01 --json")
            .status
            .success()
            && scratch.standings("t/generation-01")["played"].as_u64() > Some(0)
    };
    arena_tests::until("the first matches", is_playing);
    scratch.printed("stop t/generation-01");
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("continue   arena tune t"), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        found["end"].is_null() && found["generations"] == serde_json::json!([]),
        "{found}"
    );
}

#[test]
fn a_field_of_several_bots_is_met_at_tables_of_three() {
    let scratch = Scratch::new();
    let more = "[[bots]]\nname = 'third'\nbuiltin = 'random'\n[[bots]]\nname = 'fourth'\nbuiltin = 'random'\n";
    scratch.write(
        "t.toml",
        &(idle("seats = 3\nseatings = 'rotations'") + more),
    );
    scratch.printed("tune --trust t.toml -q --json");
    let found = json(&scratch, "t/tuning.json");
    assert_eq!(
        found["field"],
        serde_json::json!(["other", "third", "fourth"])
    );
    assert_eq!(
        scratch.standings("t/end")["played"].as_u64(),
        Some(500 * 2 * 3 * 3),
        "two settings, three pairs of opponents, three seatings"
    );
    let score = found["end"]["settings"][0]["score"].as_f64().unwrap();
    assert!((0.3..0.7).contains(&score), "{found}");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let scratch = Scratch::new();
    let refused = |change: [&str; 2], all: &[&str]| {
        assert!(idle("").contains(change[0]), "{change:?}");
        scratch.write("wrong.toml", &idle("").replacen(change[0], change[1], 1));
        let why = scratch.refused("tune --trust wrong.toml");
        all.iter()
            .for_each(|part| assert!(why.contains(part), "{change:?}: {why}"));
        assert!(
            !scratch.path().join("wrong").exists(),
            "nothing was started"
        );
    };
    refused(
        ["'{idle}'", "'{idel}'"],
        &[
            "there is no [[tune]] table named \"idel\"",
            "did you mean \"idle\"",
            "no bot uses \"idle\"",
            "wrong.toml:9:8",
        ],
    );
    refused(
        ["from = 1", "from = 4"],
        &["`to` must be above `from`, not 4", "wrong.toml:11:6"],
    );
    refused(
        ["start = 4", "start = 4.5"],
        &["`start` must be from 1 to 4, not 4.5", "wrong.toml:12:9"],
    );
    refused(
        ["start = 4", "scale = 'log'"],
        &["missing field `start`", "wrong.toml:8:1"],
    );
    refused(
        ["from = 1", "form = 1"],
        &[
            "there is no key \"form\"",
            "did you mean `from`?",
            "wrong.toml:10:1",
        ],
    );
    refused(
        ["from = 1", "scale = 'log'\nfrom = 0"],
        &["a log scale must begin above 0, not at 0"],
    );
    refused(
        ["from = 1", "from = 'a'"],
        &["this must be a number, not string \"a\"", "wrong.toml:10:8"],
    );
    refused(["from = 1", "from = nan"], &["wrong.toml:10:8"]);
    refused(
        ["'idle'", "'id-le'"],
        &["\"id-le\" is not a valid name for a number"],
    );
    refused(
        [
            "[[bots]]",
            "[[tune]]\nname = 'idle'\nfrom = 1\nto = 2\nstart = 1\n[[bots]]",
        ],
        &["two numbers are named \"idle\""],
    );
    refused(
        ["builtin = 'random'", "command = 'false {idle}'"],
        &["a second bot contains numbers to tune"],
    );
    scratch.write("t.toml", &idle(""));
    for words in [
        "run --trust t.toml",
        "plan --trust t.toml",
        "check --trust t.toml",
        "compare --trust mine other --file t.toml",
    ] {
        assert!(
            scratch.refused(words).contains("use arena tune t.toml"),
            "{words}"
        );
    }
    scratch.write(
        "plain.toml",
        "[[bots]]\nname = 'a'\nbuiltin = 'random'\n[[bots]]\nname = 'b'\nbuiltin = 'random'\n",
    );
    assert!(
        scratch
            .refused("tune --trust plain.toml")
            .contains("no [[tune]] tables: use arena run")
    );
    scratch.printed("tune --trust t.toml -q");
    scratch.write("t.toml", &idle("").replace("to = 4", "to = 5"));
    let why = scratch.refused("tune --trust t.toml");
    assert!(
        why.contains("holds another tuning")
            && why.contains("\"to\":4")
            && why.contains("\"to\":5"),
        "{why}"
    );
    scratch.write("named.toml", &idle("").replace("'other'", "'mine-01'"));
    assert!(
        scratch
            .refused("tune --trust named.toml")
            .contains("rename the bot mine-01")
    );
    assert!(
        scratch
            .refused("tune --trust t --deals 9")
            .contains("deals: 1 in the folder, 9 now")
    );
}
