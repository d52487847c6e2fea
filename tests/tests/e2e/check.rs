//! `arena check`: good bots pass every step, and what is wrong with a bad one is named, shown and explained.
#![cfg(unix)]

use arena_tests::parts::{has, has_bubblewrap};
use arena_tests::shell::{READY, answering};
use arena_tests::{Scratch, arena, python_bot};
use serde_json::Value;

/// The quickest check that plays matches.
const QUICK: &str = "check --game coda --seats 2 --matches-each 2 --move-ms 300 --start-ms 20000";

/// Checks a bot in that folder; returns the exit code and what was printed.
fn checked(scratch: &Scratch, flags: &str, bot: &[&str]) -> (Option<i32>, String) {
    let output = scratch.command(flags).arg("--").args(bot).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr),
    )
}

/// How a check is to end.
const PASSED: Option<i32> = Some(0);
const FAILED: Option<i32> = Some(1);
const WRONG: Option<i32> = Some(2);

/// Checks a bot in shell; all parts must be in what is printed, where line breaks do not count.
fn shell(script: &str, code: Option<i32>, parts: &[&str]) {
    let scratch = Scratch::new();
    scratch.write("bot.sh", script);
    shows(&checked(&scratch, QUICK, &["sh", "bot.sh"]), code, parts);
}

/// Checks the sample in Python with a part replaced.
fn python(old: &str, new: &str, code: Option<i32>, parts: &[&str]) {
    python_with(&[(old, new)], code, parts);
}

/// Checks the sample in Python with some parts replaced.
fn python_with(changes: &[(&str, &str)], code: Option<i32>, parts: &[&str]) {
    if !has("python3") {
        return;
    }
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

fn shows((found, said): &(Option<i32>, String), code: Option<i32>, parts: &[&str]) {
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(flat.contains(part), "{part:?} is not in:\n{said}");
    }
    assert_eq!(*found, code, "{said}");
}

