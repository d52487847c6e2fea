//! Whole tournaments with the real binary.

use std::ops::RangeInclusive;

use arena_tests::referee::check;
use arena_tests::sandbox::levels;
use arena_tests::{Scratch, arena, python_bot};
use serde_json::Value;

#[test]
fn jobs_and_processes_change_nothing() {
    let scratch = Scratch::new();
    let me = arena().display();
    let inside = "--bot a=builtin:random --bot b=builtin:exact".to_owned();
    let outside = [format!("--bot\0a={me} bot random\0--bot\0b={me} bot exact")];
    let run = |name: &str, jobs: u32, bots: &[String]| {
        let mut command = scratch.command(&format!(
            "run -q --deals 10 --seed 3 --oversubscribe --jobs {jobs} --out {name}"
        ));
        for bot in bots {
            command.args(bot.split('\0'));
        }
        assert!(command.output().unwrap().status.success());
        scratch.printed(&format!("export {name}"))
    };
    let inside: Vec<String> = inside.split_whitespace().map(str::to_owned).collect();
    let first = run("in1", 1, &inside);
    assert_eq!(first.lines().count(), 20);
    for jobs in [2, 8] {
        assert_eq!(first, run(&format!("in{jobs}"), jobs, &inside));
    }
    for jobs in [1, 2, 8] {
        assert_eq!(first, run(&format!("out{jobs}"), jobs, &outside));
    }
}

#[test]
fn many_matches_in_one_process_are_the_same_matches() {
    let scratch = Scratch::new();
    let me = arena().display();
    let run = |name: &str, first: &str, second: &str| {
        let mut command =
            scratch.command("run -q --seed 1 --deals 40 --bot c=builtin:random --out");
        command.args([
            name,
            "--bot",
            &format!("a={first}"),
            "--bot",
            &format!("b={second}"),
        ]);
        assert!(command.output().unwrap().status.success());
        assert_eq!(
            scratch.standings(name)["faults"].as_array().unwrap().len(),
            0
        );
        scratch.printed(&format!("export {name}"))
    };
    let one = run(
        "one",
        &format!("{me} bot random"),
        &format!("{me} bot excluding"),
    );
    let many = run(
        "many",
        &format!("{me} bot random --matches 64"),
        &format!("{me} bot excluding --matches 7"),
    );
    assert_eq!(one, many);
    if cfg!(feature = "all") {
        let python = |file| format!("python3 {}", python_bot(file));
        let one = run("first", &python("first_bot.py"), "builtin:random");
        assert_eq!(
            one,
            run("together", &python("many_matches.py"), "builtin:random")
        );
    }
}

#[cfg(feature = "all")]
#[test]
fn a_program_never_meets_a_deal_twice() {
    let scratch = Scratch::new();
    // The bot declares the code that was revealed in its last match. If it meets the deal again, it wins.
    scratch.write("cheat.py", CHEAT);
    let run = "run -q --seed 1 --game digit-code --seats 3 --deals 12 --jobs 1 --out t";
    let bots = "--bot a=builtin:random --bot b=builtin:random --bot";
    let output = scratch
        .command(&format!("{run} {bots}"))
        .arg("cheat=python3 cheat.py")
        .output()
        .unwrap();
    assert!(output.status.success());
    let standings = scratch.standings("t");
    let rows = standings["standings"].as_array().unwrap();
    let cheat = rows.iter().find(|row| row["bot"] == "cheat").unwrap();
    assert_eq!(cheat["wins"], 0, "{standings}");
}

#[cfg(feature = "all")]
const CHEAT: &str = r#"
import json, random, sys
code = None
for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print('{"ready":{}}', flush=True)
    if kind in ("turn", "end"):
        for event in body["events"]:
            for values in event.values():
                code = values.get("code") or code
    if kind == "turn":
        names = [name for option in body["prompt"] for name in option]
        declare = "declare" in names and code
        option = random.choice([option for option in body["prompt"] if "declare" not in option] or body["prompt"])
        (name, values), = option.items()
        choose = lambda legal: [choose(part) for part in legal] if isinstance(legal[0], list) else random.choice(legal)
        action = {"declare": {"code": code}} if declare else {name: {k: choose(v) for k, v in values.items()}}
        print(json.dumps({"id": body["id"], "action": action}), flush=True)
