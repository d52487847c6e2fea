//! Debugging aids: `match --debug` waits and shows every line, and `repro` replays a wire log.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Stdio;

use arena_tests::process::{Child, Command};
use arena_tests::shell::READY;
use arena_tests::{Scratch, arena, until};
use serde_json::Value;

/// Writes a bot that waits in its first turn until a file exists, and returns a command for a match with it.
fn waiting(scratch: &Scratch) -> String {
    let go = scratch.path().join("go");
    scratch.write(
        "bot.sh",
        &format!(
            "{READY} echo thinking >&2; until [ -e '{}' ]; do sleep 0.1; done",
            go.display()
        ),
    );
    "match --debug --rule rounds=1 --bot b=builtin:random --bot".into()
}

/// Starts that match, and returns it with the lines of its standard error.
fn start(scratch: &Scratch, flags: &str) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut command = scratch.command(flags);
    command
        .arg("a=sh bot.sh")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    (child, lines)
}

/// Returns the process id that the bot prints once it is thinking, and the lines up to there.
fn thinks(lines: &mut impl Iterator<Item = String>) -> (u32, Vec<String>) {
    let mut before = Vec::new();
    while before.last().is_none_or(|line| line != "a | thinking") {
        before.push(lines.next().unwrap());
    }
    let pid = before
        .iter()
        .find_map(|line| line.strip_prefix("a is process "));
    (
        pid.unwrap_or_else(|| panic!("{before:?}")).parse().unwrap(),
        before,
    )
}

/// Returns the command line of a process; empty if there is none.
fn command_line(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/cmdline"))
        .unwrap_or_default()
        .replace('\0', " ")
}

#[test]
fn a_bot_that_is_debugged_has_no_clock_and_every_line_is_shown() {
    for isolation in ["", "--isolation off"] {
        let scratch = Scratch::new();
        let flags = waiting(&scratch).replacen("--bot", &format!("{isolation} --bot"), 1);
        let (child, mut lines) = start(&scratch, &flags);
        let (pid, before) = thinks(&mut lines);
        let started = command_line(pid);
        assert!(
            started.starts_with("sh ") && started.ends_with("bot.sh "),
            "{started}: {before:?}"
        );
        scratch.write("go", "");
        let after: Vec<String> = lines.collect();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{after:?}");
        for part in [
            "→ a {\"hello\":",
            "← a {\"ready\":{}}",
            "→ a {\"start\":",
            "\"clock\":{\"move_ms\":null}",
            "→ a {\"turn\":",
            "→ a {\"error\":",
        ] {
            assert!(
                before.iter().chain(&after).any(|line| line.contains(part)),
                "{part}: {before:?} {after:?}"
            );
        }
        assert!(
            String::from_utf8(output.stdout)
                .unwrap()
                .contains("a forfeited (crash)")
        );
    }
}

#[test]
fn ctrl_c_ends_a_match_that_waits() {
    let scratch = Scratch::new();
    let (child, mut lines) = start(&scratch, &waiting(&scratch));
    let (pid, _) = thinks(&mut lines);
    child.signal("INT");
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    until("the bot is ended", || command_line(pid).is_empty());
}

