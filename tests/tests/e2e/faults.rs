//! Faults with their evidence, retried matches, and wire logs.

use std::process::Output;

use arena_tests::shell::{READY, answering};
use arena_tests::{Scratch, arena};
use serde_json::Value;

/// Runs the arena with these words and one more argument.
fn with(scratch: &Scratch, words: &str, last: &str) -> Output {
    scratch.command(words).arg(last).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Plays a tournament between a shell bot and a good one.
fn tournament(script: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("bot.sh", script);
    let flags = "run -q --seed 1 --deals 1 --jobs 1 --move-ms 300 --rule rounds=1 --bot good=builtin:random --out t --bot";
    let output = with(&scratch, flags, "bad=sh bot.sh");
    let log = text(&output.stderr);
    assert!(
        output.status.success() && log.contains("arena faults t"),
        "{log}"
    );
    scratch
}

/// Checks the reported faults, as text and as JSON, and returns the JSON.
fn check(script: &str, cause: &str, parts: &[&str]) -> Value {
    let scratch = tournament(script);
    let told = scratch.printed("faults t --only bad");
    assert!(
        told.lines().all(|line| line.chars().count() <= 80),
        "{told}"
    );
    assert!(!told.contains('\x1b'), "{told}");
    let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        &format!("bad forfeited ({cause})"),
        "2 times, first in match d1/",
    ]
    .iter()
    .chain(parts)
    {
        assert!(words.contains(*part), "{part}: {told}");
    }
    assert!(
        told.lines()
            .last()
            .unwrap()
            .starts_with("  arena repro t d1/"),
        "{told}"
    );
    let faults: Value = serde_json::from_str(&scratch.printed("faults t --json")).unwrap();
    assert_eq!(faults["bots"][0]["bot"], "bad");
    assert_eq!(faults["bots"][0]["by_cause"][cause], 2);
    assert_eq!(faults["faults"].as_array().unwrap().len(), 2);
    faults
}

#[test]
fn a_crash_is_told_with_the_end_of_the_log() {
    let script = format!(
        "{READY} printf 'Traceback\\n\\033[2J<b>ValueError\\033[0m</b>: no plan\\n' >&2; exit 3"
    );
    let fix = "help the error in its log: \\u{1b}[2J<b>ValueError\\u{1b}[0m</b>: no plan";
    let faults = check(
        &script,
        "crash",
        &["exited with code 3", "prompt [{\"set_up\":{\"dark\":[", fix],
    );
    let fault = &faults["faults"][0];
    assert!(
        fault["log"]
            .as_str()
            .unwrap()
            .contains("\u{1b}[2J<b>ValueError"),
        "{fault}"
    );
    assert!(
        fault["exit"]
            .as_str()
            .unwrap()
            .starts_with("exited with code 3"),
        "{fault}"
    );
    assert!(fault["prompt"][0]["set_up"]["dark"].is_array(), "{fault}");
    assert!(
        fault["sent"]
            .as_array()
            .unwrap()
            .iter()
            .any(|line| line.as_str().unwrap().contains("\"turn\""))
    );
}

#[test]
fn a_run_names_the_first_cause_of_its_forfeits() {
    let scratch = Scratch::new();
    scratch.write(
        "bad.py",
        "import json, sys\nprint(json.dumps({'ready': {}}), flush=True)\nfor line in sys.stdin:\n    \
         if 'turn' in json.loads(line):\n        {}['face']\n",
    );
    let output = scratch.arena("run bad.py random --rule rounds=1 --deals 3 --seed 1 --out t -q");
    let said = text(&output.stderr);
    let cause = "\n6 forfeits; the first, of bad in d1/bad/random: bad.py line 5, KeyError: 'face'\n\
                 faults     arena faults t\n";
    assert!(said.contains(cause), "{said}");
}

#[test]
fn late_moves_and_time_are_told() {
    let faults = check(
        &format!("{READY} cat > /dev/null"),
        "time",
        &["no answer in time", "flush standard output"],
    );
    assert!(
        faults["faults"][0]["wall_us"].as_u64().unwrap() >= 300_000,
        "{faults}"
    );
    // The first late move only incurs Coda's own penalty.
    assert_eq!(
        faults["bots"][0]["late_moves"].as_u64().unwrap(),
        faults["late_moves"].as_array().unwrap().len() as u64
    );
    assert!(
        faults["bots"][0]["late_moves"].as_u64().unwrap() >= 2,
        "{faults}"
    );
}

