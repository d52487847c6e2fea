//! Habits that cost a bot matches: writing files, actions refused by isolation, its own randomness, and leftover processes.

use arena_tests::{Scratch, python_bot};

use super::python::python;
use super::{FAILED, PASSED, QUICK, checked, shows};

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
    let scratch = Scratch::new();
    let bot = std::fs::read_to_string(python_bot("first_bot.py")).unwrap();
    scratch.write("bot.py", &bot.replace(first, &script));
    let off = checked(
        &scratch,
        &format!("{QUICK} --isolation off"),
        &["python3", "bot.py"],
    );
    shows(&off, PASSED, &[found]);
    // Files that the bot removes in time, and caches, are not reported as lost.
    let tidy = format!(
        "import os; open(\"a.txt\", \"w\").close(); os.remove(\"a.txt\"); os.mkdir(\".cache\")\n{first}"
    );
    scratch.write("bot.py", &bot.replace(first, &tidy));
    let (code, said) = checked(&scratch, QUICK, &["python3", "bot.py"]);
    assert!(code == PASSED && !said.contains("it wrote"), "{said}");
}

#[test]
fn what_bubblewrap_refuses_is_named_with_what_opens_it() {
    let first = "for line in sys.stdin:";
    let fails = |does: &str, parts: &[&str]| {
        python(
            first,
            &format!("import os, socket\n{does}\n{first}"),
            FAILED,
            parts,
        );
    };
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
    let scratch = Scratch::new();
    let bot = std::fs::read_to_string(python_bot("first_bot.py")).unwrap();
    scratch.write(
        "bot.py",
        &format!("import subprocess\nsubprocess.Popen([\"sleep\", \"61\"])\n{bot}"),
    );
    // Bubblewrap ends leftover processes so quickly that they are not always detected.
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
