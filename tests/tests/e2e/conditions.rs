//! What is one bot's alone: variables that it is passed, and its clock.

use std::fs;
use std::path::Path;

use arena_tests::Scratch;
use arena_tests::parts::has;
use arena_tests::sandbox::levels;

/// A key that must be found nowhere, with characters that JSON escapes.
const KEY: &str = "sk-\"planted\\key-7f3a";

/// A bot that gives its key away wherever it can say something, and then forfeits.
const CARELESS: &str = r#"
import json, os, sys
key = os.environ.get("API_KEY", "none")
print("the key is", key, file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        ready = {"name": key, "version": key}
    elif "turn" in message:
        for part in (key[:5], key[5:]):
            os.write(2, part.encode())
        turn = message["turn"]
        print(json.dumps({"id": turn["id"], "action": {key: key}, "note": key}), key, flush=True)
        continue
    else:
        continue
    print(json.dumps({"ready": ready}), flush=True)
"#;

/// True if bytes are found in a file below a folder.
fn found(folder: &Path, bytes: &[u8]) -> Option<String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find_map(|path| match path.is_dir() {
            true => found(&path, bytes),
            false => fs::read(&path)
                .unwrap()
                .windows(bytes.len())
                .any(|part| part == bytes)
                .then(|| path.display().to_string()),
        })
}

#[test]
fn a_key_that_is_passed_is_found_nowhere_afterwards() {
    if !has("python3") {
        return;
    }
    for level in levels() {
        let scratch = Scratch::new();
        scratch.write("bot.py", CARELESS);
        let bots = ["pass_env = ['API_KEY']", ""]
            .iter()
            .zip(["careless", "other"])
            .map(|(keys, name)| {
                format!("[[bots]]\nname = '{name}'\ncommand = 'python3 bot.py'\n{keys}\n")
            });
        let bots: String = bots.collect();
        scratch.write(
            "t.toml",
            &format!("isolation = '{level}'\ndeals = 2\nseed = 5\n{bots}"),
        );
        let mut said = Vec::new();
        for words in [
            "check --trust t.toml",
            "match --log-wire wire --bot b=builtin:random --bot",
            "run -q --trust --log-wire t.toml",
            "show t",
            "show t --json",
            "faults t",
            "faults t --json",
            "show t d1/careless/other --json",
            "report t",
            "export t matches",
            "export t moves",
            "repro t d1/careless/other careless",
        ] {
            let mut command = scratch.command(words);
            if words.starts_with("match") {
                command.arg("a=python3 bot.py");
            }
            let output = command.env("API_KEY", KEY).output().unwrap();
            said.extend([words.as_bytes(), &output.stdout, &output.stderr].concat());
        }
        scratch.write("said", &String::from_utf8_lossy(&said));
        let json = serde_json::to_string(KEY).unwrap();
        for bytes in [KEY, &json[1..json.len() - 1], "planted"] {
            assert_eq!(
                found(scratch.path(), bytes.as_bytes()),
                None,
                "{level}: {bytes}"
            );
        }
        let log = fs::read_to_string(scratch.path().join("t/logs/careless.log")).unwrap();
        assert!(log.contains("the key is [API_KEY]\n"), "{log}");
        let log = fs::read_to_string(scratch.path().join("t/logs/other.log")).unwrap();
        assert!(log.contains("the key is none\n"), "{log}");
        let said = String::from_utf8_lossy(&said);
        assert!(said.contains("\\\"note\\\": \\\"[API_KEY]\\\""), "{said}");
    }
}

#[test]
fn a_variable_that_is_passed_must_be_set() {
    let scratch = Scratch::new();
    let refused = scratch.refused("check --pass-env ARENA_NO_KEY sh bot.sh");
    assert!(
        refused.contains(
            "needs the variable ARENA_NO_KEY, which is not set here: export ARENA_NO_KEY=…"
        ),
        "{refused}"
    );
    scratch.write(
        "t.toml",
        "[[bots]]\nname = 'a'\nbuiltin = 'exact'\n[[bots]]\nname = 'b'\ncommand = 'sh'\npass_env = ['A=1']\n",
    );
    let refused = scratch.refused("run t.toml");
    assert!(
        refused.contains("t.toml:7:13") && refused.contains("write only the name of the variable"),
        "{refused}"
    );
}

#[test]
fn a_bot_has_its_own_clock_and_tables_say_so() {
    let scratch = Scratch::new();
    scratch.write("bot.sh", "while read -r line; do echo \"$line\" >&2; case $line in *hello*) echo '{\"ready\":{}}';; *turn*) exit;; esac; done");
    let bot = |name: &str, rest: &str| {
        format!("[[bots]]\nname = '{name}'\ncommand = 'sh bot.sh'\n{rest}\n")
    };
    let quick = "clock = { move_ms = 30000, bank_ms = 90000, increment_ms = 7 }";
    let file = |rest: &str| {
        format!(
            "deals = 1\nseed = 5\n{}{}",
            bot("slow", ""),
            bot("quick", rest)
        )
    };
    scratch.write("t.toml", &file(quick));
    scratch.arena("run -q t.toml");
    let log =
        |name: &str| fs::read_to_string(scratch.path().join(format!("t/logs/{name}.log"))).unwrap();
    assert!(
        log("slow").contains("\"clock\":{\"move_ms\":2000}"),
        "{}",
        log("slow")
    );
    assert!(
        log("quick").contains("\"clock\":{\"move_ms\":30000,\"bank_ms\":90000,\"increment_ms\":7}"),
        "{}",
        log("quick")
    );
    let shown = scratch.printed("show t");
    assert!(shown.contains("seed 5, time odds\n"), "{shown}");
    let odds = "time odds: quick has 30000 ms for a move, 90000 ms for all moves of a match and 7 ms more after each, 10000 ms to start";
    assert!(
        shown
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .contains(odds),
        "{shown}"
    );
    assert_eq!(
        scratch.standings("t")["time_odds"][0]["clock"]["bank_ms"],
        90_000
    );
    let compared = scratch.arena("compare --file t.toml slow quick --max-deals 1 -q");
    let compared = String::from_utf8(compared.stdout).unwrap();
    assert!(
        compared.contains("\ntime odds: quick has 30000 ms"),
        "{compared}"
    );
    let equal = [bot("slow", quick), bot("quick", quick)].concat();
    scratch.write("equal.toml", &format!("deals = 1\nseed = 5\n{equal}"));
    scratch.arena("run -q equal.toml");
    assert!(!scratch.printed("show equal").contains("time odds"));
    for (rest, why) in [
        (
            "clock = { move_ms = 1, thinking = 2 }",
            "there is no key \"thinking\"",
        ),
        (
            "clock = { increment_ms = 2 }",
            "`increment_ms` needs a `bank_ms`",
        ),
        ("clock = 5", "a table"),
    ] {
        scratch.write("t2.toml", &file(rest));
        let refused = scratch.refused("run t2.toml");
        assert!(
            refused.contains(why) && refused.contains("t2.toml:10:"),
            "{refused}"
        );
    }
    scratch.write("t.toml", &file(""));
    assert!(
        scratch
            .refused("run t.toml")
            .contains("bot quick: it has another clock")
    );
}
