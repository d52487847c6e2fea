//! Hostile and broken bots, one row per behaviour: the cost to the bot, and the message for its author.

use std::fs;
use std::sync::Mutex;
use std::thread;

use arena_tests::{Scratch, root};
use serde_json::Value;

/// Expected outcome for a bot that misbehaves in each of its matches.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    /// No effect.
    Fine,
    /// Forfeits on time, with this message.
    Time(&'static str),
    /// Forfeits by a crash, with this message.
    Crash(&'static str),
    /// Forfeits by an illegal action, with this message.
    Illegal(&'static str),
    /// Forfeits by violating the protocol, with this message.
    Protocol(&'static str),
}

use Fate::{Crash, Fine, Illegal, Protocol, Time};

/// A row of the tables: a mode of `bots/hostile.py`, and its outcome.
type Row = (&'static str, Fate);

/// Time limits that a bot exceeds only on purpose.
const LONG_LIMITS: &str = "[clock]\nmove_ms = 60000\nstart_ms = 60000\n";
const SHORT_LIMITS: &str = "[clock]\nmove_ms = 250\nstart_ms = 60000\n";
const HASTY_START: &str = "[clock]\nmove_ms = 60000\nstart_ms = 1000\n";

const NOT_FLUSHED: &str = "no output was received (flush stdout after each answer)";
const NO_NEWLINE: &str = "its output does not end with a newline";
const TO_STDERR: &str = "only messages go to stdout, print everything else to stderr";

/// Misbehaviour before the first match.
const AT_THE_START: &[Row] = &[
    ("exits at once", Crash("exited with code 3")),
    ("ready, then exits", Crash("exited with code 0")),
    (
        "banner",
        Protocol("print everything else to stderr: Loading the model"),
    ),
    (
        "colourful banner",
        Protocol(r"stderr: \u{1b}[31mLoading\u{1b}[0m"),
    ),
    (
        "byte order mark",
        Protocol("it begins with a byte order mark, write UTF-8 without one"),
    ),
    ("utf-16", Protocol(r"not UTF-8: \xff\xfe{\x00")),
    (
        "other version",
        Protocol("the bot speaks version 2 of the protocol, and the arena version 1"),
    ),
    ("same version", Fine),
    ("other game", Protocol("does not list coda among its games")),
    (
        "answers before ready",
        Protocol("the first message needs an object with one key of these: ready, pause"),
    ),
    (
        "ready twice",
        Protocol("it has neither an id nor an action"),
    ),
    (
        "matches in the billions",
        Protocol("matches must be from 1 to 256, not 4000000000"),
    ),
    (
        "no matches",
        Protocol("matches must be from 1 to 256, not 0"),
    ),
    (
        "ready a list",
        Protocol("\"ready\" needs an object with the keys"),
    ),
    ("strange name", Fine),
    ("answers in advance", Fine),
    ("guesses ids", Fine),
];

/// Misbehaviour before the first match, until time runs out.
const NEVER_READY: &[Row] = &[
    (
        "never ready",
        Time("did not send `ready` within 1000 ms: no output was received"),
    ),
    ("ready not flushed", Time("flush stdout after each answer")),
    ("ready without newline", Time(NO_NEWLINE)),
];

/// Misbehaviour instead of an answer.
const INSTEAD_OF_ANSWER: &[Row] = &[
    ("exits when asked", Crash("exited with code 0")),
    ("killed", Crash("SEGV")),
    ("raises", Crash("exited with code 1")),
    ("half an answer, exits", Crash("exited with code 0")),
    ("holds stdout", Crash("exited with code 5")),
    (
        "endless bytes",
        Protocol("a line of more than 65536 bytes without a newline"),
    ),
    ("endless garbage", Protocol(TO_STDERR)),
    ("huge note", Protocol("a line of more than 65536 bytes")),
    ("not utf-8", Protocol(r#""note":"\xff\xfe""#)),
    (
        "nul",
        Protocol(
            r"is not JSON: expected value at line 1 column 1; only messages go to stdout, print everything else to stderr: \0\0",
        ),
    ),
    (
        "deep",
        Protocol(r#"nested more than 127 levels deep: {"id":…,"action":[[[["#),
    ),
    ("deep beside", Protocol("nested more than 127 levels deep")),
    (
        "number beyond all",
        Protocol("its id is not the whole number that was sent"),
    ),
    (
        "lone surrogate",
        Protocol("is not JSON: unexpected end of hex escape"),
    ),
    ("a list", Protocol("a message is an object: [1,2]")),
    ("answer as a list", Protocol("a message is an object: [")),
    ("null", Protocol("a message is an object: null")),
    ("no action", Protocol("it has no action")),
    (
        "action null",
        Illegal("the action needs an object with one key of these: set_up, "),
    ),
    (
        "two actions",
        Illegal("the action needs an object with one key of these: set_up, "),
    ),
    ("illegal", Illegal("dark = 77 is not legal here")),
    (
        "wrong moment",
        Illegal("stop is not legal now: choose set_up"),
    ),
    (
        "future id",
        Protocol("the id of the answer is not that of an open turn"),
    ),
    (
        "id as text",
        Protocol("its id is not the whole number that was sent"),
    ),
    (
        "id as float",
        Protocol("its id is not the whole number that was sent"),
    ),
    (
        "id negative",
        Protocol("its id is not the whole number that was sent"),
    ),
    (
        "id beyond 2^64",
        Protocol("its id is not the whole number that was sent"),
    ),
    ("keys twice", Protocol("the key id appears twice")),
    ("note a number", Protocol("its note is not a string")),
];

/// Misbehaviour instead of an answer, until time runs out.
const LATE_ANSWER: &[Row] = &[
    ("silent", Time(NOT_FLUSHED)),
    ("not flushed", Time(NOT_FLUSHED)),
    ("no newline", Time(NO_NEWLINE)),
    ("carriage return", Time(NO_NEWLINE)),
    ("blank lines", Time("it sent blank lines")),
    ("stale lines", Time("it sent the id of another turn")),
    ("stale now and then", Time("it sent the id of another turn")),
    ("busy", Time("it was computing")),
    ("busy with many", Time("no answer in time")),
    ("closes stdin", Time("no answer in time")),
    ("hangs on end", Fine),
];

/// Misbehaviour with an answer, or after it.
const WITH_ANSWER: &[Row] = &[
    ("honest", Fine),
    ("byte by byte", Fine),
    ("windows lines", Fine),
    ("blanks around", Fine),
    ("twice", Fine),
    ("unknown fields", Fine),
    ("long note", Fine),
    ("strange note", Fine),
    ("stale first", Fine),
    ("log flood", Fine),
    ("log not utf-8", Fine),
    ("a child answers", Fine),
    ("nonblocking pipes", Fine),
    ("looks for a terminal", Fine),
    ("answers, then exits", Crash("exited with code 0")),
    ("exits after a match", Fine),
    ("sleeps on end", Fine),
    ("talks after a match", Fine),
    ("ignores signals", Fine),
];

/// Plays a tournament of Coda between `good` and the hostile bot.
fn play(mode: &str, deals: u32, more: &str) -> Scratch {
    let scratch = Scratch::new();
    let script = root().join("tests/bots/hostile.py");
    scratch.write(
        "t.toml",
        &format!(
            "deals = {deals}\njobs = 1\n{more}\n[[bots]]\nname = 'good'\nbuiltin = 'random'\n\
             [[bots]]\nname = 'bad'\ncommand = \"python3 {} '{mode}'\"\n",
            script.display()
        ),
    );
    finish(
        &scratch,
        "run t.toml -q --trust --seed 1 --out t --rule rounds=1",
    );
    scratch
}

/// Plays the tournament in the folder `t`, even if every match is forfeited. Resumes it whenever this machine was too busy to give a bot
/// its time.
fn finish(scratch: &Scratch, command: &str) {
    let mut output = scratch.arena(command);
    let mut log = String::from_utf8_lossy(&output.stderr).into_owned();
    for _ in 0..20 {
        if !log.contains("machine is too busy") {
            break;
        }
        output = scratch.arena("run t -q");
        log = String::from_utf8_lossy(&output.stderr).into_owned();
    }
    let forfeited = log.contains("every match was forfeited");
    assert!(output.status.success() || forfeited, "{command}: {log}");
}

/// Returns the cause and the message of each forfeit, all of which must be the hostile bot's.
fn faults(scratch: &Scratch) -> Vec<(String, String)> {
    let standings = scratch.standings("t");
    assert_eq!(standings["complete"], true, "every match has a result");
    let faults = standings["faults"].as_array().unwrap().iter().map(|fault| {
        assert_eq!(fault["bot"], "bad", "{fault}");
        (
            fault["cause"].as_str().unwrap().to_owned(),
            fault["detail"].as_str().unwrap().to_owned(),
        )
    });
    faults.collect()
}

/// Returns true if the bot's faults differ from the expected outcome.
fn differs(fate: Fate, found: &[(String, String)], matches: usize) -> bool {
    let (cause, part) = match fate {
        Fine => return !found.is_empty(),
        Time(part) => ("time", part),
        Crash(part) => ("crash", part),
        Illegal(part) => ("illegal", part),
        Protocol(part) => ("protocol", part),
    };
    found.len() != matches
        || found
            .iter()
            .any(|(what, why)| what != cause || !why.contains(part))
}

/// Plays all rows, two at a time, and reports all unexpected outcomes together.
fn check(rows: &[Row], deals: u32, more: &str) {
    let (next, wrong) = (Mutex::new(rows.iter()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((mode, fate)) = { next.lock().unwrap().next() } {
                    let found = faults(&play(mode, deals, more));
                    if differs(*fate, &found, 2 * deals as usize) {
                        wrong
                            .lock()
                            .unwrap()
                            .push(format!("{mode}: {fate:?} was expected, but: {found:?}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn before_the_first_match() {
    check(AT_THE_START, 1, LONG_LIMITS);
    check(NEVER_READY, 1, HASTY_START);
}

#[test]
fn instead_of_an_answer() {
    check(INSTEAD_OF_ANSWER, 1, LONG_LIMITS);
}

#[test]
fn too_late() {
    check(
        LATE_ANSWER,
        1,
        &format!("[rules]\nlate_moves = 0\n{SHORT_LIMITS}"),
    );
}

#[test]
fn beside_an_answer() {
    check(WITH_ANSWER, 2, LONG_LIMITS);
}

/// Returns the events of one kind from all matches of the hostile bot, each with the bot's seat.
fn events(scratch: &Scratch, kind: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for line in scratch.export("t") {
        let seat = line["seats"]
            .as_array()
            .unwrap()
            .iter()
            .position(|bot| bot == "bad")
            .unwrap();
        let events = line["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|event| event.get(kind));
        found.extend(events.filter(|event| event["seat"] == seat).cloned());
    }
    found
}

fn log(scratch: &Scratch) -> String {
    String::from_utf8_lossy(&fs::read(scratch.path().join("t/logs/bad.log")).unwrap()).into_owned()
}

#[test]
fn a_failure_is_told_in_the_same_words_in_each_run() {
    for mode in [
        "future id",
        "id as text",
        "no action",
        "not utf-8",
        "deep",
        "illegal",
        "ready twice",
    ] {
        let [once, again] = [(); 2].map(|()| play(mode, 1, LONG_LIMITS).printed("export t"));
        assert_eq!(once, again, "{mode}");
    }
}

#[test]
fn a_late_answer_is_dropped_and_the_next_one_counts() {
    let late = play(
        "late",
        2,
        &format!("[rules]\nlate_moves = 1\n{SHORT_LIMITS}"),
    );
    assert_eq!(faults(&late), []);
    assert_eq!(events(&late, "late").len(), 4, "one in each match");
}

#[test]
fn an_answer_counts_although_its_bot_exits_after_it() {
    let exits = play("answers, then exits", 1, LONG_LIMITS);
    assert_eq!(events(&exits, "set_up").len(), 2);
    assert_eq!(faults(&exits).len(), 2);
}

#[test]
fn who_exits_after_a_match_is_started_again() {
    let exits = play("exits after a match", 3, LONG_LIMITS);
    assert_eq!(
        (faults(&exits).len(), log(&exits).matches("STARTED").count()),
        (0, 6)
    );
}

#[test]
fn who_never_reads_does_not_block_the_arena() {
    let clock = "[clock]\nmove_ms = 50\nstart_ms = 60000\n";
    let never = play(
        "never reads",
        1,
        &format!("[rules]\nlate_moves = 100\nrounds = 20\n{clock}"),
    );
    let found = faults(&never);
    assert!(
        !differs(Time("did not read its input for 50 ms"), &found, 2),
        "{found:?}; the bot said: {}",
        log(&never)
    );
}

#[test]
fn who_crashes_is_not_started_again_if_so_configured() {
    let scratch = play("exits at once", 2, LONG_LIMITS);
    let file = fs::read_to_string(scratch.path().join("t.toml")).unwrap();
    scratch.write("t.toml", &(file + "restart = 'never'\n"));
    scratch.printed("run t.toml -q --seed 1 --out t2 --rule rounds=1");
    let standings = scratch.standings("t2");
    let details: Vec<&str> = standings["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["detail"].as_str().unwrap())
        .collect();
    let again = "failed before and is not started again (restart = \"never\")";
    assert_eq!(details, ["exited with code 3", again, again, again]);
}

#[test]
fn who_closes_its_output_crashes() {
    // In bubblewrap, the sandbox also holds the output open, so that the bot runs out of time.
    let off = |clock: &str| format!("isolation = 'off'\n[rules]\nlate_moves = 0\n{clock}");
    let rows = [
        ("closes stdout", Crash("closed its standard output")),
        ("stdout a directory", Crash("closed its standard output")),
        (
            "kills its parent",
            Crash("was killed together with its supervisor, from outside or by the bot"),
        ),
    ];
    check(&rows, 1, &off(LONG_LIMITS));
    let rows = [
        ("closes stdin", Time("no answer in time")),
        ("silent", Time(NOT_FLUSHED)),
    ];
    check(&rows, 1, &off(SHORT_LIMITS));
}

#[test]
fn two_who_fail_at_once_share_a_place() {
    for (game, modes) in [
        ("crack-the-code", ["exits at once", "never ready"]),
        ("crack-the-code", ["exits when asked", "silent"]),
        ("coda", ["silent", "a list"]),
    ] {
        let scratch = Scratch::new();
        let script = root().join("tests/bots/hostile.py");
        let bot = |index: usize| {
            format!(
                "[[bots]]\nname = 'b{index}'\ncommand = \"python3 {} '{}'\"\n",
                script.display(),
                modes[index]
            )
        };
        let rules = if game == "coda" {
            "[rules]\nlate_moves = 0\n"
        } else {
            ""
        };
        scratch.write(
            "t.toml",
            &format!(
                "game = '{game}'\ndeals = 1\n{rules}[clock]\nmove_ms = 300\nstart_ms = 1500\n{}{}",
                bot(0),
                bot(1)
            ),
        );
        finish(&scratch, "run t.toml -q --seed 1 --out t");
        for line in scratch.export("t") {
            let places = line["outcome"]["seats"]
                .as_array()
                .unwrap()
                .iter()
                .map(|seat| seat["place"].as_u64().unwrap());
            assert_eq!(
                places.collect::<Vec<_>>(),
                [1, 1],
                "{game} {modes:?}: {line}"
            );
            assert_eq!(line["faults"].as_array().unwrap().len(), 2, "{line}");
        }
    }
}

#[test]
fn a_log_is_kept_in_part() {
    let flood = play("log flood", 1, LONG_LIMITS);
    let kept = log(&flood);
    // One MiB of each match is kept, although the bot wrote more than three for every turn.
    assert!(kept.len() < (2 << 20) + 1_000, "{}", kept.len());
    assert_eq!(kept.matches(" bytes left out …\n").count(), 2);
}

#[test]
fn an_expectation_that_is_not_met_is_noticed() {
    let found = [
        ("time".to_owned(), "no answer in time".to_owned()),
        ("time".to_owned(), "no".to_owned()),
    ];
    assert!(!differs(Time("no"), &found, 2) && !differs(Fine, &[], 2));
    let wrong = [
        Time("flushed"),
        Time("answer"),
        Crash("no"),
        Illegal("no"),
        Protocol("no"),
        Fine,
    ];
    assert!(wrong.into_iter().all(|fate| differs(fate, &found, 2)));
    assert!(differs(Time("no"), &found, 4) && differs(Time("no"), &[], 2));
}