#[test]
fn our_own_bot_passes_every_step_in_every_game() {
    let scratch = Scratch::new();
    let bot = [arena().to_str().unwrap(), "bot", "random", "--matches", "4"];
    let (code, said) = checked(&scratch, "check --matches-each 1 --move-ms 10000", &bot);
    assert_eq!(code, PASSED, "{said}");
    for part in [
        "coda, 4 seats",
        "code-777, other rules",
        "crack-the-code, 4 matches at once",
        "digit-code, 5 seats",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(
        said.contains("This bot is ready for tournaments") && !said.contains("FAILED"),
        "{said}"
    );
}

#[test]
fn the_first_bot_passes_every_step() {
    if has("python3") {
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
        // The shim of a version manager is worth a warning on some machines.
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
}

#[test]
fn a_program_that_cannot_be_started() {
    let scratch = Scratch::new();
    scratch.write("plain.py", "print()");
    let try_one =
        |bot: &[&str], parts: &[&str]| shows(&checked(&scratch, QUICK, bot), FAILED, parts);
    try_one(
        &["no-such-program"],
        &[
            "there is no program no-such-program",
            "install no-such-program",
        ],
    );
    try_one(
        &["sh", "nowhere.sh"],
        &[
            "there is no file nowhere.sh for sh to run",
            "check the path",
        ],
    );
    try_one(&["plain.py"], &["write ./plain.py"]);
    try_one(
        &["cup.toml", "--trust"],
        &["comes last, after all flags: arena check --trust cup.toml"],
    );
    try_one(
        &["./plain.py"],
        &[
            "not executable",
            "chmod +x ./plain.py",
            "python3 ./plain.py",
        ],
    );
    try_one(
        &["python3 plain.py"],
        &["without quotes around all of them"],
    );
    scratch.write_program("script", "#!/no/such/interpreter\n");
    try_one(
        &["./script"],
        &[
            "the system cannot start",
            "names the interpreter /no/such/interpreter",
        ],
    );
    let windows = [
        "./script has Windows line endings; its first line ends in \\r: convert it (dos2unix ./script, or sed -i 's/\\r$//' ./script)",
        "core.autocrlf",
    ];
    for text in [
        "#!/bin/sh\r\nexit\r\n",
        "#!/usr/bin/env python3\r\nprint()\r\n",
    ] {
        scratch.write_program("script", text);
        try_one(&["./script"], &windows);
        let why = scratch.refused("run --bot a=builtin:random --bot b=./script");
        assert!(
            why.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(windows[0]),
            "{why}"
        );
    }
}

#[test]
fn a_bot_that_does_not_become_ready() {
    shell(
        "echo no such model >&2; exit 3",
        FAILED,
        &[
            "it crashed: it exited with code 3",
            "its log says: no such model",
        ],
    );
    shell(
        "echo Loading the model; cat > /dev/null",
        FAILED,
        &["debug text on standard output", "| Loading the model"],
    );
    shell(
        "read -r hello; echo '{\"redy\":{}}'",
        FAILED,
        &["needs an object with one key of these: ready, pause; not \"redy\""],
    );
    shell(
        "read -r hello; echo '{\"ready\":{\"games\":\"coda\"}}'",
        FAILED,
        &["games in \"ready\" needs a list, not \"coda\""],
    );
    shell(
        "read -r hello; printf '{\"ready\":{}}'; cat > /dev/null",
        FAILED,
        &["no newline at the end"],
    );
    let scratch = Scratch::new();
    let found = checked(
        &scratch,
        "check --game coda --start-ms 500",
        &["sh", "-c", "while read -r line; do :; done"],
    );
    shows(
        &found,
        FAILED,
        &["no answer: it did not send ready within 500 ms"],
    );
}

#[test]
fn a_line_before_ready_is_quoted_with_its_place() {
    let place = "this line came before ready, which must be the first line on standard output: print debug text to standard error";
    let says = |banner: &str| format!("printf '{banner}\\n{{\"ready\":{{}}}}\\n'; cat > /dev/null");
    for (banner, shown) in [
        ("Loading…", "the bot wrote: | Loading… help"),
        ("[info] loading", "the bot wrote: | [info] loading help"),
        ("{loading}", "the bot wrote: | {loading} help"),
        ("42", "the bot wrote: | 42 help"),
        (
            "Loading\\377\\376",
            "the bot wrote: | Loading\\xff\\xfe help",
        ),
    ] {
        shell(&says(banner), FAILED, &[shown, place, "echo … >&2"]);
    }
    shell(
        &says("{\"level\":\"info\"}"),
        FAILED,
        &[
            "the bot wrote: | {\"level\":\"info\"} help",
            "before any other line, and debug text to standard error",
        ],
    );
    shell(
        "printf Loading...; echo '{\"ready\":{}}'; cat > /dev/null",
        FAILED,
        &["| Loading...{\"ready\":{}}", place],
    );
    // Written together with ready, since the first print does not flush.
    let first = "for line in sys.stdin:";
    let banner = format!("print(\"Loading…\")\n{first}");
    python(
        first,
        &banner,
        FAILED,
        &[
            "debug text on standard output",
            "the bot wrote: | Loading… help",
            place,
            "file=sys.stderr",
        ],
    );
}

#[test]
fn files_that_a_bot_writes_are_lost_with_a_warning() {
    let first = "for line in sys.stdin:";
    let home = "open(os.path.expanduser(\"~/seen.txt\"), \"w\").close()";
    let script = format!(
        "import os; open(\"weights.bin\", \"w\").close(); {home}; os.mkdir(\"__pycache__\"); open(\"__pycache__/a.pyc\", \
         \"w\").close(); open(\".state\", \"w\").close()\n{first}"
    );
    let found = "it wrote seen.txt, weights.bin; files a bot writes are gone when its process ends";
    python(
        first,
        &script,
        PASSED,
        &["leaving nothing behind warning", found],
    );
    if has("python3") {
        let scratch = Scratch::new();
        let bot = std::fs::read_to_string(python_bot("first_bot.py")).unwrap();
        scratch.write("bot.py", &bot.replace(first, &script));
        let off = checked(
            &scratch,
            &format!("{QUICK} --isolation off"),
            &["python3", "bot.py"],
        );
        shows(&off, PASSED, &[found]);
        // What is removed in time is no loss, nor is a cache.
        let tidy = format!(
            "import os; open(\"a.txt\", \"w\").close(); os.remove(\"a.txt\"); os.mkdir(\".cache\")\n{first}"
        );
        scratch.write("bot.py", &bot.replace(first, &tidy));
        let (code, said) = checked(&scratch, QUICK, &["python3", "bot.py"]);
        assert!(code == PASSED && !said.contains("it wrote"), "{said}");
    }
}

#[test]
fn what_isolation_refuses_is_named_with_what_opens_it() {
    let first = "for line in sys.stdin:";
    let fails = |does: &str, parts: &[&str]| {
        python(
            first,
            &format!("import os, socket\n{does}\n{first}"),
            FAILED,
            parts,
        );
    };
    if !cfg!(target_os = "linux") || !has_bubblewrap() {
        return;
    }
    let network = "isolated bots have no network";
    let off = "network = true (--network) opens it";
    fails(
        "socket.create_connection((\"example.org\", 80))",
        &[network, off],
    );
    fails(
        "open(\"/usr/weights.bin\", \"w\")",
        &[
            "write only to their working directory and TMPDIR",
            "--read PATH",
        ],
    );
    let scratch = Scratch::new();
    let data = scratch.path().join("data.txt");
    scratch.write("data.txt", "1");
    let read = "isolated bots see only the system, their own folder and what read = [\"PATH\"] (--read PATH) adds";
    let shown = data.display();
    fails(
        &format!("open(\"{shown}\")"),
        &[&format!("{shown} is on this machine, but"), read],
    );
    fails(
        "open(\"/no/such/file\")",
        &[
            "help: the error in its log: FileNotFoundError: [Errno 2] No such file or directory: '/no/such/file'",
        ],
    );
    std::fs::create_dir(scratch.path().join("home")).unwrap();
    scratch.write("home/bot.py", "open(\"../data.txt\")");
    let beside = checked(
        &scratch,
        &format!("{QUICK} --dir home"),
        &["python3", "bot.py"],
    );
    shows(&beside, FAILED, &["../data.txt is on this machine", read]);
}

#[test]
fn a_crash_is_explained_by_the_line_that_names_the_error() {
    let scratch = Scratch::new();
    let node = "require('no-such-module')";
    scratch.write("bot.js", node);
    if has("node") {
        let crash = checked(&scratch, QUICK, &["node", "bot.js"]);
        shows(
            &crash,
            FAILED,
            &["its log says: Error: Cannot find module 'no-such-module'"],
        );
    }
    let go = "printf 'panic: no plan\\n\\ngoroutine 1 [running]:\\nmain.main()\\n\\t/b/g.go:2\\nexit status 2\\n' >&2; exit 2";
    shell(
        go,
        FAILED,
        &[
            "its log says: panic: no plan the end",
            "the error in its log: panic: no plan",
        ],
    );
}

#[test]
fn what_a_bot_says_of_itself_is_read_closely() {
    let says = |ready: &str| {
        format!("read -r hello; echo '{{\"ready\":{ready}}}'; while read -r line; do :; done")
    };
    shell(
        &says("{\"games\":[\"chess\"]}"),
        FAILED,
        &[
            "claims to play \"chess\", which is not a game of this arena",
            "none of the games",
        ],
    );
    shell(
        &says("{\"games\":[\"digit-code\"]}"),
        FAILED,
        &["coda is to be played, but it does not list coda in ready"],
    );
    shell(
        &says("{\"game\":[\"coda\"]}"),
        FAILED,
        &["fields that mean nothing to the arena: game"],
    );
    shell(
        &says("{\"matches\":0}"),
        FAILED,
        &["matches must be from 1 to 256, not 0"],
    );
}

#[test]
fn lines_that_are_no_answer() {
    shell(
        &answering("I think"),
        FAILED,
        &["debug text on standard output", "echo … >&2", "| I think"],
    );
    shell(
        &answering("{'id': $id}"),
        FAILED,
        &["a line is not JSON: key must be a string", "double quotes"],
    );
    shell(&answering("8"), FAILED, &["JSON but not an object"]);
    shell(
        &answering("{\\\"id\\\":$id,\\\"action\\\":{\\\"fly\\\":{}}}"),
        FAILED,
        &[
            "illegal action: the action needs an object with one key of these",
            "not \"fly\"",
            "not legal here",
        ],
    );
    shell(
        &answering("{\\\"id\\\":${id}9,\\\"action\\\":{\\\"set_up\\\":{\\\"dark\\\":1}}}"),
        FAILED,
        &["wrong id: the id of the answer"],
    );
    shell(
        &answering("{\\\"action\\\":{\\\"set_up\\\":{\\\"dark\\\":1}}}"),
        FAILED,
        &["the answer has no id"],
    );
    shell(
        &answering("{\\\"ok\\\":true}"),
        FAILED,
        &[
            "neither an id nor an action",
            "none for start, end and error",
        ],
    );
    shell(
        &answering("{\\\"id\\\":$id,\\\"action\\\":{\\\"set_up\\\":{\\\"dark\\\":7}}}"),
        FAILED,
        &[
            "illegal action: dark = 7 is not legal here",
            "what was offered: | [{\"set_up\":{\"dark\":[0,1,2,3,4]}}]",
        ],
    );
    shell(
        &format!("{READY} printf '\\377\\n'; cat > /dev/null"),
        FAILED,
        &["not UTF-8", "set the encoding"],
    );
    shell(
        &format!("{READY} yes | tr '\\n' x"),
        FAILED,
        &["without a newline", "at most 65536 bytes"],
    );
}

#[test]
fn an_id_of_another_turn() {
    shell(
        &format!(
            "{READY} echo '{{\"id\":0,\"action\":{{\"set_up\":{{\"dark\":1}}}}}}'; cat > /dev/null"
        ),
        FAILED,
        &[
            "wrong id: it did not answer the turn",
            "a reply with the id 0 came while",
            "repeat the id of that turn",
        ],
    );
}

#[test]
fn terminal_codes_are_shown_without_harm() {
    shell(
        &format!("{READY} printf '\\033[2Jboo\\n'; cat > /dev/null"),
        FAILED,
        &["| \\u{1b}[2Jboo"],
    );
}

#[test]
fn bots_that_end_too_early() {
    shell(
        &format!("{READY} kill -SEGV $$"),
        FAILED,
        &[
            "it crashed: it was ended by signal",
            "SEGV",
            "memory was misused",
        ],
    );
    shell(
        &format!("{READY} no-such-command-here"),
        FAILED,
        &["exited with code 127", "PATH"],
    );
    shell(
        &format!("{READY} exit 0"),
        FAILED,
        &[
            "it exited with code 0 when it had to answer",
            "keep reading lines",
        ],
    );
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
        &["its process ended between two matches"],
    );
}

#[test]
fn answers_that_do_not_come_in_time() {
    shell(
        &format!("{READY} while read -r line; do :; done"),
        FAILED,
        &["no answer: it did not answer the turn within 300 ms"],
    );
    shell(
        &format!("{READY} printf '{{'; cat > /dev/null"),
        FAILED,
        &["its output has no newline at the end"],
    );
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
    #[cfg(target_os = "linux")]
    python(
        "    elif kind == \"turn\":",
        "    elif kind == \"turn\":\n        while True: pass",
        FAILED,
        &["of which it computed", "look for an endless loop"],
    );
}

#[test]
fn what_costs_no_match_is_a_warning() {
    python(
        "random.Random(body[\"seed\"])",
        "random.Random()",
        PASSED,
        &["not reproducible", "after a new start"],
    );
    python(
        "random.Random(body[\"seed\"])",
        "globals().get(\"chance\") or random.Random(1)",
        PASSED,
        &[
            "not reproducible: the same match takes a different course after other matches in the same process",
        ],
    );
    let answer =
        "        print(json.dumps({\"id\": body[\"id\"], \"action\": action}), flush=True)\n";
    python(
        answer,
        &answer.repeat(2),
        PASSED,
        &["more than one line for a turn"],
    );
}

#[test]
fn what_only_other_rules_break_is_a_warning() {
    let knows_default =
        "    elif kind == \"start\":\n        assert body[\"rules\"][\"rounds\"] == 3";
    python(
        "    elif kind == \"start\":",
        knows_default,
        PASSED,
        &["coda, other rules warning", "rules dashes=true rounds=2"],
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
    // It keeps the match that began last, and answers no turn of another.
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
fn bots_that_do_not_leave() {
    python(
        "    elif kind == \"error\"",
        "    elif kind == \"quit\":\n        raise ValueError(1)\n    elif kind == \"error\"",
        PASSED,
        &["it does not exit cleanly: it exited with code 1"],
    );
    python(
        "for line in sys.stdin:",
        "import atexit, time; atexit.register(time.sleep, 60)\nfor line in sys.stdin:",
        FAILED,
        &["it does not exit within 1000 ms, and had to be killed"],
    );
}

#[test]
fn a_bot_that_leaves_a_child_running() {
    if !has("python3") {
        return;
    }
    let scratch = Scratch::new();
    let bot = std::fs::read_to_string(python_bot("first_bot.py")).unwrap();
    scratch.write(
        "bot.py",
        &format!("import subprocess\nsubprocess.Popen([\"sleep\", \"61\"])\n{bot}"),
    );
    // Bubblewrap ends what is left so soon that it is not always seen.
    let checked = checked(
        &scratch,
        &format!("{QUICK} --isolation off"),
        &["python3", "bot.py"],
    );
    shows(
        &checked,
        PASSED,
        &["running when it exited", "exec python3 my_bot.py"],
    );
}

/// How a check ends whose bot passes and is not proven to be stronger.
const UNPROVEN: Option<i32> = Some(3);

/// The score that a check prints, with its interval.
fn score(said: &str) -> Option<Vec<&str>> {
    let said = said.split_once("score ")?.1.split_once("passed: ")?.0;
    Some(
        said.split_whitespace()
            .take_while(|word| *word != "turns")
            .collect(),
    )
}

#[test]
fn a_bot_is_graded_by_deals_against_a_built_in_one() {
    let scratch = Scratch::new();
    let ours = arena().to_str().unwrap();
    let graded = |rival: &str, bot: &[&str]| {
        let flags = "check --game coda --seats 2 --matches-each 2 --move-ms 10000 --seed 1 --deals 10 --beats";
        checked(&scratch, &format!("{flags} {rival}"), bot)
    };
    for (bot, rival, code, part) in [
        (
            "exact",
            "random",
            PASSED,
            "; proven stronger than random. This bot",
        ),
        (
            "random",
            "exact",
            UNPROVEN,
            "; not proven stronger than exact. This bot",
        ),
        (
            "random",
            "random",
            UNPROVEN,
            "; not proven stronger than random",
        ),
    ] {
        let found = graded(rival, &[ours, "bot", bot]);
        shows(
            &found,
            code,
            &[
                part,
                &format!("10 deals of coda against {rival}"),
                "95 % interval",
            ],
        );
        let again = graded(rival, &[ours, "bot", bot]);
        assert!(
            score(&found.1).is_some() && score(&found.1) == score(&again.1),
            "{}\n{}",
            found.1,
            again.1
        );
    }
    // Where a step fails there is no grade.
    let (code, said) = graded("random", &["sh", "-c", "exit 3"]);
    assert!(code == FAILED && !said.contains("against random"), "{said}");
    for (flags, why) in [
        ("--beats chess", "a built-in bot of coda: random, excluding"),
        (
            "--beats racer --game code-777",
            "a built-in bot of code-777: random",
        ),
        ("--beats random --deals 4", "4 is not in 5.."),
        ("--deals 10", "--beats <BOT>"),
        ("--seed 10", "--beats <BOT>"),
    ] {
        shows(
            &checked(&scratch, &format!("check {flags}"), &["true"]),
            WRONG,
            &[why],
        );
    }
}

#[test]
fn a_bot_that_fails_loses_in_its_grade() {
    if !has("python3") {
        return;
    }
    let scratch = Scratch::new();
    let bot = std::fs::read_to_string(python_bot("first_bot.py")).unwrap();
    // Only in its seventh match, which no step plays.
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

#[test]
fn every_program_of_a_file_is_graded() {
    let scratch = Scratch::new();
    let bot = |name: &str| {
        format!(
            "[[bots]]\nname = '{name}'\ncommand = '{} bot {name}'\n",
            arena().display()
        )
    };
    let file = |seats| format!("seats = {seats}\nclock.move_ms = 10000\nrules.rounds = 1\n");
    let two = bot("exact") + &bot("random");
    scratch.write("t.toml", &(file(2) + &two));
    let flags = "check --matches-each 2 --seed 1 --deals 20 --beats random";
    let (code, said) = checked(&scratch, flags, &["t.toml"]);
    for line in [
        "steps; proven stronger than random\n",
        "steps; not proven stronger than random",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert_eq!(code, UNPROVEN, "{said}");
    scratch.write("t.toml", &(file(3) + &two + &bot("inferring")));
    shows(
        &checked(&scratch, flags, &["t.toml"]),
        WRONG,
        &["--beats needs two seats"],
    );
}

#[test]
fn wrong_use_is_no_failure_of_the_bot() {
    let scratch = Scratch::new();
    shows(
        &checked(&scratch, "check --game chess", &["true"]),
        WRONG,
        &["there is no game \"chess\""],
    );
    shows(
        &checked(&scratch, "check --seats 9", &["true"]),
        WRONG,
        &["none of these games has that many"],
    );
    shows(
        &checked(&scratch, "check --matches-each 0", &["true"]),
        WRONG,
        &["matches-each"],
    );
    shows(&checked(&scratch, "check", &[]), WRONG, &["COMMAND"]);
}

const FILE: &str = "game = 'crack-the-code'\ndeals = 1\n[rules]\npositions = 3\n[[bots]]\nname = 'ours'\nbuiltin = 'random'\n\
    [[bots]]\nname = 'good'\ncommand = 'GOOD'\n[[bots]]\nname = 'bad'\ncommand = 'sh bad.sh'\nenv = { WORD = 'nonsense' }\n";

#[test]
fn every_program_of_a_file_is_tried_by_its_game_and_rules() {
    let scratch = Scratch::new();
    scratch.write("bad.sh", "echo $WORD; cat > /dev/null");
    scratch.write(
        "t.toml",
        &FILE.replace("GOOD", &format!("{} bot random", arena().display())),
    );
    let (code, said) = checked(
        &scratch,
        "check --matches-each 2 --move-ms 10000",
        &["t.toml"],
    );
    shows(
        &(code, said.clone()),
        FAILED,
        &[
            "good: ",
            "crack-the-code, 2 seats",
            "bad: sh bad.sh",
            "| nonsense",
        ],
    );
    for line in [
        "\nours  built in: nothing to check\n",
        "\ngood  passed: ",
        "\nbad   failed: step 2 of 2",
    ] {
        assert!(said.contains(line), "{said}");
    }
    assert!(
        !said.contains("coda, 2 seats") && !said.contains("other rules"),
        "{said}"
    );
    let why = scratch.refused("check --env A=b t.toml");
    assert!(why.contains("t.toml sets that for each bot"), "{why}");
    scratch.write("t.toml", &FILE.replace("GOOD", "no-such-program"));
    // One that cannot be found does not keep the others from being tried.
    let (code, said) = checked(
        &scratch,
        "check --matches-each 2 --move-ms 10000",
        &["t.toml"],
    );
    shows(
        &(code, said.clone()),
        FAILED,
        &["there is no program no-such-program"],
    );
    for line in ["\ngood  failed: step 1 of 1", "\nbad   failed: step 2 of 2"] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn a_program_alone_is_tried_as_flags_say() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("home")).unwrap();
    let told = scratch.path().join("told");
    scratch.write(
        "home/bot.sh",
        &format!(
            "echo \"$WORD in $(cat '{}')\"; cat > /dev/null",
            told.display()
        ),
    );
    scratch.write("told", "its own folder");
    let flags = "check --dir home --env WORD=here --read ../told --memory-mb 400 --start-ms 3000";
    shows(
        &checked(&scratch, flags, &["sh", "bot.sh"]),
        FAILED,
        &["| here in its own folder"],
    );
    let why = scratch.refused("check --dir nowhere --env WORD --processes 0 -- sh bot.sh");
    for part in [
        "--env WORD: this sets nothing",
        "`processes` must be at least 1",
        "2 problems",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let why = scratch.refused("check --dir nowhere -- sh bot.sh");
    assert!(why.contains("--dir nowhere: there is no folder"), "{why}");
}

/// Runs it on a terminal of 60 columns, if there is a program that makes one.
#[test]
fn a_terminal_gets_colours_and_is_not_overrun() {
    if !has("script") {
        return;
    }
    let scratch = Scratch::new();
    scratch.write("bot.sh", "echo hmm; cat > /dev/null");
    let line = format!(
        "stty cols 60 rows 40; {} check --game coda sh bot.sh",
        arena().display()
    );
    let shown = |colours: &str| {
        let mut script = std::process::Command::new("script");
        script
            .current_dir(scratch.path())
            .env("NO_COLOR", colours)
            .args(["-qec", &line, "/dev/null"]);
        String::from_utf8(script.output().unwrap().stdout).unwrap()
    };
    let coloured = shown("");
    assert!(coloured.contains("\u{1b}[31mFAILED\u{1b}[0m"), "{coloured}");
    assert!(
        coloured.contains("it sends ready: waiting for the bot"),
        "{coloured}"
    );
    let plain = shown("1");
    assert!(
        plain.contains("FAILED") && !plain.contains("\u{1b}[31m"),
        "{plain}"
    );
    let printed = plain
        .split("\r\n")
        .map(|line| line.rsplit(['\r', '\u{1b}']).next().unwrap());
    // Where there is no bubblewrap, a line tells what holds instead.
    let printed = printed.filter(|line| !line.starts_with("isolation "));
    assert!(
        printed.clone().all(|line| line.chars().count() <= 64),
        "{plain}"
    );
    assert!(
        printed
            .clone()
            .any(|line| line.trim_start().starts_with("what: debug text")),
        "{plain}"
    );
}
