//! A language model as a bot: the kit with a stub endpoint, pauses, and the data that a bot may keep.

use std::fs;
use std::process::{Output, Stdio};

use arena_tests::process::{Child, Command};
use arena_tests::sandbox::levels;
use arena_tests::{Scratch, root, until};

/// Secret that must not be found anywhere.
const KEY: &str = "sk-planted-7f3a";

/// A running stub endpoint, with the folder of a bot that calls it.
struct Endpoint {
    scratch: Scratch,
    _stub: Child,
}

impl Endpoint {
    /// Starts the stub, and writes a bot for a game.
    fn new(game: &str) -> Self {
        let scratch = Scratch::new();
        scratch.write("mode", "ok");
        scratch.write("requests", "");
        let mut stub = Command::new("python3");
        stub.arg(root().join("tests/bots/llm_stub.py"))
            .arg(scratch.path())
            .env("LLM_KEY", KEY);
        let stub = stub.stdin(Stdio::piped()).spawn().unwrap();
        let endpoint = Self {
            scratch,
            _stub: stub,
        };
        until("the stub has a port", || {
            endpoint.scratch.path().join("port").exists()
        });
        let written = endpoint.arena(&format!("new llm mine --game {game}"));
        assert!(written.status.success());
        endpoint
    }

    fn arena(&self, words: &str) -> Output {
        self.scratch
            .command(words)
            .env("LLM_KEY", KEY)
            .output()
            .unwrap()
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.scratch.path().join(file)).unwrap()
    }

    /// Writes a tournament of the bot against a random one, with the kit's settings except for the endpoint.
    fn tournament(&self, file: &str, (cache, move_ms): (&str, u32), rest: &str) {
        let bot = self
            .read("mine/bot.toml")
            .replace("8080", &self.read("port"))
            .replace("\"cache\"", &format!("{cache:?}"))
            .replace("180000", &move_ms.to_string());
        let bots = format!(
            "[[bots]]\nname = 'mine'\ndir = 'mine'\n{bot}[[bots]]\nname = 'random'\nbuiltin = 'random'\n"
        );
        let head = format!("name = 't'\ngame = {:?}\nseed = 5\n{rest}\n", self.game());
        self.scratch
            .write(file, &format!("{head}[clock]\nstart_ms = 60000\n{bots}"));
    }

    fn game(&self) -> String {
        let duel: toml::Table = self.read("mine/duel.toml").parse().unwrap();
        duel["game"].as_str().unwrap().to_owned()
    }

    /// Returns the number of requests answered with this status.
    fn count(&self, status: &str) -> usize {
        self.read("requests")
            .lines()
            .filter(|line| *line == status)
            .count()
    }

    fn exported(&self, dir: &str) -> String {
        String::from_utf8(self.arena(&format!("export {dir} --notes")).stdout).unwrap()
    }

    fn stderr(output: &Output) -> String {
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

const PATIENT: u32 = 600_000;

#[test]
fn an_outage_in_the_middle_changes_nothing_and_a_replay_costs_nothing() {
    let endpoint = Endpoint::new("coda");
    endpoint.tournament(
        "whole.toml",
        ("../one", PATIENT),
        "deals = 2\nrules = { rounds = 1 }\njobs = 2",
    );
    let output = endpoint.arena("run -q --trust whole.toml");
    assert!(output.status.success(), "{}", Endpoint::stderr(&output));
    let (whole, requests) = (endpoint.exported("whole"), endpoint.count("200"));
    assert!(
        whole.lines().count() == 4 && !whole.contains("\"cause\""),
        "{whole}"
    );

    endpoint.scratch.write("requests", "");
    endpoint
        .scratch
        .write("mode", &format!("down-after-{}", requests / 2));
    endpoint.tournament(
        "broken.toml",
        ("../two", PATIENT),
        "deals = 2\nrules = { rounds = 1 }\njobs = 2",
    );
    for _ in 0..2 {
        let output = endpoint.arena("run -q --trust broken.toml");
        let log = Endpoint::stderr(&output);
        assert_eq!(output.status.code(), Some(130), "{log}");
        assert!(
            log.contains("mine asks for a pause: ") && log.contains("answered 503"),
            "{log}"
        );
    }
    let shown = String::from_utf8(endpoint.arena("show broken").stdout).unwrap();
    assert!(
        shown.contains("- mine asked for a pause, which stopped the run, "),
        "{shown}"
    );
    let standings = endpoint.scratch.standings("broken");
    assert!(
        standings["pauses"]["mine"]["times"].as_u64().unwrap() >= 2,
        "{standings}"
    );
    assert_eq!(standings["standings"][0]["forfeits"]["total"], 0);
    endpoint.scratch.write("mode", "ok");
    let output = endpoint.arena("run -q --trust broken");
    assert!(output.status.success(), "{}", Endpoint::stderr(&output));
    assert_eq!(endpoint.exported("broken"), whole);
    assert_eq!(
        endpoint.count("200"),
        requests,
        "what was paid for is paid for once"
    );

    // No more requests are made, so the endpoint may be gone.
    endpoint.scratch.write("mode", "401");
    assert!(
        endpoint
            .arena("reset --yes --same-deals broken")
            .status
            .success()
    );
    let output = endpoint.arena("run -q --trust broken.toml");
    assert!(output.status.success(), "{}", Endpoint::stderr(&output));
    assert_eq!(
        (endpoint.exported("broken"), endpoint.count("401")),
        (whole, 0)
    );
    let spent: serde_json::Value = serde_json::from_str(&endpoint.read("two/spent.json")).unwrap();
    assert_eq!(spent["tokens"], 1_010 * requests);
    let noted = &endpoint.scratch.standings("broken")["noted"]["mine"];
    assert_eq!(noted["tokens"].as_f64(), spent["tokens"].as_f64());
    let shown = String::from_utf8(endpoint.arena("show broken --full").stdout).unwrap();
    assert!(
        shown.contains("noted by mine, in all: cost ") && shown.contains(", retries 0, tokens "),
        "{shown}"
    );
}

#[test]
fn each_trouble_of_an_endpoint_is_waited_for_asked_again_or_a_pause() {
    let endpoint = Endpoint::new("crack-the-code");
    // Columns: mode of the stub, exit code of the match, and expected message.
    for (number, (mode, code, said)) in [
        ("prose", 0, "\"retries\\\": 0"),
        ("slow", 0, "\"retries\\\": 0"),
        ("first-429", 0, "\"retries\\\": 0"),
        ("first-500", 0, "\"retries\\\": 0"),
        ("first-cut", 0, "\"retries\\\": 0"),
        ("length ok", 0, "\"retries\\\": 1, \\\"illegal\\\": 0"),
        ("none illegal ok", 0, "\"retries\\\": 2, \\\"illegal\\\": 2"),
        ("illegal", 0, "\"cause\":\"illegal\""),
        ("none", 0, "\"cause\":\"illegal\""),
        ("infinite", 0, "\"cause\":\"illegal\""),
        ("echo", 0, "My key is [LLM_KEY]."),
        (
            "401",
            130,
            "answered 401 Unauthorized: {\"error\": {\"message\": \"this is 401\"}}",
        ),
        ("hung", 130, "did not answer within the clock"),
        ("parts", 0, "\"retries\\\": 0"),
        ("surrogate", 0, "? half of a face."),
        ("null-cut ok", 0, "\"retries\\\": 1"),
        ("huge-usage", 0, "\"retries\\\": 0"),
        ("odd-usage", 0, "\"retries\\\": 0"),
        ("first-html", 0, "\"retries\\\": 0"),
        ("null", 130, "its content is no text"),
        ("number", 130, "its content is no text"),
        ("object", 130, "its content is no text"),
        (
            "odd-parts",
            130,
            "in a reply of type application/json that begins with",
        ),
        (
            "error-200",
            130,
            "begins with '{\"error\": {\"message\": \"no such model\"",
        ),
        (
            "html",
            130,
            "of type text/html that begins with '<!doctype html>",
        ),
        (
            "events",
            130,
            "of type text/event-stream that begins with 'data: {",
        ),
        ("empty", 130, "that begins with ' '"),
        ("binary", 130, "of type application/gzip"),
        ("deep", 130, "that begins with '[[["),
        ("list", 130, "that begins with '[1, 2]'"),
        ("key-error", 130, "that begins with 'unknown key [LLM_KEY]'"),
        (
            "redirect",
            130,
            "which is not followed: set LLM_URL to where http://127.0.0.1:",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        endpoint.scratch.write("mode", mode);
        endpoint.scratch.write("requests", "");
        // The stub never answers, so the bot waits this long.
        let move_ms = if mode == "hung" { 10_000 } else { PATIENT };
        let (file, dir) = (format!("t{number}.toml"), format!("t{number}"));
        endpoint.tournament(&file, (&format!("../cache{number}"), move_ms), "deals = 1");
        let output = endpoint.arena(&format!("run -q --trust {file}"));
        let log = Endpoint::stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{mode}: {log}");
        let exported = endpoint.exported(&dir);
        assert!(
            exported.contains(said) || log.contains(said),
            "{mode}: {exported}{log}"
        );
        assert_eq!(
            exported.contains("\"cause\""),
            said.contains("cause"),
            "{mode}: {exported}"
        );
        if said.contains("cause") {
            assert_eq!(endpoint.count("200"), 6, "{mode}");
        }
        for text in [
            &exported,
            &log,
            &endpoint.read(&format!("{dir}/logs/mine.log")),
        ] {
            assert!(!text.contains(KEY), "{mode}: {text}");
        }
        let cache = endpoint.scratch.path().join(format!("cache{number}"));
        for kept in fs::read_dir(cache).unwrap() {
            let kept = kept.unwrap().path();
            // Nothing is kept of a reply that the bot did not understand.
            assert!(code == 0 || kept.ends_with("spent.json"), "{mode}");
            let kept = fs::read_to_string(kept).unwrap();
            assert!(!kept.contains(KEY), "{mode}: {kept}");
        }
        let followed = endpoint.scratch.path().join("followed");
        assert!(!followed.exists(), "{mode}: the key went elsewhere");
    }
}

#[test]
fn the_kit_plays_each_game_and_is_short() {
    for game in ["coda", "code-777", "crack-the-code", "digit-code"] {
        let endpoint = Endpoint::new(game);
        let lines = endpoint.read("mine/bot.py").lines().count();
        assert!(lines <= 300, "{game}: bot.py has {lines} lines");
        endpoint.tournament("t.toml", ("../cache", PATIENT), "deals = 1");
        let output = endpoint.arena("run -q --trust t.toml");
        let exported = endpoint.exported("t");
        assert!(
            output.status.success() && !exported.contains("\"cause\""),
            "{game}: {exported}"
        );
        assert_eq!(exported.lines().count(), 2, "{game}");
        assert!(
            exported.contains("\\\"retries\\\": 0") && !exported.contains("\\\"retries\\\": 1"),
            "{game}: {exported}"
        );
    }
}

#[test]
fn options_can_be_held_back_until_an_illegal_answer() {
    let endpoint = Endpoint::new("digit-code");
    endpoint.tournament(
        "t.toml",
        ("../cache", PATIENT),
        "deals = 1\nrules = { turn_limit = 3, replays = 0 }",
    );
    let text = endpoint.read("t.toml");
    let with = |value: &str| {
        text.replace(
            "env       = { ",
            &format!("env = {{ LLM_LEGAL = {value:?}, "),
        )
    };
    endpoint.scratch.write("t.toml", &with("on-illegal"));
    let output = endpoint.arena("run -q --trust t.toml");
    assert!(output.status.success(), "{}", Endpoint::stderr(&output));
    // The stub cannot answer before it has seen the options, and sees them in the second request of each turn.
    let noted = &endpoint.scratch.standings("t")["noted"]["mine"];
    let turns = endpoint.exported("t").matches("\\\"retries\\\": 1").count();
    assert!(turns > 0);
    assert_eq!(noted["illegal"].as_f64(), Some(turns as f64));
    assert_eq!(noted["retries"].as_f64(), Some(turns as f64));
    assert_eq!(endpoint.count("200"), 2 * turns);

    endpoint.scratch.write("wrong.toml", &with("never"));
    let output = endpoint.arena("run -q --trust wrong.toml");
    let log = Endpoint::stderr(&output);
    assert!(log.contains("LLM_LEGAL is neither"), "{log}");
}

#[test]
fn a_budget_ends_cleanly_and_a_higher_one_goes_on() {
    let endpoint = Endpoint::new("digit-code");
    endpoint.tournament(
        "t.toml",
        ("../cache", PATIENT),
        "deals = 1\nrules = { turn_limit = 3, replays = 0 }",
    );
    let text = endpoint.read("t.toml");
    endpoint
        .scratch
        .write("t.toml", &text.replace("2000000", "3000"));
    let output = endpoint.arena("run -q --trust t.toml");
    let log = Endpoint::stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{log}");
    assert!(
        log.contains("the budget of 3000 is used up: raise LLM_MOST_TOKENS"),
        "{log}"
    );
    let requests = endpoint.count("200");
    assert!(
        (3..=4).contains(&requests),
        "each of two processes may go beyond it by one request: {requests}"
    );
    endpoint.scratch.write("t.toml", &text);
    let output = endpoint.arena("run -q --trust t.toml");
    assert!(output.status.success(), "{}", Endpoint::stderr(&output));
    assert!(!endpoint.exported("t").contains("\"cause\""));
}

#[test]
fn a_plan_counts_requests_and_sends_none() {
    let endpoint = Endpoint::new("coda");
    endpoint.tournament("t.toml", ("../cache", PATIENT), "deals = 2");
    let plan = String::from_utf8(endpoint.arena("plan --trust t.toml --seconds 1").stdout).unwrap();
    assert!(
        plan.contains("turns of a bot      about ") && plan.contains(" in all its matches"),
        "{plan}"
    );
    assert_eq!(endpoint.read("requests"), "");
}

/// A bot that asks for a pause in place of `ready`, or of each answer.
const PAUSING: &str = r#"
import json, sys
for line in sys.stdin:
    kind = list(json.loads(line))[0]
    if kind == sys.argv[1]:
        print(json.dumps({"pause": {"why": "no route\x1b[31m to my server"}}), flush=True)
    elif kind == "hello":
        print('{"ready":{}}', flush=True)
"#;

#[test]
fn only_a_bot_that_may_stops_the_run_and_each_time_is_counted() {
    for (when, turn) in [("hello", "ready"), ("turn", "an answer")] {
        let scratch = Scratch::new();
        scratch.write("bot.py", PAUSING);
        let file = |keys: &str| {
            format!(
                "deals = 2\nseed = 5\njobs = 1\n[[bots]]\nname = 'p'\ncommand = 'python3 bot.py {when}'\n{keys}\n[[bots]]\nname = 'r'\nbuiltin = 'random'\n"
            )
        };
        scratch.write("t.toml", &file("may_pause = true"));
        for times in 1..=3 {
            let output = scratch.arena("run -q --trust t.toml");
            let log = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(130), "in place of {turn}: {log}");
            assert!(
                log.contains("p asks for a pause: no route") && !log.contains('\x1b'),
                "{log}"
            );
            assert_eq!(scratch.standings("t")["pauses"]["p"]["times"], times);
        }
        let shown = scratch
            .printed("show t")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            shown.contains(
                "- p asked for a pause, which stopped the run, 3 times; the last time: no route"
            ),
            "{shown}"
        );
        assert_eq!(scratch.export("t").len(), 0, "in place of {turn}");
        scratch.write("t2.toml", &file(""));
        scratch.printed("run -q --trust t2.toml");
        assert_eq!(scratch.export("t2").len(), 4);
        let faults = scratch
            .printed("faults t2")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            faults.contains("it asks for a pause, which it may not"),
            "{faults}"
        );
        assert!(
            faults.contains("set may_pause = true (--may-pause)"),
            "{faults}"
        );
        let checked = scratch.arena(&format!(
            "check --game coda --matches-each 1 --may-pause python3 bot.py {when}"
        ));
        let text = String::from_utf8_lossy(&[checked.stdout, checked.stderr].concat()).into_owned();
        assert!(
            checked.status.code() == Some(1) && text.contains("asks for a pause: no route"),
            "{text}"
        );
    }
    let scratch = Scratch::new();
    for key in ["may_pause = true", "cache = 'kept'"] {
        scratch.write(
            "t.toml",
            &format!("[[bots]]\nname = 'p'\ncommand = 'true'\n{key}\n[[bots]]\nname = 'r'\nbuiltin = 'random'\n"),
        );
        let refused = scratch.refused("run --nats 127.0.0.1:9 t.toml");
        assert!(
            refused.contains("plays on this machine only: leave out --nats"),
            "{refused}"
        );
    }
}