#[test]
fn lines_are_coloured_on_a_terminal_only() {
    let scratch = Scratch::new();
    let me = arena().display();
    let line = format!(
        "{me} match --debug --rule rounds=1 --bot a=\"{me} bot random\" --bot b=builtin:random"
    );
    let shown = |program: &str, arguments: &[&str], no_colour: &str| {
        let mut command = Command::new(program);
        let output = command
            .args(arguments)
            .env("NO_COLOR", no_colour)
            .current_dir(scratch.path())
            .output()
            .unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let plain = shown("sh", &["-c", &line], "");
    assert!(
        plain.contains("\n→ a {\"quit\":{}}\n") && !plain.contains('\u{1b}'),
        "{plain}"
    );
    if cfg!(feature = "all") {
        let on_terminal = |no_colour| shown("script", &["-qec", &line, "/dev/null"], no_colour);
        let coloured = on_terminal("");
        assert!(
            coloured.contains("\u{1b}[36m→ a {\"hello\"") && coloured.contains("\u{1b}[33m← a "),
            "{coloured}"
        );
        assert!(!on_terminal("1").contains('\u{1b}'));
    }
    let why = scratch.refused("match --debug --move-ms 5");
    assert!(why.contains("cannot be used with"), "{why}");
}

/// Returns the longest wire log of a bot from two deals, which covers more than one match.
fn logged() -> (Scratch, PathBuf) {
    let scratch = Scratch::new();
    let flags = "run -q --seed 1 --deals 2 --jobs 1 --rule rounds=1 --bot b=builtin:random --out t --log-wire --bot";
    let bot = format!("a={} bot random", arena().display());
    assert!(
        scratch
            .command(flags)
            .arg(bot)
            .output()
            .unwrap()
            .status
            .success()
    );
    let logs = fs::read_dir(scratch.path().join("t/logs"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let logs = logs.filter(|log| log.extension().is_some_and(|extension| extension == "wire"));
    let log = logs
        .max_by_key(|log| fs::metadata(log).unwrap().len())
        .unwrap();
    assert!(
        fs::read_to_string(&log)
            .unwrap()
            .matches("{\"start\":")
            .count()
            > 1
    );
    (scratch, log)
}

/// Replays a log to a program, and returns the exit code and the output.
fn repro(scratch: &Scratch, flags: &str, log: &str, program: &str) -> (Option<i32>, String) {
    let output = scratch
        .command(flags)
        .args([log, "--program", program])
        .output()
        .unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code(), text)
}

#[test]
fn a_log_of_lines_is_sent_to_another_program() {
    let (scratch, log) = logged();
    let (log, me) = (log.to_str().unwrap(), arena().display());
    let (code, text) = repro(&scratch, "repro", log, &format!("{me} bot random"));
    assert!(
        code == Some(0) && text.contains(" turns agree, none differs\n"),
        "{text}"
    );
    assert!(text.starts_with(&format!("{log}, a: ")), "{text}");
    let output = scratch
        .command("repro --json")
        .args([log, "--program", &format!("{me} bot exact")])
        .output()
        .unwrap();
    let (code, text) = (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    );
    let again: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (code, &again["bot"], &again["faithful"]),
        (Some(1), &"a".into(), &false.into()),
        "{text}"
    );
    let steps = again["steps"].as_array().unwrap();
    assert_eq!(again["turns"].as_u64().unwrap() as usize, steps.len());
    assert!(
        steps
            .iter()
            .any(|step| step["agrees"] == false && step["illegal"].is_null()),
        "{text}"
    );
    let (code, text) = repro(&scratch, "repro", log, &format!("{me} bot exact"));
    assert!(
        code == Some(1)
            && text.contains("the first that differs is turn ")
            && !text.contains("legal"),
        "{text}"
    );
    scratch.write("bot.sh", &format!("{READY} echo oh no >&2; exit 3"));
    let (code, text) = repro(&scratch, "repro", log, "sh bot.sh");
    assert!(
        code == Some(1) && text.contains("the program failed (crash)") && text.contains("| oh no"),
        "{text}"
    );
}

#[test]
fn what_is_no_log_of_lines_is_refused_with_its_line() {
    let (scratch, log) = logged();
    let text = fs::read_to_string(&log).unwrap();
    let first: String = text
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    for (text, why) in [
        (
            format!("{first}junk\n"),
            "line 3 was not written by --log-wire: it does not begin with < or > and a time",
        ),
        (
            format!("{first}< 7 {{\"begin\":{{}}}}\n"),
            "line 3 was not written by --log-wire: it is not a message of the arena",
        ),
        (first, "it holds no match"),
        (String::new(), "it holds no match"),
        (
            text.replace("\"coda\"", "\"chess\""),
            "this program does not know \"chess\"",
        ),
    ] {
        scratch.write("x.wire", &text);
        let (code, said) = repro(&scratch, "repro", "x.wire", "true");
        assert!(
            code.is_some_and(|code| code > 0) && said.contains(why),
            "{why}: {code:?} {said}"
        );
    }
    let why = scratch.refused("repro x.wire");
    assert!(
        why.contains("name a --program, but no match and no --seat"),
        "{why}"
    );
    assert!(
        scratch
            .refused("repro t")
            .contains("name a match, such as d1/a/b")
    );
}

#[test]
fn what_a_seat_could_know_is_shown_turn_by_turn() {
    let scratch = Scratch::new();
    let flags = "run -q --out t --deals 1 --seed 3 --rule rounds=1 --bot a=builtin:exact --bot b=builtin:random";
    assert!(scratch.arena(flags).status.success());
    let all = scratch.arena("show t d1/a/b --known");
    let all = String::from_utf8(all.stdout).unwrap();
    assert!(all.lines().all(|line| line.chars().count() <= 80), "{all}");
    let document = scratch.arena("show t d1/a/b --json --seat 0");
    let document: Value = serde_json::from_slice(&document.stdout).unwrap();
    let moves = document["frames"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|frame| frame["moves"].as_array().unwrap());
    let mut attacks = 0;
    for reaction in moves.filter(|reaction| reaction["reply"]["act"]["attack"].is_object()) {
        let (known, turn) = (&reaction["known"], &reaction["turn"]);
        assert_eq!(
            known["chance"], known["likeliest"][0]["chance"],
            "exact makes the likeliest attack: {reaction}"
        );
        let shown = scratch.arena(&format!("show t d1/a/b --known --seat 0 --turn {turn}"));
        let shown = String::from_utf8(shown.stdout).unwrap();
        let line = shown
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("{turn}  a ")))
            .unwrap();
        assert!(
            line.contains(&format!(" {} ", known["worlds"].as_f64().unwrap())),
            "{known}: {shown}"
        );
        assert!(
            all.contains(line.split_whitespace().nth(2).unwrap()),
            "{all}"
        );
        attacks += 1;
    }
    assert!(attacks > 0);
    for wrong in ["--turn 999", "--seat 1 --turn 0"] {
        let refused = scratch.arena(&format!("show t d1/a/b --known {wrong}"));
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    }
}