#[test]
fn a_wrong_id_is_told_with_the_right_one() {
    let said = "{\"id\":0,\"action\":{\"set_up\":{\"dark\":1}}}";
    let script = format!("{READY} echo '{said}'; while read line; do echo '{said}'; done");
    let parts = [
        "it sent the id of another turn",
        "a reply with the id 0 came while",
        "was open",
    ];
    check(&script, "time", &parts);
}

#[test]
fn a_bot_that_sleeps_too_long_is_slow() {
    let answer = |action: &str| {
        format!(
            "id=${{turn#*\\\"id\\\":}}; id=${{id%%,*}}; echo \"{{\\\"id\\\":$id,\\\"action\\\":{action}}}\""
        )
    };
    let (first, later) = (
        answer("{\\\"set_up\\\":{\\\"dark\\\":1}}"),
        answer("{\\\"stop\\\":{}}"),
    );
    let script = format!("{READY} {first}; while read turn; do sleep 0.4; {later}; done");
    check(
        &script,
        "time",
        &[
            "it answers, but not in time",
            "it answers, but is too slow",
            "so it slept or waited for a file",
        ],
    );
}

#[test]
fn what_a_bot_wrote_before_it_ended_by_itself_is_told() {
    let script = format!("{READY} echo 'cannot open weights.bin' >&2; exit 0");
    check(
        &script,
        "crash",
        &[
            "exited with code 0",
            "its log says: cannot open weights.bin. If that is not why",
        ],
    );
}

#[test]
fn an_illegal_action_is_told_with_what_was_offered() {
    let said = answering("{\\\"id\\\":$id,\\\"action\\\":{\\\"set_up\\\":{\\\"dark\\\":7}}}");
    check(
        &said,
        "illegal",
        &[
            "dark = 7 is not legal here",
            "received {\"id\":",
            "not legal here",
        ],
    );
}

#[test]
fn what_is_no_message_is_told_without_harm() {
    let script = "printf '\\033[2J<script>loading\\n'; cat > /dev/null";
    check(
        script,
        "protocol",
        &[
            "received \\u{1b}[2J<script>loading",
            "help this line came before ready, which must be the first line on standard output: print debug text to standard error",
        ],
    );
}

#[test]
fn where_nothing_failed_nothing_is_told() {
    let scratch = Scratch::new();
    scratch.printed("run -q --seed 1 --deals 1 --rule rounds=1 --bot a=builtin:random --bot b=builtin:random --out t");
    assert_eq!(
        scratch.printed("faults t"),
        "no faults, no late moves, no void matches\n"
    );
    assert!(text(&scratch.arena("faults t --only c").stderr).contains("no bot is named \"c\""));
}

/// Plays one match between two random bots, one of them a program.
fn finished() -> Scratch {
    let scratch = Scratch::new();
    let flags = "run -q --seed 1 --deals 1 --rule rounds=1 --bot b=builtin:random --isolation off --out t --log-wire --bot";
    assert!(
        with(
            &scratch,
            flags,
            &format!("a={} bot random", arena().display())
        )
        .status
        .success()
    );
    scratch
}

#[test]
fn a_bot_that_is_repeatable_does_the_same_again() {
    let scratch = finished();
    for seat in [0, 1] {
        let printed = scratch.printed(&format!("repro --trust t d1/b/a --seat {seat}"));
        assert!(printed.contains("turns agree, none differs"), "{printed}");
        let again: Value = serde_json::from_str(
            &scratch.printed(&format!("repro --trust t d1/b/a --json --seat {seat}")),
        )
        .unwrap();
        assert_eq!(again["agree"], again["turns"]);
        assert!(again["turns"].as_u64().unwrap() >= 3, "{again}");
    }
    assert!(
        scratch
            .printed("repro --trust t d1/b/a:3 --seat 0")
            .contains(" turns agree")
    );
    let unknown = scratch.arena("repro --trust t d1/a/c");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        text(&unknown.stderr).contains("name one like d1/"),
        "{}",
        text(&unknown.stderr)
    );
    assert!(
        text(&scratch.arena("repro --trust t d1/a/b").stderr)
            .contains("name one with --seat: 0 (a), 1 (b)")
    );
}

