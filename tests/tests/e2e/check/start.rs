//! Failures before the first turn: programs that cannot be started, and bad output before or with `ready`.

use arena_tests::Scratch;

use super::{FAILED, QUICK, checked, shell, shows};

#[test]
fn a_program_that_cannot_be_started() {
    let scratch = Scratch::new();
    scratch.write("plain", "print()");
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
    try_one(
        &["plain"],
        &["not searched for programs: arena check ./plain"],
    );
    try_one(
        &[".\\plain.py"],
        &["paths here are written with /, as in ./bot.py"],
    );
    try_one(
        &["cup.toml", "--trust"],
        &["comes last, after all flags: arena check --trust cup.toml"],
    );
    try_one(
        &["./plain"],
        &["not executable", "chmod +x ./plain", "python3 ./plain"],
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
        shell(&says(banner), FAILED, &[shown, PLACE, "echo … >&2"]);
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
        &["| Loading...{\"ready\":{}}", PLACE],
    );
}

pub const PLACE: &str = "this line came before ready, which must be the first line on standard output: print debug text to standard error";

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
fn a_crash_is_explained_by_the_line_that_names_the_error() {
    if cfg!(feature = "all") {
        let scratch = Scratch::new();
        scratch.write("bot.js", "require('no-such-module')");
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
