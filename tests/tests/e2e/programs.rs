//! The lifetime of bots' processes: when they are restarted, and how much time they have.

use std::collections::BTreeSet;

use arena_tests::{Scratch, root};
use serde_json::Value;

/// A random bot that notes on each move which process made it. It may misbehave in its third match.
const BOT: &str = r#"
import json, random, sys, time
me, matches = str(random.random()), 0
for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print('{"ready":{}}', flush=True)
    elif kind == "start":
        matches += 1
    elif kind == "turn":
        (name, values), = random.choice(body["prompt"]).items()
        action = {name: {key: random.choice(legal) for key, legal in values.items()}}
        if matches == 3:
            MISBEHAVE
        print(json.dumps({"id": body["id"], "action": action, "note": me}), flush=True)
"#;

/// Plays six matches, and returns the number of processes and the faults.
fn processes(restart: &str, misbehave: &str) -> (usize, Vec<Value>) {
    let scratch = Scratch::new();
    scratch.write("bot.py", &BOT.replace("MISBEHAVE", misbehave));
    let bots = "[[bots]]\nname = 'good'\nbuiltin = 'random'\n[[bots]]\nname = 'bot'\ncommand = 'python3 bot.py'\n";
    let rules = "game = 'coda'\ndeals = 3\njobs = 1\nrules.rounds = 1\nclock.move_ms = 4000\n";
    scratch.write("t.toml", &format!("{rules}{bots}restart = '{restart}'\n"));
    scratch.printed("run -q --seed 1 t.toml --out t");
    let matches: Vec<Value> = scratch
        .printed("export t --notes")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(matches.len(), 6);
    let notes = matches
        .iter()
        .flat_map(|played| played["notes"].as_array().unwrap());
    let processes: BTreeSet<String> = notes
        .map(|note| note["text"].as_str().unwrap().to_owned())
        .collect();
    (
        processes.len(),
        scratch.standings("t")["faults"].as_array().unwrap().clone(),
    )
}

#[test]
fn a_program_is_started_anew_when_its_entry_says_so() {
    let check = |restart, misbehave, expected: usize, faults: usize| {
        let (processes, found) = processes(restart, misbehave);
        assert_eq!(
            (processes, found.len()),
            (expected, faults),
            "{restart}, {misbehave}: {found:?}"
        );
        found
    };
    // The six matches are on three deals, each of which is played twice. A process never plays a deal twice.
    check("fault", "pass", 2, 0);
    check("match", "pass", 6, 0);
    check("never", "pass", 1, 0);
    let illegal = "action = {'stop': {}} if name == 'set_up' else action";
    check("fault", illegal, 2, 2);
    check("never", illegal, 1, 1);
    let gone = check("never", "sys.exit(3)", 1, 4);
    let told = |words: &str| {
        gone.iter()
            .filter(|fault| fault["detail"].as_str().unwrap().contains(words))
            .count()
    };
    assert_eq!(
        (told("exited with code 3"), told("not started again")),
        (1, 3),
        "{gone:?}"
    );
}

#[test]
fn many_matches_need_few_processes() {
    let scratch = Scratch::new();
    let bot = std::fs::read_to_string(root().join("bots/python/many_matches.py")).unwrap();
    let starts = scratch.path().join("starts");
    scratch.write(
        "bot.py",
        &format!("print('started', file=open({starts:?}, 'a'))\n{bot}"),
    );
    let bots = "[[bots]]\nname = 'good'\nbuiltin = 'random'\n[[bots]]\nname = 'bot'\ncommand = 'python3 bot.py'\n";
    let rules = "game = 'coda'\ndeals = 400\njobs = 1\nisolation = 'off'\nrules.rounds = 1\nclock.move_ms = 60000\n";
    scratch.write("t.toml", &format!("{rules}{bots}"));
    scratch.printed("run -q --trust --seed 1 t.toml --out t");
    let starts = std::fs::read_to_string(starts).unwrap().lines().count();
    // A worker plays 256 matches at the same time. Each process has room for 64 matches, all on different deals.
    assert!(starts <= 8, "{starts} processes");
}

