//! Checks of Python bots.

use arena_tests::{Scratch, python_bot};
use serde_json::Value;

use super::grade::UNPROVEN;
use super::{FAILED, PASSED, QUICK, checked, shows};

/// Checks the Python sample with one part replaced.
pub fn python(old: &str, new: &str, code: Option<i32>, parts: &[&str]) {
    python_with(&[(old, new)], code, parts);
}

/// Checks the Python sample with several parts replaced.
fn python_with(changes: &[(&str, &str)], code: Option<i32>, parts: &[&str]) {
    let scratch = Scratch::new();
    let mut bot = std::fs::read_to_string(python_bot("first_bot.py")).unwrap();
    for (old, new) in changes {
        assert!(bot.contains(old), "{old}");
        bot = bot.replace(old, new);
    }
    scratch.write("bot.py", &bot);
    shows(
        &checked(&scratch, QUICK, &["python3", "bot.py"]),
        code,
        parts,
    );
}

#[test]
fn the_first_bot_passes_every_step() {
    let bot = python_bot("first_bot.py");
    let scratch = Scratch::new();
    let mut check = scratch.command("check --matches-each 1 --move-ms 10000 --json -- python3");
    let output = check.arg(&bot).output().unwrap();
    assert_eq!(
        output.status.code(),
        PASSED,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["passed"], true);
    let report = &report["bots"][0];
    let steps = report["steps"].as_array().unwrap();
    let not_ok: Vec<&Value> = steps.iter().filter(|step| step["mark"] != "ok").collect();
    // On some machines, the shim of a version manager causes a warning.
    assert!(
        not_ok
            .iter()
            .all(|step| step["number"] == 1 && step["mark"] == "warning"),
        "{not_ok:?}"
    );
    let games: Vec<&Value> = report["timing"]
        .as_array()
        .unwrap()
        .iter()
        .map(|timing| &timing["game"])
        .collect();
    assert_eq!(games, ["coda", "code-777", "crack-the-code", "digit-code"]);
}

/// Checks a line that is printed first, but not flushed, and therefore arrives together with `ready`.
#[test]
fn a_line_that_python_prints_before_ready_is_quoted_with_its_place() {
    let first = "for line in sys.stdin:";
    let banner = format!("print(\"Loading…\")\n{first}");
    python(
        first,
        &banner,
        FAILED,
        &[
            "debug text on standard output",
            "the bot wrote: | Loading… help",
            super::start::PLACE,
            "file=sys.stderr",
        ],
    );
}

#[test]
fn bots_in_python_that_end_too_early() {
    python(
        "body[\"prompt\"]",
        "body[\"promt\"]",
        FAILED,
        &["its log says: KeyError: 'promt'", "Traceback"],
    );
    let quits = "    elif kind == \"end\":\n        sys.exit()\n    elif kind == \"error\"";
    python(
        "    elif kind == \"error\"",
        quits,
        PASSED,
        &[
            "its process ended between two matches",
            "This bot is ready for tournaments",
        ],
    );
    python(
        "    elif kind == \"error\"",
        &quits.replace("sys.exit()", "raise KeyError(\"ratings\")"),
        PASSED,
        &[
            "its process ended between two matches: it exited with code 1",
            "See the warnings before this bot plays a tournament",
        ],
    );
}

#[test]
fn answers_of_bots_in_python_that_do_not_come_in_time() {
    python(
        "flush=True)\n    elif kind == \"error\"",
        ")\n    elif kind == \"error\"",
        FAILED,
        &[
            "but did as soon as its input was closed",
            "print(…, flush=True), or start it with python3 -u",
        ],
    );
    python(
        "    elif kind == \"turn\":",
        "    elif kind == \"turn\":\n        import time; time.sleep(0.6)",
        FAILED,
        &["too slow: it took", "the limit is 300 ms"],
    );
    python(
        "    elif kind == \"turn\":",
        "    elif kind == \"turn\":\n        while True: pass",
        FAILED,
        &["of which it computed", "look for an endless loop"],
    );
}

#[test]
fn a_bot_that_mixes_up_its_matches() {
    let offers = "{\"name\": \"first bot\", \"matches\": 3}";
    python(
        "{\"name\": \"first bot\"}",
        offers,
        PASSED,
        &["coda, 3 matches at once"],
    );
    // This bot remembers only the latest match, and answers no turns of other matches.
    let forgets = (
        "    elif kind == \"turn\":",
        "    elif kind == \"turn\" and body[\"match\"] == now:",
    );
    python_with(
        &[
            ("{\"name\": \"first bot\"}", offers),
            (
                "        chance = random",
                "        now = body[\"match\"]\n        chance = random",
            ),
            forgets,
        ],
        FAILED,
        &["3 matches at once FAILED", "One match at a time went well"],
    );
}

#[test]
fn a_bot_that_fails_loses_in_its_grade() {
    let scratch = Scratch::new();
    let bot = std::fs::read_to_string(python_bot("first_bot.py")).unwrap();
    // The bot fails only in its seventh match, which no step plays.
    let fails = "    elif kind == \"turn\":\n        assert body[\"match\"] != 7";
    scratch.write("bot.py", &bot.replace("    elif kind == \"turn\":", fails));
    let flags = "check --game coda --seats 2 --matches-each 2 --move-ms 10000 --seed 1 --deals 10 --beats random --json";
    let output = scratch
        .command(flags)
        .args(["python3", "bot.py"])
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (grade, steps) = (
        &report["bots"][0]["grade"],
        report["bots"][0]["steps"].as_array().unwrap(),
    );
    assert!(
        grade["forfeits"].as_u64().unwrap() > 0 && grade["deals"] == 10,
        "{report}"
    );
    let what = steps.last().unwrap()["findings"][0]["what"]
        .as_str()
        .unwrap();
    assert!(
        what.starts_with("forfeited ") && what.contains("the first (crash): exited with code 1"),
        "{what}"
    );
    assert_eq!(
        (output.status.code(), &report["passed"]),
        (UNPROVEN, &true.into()),
        "{report}"
    );
}