"#;

#[test]
fn stronger_bots_win_and_the_intervals_part() {
    let scratch = Scratch::new();
    let bots =
        "--bot exact=builtin:exact --bot excluding=builtin:excluding --bot random=builtin:random";
    scratch.printed(&format!("run -q --deals 60 --seed 5 {bots} --out t"));
    let standings = scratch.standings("t");
    let rows = standings["standings"].as_array().unwrap();
    let names: Vec<&str> = rows
        .iter()
        .map(|row| row["bot"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["exact", "excluding", "random"]);
    for pair in rows.windows(2) {
        assert!(
            pair[0]["interval"][0].as_f64() > pair[1]["interval"][1].as_f64(),
            "{pair:?}"
        );
    }
}

#[test]
fn the_demo_ends_with_standings_charts_and_a_folder_that_holds_everything() {
    let scratch = Scratch::new();
    let printed = scratch.printed("run --seed 1 --deals 1");
    // If Python is installed, the program is a Python bot.
    let programs = ["careful-coda", "inferring-process"];
    assert!(
        programs.iter().any(|name| printed.contains(name)) && !printed.contains("alike"),
        "{printed}"
    );
    assert!(
        printed.lines().all(|line| line.chars().count() <= 80),
        "{printed}"
    );
    let dir = scratch.path().join("runs/demo-1");
    for file in ["charts/points.svg", "charts/ratings.svg"] {
        assert!(dir.join(file).metadata().unwrap().len() > 2_000, "{file}");
    }
    for file in ["ledger.sqlite", "standings.json", "logs", "tournament.toml"] {
        assert!(dir.join(file).exists(), "{file}");
    }
    check(&scratch, "runs/demo-1");
    let again = scratch.printed("run --seed 1 --quiet --deals 1");
    assert_eq!(printed, again);
    assert!(scratch.path().join("runs/demo-2").exists());
    let told = scratch.arena("");
    assert!(told.status.success());
    let (told, next) = (String::from_utf8(told.stderr).unwrap(), "runs/demo-3");
    let (_, end) = told.split_once("\n\n").unwrap();
    let expected = format!(
        "report     {next}/report.html\nmore       arena extend {next} --deals 20\npairs      arena show {next} --pairs\n"
    );
    assert_eq!(end, expected);
}

#[cfg(feature = "all")]
#[test]
fn python_bots_play_without_a_fault() {
    let scratch = Scratch::new();
    scratch.write(
        "t.toml",
        &format!(
            "name = 'snakes'\ndeals = 5\nseats = 3\n[rules]\nrounds = 2\ndashes = true\n[[bots]]\nname = 'first'\ncommand = \"python3 '{}'\"\n\
             [[bots]]\nname = 'careful'\ncommand = \"python3 '{}'\"\n[[bots]]\nname = 'exact'\nbuiltin = 'exact'\n",
            python_bot("first_bot.py"),
            python_bot("careful_coda.py")
        ),
    );
    scratch.printed("run t.toml --seed 1 --quiet --out t");
    assert_eq!(scratch.export("t").len(), 5 * 6);
    assert_eq!(scratch.standings("t")["faults"], Value::Array(vec![]));
    check(&scratch, "t");
}

#[test]
fn a_finished_folder_is_resumed_and_another_setup_starts_over() {
    let scratch = Scratch::new();
    let run = "run -q --deals 3 --bot a=builtin:random --bot b=builtin:random --out t";
    let first = scratch.printed(run);
    let export = scratch.printed("export t");
    assert_eq!(scratch.printed(run), first);
    assert_eq!(
        scratch.printed(&format!("{run} --oversubscribe --jobs 7")),
        first
    );
    let said = scratch
        .arena(&format!("{run} --seed 9 --rule rounds=1"))
        .stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(
        said.contains(" in the folder, 9 now") && said.contains("rounds: 3 in the folder, 1 now"),
        "{said}"
    );
    assert_eq!(scratch.seed("t"), 9);
    assert_eq!(scratch.printed("export t/earlier/1"), export);
}

/// Checks that a seed is drawn if none is given. Authors cannot prepare for its deals, but anyone with the folder can play them again.
#[test]
fn where_no_seed_is_named_one_is_drawn_and_kept() {
    let scratch = Scratch::new();
    let file = "rules.rounds = 1\n[[bots]]\nname = 'a'\nbuiltin = 'random'\n[[bots]]\nname = 'b'\nbuiltin = 'exact'\n";
    scratch.write("t.toml", &format!("deals = 3\n{file}"));
    let drawn = ["one", "two"].map(|dir| {
        scratch.printed(&format!("run t.toml -q --out {dir}"));
        let seed = scratch.seed(dir);
        assert!(seed > 0);
        scratch.printed(&format!("run t.toml -q --seed {seed} --out {dir}-again"));
        assert_eq!(
            scratch.printed(&format!("export {dir}")),
            scratch.printed(&format!("export {dir}-again"))
        );
        seed
    });
    assert_ne!(drawn[0], drawn[1]);
    // The file continues with the seed of its folder, also after an extension.
    scratch.write("t.toml", &format!("deals = 5\n{file}"));
    scratch.printed("extend one --deals 5");
    scratch.printed("run t.toml -q --out one");
    scratch.printed("run one -q");
    scratch.printed(&format!("run t.toml -q --seed {} --out five", drawn[0]));
    assert_eq!(
        scratch.printed("export one"),
        scratch.printed("export five")
    );
    let said = scratch.arena("run t.toml -q --seed 1 --out one").stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(
        said.contains(&format!("seed: {} in the folder, 1 now", drawn[0])),
        "{said}"
    );
    assert_eq!(scratch.seed("one"), 1);
}

/// Checks that the seed can be read from a file, because other processes may see command lines. Bots cannot read that file.
#[test]
fn a_seed_can_come_from_a_file() {
    for level in levels().into_iter().filter(|level| *level != "off") {
        let scratch = Scratch::new();
        scratch.write("seed", "1099511627776\n");
        scratch.write("bot.sh", "cat seed >&2; cat > /dev/null");
        let bots = format!("--deals 1 --isolation {level} --bot r=builtin:random --bot");
        let run = |words: &str, bot: &str| {
            let output = scratch
                .command(&format!("run -q {words} {bots}"))
                .arg(bot)
                .output()
                .unwrap();
            String::from_utf8(output.stderr).unwrap()
        };
        let stderr = run("--seed-file seed --out a", "b=sh bot.sh");
        assert!(!stderr.contains("can read the seed"), "{stderr}");
        assert_eq!(scratch.seed("a"), 1 << 40);
        let log = std::fs::read_to_string(scratch.path().join("a/logs/b.log")).unwrap();
        assert!(
            log.contains("seed: ") && !log.contains("1099511627776"),
            "{log}"
        );
        let stderr = run("--seed 1099511627776 --out b", "b=false");
        // Bubblewrap hides other processes.
        assert_eq!(
            stderr.contains("bots can read the seed in this command line"),
            level == "landlock",
            "{stderr}"
        );
        assert!(
            stderr.contains("/a was played on the same seed"),
            "{stderr}"
        );
    }
    assert!(
        Scratch::new()
            .refused("match --seed-file nothing")
            .contains("'nothing' for '--seed-file <FILE>'")
    );
}

/// Returns the standard error of a command.
fn stderr(scratch: &Scratch, words: &str) -> String {
    String::from_utf8(scratch.arena(words).stderr).unwrap()
}

#[test]
fn a_drawn_seed_is_told_and_a_small_one_is_warned_of_where_programs_play() {
    let scratch = Scratch::new();
    let bots = "--rule rounds=1 --bot b=builtin:random --bot";
    for words in ["match", "run --deals 1"] {
        let printed = stderr(&scratch, &format!("{words} {bots} a=builtin:random"));
        let seed = printed
            .lines()
            .find_map(|line| line.strip_prefix("seed "))
            .and_then(|rest| rest.strip_suffix(" (random; --seed repeats it)"));
        let seed = seed.unwrap_or_default();
        assert!(
            seed.parse::<u64>().is_ok() && !printed.contains("warning"),
            "{printed}"
        );
        let warned = |more: &str| {
            stderr(&scratch, &format!("{words} {bots} {more}")).contains("warning: bots can be")
        };
        assert!(
            warned("a=false --seed 5") && warned("a=false --seed 1099511627775"),
            "{words}"
        );
        assert!(
            !warned("a=false --seed 1099511627776") && !warned("a=false"),
            "{words}"
        );
        assert!(!warned("a=builtin:random --seed 5"), "{words}");
    }
    let events = scratch.printed("match --json");
    let last: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    let again = scratch.printed(&format!("match --json --seed {}", last["verdict"]["seed"]));
    assert_eq!(events, again);
    let seeds = ["one.toml", "two.toml"].map(|file| {
        scratch.printed(&format!("init {file}"));
        let text = std::fs::read_to_string(scratch.path().join(file)).unwrap();
        let line = text
            .lines()
            .find(|line| line.starts_with("seed = "))
            .unwrap()
            .to_owned();
        line.split_whitespace()
            .nth(2)
            .unwrap()
            .parse::<u64>()
            .unwrap()
    });
    assert!(
        seeds[0] != seeds[1] && !seeds.contains(&0) && !seeds.contains(&1),
        "{seeds:?}"
    );
}

#[test]
fn ctrl_c_saves_what_is_finished_and_the_rest_is_played_later() {
    use std::process::Stdio;

    let scratch = Scratch::new();
    // The bot forfeits every match. So it is started for each of them, and logs every start.
    scratch.write(
        "bot.sh",
        "read hello; echo '{\"ready\":{}}'; read start; echo started >&2; read turn; exit",
    );
    let run = || {
        let mut command = scratch
            .command("run --seed 1 --deals 20 --jobs 1 --bot b=builtin:random --out t --bot");
        command
            .arg("a=sh bot.sh")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    };
    let child = run().spawn().unwrap();
    let log = scratch.path().join("t/logs/a.log");
    while std::fs::read_to_string(&log)
        .unwrap_or_default()
        .matches("started")
        .count()
        < 4
    {
        assert!(!child.has_ended(), "it ended too early");
        std::thread::yield_now();
    }
    child.signal("INT");
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("arena run t"), "{said}");
    let saved = scratch.export("t").len();
    assert!((3..40).contains(&saved), "{saved} matches were saved");
    assert!(run().output().unwrap().status.success());
    assert_eq!(scratch.export("t").len(), 40);
}