#[test]
fn a_bot_that_changed_is_shown_where_it_differs() {
    let scratch = finished();
    // A function that returns the same bot with one line of its output changed. Line 1 is its ready message, and line 2 its set-up.
    let changed = |line: u32, change: &str| {
        let me = arena().display();
        let script = format!(
            "{me} bot random | {{ n=0; while IFS= read -r line; do n=$((n+1)); \
             [ $n -eq {line} ] && line=$(printf '%s' \"$line\" | sed '{change}'); printf '%s\\n' \"$line\"; done; }}"
        );
        scratch.write("changed.sh", &script);
        let again = with(
            &scratch,
            "repro --trust t d1/a/b --seat 0 --json --program",
            "sh changed.sh",
        );
        assert_eq!(again.status.code(), Some(1), "{}", text(&again.stderr));
        let told = text(
            &with(
                &scratch,
                "repro --trust t d1/a/b --seat 0 --program",
                "sh changed.sh",
            )
            .stdout,
        );
        (
            serde_json::from_str::<Value>(&text(&again.stdout)).unwrap(),
            told,
        )
    };
    let (again, told) = changed(3, "s/dark/x/;s/light/dark/;s/x/light/");
    let steps = again["steps"].as_array().unwrap();
    assert_eq!(
        again["agree"].as_u64().unwrap() + 1,
        again["turns"].as_u64().unwrap()
    );
    let turn = steps[1]["turn"].as_u64().unwrap();
    assert_eq!(
        (
            &steps[0]["agrees"],
            &steps[1]["agrees"],
            &steps[1]["illegal"]
        ),
        (&true.into(), &false.into(), &Value::Null)
    );
    assert_ne!(
        steps[1]["recorded"]["act"]["draw"]["colour"],
        steps[1]["now"]["act"]["draw"]["colour"]
    );
    assert!(
        told.contains(&format!("the first that differs is turn {turn}"))
            && told.contains("which is legal"),
        "{told}"
    );
    let (again, told) = changed(2, "s/\"dark\":[0-9]*/\"dark\":9/");
    assert!(
        again["steps"][0]["illegal"]
            .as_str()
            .unwrap()
            .contains("dark = 9 is not legal here"),
        "{again}"
    );
    assert!(told.contains("which is illegal: dark = 9"), "{told}");
}