#[test]
fn a_program_stays_on_one_core_unless_it_may_have_all() {
    let scratch = Scratch::new();
    let all = std::thread::available_parallelism().unwrap();
    let cores = |name: &str, more: &str, flags: &str| {
        let bots = "[[bots]]\nname = 'good'\nbuiltin = 'random'\n[[bots]]\nname = 'bot'\ncommand = 'python3 bot.py'\n";
        let bot = BOT.replace("MISBEHAVE", "pass").replace(
            "str(random.random())",
            "str(len(__import__('os').sched_getaffinity(0)))",
        );
        scratch.write("bot.py", &bot);
        scratch.write(
            "t.toml",
            &format!("deals = 1\nrules.rounds = 1\n{bots}{more}"),
        );
        scratch.printed(&format!("run -q --seed 1 t.toml --out {name} {flags}"));
        let first: Value = serde_json::from_str(
            scratch
                .printed(&format!("export {name} --notes"))
                .lines()
                .next()
                .unwrap(),
        )
        .unwrap();
        first["notes"][0]["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(cores("one", "", ""), "1");
    assert_eq!(cores("all", "cores = 'all'\n", ""), all.to_string());
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:\t"))
        .unwrap();
    let first = allowed.split([',', '-']).next().unwrap();
    assert_eq!(
        cores("chosen", "cores = 'all'\n", &format!("--cores {first}")),
        "1"
    );
    assert_eq!(
        cores("whole", "cores = 'all'\n", &format!("--cores {allowed}")),
        all.to_string()
    );
    assert!(
        scratch
            .refused("run t.toml --cores 0-65535")
            .contains("may use only the cores")
    );
}

#[test]
fn a_bank_is_for_all_moves_of_a_match() {
    let scratch = Scratch::new();
    // The bot takes 100 ms per move. Together, its moves in a match take more than its time bank. Each single move takes less than the
    // limit for a move.
    scratch.write(
        "slow.py",
        &BOT.replace("if matches == 3", "if True")
            .replace("MISBEHAVE", "time.sleep(0.1)"),
    );
    let bots = "[[bots]]\nname = 'good'\nbuiltin = 'random'\n[[bots]]\nname = 'slow'\ncommand = 'python3 slow.py'\n";
    let clock = |increment: u32| {
        format!("clock = {{ move_ms = 4000, bank_ms = 450, increment_ms = {increment} }}\n")
    };
    let game = "deals = 1\njobs = 1\nrules = { rounds = 1, late_moves = 0 }\n";
    let faults = |name: &str, increment| {
        scratch.write("t.toml", &format!("{game}{}{bots}", clock(increment)));
        scratch.printed(&format!("run -q --seed 1 t.toml --out {name}"));
        scratch.standings(name)["faults"]
            .as_array()
            .unwrap()
            .clone()
    };
    let out_of_time = faults("short", 0);
    assert!(
        !out_of_time.is_empty() && out_of_time.iter().all(|fault| fault["cause"] == "time"),
        "{out_of_time:?}"
    );
    // A busy machine costs the bot no time. But a sleep may last longer than requested.
    assert_eq!(faults("long", 3_000), Vec::<Value>::new());
}

#[test]
fn moves_are_timed_on_the_wall_and_on_the_processor() {
    let scratch = Scratch::new();
    let busy =
        "end = time.process_time() + 0.03\n            while time.process_time() < end: pass";
    scratch.write(
        "busy.py",
        &BOT.replace("if matches == 3", "if True")
            .replace("MISBEHAVE", busy),
    );
    let run = "run -q --seed 1 --deals 1 --jobs 1 --rule rounds=1 --out t --bot good=builtin:random --bot";
    assert!(
        scratch
            .command(run)
            .arg("busy=python3 busy.py")
            .output()
            .unwrap()
            .status
            .success()
    );
    let matches = scratch.printed("export t --times");
    for line in matches.lines() {
        let played: Value = serde_json::from_str(line).unwrap();
        let moves = played["times"]["moves"].as_array().unwrap();
        let busy = played["seats"]
            .as_array()
            .unwrap()
            .iter()
            .position(|seat| *seat == "busy")
            .unwrap();
        assert!(!moves.is_empty() && moves.iter().all(|one| one["seat"] == busy));
        // On the first turns, the arena may not yet know which process in the sandbox is the bot's own.
        let last = moves.last().unwrap();
        assert!(
            last["wall_us"].as_u64() >= Some(30_000) && last["cpu_us"].as_u64() >= Some(29_000),
            "{last}"
        );
    }
}