#[test]
fn what_is_listed_and_told_is_there() {
    let scratch = Scratch::new();
    for (game, _) in games(&scratch) {
        assert!(scratch.printed("games").contains(&game), "{game}");
        let schema: Value =
            serde_json::from_str(&scratch.printed(&format!("schema {game}"))).unwrap();
        assert!(schema["properties"]["arena_to_bot"].is_object() && schema["$defs"].is_object());
        assert!(
            scratch
                .printed(&format!("match --game {game} --seed 3"))
                .contains("1. ")
        );
    }
    let rules = scratch.printed("games coda");
    assert!(
        rules.starts_with("# Coda\n")
            && rules
                .lines()
                .all(|line| line.chars().count() <= 110 || line.starts_with('{')),
        "{rules}"
    );
    for bot in ["builtin:random", "builtin:excluding", "builtin:exact"] {
        for list in ["games", "games coda", "bots", "bots coda"] {
            assert!(scratch.printed(list).contains(bot), "{list}: {bot}");
        }
    }
    assert!(scratch.refused("bots chess").contains("crack-the-code"));
    let told = scratch.printed("match --seed 5 --out match.html");
    let page = std::fs::read_to_string(scratch.path().join("match.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    assert!(
        told.contains("--all prints them") && told.ends_with(".\n") && told.contains(" wins: "),
        "{told}"
    );
    let events = scratch.printed("match --seed 5 --json");
    let last: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!(last["verdict"]["ended"], "played");
    assert_eq!(scratch.arena("show nowhere").status.code(), Some(1));
    assert_eq!(scratch.arena("bot nobody").status.code(), Some(2));
}

/// Returns the games, each with its range of seats.
fn games(scratch: &Scratch) -> Vec<(String, RangeInclusive<u64>)> {
    let listed: Value = serde_json::from_str(&scratch.printed("games --json")).unwrap();
    let seats = |game: &Value, key: &str| game[key].as_u64().unwrap();
    let game = |game: &Value| {
        (
            game["name"].as_str().unwrap().to_owned(),
            seats(game, "least_seats")..=seats(game, "most_seats"),
        )
    };
    listed["games"]
        .as_array()
        .unwrap()
        .iter()
        .map(game)
        .collect()
}

#[test]
fn every_game_is_played_by_random_bots_here_and_behind_the_wire() {
    let scratch = Scratch::new();
    let me = arena().display();
    for (game, all_seats) in games(&scratch) {
        for seats in all_seats {
            let dir = format!("{game}-{seats}");
            let mut command = scratch.command(&format!(
                "run -q --seed 1 --game {game} --seats {seats} --deals 1 --out {dir}"
            ));
            for number in 2..seats {
                command.args(["--bot".into(), format!("r{number}=builtin:random")]);
            }
            command.args(["--bot".into(), format!("wire={me} bot random")]);
            let python = if cfg!(feature = "all") {
                format!("python3 '{}'", python_bot("first_bot.py"))
            } else {
                "builtin:random".into()
            };
            command.args(["--bot".into(), format!("python={python}")]);
            let output = command.output().unwrap();
            assert!(
                output.status.success(),
                "{game} {seats}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            let standings = scratch.standings(&dir);
            assert_eq!(standings["complete"], true);
            assert_eq!(
                standings["faults"],
                Value::Array(vec![]),
                "{game} with {seats} seats"
            );
            assert!(!scratch.export(&dir).is_empty());
        }
    }
}

/// A bot that plays Digit Code at random. In files, it remembers for each deal and seat the code that the opponent hid last. When the deal
/// is repeated, it declares that code.
#[cfg(feature = "all")]
const READER: &str = r#"
import json, os, random, sys

for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print(json.dumps({"ready": {"name": "reader", "games": ["digit-code"]}}), flush=True)
    elif kind == "start":
        chance, seat = random.Random(body["seed"]), body["seat"]
        file = os.path.join(sys.argv[1], str(body["seed"]))
        known = open(file).read() if os.path.exists(file) else None
    elif kind == "turn":
        options = {name: values for option in body["prompt"] for name, values in option.items()}
        if known and "declare" in options:
            action = {"declare": {"code": known}}
        else:
            name = chance.choice([name for name in options if name != "declare"] or ["declare"])
            action = {name: {key: chance.choice(legal) for key, legal in options[name].items()}}
        print(json.dumps({"id": body["id"], "action": action}), flush=True)
    elif kind == "end" and os.path.isdir(sys.argv[1]):
        for event in body["events"]:
            if event.get("revealed", {"seat": seat})["seat"] != seat:
                open(file, "w").write(event["revealed"]["code"])
"#;

#[cfg(feature = "all")]
#[test]
fn a_bot_that_knows_deals_when_they_come_back_is_warned_of() {
    let scratch = Scratch::new();
    scratch.write("reader.py", READER);
    std::fs::create_dir(scratch.path().join("memory")).unwrap();
    let path = |name: &str| scratch.path().join(name).display().to_string();
    for (memory, found) in [("memory", true), ("nothing", false)] {
        let mut run = scratch.command(&format!(
            "run -q --game digit-code --format gauntlet --deals 20 --seed 4 --isolation off --out of-{memory}"
        ));
        run.arg("--bot").arg(format!(
            "reader=python3 {} {}",
            path("reader.py"),
            path(memory)
        ));
        run.args([
            "--bot",
            "a=consistent",
            "--bot",
            "b=consistent",
            "--bot",
            "c=consistent",
        ]);
        let output = run.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let warning = "reader scores 0.8 more when a deal comes back, p < 0.001: it may carry knowledge between matches";
        assert_eq!(text.contains(warning), found, "{text}");
        let standings = scratch.standings(&format!("of-{memory}"));
        let warned: Vec<&str> = standings["carryover"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["bot"].as_str().unwrap())
            .collect();
        assert_eq!(warned, if found { &["reader"][..] } else { &[] });
    }
}