#[test]
fn a_crash_comes_again_with_its_log() {
    let scratch = tournament(&format!("{READY} printf '\\033[2Joh no\\n' >&2; exit 3"));
    let again = scratch.arena("repro t d1/good/bad");
    let told = text(&again.stdout);
    assert_eq!(again.status.code(), Some(1), "{told}");
    for part in [
        "then     failed (crash): exited with code 3",
        "now      failed (crash): exited with code 3",
        "| \\u{1b}[2Joh no",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    scratch.write("bot.sh", "echo starting; exit 4");
    let told = text(&scratch.arena("repro t d1/good/bad").stdout);
    assert!(
        told.contains("the program failed (protocol)") && told.contains("1 not played again"),
        "{told}"
    );
}

#[test]
fn a_program_that_hangs_is_given_up() {
    let scratch = tournament(&format!("{READY} exit 3"));
    // The shell holds the output open, as a program that hangs would.
    scratch.write("bot.sh", &format!("{READY} while read -r line; do :; done"));
    let again = scratch.arena("repro t d1/good/bad");
    let told = text(&again.stdout);
    assert_eq!(again.status.code(), Some(1), "{told}");
    assert!(
        told.contains("the program was given up: it had not answered turn 1 after 10 s"),
        "{told}"
    );
    let help = scratch
        .printed("repro --help")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(help.contains("but at least 10 s"));
}

/// Reads the only wire log of a bot. Returns, for each line, whether the bot sent it, the time, and the text.
fn wire(scratch: &Scratch, folder: &str, bot: &str) -> Vec<(bool, u64, String)> {
    let files = std::fs::read_dir(scratch.path().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_of_bot = |name: &str| name.starts_with(&format!("{bot}-")) && name.ends_with(".wire");
    let mut files = files.filter(|file| is_of_bot(file.file_name().unwrap().to_str().unwrap()));
    let text = std::fs::read_to_string(files.next().unwrap()).unwrap();
    let line = |line: &str| {
        let [way, time, text] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        assert!(way == "<" || way == ">", "{line}");
        (way == ">", time.parse().unwrap(), text.to_owned())
    };
    text.lines().map(line).collect()
}

fn check_wire(lines: &[(bool, u64, String)]) {
    assert!(lines.is_sorted_by_key(|line| line.1), "{lines:?}");
    assert!(
        lines[0].2.starts_with("{\"hello\"") && !lines[0].0,
        "{lines:?}"
    );
    assert!(
        lines[1].2.starts_with("{\"ready\"") && lines[1].0,
        "{lines:?}"
    );
    let turns = lines
        .iter()
        .filter(|line| !line.0 && line.2.starts_with("{\"turn\""))
        .count();
    let answers = lines
        .iter()
        .filter(|line| line.0 && line.2.contains("\"action\""))
        .count();
    assert!(turns > 1 && turns == answers, "{lines:?}");
    assert_eq!(lines.last().unwrap().2, "{\"quit\":{}}");
}

#[test]
fn the_wire_log_holds_every_line() {
    check_wire(&wire(&finished(), "t/logs", "a"));
    let scratch = Scratch::new();
    let me = arena().display();
    let flags = "match --rule rounds=1 --bot b=builtin:random --log-wire wires --bot";
    assert!(
        with(&scratch, flags, &format!("a={me} bot random"))
            .status
            .success()
    );
    check_wire(&wire(&scratch, "wires", "a"));
}

/// Checks a bot that never becomes ready: it is not started more often if it has more matches, and the results are the same.
#[test]
fn a_bot_that_never_gets_ready_is_not_started_for_every_match() {
    let scratch = Scratch::new();
    scratch.write("bot.sh", "echo a start >&2; cat > /dev/null");
    let bots =
        "[[bots]]\nname = 'b'\ncommand = 'sh bot.sh'\n[[bots]]\nname = 'r'\nbuiltin = 'random'\n";
    scratch.write(
        "t.toml",
        &format!("seed = 1\ndeals = 8\nclock.start_ms = 200\nrules.rounds = 1\n{bots}"),
    );
    let stderr = text(&scratch.arena("run t.toml -q --jobs 1 --out one").stderr);
    assert_eq!(
        stderr
            .matches("b was started 3 times and was never ready")
            .count(),
        1,
        "{stderr}"
    );
    assert!(stderr.contains("its log says: a start"), "{stderr}");
    let log =
        |dir: &str| std::fs::read_to_string(scratch.path().join(dir).join("logs/b.log")).unwrap();
    assert_eq!(log("one").matches("a start").count(), 3);
    assert_eq!(
        scratch.standings("one")["faults"].as_array().unwrap().len(),
        16
    );
    scratch.printed("run t.toml -q --jobs 2 --oversubscribe --out two");
    assert_eq!(scratch.printed("export one"), scratch.printed("export two"));
    // A bot that has been ready once is started again for each match, because the cause of its failure may be transient.
    scratch.write("bot.sh", &format!("echo a start >&2; {READY} exit 0"));
    scratch.printed("run t.toml -q --jobs 1 --out three");
    assert_eq!(log("three").matches("a start").count(), 16);
}

#[test]
fn a_log_names_the_match_and_the_turn_above_what_was_written_in_it() {
    let scratch = Scratch::new();
    let random = format!("{} bot random", arena().display());
    let filter = "while read -r line; do i=$((i+1)); echo \"answer $i\" >&2; echo \"$line\"; done";
    scratch.write(
        "bot.sh",
        &format!("echo loading >&2; {random} | {{ i=-1; {filter}; }}"),
    );
    let bots = "--isolation off --bot r=builtin:random --bot";
    let bot = "b=sh bot.sh";
    let output = with(
        &scratch,
        &format!("run -q --seed 3 --deals 1 --jobs 1 --rule rounds=1 --out t {bots}"),
        bot,
    );
    assert!(output.status.success());
    let printed = scratch.printed("show t d1/b/r --logs");
    let lines: Vec<&str> = printed.lines().collect();
    let about = lines.iter().position(|line| *line == "r (seat 2)").unwrap();
    assert_eq!(
        (lines[0], lines[about + 1]),
        ("b (seat 1)", "  is built in: it writes nothing")
    );
    let export = scratch.printed("export t --times");
    let matches: Vec<Value> = export
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let one = matches.iter().find(|one| one["id"] == "d1/b/r").unwrap();
    let moves = one["times"]["moves"].as_array().unwrap();
    assert_eq!(lines[1..3], ["  loading", "  answer 0"]);
    assert!(
        moves.len() > 4 && lines[3..about].len() == 2 * moves.len(),
        "{printed}"
    );
    for (index, (lines, timed)) in lines[3..about].chunks(2).zip(moves).enumerate() {
        assert_eq!(
            lines,
            [
                format!("  --- turn {}", timed["turn"]),
                format!("  answer {}", index + 1)
            ],
            "{printed}"
        );
    }
    assert_eq!(
        scratch
            .printed("show t d1/r/b --logs --seat 1")
            .lines()
            .next(),
        Some("b (seat 2)")
    );
    assert!(
        scratch
            .refused("show t d1/b/x --logs")
            .contains("no finished match d1/b/x")
    );
    assert!(
        scratch
            .refused("show t d1/b/r --logs --seat 2")
            .contains("there is no seat 2")
    );
    let log = text(
        &with(
            &scratch,
            &format!("match --seed 3 --rule rounds=1 {bots}"),
            bot,
        )
        .stderr,
    );
    assert!(
        log.contains("b | loading\nb | answer 0\nb | answer 1\n"),
        "{log}"
    );
}

/// Checks a bot that writes a lot: for each match, the beginning and the end of its output are kept, and nothing of another match.
#[test]
fn a_talkative_bot_has_a_log_of_every_match() {
    let scratch = Scratch::new();
    // Before it answers, the bot names the match by the seed of its seat.
    let flood = format!("yes {} | head -c 300000 >&2", "z".repeat(999));
    let begin = "seed=${line##*'\"seed\":'}; seed=${seed%%,*}; turns=0; echo BEGINS $seed >&2";
    let turn = format!("turns=$((turns+1)); {flood}; echo TURN $seed $turns >&2");
    let cases = format!("'{{\"start\"'*) {begin};; '{{\"turn\"'*) {turn};;");
    let random = format!("{} bot random", arena().display());
    let me = "while read -r line; do case $line in CASES esac; echo \"$line\"; done";
    let me = me.replace("CASES", &cases);
    scratch.write("bot.sh", &format!("{{ {me}; }} | {random}"));
    let words = "run -q --seed 4 --deals 2 --jobs 2 --oversubscribe --rule rounds=1 --isolation off --no-clock --out t";
    let bots = ["--bot", "b=sh bot.sh", "--bot", "r=builtin:random"];
    let output = scratch.command(words).args(bots).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut seeds = std::collections::BTreeSet::new();
    for one in scratch.printed("export t --times").lines() {
        let one: Value = serde_json::from_str(one).unwrap();
        let turns = one["times"]["moves"].as_array().unwrap().len();
        let id = one["id"].as_str().unwrap();
        let seat = usize::from(id.ends_with("/b"));
        let log = scratch.printed(&format!("show t {id} --logs --seat {seat}"));
        let told: Vec<Vec<&str>> = log
            .lines()
            .map(|line| line.split_whitespace().collect())
            .filter(|words: &Vec<&str>| words.len() > 1 && words[1].parse::<u64>().is_ok())
            .collect();
        let (begins, rest) = told.split_first().unwrap();
        assert_eq!(begins[0], "BEGINS", "{told:?}");
        let last = rest.last().unwrap();
        assert_eq!(
            last[..],
            ["TURN", begins[1], &turns.to_string()],
            "{told:?}"
        );
        assert!(
            rest.iter().all(|words| words[..2] == ["TURN", begins[1]]),
            "{told:?}"
        );
        assert_eq!(log.contains(" bytes left out …\n"), turns > 3, "{told:?}");
        seeds.insert(begins[1].to_owned());
    }
    assert_eq!(seeds.len(), 4);
    let size = std::fs::metadata(scratch.path().join("t/logs/b.log"))
        .unwrap()
        .len();
    assert!(size < 16 << 20, "{size}");
}

#[test]
fn a_log_that_is_missing_is_not_said_to_be_empty() {
    let scratch = tournament(&format!("{READY} echo no plan >&2; exit 3"));
    let shown = || scratch.printed("show t d1/bad/good --logs --seat 0");
    assert_eq!(shown(), "bad (seat 1)\n  --- turn 0\n  no plan\n");
    let log = scratch.path().join("t/logs/bad.log");
    let file = std::fs::File::create(&log).unwrap();
    assert!(shown().contains(
        "has nothing of this match in t/logs/bad.log\n  kept with its fault:\n  no plan\n"
    ));
    file.set_len(16 << 20).unwrap();
    assert!(shown().contains("was full before it\n  kept with its fault:\n  no plan\n"));
    std::fs::remove_file(log).unwrap();
    assert!(shown().contains("there is no t/logs/bad.log\n  kept with its fault:\n  no plan\n"));
}