#[test]
fn a_cache_stays_and_no_other_bot_sees_it() {
    for level in levels() {
        let scratch = Scratch::new();
        let keeper = "echo \"$XDG_CACHE_HOME\" >&2; cat \"$XDG_CACHE_HOME/kept\" >&2; echo once >> \"$XDG_CACHE_HOME/kept\"; exit 1";
        let other =
            "echo \"cache: $XDG_CACHE_HOME\" >&2; cat ../keeper/kept/kept kept/kept >&2; exit 1";
        let mut file = format!("isolation = '{level}'\ndeals = 2\nseed = 5\n");
        for (name, script, key) in [("keeper", keeper, "cache = 'kept'"), ("other", other, "")] {
            fs::create_dir(scratch.path().join(name)).unwrap();
            scratch.write(&format!("{name}/bot.sh"), script);
            file += &format!(
                "[[bots]]\nname = '{name}'\ndir = '{name}'\ncommand = 'sh bot.sh'\n{key}\n"
            );
        }
        scratch.write("t.toml", &file);
        let run = scratch.arena("run -q --trust t.toml");
        assert_eq!(run.status.code(), Some(1), "every match was forfeited");
        let log =
            |name| fs::read_to_string(scratch.path().join(format!("t/logs/{name}.log"))).unwrap();
        // Each start adds a line, as whichever user its process runs.
        let kept = fs::read_to_string(scratch.path().join("keeper/kept/kept")).unwrap();
        assert!(kept.lines().count() > 1, "{level}: {kept}{}", log("keeper"));
        assert!(log("keeper").contains("once"), "{level}: {}", log("keeper"));
        let other = log("other");
        assert!(
            other.contains("cache: \n") && (level == "off" || !other.contains("once")),
            "{level}: {other}"
        );
    }
}
